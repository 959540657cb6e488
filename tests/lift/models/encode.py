"""Makes an instruction of a table's row: registers for its operands, modifiers and other source kinds by chance.

Registers: destinations from v64 and s16, sources from v0 (SRC1 v8, SRC2 v32), scalar sources from s0, s4 and s8.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from tests.lift.models import lanes as lane_moves
from tests.lift.models.registry import MODELS, is_float

from softrock.decode import decode
from softrock.decode.instruction import Instruction
from softrock.isa.tables import Field, Layout, OperandSpec, Row, layouts
from softrock.isa.targets import Target

VECTOR = {"vdst": 64, "src0": 0, "src1": 8, "src2": 32, "idx": 48, "addr": 0, "data0": 8, "data1": 16}
SCALAR = {"sdst": 16, "src0": 0, "src1": 4, "src2": 8}
INLINE = (128, 129, 192, 193, 208, 240, 241, 242, 243, 247, 248)
"""Codes of inline constants: 0, 1, 64, -1, -16, 0.5, -0.5, 1.0, -1.0, -4.0, 1/(2*pi)."""
PER_SOURCE = ("neg", "abs", "sext")
NUMBER_OF_SOURCES = {"src0": 0, "src1": 1, "src2": 2}


@dataclass
class Choice:
    """What an encoding shall look like.

    Attributes:
        mods: use modifiers by chance.
        kinds: let sources be scalar registers or constants by chance.
        fields: values of fields that are given.
    """

    mods: bool = False
    kinds: bool = False
    fields: dict[str, int] = field(default_factory=dict)


def put(place: Field, value: int) -> int:
    """A value's bits in a field."""
    word, shift = 0, 0
    for low, width in place.pieces:
        word |= (value >> shift & ((1 << width) - 1)) << low
        shift += width
    return word


def width(place: Field) -> int:
    return sum(w for _, w in place.pieces)


def instruction(row: Row, target: Target, choice: Choice, rng: np.random.Generator) -> Instruction:
    """The decoded instruction."""
    layout = layouts(target.major)[row.encoding]
    word, literal = row.match, None
    used: dict[str, int] = {}
    varied = False  # one scalar register or constant at most: all encodings allow that
    for spec in row.operands:
        if spec.role == "imm":
            literal = int(rng.integers(0, 1 << 32))
            continue
        name = _field_name(row, spec)
        if name not in layout or (spec.fixed and spec.fixed not in ("acc",)):
            continue
        code = _register(spec, layout[name], rng)
        if choice.kinds and not varied:
            other = _other_kind(row, spec, layout[name].kind, target, rng)
            if other is not None:
                code, varied = other, True
                literal = int(rng.choice(LITERALS)) if code == 255 else literal
        used[name] = choice.fields.get(name, _special_code(row, spec, code))
    for name, value in {
        **_fixed_mods(row, layout, target, rng),
        **(_random_mods(row, layout, rng) if choice.mods else {}),
    }.items():
        used.setdefault(name, value)
    used.update({n: v for n, v in choice.fields.items() if n in layout})
    for name, value in used.items():
        word |= put(layout[name], value)
    word = word & ~row.mask | row.match  # bits that the row fixes: modifiers that not every source has
    data = word.to_bytes(row.size, "little")
    if literal is not None:
        data = (
            data[:4] + literal.to_bytes(4, "little")
            if "imm:" in row._operands
            else data + literal.to_bytes(4, "little")
        )
    return decode(target, data + bytes(16), 0, 0x1000)


LITERALS = (0x3F800001, 0x80000000, 0x7F800000, 0xFF7FFFFF, 0x12345678, 0xFFFF8000, 0x00003C00, 0x7FC00000, 0x00000021)


def _other_kind(row: Row, spec: OperandSpec, kind: str, target: Target, rng: np.random.Generator) -> int | None:
    """By chance the code of a scalar register or a constant for a source, else None."""
    if spec.written or spec.role not in NUMBER_OF_SOURCES or not spec.dwords or row.op.startswith(VECTORS_ONLY):
        return None
    pick = int(rng.integers(0, 10))
    has_literal = (spec.dwords == 1 or "f64" in row.op) and not spec.half and "imm:" not in row._operands
    if kind == "ss":
        special = [126, 106, target.m0_sgpr] if spec.dwords == 1 else [126, 106]
        if pick < 3:
            return int(rng.choice(INLINE))
        if pick < 5:
            return int(rng.choice(special)) if not row.op.endswith("exec_b64") else None
        return 255 if pick < 7 and has_literal else None
    if kind != "vs" or "DPP" in row.encoding:
        return None
    if pick < 2 and has_literal and (row.encoding in ("VOP1", "VOP2", "VOPC") or target.major >= 11):
        return 255 if row.encoding != "VOP3P" else None
    if pick < 4:
        return int(rng.choice(INLINE))
    return SCALAR[spec.role] if pick < 6 and not spec.half else None


