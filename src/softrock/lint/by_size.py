"""Code that is there for one wave size only: behind ``#if WARP_SIZE == 64``, ``if (warpSize > 32)``, and the like."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from softrock.hipify.lexer import Token
from softrock.lint.file import File
from softrock.lint.lanes import WARP_SIZE_NAME
from softrock.lint.once import once
from softrock.lint.outline import Function
from softrock.lint.threads import threads

_TARGET = re.compile(r"__(?:gfx|GFX)\w+__")
_KIND = re.compile(r"\w*wave(?:front)?_?(?:32|64)\w*", re.IGNORECASE)
_SIZES = frozenset({"16", "32", "64", "16u", "32u", "64u", "16U", "32U", "64U"})


def chosen_by_size(file: File, line: int) -> bool:
    """Whether the code in a line (from 1) is compiled, or carried out, for some wave sizes only."""
    made = _ranges(file)
    at = bisect.bisect_right(made, line, key=lambda each: each[0]) - 1
    return at >= 0 and line <= made[at][1]


@once
def _ranges(file: File) -> list[tuple[int, int]]:
    return _merged(sorted([*_branches(file), *_statements(file)]))


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in ranges:
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _about_size(words: set[str]) -> bool:
    """A condition compares the wave's size with a number, or asks for a kind of wave."""
    if any(_KIND.fullmatch(word) for word in words):
        return True
    return bool(words & _SIZES) and any(WARP_SIZE_NAME.fullmatch(word) or word == "warpSize" for word in words)


def _decides(tokens: tuple[Token, ...]) -> bool:
    words = {each.text for each in tokens}
    return _about_size(words) or any(_TARGET.fullmatch(word) for word in words)


def _branches(file: File) -> Iterator[tuple[int, int]]:
    """Lines between an ``#if`` and its ``#endif`` where a condition is about the wave's size or the target."""
    stack: list[tuple[int, bool]] = []
    for line in file.outline.directives:
        if line.word in ("if", "ifdef", "ifndef"):
            stack.append((line.offset, _decides(line.tokens)))
        elif line.word.startswith("elif") and stack:
            stack[-1] = (stack[-1][0], stack[-1][1] or _decides(line.tokens))
        elif line.word == "endif" and stack:
            start, decides = stack.pop()
            if decides:
                yield file.source.position(start)[0], file.source.position(line.offset)[0]


def _statements(file: File) -> Iterator[tuple[int, int]]:
    """Lines of statements that are chosen by the wave's size."""
    outline = file.outline
    if not any(WARP_SIZE_NAME.fullmatch(name) or name == "warpSize" or _KIND.fullmatch(name) for name in outline.names):
        return
    for function in outline.functions:
        for statement, _ in function.paths():
            if statement.kind in ("if", "switch") and _by_size(function, statement.head, statement.kind):
                first, last = outline.tokens[statement.start], outline.tokens[statement.end - 1]
                yield file.source.position(first.offset)[0], file.source.position(last.offset)[0]


def _by_size(function: Function, head: tuple[int, int], kind: str) -> bool:
    words = {function.outline.at(at) for at in range(*head)}
    if kind == "switch":
        words |= {"32"}
    return _about_size(words) and not threads(function).varies(head)
