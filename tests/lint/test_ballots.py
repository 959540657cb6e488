"""Masks of lanes followed through clang's tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.lint import engine, targets
from softrock.lint.engine import Settings

RULES = frozenset({"ballot-in-32-bits", "mask-bits-counted-in-32", "mask-32-bits"})


def _found(tmp_path: Path, text: str, name: str = "x.cu") -> list[str]:
    path = tmp_path / name
    path.write_text(text)
    checked = engine.check_file(path, Settings(targets.targets(None), RULES))
    assert checked.parsed
    return [f"{each.line}:{each.column} {each.rule}" for each in checked.findings]


@pytest.mark.parametrize(("name", "header"), [("x.cu", "cuda_runtime.h"), ("x.hip", "hip/hip_runtime.h")])
def test_through_typedefs_members_and_parameters(tmp_path: Path, name: str, header: str) -> None:
    text = f"""#include <{header}>
using mask_t = unsigned;
struct State {{ mask_t mask; unsigned long long wide; }};
__device__ unsigned long long vote(bool p) {{ return __ballot(p); }}
__device__ int rank(mask_t votes, int other) {{ return __popc(votes) + __popc(other); }}
__global__ void kernel(State *s, int *out, mask_t mine) {{
    s->mask = vote(out[0] > 0);
    s->wide = vote(out[1] > 0);
    out[0] = rank(s->mask, 3) + __shfl_sync(mine, out[0], 0);
    out[1] = __popcll(s->wide);
}}
"""
    assert _found(tmp_path, text, name) == [
        "3:23 ballot-in-32-bits",
        "5:28 ballot-in-32-bits",
        "5:55 mask-bits-counted-in-32",
        "9:45 mask-32-bits",
    ]


def test_into_structures_lambdas_and_results_by_another_name(tmp_path: Path) -> None:
    text = """#include <cuda_runtime.h>
using Mask = unsigned int;
struct Vote { int n; Mask m; __device__ int count() const { return __popc(m) + __popc(n); } };
__device__ Mask vote(bool p) { return __ballot(p); }
__device__ int fill(bool p) { Vote v{3, __ballot(p)}; return v.count(); }
__device__ int call(bool p) {
    auto first = [](int k, unsigned m) { return __ffs(m) + __ffs(k); };
    return first(2, __ballot(p));
}
"""
    assert _found(tmp_path, text) == [
        "3:27 ballot-in-32-bits",
        "3:68 mask-bits-counted-in-32",
        "4:39 ballot-in-32-bits",
        "7:37 ballot-in-32-bits",
        "7:49 mask-bits-counted-in-32",
    ]


def test_auto_is_as_wide_as_the_ballot(tmp_path: Path) -> None:
    text = """#include <cuda_runtime.h>
__device__ auto vote(bool p) { return __ballot_sync(0xffffffffull, p); }
__global__ void kernel(int *out) {
    auto votes = vote(out[0] > 0);
    out[0] = __shfl_sync(votes, out[1], 0) + __shfl_sync(__activemask(), out[1], 0);
}
"""
    assert _found(tmp_path, text) == []


def test_through_templates_and_results(tmp_path: Path) -> None:
    text = """#include <cuda_runtime.h>
template <typename T> __device__ int count(T mask) { return __popc(mask); }
__device__ unsigned lower(bool p, int lane) {
    unsigned long long votes = __ballot(p);
    return votes & ~(~0ull << lane);
}
__global__ void kernel(int *out) { out[0] = count(__ballot(out[0])) + count(3u); }
"""
    assert _found(tmp_path, text) == ["2:61 mask-bits-counted-in-32", "5:12 ballot-in-32-bits"]


def test_what_is_no_mask_any_more(tmp_path: Path) -> None:
    text = """#include <cuda_runtime.h>
__global__ void kernel(unsigned *out, int lane) {
    unsigned long long votes = __ballot(out[0]);
    unsigned bit = votes & 1, upper = votes >> 32, count = __popcll(votes), half = votes & 0xffffffff;
    bool any = votes != 0;
    out[0] = bit + upper + count + any + half + __popc(count);
}
"""
    assert _found(tmp_path, text) == []
