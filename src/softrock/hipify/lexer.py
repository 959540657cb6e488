"""A tolerant tokenizer of C++ and CUDA.

It never fails: what it does not know is a punctuator of one character, an unterminated string ends with its line, an
unterminated comment with the file. White space is left out; offsets say where everything stood.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple


class Kind(enum.IntEnum):
    """What a token is."""

    COMMENT = 1
    STRING = 2
    CHAR = 3
    NUMBER = 4
    NAME = 5
    PUNCT = 6
    DIRECTIVE = 7
    """``#define``, ``#  include``, …: the word is in the text, with its blanks."""
    HEADER = 8
    """``<…>`` or ``"…"`` behind ``#include`` and its kin, quotes included."""
    END = 9
    """End of a directive's logical line; empty."""


class Token(NamedTuple):
    """A piece of source text: its kind, its text, its offset in `Source.text`."""

    kind: Kind
    text: str
    offset: int

    @property
    def end(self) -> int:
        """Offset behind it."""
        return self.offset + len(self.text)


_BLANK = r"(?:[ \t\f\v]|\\\r?\n)"
_DIRECTIVES = "include_next include import define undef if ifdef ifndef elif elifdef elifndef else endif pragma error"
_PATTERN = re.compile(
    rf"""
      (?P<space>(?:[ \t\r\f\v]|\\\r?\n)+)
    | (?P<newline>\n)
    | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{{0,16}})\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\\r?\n|\\.|[^"\\\n])*"?)
    | (?P<char>(?:u8|[uUL])?'(?:\\\r?\n|\\.|[^'\\\n])*'?)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_.])*)
    | (?P<name>[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]*)
    | (?P<directive>\#{_BLANK}*(?:{"|".join(_DIRECTIVES.split())})\b)
    | (?P<punct><<<|>>>|<<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_HEADER = re.compile(rf"{_BLANK}*(?P<header><[^>\n]*>|\"[^\"\n]*\")")
_MARK = "\xef\xbb\xbf"
"""A byte order mark at the beginning of a file is no token."""
_KINDS = {
    "comment": Kind.COMMENT,
    "string": Kind.STRING,
    "char": Kind.CHAR,
    "number": Kind.NUMBER,
    "name": Kind.NAME,
    "punct": Kind.PUNCT,
    "directive": Kind.DIRECTIVE,
}


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a source, comments included, in order."""
    at, end = len(_MARK) if text.startswith(_MARK) else 0, len(text)
    fresh, inside = True, False  # at the beginning of a line; in a directive
    match = _PATTERN.match
    while at < end:
        found = match(text, at)
        assert found is not None, "the last alternative takes any character"
        group = found.lastgroup if found.lastgroup != "mark" else "string"
        start, at = at, found.end()
        if group == "space":
            continue
        if group == "newline":
            if inside:
                yield Token(Kind.END, "", start)
            fresh, inside = True, False
            continue
        kind = _KINDS[group or "punct"]
        if kind is Kind.DIRECTIVE and not fresh:  # '#' in the middle of a line is no directive
            yield Token(Kind.PUNCT, "#", start)
            at = start + 1
            continue
        yield Token(kind, found[0], start)
        if kind is not Kind.COMMENT:
            fresh = False
        if kind is Kind.DIRECTIVE:
            inside = True
            if found[0].rstrip().endswith(("include", "include_next", "import")):
                header = _HEADER.match(text, at)
                if header:
                    yield Token(Kind.HEADER, header["header"], header.start("header"))
                    at = header.end()
    if inside:
        yield Token(Kind.END, "", end)


def code(text: str) -> list[Token]:
    """The tokens without comments and ends of directives."""
    return [each for each in tokens(text) if each.kind is not Kind.COMMENT and each.kind is not Kind.END]
