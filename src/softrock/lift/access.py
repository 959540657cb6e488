"""Lane loads and stores with their fast paths.

Most accesses of a wave are consecutive (one vector access) or all to one address (a broadcast); which it is is
tested at run time, and what remains gathers, takes lanes one by one, or on hosts without gathers goes lane by lane
through the native runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from softrock.lift import ahead as later
from softrock.lift import lane_vectors, lines
from softrock.lift.context import Wave
from softrock.lift.ir import Block, Ty, Val
from softrock.lift.lines import Address, Line, interleave, masked_load, masked_store
from softrock.lift.wave import OFFSET


def lane_addresses(x: Wave, where: Address) -> Val:
    """The address of each lane as u64."""
    return where.offset.to("u64") + where.base


def consecutive(x: Wave, where: Address, stride: int) -> Val:
    """u1 scalar: active lanes' offsets are lane 0's plus lane times stride."""
    first = where.offset.lane(0)
    name = f"u{where.offset.bits}"
    line = first.splat(x.W) + x.iota(name, stride)
    same = where.offset.eq(line)
    if not x.full:
        same = same | ~x.exec_mask()
    ok = same.all()
    if where.offset.bits == 32:
        ok = ok & first.le((1 << 32) - stride * x.W)  # the offsets must not wrap
    return ok


def uniform(x: Wave, where: Address) -> Val:
    """u1 scalar: active lanes' offsets are all lane 0's, and some lane is active."""
    first = where.offset.lane(0)
    same = where.offset.eq(first.splat(x.W))
    if not x.full:
        same = same | ~x.exec_mask()
        return same.all() & x.exec_bits().ne(0)
    return same.all()


def first_pointer(x: Wave, where: Address) -> str:
    """A pointer to lane 0's data."""
    return x.b.ptr(where.base + where.offset.lane(0).to("u64"))


def _pointers(x: Wave, addresses: Val) -> tuple[str, str]:
    """LLVM type and name of the lanes' addresses as pointers."""
    pointers = f"<{x.W} x ptr>"
    ref = f"%g{x.b.counter}.ptrs"
    x.b.line(f"{ref} = inttoptr {addresses.typed} to {pointers}")
    return pointers, ref


def _gather(x: Wave, ty: Ty, addresses: Val) -> Val:
    pointers, ref = _pointers(x, addresses)
    name = f"llvm.masked.gather.{ty.mangled}.v{x.W}p0"
    x.b.declare(name, f"declare {ty.llvm} @{name}({pointers}, i32, <{x.W} x i1>, {ty.llvm})")
    return x.b.op_debug(
        ty,
        f"call {ty.llvm} @{name}({pointers} {ref}, i32 1, {x.exec_mask().typed}, {ty.llvm} zeroinitializer)",
    )


def scatter(x: Wave, value: Val, addresses: Val) -> None:
    pointers, ref = _pointers(x, addresses)
    name = f"llvm.masked.scatter.{value.ty.mangled}.v{x.W}p0"
    x.b.declare(name, f"declare void @{name}({value.ty.llvm}, {pointers}, i32, <{x.W} x i1>)")
    x.b.line_debug(f"call void @{name}({value.typed}, {pointers} {ref}, i32 1, {x.exec_mask().typed})")


# -- arrays in memory for the runtime's lane-by-lane helpers -------------------------------------------------


