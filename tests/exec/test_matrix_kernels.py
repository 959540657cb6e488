"""Matrix products with matrix instructions, as whole kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

MATMUL = """
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
KERNEL(64) void matmul(const _Float16* a, const _Float16* b, float* c, int size) {
    int lane = tid, line = lane % 32, group = lane / 32, row0 = bid * 32;
    for (int column0 = 0; column0 < size; column0 += 32) {
        float16 sum = {};
        for (int start = 0; start < size; start += 8) {
            half4 x, y;
            for (int i = 0; i < 4; ++i) {
                int k = start + 4 * group + i;
                x[i] = a[(row0 + line) * size + k];
                y[i] = b[k * size + column0 + line];
            }
            sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
        }
        for (int i = 0; i < 16; ++i) c[(row0 + 8 * (i / 4) + 4 * group + i % 4) * size + column0 + line] = sum[i];
    }
}
"""

WMMA = """
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));
KERNEL(32) void matmul(const _Float16* a, const _Float16* b, float* c, int size) {
    int lane = tid, line = lane % 16, row0 = bid * 16;
    for (int column0 = 0; column0 < size; column0 += 16) {
        float8 sum = {};
        for (int start = 0; start < size; start += 16) {
            half16 x, y;
            for (int k = 0; k < 16; ++k) {
                x[k] = a[(row0 + line) * size + start + k];
                y[k] = b[(start + k) * size + column0 + line];
            }
            sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, sum);
        }
        for (int i = 0; i < 8; ++i) c[(row0 + 2 * i + lane / 16) * size + column0 + line] = sum[i];
    }
}
"""


@pytest.mark.parametrize(
    ("source", "target", "tile", "lanes"),
    [(MATMUL, "gfx942", 32, 64), (MATMUL, "gfx90a", 32, 64), (WMMA, "gfx1100", 16, 32)],
)
def test_matmul(program: Callable[..., Any], source: str, target: str, tile: int, lanes: int) -> None:
    size = 96
    rng = np.random.default_rng(10)
    a, b = (rng.integers(-8, 9, (size, size)).astype(np.float16) for _ in range(2))
    c = np.zeros((size, size), np.float32)
    program(source, target).run("matmul", size // tile, lanes, a, b, c, np.int32(size))
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


TRANSPOSED = """
typedef short short4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
KERNEL(64) void halves(const short* in, short* out) {
    __shared__ short tile[256];
    for (int i = 0; i < 4; ++i) tile[4 * tid + i] = in[4 * tid + i];
    sync();
    typedef __shared__ short4* pointer;
    short4 got = __builtin_amdgcn_ds_read_tr16_b64_v4i16((pointer)(tile + 4 * tid));
    for (int i = 0; i < 4; ++i) out[4 * tid + i] = got[i];
}
KERNEL(64) void bytes(const int* in, int* out) {
    __shared__ int tile[128];
    for (int i = 0; i < 2; ++i) tile[2 * tid + i] = in[2 * tid + i];
    sync();
    typedef __shared__ int2* pointer;
    int2 got = __builtin_amdgcn_ds_read_tr8_b64_v2i32((pointer)(tile + 2 * tid));
    for (int i = 0; i < 2; ++i) out[2 * tid + i] = got[i];
}
"""


@pytest.mark.parametrize(("name", "dtype"), [("halves", np.uint16), ("bytes", np.uint8)])
def test_transposing_loads(program: Callable[..., Any], name: str, dtype: Any) -> None:
    """Rows of 16 elements, lying one after the other in each 16 lanes' part, become columns."""
    data = np.random.default_rng(11).integers(0, 255, 512 // dtype().itemsize).astype(dtype)
    out = np.zeros_like(data)
    program(TRANSPOSED, "gfx950").run(name, 1, 64, data, out)
    parts = data.reshape(4, -1, 16)
    assert (out.reshape(4, 16, -1) == parts.transpose(0, 2, 1)).all()
