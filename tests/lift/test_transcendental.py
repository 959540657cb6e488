"""The vector kernels stay within one ulp and give the documented special values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.lift.harness import Case, prepare, run_prepared

REFERENCE: dict[str, Callable[[Any], Any]] = {
    "rcp": lambda v: 1 / v,
    "rsq": lambda v: 1 / np.sqrt(v),
    "sqrt": np.sqrt,
    "exp": np.exp2,
    "log": np.log2,
    "sin": lambda v: np.sin(2 * np.pi * (v - np.rint(v))),
    "cos": lambda v: np.cos(2 * np.pi * (v - np.rint(v))),
}
SPECIAL = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38, 3.4e38, -3.4e38, 0.125, 0.3, 1, -1, 1.7e38, 2],
    np.float32,
)


def flushed(values: Any) -> Any:
    """Denormals as the zeros that these instructions take them for."""
    return np.where(np.abs(values) < np.float64(2.0**-126), values * 0, values)


@pytest.mark.parametrize("name", REFERENCE)
def test_within_one_ulp(name: str) -> None:
    rng = np.random.default_rng(11)
    prepared = prepare([Case("gfx942", f"v_{name}_f32_e32 v1, v0")])
    for trial in range(40):
        values = (rng.standard_normal(64) * [1, 10, 100, 0.01][trial % 4]).astype(np.float32)
        if trial % 3 == 0:
            values = rng.integers(0, 1 << 32, 64, dtype=np.uint32).view(np.float32)
        if trial % 5 == 0 and name == "log":
            values = (1 + rng.standard_normal(64) * 0.01).astype(np.float32)
        values[:16] = SPECIAL
        got = run_prepared(prepared, [replace(prepared.cases[0], vgprs={0: values})])[0].f32(1)
        with np.errstate(all="ignore"):
            keep: Callable[[Any], Any] = np.asarray if name in ("sin", "cos") else flushed
            want = keep(REFERENCE[name](keep(values.astype(np.longdouble))))
            rounded = want.astype(np.float32)
            assert (np.isnan(got) == np.isnan(rounded)).all()
            close = np.abs(got - want) <= np.spacing(np.maximum(np.abs(rounded), np.float32(1e-30)))
            same = (got == rounded) | np.isnan(rounded) | close
        if name in ("sin", "cos"):
            same |= np.abs(want) < 1e-15  # the reference's own pi is not exact
        assert same.all(), (values[~same][:4], got[~same][:4], rounded[~same][:4])
