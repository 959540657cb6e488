"""Random kernels of vector, scalar and branch instructions, as assembly, and their interpretation by the model.

A program works on v1-v12 and s8-s19, keeps saved lane masks in s[32:] and loop counters in s[60:], and only makes
integers, so that every bit is defined. Between two markers stands the body that `interpret` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from tests.lift.models import everything  # noqa: F401  (registers operations)
from tests.lift.models.machine import VCC, Machine

from softrock.decode.instruction import Instruction

VECTORS = range(1, 13)
SCALARS = range(8, 20)
START, END = 11, 12
"""Immediates of the s_nop that mark the body."""
STEP_LIMIT = 60000

COMMON = """
v_mov_b32 D, A|v_not_b32 D, A|v_bfrev_b32 D, A|v_and_b32 D, A, B|v_or_b32 D, A, B|v_xor_b32 D, A, B|v_xnor_b32 D, A, B
v_lshlrev_b32 D, A, B|v_lshrrev_b32 D, A, B|v_ashrrev_i32 D, A, B|v_min_i32 D, A, B|v_max_u32 D, A, B
v_mul_lo_u32 D, B, C
v_mul_hi_u32 D, B, C|v_mul_u32_u24 D, A, B|v_bfe_u32 D, B, C, 5|v_bfi_b32 D, B, C, E|v_alignbit_b32 D, B, C, E
v_perm_b32 D, B, C, E
v_add3_u32 D, B, C, E|v_lshl_or_b32 D, B, 3, C|v_and_or_b32 D, B, C, E|v_med3_i32 D, B, C, E|v_sad_u8 D, B, C, E
v_xad_u32 D, B, C, E
v_bcnt_u32_b32 D, B, C|v_mbcnt_lo_u32_b32 D, S, B|v_mad_u32_u24 D, B, C, E|v_cvt_u32_f32 D, B|v_add_lshl_u32 D, B, C, 7
v_cndmask_b32 D, B, C, vcc|v_cndmask_b32 D, B, C, K|v_cmp_lt_u32 vcc, A, B|v_cmp_gt_i32 vcc, A, B|v_cmp_eq_u32 K, B, C
v_cmp_ne_u32 vcc, 0, B|v_cmp_lt_f32 vcc, B, C|v_cmp_class_f32 vcc, B, C|v_cmp_ge_i32 K, B, C
v_readfirstlane_b32 Z, B|v_readlane_b32 Z, B, 3|v_writelane_b32 D, S, 17|v_mov_b32 D, S|v_mov_b32 D, 0x12345
v_lshlrev_b64 P, B, Q|v_lshrrev_b64 P, 9, Q|v_mad_u64_u32 P, vcc, B, C, Q|v_cmp_lt_u64 vcc, P, Q
v_mov_b32_dpp D, B quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
v_mov_b32_dpp D, B row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1
v_mov_b32_dpp D, B row_ror:5 row_mask:0xa bank_mask:0xf|v_mov_b32_dpp D, B row_shl:1 row_mask:0xf bank_mask:0x5
ds_bpermute_b32 D, B, C|ds_swizzle_b32 D, B offset:0x401f
v_div_scale_f32 D, vcc, B, C, B ; v_cvt_u32_f32 D, D|v_div_fmas_f32 D, B, C, E ; v_cvt_i32_f32 D, D
v_div_fixup_f32 D, B, C, E ; v_cvt_u32_f32 D, D|v_div_scale_f64 P, vcc, Q, Q, P ; v_cvt_u32_f64 PL, P ; v_mov_b32 PH, PL
v_div_fixup_f64 P, P, Q, P ; v_cvt_i32_f64 PH, P ; v_mov_b32 PL, PH
v_fma_f64 P, Q, Q, P ; v_cvt_u32_f64 PL, P ; v_not_b32 PH, PL
v_min_f32 D, B, C ; v_cvt_i32_f32 D, D|v_fma_f32 D, B, C, E ; v_cvt_u32_f32 D, D
v_max_f64 P, P, Q ; v_cvt_i32_f64 PL, P ; v_mov_b32 PH, PL
v_ldexp_f64 P, Q, B ; v_cvt_u32_f64 PH, P ; v_mov_b32 PL, PH|v_cvt_f32_f64 D, P ; v_cvt_i32_f32 D, D
v_cvt_f64_u32 P, B|v_cvt_f32_u32 D, B|v_mul_f64 P, P, Q ; v_cvt_u32_f64 PL, P ; v_mov_b32 PH, PL
v_rndne_f64 P, Q ; v_cvt_u32_f64 PL, P ; v_mov_b32 PH, 7
s_add_u32 Z, S, T|s_sub_u32 Z, S, T|s_addc_u32 Z, S, T|s_and_b32 Z, S, T|s_xor_b32 Z, S, T|s_lshl_b32 Z, S, T
s_bfe_u32 Z, S, 0x80004
s_mul_i32 Z, S, T|s_cselect_b32 Z, S, T|s_min_u32 Z, S, T|s_max_i32 Z, S, T|s_absdiff_i32 Z, S, T
s_bcnt1_i32_b32 Z, S|s_not_b32 Z, S
s_cmp_lt_u32 S, T|s_cmp_eq_u32 S, T|s_cmp_gt_i32 S, T|s_bitcmp1_b32 S, T|s_movk_i32 Z, 0x1234|s_addk_i32 Z, 0x7fff
s_cmov_b32 Z, S
s_lshl_b64 X, Y, 5|s_or_b64 X, Y, X|s_brev_b64 X, Y|s_cselect_b64 X, Y, X|s_mov_b64 X, Y
"""
ONLY = {
    9: """
