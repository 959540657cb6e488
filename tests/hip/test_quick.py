"""Repeated launches from Python: they take a short way, and mean what the first one meant."""

from __future__ import annotations

import struct
import threading
from typing import Any

import numpy as np
import pytest

import softrock
from softrock.core.errors import UsageError
from softrock.hip import HipError, launch
from softrock.hip.graphs import capture
from softrock.hip.graphs.graph import Executable

SOURCE = """
extern "C" __global__ void keep(unsigned char a, short b, int c, unsigned long long d, _Float16 e, float f, double g,
                                const float *p, unsigned *out) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = d >> 32; out[5] = __builtin_bit_cast(unsigned short, e);
    out[6] = __builtin_bit_cast(unsigned, f); out[7] = __builtin_bit_cast(unsigned long long, g) >> 32;
    out[8] = (unsigned)(unsigned long long)p;
}
__global__ void add(unsigned *out, int n, float x) { if (!threadIdx.x) atomicAdd(out + n, (unsigned)x); }
__global__ void chain(unsigned *out, unsigned was, unsigned next) { if (out[0] == was) out[0] = next; }
__global__ void size(unsigned *out) { out[0] = gridDim.x; out[1] = blockDim.x; out[2] = blockIdx.x; }
__global__ void slow(unsigned *out, int n) {
    unsigned v = out[0]; for (int i = 0; i < n; i++) v = v * 1664525u + 1013904223u; out[1] = v; out[0] = 5; }
__global__ void say(int n) { printf("%d\\n", n); }
__global__ void trap() { __builtin_trap(); }
"""


