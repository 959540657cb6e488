"""Vector floating-point arithmetic: f16, f32, f64.

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides. `apply` brings denormal flushing, omod and clamp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.apply import finish_float
from softrock.lift.ir import Val
from softrock.lift.notes import fused, noted
from softrock.lift.registry import raw, valu
from softrock.lift.semantics.floats import (
    BIAS,
    EXPONENT,
    MANTISSA,
    biased_exponent,
    canonical,
    ldexp,
    maximum,
    median,
    minimum,
    quiet,
    raw_bits,
)

if TYPE_CHECKING:
    from softrock.lift.context import Wave

# -- sums, products, fused -------------------------------------------------------------------------


def _fused(x: Wave, a: Val, b: Val, c: Val) -> Val:
    return fused(a.fma(b, c), a, b, c)


def _separate(x: Wave, a: Val, b: Val, c: Val) -> Val:
    """MAC and MAD round the product too, and flush denormals whatever MODE says (f32; for f16 they follow MODE)."""
    return canonical(x.flush(a * b) + c)


def _basic(bits: int) -> None:
    f = f"f{bits}"
    two, three = f"{f} <- {f} {f}", f"{f} <- {f} {f} {f}"
    valu(f"v_add_{f}", two)(lambda x, a, b: canonical(a + b))
    valu(f"v_sub_{f}", two)(lambda x, a, b: canonical(a - b))
    valu(f"v_subrev_{f}", two)(lambda x, a, b: canonical(b - a))
    valu(f"v_mul_{f}", two)(lambda x, a, b: noted(a * b, "mul", a, b))
    valu(f"v_fma_{f}" + (" v_fma_legacy_f16" if bits == 16 else ""), three)(_fused)
    valu(f"v_fmac_{f}", f"{f} <- {f} {f} dst:{f}")(_fused)
    valu(f"v_min_{f} v_min_num_{f}", two)(minimum)
    valu(f"v_max_{f} v_max_num_{f}", two)(maximum)
    valu(f"v_floor_{f}", f"{f} <- {f}")(lambda x, a: canonical(a.intrinsic("floor")))
    valu(f"v_ceil_{f}", f"{f} <- {f}")(lambda x, a: canonical(a.intrinsic("ceil")))
    valu(f"v_trunc_{f}", f"{f} <- {f}")(lambda x, a: canonical(a.intrinsic("trunc")))
    valu(f"v_rndne_{f}", f"{f} <- {f}")(lambda x, a: canonical(a.intrinsic("roundeven")))
    valu(f"v_minimum_{f}", two)(lambda x, a, b: canonical(a.intrinsic("minimum", b)))
    valu(f"v_maximum_{f}", two)(lambda x, a, b: canonical(a.intrinsic("maximum", b)))


def _of_three(bits: int) -> None:
    f = f"f{bits}"
    three = f"{f} <- {f} {f} {f}"
    valu(f"v_min3_{f} v_min3_num_{f}", three)(lambda x, a, b, c: minimum(x, minimum(x, a, b), c))
    valu(f"v_max3_{f} v_max3_num_{f}", three)(lambda x, a, b, c: maximum(x, maximum(x, a, b), c))
    valu(f"v_minmax_{f} v_minmax_num_{f}", three)(lambda x, a, b, c: maximum(x, minimum(x, a, b), c))
    valu(f"v_maxmin_{f} v_maxmin_num_{f}", three)(lambda x, a, b, c: minimum(x, maximum(x, a, b), c))
    valu(f"v_med3_{f} v_med3_num_{f}", three)(median)

    def chain(first: str, second: str) -> None:
        valu(f"v_{first}{second}_{f}" if first != second else f"v_{first}3_{f}", three)(
            lambda x, a, b, c: canonical(a.intrinsic(first, b).intrinsic(second, c))
        )

    for first in ("minimum", "maximum"):
        for second in ("minimum", "maximum"):
            chain(first, second)


for _size in (16, 32, 64):
    _basic(_size)
for _size in (16, 32):
    _of_three(_size)

for _f in ("f16", "f32"):
    # MADMK: a * constant + b; MADAK: a * b + constant; the operands come in the assembler's order.
    valu(f"v_fmamk_{_f} v_fmaak_{_f}", f"{_f} <- {_f} {_f} {_f}")(_fused)
    valu(f"v_madmk_{_f} v_madak_{_f}", f"{_f} <- {_f} {_f} {_f}")(_separate)
    valu(f"v_mac_{_f}", f"{_f} <- {_f} {_f} dst:{_f}")(_separate)
valu("v_mad_f16 v_mad_legacy_f16", "f16 <- f16 f16 f16")(_separate)
valu("v_mad_f32", "f32 <- f32 f32 f32")(_separate)


def _zero_wins(a: Val, b: Val, product: Val, other: Val | float) -> Val:
    """DX9's rule: 0 * anything is 0."""
    return (a.eq(0.0) | b.eq(0.0)).select(other, product)


@valu("v_mul_dx9_zero_f32 v_mul_legacy_f32", "f32 <- f32 f32")
def mul_dx9(x: Wave, a: Val, b: Val) -> Val:
    return _zero_wins(a, b, a * b, 0.0)


@valu("v_fma_dx9_zero_f32 v_fma_legacy_f32", "f32 <- f32 f32 f32")
def fma_dx9(x: Wave, a: Val, b: Val, c: Val) -> Val:
    return _zero_wins(a, b, a.fma(b, c), c)


@valu("v_fmac_dx9_zero_f32 v_fmac_legacy_f32", "f32 <- f32 f32 dst:f32")
def fmac_dx9(x: Wave, a: Val, b: Val, c: Val) -> Val:
    return _zero_wins(a, b, a.fma(b, c), c)