v_add_u32 D, A, B|v_sub_u32 D, A, B|v_subrev_u32 D, A, B|v_add_co_u32 D, vcc, A, B|v_addc_co_u32 D, vcc, B, C, vcc
v_add_u16 D, A, B|v_mul_lo_u16 D, A, B|v_max_i16 D, A, B|v_mad_u16 D, B, C, E|v_mad_u16 D, B, C, E op_sel:[1,0,1,1]
v_add_u32_sdwa D, B, C dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0
v_or_b32_sdwa D, sext(B), C dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:DWORD
s_and_b32 s69, S, 3 ; s_set_gpr_idx_on s69, gpr_idx(DST) ; v_mov_b32 I, B ; s_set_gpr_idx_off
s_and_b32 s69, S, 3 ; s_set_gpr_idx_on s69, gpr_idx(SRC0) ; v_mov_b32 D, J ; s_set_gpr_idx_off
v_mfma_i32_4x4x4_16b_i8 R, B, C, R2|v_mov_b64 P, Q|v_lshl_add_u64 P, P, 3, Q|v_pk_add_u16 D, B, C
v_pk_max_i16 D, B, C op_sel:[1,0] op_sel_hi:[0,1]
v_mbcnt_hi_u32_b32 D, S, B
v_swap_b32 D, D2|v_accvgpr_write_b32 a3, B|v_accvgpr_read_b32 D, a3|v_cmpx_lt_u32 vcc, A, B
v_add_u32_dpp D, B, C row_newbcast:2 row_mask:0xf bank_mask:0xf
""",
    11: """
