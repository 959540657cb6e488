"""Kernels in many small pieces give what they give as one function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import DeviceFault
from softrock.lift import pieces

SOURCE = """
__device__ __attribute__((noinline)) u32 collatz(u32 n) {
    u32 k = 0;
    while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; k++; }
    return k;
}
KERNEL(256) void mixed(u32 *out, const float *in, u32 n) {
    __shared__ float tile[256];
    u32 i = bid * 256 + tid;
    float sum = 0;
    for (u32 round = 0; round < n; round++) {
        tile[tid] = in[(i + round * 37) & 1023];
        sync();
        for (u32 step = 128; step; step >>= 1) { if (tid < step) tile[tid] += tile[tid + step] * 0.5f; sync(); }
        sum += tile[tid & 15] * (round + 1);
        sync();
    }
    double wide = sum;
    if (i % 3 == 0) wide = wide * 1.25 + collatz(i + 1);
    else if (i % 5 == 0) { u32 k = i; do { wide -= k; k = k * 7 % 13; } while (k > 3); }
    out[i] = (u32)(long long)(wide * 16) ^ __builtin_bitreverse32(i);
}
KERNEL(64) void straight(u32 *out) {
    u32 a = tid, b = bid + 7;
#pragma unroll
    for (int k = 0; k < 120; k++) { a += b << (k % 13) ^ k * 0x9e3779b9u; b = __builtin_rotateleft32(b, 5) + (a & b); }
    out[bid * 64 + tid] = a ^ b;
}
KERNEL(64) void wild(u32 *out, u32 n) {
    for (u32 k = 0; k < n; k++) out[((unsigned long long)k << 33) + tid] = k;
}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("size", [6, 50])
def test_pieces_give_the_same(
    target: str, level: str, size: int, program: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(1).uniform(-4, 4, 1024).astype(np.float32)

    def results() -> tuple[bytes, bytes]:
        loaded = program(SOURCE, target, [level])
        one, two = np.zeros(1024, np.uint32), np.zeros(256, np.uint32)
        loaded.run("mixed", 4, 256, one, values, np.uint32(5))
        loaded.run("straight", 4, 64, two)
        return one.tobytes(), two.tobytes()

    whole = results()
    cut: list[int] = []
    real = pieces.cut
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path))  # entries do not depend on where large functions are cut
    monkeypatch.setenv("SOFTROCK_TIER", "full")
    monkeypatch.setattr(pieces, "ABOVE", 0)
    monkeypatch.setattr(pieces, "SIZE", size)

    def counted(*given: Any) -> Any:
        made = real(*given)
        cut.append(len(made))
        return made

    monkeypatch.setattr(pieces, "cut", counted)
    assert results() == whole
    assert len(cut) >= 2
    assert max(cut) > 3


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_a_fault_in_a_piece_is_reported(
    target: str, program: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(pieces, "ABOVE", 0)
    monkeypatch.setattr(pieces, "SIZE", 4)
    out = np.zeros(64, np.uint32)
    with pytest.raises(DeviceFault, match=r"write to address 0x\w+ in kernel wild, workgroup \(0, 0, 0\), wave 0"):
        program(SOURCE, target).run("wild", 1, 64, out, np.uint32(1 << 12))
