"""What one lane of an atomic does to memory, and how the lanes of a wave take their turns. Registers nothing.

Lanes act in lane order. LDS belongs to one host thread, so plain accesses do there; elsewhere each lane is a host
atomic. Where all lanes meet at one address the wave acts once: the lanes' results are worked out in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softrock.lift import forms
from softrock.lift.ir import Ty, Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_HOST = {
    "swap": "xchg",
    "add": "add",
    "sub": "sub",
    "smin": "min",
    "umin": "umin",
    "smax": "max",
    "umax": "umax",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "inc": "uinc_wrap",
    "dec": "udec_wrap",
    "cond_sub": "usub_cond",
    "sub_clamp": "usub_sat",
}
"""Operations that LLVM has an atomic instruction for."""

_REDUCE = {
    "add": ("add", 0),
    "sub": ("add", 0),
    "and": ("and", -1),
    "or": ("or", 0),
    "xor": ("xor", 0),
    "umin": ("umin", -1),
    "umax": ("umax", 0),
}
"""Operations whose lanes can be joined first: by what, and what changes nothing."""

UNROLLED = 8
"""Lanes in one turn of a loop over all lanes of plain accesses."""


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic of one wave.

    Attributes:
        base: added to the lanes' offsets (u64 scalar). local: the memory is LDS.
        offset, data, compare: lane vectors (offsets u32 or u64, the others as wide as the operation).
        places, values, compared, returned: the stack arrays that hold them and take the old values.
    """

    code: str
    bits: int
    local: bool
    base: Val
    offset: Val
    data: Val
    compare: Val | None
    places: str
    values: str
    compared: str
    returned: str | None

    @staticmethod
    def of(
        x: Wave,
        code: str,
        bits: int,
        local: bool,
        base: Val,
        offset: Val,
        data: Val,
        compare: Val | None,
        returns: bool,
    ) -> Atomic:
        """With its arrays filled."""
        places = values = compared = ""
        returned = None
        if forms.scalar_of(offset) is None:
            places = _array(x, f"atomic_at{offset.bits}", offset)
        if forms.scalar_of(data) is None:
            values = _array(x, f"atomic_in{bits}", data)
        if compare is not None and forms.scalar_of(compare) is None:
            compared = _array(x, f"atomic_cmp{bits}", compare)
        if returns:
            returned = _array(x, f"atomic_out{bits}", x.const(f"u{bits}", 0))
        return Atomic(code, bits, local, base, offset, data, compare, places, values, compared, returned)


def apply(code: str, old: Val, d: Val, c: Val | None) -> Val:
    """The new value of a memory cell; all are unsigned scalars of its size."""
    if code in _PLAIN:
        return _PLAIN[code](old, d)
    if code in _FLOATING:
        name = f"f{old.bits}"
        return _FLOATING[code](old.bits_as(name), d.bits_as(name)).bits_as(f"u{old.bits}")
    if code.startswith("pk_add"):
        return _packed_sum(old, d, code[7:])
    if c is None:
        raise AssertionError(f"{code} without its second data")
    if code == "mskor":
        return (old & ~d) | c  # d is the mask, c the data
    if code == "fcmpswap":
        name = f"f{old.bits}"
        return old.bits_as(name).eq(c.bits_as(name)).select(d, old)
    return old.eq(c).select(d, old)


def _signed(v: Val) -> Val:
    return v.bits_as(f"i{v.bits}")


