"""Number formats and integer intrinsics, run on the software GPUs and compared with NumPy, ml_dtypes or Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import softrock
from softrock.hip import hidden, state

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NaN in casts
TARGETS = ("gfx942", "gfx1100")
RNG = np.random.default_rng(7)


@pytest.fixture(scope="module", params=TARGETS)
def gpu(request: pytest.FixtureRequest) -> Iterator[str]:
    """The only device of a fresh runtime."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTROCK_BACKEND", "software")
        patch.setenv("SOFTROCK_GPUS", request.param)
        state.reset_for_tests()
        hidden.forget()
        yield request.param
        softrock.synchronize()
        state.reset_for_tests()
        hidden.forget()


def run(source: str, *arrays: Any, threads: int, cuda: bool = False) -> None:
    """Compile `source`, whose kernel is ``k``, and run it on at least `threads` threads."""
    module = softrock.compile(source, cuda=cuda)
    module["k"][(threads + 255) // 256, 256](*arrays, np.int32(threads))
    softrock.synchronize()


MAP = """
%s
extern "C" __global__ void k(const %s *in, %s *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { const auto x = in[i]; out[i] = %s; }
}
"""


def mapped(expression: str, values: np.ndarray[Any, Any], c_in: str, c_out: str, dtype: Any, head: str = "") -> Any:
    """`expression` of ``x`` for each value."""
    out = np.zeros(values.shape, dtype)
    run(MAP % (head, c_in, c_out, expression), values, out, threads=values.size)
    return out


ALL16 = np.arange(65536, dtype=np.uint16)
FLOATS = np.concatenate(
    [
        RNG.integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32),
        (RNG.standard_normal(20000) * 100).astype(np.float32),
        (RNG.standard_normal(20000) * 1e-5).astype(np.float32),
        np.array(
            [0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 6e-8, 2.9e-8, 448, 464, 465, 57344, 61440]
        ).astype(np.float32),
    ]
)


def same(got: Any, want: Any) -> None:
    """Equal bits, NaN apart."""
    both_nan = np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    bits = np.dtype(f"u{got.itemsize}")
    wrong = np.flatnonzero((got.view(bits) != want.view(bits)) & ~both_nan)
    assert wrong.size == 0, [(i, got[i], want[i]) for i in wrong[:5]]


def test_half_conversions(gpu: str) -> None:
    head = "#include <hip/hip_fp16.h>"
    same(
        mapped("(float)x", ALL16.view(np.float16), "__half", "float", np.float32, head),
        ALL16.view(np.float16).astype(np.float32),
    )
    same(mapped("__float2half(x)", FLOATS, "float", "__half", np.float16, head), FLOATS.astype(np.float16))
    doubles = FLOATS.astype(np.float64) * (1 + 1e-9)
    same(mapped("__double2half(x)", doubles, "double", "__half", np.float16, head), doubles.astype(np.float16))


@pytest.mark.parametrize(("suffix", "towards"), [("rd", -np.inf), ("ru", np.inf), ("rz", 0)])
def test_half_directed_rounding(gpu: str, suffix: str, towards: float) -> None:
    values = FLOATS[np.isfinite(FLOATS) & (abs(FLOATS) < 65000)]
    got = mapped(f"__float2half_{suffix}(x)", values, "float", "__half", np.float16, "#include <hip/hip_fp16.h>")
    near = values.astype(np.float16)
    goal = np.zeros_like(values) if towards == 0 else np.full_like(values, towards)
    # Nearest, moved one step when it lies on the wrong side.
    past = (near.astype(np.float32) > values) if towards == -np.inf else (near.astype(np.float32) < values)
    if towards == 0:
        past = abs(near.astype(np.float32)) > abs(values)
    want = np.where(past, np.nextafter(near, goal.astype(np.float16)), near)
    assert np.array_equal(got, want)


