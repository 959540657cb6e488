"""Scalar operations that touch more than their operands: SCC, EXEC, the program counter, MODE."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lift.harness import CODE_BASE, Case, assemble, module_text, run_cases, run_instruction

from softrock.core.errors import UnsupportedError
from softrock.lift.context import Mode


def test_addresses_made_from_the_program_counter_stay_in_one_piece() -> None:
    code = [
        "s_getpc_b64 s[0:1]",
        "s_add_u32 s0, s0, 0xfffffff0",
        "s_addc_u32 s1, s1, -1",
        "s_mov_b64 s[2:3], s[0:1]",
    ]
    end = assemble("gfx942", code)[0].end
    state = run_instruction("gfx942", code)
    assert state.pair(2) == CODE_BASE + end - 16
    text, _, _ = module_text([Case("gfx942", code)])
    assert f", {(end - 16) % (1 << 64)}" in text  # computed from the base at once, not through carries


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("s_and_saveexec_b64", lambda s, e: s & e),
        ("s_andn2_saveexec_b64", lambda s, e: s & ~e),
        ("s_andn1_saveexec_b64", lambda s, e: ~s & e),
        ("s_orn2_saveexec_b64", lambda s, e: s | ~e),
        ("s_xor_saveexec_b64", lambda s, e: s ^ e),
        ("s_nand_saveexec_b64", lambda s, e: ~(s & e)),
        ("s_andn1_wrexec_b64", lambda s, e: ~s & e),
    ],
)
def test_exec_operations(name: str, new: object) -> None:
    assert callable(new)
    mask, old = 0xF0F0_1234_5678_9ABC, 0x0FF0_FFFF_0000_FF00
    whole = (1 << 64) - 1
    state = run_instruction("gfx942", f"{name} s[2:3], s[0:1]", sgprs={0: mask}, exec_mask=old)
    want = new(mask, old) & whole
    assert state.exec_mask == want
    assert state.pair(2) == (want if "wrexec" in name else old)
    assert state.scc == 1


def test_comparison_writes_exec_as_its_generation_does() -> None:
    a = np.arange(64, dtype=np.uint32)
    old, new = run_cases(
        [
            Case("gfx942", "v_cmpx_gt_u32 vcc, 8, v0", {0: a}, exec_mask=0xF0F),
            Case("gfx1100", "v_cmpx_gt_u32 8, v0", {0: a[:32]}, {106: 5}, exec_mask=0xF0F),
        ]
    )
    assert (old.exec_mask, old.mask()) == (0xF, 0xF)
    assert (new.exec_mask, new.sgprs[106]) == (0xF, 5)


def test_mode_is_followed_in_program_order() -> None:
    tiny = np.full(64, 1e-40, np.float32)
    code = [
        "v_add_f32 v1, v0, v0",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",
        "v_add_f32 v2, v0, v0",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
        "v_add_f32 v3, v0, v0",
        "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)",
    ]
    state = run_instruction("gfx942", code, {0: tiny})
    assert [float(state.f32(r)[0]) for r in (1, 2, 3)] == [float(tiny[0] * 2), 0.0, float(tiny[0] * 2)]
    assert state.sgprs[0] == 15
    flushed = run_instruction("gfx942", code[0], {0: -tiny}, mode=Mode(flush_f32=True))
    assert (flushed.u32(1) == 0x8000_0000).all()


def test_what_mode_cannot_do_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="rounding mode"):
        run_instruction("gfx942", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1")
    with pytest.raises(UnsupportedError, match="not known"):
        run_instruction("gfx942", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s0")
