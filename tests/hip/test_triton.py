# mypy: ignore-errors
"""Triton's tutorial kernels, compiled by the Triton wheel for gfx942 and gfx1100 and run on NumPy arrays.

Needs no torch: Triton compiles ahead of time, our Python API loads the code object and launches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import softrock
from softrock.hip import state

triton = pytest.importorskip("triton", reason="Triton is not installed: pip install softrock[triton]")
kernels = pytest.importorskip("tests.hip.triton_kernels")

WARP = {"gfx942": 64, "gfx1100": 32}


class Gpu:
    """Compiles and launches Triton kernels on one software GPU."""

    def __init__(self, target: str) -> None:
        self.target = target

    def run(self, fn: Any, grid: Sequence[int], args: Sequence[Any], types: str, warps: int = 4, **consts: int) -> None:
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        names = [n for n in fn.arg_names if n not in consts]
        signature = dict(zip(names, types.split(), strict=True)) | dict.fromkeys(consts, "constexpr")
        source = ASTSource(fn, signature, constexprs={(fn.arg_names.index(n),): v for n, v in consts.items()})
        lanes = WARP[self.target]
        built = triton.compile(source, target=GPUTarget("hip", self.target, lanes), options={"num_warps": warps})
        module = softrock.load(built.asm["hsaco"])
        kernel = module[built.metadata.name]
        scratch = [None] * (len(kernel._args) - len(args))
        kernel.launch(grid, warps * lanes, *args, *scratch, shared=built.metadata.shared)


@pytest.fixture(params=sorted(WARP))
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    monkeypatch.setenv("SOFTROCK_GPUS", request.param)
    state.reset_for_tests()
    return Gpu(request.param)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_vector_add(gpu: Gpu, rng: np.random.Generator) -> None:
    x, y = rng.random(5000, np.float32), rng.random(5000, np.float32)
    out = np.zeros_like(x)
    gpu.run(kernels.add_kernel, [5], [x, y, out, np.int32(5000)], "*fp32 *fp32 *fp32 i32", BLOCK=1024)
    np.testing.assert_array_equal(out, x + y)


def test_softmax(gpu: Gpu, rng: np.random.Generator) -> None:
    x = rng.standard_normal((37, 781), np.float32)
    out = np.zeros_like(x)
    types = "*fp32 *fp32 i32 i32"
    gpu.run(kernels.softmax_kernel, [37], [out, x, np.int32(781), np.int32(781)], types, BLOCK=1024)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-6)


def test_matmul(gpu: Gpu, rng: np.random.Generator) -> None:
    n = 128
    a, b = (rng.standard_normal((n, n)).astype(np.float16) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    gpu.run(kernels.matmul_kernel, [2, 2], [a, b, c, np.int32(n)], "*fp16 *fp16 *fp32 i32", BM=64, BK=32)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=2e-5)


def test_layer_norm(gpu: Gpu, rng: np.random.Generator) -> None:
    x = rng.standard_normal((19, 1000), np.float32)
    w, b = rng.random(1000, np.float32), rng.random(1000, np.float32)
    y = np.zeros_like(x)
    scalars = [np.int32(1000), np.int32(1000), np.float32(1e-5)]
    gpu.run(kernels.layer_norm_kernel, [19], [x, y, w, b, *scalars], "*fp32 *fp32 *fp32 *fp32 i32 i32 fp32", BLOCK=1024)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(y, expected, atol=3e-6)


@pytest.mark.long
def test_fused_causal_attention(gpu: Gpu, rng: np.random.Generator) -> None:
    heads, n, d = 2, 128, 64
    q, k, v = (rng.standard_normal((heads, n, d)).astype(np.float16) for _ in range(3))
    out = np.zeros((heads, n, d), np.float32)
    args = [q, k, v, out, np.float32(0.125), np.int32(n)]
    gpu.run(kernels.attention_kernel, [2, heads], args, "*fp16 *fp16 *fp16 *fp32 fp32 i32", D=d, BM=64, BN=32)
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * 0.125
    scores[:, np.triu(np.ones((n, n), bool), 1)] = -np.inf
    p = np.exp(scores - scores.max(-1, keepdims=True))
    expected = p / p.sum(-1, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(out, expected, atol=2e-3)
