"""Loads and stores whose lane addresses are known at translation time to lie in lines: rows of lanes at a constant
distance, or all lanes at one address. No test finds out at run time what is known here; only where the 32-bit part of
an address may wrap between lanes is that tested, by scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from softrock.lift import forms
from softrock.lift.context import Wave
from softrock.lift.forms import Rows, Wide
from softrock.lift.ir import Ty, Val
from softrock.lift.streams import LINE

MOST_ROWS = 8
"""Rows of a wave that are accessed one by one."""

MOST_STRIDE = 4
"""Data this many times as far apart as they are long are loaded with what lies between them."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where each lane's data stand: ``base + offset`` (offset u32 or u64 lanes, zero-extended), in bytes."""

    base: Val
    offset: Val


@dataclass(frozen=True, slots=True)
class Line:
    """Lane l's data stand at ``start + stride * (l mod row) + pitch * (l div row)`` bytes, where `ok` holds (None:
    always)."""

    start: Val
    stride: int
    row: int
    pitch: Val | None
    ok: Val | None


def of(x: Wave, where: Address) -> Line | None:
    """The line of an address, None where lanes' addresses are not known to form one."""
    form = where.offset.form
    if where.offset.const is not None:
        return Line(where.base + where.offset.lane(0).to("u64"), 0, x.W, None, None)
    if isinstance(form, Rows) and where.offset.bits == 64:
        return Line(where.base + form.base.bits_as("u64"), form.stride, form.row, _as_u64(form.pitch), None)
    if isinstance(form, Rows):
        return _extended(x, where.base, where.offset.bits_as("u32"), 1)
    if isinstance(form, Wide):
        return _extended(x, where.base + form.base.bits_as("u64"), form.core, form.scale)
    return None


def _as_u64(v: Val | None) -> Val | None:
    return None if v is None else v.bits_as("u64")


