"""The inner loop of every matrix instruction, and the way of its operands into memory. Registers nothing.

A product of matrices is lowered to outer products. The elements of A and B are widened to f32 (or f64) and stored to
two stack arrays as rows, one for each k: ``A[k][block][i]`` and ``B[k][block][j]``. Accumulators stay in their
registers' own layout, which always holds 16 neighbouring columns of one row in 16 neighbouring lanes (a *part*): each
step of k adds the broadcast ``a(i, k)`` times 16 elements of B's row to every part. Where A is sparse, a third array
tells for each of its stored elements which row of B it meets.

The loops are a function for each kind of tile, which is given pointers to the accumulators (registers' own slots where
that can be): they take more host registers than there are. It goes through groups of accumulators that fit; a group
stays in host registers through all the products that are added to it.
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
        sparse: a third array holds the byte offset of the row of B for each element of A.
        unroll: k in a turn of the loop. A's rows of that many k are interleaved: the elements of a place in the row
            stand side by side.
    """

    bits: int
    steps: int
    a_stride: int
    b_stride: int
    parts: tuple[tuple[Part, ...], ...]
    exact: bool
    sparse: bool = False
    unroll: int = 1

    @property
    def operands(self) -> int:
        """Arrays of a product."""
        return 3 if self.sparse else 2


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


def accumulate(
    x: Wave,
    tile: Tile,
    accumulators: Sequence[Val],
    product: tuple[str, ...] = ("matrix_a", "matrix_b", "matrix_x"),
) -> list[Val]:
    """Accumulators (floats) after a product was added.

    Args:
        product: names of the arrays of A and B (and of rows, where A is sparse).
    """
    ty = accumulators[0].ty
    size = ty.bits * ty.lanes // 8
    x.array("matrix_c", size * len(accumulators))
    slots = [place(x, "matrix_c", n * size) for n in range(len(accumulators))]
    for value, slot in zip(accumulators, slots, strict=True):
        x.b.store(value, slot, 64)
    add_products(x, tile, [product[: tile.operands]], slots, ty.lanes)
    return [x.b.load(ty, slot, 64) for slot in slots]


