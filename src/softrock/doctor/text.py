"""Text of the machine as it may be printed."""

from __future__ import annotations

LONGEST = 1000
"""Characters of one text that are shown."""


def clean(text: str, longest: int = LONGEST) -> str:
    """A text in one line, without control characters and lone surrogates (they become ``?``), cut to a length."""
    shown = text[: longest + 1]
    if not shown.isprintable():
        shown = "".join(each if each.isprintable() else " " if each in "\n\t\r" else "?" for each in shown)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