def test_half_arithmetic(gpu: str) -> None:
    a = RNG.integers(0, 65536, 40000, dtype=np.uint16).view(np.float16)
    b = np.roll(a, 17)
    got = np.zeros((4, a.size), np.float16)
    source = """
    #include <hip/hip_fp16.h>
    extern "C" __global__ void k(const __half *a, const __half *b, __half *c, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        c[i] = a[i] + b[i], c[n + i] = a[i] - b[i], c[2 * n + i] = a[i] * b[i], c[3 * n + i] = a[i] / b[i];
    }"""
    run(source, a, b, got, threads=a.size)
    x, y = a.astype(np.float32), b.astype(np.float32)
    # Twice the digits and more: rounding float32's result to half rounds the exact one.
    for row, exact in zip(got, (x + y, x - y, x * y, x / y), strict=True):
        same(row, exact.astype(np.float16))


def test_half_comparisons_and_minimum(gpu: str) -> None:
    special = np.array([0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x0001], np.uint16).view(np.float16)
    a, b = (each.ravel().copy() for each in np.meshgrid(special, special))
    out = np.zeros((a.size, 6), np.int32)
    low = np.zeros_like(a)
    source = """
    #include <hip/hip_fp16.h>
    extern "C" __global__ void k(const __half *a, const __half *b, int *o, __half *low, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        o[i * 6] = __heq(a[i], b[i]), o[i * 6 + 1] = __hne(a[i], b[i]), o[i * 6 + 2] = __hlt(a[i], b[i]);
        o[i * 6 + 3] = __hgeu(a[i], b[i]), o[i * 6 + 4] = __hneu(a[i], b[i]), o[i * 6 + 5] = __hisnan(a[i]);
        low[i] = __hmin(a[i], b[i]);
    }"""
    run(source, a, b, out, low, threads=a.size)
    nan = np.isnan(a) | np.isnan(b)
    want = np.stack([a == b, (a != b) & ~nan, a < b, (a >= b) | nan, (a != b) | nan, np.isnan(a)], 1)
    assert np.array_equal(out.astype(bool), want)
    assert np.array_equal(np.isnan(low), np.isnan(a) & np.isnan(b))
    assert np.all((low == np.fmin(a, b)) | np.isnan(low))


def test_bfloat16(gpu: str) -> None:
    head = "#include <hip/hip_bf16.h>"
    bf16 = ml_dtypes.bfloat16
    same(
        mapped("(float)x", ALL16.view(bf16), "__hip_bfloat16", "float", np.float32, head),
        ALL16.view(bf16).astype(np.float32),
    )
    same(mapped("__float2bfloat16(x)", FLOATS, "float", "__hip_bfloat16", bf16, head), FLOATS.astype(bf16))
    got = mapped(
        "__ll2bfloat16_rn(x)",
        np.array([0, 1, -257, 2**60 + 1, -(2**62) - 2**54 - 1]),
        "long long",
        "__hip_bfloat16",
        bf16,
        head,
    )
    assert [float(each) for each in got] == [0, 1, -256, 2**60, -(2.0**62) * (1 + 2**-7)]


FP8 = {
    "__hip_fp8_e4m3": ml_dtypes.float8_e4m3fn,
    "__hip_fp8_e5m2": ml_dtypes.float8_e5m2,
    "__hip_fp8_e4m3_fnuz": ml_dtypes.float8_e4m3fnuz,
    "__hip_fp8_e5m2_fnuz": ml_dtypes.float8_e5m2fnuz,
}


_LARGEST = {"__hip_fp8_e4m3": 0x7E, "__hip_fp8_e5m2": 0x7B, "__hip_fp8_e4m3_fnuz": 0x7F, "__hip_fp8_e5m2_fnuz": 0x7F}


