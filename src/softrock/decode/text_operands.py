"""Operands as the assembler writes them."""

from __future__ import annotations

from softrock.decode.instruction import Kind, Operand
from softrock.isa import Target

INVERSE_TWO_PI = 0.15915494309189535
GFX9_PAIRS = {102: "flat_scratch", 104: "xnack_mask"}
SPECIAL_NAMES = {"scc": "src_scc", "vccz": "src_vccz", "execz": "src_execz", "lds_direct": "src_lds_direct"}
_INVERSE_TWO_PI_F16, _INVERSE_TWO_PI_F32 = 0x3118, 0x3E22F983
INLINE_F16 = frozenset({0x3800, 0xB800, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4400, 0xC400, _INVERSE_TWO_PI_F16})
INLINE_F32 = frozenset(
    {0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000, 0xC0800000,
     _INVERSE_TWO_PI_F32}
)
INLINE_F64 = frozenset(
    {0x3FE00000, 0xBFE00000, 0x3FF00000, 0xBFF00000, 0x40000000, 0xC0000000, 0x40100000, 0xC0100000}
)
"""High halves of doubles; a literal of a double is its high half."""


def register_range(letter: str, index: int, dwords: int) -> str:
    """``v7`` or ``v[7:8]``."""
    return f"{letter}{index}" if dwords == 1 else f"{letter}[{index}:{index + dwords - 1}]"


def scalar_register(index: int, dwords: int, target: Target) -> str:
    """The name of a scalar register, VCC, TTMP and the like."""
    if index >= 108:
        return register_range("ttmp", index - 108, dwords)
    if index >= 106:
        return _pair("vcc", index - 106, dwords)
    if target.major == 9 and index >= 102:
        base = index & ~1
        return _pair(GFX9_PAIRS[base], index - base, dwords)
    return register_range("s", index, dwords)


def _pair(name: str, half: int, dwords: int) -> str:
    return name if dwords == 2 else name + ("_hi" if half else "_lo")


def literal_text(value: int, inline: frozenset[int], width: int) -> str:
    """A literal constant; ``lit(...)`` where the assembler would otherwise pick an inline constant.

    Args:
        value: its 32 bits.
        inline: bit patterns of floats that have inline constants in this operand.
        width: how many low bits the instruction uses, 16 or 32.
    """
    value &= (1 << width) - 1
    signed = value - (1 << width) if value >> (width - 1) else value
    return f"lit({value:#x})" if -16 <= signed <= 64 or value in inline else hex(value)


def operand_text(operand: Operand, target: Target, literal: str | None = None) -> str:
    """The operand with its modifiers; `literal` is the text of its literal where that has a form of its own."""
    if operand.kind is not Kind.LITERAL:
        text = _bare(operand, target)
    elif operand.role == "imm":
        text = hex(operand.value)
    else:
        text = literal or literal_text(operand.value, INLINE_F32 if operand.dwords == 1 else frozenset(), 32)
    if operand.abs:
        text = f"|{text}|"
    if operand.neg:
        constant = operand.kind in (Kind.INT, Kind.FLOAT, Kind.LITERAL) and not operand.abs
        text = f"neg({text})" if constant else f"-{text}"
    return f"sext({text})" if operand.sext else text


def _bare(operand: Operand, target: Target) -> str:
    kind = operand.kind
    if kind is Kind.VGPR:
        half = "" if operand.half is None else ".h" if operand.half else ".l"
        return register_range("v", operand.index, operand.dwords) + half
    if kind is Kind.SGPR:
        return scalar_register(operand.index, operand.dwords, target)
    if kind is Kind.AGPR:
        return register_range("a", operand.index, operand.dwords)
    if kind is Kind.INT:
        return str(operand.value)
    if kind is Kind.FLOAT:
        return float_text(operand.number, operand.dwords)
    if kind is Kind.EXEC:
        return _pair("exec", operand.index - 126, operand.dwords)
    if kind is Kind.SPECIAL:
        return SPECIAL_NAMES.get(operand.name, operand.name)
    return "m0" if kind is Kind.M0 else "null" if kind is Kind.NULL else str(operand.value)


def float_text(number: float, dwords: int) -> str:
    """An inline float constant."""
    if number == INVERSE_TWO_PI:
        return "0.15915494309189532" if dwords == 2 else "0.15915494"
    return str(number)
