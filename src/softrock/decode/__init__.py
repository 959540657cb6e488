"""Bytes to instructions, and instructions to the assembler's text."""

from softrock.decode.decoder import decode, decode_range
from softrock.decode.instruction import Instruction, Kind, Operand

__all__ = ["Instruction", "Kind", "Operand", "decode", "decode_range"]
