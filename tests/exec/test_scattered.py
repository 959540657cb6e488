"""Scattered loads and stores of every size, global and local, with lanes side by side or not and some of them off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

LANES = 128
SIZES = {"u8": 1, "u16": 2, "u32": 4, "v2": 8, "v3": 12, "v4": 16}

TYPES = """
typedef u32 v2 __attribute__((ext_vector_type(2)));
typedef u32 v4 __attribute__((ext_vector_type(4)));
struct v3 { u32 a, b, c; };
"""

KERNELS = """
KERNEL(128) void copy_TYPE(const char *in, char *out, const u32 *places, int active) {
    __shared__ char local[128 * 16];
    int i = tid;
    u32 from = places[i], over = places[128 + i], back = places[256 + i], to = places[384 + i];
    if (i < active) *(TYPE *)(local + over) = *(const TYPE *)(in + from);
    sync();
    TYPE got = *(TYPE *)(local + back);
    if (i < active) *(TYPE *)(out + to) = got;
}
// Rows of 32 lanes at a distance that is not their length.
KERNEL(128) void rows_TYPE(const char *in, char *out) {
    __shared__ char local[128 * 48];
    int i = tid, place = i % 32 * 48 + i / 32 * (int)sizeof(TYPE);
    *(TYPE *)(local + place) = *(const TYPE *)(in + place);
    sync();
    *(TYPE *)(out + i * sizeof(TYPE)) = *(TYPE *)(local + (place + 48) % 1536);
}
"""


def orders(rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    """Permutations of the lanes: at random, eights as they are, fours as they are, all as it is, reversed."""
    eights = (rng.permutation(LANES // 8)[:, None] * 8 + np.arange(8)).ravel()
    fours = (rng.permutation(LANES // 4)[:, None] * 4 + np.arange(4)).ravel()
    return [rng.permutation(LANES), eights, fours, np.arange(LANES), np.arange(LANES)[::-1]]


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_scattered_lanes(program: Callable[..., Any], target: str) -> None:
    rng = np.random.default_rng(11)
    made = program(TYPES + "".join(KERNELS.replace("TYPE", kind) for kind in SIZES), target, ["-O3"])
    for kind, size in SIZES.items():
        for order in orders(rng):
            for active in (LANES, 77):
                data = rng.integers(0, 256, LANES * size, np.uint8)
                used = [order, rng.permutation(LANES), order[::-1], order]
                if active < LANES:  # lanes only meet what active lanes wrote
                    used[2] = used[1]
                places = np.concatenate(used).astype(np.uint32) * np.uint32(size)
                out = np.full(LANES * size, 0xEE, np.uint8)
                made.run(f"copy_{kind}", 1, LANES, data, out, places, np.int32(active))
                local = np.zeros((LANES, size), np.uint8)
                want = np.full((LANES, size), 0xEE, np.uint8)
                for i in range(active):
                    local[used[1][i]] = data.reshape(LANES, size)[used[0][i]]
                for i in range(active):
                    want[used[3][i]] = local[used[2][i]]
                np.testing.assert_array_equal(out.reshape(LANES, size), want, err_msg=f"{kind} {active}")


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_rows(program: Callable[..., Any], target: str) -> None:
    rng = np.random.default_rng(12)
    made = program(TYPES + "".join(KERNELS.replace("TYPE", kind) for kind in SIZES), target, ["-O3"])
    lane = np.arange(LANES)
    for kind, size in SIZES.items():
        data = rng.integers(0, 256, 32 * 48 + 4 * size, np.uint8)
        out = np.zeros(LANES * size, np.uint8)
        made.run(f"rows_{kind}", 1, LANES, data, out)
        written = np.zeros(128 * 48, np.uint8)
        place = lane % 32 * 48 + lane // 32 * size
        for at in place:
            written[at : at + size] = data[at : at + size]
        want = np.concatenate([written[at : at + size] for at in (place + 48) % 1536])
        np.testing.assert_array_equal(out, want, err_msg=kind)


TWICE = """
typedef u32 v2 __attribute__((ext_vector_type(2)));
KERNEL(128) void twice(const v2 *in, v2 *out, const u32 *places) {
    __shared__ v2 local[384];
    for (int k = 0; k < 3; k++) local[128 * k + tid] = in[128 * k + tid];
    sync();
    u32 at = places[tid];
    out[tid] = local[at + 7];
    out[128 + tid] = local[at + 200];
}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_two_places_of_one_offset(program: Callable[..., Any], target: str) -> None:
    rng = np.random.default_rng(13)
    data = rng.integers(0, 1 << 32, (384, 2), np.uint32)
    made = program(TWICE, target, ["-O3"])
    for order in orders(rng):
        out = np.zeros((256, 2), np.uint32)
        made.run("twice", 1, LANES, data, out, order.astype(np.uint32))
        np.testing.assert_array_equal(out, np.concatenate([data[order + 7], data[order + 200]]))


def test_a_loop_that_looks_ahead(program: Callable[..., Any]) -> None:
    """Rows of four lanes at growing addresses; the last step would lead past the end of the array."""
    source = """
typedef u32 v4 __attribute__((ext_vector_type(4)));
KERNEL(64) void walk(const v4 *in, v4 *out, const u32 *rows, int steps) {
    v4 sum = 0;
    for (int k = 0; k < steps; k++) sum += in[rows[tid / 4] * 4 * steps + 4 * k + tid % 4];
    out[tid] = sum;
}
"""
    rng = np.random.default_rng(14)
    steps = 9
    data = rng.integers(0, 1 << 16, (16, steps, 4, 4), np.uint32)
    rows = rng.permutation(16).astype(np.uint32)
    out = np.zeros((16, 4, 4), np.uint32)
    program(source, "gfx942", ["-O3"]).run("walk", 1, 64, data, out, rows, np.int32(steps))
    np.testing.assert_array_equal(out, data.sum(1, dtype=np.uint32)[rows])


def test_halves_of_a_wave_that_load_the_same(program: Callable[..., Any]) -> None:
    source = """
typedef u32 v4 __attribute__((ext_vector_type(4)));
KERNEL(32) void twins(const v4 *in, v4 *out, const u32 *places) {
    __shared__ v4 local[64];
    local[tid] = in[tid], local[32 + tid] = in[32 + tid];
    sync();
    out[tid] = local[places[tid]];
}
"""
    rng = np.random.default_rng(15)
    data = rng.integers(0, 1 << 32, (64, 4), np.uint32)
    made = program(source, "gfx1100", ["-O3"])
    lower = rng.permutation(64)[:16]
    for places in (np.tile(lower, 2), np.concatenate([lower, lower[::-1]]), np.append(np.tile(lower, 2)[:31], 5)):
        out = np.zeros((32, 4), np.uint32)
        made.run("twins", 1, 32, data, out, places.astype(np.uint32))
        np.testing.assert_array_equal(out, data[places])
