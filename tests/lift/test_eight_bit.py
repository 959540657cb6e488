"""FP8 and BF8 conversions against ml_dtypes, which implements the same formats."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from tests.lift.harness import run_instruction

FORMATS = [
    ("gfx942", "fp8", ml_dtypes.float8_e4m3fnuz),
    ("gfx942", "bf8", ml_dtypes.float8_e5m2fnuz),
    ("gfx950", "fp8", ml_dtypes.float8_e4m3fn),
    ("gfx950", "bf8", ml_dtypes.float8_e5m2),
]
RNG = np.random.default_rng(3)


@pytest.mark.parametrize(("target", "word", "kind"), FORMATS)
def test_narrowing_rounds_to_nearest_even(target: str, word: str, kind: type) -> None:
    values = (RNG.standard_normal(64) * np.exp(RNG.uniform(-14, 12, 64))).astype(np.float32)
    values[:6] = [0, -0.0, np.inf, -np.inf, 1e30, -1e-30]
    halfway = (RNG.integers(8, 16, 64) + 0.5).astype(np.float32) * np.exp2(RNG.integers(-12, 3, 64)).astype(np.float32)
    state = run_instruction(target, f"v_cvt_pk_{word}_f32 v2, v0, v1", {0: values, 1: halfway})
    with np.errstate(all="ignore"):
        low, high = (v.astype(kind).view(np.uint8).astype(np.uint16) for v in (values, halfway))
    assert (state.u16(2) == low | high << 8).all()


@pytest.mark.parametrize(("target", "word", "kind"), FORMATS)
def test_widening_every_code(target: str, word: str, kind: type) -> None:
    codes = np.arange(256, dtype=np.uint8)
    words = codes.reshape(64, 4).copy().view(np.uint32)[:, 0]
    want = codes.reshape(64, 4).view(kind).astype(np.float32)
    for place, columns in (("", (0, 1)), ("_sdwa", (2, 3))):
        text = f"v_cvt_pk_f32_{word}{place or '_e32'} v[2:3], v0" + (" src0_sel:WORD_1" if place else "")
        state = run_instruction(target, text, {0: words})
        for register, column in zip((2, 3), columns, strict=True):
            np.testing.assert_array_equal(state.f32(register), want[:, column])
