"""Which bytes of a file the preprocessor skipped.

A line ``#error`` is put into every branch of a copy of the file; clang says which of them it comes across. That needs
no preprocessor of our own, and holds whatever conditions depend on: flags, headers, ``__has_include``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from softrock.hipify.lexer import Kind, Token, tokens

_MARK = "softrock-branch"
_REACHED = re.compile(rf": error: {_MARK} (\d+)$", re.MULTILINE)
_OPENS = frozenset(["if", "ifdef", "ifndef"])
_CONTINUES = frozenset(["elif", "elifdef", "elifndef", "else"])


@dataclass(slots=True)
class Branch:
    """What stands between two conditional directives of one level.

    Attributes:
        start: offset behind the line of the directive that opens it.
        end: offset of the directive that closes it.
    """

    start: int
    end: int


def branches(text: str, found: Sequence[Token] | None = None) -> list[Branch]:
    """All branches of a file in the order in which they begin; one that is not closed ends with the file."""
    result: list[Branch] = []
    stack: list[Branch | None] = []
    opening = False
    for token in tokens(text) if found is None else found:
        if token.kind is Kind.DIRECTIVE:
            word = token.text.lstrip("#").replace("\\\r\n", "").replace("\\\n", "").strip()
            opening = word in _OPENS or word in _CONTINUES
            if (word in _CONTINUES or word == "endif") and stack:
                top = stack[-1]
                if top is not None:
                    top.end = token.offset
                if word == "endif":
                    stack.pop()
            elif word in _CONTINUES:
                opening = False  # without an #if
            if word in _OPENS:
                stack.append(None)
        elif token.kind is Kind.END and opening:
            start = min(text.find("\n", token.offset) + 1 or len(text), len(text))
            branch = Branch(start, len(text))
            result.append(branch)
            stack[-1] = branch
            opening = False
    return result


def marked(text: str, found: Sequence[Branch]) -> str:
    """The text with a mark in every branch."""
    parts: list[str] = []
    at = 0
    for number, branch in enumerate(found):
        parts.append(text[at : branch.start])
        if parts[-1] and not parts[-1].endswith("\n"):
            parts.append("\n")
        parts.append(f"#error {_MARK} {number}\n")
        at = branch.start
    return "".join([*parts, text[at:]])


def reached(messages: str) -> set[int]:
    """Numbers of the branches whose mark clang came across."""
    return {int(number) for number in _REACHED.findall(messages)}


def skipped(found: Sequence[Branch], seen: Set[int]) -> list[tuple[int, int]]:
    """Ranges [start, end) that were skipped, in order, none in another."""
    ranges: list[tuple[int, int]] = []
    for number, branch in enumerate(found):
        inside = bool(ranges) and branch.start < ranges[-1][1]
        if number not in seen and not inside and branch.end > branch.start:
            ranges.append((branch.start, branch.end))
    return ranges
