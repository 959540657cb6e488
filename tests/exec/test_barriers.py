
"""Kernels whose waves have nothing to do between some barriers: they may put these off, end early, or come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import DeviceFault

TARGETS = ("gfx942", "gfx1100")
MakeProgram = Callable[..., Any]
GROUPS = 50


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unroll", ["unroll", "nounroll"])
@pytest.mark.parametrize("opt", ["-O3", "-O0"])
def test_tree(program: MakeProgram, rng: np.random.Generator, target: str, unroll: str, opt: str) -> None:
    source = f"""KERNEL(256) void tree(const u32 *in, u32 *out) {{
        __shared__ u32 part[256]; u32 t = tid;
        part[t] = in[bid * 256 + t]; sync();
        #pragma {unroll}
        for (u32 step = 128; step; step /= 2) {{ if (t < step) part[t] += part[t + step]; sync(); }}
        if (t == 0) out[bid] = part[0]; }}"""
    values = rng.integers(0, 1 << 32, (GROUPS, 256), np.uint32)
    out = np.zeros(GROUPS, np.uint32)
    program(source, target, [opt]).run("tree", GROUPS, 256, values, out)
    np.testing.assert_array_equal(out, values.sum(axis=1, dtype=np.uint32))


@pytest.mark.parametrize("target", TARGETS)
def test_waves_that_come_back(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    # Up a tree and down again: a wave idles for several barriers, works, and idles before its end.
    source = """KERNEL(256) void scan(const u32 *in, u32 *out) {
        __shared__ u32 part[512]; u32 t = tid, at = 1;
        part[t] = in[bid * 512 + t]; part[t + 256] = in[bid * 512 + 256 + t];
        for (u32 d = 256; d; d /= 2) {
            sync(); if (t < d) part[at * (2 * t + 2) - 1] += part[at * (2 * t + 1) - 1]; at *= 2; }
        if (t == 0) part[511] = 0;
        for (u32 d = 1; d < 512; d *= 2) {
            at /= 2; sync();
            if (t < d) { u32 low = at * (2 * t + 1) - 1, high = at * (2 * t + 2) - 1, old = part[low];
                         part[low] = part[high]; part[high] += old; } }
        sync();
        if (t < 96) out[bid * 96 + t] = part[4 * t + 3]; }"""
    values = rng.integers(0, 1 << 32, (GROUPS, 512), np.uint32)
    out = np.zeros((GROUPS, 96), np.uint32)
    program(source, target).run("scan", GROUPS, 256, values, out)
    sums = np.cumsum(values, axis=1, dtype=np.uint32) - values
    np.testing.assert_array_equal(out, sums[:, 3:384:4])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("pick", [0, 3, 5, 200])
def test_any_wave_may_be_the_last(program: MakeProgram, target: str, pick: int) -> None:
    # Rounds in each of which one wave works, in an order that only the arguments tell; `pick` of them write at the end.
    source = """KERNEL(256) void rounds(const u32 *order, u32 count, u32 pick, u32 *out) {
        __shared__ u32 list[64]; __shared__ u32 length; u32 t = tid;
        if (t == 0) length = 0;
        sync();
        for (u32 r = 0; r < count; r++) {
            if (t / 32 == order[r]) { if (t % 32 == 0) list[length] = t / 32 + r; }
            sync();
            if (t == 0) length++;
            sync(); }
        if (t >= pick && t < pick + count) out[bid * count + t - pick] = list[t - pick]; }"""
    order = np.array([3, 7, 7, 0, 5, 1, 2, 6, 4, 0, 3], np.uint32)
    out = np.zeros((GROUPS, len(order)), np.uint32)
    program(source, target).run("rounds", GROUPS, 256, order, np.uint32(len(order)), np.uint32(pick), out)
    expected = np.tile(order + np.arange(len(order), dtype=np.uint32), (GROUPS, 1))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("target", TARGETS)
def test_a_barrier_in_a_called_function(program: MakeProgram, rng: np.random.Generator, target: str) -> None:
    source = """__attribute__((noinline)) __device__ u32 both(u32 *part, u32 t, u32 step) {
            u32 got = 0;
            if (t < step) got = part[t + step];
            sync();
            if (t < step) part[t] += got;
            sync();
            return got; }
        KERNEL(128) void tree(const u32 *in, u32 *out) {
            __shared__ u32 part[128]; u32 t = tid, sum = 0;
            part[t] = in[bid * 128 + t]; sync();
            #pragma nounroll
            for (u32 step = 64; step; step /= 2) sum += both(part, t, step);
            sync(); sync();
            if (t < 2) out[bid * 2 + t] = t ? sum : part[0]; }"""
    values = rng.integers(0, 1 << 32, (GROUPS, 128), np.uint32)
    out = np.zeros((GROUPS, 2), np.uint32)
    program(source, target).run("tree", GROUPS, 128, values, out)
    np.testing.assert_array_equal(out[:, 0], values.sum(axis=1, dtype=np.uint32))
    part, sums = values.copy(), np.zeros(GROUPS, np.uint32)
    for step in (64, 32, 16, 8, 4, 2, 1):
        sums += part[:, 1 + step] if step > 1 else np.uint32(0)
        part[:, :step] += part[:, step : 2 * step].copy()
    np.testing.assert_array_equal(out[:, 1], sums)


@pytest.mark.parametrize("target", TARGETS)
def test_a_fault_behind_barriers_that_were_put_off(program: MakeProgram, target: str) -> None:
    source = """KERNEL(256) void bad(u32 *out, u32 *nowhere) {
        __shared__ u32 part[256]; u32 t = tid;
        part[t] = t; sync();
        if (t < 64) part[t] += part[t + 64];
        sync();
        if (t >= 192) *nowhere = part[t - 192];
        sync();
        if (t == 0) out[bid] = part[0]; }"""
    out = np.zeros(GROUPS, np.uint32)
    with pytest.raises(DeviceFault) as caught:
        program(source, target).run("bad", GROUPS, 256, out, np.uint64(0x1230))
    assert "0x1230" in str(caught.value)


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_but_barriers(program: MakeProgram, target: str) -> None:
    source = """KERNEL(256) void idle(u32 n) {
        #pragma nounroll
        for (u32 i = 0; i < n; i++) __builtin_amdgcn_s_barrier(); }"""
    ready = program(source, target).run("idle", GROUPS, 256, np.uint32(1000))
    assert not ready.fibers  # no wave ever waits
