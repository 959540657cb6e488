"""Text of scalar instructions whose immediates have forms of their own."""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.instruction import Instruction, Kind
from softrock.decode.text_cache import cache_policy
from softrock.decode.text_operands import operand_text
from softrock.isa import Target
from softrock.isa.tables import number_names

DECIMAL = frozenset({"s_endpgm", "s_sendmsg", "s_sendmsghalt"})
HEX = frozenset(
    {"s_clause", "s_round_mode", "s_wait_event", "s_waitcnt_vscnt", "s_waitcnt_vmcnt", "s_waitcnt_expcnt",
     "s_waitcnt_lgkmcnt", "s_ttracedata_imm", "s_set_inst_prefetch_distance"}
)
DELAY_INSTRUCTIONS = (
    "NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1", "TRANS32_DEP_2",
    "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3",
)
DELAY_SKIPS = ("SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4")
DEPENDENCY_COUNTERS = (
    ("hold_cnt", 7, 1), ("sa_sdst", 0, 1), ("va_vdst", 12, 4), ("va_sdst", 9, 3), ("va_ssrc", 8, 1), ("va_vcc", 1, 1),
    ("vm_vsrc", 2, 3),
)
GS_OPERATIONS = {0: "GS_OP_NOP", 1: "GS_OP_CUT", 2: "GS_OP_EMIT", 3: "GS_OP_EMIT_CUT"}
SYSTEM_OPERATIONS = {1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 4: "SYSMSG_OP_TTRACE_PC"}


def number(value: int) -> str:
    """Small numbers in decimal, others in hexadecimal."""
    return str(value) if -16 <= value <= 64 else f"-{-value:#x}" if value < 0 else hex(value)


def waitcnt_fields(target: Target) -> dict[str, tuple[tuple[int, int], ...]]:
    """Counters of s_waitcnt: pieces (low bit, width) of each."""
    if target.major == 9:
        return {"vmcnt": ((0, 4), (14, 2)), "expcnt": ((4, 3),), "lgkmcnt": ((8, 4),)}
    return {"vmcnt": ((10, 6),), "expcnt": ((0, 3),), "lgkmcnt": ((4, 6),)}


def _waitcnt(value: int, target: Target) -> str:
    shown, every = [], []
    for name, pieces in waitcnt_fields(target).items():
        count, place = 0, 0
        for low, width in pieces:
            count |= (value >> low & ((1 << width) - 1)) << place
            place += width
        every.append(f"{name}({count})")
        if count != (1 << place) - 1:
            shown.append(every[-1])
    return " ".join(shown or every)


def _delay_alu(value: int, target: Target) -> str:
    first, skip, second = value & 15, value >> 4 & 7, value >> 7 & 15
    parts = []
    if first:
        parts.append(f"instid0({_named(DELAY_INSTRUCTIONS, first, 'instid')})")
    if skip:
        parts.append(f"instskip({_named(DELAY_SKIPS, skip, 'instskip')})")
    if second:
        parts.append(f"instid1({_named(DELAY_INSTRUCTIONS, second, 'instid')})")
    return " | ".join(parts) or "0"


def _wait_alu(value: int) -> str:
    """Counters of s_waitcnt_depctr that are not at rest, all of them where all are."""
    if value & 0x60:
        return hex(value)
    counts = [(name, value >> low & (1 << width) - 1, width) for name, low, width in DEPENDENCY_COUNTERS]
    shown = [c for c in counts if c[1] != (1 << c[2]) - 1] or counts
    return " ".join(f"depctr_{name}({count})" for name, count, _ in shown)


def _named(names: tuple[str, ...], index: int, what: str) -> str:
    return names[index] if index < len(names) else f"/* invalid {what} value */"


def message(value: int, target: Target) -> str:
    """The operand of s_sendmsg."""
    width = 8 if target.major >= 11 else 4
    kind, operation, stream = value & (1 << width) - 1, value >> 4 & 7, value >> 8 & 3
    name = number_names("message", target.name).get(kind)
    if width == 8:
        return f"sendmsg(MSG_{name})" if name and value < 256 else _raw_message(value, kind, 0, 0, value >> 8)
    rest = value & ~0x37F
    if name in ("GS", "GS_DONE") and operation in GS_OPERATIONS and not rest:
        if operation:
            return f"sendmsg(MSG_{name}, {GS_OPERATIONS[operation]}, {stream})"
        if name == "GS_DONE" and not stream:
            return f"sendmsg(MSG_{name}, GS_OP_NOP)"
    elif name == "SYSMSG" and operation in SYSTEM_OPERATIONS and not rest and not stream:
        return f"sendmsg(MSG_{name}, {SYSTEM_OPERATIONS[operation]})"
    elif name and name not in ("GS", "GS_DONE", "SYSMSG") and value == kind:
        return f"sendmsg(MSG_{name})"
    return _raw_message(value, kind, operation, stream, rest)


def _raw_message(value: int, kind: int, operation: int, stream: int, rest: int) -> str:
    return str(value) if rest else f"sendmsg({kind}, {operation}, {stream})"


