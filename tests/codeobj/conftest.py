"""Code objects for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

KERNEL_SOURCE = """\
__constant__ float table[16] = {1, 2, 3};
__device__ int counter = 7;
__device__ int zeros[1000];
__device__ int *pointer = &counter;
__device__ __attribute__((noinline)) float helper(float x) { return x * table[(int)x & 15] + counter; }
extern "C" __global__ void first(float *a, int n, double d) {
  __shared__ float s[64];
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  s[i & 63] = a[i];
  __builtin_amdgcn_s_barrier();
  if (i < n) a[i] = helper(s[63 - (i & 63)]) + d + *pointer + zeros[i];
}
extern "C" __global__ void second(int *out) {
  int i = __builtin_amdgcn_workitem_id_x() + 64 * __builtin_amdgcn_workitem_id_y();
  out[i] = __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workgroup_id_z();
}
"""


@pytest.fixture(scope="session")
def code_of(compile_device: Callable[..., bytes]) -> Callable[[str], bytes]:
    """The code object of `KERNEL_SOURCE` for a target, with a line table."""

    def code(target: str) -> bytes:
        return compile_device(
            KERNEL_SOURCE, target, ("-debug-info-kind=line-tables-only", "-dwarf-version=5")
        )

    return code
