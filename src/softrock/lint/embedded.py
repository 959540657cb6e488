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


_MOST = 100
"""Kernels of a file that are looked at one by one; what follows is taken for one source."""
_BETWEEN = re.compile(r"(?:[\s\\+]|\#[^\n]*+(?:\n|\Z))*+")
"""What stands between strings that are one: blanks, comments, a plus."""
_PLACE = re.compile(r"\{\{|\}\}|\{[^{}\n]*\}")


def kernels_in(source: Source) -> Iterator[tuple[Source, str]]:
    """Sources of kernels in a Python file, each with its language ("cuda" or "hip")."""
    kernels: list[list[tuple[int, str]]] = []
    for group in _joined(source.text):
        parts = [(match.start("long" if match["quote"] else "short"), _body(match)) for match in group]
        if not _KERNEL.search("".join(body for _, body in parts)):
            continue
        if len(kernels) < _MOST:
            kernels.append(parts)
        else:
            kernels[-1] += parts
    for parts in kernels:
        body = "".join(each for _, each in parts)
        language = "hip" if "hip" in body and "cuda" not in body else "cuda"
        yield Source(source.path, _alone(source.text, parts), source.encoding), language


def _alone(text: str, parts: list[tuple[int, str]]) -> str:
    """A file with everything blank but some pieces of it."""
    found, at = [], 0
    for start, body in parts:
        found += [_BLANK.sub(" ", text[at:start]), body]
        at = start + len(body)
    return "".join(found) + _BLANK.sub(" ", text[at:])


def _joined(text: str) -> Iterator[list[re.Match[str]]]:
    """String literals, those that Python puts together in one list."""
    group: list[re.Match[str]] = []
    for match in _LITERAL.finditer(text):
        if match[0].startswith("#"):
            continue
        if group and not _BETWEEN.fullmatch(text, group[-1].end(), match.start()):
            yield group
            group = []
        group.append(match)
    if group:
        yield group


def _body(match: re.Match[str]) -> str:
    """A literal's text as the program has it, as far as that has the same length."""
    body = match["long"] if match["quote"] else match["short"]
    prefix = ((match["prefix"] if match["quote"] else match["prefix1"]) or "").lower()
    if "r" not in prefix:
        body = _ESCAPE.sub(lambda escape: "\\\n" if escape[0] == "\\\n" else "  ", body)
    if "f" in prefix:
        body = _PLACE.sub(lambda place: {"{{": " {", "}}": "} "}.get(place[0], "_" * len(place[0])), body)
    return body
