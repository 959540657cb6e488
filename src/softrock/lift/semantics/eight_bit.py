"""FP8 and BF8 numbers in both of their kinds. Registers nothing.

FNUZ (gfx942): bias 8 and 16, no infinities, 0x80 is the only NaN and there is no -0. OCP (gfx950, gfx12): bias 7 and
15, E4M3 has no infinities and NaN is 0x7F, E5M2 is like IEEE. What is too large becomes NaN or infinity
(MODE.FP16_OVFL = 0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softrock.lift.ir import Val
from softrock.lift.semantics.floats import raw_bits

if TYPE_CHECKING:
    from softrock.lift.context import Wave


class Format(NamedTuple):
    """An eight-bit format: mantissa bits, exponent bias, largest finite code, code of an overflow, FNUZ or OCP."""

    mantissa: int
    bias: int
    largest: int
    overflow: int
    fnuz: bool


_FORMATS = {
    ("fp8", True): Format(3, 8, 0x7F, 0x80, True),
    ("bf8", True): Format(2, 16, 0x7F, 0x80, True),
    ("fp8", False): Format(3, 7, 0x7E, 0x7F, False),
    ("bf8", False): Format(2, 15, 0x7B, 0x7C, False),
}


def format_of(x: Wave, word: str) -> Format:
    """The target's format named ``fp8`` or ``bf8``."""
    return _FORMATS[word, x.target.fp8_fnuz]


def decode(byte: Val, form: Format) -> Val:
    """Codes (u32 lanes below 256) as f32."""
    magnitude = byte & 0x7F
    shift = 23 - form.mantissa
    normal = (magnitude << shift) + (127 - form.bias << 23)
    unit = 2.0 ** (1 - form.bias - form.mantissa)
    small = raw_bits(magnitude.bits_as("i32").to("f32") * unit)
    size = magnitude.lt(1 << form.mantissa).select(small, normal)
    if form.fnuz:
        special = byte.eq(0x80).select(0x7FC00000, size | ((byte & 0x80) << 24))
        return special.bits_as("f32")
    if form.mantissa == 3:
        size = magnitude.eq(0x7F).select(0x7FC00000, size)
    else:
        size = magnitude.gt(0x7B).select(magnitude.eq(0x7C).select(magnitude * 0 + 0x7F800000, 0x7FC00000), size)
    return (size | ((byte & 0x80) << 24)).bits_as("f32")


def encode(x: Wave, value: Val, form: Format, random: Val | None = None) -> Val:
    """f32 as codes in u32 lanes, rounded to nearest even, or stochastically by the bits of `random`."""
    shift = 23 - form.mantissa
    sign = (raw_bits(value) >> 24) & 0x80
    size = value.fabs()
    raw = raw_bits(size)
    to_nearest = ((raw >> shift) & 1) + ((1 << (shift - 1)) - 1)
    rounded = raw + (to_nearest if random is None else random >> (32 - shift))
    normal = (rounded >> shift) - (127 - form.bias << form.mantissa)
    # Denormals: adding a number whose last place is the format's unit rounds to that unit.
    unit_power = 1 - form.bias - form.mantissa
    magic = x.const("f32", 2.0 ** (23 + unit_power))
    if random is None:
        small = raw_bits(size + magic) - raw_bits(magic)
    else:
        part = size * 2.0**-unit_power + (random >> 8).bits_as("i32").to("f32") * 2.0**-24
        small = part.intrinsic("floor").to("u32")
    code = size.lt(2.0 ** (1 - form.bias)).select(small, normal)
    over = code.bits_as("i32").gt(form.largest) | size.fcmp("ueq", float("inf"))
    nan_code = 0x80 if form.fnuz else 0x7F
    code = over.select(form.overflow, code)
    if form.fnuz:
        code = (code.eq(0) | over).select(code, code | sign)
        return size.is_nan().select(nan_code, code)
    return size.is_nan().select(nan_code, code) | sign
