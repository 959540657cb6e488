"""What compiled programs registered before main, read from the C library's list."""

from __future__ import annotations

import struct

from softrock.abi import fast
from softrock.hip import memory, modules, raw, state

_RECORD = struct.Struct("<7Q")  # next, kind, binary, host, name, size, extra (native/register.c)
_BINARY, _FUNCTION, _VARIABLE, _MANAGED, _TEXTURE, _SURFACE, _UNREGISTER = range(1, 8)
_NAMES = {_FUNCTION: "function", _VARIABLE: "variable", _MANAGED: "managed", _TEXTURE: "texture", _SURFACE: "surface"}


class _List:
    """The list of one copy of the library, and how far it was read."""

    def __init__(self, head: int) -> None:
        self.last = head

    def pull(self) -> None:
        """Take over what was added since the last time."""
        with state.runtime().lock:
            while True:
                following = raw.get(self.last, "Q")
                if not following:
                    return
                self.last = following
                _take(following)


_binaries: dict[int, modules.Binary] = {}
_waiting: list[int] = []


def attach(head: int) -> None:
    """Read a copy's records whenever something is not found."""
    _waiting.append(head)
    runtime = state.existing()
    if runtime is not None:
        connect(runtime)
    else:
        state.on_start.append(connect)


def connect(runtime: state.Runtime) -> None:
    """Give the runtime's registry the lists that were attached so far."""
    while _waiting:
        runtime.registry.pull.append(_List(_waiting.pop()).pull)


def _take(record: int) -> None:
    _, kind, owner, host, name, size, extra = _RECORD.unpack(raw.read(record, _RECORD.size))
    registry = state.runtime().registry
    if kind == _BINARY:
        _binaries[record] = modules.Binary(wrapper=host)
        return
    if kind == _UNREGISTER:
        fast.forget()
        binary = _binaries.pop(owner, None)
        if binary is not None:
            registry.drop(binary)
        return
    binary = _binaries.get(owner)
    if binary is None:
        return
    managed = extra if kind == _MANAGED else 0
    registry.add(host, modules.Registered(_NAMES[kind], binary, raw.text(name), size, managed))
    if managed:
        allocation = memory.Allocation(managed, size, memory.MANAGED, 0, foreign=True)
        state.runtime().allocations.add(allocation)