_PLAIN: dict[str, Callable[[Val, Val], Val]] = {
    "swap": lambda old, d: d,
    "add": lambda old, d: old + d,
    "sub": lambda old, d: old - d,
    "rsub": lambda old, d: d - old,
    "smin": lambda old, d: _signed(old).imin(_signed(d)).bits_as(f"u{old.bits}"),
    "umin": lambda old, d: old.imin(d),
    "smax": lambda old, d: _signed(old).imax(_signed(d)).bits_as(f"u{old.bits}"),
    "umax": lambda old, d: old.imax(d),
    "and": lambda old, d: old & d,
    "or": lambda old, d: old | d,
    "xor": lambda old, d: old ^ d,
    "inc": lambda old, d: old.ge(d).select(0, old + 1),
    "dec": lambda old, d: (old.eq(0) | old.gt(d)).select(d, old - 1),
    "cond_sub": lambda old, d: old.ge(d).select(old - d, old),
    "sub_clamp": lambda old, d: old.sub_sat(d),
}


def _extreme(largest: bool) -> Callable[[Val, Val], Val]:
    def run(old: Val, d: Val) -> Val:
        """Numbers win over NaN and -0 is below +0 (IEEE 754-2019 minimumNumber, maximumNumber)."""
        raw = f"u{old.bits}"
        a, b = old.bits_as(raw), d.bits_as(raw)
        tie = (a & b if largest else a | b).bits_as(f"f{old.bits}")
        out = (old.gt(d) if largest else old.lt(d)).select(old, d)
        out = old.eq(d).select(tie, out)
        out = d.is_nan().select(old, out)
        return old.is_nan().select(d, out)

    return run


_FLOATING: dict[str, Callable[[Val, Val], Val]] = {
    "fadd": lambda old, d: old + d,
    "fmin": _extreme(False),
    "fmax": _extreme(True),
}


def _packed_sum(old: Val, d: Val, elem: str) -> Val:
    out: Val | None = None
    for shift in (0, 16):
        a, b = ((v >> shift).to("u16").bits_as(elem).to("f32") for v in (old, d))
        half = (a + b).to(elem).bits_as("u16").to("u32") << shift
        out = half if out is None else out | half
    if out is None:
        raise AssertionError("no halves")
    return out


# -- one lane --------------------------------------------------------------------------------------


def _entry(x: Wave, array: str, lane: Val, bits: int) -> str:
    x.b.counter += 1
    ref = f"%e{x.b.counter}"
    x.b.line(f"{ref} = getelementptr i{bits}, ptr {array}, {lane.typed}")
    return ref


def _fetch(x: Wave, array: str, lane: Val, bits: int) -> Val:
    return x.b.op(Ty("u", bits, 0), f"load i{bits}, ptr {_entry(x, array, lane, bits)}, align {bits // 8}")


def _in_lane(x: Wave, vector: Val, array: str, lane: Val) -> Val:
    """A lane of a vector that stands in `array`, unless all lanes are the same."""
    return _fetch(x, array, lane, vector.bits) if array else _scalar(vector)


def _scalar(vector: Val) -> Val:
    one = forms.scalar_of(vector)
    if one is None:
        raise AssertionError("a vector that is no scalar")
    return one.bits_as(f"u{one.bits}")


def _pointer(x: Wave, atomic: Atomic, lane: Val) -> str:
    return x.b.ptr(atomic.base + _in_lane(x, atomic.offset, atomic.places, lane).to("u64"))


def _operands(x: Wave, atomic: Atomic, lane: Val) -> tuple[Val, Val | None]:
    d = _in_lane(x, atomic.data, atomic.values, lane)
    return d, None if atomic.compare is None else _in_lane(x, atomic.compare, atomic.compared, lane)


def _put(x: Wave, atomic: Atomic, lane: Val, old: Val) -> None:
    if atomic.returned is not None:
        x.b.line(f"store {old.typed}, ptr {_entry(x, atomic.returned, lane, atomic.bits)}, align {atomic.bits // 8}")


def _one(x: Wave, atomic: Atomic, lane: Val) -> None:
    """One lane's turn."""
    pointer = _pointer(x, atomic, lane)
    d, c = _operands(x, atomic, lane)
    _put(x, atomic, lane, _change(x, atomic, pointer, lambda old: apply(atomic.code, old, d, c), d, c))


