"""A real GPU: the device protocol over a real ``libamdhip64``, called through ctypes.

Streams here are streams there, created so that they do not synchronise with the default stream: the runtime above
orders streams itself. Code objects are loaded with hipModuleLoadData; launches pass the explicit arguments as one
buffer and the library adds the hidden ones.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softrock.core.errors import CodeObjectError, SoftrockError
from softrock.gpu.device import Copy, Device, Facts, Fault, Fill, Launch

if TYPE_CHECKING:
    from softrock.codeobj import CodeObject, Kernel

_NON_BLOCKING = 1
_DISABLE_TIMING = 2
_DEFAULT_KIND = 4
_NOT_READY = 600
_PROPERTIES_BYTES = 4096
"""More than hipDeviceProp_tR0600 takes."""
_OURS = "softrock_library"
"""A symbol that our own C library exports: it must not be taken for a real one."""
_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3
_POLL = 0.0002

# Device attributes whose values HIP's structure holds under other names: (number, name of the property).
_ATTRIBUTES = (
    (23, "major"), (61, "minor"), (87, "warpSize"), (56, "maxThreadsPerBlock"), (63, "multiProcessorCount"),
    (74, "sharedMemPerBlock"), (76, "sharedMemPerMultiprocessor"), (5, "clockRate"), (60, "memoryClockRate"),
    (59, "memoryBusWidth"), (19, "l2CacheSize"), (57, "maxThreadsPerMultiProcessor"), (71, "regsPerBlock"),
    (72, "regsPerMultiprocessor"), (67, "pciBusID"), (68, "pciDeviceID"), (69, "pciDomainID"),
    (10, "cooperativeLaunch"), (8, "concurrentKernels"), (24, "managedMemory"), (85, "unifiedAddressing"),
    (25, "maxBlocksPerMultiProcessor"),
)  # fmt: skip
_BLOCK_AXES, _GRID_AXES = (26, 27, 28), (29, 30, 31)


class HardwareError(SoftrockError):
    """A call of the real library failed; `code` is HIP's number."""

    def __init__(self, call: str, code: int, text: str) -> None:
        super().__init__(f"{call} failed on the GPU: {text} ({code})")
        self.code = code


class Library:
    """A loaded ``libamdhip64``.

    Args:
        path: the file, or a name for the loader.
        handle: of the loaded file, where it was not loaded the usual way.
    """

    def __init__(self, path: str, handle: int | None = None) -> None:
        self.path = path
        # Our own library may be loaded under the same names: the real one must prefer its own functions to ours.
        self._native = ctypes.CDLL(path, os.RTLD_NOW | os.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0), handle)
        self._native.hipGetErrorString.restype = ctypes.c_char_p

    @property
    def is_ours(self) -> bool:
        """Whether it is softrock's own library."""
        return hasattr(self._native, _OURS)

    def status(self, name: str, *arguments: Any) -> int:
        """Call a function and return its status."""
        return int(getattr(self._native, name)(*arguments))

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function.

        Raises:
            HardwareError: it failed.
        """
        code = self.status(name, *arguments)
        if code:
            self.status("hipGetLastError")
            raise HardwareError(name, code, self._native.hipGetErrorString(code).decode())

    def count(self) -> int:
        """Devices it finds, 0 where it fails."""
        number = ctypes.c_int(0)
        return number.value if self.status("hipGetDeviceCount", ctypes.byref(number)) == 0 else 0


def _candidates() -> Iterator[str]:
    for variable in ("ROCM_PATH", "ROCM_HOME", "HIP_PATH"):
        folder = os.environ.get(variable, "").strip()
        if folder:
            yield from (str(path) for path in sorted(Path(folder, "lib").glob("libamdhip64.so*"), reverse=True))
    yield from (str(path) for path in sorted(Path("/opt").glob("rocm*/lib/libamdhip64.so*"), reverse=True))
    yield from ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so")


def find_library() -> Library | None:
    """A real library (never our own) with at least one device, or None."""
    if not Path("/dev/kfd").exists():
        return None  # without the kernel driver no library finds a device; do not even load one
    for name in _candidates():
        try:
            library = Library(name)
        except (OSError, AttributeError):
            continue
        if not library.is_ours and library.count():
            return library
    return None


class HardwareFunction:
    """A kernel of a module on a real GPU."""

    def __init__(self, kernel: Kernel, handle: int) -> None:
        self.kernel = kernel
        self.name = kernel.name
        self.handle = handle

    def prepare(self, block: Sequence[int], items: Sequence[int] | None = None) -> None:
        """Machine code needs no preparation."""

    def repeat(self, launch: Launch) -> None:
        """The library's own launch is as cheap as it gets."""
        return None


