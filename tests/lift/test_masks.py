"""Compares of lanes in rows with something uniform, and of their minima and maxima, at the ends of ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.lift.harness import Case, prepare, run_prepared

WORDS = ("lt", "le", "gt", "ge", "eq", "ne")
KINDS = ("i32", "u32")
FIRST = 24
"""The first of the scalar registers that take the masks."""
BASES = (0, 5, 64, (1 << 31) - 70, (1 << 31) - 64, (1 << 31) - 30, 1 << 31, (1 << 32) - 64, (1 << 32) - 33)
NEAR = (-1, 0, 1, 31, 62, 63, 64, 65, 1 << 31)
SHAPES = ((64, 1, 0), (64, 4, 0), (64, -1, 0), (16, 1, 0), (16, 1, 100), (32, 1, -7), (8, 0, 1), (16, -2, 3))
"""(row, stride, pitch)"""

LEVELS = ("", pytest.param("x86-64-v3", marks=pytest.mark.long))
OPERATIONS = [(word, kind, register) for kind in KINDS for word in WORDS for register in (1, 2, 3)]


def _program() -> list[str]:
    lines = []
    at = FIRST
    for kind in KINDS:
        lines += [f"v_min_{kind} v2, s21, v1", f"v_max_{kind} v3, s21, v1"]
        for word, of, register in OPERATIONS:
            if of == kind:
                lines.append(f"v_cmp_{word}_{kind} s[{at}:{at + 1}], s20, v{register}")
                at += 2
    return lines


def _lanes(base: int, row: int, stride: int, pitch: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    number = np.arange(64)
    return ((base + stride * (number % row) + pitch * (number // row)) & 0xFFFFFFFF).astype(np.uint32)


def _want(case: Case) -> list[int]:
    out = []
    for word, kind, register in OPERATIONS:
        as_kind = np.dtype(kind.replace("i", "int").replace("u", "uint"))
        lanes = np.asarray(case.vgprs[1], np.uint32).view(as_kind)
        limit, one = (np.array([case.sgprs[s]], np.uint32).view(as_kind)[0] for s in (20, 21))
        lanes = [lanes, np.minimum(lanes, one), np.maximum(lanes, one)][register - 1]
        holds = {
            "lt": limit < lanes,
            "le": limit <= lanes,
            "gt": limit > lanes,
            "ge": limit >= lanes,
            "eq": limit == lanes,
            "ne": limit != lanes,
        }[word]
        out.append(sum(1 << int(k) for k in np.flatnonzero(holds)) & case.exec_mask)
    return out


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", ["gfx942", "gfx1100:64"])
def test_compares(target: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if level:
        monkeypatch.setenv("SOFTROCK_HOST_CPU", level)
    everything = (1 << 64) - 1
    shapes = [(*shape, mask) for shape in SHAPES for mask in (everything, 0x123456789ABCDEF1)]

    def case(shape: tuple[int, int, int, int], base: int, limit: int, one: int) -> Case:
        row, stride, pitch, mask = shape
        lanes = _lanes(base, row, stride, pitch)
        return Case(target, _program(), {1: lanes}, {20: limit, 21: one}, mask, rows={1: row})

    prepared = prepare([case(shape, 0, 1, 2) for shape in shapes])
    rng = np.random.default_rng(4)
    wrong = []
    for base in BASES:
        for near in NEAR:
            limit = (base + near) & 0xFFFFFFFF
            one = int(rng.choice([limit, limit ^ 1, (limit + 40) & 0xFFFFFFFF, 0, 1 << 31, (1 << 32) - 1]))
            cases = [case(shape, base, limit, one) for shape in shapes]
            for data, state in zip(cases, run_prepared(prepared, cases), strict=True):
                got = [state.pair(FIRST + 2 * k) for k in range(len(OPERATIONS))]
                wrong += [
                    (data.rows, hex(base), hex(limit), hex(one), operation)
                    for operation, g, w in zip(OPERATIONS, got, _want(data), strict=True)
                    if g != w
                ]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("level", LEVELS)
def test_told_lanes(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the largest lane is known."""
    if level:
        monkeypatch.setenv("SOFTROCK_HOST_CPU", level)
    for base in (0, 64, 1000):
        lanes = _lanes(base, 64, 1, 0)
        everything = (1 << 64) - 1
        case = Case("gfx942", _program(), {1: lanes}, {20: 0, 21: base + 3}, everything, rows={1: 64}, told=(1,))
        prepared = prepare([case])
        for near in (0, 1, 62, 63, 64):
            data = replace(case, sgprs={20: base + near, 21: base + 3})
            (state,) = run_prepared(prepared, [data])
            assert [state.pair(FIRST + 2 * k) for k in range(len(OPERATIONS))] == _want(data)
