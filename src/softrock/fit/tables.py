"""Reading the tables that come with softrock: columns by tabs, comments by #."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table in ``fit/data`` by its header."""
    text = resources.files("softrock.fit").joinpath("data", name).read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    header = lines[0].split("\t")
    found = []
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) > len(header):
            raise ValueError(f"{name}: {line!r} has too many columns")  # a defect of the table, not of any input
        found.append(dict(zip(header, cells + [""] * (len(header) - len(cells)), strict=True)))
    return tuple(found)
