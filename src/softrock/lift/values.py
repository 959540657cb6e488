"""Typed, operator-overloaded values of LLVM IR under construction.

A :class:`Val` is a scalar (``lanes == 0``) or a lane vector (``lanes == 32`` or ``64``) with a type written as in the
tables of semantics: ``u32``, ``i64``, ``f16``, ``bf16``, ``u1`` … Signedness lives in the value, so that ``a >> b``,
``a.lt(b)`` and ``a.to("u64")`` read as arithmetic and still pick the right LLVM instruction. Scalars meet vectors by
broadcasting.
"""


from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from softrock.lift import forms, masks
from softrock.lift.types import Ty, elem_of, float_literal, wrap

if TYPE_CHECKING:
    from softrock.lift.ir import Block, Builder


class Val:
    """A typed SSA value; see the module's docstring.

    Attributes:
        const: its Python value where known, of scalar or splat.
        form: how to make it, where it has no text of its own yet (:mod:`softrock.lift.forms`).
        zeros, top: low bits known to be zero (of a form: of its base) and an upper bound as unsigned number.
        part: the 64-bit value it is a dword of, and which.
        note: what else the lifter knows of the value, e.g. ``("pclo", offset)``.
    """

    __slots__ = (
        "_block", "_ref", "b", "bits", "const", "form", "kind", "lanes", "mask", "note", "part", "top", "zeros"
    )  # fmt: skip

    def __init__(
        self, b: Builder, ref: str | None, kind: str, bits: int, lanes: int, const: int | float | None = None
    ) -> None:
        self.b = b
        self._ref = ref
        self._block: Block | None = None
        self.kind = kind
        self.bits = bits
        self.lanes = lanes
        self.const = const
        self.form: forms.Form | None = None
        self.zeros = 0
        self.top: int | None = None
        self.part: tuple[Val, int] | None = None
        self.mask: Val | None = None
        self.note: tuple[str, Any] | None = None

    @property
    def ref(self) -> str:
        """LLVM's name of the value; one with a form is computed here, in the current block."""
        if self._ref is None or (self._block is not None and self._block is not self.b.block):
            self._ref = forms.emit(self).ref
            self._block = self.b.block
        return self._ref

    @property
    def elem(self) -> str:
        """The element type as semantics write it: ``u32``, ``bf16`` …"""
        return f"{'bf' if self.kind == 'b' else self.kind}{self.bits}"

    def solid(self) -> Val:
        """The value computed here if it was not yet, without a form."""
        if self.form is None:
            return self
        out = Val(self.b, self.ref, self.kind, self.bits, self.lanes)
        out.note = self.note
        return out

    def _one(self) -> Val | None:
        """The scalar of a uniform lane vector."""
        return forms.scalar_of(self) if self.lanes and self.form is not None else None

    def copy(self) -> Val:
        """The same value, to be told more of."""
        out = Val(self.b, self._ref, self.kind, self.bits, self.lanes, self.const)
        out._block, out.form, out.zeros, out.top = self._block, self.form, self.zeros, self.top
        out.part, out.mask, out.note = self.part, self.mask, self.note
        return out

    def same(self, other: Val) -> bool:
        """Whether both are one LLVM value."""
        return self._ref is not None and self._ref == other._ref

    def broadcast(self, lanes: int) -> Val:
        """A scalar in all lanes, as an LLVM vector."""
        if self.const is not None:
            return self.b.const(self.elem, self.const, lanes)
        ty = Ty(self.kind, self.bits, lanes)
        one = self.b.op(ty, f"insertelement {ty.llvm} poison, {self.typed}, i64 0")
        return self.b.op(ty, f"shufflevector {one.typed}, {ty.llvm} poison, <{lanes} x i32> zeroinitializer")

    def shift_right(self, count: int) -> Val:
        """``>>`` by a constant without looking for forms."""
        return self.b.op(
            self.ty,
            f"{'ashr' if self.kind == 'i' else 'lshr'} {self.typed}, {self.b.const(self.elem, count, self.lanes).ref}",
        )

    @property
    def ty(self) -> Ty:
        return Ty(self.kind, self.bits, self.lanes)

    @property
    def typed(self) -> str:
        """``type ref``, as operands are written."""
        return f"{self.ty.llvm} {self.ref}"

    @property
    def is_float(self) -> bool:
        return self.kind in "fb"

    # -- reinterpretation and conversion ---------------------------------------------------------------------------

    def bits_as(self, name: str) -> Val:
        """The same bits under another element type of the same size."""
        kind, bits = elem_of(name)
        if bits != self.bits:
            raise AssertionError(f"bits_as: {self.kind}{self.bits} is not {bits} bits")
        if kind == self.kind:
            return self
        if kind in "ui" and self.kind in "ui":
            out = self.copy()
            out.kind = kind
            if isinstance(self.const, int):
                out.const = wrap(self.const, kind, bits)
            return out
        if self.const is not None and kind in "ui":
            return self.b.const(name, _float_bits(self), self.lanes)
        if (one := self._one()) is not None:
            out = one.bits_as(name).splat(self.lanes)
            out.note = self.note or out.note
            return out
        out = self.b.op(
            Ty(kind, bits, self.lanes), f"bitcast {self.typed} to {Ty(kind, bits, self.lanes).llvm}"
        )
        out.note = self.note or ("bits", (self,))
        return out

    def to(self, name: str) -> Val:
        """Convert the value: integers extend by their own signedness or truncate; float to int truncates toward zero,
        saturates, and turns NaN into 0 (the hardware's rule); float to float rounds to nearest even."""
        kind, bits = elem_of(name)
        ty = Ty(kind, bits, self.lanes)
        if (one := self._one()) is not None:
            return one.to(name).splat(self.lanes)
        if self.is_float and kind in "fb":
            if (kind, bits) == (self.kind, self.bits):
                return self
            if "b" in (kind, self.kind):
                return self._through_bits(name)
            if (bits, self.bits) == (16, 64):
                # LLVM has no instruction for it (a library call a lane). Twenty-two bits and a sticky one survive the
                # step through f32, so that it cannot round twice.
                raw, cut = self.bits_as("u64"), (1 << 30) - 1
                sticky = (((raw & cut) + cut) | raw) & ~cut
                return sticky.bits_as("f64").to("f32").to("f16")
            return self.b.op(ty, f"{'fpext' if bits > self.bits else 'fptrunc'} {self.typed} to {ty.llvm}")
        if self.is_float:
            return self._saturated(name)
        if kind in "fb":
            return self.b.op(ty, f"{'sitofp' if self.kind == 'i' else 'uitofp'} {self.typed} to {ty.llvm}")
        if isinstance(self.const, int):
            return self.b.const(name, self.const, self.lanes)
        if bits == self.bits:
            return self.bits_as(name)
        if self.form is not None:
            found = (forms.truncated if bits < self.bits else forms.extended)(self, kind, bits)
            if found is not None:
                return found
        if bits < self.bits:
            out = self.b.op(ty, f"trunc {self.typed} to {ty.llvm}")
            out.zeros = min(self.zeros, bits)
            return out
        out = self.b.op(ty, f"{'sext' if self.kind == 'i' else 'zext'} {self.typed} to {ty.llvm}")
        out.zeros = self.zeros
        if self.kind == "u":
            out.top = self.top if self.top is not None else (1 << self.bits) - 1
        elif self.top is not None and self.top < 1 << (self.bits - 1):
            out.top = self.top
        return out

    def cut(self, name: str) -> Val:
        """Truncate a float that is known to fit to an integer; the result is undefined where it does not."""
        ty = self.ty.with_elem(name)
        return self.b.op(ty, f"{'fptosi' if ty.kind == 'i' else 'fptoui'} {self.typed} to {ty.llvm}")

    def frozen(self) -> Val:
        """The same, with some fixed value where it is undefined."""
        return self.b.op(self.ty, f"freeze {self.typed}")

    def _saturated(self, name: str) -> Val:
        """Float to integer; the general intrinsic would be taken apart lane by lane."""
        kind, bits = elem_of(name)
        if self.bits == 16:
            return self.to("f32").to(name)
        low, high = (0, (1 << bits) - 1) if kind == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        precision = {32: 24, 64: 53}[self.bits]
        spare = max(bits - (kind == "i") - precision, 0)
        top = float(high >> spare << spare)  # the largest float that fits
        number = self.is_nan().select(0.0, self) if kind == "i" else self
        inside = number.gt(float(low)).select(number, float(low))
        inside = inside.lt(top).select(inside, top)
        out = inside.cut(name)
        return self.gt(top).select(high, out) if spare else out

    def _through_bits(self, name: str) -> Val:
        """To or from bfloat by integer arithmetic: the host's own conversion flushes denormals."""
        if self.kind == "b":
            return (self.bits_as("u16").to("u32") << 16).bits_as("f32").to(name)
        if self.bits == 64:
            single = self.to("f32")
            back = single.to("f64")
            raw = single.bits_as("u32") - back.fabs().gt(self.fabs()).to("u32")
            odd = raw | back.fcmp("one", self).to("u32")
            return odd.bits_as("f32").to(name)
        raw = self.to("f32").bits_as("u32")
        rounded = raw + ((raw >> 16 & 1) + 0x7FFF)
        rounded = self.is_nan().select(raw | 0x400000, rounded)
        return (rounded >> 16).to("u16").bits_as(name)

    def splat(self, lanes: int) -> Val:
        """Broadcast a scalar to `lanes` lanes (vectors and ``lanes == 0`` pass through)."""
        if self.lanes or not lanes:
            return self
        if self.const is not None:
            return self.b.const(self.elem, self.const, lanes)
        return forms.uniform(self, lanes)

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _pair(self, other: Val | int | float) -> tuple[Val, Val]:
        if not isinstance(other, Val):
            other = self.b.const(f"{'bf' if self.kind == 'b' else self.kind}{self.bits}", other, self.lanes)
        if other.lanes != self.lanes:
            lanes = max(self.lanes, other.lanes)
            return self.splat(lanes), other.splat(lanes)
        return self, other

    def _bin(self, other: Val | int | float, integer: str, floating: str | None) -> Val:
        a, c = self._pair(other)
        if a.bits != c.bits or a.is_float != c.is_float:
            raise AssertionError(f"{integer}: {a.kind}{a.bits} with {c.kind}{c.bits}")
        word = floating if a.is_float else integer
        if word is None:
            raise AssertionError(f"{integer} of floats")
        if isinstance(a.const, int) and isinstance(c.const, int) and word in _FOLD:
            folded = _FOLD[word](a.const, c.const)
            return self.b.const(f"{a.kind}{a.bits}", folded, a.lanes)
        if word in _ZERO_IS_NEUTRAL and c.const == 0 and isinstance(c.const, int):
            return a
        if a.form is not None or c.form is not None:
            found = self._formed(word, a, c)
            if found is not None:
                return found
        out = self.b.op(a.ty, f"{word} {a.typed}, {c.ref}")
        if not a.lanes and not a.is_float:
            out.zeros, out.top = forms.bounds(word, a, c)
        return out

    def _formed(self, word: str, a: Val, c: Val) -> Val | None:
        if not a.lanes:
            return None
        if a.bits == 1 and (a.mask is not None or a.const is not None) and (c.mask is not None or c.const is not None):
            return a.pack()._bin(c.pack(), word, None).unpack()
        ones = forms.scalars_of([a, c])
        if ones is not None:
            if not a.is_float and (a.note or c.note):
                found = forms.binary(word, a, c)
                if found is not None:
                    return found
            return ones[0]._bin(ones[1], word, word).splat(a.lanes)
        return None if a.is_float or a.bits == 1 else forms.binary(word, a, c)

    def __add__(self, other: Val | int | float) -> Val:
        return self._bin(other, "add", "fadd")

    def __sub__(self, other: Val | int | float) -> Val:
        return self._bin(other, "sub", "fsub")

    def __mul__(self, other: Val | int | float) -> Val:
        return self._bin(other, "mul", "fmul")

    def __and__(self, other: Val | int) -> Val:
        return self._bin(other, "and", None)

    def __or__(self, other: Val | int) -> Val:
        return self._bin(other, "or", None)

    def __xor__(self, other: Val | int) -> Val:
        return self._bin(other, "xor", None)

    def __truediv__(self, other: Val | float) -> Val:
        return self._bin(other, "udiv", "fdiv")

    def __invert__(self) -> Val:
        return self ^ (-1 if self.bits > 1 else 1)

    def __neg__(self) -> Val:
        if self.is_float:
            if (one := self._one()) is not None:
                return (-one).splat(self.lanes)
            return self.b.op(self.ty, f"fneg {self.typed}")
        return self.b.const(f"{self.kind}{self.bits}", 0, self.lanes) - self

    def _count(self, other: Val | int) -> Val:
        # The hardware takes the count modulo the width; LLVM's result is poison past it.
        if isinstance(other, int):
            return self.b.const(f"u{self.bits}", other & (self.bits - 1), self.lanes)
        return other.bits_as(f"u{other.bits}").to(f"u{self.bits}") & (self.bits - 1)

    def __lshift__(self, other: Val | int) -> Val:
        return self._bin(self._count(other), "shl", None)

    def __rshift__(self, other: Val | int) -> Val:
        if self.kind == "i" and self.bits == 32 and self.const is None and self.lanes:
            count = other if isinstance(other, int) else other.const
            if count == 31 and forms.scalar_of(self) is None:
                return self.b.const("i32", 0, self.lanes) if _small(self) else forms.sign_word(self)
        return self._bin(self._count(other), "ashr" if self.kind == "i" else "lshr", None)

    # -- comparison (results are u1) -----------------------------------------------------------------------------------

    def _cmp(self, other: Val | int | float, integer: str, floating: str) -> Val:
        a, c = self._pair(other)
        if a.bits != c.bits or a.is_float != c.is_float:
            raise AssertionError(f"compare {integer}: {a.kind}{a.bits} with {c.kind}{c.bits}")
        if (a.form is not None or c.form is not None) and a.lanes:
            ones = forms.scalars_of([a, c])
            if ones is not None:
                return ones[0]._cmp(ones[1], integer, floating).splat(a.lanes)
            if not a.is_float:
                mask = forms.compare_mask(integer, a, c)
                if mask is not None:
                    return mask.unpack()
                return forms.of_kind(
                    a, "u", 1, a.lanes, forms.Deferred(lambda: a.solid()._cmp(c.solid(), integer, floating))
                )
        if a.is_float:
            return self.b.op(Ty("u", 1, a.lanes), f"fcmp {floating} {a.typed}, {c.ref}")
        if integer not in ("eq", "ne"):
            integer = ("s" if self.kind == "i" else "u") + integer
        return self.b.op(Ty("u", 1, a.lanes), f"icmp {integer} {a.typed}, {c.ref}")

    def eq(self, other: Val | int | float) -> Val:
        return self._cmp(other, "eq", "oeq")

    def ne(self, other: Val | int | float) -> Val:
        """Not equal; true where a float is NaN, as in C."""
        return self._cmp(other, "ne", "une")

    def lt(self, other: Val | int | float) -> Val:
        return self._cmp(other, "lt", "olt")

    def le(self, other: Val | int | float) -> Val:
        return self._cmp(other, "le", "ole")

    def gt(self, other: Val | int | float) -> Val:
        return self._cmp(other, "gt", "ogt")

    def ge(self, other: Val | int | float) -> Val:
        return self._cmp(other, "ge", "oge")

    def fcmp(self, predicate: str, other: Val | float) -> Val:
        """Any of LLVM's float predicates: ord, uno, ult, ueq, one …"""
        a, c = self._pair(other)
        ones = forms.scalars_of([a, c]) if a.lanes else None
        if ones is not None:
            return ones[0].fcmp(predicate, ones[1]).splat(a.lanes)
        return self.b.op(Ty("u", 1, a.lanes), f"fcmp {predicate} {a.typed}, {c.ref}")

    def is_nan(self) -> Val:
        """u1: not a number. Halves are looked at as integers, which spares their conversion."""
        if self.bits == 16:
            infinity = 0x7F80 if self.kind == "b" else 0x7C00
            return (self.bits_as("u16") & 0x7FFF).gt(infinity)
        return self.fcmp("uno", self)

    def select(self, yes: Val | int | float, no: Val | int | float) -> Val:
        """Lane-wise ``self ? yes : no`` for a u1 value."""
        if not isinstance(yes, Val):
            if not isinstance(no, Val):
                raise AssertionError("select needs a Val")
            yes = no._pair(yes)[1]
        yes, no = yes._pair(no)
        cond: Val = self
        lanes = max(cond.lanes, yes.lanes)
        yes, no = yes.splat(lanes), no.splat(lanes)
        if yes is no or (yes.form is not None and yes.form is no.form) or yes.same(no):
            return yes
        ones = forms.scalars_of([cond, yes, no]) if lanes else None
        if ones is not None:
            return ones[0].select(ones[1], ones[2]).splat(lanes)
        if yes.ref == no.ref:
            return yes
        return self.b.op(yes.ty, f"select {cond.typed}, {yes.typed}, {no.typed}")

    # -- named operations -------------------------------------------------------------------------------------------

    def intrinsic(self, name: str, *others: Val | int | float) -> Val:
        """``llvm.<name>`` overloaded on this value's type, all arguments of that type, result too."""
        args = [self]
        for other in others:
            args.append(self._pair(other)[1])
        ones = forms.scalars_of(args) if self.lanes else None
        if ones is not None:
            return ones[0].intrinsic(name, *ones[1:]).splat(self.lanes)
        return self.b.call(f"llvm.{name}.{self.ty.mangled}", self.ty, *args)

    def fma(self, m: Val | float, a: Val | float) -> Val:
        """self * m + a with one rounding. bfloat goes through double, where product and sum are exact enough that the
        second rounding cannot be seen; half goes through single, rounded to odd."""
        one, m = self._pair(m)
        one, a = one._pair(a)
        one, m = one._pair(m)
        if self.kind == "b":
            return ((one.to("f64") * m.to("f64")) + a.to("f64")).to("bf16")
        if self.bits == 16:
            product = one.to("f32") * m.to("f32")  # exact
            return sum_to_odd(product, a.to("f32")).to("f16")
        return one.intrinsic("fma", m, a)

    def fabs(self) -> Val:
        return self.intrinsic("fabs")

    def sqrt(self) -> Val:
        return self.intrinsic("sqrt")

    def imin(self, other: Val | int) -> Val:
        """Integer minimum by this value's signedness."""
        return self._extreme("min", other)

    def imax(self, other: Val | int) -> Val:
        return self._extreme("max", other)

    def _extreme(self, which: str, other: Val | int) -> Val:
        a, c = self._pair(other)
        found = masks.extreme(which, a, c) if a.form is not None or c.form is not None else None
        return a.intrinsic(("s" if a.kind == "i" else "u") + which, c) if found is None else found

    def popcount(self) -> Val:
        return self.intrinsic("ctpop")

    def ctz(self) -> Val:
        """Trailing zeros; the width where the value is 0."""
        return self._zeros("cttz")

    def clz(self) -> Val:
        """Leading zeros; the width where the value is 0."""
        return self._zeros("ctlz")

    def _zeros(self, name: str) -> Val:
        flag = self.b.const("u1", 0)
        return self.b.call(f"llvm.{name}.{self.ty.mangled}", self.ty, self, flag)

    def bitreverse(self) -> Val:
        return self.intrinsic("bitreverse")

    def add_sat(self, other: Val | int) -> Val:
        return self.intrinsic("sadd.sat" if self.kind == "i" else "uadd.sat", other)

    def sub_sat(self, other: Val | int) -> Val:
        return self.intrinsic("ssub.sat" if self.kind == "i" else "usub.sat", other)

    def lane(self, index: Val | int) -> Val:
        """One lane of a vector as a scalar."""
        rows = self.form
        if isinstance(rows, forms.Rows):
            if rows.uniform:
                return rows.base if rows.base.kind == self.kind else rows.base.bits_as(self.elem)
            if rows.pitch is None or index == 0:
                base = rows.base.bits_as(self.elem)
                if isinstance(index, int):
                    return base + rows.stride * index
                return base + index.bits_as(f"u{index.bits}").to(f"u{self.bits}").bits_as(self.elem) * rows.stride
        where = f"i64 {index}" if isinstance(index, int) else index.typed
        return self.b.op(Ty(self.kind, self.bits, 0), f"extractelement {self.typed}, {where}")

    def with_lane(self, index: Val | int, value: Val) -> Val:
        """A copy of the vector with one lane replaced."""
        where = f"i64 {index}" if isinstance(index, int) else index.typed
        return self.b.op(self.ty, f"insertelement {self.typed}, {value.typed}, {where}")

    def shuffle(self, lanes: Sequence[int], other: Val | None = None) -> Val:
        """shufflevector with a constant index list; an index of -1 is poison (only where the lane is then masked)."""
        if other is None and (one := self._one()) is not None:
            return one.splat(len(lanes))
        ty = Ty(self.kind, self.bits, len(lanes))
        second = f"{self.ty.llvm} poison" if other is None else other.typed
        index = ", ".join("i32 poison" if i < 0 else f"i32 {i}" for i in lanes)
        return self.b.op(ty, f"shufflevector {self.typed}, {second}, <{len(lanes)} x i32> <{index}>")

    def all(self) -> Val:
        """u1: every lane of a u1 vector is set (integer compare of the packed mask: cheapest on every host)."""
        packed = self.pack()
        return packed.eq(-1)

    def any(self) -> Val:
        """u1: some lane of a u1 vector is set."""
        return self.pack().ne(0)

    def pack(self) -> Val:
        """A u1 vector as a scalar mask, bit i is lane i."""
        if self.mask is not None:
            return self.mask
        if self.const is not None:
            return self.b.const(f"u{self.lanes}", -1 if self.const else 0)
        if (one := self._one()) is not None:
            return one.select(-1, self.b.const(f"u{self.lanes}", 0))
        if self.form is not None:
            vector = self
            out = Val(self.b, None, "u", self.lanes, 0)
            out.form = forms.Deferred(lambda: vector.solid().pack())
            out.note = self.note
            return out
        return self.b.op(Ty("u", self.lanes, 0), f"bitcast {self.typed} to i{self.lanes}")

    def unpack(self) -> Val:
        """A scalar mask as a u1 vector."""
        bits = self
        if self.const in (0, -1, (1 << self.bits) - 1):
            return self.b.const("u1", int(self.const != 0), self.bits)
        out = Val(self.b, None, "u", 1, self.bits)
        out.form = forms.Deferred(
            lambda: self.b.op(Ty("u", 1, bits.bits), f"bitcast {bits.typed} to <{bits.bits} x i1>")
        )
        out.mask, out.note = bits, self.note
        return out


