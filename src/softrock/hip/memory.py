"""Device, pinned, managed and registered memory; copies and fills.

Device memory of a software GPU is host memory, so every address means the same to host and device. What an
address *is* still matters, for errors, pointer attributes and `hipMemcpyDefault`; :class:`Allocations` knows.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass

from softrock.core.errors import SoftrockError
from softrock.gpu.device import Copy, Fill
from softrock.hip import state, streams
from softrock.hip.errors import HipError

HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)
DEVICE_TO_DEVICE_NO_CU = 1024
_KINDS = {*range(5), DEVICE_TO_DEVICE_NO_CU}

DEVICE, PINNED, MANAGED, REGISTERED = "device", "pinned", "managed", "registered"

PITCH_ALIGNMENT = 256
"""Rows of pitched memory begin at multiples of this, bytes."""
_HOST_FLAGS = 0x7 | 0x8 | 0x10000000 | 0x20000000 | 0x40000000 | 0x80000000
_REGISTER_FLAGS = 0xF | 0x80000000


@dataclass(slots=True)
class Allocation:
    """A range of memory.

    Attributes:
        base, size: where it is, bytes.
        kind: DEVICE, PINNED, MANAGED or REGISTERED.
        device: index of the device it belongs to.
        flags: as given when it was made.
        foreign: the memory is not the runtime's to free (registered memory, variables).
    """

    base: int
    size: int
    kind: str
    device: int
    flags: int = 0
    foreign: bool = False


class Allocations:
    """All ranges, by address.

    Attributes:
        changes: grows with each range that comes or goes.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._bases: list[int] = []
        self._by_base: dict[int, Allocation] = {}

    def add(self, allocation: Allocation) -> None:
        """Note a range."""
        with state.runtime().lock:
            if allocation.base not in self._by_base:
                insort(self._bases, allocation.base)
            self._by_base[allocation.base] = allocation
            self.changes += 1

    def remove(self, base: int) -> Allocation | None:
        """Forget the range that begins at `base` and return it."""
        with state.runtime().lock:
            found = self._by_base.pop(base, None)
            if found is not None:
                self.changes += 1
                del self._bases[bisect_right(self._bases, base) - 1]
            return found

    def at(self, base: int) -> Allocation | None:
        """The range that begins just there."""
        return self._by_base.get(base)

    def find(self, address: int) -> Allocation | None:
        """The range that holds an address."""
        place = bisect_right(self._bases, address) - 1
        if place < 0:
            return None
        found = self._by_base[self._bases[place]]
        return found if address < found.base + max(found.size, 1) else None

    def of_device(self, index: int) -> list[Allocation]:
        """All ranges of a device."""
        return [each for each in self._by_base.values() if each.device == index]


def find(address: int) -> Allocation | None:
    """What the runtime knows of an address; None for ordinary host memory."""
    return state.runtime().allocations.find(address)


# ---- allocation ----


def malloc(size: int, flags: int = 0) -> int:
    """Device memory on the current device; 0 for a size of 0.

    Raises:
        HipError: hipErrorOutOfMemory.
    """
    home = state.current()
    state.require_healthy()
    if size == 0:
        return 0
    address = take(home, size)
    state.runtime().allocations.add(Allocation(address, size, DEVICE, home.index, flags))
    return address


def take(home: state.DeviceState, size: int, *, host: bool = False) -> int:
    """Memory straight from a device.

    Raises:
        HipError: hipErrorOutOfMemory.
    """
    try:
        return home.device.allocate_host(size) if host else home.device.allocate(size)
    except SoftrockError as error:
        raise HipError("hipErrorOutOfMemory", error.message, hint=error.hint) from None


def free(address: int) -> None:
    """Free device or managed memory, once all work of its device has ended. 0 is ignored.

    Raises:
        HipError: hipErrorInvalidValue where no allocation begins there.
    """
    if not address:
        return
    known = state.runtime().allocations.at(address)
    if known is not None and known.kind == DEVICE and known.foreign:
        from softrock.hip import pools

        if pools.free_pooled(address):
            return
    if known is None or known.foreign:
        raise HipError("hipErrorInvalidValue", f"no device memory begins at {address:#x}")
    drain(known.device)
    release(address)


def drain(index: int) -> None:
    """Wait for a device's work, so that memory can be freed; a fault is left for the next call to report."""
    for stream in tuple(state.device_state(index).streams):
        if stream.capture is None:
            stream.drain()


