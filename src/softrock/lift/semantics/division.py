"""The division helpers v_div_scale, v_div_fmas and v_div_fixup.

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides. The guides' text is wrong in three places, where it would not give the
correctly rounded quotients that the hardware is documented to give; there the scaling that does is implemented:

* A denominator whose reciprocal is denormal is scaled *down* in v_div_scale, also where the quotient is denormal.
* v_div_fmas undoes the scaling of v_div_scale, in the direction that the size of the scaled quotient tells.
* v_div_fixup takes an infinite or NaN *quotient* of ordinary operands for an overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.apply import finish_float
from softrock.lift.ir import Val, sum_to_odd
from softrock.lift.notes import noted
from softrock.lift.registry import raw, valu
from softrock.lift.semantics import sequences
from softrock.lift.semantics.floats import (
    BIAS,
    EXPONENT,
    MANTISSA,
    biased_exponent,
    canonical,
    quiet,
    raw_bits,
    where_any,
    where_any_of,
)

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_SCALE = {32: 64, 64: 128}
_LARGE_RATIO = {32: 96, 64: 768}
_TINY = {32: 23, 64: 53}
_MIN_EXPONENT = {32: -126, 64: -1022}
_UNDERFLOW = {32: -150, 64: -1075}


def _scale(bits: int) -> None:
    f = f"f{bits}"
    factor = 2.0 ** _SCALE[bits]

    @valu(f"v_div_scale_{f}", f"{f} mask <- {f} {f} {f}")
    def div_scale(x: Wave, a: Val, b: Val, c: Val) -> tuple[Val, Val]:
        """`a` is the denominator `b` or the numerator `c`, whichever is to be scaled."""
        exponent_b, exponent_c = biased_exponent(b), biased_exponent(c)
        # Nothing is scaled where numerator and denominator are far from the ends of the range and from each other.
        reach = BIAS[bits] - _TINY[bits] - 1
        unusual = _beyond(exponent_b - BIAS[bits], reach) | _beyond(exponent_c - BIAS[bits], reach)
        unusual = unusual | _beyond(exponent_c - exponent_b, _LARGE_RATIO[bits] - 1)
        usual = (a, x.const("u1", 0))
        out, flag = _where_any_of(x, unusual, usual, lambda: _scaling(x, a, b, c, exponent_b, exponent_c, factor))
        return noted(out, "scale", a, b, c), noted(flag, "flag", a, b, c)


def _where_any_of(
    x: Wave, mask: Val, usual: tuple[Val, ...], special: Callable[[], tuple[Val, ...]]
) -> tuple[Val, ...]:
    """As `where_any_of`, without a branch where the result is most likely part of a sequence that one host instruction
    replaces: what then has no use is gone more easily."""
    if x.flushes(x.const(f"f{usual[0].bits}", 0.0)):
        return where_any_of(x, mask, usual, special)
    return tuple(mask.select(s, u) for s, u in zip(special(), usual, strict=True))


def _where_any(x: Wave, mask: Val, usual: Val, special: Callable[[], Val]) -> Val:
    return _where_any_of(x, mask, (usual,), lambda: (special(),))[0]


def _beyond(value: Val, reach: int) -> Val:
    """u1: an i32 is below -reach or above it."""
    return (value + reach).bits_as("u32").gt(2 * reach)


def _scaling(x: Wave, a: Val, b: Val, c: Val, exponent_b: Val, exponent_c: Val, factor: float) -> tuple[Val, Val]:
    """The guide's chain of cases, from the last to the first."""
    bits = a.bits
    no, yes = x.const("u1", 0), x.const("u1", 1)
    is_denominator, is_numerator = a.eq(b), a.eq(c)
    up, down = a * factor, a * (1.0 / factor)
    small_quotient = _is_denormal(c / b)
    small_reciprocal = _is_denormal(x.const(f"f{bits}", 1.0) / b)

    out, flag = exponent_c.le(_TINY[bits]).select(up, a), no
    out, flag = small_quotient.select(is_numerator.select(up, a), out), small_quotient.select(yes, flag)
    out, flag = small_reciprocal.select(down, out), small_reciprocal.select(no, flag)
    both = small_reciprocal & small_quotient
    out, flag = both.select(is_denominator.select(down, a), out), both.select(yes, flag)
    denormal = exponent_b.eq(0)
    out, flag = denormal.select(up, out), denormal.select(no, flag)
    large = (exponent_c - exponent_b).ge(_LARGE_RATIO[bits])
    out, flag = large.select(is_denominator.select(up, a), out), large.select(yes, flag)
    zero = b.eq(0.0) | c.eq(0.0)
    return zero.select(float("nan"), out), zero.select(no, flag)


def _is_denormal(value: Val) -> Val:
    """u1: not zero, and below the smallest normal number."""
    return value.ne(0.0) & value.fabs().lt(2.0 ** _MIN_EXPONENT[value.bits])


