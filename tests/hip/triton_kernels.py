# mypy: ignore-errors
"""Triton's tutorial kernels: vector add, softmax, matrix product, layer norm, fused causal attention."""

import os

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 warns where it is unset

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax_kernel(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + row * stride + at, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def matmul_kernel(a, b, c, n, BM: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BM + tl.arange(0, BM)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BM), dtype=tl.float32)
    for at in range(0, n, BK):
        left = tl.load(a + rows[:, None] * n + (at + k)[None, :])
        acc = tl.dot(left, tl.load(b + (at + k)[:, None] * n + cols[None, :]), acc)
    tl.store(c + rows[:, None] * n + cols[None, :], acc)


@triton.jit
def layer_norm_kernel(x, y, w, b, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + row * stride + at, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(inside, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    out = d * scale * tl.load(w + at, mask=inside) + tl.load(b + at, mask=inside)
    tl.store(y + row * stride + at, out, mask=inside)


@triton.jit
def attention_kernel(q, k, v, out, scale, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * n * D
    d = tl.arange(0, D)
    query = tl.load(q + base + rows[:, None] * D + d[None, :])
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        cols = start + tl.arange(0, BN)
        scores = tl.dot(query, tl.load(k + base + cols[None, :] * D + d[:, None])) * scale
        scores = tl.where(rows[:, None] >= cols[None, :], scores, -float("inf"))
        now = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp(scores - now[:, None])
        fade = tl.exp(top - now)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + cols[:, None] * D + d[None, :]), acc * fade[:, None])
        top = now
    tl.store(out + base + rows[:, None] * D + d[None, :], acc / total[:, None])
