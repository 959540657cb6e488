"""Stream-ordered memory and pools."""

from __future__ import annotations

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.hip import pools, raw, state
from softrock.hip.errors import HipError

_ON_DEVICE = 1  # hipMemLocationTypeDevice
_PINNED = 1  # hipMemAllocationTypePinned


def hipMallocAsync(out: int, size: int, stream: int) -> None:
    require(out)
    raw.put(out, "Q", pools.malloc_async(size, stream))


def hipMallocFromPoolAsync(out: int, size: int, pool: int, stream: int) -> None:
    require(out, pool)
    raw.put(out, "Q", pools.malloc_async(size, stream, pool))


def hipFreeAsync(address: int, stream: int) -> None:
    pools.free_async(address, stream)


def hipDeviceGetDefaultMemPool(out: int, device: int) -> None:
    require(out)
    raw.put(out, "Q", pools.default_pool(state.device_state(device)).handle)


def hipDeviceGetMemPool(out: int, device: int) -> None:
    require(out)
    raw.put(out, "Q", pools.current_pool(state.device_state(device)).handle)


def hipDeviceSetMemPool(device: int, pool: int) -> None:
    home, chosen = state.device_state(device), pools.of(pool)
    if chosen.home is not home:
        raise HipError("hipErrorInvalidDevice", "the pool belongs to another device")
    home.pool = chosen


def hipMemPoolCreate(out: int, properties: int) -> None:
    require(out, properties)
    layout = structs.of("hipMemPoolProps")
    kind, place, device, most = layout.get(properties, "allocType", "location.type", "location.id", "maxSize")
    if kind != _PINNED or place != _ON_DEVICE:
        raise HipError("hipErrorInvalidValue", "pools hold pinned memory on a device")
    raw.put(out, "Q", pools.create(device, most))


def hipMemPoolDestroy(pool: int) -> None:
    require(pool)
    pools.destroy(pool)


def hipMemPoolTrimTo(pool: int, keep: int) -> None:
    pools.of(pool).trim(keep)


def _letters(attribute: int) -> str:
    return "i" if attribute in (1, 2, 3) else "Q"


def hipMemPoolGetAttribute(pool: int, attribute: int, out: int) -> None:
    require(out)
    raw.put(out, _letters(attribute), pools.of(pool).get(attribute))


def hipMemPoolSetAttribute(pool: int, attribute: int, value: int) -> None:
    require(value)
    pools.of(pool).set(attribute, raw.get(value, _letters(attribute)))


def hipMemPoolSetAccess(pool: int, list_: int, count: int) -> None:
    require(list_)
    layout = structs.of("hipMemAccessDesc")
    target = pools.of(pool)
    for i in range(count):
        device, flags = layout.get(list_ + i * layout.size, "location.id", "flags")
        state.device_state(device)
        if device == target.home.index and flags != 3:
            raise HipError("hipErrorInvalidValue", "a pool's own device always has access")
        target.access[device] = flags


def hipMemPoolGetAccess(out: int, pool: int, location: int) -> None:
    require(out, location)
    device = structs.of("hipMemLocation").get(location, "id")
    state.device_state(device)
    raw.put(out, "I", pools.of(pool).access.get(device, 0))
