"""v_trig_preop_f64: segments of 2 / pi for the reduction of large angles (source: AMD "RDNA3 ISA" guide)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.lift.ir import Ty, Val
from softrock.lift.registry import valu
from softrock.lift.semantics.floats import biased_exponent, canonical, ldexp

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_TWO_OVER_PI = (
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea"
    "09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b"
    "1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f7"
    "8a5292ea6bfb5fb11f8d5d0856033046fc7b0000"
)
"""The first 1201 bits of 2 / pi behind the binary point and 15 zeros, as hexadecimal digits."""

_TABLE = "sr_two_over_pi"
_WORDS = 88  # the greatest shift is 31 * 53 + 970 bits; what lies behind the table's bits is zero


def _table_text() -> str:
    digits = _TWO_OVER_PI.ljust(8 * _WORDS, "0")
    words = ", ".join(f"i32 {int(digits[8 * k : 8 * k + 8], 16)}" for k in range(_WORDS))
    return f"@{_TABLE} = internal unnamed_addr constant [{_WORDS} x i32] [{words}], align 64"


def _look_up(x: Wave, index: Val) -> Val:
    """Words of the table, one a lane."""
    x.b.declare(_TABLE, _table_text())
    pointers = f"<{x.W} x ptr>"
    x.b.counter += 1
    name = f"%g{x.b.counter}"
    x.b.line(f"{name} = getelementptr i32, ptr @{_TABLE}, {index.typed}")
    lanes = f"<{x.W} x i32>"
    gather = f"llvm.masked.gather.v{x.W}i32.v{x.W}p0"
    x.b.declare(gather, f"declare {lanes} @{gather}({pointers}, i32, <{x.W} x i1>, {lanes})")
    text = f"call {lanes} @{gather}({pointers} {name}, i32 4, <{x.W} x i1> splat (i1 true), {lanes} poison)"
    return x.b.op(Ty("u", 32, x.W), text)


@valu("v_trig_preop_f64", "f64 <- f64 u32")
def trig_preop(x: Wave, a: Val, segment: Val) -> Val:
    """53 bits of 2 / pi: the segment's, further down the larger the angle `a` is."""
    exponent = biased_exponent(a)
    shift = ((segment & 31) * 53).bits_as("i32") + (exponent - 1077).imax(0)
    first, bit = (shift >> 5).bits_as("u32"), (shift & 31).bits_as("u32")
    high, middle, low = (_look_up(x, first + k) for k in range(3))
    # 64 bits that start at the bit, of which the upper 53 are the result.
    joined = (high.to("u64") << 32) | middle.to("u64")
    wide = (joined << bit.to("u64")) | ((low.to("u64") << bit.to("u64")) >> 32)
    number = (wide >> 11).to("f64")
    scale = -shift - 53 + exponent.ge(1968).to("i32") * 128
    return canonical(ldexp(x, number, scale))