@pytest.mark.parametrize("name", list(FP8))
def test_fp8(gpu: str, name: str) -> None:
    kind, head = FP8[name], "#include <hip/hip_fp8.h>"
    codes = np.arange(256, dtype=np.uint8)
    same(mapped("(float)x", codes, f"{name}", "float", np.float32, head), codes.view(kind).astype(np.float32))
    top = float(codes.view(kind)[_LARGEST[name]])
    finite = FLOATS[np.isfinite(FLOATS) & (abs(FLOATS) <= top)]
    got = mapped(f"{name}(x)", finite, "float", name, np.uint8, head).view(kind)
    same(got, finite.astype(kind))
    outside = np.array([2 * top, -2 * top, np.inf], np.float32)
    assert [float(v) for v in mapped(f"{name}(x)", outside, "float", name, np.uint8, head).view(kind)] == [
        top,
        -top,
        top,
    ]
    free = f"__hip_cvt_float_to_fp8(x, __HIP_NOSAT, {name}::__default_interpret)"
    got = mapped(free, outside, "float", "unsigned char", np.uint8, head).view(kind).astype(np.float32)
    assert np.array_equal(got, [np.inf, -np.inf, np.inf]) if name == "__hip_fp8_e5m2" else np.isnan(got).all()


def _signed(v: int, bits: int = 32) -> int:
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def _perm(x: int, y: int, s: int) -> int:
    both = (y << 32) | x
    return sum(((both >> (8 * ((s >> (4 * i)) & 7))) & 255) << (8 * i) for i in range(4))


def _dp4a(a: int, b: int, c: int) -> int:
    return c + sum(_signed(a >> (8 * i), 8) * _signed(b >> (8 * i), 8) for i in range(4))


M = 0xFFFFFFFF
INTEGER: dict[str, Callable[[int, int, int], int]] = {
    "__popc(a)": lambda a, b, c: a.bit_count(),
    "__clz(a)": lambda a, b, c: 32 - a.bit_length(),
    "__ffs(a)": lambda a, b, c: (a & -a).bit_length(),
    "__brev(a)": lambda a, b, c: int(f"{a:032b}"[::-1], 2),
    "__byte_perm(a, b, c)": _perm,
    "__funnelshift_l(a, b, c)": lambda a, b, c: (((b << 32) | a) << (c & 31)) >> 32,
    "__funnelshift_r(a, b, c)": lambda a, b, c: ((b << 32) | a) >> (c & 31),
    "__funnelshift_lc(a, b, c & 63)": lambda a, b, c: (((b << 32) | a) << min(c & 63, 32)) >> 32,
    "__funnelshift_rc(a, b, c & 63)": lambda a, b, c: ((b << 32) | a) >> min(c & 63, 32),
    "__umulhi(a, b)": lambda a, b, c: a * b >> 32,
    "__mulhi((int)a, (int)b)": lambda a, b, c: _signed(a) * _signed(b) >> 32,
    "__umul64hi(a * 0x100000001ull, b * 0x100000001ull)": lambda a, b, c: (a * 0x100000001) * (b * 0x100000001) >> 64,
    "__mul24((int)a, (int)b)": lambda a, b, c: _signed(a, 24) * _signed(b, 24),
    "__umul24(a, b)": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "__hadd((int)a, (int)b)": lambda a, b, c: _signed(a) + _signed(b) >> 1,
    "__rhadd((int)a, (int)b)": lambda a, b, c: _signed(a) + _signed(b) + 1 >> 1,
    "__uhadd(a, b)": lambda a, b, c: a + b >> 1,
    "__sad((int)a, (int)b, c)": lambda a, b, c: abs(_signed(a) - _signed(b)) + c,
    "__usad(a, b, c)": lambda a, b, c: abs(a - b) + c,
    "__dp4a((int)a, (int)b, (int)c)": _dp4a,
    "__dp2a_lo(a, b, c)": lambda a, b, c: c + (a & 0xFFFF) * (b & 255) + (a >> 16) * ((b >> 8) & 255),
    "__popcll((unsigned long long)a << 32 | b)": lambda a, b, c: a.bit_count() + b.bit_count(),
    "__ffsll((unsigned long long)a << 32)": lambda a, b, c: (a & -a).bit_length() + 32 if a else 0,
    "__clzll((long long)((unsigned long long)b))": lambda a, b, c: 64 - b.bit_length(),
    "__bitextract_u32(a, b & 31, c & 15)": lambda a, b, c: (a >> (b & 31)) & ((1 << (c & 15)) - 1),
    "max((int)a, (int)b)": lambda a, b, c: max(_signed(a), _signed(b)),
    "min(a, (int)b)": lambda a, b, c: min(a, b),
}


