"""Values of fields of an instruction word."""

from __future__ import annotations

from softrock.isa import Layout
from softrock.isa.tables import Field


def extract(field: Field, word: int) -> int:
    """A field's value, sign-extended where it is signed."""
    value, place = 0, 0
    for low, width in field.pieces:
        value |= (word >> low & ((1 << width) - 1)) << place
        place += width
    if field.kind == "i" and value >> (place - 1):
        value -= 1 << place
    return value


def bits(field: Field) -> int:
    """The bits of the word that a field takes."""
    found = 0
    for low, width in field.pieces:
        found |= ((1 << width) - 1) << low
    return found


def flag(layout: Layout, name: str, word: int) -> int:
    """The value of a field of this name, 0 where the layout has none."""
    return extract(layout[name], word) if name in layout else 0
