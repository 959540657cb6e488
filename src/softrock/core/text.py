"""Text that came from outside, as it may be shown."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text without what a terminal would obey: control characters, lone surrogates and other marks that do not print
    become ``?``, each of them, so that its length stays."""
    return text if text.isprintable() else "".join(each if each.isprintable() else "?" for each in text)
