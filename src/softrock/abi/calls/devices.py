"""Initialisation, versions, devices, limits, peers."""

from __future__ import annotations

from typing import Any

from softrock.abi import structs
from softrock.hip import devices, raw, state, streams
from softrock.hip.errors import HipError


def require(*pointers: int) -> None:
    """Raise hipErrorInvalidValue where a pointer is null."""
    if not all(pointers):
        raise HipError("hipErrorInvalidValue", "a pointer is null")


def hipInit(flags: int) -> None:
    if flags:
        raise HipError("hipErrorInvalidValue", "flags must be 0")
    state.device_state(0)


def hipDriverGetVersion(out: int) -> None:
    require(out)
    raw.put(out, "i", devices.DRIVER_VERSION)


def hipRuntimeGetVersion(out: int) -> None:
    require(out)
    raw.put(out, "i", devices.RUNTIME_VERSION)


def hipGetDeviceCount(out: int) -> None:
    require(out)
    count = devices.count()
    raw.put(out, "i", count)
    if not count:
        raise HipError("hipErrorNoDevice")


def hipSetDevice(device: int) -> None:
    state.set_device(device)


def hipGetDevice(out: int) -> None:
    require(out)
    index = state.current().index
    raw.put(out, "i", index)
    state.set_device(index)


def hipSetValidDevices(array: int, length: int) -> None:
    for i in range(length):
        state.device_state(raw.get(array + 4 * i, "i"))


def hipDeviceGet(out: int, ordinal: int) -> None:
    require(out)
    raw.put(out, "i", state.device_state(ordinal).index)


def hipDeviceComputeCapability(major: int, minor: int, device: int) -> None:
    require(major, minor)
    facts = devices.properties(device)
    raw.put(major, "i", facts["major"])
    raw.put(minor, "i", facts["minor"])


def _text(out: int, size: int, text: str) -> None:
    require(out)
    if size <= 0:
        raise HipError("hipErrorInvalidValue", "there is no room for the text")
    data = text.encode()[: size - 1]
    raw.write(out, data + bytes(1))


def hipDeviceGetName(out: int, size: int, device: int) -> None:
    _text(out, size, devices.properties(device)["name"])


def hipDeviceGetPCIBusId(out: int, size: int, device: int) -> None:
    _text(out, size, devices.pci_address(device))


def hipDeviceGetByPCIBusId(out: int, text: int) -> None:
    require(out, text)
    raw.put(out, "i", devices.by_pci_address(raw.text(text)))


def hipDeviceGetUuid(out: int, device: int) -> None:
    require(out)
    raw.write(out, devices.uuid(device))


def hipDeviceTotalMem(out: int, device: int) -> None:
    require(out)
    raw.put(out, "Q", devices.properties(device)["totalGlobalMem"])


def hipDeviceGetAttribute(out: int, attribute: int, device: int) -> None:
    require(out)
    raw.put(out, "i", devices.attribute(attribute, device))


_ARCH_BITS = (
    "hasGlobalInt32Atomics", "hasGlobalFloatAtomicExch", "hasSharedInt32Atomics", "hasSharedFloatAtomicExch",
    "hasFloatAtomicAdd", "hasGlobalInt64Atomics", "hasSharedInt64Atomics", "hasDoubles", "hasWarpVote",
    "hasWarpBallot", "hasWarpShuffle", "hasFunnelShift", "hasThreadFenceSystem", "hasSyncThreadsExt",
    "hasSurfaceFuncs", "has3dGrid", "hasDynamicParallelism",
)  # fmt: skip


def hipGetDevicePropertiesR0600(out: int, device: int) -> None:
    require(out)
    facts = devices.properties(device)
    layout = structs.of("hipDeviceProp_tR0600")
    layout.clear(out)
    values: dict[str, Any] = {}
    for name, value in facts.items():
        if name in layout.fields:
            values[name] = value.encode()[:255] if isinstance(value, str) else value
    values["arch"] = sum(1 << bit for bit, name in enumerate(_ARCH_BITS) if facts.get("arch", {}).get(name))
    values.pop("uuid", None)
    layout.set(out, **values)
    at, _ = layout.fields["uuid.bytes"]
    raw.write(out + at, devices.uuid(device))


def hipChooseDeviceR0600(out: int, wanted: int) -> None:
    require(out, wanted)
    raw.put(out, "i", devices.choose(structs.of("hipDeviceProp_tR0600").all(wanted)))


def hipDeviceSynchronize() -> None:
    streams.synchronize_device()


def hipDeviceReset() -> None:
    devices.reset()


def hipDeviceGetLimit(out: int, limit: int) -> None:
    require(out)
    raw.put(out, "Q", devices.get_limit(limit))


def hipDeviceSetLimit(limit: int, value: int) -> None:
    devices.set_limit(limit, value)


def hipGetDeviceFlags(out: int) -> None:
    require(out)
    raw.put(out, "I", state.current().flags)


def hipSetDeviceFlags(flags: int) -> None:
    devices.set_flags(flags)


def hipDeviceSetCacheConfig(config: int) -> None:
    _config(config, 3)


def hipDeviceGetCacheConfig(out: int) -> None:
    require(out)
    raw.put(out, "I", 0)


def hipDeviceSetSharedMemConfig(config: int) -> None:
    _config(config, 2)


def hipDeviceGetSharedMemConfig(out: int) -> None:
    require(out)
    raw.put(out, "I", 0)


def _config(value: int, most: int) -> None:
    """Cache and bank settings mean nothing on AMD GPUs; values are checked and ignored."""
    if value > most:
        raise HipError("hipErrorInvalidValue", f"configuration {value}")


def hipDeviceCanAccessPeer(out: int, device: int, peer: int) -> None:
    require(out)
    raw.put(out, "i", devices.can_access_peer(device, peer))


def hipDeviceEnablePeerAccess(peer: int, flags: int) -> None:
    devices.enable_peer(peer, flags)


def hipDeviceDisablePeerAccess(peer: int) -> None:
    devices.disable_peer(peer)


def hipDeviceGetP2PAttribute(out: int, attribute: int, device: int, peer: int) -> None:
    require(out)
    access = devices.can_access_peer(device, peer)
    if attribute > 3 or not access:
        raise HipError("hipErrorInvalidValue" if access else "hipErrorInvalidDevice", f"attribute {attribute}")
    raw.put(out, "i", 1 if attribute in (1, 2) else 0)


def hipExtGetLinkTypeAndHopCount(device: int, peer: int, kind: int, hops: int) -> None:
    require(kind, hops)
    if not devices.can_access_peer(device, peer):
        raise HipError("hipErrorInvalidValue", "a device has no link to itself")
    raw.put(kind, "I", 2)  # HSA_AMD_LINK_INFO_TYPE_PCIE
    raw.put(hops, "I", 1)


def hipProfilerStart() -> None:
    """Profilers are not told: the call has no effect, as in HIP without one."""


def hipProfilerStop() -> None:
    """See :func:`hipProfilerStart`."""


def hipExtEnableLogging() -> None:
    """There is no log of AMD's kind."""


def hipExtDisableLogging() -> None:
    """See :func:`hipExtEnableLogging`."""
