"""What is known of a value's lanes at translation time, so that addresses and uniform values cost scalar work only.

A lane vector may have a *form*: a recipe of scalars that gives every lane. Such a value has no LLVM vector until
something asks for its `ref`; integer arithmetic on forms gives forms. Memory accesses read the form of their addresses
and need no run-time test for consecutive lanes.

* :class:`Rows`: ``base + stride * (l mod row) + pitch * (l div row)``, modulo the width: uniform values, one- and
  two-dimensional thread numbers and what is computed from them.
* :class:`Wide`: a 64-bit ``base + scale * extend(core)`` whose 32-bit core has rows and may wrap between lanes.
* :class:`Deferred`: made when somebody asks (halves of 64-bit values, compares of forms).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softrock.lift.values import Val


@dataclass(frozen=True, slots=True)
class Rows:
    """``base + stride * (l mod row) + pitch * (l div row)`` modulo the width; `row` is a power of two, and `pitch` is
    None where one row holds all lanes."""

    base: Val
    stride: int
    row: int
    pitch: Val | None

    @property
    def uniform(self) -> bool:
        return self.stride == 0 and self.pitch is None


@dataclass(frozen=True, slots=True)
class Wide:
    """``base + scale * core``, the 32-bit core extended by its own signedness."""

    base: Val
    core: Val
    scale: int


@dataclass(frozen=True, slots=True)
class Deferred:
    """A value that is computed where it is asked for."""

    make: Callable[[], Val]


Form = Rows | Wide | Deferred


def make(v: Val, form: Form | None, *, zeros: int = 0, top: int | None = None) -> Val:
    """A value like `v` (type and lanes) of this form."""
    from softrock.lift.values import Val

    out = Val(v.b, None, v.kind, v.bits, v.lanes)
    out.form, out.zeros, out.top = form, zeros, top
    return out


def of_kind(v: Val, kind: str, bits: int, lanes: int, form: Form) -> Val:
    """A value of another type in the function of `v`."""
    from softrock.lift.values import Val

    out = Val(v.b, None, kind, bits, lanes)
    out.form = form
    return out


def uniform(base: Val, lanes: int) -> Val:
    """A scalar in every lane."""
    out = of_kind(base, base.kind, base.bits, lanes, Rows(base, 0, lanes, None))
    out.zeros, out.top, out.note = base.zeros, base.top, base.note
    return out


def scalar_of(v: Val) -> Val | None:
    """The scalar that all lanes hold, None where they may differ."""
    if not v.lanes:
        return v
    if isinstance(v.form, Rows) and v.form.uniform:
        base = v.form.base
        return base if base.kind == v.kind else base.bits_as(v.elem)
    if v.const is not None:
        return v.b.const(v.elem, v.const)
    return None


def scalars_of(values: list[Val]) -> list[Val] | None:
    """The scalars of uniform vectors, where all of them are and one is not a constant."""
    if all(v.const is not None for v in values):
        return None
    out = [scalar_of(v) for v in values]
    return None if None in out else [s for s in out if s is not None]


def rows_of(v: Val) -> Rows | None:
    """The rows of an integer vector; constants are uniform."""
    if isinstance(v.form, Rows):
        return v.form
    if v.const is not None and v.lanes and not v.is_float:
        return Rows(v.b.const(v.elem, v.const), 0, v.lanes, None)
    return None


# -- LLVM text -----------------------------------------------------------------------------------------------


def emit(v: Val) -> Val:
    """The value computed here, without a form."""
    form = v.form
    if isinstance(form, Deferred):
        return form.make()
    if isinstance(form, Rows):
        return _emit_rows(v, form)
    if isinstance(form, Wide):
        core = form.core.solid().to(v.elem)
        return form.base.broadcast(v.lanes) + core * form.scale
    raise AssertionError("a value without form or text")


def _emit_rows(v: Val, form: Rows) -> Val:
    base = form.base if form.base.kind == v.kind else form.base.bits_as(v.elem)
    out = base.broadcast(v.lanes)
    lanes = range(v.lanes)
    if form.stride:
        steps = v.b.vector(v.elem, [form.stride * (lane % form.row) for lane in lanes]).solid()
        out = out + steps
    if form.pitch is not None and form.pitch.const != 0:
        pitch = form.pitch.bits_as(v.elem)
        index = [lane // form.row for lane in lanes]
        if isinstance(pitch.const, int):
            out = out + v.b.vector(v.elem, [pitch.const * k for k in index]).solid()
        else:
            out = out + pitch.broadcast(v.lanes) * v.b.vector(v.elem, index).solid()
    return out


# -- arithmetic ----------------------------------------------------------------------------------------------


def _trailing(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return bits if value == 0 else (value & -value).bit_length() - 1


def zeros_of(v: Val) -> int:
    """Low bits known to be 0: of the base where the value has rows."""
    return _trailing(v.const, v.bits) if isinstance(v.const, int) else v.zeros


def top_of(v: Val) -> int | None:
    """An upper bound of every lane as an unsigned number."""
    if isinstance(v.const, int):
        return v.const & ((1 << v.bits) - 1)
    return v.top


def bounds(word: str, a: Val, c: Val) -> tuple[int, int | None]:
    """(zeros, top) of ``a word c``."""
    za, zc, ta, tc = zeros_of(a), zeros_of(c), top_of(a), top_of(c)
    limit = 1 << a.bits
    zeros, top = 0, None
    if word in ("add", "or", "xor"):
        zeros = min(za, zc)
        if ta is not None and tc is not None:
            top = ta + tc if word == "add" else (1 << max(ta.bit_length(), tc.bit_length())) - 1
    elif word == "sub":
        zeros = min(za, zc)
    elif word == "mul":
        zeros = min(za + zc, a.bits)
        top = ta * tc if ta is not None and tc is not None else None
    elif word == "and":
        zeros = max(za, zc)
        known = [t for t in (ta, tc) if t is not None]
        top = min(known) if known else None
    elif isinstance(c.const, int) and word in ("shl", "lshr", "ashr"):
        count = c.const & (a.bits - 1)
        if word == "shl":
            zeros, top = min(za + count, a.bits), None if ta is None else ta << count
        elif word == "lshr" or (ta is not None and ta < limit >> 1):
            zeros, top = max(za - count, 0), ((ta if ta is not None else limit - 1) >> count)
    return zeros, top if top is not None and top < limit else None


def binary(word: str, a: Val, c: Val) -> Val | None:
    """``a word c`` of integer lane vectors as a form, None where it has none."""
    if isinstance(a.const, int) and word in ("add", "mul", "and", "or", "xor"):
        a, c = c, a.bits_as(c.elem)
    if a.note is not None:
        found = _thread_numbers(word, a, c)
        if found is not None:
            return found
    if word == "add" and isinstance(c.form, Wide):
        a, c = c, a
    if isinstance(a.form, Wide):
        return _binary_wide(word, a, a.form, c)
    ra, rc = rows_of(a), rows_of(c)
    if ra is None or rc is None:
        return None
    zeros, top = bounds(word, a, c)
    if word in ("or", "xor") and _disjoint(a, ra, c, rc):
        word = "add"
    rows = None
    if word in ("add", "sub"):
        rows = _sum(word, ra, rc, a.lanes)
    elif word == "mul":
        rows = _product(ra, rc, a.lanes) if rc.uniform else _product(rc, ra, a.lanes) if ra.uniform else None
    elif word == "shl" and isinstance(c.const, int):
        factor = Rows(a.b.const(a.elem, 1 << (c.const & (a.bits - 1))), 0, a.lanes, None)
        rows = _product(ra, factor, a.lanes)
    elif word == "and" and isinstance(c.const, int):
        return _masked(a, ra, c.const & ((1 << a.bits) - 1))
    elif word in ("lshr", "ashr") and isinstance(c.const, int):
        return _shifted(word, a, ra, c.const & (a.bits - 1), zeros, top)
    if rows is None:
        return None
    # Where a stride counts as negative, its sums have wrapped, whatever their bound.
    return make(a, rows, zeros=zeros, top=top if rows.stride >= 0 else None)


def _thread_numbers(word: str, a: Val, c: Val) -> Val | None:
    """Ten-bit fields of the packed work-item ids."""
    if a.note is None or a.note[0] != "ids" or not isinstance(c.const, int):
        return None
    fields = a.note[1]
    if word == "and" and c.const == 0x3FF:
        return fields[0]  # type: ignore[no-any-return]
    if word == "lshr" and c.const in (10, 20) and c.const // 10 < len(fields):
        return packed_ids(a, fields[c.const // 10 :])
    return None


def packed_ids(like: Val, fields: list[Val]) -> Val:
    """Work-item ids side by side, ten bits each, whose fields masks and shifts find again."""
    out = fields[0]
    for k, field in enumerate(fields[1:]):
        out = out + (field << 10 * (k + 1))
    copy = make(like, rows_of(out), zeros=zeros_of(out), top=top_of(out))
    copy.note = ("ids", fields)
    return copy


def _binary_wide(word: str, a: Val, wide: Wide, c: Val) -> Val | None:
    other = scalar_of(c)
    if other is None:
        return None
    if word == "add":
        return make(a, Wide(wide.base + other.bits_as(wide.base.elem), wide.core, wide.scale))
    if word == "sub":
        return make(a, Wide(wide.base - other.bits_as(wide.base.elem), wide.core, wide.scale))
    if not isinstance(other.const, int):
        return None
    if word == "mul" and 0 < other.const < 1 << 16:
        return make(a, Wide(wide.base * other.const, wide.core, wide.scale * other.const))
    if word == "shl" and other.const < 16:
        return make(a, Wide(wide.base << other.const, wide.core, wide.scale << other.const))
    return None


def _refined(form: Rows, row: int) -> Rows:
    """The same lanes in shorter rows; only for what is one row."""
    pitch = form.base.b.const(form.base.elem, form.stride * row)
    return Rows(form.base, form.stride, row, pitch)


def _sum(word: str, a: Rows, c: Rows, lanes: int) -> Rows | None:
    row = min(a.row, c.row)
    if a.row != row:
        if a.pitch is not None:
            return None
        a = _refined(a, row)
    if c.row != row:
        if c.pitch is not None:
            return None
        c = _refined(c, row)
    other = c.base.bits_as(a.base.elem)
    base = a.base + other if word == "add" else a.base - other
    stride = a.stride + c.stride if word == "add" else a.stride - c.stride
    pitch = None
    if a.pitch is not None and c.pitch is not None:
        right = c.pitch.bits_as(a.pitch.elem)
        pitch = a.pitch + right if word == "add" else a.pitch - right
    return _tidy(base, stride, row, pitch, lanes)


def _tidy(base: Val, stride: int, row: int, pitch: Val | None, lanes: int) -> Rows:
    """Strides as small signed numbers; rows that follow one another are one."""
    half = 1 << (base.bits - 1)
    stride = ((stride + half) & ((1 << base.bits) - 1)) - half
    if pitch is not None and isinstance(pitch.const, int) and (pitch.const - stride * row) % (1 << base.bits) == 0:
        return Rows(base, stride, lanes, None)
    return Rows(base, stride, row, pitch)


def _product(a: Rows, factor: Rows, lanes: int) -> Rows | None:
    times = factor.base
    if isinstance(times.const, int):
        pitch = None if a.pitch is None else a.pitch * times.const
        return _tidy(a.base * times.const, a.stride * times.const, a.row, pitch, lanes)
    if a.stride:
        return None
    times = times.bits_as(a.base.elem)
    return Rows(a.base * times, 0, a.row, None if a.pitch is None else a.pitch * times)


def _disjoint(a: Val, ra: Rows, c: Val, rc: Rows) -> bool:
    """No bit is set in both: one has only low bits, the other none of them."""
    for low, high, form in ((a, c, rc), (c, a, ra)):
        top = top_of(low)
        if top is None:
            continue
        need = top.bit_length()
        pitch = form.pitch
        if (
            zeros_of(high) >= need
            and _trailing(form.stride, 64) >= need
            and (pitch is None or zeros_of(pitch) >= need)
        ):
            return True
    return False


def _masked(a: Val, rows: Rows, mask: int) -> Val | None:
    """``a & mask``."""
    top = top_of(a)
    if mask & (mask + 1) == 0:
        if top is not None and top <= mask:
            return a
        if rows.pitch is None and rows.stride > 0 and rows.stride & (rows.stride - 1) == 0:
            # A base that is a multiple of mask + 1 drops out; lanes count up to it, over and over.
            period = (mask + 1) // rows.stride
            zero = a.b.const(a.elem, 0)
            if period >= 1 and zeros_of(a) >= mask.bit_length():
                if period >= a.lanes:
                    return make(a, Rows(zero, rows.stride, rows.row, None), top=mask)
                return make(a, Rows(zero, rows.stride, period, zero), top=mask)
    return None


def _shifted(word: str, a: Val, rows: Rows, count: int, zeros: int, top: int | None) -> Val | None:
    """``a >> count``."""
    known = top_of(a)
    if word == "ashr" and (known is None or known >= 1 << (a.bits - 1)):
        return None
    if count == 0 or rows.pitch is not None or rows.stride <= 0 or rows.stride & (rows.stride - 1):
        return None
    # The bits that go must be the lanes' own, and no lane may wrap.
    if zeros_of(a) < count or (known is None and zeros_of(a) < _reach(rows.stride * a.lanes)):
        return None
    period = (1 << count) // rows.stride
    base = rows.base >> count if rows.base.kind == "u" else rows.base.bits_as(f"u{a.bits}") >> count
    base = base.bits_as(a.elem)
    if period <= 1:
        return make(a, Rows(base, rows.stride >> count, a.lanes, None), zeros=zeros, top=top)
    if period >= a.lanes:
        return make(a, Rows(base, 0, a.lanes, None), zeros=zeros, top=top)
    return make(a, Rows(base, 0, period, a.b.const(a.elem, 1)), zeros=zeros, top=top)


def _reach(span: int) -> int:
    return max(span - 1, 0).bit_length()


def and_later(a: Val, c: Val) -> Val:
    """``a & c`` of scalars, computed where it is asked for; keeps `a`'s note."""
    out = of_kind(a, a.kind, a.bits, 0, Deferred(lambda: a.solid() & c.solid()))
    out.note = a.note
    return out


