"""Bytes to instructions, and instructions to the assembler's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.decoder import decode, decode_range
from softrock.decode.instruction import Instruction, Kind, Operand

if TYPE_CHECKING:
    from softrock.isa import Target

__all__ = ["Instruction", "Kind", "Operand", "decode", "decode_range", "format_instruction"]


def format_instruction(instruction: Instruction, target: Target | str) -> str:
    """The instruction's text; see :func:`softrock.decode.text.format_instruction`."""
    from softrock.decode.text import format_instruction as to_text

    return to_text(instruction, target)
