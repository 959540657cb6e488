"""Aligned 64-bit data are loaded and stored whole, as on the hardware: no workgroup ever sees half of a new value.

Flags with values in one word (as scans with look-back have them) depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

SOURCE = r"""
#define STORE(p, v) __hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define LOAD(p) __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
__device__ u64 both(u32 k) { return (u64)k << 32 | k; }
__device__ bool torn(u64 v) { return (u32)v != (u32)(v >> 32); }

// The first workgroup writes, the other reads until the writer has ended.
#define RACE(NAME, PLACE)                                                   \
    KERNEL(64) void NAME(u64 *slots, u32 *bad, u32 n, u32 lanes) {          \
        u64 *mine = PLACE;                                                  \
        if (tid >= lanes) return;                                           \
        if (bid == 0) {                                                     \
            for (u32 k = 1; k <= n; k++) STORE(mine, both(k));              \
            STORE(mine, ~0ull);                                             \
            return;                                                         \
        }                                                                   \
        u32 wrong = 0;                                                      \
        for (u64 v = 0; v != ~0ull;) { v = LOAD(mine); wrong += torn(v); }  \
        bad[tid] = wrong;                                                   \
    }
RACE(one, slots)
RACE(line, slots + tid)
RACE(scattered, slots + (tid * 37 & 63) * 5)
typedef u64 pair __attribute__((ext_vector_type(2)));
KERNEL(64) void pairs(pair *slots, u32 *bad, u32 n, u32 lanes) {
    volatile pair *mine = slots + (lanes == 1 ? 0 : tid * 37 & 63);
    if (tid >= lanes) return;
    if (bid == 0) {
        for (u32 k = 1; k <= n; k++) *mine = pair{both(k), both(k)};
        *mine = pair{~0ull, ~0ull};
        return;
    }
    u32 wrong = 0;
    for (pair v{}; v.y != ~0ull;) { v = *mine; wrong += torn(v.x) + torn(v.y); }
    bad[tid] = wrong;
}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("lanes", [1, 13, 64])
@pytest.mark.parametrize("kernel", ["one", "scattered", "line", "pairs"])
def test_no_half_is_ever_seen(target: str, lanes: int, kernel: str, program: Callable[..., Any]) -> None:
    loaded = program(SOURCE, target)
    slots, bad = np.zeros(64 * 5, np.uint64), np.full(64, 77, np.uint32)
    loaded.run(kernel, 2, 64, slots, bad, np.uint32(200_000), np.uint32(lanes))
    assert not bad[:lanes].any()
