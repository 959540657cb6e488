"""The address space that all devices of the process share.

Device memory is host memory in one reserved range, so a device pointer is a host pointer and device memory of
several devices never overlaps. Allocations of 64 KiB and more have pages of their own with an untouchable page
behind them, and freeing unmaps them: overruns and uses after free fault as they do on a GPU. Smaller ones
share slabs and start at multiples of 256 bytes.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from softrock.core.errors import SoftrockError, UsageError
from softrock.memory import numa, pages
from softrock.memory.ranges import Ranges

RANGE_BYTES: Final = 1 << 40
"""Address space reserved (it costs nothing until it is used)."""

ALIGN: Final = 256
"""What every allocation is aligned to at least."""

LARGE: Final = 64 << 10
"""From this size on an allocation has pages of its own."""

SLAB: Final = 1 << 20
"""Pages that small allocations share come in pieces of this size."""


class Kind(Enum):
    """What an allocation is."""

    DEVICE = "device"
    POOL = "pool"
    ARRAY = "array"
    CODE = "code"
    """Images of code objects: their code, constants and variables."""
    MANAGED = "managed"
    PINNED = "pinned"
    """Host memory that devices can use."""
    REGISTERED = "registered"
    """The program's own memory, made known to the runtime."""


_HOST: Final = frozenset({Kind.PINNED, Kind.REGISTERED})


class DeviceOutOfMemory(SoftrockError):
    """A device, or the host that lends it memory, has not enough left."""


class InvalidPointer(SoftrockError):
    """An address that is not the start of an allocation was freed or unregistered."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """A piece of memory.

    Attributes:
        base: address.
        size: bytes that were asked for.
        device: number of the device it belongs to (for host memory: that was current).
        kind: see `Kind`.
        tag: what the owner wants to remember.
    """

    base: int
    size: int
    device: int
    kind: Kind
    tag: Any = None

    @property
    def end(self) -> int:
        """Address behind the last byte."""
        return self.base + self.size


def host_bytes() -> int:
    """Memory this process can hope for: the machine's, or its control group's limit if that is less."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(name).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            return min(total, int(text))
    return total


