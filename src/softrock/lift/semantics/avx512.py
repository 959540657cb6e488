"""Host instructions of AVX-512 that LLVM has no portable operation for. Registers nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.lift.ir import Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def usable(x: Wave, value: Val) -> bool:
    """Whether a float vector can be treated 512 bits at a time."""
    return x.native_gather and value.bits >= 32 and value.lanes * value.bits % 512 == 0 and value.lanes > 0


def map_parts(x: Wave, name: str, intrinsic: str, tail: str, *values: Val) -> Val:
    """Apply an intrinsic to each 512 bits of one or two vectors.

    Args:
        name: of the helper function that is made for the purpose.
        intrinsic: LLVM's name; it takes the parts and then what `tail` says, as ``type value, …``.
    """
    first = values[0]
    lanes, width, vector = first.lanes, 512 // first.bits, first.ty.llvm
    part = f"<{width} x {first.ty.elem}>"
    types = ", ".join([part] * len(values) + [item.rsplit(" ", 1)[0] for item in tail.split(", ")])
    x.b.declare(intrinsic, f"declare {part} @{intrinsic}({types})")
    helper = f"{name}_{first.ty.mangled}"
    x.b.declare(helper, _helper(helper, vector, part, lanes, width, intrinsic, tail, len(values)))
    return x.b.op(first.ty, f"call {vector} @{helper}({', '.join(v.typed for v in values)})")


def _helper(
    helper: str, vector: str, part: str, lanes: int, width: int, intrinsic: str, tail: str, count: int
) -> str:
    parameters = ", ".join(f"{vector} %v{j}" for j in range(count))
    lines = [f"define internal {vector} @{helper}({parameters}) alwaysinline {{"]
    joined = "poison"
    for k in range(lanes // width):
        inside = ", ".join(f"i32 {width * k + j}" for j in range(width))
        for j in range(count):
            lines.append(f"  %p{k}.{j} = shufflevector {vector} %v{j}, {vector} poison, <{width} x i32> <{inside}>")
        wide = ", ".join(f"i32 {j}" if j < width else "i32 poison" for j in range(lanes))
        place = ", ".join(f"i32 {lanes + j - width * k if j // width == k else j}" for j in range(lanes))
        arguments = ", ".join(f"{part} %p{k}.{j}" for j in range(count))
        lines += [
            f"  %e{k} = call {part} @{intrinsic}({arguments}, {tail})",
            f"  %w{k} = shufflevector {part} %e{k}, {part} poison, <{lanes} x i32> <{wide}>",
            f"  %j{k} = shufflevector {vector} {joined}, {vector} %w{k}, <{lanes} x i32> <{place}>",
        ]
        joined = f"%j{k}"
    return "\n".join([*lines, f"  ret {vector} {joined}", "}"])


def extreme(x: Wave, a: Val, b: Val, largest: bool) -> Val:
    """IEEE 754-2008 minNum or maxNum: a number wins over a quiet NaN, a signalling NaN wins as a quiet one, -0 < +0."""
    kind, mask = ("ps", "i16") if a.bits == 32 else ("pd", "i8")
    width = 512 // a.bits
    choice = 5 if largest else 4  # bits 0-1: which of the two; bits 2-3: keep the sign of the comparison's result
    tail = f"i32 {choice}, <{width} x {a.ty.elem}> zeroinitializer, {mask} -1, i32 4"
    name = "sr_max" if largest else "sr_min"
    return map_parts(x, name, f"llvm.x86.avx512.mask.range.{kind}.512", tail, a, b)


def estimate(x: Wave, value: Val, word: str) -> Val:
    """A 14-bit estimate of an f32 vector; `word` is ``rcp14`` or ``rsqrt14``."""
    tail = "<16 x float> zeroinitializer, i16 -1"
    return map_parts(x, f"sr_{word}", f"llvm.x86.avx512.{word}.ps.512", tail, value)
