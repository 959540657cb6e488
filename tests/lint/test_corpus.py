"""Small inputs and exactly what is found in each; `corpus/<folder>/<input>.expected` has lines ``line:column rule``.

A comment ``softrock-gpu: NAMES`` in an input chooses other GPUs than the default ones. ``python -m
tests.lint.test_corpus`` writes the expectations anew; look at the difference.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.registry import rules

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = {"waves": {"wave_size", "masks", "shuffles", "reductions", "launch"}}
"""Folder -> families of rules that run on its inputs."""
INPUTS = sorted(each for name in FOLDERS for each in (CORPUS / name).iterdir() if each.suffix != ".expected")


def found_in(path: Path, parse: bool) -> list[str]:
    """The findings in an input, as its expectation has them."""
    source = Source.read(path)
    match = re.search(r"softrock-gpu: ([\w,]+)", source.text)
    chosen = frozenset(each.id for each in rules().values() if each.family in FOLDERS[path.parent.name])
    settings = engine.Settings(targets.targets(match[1] if match else None), chosen, parse=parse)
    return [f"{each.line}:{each.column} {each.rule}" for each in engine.check(source, settings).findings]


def expectation(path: Path) -> Path:
    """The file that holds what is to be found in an input."""
    return path.with_name(path.name + ".expected")


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_findings_are_exactly_those_expected(path: Path) -> None:
    assert found_in(path, parse=False) == expectation(path).read_text(encoding="utf-8").splitlines()


def test_every_rule_is_found_somewhere_in_the_corpus() -> None:
    found = {line.split()[1] for path in INPUTS for line in expectation(path).read_text(encoding="utf-8").splitlines()}
    for families in FOLDERS.values():
        assert {each.id for each in rules().values() if each.family in families} <= found


def test_the_corpus_has_inputs_without_findings() -> None:
    assert sum(not expectation(path).read_text(encoding="utf-8") for path in INPUTS) >= 10


def main() -> None:
    """Write all expectations anew."""
    for path in INPUTS:
        lines = found_in(path, parse=False)
        expectation(path).write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
