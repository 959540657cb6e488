"""From register numbers and constant codes to operands."""

from __future__ import annotations

from softrock.decode.instruction import Kind, Operand
from softrock.isa import Target

VCC = 106
EXEC = 126
INLINE_FLOATS = {
    240: 0.5,
    241: -0.5,
    242: 1.0,
    243: -1.0,
    244: 2.0,
    245: -2.0,
    246: 4.0,
    247: -4.0,
    248: 0.15915494309189535,
}
SPECIALS = {
    235: "src_shared_base",
    236: "src_shared_limit",
    237: "src_private_base",
    238: "src_private_limit",
    239: "src_pops_exiting_wave_id",
    251: "vccz",
    252: "execz",
    253: "scc",
    254: "lds_direct",
}
LITERAL = 255
NO_LITERAL = -1
"""In place of a literal's bits: this encoding has none."""
SDWA_SELECT = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")


class BadOperand(Exception):
    """A code that names no operand; the decoder turns it into a DecodeError."""


def scalar(target: Target, role: str, code: int, dwords: int, literal: int | None) -> Operand:
    """The operand that a scalar code 0 to 255 names.

    Raises:
        BadOperand: the code is reserved, or the literal lies past the end of the bytes.
    """
    if code < 124:
        return Operand(role, Kind.SGPR, code, dwords)
    if code == target.m0_sgpr:
        return Operand(role, Kind.M0, code, dwords)
    if code == target.null_sgpr:
        return Operand(role, Kind.NULL, code, dwords)
    if code in (126, 127):
        return Operand(role, Kind.EXEC, code, dwords)
    if 128 <= code <= 192:
        return Operand(role, Kind.INT, 0, dwords, value=code - 128)
    if 193 <= code <= 208:
        return Operand(role, Kind.INT, 0, dwords, value=192 - code)
    if code in INLINE_FLOATS:
        return Operand(role, Kind.FLOAT, 0, dwords, number=INLINE_FLOATS[code])
    if code in SPECIALS:
        return Operand(role, Kind.SPECIAL, 0, dwords, name=SPECIALS[code])
    if code == LITERAL:
        if literal is None:
            raise BadOperand("its literal constant is cut off")
        if literal == NO_LITERAL:
            raise BadOperand(f"its {role} cannot be a literal constant")
        return Operand(role, Kind.LITERAL, 0, dwords, value=literal)
    raise BadOperand(f"its {role} has the reserved code {code}")


IMPLIED = ("vcc", "exec", "m0")


def fixed(target: Target, role: str, register: str, dwords: int) -> Operand:
    """An operand that the encoding implies, one of IMPLIED."""
    if register == "vcc":
        return Operand(role, Kind.SGPR, VCC, dwords)
    if register == "m0":
        return Operand(role, Kind.M0, target.m0_sgpr, dwords)
    return Operand(role, Kind.EXEC, EXEC, dwords)