def test_integer_intrinsics(gpu: str) -> None:
    edges = [0, 1, 2, 0x7FFFFFFF, 0x80000000, M, 0x00FF00FF, 0x12345678]
    rows = [(a, b, c) for a in edges for b in edges for c in edges]
    rows += [(int(a), int(b), int(c)) for a, b, c in RNG.integers(0, 2**32, (500, 3))]
    values = np.array(rows, np.uint32)
    out = np.zeros((len(rows), len(INTEGER)), np.uint32)
    body = "".join(f"o[{i}] = (unsigned)({text});" for i, text in enumerate(INTEGER))
    source = f"""
    extern "C" __global__ void k(const unsigned *in, unsigned *out, int n) {{
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        unsigned *o = out + i * {len(INTEGER)};
        {body}
    }}"""
    run(source, values, out, threads=len(rows))
    for column, (text, model) in enumerate(INTEGER.items()):
        for row, got in zip(rows, out[:, column], strict=True):
            assert int(got) == model(*row) & M, (text, row, int(got), model(*row) & M)


CONVERSIONS = {"rn": np.rint, "rd": np.floor, "ru": np.ceil, "rz": np.trunc}
BOUNDS = {"int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "ll": (-(2**63), 2**63 - 1)}


def test_float_to_integer(gpu: str) -> None:
    text = "0.5 1.5 -0.5 -1.5 2.5 1e5 -1e5 2147483648 -2147483648 4294967296 3e9 1e30 -1e30 inf -inf nan 9.3e18 -9.3e18"
    doubles = np.array([float(each) for each in text.split()])
    cases = [(name, kind, mode) for name in ("double", "float") for kind in BOUNDS for mode in CONVERSIONS]
    body = "".join(
        f"o[{i}] = (long long)__{name}2{kind}_{mode}({name[0]}[i]);" for i, (name, kind, mode) in enumerate(cases)
    )
    source = f"""extern "C" __global__ void k(const double *d, const float *f, long long *out, int n) {{
        const int i = threadIdx.x;
        long long *o = out + i * {len(cases)};
        if (i < n) {{ {body} }}
    }}"""
    out = np.zeros((doubles.size, len(cases)), np.int64)
    run(source, doubles, doubles.astype(np.float32), out, threads=doubles.size)
    for column, (name, kind, mode) in enumerate(cases):
        low, high = BOUNDS[kind]
        for value, got in zip(doubles.astype(name + ("32" if name == "float" else "")), out[:, column], strict=True):
            limited = 0.0 if np.isnan(value) else min(max(float(value), -(2.0**70)), 2.0**70)
            want = min(max(int(CONVERSIONS[mode](limited)), low), high)
            assert int(got) == want, (name, kind, mode, value)


SIMD_PAIRS: dict[str, tuple[str, Callable[..., Any]]] = {
    "add": ("u", lambda a, b, low, high: a + b),
    "sub": ("u", lambda a, b, low, high: a - b),
    "addss": ("s", lambda a, b, low, high: np.clip(a + b, low, high)),
    "subss": ("s", lambda a, b, low, high: np.clip(a - b, low, high)),
    "addus": ("u", lambda a, b, low, high: np.clip(a + b, low, high)),
    "subus": ("u", lambda a, b, low, high: np.clip(a - b, low, high)),
    "absdiffs": ("s", lambda a, b, low, high: np.abs(a - b)),
    "absdiffu": ("u", lambda a, b, low, high: np.abs(a - b)),
    "avgu": ("u", lambda a, b, low, high: (a + b + 1) // 2),
    "haddu": ("u", lambda a, b, low, high: (a + b) // 2),
    "maxs": ("s", lambda a, b, low, high: np.maximum(a, b)),
    "maxu": ("u", lambda a, b, low, high: np.maximum(a, b)),
    "mins": ("s", lambda a, b, low, high: np.minimum(a, b)),
    "minu": ("u", lambda a, b, low, high: np.minimum(a, b)),
    "abs": ("s", lambda a, b, low, high: np.abs(a)),
    "neg": ("s", lambda a, b, low, high: -a),
    "absss": ("s", lambda a, b, low, high: np.minimum(np.abs(a), high)),
    "negss": ("s", lambda a, b, low, high: np.minimum(-a, high)),
    "cmpeq": ("u", lambda a, b, low, high: -(a == b).astype(np.int64)),
    "setne": ("u", lambda a, b, low, high: (a != b).astype(np.int64)),
    "cmpges": ("s", lambda a, b, low, high: -(a >= b).astype(np.int64)),
    "setgeu": ("u", lambda a, b, low, high: (a >= b).astype(np.int64)),
    "cmpgts": ("s", lambda a, b, low, high: -(a > b).astype(np.int64)),
    "cmpgtu": ("u", lambda a, b, low, high: -(a > b).astype(np.int64)),
    "setles": ("s", lambda a, b, low, high: (a <= b).astype(np.int64)),
    "cmpleu": ("u", lambda a, b, low, high: -(a <= b).astype(np.int64)),
    "setlts": ("s", lambda a, b, low, high: (a < b).astype(np.int64)),
    "cmpltu": ("u", lambda a, b, low, high: -(a < b).astype(np.int64)),
}
"""CUDA's SIMD intrinsics: signedness of a lane, and the result before it is cut to the lane."""


@pytest.mark.parametrize("lanes", [2, 4])
def test_simd_intrinsics(gpu: str, lanes: int) -> None:
    bits = 32 // lanes
    unsigned = np.dtype(f"u{bits // 8}")
    ends = np.array([0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1], unsigned)
    parts = [np.concatenate([RNG.choice(ends, 1000), RNG.integers(0, 1 << bits, 1048, unsigned)]) for _ in range(2)]
    words = [part.view(np.uint32) for part in parts]
    count = words[0].size
    lines = [
        f"o[{k} * n + i] = __v{name}{lanes}(x[i]{'' if name in ('abs', 'neg', 'absss', 'negss') else ', y[i]'});"
        for k, name in enumerate([*SIMD_PAIRS, "sads", "sadu"])
    ]
    source = (
        'extern "C" __global__ void k(const unsigned *x, const unsigned *y, unsigned *o, int n) {\n'
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {{ {' '.join(lines)} }} }}"
    )
    out = np.zeros((len(lines), count), np.uint32)
    run(source, *words, out, threads=count, cuda=True)
    for got, (name, (sign, value)) in zip(out, SIMD_PAIRS.items(), strict=False):
        lane = np.dtype(f"{'i' if sign == 's' else 'u'}{bits // 8}")
        a, b = (part.view(lane).astype(np.int64) for part in parts)
        limits = np.iinfo(lane)
        want = value(a, b, limits.min, limits.max).astype(np.int64).astype(unsigned)
        assert (got.view(unsigned) == want).all(), name
    for got, kind in zip(out[-2:], "iu", strict=True):
        a, b = (part.view(f"{kind}{bits // 8}").astype(np.int64).reshape(-1, lanes) for part in parts)
        assert (got == np.abs(a - b).sum(axis=1)).all()