v_cndmask_b32 D, A, B, vcc|v_add_nc_u32 D, A, B|v_sub_nc_u32 D, A, B|v_add_co_u32 D, vcc, B, C
v_add_co_ci_u32 D, vcc, B, C, vcc|v_subrev_nc_u32 D, A, B
v_add_nc_u16 Dl, Bh, Cl|v_add_nc_u16 Dh, Bl, Ch|v_mov_b16 Dh, Bl|v_and_b16 Dl, Bl, Ch|v_mad_u16 Dh, Bl, Ch, El
v_cndmask_b16 Dl, Bh, Cl, vcc
v_lshlrev_b16 Dh, 3, Bl|v_max_i16 Dl, Bl, Ch|v_xor3_b32 D, B, C, E|v_maxmin_u32 D, B, C, E|v_swap_b32 D, D2
v_cmpx_lt_u32 A, B|v_cmpx_ne_i32 B, C
s_and_b32 m0, S, 3 ; v_movrels_b32 D, J|s_and_b32 m0, S, 3 ; v_movreld_b32 I, B|s_and_b32 m0, S, 3 ; v_movrelsd_b32 I, J
v_permlane16_b32 D, B, S, T|v_permlanex16_b32 D, B, S, T op_sel:[1,0]|v_permlane64_b32 D, B|v_pk_add_u16 D, B, C
v_pk_mad_i16 D, B, C, E
v_add_nc_u32_dpp D, B, C dpp8:[7,6,5,4,3,2,1,0]|v_mov_b32_dpp D, B row_share:4 row_mask:0xf bank_mask:0xf
v_dot4_i32_iu8 D, B, C, E neg_lo:[1,0,0]
""",
}


def _templates(text: str) -> list[str]:
    return [t for line in text.strip().splitlines() for t in line.split("|")]


@dataclass
class Generator:
    """Writes the body of one kernel.

    Attributes:
        name: the kernel or function. major, lanes: the target.
        saved: how much higher its saved masks stand than a kernel's.
        calls: functions that may be called, and the pair of registers for the return address.
    """

    name: str
    major: int
    lanes: int
    rng: np.random.Generator
    saved: int = 0
    calls: tuple[str, int] | None = None
    lines: list[str] = field(default_factory=list)
    labels: int = 0

    def __post_init__(self) -> None:
        self.wide = self.lanes == 64
        self.suffix = "b64" if self.wide else "b32"
        self.exec = "exec" if self.wide else "exec_lo"
        self.vcc = "vcc" if self.wide else "vcc_lo"
        self.templates = _templates(COMMON) + _templates(ONLY[self.major]) * 2

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(0, len(choices)))]

    def vector(self) -> str:
        return f"v{self.rng.choice(VECTORS)}"

    def scalar(self) -> str:
        return f"s{self.rng.choice(SCALARS)}"

    def mask(self, number: int) -> str:
        """A register for a lane mask."""
        number += self.saved if number >= 32 else 0
        return f"s[{number}:{number + 1}]" if self.wide else f"s{number}"

    def emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def label(self) -> str:
        self.labels += 1
        return f"{self.name}_L{self.labels}"

    def instruction(self) -> None:
        """One instruction (or a few) from a template: D destination, I and J registers to be indexed, A source of any
        kind, B C E vectors, P Q pairs,
        S T
        scalars, Z scalar destination, X Y scalar pairs, K a lane mask; a small letter after a vector is its half."""
        template = self.pick(self.templates)
        name = template.partition(" ")[0]
        pair = int(self.rng.integers(1, 6)) * 2
        four = int(self.rng.integers(1, 3)) * 4
        values = {
            "D2": self.vector(),
            "I": f"v{self.rng.integers(1, 9)}",
            "J": f"v{self.rng.integers(1, 9)}",
            "R": f"v[{four}:{four + 3}]",
            "R2": f"v[{(four + 3) % 8 + 1}:{(four + 3) % 8 + 4}]",
            "D": self.vector(),
            "A": self.pick([self.vector(), self.vector(), self.scalar(), "7", "-3"]),
            "B": self.vector(),
            "C": self.vector(),
            "E": self.vector(),
            "P": f"v[{pair}:{pair + 1}]",
            "PL": f"v{pair}",
            "PH": f"v{pair + 1}",
            "Q": f"v[{(pair + 4) % 10 + 2}:{(pair + 4) % 10 + 3}]",
            "S": self.scalar(),
            "T": self.pick([self.scalar(), "5", "-1"]) if name.startswith("s_") else self.scalar(),
            "Z": self.scalar(),
            "X": f"s[{2 * int(self.rng.integers(4, 10))}:X1]",
            "Y": f"s[{2 * int(self.rng.integers(4, 10))}:Y1]",
            "K": self.mask(22),
        }
        for part in template.split(" ; "):
            self._fill(part, values)

    def _fill(self, template: str, values: dict[str, str]) -> None:
        name, _, rest = template.partition(" ")
        words = []
        for word in rest.replace(",", " ,").split():
            if word.rstrip("lh") in values and word[0].isupper() and len(word) == 2 and word[1] in "lh":
                word = f"{values[word[0]]}.{word[1]}"
            elif word in values:
                word = values[word]
            elif word == "sext(B)":
                word = f"sext({values['B']})"
            elif word == "vcc":
                word = self.vcc
            if word.endswith((":X1]", ":Y1]")):
                first = int(word[2:].partition(":")[0])
                word = f"s[{first}:{first + 1}]"
            words.append(word)
        self.emit(f"{name} {' '.join(words)}".replace(" ,", ","))

    def dual(self) -> None:
        """A dual-issue instruction: sources of both halves in different banks, destinations of different parity."""
        x_op = self.pick(["mov_b32", "cndmask_b32"])
        y_op = self.pick(["mov_b32", "cndmask_b32", "add_nc_u32", "lshlrev_b32", "and_b32"])
        while True:
            dx, dy, ax, ay, bx, by = (int(self.rng.choice(VECTORS)) for _ in range(6))
            if (dx ^ dy) & 1 and (ax ^ ay) & 3 and (bx ^ by) & 3:
                break
        x_rest, y_rest = ("" if op == "mov_b32" else f", v{b}" for op, b in ((x_op, bx), (y_op, by)))
        self.emit(f"v_dual_{x_op} v{dx}, v{ax}{x_rest} :: v_dual_{y_op} v{dy}, v{ay}{y_rest}")

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, depth: int, size: int) -> None:
        for _ in range(size):
            pick = self.rng.integers(0, 100)
            if depth < 3 and pick < 6:
                self.divergent_if(depth)
            elif depth < 3 and pick < 10:
                self.uniform_if(depth)
            elif depth < 2 and pick < 13:
                self.loop(depth)
            elif depth < 2 and pick < 16:
                self.shrinking_loop(depth)
            elif pick < 20:
                self.exec_change(depth)
            elif pick < 23 and self.calls:
                self.call(*self.calls)
            elif pick < 30 and self.major >= 11 and not self.wide:
                self.dual()
            else:
                self.instruction()

    def call(self, function: str, back: int) -> None:
        self.emit("s_getpc_b64 s[70:71]")
        self.emit(f"s_add_u32 s70, s70, {function}@rel32@lo+4")
        self.emit(f"s_addc_u32 s71, s71, {function}@rel32@hi+12")
        self.emit(f"s_swappc_b64 s[{back}:{back + 1}], s[70:71]")

    def compare(self) -> None:
        relation = self.pick(["lt_u32", "gt_i32", "ne_u32", "class_f32"])
        self.emit(f"v_cmp_{relation} {self.vcc}, {self.vector()}, {self.vector()}")

    def divergent_if(self, depth: int) -> None:
        saved, end, other = self.mask(32 + 4 * depth), self.label(), self.label()
        self.compare()
        self.emit(f"s_and_saveexec_{self.suffix} {saved}, {self.vcc}")
        if self.rng.integers(0, 2):
            self.emit(f"s_cbranch_execz {other}")
        self.block(depth + 1, int(self.rng.integers(1, 6)))
        self.lines.append(f"{other}:")
        if self.rng.integers(0, 2):
            second = self.mask(34 + 4 * depth)
            self.emit(f"s_xor_{self.suffix} {second}, {self.exec}, {saved}")
            self.emit(f"s_mov_{self.suffix} {self.exec}, {second}")
            if self.rng.integers(0, 2):
                self.emit(f"s_cbranch_execz {end}")
            self.block(depth + 1, int(self.rng.integers(1, 6)))
        self.lines.append(f"{end}:")
        self.emit(f"s_or_{self.suffix} {self.exec}, {self.exec}, {saved}")

    def uniform_if(self, depth: int) -> None:
        end = self.label()
        if self.rng.integers(0, 3):
            self.emit(f"s_cmp_{self.pick(['lt_u32', 'gt_i32', 'lg_u32'])} {self.scalar()}, {self.scalar()}")
            self.emit(f"s_cbranch_scc{self.rng.integers(0, 2)} {end}")
        else:
            self.compare()
            self.emit(f"s_cbranch_vcc{self.pick(['z', 'nz'])} {end}")
        self.block(depth + 1, int(self.rng.integers(1, 6)))
        self.lines.append(f"{end}:")

    def loop(self, depth: int) -> None:
        counter, start = f"s{60 + depth}", self.label()
        self.emit(f"s_movk_i32 {counter}, {self.rng.integers(1, 4)}")
        self.lines.append(f"{start}:")
        self.block(depth + 1, int(self.rng.integers(2, 8)))
        self.emit(f"s_sub_u32 {counter}, {counter}, 1")
        self.emit(f"s_cmp_lg_u32 {counter}, 0")
        self.emit(f"s_cbranch_scc1 {start}")

    def shrinking_loop(self, depth: int) -> None:
        """Lanes leave one after the other; a counter ends it in any case."""
        saved, start, counter = self.mask(48 + 2 * depth), self.label(), f"s{64 + depth}"
        self.emit(f"s_mov_{self.suffix} {saved}, {self.exec}")
        self.emit(f"s_movk_i32 {counter}, 4")
        self.lines.append(f"{start}:")
        self.block(depth + 1, int(self.rng.integers(2, 6)))
        self.compare()
        self.emit(
            f"{'s_andn2' if self.major == 9 else 's_and_not1'}_{self.suffix} {self.exec}, {self.exec}, {self.vcc}"
        )
        self.emit(f"s_sub_u32 {counter}, {counter}, 1")
        self.emit(f"s_cmp_eq_u32 {counter}, 0")
        self.emit(f"s_cselect_{self.suffix} {self.exec}, 0, {self.exec}")
        self.emit(f"s_cbranch_execnz {start}")
        self.emit(f"s_mov_{self.suffix} {self.exec}, {saved}")

    def exec_change(self, depth: int) -> None:
        """Something odd with EXEC, for a few instructions or to the end of the block around."""
        saved = self.mask(54 + 2 * min(depth, 2))
        self.emit(f"s_mov_{self.suffix} {saved}, {self.exec}")
        kind = int(self.rng.integers(0, 6))
        if kind == 0:
            self.emit(f"s_mov_{self.suffix} {self.exec}, {self.pick(['-1', '0', '15', '-16'])}")
        elif kind == 1:
            self.emit(f"s_not_{self.suffix} {self.exec}, {self.exec}")
        elif kind == 2:
            self.emit(f"s_mov_b32 exec_lo, {self.scalar()}")
        elif kind == 3:
            self.emit(f"s_wqm_{self.suffix} {self.exec}, {self.exec}")
        elif kind == 4:
            self.emit(f"s_xor_{self.suffix} {self.exec}, {self.exec}, {self.vcc}")
        else:
            self.emit(f"s_or_saveexec_{self.suffix} {self.mask(58)}, {self.vcc}")
        for _ in range(int(self.rng.integers(1, 4))):
            self.instruction()
        self.emit(f"s_mov_{self.suffix} {self.exec}, {saved}")


def function(name: str, major: int, lanes: int, seed: int, back: int, saved: int, calls: tuple[str, int] | None) -> str:
    """Assembly of a function that returns to the address in s[back:back + 1]."""
    generator = Generator(name, major, lanes, np.random.default_rng(seed), saved, calls)
    generator.block(2, 8)
    lines = [*generator.lines, f"  s_setpc_b64 s[{back}:{back + 1}]"]
    return "\n".join([f".p2align 2\n.type {name},@function\n{name}:", *lines, f".size {name}, .-{name}"])


def kernel(name: str, major: int, lanes: int, size: int, seed: int) -> str:
    """Assembly of one kernel: it loads its registers from the first pointer, runs the body, stores them to the second
    one. Every other one calls a function that calls another."""
    has_calls = seed % 2 == 1
    calls = (f"{name}_f", 72) if has_calls else None
    generator = Generator(name, major, lanes, np.random.default_rng(seed), calls=calls)
    while len(generator.lines) < size:
        generator.block(0, 5)
    if calls and not any("s_swappc" in line for line in generator.lines):
        generator.call(*calls)
    wide = lanes == 64
    full, suffix = ("exec", "b64") if wide else ("exec_lo", "b32")
    saved = "s[20:21]" if wide else "s20"
    stride = 4 * lanes
    count = len(VECTORS)
    load, store, smem = (
        ("global_load_dword", "global_store_dword", "s_load_dwordx4")
        if major == 9
        else ("global_load_b32", "global_store_b32", "s_load_b128")
    )
    eight, four = ("s_load_dwordx8", "s_load_dwordx4") if major == 9 else ("s_load_b256", "s_load_b128")
    wait = "s_waitcnt vmcnt(0) lgkmcnt(0)"
    out = [f".p2align 8\n.type {name},@function\n{name}:"]
    out += [f"  {smem} s[4:7], s[0:1], 0x0", f"  {wait}", "  v_and_b32 v0, 0x3ff, v0", "  v_lshlrev_b32 v30, 2, v0"]
    step = f"  {'v_add_u32' if major == 9 else 'v_add_nc_u32'} v30, {stride}, v30"  # offsets are too short for all rows
    for v in VECTORS:
        out += [f"  {load} v{v}, v30, s[4:5]", step]
    out += [
        f"  {eight} s[8:15], s[4:5], {stride * count:#x}",
        f"  {four} s[16:19], s[4:5], {stride * count + 32:#x}",
        f"  {wait}",
    ]
    out += [f"  s_mov_{suffix} {saved}, {full}"]
    out += [f"  s_mov_b32 s{r}, 0" for r in range(22, 24)] + ["  s_mov_b64 vcc, 0", "  s_mov_b32 s24, 0"]
    out += ["  v_accvgpr_write_b32 a3, 0"] if major == 9 else []
    out += [f"  s_nop {START}", *generator.lines, f"  s_nop {END}", f"  s_mov_{suffix} {full}, {saved}"]
    out += ["  v_lshlrev_b32 v30, 2, v0"]
    for v in VECTORS:
        out += [f"  {store} v30, v{v}, s[6:7]", step]
    shown = [*(f"s{s}" for s in SCALARS), "vcc_lo", "vcc_hi" if wide else "vcc_lo", "s22", "s23" if wide else "s22"]
    for s in shown:
        out += [f"  v_mov_b32 v31, {s}", f"  {store} v30, v31, s[6:7]", step]
    out += ["  s_endpgm", f".size {name}, .-{name}", descriptor(name, major, wide)]
    if has_calls:
        out.append(function(f"{name}_f", major, lanes, seed + 5000, 72, 36, (f"{name}_g", 74)))
        out.append(function(f"{name}_g", major, lanes, seed + 6000, 74, 40, None))
    return "\n".join(out)


def descriptor(name: str, major: int, wide: bool, kernarg: int = 16, lds: int = 0) -> str:
    """The kernel descriptor's directives."""
    lines = [
        "next_free_vgpr 64",
        "next_free_sgpr 100",
        "user_sgpr_kernarg_segment_ptr 1",
        f"kernarg_size {kernarg}",
        f"group_segment_fixed_size {lds}",
        "float_denorm_mode_32 3",
        *(["accum_offset 32"] if major == 9 else [f"wavefront_size32 {int(not wide)}"]),
    ]
    told = "\n".join(f"  .amdhsa_{line}" for line in lines)
    return f".pushsection .rodata\n.p2align 6\n.amdhsa_kernel {name}\n{told}\n.end_amdhsa_kernel\n.popsection"