class HardwareModule:
    """A code object loaded by the real library."""

    def __init__(self, device: HardwareDevice, image: bytes, name: str) -> None:
        from softrock.codeobj import load

        self.device = device
        self.code: CodeObject = load(image, name)
        self.names: Sequence[str] = tuple(self.code.kernels)
        self._functions: dict[str, HardwareFunction] = {}
        handle = ctypes.c_void_p()
        try:
            device.call("hipModuleLoadData", ctypes.byref(handle), ctypes.c_char_p(image))
        except HardwareError as error:
            raise CodeObjectError(f"{name} cannot be loaded on {device.facts.name}: {error.message}") from None
        self._handle = handle

    def function(self, name: str) -> HardwareFunction | None:
        found = self._functions.get(name)
        if found is None and name in self.code.kernels:
            handle = ctypes.c_void_p()
            self.device.call("hipModuleGetFunction", ctypes.byref(handle), self._handle, name.encode())
            found = self._functions[name] = HardwareFunction(self.code.kernels[name], handle.value or 0)
        return found

    def variable(self, name: str) -> tuple[int, int] | None:
        if name not in self.code.variables:
            return None
        address, size = ctypes.c_void_p(), ctypes.c_size_t()
        place = (ctypes.byref(address), ctypes.byref(size))
        self.device.call("hipModuleGetGlobal", *place, self._handle, name.encode())
        return address.value or 0, size.value

    def unload(self) -> None:
        self.device.call("hipModuleUnload", self._handle)


class HardwareEvent:
    """An event of the real library. Times count from the device's first event."""

    def __init__(self, device: HardwareDevice, timing: bool) -> None:
        self.device = device
        self.handle = ctypes.c_void_p()
        flags = 0 if timing else _DISABLE_TIMING
        device.call("hipEventCreateWithFlags", ctypes.byref(self.handle), ctypes.c_uint(flags))

    def done(self) -> bool:
        return self.device.library.status("hipEventQuery", self.handle) != _NOT_READY

    def wait(self, timeout: float) -> bool:
        return _until(self.done, timeout)

    def time(self) -> int:
        elapsed = ctypes.c_float()
        self.device.call("hipEventElapsedTime", ctypes.byref(elapsed), self.device.origin().handle, self.handle)
        return int(elapsed.value * 1e6)

    def close(self) -> None:
        self.device.library.status("hipEventDestroy", self.handle)


