"""What a person has to know about a place in a source."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from softrock.core.text import printable
from softrock.hipify.edits import Edit
from softrock.hipify.source import Source


class Severity(enum.IntEnum):
    """How bad it is. An error makes the command's exit status 1."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Attributes:
        rule: its id, e.g. ``unknown-api`` or ``warp-size-literal``.
        line, column: where it begins, from 1.
        end_line, end_column: behind its last character.
        message: what is wrong, in one sentence.
        hint: what to do about it.
        fix: edits that mend it, safe to make without a look; empty where a person must decide.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    hint: str = ""
    fix: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        tail = f"\n  mend: {printable(self.hint)}" if self.hint else ""
        place = f"{printable(self.path)}:{self.line}:{self.column}"
        return f"{place}: {self.severity}: {printable(self.message)} [{self.rule}]{tail}"


def at(
    source: Source,
    offset: int,
    length: int,
    rule: str,
    severity: Severity,
    message: str,
    hint: str = "",
    fix: tuple[Edit, ...] = (),
) -> Finding:
    """A finding about `length` bytes at `offset`."""
    line, column = source.position(offset)
    end_line, end_column = source.position(offset + length)
    return Finding(rule, severity, str(source.path), line, column, end_line, end_column, message, hint, fix)