@valu("v_mad_legacy_f32", "f32 <- f32 f32 f32")
def mad_dx9(x: Wave, a: Val, b: Val, c: Val) -> Val:
    return _zero_wins(a, b, a * b + c, c)


@valu("v_mullit_f32", "f32 <- f32 f32 f32")
def mullit(x: Wave, a: Val, b: Val, c: Val) -> Val:
    largest = 3.4028234663852886e38
    special = ~b.fcmp("ogt", -largest) | ~c.fcmp("ogt", 0.0)
    return canonical(special.select(-largest, a * b))


# -- taking numbers apart --------------------------------------------------------------------------


def _parts(bits: int) -> None:
    f = f"f{bits}"
    exponent_type = "i16" if bits == 16 else "i32"
    mantissa_bits = MANTISSA[bits]

    def normal(a: Val) -> tuple[Val, Val]:
        """`a` scaled out of the denormals, and where that was done."""
        small = (raw_bits(a) & EXPONENT[bits]).eq(0)
        return small.select(a * 2.0**mantissa_bits, a), small

    def special(a: Val) -> Val:
        field = raw_bits(a) & EXPONENT[bits]
        return field.eq(EXPONENT[bits]) | a.eq(0.0)

    @valu(f"v_frexp_mant_{f}", f"{f} <- {f}")
    def mantissa(x: Wave, a: Val) -> Val:
        scaled, _ = normal(a)
        raw_mantissa = raw_bits(scaled) & ~EXPONENT[bits]
        half = (raw_mantissa | (BIAS[bits] - 1 << mantissa_bits)).bits_as(f)
        return canonical(special(a).select(quiet(a), half))

    @valu(f"v_frexp_exp_{exponent_type}_{f}", f"{exponent_type} <- {f}")
    def exponent(x: Wave, a: Val) -> Val:
        scaled, small = normal(a)
        power = biased_exponent(scaled) - (BIAS[bits] - 1) - small.to("i32") * mantissa_bits
        return special(a).select(0, power).to(exponent_type)

    @valu(f"v_fract_{f}", f"{f} <- {f}")
    def fract(x: Wave, a: Val) -> Val:
        # Rounding may reach 1: the largest number below it is the greatest result (ISA guide of VI: V_FRACT).
        below_one = (2.0 ** (mantissa_bits + 1) - 1) / 2.0 ** (mantissa_bits + 1)
        part = a - a.intrinsic("floor")
        return canonical(part.ge(1.0).select(below_one, part))

    @valu(f"v_ldexp_{f}", f"{f} <- {f} {exponent_type}")
    def scale(x: Wave, a: Val, exponent: Val) -> Val:
        return noted(ldexp(x, a, exponent.to("i32")), "ldexp", a, exponent)


for _size in (16, 32, 64):
    _parts(_size)

# -- mixed precision -------------------------------------------------------------------------------


def _mix_source(x: Wave, inst: Instruction, k: int) -> Val:
    op = inst.src[k]
    if inst.mod("op_sel_hi") >> k & 1:
        value = x.read(op, "f16", inst.mod("op_sel") >> k & 1).to("f32")
    else:
        value = x.read(op, "f32")
    if inst.mod("neg_hi") >> k & 1 and not op.abs:
        value = value.fabs()
    if inst.mod("neg_lo") >> k & 1 and not op.neg:
        value = -value
    return value


def _mix(names: str, half: int | None) -> None:
    @raw(names, reads_dst=half is not None)
    def mix(x: Wave, inst: Instruction) -> None:
        """Sources are f32 or a half of a register as f16, by op_sel_hi; neg_lo negates, neg_hi takes the magnitude."""
        a, b, c = (_mix_source(x, inst, k) for k in range(3))
        out = _fused(x, a, b, c) if inst.op.startswith("v_fma") else _separate(x, a, b, c)
        if half is not None:
            out = out.to("f16")  # the guide converts the rounded f32 result: two roundings
        x.write(inst.dst[0], finish_float(x, inst, out), half)


_mix("v_fma_mix_f32 v_mad_mix_f32", None)
_mix("v_fma_mixlo_f16 v_mad_mixlo_f16", 0)
_mix("v_fma_mixhi_f16 v_mad_mixhi_f16", 1)

# -- cube maps -------------------------------------------------------------------------------------


def _faces(a: Val, b: Val, c: Val) -> tuple[Val, Val]:
    """Whether z is the major axis, and whether y is it if z is not."""
    p, q, r = a.fabs(), b.fabs(), c.fabs()
    return r.ge(p) & r.ge(q), q.ge(p)


@valu("v_cubeid_f32", "f32 <- f32 f32 f32")
def cube_id(x: Wave, a: Val, b: Val, c: Val) -> Val:
    z, y = _faces(a, b, c)
    sides = [v.lt(0.0).select(x.const("f32", k + 1), float(k)) for k, v in ((4, c), (2, b), (0, a))]
    return z.select(sides[0], y.select(sides[1], sides[2]))


@valu("v_cubesc_f32", "f32 <- f32 f32 f32")
def cube_s(x: Wave, a: Val, b: Val, c: Val) -> Val:
    z, y = _faces(a, b, c)
    return z.select(c.lt(0.0).select(-a, a), y.select(a, a.lt(0.0).select(c, -c)))


@valu("v_cubetc_f32", "f32 <- f32 f32 f32")
def cube_t(x: Wave, a: Val, b: Val, c: Val) -> Val:
    z, y = _faces(a, b, c)
    return (~z & y).select(b.lt(0.0).select(-c, c), -b)


@valu("v_cubema_f32", "f32 <- f32 f32 f32")
def cube_major(x: Wave, a: Val, b: Val, c: Val) -> Val:
    z, y = _faces(a, b, c)
    return canonical(z.select(c, y.select(b, a)) * 2.0)