def spill(x: Wave, name: str, values: Sequence[Val]) -> str:
    """Store lane vectors one after the other in a stack array shared by every use of `name`; gives its pointer."""
    ref = x.array(name, sum(v.bits // 8 * x.W for v in values))
    at = 0
    for value in values:
        pointer = f"%{name}{x.b.counter}.at"
        x.b.line(f"{pointer} = getelementptr i8, ptr {ref}, i64 {at}")
        x.b.line(f"store {value.typed}, ptr {pointer}, align 64")
        x.b.counter += 1
        at += value.bits // 8 * x.W
    return ref


def unspill(x: Wave, name: str, count: int) -> list[Val]:
    """Load `count` u32 lane vectors from the stack array."""
    ref = x.array(name, 4 * x.W * count)
    out = []
    for k in range(count):
        pointer = f"%{name}{x.b.counter}.at"
        x.b.line(f"{pointer} = getelementptr i8, ptr {ref}, i64 {4 * x.W * k}")
        x.b.counter += 1
        out.append(x.b.op(Ty("u", 32, x.W), f"load <{x.W} x i32>, ptr {pointer}, align 64"))
    return out


def clear(x: Wave, name: str, count: int) -> str:
    """Zero `count` u32 lane vectors of the stack array, so that lanes a helper leaves out read 0."""
    return spill(x, name, [x.const("u32", 0)] * count)


def mask64(x: Wave) -> Val:
    """EXEC as a u64 scalar, as the runtime's helpers take it."""
    return x.exec_bits().to("u64")


def note_place(x: Wave) -> None:
    """Leave the instruction's address for fault reports: the helper called next has no line table."""
    if x.inst is not None:
        x.b.counter += 1
        pointer = f"%w{x.b.counter}.where"
        x.b.line(f"{pointer} = getelementptr i8, ptr %wave, i64 {OFFSET['where']}")
        x.b.line(f"store i64 {x.inst.address}, ptr {pointer}, align 8")


def call_load(x: Wave, helper: str, leading: Sequence[Val | str], lanes_in: Sequence[Val], size: int) -> list[Val]:
    """``helper(leading…, array, mask, bytes, lanes, out)`` → dwords per lane."""
    words = max(1, size // 4)
    where = spill(x, "lane_at", lanes_in)
    out = clear(x, "lane_out", words)
    note_place(x)
    x.b.call_void(helper, *leading, where, mask64(x), x.scalar("u32", size), x.scalar("u32", x.W), out)
    return unspill(x, "lane_out", words)


def call_store(
    x: Wave,
    helper: str,
    leading: Sequence[Val | str],
    lanes_in: Sequence[Val],
    size: int,
    data: Sequence[Val],
) -> None:
    """``helper(leading…, array, mask, bytes, lanes, data)``."""
    where = spill(x, "lane_at", lanes_in)
    values = spill(x, "lane_out", data)
    note_place(x)
    x.b.call_void(helper, *leading, where, mask64(x), x.scalar("u32", size), x.scalar("u32", x.W), values)


# -- the ways through an access ------------------------------------------------------------------------------


def choose(
    x: Wave, ways: Sequence[tuple[Callable[[], Val | None] | None, Callable[[], list[Val]]]], results: int
) -> list[Val]:
    """Run the first way whose test holds; the last has no test. Gives the results merged (there may be none)."""
    b = x.b
    join = b.new_block("join")
    known = x.cached()
    arrived: list[tuple[list[Val], Block]] = []
    for test, body in ways:
        if test is None:
            arrived.append((body(), b.block))
            b.branch(join)
            break
        cond = test()
        assert cond is not None
        before = x.cached()
        yes, no = b.new_block("way"), b.new_block("next")
        b.cond_branch(cond, yes, no, (100, 1) if not arrived else (20, 1))
        b.begin(yes)
        arrived.append((body(), b.block))
        b.branch(join)
        b.begin(no)
        x.restore(before)
    b.begin(join)
    # What was first read inside one of the ways does not reach the code behind them.
    x.restore(known)
    return [b.phi(arrived[0][0][k].ty, [(values[k], block) for values, block in arrived]) for k in range(results)]


def load(x: Wave, where: Address, size: int, ahead: bool = True) -> list[Val]:
    """Load `size` bytes a lane (1, 2, 4, 8, 12, 16); inactive lanes read 0. Lanes are taken one by one
    (:mod:`softrock.lift.lane_vectors`) where that is the host's best way and all of them are active.

    Args:
        ahead: the memory is far enough from the host's processor for look-ahead to pay.

    Returns:
        The dwords of each lane as u32 vectors; narrower data zero-extended.
    """
    if ahead:
        later.fetch(x, where, size)
    if not x.full or not lane_vectors.quick(x, size):
        return _load_vector(x, where, size)
    known = lines.of(x, where)
    if known is not None and lines.loadable(x, known, size):
        return _load_vector(x, where, size)

    def each() -> list[Val]:
        if where.offset.bits == 32:
            return lane_vectors.load_at(x, where.base, where.offset, size, ahead)
        return lane_vectors.load(x, lane_addresses(x, where), size, ahead)

    words = max(1, size // 4)
    if known is not None and known.row % lane_vectors.GROUP == 0:
        base, stride, row, pitch = _places(x, known)

        def rows() -> list[Val]:
            return lane_vectors.load_rows(x, base, stride, row, pitch, size)

        return rows() if known.ok is None else choose(x, [(lambda: known.ok, rows), (None, each)], words)
    ways: list[tuple[Callable[[], Val | None] | None, Callable[[], list[Val]]]] = []
    if size == 4:  # other sizes are hardly ever met like this, and larger ones have eights of lanes found together
        ways.append(
            (lambda: consecutive(x, where, 4), lambda: [x.b.load(Ty("u", 32, x.W), first_pointer(x, where), 1)])
        )
        ways.append(
            (lambda: uniform(x, where), lambda: [x.b.load(Ty("u", 32, 0), first_pointer(x, where), 1).splat(x.W)])
        )
    return choose(x, [*ways, (None, each)], words)


def load_twice(x: Wave, base: Val, offsets: Val, places: tuple[int, int], size: int) -> list[Val]:
    """Two loads of `size` bytes a lane, at two constants from the same u32 offsets (modulo 2^32); their dwords one
    after the other."""
    first, second = (Address(base, offsets + place) for place in places)
    if size == 8 and x.full and lane_vectors.quick(x, size) and lines.of(x, first) is None:
        return lane_vectors.load_twice(x, base, first.offset, places[1] - places[0], size)
    return [*load(x, first, size, ahead=False), *load(x, second, size, ahead=False)]


def store(x: Wave, where: Address, size: int, data: Sequence[Val]) -> None:
    """Store `size` bytes a lane from u32 vectors (the low bytes of the first for 1 and 2)."""
    if not x.full or not lane_vectors.quick(x, size):
        _store_vector(x, where, size, data)
        return
    known = lines.of(x, where)
    if known is not None and lines.storable(x, known, size):
        _store_vector(x, where, size, data)
        return

    def each() -> list[Val]:
        if where.offset.bits == 32:
            lane_vectors.store_at(x, where.base, where.offset, size, data)
        else:
            lane_vectors.store(x, lane_addresses(x, where), size, data)
        return []

    if known is None or known.row % lane_vectors.GROUP:
        if size == 4:
            line = (lambda: consecutive(x, where, 4), lambda: _store_line(x, where, data[0]))
            choose(x, [line, (None, each)], 0)
        else:
            each()
        return
    base, stride, row, pitch = _places(x, known)

    def rows() -> list[Val]:
        lane_vectors.store_rows(x, base, stride, row, pitch, size, data)
        return []

    if known.ok is None:
        rows()
    else:
        choose(x, [(lambda: known.ok, rows), (None, each)], 0)


def _places(x: Wave, line: Line) -> tuple[Val, Val, int, Val]:
    """Base, stride, row and pitch of a line as :mod:`lane_vectors` takes them."""
    pitch = x.scalar("u64", 0) if line.pitch is None else line.pitch
    return line.start, x.scalar("u64", line.stride), line.row, pitch


def _store_line(x: Wave, where: Address, word: Val) -> list[Val]:
    x.b.store(word, first_pointer(x, where), 1)
    return []


# -- where lanes are taken together ---------------------------------------------------------------------------


def _load_vector(x: Wave, where: Address, size: int) -> list[Val]:
    """A load by lines, by what its test finds, or by gathering; see :func:`load`."""
    words = max(1, size // 4)
    known = lines.of(x, where)
    if known is not None and lines.loadable(x, known, size):
        if known.ok is None:
            return lines.load(x, known, size)
        if size >= 4 and known.stride == size:
            return _load_moved(x, where, known, size)
        rest = (None, lambda: _outlined_load(x, where, size, "any"))
        return choose(x, [(lambda: known.ok, lambda: lines.load(x, known, size)), rest], words)
    if not x.full and (x.compact or not _straight_allowed(x, size)):
        return _outlined_load(x, where, size, "any")
    return choose(
        x,
        [
            (lambda: consecutive(x, where, size), lambda: _load_straight(x, where, size)),
            (None, lambda: _outlined_load(x, where, size, "rest")),
        ],
        words,
    )


_MOST_COPIES = 16
"""Stack arrays of a function for `_load_moved`."""


def _load_moved(x: Wave, where: Address, known: lines.Line, size: int) -> list[Val]:
    """A load whose addresses hardly ever wrap: where they do, what was gathered is put on the stack in a line, and the
    load takes it from there. So the usual way stays a plain load, which the host's arithmetic takes as an operand."""
    number = x.copies % _MOST_COPIES
    x.copies += 1

    def copied(inner: Wave, args: list[Val]) -> list[Val]:
        words = _outlined_load(inner, Address(args[0], args[1]), size, "any")
        inner.b.store(lines.interleave(inner, words), inner.b.ptr(args[2]), 64)
        return []

    def gathered() -> list[Val]:
        # The store stands in the function that is called, so that LLVM does not make one value of both ways again.
        array = x.array(f"copy{number}", size * x.W)
        at = x.b.op(Ty("u", 64, 0), f"ptrtoint ptr {array} to i64")
        outline(x, f"copy_{8 * size}_{where.offset.bits}", [where.base, where.offset, at], [], copied)
        return [at] if known.pitch is None else [at, x.scalar("u64", size * known.row)]

    usual = [known.start] if known.pitch is None else [known.start, known.pitch]
    place = choose(x, [(lambda: known.ok, lambda: usual), (None, gathered)], len(usual))
    pitch = place[1] if known.pitch is not None else None
    return lines.load(x, replace(known, start=place[0], pitch=pitch, ok=None), size)


def _straight_allowed(x: Wave, size: int) -> bool:
    """Whether consecutive data can be accessed in one piece: without holes, or with the host's lane masks."""
    return x.full or size == 4 or (size < 4 and x.native_gather)


def _load_straight(x: Wave, where: Address, size: int) -> list[Val]:
    words = max(1, size // 4)
    pointer = first_pointer(x, where)
    if size < 4:
        return [masked_load(x, Ty("u", 8 * size, x.W), pointer).to("u32")]
    if words == 1:
        return [masked_load(x, Ty("u", 32, x.W), pointer)]
    wide = x.b.load(Ty("u", 32, x.W * words), pointer, 1)
    return [wide.shuffle([lane * words + k for lane in range(x.W)]) for k in range(words)]


def _load_broadcast(x: Wave, where: Address, size: int) -> list[Val]:
    first = where.base + where.offset.lane(0).to("u64")
    if size < 4:
        out = [x.b.load(Ty("u", 8 * size, 0), x.b.ptr(first), 1).to("u32").splat(x.W)]
    else:
        out = [word.splat(x.W) for word in x.b.load_whole(first, size // 4)]
    return [x.exec_mask().select(v, 0) for v in out] if x.is_restricted else out


def _load_scattered(x: Wave, where: Address, size: int) -> list[Val]:
    addresses = lane_addresses(x, where)
    if not x.native_gather:
        return call_load(x, "sr_load_lanes", (), [addresses], size)
    if size < 4:
        return _gather_narrow(x, addresses, size)
    out: list[Val] = []
    for k in range(0, size // 4, 2):
        if k + 1 == size // 4:
            out.append(_gather(x, Ty("u", 32, x.W), addresses + 4 * k))
        else:
            pair = _gather(x, Ty("u", 64, x.W), addresses + 4 * k)
            out += [pair.to("u32"), (pair >> 32).to("u32")]
    return out


def _gather_narrow(x: Wave, addresses: Val, size: int) -> list[Val]:
    """Bytes or half words: gather the aligned dwords that hold them, unless one straddles two dwords."""
    within = addresses & 3
    inside = within.le(4 - size) | ~x.exec_mask()

    def shifted() -> list[Val]:
        words = _gather(x, Ty("u", 32, x.W), addresses & ~3)
        return [(words >> (within << 3).to("u32")) & ((1 << 8 * size) - 1)]

    def byte_by_byte() -> list[Val]:
        return call_load(x, "sr_load_lanes", (), [addresses], size)

    return choose(x, [(inside.all, shifted), (None, byte_by_byte)], 1)


def _outlined_load(x: Wave, where: Address, size: int, kind: str) -> list[Val]:
    """The ways of a load that are not worth standing in line; `kind` "any" tests for consecutive addresses too."""

    def body(inner: Wave, args: list[Val]) -> list[Val]:
        place = Address(args[0], args[1])
        ways: list[tuple[Callable[[], Val] | None, Callable[[], list[Val]]]] = []
        if kind == "any" and _straight_allowed(inner, size):
            ways.append((lambda: consecutive(inner, place, size), lambda: _load_straight(inner, place, size)))
        ways.append((lambda: uniform(inner, place), lambda: _load_broadcast(inner, place, size)))
        ways.append((None, lambda: _load_scattered(inner, place, size)))
        return choose(inner, ways, max(1, size // 4))

    name = f"load_{kind}_{8 * size}_{where.offset.bits}"
    return outline(x, name, [where.base, where.offset], [Ty("u", 32, x.W)] * max(1, size // 4), body)


def _store_vector(x: Wave, where: Address, size: int, data: Sequence[Val]) -> None:
    """A store by lines, by what its test finds, or by scattering; see :func:`store`."""
    known = lines.of(x, where)
    if known is not None and lines.storable(x, known, size):
        if known.ok is None:
            lines.store(x, known, size, data)
            return

        def slow() -> list[Val]:
            _outlined_store(x, where, size, data, "any")
            return []

        choose(x, [(lambda: known.ok, lambda: lines.store(x, known, size, data)), (None, slow)], 0)
        return
    if not x.full and (x.compact or not _straight_allowed(x, size)):
        _outlined_store(x, where, size, data, "any")
        return

    def rest() -> list[Val]:
        _outlined_store(x, where, size, data, "rest")
        return []

    choose(
        x,
        [(lambda: consecutive(x, where, size), lambda: _store_straight(x, where, size, data)), (None, rest)],
        0,
    )


def _store_straight(x: Wave, where: Address, size: int, data: Sequence[Val]) -> list[Val]:
    value = data[0].to(f"u{8 * size}") if size < 4 else interleave(x, data[: size // 4])
    masked_store(x, value, first_pointer(x, where))
    return []


def _store_scattered(x: Wave, where: Address, size: int, data: Sequence[Val]) -> list[Val]:
    addresses = lane_addresses(x, where)
    words = max(1, size // 4)
    if size < 4 or not x.native_gather:
        call_store(x, "sr_store_lanes", (), [addresses], size, data[:words])
    else:
        for k in range(0, words, 2):
            pair = k + 1 < words
            scatter(x, data[k].to("u64") | data[k + 1].to("u64") << 32 if pair else data[k], addresses + 4 * k)
    return []


def _outlined_store(x: Wave, where: Address, size: int, data: Sequence[Val], kind: str) -> None:
    def body(inner: Wave, args: list[Val]) -> list[Val]:
        place, values = Address(args[0], args[1]), args[2:]
        ways: list[tuple[Callable[[], Val] | None, Callable[[], list[Val]]]] = []
        if kind == "any" and _straight_allowed(inner, size):
            straight = (lambda: consecutive(inner, place, size), lambda: _store_straight(inner, place, size, values))
            ways.append(straight)
        ways.append((None, lambda: _store_scattered(inner, place, size, values)))
        return choose(inner, ways, 0)

    values = list(data[: max(1, size // 4)])
    outline(x, f"store_{kind}_{8 * size}_{where.offset.bits}", [where.base, where.offset, *values], [], body)


def outline(
    x: Wave,
    name: str,
    args: Sequence[Val],
    results: Sequence[Ty],
    body: Callable[[Wave, list[Val]], list[Val]],
) -> list[Val]:
    """Call a function of the module that `body` fills, under EXEC as it is here; made at the first call of that name.

    Such a function keeps code out of the way that is big and seldom runs. It stands in a section of its own: an
    address in it is not translated code, so that reports name the instruction that called it (and it is never
    jumped to in place of a call).
    """
    symbol = f"{name}_{x.W}"
    ret = "void" if not results else results[0].llvm
    if len(results) > 1:
        ret = f"{{ {', '.join(t.llvm for t in results)} }}"
    if symbol not in x.b.declares:
        x.b.declares[symbol] = ""
        inner = x.inner()
        values = [Val(inner.b, f"%a{k}", v.kind, v.bits, v.lanes) for k, v in enumerate(args)]
        inner.b.begin(inner.b.new_block("start"))
        with inner.restricted(Val(inner.b, "%exec", "u", x.W, 0).unpack()):
            out = body(inner, values)
        if len(out) > 1:
            made = "poison"
            for k, value in enumerate(out):
                inner.b.line(f"%r{k} = insertvalue {ret} {made}, {value.typed}, {k}")
                made = f"%r{k}"
            inner.b.line(f"ret {ret} {made}")
        else:
            inner.b.line(f"ret {out[0].typed}" if out else "ret void")
        params = ", ".join(["ptr %wave", f"i{x.W} %exec", *(v.typed for v in values)])
        arrays = "".join(f"  %{n} = alloca [{s} x i8], align 64\n" for n, s in inner.arrays.items())
        x.b.declares[symbol] = (
            f'define internal {ret} @{symbol}({params}) noinline nounwind section ".text.cold" {{\nslots:\n{arrays}'
            f"  br label %{inner.b.blocks[0].label}\n{inner.b.text()}\n}}"
        )
    given = ", ".join(["ptr %wave", x.exec_bits().typed, *(v.typed for v in args)])
    if not results:
        x.b.line_debug(f"notail call void @{symbol}({given})")
        return []
    x.b.counter += 1
    ref = f"%o{x.b.counter}"
    x.b.line_debug(f"{ref} = notail call {ret} @{symbol}({given})")
    if len(results) == 1:
        return [Val(x.b, ref, results[0].kind, results[0].bits, results[0].lanes)]
    return [x.b.op(t, f"extractvalue {ret} {ref}, {k}") for k, t in enumerate(results)]
