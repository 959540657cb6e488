"""Driver-style contexts: a device's primary context is its only one, and stands for the device."""

from __future__ import annotations

from softrock.abi.calls.devices import require
from softrock.hip import devices, raw, state, streams
from softrock.hip.errors import HipError

_BASE = 0x5E00_0000_0000
_API_VERSION = 4
_flags: dict[int, int] = {}
_retained: dict[int, int] = {}


def _context(device: int) -> int:
    return _BASE + 64 * state.device_state(device).index


def _device(context: int) -> int:
    index, rest = divmod(context - _BASE, 64)
    if rest or not 0 <= index < devices.count():
        raise HipError("hipErrorInvalidContext", f"{context:#x} is no context")
    return index


def hipCtxCreate(out: int, flags: int, device: int) -> None:
    require(out)
    raw.put(out, "Q", _context(device))
    _push(device)


def _push(device: int) -> None:
    state.thread.contexts = (*state.thread.contexts, state.current().index)
    state.set_device(device)


def hipCtxDestroy(context: int) -> None:
    if _device(context) == state.current().index and state.thread.contexts:
        hipCtxPopCurrent(0)


def hipCtxPushCurrent(context: int) -> None:
    _push(_device(context))


def hipCtxPopCurrent(out: int) -> None:
    if out:
        raw.put(out, "Q", _context(state.current().index))
    if not state.thread.contexts:
        raise HipError("hipErrorInvalidContext", "no context was pushed")
    state.set_device(state.thread.contexts[-1])
    state.thread.contexts = state.thread.contexts[:-1]


def hipCtxSetCurrent(context: int) -> None:
    if context:
        state.set_device(_device(context))


def hipCtxGetCurrent(out: int) -> None:
    require(out)
    raw.put(out, "Q", _context(state.current().index))


def hipCtxGetDevice(out: int) -> None:
    require(out)
    raw.put(out, "i", state.current().index)


def hipCtxGetApiVersion(context: int, out: int) -> None:
    require(out)
    raw.put(out, "I", _API_VERSION)


def hipCtxSynchronize() -> None:
    streams.synchronize_device()


def hipCtxGetFlags(out: int) -> None:
    require(out)
    raw.put(out, "I", state.current().flags)


def hipCtxGetCacheConfig(out: int) -> None:
    require(out)
    raw.put(out, "I", 0)


def hipCtxSetCacheConfig(config: int) -> None:
    """Means nothing on AMD GPUs."""


def hipCtxGetSharedMemConfig(out: int) -> None:
    require(out)
    raw.put(out, "I", 0)


def hipCtxSetSharedMemConfig(config: int) -> None:
    """Means nothing on AMD GPUs."""


def hipCtxEnablePeerAccess(context: int, flags: int) -> None:
    devices.enable_peer(_device(context), flags)


def hipCtxDisablePeerAccess(context: int) -> None:
    devices.disable_peer(_device(context))


def hipDevicePrimaryCtxGetState(device: int, flags: int, active: int) -> None:
    require(flags, active)
    state.device_state(device)
    raw.put(flags, "I", _flags.get(device, 0))
    raw.put(active, "i", int(_retained.get(device, 0) > 0 or state.thread.device == device))


def hipDevicePrimaryCtxRetain(out: int, device: int) -> None:
    require(out)
    raw.put(out, "Q", _context(device))
    _retained[device] = _retained.get(device, 0) + 1


def hipDevicePrimaryCtxRelease(device: int) -> None:
    state.device_state(device)
    _retained[device] = max(_retained.get(device, 0) - 1, 0)


def hipDevicePrimaryCtxReset(device: int) -> None:
    state.device_state(device)


def hipDevicePrimaryCtxSetFlags(device: int, flags: int) -> None:
    state.device_state(device)
    if device in _flags or _retained.get(device):
        raise HipError("hipErrorContextAlreadyInUse")
    _flags[device] = flags