def hardware_register(value: int, target: Target) -> str:
    """The operand of s_getreg and s_setreg."""
    register, offset, size = value & 63, value >> 6 & 31, (value >> 11) + 1
    name = number_names("hwreg", target.name).get(register)
    text = f"HW_REG_{name}" if name else str(register)
    return f"hwreg({text})" if (offset, size) == (0, 32) else f"hwreg({text}, {offset}, {size})"


def _immediate(instruction: Instruction, target: Target) -> str:
    op, value = instruction.op, instruction.mod("simm16")
    if op == "s_waitcnt":
        return _waitcnt(value, target)
    if op in ("s_sendmsg", "s_sendmsghalt"):
        return message(value, target)
    if op == "s_set_gpr_idx_mode":
        return _index_mode(value)
    if op in ("s_waitcnt_depctr", "s_wait_alu"):
        return _wait_alu(value)
    if op == "s_delay_alu":
        return _delay_alu(value, target)
    if op == "s_endpgm" and not value:
        return ""
    if op in DECIMAL:
        return str(value)
    return hex(value) if op in HEX or op.startswith("s_wait_") else number(value)


def _distance(instruction: Instruction) -> str:
    label = instruction.src[-1]
    return str((label.value - instruction.address - 4) // 4 & 0xFFFF)


def _program(instruction: Instruction, target: Target) -> str:
    if instruction.src and instruction.src[-1].kind is Kind.LABEL:
        return _distance(instruction)
    has_immediate = "simm16" in instruction.mods or instruction.op not in NO_IMMEDIATE
    return _immediate(instruction, target) if has_immediate else ""


NO_IMMEDIATE = frozenset(
    {"s_wakeup", "s_icache_inv", "s_ttracedata", "s_endpgm_saved", "s_endpgm_ordered_ps_done", "s_set_gpr_idx_off",
     "s_wait_idle", "s_code_end", "s_barrier", "s_barrier_leave"}
)


def _constant(instruction: Instruction, target: Target) -> str:
    operands = [operand_text(o, target) for o in instruction.dst + instruction.src if o.kind is not Kind.LABEL]
    if instruction.src and instruction.src[-1].kind is Kind.LABEL:
        return ", ".join([*operands, _distance(instruction)])
    if "reg_" in instruction.op:
        register = hardware_register(instruction.mod("simm16"), target)
        if instruction.op.startswith("s_getreg"):
            return ", ".join([*operands, register])
        if instruction.src[-1].kind is Kind.LITERAL:
            return f"{register}, {number(instruction.src[-1].value)}"
        return f"{register}, {operands[-1]}"
    value = instruction.mod("simm16")
    if instruction.op == "s_version":
        return number(value)
    return ", ".join([*operands, hex(value)])


def _one_source(instruction: Instruction, target: Target) -> str:
    operands = [operand_text(o, target) for o in instruction.dst + instruction.src]
    if instruction.op.startswith("s_sendmsg_rtn"):
        operands[-1] = message(instruction.src[0].value, target)
    return ", ".join(operands)


def _scalar_memory(instruction: Instruction, target: Target) -> str:
    operands, seen = [], set()
    for operand in instruction.dst + instruction.src:
        if operand.role not in seen and not (operand.role == "sdata" and "sdst" in seen):
            seen.add(operand.role)
            operands.append(operand_text(operand, target))
    if "_prefetch_" in instruction.op:
        found = {o.role: o for o in instruction.src}
        base = [operand_text(found["sbase"], target)] if "sbase" in found else []
        register = operand_text(found["soffset"], target) if "soffset" in found else "null"
        return ", ".join([*base, f"{instruction.mod('offset'):#x}", register, number(found["sdata"].value)])
    if instruction.op.startswith("s_atc_probe"):
        operands[0] = number(instruction.src[0].value)
    offset = instruction.mod("offset")
    if instruction.get("soffset") is None and instruction.get("sbase") is not None:
        operands.append("null" if target.major == 11 and not offset else f"{offset:#x}")
    elif "offset" in instruction.mods or (target.major == 12 and instruction.get("sbase")):
        operands[-1] += f" offset:{offset:#x}"
    flags = "".join(f" {name}" for name in ("glc", "dlc") if instruction.mod(name))
    return ", ".join(operands) + (flags or cache_policy(instruction))


def _index_mode(value: int) -> str:
    """Which operands S_SET_GPR_IDX makes relative."""
    if value > 15:
        return hex(value)
    return f"gpr_idx({','.join(n for i, n in enumerate(('SRC0', 'SRC1', 'SRC2', 'DST')) if value >> i & 1)})"


def _comparison(instruction: Instruction, target: Target) -> str:
    operands = [operand_text(o, target) for o in instruction.src]
    if instruction.op == "s_set_gpr_idx_on":
        operands[1] = _index_mode(instruction.src[1].value)
    return ", ".join(operands)


SCALAR_TEXT: dict[str, Callable[[Instruction, Target], str]] = {
    "SOP1": _one_source,
    "SOPC": _comparison,
    "SOPP": _program,
    "SOPK": _constant,
    "SMEM": _scalar_memory,
}
