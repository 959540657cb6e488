"""Edge values of each element type as raw bits, and how they are spread over lanes in several rounds."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from tests.lift.models.formats import BY_NAME, Format

Bits = npt.NDArray[np.uint64]
INTEGERS = {
    8: (0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x55),
    16: (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF, 0x5555),
    32: (
        *(
            0,
            1,
            2,
            3,
            0x1F,
            0x20,
            0x21,
            0x7F,
            0x80,
            0xFF,
            0x7FFF,
            0x8000,
            0xFFFF,
            0x10000,
            0x7FFFFF,
            0x800000,
            0xFFFFFF,
        ),
        *(0x1000000, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x55555555, 0x00200010),
    ),
    64: (
        *(0, 1, 2, 0x3F, 0x40, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF),
        *(0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF00000000),
        *(0x5555555555555555, 0xFFFFFFFF80000000),
    ),
}


@functools.cache
def float_edges(f: Format) -> tuple[int, ...]:
    """Zeros, denormals, extremes, infinities, both kinds of NaN, small integers, halves and powers of two, each
    sign."""
    half_step = f.one | 1
    positive = [
        *(0, 1, (1 << f.man) - 1, 1 << f.man, 1 << (f.man - 1), f.largest, f.inf, f.nan, f.inf | 1),
        *(f.one, half_step, f.one - 1, f.of_float(0.5), f.of_float(1.5), f.of_float(2.0), f.of_float(2.5)),
        *(f.of_float(3.0), f.of_float(0.1), f.of_float(255.5), f.of_float(1e-3), f.of_float(32767.5)),
    ]
    if f.bits >= 32:
        positive += [f.of_float(x) for x in (65535.5, 65504.0, 65520.0, 2147483520.0, 2147483648.0, 4294967296.0)]
        positive += [f.of_float(x) for x in (6.0e-8, 2.9e-8, 6.1e-5, 8388608.5, 16777217.0)]
    if f.bits == 64:
        positive += [f.of_float(x) for x in (2147483647.5, 3.4028234e38, 3.5e38, 1.2e-38, 1e-45, 4503599627370496.5)]
    return tuple(dict.fromkeys([*positive, *(p | f.sign_bit for p in positive)]))


def width_of(elem: str) -> int:
    """Bits of an element type such as ``u32`` or ``f16``."""
    return int(elem.lstrip("abcdefghijklmnopqrstuvwxyz"))


@functools.cache
def edges(elem: str) -> tuple[int, ...]:
    """Edge values of an element type."""
    if elem in BY_NAME:
        return float_edges(BY_NAME[elem])
    return INTEGERS[width_of(elem)]


def randoms(elem: str, count: int, rng: np.random.Generator) -> Bits:
    """Random bit patterns; half of the floats lie near one, so that sums and products do not all overflow."""
    raw = rng.integers(0, 1 << 64, count, np.uint64, endpoint=False) & np.uint64((1 << width_of(elem)) - 1)
    if elem in BY_NAME:
        f = BY_NAME[elem]
        near = rng.random(count) < 0.5
        span = min(8, f.bias - 1)
        exponent = rng.integers(f.bias - span, f.bias + span, count).astype(np.uint64) << np.uint64(f.man)
        kept = np.uint64(f.sign_bit | ((1 << f.man) - 1))
        raw = np.where(near, (raw & kept) | exponent, raw)
    return raw


def rounds(elems: Sequence[str], lanes: int, limit: int, rng: np.random.Generator) -> list[list[Bits]]:
    """Values for every source: all combinations of edge values while they fit in `limit` rounds, else a random choice
    of them, then one round of random values.

    Returns:
        One entry a round: for each source `lanes` raw values.
    """
    lists = [edges(e) for e in elems]
    total = int(np.prod([len(x) for x in lists])) if lists else 1
    room = lanes * limit
    if total <= room:
        rows = np.array(list(itertools.product(*lists)), np.uint64).reshape(total, len(elems))
        rows = np.resize(rows, (-(-total // lanes) * lanes, len(elems)))
    else:
        rows = np.stack([np.array(x, np.uint64)[rng.integers(0, len(x), room)] for x in lists], 1)
    rows = rng.permutation(rows)
    found = [[rows[k : k + lanes, j].copy() for j in range(len(elems))] for k in range(0, len(rows), lanes)]
    found.append([randoms(e, lanes, rng) for e in elems])
    return found


def pack(low: Bits, high: Bits) -> Bits:
    """Two 16-bit values a dword."""
    return low | high << np.uint64(16)
