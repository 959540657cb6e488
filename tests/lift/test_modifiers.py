"""Floating-point modes with output modifiers, and every DPP control, against the model."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lift.models import check, encode
from tests.lift.models.lanes import controls
from tests.lift.models.registry import MODELS
from tests.lift.test_semantics import chance, check_instructions

from softrock.decode.instruction import Instruction
from softrock.isa.tables import Row, table
from softrock.isa.targets import target as target_of
from softrock.lift.context import Mode
from softrock.lift.registry import lookup

FLUSHING = (
    *("v_add_f", "v_sub_f", "v_subrev_f", "v_mul_f", "v_mul_dx9", "v_fma_f32", "v_fma_f16", "v_fma_f64", "v_fmac_f"),
    *(
        "v_min_f",
        "v_max_f",
        "v_min3_f",
        "v_max3_f",
        "v_med3_f",
        "v_minmax_f",
        "v_maxmin_f",
        "v_cmp_lt_f",
        "v_cmp_nge_f",
    ),
    *("v_cmp_eq_f", "v_cvt_f16_f32", "v_cvt_f32_f16", "v_cvt_f32_f64", "v_cvt_f64_f32", "v_pk_add_f", "v_pk_mul_f"),
    *("v_pk_fma_f", "v_pk_min_f", "v_pk_max_f", "v_floor_f", "v_ceil_f", "v_rndne_f", "v_fma_mix"),
)
"""Beginnings of operations whose handling of denormals the guides leave no doubt about."""
MODES = {
    "flush": Mode(flush_f32=True, flush_f16_f64=True, ieee=False),
    "flush32": Mode(flush_f32=True, ieee=True),
    "keep": Mode(ieee=False, dx10_clamp=False),
}


def _rows(name: str) -> list[Row]:
    return [
        row
        for row in table(name).rows
        if row.encoding in ("VOP1", "VOP2", "VOP3", "VOPC", "VOP3P")
        and row.op.startswith(FLUSHING)
        and row.op in MODELS
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_modes(target: str, mode: str) -> None:
    machine = target_of(target)
    instructions = []
    for row in _rows(target):
        rng = np.random.default_rng(chance(target, mode, row.asm))
        instructions.append((encode.instruction(row, machine, encode.Choice(mods=True), rng), True))
    wrong = check_instructions(target, instructions, MODES[mode], 3)
    assert not wrong, f"{len(wrong)} instructions differ:\n" + "\n".join(wrong)


def _row(name: str, asm: str, encoding: str) -> Row:
    return next(r for r in table(name).rows if r.asm == asm and r.encoding == encoding)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1100:64"])
def test_every_dpp_control(target: str) -> None:
    name = target.partition(":")[0]
    lanes, major = check.lanes_and_major(target)
    machine = target_of(name).with_wave_size(lanes)
    instructions: list[tuple[Instruction, bool]] = []
    for asm, encoding in (
        ("v_mov_b32_dpp", "VOP1_DPP16"),
        ("v_add_u32_dpp" if major == 9 else "v_add_nc_u32_dpp", "VOP2_DPP16"),
    ):
        row = _row(name, asm, encoding)
        for control in controls(major):
            rng = np.random.default_rng(chance(target, asm, control))
            fields = {"dpp_ctrl": control, "bound_ctrl": control & 1 if encoding == "VOP1_DPP16" else 1 - (control & 1)}
            if rng.integers(0, 2):
                fields |= {"row_mask": 15, "bank_mask": 15}
            inst = encode.instruction(row, machine, encode.Choice(fields=fields), rng)
            instructions.append((inst, bool(rng.integers(0, 4) == 0)))
    wrong = check_instructions(target, instructions, Mode(), 1)
    assert not wrong, f"{len(wrong)} instructions differ:\n" + "\n".join(wrong)


def test_the_rows_are_there() -> None:
    for name in ("gfx942", "gfx1100"):
        rows = _rows(name)
        assert len(rows) > 40
        assert all(lookup(row.op) is not None for row in rows)
