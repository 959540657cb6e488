"""Allocation, pinned and managed memory, what an address is."""

from __future__ import annotations

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.hip import memory, raw, state, streams
from softrock.hip.errors import HipError

# hipMemoryType
_UNREGISTERED, _HOST, _DEVICE, _MANAGED = 0, 1, 2, 3
_TYPES = {memory.DEVICE: _DEVICE, memory.MANAGED: _MANAGED, memory.PINNED: _HOST, memory.REGISTERED: _HOST}


def hipMalloc(out: int, size: int) -> None:
    require(out)
    raw.put(out, "Q", memory.malloc(size))


def hipExtMallocWithFlags(out: int, size: int, flags: int) -> None:
    require(out)
    if flags not in (0, 1, 2, 3, 4):
        raise HipError("hipErrorInvalidValue", f"memory flags {flags:#x}")
    raw.put(out, "Q", memory.malloc(size, flags))


def hipFree(address: int) -> None:
    memory.free(address)


def hipHostMalloc(out: int, size: int, flags: int) -> None:
    require(out)
    raw.put(out, "Q", memory.host_malloc(size, flags))


def hipHostAlloc(out: int, size: int, flags: int) -> None:
    hipHostMalloc(out, size, flags)


def hipExtHostAlloc(out: int, size: int, flags: int) -> None:
    hipHostMalloc(out, size, flags)


def hipMallocHost(out: int, size: int) -> None:
    hipHostMalloc(out, size, 0)


def hipMemAllocHost(out: int, size: int) -> None:
    hipHostMalloc(out, size, 0)


def hipHostFree(address: int) -> None:
    memory.host_free(address)


def hipFreeHost(address: int) -> None:
    memory.host_free(address)


def hipMallocManaged(out: int, size: int, flags: int) -> None:
    require(out)
    raw.put(out, "Q", memory.malloc_managed(size, flags or 1))


def hipHostRegister(address: int, size: int, flags: int) -> None:
    memory.host_register(address, size, flags)


def hipHostUnregister(address: int) -> None:
    memory.host_unregister(address)


def hipHostGetDevicePointer(out: int, address: int, flags: int) -> None:
    require(out)
    if flags:
        raise HipError("hipErrorInvalidValue", "flags must be 0")
    raw.put(out, "Q", memory.host_device_pointer(address))


def hipHostGetFlags(out: int, address: int) -> None:
    require(out)
    raw.put(out, "I", memory.host_flags(address))


def hipMallocPitch(out: int, pitch: int, width: int, height: int) -> None:
    require(out, pitch)
    address, step = memory.malloc_pitch(width, height)
    raw.put(out, "Q", address)
    raw.put(pitch, "Q", step)


def hipMemAllocPitch(out: int, pitch: int, width: int, height: int, element: int) -> None:
    if element not in (4, 8, 16):
        raise HipError("hipErrorInvalidValue", f"elements of {element} bytes")
    hipMallocPitch(out, pitch, width, height)


def hipMalloc3D(out: int, extent: int) -> None:
    require(out)
    width, height, depth = structs.of("hipExtent").get(extent, "width", "height", "depth")
    address, pitch = memory.malloc_pitch(width, height, depth)
    structs.of("hipPitchedPtr").set(out, ptr=address, pitch=pitch, xsize=width, ysize=height)


def hipMemGetInfo(free: int, total: int) -> None:
    values = memory.info()
    for out, value in zip((free, total), values, strict=True):
        if out:
            raw.put(out, "Q", value)


def hipMemPtrGetInfo(address: int, out: int) -> None:
    require(address, out)
    known = memory.find(address)
    if known is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is in no allocation")
    raw.put(out, "Q", known.size)


def hipMemGetAddressRange(base: int, size: int, address: int) -> None:
    start, length = memory.address_range(address)
    if base:
        raw.put(base, "Q", start)
    if size:
        raw.put(size, "Q", length)


def hipPointerGetAttributes(out: int, address: int) -> None:
    require(out)
    known = memory.find(address) if address else None
    layout = structs.of("hipPointerAttribute_t")
    layout.clear(out)
    if known is None:
        layout.set(out, type=_UNREGISTERED, device=-2, hostPointer=0)
        return
    on_host = known.kind != memory.DEVICE
    layout.set(
        out,
        type=_TYPES[known.kind],
        device=known.device,
        devicePointer=address,
        hostPointer=address if on_host else 0,
        isManaged=int(known.kind == memory.MANAGED),
        allocationFlags=known.flags,
    )


