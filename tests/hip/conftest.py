"""A fresh runtime for each test, and a module of small kernels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from softrock.hip import hidden, memory, modules, raw, state, streams

SOURCE = """
typedef unsigned long long u64;
#define K extern "C" __global__ void
#define TID __builtin_amdgcn_workitem_id_x()
#define BID __builtin_amdgcn_workgroup_id_x()
__device__ int counter = 5;
__constant__ float table[4];
K add(int *p, int n, int value) { int i = BID * 64 + TID; if (i < n) p[i] += value; }
K append(u64 *place, int *out, int value) {
    if (TID == 0) { u64 at = __atomic_fetch_add(place, 1ul, __ATOMIC_RELAXED); out[at] = value; } }
K slow(int *p, int rounds) {
    int v = p[TID]; for (int i = 0; i < rounds; i++) v = v * 1664525 + 1013904223; p[TID] = v; }
K mixed(char a, short b, double c, u64 *out, float d) {
    if (TID == 0) { out[0] = a; out[1] = b; out[2] = (u64)c; out[3] = (u64)d; } }
K geometry(unsigned *out) {
    const unsigned *g = (const unsigned *)__builtin_amdgcn_implicitarg_ptr();
    if (TID == 0 && BID == 0) { out[0] = g[0]; out[1] = g[1]; out[2] = g[2];
        const unsigned short *s = (const unsigned short *)(g + 3); for (int i = 0; i < 6; i++) out[3 + i] = s[i]; } }
K store(int *p) { p[TID] = 1; }
K trap() { __builtin_trap(); }
K __attribute__((amdgpu_flat_work_group_size(1, 128))) bounded(int *p) { p[TID] = 1; }
K shared(int *out) {
    extern __shared__ int lds[]; lds[TID] = TID; __builtin_amdgcn_s_barrier(); out[TID] = lds[63 - TID]; }
K forever(volatile int *p) { while (p[0] == 0) {} }
K bump() { counter += 1; }
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two software GPUs and an empty runtime."""
    for name in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "SOFTROCK_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOFTROCK_BACKEND", "software")
    monkeypatch.setenv("SOFTROCK_GPUS", os.environ.get("SOFTROCK_TEST_GPUS", "gfx942:2"))
    state.reset_for_tests()
    hidden.forget()
    yield
    runtime = state.existing()
    if runtime is not None:
        for home in runtime.devices:
            for stream in tuple(home.streams):
                stream.queue.wait(5)
    state.reset_for_tests()
    hidden.forget()


@pytest.fixture
def module(compile_device: Callable[..., bytes]) -> modules.Module:
    """The kernels above on the current device."""
    target = state.current().device.facts.target.partition(":")[0]
    return modules.load_data(compile_device(SOURCE, target), "the test kernels")


class Ints:
    """An array of 32-bit integers in device memory."""

    def __init__(self, values: list[int]) -> None:
        self.count = len(values)
        self.address = memory.malloc(4 * self.count)
        host = raw.Held(b"".join(value.to_bytes(4, "little", signed=value < 0) for value in values))
        memory.memcpy(self.address, host.address, 4 * self.count, memory.HOST_TO_DEVICE)

    def read(self) -> list[int]:
        """Its values now, after all work of the default stream."""
        host = raw.Held(4 * self.count)
        memory.memcpy(host.address, self.address, 4 * self.count, memory.DEVICE_TO_HOST)
        return [raw.get(host.address + 4 * i, "i") for i in range(self.count)]


@pytest.fixture
def ints() -> type[Ints]:
    """Makes arrays of integers in device memory."""
    return Ints


@pytest.fixture
def settle() -> Callable[[], None]:
    """Waits for everything."""
    return streams.synchronize_device
