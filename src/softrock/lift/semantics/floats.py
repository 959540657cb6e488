"""Floating-point building blocks that several modules of semantics share. Registers nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.ir import Val
from softrock.lift.notes import noted, same
from softrock.lift.semantics import avx512

if TYPE_CHECKING:
    from softrock.lift.context import Wave

MANTISSA = {16: 10, 32: 23, 64: 52}
BIAS = {16: 15, 32: 127, 64: 1023}
EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
_ARITHMETIC = frozenset(
    ("canonical", "fma", "fnma", "mul", "rcp", "rsq", "sqrt", "ldexp", "scale", "fmas", "quotient", "root")
)
"""Notes of results of arithmetic."""


def canonical(value: Val) -> Val:
    """Note that a result of arithmetic cannot be a signalling NaN, which spares minimum and maximum their check."""
    if value.note is None or value.note[0] == "bits":
        return noted(value, "canonical", value)
    return value


def name_of(value: Val, kind: str = "f") -> str:
    return f"{'bf' if kind == 'b' else kind}{value.bits}"


def raw_bits(value: Val) -> Val:
    """The bits of a float as an unsigned integer."""
    return value.bits_as(f"u{value.bits}")


def is_canonical(value: Val) -> bool:
    """Whether a value is known to be a result of arithmetic, and so no signalling NaN."""
    return value.note is not None and value.note[0] in _ARITHMETIC


def quiet(value: Val) -> Val:
    """NaNs made quiet, everything else as it is."""
    if is_canonical(value):
        return value
    if value.bits >= 32:
        return canonical(value.intrinsic("canonicalize"))  # a multiplication by one
    raw = raw_bits(value)
    return canonical(value.is_nan().select(raw | (1 << (MANTISSA[value.bits] - 1)), raw).bits_as(name_of(value)))


def is_signalling(value: Val) -> Val:
    """u1: the value is a signalling NaN."""
    raw = raw_bits(value)
    infinity, half = EXPONENT[value.bits], 1 << (MANTISSA[value.bits] - 1)
    magnitude = raw & ((1 << (value.bits - 1)) - 1)
    return (magnitude - (infinity + 1)).lt(half - 1)


def extreme(x: Wave, a: Val, b: Val, largest: bool) -> Val:
    """The hardware's minimum or maximum: a number wins over a quiet NaN, -0 is below +0, and in IEEE mode (which gfx12
    does not have) a signalling NaN wins as a quiet one (RDNA3 ISA guide, V_MAX_F32)."""
    ieee = x.mode.ieee and x.target.major < 12
    if same(a, b):
        return quiet(a)
    if avx512.usable(x, a):
        return canonical(avx512.extreme(x, a if ieee else quiet(a), b if ieee else quiet(b), largest))
    if a.bits >= 32:
        quieted = quiet(a), quiet(b)
        out = quieted[0].intrinsic("maximumnum" if largest else "minimumnum", quieted[1])
        for value, calm in ((b, quieted[1]), (a, quieted[0])) if ieee else ():
            if calm is not value:  # a signalling NaN is what quieting changes
                out = raw_bits(calm).ne(raw_bits(value)).select(calm, out)
        return canonical(out)
    # Halves are compared as singles, which are quiet numbers then; bfloats too.
    wide = a.to("f32").intrinsic("maximumnum" if largest else "minimumnum", b.to("f32"))
    out = wide.to(name_of(a))
    for value in (b, a) if ieee else ():
        if not is_canonical(value):
            out = is_signalling(value).select(quiet(value), out)
    return canonical(out)


def minimum(x: Wave, a: Val, b: Val) -> Val:
    return extreme(x, a, b, largest=False)


def maximum(x: Wave, a: Val, b: Val) -> Val:
    return extreme(x, a, b, largest=True)


def median(x: Wave, a: Val, b: Val, c: Val) -> Val:
    """v_med3: with a NaN the minimum of all three, else the middle one by the guide's comparisons."""
    top = maximum(x, maximum(x, a, b), c)
    first, second = top.eq(a), top.eq(b)
    middle = maximum(x, first.select(b, a), (first | second).select(c, b))
    any_nan = a.fcmp("uno", b) | c.is_nan()
    return canonical(any_nan.select(minimum(x, minimum(x, a, b), c), middle))


