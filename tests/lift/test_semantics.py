"""Every arithmetic instruction of the tables, on edge values, against the independent model in `models`.

Each row of the tables whose operation is registered is encoded with registers (and modifiers, constants, DPP, SDWA
chosen by a fixed chance), translated on its own and run on all pairs of edge values or a choice of triples, with all
lanes on and
under partial EXEC. Rows that come later are covered by themselves; a registered operation must have a model.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from tests.lift import harness
from tests.lift.harness import Case
from tests.lift.models import check, encode, everything  # noqa: F401  (registers operations)
from tests.lift.models.machine import SPECIAL
from tests.lift.models.registry import MODELS
from tests.lift.models.scalar import SAVEEXEC, SCALARS

from softrock.core.errors import UnsupportedError
from softrock.decode.instruction import Instruction
from softrock.isa.tables import Row, table
from softrock.isa.targets import Target
from softrock.isa.targets import target as target_of
from softrock.lift.context import Mode
from softrock.lift.registry import lookup

ARITHMETIC = ("SOP1", "SOP2", "SOPC", "SOPK", "VOP1", "VOP2", "VOP3", "VOPC", "VINTERP")
LANE_OPERATIONS = ("ds_bpermute_b32", "ds_permute_b32", "ds_swizzle_b32")
ELSEWHERE = {
    "v_mfma_": "test_matrix_layouts.py",
    "v_smfmac_": "test_matrix_layouts.py",
    "v_wmma_": "test_matrix_layouts.py",
    "v_movrel": "test_random_programs.py",
    "s_set_gpr_idx_": "test_random_programs.py",
}
"""Beginnings of operations that other tests check."""
NO_MODEL = {
    "s_getpc_b64": "an address, not arithmetic; whole-kernel tests use it",
    "s_getreg_b32": "reads hardware registers",
    "s_setreg_b32": "writes hardware registers",
    "s_setreg_imm32_b32": "writes hardware registers",
    "s_version": "does nothing",
    "s_waitcnt_vscnt": "does nothing",
    "s_waitcnt_vmcnt": "does nothing",
    "s_waitcnt_expcnt": "does nothing",
    "s_waitcnt_lgkmcnt": "does nothing",
    "s_sendmsg_rtn_b32": "asks the hardware for a value",
    "s_sendmsg_rtn_b64": "asks the hardware for a value",
    "v_clrexcp": "clears exception flags, which are not kept",
    "v_screen_partition_4se_b32": "graphics: no definition in the guides",
    "v_interp_p10_f32": "graphics: pixel shaders only",
    "v_interp_p2_f32": "graphics: pixel shaders only",
}
"""Registered operations without a model, and why."""
TARGETS = ("gfx942", "gfx1100", "gfx1100:64")
CHUNK = 120
LIMIT = 5


def _known(op: str) -> bool:
    return op in MODELS or op in SPECIAL or op in SCALARS or op in SAVEEXEC


def _rows(name: str) -> list[Row]:
    found = []
    for row in table(name).rows:
        arithmetic = row.encoding.startswith(ARITHMETIC) and not row.op.startswith(tuple(ELSEWHERE))
        if (arithmetic or row.op in LANE_OPERATIONS) and lookup(row.op) is not None:
            found.append(row)
    return found


def chance(*what: object) -> int:
    return zlib.crc32(repr(what).encode())


def _variants(target: str, row: Row) -> Iterator[tuple[encode.Choice, bool]]:
    """How a row is encoded, and whether all lanes are known to be on."""
    if row.encoding.startswith("SOP"):
        yield encode.Choice(), True
        yield encode.Choice(kinds=True), True
        return
    has_mods = row.mods != [] and row.mods != ["-"]
    if row.encoding in ("VOP1", "VOP2", "VOPC"):
        yield encode.Choice(kinds=True), False
        if chance(row.asm) % 4 == 0:
            yield encode.Choice(kinds=True), True
    elif "DPP" in row.encoding or "SDWA" in row.encoding:
        yield encode.Choice(mods=True), chance(row.asm) % 4 == 0
    elif row.encoding == "DS":
        yield from ((encode.Choice(mods=True), k == 0) for k in range(6))
    else:
        yield encode.Choice(mods=has_mods), True
        yield encode.Choice(kinds=True), False


def _sampled(target: str, row: Row) -> bool:
    """Whether a row is part of the short test: forms with DPP and SDWA, and waves of 64 on RDNA, are sampled."""
    pick = chance(target, row.asm, row.encoding)
    if "DPP" in row.encoding or "SDWA" in row.encoding:
        return pick % 6 == 0
    return pick % 3 == 0 if target.endswith(":64") else True


def _chunks(sampled: bool) -> list[tuple[str, str, int]]:
    found = []
    for target in TARGETS:
        name = target.partition(":")[0]
        by_group: dict[str, int] = {}
        for row in _rows(name):
            if _sampled(target, row) is sampled:
                by_group[_group(row)] = by_group.get(_group(row), 0) + 1
        for group, count in by_group.items():
            found += [(target, group, k) for k in range(-(-count // CHUNK))]
    return found


def _group(row: Row) -> str:
    return "SOP" if row.encoding.startswith("SOP") else row.encoding


def _build(target: str, row: Row, machine: Target) -> list[tuple[Instruction, bool]]:
    found = []
    for k, (choice, full) in enumerate(_variants(target, row)):
        rng = np.random.default_rng(chance(target, row.asm, row.encoding, k))
        found.append((encode.instruction(row, machine, choice, rng), full))
    return found


def check_instructions(target: str, instructions: list[tuple[Instruction, bool]], mode: Mode, limit: int) -> list[str]:
    """Run instructions through the translator and the model on the same states."""
    lanes, major = check.lanes_and_major(target)
    kept: list[tuple[Instruction, Case]] = []
    refused: list[str] = []
    for inst, full in instructions:
        case = Case(target, inst, mode=mode, full=full)
        try:
            harness.module_text([case])
        except UnsupportedError as error:
            if inst.op not in SAVEEXEC:  # in a wave of the other width; says so clearly
                refused.append(str(error))
            continue
        kept.append((inst, case))
    if not kept:
        return refused
    rng = np.random.default_rng(11)
    plans = [check.rounds_of(i, lanes, limit, bool(c.full), rng) for i, c in kept]
    cases = []
    for (_, case), plan in zip(kept, plans, strict=True):
        first = plan[0]
        cases.append(Case(target, case.code, first.vgprs, first.sgprs, first.exec_mask, first.scc, mode, case.full))
    prepared = harness.prepare(cases)
    wrong = refused
    cache: dict[object, object] = {}
    for which, ((inst, _), plan) in enumerate(zip(kept, plans, strict=True)):
        for start in plan:
            machine = check.machine_of(start, lanes, major, mode)
            machine.cache = cache
            machine.run(inst)
            state = check.run_round(prepared, which, cases[which], start)
            found = check.differences(inst, start, machine, state)
            if found:
                wrong += found[:1]
                break
    return wrong


def _run(target: str, group: str, chunk: int, sampled: bool) -> None:
    name = target.partition(":")[0]
    machine = target_of(name).with_wave_size(check.lanes_and_major(target)[0])
    rows = [r for r in _rows(name) if _group(r) == group and _sampled(target, r) is sampled]
    rows = [r for r in rows if _known(r.op)][chunk * CHUNK : (chunk + 1) * CHUNK]
    instructions = [found for row in rows for found in _build(target, row, machine)]
    wrong = check_instructions(target, instructions, Mode(), LIMIT)
    assert not wrong, f"{len(wrong)} instructions differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize(("target", "group", "chunk"), _chunks(True))
def test_instructions(target: str, group: str, chunk: int) -> None:
    _run(target, group, chunk, True)


@pytest.mark.long
@pytest.mark.parametrize(("target", "group", "chunk"), _chunks(False))
def test_the_other_forms(target: str, group: str, chunk: int) -> None:
    _run(target, group, chunk, False)


@pytest.mark.parametrize("name", ["gfx942", "gfx1100"])
def test_every_registered_operation_has_a_model(name: str) -> None:
    missing = sorted({r.op for r in _rows(name) if not _known(r.op)} - set(NO_MODEL))
    assert not missing, f"operations without a model: {' '.join(missing)}"


def test_the_list_of_operations_without_a_model_is_short_and_true() -> None:
    assert len(NO_MODEL) < 40
    assert not [op for op in NO_MODEL if _known(op)]
