"""The inner loop of every matrix instruction, and the way of its operands into memory. Registers nothing.

A product of matrices is lowered to outer products. The elements of A and B are widened to f32 (or f64) and stored to
two stack arrays as rows, one for each k: ``A[k][block][i]`` and ``B[k][block][j]``. Accumulators stay in their
registers' own layout, which always holds 16 neighbouring columns of one row in 16 neighbouring lanes (a *part*): each
step of k adds the broadcast ``a(i, k)`` times 16 elements of B's row to every part. Where A is sparse, a third array
tells for each of its stored elements which row of B it meets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from softrock.lift.ir import Ty, Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave

PART = 16
"""Lanes, and matrix columns, of a part."""

INLINED = 64
"""Loops of a function that are built in place. That is a fifth faster than to call them and takes twice as long to
compile, which begins to hurt where a kernel has many."""

Part = tuple[int, int]
"""Where a part's row stands in a row of A, and where its first column stands in a row of B (in elements)."""

Where = Callable[[int, int], "tuple[int, int] | None"]
"""``(e, first lane)``: element e of 16 lanes → (k, place in the row); None for lanes that hold nothing of use."""


class Tile(NamedTuple):
    """One inner loop.

    Attributes:
        bits: 32 or 64, the width of the floats.
        steps: how many k are summed.
        a_stride, b_stride: elements of one row of A and B.
        parts: for each accumulator register its parts, lowest lanes first.
        exact: products are exact in the accumulator's format, so that fusing them with the sum makes no difference.
        sparse: the array ``%x`` holds the byte offset of the row of B for each element of A.
    """

    bits: int
    steps: int
    a_stride: int
    b_stride: int
    parts: tuple[tuple[Part, ...], ...]
    exact: bool
    sparse: bool = False


def place(x: Wave, array: str, offset: int) -> str:
    """Pointer to a byte of a stack array."""
    if not offset:
        return f"%{array}"
    x.b.counter += 1
    ref = f"%q{x.b.counter}"
    x.b.line(f"{ref} = getelementptr i8, ptr %{array}, i64 {offset}")
    return ref


def store_rows(x: Wave, array: str, values: Sequence[Val], where: Where, stride: int, steps: int) -> None:
    """Store an operand's elements as rows.

    Args:
        values: element e of every lane.
        stride: elements of a row. steps: rows.
    """
    size = values[0].bits // 8
    x.array(array, stride * steps * size)
    for e, value in enumerate(values):
        for lane in range(0, value.lanes, PART):
            slot = where(e, lane)
            if slot is not None:
                k, start = slot
                piece = value.shuffle(range(lane, lane + PART)) if value.lanes > PART else value
                x.b.store(piece, place(x, array, (k * stride + start) * size), 64)


