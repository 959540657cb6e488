"""What is known of a GPU, by name: the table of fields, and a GPU's values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from softrock.core.text import printable

Word = str | int | float | None
"""A value; None where it cannot be had."""

NA = "N/A"


@dataclass(frozen=True, slots=True)
class Field:
    """A row of fields.tsv."""

    name: str
    group: str
    kind: str
    about: str

    @property
    def static(self) -> bool:
        """It does not change while the machine runs."""
        return self.group.startswith("static:")


@dataclass(slots=True)
class Gpu:
    """A GPU.

    Attributes:
        index: its number here: by PCI address, then software GPUs.
        values: by names of fields.tsv; a name that is missing counts as None.
        notes: what could not be read, and why.
        kfd: number the compute driver gives it, 0 for none.
        node: its number in the compute driver's topology, -1 for none.
    """

    index: int
    values: dict[str, Word] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    kfd: int = 0
    node: int = -1

    def get(self, name: str) -> Word:
        """A value by name of fields.tsv."""
        return self.values.get(name)

    def number(self, name: str) -> float | None:
        """A value that is a number; None for others."""
        value = self.values.get(name)
        return value if isinstance(value, int | float) else None

    def put(self, name: str, value: Word) -> None:
        """Set a value, unless it is None or there is one already (the first source is the best)."""
        assert name in table(), name
        if value is not None and self.values.get(name) is None:
            self.values[name] = value


def rows(name: str) -> list[list[str]]:
    """Rows of a table of this package."""
    text = (resources.files(__package__) / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


@cache
def table() -> dict[str, Field]:
    """All fields by name, in the order in which they are shown."""
    return {row[0]: Field(*row) for row in rows("fields.tsv")}


def groups(*, static: bool) -> list[str]:
    """Names of groups, in order."""
    return list(dict.fromkeys(each.group.removeprefix("static:") for each in table().values() if each.static == static))


def shown(value: Word) -> str:
    """A value as people read it."""
    if value is None:
        return NA
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return printable(str(value))