def _change(x: Wave, atomic: Atomic, pointer: str, new: Callable[[Val], Val], d: Val | None, c: Val | None) -> Val:
    """Replace what stands at `pointer`, all at once; gives the old value. `d` is the operand where the operation itself
    may be left to the host."""
    ty, size = Ty("u", atomic.bits, 0), atomic.bits // 8
    if atomic.local:
        old = x.b.load(ty, pointer, 1)
        x.b.store(new(old), pointer, 1)
        return old
    if d is not None and atomic.code in _HOST:
        return x.b.op_debug(ty, f"atomicrmw {_HOST[atomic.code]} ptr {pointer}, {d.typed} seq_cst, align {size}")
    if d is not None and atomic.code == "cmpswap" and c is not None:
        both = f"%x{x.b.counter}.both"
        x.b.counter += 1
        x.b.line_debug(f"{both} = cmpxchg ptr {pointer}, {c.typed}, {d.typed} seq_cst seq_cst, align {size}")
        return x.b.op(ty, f"extractvalue {{ {ty.llvm}, i1 }} {both}, 0")
    first = x.b.op_debug(ty, f"load atomic {ty.llvm}, ptr {pointer} monotonic, align {size}")
    before, again, done = x.b.block, x.b.new_block("again"), x.b.new_block("changed")
    x.b.branch(again)
    x.b.begin(again)
    at = len(again.lines)
    again.lines.append("")
    old = Val(x.b, f"%old{x.b.counter}", "u", atomic.bits, 0)
    x.b.counter += 1
    value = new(old)
    both = f"%x{x.b.counter}.both"
    x.b.counter += 1
    x.b.line_debug(f"{both} = cmpxchg weak ptr {pointer}, {old.typed}, {value.typed} seq_cst seq_cst, align {size}")
    seen = x.b.op(ty, f"extractvalue {{ {ty.llvm}, i1 }} {both}, 0")
    good = x.b.op(Ty("u", 1, 0), f"extractvalue {{ {ty.llvm}, i1 }} {both}, 1")
    came = f"[ {first.ref}, %{before.label} ], [ {seen.ref}, %{x.b.block.label} ]"
    again.lines[at] = f"  {old.ref} = phi {ty.llvm} {came}"
    x.b.cond_branch(good, done, again)
    x.b.begin(done)
    return old


# -- all lanes -------------------------------------------------------------------------------------


def each_lane(x: Wave, active: Val | None, unrolled: int, body: Callable[[Val], None]) -> None:
    """Run `body` for every active lane (a u64 scalar), in lane order; `active` is None where all are."""
    b = x.b
    start = "0" if active is None else active.ref
    before, head, done = b.block, b.new_block("lane"), b.new_block("lanes")
    name = f"%k{b.counter}"
    b.counter += 1
    if active is None:
        b.branch(head)
    else:
        b.cond_branch(active.ne(0), head, done)
    b.begin(head)
    at = len(head.lines)
    head.lines.append("")
    if active is None:
        lane = Val(b, name, "u", 64, 0)
        for k in range(unrolled):
            body(lane + k)
        following = lane + unrolled
        more = following.ne(x.W)
    else:
        rest = Val(b, name, "u", x.W, 0)
        body(rest.ctz().to("u64"))
        following = rest & (rest - 1)
        more = following.ne(0)
    b.cond_branch(more, head, done)
    head.lines[at] = (
        f"  {name} = phi i{following.bits} [ {start}, %{before.label} ], [ {following.ref}, %{b.block.label} ]"
    )
    b.begin(done)


