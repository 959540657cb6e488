"""Arguments between brackets, as far as tokens tell."""

from __future__ import annotations

from softrock.hipify.lexer import Kind, Token


def arguments(tokens: list[Token], opening: int, closing: str = ")") -> list[tuple[int, int]] | None:
    """Ranges of indices of the arguments between brackets; None where they are not closed.

    Commas count outside of brackets of all kinds, and of template arguments as far as ``<`` and ``>`` tell.
    """
    depth = 0
    found: list[tuple[int, int]] = []
    start = opening + 1
    at = start
    while at < len(tokens):
        token = tokens[at]
        text = token.text if token.kind is Kind.PUNCT else ""
        if depth == 0 and text == closing:
            if at > start or found:
                found.append((start, at))
            return found
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return None
        elif text == "<" and depth == 0 and tokens[at - 1].kind is Kind.NAME:
            at = template_end(tokens, at) or at
        elif text == "," and depth == 0:
            found.append((start, at))
            start = at + 1
        elif token.kind is Kind.DIRECTIVE:
            return None
        at += 1
    return None


def template_end(tokens: list[Token], at: int) -> int | None:
    """Index of the > of template arguments that open at an index; None where it is a comparison."""
    depth = 0
    for each in range(at, min(at + 200, len(tokens))):
        text = tokens[each].text
        if text == "<":
            depth += 1
        elif text in (">", ">>"):
            depth -= len(text)
            if depth <= 0:
                return each
        elif text in (";", "{", "}", "&&", "||", ">>>", "<<<"):
            return None
    return None