# -- conversions ---------------------------------------------------------------------------------------------


def extended(v: Val, ty_kind: str, bits: int) -> Val | None:
    """A 32-bit form as 64 bits, by the value's own signedness."""
    rows = v.form
    if not isinstance(rows, Rows) or bits != 64 or v.bits != 32:
        return None
    top = top_of(v)
    name = f"{ty_kind}64"
    if top is not None and (v.kind == "u" or top < 1 << 31):
        pitch = None if rows.pitch is None else rows.pitch.bits_as("u32").to("u64").bits_as(name)
        form: Form = Rows(rows.base.bits_as("u32").to("u64").bits_as(name), rows.stride, rows.row, pitch)
        out = of_kind(v, ty_kind, 64, v.lanes, form)
        out.zeros, out.top = v.zeros, top
        return out
    return of_kind(v, ty_kind, 64, v.lanes, Wide(v.b.const(name, 0), v, 1))


def truncated(v: Val, ty_kind: str, bits: int) -> Val | None:
    """The low bits of a form."""
    name = f"{ty_kind}{bits}"
    if isinstance(v.form, Rows):
        pitch = None if v.form.pitch is None else v.form.pitch.to(name)
        out = of_kind(v, ty_kind, bits, v.lanes, _tidy(v.form.base.to(name), v.form.stride, v.form.row, pitch, v.lanes))
        out.zeros = min(v.zeros, bits)
        out.top = v.top if v.top is not None and v.top < 1 << bits and v.form.stride < 1 << (bits - 1) else None
        return out
    if isinstance(v.form, Wide) and bits == 32:
        low = v.form.core.bits_as(name) * v.form.scale + v.form.base.to(name)
        return low if low.form is not None else None
    return None