def _fmas(bits: int) -> None:
    f = f"f{bits}"
    factor = 2.0 ** _SCALE[bits]

    @raw(f"v_div_fmas_{f}")
    def div_fmas(x: Wave, inst: Instruction) -> None:
        """fma, times the inverse of the scale that v_div_scale applied, where VCC says so."""
        a, b, c = (x.read(op, f) for op in inst.src)
        scaled = x.read_mask(Operand("vcc", Kind.SGPR, 106, x.W // 32))
        fused = a.fma(b, c)
        bias = 127 if bits == 32 else 1023
        scale = biased_exponent(c).gt(bias).select(x.const(f, factor), 1.0 / factor)
        out = _where_any(x, scaled, fused, lambda: _scaled(a, b, c, fused, scale))
        x.write(inst.dst[0], finish_float(x, inst, noted(out, "fmas", a, b, c, scaled)))


def _scaled(a: Val, b: Val, c: Val, fused: Val, scale: Val) -> Val:
    """fused * scale, rounded once though the product may be denormal."""
    if fused.bits == 32:
        return (sum_to_odd(a.to("f64") * b.to("f64"), c.to("f64")) * scale.to("f64")).to("f32")
    # Where the product is denormal and the first rounding made it a tie, what that rounding lost decides.
    lost = a.fma(b, c - fused)
    out = fused * scale
    # Nor may the first rounding overflow where the scaled result does not.
    smaller = (a * 2.0**-128).fma(b, c * 2.0**-128)
    finite = a.fabs().lt(float("inf")) & b.fabs().lt(float("inf"))
    out = (fused.fabs().eq(float("inf")) & scale.lt(1.0) & finite).select(smaller, out)
    rest = fused - out * 2.0 ** _SCALE[64]
    tie, step = 2.0 ** (_SCALE[64] - 1075), 2.0**-1074
    out = (rest.eq(tie) & lost.gt(0.0)).select(out + step, out)
    return (rest.eq(-tie) & lost.lt(0.0)).select(out - step, out)


def _fixup(bits: int) -> None:
    f = f"f{bits}"
    sign_bit = 1 << (bits - 1)
    default_nan = sign_bit | EXPONENT[bits] | 1 << (MANTISSA[bits] - 1)

    @valu(f"v_div_fixup_{f}" + (" v_div_fixup_legacy_f16" if bits == 16 else ""), f"{f} <- {f} {f} {f}")
    def div_fixup(x: Wave, quotient: Val, b: Val, c: Val) -> Val:
        """The quotient, corrected for special numerators `c` and denominators `b`."""
        whole = sequences.quotient(x, quotient, b, c)
        if whole is not None:
            return whole
        sign = (raw_bits(b) ^ raw_bits(c)) & sign_bit
        size = raw_bits(quotient) & (sign_bit - 1)
        usual = (size | sign).bits_as(f)
        if bits == 16:
            return _fixed(quotient, b, c, sign, size, default_nan)
        exponent_b, exponent_c = biased_exponent(b), biased_exponent(c)
        unusual = _beyond(exponent_b - BIAS[bits], BIAS[bits] - 1) | _beyond(exponent_c - BIAS[bits], BIAS[bits] - 1)
        unusual = unusual | size.ge(EXPONENT[bits]) | (exponent_c - exponent_b).lt(_UNDERFLOW[bits])
        return canonical(where_any(x, unusual, usual, lambda: _fixed(quotient, b, c, sign, size, default_nan)))


def _fixed(quotient: Val, b: Val, c: Val, sign: Val, size: Val, default_nan: int) -> Val:
    """v_div_fixup's cases, from the last to the first; `size` is the quotient's magnitude."""
    bits, infinity = quotient.bits, float("inf")
    b_zero, c_zero = b.eq(0.0), c.eq(0.0)
    b_infinite, c_infinite = b.fabs().eq(infinity), c.fabs().eq(infinity)
    if bits > 16:
        size = size.imin(EXPONENT[bits])
        underflow = (biased_exponent(c) - biased_exponent(b)).lt(_UNDERFLOW[bits])
        size = underflow.select(0, size)
    size = (b_infinite | c_zero).select(0, size)
    size = (b_zero | c_infinite).select(EXPONENT[bits], size)
    out = size | sign
    out = ((b_zero & c_zero) | (b_infinite & c_infinite)).select(default_nan, out)
    out = b.is_nan().select(raw_bits(quiet(b)), out)
    out = c.is_nan().select(raw_bits(quiet(c)), out)
    return out.bits_as(f"f{bits}")


for _bits in (32, 64):
    _scale(_bits)
    _fmas(_bits)
for _bits in (16, 32, 64):
    _fixup(_bits)
