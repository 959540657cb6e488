"""Loads and stores of scattered lanes, each lane's data as one host access.

A lane's 2, 4, 8 or 16 bytes are one host load; eight lanes at a time are then transposed in registers into the layout
of vector registers, a vector for each dword (and the other way round for stores). That needs no gather instruction,
and is quicker than a gather for each dword where lanes load several. The work is done by functions out of line, which
take the addresses from memory, where lane by lane they are cheapest to read, or compute them where they are known to
lie in rows. Eight lanes whose data are side by side (as in tiles with permuted columns) are found at run time, and
loaded and stored together.

Inactive lanes read a zero and write to a place that nobody reads, so that there is one way for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from softrock.lift.ir import Ty, Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave

GROUP = 8
"""Lanes that are transposed together."""

SIZES = (1, 2, 4, 8, 16)
"""Bytes a lane that are covered."""


class Places(NamedTuple):
    """How a function is told where the lanes' data stand.

    Attributes:
        kind: ``wide``: an array of u64 addresses. ``narrow``: a base and an array of u32 offsets. ``twice``: the same,
            and more data at the offset plus a constant (modulo 2^32). ``rows``: lane l's data stand at
            ``base + stride * (l mod row) + pitch * (l div row)``.
        row: lanes of a row, a multiple of eight.
        ahead: what the instruction will load next time is fetched into the cache, where it moves on by equal steps.
    """

    kind: str
    row: int = 0
    ahead: bool = False

    @property
    def label(self) -> str:
        return f"{self.kind}{self.row or ''}{'_ahead' * self.ahead}"


_SITE_SLOTS = 64
"""Waves whose steps a load with look-ahead can tell apart."""


def quick(x: Wave, size: int) -> bool:
    """Whether these functions are the host's best way to load scattered lanes. Gathers of dwords and pairs of them are
    as good where the host has them; bytes and halves are mostly found side by side in eights."""
    return size in SIZES and (size not in (4, 8) or not x.native_gather)


def load(x: Wave, addresses: Val, size: int, ahead: bool = False) -> list[Val]:
    """Dwords of each lane from u64 addresses; narrower data zero-extended, inactive lanes 0.

    Args:
        ahead: with look-ahead (see `Places`).
    """
    if not x.full:
        x.b.declare("sr_lane_zero", "@sr_lane_zero = internal constant [16 x i8] zeroinitializer, align 16")
        zero = x.b.op(Ty("u", 64, 0), "ptrtoint ptr @sr_lane_zero to i64")
        addresses = x.exec_mask().select(addresses, zero.splat(x.W))
    return _load(x, Places("wide", ahead=ahead), [_addresses(x, addresses)], size)


def load_at(x: Wave, base: Val, offsets: Val, size: int, ahead: bool = False) -> list[Val]:
    """The same from a base and u32 offsets, every lane active."""
    return _load(x, Places("narrow", ahead=ahead), [base.typed, _addresses(x, offsets)], size)


def load_twice(x: Wave, base: Val, offsets: Val, further: int, size: int) -> list[Val]:
    """The same, and behind those the dwords at offsets `further` on (modulo 2^32)."""
    return _load(x, Places("twice"), [base.typed, f"i32 {further}", _addresses(x, offsets)], size)


def load_rows(x: Wave, base: Val, stride: Val, row: int, pitch: Val, size: int) -> list[Val]:
    """The same from rows of lanes (see `Places`), every lane active; all of them u64."""
    return _load(x, Places("rows", row), [base.typed, stride.typed, pitch.typed], size)


def store(x: Wave, addresses: Val, size: int, data: Sequence[Val]) -> None:
    """Store the low bytes of each lane's dwords to u64 addresses, lower lanes first."""
    if not x.full:
        sink = x.b.op(Ty("u", 64, 0), f"ptrtoint ptr {x.array('lane_sink', 16)} to i64")
        addresses = x.exec_mask().select(addresses, sink.splat(x.W))
    _store(x, Places("wide"), [_addresses(x, addresses)], size, data)


