"""The runtime's state: devices, handles, and what each thread has chosen.

There is one :class:`Runtime` a process, made at the first call. It is not bound to one entry point: the Python
functions of :mod:`softrock.hip` and the C library use the same.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from softrock.gpu.device import Device, Queue, open_devices
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.hip.memory import Allocations
    from softrock.hip.modules import Registry
    from softrock.hip.pools import Pool
    from softrock.hip.streams import Stream

T = TypeVar("T")

_FIRST_HANDLE = 0x5F00_0000_0000
_HANDLE_STEP = 64


class DeviceState:
    """A device with what the runtime keeps for it.

    Attributes:
        index: its number among the visible devices.
        device: the device itself.
        null: the default stream, made at first use.
        blocking: streams that synchronise with the default stream.
        spare: queues of streams that were destroyed, by priority.
        null_work: grows with each piece of work on the default stream.
        peers: indices of devices this one may access.
        limits: values of hipDeviceSetLimit, by number.
        flags: of hipSetDeviceFlags.
    """

    def __init__(self, index: int, device: Device) -> None:
        self.index = index
        self.device = device
        self.null: Stream | None = None
        self.blocking: set[Stream] = set()
        self.streams: set[Stream] = set()
        self.spare: dict[int, list[Queue]] = {}
        self.null_work = 0
        self.peers: set[int] = set()
        self.limits: dict[int, int] = {}
        self.flags = 0
        self.pool: Pool | None = None
        self.default_pool: Pool | None = None


class Runtime:
    """Everything the runtime knows.

    Attributes:
        devices: the visible devices.
        lock: guards tables that several threads change.
        sticky: number of the error that every call returns after a device fault, 0 for none.
        failure: exit status to force on a program that ignored a kernel's failure, 0 for none.
    """

    def __init__(self) -> None:
        self.devices = [DeviceState(index, device) for index, device in enumerate(visible(open_devices()))]
        self.lock = threading.RLock()
        self.sticky = 0
        self.failure = 0
        self._handles: dict[int, Any] = {}
        self._next_handle = _FIRST_HANDLE
        self._allocations: Allocations | None = None
        self._registry: Registry | None = None

    @property
    def allocations(self) -> Allocations:
        """All memory this process got from the runtime."""
        if self._allocations is None:
            from softrock.hip.memory import Allocations

            self._allocations = Allocations()
        return self._allocations

    @property
    def registry(self) -> Registry:
        """Fat binaries, kernels and variables that compiled programs registered."""
        if self._registry is None:
            from softrock.hip.modules import Registry

            self._registry = Registry()
        return self._registry

    def add(self, thing: Any) -> int:
        """A handle for an object; the runtime keeps the object until :meth:`drop`."""
        with self.lock:
            handle = self._next_handle
            self._next_handle += _HANDLE_STEP
            self._handles[handle] = thing
        return handle

    def get(self, handle: int, kind: type[T], error: str = "hipErrorInvalidHandle") -> T:
        """The object behind a handle.

        Raises:
            HipError: `error`, where the handle is unknown or stands for something else.
        """
        thing = self._handles.get(handle)
        if not isinstance(thing, kind):
            raise HipError(error, f"{handle:#x} is no {kind.__name__.lower()}")
        return thing

    def find(self, handle: int, kind: type[T]) -> T | None:
        """Like :meth:`get`, but None where there is none."""
        thing = self._handles.get(handle)
        return thing if isinstance(thing, kind) else None

    def handle_of(self, thing: object) -> int:
        """The handle of an object; 0 where it has none."""
        with self.lock:
            return next((handle for handle, each in self._handles.items() if each is thing), 0)

    def drop(self, handle: int) -> None:
        """Forget a handle."""
        with self.lock:
            self._handles.pop(handle, None)

    def fail(self, status: int = 1) -> None:
        """The process must not end with status 0 any more."""
        self.failure = self.failure or status
        self.changed()

    def changed(self) -> None:
        """Tell who keeps copies of `sticky` and `failure`."""
        for each in on_status_change:
            each(self)


class _Thread(threading.local):
    """What each thread of the program has of its own."""

    device: int = 0
    contexts: tuple[int, ...] = ()
    capture_mode: int = 0
    own_default: bool = False
    streams: dict[int, Stream] | None = None


thread = _Thread()
on_device_change: list[Callable[[int], None]] = []
"""Called with the new current device of the calling thread (the C library keeps a copy)."""
on_status_change: list[Callable[[Runtime], None]] = []
"""Called when `sticky` or `failure` of the runtime has changed."""
on_start: list[Callable[[Runtime], None]] = []
"""Called once the runtime is made."""

_runtime: Runtime | None = None
_boot_lock = threading.RLock()


def runtime() -> Runtime:
    """The runtime, made at the first call.

    Raises:
        UsageError, SoftrockError: the settings name devices that cannot be had.
    """
    global _runtime
    if _runtime is None:
        with _boot_lock:
            if _runtime is None:
                made = _runtime = Runtime()
                for each in on_start:
                    each(made)
    return _runtime


def existing() -> Runtime | None:
    """The runtime, if there is one already."""
    return _runtime


def reset_for_tests() -> None:
    """Forget everything, as a new process would. Only for tests: handles and memory are abandoned."""
    global _runtime
    _runtime = None
    thread.device = 0
    thread.streams = None
    thread.contexts = ()


def device_state(index: int) -> DeviceState:
    """A device by number.

    Raises:
        HipError: hipErrorInvalidDevice, or hipErrorNoDevice where there is none at all.
    """
    devices = runtime().devices
    if not devices:
        raise HipError("hipErrorNoDevice")
    if not 0 <= index < len(devices):
        raise HipError("hipErrorInvalidDevice", f"device {index} of {len(devices)}")
    return devices[index]


def current() -> DeviceState:
    """The calling thread's current device."""
    return device_state(thread.device)


def set_device(index: int) -> None:
    """Make a device current for the calling thread."""
    device_state(index)
    thread.device = index
    for each in on_device_change:
        each(index)


def require_healthy() -> None:
    """Raise the sticky error, if a kernel has faulted."""
    if _runtime is not None and _runtime.sticky:
        raise HipError(_runtime.sticky, "a kernel has faulted; the device accepts no more work")


def visible(devices: list[Device]) -> list[Device]:
    """What ROCR_VISIBLE_DEVICES and then HIP_VISIBLE_DEVICES (or CUDA_VISIBLE_DEVICES) leave, in their order.

    As in HIP the list ends at the first entry that is no device.
    """
    env = os.environ
    second = "HIP_VISIBLE_DEVICES" if "HIP_VISIBLE_DEVICES" in env else "CUDA_VISIBLE_DEVICES"
    for name in ("ROCR_VISIBLE_DEVICES", second):
        if name not in env:
            continue
        chosen: list[Device] = []
        for entry in env[name].split(","):
            index = _index_of(entry.strip(), devices)
            if index is None:
                break
            if devices[index] not in chosen:
                chosen.append(devices[index])
        devices = chosen
    return devices


def _index_of(entry: str, devices: list[Device]) -> int | None:
    if entry.isdecimal() and int(entry) < len(devices):
        return int(entry)
    for index, device in enumerate(devices):
        if entry and entry == device.facts.properties.get("uuid"):
            return index
    return None
