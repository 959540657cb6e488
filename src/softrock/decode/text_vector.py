"""Modifiers of vector instructions as the assembler writes them."""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.decode.operands import SDWA_SELECT
from softrock.decode.plan import SOURCE_BIT
from softrock.isa import Row, Target

OUTPUT_SCALE = ("", " mul:2", " mul:4", " div:2")
SDWA_UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
DPP_SHIFTS = {0x100: "row_shl", 0x110: "row_shr", 0x120: "row_ror"}
DPP_FIXED = {
    0x130: "wave_shl:1", 0x134: "wave_rol:1", 0x138: "wave_shr:1", 0x13C: "wave_ror:1", 0x140: "row_mirror",
    0x141: "row_half_mirror", 0x142: "row_bcast:15", 0x143: "row_bcast:31",
}
FOUR_SELECT_BITS = ("v_fmac_f16", "v_mac_f16", "v_cvt_sr_fp8", "v_cvt_sr_bf8", "v_cvt_scalef32_pk_fp4")
"""Operations that print all four bits of op_sel though they have fewer sources."""


def bit_list(value: int, count: int) -> str:
    """``[1,0,1]``, lowest bit first."""
    return "[" + ",".join(str(value >> i & 1) for i in range(count)) + "]"


def dpp_control(value: int, target: Target) -> str:
    """The lane pattern of a DPP instruction."""
    if value < 0x100:
        return "quad_perm:[" + ",".join(str(value >> 2 * i & 3) for i in range(4)) + "]"
    if value in DPP_FIXED:
        return DPP_FIXED[value]
    if value & 0x1F0 == 0x150:
        return f"{'row_newbcast' if target.major == 9 else 'row_share'}:{value & 15}"
    if value & 0x1F0 == 0x160:
        return f"row_xmask:{value & 15}"
    return f"{DPP_SHIFTS[value & 0x1F0]}:{value & 15}"


def vector_modifiers(instruction: Instruction, row: Row, target: Target) -> str:
    """All that follows the operands, with a leading space where there is anything."""
    mod = instruction.mod
    text = ""
    if instruction.format == "VINTERP" and mod("clamp"):
        text += " clamp"
    if instruction.format == "VOP3P":
        text += _packed(instruction, row)
    elif mod("op_sel") and instruction.op != "v_cndmask_b16":
        text += f" op_sel:{_select(instruction, target)}"
    if mod("index_key"):
        text = f" index_key:{mod('index_key')}" + text
    if mod("bitop3"):
        text = f" bitop3:{mod('bitop3'):#x}" + text
    if mod("byte_sel"):
        text += f" byte_sel:{mod('byte_sel')}"
    for name in ("cbsz", "abid"):
        if mod(name):
            text += f" {name}:{mod(name)}"
    if mod("blgp"):
        is_double = "_f64_" in row.op and target.name != "gfx90a"
        text += f" neg:{bit_list(mod('blgp'), 3)}" if is_double else f" blgp:{mod('blgp')}"
    if mod("clamp") and instruction.format != "VINTERP":
        text += " clamp"
    text += OUTPUT_SCALE[mod("omod")]
    if "wait_exp" in row.mods:
        text += f" wait_exp:{mod('wait_exp')}"
    return text + _sdwa(instruction, row) + _dpp(instruction, target)


def _select(instruction: Instruction, target: Target) -> str:
    """The bits of op_sel: one a source, then the destination's."""
    value, op = instruction.mod("op_sel"), instruction.op
    if op.startswith("v_permlane"):
        return bit_list(value, 2)
    if op.startswith(FOUR_SELECT_BITS):
        return bit_list(value, 4)
    count = sum(operand.role in SOURCE_BIT for operand in instruction.src)
    is_compare = op.startswith("v_cmp")
    is_dpp = "dpp8" in instruction.mods or "dpp_ctrl" in instruction.mods
    if is_compare and (is_dpp or (op.startswith("v_cmpx") and target.major > 9)):
        return bit_list(value, count)
    return bit_list(value & (1 << count) - 1 | (value >> 3) << count, count + 1)


def _packed(instruction: Instruction, row: Row) -> str:
    names = row.mods
    count = sum(operand.role in SOURCE_BIT or operand.role == "idx" for operand in instruction.src)
    every = (1 << count) - 1
    mod = instruction.mod
    text = ""
    if mod("op_sel") & every:
        text += f" op_sel:{bit_list(mod('op_sel'), count)}"
    if "op_sel_hi" in names:
        high = mod("op_sel_hi") & every
        default = 0 if "neg" in names else every
        if high != default:
            text += f" op_sel_hi:{bit_list(high, count)}"
    for name in ("neg_lo", "neg_hi"):
        if mod(name) & every:
            text += f" {name}:{bit_list(mod(name), count)}"
    return text


def _sdwa(instruction: Instruction, row: Row) -> str:
    if not row.encoding.endswith("SDWA"):
        return ""
    text = ""
    if "dst_sel" in row.mods:
        text = f" dst_sel:{SDWA_SELECT[instruction.mod('dst_sel')]}"
    if "dst_unused" in row.mods:
        text += f" dst_unused:{SDWA_UNUSED[instruction.mod('dst_unused')]}"
    for operand in instruction.src:
        if operand.sel:
            text += f" {operand.role}_sel:{operand.sel}"
    return text


def _dpp(instruction: Instruction, target: Target) -> str:
    mods = instruction.mods
    text = ""
    if "dpp8" in mods:
        lanes = ",".join(str(mods["dpp8"] >> 3 * i & 7) for i in range(8))
        text = f" dpp8:[{lanes}]"
    elif "dpp_ctrl" in mods:
        text = (f" {dpp_control(mods['dpp_ctrl'], target)} row_mask:{mods['row_mask']:#x}"
                f" bank_mask:{mods['bank_mask']:#x}")
    text += " bound_ctrl:1" if instruction.mod("bound_ctrl") else ""
    return text + (" fi:1" if instruction.mod("fi") else "")
