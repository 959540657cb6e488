"""Reciprocals, roots, exponentials, logarithms and trigonometry: vector kernels, within one ulp.

The hardware's results are approximate too (ISA guides: 1 ulp for most); these are at least as good. f16 goes through
f32 and is rounded once more, which leaves at most 0.51 ulp. Polynomials interpolate at Chebyshev nodes on the reduced
range (computed with 40 digits); the constants below are what is left of them in double precision. Angles are in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from softrock.lift.ir import Val
from softrock.lift.notes import noted
from softrock.lift.registry import valu
from softrock.lift.semantics.floats import EXPONENT, MANTISSA, canonical, raw_bits, without_denormals
from softrock.lift.semantics.sequences import never_denormal

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_LOG2_E = 1.4426950408889634
_TAU = 6.283185307179586

_EXP2 = (
    1.0,
    0.6931472067028326,
    0.24022650922288757,
    0.05550327226670302,
    0.009618056678524637,
    0.0013400428177615838,
    0.0001546144469856913,
)
"""2 ** r on [-1/2, 1/2]; relative error 2 ** -28."""

_LOG2 = (
    -0.7213475196293067,
    0.4808981949068801,
    -0.36067391805453075,
    0.28855987996723087,
    -0.24046172645417227,
    0.20532894396331414,
    -0.17919447436654068,
    0.17041310234844276,
    -0.16673641913510337,
    0.09765637520660156,
)
"""(log2(1 + f) - f * log2(e)) / f ** 2 on [sqrt(1/2) - 1, sqrt(2) - 1]."""

_SIN = (-1.7487274687001807e-07, -41.341702153394905, 81.60520471104576, -76.6978663502028, 41.47283323950919)
"""sin(2 pi t) / t - float32(2 pi) in t ** 2, for |t| <= 1/8."""

_COS = (-19.73920878998751, 64.93936905141977, -85.44882008965106, 59.424105981756476)
"""(cos(2 pi t) - 1) / t ** 2 in t ** 2, for |t| <= 1/8."""


def _horner(z: Val, coefficients: Sequence[float]) -> Val:
    out = z.b.const("f32", coefficients[-1], z.lanes)
    for c in reversed(coefficients[:-1]):
        out = out.fma(z, c)
    return out


def _single(value: float) -> float:
    """The nearest f32."""
    import struct

    out: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return out


# -- reciprocals and roots -------------------------------------------------------------------------


def reciprocal(x: Wave, a: Val) -> Val:
    """1 / a, correctly rounded. The host's division costs fewer instructions than an estimate that is made as good."""
    return canonical(a.b.const(f"f{a.bits}", 1.0, a.lanes) / a)


def inverse_root(x: Wave, a: Val) -> Val:
    """1 / sqrt(a), within 0.8 ulp: an estimate and one step of third order."""
    guess = _rough_inverse_root(a)
    error = (-(a * guess)).fma(guess, 1.0)
    better = (guess * error).fma(error.fma(0.375, 0.5), guess)
    # The error is no number or infinite at zeros, infinities and below zero, where the estimate is right.
    return canonical(error.gt(-1.0).select(better, guess))


def _rough_inverse_root(a: Val) -> Val:
    """1 / sqrt(a) to eleven bits or more. The flags ask LLVM for the host's estimate of f32 vectors; that no step of
    refinement is added is an attribute of the function (`lift.module`)."""
    one, name = a.b.const(f"f{a.bits}", 1.0, a.lanes), f"llvm.sqrt.{a.ty.mangled}"
    if a.bits == 64 or not a.lanes:
        return one / a.sqrt()
    a.b.declare(name, f"declare {a.ty.llvm} @{name}({a.ty.llvm})")
    root = a.b.op(a.ty, f"call afn arcp {a.ty.llvm} @{name}({a.typed})")
    return a.b.op(a.ty, f"fdiv afn arcp {one.typed}, {root.ref}")


# -- exponential and logarithm ---------------------------------------------------------------------

_ROUND = 12582912.0
"""1.5 * 2 ** 23: a small number added to it is rounded to an integer, which its lowest bits then are."""


def exp2(x: Wave, a: Val) -> Val:
    """2 ** a for f32; results below the normal numbers are 0."""
    low = a.lt(-126.0).select(-127.0, a)
    bounded = low.gt(128.0).select(128.0, low)
    moved = bounded + _ROUND
    power = _horner(bounded - (moved - _ROUND), _EXP2)
    out = (raw_bits(power) + (raw_bits(moved) << MANTISSA[32])).bits_as("f32")
    return canonical(power.is_nan().select(power, out))


