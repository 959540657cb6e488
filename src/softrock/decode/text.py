"""Instructions as the assembler writes them."""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.decoder import decoder
from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.decode.text_memory import BUFFER_TEXT, MEMORY_TEXT
from softrock.decode.text_operands import INLINE_F16, INLINE_F32, INLINE_F64, literal_text, operand_text
from softrock.decode.text_scalar import SCALAR_TEXT
from softrock.decode.text_vector import vector_modifiers
from softrock.isa import Row, Target
from softrock.isa import target as target_of

SPECIAL_TEXT: dict[str, Callable[[Instruction, Target], str]] = {**MEMORY_TEXT, **BUFFER_TEXT, **SCALAR_TEXT}
HALF_TYPES = ("_f16", "_u16", "_i16", "_b16")
PACKED = ("v_pk_", "v_dot2", "v_fma_mix")
SHORT_FORMS = ("VOP1", "VOP2", "VOPC")


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
    operands = _visible(row, instruction)
    if any(operand.kind is Kind.LITERAL for operand in instruction.src):
        texts = [operand_text(o, target, _literal(o, row)) for o in operands]
    else:
        texts = [operand_text(o, target) for o in operands]
    text = f"{row.asm} {', '.join(texts)}" if texts else row.asm
    return text + vector_modifiers(instruction, row, target)


def _visible(row: Row, instruction: Instruction) -> tuple[Operand, ...]:
    """Operands that the assembler writes out; EXEC as the destination of a gfx11 v_cmpx is not."""
    return (instruction.dst[1:] if row.hides_destination else instruction.dst) + instruction.src


def _without_vcc(part: Instruction) -> tuple[Operand, ...]:
    return tuple(operand for operand in part.dst + part.src if operand.role != "src2")


def _literal(operand: Operand, row: Row) -> str | None:
    """Text of a literal by the type the operation gives it; None for plain 32 bits."""
    if operand.kind is not Kind.LITERAL or operand.role == "imm" or not row.op.startswith("v_"):
        return None
    if row.op.startswith(PACKED):
        is_half = "_mix" in row.op or ("f16" in row.op and "bf16" not in row.op)
        return literal_text(operand.value, INLINE_F16 if is_half else INLINE_F32, 32)
    halves = {spec.role for spec in row.operands if spec.half}
    if operand.role in halves or (row.encoding in SHORT_FORMS and not halves and row.op.endswith(HALF_TYPES)):
        return literal_text(operand.value, INLINE_F16, 16)
    if row.op.endswith("_f64") and operand.dwords == 2:
        return literal_text(operand.value, INLINE_F64, 32)
    return None


def _plain(name: str, operands: tuple[Operand, ...], target: Target) -> str:
    texts = ", ".join(operand_text(operand, target) for operand in operands)
    return f"{name} {texts}" if texts else name
