"""Straight programs on registers with forms give what they give on the same registers as plain vectors.

Nothing here says what is right: the single instructions are tested elsewhere, on vectors. Random programs start from
registers whose lanes are uniform or lie in rows, at bases and distances where sums wrap between lanes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tests.lift import harness
from tests.lift.harness import Case, State, lanes_of, module_text, prepare, run_cases
from tests.lift.models import check, encode, program
from tests.lift.test_semantics import _rows, chance

from softrock.core.errors import UnsupportedError
from softrock.decode.instruction import Instruction, Kind
from softrock.isa.tables import Row

BASES = (
    0,
    1,
    4,
    64,
    255,
    1 << 12,
    (1 << 31) - 5,
    1 << 31,
    (1 << 31) - 256,
    (1 << 32) - 1,
    (1 << 32) - 100,
    (1 << 32) - 4,
)
STRIDES = (0, 0, 0, 1, 1, 4, 4, -1, -4, 2, 8, 12, 16, 64, 1 << 20, 1 << 31)
PITCHES = (0, 1, 4, 64, 256, -1, -64, 1 << 16, 1 << 31, 12345)
TARGETS = ("gfx942", "gfx1100", "gfx1100:64")
VECTORS = program.VECTORS
SCALARS = (*program.SCALARS, 22, 23, 106, 107)

MORE = """
v_mov_b32 D, S|v_mov_b32 D, S|v_mul_lo_u32 D, B, S|v_mul_lo_u32 D, S, B|v_lshlrev_b32 D, 2, B|v_lshlrev_b32 D, 12, B
v_lshrrev_b32 D, 3, B|v_lshrrev_b32 D, 1, B|v_ashrrev_i32 D, 31, B|v_ashrrev_i32 D, 2, B|v_and_b32 D, 15, B
v_and_b32 D, 0x3ff, B|v_and_b32 D, -4, B|v_and_b32 D, 0xffff, B|v_and_b32 D, S, B|v_or_b32 D, 3, B|v_or_b32 D, S, B
v_xor_b32 D, 1, B
v_lshl_or_b32 D, B, 4, C|v_and_or_b32 D, B, 7, C|v_lshl_add_u32 D, B, 2, C|v_add_lshl_u32 D, B, C, 2
v_bfe_u32 D, B, 2, 3
v_bfe_u32 D, B, 0, 10|v_bfe_u32 D, B, 10, 10|v_bfe_i32 D, B, 3, 9|v_mul_u32_u24 D, B, S|v_mul_i32_i24 D, B, S
v_mad_u32_u24 D, B, 12, C|v_mad_i32_i24 D, B, S, C|v_add3_u32 D, B, C, S|v_mul_hi_u32 D, B, S|v_mul_hi_i32 D, B, S
v_cndmask_b32 D, B, B, vcc|v_cndmask_b32 D, B, C, vcc|v_min_u32 D, B, C|v_max_i32 D, S, B|v_not_b32 D, B
v_cmp_lt_u32 vcc, S, B|v_cmp_gt_i32 vcc, 0, B|v_cmp_eq_u32 vcc, B, B|v_cmp_lt_u32 K, B, C|v_cmp_ne_u32 vcc, S, D
v_mad_u64_u32 P, K, B, 12, Q|v_mad_u64_u32 P, K, B, S, Q|v_mad_i64_i32 P, K, B, C, Q|v_mad_u64_u32 P, vcc, B, S, 0
v_lshlrev_b64 P, 2, Q|v_lshlrev_b64 P, 3, P|v_ashrrev_i64 P, 29, Q|v_lshrrev_b64 P, 32, Q|v_lshrrev_b64 P, 2, Q
v_ashrrev_i32 PH, 31, PL ; v_lshlrev_b64 P, 2, P|v_mov_b32 PH, 0 ; v_lshlrev_b64 P, 4, P|v_ashrrev_i32 PH, 31, PL
v_mov_b32 PL, B ; v_ashrrev_i32 PH, 31, B|v_mov_b32 PL, S ; v_mov_b32 PH, T|v_mov_b32 PL, QL ; v_mov_b32 PH, QH
v_min_i32 D, S, B ; v_cmp_gt_i32 vcc, U, D|v_max_u32 D, S, B ; v_cmp_le_u32 K, U, D|v_cmp_ge_i32 vcc, S, B
v_readlane_b32 Z, B, 5|v_readlane_b32 Z, B, S|v_readfirstlane_b32 Z, B|v_writelane_b32 D, S, 4|v_readlane_b32 Z, B, 31
v_cvt_f32_u32 D, B ; v_mul_f32 D, 0.5, D ; v_cvt_u32_f32 D, D|v_cvt_f32_i32 D, B ; v_cvt_i32_f32 D, D
v_cvt_f64_i32 P, B ; v_cvt_i32_f64 PL, P ; v_mov_b32 PH, 3|v_cvt_f32_ubyte1 D, B ; v_cvt_u32_f32 D, D
v_cmp_gt_u64 vcc, P, Q|v_cmp_eq_u64 vcc, P, Q|v_cmp_lt_i64 K, P, Q|v_mbcnt_lo_u32_b32 D, -1, 0
v_mbcnt_lo_u32_b32 D, -1, B
v_mov_b32_dpp D, B row_shr:1 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp D, B quad_perm:[0,0,2,2] row_mask:0x5 bank_mask:0xf
v_alignbit_b32 D, B, C, 7|v_bfi_b32 D, S, B, C|v_sad_u32 D, B, C, S|v_bcnt_u32_b32 D, B, C|v_perm_b32 D, B, C, S
s_mov_b64 vcc, X|s_mov_b32 Z, vcc_lo|s_mov_b32 vcc_lo, S|s_add_u32 Z, S, T ; s_addc_u32 W, U, T|s_mul_hi_u32 Z, S, T
s_ashr_i32 Z, S, 31|s_lshl_b64 X, Y, 2|s_sub_u32 Z, S, T ; s_subb_u32 W, U, T|s_cmp_lg_u32 S, T ; s_cselect_b32 Z, U, T
"""
ADDITIONS = {
    9: """