VECTORS_ONLY = (
    *("v_readfirstlane", "v_readlane", "v_writelane", "v_swap", "v_permlane", "v_accvgpr", "v_movrel", "v_mfma"),
    *("v_cvt_pk_f32_", "v_cvt_f32_fp8", "v_cvt_f32_bf8", "v_smfmac", "v_wmma", "v_mqsad", "v_qsad"),
)
"""Beginnings of operations whose sources are given, or for which a constant has no meaning in the guides."""


def _field_name(row: Row, spec: OperandSpec) -> str:
    if spec.role == "sdst" and row.encoding.startswith("VOP3") and "vdst:" in row._operands:
        return "sdst_b"
    return spec.role


def _register(spec: OperandSpec, place: Field, rng: np.random.Generator) -> int:
    """The field's code for the operand's register."""
    if place.kind in ("v", "vs", "sx") and spec.role in VECTOR:
        code = VECTOR[spec.role]
        if spec.half and place.kind in ("v", "vs") and rng.integers(0, 2):
            code += 128  # .h in encodings without op_sel; others ignore it below
        if place.kind == "v" and width(place) == 7:
            return code
        is_mask = spec.dwords == 0
        if is_mask:
            return SCALAR.get(spec.role, 8)
        return code + 256 if place.kind == "vs" else code
    if place.kind == "sd":
        return 0x80 | SCALAR["sdst"]
    return SCALAR.get(spec.role, 16)


def _special_code(row: Row, spec: OperandSpec, code: int) -> int:
    """Sources that must be scalar; halves that op_sel picks rather than the register field."""
    if row.op in ("v_readlane_b32", "v_permlane16_b32", "v_permlanex16_b32") and spec.role in ("src1", "src2"):
        return SCALAR[spec.role]
    if row.op == "v_writelane_b32" and spec.role in ("src0", "src1"):
        return SCALAR[spec.role]
    if spec.half and (row.encoding.startswith(("VOP3", "VINTERP"))):
        return code & ~128
    return code


def _fixed_mods(row: Row, layout: Layout, target: Target, rng: np.random.Generator) -> dict[str, int]:
    """Modifiers that an encoding always needs."""
    found: dict[str, int] = {}
    if "dpp_ctrl" in layout:
        found["dpp_ctrl"] = int(rng.choice(lane_moves.controls(target.major)))
        if target.major == 9 and any(s.dwords == 2 for s in row.operands):
            found["dpp_ctrl"] = 0x150 | int(rng.integers(0, 16))  # 64-bit DPP has row_newbcast only
        found["row_mask"] = int(rng.choice([15, 15, 5, 10, 9]))
        found["bank_mask"] = int(rng.choice([15, 15, 3, 12]))
        found["bound_ctrl"] = int(rng.integers(0, 2))
        if "fi" in layout:
            found["fi"] = int(rng.integers(0, 2))
    if "dpp8" in layout:
        # The low bits of the code 233 (without) or 234 (with fetching of inactive lanes).
        found["dpp8"], found["fi"] = int(rng.integers(0, 1 << 24)), int(rng.integers(1, 3))
    if row.encoding.endswith("SDWA"):
        for name in ("src0_sel", "src1_sel"):
            if name in row.mods and name in layout:
                found[name] = int(rng.integers(4 if row.op.startswith("v_cvt_pk_f32_") else 0, 7))
        if "dst_sel" in row.mods:
            found["dst_sel"], found["dst_unused"] = int(rng.integers(0, 7)), int(rng.integers(0, 3))
            if row.op.endswith("_f32"):
                found["dst_sel"] = 6  # parts of a NaN cannot be compared
            elif "f16" in row.op:
                found["dst_sel"], found["dst_unused"] = int(rng.integers(4, 7)), int(rng.choice([0, 2]))
    if "op_sel_hi" in row.mods and not row.op.startswith(("v_fma_mix", "v_mfma", "v_smfmac")):
        found["op_sel_hi"] = 7
    if row.encoding.startswith("VOP3") and any(s.half for s in row.operands) and "op_sel" in row.mods:
        found["op_sel"] = _op_sel(row, rng)
    return found


