# mypy: ignore-errors
"""Triton's kernels: fp16 matrix product, flash attention."""

import os

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 warns where it is unset

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left = a + rows[:, None] * n + k[None, :]
    right = b + k[:, None] * n + cols[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, n, BK):
        acc = tl.dot(tl.load(left), tl.load(right), acc)
        left += BK
        right += BK * n
    tl.store(c + rows[:, None] * n + cols[None, :], acc)


@triton.jit
def attention(q, k, v, out, scale, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """softmax(q kᵀ scale) v for each head (program 1) and block of BM queries (program 0); `scale` is times log2(e)."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * n * D
    d = tl.arange(0, D)
    query = tl.load(q + base + rows[:, None] * D + d[None, :])
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, n, BN):
        cols = start + tl.arange(0, BN)
        scores = tl.dot(query, tl.load(k + base + cols[None, :] * D + d[:, None])) * scale
        now = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp2(scores - now[:, None])
        fade = tl.exp2(top - now)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + cols[:, None] * D + d[None, :]), acc * fade[:, None])
        top = now
    tl.store(out + base + rows[:, None] * D + d[None, :], acc / total[:, None])
