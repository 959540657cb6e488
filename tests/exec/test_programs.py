# ruff: noqa: E501 -- kernels stand here as C text
"""Whole kernels, compiled by clang and run on the software GPU, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

TARGETS = ("gfx942", "gfx1100")
MakeProgram = Callable[..., Any]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_saxpy_with_a_partial_last_wave(program: MakeProgram, rng: np.random.Generator, target: str, opt: str) -> None:
    n = 1000
    x, y = rng.random(n, np.float32), rng.random(n + 24, np.float32)
    expected = y.copy()
    expected[:n] += np.float32(2.0) * x
    source = """KERNEL(256) void saxpy(int n, float a, const float *x, float *y) {
        int i = bid * 256 + tid; if (i < n) y[i] = a * x[i] + y[i]; }"""
    program(source, target, [opt, "-ffp-contract=off"]).run("saxpy", 4, 256, np.int32(n), np.float32(2), x, y)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_private_arrays_with_dynamic_index(program: MakeProgram, rng: np.random.Generator, target: str, opt: str) -> None:
    source = """KERNEL(256) void perm(const u32 *in, u32 *out) {
        u32 a[32]; int i = bid * 256 + tid;
        #pragma nounroll
        for (int k = 0; k < 32; k++) a[k] = in[(i + k) & 1023];
        #pragma nounroll
        for (int k = 0; k < 32; k++) a[(a[k] + k) & 31] += a[(k + 7) & 31];
        u32 s = 0;
        #pragma nounroll
        for (int k = 0; k < 32; k++) s = s * 31 + a[(in[i & 1023] + k) & 31];
        out[i] = s; }"""
    values = rng.integers(0, 1 << 32, 1024, np.uint32)
    out = np.zeros(512, np.uint32)
    program(source, target, [opt]).run("perm", 2, 256, values, out)
    expected = []
    for i in range(512):
        a = [int(values[(i + k) & 1023]) for k in range(32)]
        for k in range(32):
            at = (a[k] + k) & 31
            a[at] = (a[at] + a[(k + 7) & 31]) & 0xFFFFFFFF
        s = 0
        for k in range(32):
            s = (s * 31 + a[(int(values[i & 1023]) + k) & 31]) & 0xFFFFFFFF
        expected.append(s)
    np.testing.assert_array_equal(out, np.array(expected, np.uint32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_bytes_and_shorts_in_private_memory(program: MakeProgram, rng: np.random.Generator, target: str, opt: str) -> None:
    source = """KERNEL(64) void shuffle(const u8 *in, u8 *out) {
        u8 a[16]; u16 b[8];
        for (int k = 0; k < 16; k++) a[k] = in[tid * 16 + k];
        for (int k = 0; k < 8; k++) b[k] = a[in[tid] + k & 15] << 8 | a[(k * 5 + tid) & 15];
        for (int k = 0; k < 8; k++) { u16 v = b[(k + in[tid * 2]) & 7]; out[tid * 16 + 2 * k] = v; out[tid * 16 + 2 * k + 1] = v >> 8; } }"""
    data = rng.integers(0, 256, 1024, np.uint8)
    out = np.zeros(1024, np.uint8)
    program(source, target, [opt]).run("shuffle", 1, 64, data, out)
    for lane in range(64):
        a = data[lane * 16 : lane * 16 + 16].astype(int)
        b = [(a[(int(data[lane]) + k) & 15] << 8) | a[(k * 5 + lane) & 15] for k in range(8)]
        for k in range(8):
            v = b[(k + int(data[lane * 2])) & 7]
            assert out[lane * 16 + 2 * k] == v & 255
            assert out[lane * 16 + 2 * k + 1] == v >> 8


@pytest.mark.parametrize("target", TARGETS)
def test_generic_pointers_mix_private_shared_and_global(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """__device__ __attribute__((noinline)) u32 sum(const u32 *p, int n) { u32 s = 0; for (int k = 0; k < n; k++) s = s * 3 + p[k]; return s; }
    __device__ __attribute__((noinline)) void put(u32 *p, u32 v) { p[0] = v; p[1] = v ^ 0xffff; }
    KERNEL(64) void mix(const u32 *in, u32 *out) {
        __shared__ u32 sh[64 * 4]; u32 pr[4];
        for (int k = 0; k < 4; k++) { sh[tid * 4 + k] = in[tid * 4 + k] + 1; pr[k] = in[tid * 4 + k] + 2; }
        sync();
        const u32 *p = tid % 3 == 0 ? (const u32 *)&sh[tid * 4] : tid % 3 == 1 ? (const u32 *)pr : &in[tid * 4];
        u32 s = sum(p, 4);
        u32 *q = tid & 1 ? pr : &sh[tid * 4];
        put(q, s);
        out[tid] = (tid & 1 ? pr[0] + pr[1] : sh[tid * 4] + sh[tid * 4 + 1]) + s; }"""
    data = rng.integers(0, 1 << 32, 256, np.uint32)
    out = np.zeros(64, np.uint32)
    program(source, target).run("mix", 1, 64, data, out)
    for lane in range(64):
        s = 0
        for k in range(4):
            s = (s * 3 + int(data[lane * 4 + k]) + (1, 2, 0)[lane % 3]) & 0xFFFFFFFF
        assert out[lane] == (s + (s ^ 0xFFFF) + s) & 0xFFFFFFFF


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_function_pointers_and_recursion(program: MakeProgram, target: str, opt: str) -> None:
    source = """typedef u32 (*fn)(u32);
    __device__ __attribute__((noinline)) u32 twice(u32 v) { return 2 * v; }
    __device__ __attribute__((noinline)) u32 square(u32 v) { return v * v; }
    __device__ __attribute__((noinline)) u32 fib(u32 v) { return v < 2 ? v : fib(v - 1) + fib(v - 2); }
    __device__ fn table[3] = {twice, square, fib};
    KERNEL(64) void pick(u32 *out) { out[tid] = table[tid % 3](tid % 11); }"""
    out = np.zeros(64, np.uint32)
    program(source, target, [opt]).run("pick", 1, 64, out)
    fib = [0, 1]
    while len(fib) < 12:
        fib.append(fib[-1] + fib[-2])
    expected = [(2 * (i % 11), (i % 11) ** 2, fib[i % 11])[i % 3] for i in range(64)]
    np.testing.assert_array_equal(out, np.array(expected, np.uint32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_tree_reduction_in_local_memory(program: MakeProgram, rng: np.random.Generator, target: str, opt: str) -> None:
    source = """KERNEL(256) void reduce(const float *in, float *out) {
        __shared__ float s[256]; int t = tid; s[t] = in[bid * 256 + t]; sync();
        for (int o = 128; o; o >>= 1) { if (t < o) s[t] += s[t + o]; sync(); }
        if (t == 0) out[bid] = s[0]; }"""
    data = rng.random(256 * 33, np.float32)
    out = np.zeros(33, np.float32)
    program(source, target, [opt]).run("reduce", 33, 256, data, out)
    np.testing.assert_allclose(out, data.reshape(33, 256).sum(1), rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_atomics_on_global_and_local_memory(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """#define RLX __ATOMIC_RELAXED
    #define ADD(p, v) __hip_atomic_fetch_add(p, v, RLX, __HIP_MEMORY_SCOPE_AGENT)
    KERNEL(256) void histogram(const u8 *in, int n, u32 *bins, u64 *total, float *fsum, int *lo, u32 *hi, u32 *cas, double *dsum) {
        __shared__ u32 local[256];
        local[tid] = 0; sync();
        for (int i = bid * 256 + tid; i < n; i += 256 * 8) {
            u8 v = in[i];
            __hip_atomic_fetch_add(&local[v], 1u, RLX, __HIP_MEMORY_SCOPE_WORKGROUP);
            ADD(total, (u64)v); ADD(fsum, 1.0f); ADD(dsum, 0.5);
            __hip_atomic_fetch_min(lo, -(int)v, RLX, __HIP_MEMORY_SCOPE_AGENT);
            __hip_atomic_fetch_max(hi, (u32)v << 16, RLX, __HIP_MEMORY_SCOPE_AGENT);
            u32 old = *(volatile u32 *)cas, seen;
            do { seen = old; __hip_atomic_compare_exchange_strong(cas, &old, seen + v, RLX, RLX, __HIP_MEMORY_SCOPE_AGENT); } while (old != seen);
        }
        sync();
        ADD(&bins[tid], local[tid]); }"""
    data = rng.integers(0, 256, 5000, np.uint8)
    bins, total, fsum = np.zeros(256, np.uint32), np.zeros(1, np.uint64), np.zeros(1, np.float32)
    lo, hi, cas, dsum = np.zeros(1, np.int32), np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.zeros(1)
    program(source, target).run("histogram", 8, 256, data, np.int32(5000), bins, total, fsum, lo, hi, cas, dsum)
    np.testing.assert_array_equal(bins, np.bincount(data, minlength=256))
    assert total[0] == cas[0] == data.sum(dtype=np.uint64)
    assert fsum[0] == 5000
    assert dsum[0] == 2500
    assert lo[0] == -int(data.max())
    assert hi[0] == int(data.max()) << 16


@pytest.mark.parametrize("target", TARGETS)
def test_waves_waiting_for_one_another_make_progress(program: MakeProgram, target: str) -> None:
    source = """KERNEL(256) void ring(u32 *out) {
        __shared__ u32 turn; u32 wave = tid / __builtin_amdgcn_wavefrontsize();
        if (tid == 0) turn = 0; sync();
        u32 last = 256 / __builtin_amdgcn_wavefrontsize() - 1, mine = last - wave;
        while (__hip_atomic_load(&turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) != mine) __builtin_amdgcn_s_sleep(1);
        out[tid] = mine;
        __hip_atomic_store(&turn, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP); }"""
    out = np.zeros(256, np.uint32)
    program(source, target).run("ring", 1, 256, out)
    lanes = 64 if target == "gfx942" else 32
    np.testing.assert_array_equal(out, [256 // lanes - 1 - i // lanes for i in range(256)])


@pytest.mark.parametrize("target", TARGETS)
def test_sixty_four_bit_integers(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """KERNEL(64) void wide(const long long *a, const long long *b, long long *out) {
        int i = bid * 64 + tid; long long x = a[i], y = b[i]; u64 ux = x, uy = y;
        out[i * 8] = x / y; out[i * 8 + 1] = x % y; out[i * 8 + 2] = ux / uy; out[i * 8 + 3] = ux % uy;
        out[i * 8 + 4] = x * y; out[i * 8 + 5] = x >> (y & 63); out[i * 8 + 6] = ux >> (y & 63); out[i * 8 + 7] = x << (y & 63); }"""
    a = rng.integers(-(1 << 63), 1 << 63, 128, np.int64)
    b = rng.integers(-(1 << 63), 1 << 63, 128, np.int64) >> rng.integers(0, 62, 128)
    b[b == 0] = 3
    out = np.zeros(1024, np.int64)
    program(source, target).run("wide", 2, 64, a, b, out)
    mask = (1 << 64) - 1
    for i in range(128):
        x, y = int(a[i]), int(b[i])
        ux, uy = x & mask, y & mask
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        expected = [quotient, x - quotient * y, ux // uy, ux % uy, x * y, x >> (y & 63), ux >> (y & 63), x << (y & 63)]
        assert [int(v) & mask for v in out[i * 8 : i * 8 + 8]] == [e & mask for e in expected]


@pytest.mark.parametrize("target", TARGETS)
def test_strided_and_gathered_accesses(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """struct quad { float x, y, z, w; }; struct tri { float x, y, z; }; struct duo { float x, y; };
    KERNEL(64) void walk(const u32 *at, const quad *q, const tri *t, const duo *d, const u16 *h, quad *oq, tri *ot, duo *od, u16 *oh, int n) {
        int i = bid * 64 + tid; if (i >= n) return;
        u32 k = at[i]; oq[i] = q[k]; ot[k] = t[i]; od[n - 1 - i] = d[k]; oh[k] = h[i] + 1; }"""
    n = 300
    at = rng.permutation(n).astype(np.uint32)
    q, t, d = (rng.random((n, w), np.float32) for w in (4, 3, 2))
    h = rng.integers(0, 60000, n, np.uint16)
    oq, ot, od, oh = np.zeros_like(q), np.zeros_like(t), np.zeros_like(d), np.zeros_like(h)
    program(source, target).run("walk", 5, 64, at, q, t, d, h, oq, ot, od, oh, np.int32(n))
    np.testing.assert_array_equal(oq, q[at])
    np.testing.assert_array_equal(ot[at], t)
    np.testing.assert_array_equal(od[::-1], d[at])
    np.testing.assert_array_equal(oh[at], h + 1)


def test_loads_straight_to_local_memory(program: MakeProgram, rng: np.random.Generator) -> None:
    source = """KERNEL(64) void direct(const u32 *in, u32 *out) {
        __shared__ u32 s[128];
        __builtin_amdgcn_global_load_lds((__attribute__((address_space(1))) void *)(in + (tid ^ 5)),
                                         (__attribute__((address_space(3))) void *)(s + 64), 4, 0, 0);
        sync();
        out[tid] = s[64 + tid]; }"""
    data = rng.integers(0, 1 << 32, 64, np.uint32)
    out = np.zeros(64, np.uint32)
    program(source, "gfx942").run("direct", 1, 64, data, out)
    np.testing.assert_array_equal(out, data[np.arange(64) ^ 5])


@pytest.mark.parametrize("target", TARGETS)
def test_buffers_check_their_range(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """KERNEL(64) void bounded(u32 *in, u32 *out, u32 bytes) {
        __amdgpu_buffer_rsrc_t r = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, FLAGS);
        __amdgpu_buffer_rsrc_t w = __builtin_amdgcn_make_buffer_rsrc(out, 0, bytes, FLAGS);
        u32 v = __builtin_amdgcn_raw_buffer_load_b32(r, tid * 8, 0, 0);
        __builtin_amdgcn_raw_buffer_store_b32(v + 1, w, tid * 4, 0, 0); }"""
    flags = "-DFLAGS=0x27000" if target == "gfx942" else "-DFLAGS=0x31004000"
    data = rng.integers(0, 1 << 31, 128, np.uint32)
    out = np.full(64, 7, np.uint32)
    program(source, target, [flags]).run("bounded", 1, 64, data, out, np.uint32(160))
    expected = np.where(np.arange(64) * 8 < 160, data[::2], 0) + 1
    expected[40:] = 7
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shift", [0, 1])
def test_gathered_half_words_and_bytes(program: MakeProgram, rng: np.random.Generator, target: str, shift: int) -> None:
    source = """struct __attribute__((packed, aligned(1))) half { u16 v; };
    KERNEL(64) void pick(const u32 *at, const u8 *bytes, u32 *out) {
        out[tid] = ((const half *)(bytes + 2 * at[tid]))->v | (u32)bytes[at[tid + 64]] << 16; }"""
    at = rng.integers(0, 500, 128, np.uint32)
    data = rng.integers(0, 256, 1003, np.uint8)
    out = np.zeros(64, np.uint32)
    view = np.ascontiguousarray(data)[shift:]
    program(source, target).run("pick", 1, 64, at, view, out)
    low = view[2 * at[:64]].astype(np.uint32) | view[2 * at[:64] + 1].astype(np.uint32) << 8
    np.testing.assert_array_equal(out, low | view[at[64:]].astype(np.uint32) << 16)


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_scratch_through_a_buffer_descriptor(program: MakeProgram, rng: np.random.Generator, opt: str) -> None:
    """gfx90a's code reaches private memory through the descriptor the wave starts with, not by scratch instructions."""
    source = """__attribute__((noinline)) __device__ u32 walk(u32 start, u32 steps) {
        u8 way[40]; u32 order[16];
        for (u32 i = 0; i < 40; i++) way[i] = (u8)(start * 7 + i);
        for (u32 i = 0; i < 16; i++) order[i] = start + i * steps;
        return order[start & 15] * 1000 + way[steps % 40]; }
    __attribute__((noinline)) __device__ void put(u32 *where, u32 value) { *where = value; }
    KERNEL(128) void spread(u32 *in, u32 *out) {
        u32 table[20];
        for (u32 i = 0; i < 20; i++) table[i] = in[tid] * i;
        put(&table[in[tid] % 20], tid);
        u32 got = (in[tid] & 1) ? walk(in[tid], tid) : walk(tid, in[tid]);
        out[tid] = got + table[(in[tid] + tid % 2) % 20]; }"""
    data = rng.integers(0, 200, 128, np.uint32)
    out = np.zeros(128, np.uint32)
    program(source, "gfx90a", [opt]).run("spread", 1, 128, data, out)
    for t, number in enumerate(int(n) for n in data):
        start, steps = (number, t) if number & 1 else (t, number)
        walked = (start + (start & 15) * steps) * 1000 + (start * 7 + steps % 40) % 256
        at = (number + t % 2) % 20
        assert out[t] == walked + (t if at == number % 20 else number * at), t