def log2(x: Wave, a: Val) -> Val:
    """log2(a) for f32: -infinity at zeros and denormals, NaN below."""
    raw = raw_bits(a)
    # The significand in [sqrt(1/2), sqrt(2)) and the exponent that belongs to it.
    exponent = (raw - 0x3F3504F3).bits_as("i32") >> MANTISSA[32]
    f = (raw - (exponent.bits_as("u32") << MANTISSA[32])).bits_as("f32") - 1.0
    high = _single(_LOG2_E)
    rest = (f * f).fma(_horner(f, _LOG2), f * (_LOG2_E - high))
    # What is special takes the exponent's place: infinities and NaN; then -infinity, or NaN for negative numbers.
    whole = a.fcmp("uge", float("inf")).select(a, exponent.to("f32"))
    below = (raw & EXPONENT[32]).ne(0).select(a.b.const("u32", 0xFFFFFFFF, a.lanes), 0xFF800000).bits_as("f32")
    whole = raw.bits_as("i32").lt(1 << MANTISSA[32]).select(below, whole)
    return canonical(whole + f.fma(high, rest))


# -- trigonometry in turns -------------------------------------------------------------------------


def _sin_from(a: Val, quarters: int) -> Val:
    """sin(2 pi (a + quarters / 4)): the nearest quarter turn off, what is left (at most 1/8) goes to a polynomial."""
    r = a - a.intrinsic("roundeven")
    moved = r.fma(4.0, _ROUND + quarters)
    t = (moved - (_ROUND + quarters)).fma(-0.25, r)
    z = t * t
    sine = t.fma(_single(_TAU), t * _horner(z, _SIN))
    cosine = z.fma(_horner(z, _COS), 1.0)
    quadrant = raw_bits(moved)
    out = (quadrant << 31).bits_as("i32").lt(0).select(cosine, sine)
    return (raw_bits(out) ^ ((quadrant << 30) & 0x80000000)).bits_as("f32")


def sin_turns(x: Wave, a: Val) -> Val:
    """sin(2 pi a) for f32; NaN at infinities."""
    return canonical(a.eq(0.0).select(a, _sin_from(a, 0)))


def cos_turns(x: Wave, a: Val) -> Val:
    """cos(2 pi a) for f32; NaN at infinities."""
    return canonical(_sin_from(a, 1))


# -- registration ----------------------------------------------------------------------------------

_WITHIN = "within 1 ulp"
_KERNELS: dict[str, tuple[Callable[[Wave, Val], Val], str]] = {
    "rcp": (reciprocal, _WITHIN),
    "rcp_iflag": (reciprocal, _WITHIN),
    "rsq": (inverse_root, _WITHIN),
    "sqrt": (lambda x, a: canonical(a.sqrt()), "correctly rounded"),
    "exp": (exp2, _WITHIN),
    "exp_legacy": (exp2, _WITHIN),
    "log": (log2, _WITHIN),
    "log_legacy": (log2, _WITHIN),
    "sin": (sin_turns, "within 1 ulp of the reduced turn"),
    "cos": (cos_turns, "within 1 ulp of the reduced turn"),
}


def _flushed(word: str, kernel: Callable[[Wave, Val], Val]) -> Callable[[Wave, Val], Val]:
    """The f32 instructions take and give no denormals, whatever MODE says (LLVM's AMDGPU lowering works around it);
    sine and cosine do (RDNA3 ISA guide). Exponentials and logarithms see to it themselves, roots give none."""
    if word == "rcp":
        return lambda x, a: noted(without_denormals(kernel(x, without_denormals(a))), "rcp", a)
    if word == "rcp_iflag":
        return lambda x, a: canonical(without_denormals(kernel(x, without_denormals(a))))
    if word == "sqrt":
        return lambda x, a: noted(kernel(x, without_denormals(a)), "sqrt", a)
    if word == "rsq":
        return lambda x, a: kernel(x, a if never_denormal(a) else without_denormals(a))
    return kernel


def _register(word: str, kernel: Callable[[Wave, Val], Val], quality: str) -> None:
    single = _flushed(word, kernel)
    valu(f"v_{word}_f32", "f32 <- f32", approximate=quality)(single)
    valu(f"v_s_{word}_f32", "s:f32 <- s:f32", approximate=quality)(single)
    if "_" not in word:
        half = "within 0.51 ulp"
        through = lambda x, a: canonical(kernel(x, a.to("f32")).to("f16"))  # noqa: E731
        valu(f"v_{word}_f16", "f16 <- f16", approximate=half)(through)
        valu(f"v_s_{word}_f16", "s:f16 <- s:f16", approximate=half)(through)


for _word, (_kernel, _quality) in _KERNELS.items():
    _register(_word, _kernel, _quality)
valu("v_rcp_f64", "f64 <- f64", approximate=_WITHIN)(lambda x, a: noted(reciprocal(x, a), "rcp", a))
valu("v_rsq_f64", "f64 <- f64", approximate=_WITHIN)(lambda x, a: noted(inverse_root(x, a), "rsq", a))
valu("v_sqrt_f64", "f64 <- f64", approximate="correctly rounded")(_KERNELS["sqrt"][0])