# -- 64-bit values in two registers --------------------------------------------------------------------------

LOW, HIGH, SIGN = 0, 1, 2


def word(whole: Val, which: int) -> Val:
    """The low or high dword of a 64-bit value as u32, remembering where it comes from."""
    whole = whole.bits_as("u64")
    scalar = scalar_of(whole) if whole.lanes and whole.const is None else None
    if isinstance(whole.const, int):
        return whole.b.const("u32", whole.const >> 32 * which, whole.lanes)
    if scalar is not None:
        out = word(scalar, which).splat(whole.lanes).copy()
    elif which == LOW and whole.note is not None and whole.note[0] == "low":
        out = whole.note[1].copy()
    elif which == LOW and isinstance(whole.form, Rows | Wide) and (found := truncated(whole, "u", 32)) is not None:
        out = found.copy()
    elif which == LOW:
        out = of_kind(whole, "u", 32, whole.lanes, Deferred(lambda: whole.solid().to("u32")))
    else:
        out = of_kind(whole, "u", 32, whole.lanes, Deferred(lambda: whole.solid().shift_right(32).to("u32")))
    if out.const is None:
        out.part = (whole, which)
    return out


def sign_word(v: Val) -> Val:
    """The sign of a 32-bit value in all bits (``v >> 31`` of an i32), remembering of what."""
    signed = v.bits_as("i32")
    out = of_kind(v, v.kind, 32, v.lanes, Deferred(lambda: signed.solid().shift_right(31)))
    out.part = (signed, SIGN)
    return out