def _attribute(which: int, known: memory.Allocation, address: int) -> tuple[str, int]:
    host = known.kind != memory.DEVICE
    values = {
        1: ("Q", known.device + 1),  # context
        2: ("I", _TYPES[known.kind]),  # memory type
        3: ("Q", address),  # device pointer
        4: ("Q", address if host else 0),  # host pointer
        6: ("I", 1),  # SYNC_MEMOPS
        7: ("Q", known.base),  # buffer id
        8: ("I", int(known.kind == memory.MANAGED)),
        9: ("i", known.device),
        10: ("I", 0),
        11: ("Q", known.base),
        12: ("Q", known.size),
        13: ("I", 1),
        14: ("Q", 0),
        15: ("I", 0),
        16: ("I", 3),
        17: ("Q", 0),
    }
    if which not in values:
        raise HipError("hipErrorNotSupported" if which == 5 else "hipErrorInvalidValue", f"pointer attribute {which}")
    return values[which]


def hipPointerGetAttribute(out: int, which: int, address: int) -> None:
    require(out)
    known = memory.find(address)
    if known is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is in no allocation")
    raw.put(out, *_attribute(which, known, address))


def hipDrvPointerGetAttributes(count: int, attributes: int, data: int, address: int) -> None:
    require(attributes, data)
    known = memory.find(address)
    for i in range(count):
        out = raw.get(data + 8 * i, "Q")
        which = raw.get(attributes + 4 * i, "I")
        if known is None:
            raw.put(out, *((("i", -2)) if which == 9 else ("I" if which in (2, 8, 13) else "Q", 0)))
        else:
            raw.put(out, *_attribute(which, known, address))


def hipPointerSetAttribute(value: int, which: int, address: int) -> None:
    require(value, address)
    if which != 6 or memory.find(address) is None:
        raise HipError("hipErrorInvalidValue", "only SYNC_MEMOPS of an allocation can be set")


# ---- managed memory: advice is accepted, for there is only one memory ----


def hipMemAdvise(address: int, size: int, advice: int, device: int) -> None:
    _managed(address, size)
    if advice not in (1, 2, 3, 4, 5, 6, 100, 101):
        raise HipError("hipErrorInvalidValue", f"advice {advice}")
    if device not in (-1, -2):
        state.device_state(device)


def hipMemAdvise_v2(address: int, size: int, advice: int, location: int) -> None:
    hipMemAdvise(address, size, advice, structs.of("hipMemLocation").get(location, "id"))


def hipMemPrefetchAsync(address: int, size: int, device: int, stream: int) -> None:
    _managed(address, size)
    if device != -1:
        state.device_state(device)
    streams.of(stream)


def hipMemPrefetchAsync_v2(address: int, size: int, location: int, flags: int, stream: int) -> None:
    kind, number = structs.of("hipMemLocation").get(location, "type", "id")
    hipMemPrefetchAsync(address, size, number if kind == 1 else -1, stream)


def hipStreamAttachMemAsync(stream: int, address: int, size: int, flags: int) -> None:
    streams.of(stream)
    known = memory.find(address)
    if known is None or known.kind != memory.MANAGED or flags not in (1, 2, 4):
        raise HipError("hipErrorInvalidValue", f"{address:#x} is no managed memory, or the flags are unknown")


def hipMemRangeGetAttribute(out: int, size: int, which: int, address: int, count: int) -> None:
    require(out)
    _managed(address, count)
    values = {1: 0, 2: -2, 3: -2, 4: -2, 100: 0}
    if which not in values or size < 4 or size % 4:
        raise HipError("hipErrorInvalidValue", f"range attribute {which} in {size} bytes")
    raw.put(out, f"{size // 4}i", *[values[which]] * (size // 4))


def hipMemRangeGetAttributes(out: int, sizes: int, which: int, number: int, address: int, count: int) -> None:
    require(out, sizes, which)
    for i in range(number):
        place, size = raw.get(out + 8 * i, "Q"), raw.get(sizes + 8 * i, "Q")
        hipMemRangeGetAttribute(place, size, raw.get(which + 4 * i, "I"), address, count)


def _managed(address: int, size: int) -> None:
    known = memory.find(address)
    if known is None or known.kind != memory.MANAGED or not size or address + size > known.base + known.size:
        raise HipError("hipErrorInvalidValue", f"{size} bytes at {address:#x} are not all managed memory")
