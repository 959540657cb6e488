"""Text of the machine as it may be printed."""

from __future__ import annotations

from softrock.core.text import printable

_BLANKS = str.maketrans("\n\t\r", "   ")

LONGEST = 1000
"""Characters of one text that are shown."""


def clean(text: str, longest: int = LONGEST) -> str:
    """A text in one line, without control characters and lone surrogates (they become ``?``), cut to a length."""
    shown = printable(text[: longest + 1].translate(_BLANKS))
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
