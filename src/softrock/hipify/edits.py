"""Changes to a source's text."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from softrock.hipify.source import Source, readable


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace `length` bytes at `offset` by `text`; `why` names the table row or rule that asks for it."""

    offset: int
    length: int
    text: str
    why: str = ""

    @property
    def end(self) -> int:
        """Offset behind what is replaced."""
        return self.offset + self.length


def consistent(edits: Iterable[Edit]) -> list[Edit]:
    """In order, each once, without those that overlap an earlier one (the second run of the tool makes them)."""
    kept: list[Edit] = []
    for edit in sorted(set(edits)):
        if kept and (edit.offset < kept[-1].end or (edit.offset, edit.length) == (kept[-1].offset, kept[-1].length)):
            continue
        kept.append(edit)
    return kept


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with `consistent` edits made; all other bytes stay as they are."""
    parts: list[str] = []
    at = 0
    for edit in consistent(edits):
        parts += text[at : edit.offset], edit.text
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def unified_diff(source: Source, changed: str, context: int = 3) -> str:
    """A patch from the source to `changed`; empty where they are the same."""
    before, after = (readable(each).splitlines(keepends=True) for each in (source.text, changed))
    name = str(source.path).lstrip("/")
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", n=context)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)