def _same(a: Val, c: Val) -> bool:
    return a is c or (a.form is not None and a.form is c.form) or (a.form is None and c.form is None and a.same(c))


def combine(low: Val, high: Val) -> Val:
    """The u64 value of two dwords."""
    if high.part is not None and high.part[1] == HIGH:
        whole = high.part[0]
        if low.part is not None and low.part[1] == LOW and _same(low.part[0], whole):
            return whole
    lanes = max(low.lanes, high.lanes)
    pair = scalars_of([low, high]) if lanes else None
    if pair is not None:
        return combine(pair[0], pair[1]).splat(lanes)
    if high.part is not None and high.part[1] == SIGN and _same(high.part[0], low):
        return low.bits_as("i32").to("i64").bits_as("u64")
    if high.const == 0:
        return low.bits_as("u32").to("u64").splat(lanes)
    low, high = low.bits_as("u32").splat(lanes), high.bits_as("u32").splat(lanes)
    if not lanes:
        return (high.to("u64") << 32) | low.to("u64")
    above = scalar_of(high)
    if above is not None and isinstance(low.form, Rows) and top_of(low) is not None:
        rows = low.form
        pitch = None if rows.pitch is None else rows.pitch.bits_as("u32").to("u64")
        return of_kind(low, "u", 64, lanes, Rows(combine(rows.base, above), rows.stride, rows.row, pitch))
    return with_low(
        of_kind(
            low, "u", 64, lanes, Deferred(lambda: (high.solid().to("u64") << 32) | low.solid().to("u64"))
        ),
        low,
    )


