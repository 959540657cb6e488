"""The Python API as a user meets it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import softrock
from softrock.core.errors import CompileError, SoftrockError, UsageError

SAXPY = """
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
__global__ void scale(float *x, float s, short n) { if (threadIdx.x < n) x[threadIdx.x] *= s; }
template <typename T> __global__ void put(T *x, T v) { x[threadIdx.x] = v; }
template __global__ void put(double *, double);
template __global__ void put(int *, int);
__device__ int counter[4] = {1, 2, 3, 4};
extern "C" __global__ void count() { counter[threadIdx.x] += 10; }
extern "C" __global__ void sum(const int *in, int *out) {
    extern __shared__ int part[];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) { int s = 0; for (int k = 0; k < blockDim.x; k++) s += part[k]; *out = s; }
}
"""


@pytest.fixture(scope="module")
def module() -> softrock.Module:
    return softrock.compile(SAXPY)


def test_numpy_arrays_are_used_in_place(module: softrock.Module) -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    module.saxpy[4, 256](np.int32(1000), np.float32(2), x, y)
    np.testing.assert_array_equal(y, 2 * np.arange(1000, dtype=np.float32) + 1)


def test_own_arrays_and_dlpack(module: softrock.Module) -> None:
    x, y = softrock.array(np.ones(100, np.float32)), softrock.zeros(100)
    module.saxpy[1, 128](np.int32(100), np.float32(3), x, y)
    np.testing.assert_array_equal(np.from_dlpack(y), np.full(100, 3, np.float32))
    np.testing.assert_array_equal(y.numpy(), np.full(100, 3, np.float32))
    shared = softrock.from_dlpack(np.zeros((2, 3), np.int32))
    assert shared.shape == (2, 3)
    assert y.__cuda_array_interface__["typestr"] == "<f4"
    assert repr(y).startswith("softrock.Array(shape=(100,)")


def test_python_numbers_where_the_type_is_known(module: softrock.Module) -> None:
    x = np.ones(64, np.float32)
    module.scale[1, 64](x, 2.5, 10)
    np.testing.assert_array_equal(x, [2.5] * 10 + [1] * 54)
    with pytest.raises(UsageError, match="is not known"):
        module.saxpy[1, 64](1, 2.0, x, x)
    with pytest.raises(UsageError, match="does not fit"):
        module.scale[1, 64](x, 2.5, 1 << 20)
    with pytest.raises(UsageError, match="is a float"):
        module.scale[1, 64](x, 2.5, 1.5)


def test_kernels_by_name(module: softrock.Module) -> None:
    assert "saxpy" in module.kernels
    with pytest.raises(UsageError, match="several kernels are called put"):
        module["put"]
    with pytest.raises(AttributeError, match="there is no kernel nothing"):
        _ = module.nothing
    values = np.zeros(4)
    module["_Z3putIdEvPT_S0_"][1, 4](values, np.float64(7))
    np.testing.assert_array_equal(values, [7, 7, 7, 7])


def test_global_variables(module: softrock.Module) -> None:
    module.count[1, 4]()
    np.testing.assert_array_equal(module.symbol("counter", "int32").numpy(), [11, 12, 13, 14])
    with pytest.raises(UsageError, match="no global variable"):
        module.symbol("missing")


def test_dynamic_shared_memory_and_streams(module: softrock.Module) -> None:
    out = softrock.zeros(1, "int32")
    with softrock.Stream() as stream:
        start, end = softrock.Event(), softrock.Event()
        start.record(stream)
        module["sum"][1, 64, 256, stream](softrock.array(np.arange(64, dtype=np.int32)), out)
        end.record(stream)
        end.synchronize()
        assert end.elapsed_since(start) >= 0
    assert out.numpy()[0] == 63 * 32


def test_wrong_arguments_are_refused(module: softrock.Module) -> None:
    x = np.ones(64, np.float32)
    with pytest.raises(UsageError, match="takes 4 arguments, 1 were given"):
        module.saxpy[1, 64](x)
    with pytest.raises(UsageError, match="takes 4 bytes, 8 were given"):
        module.saxpy[1, 64](np.int64(1), np.float32(1), x, x)
    with pytest.raises(UsageError, match="cannot stand for"):
        module.saxpy[1, 64](np.int32(1), np.float32(1), "x", x)
    with pytest.raises(UsageError, match="not contiguous"):
        module.saxpy[1, 64](np.int32(1), np.float32(1), x[::2], x)
    with pytest.raises(UsageError, match="grid"):
        module.saxpy[0, 64](np.int32(1), np.float32(1), x, x)
    with pytest.raises(SoftrockError, match="2048 threads"):
        module.saxpy[1, 2048](np.int32(1), np.float32(1), x, x)


def test_compile_errors_show_the_compilers_message() -> None:
    with pytest.raises(CompileError, match=r"mine\.hip:1:\d+: error: .*undeclared"):
        softrock.compile("__global__ void k() { foo(); }", name="mine.hip")


def test_cuda_semantics_on_request() -> None:
    module = softrock.compile(
        """extern "C" __global__ void ballot(unsigned *out) {
            out[threadIdx.x] = __ballot_sync(~0u, threadIdx.x & 1) + warpSize; }""",
        cuda=True,
    )
    out = np.zeros(64, np.uint32)
    module.ballot[1, 64](out)
    np.testing.assert_array_equal(out, np.full(64, 0xAAAAAAAA + 32, np.uint32))


def test_devices_are_named_as_software() -> None:
    first = softrock.devices()[0]
    assert first.name.endswith("(software)")
    assert first.backend == "software"
    assert first.warp_size in (32, 64)


def test_a_fault_that_was_caught_does_not_decide_the_exit_status() -> None:
    """The C library, loaded into the same Python, forces the status of native programs only."""
    program = """
import ctypes, softrock
from softrock import abi
library = ctypes.CDLL(str(abi.library_dir() / "libamdhip64.so.7"))
assert library.hipGetDeviceCount(ctypes.byref(ctypes.c_int())) == 0
module = softrock.compile('extern "C" __global__ void k(int *p) { p[threadIdx.x] = 1; }')
try:
    module.k[1, 64](None)
    softrock.synchronize()
except softrock.SoftrockError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert "hipErrorIllegalAddress" in done.stdout
    assert done.returncode == 0
