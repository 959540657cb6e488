"""Elements of matrix operands, widened to floats that hold them exactly. Registers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from softrock.decode.instruction import Operand
from softrock.lift.ir import Val
from softrock.lift.semantics.dot import element
from softrock.lift.semantics.eight_bit import decode, format_of

if TYPE_CHECKING:
    from softrock.lift.context import Wave

WIDTH = {
    "f64": 64,
    "f32": 32,
    "xf32": 32,
    "f16": 16,
    "bf16": 16,
    "i8": 8,
    "u8": 8,
    "fp8": 8,
    "bf8": 8,
    "fp4": 4,
    "i4": 4,
    "u4": 4,
}
"""Bits of an element of each format."""


def elements(x: Wave, op: Operand, form: str, count: int, lanes: int = 0) -> list[Val]:
    """The elements of every lane (or of the first `lanes`) as f32, as f64 where that is the format.

    MI200 takes denormals of f16 and bf16 as zero.
    """
    if form == "f64":
        return [x.regs.vector.read_pair(x.bank_index(op) + 2 * e).bits_as("f64") for e in range(count)]
    words = x.read_words(op, -(-count * WIDTH[form] // 32))
    if lanes and lanes < x.W:
        words = [word.shuffle(range(lanes)) for word in words]
    return widen(x, words, form, count)


def widen(x: Wave, words: Sequence[Val], form: str, count: int) -> list[Val]:
    """The first `count` elements of dwords."""
    per_word = 32 // WIDTH[form]
    out = [_widen(x, words[e // per_word], e % per_word, form) for e in range(count)]
    if WIDTH[form] == 16 and x.target.family == "cdna2":
        least = 2.0**-14 if form == "f16" else 2.0**-126
        out = [value.fabs().lt(least).select(0.0, value) for value in out]
    return out


def _widen(x: Wave, word: Val, k: int, form: str) -> Val:
    if form == "f32":
        return word.bits_as("f32")
    if form == "xf32":
        return (word & ~0x1FFF).bits_as("f32")
    if form == "f16":
        return (word >> 16 * k).to("u16").bits_as("f16").to("f32")
    if form == "bf16":
        return (word & 0xFFFF0000 if k else word << 16).bits_as("f32")
    if form == "fp4":
        return _fp4(element(word, k, 4, False).bits_as("u32"))
    if form in ("fp8", "bf8"):
        return decode(element(word, k, 8, False).bits_as("u32"), format_of(x, form))
    return element(word, k, WIDTH[form], form[0] == "i").to("f32")


def _fp4(code: Val) -> Val:
    """E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives."""
    size = code & 7
    small = size.eq(1).select(0x3F000000, size * 0)
    number = size.lt(2).select(small, (size << 22) + (126 << 23))
    return (number | (code & 8) << 28).bits_as("f32")


def with_signs(values: Sequence[Val], negate: int) -> list[Val]:
    """The values, with the other sign if `negate` is not 0."""
    return [-value for value in values] if negate else list(values)