def with_low(whole: Val, low: Val) -> Val:
    """A 64-bit value whose low dword is known by itself."""
    if whole.note is None:
        whole = whole.copy()
        whole.note = ("low", low)
    return whole


def add_low(a: Val, c: Val) -> tuple[Val, Val]:
    """The low dword of a 64-bit sum and the carry, which `add_high` recognises."""
    a, c = a.bits_as("u32"), c.bits_as("u32")
    a, c = a._pair(c)
    out = a + c
    out = out.copy() if out.form is not None or out is a or out is c else out
    carry = of_kind(a, "u", 1, a.lanes, Deferred(lambda: out.solid()._cmp(a.solid(), "lt", "olt")))
    carry.note = ("carry", (a, c, out))
    return out, carry


def _fit(low: Val, high: Val) -> int:
    """How well two dwords go together."""
    if high.part is not None and high.part[1] == HIGH and low.part is not None and _same(low.part[0], high.part[0]):
        return 2
    if high.part is not None and high.part[1] == SIGN and _same(high.part[0], low):
        return 2
    return int(scalar_of(low) is not None and scalar_of(high) is not None)


def add_high(a: Val, c: Val, carry: Val) -> tuple[Val, Val] | None:
    """The high dword of a 64-bit sum whose low dword was added before, and its carry, as one 64-bit sum."""
    if carry.note is None or carry.note[0] != "carry":
        return None
    low_a, low_c, low = carry.note[1]
    a, c = a.bits_as("u32")._pair(c.bits_as("u32"))
    if a.lanes != low_a.lanes:
        return None
    if _fit(low_a, c) + _fit(low_c, a) > _fit(low_a, a) + _fit(low_c, c):
        a, c = c, a  # which high dword goes with which low one does not matter to the sum
    left, right = combine(low_a, a), combine(low_c, c)
    total = left + right
    if low.part is None:
        low.part = (total, LOW)
    high = word(total, HIGH)
    out = of_kind(a, "u", 1, a.lanes, Deferred(lambda: total.solid()._cmp(left.solid(), "lt", "olt")))
    return high, out


