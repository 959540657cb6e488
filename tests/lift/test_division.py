"""The sequences that compilers emit for IEEE division give correctly rounded quotients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tests.lift.harness import Case, Prepared, prepare, run_prepared

SINGLE = (
    "v_div_scale_f32 v3, s[0:1], v1, v1, v0",
    "v_div_scale_f32 v4, vcc, v0, v1, v0",
    "v_rcp_f32 v5, v3",
    "v_fma_f32 v6, -v3, v5, 1.0",
    "v_fma_f32 v5, v6, v5, v5",
    "v_mul_f32 v6, v4, v5",
    "v_fma_f32 v7, -v3, v6, v4",
    "v_fma_f32 v6, v7, v5, v6",
    "v_fma_f32 v7, -v3, v6, v4",
    "v_div_fmas_f32 v7, v7, v5, v6",
    "v_div_fixup_f32 v2, v7, v1, v0",
)
DOUBLE = (
    "v_div_scale_f64 v[6:7], s[0:1], v[2:3], v[2:3], v[0:1]",
    "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]",
    "v_rcp_f64 v[10:11], v[6:7]",
    "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0",
    "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]",
    "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0",
    "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]",
    "v_mul_f64 v[12:13], v[8:9], v[10:11]",
    "v_fma_f64 v[14:15], -v[6:7], v[12:13], v[8:9]",
    "v_div_fmas_f64 v[14:15], v[14:15], v[10:11], v[12:13]",
    "v_div_fixup_f64 v[4:5], v[14:15], v[2:3], v[0:1]",
)
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, 1.0, -3.0]


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return prepare([Case("gfx942", SINGLE), Case("gfx942", DOUBLE)])


def same(got: npt.NDArray[np.floating], want: npt.NDArray[np.floating]) -> None:
    bits = np.uint32 if want.dtype == np.float32 else np.uint64
    equal = (got.view(bits) == want.view(bits)) | (np.isnan(got) & np.isnan(want))
    assert equal.all(), (got[~equal][:4], want[~equal][:4])


def denormal_quotients(rng: np.random.Generator, bits: npt.NDArray[np.uint64], width: int) -> npt.NDArray[np.uint64]:
    """Denominators whose exponents make quotients near the bottom of the range."""
    mantissa, top, spread = (23, 254, (100, 150)) if width == 32 else (52, 2046, (900, 1100))
    exponent = (bits >> np.uint64(mantissa) & np.uint64(top + 1)).astype(np.int64) + rng.integers(*spread, 64)
    kept = bits & np.uint64(1 << (width - 1) | (1 << mantissa) - 1)
    return kept | (exponent.clip(0, top).astype(np.uint64) << np.uint64(mantissa))


@pytest.mark.parametrize("seed", range(6))
def test_quotients(prepared: Prepared, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(8):
        a32 = rng.integers(0, 1 << 32, 64, dtype=np.uint64)
        b32 = denormal_quotients(rng, a32, 32) if seed % 2 else rng.integers(0, 1 << 32, 64, dtype=np.uint64)
        a64 = rng.integers(0, 1 << 64, 64, dtype=np.uint64)
        b64 = denormal_quotients(rng, a64, 64) if seed % 2 else rng.integers(0, 1 << 64, 64, dtype=np.uint64)
        single = [v.astype(np.uint32).view(np.float32) for v in (a32, b32)]
        single[0][: len(EDGES)] = np.array(EDGES, np.float32)
        single[1][: len(EDGES)] = np.roll(np.array(EDGES, np.float32), seed)
        double = [v.view(np.float64) for v in (a64, b64)]
        states = run_prepared(
            prepared,
            [
                replace(prepared.cases[0], vgprs={0: single[0], 1: single[1]}),
                replace(prepared.cases[1], vgprs={0: double[0], 2: double[1]}),
            ],
        )
        with np.errstate(all="ignore"):
            same(states[0].f32(2), single[0] / single[1])
            same(states[1].f64(4), double[0] / double[1])


def test_significands_at_the_ends(prepared: Prepared) -> None:
    """Where the reciprocal lies next to the middle of two numbers: 1.11...1 is the only denominator that needs care."""
    rng = np.random.default_rng(9)
    ends32 = np.array([0, 1, 2, 3, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFD, 0x7FFFFE, 0x7FFFFF], np.uint32)
    ends64 = np.array([0, 1, 2, (1 << 51) - 1, 1 << 51, (1 << 52) - 3, (1 << 52) - 2, (1 << 52) - 1], np.uint64)
    for _ in range(8):
        single = [(rng.choice(ends32, 64) | rng.integers(64, 191, 64) << 23).astype(np.uint32) for _ in range(2)]
        double = [
            rng.choice(ends64, 64) | rng.integers(512, 1535, 64).astype(np.uint64) << np.uint64(52) for _ in range(2)
        ]
        a32, b32 = (v.view(np.float32) for v in single)
        a64, b64 = (v.view(np.float64) for v in double)
        states = run_prepared(
            prepared,
            [
                replace(prepared.cases[0], vgprs={0: a32, 1: b32}),
                replace(prepared.cases[1], vgprs={0: a64, 2: b64}),
            ],
        )
        with np.errstate(all="ignore"):
            same(states[0].f32(2), a32 / b32)
            same(states[1].f64(4), a64 / b64)