def spare_bytes() -> int:
    """Memory that may be filled on this machine right now without driving other things out (Linux: MemAvailable)."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    return host_bytes()


def _mib(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MiB" if size < 1 << 40 else f"{size / (1 << 30):,.0f} GiB"


class AddressSpace:
    """Allocations of all devices; every method may be called from any thread.

    Args:
        size: bytes of address space to reserve; less is taken where the host does not give that much.
        host_limit: bytes all allocations together may have, None for what the host has (`host_bytes`).
        place: called with address and size of pages that nobody has touched yet, to say where they shall be.
    """

    def __init__(
        self,
        size: int = RANGE_BYTES,
        host_limit: int | None = None,
        place: Callable[[int, int], None] | None = None,
    ) -> None:
        self._size = size
        self._place = place
        self._host_limit = host_bytes() if host_limit is None else host_limit
        self._advised: int | None = None if host_limit is None else host_limit
        self._lock = threading.Lock()
        self._reserved: tuple[int, int] | None = None
        self._free = Ranges()
        self._small = Ranges()
        self._slabs: dict[int, int] = {}
        self._bases: list[int] = []
        self._known: dict[int, Allocation] = {}
        self._limits: dict[int, int] = {}
        self._used: dict[int, int] = {}
        self._total = 0

    # ---- limits ----

    def set_limit(self, device: int, size: int) -> None:
        """Say how many bytes a device has; without it only the host's memory is the limit."""
        with self._lock:
            self._limits[device] = size

    def capacity(self, device: int) -> int:
        """Bytes the device can have at most: its limit, or what the host has if that is less."""
        return min(self._limits.get(device, self._host_limit), self._host_limit)

    def used(self, device: int) -> int:
        """Bytes allocated on the device (host memory does not count)."""
        return self._used.get(device, 0)

    def free_bytes(self, device: int) -> int:
        """Bytes a program should still allocate on the device.

        Programs size their work by this and mirror it in host memory, which is the same memory here: at most half of
        what the machine could spare when first asked is offered. More can be allocated as long as there is more.
        """
        if self._advised is None:
            self._advised = min(self._host_limit, spare_bytes() // 2 + self._total)
        return max(0, min(self.capacity(device) - self.used(device), self._advised - self._total))

    # ---- allocating ----

    def alloc(
        self,
        size: int,
        device: int = 0,
        kind: Kind = Kind.DEVICE,
        align: int = ALIGN,
        tag: Any = None,
    ) -> int:
        """Allocate memory that reads as zero when it is fresh from the host (reused small pieces do not).

        Args:
            size: bytes, at least 1.
            device: whose memory it is.
            kind: any but REGISTERED.
            align: a power of two; 256 at least is used, a page from 64 KiB on, 2 MiB from 2 MiB on.
            tag: kept in the `Allocation`.

        Returns:
            The address.

        Raises:
            DeviceOutOfMemory: the device or the host has not enough left.
            UsageError: size or alignment make no sense.
        """
        if size < 1 or align < 1 or align & (align - 1) or kind is Kind.REGISTERED:
            raise UsageError(f"cannot allocate {size} bytes of {kind.value} memory aligned to {align}")
        with self._lock:
            self._check_room(size, device, kind)
            align = max(align, ALIGN)
            if size < LARGE and align <= pages.PAGE:
                base = self._take_small(pages.round_up(size, ALIGN), align)
            else:
                base = self._take_large(size, align)
            self._enter(Allocation(base, size, device, kind, tag))
            return base

    def free(self, base: int) -> Allocation:
        """Free an allocation by its address; returns what it was.

        Raises:
            InvalidPointer: no allocation begins there, or it was freed already, or it is registered memory.
        """
        with self._lock:
            found = self._known.get(base)
            if found is None or found.kind is Kind.REGISTERED:
                raise InvalidPointer(f"no allocation begins at {base:#x}: {self._about(base)}")
            self._leave(found)
            if base in self._slabs:
                self._give_small(base)
            else:
                self._give_large(found)
            return found

    # ---- memory of others ----

    def register(self, base: int, size: int, device: int = 0, tag: Any = None) -> Allocation:
        """Make memory of the program known, so that `find` knows it.

        Raises:
            UsageError: it is empty or overlaps something that is known already.
        """
        with self._lock:
            after = bisect_right(self._bases, base)
            before = self._known[self._bases[after - 1]] if after else None
            overlap = (before is not None and before.end > base) or (
                after < len(self._bases) and self._bases[after] < base + size
            )
            if size < 1 or base < 1 or overlap:
                raise UsageError(f"cannot register {size} bytes at {base:#x}: {self._about(base)}")
            made = Allocation(base, size, device, Kind.REGISTERED, tag)
            self._enter(made)
            return made

    def unregister(self, base: int) -> Allocation:
        """Forget registered memory.

        Raises:
            InvalidPointer: nothing was registered there.
        """
        with self._lock:
            found = self._known.get(base)
            if found is None or found.kind is not Kind.REGISTERED:
                raise InvalidPointer(f"no registered memory begins at {base:#x}: {self._about(base)}")
            self._leave(found)
            return found

    # ---- looking up ----

    def find(self, address: int) -> Allocation | None:
        """The allocation that holds the address."""
        with self._lock:
            return self._find(address)

    def describe(self, address: int) -> str:
        """Where an address is, in words, for reports of faults: in, behind or before which allocation."""
        with self._lock:
            return self._about(address)

    def allocations(self, device: int | None = None) -> list[Allocation]:
        """All allocations (of one device), by address."""
        with self._lock:
            every = [self._known[base] for base in self._bases]
        return [each for each in every if device is None or each.device == device]

    def range(self) -> tuple[int, int]:
        """Address and size of the reserved range."""
        with self._lock:
            return self._reserve()

    def close(self) -> None:
        """Give everything back to the host. No address of it may be used afterwards."""
        with self._lock:
            if self._reserved is not None:
                pages.unreserve(*self._reserved)
            self._reserved = None
            self._free, self._small = Ranges(), Ranges()
            self._slabs.clear()
            self._bases.clear()
            self._known.clear()
            self._used.clear()
            self._total = 0

    # ---- with the lock held ----

    def _reserve(self) -> tuple[int, int]:
        if self._reserved is None:
            size = self._size
            while (place := pages.reserve(size)) is None:
                size //= 2
                if size < 64 << 20:
                    raise SoftrockError(
                        "the host gives no address space for device memory",
                        hint="raise the limit on address space (ulimit -v)",
                    )
            self._reserved = (place, size)
            self._free.add(place, size)
        return self._reserved

    def _check_room(self, size: int, device: int, kind: Kind) -> None:
        limit = self._limits.get(device)
        if kind not in _HOST and limit is not None:
            left = limit - self._used.get(device, 0)
            if size > left:
                raise DeviceOutOfMemory(
                    f"device {device} has {_mib(max(0, left))} of {_mib(limit)} left, {_mib(size)} were asked for",
                    hint="free memory, or choose a device with more",
                )
        left = self._host_limit - self._total
        if size > left:
            raise DeviceOutOfMemory(
                f"the host has {_mib(max(0, left))} of {_mib(self._host_limit)} left for devices, "
                f"{_mib(size)} were asked for",
                hint="a software GPU's memory is this machine's memory: use less or a machine with more",
            )

    def _take_large(self, size: int, align: int) -> int:
        self._reserve()
        room = pages.round_up(size, pages.PAGE)
        align = max(align, pages.HUGE if size >= pages.HUGE else pages.PAGE)
        base = self._free.take(room + pages.PAGE, align)
        if base is None:
            raise DeviceOutOfMemory(
                f"no {_mib(size)} of address space in one piece are left", hint="free memory that is not used"
            )
        try:
            pages.use(base, room)
        except SoftrockError:
            self._free.add(base, room + pages.PAGE)
            raise
        if self._place is not None:
            self._place(base, room)
        return base

    def _give_large(self, gone: Allocation) -> None:
        room = pages.round_up(gone.size, pages.PAGE)
        pages.drop(gone.base, room)
        self._free.add(gone.base, room + pages.PAGE)

    def _take_small(self, room: int, align: int) -> int:
        base = self._small.take(room, align)
        if base is None:
            slab = self._take_large(SLAB, pages.PAGE)
            self._small.add(slab, SLAB)
            base = self._small.take(room, align)
            assert base is not None
        self._slabs[base] = room
        return base

    def _give_small(self, base: int) -> None:
        start, size = self._small.add(base, self._slabs.pop(base))
        if size == SLAB and self._small.total > SLAB:  # a whole slab is free and another has room: drop it
            self._small.withdraw(start)
            pages.drop(start, SLAB)
            self._free.add(start, SLAB + pages.PAGE)

    def _enter(self, made: Allocation) -> None:
        insort(self._bases, made.base)
        self._known[made.base] = made
        self._account(made, made.size)

    def _leave(self, gone: Allocation) -> None:
        del self._bases[bisect_right(self._bases, gone.base) - 1]
        del self._known[gone.base]
        self._account(gone, -gone.size)

    def _account(self, which: Allocation, size: int) -> None:
        if which.kind is Kind.REGISTERED:
            return
        self._total += size
        if which.kind not in _HOST:
            self._used[which.device] = self._used.get(which.device, 0) + size

    def _find(self, address: int) -> Allocation | None:
        after = bisect_right(self._bases, address)
        if not after:
            return None
        found = self._known[self._bases[after - 1]]
        return found if address < found.end else None

    def _about(self, address: int) -> str:
        inside = self._find(address)
        if inside is not None:
            return (
                f"it is byte {address - inside.base} of {inside.size} of {inside.kind.value} memory at {inside.base:#x}"
            )
        after = bisect_right(self._bases, address)
        near: list[tuple[int, str]] = []
        if after:
            low = self._known[self._bases[after - 1]]
            near.append((address - low.end, f"{{}} bytes behind the end of {_name(low)}"))
        if after < len(self._bases):
            high = self._known[self._bases[after]]
            near.append((high.base - address, f"{{}} bytes before {_name(high)}"))
        if near and min(near)[0] < 1 << 30:
            distance, words = min(near)
            return f"it is {words.format(distance)}"
        return "it is not near any allocation" if address >= pages.PAGE else "it is a null pointer"


def _name(which: Allocation) -> str:
    return f"{which.size} bytes of {which.kind.value} memory at {which.base:#x}"


_shared_lock = threading.Lock()
_shared: AddressSpace | None = None


def space() -> AddressSpace:
    """The address space of this process, made on first use."""
    global _shared
    if _shared is None:
        with _shared_lock:
            if _shared is None:
                policy = numa.policy()
                _shared = AddressSpace(place=policy.place if policy is not None else None)
    return _shared
