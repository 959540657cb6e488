"""Matrix instructions of both targets against plain loops over the layouts of the ISA guides (`models.matrix`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.lift import harness
from tests.lift.harness import Case, State
from tests.lift.models import encode, matrix
from tests.lift.models.formats import BY_NAME
from tests.lift.models.matrix import FLOATS, SIZES, Numbers, Shape, Words
from tests.lift.test_semantics import chance

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.isa.tables import Row, table
from softrock.isa.targets import target as target_of
from softrock.lift.registry import lookup

PRECISION = {"f32": 2.0**-22, "f64": 2.0**-51, "f16": 2.0**-9, "bf16": 2.0**-6}
INPUT = {"xf32": 2.0**-10}
"""Relative error that the rounding of the inputs themselves may bring."""


@dataclass(frozen=True)
class Trial:
    """One instruction and what it must give, by number in the lane: results, and sums of magnitudes."""

    case: Case
    inst: Instruction
    shape: Shape
    exact: list[Numbers]
    size: list[Numbers]
    small: bool


def _rows(name: str, prefix: tuple[str, ...]) -> list[Row]:
    found = [r for r in table(name).rows if r.op.startswith(prefix) and lookup(r.op) is not None]
    return list({r.op: r for r in found}.values())


def _values(elem: str, count: int, lanes: int, small: bool, rng: np.random.Generator) -> list[Words]:
    """Registers full of small integers (whose sums are exact) or of random numbers of one size."""
    bits = SIZES.get(elem, 32)
    shape = (count * 32 // bits, lanes)
    if elem.startswith(("i", "u")):
        raw = rng.integers(0, 1 << min(bits, 32), shape, np.uint64)
    elif bits == 64:
        numbers = rng.integers(-8, 9, shape).astype(np.float64) if small else rng.standard_normal(shape)
        raw = numbers.view(np.uint64)
    else:
        f = FLOATS[elem]
        numbers = rng.integers(-4, 5, shape).astype(np.float64) if small else np.clip(rng.standard_normal(shape), -4, 4)
        raw = np.array([[f.of_float(float(x)) for x in row] for row in numbers], np.uint64)
    if bits == 64:
        parts = [raw & np.uint64(0xFFFFFFFF), raw >> np.uint64(32)]
        return [parts[k % 2][k // 2].astype(np.uint32) for k in range(count)]
    each = 32 // bits
    words = [np.zeros(lanes, np.uint64) for _ in range(count)]
    for k in range(shape[0]):
        words[k // each] |= raw[k] << np.uint64(bits * (k % each))
    return [w.astype(np.uint32) for w in words]


def _bank(op: Operand) -> int:
    return op.index + (256 if op.kind is Kind.AGPR else 0)


def _compare(
    inst: Instruction, s: Shape, state: State, exact: list[np.ndarray], size: list[np.ndarray], small: bool
) -> str:
    """The first difference, empty where there is none."""
    base = _bank(inst.dst[0])
    half = inst.mod("op_sel") >> 2 & 1
    for number, (wanted, bound) in enumerate(zip(exact, size, strict=True)):
        if s.result == "i32":
            raw = state.u32(base + number)
            got = raw.view(np.int32).astype(np.float64)
            if inst.mod("clamp"):
                wanted = np.clip(wanted, -(2.0**31), 2.0**31 - 1)
            else:
                wanted = np.array([int(w) & 0xFFFFFFFF for w in wanted], np.uint32).view(np.int32).astype(np.float64)
            slack = np.zeros_like(bound)
        else:
            if s.result == "f64":
                got = state.f64(base + 2 * number)
            elif s.result == "f32":
                got = state.f32(base + number).astype(np.float64)
            else:
                f = BY_NAME[s.result]
                got = np.array([f.value(int(x)) for x in state.u16(base + number, half)])
            if s.result in ("f16", "bf16"):
                exact_bits = [BY_NAME[s.result].of_float(float(w)) for w in wanted]
                wanted = np.array([BY_NAME[s.result].value(b) for b in exact_bits])
            slack = np.zeros_like(bound) if small else bound * (PRECISION[s.result] + INPUT.get(s.a, 0.0))
        wrong = np.flatnonzero(~(np.abs(got - wanted) <= slack))
        if len(wrong):
            lane = int(wrong[0])
            return (
                f"{inst.mnemonic} {dict(inst.mods)}: result {number} of lane {lane} is {got[lane]} "
                f"instead of {wanted[lane]} ({len(wrong)} lanes differ)"
            )
    return ""


def _source(op: Operand, words: list[Words], count: int, lanes: int) -> list[Words]:
    if op.kind is Kind.INT:
        return [np.full(lanes, op.value & 0xFFFFFFFF, np.uint32)] * count
    return words


def _check(target: str, row: Row, choice: encode.Choice, small: bool, seed: int) -> Trial:
    lanes = harness.lanes_of(target)
    machine = target_of(target.partition(":")[0]).with_wave_size(lanes)
    rng = np.random.default_rng(chance(target, row.op, seed))
    inst = encode.instruction(row, machine, choice, rng)
    s = matrix.shape_of(row.op)
    by_role = {op.role: op for op in (*inst.dst, *inst.src)}
    a, b = by_role["src0"], by_role["src1"]
    c = by_role.get("src2", inst.dst[0])
    words_a = _values(s.a, a.dwords, lanes, small, rng)
    words_b = _values(s.b, b.dwords, lanes, small, rng)
    words_c = _values(s.result, c.dwords if c.kind is not Kind.INT else inst.dst[0].dwords, lanes, small, rng)
    if row.op.startswith("v_wmma"):  # lanes 16 apart hold the same rows and columns
        words_a, words_b = ([w[np.arange(lanes) % 16] for w in words] for words in (words_a, words_b))
    vgprs: dict[int, np.ndarray] = {}
    for op, words in ((a, words_a), (b, words_b), (c, words_c)):
        if op.kind is not Kind.INT:
            vgprs |= {_bank(op) + k: w for k, w in enumerate(words)}
    index = rng.integers(0, 1 << 32, lanes, np.uint32)
    if s.sparse:
        # Two different places of each four, in order, as compilers make them.
        pairs = rng.choice(np.array([0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110]), (8, lanes))
        index = sum(
            (pairs[k].astype(np.uint64) << np.uint64(4 * k) for k in range(8)), np.zeros(lanes, np.uint64)
        ).astype(np.uint32)
        vgprs[_bank(by_role["idx"])] = index
    old = rng.integers(0, 1 << 32, (inst.dst[0].dwords, lanes), np.uint32)
    for k, word in enumerate(old):
        vgprs.setdefault(_bank(inst.dst[0]) + k, word)
    mask = int(rng.integers(0, 1 << 32)) if row.op.startswith("v_mfma") and seed % 2 else -1
    case = Case(target, inst, vgprs, exec_mask=mask)
    source_c = _source(c, words_c, inst.dst[0].dwords, lanes)
    mods = dict(inst.mods)
    if row.op.startswith("v_wmma"):
        exact, size = matrix.wmma(s, words_a, words_b, source_c, mods, lanes)
    else:
        exact, size = matrix.mfma(s, words_a, words_b, source_c, mods, index)
    return Trial(case, inst, s, exact, size, small)


def _run(found: list[Trial]) -> list[str]:
    states = harness.run_cases([trial.case for trial in found])
    problems = [
        _compare(t.inst, t.shape, state, t.exact, t.size, t.small) for state, t in zip(states, found, strict=True)
    ]
    return [problem for problem in problems if problem]


def _mfma_choices(row: Row, rng: np.random.Generator) -> list[encode.Choice]:
    s = matrix.shape_of(row.op)
    plain = {"acc_cd": 0, "acc_src0": 0, "acc_src1": 0}
    moved: dict[str, int] = {"acc_cd": 1, "acc_src0": int(rng.integers(0, 2)), "acc_src1": 1}
    if s.sparse:
        sets = 32 // (s.k * s.m // 64)
        moved |= {"abid": int(rng.integers(0, sets)), "cbsz": 0}
    elif s.result == "f64":
        moved |= {"blgp": int(rng.integers(1, 8))}
    elif s.blocks > 1:
        cbsz = int(rng.integers(1, s.blocks.bit_length()))
        moved |= {"blgp": int(rng.integers(1, 8)), "cbsz": cbsz, "abid": int(rng.integers(0, 1 << cbsz))}
    return [encode.Choice(fields=plain), encode.Choice(fields=moved)]


MFMA = _rows("gfx942", ("v_mfma", "v_smfmac"))


@pytest.mark.parametrize("part", range(4))
def test_mfma(part: int) -> None:
    found = []
    for row in MFMA[part::4]:
        rng = np.random.default_rng(chance(row.op))
        for seed, choice in enumerate(_mfma_choices(row, rng)):
            found.append(_check("gfx942", row, choice, seed == 0 or "xf32" in row.op, seed))
        if "src2" in row._operands:
            zero = encode.Choice(fields={"src2": 128, "acc_cd": 0, "acc_src0": 0, "acc_src1": 0})
            found.append(_check("gfx942", row, zero, True, 2))
    wrong = _run(found)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("target", ["gfx1100", "gfx1100:64"])
def test_wmma(target: str) -> None:
    found = []
    for row in _rows("gfx1100", ("v_wmma",)):
        for seed in range(3):
            rng = np.random.default_rng(chance(target, row.op, seed))
            fields = {"op_sel_hi": 7} if seed == 0 else _wmma_fields(row, rng)
            found.append(_check(target, row, encode.Choice(fields=fields), seed < 2, seed))
    wrong = _run(found)
    assert not wrong, "\n".join(wrong)


def _wmma_fields(row: Row, rng: np.random.Generator) -> dict[str, int]:
    fields = {"op_sel_hi": 7, "neg_lo": int(rng.integers(0, 8)), "neg_hi": int(rng.integers(0, 8))}
    if "iu" in row.op:
        fields |= {"neg_lo": int(rng.integers(0, 4)), "neg_hi": 0, "clamp": int(rng.integers(0, 2))}
    elif not row.op.startswith("v_wmma_f32"):
        fields["op_sel"] = 4 * int(rng.integers(0, 2))
    return fields


@pytest.mark.parametrize("op", sorted({r.op for n in ("gfx942",) for r in table(n).rows if r.op.startswith("v_mfma")}))
def test_the_layouts_use_every_place_once(op: str) -> None:
    s = matrix.shape_of(op)
    places = {matrix.mfma_place(s, i, j, b) for b in range(s.blocks) for i in range(s.m) for j in range(s.n)}
    assert len(places) == s.m * s.n * s.blocks
    assert {lane for lane, _ in places} == set(range(64))
    length = s.k * s.m * s.blocks // 64
    stored = {
        matrix.mfma_lane(s, i, k, b, s.m, length) for b in range(s.blocks) for i in range(s.m) for k in range(s.k)
    }
    assert stored == {(lane, k) for lane in range(64) for k in range(length)}


def test_names_tell_shapes() -> None:
    assert matrix.shape_of("v_mfma_f32_32x32x4_2b_bf16") == Shape(32, 32, 4, 2, "f32", "bf16", "bf16")
    assert matrix.shape_of("v_smfmac_f32_16x16x64_bf8_fp8") == Shape(16, 16, 64, 1, "f32", "bf8", "fp8", True)
    assert matrix.shape_of("v_wmma_i32_16x16x16_iu4") == Shape(16, 16, 16, 1, "i32", "iu4", "iu4")