def _op_sel(row: Row, rng: np.random.Generator) -> int:
    """Bits of op_sel that mean something for the row."""
    bits = int(rng.integers(0, 16))
    allowed = 0
    for spec in row.operands:
        if spec.half or row.op.startswith(("v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr")):
            allowed |= 8 if spec.written else 1 << NUMBER_OF_SOURCES.get(spec.role, 3)
    if row.op.startswith(("v_cvt_pk_fp8", "v_cvt_pk_bf8")):
        allowed = 8
    elif row.op.startswith("v_cvt_sr"):
        allowed = 12
    return bits & allowed


def _random_mods(row: Row, layout: Layout, rng: np.random.Generator) -> dict[str, int]:
    found: dict[str, int] = {}
    sources = sum(1 for s in row.operands if s.role in NUMBER_OF_SOURCES and not s.written and s.dwords)
    for name in row.mods:
        if name in ("neg", "abs", "sext", "neg_lo", "neg_hi") and name in layout and not _odd_modifiers(row):
            changed = 2 if row.op.startswith("v_dot2") else sources  # the third source of a dot product is not packed
            found[name] = int(rng.integers(0, 1 << min(changed, width(layout[name]))))
        elif name == "clamp" and _clamps(row):
            found[name] = int(rng.integers(0, 2))
        elif name == "offset":
            found[name] = int(rng.integers(0, 1 << 15))
            if row.op == "ds_swizzle_b32":  # masks, four lanes, rotation
                patterns = (found[name], 0x8000 | found[name] & 0xFF, 0xC000 | found[name] & 0x7FF)
                found[name] = patterns[int(rng.integers(0, 3))]
        elif name == "omod":
            found[name] = int(rng.integers(0, 4))
        elif name == "op_sel":
            found[name] = _vop3_op_sel(row, rng)
        elif name == "op_sel_hi":
            found[name] = int(rng.integers(0, 1 << sources)) | (7 & ~((1 << sources) - 1))
    return found


def _vop3_op_sel(row: Row, rng: np.random.Generator) -> int:
    if row.encoding.startswith("VOP3P"):
        sources = sum(1 for s in row.operands if s.role in NUMBER_OF_SOURCES and not s.written)
        return int(rng.integers(0, 1 << sources))
    if any(s.half for s in row.operands) or row.op.startswith("v_cvt_"):
        return _op_sel(row, rng)
    if row.op.startswith("v_permlane"):
        return int(rng.integers(0, 4))
    # gfx9: op_sel picks halves of 16-bit sources of ordinary registers.
    return int(rng.integers(0, 16)) & (8 | ((1 << sum(s.role in NUMBER_OF_SOURCES for s in row.operands)) - 1))


def _odd_modifiers(row: Row) -> bool:
    """neg and abs whose meaning the guides do not give for the operation (packed sources in VOP3, integers)."""
    if row.op.startswith(("v_dot2acc", "v_dot2c", "v_dot4c", "v_dot8c", "v_dot2_f16", "v_dot2_bf16", "v_pk_fmac")):
        return True
    return row.op.startswith(("v_dot4_u32", "v_dot8_u32", "v_dot4_i32_i8", "v_dot8_i32_i4", "v_dot2_i32", "v_dot2_u32"))


SATURATING = (
    *(
        "v_add_nc_",
        "v_sub_nc_",
        "v_subrev_nc_",
        "v_subrev_u16",
        "v_mad_",
        "v_mul_lo_u16",
        "v_mul_u32_u24",
        "v_mul_i32_i24",
    ),
    *("v_add_co", "v_sub_co", "v_subrev_co", "v_pk_add_", "v_pk_sub_", "v_pk_mad_", "v_dot"),
)
"""Beginnings of integer operations that the clamp bit saturates."""


def _clamps(row: Row) -> bool:
    """Whether the clamp bit means something for the row: float results and some integer sums and products."""
    if row.op.startswith(SATURATING):
        return True
    model = MODELS.get(row.op)
    return model is not None and any(is_float(token) for token in model.outs)
