"""Kernels in the string literals of Python sources, as CuPy, PyCUDA and HIP-Python have them.

Such a string is handed to the rules as a source of its own that is as long as the file, with everything else in it
blank: offsets, lines and edits hold for the file as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.source import Source

_LITERAL = re.compile(
    r"""\#[^\n]*
      | (?P<prefix>[A-Za-z]{0,2})(?P<quote>\"{3}|'{3})(?P<long>(?:\\.|.)*?)(?P=quote)
      | (?P<prefix1>[A-Za-z]{0,2})(?P<quote1>["'])(?P<short>(?:\\.|(?!(?P=quote1))[^\n\\])*)(?P=quote1)
    """,
    re.VERBOSE | re.DOTALL,
)
_KERNEL = re.compile(
    r"\b__(?:global|device|shared)__\b|\b__(?:shfl|ballot|syncwarp|syncthreads|popc|ffs)\w*\s*\(|\bthreadIdx\s*\.|#\s*define\s+\w+"
    r"|\basm(?:\s+volatile)?\s*\("
)
_BLANK = re.compile(r"[^\n]")
_ESCAPE = re.compile(r"\\.", re.DOTALL)


def kernels_in(source: Source) -> Iterator[tuple[Source, str]]:
    """Sources of kernels in a Python file, each with its language ("cuda" or "hip")."""
    text = source.text
    for match in _LITERAL.finditer(text):
        group = "long" if match["quote"] else "short"
        body = match[group]
        if not body or not _KERNEL.search(body):
            continue
        prefix = (match["prefix"] if match["quote"] else match["prefix1"]) or ""
        if "r" not in prefix.lower():
            body = _ESCAPE.sub(lambda escape: "\\\n" if escape[0] == "\\\n" else "  ", body)
        start, end = match.span(group)
        blanked = _BLANK.sub(" ", text[:start]) + body + _BLANK.sub(" ", text[end:])
        yield Source(source.path, blanked, source.encoding), "hip" if "hip" in body and "cuda" not in body else "cuda"