# -- compares ------------------------------------------------------------------------------------------------

SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare_mask(word: str, a: Val, c: Val) -> Val | None:
    """The lane mask of ``a word c`` (lt, le, gt, ge, eq, ne by a's signedness) by scalar arithmetic, where one is
    uniform and the other counts up without wrapping: such masks are runs of lanes."""
    if isinstance(c.form, Rows) and not c.form.uniform:
        return compare_mask(SWAPPED[word], c, a) if scalar_of(a) is not None else None
    limit, rows, top = scalar_of(c), a.form, top_of(a)
    if limit is None or not isinstance(rows, Rows) or rows.pitch is not None or top is None:
        return None
    if rows.stride <= 0 or rows.stride & (rows.stride - 1) or a.bits > 32 or (a.kind == "i" and top >> (a.bits - 1)):
        return None
    kind, lanes = f"{a.kind}{a.bits}", a.lanes
    distance = limit.bits_as(kind).to("i64") - rows.base.bits_as(f"u{a.bits}").to("u64").bits_as("i64")
    log = rows.stride.bit_length() - 1
    mask = f"u{lanes}"
    if word in ("eq", "ne"):
        there = distance.ge(0) & distance.lt(rows.stride * lanes) & (distance & (rows.stride - 1)).eq(0)
        one = a.b.const(mask, 1) << (distance >> log).bits_as("u64").to(mask)
        found = there.select(one, a.b.const(mask, 0))
        return ~found if word == "ne" else found
    steps = distance + (rows.stride if word in ("le", "gt") else rows.stride - 1)
    count = (steps >> log).imax(0).imin(lanes).bits_as("u64").to(mask)
    run = count.eq(0).select(a.b.const(mask, 0), a.b.const(mask, -1) >> (a.b.const(mask, lanes) - count))
    return ~run if word in ("gt", "ge") else run
