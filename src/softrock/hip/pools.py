"""Stream-ordered memory: pools, hipMallocAsync and hipFreeAsync.

Memory is taken at once and given back when the stream reaches the free; a pool keeps what was given back up to its
release threshold and hands it out again.
"""

from __future__ import annotations

from collections.abc import Callable

from softrock.hip import memory, state, streams
from softrock.hip.errors import HipError

REUSE_EVENTS, REUSE_OPPORTUNISTIC, REUSE_INTERNAL, RELEASE_THRESHOLD = 1, 2, 3, 4
RESERVED, RESERVED_HIGH, USED, USED_HIGH = 5, 6, 7, 8
_GRANULE = 256


class Pool:
    """A memory pool of one device.

    Attributes:
        reserved, used: bytes taken from the device, and bytes in use; `_high` are their greatest values.
        limit: most bytes it may take, 0 for no limit.
        access: device index -> access flags that were set (3 is read and write).
    """

    def __init__(self, home: state.DeviceState, limit: int = 0) -> None:
        self.home = home
        self.limit = limit
        self.threshold = 0
        self.reuse = {REUSE_EVENTS: 1, REUSE_OPPORTUNISTIC: 1, REUSE_INTERNAL: 1}
        self.reserved = self.reserved_high = self.used = self.used_high = 0
        self.access: dict[int, int] = {home.index: 3}
        self.handle = 0
        self._spare: dict[int, list[int]] = {}
        self._live: dict[int, int] = {}

    def take(self, size: int) -> int:
        """Memory of at least `size` bytes.

        Raises:
            HipError: hipErrorOutOfMemory.
        """
        rounded = -(-size // _GRANULE) * _GRANULE
        with state.runtime().lock:
            spare = self._spare.get(rounded)
            address = spare.pop() if spare else self._grow(rounded)
            self._live[address] = rounded
            self.used += rounded
            self.used_high = max(self.used_high, self.used)
        owners = state.runtime().allocations
        owners.add(memory.Allocation(address, size, memory.DEVICE, self.home.index, foreign=True))
        return address

    def _grow(self, rounded: int) -> int:
        if self.limit and self.reserved + rounded > self.limit:
            raise HipError("hipErrorOutOfMemory", f"the pool may hold {self.limit} bytes")
        try:
            address = memory.take(self.home, rounded)
        except HipError:
            self.trim(0)
            address = memory.take(self.home, rounded)
        self.reserved += rounded
        self.reserved_high = max(self.reserved_high, self.reserved)
        return address

    def owns(self, address: int) -> bool:
        """Whether memory in use begins there."""
        return address in self._live

    def give_back(self, address: int) -> None:
        """Take memory back; work no longer uses it."""
        with state.runtime().lock:
            rounded = self._live.pop(address)
            state.runtime().allocations.remove(address)
            self.used -= rounded
            self._spare.setdefault(rounded, []).append(address)
            self.trim(self.threshold)

    def trim(self, keep: int) -> None:
        """Give unused memory back to the device until at most `keep` bytes are held."""
        for rounded, spare in self._spare.items():
            while spare and self.reserved > keep:
                self.home.device.free(spare.pop())
                self.reserved -= rounded

    def get(self, attribute: int) -> int:
        """An attribute by its number."""
        if attribute in self.reuse:
            return self.reuse[attribute]
        values = {
            RELEASE_THRESHOLD: self.threshold,
            RESERVED: self.reserved,
            RESERVED_HIGH: self.reserved_high,
            USED: self.used,
            USED_HIGH: self.used_high,
        }
        if attribute not in values:
            raise HipError("hipErrorInvalidValue", f"pool attribute {attribute}")
        return values[attribute]

    def set(self, attribute: int, value: int) -> None:
        """Set an attribute; the high marks can only be reset to 0."""
        if attribute in self.reuse:
            self.reuse[attribute] = value
        elif attribute == RELEASE_THRESHOLD:
            self.threshold = value
        elif attribute == RESERVED_HIGH and value == 0:
            self.reserved_high = self.reserved
        elif attribute == USED_HIGH and value == 0:
            self.used_high = self.used
        else:
            raise HipError("hipErrorInvalidValue", f"pool attribute {attribute} cannot be set to {value}")

    def close(self) -> None:
        """Give everything unused back."""
        self.trim(0)


def default_pool(home: state.DeviceState) -> Pool:
    """A device's own pool."""
    if home.default_pool is None:
        home.default_pool = Pool(home)
        home.default_pool.handle = state.runtime().add(home.default_pool)
    return home.default_pool


def current_pool(home: state.DeviceState) -> Pool:
    """The pool that :func:`malloc_async` uses on a device."""
    return home.pool or default_pool(home)


def create(device: int, limit: int = 0) -> int:
    """Make a pool and return its handle."""
    pool = Pool(state.device_state(device), limit)
    pool.handle = state.runtime().add(pool)
    return pool.handle


def of(handle: int) -> Pool:
    """The pool behind a handle."""
    return state.runtime().get(handle, Pool, "hipErrorInvalidValue")


def destroy(handle: int) -> None:
    """Free a pool; memory still in use stays until it is freed."""
    pool = of(handle)
    if pool is pool.home.default_pool:
        raise HipError("hipErrorInvalidValue", "a device's own pool cannot be destroyed")
    if pool.home.pool is pool:
        pool.home.pool = None
    pool.close()
    state.runtime().drop(handle)


def _pool_of(address: int) -> Pool | None:
    return next((each for each in _all() if each.owns(address)), None)


def _all() -> list[Pool]:
    runtime = state.runtime()
    return [thing for thing in tuple(runtime._handles.values()) if isinstance(thing, Pool)]


def malloc_async(size: int, stream: int = 0, pool: int = 0) -> int:
    """Memory from a pool (0: the current one of the stream's device), usable from this point of the stream on."""
    target = streams.of(stream)
    source = of(pool) if pool else current_pool(target.home)
    if size == 0:
        return 0
    if target.capture is not None:
        from softrock.hip.graphs import nodes

        address = source.take(size)
        target.capture.add(nodes.AllocNode(address, size))
        return address
    return source.take(size)


def free_async(address: int, stream: int = 0) -> None:
    """Give memory back once the stream's work so far has ended."""
    if not address:
        raise HipError("hipErrorInvalidValue", "no memory is given")
    target = streams.of(stream)
    pool = _pool_of(address)
    if pool is None and memory.find(address) is None:
        raise HipError("hipErrorInvalidValue", f"no memory begins at {address:#x}")
    if target.capture is not None:
        from softrock.hip.graphs import nodes

        target.capture.add(nodes.FreeNode(address))
        return
    target.defer(releaser(address, pool))
    if target.queue.idle():
        target.finish_deferred()


def releaser(address: int, pool: Pool | None) -> Callable[[], None]:
    """What frees the memory when its time has come."""

    def release() -> None:
        if pool is not None and pool.owns(address):
            pool.give_back(address)
        else:
            memory.release(address)

    return release


def free_pooled(address: int) -> bool:
    """Free pool memory at once, for hipFree; whether it was pool memory."""
    pool = _pool_of(address)
    if pool is None:
        return False
    memory.drain(pool.home.index)
    if pool.owns(address):
        pool.give_back(address)
    return True
