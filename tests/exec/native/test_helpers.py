"""Conversions the runtime supplies to translated code, against NumPy and ml_dtypes."""

from __future__ import annotations

import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from softrock.exec import runtime as rt

Array = np.ndarray[Any, Any]


def samples(kind: type) -> Array:
    random = np.random.default_rng(3)
    width = np.dtype(kind).itemsize
    bits = random.integers(0, 1 << 63, 20000, np.uint64) >> np.uint64(63 - (8 * width - 1))
    wild: Array = bits.astype(f"u{width}").view(kind)
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    bfloats = np.arange(65536, dtype=np.uint16).view(ml_dtypes.bfloat16)
    exact = np.concatenate([halves.astype(kind), bfloats.astype(np.float32).astype(kind)])
    near = np.concatenate([np.nextafter(exact, kind(np.inf)), np.nextafter(exact, kind(-np.inf))])
    ties = (exact[:-1] / 2 + exact[1:] / 2)[np.isfinite(exact[:-1]) & np.isfinite(exact[1:])]
    with np.errstate(all="ignore"):
        close = np.concatenate([np.nextafter(ties, kind(np.inf)), np.nextafter(ties, kind(-np.inf))])
        return np.concatenate([wild, exact, near, ties, close, -wild])


def bits_of(values: Array) -> Array:
    """Bits with every NaN made the same."""
    flat = values.view(np.uint16).copy()
    flat[np.isnan(values.astype(np.float32))] = 0x7FFF
    return flat


@pytest.mark.parametrize(
    ("symbol", "kernel", "source", "target"),
    [
        ("__truncdfhf2", "convert_double", np.float64, np.float16),
        ("__truncsfhf2", "convert_float", np.float32, np.float16),
        ("__truncdfbf2", "convert_double", np.float64, ml_dtypes.bfloat16),
        ("__truncsfbf2", "convert_float", np.float32, ml_dtypes.bfloat16),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_narrowing(kernels: Any, queue: rt.Queue, symbol: str, kernel: str, source: type, target: type) -> None:
    values = samples(source)
    out = np.zeros(values.size, np.uint16)
    launch = kernels.launch(kernel)
    launch.shape((1, 1, 1), (64, 1, 1))
    function = rt.runtime().symbols[symbol]
    queue.launch(launch, struct.pack("QQQQ", function, values.ctypes.data, out.ctypes.data, values.size))
    assert queue.wait(timeout=10)
    queue.check()
    if source is np.float64 and target is ml_dtypes.bfloat16:
        expected = round_to_bfloat16(values)
    else:
        expected = values.astype(target)
    np.testing.assert_array_equal(bits_of(out.view(target)), bits_of(expected))


def round_to_bfloat16(values: Array) -> Array:
    """One rounding, by rounding to odd in float32 first."""
    narrow = values.astype(np.float32)
    wrong = (narrow.astype(np.float64) != values) & np.isfinite(narrow)
    away = wrong & (np.abs(narrow.astype(np.float64)) > np.abs(values))
    toward = narrow.copy()
    toward[away] = np.nextafter(narrow[away], np.float32(0))
    infinite = np.isinf(narrow) & np.isfinite(values)
    toward[infinite] = np.copysign(np.finfo(np.float32).max, narrow[infinite])
    odd = toward.view(np.uint32) | (wrong | infinite)
    result: Array = odd.astype(np.uint32).view(np.float32).astype(ml_dtypes.bfloat16)
    return result


def test_widening(kernels: Any, queue: rt.Queue) -> None:
    values = np.arange(65536, dtype=np.uint16)
    out = np.zeros(values.size, np.float32)
    launch = kernels.launch("convert_half")
    launch.shape((1, 1, 1), (64, 1, 1))
    function = rt.runtime().symbols["__extendhfsf2"]
    queue.launch(launch, struct.pack("QQQQ", function, values.ctypes.data, out.ctypes.data, values.size))
    assert queue.wait(timeout=10)
    np.testing.assert_array_equal(out, values.view(np.float16).astype(np.float32))


def test_symbols_are_addresses() -> None:
    symbols = rt.runtime().symbols
    for name in ("sr_barrier", "sr_yield", "sr_trap", "sr_lookup", "fmaf", "memcpy", "__udivti3"):
        assert symbols[name] > 4096, name