def source(target: str, names: Sequence[str], bodies: Sequence[str], lanes: int, pointers: int = 2) -> str:
    """The assembly file of some kernels that take pointers, with metadata."""
    given = "\n".join(
        f"      - {{ .offset: {8 * k}, .size: 8, .value_kind: global_buffer, .address_space: global }}"
        for k in range(pointers)
    )
    kernels = "\n".join(
        f"""  - .name: {n}
    .symbol: {n}.kd
    .kernarg_segment_size: {8 * pointers}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: {lanes}
    .sgpr_count: 100
    .vgpr_count: 64
    .max_flat_workgroup_size: {lanes}
    .args:
{given}"""
        for n in names
    )
    return "\n".join(
        [
            f'.amdgcn_target "amdgcn-amd-amdhsa--{target}"',
            ".text",
            *(f".globl {n}" for n in names),
            *bodies,
            f".amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels:\n{kernels}\n.end_amdgpu_metadata",
        ]
    )


def interpret(machine: Machine, fetch: Callable[[int], Instruction], entry: int) -> int:
    """Run a kernel's body, from its first marker to its second.

    Args:
        fetch: the instruction at an address.
        entry: where the kernel starts; what stands before the first marker is skipped.

    Returns:
        Instructions executed.
    """
    at = entry
    while not (fetch(at).op == "s_nop" and fetch(at).mod("simm16") == START):
        at = fetch(at).end
    at = fetch(at).end
    for steps in range(STEP_LIMIT):
        inst = fetch(at)
        if inst.op == "s_nop" and inst.mod("simm16") == END:
            return steps
        at = inst.end
        if inst.op.startswith("s_cbranch") or inst.op == "s_branch":
            at = inst.src[0].value if _taken(machine, inst.op) else at
        elif inst.op == "s_getpc_b64":
            machine.write_scalar(inst.dst[0], inst.end, 64)
        elif inst.op in ("s_swappc_b64", "s_setpc_b64"):
            at = machine.read_scalar(inst.src[0], 64)
            if inst.dst:
                machine.write_scalar(inst.dst[0], inst.end, 64)
        else:
            machine.run(inst)
    raise AssertionError("the program does not end")


def _taken(machine: Machine, op: str) -> bool:
    vcc = machine.scalar[VCC] | (machine.scalar[VCC + 1] << 32 if machine.lanes == 64 else 0)
    return {
        "s_branch": True,
        "s_cbranch_scc0": not machine.scc,
        "s_cbranch_scc1": bool(machine.scc),
        "s_cbranch_vccz": vcc == 0,
        "s_cbranch_vccnz": vcc != 0,
        "s_cbranch_execz": machine.exec == 0,
        "s_cbranch_execnz": machine.exec != 0,
    }[op]
