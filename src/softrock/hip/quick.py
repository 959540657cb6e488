"""Launches of one kernel with one geometry, again and again: everything but the argument values is done once.

A `Quick` stands for a kernel, a geometry, a stream and the Python types of the arguments. Calling it writes the values
into an argument block and queues the launch with one native call. Whatever is unusual (a captured stream, order among
streams, a fault, a value that does not fit) it leaves to :func:`softrock.hip.launch.launch`, which knows what to say.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

from softrock.gpu.device import Dim, Launch
from softrock.hip import hidden, raw, state, streams, trace
from softrock.hip.modules import Function

Packer = tuple[str, str]
"""A letter of :mod:`struct` for an argument, and the Python expression of what struct gets for the value ``{}``; in it
`address` is the address of an array's data."""

_UNFIT = (struct.error, OverflowError, TypeError, ValueError, BufferError)


def format_of(function: Function, letters: Sequence[str]) -> struct.Struct | None:
    """The argument block of a kernel with these letters in its places; None where their sizes do not fit."""
    text, at = "<", 0
    for (offset, size), letter in sorted(zip(function.arguments, letters, strict=True)):
        if struct.calcsize("<" + letter) != size or offset < at:
            return None
        text += f"{offset - at}x{letter}"
        at = offset + size
    return struct.Struct(text)


def address(array: Any) -> int:
    """The address of a contiguous array's data (ValueError for others)."""
    return int(raw.ffi.cast("uintptr_t", raw.ffi.from_buffer(array)))


def writer_of(layout: struct.Struct, expressions: Sequence[str]) -> Callable[..., None]:
    """A function (block, *values) that writes the values into an argument block: one expression, without a loop over
    the arguments, which would cost more than the writing."""
    names = [f"v{index}" for index in range(len(expressions))]
    given = "".join(f", {each.format(name)}" for each, name in zip(expressions, names, strict=True))
    made: Callable[..., None] = eval(  # the expressions are this package's own
        f"lambda {', '.join(['block', *names])}: pack(block, 0{given})",
        {"pack": layout.pack_into, "address": address},
    )
    return made


class Quick:
    """See the module. Make it with :func:`make`."""

    def __init__(self, function: Function, repeat: Any, write: Callable[..., None], stream: streams.Stream) -> None:
        self._runtime = state.runtime()
        self._home = function.home
        self._repeat = repeat
        self._write = write
        self._block: bytearray = repeat.block
        self._stream = None if stream.legacy else stream
        self._lock = threading.Lock()

    def _target(self) -> streams.Stream | None:
        """The stream, if a launch in it needs no more care than being queued."""
        home, stream = self._home, self._stream
        if state.existing() is not self._runtime or self._runtime.sticky:
            return None
        if stream is None:
            here = state.thread
            stream = home.null
            if stream is None or here.device != home.index or here.own_default or home.blocking:
                return None
            return stream if stream.capture is None else None
        if stream not in home.streams or not stream.may_go_direct():
            return None
        if stream.blocking:
            stream.dirty = True
        return stream

    def __call__(self, values: Sequence[Any]) -> bool:
        """Launch with these values (of the types it was made for), in the order of the kernel's argument block.

        Returns:
            False where nothing was launched, because it takes more than this.
        """
        target = self._target()
        if target is None:
            return False
        try:
            with self._lock:
                self._write(self._block, *values)
                return bool(self._repeat.queue(target.queue))
        except _UNFIT:
            return False


def make(
    function: Function, grid: Dim, block: Dim, shared: int, stream: int, packers: Sequence[Packer]
) -> Quick | None:
    """A quick launch for a kernel that was launched with this geometry before (and thus is checked and translated).

    Args:
        stream: its handle.
        packers: one for each argument.

    Returns:
        None where the kernel needs something of its own at each launch, or its device has no quick way.
    """
    if "hidden_printf_buffer" in function.kernel.hidden_args or trace.folder() is not None:
        return None
    order = sorted(range(len(packers)), key=lambda i: function.arguments[i])
    if order != list(range(len(packers))):
        return None
    target = streams.of(stream)
    layout = format_of(function, [letter for letter, _ in packers])
    if layout is None or target.home is not function.home or target is not streams.of(stream):
        return None
    request = hidden.with_heap(target, Launch(function.native, grid, block, shared, b""))
    repeat = function.native.repeat(request)
    if repeat is None or len(repeat.block) < layout.size:
        return None
    return Quick(function, repeat, writer_of(layout, [expression for _, expression in packers]), target)
