"""Loads and stores that may be scattered: :mod:`access`, with lanes taken one by one by :mod:`lane_vectors` where that
is the host's best way and all lanes are active.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softrock.lift import access, lane_vectors, lines
from softrock.lift import ahead as later
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.lines import Address, Line


def load(x: Wave, where: Address, size: int, ahead: bool = True) -> list[Val]:
    """Load `size` bytes a lane (1, 2, 4, 8, 12, 16); inactive lanes read 0.

    Args:
        ahead: the memory is far enough from the host's processor for look-ahead to pay.

    Returns:
        The dwords of each lane as u32 vectors; narrower data zero-extended.
    """
    if ahead:
        later.fetch(x, where, size)
    if not x.full or not lane_vectors.quick(x, size):
        return access.load(x, where, size)
    known = lines.of(x, where)
    if known is not None and lines.loadable(x, known, size):
        return access.load(x, where, size)

    def each() -> list[Val]:
        if where.offset.bits == 32:
            return lane_vectors.load_at(x, where.base, where.offset, size, ahead)
        return lane_vectors.load(x, access.lane_addresses(x, where), size, ahead)

    words = max(1, size // 4)
    if known is not None and known.row % lane_vectors.GROUP == 0:
        base, stride, row, pitch = _places(x, known)

        def rows() -> list[Val]:
            return lane_vectors.load_rows(x, base, stride, row, pitch, size)

        return rows() if known.ok is None else access.choose(x, [(lambda: known.ok, rows), (None, each)], words)
    ways: list[tuple[Callable[[], Val | None] | None, Callable[[], list[Val]]]] = []
    if size == 4:  # other sizes are hardly ever met like this, and larger ones have eights of lanes found together
        first = access.first_pointer
        ways.append(
            (lambda: access.consecutive(x, where, 4), lambda: [x.b.load(Ty("u", 32, x.W), first(x, where), 1)])
        )
        ways.append(
            (lambda: access.uniform(x, where), lambda: [x.b.load(Ty("u", 32, 0), first(x, where), 1).splat(x.W)])
        )
    return access.choose(x, [*ways, (None, each)], words)


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
        access.store(x, where, size, data)
        return
    known = lines.of(x, where)
    if known is not None and lines.storable(x, known, size):
        access.store(x, where, size, data)
        return

    def each() -> list[Val]:
        if where.offset.bits == 32:
            lane_vectors.store_at(x, where.base, where.offset, size, data)
        else:
            lane_vectors.store(x, access.lane_addresses(x, where), size, data)
        return []

    if known is None or known.row % lane_vectors.GROUP:
        if size == 4:
            line = (lambda: access.consecutive(x, where, 4), lambda: _store_line(x, where, data[0]))
            access.choose(x, [line, (None, each)], 0)
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
        access.choose(x, [(lambda: known.ok, rows), (None, each)], 0)


def _places(x: Wave, line: Line) -> tuple[Val, Val, int, Val]:
    """Base, stride, row and pitch of a line as :mod:`lane_vectors` takes them."""
    pitch = x.scalar("u64", 0) if line.pitch is None else line.pitch
    return line.start, x.scalar("u64", line.stride), line.row, pitch


def _store_line(x: Wave, where: Address, word: Val) -> list[Val]:
    x.b.store(word, access.first_pointer(x, where), 1)
    return []
