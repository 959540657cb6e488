"""Instructions as the assembler writes them."""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.decoder import decoder
from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.decode.text_memory import BUFFER_TEXT, MEMORY_TEXT
from softrock.decode.text_operands import operand_text
from softrock.decode.text_scalar import SCALAR_TEXT
from softrock.decode.text_vector import vector_modifiers
from softrock.isa import Row, Target
from softrock.isa import target as target_of

SPECIAL_TEXT: dict[str, Callable[[Instruction, Target], str]] = {**MEMORY_TEXT, **BUFFER_TEXT, **SCALAR_TEXT}
HALF_TYPES = ("_f16", "_u16", "_i16", "_b16")
PACKED = ("v_pk_", "v_dot2", "v_fma_mix")


def format_instruction(instruction: Instruction, target: Target | str) -> str:
    """The instruction's text, such as ``v_add_f32_e32 v0, s1, v2``.

    The text is what LLVM's assembler accepts for the target and turns back into the same bytes. Branch targets are
    printed as the encoded distance in dwords (unsigned, 16 bits), as LLVM does without symbols.

    Args:
        instruction: from :func:`softrock.decode.decode`, of the same target.
        target: the instruction set, or its name, with the wave size used for decoding.
    """
    if isinstance(target, str):
        target = target_of(target)
    if instruction.parts:
        return " :: ".join(_plain(part.mnemonic, _without_vcc(part), target) for part in instruction.parts)
    row = decoder(target).row(int.from_bytes(instruction.raw, "little"))
    assert row is not None, "the instruction was decoded for this target"
    special = SPECIAL_TEXT.get(instruction.format)
    if special is not None:
        rest = special(instruction, target)
        return f"{row.asm} {rest}" if rest else row.asm
    is_half = row.op.endswith(HALF_TYPES) and not row.op.startswith(PACKED) and row.encoding[:4] != "VOP3"
    text = _plain(row.asm, _visible(row, instruction), target, is_half)
    return text + vector_modifiers(instruction, row, target)


def _visible(row: Row, instruction: Instruction) -> tuple[Operand, ...]:
    """Operands that the assembler writes out; EXEC as the destination of a gfx11 v_cmpx is not."""
    hidden = "sdst:m=exec" in row._operands
    return (instruction.dst[1:] if hidden else instruction.dst) + instruction.src


def _without_vcc(part: Instruction) -> tuple[Operand, ...]:
    return tuple(operand for operand in part.dst + part.src if operand.role != "src2")


def _plain(name: str, operands: tuple[Operand, ...], target: Target, is_half: bool = False) -> str:
    texts = ", ".join(operand_text(operand, target, is_half) for operand in operands)
    return f"{name} {texts}" if texts else name


__all__ = ["Kind", "format_instruction"]
