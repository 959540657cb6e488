"""Triton's kernels, compiled by the Triton wheel and launched on NumPy arrays (no torch needed)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases.matmul import product_check
from bench.context import Context
from bench.registry import Job, Rival, Target, case


def prepare(
    context: Context, name: str, grid: Sequence[int], args: Sequence[Any], types: str, warps: int, **consts: int
) -> Callable[[], None]:
    """A launch of a kernel of `bench.triton_kernels`.

    Args:
        types: Triton's types of `args`, with blanks between. warps: waves of a block. consts: its constexprs.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    import softrock
    from bench import triton_kernels

    fn = getattr(triton_kernels, name)
    names = [n for n in fn.arg_names if n not in consts]
    signature = dict(zip(names, types.split(), strict=True)) | dict.fromkeys(consts, "constexpr")
    # Arrays in device memory are aligned, and tutorials' sizes are multiples of 16: Triton's launcher tells it so too.
    hints = {
        (i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if signature[n][0] == "*" or signature[n] == "i32"
    }
    source = ASTSource(fn, signature, {(fn.arg_names.index(n),): v for n, v in consts.items()}, hints)
    target = GPUTarget("hip", context.gpu, context.wave)
    built = triton.compile(source, target=target, options={"num_warps": warps})
    kernel: Any = softrock.load(built.asm["hsaco"])[built.metadata.name]
    given = [*args, *[None] * (len(kernel._args) - len(args))]  # Triton adds scratch pointers that are not used

    def run() -> None:
        kernel.launch(grid, warps * context.wave, *given, shared=built.metadata.shared)

    return run


@case("triton-matmul", "Triton matmul 2048³, fp16", "GFLOP/s", target=Target(0.4, of="OpenBLAS"), compute=True)
def matmul(context: Context) -> Job:
    n = context.size(2048, 128)
    a, b = context.random(n, n, dtype=np.float16), context.random(n, n, dtype=np.float16)
    c = context.fill(n, n)
    tile = 128
    args = [a, b, c, np.int32(n)]
    grid = [n // tile, n // tile]
    run = prepare(context, "matmul", grid, args, "*fp16 *fp16 *fp32 i32", 4, BM=tile, BN=tile, BK=32)
    job = Job(2e-9 * n**3, run, c, product_check(a, b, 1e-4))
    context.blas_rival(job, context.place(a.astype(np.float32)), context.place(b.astype(np.float32)))
    return job


def _torch_rival(context: Context, job: Job, q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> None:
    try:
        import torch
    except ImportError:
        job.missing["torch"] = "torch is not installed: pip install torch"
        return
    torch.set_num_threads(context.threads)
    out = context.fill(*q.shape)
    query, key, value = (torch.from_numpy(x.astype(np.float32)[None]) for x in (q, k, v))

    def run() -> None:
        with torch.inference_mode():
            out[:] = torch.nn.functional.scaled_dot_product_attention(query, key, value)[0].numpy()

    job.rivals.append(Rival("torch", run, out, f"{torch.__version__}, fp32"))


@case(
    "triton-attention",
    "Triton flash attention 1x8x1024x64",
    "GFLOP/s",
    target=Target(0.4, of="torch"),
    compute=True,
)
def attention(context: Context) -> Job:
    heads, n, d = 8, context.size(1024, 128), 64
    q, k, v = (context.place(context.rng.standard_normal((heads, n, d)).astype(np.float16)) for _ in range(3))
    out = context.fill(heads, n, d)
    scale = 1 / math.sqrt(d)
    args = [q, k, v, out, np.float32(scale * math.log2(math.e)), np.int32(n)]
    types = "*fp16 *fp16 *fp16 *fp32 fp32 i32"
    # The blocks that Triton's tuner would choose among the tutorial's: the best of them on each target here.
    rows = 128 if context.gpu == "gfx942" and n % 128 == 0 else 64
    run = prepare(context, "attention", [n // rows, heads], args, types, 4, D=d, BM=rows, BN=64)
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * scale
    p = np.exp(scores - scores.max(-1, keepdims=True))
    expected = p / p.sum(-1, keepdims=True) @ v.astype(np.float64)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, atol=2e-3)  # the weights are rounded to fp16

    job = Job(4e-9 * heads * n * n * d, run, out, check)
    _torch_rival(context, job, q, k, v)
    return job