def store_at(x: Wave, base: Val, offsets: Val, size: int, data: Sequence[Val]) -> None:
    """The same to a base and u32 offsets, every lane active."""
    _store(x, Places("narrow"), [base.typed, _addresses(x, offsets)], size, data)


def store_rows(x: Wave, base: Val, stride: Val, row: int, pitch: Val, size: int, data: Sequence[Val]) -> None:
    """The same to rows of lanes (see `Places`), every lane active; all of them u64."""
    _store(x, Places("rows", row), [base.typed, stride.typed, pitch.typed], size, data)


def _addresses(x: Wave, values: Val) -> str:
    array = x.array("lane_at", 8 * x.W)
    x.b.line(f"store {values.typed}, ptr {array}, align 64")
    return f"ptr {array}"


def _load(x: Wave, places: Places, where: Sequence[str], size: int) -> list[Val]:
    words = max(1, size // 4) * (2 if places.kind == "twice" else 1)
    out = x.array("lane_out", 4 * x.W * words)
    name = f"sr_lanes_load{8 * size}_{places.label}_{x.W}"
    x.b.declare(name, _load_text(name, places, size, x.W))
    if places.ahead:
        x.b.declare("llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        where = [*where, f"ptr {_site(x)}"]
    x.b.line_debug(f"notail call void @{name}({', '.join([*where, f'ptr {out}'])})")
    return [x.b.op(Ty("u", 32, x.W), f"load <{x.W} x i32>, ptr {_at(x, out, k)}, align 64") for k in range(words)]


def _store(x: Wave, places: Places, where: Sequence[str], size: int, data: Sequence[Val]) -> None:
    words = max(1, size // 4)
    out = x.array("lane_out", 4 * x.W * words)
    for k in range(words):
        x.b.line(f"store {data[k].typed}, ptr {_at(x, out, k)}, align 64")
    name = f"sr_lanes_store{8 * size}_{places.label}_{x.W}"
    x.b.declare(name, _store_text(name, places, size, x.W))
    x.b.line_debug(f"notail call void @{name}({', '.join([*where, f'ptr {out}'])})")


def _site(x: Wave) -> str:
    """Where the present instruction keeps the last address and step of the present wave. Waves that share a slot, or
    write it at the same time, only lose the look-ahead."""
    address = x.inst.address if x.inst is not None else 0
    name = f"@sr_site_{address:x}"
    x.b.declare(name, f"{name} = internal global [{2 * _SITE_SLOTS} x i64] zeroinitializer, align 64")
    wave = (x.field("hw_id", "u32") << 4) + x.field("wave_id", "u32")
    slot = (wave & (_SITE_SLOTS - 1)).to("u64")
    x.b.counter += 1
    ref = f"%site{x.b.counter}"
    x.b.line(f"{ref} = getelementptr [2 x i64], ptr {name}, {slot.typed}")
    return ref


def _at(x: Wave, array: str, k: int) -> str:
    if not k:
        return array
    x.b.counter += 1
    ref = f"{array}{x.b.counter}.at"
    x.b.line(f"{ref} = getelementptr i8, ptr {array}, i64 {4 * x.W * k}")
    return ref


# -- the functions -----------------------------------------------------------------------------------------


class _Text:
    """Lines of a function under construction."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %n{self.count} = {text}")
        return f"%n{self.count}"

    def shuffle(self, ty: str, a: str, b: str, index: Sequence[int]) -> str:
        where = ", ".join(f"i32 {i}" for i in index)
        return self.op(f"shufflevector {ty} {a}, {ty} {b}, <{len(index)} x i32> <{where}>")


_PARAMETERS = {
    "wide": "ptr %at",
    "narrow": "i64 %base, ptr %at",
    "twice": "i64 %base, i32 %further, ptr %at",
    "rows": "i64 %base, i64 %stride, i64 %pitch",
}


def _function(name: str, places: Places, size: int, lanes: int, body: _Text, loads: bool = False) -> str:
    """A loop over groups of lanes; the body finds ``%k`` (its first lane) and ``%data_k`` (its place in the words)."""
    parameters = _PARAMETERS[places.kind] + ", ptr %site" * places.ahead
    latch = "loop" if places.kind in ("rows", "twice") or size == 16 else "join"
    # RDNA3 has matrix operands twice in a wave.
    twins = loads and lanes == 32 and size == 16 and places.kind == "narrow" and not places.ahead
    before, limit, after = _twins(lanes, size) if twins else ([], str(lanes), [])
    return "\n".join(
        [
            f'define internal void @{name}({parameters}, ptr noalias %data) noinline nounwind section ".text.cold" {{',
            "entry:",
            *before,
            *_look_ahead(places, size, lanes),
            "  br label %loop",
            "loop:",
            f"  %k = phi i64 [ 0, %start ], [ %next, %{latch} ]",
            "  %data_k = getelementptr i32, ptr %data, i64 %k",
            *body.lines,
            f"  %next = add nuw nsw i64 %k, {GROUP}",
            f"  %more = icmp ult i64 %next, {limit}",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *after,
            "  ret void",
            "}",
        ]
    )


def _twins(lanes: int, size: int) -> tuple[list[str], str, list[str]]:
    """Where the upper half of the wave loads what the lower half does, it takes a copy of that: code before the loop,
    the loop's end, code after it."""
    half = lanes // 2
    lines = []
    for n, at in enumerate((0, half)):
        lines.append(f"  %half{n}p = getelementptr i32, ptr %at, i64 {at}")
        lines.append(f"  %half{n} = load volatile <{half} x i32>, ptr %half{n}p, align 32")
    lines += [
        f"  %like = icmp eq <{half} x i32> %half0, %half1",
        f"  %likes = bitcast <{half} x i1> %like to i{half}",
        f"  %twins = icmp eq i{half} %likes, -1",
        f"  %limit = select i1 %twins, i64 {half}, i64 {lanes}",
    ]
    copies = ["  br i1 %twins, label %copy, label %out", "copy:"]
    for k in range(size // 4):
        for n, at in enumerate((lanes * k, lanes * k + half)):
            copies.append(f"  %copy{k}_{n} = getelementptr i32, ptr %data, i64 {at}")
        copies.append(f"  %copied{k} = load <{half} x i32>, ptr %copy{k}_0, align 32")
        copies.append(f"  store <{half} x i32> %copied{k}, ptr %copy{k}_1, align 32")
    return lines, "%limit", [*copies, "  br label %out", "out:"]


def _look_ahead(places: Places, size: int, lanes: int) -> list[str]:
    """Code before the loop, up to block ``start``: if the first lane's address has moved on by the same step twice,
    fetch what lanes are going to load after another one: the last of lanes that load 32 bytes between them, for these
    mostly are neighbours, and where they reach into a further cache line the last one does."""
    if not places.ahead:
        return ["  br label %start", "start:"]
    t = _Text()
    every = max(1, min(GROUP, 32 // size))
    wide = places.kind == "wide"
    ty = "i64" if wide else "i32"
    first = t.op(f"load {ty}, ptr %at, align 8")
    if not wide:
        first = t.op(f"add i64 %base, {t.op(f'zext i32 {first} to i64')}")
    kept = t.op("getelementptr i64, ptr %site, i64 1")
    last = t.op("load atomic i64, ptr %site monotonic, align 8")
    before = t.op(f"load atomic i64, ptr {kept} monotonic, align 8")
    step = t.op(f"sub i64 {first}, {last}")
    t.lines.append(f"  store atomic i64 {first}, ptr %site monotonic, align 8")
    t.lines.append(f"  store atomic i64 {step}, ptr {kept} monotonic, align 8")
    steady = t.op(f"and i1 {t.op(f'icmp eq i64 {step}, {before}')}, {t.op(f'icmp ne i64 {step}, 0')}")
    t.lines += [f"  br i1 {steady}, label %ahead, label %start", "ahead:"]
    t.lines.append(f"  %j = phi i64 [ {every - 1}, %entry ], [ %j.next, %ahead ]")
    address = t.op(f"load {ty}, ptr {t.op(f'getelementptr {ty}, ptr %at, i64 %j')}, align 4")
    if not wide:
        address = t.op(f"add i64 %base, {t.op(f'zext i32 {address} to i64')}")
    pointer = t.op(f"inttoptr i64 {t.op(f'add i64 {address}, {step}')} to ptr")
    return [
        *(line.replace("%n", "%h") for line in t.lines),
        f"  call void @llvm.prefetch.p0(ptr {pointer.replace('%n', '%h')}, i32 0, i32 2, i32 1)",
        f"  %j.next = add nuw nsw i64 %j, {every}",
        f"  %j.more = icmp ult i64 %j.next, {lanes}",
        "  br i1 %j.more, label %ahead, label %start",
        "start:",
    ]


def _pointers(t: _Text, addresses: Sequence[str]) -> list[str]:
    return [t.op(f"inttoptr i64 {address} to ptr") for address in addresses]


def _in_rows(t: _Text, row: int) -> list[str]:
    """The addresses of a group's lanes."""
    number, first = t.op(f"lshr i64 %k, {row.bit_length() - 1}"), t.op(f"and i64 %k, {row - 1}")
    start = t.op(f"add i64 %base, {t.op(f'mul i64 {number}, %pitch')}")
    start = t.op(f"add i64 {start}, {t.op(f'mul i64 {first}, %stride')}")
    twice, three = t.op("shl i64 %stride, 1"), t.op("mul i64 %stride, 3")
    out = []
    for base in (start, t.op(f"add i64 {start}, {t.op('mul i64 %stride, 4')}")):
        out += [base, *(t.op(f"add i64 {base}, {step}") for step in ("%stride", twice, three))]
    return out


def _addresses_of(t: _Text, places: Places) -> list[str]:
    """The addresses of a group's lanes, wherever they come from."""
    if places.kind == "rows":
        return _in_rows(t, places.row)
    out: list[str] = []
    if places.kind == "wide":
        at = t.op("getelementptr i64, ptr %at, i64 %k")
        for lane in range(GROUP):
            out.append(t.op(f"load i64, ptr {t.op(f'getelementptr i64, ptr {at}, i64 {lane}')}, align 8"))
        return out
    at = t.op("getelementptr i32, ptr %at, i64 %k")
    for lane in range(0, GROUP, 2):
        both = t.op(f"load i64, ptr {t.op(f'getelementptr i32, ptr {at}, i64 {lane}')}, align 8")
        for offset in (t.op(f"and i64 {both}, 4294967295"), t.op(f"lshr i64 {both}, 32")):
            out.append(t.op(f"add i64 %base, {offset}"))
    return out


def _addresses_twice(t: _Text) -> tuple[list[str], list[str]]:
    """The addresses of both data of a group's lanes."""
    at = t.op("getelementptr i32, ptr %at, i64 %k")
    first: list[str] = []
    second: list[str] = []
    for lane in range(0, GROUP, 2):
        both = t.op(f"load i64, ptr {t.op(f'getelementptr i32, ptr {at}, i64 {lane}')}, align 8")
        for half in (both, t.op(f"lshr i64 {both}, 32")):
            offset = t.op(f"trunc i64 {half} to i32")
            first.append(t.op(f"add i64 %base, {t.op(f'zext i32 {offset} to i64')}"))
            moved = t.op(f"add i32 {offset}, %further")
            second.append(t.op(f"add i64 %base, {t.op(f'zext i32 {moved} to i64')}"))
    return first, second


def _test(t: _Text, places: Places, size: int) -> str:
    """Test whether the group's lanes are side by side, branch to ``run`` or ``each``; gives the first one's address."""
    bits = 64 if places.kind == "wide" else 32
    ty, wide = f"i{bits}", f"<{GROUP} x i{bits}>"
    t.lines.append(f"  %at_k = getelementptr {ty}, ptr %at, i64 %k")
    first = t.op(f"load {ty}, ptr %at_k, align 8")
    # Volatile, or the compiler would take the single addresses out of this vector, which costs more than to load them.
    lanes = t.op(f"load volatile {wide}, ptr %at_k, align 32")
    one = t.op(f"insertelement {wide} poison, {ty} {first}, i64 0")
    start = t.shuffle(wide, one, "poison", [0] * GROUP)
    steps = ", ".join(f"{ty} {lane * size}" for lane in range(GROUP))
    line = t.op(f"add {wide} {start}, <{steps}>")
    if bits == 64:
        wrong = t.op(f"xor {wide} {lanes}, {line}")
        halves = [t.shuffle(wide, wrong, "poison", range(k, k + 4)) for k in (0, 4)]
        both = t.op(f"or <4 x i64> {halves[0]}, {halves[1]}")
        found = t.op(f"icmp eq i256 {t.op(f'bitcast <4 x i64> {both} to i256')}, 0")
    else:
        same = t.op(f"icmp eq {wide} {lanes}, {line}")
        found = t.op(f"icmp eq i8 {t.op(f'bitcast <{GROUP} x i1> {same} to i8')}, -1")
        # The offsets must not wrap.
        found = t.op(f"and i1 {found}, {t.op(f'icmp ule i32 {first}, {(1 << 32) - GROUP * size}')}")
        first = t.op(f"add i64 %base, {t.op(f'zext i32 {first} to i64')}")
    t.lines.append(f"  br i1 {found}, label %run, label %each")
    return first


def _word(t: _Text, lanes: int, k: int) -> str:
    """Pointer to the group's lanes of dword `k`."""
    return t.op(f"getelementptr i8, ptr %data_k, i64 {4 * lanes * k}")


_V4, _V8 = "<4 x i32>", "<8 x i32>"
_EIGHT = range(8)


def _load_text(name: str, places: Places, size: int, lanes: int) -> str:
    t = _Text()
    if places.kind == "twice":
        words = [word for addresses in _addresses_twice(t) for word in _load_each(t, addresses, size)]
    elif places.kind == "rows" or size == 16:
        words = _load_each(t, _addresses_of(t, places), size)
    else:
        first = _test(t, places, size)
        t.lines.append("run:")
        together = _load_run(t, first, size)
        t.lines += ["  br label %join", "each:"]
        alone = _load_each(t, _addresses_of(t, places), size)
        t.lines += ["  br label %join", "join:"]
        words = [t.op(f"phi {_V8} [ {a}, %run ], [ {b}, %each ]") for a, b in zip(together, alone, strict=True)]
    for k, word in enumerate(words):
        t.lines.append(f"  store {_V8} {word}, ptr {_word(t, lanes, k)}, align 32")
    return _function(name, places, size, lanes, t, loads=True)


def _load_run(t: _Text, first: str, size: int) -> list[str]:
    """Dwords of a group whose data are side by side."""
    pointer = t.op(f"inttoptr i64 {first} to ptr")
    if size == 8:
        both = t.op(f"load <{2 * GROUP} x i32>, ptr {pointer}, align 1")
        return [t.shuffle(f"<{2 * GROUP} x i32>", both, "poison", range(k, 2 * GROUP, 2)) for k in (0, 1)]
    value = t.op(f"load <{GROUP} x i{8 * size}>, ptr {pointer}, align 1")
    return [value if size == 4 else t.op(f"zext <{GROUP} x i{8 * size}> {value} to {_V8}")]


def _load_each(t: _Text, addresses: Sequence[str], size: int) -> list[str]:
    """Dwords of a group, lane by lane."""
    pointers = _pointers(t, addresses)
    if size <= 4:
        kind = f"i{8 * size}"
        value = "poison"
        for lane, pointer in enumerate(pointers):
            one = t.op(f"load {kind}, ptr {pointer}, align 1")
            value = t.op(f"insertelement <{GROUP} x {kind}> {value}, {kind} {one}, i64 {lane}")
        return [value if size == 4 else t.op(f"zext <{GROUP} x {kind}> {value} to {_V8}")]
    if size == 8:
        pairs = []
        for lane in range(0, GROUP, 2):
            value = "poison"
            for half in (0, 1):
                one = t.op(f"load double, ptr {pointers[lane + half]}, align 1")
                value = t.op(f"insertelement <2 x double> {value}, double {one}, i64 {half}")
            pairs.append(t.op(f"bitcast <2 x double> {value} to {_V4}"))
        # Lanes 0 1 | 4 5 and 2 3 | 6 7
        first, second = (t.shuffle(_V4, pairs[k], pairs[k + 2], _EIGHT) for k in (0, 1))
        return [t.shuffle(_V8, first, second, [k, k + 2, k + 8, k + 10, k + 4, k + 6, k + 12, k + 14]) for k in (0, 1)]
    quads = [t.op(f"load {_V4}, ptr {pointer}, align 1") for pointer in pointers]
    return _transposed(t, [t.shuffle(_V4, quads[k], quads[k + 4], _EIGHT) for k in range(4)])


_LOW = [0, 8, 1, 9, 4, 12, 5, 13]
_HIGH = [2, 10, 3, 11, 6, 14, 7, 15]
_LOW_PAIRS = [0, 1, 8, 9, 4, 5, 12, 13]
_HIGH_PAIRS = [2, 3, 10, 11, 6, 7, 14, 15]


def _transposed(t: _Text, rows: Sequence[str]) -> list[str]:
    """Transposes the 4 x 4 matrices in the lower and in the upper halves of four vectors."""
    low = [t.shuffle(_V8, rows[k], rows[k + 1], _LOW) for k in (0, 2)]
    high = [t.shuffle(_V8, rows[k], rows[k + 1], _HIGH) for k in (0, 2)]
    return [t.shuffle(_V8, pair[0], pair[1], index) for pair in (low, high) for index in (_LOW_PAIRS, _HIGH_PAIRS)]


def _store_text(name: str, places: Places, size: int, lanes: int) -> str:
    t = _Text()
    if places.kind == "rows" or size == 16:
        _store_each(t, _addresses_of(t, places), size, lanes)
        return _function(name, places, size, lanes, t)
    first = _test(t, places, size)
    t.lines.append("run:")
    pointer = t.op(f"inttoptr i64 {first} to ptr")
    words = [t.op(f"load {_V8}, ptr {_word(t, lanes, k)}, align 32") for k in range(max(1, size // 4))]
    value, ty = words[0], _V8
    if size < 4:
        ty = f"<{GROUP} x i{8 * size}>"
        value = t.op(f"trunc {_V8} {value} to {ty}")
    elif size == 8:
        ty = f"<{2 * GROUP} x i32>"
        value = t.shuffle(_V8, words[0], words[1], [k // 2 + GROUP * (k & 1) for k in range(2 * GROUP)])
    t.lines.append(f"  store {ty} {value}, ptr {pointer}, align 1")
    t.lines += ["  br label %join", "each:"]
    _store_each(t, _addresses_of(t, places), size, lanes)
    t.lines += ["  br label %join", "join:"]
    return _function(name, places, size, lanes, t)


def _store_each(t: _Text, addresses: Sequence[str], size: int, lanes: int) -> None:
    """Store a group's data, lane by lane."""
    pointers = _pointers(t, addresses)
    if size <= 4:
        kind = f"i{8 * size}"
        for lane, pointer in enumerate(pointers):
            place = t.op(f"getelementptr i32, ptr %data_k, i64 {lane}")
            one = t.op(f"load {kind}, ptr {place}, align 4")
            t.lines.append(f"  store {kind} {one}, ptr {pointer}, align 1")
        return
    words = [t.op(f"load {_V8}, ptr {_word(t, lanes, k)}, align 32") for k in range(size // 4)]
    if size == 8:
        # Lanes 0 1 | 4 5 and 2 3 | 6 7
        pairs = [t.shuffle(_V8, words[0], words[1], index) for index in (_LOW, _HIGH)]
        for lane, pointer in enumerate(pointers):
            wide = t.op(f"bitcast {_V8} {pairs[lane // 2 % 2]} to <4 x double>")
            one = t.op(f"extractelement <4 x double> {wide}, i64 {lane // 4 * 2 + lane % 2}")
            t.lines.append(f"  store double {one}, ptr {pointer}, align 1")
        return
    rows = _transposed(t, words)
    for lane, pointer in enumerate(pointers):
        start = lane // 4 * 4
        one = t.shuffle(_V8, rows[lane % 4], "poison", range(start, start + 4))
        t.lines.append(f"  store {_V4} {one}, ptr {pointer}, align 1")
