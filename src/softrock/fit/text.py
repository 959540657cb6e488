"""Numbers and names as people read them."""

from __future__ import annotations

from softrock.core.text import printable

GB = 1000**3
GIB = 1024**3


def clean(text: object, limit: int = 80) -> str:
    """Text from a file without what a terminal would take for a command, cut to `limit` characters."""
    raw = str(text)
    return printable(raw[:limit]) + ("…" if len(raw) > limit else "")


def gigabytes(size: float) -> str:
    """``141.1 GB (131.4 GiB)``."""
    return f"{size / GB:,.1f} GB ({size / GIB:,.1f} GiB)"


def exact(size: int) -> str:
    """``141,107,412,992 bytes = 141.1 GB = 131.4 GiB``."""
    return f"{size:,} bytes = {size / GB:,.1f} GB = {size / GIB:,.1f} GiB"


def count(number: int) -> str:
    """``70.55 B`` of parameters, or ``268.1 M``."""
    if number >= 10**9:
        return f"{number / 1e9:,.2f} B"
    return f"{number / 1e6:,.1f} M"


def short(number: float) -> str:
    """A figure with three digits or more, no more than it is worth."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.3g}"
