"""A pass of a radix sort."""

from __future__ import annotations

import numpy as np

from bench.context import Context
from bench.registry import Job, case

SHIFT = 8


@case("radix-pass", "radix-sort pass (4 bits) of 2^24 keys", "Gkeys/s")
def radix_pass(context: Context) -> Job:
    n = context.size(1 << 24, 1 << 14)
    keys = context.place(context.rng.integers(0, 1 << 32, n, np.uint32))
    blocks = n // 1024
    counts = context.fill(16 * blocks, dtype=np.uint32)
    a, b = context.fill(n, dtype=np.uint32), context.fill(n, dtype=np.uint32)
    module = context.kernels("sort.hip")
    expected = keys[np.argsort(keys >> SHIFT & 15, kind="stable")]

    def run() -> None:
        module["count_digits"][blocks, 256](np.int32(SHIFT), keys, counts)
        module["scan_counts"][1, 1024](np.int32(16 * blocks), counts)
        module["move_keys"][blocks, 256](np.int32(SHIFT), keys, counts, a)

    job = Job(1e-9 * n, run, a, lambda result: np.testing.assert_array_equal(result, expected))
    context.c_rival(job, "sort.c", "radix_pass", n, SHIFT, keys, b, result=b)
    return job