v_add_u32 D, A, B|v_add_u32 D, B, C|v_add_u32 D, S, B|v_sub_u32 D, B, S|v_sub_u32 D, S, B|v_sub_u32 D, B, C
v_add_co_u32 PL, vcc, PL, QL ; v_addc_co_u32 PH, vcc, PH, QH, vcc|v_add_co_u32 PL, vcc, S, QL ; v_mov_b32 D, T ; \
v_addc_co_u32 PH, vcc, D, QH, vcc
v_add_co_u32 PL, vcc, S, B ; v_mov_b32 PH, 0 ; v_addc_co_u32 PH, vcc, PH, PH, vcc|v_addc_co_u32 D, vcc, B, C, vcc
v_add_co_u32 PL, K, PL, QL ; v_addc_co_u32 PH, K, QH, PH, K|v_add_co_u32 D, vcc, B, S|v_subb_co_u32 D, vcc, B, C, vcc
v_add_co_u32 PL, vcc, QL, PL ; s_mov_b64 K, vcc ; v_addc_co_u32 PH, vcc, QH, PH, K|v_add_co_u32 D, vcc, D, D
v_add_co_u32 PL, vcc, PL, QL ; s_mov_b32 vcc_lo, S ; v_addc_co_u32 PH, vcc, PH, QH, vcc
v_sub_co_u32 PL, vcc, PL, QL ; v_subb_co_u32 PH, vcc, PH, QH, vcc|v_lshl_add_u64 P, Q, 2, P|v_lshl_add_u64 P, P, 0, Q
v_mov_b64 P, Q|v_mov_b64 P, X|v_lshl_add_u64 P, X, 1, Q|v_mul_lo_u16 D, B, C|v_add_u16 D, B, C
v_add_u32_sdwa D, B, C dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_0
""",
    11: """
