"""Inline assembly in C++ sources, and the PTX in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from softrock.hipify.lexer import Kind, Token

_ASM = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "goto", "inline"})
_ESCAPE = re.compile(r"\\(?:\r?\n|.)", re.DOTALL)
_STRING = re.compile(r'(?:u8|[uUL])?(?:R"(?P<mark>[^(]*)\((?P<raw>.*)\)(?P=mark)"|"(?P<plain>.*?)"?)', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(
    r"\s*(?P<label>[A-Za-z_$][\w$%=]*:(?!:)\s*)?(?P<predicate>@!?\s*%{0,2}\w+\s+)?(?P<name>[A-Za-z][\w.:]*)(?P<operands>[^;]*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of an assembly text: its opcode, operands, offset in the file, whether a predicate guards it."""

    name: str
    operands: tuple[str, ...]
    offset: int
    predicated: bool

    @property
    def text(self) -> str:
        """All of it, for a look at the registers it names."""
        return f"{self.name} {', '.join(self.operands)}"


@dataclass(frozen=True)
class Asm:
    """An ``asm`` statement.

    Attributes:
        start, end: offsets of the word and behind the closing parenthesis.
        characters: (character, offset) of the text, escapes turned to blanks.
        operands: expressions of outputs and inputs, in the order of their numbers, as (constraint, source text).
        clobbers: what stands behind the inputs.
        strings: it has a text (it may be a macro's).
    """

    start: int
    end: int
    characters: tuple[tuple[str, int], ...]
    operands: tuple[tuple[str, str], ...]
    clobbers: tuple[str, ...]
    strings: bool

    @cached_property
    def instructions(self) -> list[Instruction]:
        """The instructions in the text; declarations and braces are left out."""
        text = "".join(character for character, _ in self.characters)
        text = _COMMENT.sub(lambda match: " " * len(match[0]), text)
        text = text.replace("{", " ").replace("}", " ") if "{" in text.split(";")[0].lstrip()[:1] else text
        found, at = [], 0
        for part in re.split(r"(;|\n)", text):
            match = _STATEMENT.match(part)
            name_at = at + match.start("name") if match else at
            at += len(part)
            if not match or part.lstrip().startswith("."):
                continue
            operands = tuple(_split(match["operands"]))
            found.append(Instruction(match["name"], operands, self.characters[name_at][1], bool(match["predicate"])))
        return found


def _split(operands: str) -> Iterator[str]:
    """Operands between commas outside of brackets."""
    depth, part = 0, ""
    for character in operands:
        depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and depth <= 0:
            yield part.strip()
            part = ""
        else:
            part += character
    if part.strip():
        yield part.strip()


def asm_statements(tokens: Sequence[Token], source: str) -> Iterator[Asm]:
    """The ``asm`` statements among some tokens of a source."""
    behind = 0
    for index, token in enumerate(tokens):
        if index < behind or token.text not in _ASM or token.kind is not Kind.NAME:
            continue
        at = index + 1
        while at < len(tokens) and tokens[at].text in _QUALIFIERS:
            at += 1
        if at < len(tokens) and tokens[at].text == "(":
            found, behind = _asm(tokens, token.offset, at, source)
            if found and not _names_a_symbol(found):
                yield found


def _names_a_symbol(asm: Asm) -> bool:
    """Whether it stands behind a declaration and gives the symbol's name: ``void f() __asm("llvm.amdgcn.f");``."""
    text = "".join(character for character, _ in asm.characters)
    return text.startswith("llvm.") and not asm.operands


_LONG = 6000
"""Tokens of a statement, at most."""


def _asm(tokens: Sequence[Token], start: int, opening: int, source: str) -> tuple[Asm | None, int]:
    """The statement whose parenthesis opens at an index, None where it is not closed; where to go on."""
    sections: list[list[Token]] = [[]]
    depth, at = 0, opening
    last = min(len(tokens), opening + _LONG)
    while at < last:
        text = tokens[at].text
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text, 0) if tokens[at].kind is Kind.PUNCT else 0
        if depth == 0:
            break
        if text == ";":
            return None, at
        if depth == 1 and text in (":", "::") and tokens[at].kind is Kind.PUNCT:
            sections += [[] for _ in text]
        elif at > opening:
            sections[-1].append(tokens[at])
        at += 1
    if at == last:
        return None, at
    characters = [pair for each in sections[0] if each.kind is Kind.STRING for pair in _characters(each)]
    operands = tuple(operand for section in sections[1:3] for operand in _operands(section, source))
    clobbers = tuple(each.text.strip('"') for section in sections[3:4] for each in section if each.kind is Kind.STRING)
    strings = any(each.kind is Kind.STRING for each in sections[0])
    return Asm(start, tokens[at].end, tuple(characters), operands, clobbers, strings), at


def _characters(token: Token) -> Iterator[tuple[str, int]]:
    """The characters of a string literal, each with its offset; an escaped line end counts as one, others as blanks."""
    match = _STRING.fullmatch(token.text)
    if match is None:
        return
    raw = match["raw"] is not None
    body = match["raw"] if raw else match["plain"]
    offset = token.offset + match.start("raw" if raw else "plain")
    if not raw:
        body = _ESCAPE.sub(lambda escape: ("\n" if escape[0] == "\\n" else " ").ljust(len(escape[0])), body)
    yield from ((character, offset + index) for index, character in enumerate(body))


def _operands(section: Sequence[Token], source: str) -> Iterator[tuple[str, str]]:
    """(constraint, expression) of each ``"=r"(x)`` between commas."""
    at = 0
    while at < len(section):
        if section[at].kind is Kind.STRING and at + 1 < len(section) and section[at + 1].text == "(":
            depth, end = 0, at + 1
            while end < len(section):
                depth += {"(": 1, ")": -1}.get(section[end].text, 0)
                if depth == 0:
                    break
                end += 1
            if end < len(section):
                yield section[at].text.strip('"'), source[section[at + 1].end : section[end].offset].strip()
            at = end
        at += 1
