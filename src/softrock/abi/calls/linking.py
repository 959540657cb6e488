"""Linking bitcode while a program runs: hipLink... and hiprtcLink..., which differ in their errors only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from softrock.abi.calls.hiprtc import INVALID_INPUT, LINKING, RtcError
from softrock.core.errors import SoftrockError
from softrock.hip import raw, state
from softrock.hip.errors import HipError

_BITCODE = 100
_BUNDLED = (101, 102)
_FOR_OBJECTS = (2, 3)
_MAGIC = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


class Link:
    """A link in progress: bitcode of its inputs, and the code object once it is complete."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.result: raw.Held | None = None

    def add(self, kind: int, data: bytes, name: str) -> None:
        """Add an input.

        Raises:
            SoftrockError: it is of a kind that cannot be linked here, or holds nothing for the device.
        """
        if kind == _BITCODE:
            if data[:4] not in _MAGIC:
                raise SoftrockError(f"{name} is no LLVM bitcode", hint="compile it with -fgpu-rdc")
            self.parts.append(data)
        elif kind in (*_BUNDLED, *_FOR_OBJECTS):
            self.parts += _of_device(data, name)
        else:
            raise SoftrockError(
                f"{name}: inputs of type {kind} cannot be linked", hint="give LLVM bitcode, bundled or not"
            )

    def complete(self) -> raw.Held:
        """Link what was added for the current device."""
        from softrock.compiler.rdc import link_bitcode

        if not self.parts:
            raise SoftrockError("nothing was added to the link")
        if self.result is None:
            self.result = raw.Held(link_bitcode(_target(), self.parts))
        return self.result


def _target() -> str:
    return state.current().device.facts.target


def _of_device(data: bytes, name: str) -> list[bytes]:
    """The bitcode for the current device in a bundle, object or archive."""
    from softrock.codeobj import bundle, targets

    device = targets.parse(_target())
    found = [
        entry.data
        for each in bundle.find_bundles(data, name)
        for entry in each.gpu
        if entry.is_bitcode and entry.target is not None and targets.runs_on(entry.target, device)
    ]
    if not found:
        raise SoftrockError(f"{name} holds no bitcode for {device}", hint=f"compile it for {device.processor}")
    return found


def _of(handle: int) -> Link:
    found = state.runtime().find(handle, Link)
    if found is None:
        raise SoftrockError(f"{handle:#x} is no link")
    return found


def _create(count: int, options: int, values: int, out: int) -> None:
    """Options speak to another compiler and are not needed here."""
    if not out:
        raise SoftrockError("a pointer is null")
    raw.put(out, "Q", state.runtime().add(Link()))


def _add_data(handle: int, kind: int, data: int, size: int, name: int, count: int, options: int, values: int) -> None:
    if not data or not size:
        raise SoftrockError("the input is empty")
    _of(handle).add(kind, raw.read(data, size), raw.text(name) if name else "the input")


def _add_file(handle: int, kind: int, path: int, count: int, options: int, values: int) -> None:
    if not path:
        raise SoftrockError("a pointer is null")
    name = raw.text(path)
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise SoftrockError(f"{name}: {error.strerror}") from None
    _of(handle).add(kind, data, name)


def _complete(handle: int, out: int, size: int) -> None:
    if not out or not size:
        raise SoftrockError("a pointer is null")
    result = _of(handle).complete()
    raw.put(out, "Q", result.address)
    raw.put(size, "Q", result.size)


def _destroy(handle: int) -> None:
    _of(handle)
    state.runtime().drop(handle)


def _with(call: Callable[..., None], failed: Callable[[SoftrockError], SoftrockError]) -> Callable[..., Any]:
    """The call with errors of one of the two APIs."""

    def guarded(*arguments: int) -> None:
        try:
            call(*arguments)
        except SoftrockError as error:
            raise failed(error) from None

    return guarded


def _hip(error: SoftrockError) -> SoftrockError:
    return HipError("hipErrorInvalidValue", error.message, hint=error.hint)


def _hip_linking(error: SoftrockError) -> SoftrockError:
    return HipError("hipErrorInvalidImage", error.message, hint=error.hint)


def _rtc(error: SoftrockError) -> SoftrockError:
    return RtcError(INVALID_INPUT, error.message, hint=error.hint)


def _rtc_linking(error: SoftrockError) -> SoftrockError:
    return RtcError(LINKING, error.message, hint=error.hint)


hipLinkCreate = _with(_create, _hip)
hipLinkAddData = _with(_add_data, _hip)
hipLinkAddFile = _with(_add_file, _hip)
hipLinkComplete = _with(_complete, _hip_linking)
hipLinkDestroy = _with(_destroy, _hip)
hiprtcLinkCreate = _with(_create, _rtc)
hiprtcLinkAddData = _with(_add_data, _rtc)
hiprtcLinkAddFile = _with(_add_file, _rtc)
hiprtcLinkComplete = _with(_complete, _rtc_linking)
hiprtcLinkDestroy = _with(_destroy, _rtc)