def accumulate(x: Wave, tile: Tile, accumulators: Sequence[Val]) -> list[Val]:
    """Accumulators after the product of what `store_rows` left in ``matrix_a`` and ``matrix_b`` was added."""
    lanes = accumulators[0].lanes
    # As many accumulators as the host's vector registers hold beside a row of B.
    registers = 256 if x.native_gather else 64
    group = max(registers * 32 // (tile.bits * lanes), 1)
    out: list[Val] = []
    for start in range(0, len(accumulators), group):
        out += _group(x, tile, tile.parts[start : start + group], accumulators[start : start + group])
    return out


def _group(x: Wave, tile: Tile, parts: Sequence[tuple[Part, ...]], accumulators: Sequence[Val]) -> list[Val]:
    size = tile.bits // 8
    a_base = min(a for register in parts for a, _ in register)
    b_base = min(c for register in parts for _, c in register)
    relative = tuple(tuple((a - a_base, c - b_base) for a, c in register) for register in parts)
    shape = tile._replace(parts=relative)
    pointers = [place(x, "matrix_a", a_base * size), place(x, "matrix_b", b_base * size)]
    if tile.sparse:
        pointers.append(place(x, "matrix_x", a_base * 4))
    x.matrix_loops += 1
    return (_inline if x.matrix_loops <= INLINED else _called)(x, shape, pointers, accumulators)


def _named(x: Wave, kind: str, tile: Tile, ty: Ty, text: Callable[[str, Tile, Ty], str]) -> str:
    """The name of a loop's function, which is defined if it is not yet."""
    digest = hashlib.blake2b(repr((tile, ty)).encode(), digest_size=8).hexdigest()
    name = f"sr_matrix_{kind}_{digest}"
    if name not in x.b.declares:
        _intrinsics(x)
        x.b.declare(name, text(name, tile, ty))
    return name


def _inline(x: Wave, tile: Tile, pointers: Sequence[str], accumulators: Sequence[Val]) -> list[Val]:
    """The loop in place; accumulators are values."""
    b, ty = x.b, accumulators[0].ty
    name = _named(x, "inline", tile, ty, _inline_text)
    args = ", ".join([*(f"ptr {p}" for p in pointers), *(c.typed for c in accumulators)])
    result = _struct(ty, len(accumulators))
    b.counter += 1
    ref = f"%m{b.counter}"
    b.line(f"{ref} = call {result} @{name}({args})")
    return [b.op(ty, f"extractvalue {result} {ref}, {n}") for n in range(len(accumulators))]


def _called(x: Wave, tile: Tile, pointers: Sequence[str], accumulators: Sequence[Val]) -> list[Val]:
    """The loop as a function of its own; accumulators go through memory."""
    b, ty = x.b, accumulators[0].ty
    name = _named(x, "called", tile, ty, _called_text)
    size = ty.bits * ty.lanes // 8
    array = x.array("matrix_c", size * len(accumulators))
    for n, value in enumerate(accumulators):
        b.store(value, place(x, "matrix_c", n * size), 64)
    args = ", ".join(f"ptr {p}" for p in [*pointers, array])
    b.line(f"call void @{name}({args})")
    return [b.load(ty, place(x, "matrix_c", n * size), 64) for n in range(len(accumulators))]


def _struct(ty: Ty, count: int) -> str:
    return "{ " + ", ".join([ty.llvm] * count) + " }"


def _inline_text(name: str, tile: Tile, ty: Ty) -> str:
    count = len(tile.parts)
    result = _struct(ty, count)
    params = [*_array_parameters(tile), *(f"{ty.llvm} %c{r}" for r in range(count))]
    lines = [f"define internal {result} @{name}({', '.join(params)}) alwaysinline nounwind {{", "entry:"]
    lines += _loop(tile, ty)
    whole = "poison"
    for r in range(count):
        lines.append(f"  %r{r} = insertvalue {result} {whole}, {ty.llvm} %d{r}, {r}")
        whole = f"%r{r}"
    return "\n".join([*lines, f"  ret {result} {whole}", "}"]) + "\n"


def _called_text(name: str, tile: Tile, ty: Ty) -> str:
    params = [*_array_parameters(tile), "ptr %c"]
    lines = [f"define internal void @{name}({', '.join(params)}) noinline nounwind {{", "entry:"]
    for r in range(len(tile.parts)):
        lines.append(f"  %pc{r} = getelementptr i8, ptr %c, i64 {r * ty.bits * ty.lanes // 8}")
        lines.append(f"  %c{r} = load {ty.llvm}, ptr %pc{r}, align 64")
    lines += _loop(tile, ty)
    lines += [f"  store {ty.llvm} %d{r}, ptr %pc{r}, align 64" for r in range(len(tile.parts))]
    return "\n".join([*lines, "  ret void", "}"]) + "\n"


def _array_parameters(tile: Tile) -> list[str]:
    return [f"ptr %{n}" for n in ("abx" if tile.sparse else "ab")]


def _loop(tile: Tile, ty: Ty) -> list[str]:
    """The loop over k that makes ``%d0`` … of ``%c0`` …"""
    count, width = len(tile.parts), ty.lanes // PART
    part = Ty("f", tile.bits, PART).llvm
    every = [(r, p) for r in range(count) for p in range(width)]
    lines = [f"  %s{r}_{p} = {_shuffle(ty, f'%c{r}', 'poison', PART * p, PART)}" for r, p in every]
    lines += ["  br label %loop", "loop:", "  %k = phi i64 [ 0, %entry ], [ %next, %loop ]"]
    walk = {"a": tile.a_stride * tile.bits // 8}
    walk |= {"x": tile.a_stride * 4} if tile.sparse else {"b": tile.b_stride * tile.bits // 8}
    lines += [f"  %at_{n} = phi ptr [ %{n}, %entry ], [ %at_{n}.next, %loop ]" for n in walk]
    lines += [f"  %v{r}_{p} = phi {part} [ %s{r}_{p}, %entry ], [ %w{r}_{p}, %loop ]" for r, p in every]
    lines += _step(tile, part, every)
    lines += [f"  %at_{n}.next = getelementptr i8, ptr %at_{n}, i64 {step}" for n, step in walk.items()]
    lines += [
        "  %next = add nuw nsw i64 %k, 1",
        f"  %more = icmp ult i64 %next, {tile.steps}",
        "  br i1 %more, label %loop, label %done",
        "done:",
    ]
    for r in range(count):
        lines += _join(r, width, tile.bits)
    return lines


def _shuffle(ty: Ty, one: str, other: str, first: int, lanes: int) -> str:
    """`lanes` neighbouring lanes, from lane `first` on, of two vectors one after the other."""
    mask = ", ".join(f"i32 {lane}" for lane in range(first, first + lanes))
    return f"shufflevector {ty.llvm} {one}, {ty.llvm} {other}, <{lanes} x i32> <{mask}>"


def _join(r: int, width: int, bits: int) -> list[str]:
    """Put the parts of accumulator `r` together again, as ``%d<r>``."""
    lines: list[str] = []
    names, size = [f"%w{r}_{p}" for p in range(width)], 1
    while len(names) > 1:
        ty = Ty("f", bits, PART * size)
        size *= 2
        joined = [f"%j{r}_{n}_{size}" for n in range(len(names) // 2)] if size < width else [f"%d{r}"]
        lines += [
            f"  {new} = {_shuffle(ty, names[2 * n], names[2 * n + 1], 0, 2 * ty.lanes)}" for n, new in enumerate(joined)
        ]
        names = joined
    return lines


def _step(tile: Tile, part: str, every: Sequence[tuple[int, int]]) -> list[str]:
    """One k: load rows of B and elements of A, add their products to all parts."""
    scalar = Ty("f", tile.bits, 0)
    size = tile.bits // 8
    lines: list[str] = []
    done: set[str] = set()
    kind = f"llvm.{'fmuladd' if tile.exact else 'fma'}.v{PART}f{tile.bits}"

    def once(ref: str, *text: str) -> str:
        if ref not in done:
            done.add(ref)
            lines.extend(f"  {t}" for t in text)
        return ref

    for r, p in every:
        a, c = tile.parts[r][p]
        splat = once(
            f"%a{a}",
            f"%pa{a} = getelementptr i8, ptr %at_a, i64 {a * size}",
            f"%la{a} = load {scalar.llvm}, ptr %pa{a}, align {size}",
            f"%ia{a} = insertelement {part} poison, {scalar.llvm} %la{a}, i64 0",
            f"%a{a} = shufflevector {part} %ia{a}, {part} poison, <{PART} x i32> zeroinitializer",
        )
        base, tag = "%at_b", f"b{c}"
        if tile.sparse:
            base, tag = f"%row{a}", f"b{a}_{c}"
            once(
                base,
                f"%px{a} = getelementptr i8, ptr %at_x, i64 {a * 4}",
                f"%lx{a} = load i32, ptr %px{a}, align 4",
                f"%zx{a} = zext i32 %lx{a} to i64",
                f"{base} = getelementptr i8, ptr %b, i64 %zx{a}",
            )
        row = once(
            f"%{tag}",
            f"%p{tag} = getelementptr i8, ptr {base}, i64 {c * size}",
            f"%{tag} = load {part}, ptr %p{tag}, align 64",
        )
        lines.append(f"  %w{r}_{p} = call {part} @{kind}({part} {splat}, {part} {row}, {part} %v{r}_{p})")
    return lines


def _intrinsics(x: Wave) -> None:
    """Declare what the loops call."""
    for kind in ("fma", "fmuladd"):
        for ty in (Ty("f", 32, PART), Ty("f", 64, PART)):
            name = f"llvm.{kind}.{ty.mangled}"
            x.b.declare(name, f"declare {ty.llvm} @{name}({ty.llvm}, {ty.llvm}, {ty.llvm})")