def add_products(
    x: Wave, tile: Tile, products: Sequence[tuple[str, ...]], accumulators: Sequence[str], lanes: int
) -> None:
    """Add products, one after the other, to accumulators in memory.

    Args:
        products: names of the arrays of A and B (and of rows, where A is sparse), each of `tile`'s shape.
        accumulators: pointers. lanes: elements of each.
    """
    # As many accumulators as the host's vector registers hold beside a row of B.
    registers = 256 if x.native_gather else 64
    group = min(max(registers * 32 // (tile.bits * lanes), 1), len(accumulators))
    digest = hashlib.blake2b(repr((tile, lanes, group)).encode(), digest_size=8).hexdigest()
    name = f"sr_matrix_{digest}"
    if name not in x.b.declares:
        _intrinsics(x)
        x.b.declare(name, _Loops(tile, lanes, group).text(name))
    table = _pointers(x, "matrix_table", accumulators)
    arrays = _pointers(x, "matrix_products", [f"%{array}" for product in products for array in product])
    x.b.line_debug(f"call void @{name}(ptr {table}, ptr {arrays}, i64 {len(products)})")


def _pointers(x: Wave, name: str, pointers: Sequence[str]) -> str:
    """A stack array that holds pointers."""
    array = x.array(name, 8 * len(pointers))
    for n, pointer in enumerate(pointers):
        x.b.line(f"store ptr {pointer}, ptr {place(x, name, 8 * n)}, align 8")
    return array


class _Loops:
    """The text of a tile's function: a loop over groups of accumulators, in it one over products, in it one over k."""

    def __init__(self, tile: Tile, lanes: int, group: int) -> None:
        self.tile, self.lanes, self.group = tile, lanes, group
        self.size = tile.bits // 8
        self.part = Ty("f", tile.bits, PART).llvm
        self.whole = Ty("f", tile.bits, lanes)
        self.every = [(r, p) for r in range(group) for p in range(lanes // PART)]
        starts = range(0, len(tile.parts), group)
        groups = [tile.parts[start : start + group] for start in starts]
        self.bases = [
            (min(a for register in g for a, _ in register), min(c for register in g for _, c in register))
            for g in groups
        ]
        shapes = {
            tuple(tuple((a - base[0], c - base[1]) for a, c in register) for register in g)
            for g, base in zip(groups, self.bases, strict=True)
        }
        if len(shapes) != 1:
            raise AssertionError("groups of accumulators differ")
        (self.parts,) = shapes

    def text(self, name: str) -> str:
        tile, groups = self.tile, len(self.bases)
        lines = [f"define internal void @{name}(ptr %c, ptr %products, i64 %count) noinline nounwind {{", "entry:"]
        lines += ["  br label %group", "group:", "  %g = phi i64 [ 0, %entry ], [ %g.next, %finished ]"]
        for n, (what, scale) in enumerate((("a", self.size * tile.unroll), ("b", self.size))):
            lines.append(f"  %base_{what}p = getelementptr i64, ptr @{name}_{what}, i64 %g")
            lines.append(f"  %base_{what} = load i64, ptr %base_{what}p, align 8")
            values = ", ".join(f"i64 {base[n] * scale}" for base in self.bases)
            lines.insert(0, f"@{name}_{what} = internal constant [{groups} x i64] [{values}], align 8")
        lines.append(f"  %first = mul i64 %g, {self.group}")
        lines.append("  %cg = getelementptr ptr, ptr %c, i64 %first")
        for r in range(self.group):
            lines.append(f"  %cq{r} = getelementptr ptr, ptr %cg, i64 {r}")
            lines.append(f"  %cp{r} = load ptr, ptr %cq{r}, align 8")
            lines.append(f"  %c{r} = load {self.whole.llvm}, ptr %cp{r}, align 64")
        for r, p in self.every:
            lines.append(f"  %s{r}_{p} = {_shuffle(self.whole, f'%c{r}', 'poison', PART * p, PART)}")
        lines += self._products()
        for r in range(self.group):
            lines += _join(r, self.lanes // PART, tile.bits)
            lines.append(f"  store {self.whole.llvm} %d{r}, ptr %cp{r}, align 64")
        lines += [
            "  %g.next = add nuw nsw i64 %g, 1",
            f"  %g.more = icmp ult i64 %g.next, {groups}",
            "  br i1 %g.more, label %group, label %done",
            "done:",
            "  ret void",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def _products(self) -> list[str]:
        tile, size = self.tile, self.size
        lines = ["  br label %product", "product:"]
        lines.append("  %n = phi i64 [ 0, %group ], [ %n.next, %added ]")
        lines.append("  %at = phi ptr [ %products, %group ], [ %at.next, %added ]")
        for r, p in self.every:
            lines.append(f"  %u{r}_{p} = phi {self.part} [ %s{r}_{p}, %group ], [ %w{r}_{p}, %added ]")
        for n, (what, base) in enumerate(zip("abx"[: tile.operands], "aba", strict=False)):
            lines.append(f"  %{what}q = getelementptr ptr, ptr %at, i64 {n}")
            lines.append(f"  %{what}w = load ptr, ptr %{what}q, align 8")
            lines.append(f"  %{what} = getelementptr i8, ptr %{what}w, i64 %base_{base}")
        walk = {"a": tile.a_stride * size * tile.unroll}
        walk |= {"x": tile.a_stride * 4} if tile.sparse else {"b": tile.b_stride * size * tile.unroll}
        lines += ["  br label %loop", "loop:", "  %k = phi i64 [ 0, %product ], [ %k.next, %loop ]"]
        lines += [f"  %at_{n} = phi ptr [ %{n}, %product ], [ %at_{n}.next, %loop ]" for n in walk]
        for r, p in self.every:
            lines.append(f"  %v{r}_{p}.0 = phi {self.part} [ %u{r}_{p}, %product ], [ %w{r}_{p}, %loop ]")
        for u in range(tile.unroll):
            lines += self._step(u)
        lines += [f"  %at_{n}.next = getelementptr i8, ptr %at_{n}, i64 {step}" for n, step in walk.items()]
        return [
            *lines,
            f"  %k.next = add nuw nsw i64 %k, {tile.unroll}",
            f"  %k.more = icmp ult i64 %k.next, {tile.steps}",
            "  br i1 %k.more, label %loop, label %added",
            "added:",
            "  %n.next = add nuw nsw i64 %n, 1",
            f"  %at.next = getelementptr ptr, ptr %at, i64 {tile.operands}",
            "  %n.more = icmp ult i64 %n.next, %count",
            "  br i1 %n.more, label %product, label %finished",
            "finished:",
        ]

    def _step(self, u: int) -> list[str]:
        """The u-th k of a turn: load rows of B and elements of A, add their products to all parts."""
        tile, part, size = self.tile, self.part, self.size
        scalar = Ty("f", tile.bits, 0)
        lines: list[str] = []
        done: set[str] = set()
        kind = f"llvm.{'fmuladd' if tile.exact else 'fma'}.v{PART}f{tile.bits}"

        def once(ref: str, *text: str) -> str:
            if ref not in done:
                done.add(ref)
                lines.extend(f"  {t}" for t in text)
            return ref

        for r, p in self.every:
            a, c = self.parts[r][p]
            tag = f"{a}.{u}"
            splat = once(
                f"%a{tag}",
                f"%pa{tag} = getelementptr i8, ptr %at_a, i64 {(a * tile.unroll + u) * size}",
                f"%la{tag} = load {scalar.llvm}, ptr %pa{tag}, align {size}",
                f"%ia{tag} = insertelement {part} poison, {scalar.llvm} %la{tag}, i64 0",
                f"%a{tag} = shufflevector {part} %ia{tag}, {part} poison, <{PART} x i32> zeroinitializer",
            )
            base, at, tag = "%at_b", c + u * tile.b_stride, f"b{c}.{u}"
            if tile.sparse:
                base, at, tag = f"%row{a}", c, f"b{a}_{c}"
                once(
                    base,
                    f"%px{a} = getelementptr i8, ptr %at_x, i64 {a * 4}",
                    f"%lx{a} = load i32, ptr %px{a}, align 4",
                    f"%zx{a} = zext i32 %lx{a} to i64",
                    f"{base} = getelementptr i8, ptr %b, i64 %zx{a}",
                )
            row = once(
                f"%{tag}",
                f"%p{tag} = getelementptr i8, ptr {base}, i64 {at * size}",
                f"%{tag} = load {part}, ptr %p{tag}, align 64",
            )
            new = f"%w{r}_{p}" if u == tile.unroll - 1 else f"%v{r}_{p}.{u + 1}"
            lines.append(f"  {new} = call {part} @{kind}({part} {splat}, {part} {row}, {part} %v{r}_{p}.{u})")
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


def _intrinsics(x: Wave) -> None:
    """Declare what the loops call."""
    for kind in ("fma", "fmuladd"):
        for ty in (Ty("f", 32, PART), Ty("f", 64, PART)):
            name = f"llvm.{kind}.{ty.mangled}"
            x.b.declare(name, f"declare {ty.llvm} @{name}({ty.llvm}, {ty.llvm}, {ty.llvm})")