def without_denormals(value: Val) -> Val:
    """Denormals flushed to zeros of their sign, whatever MODE says."""
    raw, sign = raw_bits(value), 1 << (value.bits - 1)
    return (raw & EXPONENT[value.bits]).eq(0).select(raw & sign, raw).bits_as(name_of(value))


def biased_exponent(value: Val) -> Val:
    """The exponent field as i32 (i64 for doubles would be wasteful)."""
    field = (raw_bits(value) & EXPONENT[value.bits]) >> MANTISSA[value.bits]
    return field.to("u32").bits_as("i32")


def power_of_two(x: Wave, exponent: Val, bits: int) -> Val:
    """2 ** exponent for i32 exponents of normal numbers."""
    field = (exponent + BIAS[bits]).bits_as("u32").to(f"u{bits}") << MANTISSA[bits]
    return field.bits_as(f"f{bits}")


def clamp_int(value: Val, low: int, high: int) -> Val:
    return value.imax(low).imin(high)


def ldexp(x: Wave, a: Val, exponent: Val) -> Val:
    """a * 2 ** exponent, rounded once."""
    if a.bits == 16:
        return (a.to("f32") * power_of_two(x, clamp_int(exponent, -60, 60), 32)).to(name_of(a))
    if avx512.usable(x, a):
        name = f"llvm.ldexp.{a.ty.mangled}.v{a.lanes}i32"
        return a.b.call(name, a.ty, a, exponent.bits_as("i32"))
    # The last factor rounds; the first two, which differ from 1 only beyond its range, are exact or do not matter: what
    # they make denormal is 0 in the end.
    low, high = 1 - BIAS[a.bits], BIAS[a.bits]
    bounded = clamp_int(exponent, 2 * low - MANTISSA[a.bits] - 4, 2 * high + MANTISSA[a.bits] + 4)
    last = clamp_int(bounded, low, high)
    beyond = bounded - last
    half = beyond >> 1
    out = a * power_of_two(x, half, a.bits) * power_of_two(x, beyond - half, a.bits)
    return out * power_of_two(x, last, a.bits)


def moved_bits(x: Wave, op: Operand, bits: int, position: int, inst: Instruction) -> Val:
    """A source that is moved or inspected, not computed with: neg and abs act on the sign bit and denormals stay."""
    value = x.read(op, f"u{bits}", inst.mod("op_sel") >> position & 1)
    if bits == 64 and op.kind is Kind.LITERAL:
        value = value << 32  # the literal is the high half of a double
    if op.abs:
        value = value & ((1 << (bits - 1)) - 1)
    if op.neg:
        value = value ^ (1 << (bits - 1))
    return value


def where_any(x: Wave, mask: Val, usual: Val, special: Callable[[], Val]) -> Val:
    """`special()` where a rare `mask` asks for it, `usual` elsewhere; its code runs only if some lane needs it."""
    return where_any_of(x, mask, (usual,), lambda: (special(),))[0]


def where_any_of(x: Wave, mask: Val, usual: tuple[Val, ...], special: Callable[[], tuple[Val, ...]]) -> tuple[Val, ...]:
    """`where_any` for several results. `special` must be pure arithmetic: nothing it computes may be kept for later."""
    if not mask.lanes:
        return tuple(mask.select(s, u) for s, u in zip(special(), usual, strict=True))
    before = x.b.block
    rare, join = x.b.new_block("rare"), x.b.new_block("join")
    x.b.cond_branch(mask.any(), rare, join, (1, 1000))
    x.b.begin(rare)
    values = [mask.select(s, u) for s, u in zip(special(), usual, strict=True)]
    end = x.b.block
    x.b.branch(join)
    x.b.begin(join)
    return tuple(x.b.phi(u.ty, [(u, before), (v, end)]) for u, v in zip(usual, values, strict=True))