def _extended(x: Wave, base: Val, core: Val, scale: int) -> Line:
    """The line of ``base + scale * core``, the u32 or i32 core extended by its signedness."""
    rows = forms.rows_of(core)
    assert rows is not None
    first = rows.base.bits_as(core.elem).to("i64" if core.kind == "i" else "u64").bits_as("u64")
    start = base + first * scale
    top = forms.top_of(core)
    safe = top is not None and (core.kind == "u" or top < 1 << 31)
    if rows.uniform:
        return Line(start, 0, x.W, None, None)
    if rows.pitch is None:
        ok = None if safe else _stays(rows.base.bits_as(core.elem), rows.stride * (x.W - 1))
        return Line(start, rows.stride * scale, rows.row, None, ok)
    # The distance of rows counts as signed unless all that is known says it is not.
    pitch = rows.pitch.bits_as("u32").to("u64").bits_as("i64") if safe else rows.pitch.bits_as("i32").to("i64")
    ok = None
    if not safe:
        last = first.bits_as("i64") + pitch * (x.W // rows.row - 1)
        ends = [first.bits_as("i64"), last]
        reach = rows.stride * (rows.row - 1)
        ends += [end + reach for end in ends]
        low, high = (-(1 << 31), (1 << 31) - 1) if core.kind == "i" else (0, (1 << 32) - 1)
        for end in ends:
            inside = end.ge(low) & end.le(high)
            ok = inside if ok is None else ok & inside
    return Line(start, rows.stride * scale, rows.row, (pitch * scale).bits_as("u64"), ok)


def _stays(base: Val, reach: int) -> Val:
    """u1: ``base + reach`` does not wrap in the base's signedness."""
    low, high = (-(1 << 31), (1 << 31) - 1) if base.kind == "i" else (0, (1 << 32) - 1)
    return base.le(high - reach) if reach >= 0 else base.ge(low - reach)


# -- loads ---------------------------------------------------------------------------------------------------


def _straight(x: Wave, size: int) -> bool:
    """Whether consecutive data can be accessed in one piece: without holes, or with the host's lane masks."""
    return x.full or size == 4 or x.native_gather


def _slides(line: Line, size: int) -> bool:
    """Whether the data of neighbouring lanes overlap but for a dword, so that each dword is a line of its own."""
    return size > 4 and line.stride == 4


def _gaps(line: Line, size: int) -> int:
    """How many times their length consecutive data are apart, 0 where it is no small whole number."""
    if size != 4 or line.pitch is not None or line.stride % size:
        return 0
    times = abs(line.stride) // size
    return times if 1 < times <= MOST_STRIDE or line.stride == -size else 0


def loadable(x: Wave, line: Line, size: int) -> bool:
    """Whether `load` has a way for it."""
    if line.stride == 0 and line.pitch is None:
        return True
    if _slides(line, size):
        return line.pitch is None or x.W // line.row <= MOST_ROWS
    if line.pitch is None:
        return (line.stride == size and _straight(x, size)) or (x.full and _gaps(line, size) > 0)
    return (x.full or size == line.stride == 4) and line.stride in (0, size) and x.W // line.row <= MOST_ROWS


def load(x: Wave, line: Line, size: int) -> list[Val]:
    """Dwords a lane, narrower data zero-extended. Inactive lanes hold 0 where the access is restricted, else
    something."""
    if _slides(line, size):
        return [load(x, replace(line, start=line.start + 4 * k), 4)[0] for k in range(size // 4)]
    if line.pitch is not None:
        return _load_rows(x, line, size)
    if line.stride == 0:
        return _load_one(x, line, size)
    if line.stride != size:
        return _load_gaps(x, line, size)
    pointer = x.b.ptr(line.start)
    words = max(1, size // 4)
    if size < 4:
        return [masked_load(x, Ty("u", 8 * size, x.W), pointer).to("u32")]
    if words == 1:
        return [masked_load(x, Ty("u", 32, x.W), pointer)]
    wide = masked_load(x, Ty("u", 32, x.W * words), pointer)
    return [wide.shuffle([lane * words + k for lane in range(x.W)]) for k in range(words)]


def _load_one(x: Wave, line: Line, size: int) -> list[Val]:
    """One address for all lanes; nothing is loaded where no lane is active."""
    b = x.b
    before = b.block
    some = x.exec_bits().ne(0) if not x.full else None
    if some is not None:
        go, join = b.new_block("one"), b.new_block("join")
        b.cond_branch(some, go, join, (100, 1))
        b.begin(go)
    if size < 4:
        words = [b.load(Ty("u", 8 * size, 0), b.ptr(line.start), 1).to("u32")]
    else:
        words = b.load_whole(line.start, size // 4)
    if some is not None:
        end = b.block
        b.branch(join)
        b.begin(join)
        words = [b.phi(w.ty, [(w, end), (x.scalar("u32", 0), before)]) for w in words]
    if x.is_restricted:
        return [x.exec_mask().select(w.splat(x.W), 0) for w in words]
    return [w.splat(x.W) for w in words]


def _load_gaps(x: Wave, line: Line, size: int) -> list[Val]:
    """Data at a small constant distance: what lies between them is loaded as well, but nothing before the first or
    after the last of them."""
    step, lanes = line.stride // size, x.W
    if step < 0:
        line = Line(line.start + line.stride * (lanes - 1), -line.stride, line.row, None, None)
        return [v.shuffle(list(range(lanes - 1, -1, -1))) for v in load(x, line, size)]
    half, span = lanes // 2, lanes // 2 * step
    ty = Ty("u", 32, span)
    low = x.b.load(ty, x.b.ptr(line.start), 1).shuffle([step * lane for lane in range(half)])
    # The second piece ends with the last lane's data, so its first dwords are the gap before it.
    back = step - 1
    high = x.b.load(ty, x.b.ptr(line.start + (line.stride * half - back * size)), 1)
    high = high.shuffle([back + step * lane for lane in range(half)])
    return [low.shuffle(list(range(lanes)), high)]


def _load_rows(x: Wave, line: Line, size: int) -> list[Val]:
    """Several rows, each consecutive or of one address."""
    rows, words, row = x.W // line.row, max(1, size // 4), line.row
    assert line.pitch is not None
    parts: list[list[Val]] = []
    for k in range(rows):
        if not line.stride and size >= 4 and x.full:
            ones = x.b.load_whole(line.start + line.pitch * k, words)
            parts.append([one.splat(row) for one in ones])
            continue
        pointer = x.b.ptr(line.start + line.pitch * k)
        count = row if line.stride else 1
        if not x.full:
            parts.append([masked_load(x, Ty("u", 32, row), pointer, _row_mask(x, k, row))])
            continue
        if size < 4:
            loaded = x.b.load(Ty("u", 8 * size, count), pointer, 1)
            parts.append([loaded.to("u32")])
        else:
            wide = x.b.load(Ty("u", 32, count * words), pointer, 1)
            parts.append([wide.shuffle([lane * words + w for lane in range(count)]) for w in range(words)])
        if not line.stride:
            parts[-1] = [v.lane(0).broadcast(row) for v in parts[-1]]
    return [concatenated([part[w] for part in parts]) for w in range(words)]


def concatenated(parts: Sequence[Val]) -> Val:
    """Vectors of equal length one after the other (a power of two of them)."""
    parts = list(parts)
    while len(parts) > 1:
        width = 2 * parts[0].lanes
        parts = [parts[k].shuffle(list(range(width)), parts[k + 1]) for k in range(0, len(parts), 2)]
    return parts[0]


def _row_mask(x: Wave, k: int, row: int) -> Val:
    """EXEC of the lanes of one row, as a u1 vector."""
    return (x.exec_bits() >> k * row).to(f"u{row}").unpack()


def _mask_for(x: Wave, elements: int) -> Val:
    """EXEC with each lane's bit repeated for its elements of a wide vector."""
    mask, times = x.exec_mask(), elements // x.W
    return mask if times == 1 else mask.solid().shuffle([k // times for k in range(elements)])


def masked_load(x: Wave, ty: Ty, pointer: str, mask: Val | None = None) -> Val:
    """Consecutive data of the active lanes (or those of `mask`), 0 elsewhere; each lane's may be several elements."""
    if x.full:
        return x.b.load(ty, pointer, 1)
    mask = mask if mask is not None else _mask_for(x, ty.lanes)
    name = f"llvm.masked.load.{ty.mangled}.p0"
    x.b.declare(name, f"declare {ty.llvm} @{name}(ptr, i32, <{ty.lanes} x i1>, {ty.llvm})")
    return x.b.op_debug(
        ty,
        f"call {ty.llvm} @{name}(ptr {pointer}, i32 1, {mask.typed}, {ty.llvm} zeroinitializer)",
    )


# -- stores --------------------------------------------------------------------------------------------------


def storable(x: Wave, line: Line, size: int) -> bool:
    """Whether `store` has a way for it."""
    if line.stride == 0 and line.pitch is None:
        return True
    if line.pitch is None:
        return line.stride == size and _straight(x, size)
    return (x.full or size == 4) and line.stride == size and x.W // line.row <= MOST_ROWS


def store(x: Wave, line: Line, size: int, data: Sequence[Val]) -> list[Val]:
    """Store `size` bytes a lane (the low bytes of the first dword for 1 and 2)."""
    if line.stride == 0 and line.pitch is None:
        _store_one(x, line, size, data)
        return []
    narrow = size < 4
    words = [data[0].to(f"u{8 * size}")] if narrow else list(data[: size // 4])
    around = _around(x, line, size)
    if line.pitch is None:
        pieces = [(interleave(x, words).solid(), x.b.ptr(line.start))]
    else:
        pieces = []
        for k in range(x.W // line.row):
            lanes = list(range(k * line.row, (k + 1) * line.row))
            part = [w.solid().shuffle(lanes) for w in words]
            pieces.append((interleave(x, part), x.b.ptr(line.start + line.pitch * k)))
    if around is None:
        for k, (value, pointer) in enumerate(pieces):
            mask = None if x.full or line.pitch is None else _row_mask(x, k, line.row)
            masked_store(x, value, pointer, mask)
        return []
    yes, no, join = x.b.new_block("around"), x.b.new_block("cached"), x.b.new_block("join")
    x.b.cond_branch(around, yes, no)
    for block, align, kind in ((yes, LINE, ", !nontemporal !{i32 1}"), (no, 1, "")):
        x.b.begin(block)
        for value, pointer in pieces:
            x.b.line_debug(f"store {value.typed}, ptr {pointer}, align {align}{kind}")
        x.b.branch(join)
    x.b.begin(join)
    return []


def _around(x: Wave, line: Line, size: int) -> Val | None:
    """u1: the data are whole cache lines of a launch that writes more than caches hold; None where they may not go
    around them."""
    row = x.W if line.pitch is None else line.row
    if not x.full or row * size % LINE:
        return None
    if x.inst is None or x.inst.address not in x.streams:
        return None
    places = line.start if line.pitch is None else line.start | line.pitch
    return x.field("around", "u32").le(size) & (places & (LINE - 1)).eq(0)


def _store_one(x: Wave, line: Line, size: int, data: Sequence[Val]) -> None:
    """All lanes at one address: the last active lane's data stay."""
    b = x.b
    last = x.scalar("u64", x.W - 1)
    if not x.full:
        bits = x.exec_bits()
        go, join = b.new_block("one"), b.new_block("join")
        b.cond_branch(bits.ne(0), go, join, (100, 1))
        b.begin(go)
        last = (bits.clz() ^ (x.W - 1)).to("u64")
    values = [each.lane(x.W - 1 if x.full else last) for each in data[: max(1, size // 4)]]
    if size < 4:
        b.store(values[0].to(f"u{8 * size}"), b.ptr(line.start), 1)
    else:
        b.store_whole(line.start, values)
    if not x.full:
        b.branch(join)
        b.begin(join)


def masked_store(x: Wave, value: Val, pointer: str, mask: Val | None = None) -> None:
    """Store consecutive data of the active lanes (or those of `mask`); each lane's may be several elements."""
    if x.full:
        x.b.store(value, pointer, 1)
        return
    mask = mask if mask is not None else _mask_for(x, value.lanes)
    name = f"llvm.masked.store.{value.ty.mangled}.p0"
    x.b.declare(name, f"declare void @{name}({value.ty.llvm}, ptr, i32, <{value.lanes} x i1>)")
    x.b.line_debug(f"call void @{name}({value.typed}, ptr {pointer}, i32 1, {mask.typed})")


def interleave(x: Wave, data: Sequence[Val]) -> Val:
    """One wide vector with each lane's dwords side by side."""
    if len(data) == 1:
        return data[0]
    lanes, words = data[0].lanes, len(data)
    padded = list(data) + [data[-1]] * (4 - words if words == 3 else 0)
    low = padded[0].solid().shuffle(list(range(2 * lanes)), padded[1])
    if len(padded) == 2:
        return low.shuffle([k * lanes + lane for lane in range(lanes) for k in range(2)])
    high = padded[2].solid().shuffle(list(range(2 * lanes)), padded[3])
    return low.shuffle([k * lanes + lane for lane in range(lanes) for k in range(words)], high)
