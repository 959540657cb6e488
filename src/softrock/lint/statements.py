"""Statements of a function's body, by tokens alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from softrock.hipify.lexer import Kind

if TYPE_CHECKING:
    from softrock.lint.outline import Outline

Range = tuple[int, int]
"""Indices into `Outline.tokens`, half open."""

PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(slots=True)
class Statement:
    """A statement.

    Attributes:
        kind: "block", "if", "for", "while", "do", "switch", "macro" (a loop behind a macro's name), "return", "plain".
        start, end: its tokens.
        head: what stands in the parentheses behind ``if``, ``for``, …; empty where there is none.
        children: the statements in it: of an ``if`` the one taken and the other one.
    """

    kind: str
    start: int
    end: int
    head: Range = (0, 0)
    children: list[Statement] = field(default_factory=list)


class Builder:
    """Statements from tokens; what is not understood is a plain statement up to the next semicolon."""

    _DEPTH = 150

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.depth = 0

    def block(self, start: int, end: int) -> list[Statement]:
        found = []
        at = start
        while at < end:
            statement = self.statement(at, end)
            found.append(statement)
            at = max(statement.end, at + 1)
        return found

    def statement(self, at: int, end: int) -> Statement:
        if self.depth > self._DEPTH:
            return Statement("plain", at, end)
        self.depth += 1
        try:
            return self._statement(at, end)
        finally:
            self.depth -= 1

    def _statement(self, at: int, end: int) -> Statement:
        outline = self.outline
        text = outline.at(at)
        if text == "{" and at in outline.match:
            close = min(outline.match[at], end)
            return Statement("block", at, min(close + 1, end), children=self.block(at + 1, close))
        if text in ("if", "for", "while", "switch"):
            return self._headed(text, at, end)
        if text == "do":
            body = self.statement(at + 1, end)
            stop = self._semicolon(body.end, end)
            opening = body.end + 1
            head = (
                (opening + 1, outline.match[opening])
                if outline.at(opening) == "(" and opening in outline.match
                else (0, 0)
            )
            return Statement("do", at, stop, head, [body])
        if text == "else":  # of an if in a branch that was left out
            return self.statement(at + 1, end) if at + 1 < end else Statement("plain", at, end)
        if text == "return":
            return Statement("return", at, self._semicolon(at, end))
        call = outline.call_at(at) if outline.at(at + 1) == "(" and outline.tokens[at].kind is Kind.NAME else None
        if call and outline.at(call.close + 1) == "{" and call.close + 1 < end:
            body = self.statement(call.close + 1, end)
            return Statement("macro", at, body.end, (at + 2, call.close), [body])
        return Statement("plain", at, self._semicolon(at, end))

    def _headed(self, word: str, at: int, end: int) -> Statement:
        outline = self.outline
        opening = at + 1
        while outline.at(opening) in ("constexpr", "consteval"):
            opening += 1
        if outline.at(opening) != "(" or opening not in outline.match or outline.match[opening] >= end:
            return Statement("plain", at, self._semicolon(at, end))
        close = outline.match[opening]
        head = (opening + 1, close)
        if close + 1 >= end:
            return Statement(word, at, end, head)
        body = self.statement(close + 1, end)
        children = [body]
        stop = body.end
        if word == "if" and outline.at(stop) == "else" and stop + 1 < end:
            other = self.statement(stop + 1, end)
            children.append(other)
            stop = other.end
        return Statement(word, at, stop, head, children)

    def _semicolon(self, at: int, end: int) -> int:
        """Index behind the next semicolon outside of brackets."""
        outline = self.outline
        while at < end:
            text = outline.tokens[at].text
            if text == ";":
                return at + 1
            if text in PAIRS and outline.tokens[at].kind is Kind.PUNCT and at in outline.match:
                at = outline.match[at]
            elif text == ":" and outline.at(at - 2) in ("case", "default", "{", "}", ";") and outline.at(at + 1) != ":":
                return at + 1  # a label
            at += 1
        return end