def release(address: int) -> None:
    """Free memory at once; the caller knows that no work uses it."""
    known = state.runtime().allocations.remove(address)
    if known is None:
        return
    device = state.device_state(known.device).device
    if known.kind == DEVICE:
        device.free(address)
    elif not known.foreign:
        device.free_host(address)


def malloc_pitch(width: int, height: int, depth: int = 1) -> tuple[int, int]:
    """Memory for rows of `width` bytes: (address, bytes from row to row)."""
    if width == 0 or height == 0 or depth == 0:
        return 0, 0
    pitch = -(-width // PITCH_ALIGNMENT) * PITCH_ALIGNMENT
    return malloc(pitch * height * depth), pitch


def host_malloc(size: int, flags: int = 0) -> int:
    """Pinned host memory that every device can use; 0 for a size of 0."""
    home = state.current()
    if flags & ~_HOST_FLAGS or (flags & 0x40000000 and flags & 0x80000000):
        raise HipError("hipErrorInvalidValue", f"host memory flags {flags:#x} are unknown or contradict each other")
    if size == 0:
        return 0
    return _host(home, size, PINNED, flags)


def _host(home: state.DeviceState, size: int, kind: str, flags: int) -> int:
    address = take(home, size, host=True)
    state.runtime().allocations.add(Allocation(address, size, kind, home.index, flags))
    return address


def host_free(address: int) -> None:
    """Free pinned memory. 0 is ignored."""
    if not address:
        return
    known = state.runtime().allocations.at(address)
    if known is None or known.kind != PINNED:
        raise HipError("hipErrorInvalidValue", f"no pinned memory begins at {address:#x}")
    drain(known.device)
    release(address)


def malloc_managed(size: int, flags: int = 1) -> int:
    """Memory that host and all devices use under one address."""
    if size == 0 or flags not in (1, 2):
        raise HipError("hipErrorInvalidValue", "managed memory needs a size, and flags 1 (global) or 2 (host)")
    return _host(state.current(), size, MANAGED, flags)


def host_register(address: int, size: int, flags: int = 0) -> None:
    """Let the devices use host memory that the program owns."""
    if not address or not size or flags & ~_REGISTER_FLAGS:
        raise HipError("hipErrorInvalidValue", "a range and known flags are needed")
    if state.runtime().allocations.find(address) is not None:
        raise HipError("hipErrorHostMemoryAlreadyRegistered")
    home = state.current()
    state.runtime().allocations.add(Allocation(address, size, REGISTERED, home.index, flags, foreign=True))


def host_unregister(address: int) -> None:
    """End what :func:`host_register` began."""
    known = state.runtime().allocations.at(address)
    if known is None or known.kind != REGISTERED:
        raise HipError("hipErrorHostMemoryNotRegistered", f"{address:#x}")
    drain(known.device)
    state.runtime().allocations.remove(address)


def host_device_pointer(address: int) -> int:
    """The device's address of pinned or registered memory (the same number)."""
    if _host_memory(address) is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is no pinned or registered memory")
    return address


def host_flags(address: int) -> int:
    """The flags that pinned or registered memory was made with."""
    known = _host_memory(address)
    if known is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is no pinned or registered memory")
    return known.flags


def _host_memory(address: int) -> Allocation | None:
    known = find(address)
    return known if known is not None and known.kind in (PINNED, REGISTERED) else None


def info() -> tuple[int, int]:
    """Free and total bytes of the current device."""
    return state.current().device.memory()


def address_range(address: int) -> tuple[int, int]:
    """Base and size of the allocation that holds an address."""
    known = find(address)
    if known is None:
        raise HipError("hipErrorNotFound", f"{address:#x} is in no allocation")
    return known.base, known.size


# ---- copies and fills ----


def memcpy(dst: int, src: int, size: int, kind: int = DEFAULT, stream: int = 0) -> None:
    """Copy `size` bytes and wait for the copy.

    Raises:
        HipError: hipErrorInvalidValue, hipErrorInvalidMemcpyDirection; a fault of earlier work.
    """
    _copy(Copy(dst, src, size), kind, stream, True)


def memcpy_async(dst: int, src: int, size: int, kind: int = DEFAULT, stream: int = 0) -> None:
    """Copy in a stream. Copies to or from pageable host memory are complete when this returns."""
    _copy(Copy(dst, src, size), kind, stream, False)


def memcpy_rows(copy: Copy, kind: int = DEFAULT, stream: int = 0, wait: bool = True) -> None:
    """Copy rows or slices; see :class:`softrock.gpu.device.Copy`."""
    if copy.width == 0 or copy.height == 0 or copy.depth == 0:
        return
    if copy.height > 1 or copy.depth > 1:
        if min(copy.dst_pitch, copy.src_pitch) < copy.width:
            raise HipError("hipErrorInvalidPitchValue", f"rows of {copy.width} bytes do not fit the pitch")
        if copy.depth > 1 and (
            copy.dst_slice < copy.dst_pitch * copy.height or copy.src_slice < copy.src_pitch * copy.height
        ):
            raise HipError("hipErrorInvalidValue", "the slices overlap")
    _copy(copy, kind, stream, wait)


def extent(copy: Copy) -> tuple[int, int]:
    """Bytes that a copy spans at its destination and at its source."""
    rows, slices = copy.height - 1, copy.depth - 1
    return (
        copy.width + rows * copy.dst_pitch + slices * copy.dst_slice,
        copy.width + rows * copy.src_pitch + slices * copy.src_slice,
    )


def check(copy: Copy, kind: int) -> bool:
    """Check a copy's pointers; whether a side of it is pageable host memory.

    Raises:
        HipError: hipErrorInvalidMemcpyDirection or hipErrorInvalidValue.
    """
    if kind not in _KINDS:
        raise HipError("hipErrorInvalidMemcpyDirection", f"copy kind {kind}")
    if not copy.dst or not copy.src:
        raise HipError("hipErrorInvalidValue", "a copy needs two addresses")
    spans = extent(copy)
    pageable = False
    for address, span, side in ((copy.dst, spans[0], "destination"), (copy.src, spans[1], "source")):
        known = find(address)
        if known is None:
            pageable = True
        elif known.kind != REGISTERED and address + span > known.base + known.size:
            raise HipError(
                "hipErrorInvalidValue",
                f"the {side} of the copy ends {address + span - known.base - known.size} bytes past its allocation "
                f"of {known.size} bytes",
            )
    return pageable


def _copy(copy: Copy, kind: int, handle: int, wait: bool) -> None:
    stream = streams.of(handle)
    if stream.capture is not None:
        from softrock.hip.graphs import nodes

        if wait:
            streams.forbid_capture(stream)
        check(copy, kind)
        stream.capture.add(nodes.CopyNode(copy, kind))
        return
    state.require_healthy()
    if copy.width == 0:
        return
    pageable = check(copy, kind)
    stream.work().copy(copy)
    if wait or pageable:
        stream.wait()


def memset(dst: int, value: int, size: int, stream: int = 0, wait: bool = True, element: int = 1) -> None:
    """Fill `size` elements of 1, 2 or 4 bytes.

    Raises:
        HipError: hipErrorInvalidValue.
    """
    if size == 0:
        return
    memset_rows(Fill(dst, value & (1 << 8 * element) - 1, element, size), stream, wait)


def memset_rows(fill: Fill, handle: int = 0, wait: bool = True) -> None:
    """Fill rows or slices; see :class:`softrock.gpu.device.Fill`."""
    if fill.width == 0 or fill.height == 0 or fill.depth == 0:
        return
    check_fill(fill)
    stream = streams.of(handle)
    if stream.capture is not None:
        from softrock.hip.graphs import nodes

        stream.capture.add(nodes.FillNode(fill))
        return
    state.require_healthy()
    stream.work().fill(fill)
    known = find(fill.dst)
    if wait and (known is None or known.kind != DEVICE):
        stream.wait()


def check_fill(fill: Fill) -> None:
    """Check a fill's pointer and extent."""
    known = find(fill.dst)
    if not fill.dst or fill.element not in (1, 2, 4) or fill.dst % fill.element:
        raise HipError("hipErrorInvalidValue", f"a fill of {fill.element}-byte elements at {fill.dst:#x}")
    row = fill.width * fill.element
    if (fill.height > 1 or fill.depth > 1) and fill.pitch < row:
        raise HipError("hipErrorInvalidPitchValue", f"rows of {row} bytes do not fit the pitch {fill.pitch}")
    span = row + (fill.height - 1) * fill.pitch + (fill.depth - 1) * fill.slice
    if known is None or fill.dst + span > known.base + known.size:
        raise HipError("hipErrorInvalidValue", f"{span} bytes at {fill.dst:#x} are not all device memory")
