"""Registers with forms across blocks: kernels written by hand, and random ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.lift.hand_kernels import TARGETS, assembled, results
from tests.lift.harness import lanes_of
from tests.lift.models import program
from tests.lift.test_forms import _Straight
from tests.lift.test_random_programs import _check as check_kernels

from softrock.lift import function

CompileDevice = Callable[..., bytes]


def _run(
    compile_device: CompileDevice, target: str, body: str, given: list[int] | np.ndarray, extra: str = ""
) -> np.ndarray:
    loaded = assembled(compile_device, target, {"k": body}, extra)
    return results(loaded, target, "k", np.array(given, np.uint32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("flag", [0, 1])
def test_work_item_ids_meet_something_alike(compile_device: CompileDevice, target: str, flag: int) -> None:
    body = """
        s_load_b32 s8, s[4:5], 0x0
        v_mov_b32 v9, v0
        wait
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc1 $join
        v_add_nc_u32 v9, 5, v9
        v_add_nc_u32 v0, 7, v0
      $join:
        s_nop 0
        show v0
        show v9"""
    out = _run(compile_device, target, body, [flag])
    lane = np.arange(lanes_of(target))
    np.testing.assert_array_equal(out[:2], [lane + 7 * flag, lane + 5 * flag])


@pytest.mark.parametrize("target", TARGETS)
def test_a_call_with_halves_of_a_pair_as_forms(compile_device: CompileDevice, target: str) -> None:
    body = """
        s_load_b128 s[8:11], s[4:5], 0x0
        v_lshlrev_b32 v2, 3, v0
        wait
        v_add_nc_u32 v3, s8, v0
        v_sub_nc_u32 v2, v2, v3
        s_branch $next
      $next:
        v_mov_b32 v10, 1
        s_getpc_b64 s[70:71]
        s_add_u32 s70, s70, callee@rel32@lo+4
        s_addc_u32 s71, s71, callee@rel32@hi+12
        s_swappc_b64 s[72:73], s[70:71]
        v_lshlrev_b64 v[4:5], 1, v[2:3]
        v_lshrrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 0, v[2:3]
        v_lshlrev_b64 v[2:3], 0, v[2:3]
        v_lshlrev_b64 v[2:3], 0, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        show v2
        show v3
        show v4
        show v5
        show v10"""
    callee = ".p2align 2\n.type callee,@function\ncallee:\nv_add_{}u32 v10, v10, v2\ns_setpc_b64 s[72:73]\n"
    callee += ".size callee, .-callee"
    out = _run(compile_device, target, body, [3, 0, 0, 0], callee.format("" if target == "gfx942" else "nc_"))
    lane = np.arange(lanes_of(target), dtype=np.uint64)
    high = lane + np.uint64(3)
    low = (lane * np.uint64(8) - high) & np.uint64(0xFFFFFFFF)
    whole = low | high << np.uint64(32)
    want = [(whole & ~np.uint64(1)) << np.uint64(1), whole << np.uint64(1)]
    rows = [half for w in want for half in (w & np.uint64(0xFFFFFFFF), w >> np.uint64(32))]
    np.testing.assert_array_equal(out[:5], [*rows, (low + np.uint64(1)) & np.uint64(0xFFFFFFFF)])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("flag", [0, 1])
def test_one_half_of_a_pair_crosses_a_block_where_the_other_is_dead(
    compile_device: CompileDevice, target: str, flag: int
) -> None:
    body = """
        s_load_b32 s8, s[4:5], 0x0
        global_load_b32 v12, v60, s[4:5] offset:4
        wait
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc1 $other
        v_mul_lo_u32 v2, v0, -8
        v_add_nc_u32 v3, s8, v0
        v_add_nc_u32 v13, v2, v3
        s_branch $middle
      $middle:
        v_add_nc_u32 v13, 1, v13
        s_branch $join
      $other:
        v_xor_b32 v2, 5, v12
        v_mov_b32 v13, v12
      $join:
        v_mov_b32 v3, 7
        v_lshlrev_b64 v[4:5], 1, v[2:3]
        v_lshrrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        v_lshlrev_b64 v[2:3], 1, v[2:3]
        show v4
        show v5
        show v13"""
    lanes = lanes_of(target)
    data = np.random.default_rng(1).integers(0, 1 << 32, lanes, np.uint32)
    out = _run(compile_device, target, body, np.concatenate([[np.uint32(flag)], data]))
    lane = np.arange(lanes, dtype=np.int64)
    low = (-8 * lane if flag else (data ^ 5).astype(np.int64)) & 0xFFFFFFFF
    whole = (low | 7 << 32) << 1
    last = -8 * lane + lane + 2 if flag else data
    np.testing.assert_array_equal(out[:3], np.array([whole, whole >> 32, last]) & 0xFFFFFFFF)


@pytest.mark.parametrize("target", TARGETS)
def test_indexed_registers_that_are_forms(compile_device: CompileDevice, target: str) -> None:
    start = """
        s_load_b32 s8, s[4:5], 0x0
        v_lshlrev_b32 v2, 1, v0
        v_add_nc_u32 v3, 100, v0
        v_mov_b32 v4, 9
        v_mov_b32 v5, 0
        wait
        v_mov_b32 v6, s8
    """
    gfx9 = """
        s_set_gpr_idx_on s8, gpr_idx(SRC0)
        v_mov_b32 v10, v2
        s_set_gpr_idx_off
        s_set_gpr_idx_on s8, gpr_idx(DST)
        v_mov_b32 v4, v3
        s_set_gpr_idx_off
    """
    gfx11 = """
        s_mov_b32 m0, s8
        v_movrels_b32 v10, v2
        v_movreld_b32 v4, v3
    """
    shows = "\n".join(f"show v{r}" for r in (2, 3, 4, 5, 6, 10))
    out = _run(compile_device, target, start + (gfx9 if target == "gfx942" else gfx11) + shows, [1])
    lane = np.arange(lanes_of(target))
    want = [2 * lane, lane + 100, 0 * lane + 9, lane + 100, 0 * lane + 1, lane + 100]
    np.testing.assert_array_equal(out[:6], want)


# -- random kernels --------------------------------------------------------------------------------

SETUP = """
v_mov_b32 D, S|v_lshlrev_b32 D, 2, v0|v_mov_b32 D, v0|v_lshlrev_b32 D, 4, v0|v_mov_b32 D, 0|v_mov_b32 D, 64
v_and_b32 D, 7, v0 ; v_lshrrev_b32 D2, 3, v0|v_lshrrev_b32 D, 4, v0 ; v_and_b32 D2, 15, v0|v_mul_lo_u32 D, v0, S
v_mad_u64_u32 P, K, v0, 4, X|v_mad_u64_u32 P, K, v0, 4, 0|v_mad_u64_u32 P, K, v0, S, Q
v_lshlrev_b32 PL, 3, v0 ; v_mov_b32 PH, 0
v_mov_b32 PL, S ; v_mov_b32 PH, T|v_mul_u32_u24 PL, v0, S ; v_ashrrev_i32 PH, 31, PL|v_mov_b32 PL, v0 ; v_mov_b32 PH, v0
v_lshlrev_b32 D, 1, D|v_mul_lo_u32 D, v0, -4|v_mov_b32 D, -1|v_lshl_or_b32 D, v0, 2, 1|v_lshl_add_u32 D, v0, 2, S
v_mad_u64_u32 P, K, D, 4, X
"""


class FormedBlocks(_Straight):
    """Kernels whose registers are forms in many of their blocks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        more = program.ONLY[self.major].strip()
        self.templates += [t for t in program._templates(more) if "movrel" in t or "gpr_idx" in t or "cmpx" in t]
        self.setup = program._templates(SETUP)
        self.templates += 2 * self.setup
        before, self.templates = self.templates, self.setup
        for _ in range(12):
            self.instruction()
        self.templates = before


@pytest.fixture
def formed_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "Generator", FormedBlocks)


@pytest.mark.usefixtures("formed_blocks")
@pytest.mark.parametrize("target", TARGETS)
def test_random_kernels(compile_device: CompileDevice, target: str) -> None:
    check_kernels(compile_device, target, 40, 40, 1)


@pytest.mark.usefixtures("formed_blocks")
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_functions_too_long_for_forms(
    compile_device: CompileDevice, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Registers cross blocks as vectors in very long functions; seeds of their own keep the code cache apart."""
    monkeypatch.setattr(function, "SHAPE_LIMIT", 0)
    check_kernels(compile_device, target, 40, 560, 1)


@pytest.mark.long
@pytest.mark.usefixtures("formed_blocks")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(2000, 2040, 10))
def test_more_random_kernels(compile_device: CompileDevice, target: str, seed: int) -> None:
    check_kernels(compile_device, target, 20 + seed % 90, seed, 10)
