"""Changes to a source's text."""

from __future__ import annotations

import difflib
import operator
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from softrock.hipify.source import Source


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


_ORDER = operator.attrgetter("offset", "length", "text", "why")


def consistent(edits: Iterable[Edit]) -> list[Edit]:
    """In order, each once, without those that overlap an earlier one (the second run of the tool makes them)."""
    kept: list[Edit] = []
    end, last = 0, None  # of the last one kept: where it ends, and where and how long it is
    for edit in sorted(edits, key=_ORDER):
        place = edit.offset, edit.length
        if edit.offset < end or place == last:
            continue
        kept.append(edit)
        end, last = edit.offset + edit.length, place
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


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Lines as `patch` sees them: form feeds and their like do not end one."""


def _quoted(name: str) -> str:
    """A name as git and `patch` write one with control characters in it: in quotes, with octal numbers."""
    if not re.search(r"[\0-\x1f\x7f\"\\]", name):
        return name
    return '"' + re.sub(r"[\0-\x1f\x7f\"\\]", lambda found: f"\\{ord(found[0]):03o}", name) + '"'


def unified_diff(source: Source, changed: str, context: int = 3) -> str:
    """A patch from the source to `changed`, a character a byte as they are; empty where they are the same."""
    before, after = (_LINE.findall(each) for each in (source.text, changed))
    name = os.fsencode(source.path).decode("latin-1").lstrip("/")
    lines = difflib.unified_diff(before, after, _quoted(f"a/{name}"), _quoted(f"b/{name}"), n=context)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)
