"""A tolerant tokenizer of C++ and CUDA.

It never fails: what it does not know is a punctuator of one character, an unterminated string ends with its line, an
unterminated comment with the file. White space is left out; offsets say where everything stood.
"""

from __future__ import annotations

import enum
import re
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


_SPLICE = r"\\\r?\n"
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+\*/"
_BLANK = rf"(?:[ \t\f\v]|{_SPLICE}|{_COMMENT})"
_DIRECTIVES = (
    "include_next include import define undef if ifdef ifndef elif elifdef elifndef else endif pragma error warning"
)
_LETTER = r"A-Za-z_$\x80-\xff"
_PATTERN = re.compile(
    rf"""
    [ \t\r\f\v]*+(?:{_SPLICE}[ \t\r\f\v]*+)*+
    (?:
      (?P<newline>\n)
    | (?P<name>(?!(?:u8|[uUL])?(?:R?"|'))[{_LETTER}][0-9{_LETTER}]*+(?:{_SPLICE}[0-9{_LETTER}]++)*+)
    | (?P<comment>//(?:{_SPLICE}|[^\n])*+|/\*.*?(?:\*/|\Z))
    | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{{0,16}})\(.*?(?:\)(?P=mark)"|\Z)
      | (?:u8|[uUL])?"(?:{_SPLICE}|\\.|[^"\\\n])*+"?)
    | (?P<char>(?:u8|[uUL])?'(?:{_SPLICE}|\\.|[^'\\\n])*+'?)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_.])*+)
    | (?P<directive>(?:\#|%:){_BLANK}*+(?:{"|".join(_DIRECTIVES.split())})\b)
    | (?P<punct><<<|>>>|<<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|%:%:|.)
    | (?P<rest>\Z)
    )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_HEADER = re.compile(rf"{_BLANK}*+(?P<header><[^>\n]*>|\"[^\"\n]*\")", re.DOTALL)
_PROSE = re.compile(rf"(?:{_SPLICE}|//(?:{_SPLICE}|[^\n])*+|{_COMMENT}|[^\n])*+")
"""Behind ``#error``: to the end of the line."""
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


def tokens(text: str, comments: bool = True) -> list[Token]:
    """The tokens of a source in order, those of comments only where they are wanted."""
    out: list[Token] = []
    add = out.append
    at = len(_MARK) if text.startswith(_MARK) else 0
    fresh, inside = True, False  # at the beginning of a line; in a directive
    kinds, make, cls = _KINDS, tuple.__new__, Token  # a source has hundreds of thousands of them
    comment, directive = Kind.COMMENT, Kind.DIRECTIVE
    match = _PATTERN.scanner(text, at).match  # type: ignore[attr-defined]
    while True:
        found = match()
        group = found.lastgroup
        if group == "newline":
            if inside:
                add(Token(Kind.END, "", found.end() - 1))
                inside = False
            fresh = True
            continue
        if group == "rest":
            break
        kind = kinds[group]
        start = found.start(group)
        if kind is directive:
            at = found.end()
            if not fresh:  # '#' in the middle of a line is no directive
                at = start + (1 if text[start] == "#" else 2)
                add(Token(Kind.PUNCT, text[start:at], start))
            else:
                add(Token(kind, found[group], start))
                fresh, inside = False, True
                word = found[group]
                if word.endswith(("include", "include_next", "import")):
                    header = _HEADER.match(text, at)
                    if header:
                        add(Token(Kind.HEADER, header["header"], header.start("header")))
                        at = header.end()
                elif word.endswith(("error", "warning")):
                    prose = _PROSE.match(text, at)
                    at = prose.end() if prose else at
            match = _PATTERN.scanner(text, at).match  # type: ignore[attr-defined]
            continue
        if kind is not comment:
            fresh = False
        elif not comments:
            continue
        add(make(cls, (kind, found[group], start)))
    if inside:
        add(Token(Kind.END, "", len(text)))
    return out


def code(text: str) -> list[Token]:
    """The tokens without comments and ends of directives."""
    return [each for each in tokens(text, comments=False) if each.kind is not Kind.END]
