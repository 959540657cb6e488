"""The path over a real libamdhip64, with our own C library in its place.

Both sides live in this process: the library's calls get a runtime of their own, that of the software GPU.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pytest

from softrock import abi
from softrock.abi import boot
from softrock.gpu import hardware
from softrock.gpu.device import open_devices
from softrock.gpu.hardware import Library
from softrock.hip import HipError, devices, events, launch, memory, modules, raw, state, streams


class _Inside:
    """While it lasts, the runtime is the one behind the C library."""

    def __init__(self) -> None:
        self.runtime: state.Runtime | None = None
        self.thread = state._Thread()
        self.outside = (state._runtime, state.thread)

    def __enter__(self) -> None:
        self.outside = (state._runtime, state.thread)
        state._runtime, state.thread = self.runtime, self.thread

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.runtime = state._runtime
        state._runtime, state.thread = self.outside


_inside = _Inside()


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    """Our C library, loaded like a foreign one."""
    plain, opener = boot.dispatch, open_devices

    def dispatch(stub: int, slots: int) -> int:
        with _inside, pytest.MonkeyPatch.context() as patch:
            patch.setenv("SOFTROCK_BACKEND", "software")
            patch.setenv("SOFTROCK_GPUS", "gfx1100:2")
            patch.setattr(state, "open_devices", opener)
            return plain(stub, slots)

    boot.dispatch = dispatch
    loaded = Library(str(abi.library_dir() / "libamdhip64.so.7"))
    loaded.count()  # boots it
    yield loaded
    boot.dispatch = plain


@pytest.fixture
def real(library: Library, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The runtime uses the library as its hardware."""
    monkeypatch.setattr(hardware, "find_library", lambda: library)
    monkeypatch.setenv("SOFTROCK_BACKEND", "hardware")
    return library


def test_our_own_library_is_never_taken_for_hardware(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.is_ours
    monkeypatch.setattr(Path, "exists", lambda path: True)
    monkeypatch.setattr(hardware, "_candidates", lambda: iter([library.path]))
    assert hardware.find_library() is None


def test_devices_are_those_of_the_library(real: Library) -> None:
    assert devices.count() == 2
    assert devices.properties(1)["name"] == "AMD Radeon RX 7900 XTX (software)"
    assert state.runtime().devices[0].device.backend == "hardware"
    assert state.runtime().devices[0].device.facts.target.startswith("gfx1100")
    assert devices.attribute("WarpSize", 0) == 32
    assert devices.attribute("MaxBlockDimX", 0) == 1024


def test_memory_copies_and_fills(real: Library) -> None:
    address = memory.malloc(4096)
    host = raw.Held(bytes(range(200)))
    memory.memcpy(address, host.address, 200, memory.HOST_TO_DEVICE)
    memory.memset(address + 8, 0x01020304, 2, element=4)
    back = raw.Held(200)
    memory.memcpy(back.address, address, 200, memory.DEVICE_TO_HOST)
    expected = bytes(range(8)) + b"\4\3\2\1" * 2 + bytes(range(16, 200))
    assert raw.read(back.address, 200) == expected
    pinned = memory.host_malloc(64)
    memory.memcpy(pinned, address, 64)
    assert raw.read(pinned, 64) == expected[:64]
    free, total = memory.info()
    assert 0 < free < total
    memory.free(address)
    memory.host_free(pinned)


def test_errors_of_the_library_are_errors_here(real: Library) -> None:
    with pytest.raises(HipError, match="hipErrorOutOfMemory"):
        memory.malloc(1 << 50)
    with pytest.raises(HipError, match=r"hipErrorInvalidImage|hipErrorNoBinaryForGpu"):
        modules.load_data(b"\x7fELF nonsense")


def test_kernels_streams_and_events(real: Library, compile_device: Callable[..., bytes]) -> None:
    source = """__device__ int total = 0;
    extern "C" __global__ void add(int *p, int n, int v) {
        int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
        if (i < n) p[i] += v; if (i == 0) total += v; }"""
    module = modules.load_data(compile_device(source, "gfx1100"))
    function = module.function("add")
    assert function is not None
    address = memory.malloc(400)
    memory.memset(address, 0, 400)
    stream = streams.create()
    start, stop = events.create(), events.create()
    events.record(start, stream)
    for value in (1, 2, 3):
        launch.launch(function, (2, 1, 1), (64, 1, 1), struct.pack("<Qii", address, 100, value), 0, stream)
    events.record(stop, stream)
    streams.synchronize(stream)
    back = raw.Held(400)
    memory.memcpy(back.address, address, 400)
    assert [raw.get(back.address + 4 * i, "i") for i in range(100)] == [6] * 100
    assert events.elapsed(start, stop) >= 0
    place = module.variable("total")
    assert place is not None
    memory.memcpy(back.address, place[0], 4)
    assert raw.get(back.address, "i") == 6
    module.unload()
