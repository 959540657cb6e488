"""Where the C libraries enter Python: one function that carries out every call.

A stub passes the address of its description (name, kinds of arguments) and of its arguments in 8-byte slots. The
first call of each function looks its handler up in :mod:`softrock.abi.calls`; later ones find it by the address.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import struct
from collections.abc import Callable
from typing import Any

from softrock.core import ending
from softrock.core.errors import SoftrockError
from softrock.hip import raw
from softrock.hip.errors import NOT_SUPPORTED, UNKNOWN, HipError

# Members of sr_runtime (native/shim.h).
_SIZE = 88
_PHASE, _STICKY, _FAILURE, _UNSEEN, _EMBEDDED = 4, 8, 12, 16, 20
_DISPATCH, _FINISH, _SET_DEVICE, _WRITE, _RECORDS, _FAST = 24, 32, 48, 56, 64, 72
_RUNNING, _ENDED = 1, 2

_NOT_INITIALISED = 3
_OUT_OF_MEMORY = 2
_LOUD = {98, 200, 209, 303}
"""Errors whose reason is worth a line on stderr: the program usually prints only their name."""
_INTERRUPT_AFTER = 0.02
_LAST_WAIT = 3.0
"""Seconds the end of the process waits for kernels that still run."""

Handler = Callable[..., Any]
Entry = tuple[Handler, Callable[[Any], tuple[Any, ...]] | None, int, str]

_entries: dict[int, Entry] = {}
_primary = 0
_said: set[str] = set()
_kept: list[Any] = []
_LETTERS = {
    "b": "b7x", "B": "B7x", "h": "h6x", "H": "H6x", "i": "i4x", "I": "I4x", "f": "f4x",
    "q": "q", "Q": "Q", "d": "d", "s": "Q",
}  # fmt: skip
_debug = os.environ.get("SOFTROCK_DEBUG", "") not in ("", "0")


def boot(address: int) -> int:
    """Join a copy of the C library to the runtime.

    Args:
        address: of its `sr_runtime`.

    Returns:
        The address of the `sr_runtime` that it shall use: its own, if it is the first.
    """
    global _primary
    if raw.get(address, "I") != _SIZE:
        raise SoftrockError(
            "the C library and the Python package softrock are of different versions",
            hint="start the program with `softrock run` or `softrock exec` of this installation",
        )
    records = raw.get(address + _RECORDS, "Q")
    if records:
        from softrock.abi import records as registered

        registered.attach(records)
    if _primary:
        return _primary
    dispatcher = raw.ffi.callback("int(uintptr_t, uintptr_t)", dispatch, error=UNKNOWN)
    finisher = raw.ffi.callback("void(void)", finish)
    _kept.extend((dispatcher, finisher))
    raw.put(address + _DISPATCH, "QQ", _address(dispatcher), _address(finisher))
    _connect(address)
    _primary = address
    raw.put(address + _PHASE, "i", _RUNNING)
    return address


def _address(callback: Any) -> int:
    return int(raw.ffi.cast("uintptr_t", callback))


def _connect(address: int) -> None:
    """Let the Python side tell the C side what it keeps copies of."""
    from softrock.hip import printf, state

    set_device = raw.ffi.cast("void(*)(int)", raw.get(address + _SET_DEVICE, "Q"))
    state.on_device_change.append(set_device)

    def changed(runtime: state.Runtime) -> None:
        raw.put(address + _STICKY, "ii", runtime.sticky, runtime.failure)

    state.on_status_change.append(changed)
    if raw.get(address + _FAST, "Q"):
        from softrock.abi import fast

        fast.connect(*raw.words(address + _FAST, 2))
    if raw.get(address + _EMBEDDED, "i"):
        write = raw.ffi.cast("void(*)(char *, size_t, int)", raw.get(address + _WRITE, "Q"))
        printf.set_writer(lambda data, to_stderr: write(raw.ffi.from_buffer(data), len(data), to_stderr))
    else:
        atexit.register(_python_ends)


def _python_ends() -> None:
    """Python goes before the process does: later calls must not come here any more."""
    finish()
    raw.put(_primary + _PHASE, "i", _ENDED)


def finish() -> None:
    """The process ends: let kernels end, print what they printed, report faults. Raises nothing."""
    from softrock.gpu.faults import EXIT
    from softrock.hip import state

    runtime = state.existing()
    if runtime is None:
        return
    with contextlib.suppress(Exception):
        for home in runtime.devices:
            for stream in tuple(home.streams):
                if not stream.queue.wait(_LAST_WAIT):
                    abort = getattr(stream.queue, "abort", None)
                    if abort is not None:
                        abort(EXIT)
                        runtime.fail()
                with contextlib.suppress(HipError):
                    stream.settle()
    ending.run()


def dispatch(stub: int, slots: int) -> int:
    """Carry out one call and return its status."""
    try:
        entry = _entries.get(stub) or _resolve(stub)
        handler, unpack, size, _ = entry
        arguments = unpack(raw.ffi.buffer(raw.ffi.cast("char *", slots), size)) if unpack is not None else ()
        result = handler(*arguments)
        if result is not None:
            raw.put(slots, "q", result)
        return 0
    except HipError as error:
        return _failed(error, _entries[stub][3] if stub in _entries else "")
    except BaseException as error:
        return _broken(error, raw.text(raw.get(stub, "Q")))


def _resolve(stub: int) -> Entry:
    from softrock.abi import calls

    name, kinds = raw.text(raw.get(stub, "Q")), raw.text(raw.get(stub + 8, "Q"))
    handler = calls.find(name)
    if not kinds:
        entry: Entry = (handler, None, 0, name)
    else:
        layout = struct.Struct("<" + "".join(_LETTERS[kind] for kind in kinds))
        entry = (handler, layout.unpack, layout.size, name)
    _entries[stub] = entry
    return entry


def _failed(error: HipError, name: str) -> int:
    """Note an error that the call reports; say what the program itself will not."""
    launch = "Launch" in name
    if launch:
        raw.put(_primary + _UNSEEN, "i", 1)
    if launch or error.code in _LOUD or (error.code == NOT_SUPPORTED and name not in _said):
        if error.code == NOT_SUPPORTED:
            _said.add(name)
        _say(f"softrock: {name}: {error.message}", error.hint)
    elif _debug:
        _say(f"softrock: {name}: {error.message}", error.hint)
    return error.code


def _say(message: str, hint: str | None) -> None:
    from softrock.hip import printf

    text = message + (f"\n  mend: {hint}" if hint else "") + "\n"
    if text not in _said:
        _said.add(text)
        printf.write(text.encode("utf-8", "surrogateescape"), True)


def _broken(error: BaseException, name: str) -> int:
    """Anything that is no HIP error: settings that cannot be used, Ctrl-C, a defect."""
    if _debug:
        import traceback

        traceback.print_exception(error)
    code = getattr(error, "code", None)
    if isinstance(error, SoftrockError) and isinstance(code, int):  # a HIPRTC error: the program has its log
        return code
    if isinstance(error, KeyboardInterrupt):
        _interrupted()
        return UNKNOWN
    if isinstance(error, MemoryError):
        return _OUT_OF_MEMORY
    raw.put(_primary + _FAILURE, "i", 1)
    if isinstance(error, SoftrockError):
        _say(f"softrock: {error.message}", error.hint)
        return _NOT_INITIALISED
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"softrock: {name}: {where}{error.strerror}", "set SOFTROCK_DEBUG=1 for details")
        return UNKNOWN
    hint = "set SOFTROCK_DEBUG=1 for details, and report it"
    _say(f"softrock: defect in {name}: {type(error).__name__}: {error}", hint)
    return UNKNOWN


def _interrupted() -> None:
    """Ctrl-C came while a call waited: end the kernels, and let Python see the signal once this call is back (no
    exception can pass through C)."""
    import _thread
    import threading

    from softrock.exec import runtime as engine

    engine.runtime().abort_all(0)
    threading.Timer(_INTERRUPT_AFTER, _thread.interrupt_main).start()
