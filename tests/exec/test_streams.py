"""Stores around the caches: launches that write more than caches hold give what smaller ones give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

MakeProgram = Callable[..., Any]

SOURCE = """
#define X __builtin_amdgcn_workitem_id_x()
#define Y __builtin_amdgcn_workitem_id_y()
#define GX __builtin_amdgcn_workgroup_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
KERNEL(256) void twice(u64 skip, const u32 *in, u32 *out) { u64 i = bid * 256 + tid; out[i + skip] = 2 * in[i] + 1; }
KERNEL(256) void add_one(u64 skip, const u32 *in, u32 *out) { u64 i = bid * 256 + tid; out[i + skip] += 1; }
KERNEL(256) void tile(u32 n, const u32 *in, u32 *out) {
    u32 x = GX * 16 + X, y = GY * 16 + Y;
    out[y * n + x] = 3 * in[y * n + x];
}
KERNEL(256) void wide(const u64 *in, u64 *out) { u64 i = bid * 256 + tid; out[i] = in[i] + ((u64)bid << 32); }
"""
ITEMS = 1 << 24
"""64 MiB of dwords."""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_results(program: MakeProgram, target: str) -> None:
    loaded = program(SOURCE, target)
    data = np.random.default_rng(3).integers(0, 1 << 32, ITEMS, np.uint32)
    room = np.empty(ITEMS + 64, np.uint32)
    out = room[-room.ctypes.data % 64 // 4 :][: ITEMS + 16]  # begins with a cache line
    for skip in (0, 1, 13):
        out[:] = 7
        loaded.run("twice", ITEMS // 256, 256, np.uint64(skip), data, out)
        assert (out[:skip] == 7).all()
        assert (out[ITEMS + skip :] == 7).all()
        np.testing.assert_array_equal(out[skip : ITEMS + skip], 2 * data + 1)
        loaded.run("add_one", ITEMS // 256, 256, np.uint64(skip), data, out)
        np.testing.assert_array_equal(out[skip : ITEMS + skip], 2 * data + 2)
    for n in (4096, 4096 + 8):  # rows that are whole lines, and rows that are not
        out[:] = 7
        rows = ITEMS // n // 16 * 16
        loaded.run("tile", (n // 16, rows // 16), (16, 16), np.uint32(n), data, out)
        want = (3 * data[: n * rows]).reshape(rows, n)[:, : n // 16 * 16]
        np.testing.assert_array_equal(out[: n * rows].reshape(rows, n)[:, : n // 16 * 16], want)
    pairs = data.view(np.uint64)
    loaded.run("wide", len(pairs) // 256, 256, pairs, out[:ITEMS])
    block = np.arange(len(pairs), dtype=np.uint64) // 256
    np.testing.assert_array_equal(out[:ITEMS].view(np.uint64), pairs + (block << np.uint64(32)))
