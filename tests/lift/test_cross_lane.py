"""Operations that look at other lanes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from tests.lift.harness import Case, run_cases, run_instruction

RNG = np.random.default_rng(7)
DATA = RNG.integers(0, 1 << 32, 64, dtype=np.uint32)
ADDRESS = RNG.integers(0, 400, 64, dtype=np.uint32)


def bits(mask: int, lanes: int = 64) -> npt.NDArray[np.bool_]:
    return np.array([bool(mask >> k & 1) for k in range(lanes)])


@pytest.mark.parametrize("mask", [-1, 0xFFFF0FFFF0FF])
def test_bpermute_reads_inactive_lanes_as_zero(mask: int) -> None:
    state = run_instruction("gfx942", "ds_bpermute_b32 v2, v0, v1 offset:8", {0: ADDRESS, 1: DATA}, exec_mask=mask)
    source = ((ADDRESS + 8) >> 2) & 63
    active = bits(mask)
    assert (state.u32(2) == np.where(active & active[source], DATA[source], 0)).all()


def test_bpermute_in_wave32_and_in_halves_of_wave64() -> None:
    small, large = run_cases(
        [
            Case("gfx1100", "ds_bpermute_b32 v2, v0, v1", {0: ADDRESS[:32], 1: DATA[:32]}),
            Case("gfx1100:64", "ds_bpermute_b32 v2, v0, v1", {0: ADDRESS, 1: DATA}),
        ]
    )
    source = (ADDRESS >> 2) & 31
    assert (small.u32(2) == DATA[source[:32]]).all()
    assert (large.u32(2) == DATA[source | (np.arange(64) & 32)]).all()


def test_permute_the_highest_sender_wins() -> None:
    mask = 0xFFFFFFFF0
    state = run_instruction("gfx942", "ds_permute_b32 v2, v0, v1", {0: ADDRESS, 1: DATA}, exec_mask=mask)
    want = np.zeros(64, np.uint32)
    for lane in np.flatnonzero(bits(mask)):
        want[(ADDRESS[lane] >> 2) & 63] = DATA[lane]
    assert (state.u32(2) == np.where(bits(mask), want, 0)).all()


def test_single_lanes() -> None:
    read, first, none, write = run_cases(
        [
            Case("gfx942", "v_readlane_b32 s0, v1, s2", {1: DATA}, {2: 64 + 9}, exec_mask=0),
            Case("gfx942", "v_readfirstlane_b32 s0, v1", {1: DATA}, exec_mask=0xF0),
            Case("gfx942", "v_readfirstlane_b32 s0, v1", {1: DATA}, exec_mask=0),
            Case("gfx942", "v_writelane_b32 v1, s0, m0", {1: DATA}, {0: 77, 124: 70}, exec_mask=0),
        ]
    )
    assert (read.sgprs[0], first.sgprs[0], none.sgprs[0]) == (DATA[9], DATA[4], DATA[0])
    want = DATA.copy()
    want[6] = 77
    assert (write.u32(1) == want).all()


@pytest.mark.parametrize("flags", ["", " op_sel:[1,0]", " op_sel:[0,1]"])
@pytest.mark.parametrize("name", ["v_permlane16_b32", "v_permlanex16_b32"])
def test_rows(name: str, flags: str) -> None:
    mask, old = 0x0FF0F0FF, np.arange(32, dtype=np.uint32)
    selects = 0xFEDC_BA98_0123_4567
    state = run_instruction(
        "gfx1100",
        f"{name} v2, v0, s0, s1{flags}",
        {0: DATA[:32], 2: old},
        {0: selects & 0xFFFFFFFF, 1: selects >> 32},
        exec_mask=mask,
    )
    for lane in range(32):
        row = (lane & 16) ^ (16 if "x16" in name else 0)
        source = row | selects >> 4 * (lane & 15) & 15
        want = DATA[source]
        if not mask >> source & 1 and flags != " op_sel:[1,0]":
            want = 0 if flags else old[lane]
        if not mask >> lane & 1:
            want = old[lane]
        assert state.u32(2)[lane] == want


def test_swizzles_mbcnt_and_swaps() -> None:
    quad, reverse, count, swap, rows = run_cases(
        [
            Case("gfx942", 'ds_swizzle_b32 v2, v0 offset:swizzle(QUAD_PERM, 3, 2, 1, 0)', {0: DATA}),
            Case("gfx942", 'ds_swizzle_b32 v2, v0 offset:swizzle(REVERSE, 8)', {0: DATA}),
            Case("gfx942", ["v_mbcnt_lo_u32_b32 v2, v0, 0", "v_mbcnt_hi_u32_b32 v2, v1, v2"], {0: DATA, 1: ADDRESS}),
            Case("gfx942", "v_swap_b32 v0, v1", {0: DATA, 1: ADDRESS}, exec_mask=0xFF),
            Case("gfx950", "v_permlane32_swap_b32 v0, v1", {0: DATA, 1: ADDRESS}),
        ]
    )
    lanes = np.arange(64)
    assert (quad.u32(2) == DATA[lanes ^ 3]).all()
    assert (reverse.u32(2) == DATA[lanes ^ 7]).all()
    masks = DATA.astype(object) | (ADDRESS.astype(object) << 32)
    want = [(int(masks[k]) & (1 << k) - 1).bit_count() for k in range(64)]
    assert (count.u32(2) == want).all()
    low = lanes < 8
    assert (swap.u32(0) == np.where(low, ADDRESS, DATA)).all()
    assert (swap.u32(1) == np.where(low, DATA, ADDRESS)).all()
    assert (rows.u32(0) == np.concatenate([DATA[:32], ADDRESS[:32]])).all()
    assert (rows.u32(1) == np.concatenate([DATA[32:], ADDRESS[32:]])).all()