class HardwareQueue:
    """A stream of the real library."""

    def __init__(self, device: HardwareDevice, priority: int) -> None:
        self.device = device
        self.handle = ctypes.c_void_p()
        options = (ctypes.c_uint(_NON_BLOCKING), ctypes.c_int(priority))
        device.call("hipStreamCreateWithPriority", ctypes.byref(self.handle), *options)
        self._position = 0
        self._fault: Fault | None = None

    def _call(self, name: str, *arguments: Any) -> None:
        self._position += 1
        self.device.call(name, *arguments)

    def copy(self, copy: Copy) -> None:
        for z in range(copy.depth):
            dst = ctypes.c_void_p(copy.dst + z * copy.dst_slice)
            src = ctypes.c_void_p(copy.src + z * copy.src_slice)
            kind = ctypes.c_int(_DEFAULT_KIND)
            width = ctypes.c_size_t(copy.width)
            if copy.height == 1:
                self._call("hipMemcpyAsync", dst, src, width, kind, self.handle)
            else:
                pitches = (ctypes.c_size_t(copy.dst_pitch), src, ctypes.c_size_t(copy.src_pitch))
                self._call("hipMemcpy2DAsync", dst, *pitches, width, ctypes.c_size_t(copy.height), kind, self.handle)

    def fill(self, fill: Fill) -> None:
        call = {1: "hipMemsetD8Async", 2: "hipMemsetD16Async", 4: "hipMemsetD32Async"}[fill.element]
        value = {1: ctypes.c_ubyte, 2: ctypes.c_ushort, 4: ctypes.c_uint}[fill.element](fill.value)
        for z in range(fill.depth):
            for y in range(fill.height):
                dst = ctypes.c_void_p(fill.dst + z * fill.slice + y * fill.pitch)
                self._call(call, dst, value, ctypes.c_size_t(fill.width), self.handle)

    def launch(self, launch: Launch) -> None:
        function = launch.function
        assert isinstance(function, HardwareFunction)
        size = ctypes.c_size_t(len(launch.arguments))
        block = ctypes.create_string_buffer(launch.arguments, max(len(launch.arguments), 1))
        extra = (ctypes.c_void_p * 5)(
            _BUFFER_POINTER, ctypes.addressof(block), _BUFFER_SIZE, ctypes.addressof(size), _END
        )
        shape = [ctypes.c_uint(each) for each in (*launch.grid, *launch.block, launch.shared)]
        if launch.cooperative:
            places = [ctypes.addressof(block) + arg.offset for arg in function.kernel.args]
            pointers = (ctypes.c_void_p * max(len(places), 1))(*places)
            handle = ctypes.c_void_p(function.handle)
            self._call("hipModuleLaunchCooperativeKernel", handle, *shape, self.handle, pointers)
        else:
            self._call(
                "hipModuleLaunchKernel", ctypes.c_void_p(function.handle), *shape, self.handle, None,
                extra if launch.arguments else None,
            )  # fmt: skip

    def run_batch(self, batch: None) -> None:
        raise AssertionError("there are no batches on hardware")

    def call(self, function: int, argument: int) -> None:
        self._call("hipLaunchHostFunc", self.handle, ctypes.c_void_p(function), ctypes.c_void_p(argument))

    def record(self, event: HardwareEvent) -> None:
        self._call("hipEventRecord", event.handle, self.handle)

    def wait_for(self, event: HardwareEvent) -> None:
        self._call("hipStreamWaitEvent", self.handle, event.handle, ctypes.c_uint(0))

    def _status(self) -> int:
        code = self.device.library.status("hipStreamQuery", self.handle)
        if code not in (0, _NOT_READY) and self._fault is None:
            self.device.library.status("hipGetLastError")
            kind = {700: "memory", 710: "assert", 702: "timeout"}.get(code, "trap")
            self._fault = Fault(kind, f"the GPU reported error {code} ({self.device.facts.name})")
        return code

    def wait(self, timeout: float) -> bool:
        return _until(self.idle, timeout)

    def idle(self) -> bool:
        return self._status() != _NOT_READY

    def position(self) -> int:
        return self._position

    def reached(self) -> int:
        """A real queue tells only whether everything has ended."""
        return self._position if self.idle() else 0

    def catch_up(self, position: int) -> None:
        """Events and streams of the library agree."""

    def fault(self) -> Fault | None:
        return self._fault

    def clear(self) -> None:
        self._fault = None

    def close(self) -> None:
        self.device.library.status("hipStreamDestroy", self.handle)


def _until(done: Any, timeout: float) -> bool:
    """Ask until it is done or the time is over; short waits first, because most work is short."""
    end = time.monotonic() + timeout
    pause = 0.0
    while not done():
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
        pause = _POLL
    return True