def perform(x: Wave, atomic: Atomic, active: Val | None) -> None:
    """Let every active lane act; `active` is EXEC, None where all lanes are on."""
    b, offset = x.b, atomic.offset
    done = b.new_block("acted")
    if not atomic.places:  # one address is known
        if active is not None:
            some = b.new_block("some")
            b.cond_branch(active.ne(0), some, done)
            b.begin(some)
        _together(x, atomic, _pointer(x, atomic, x.scalar("u64", 0)), active)
        b.branch(done)
        b.begin(done)
        return
    rows = forms.rows_of(offset)
    if rows is None or not rows.stride or rows.pitch is not None:
        # They may still be one: a look at two of them tells most of the time.
        if active is None:
            first, last, near = x.scalar("u64", 0), x.scalar("u64", x.W - 1), b.const("u1", 1)
        else:
            first = (active.ctz() & (x.W - 1)).to("u64")
            last = (x.scalar(f"u{x.W}", x.W - 1) - active.clz()) & (x.W - 1)
            last = last.to("u64")
            near = first.ne(last) & active.ne(0)
        ends = [_fetch(x, atomic.places, lane, offset.bits) for lane in (first, last)]
        test, together, apart = (b.new_block(n) for n in ("test", "together", "apart"))
        b.cond_branch(near & ends[0].eq(ends[1]), test, apart, (1, 8))
        b.begin(test)
        same = offset.eq(ends[0].splat(x.W))
        if active is not None:
            same = same | ~active.unpack()
        b.cond_branch(same.all(), together, apart)
        b.begin(together)
        _together(x, atomic, b.ptr(atomic.base + ends[0].to("u64")), active)
        b.branch(done)
        b.begin(apart)
    each_lane(x, active, UNROLLED if atomic.local else 1, lambda lane: _one(x, atomic, lane))
    b.branch(done)
    b.begin(done)


def _together(x: Wave, atomic: Atomic, pointer: str, active: Val | None) -> None:
    """All active lanes (some are) at one address."""
    if atomic.code not in _REDUCE:
        _change(x, atomic, pointer, lambda v: _in_turn(x, atomic, v, active), None, None)
        return
    total = _joined(x, atomic, active)
    old = _change(x, atomic, pointer, lambda v: apply(atomic.code, v, total, None), total, None)
    if atomic.returned is not None:
        _in_turn(x, atomic, old, active)


def _joined(x: Wave, atomic: Atomic, active: Val | None) -> Val:
    """What the active lanes' data amount to."""
    word, neutral = _REDUCE[atomic.code]
    if not atomic.values:
        data = _scalar(atomic.data)
        count = x.scalar("u64", x.W) if active is None else active.popcount().to("u64")
        if word == "add":
            return data * count.to(f"u{atomic.bits}")
        return data * (count & 1).to(f"u{atomic.bits}") if word == "xor" else data
    lanes = atomic.data if active is None else active.unpack().select(atomic.data, neutral)
    return x.b.call(f"llvm.vector.reduce.{word}.{lanes.ty.mangled}", Ty("u", atomic.bits, 0), lanes)


def _in_turn(x: Wave, atomic: Atomic, old: Val, active: Val | None) -> Val:
    """What the lanes make of one cell's value one after the other, in registers; each is given what it found."""
    b = x.b
    slot = x.array(f"atomic_cell{atomic.bits}", atomic.bits // 8)
    ty = f"i{atomic.bits}"
    b.line(f"store {old.typed}, ptr {slot}, align 8")

    def turn(lane: Val) -> None:
        value = b.op(old.ty, f"load {ty}, ptr {slot}, align 8")
        _put(x, atomic, lane, value)
        d, c = _operands(x, atomic, lane)
        b.line(f"store {apply(atomic.code, value, d, c).typed}, ptr {slot}, align 8")

    each_lane(x, active, 1, turn)
    return b.op(old.ty, f"load {ty}, ptr {slot}, align 8")


def _array(x: Wave, name: str, value: Val) -> str:
    """Store a lane vector in a stack array; gives its pointer."""
    ref = x.array(name, value.bits // 8 * x.W)
    x.b.line(f"store {value.typed}, ptr {ref}, align 64")
    return ref
