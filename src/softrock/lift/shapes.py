"""Forms across blocks: what of a register's form is static (its *shape*) and the scalar slots that hold the rest.

A block that every predecessor enters with the same shape of a register finds the register's scalars in slots of their
own; where shapes differ, or one has none, the register is a vector there and predecessors that have a form store the
vector as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from softrock.lift import forms
from softrock.lift.forms import Rows, Wide
from softrock.lift.ir import Builder, Ty, Val


@dataclass(frozen=True, slots=True)
class Shape:
    """The static part of a form. `kind` is "word" (u32 rows), "pair" (u64 rows) or "wide"; for the last the numbers
    are the core's. `const` is the base where it is a constant; `ids` marks the packed work-item ids."""

    kind: str
    stride: int
    row: int
    pitched: bool
    zeros: int = 0
    top: int | None = None
    const: int | None = None
    scale: int = 1
    signed: bool = False
    ids: bool = False


def shape_of(v: Val) -> Shape | None:
    """The shape of a 32- or 64-bit lane vector, None for a plain vector."""
    if isinstance(v.form, Wide):
        core = v.form.core
        inner = shape_of(core)
        if inner is None:
            return None
        return replace(inner, kind="wide", scale=v.form.scale, signed=core.kind == "i", const=None)
    rows = forms.rows_of(v)
    if rows is None:
        return None
    const = rows.base.const
    return Shape(
        "pair" if v.bits == 64 else "word",
        rows.stride,
        rows.row,
        rows.pitch is not None,
        forms.zeros_of(v),
        forms.top_of(v),
        const if isinstance(const, int) else None,
        ids=v.note is not None and v.note[0] == "ids",
    )


def meet(a: Shape | None, b: Shape | None) -> Shape | None:
    """What holds of both."""
    if a == b:
        return a
    if a is None or b is None:
        return None
    a, b = (replace(s, zeros=0, top=None, const=None, ids=False) for s in (a, b))
    return a if a == b else None


class Slots:
    """The scalar slots of one register bank."""

    def __init__(self, b: Builder, prefix: str, lanes: int) -> None:
        self.b = b
        self.prefix = prefix
        self.lanes = lanes
        self.bits: dict[str, int] = {}

    def lines(self) -> list[str]:
        """The alloca of every slot in use."""
        return [f"  %{name} = alloca i{bits}, align {bits // 8}" for name, bits in sorted(self.bits.items())]

    def _name(self, r: int, part: str, bits: int) -> str:
        name = f"{self.prefix}{r}.{part}{bits}"
        self.bits[name] = bits
        return name

    def _put(self, r: int, part: str, value: Val) -> None:
        self.b.line(f"store {value.typed}, ptr %{self._name(r, part, value.bits)}, align {value.bits // 8}")

    def _get(self, r: int, part: str, bits: int) -> Val:
        name = self._name(r, part, bits)
        return self.b.op(Ty("u", bits, 0), f"load i{bits}, ptr %{name}, align {bits // 8}")

    def store(self, r: int, value: Val) -> None:
        """Store the scalars of a value that has a shape."""
        if isinstance(value.form, Wide):
            self._put(r, "a", value.form.base)
            rows = forms.rows_of(value.form.core)
        else:
            rows = forms.rows_of(value)
        assert rows is not None
        self._put(r, "b", rows.base)
        if rows.pitch is not None:
            self._put(r, "p", rows.pitch)

    def load(self, r: int, shape: Shape) -> Val:
        """The value that predecessors stored."""
        bits = 64 if shape.kind == "pair" else 32
        base = self._get(r, "b", bits) if shape.const is None else self.b.const(f"u{bits}", shape.const)
        if shape.kind == "word" and shape.const is not None and not shape.stride and not shape.pitched:
            return self.b.const("u32", shape.const, self.lanes)
        pitch = self._get(r, "p", bits) if shape.pitched else None
        out = forms.of_kind(base, "u", bits, self.lanes, Rows(base, shape.stride, shape.row, pitch))
        out.zeros, out.top = shape.zeros, shape.top
        if not shape.stride and pitch is None:
            base.zeros, base.top = shape.zeros, shape.top
        if shape.kind == "wide":
            core = out.bits_as("i32") if shape.signed else out
            out = forms.of_kind(base, "u", 64, self.lanes, Wide(self._get(r, "a", 64), core, shape.scale))
        return out
