"""Code that is cut off, or lacks a token, is linted as far as it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.lexer import tokens
from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.engine import Settings
from softrock.lint.registry import rules

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(each for each in CORPUS.rglob("*") if each.suffix in (".cu", ".hip", ".py"))


_LARGE = 2_000
"""Bytes of an input from which on not every token is left out."""


def _lint_broken(path: Path, step: int) -> int:
    source = Source.read(path)
    settings = Settings(targets.targets("gfx942,gfx1100"), frozenset(rules()), parse=False)
    language = engine.language_of(source)
    number = 0
    for token in list(tokens(source.text))[len(path.name) % step :: step]:
        text = source.text
        for broken in (text[: token.end], text[token.offset :], text[: token.offset] + text[token.end :]):
            for each in engine.findings_of(Source(path, broken), language, settings):
                assert 1 <= each.line <= broken.count("\n") + 1
            number += 1
    return number


def test_no_cut_is_too_much() -> None:
    assert sum(_lint_broken(path, 23 if path.stat().st_size < _LARGE else 211) for path in INPUTS) > 500


@pytest.mark.long
def test_no_cut_is_too_much_everywhere() -> None:
    assert sum(_lint_broken(path, 1 if path.stat().st_size < _LARGE else 11) for path in INPUTS) > 10_000


@pytest.mark.parametrize("end", ["31 ==", "lane &", "x % -", "x / A::", "x = (", "std::vector<int>", "<int W = f("])
def test_ends_in_the_middle_of_an_expression(end: str) -> None:
    settings = Settings(targets.targets(None), frozenset(rules()), parse=False)
    for head in ("", "__global__ void k(int lane, int x) { ", "template ", "#define LANE "):
        engine.findings_of(Source(Path("a.cu"), f"k<<<1, 2>>>(x);\n{head}{end}"), "cuda", settings)
