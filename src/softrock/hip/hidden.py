"""What kernels reach through hidden arguments and the runtime supplies: the printf buffer and the heap.

Their layouts are described in :mod:`softrock.compiler.devlib.layout`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from softrock.gpu.device import Launch
from softrock.hip import memory, raw, state, streams

if TYPE_CHECKING:
    from softrock.gpu.device import Function

PRINTF_LIMIT, HEAP_LIMIT = 1, 2
"""Numbers of hipLimitPrintfFifoSize and hipLimitMallocHeapSize."""
DEFAULTS = {PRINTF_LIMIT: 1 << 20, HEAP_LIMIT: 8 << 20}
_MOST_BUFFERS = 32

_spare: dict[tuple[int, int], list[int]] = {}
_heaps: dict[int, int] = {}
_out = 0


def limit(home: state.DeviceState, number: int) -> int:
    """A device's limit, bytes."""
    return home.limits.get(number, DEFAULTS[number])


def supply(stream: streams.Stream, request: Launch) -> bool:
    """Give a launch the buffers its kernel knows of.

    Returns:
        Whether it got a printf buffer, which must be printed when it has ended.
    """
    hidden = request.function.kernel.hidden_args
    if "hidden_heap_v1" in hidden:
        request.supplied["hidden_heap_v1"] = heap(stream.home)
    if "hidden_printf_buffer" not in hidden:
        return False
    request.supplied["hidden_printf_buffer"] = take_buffer(stream)
    return True


def with_heap(stream: streams.Stream, request: Launch) -> Launch:
    """The launch with what stays the same each time it is repeated."""
    if "hidden_heap_v1" not in request.function.kernel.hidden_args:
        return request
    return replace(request, supplied={"hidden_heap_v1": heap(stream.home)})


def heap(home: state.DeviceState) -> int:
    """A device's heap for `malloc` in kernels, made at first use."""
    from softrock.compiler.devlib import layout

    address = _heaps.get(home.index, 0)
    if not address:
        size = limit(home, HEAP_LIMIT)
        start = -(-layout.HEAP_HEADER_BYTES // 256) * 256
        address = memory.take(home, start + size, host=True)
        raw.write(address, layout.heap_header(address + start, size))
        _heaps[home.index] = address
    return address


def has_heap(home: state.DeviceState) -> bool:
    """Whether the heap exists, so that its size is fixed."""
    return home.index in _heaps


def take_buffer(stream: streams.Stream) -> int:
    """An empty printf buffer. Where too many are out, the stream is waited for first."""
    global _out
    from softrock.compiler.devlib import layout

    if _out >= _MOST_BUFFERS:
        stream.wait()
    home = stream.home
    size = limit(home, PRINTF_LIMIT)
    spare = _spare.get((home.index, size))
    address = spare.pop() if spare else memory.take(home, size, host=True)
    raw.write(address, layout.printf_header(size))
    _out += 1
    return address


def print_buffer(stream: streams.Stream, function: Function, address: int) -> None:
    """Print what a launch left in its buffer, and take the buffer back."""
    global _out
    from softrock.compiler.devlib import layout
    from softrock.hip import printf

    size = limit(stream.home, PRINTF_LIMIT)
    used, room = raw.get(address, "I"), raw.get(address + 4, "I")
    if used:
        records = raw.read(address + layout.PRINTF_HEADER_BYTES, min(used, room))
        printf.show(records, printf.formats_of(function))
    if room & layout.PRINTF_LOST:
        printf.write(
            f"softrock: kernel {function.name} printed more than the {size} bytes of its buffer; the rest is lost\n"
            "  mend: raise hipLimitPrintfFifoSize (cudaLimitPrintfFifoSize) with hipDeviceSetLimit\n".encode(),
            True,
        )
    _out -= 1
    _spare.setdefault((stream.home.index, size), []).append(address)


def forget() -> None:
    """Forget all buffers. Only for tests."""
    global _out
    _spare.clear()
    _heaps.clear()
    _out = 0