@pytest.fixture
def module() -> softrock.Module:
    return softrock.compile(SOURCE)


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels that were launched the long way."""
    seen: list[str] = []
    whole = launch.launch

    def noted(function: Any, *args: Any, **options: Any) -> None:
        seen.append(function.name)
        whole(function, *args, **options)

    monkeypatch.setattr(launch, "launch", noted)
    return seen


def test_every_kind_of_argument_arrives(module: softrock.Module, long_ways: list[str]) -> None:
    nan = np.array([0x7F800123], np.uint32).view(np.float32)[0]  # a signalling one with a payload
    held = np.zeros(9, np.float32)
    values = (np.uint8(200), np.int16(-3), np.int32(-5), np.uint64(1 << 40 | 7), np.float16(1.5), nan, np.float64(2.5))
    out = np.zeros(9, np.uint32)
    for pointer in (held, softrock.zeros(3), None, 0x12345678):
        for _ in range(3):
            out[:] = 9
            module.keep[1, 1](*values, pointer, out)
            low: Any = {np.ndarray: held.ctypes.data, int: pointer}.get(type(pointer), getattr(pointer, "ptr", 0))
            expected = [200, 0xFFFFFFFD, 0xFFFFFFFB, 7, 256, 0x3E00, 0x7F800123, 0x40040000, low & 0xFFFFFFFF]
            assert out.tolist() == expected
    assert len(long_ways) == 4


def test_python_numbers_arrive_and_those_that_do_not_fit_are_refused(
    module: softrock.Module, long_ways: list[str]
) -> None:
    out = softrock.zeros(8, "uint32")
    for _ in range(3):
        module.add[1, 64](out, 2, 3.0)
        module.add[1, 64](out, 3, 4)
    assert out.numpy().tolist() == [0, 0, 9, 12, 0, 0, 0, 0]
    assert len(long_ways) == 2
    with pytest.raises(UsageError, match="does not fit"):
        module.add[1, 64](out, 1 << 31, 3.0)
    with pytest.raises(UsageError, match="is a float"):
        module.add[1, 64](out, 2.0, 3.0)
    with pytest.raises(UsageError, match="arguments"):
        module.add[1, 64](out, 2)
    with pytest.raises(UsageError, match="takes 4 bytes"):
        module.add[1, 64](out, np.int64(2), 3.0)
    host = np.zeros(8, np.uint32)
    module.add[1, 64](host, 0, 1.0)
    with pytest.raises(UsageError, match="not contiguous"):
        module.add[1, 64](host[::2], 0, 1.0)
    assert out.numpy().tolist() == [0, 0, 9, 12, 0, 0, 0, 0]


def test_each_geometry_is_its_own(module: softrock.Module) -> None:
    out = np.zeros(3, np.uint32)
    for _ in range(2):
        for grid, block in ((1, 64), (3, 128), ((2, 1), 32), ([4], [64, 1])):
            module.size[grid, block](out)
            first = [v if isinstance(v, int) else v[0] for v in (grid, block)]
            assert out[:2].tolist() == first
            module.size.launch(grid, block, out)
            assert out[:2].tolist() == first


def test_order_within_and_between_streams(module: softrock.Module, long_ways: list[str]) -> None:
    out = softrock.zeros(2, "uint32")
    for i in range(2000):
        module.chain[1, 1](out, np.uint32(i), np.uint32(i + 1))
    assert out.numpy()[0] == 2000
    assert len(long_ways) == 1
    with softrock.Stream() as one, softrock.Stream(non_blocking=True) as free:
        expected = 2000
        for i in range(20):  # the default stream and a blocking one wait for each other
            stream = one if i % 2 else None
            module.slow[1, 1, 0, stream](out, 20000)
            module.chain[1, 1, 0, None if stream else one](out, np.uint32(5), np.uint32(expected + 1))
            expected += 1
            assert out.numpy()[0] == expected
        for i in range(5):
            module.chain[1, 1, 0, free](out, np.uint32(expected + i), np.uint32(expected + i + 1))
        free.synchronize()
        assert out.numpy()[0] == expected + 5


def test_a_new_stream_waits_for_what_the_default_stream_has(module: softrock.Module) -> None:
    out = softrock.zeros(2, "uint32")
    for i in range(5):
        module.slow[1, 1](out, 3_000_000)
        with softrock.Stream() as stream:
            module.chain[1, 1, 0, stream](out, np.uint32(5), np.uint32(100 + i))
            stream.synchronize()
            assert out.numpy()[0] == 100 + i


def test_a_captured_stream_gets_nodes(module: softrock.Module) -> None:
    out, stream = softrock.zeros(4, "uint32"), softrock.Stream()
    for _ in range(2):
        module.add[1, 64, 0, stream](out, 1, 1.0)
    capture.begin(stream.handle, capture.GLOBAL)
    for _ in range(3):
        module.add[1, 64, 0, stream](out, 1, 10.0)
    graph = capture.end(stream.handle)
    assert (len(graph.nodes), out.numpy()[1]) == (3, 2)
    Executable(graph).launch(stream.handle)
    module.add[1, 64, 0, stream](out, 1, 100.0)
    stream.synchronize()
    assert out.numpy()[1] == 132


def test_other_devices_and_closed_streams(module: softrock.Module, long_ways: list[str]) -> None:
    out = softrock.zeros(4, "uint32")
    stream = softrock.Stream(non_blocking=True)
    for _ in range(2):
        module.add[1, 64](out, 1, 1.0)
        module.add[1, 64, 0, stream](out, 2, 1.0)
    stream.close()
    module.add[1, 64, 0, stream](out, 2, 1.0)  # a closed stream is the default stream
    assert out.numpy().tolist() == [0, 2, 3, 0]
    long_ways.clear()
    softrock.set_device(1)  # its default stream is another one
    module.add[1, 64](out, 1, 1.0)
    softrock.synchronize()
    softrock.set_device(0)
    assert (out.numpy()[1], len(long_ways)) == (3, 1)


def test_printf_and_faults_are_told_each_time(module: softrock.Module, capfd: pytest.CaptureFixture[str]) -> None:
    for i in range(3):
        module.say[1, 1](i)
        softrock.synchronize()
    assert capfd.readouterr().out == "0\n1\n2\n"
    out = softrock.zeros(4, "uint32")
    for _ in range(2):
        module.add[1, 64](out, 1, 1.0)
    module.trap[1, 64]()
    with pytest.raises(HipError):
        softrock.synchronize()
    with pytest.raises(HipError):
        module.add[1, 64](out, 1, 1.0)


def test_several_threads_may_launch_the_same_kernel(module: softrock.Module) -> None:
    out = softrock.zeros(8, "uint32")
    bound = module.add[1, 64]
    bound(out, 7, 1.0)

    def work(place: int) -> None:
        for _ in range(1500):
            bound(out, place, 1.0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert out.numpy().tolist() == [1500] * 4 + [0] * 3 + [1]


def test_arguments_are_laid_out_with_their_gaps() -> None:
    from softrock.hip import quick

    class Function:
        arguments = ((0, 1), (8, 8), (16, 4))

    layout = quick.format_of(Function(), ["B", "Q", "4s"])  # type: ignore[arg-type]
    assert layout is not None
    assert layout.pack(1, 2, b"abcd") == struct.pack("<B7xQ4s", 1, 2, b"abcd")
    assert quick.format_of(Function(), ["B", "I", "4s"]) is None  # type: ignore[arg-type]