class HardwareDevice:
    """One real GPU.

    Args:
        library: the loaded runtime.
        index: the device's number there.
    """

    backend = "hardware"

    def __init__(self, library: Library, index: int) -> None:
        self.library = library
        self.index = index
        self._origin: HardwareEvent | None = None
        self._lock = threading.Lock()
        properties = self._properties()
        self.facts = Facts(properties["name"], properties["gcnArchName"], properties["warpSize"], properties)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the library with this device current."""
        self.library.status("hipSetDevice", ctypes.c_int(self.index))
        self.library.call(name, *arguments)

    def _attribute(self, number: int) -> int:
        value = ctypes.c_int(0)
        what = (ctypes.c_int(number), ctypes.c_int(self.index))
        self.library.status("hipDeviceGetAttribute", ctypes.byref(value), *what)
        return value.value

    def _properties(self) -> dict[str, Any]:
        name = ctypes.create_string_buffer(256)
        self.call("hipDeviceGetName", name, ctypes.c_int(256), ctypes.c_int(self.index))
        total = ctypes.c_size_t()
        self.call("hipDeviceTotalMem", ctypes.byref(total), ctypes.c_int(self.index))
        found: dict[str, Any] = {each: self._attribute(number) for number, each in _ATTRIBUTES}
        found |= {
            "name": name.value.decode(errors="replace"),
            "totalGlobalMem": total.value,
            "gcnArchName": self._architecture(),
            "maxThreadsDim": tuple(self._attribute(each) for each in _BLOCK_AXES),
            "maxGridSize": tuple(self._attribute(each) for each in _GRID_AXES),
            "attributes": {},
        }
        return found

    def _architecture(self) -> str:
        """The target ID, which only the properties structure tells; it stands at a fixed place since HIP 6."""
        block = ctypes.create_string_buffer(_PROPERTIES_BYTES)
        self.call("hipGetDevicePropertiesR0600", block, ctypes.c_int(self.index))
        text = block.raw[_ARCHITECTURE_AT : _ARCHITECTURE_AT + 256].split(b"\0")[0]
        return text.decode(errors="replace")

    def origin(self) -> HardwareEvent:
        """The event that times count from, recorded at first use."""
        with self._lock:
            if self._origin is None:
                self._origin = HardwareEvent(self, True)
                self.call("hipEventRecord", self._origin.handle, None)
                self.call("hipEventSynchronize", self._origin.handle)
            return self._origin

    def _allocate(self, name: str, size: int, *more: Any) -> int:
        address = ctypes.c_void_p()
        self.call(name, ctypes.byref(address), ctypes.c_size_t(size), *more)
        return address.value or 0

    def allocate(self, size: int) -> int:
        return self._allocate("hipMalloc", size)

    def free(self, address: int) -> None:
        self.call("hipFree", ctypes.c_void_p(address))

    def allocate_host(self, size: int) -> int:
        return self._allocate("hipHostMalloc", size, ctypes.c_uint(0))

    def free_host(self, address: int) -> None:
        self.call("hipHostFree", ctypes.c_void_p(address))

    def memory(self) -> tuple[int, int]:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("hipMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def load(self, image: bytes, name: str) -> HardwareModule:
        return HardwareModule(self, image, name)

    def queue(self, priority: int) -> HardwareQueue:
        return HardwareQueue(self, priority)

    def batch(self, pieces: Sequence[Launch | Copy | Fill]) -> None:
        """The library's own launches are as cheap as it gets."""
        return None

    def event(self, timing: bool) -> HardwareEvent:
        event = HardwareEvent(self, timing)
        if timing:
            self.origin()
        return event


_ARCHITECTURE_AT = 1160
"""Offset of gcnArchName in hipDeviceProp_tR0600."""


def open_devices() -> list[Device]:
    """All devices of a real library; empty where there is none."""
    library = find_library()
    return [] if library is None else [HardwareDevice(library, index) for index in range(library.count())]
