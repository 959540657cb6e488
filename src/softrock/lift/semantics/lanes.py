"""Moving data between lanes by lane numbers that are only known at run time. Registers nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.lift.ir import Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_PERMUTE = "llvm.x86.avx512.vpermi2var.d.512"
_PART = "<16 x i32>"


def gather(x: Wave, data: Val, index: Val) -> Val:
    """``data[index[i]]`` for every lane i; `data` and `index` are u32 lanes, every index below the wave's size."""
    name = f"sr_lanes_gather{x.W}"
    if x.native_gather:
        x.b.declare(_PERMUTE, f"declare {_PART} @{_PERMUTE}({_PART}, {_PART}, {_PART})")
    x.b.declare(name, _gather_vector(name, x.W) if x.native_gather else _gather_loop(name, x.W))
    return x.b.op(data.ty, f"call {data.ty.llvm} @{name}({data.typed}, {index.typed})")


def scatter(x: Wave, data: Val, index: Val, active: Val) -> Val:
    """The vector v with ``v[index[i]] = data[i]`` for the active lanes i in order, and 0 elsewhere."""
    name = f"sr_lanes_scatter{x.W}"
    x.b.declare(name, _scatter_loop(name, x.W))
    return x.b.op(data.ty, f"call {data.ty.llvm} @{name}({data.typed}, {index.typed}, {active.typed})")


def _gather_vector(name: str, lanes: int) -> str:
    """With AVX-512's two-table permutation: 32 lanes are one table pair, 64 are two and a choice."""
    lines = [f"define internal <{lanes} x i32> @{name}(<{lanes} x i32> %d, <{lanes} x i32> %i) alwaysinline {{"]
    for word in "di":
        for k in range(lanes // 16):
            order = ", ".join(f"i32 {16 * k + j}" for j in range(16))
            lines.append(
                f"  %{word}{k} = shufflevector <{lanes} x i32> %{word}, <{lanes} x i32> poison, <16 x i32> <{order}>"
            )
    for k in range(lanes // 16):
        lines.append(f"  %a{k} = call {_PART} @{_PERMUTE}({_PART} %d0, {_PART} %i{k}, {_PART} %d1)")
        if lanes == 32:
            lines.append(f"  %r{k} = freeze {_PART} %a{k}")
            continue
        lines += [
            f"  %b{k} = call {_PART} @{_PERMUTE}({_PART} %d2, {_PART} %i{k}, {_PART} %d3)",
            f"  %h{k} = icmp ugt {_PART} %i{k}, splat (i32 31)",
            f"  %r{k} = select <16 x i1> %h{k}, {_PART} %b{k}, {_PART} %a{k}",
        ]
    lines += _join(lanes)
    return "\n".join([*lines, "}"])


def _join(lanes: int) -> list[str]:
    """Concatenate %r0 … into one vector and return it."""
    parts, width, lines = [f"%r{k}" for k in range(lanes // 16)], 16, []
    while len(parts) > 1:
        order = ", ".join(f"i32 {j}" for j in range(2 * width))
        joined = []
        for k in range(0, len(parts), 2):
            name = f"%j{width}.{k}"
            lines.append(
                f"  {name} = shufflevector <{width} x i32> {parts[k]}, <{width} x i32> {parts[k + 1]}, "
                f"<{2 * width} x i32> <{order}>"
            )
            joined.append(name)
        parts, width = joined, 2 * width
    return [*lines, f"  ret <{lanes} x i32> {parts[0]}"]


def _gather_loop(name: str, lanes: int) -> str:
    vector = f"<{lanes} x i32>"
    return f"""define internal {vector} @{name}({vector} %d, {vector} %i) noinline {{
entry:
  %data = alloca {vector}, align 64
  %index = alloca {vector}, align 64
  %out = alloca {vector}, align 64
  store {vector} %d, ptr %data, align 64
  store {vector} %i, ptr %index, align 64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr %index, i64 %k
  %which = load i32, ptr %from, align 4
  %wide = zext i32 %which to i64
  %source = getelementptr i32, ptr %data, i64 %wide
  %value = load i32, ptr %source, align 4
  %to = getelementptr i32, ptr %out, i64 %k
  store i32 %value, ptr %to, align 4
  %next = add i64 %k, 1
  %end = icmp eq i64 %next, {lanes}
  br i1 %end, label %done, label %loop
done:
  %result = load {vector}, ptr %out, align 64
  ret {vector} %result
}}"""


def _scatter_loop(name: str, lanes: int) -> str:
    vector = f"<{lanes} x i32>"
    return f"""define internal {vector} @{name}({vector} %d, {vector} %i, i{lanes} %active) noinline {{
entry:
  %data = alloca {vector}, align 64
  %index = alloca {vector}, align 64
  %out = alloca {vector}, align 64
  store {vector} %d, ptr %data, align 64
  store {vector} %i, ptr %index, align 64
  store {vector} zeroinitializer, ptr %out, align 64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %step ]
  %bits = phi i{lanes} [ %active, %entry ], [ %rest, %step ]
  %bit = trunc i{lanes} %bits to i1
  br i1 %bit, label %send, label %step
send:
  %from = getelementptr i32, ptr %index, i64 %k
  %which = load i32, ptr %from, align 4
  %wide = zext i32 %which to i64
  %source = getelementptr i32, ptr %data, i64 %k
  %value = load i32, ptr %source, align 4
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %value, ptr %to, align 4
  br label %step
step:
  %rest = lshr i{lanes} %bits, 1
  %next = add i64 %k, 1
  %end = icmp eq i64 %next, {lanes}
  br i1 %end, label %done, label %loop
done:
  %result = load {vector}, ptr %out, align 64
  ret {vector} %result
}}"""
