"""Scalar floating-point operations (gfx12; source: AMD "RDNA4 ISA" guide, SOP1, SOP2, SOPC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.lift.ir import Val
from softrock.lift.registry import salu
from softrock.lift.semantics.compare import FLOAT_PREDICATES
from softrock.lift.semantics.convert import pack, to_int, toward_zero
from softrock.lift.semantics.floats import canonical, maximum, minimum

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_Kernel = Callable[..., Val]


def _flushed(function: _Kernel) -> _Kernel:
    """The function between flushing of its sources and of its result, as MODE asks."""

    def run(x: Wave, *sources: Val) -> Val:
        return x.flush(canonical(function(x, *(x.flush(s) for s in sources))))

    return run


def _operations(f: str) -> None:
    two, three = f"{f} <- {f} {f}", f"{f} <- {f} {f} {f}"
    binary: dict[str, _Kernel] = {
        "add": lambda x, a, b: a + b,
        "sub": lambda x, a, b: a - b,
        "mul": lambda x, a, b: a * b,
        "min_num": minimum,
        "max_num": maximum,
        "minimum": lambda x, a, b: a.intrinsic("minimum", b),
        "maximum": lambda x, a, b: a.intrinsic("maximum", b),
    }
    for word, function in binary.items():
        salu(f"s_{word}_{f}", two)(_flushed(function))
    salu(f"s_fmac_{f}", f"{f} <- {f} {f} dst:{f}")(_flushed(lambda x, a, b, c: a.fma(b, c)))
    if f == "f32":
        salu("s_fmamk_f32 s_fmaak_f32", three)(_flushed(lambda x, a, b, c: a.fma(b, c)))
    for word, intrinsic in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("rndne", "roundeven")):
        _unary(f, word, intrinsic)
    for word, predicate in FLOAT_PREDICATES.items():
        _compare(f, word, predicate)


def _unary(f: str, word: str, intrinsic: str) -> None:
    salu(f"s_{word}_{f}", f"{f} <- {f}")(_flushed(lambda x, a: a.intrinsic(intrinsic)))


def _compare(f: str, word: str, predicate: str) -> None:
    salu(f"s_cmp_{word}_{f}", f"scc <- {f} {f}")(lambda x, a, b: x.flush(a).fcmp(predicate, x.flush(b)))


_operations("f32")
_operations("f16")

salu("s_cvt_f32_i32", "f32 <- i32")(lambda x, a: a.to("f32"))
salu("s_cvt_f32_u32", "f32 <- u32")(lambda x, a: a.to("f32"))
salu("s_cvt_i32_f32", "i32 <- f32")(lambda x, a: to_int(a, "i32"))
salu("s_cvt_u32_f32", "u32 <- f32")(lambda x, a: to_int(a, "u32"))
salu("s_cvt_f16_f32", "f16 <- f32")(_flushed(lambda x, a: a.to("f16")))
salu("s_cvt_f32_f16", "f32 <- f16")(_flushed(lambda x, a: a.to("f32")))
salu("s_cvt_hi_f32_f16", "f32 <- u32")(lambda x, a: x.flush((a >> 16).to("u16").bits_as("f16")).to("f32"))
salu("s_cvt_pk_rtz_f16_f32", "u32 <- f32 f32")(lambda x, a, b: pack(toward_zero(a), toward_zero(b)))