def sum_to_odd(product: Val, c: Val) -> Val:
    """A sum rounded to odd: rounding it again to half the precision or less gives what one rounding would."""
    total = product + c
    # The sum's exact error (Knuth's two-sum); NaN where the sum is infinite or NaN.
    virtual = total - product
    error = (product - (total - virtual)) + (c - virtual)
    unsigned, signed = f"u{total.bits}", f"i{total.bits}"
    raw = total.bits_as(unsigned)
    inexact = error.fcmp("one", 0.0)
    inward = (error.bits_as(signed) ^ raw.bits_as(signed)).lt(0)
    odd = (raw - (inexact & inward).to(unsigned)) | inexact.to(unsigned)
    return odd.bits_as(f"f{total.bits}")


def _small(value: Val) -> bool:
    """Known not to be negative."""
    top = forms.top_of(value)
    return top is not None and top < 1 << (value.bits - 1)


def _float_bits(value: Val) -> int:
    number = float(value.const if value.const is not None else 0.0)
    if value.kind == "b":
        return int(float_literal("b", 16, number)[3:], 16)
    code, raw = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[value.bits]
    out: int = struct.unpack(raw, struct.pack(code, number))[0]
    return out


_FOLD = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
}
_ZERO_IS_NEUTRAL = frozenset(("add", "sub", "or", "xor", "shl", "lshr", "ashr"))