v_add_nc_u32 D, A, B|v_add_nc_u32 D, B, C|v_add_nc_u32 D, S, B|v_sub_nc_u32 D, B, S|v_sub_nc_u32 D, S, B
v_sub_nc_u32 D, B, C
v_add_co_u32 PL, vcc, PL, QL ; v_add_co_ci_u32 PH, vcc, PH, QH, vcc|v_add_co_u32 PL, vcc, S, QL ; v_mov_b32 D, T ; \
v_add_co_ci_u32 PH, vcc, D, QH, vcc
v_add_co_u32 PL, vcc, S, B ; v_mov_b32 PH, 0 ; v_add_co_ci_u32 PH, vcc, PH, PH, vcc|v_add_co_ci_u32 D, vcc, B, C, vcc
v_add_co_u32 PL, K, PL, QL ; v_add_co_ci_u32 PH, K, QH, PH, K|v_add_co_u32 D, vcc, B, S
v_add_co_u32 PL, vcc, PL, QL ; s_mov_b32 vcc_lo, S ; v_add_co_ci_u32 PH, vcc, PH, QH, vcc
v_sub_co_u32 PL, vcc, PL, QL ; v_sub_co_ci_u32 PH, vcc, PH, QH, vcc|v_lshlrev_b16 Dl, 3, Bh|v_add_nc_u16 Dh, Bl, Cl
""",
}


class _Straight(program.Generator):
    """Programs without branches in which values with forms meet often."""

    def __post_init__(self) -> None:
        super().__post_init__()
        own = program._templates(MORE) + program._templates(ADDITIONS[self.major])
        self.templates = own * 2 + [
            t for t in self.templates if "cmpx" not in t and "movrel" not in t and "gpr_idx" not in t
        ]

    def instruction(self) -> None:
        template = self.pick(self.templates)
        pair, other = (int(self.rng.integers(1, 6)) * 2 for _ in range(2))
        four = int(self.rng.integers(1, 3)) * 4
        x, y = (int(self.rng.integers(4, 10)) * 2 for _ in range(2))
        values = {name: self.vector() for name in ("D", "D2", "B", "C", "E")}
        values |= {
            "I": f"v{self.rng.integers(1, 9)}",
            "J": f"v{self.rng.integers(1, 9)}",
            "R": f"v[{four}:{four + 3}]",
            "R2": f"v[{(four + 3) % 8 + 1}:{(four + 3) % 8 + 4}]",
            "A": self.pick([self.vector(), self.vector(), self.scalar(), "7", "-3"]),
            "P": f"v[{pair}:{pair + 1}]",
            "PL": f"v{pair}",
            "PH": f"v{pair + 1}",
            "Q": f"v[{other}:{other + 1}]",
            "QL": f"v{other}",
            "QH": f"v{other + 1}",
            "S": self.scalar(),
            "U": self.scalar(),
            "W": self.scalar(),
            "T": self.pick([self.scalar(), "5", "-1"]) if template.startswith("s_") else self.scalar(),
            "Z": self.scalar(),
            "X": f"s[{x}:{x + 1}]",
            "Y": f"s[{y}:{y + 1}]",
            "K": self.mask(22),
        }
        for part in template.split(" ; "):
            if "s_mov_b64" in part and not self.wide and ("vcc" in part or "K" in part):
                part = part.replace("s_mov_b64", "s_mov_b32").replace("X", "S")
            self._fill(part, values)


def _register(rng: np.random.Generator, lanes: int) -> tuple[npt.NDArray[np.uint32], int]:
    """Lanes of a register, and the length of its rows (0: none)."""
    if rng.integers(0, 4) == 0:
        return rng.integers(0, 1 << 32, lanes, np.uint32), 0
    base = int(rng.choice(BASES)) + int(rng.integers(0, 3)) * int(rng.integers(0, 64))
    stride = int(rng.choice(STRIDES))
    row = lanes if rng.integers(0, 3) else 1 << int(rng.integers(0, lanes.bit_length()))
    pitch = int(rng.choice(PITCHES))
    number = np.arange(lanes)
    values = base + stride * (number % row) + (pitch * (number // row) if row < lanes else 0)
    return (values & 0xFFFFFFFF).astype(np.uint32), row


def _cases(target: str, seed: int, size: int) -> tuple[Case, Case]:
    """A random program on registers with forms, and on the same as vectors."""
    rng = np.random.default_rng(seed)
    lanes = lanes_of(target)
    generator = _Straight("p", 9 if target == "gfx942" else 11, lanes, rng)
    while len(generator.lines) < size:
        generator.instruction()
    registers = {r: _register(rng, lanes) for r in VECTORS}
    scalars = {s: int(rng.choice(BASES)) if rng.integers(0, 2) else int(rng.integers(0, 1 << 32)) for s in SCALARS}
    everything = (1 << lanes) - 1
    mask = everything if seed % 2 else int.from_bytes(rng.bytes(8), "little") & everything
    case = Case(
        target,
        [line.strip() for line in generator.lines],
        {r: values for r, (values, _) in registers.items()},
        scalars,
        mask if seed % 17 else 0,
        int(rng.integers(0, 2)),
    )
    rows = {r: row for r, (_, row) in registers.items() if row}
    told = [r for r in rows if rng.integers(0, 2)]
    return replace(case, rows=rows, told=told), case


def differences(got: State, want: State, shown: int = 4) -> str:
    """What differs of two states, as text."""
    found = []
    for r in sorted(want.words):
        lanes = np.flatnonzero(got.u32(r) != want.u32(r))
        if len(lanes):
            lane = int(lanes[0])
            found.append(f"v{r} lane {lane} is {got.u32(r)[lane]:#x}, not {want.u32(r)[lane]:#x} ({len(lanes)} lanes)")
    found += [f"s{s} is {got.sgprs[s]:#x}, not {want.sgprs[s]:#x}" for s in want.sgprs if got.sgprs[s] != want.sgprs[s]]
    if (got.scc, got.exec_mask) != (want.scc, want.exec_mask):
        found.append(f"SCC, EXEC are {got.scc}, {got.exec_mask:#x}, not {want.scc}, {want.exec_mask:#x}")
    return "; ".join(found[:shown])


def _check(target: str, seeds: range, size: int) -> None:
    pairs = [_cases(target, seed, size) for seed in seeds]
    states = run_cases([case for pair in pairs for case in pair])
    wrong = []
    for seed, pair, got, want in zip(seeds, pairs, states[::2], states[1::2], strict=True):
        found = differences(got, want)
        if found:
            code = pair[0].code
            assert not isinstance(code, Instruction)
            wrong.append(f"{target} seed {seed}, size {size}: {found}\n  " + "\n  ".join(map(str, code)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [2, 12])
def test_random_programs(target: str, size: int) -> None:
    _check(target, range(100 * size, 100 * size + 30 // size), size)


# -- every instruction on uniform registers --------------------------------------------------------

ROUNDS = 40


def _uniform_cases(target: str, row: Row, rng: np.random.Generator) -> tuple[Case, Case] | None:
    """An instruction whose sources are uniform, all or one of them; as forms and as vectors. None where it has no
    vector sources or is not supported."""
    inst = encode.instruction(row, harness._target(target), encode.Choice(mods="DPP" not in row.encoding), rng)
    sources = sorted({op.index + k for op in inst.src if op.kind is Kind.VGPR for k in range(op.dwords)})
    if not sources:
        return None
    chosen = sources if rng.integers(0, 3) else [int(rng.choice(sources))]
    lanes = lanes_of(target)
    vector = Case(target, inst, {r: np.zeros(lanes, np.uint32) for r in sources}, full=bool(rng.integers(0, 2)), scc=1)
    formed = replace(vector, rows=dict.fromkeys(chosen, lanes))
    try:
        module_text([formed])
    except UnsupportedError:
        return None
    return formed, vector


def _differ(got: npt.NDArray[np.uint32], want: npt.NDArray[np.uint32], wide: bool) -> bool:
    """Whether a register differs. Which of two NaNs an operation gives is up to the host where sign and payload are
    open."""
    equal = got == want
    if not wide:
        equal = equal | (np.isnan(got.view(np.float32)) & np.isnan(want.view(np.float32)))
        nan = np.isnan(got.view(np.float16)) & np.isnan(want.view(np.float16))
        equal = equal | (nan | (got.view(np.uint16) == want.view(np.uint16))).reshape(-1, 2).all(axis=1)
    return not bool(equal.all())


def _check_uniform(target: str, rows: list[Row]) -> None:
    pairs = []
    for row in rows:
        rng = np.random.default_rng(chance(target, row.asm, row.encoding))
        made = _uniform_cases(target, row, rng)
        if made is not None:
            pairs.append(made)
    prepared = prepare([case for pair in pairs for case in pair])
    wrong = []
    for k, (formed, vector) in enumerate(pairs):
        inst = vector.code
        assert isinstance(inst, Instruction)
        rng = np.random.default_rng(k)
        full = bool(vector.full)
        starts = check.rounds_of(inst, lanes_of(target), ROUNDS, full, rng)
        for start in starts:
            lane = int(rng.integers(0, lanes_of(target)))
            vgprs = {r: np.full_like(v, v[lane]) if r in formed.rows else v for r, v in start.vgprs.items()}
            start = replace(start, vgprs=vgprs)
            got = check.run_round(prepared, 2 * k, formed, start)
            want = check.run_round(prepared, 2 * k + 1, vector, start)
            wide = any(op.dwords > 1 for op in inst.dst)
            bad = [r for r in want.words if _differ(got.u32(r), want.u32(r), wide)]
            if bad or got.sgprs != want.sgprs or got.exec_mask != want.exec_mask or got.scc != want.scc:
                given = {r: hex(int(v[0])) for r, v in vgprs.items() if r in formed.rows}
                wrong.append(f"{target} {inst.mnemonic} {inst.mods} {given}: {differences(got, want)}")
                break
    assert not wrong, "\n".join(wrong)


def _instructions(target: str, part: int, parts: int) -> list[Row]:
    """One part of the vector instructions."""
    found = [r for r in _rows(target.partition(":")[0]) if r.encoding.startswith("VOP") or r.encoding == "DS"]
    return [r for r in found if chance(r.asm, r.encoding) % parts == part]


@pytest.mark.parametrize("target", TARGETS)
def test_instructions_on_uniform_registers(target: str) -> None:
    _check_uniform(target, _instructions(target, 7, 60))


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("part", range(6))
def test_more_instructions_on_uniform_registers(target: str, part: int) -> None:
    _check_uniform(target, _instructions(target, part, 6))


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(5000, 5100, 20))
def test_more_random_programs(target: str, seed: int) -> None:
    _check(target, range(seed, seed + 20), 4 + seed % 17)
