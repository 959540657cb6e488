"""Layouts of workgroups that translations are made for. A launch needs this and nothing else of `lift`."""

from __future__ import annotations

from collections.abc import Sequence

ANY, LINE, WIDE = "any", "line", "wide"
"""Layouts of a workgroup that translations are made for: unknown; one-dimensional; rows of whole waves. A number is
the length of a row of which several make up a wave."""


def layout_of(block: Sequence[int], lanes: int) -> str:
    """The layout of workgroups of these dimensions (x, y, z) in waves of `lanes` lanes."""
    across, down, deep = block
    if down == deep == 1:
        return LINE
    if across % lanes == 0:
        return WIDE
    rows = lanes // across
    # Longer rows than one lane only: their stride of 0 would hide that lanes differ in y.
    if 1 < across < lanes and across & (across - 1) == 0 and (deep == 1 or down % rows == 0):
        return str(across)
    return ANY


_PIECES = 8
"""Rows of lanes for which a host has enough registers for addresses."""

_REGISTERS = 4
"""Host registers of one value of a wave with rows, of which some are needed at once."""


def most_in_column(layout: str, lanes: int, registers: int) -> int:
    """How many workgroups of a column may run together in this layout, a power of two: what each of them loads for
    itself is put together of as many pieces as a wave has rows.

    Args:
        lanes: of a wave.
        registers: host registers that one value of a wave takes.
    """
    if layout in (LINE, WIDE):
        return _PIECES
    return 1 if layout == ANY or registers > _REGISTERS else max(1, _PIECES * int(layout) // lanes)


def in_column(layout: str, rows: int) -> str:
    """The layout of workgroups of which `rows` in a column run together (:mod:`softrock.lift.columns`)."""
    return f"{layout}/{rows}" if rows > 1 else layout


def rows_of(layout: str) -> tuple[str, int]:
    """A layout that :func:`in_column` gave, and its rows."""
    layout, _, rows = layout.partition("/")
    return layout, int(rows or 1)
