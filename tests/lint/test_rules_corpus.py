"""Small inputs that say themselves what is to be found in them.

A comment line marks the finding in the line above it: ``^~~~`` stands under the place, severity and rule follow
(``@N`` gives the column of a place that begins where the comment's own marks stand). What is not marked must not be
found; only the rules of the folder's family run (of all families on Python files, which may hold kernels).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.registry import rules

CORPUS = Path(__file__).parent / "corpus"
FAMILIES = (
    "arch",
    "atomics",
    "barriers",
    "device_properties",
    "errors",
    "fp8",
    "launch_bounds",
    "ptx",
    "python_kernels",
    "python_lanes",
    "shared_memory",
    "streams",
    "textures",
    "unified_memory",
)
ALL = sorted({each.family for each in rules().values()})
INPUTS = sorted(each for name in FAMILIES for each in (CORPUS / name).iterdir())
MARK = re.compile(r"\s*(?://|#)(?P<blank> *)(?P<mark>\^~*) (?P<severity>\w+) (?P<rule>[\w-]+)(?: @(?P<column>\d+))?")

Place = tuple[int, int, int, str, str]
"""Line, column, length, severity, rule."""


def expected_in(text: str) -> list[Place]:
    """The findings that an input's comments mark."""
    found: list[Place] = []
    line = 0
    for number, each in enumerate(text.splitlines(), 1):
        match = MARK.fullmatch(each)
        if match:
            column = int(match["column"] or match.start("mark") + 1)
            found.append((line, column, len(match["mark"]), match["severity"], match["rule"]))
        else:
            line = number
    return sorted(found)


def found_in(path: Path) -> list[Place]:
    """The findings in an input."""
    source = Source.read(path)
    families = ALL if path.parent.name.startswith("python") else (path.parent.name,)
    chosen = frozenset(each.id for each in rules().values() if each.family in families)
    match = re.search(r"softrock-gpu: ([\w,]+)", source.text)
    settings = engine.Settings(targets.targets(match[1] if match else None), chosen, parse=False)
    return sorted(
        (each.line, each.column, each.end_column - each.column, str(each.severity), each.rule)
        for each in engine.check(source, settings).findings
    )


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_findings_are_exactly_those_marked(path: Path) -> None:
    assert found_in(path) == expected_in(path.read_text(encoding="utf-8"))


def test_marks_are_read() -> None:
    text = "ab cd\n// ^~ error one\n//^ note two @1\nef\n#  ^ warning three\n"
    assert expected_in(text) == [(1, 1, 1, "note", "two"), (1, 4, 2, "error", "one"), (4, 4, 1, "warning", "three")]


def test_every_rule_of_the_families_is_found_in_an_input() -> None:
    found = {place[4] for path in INPUTS for place in expected_in(path.read_text(encoding="utf-8"))}
    assert {each.id for each in rules().values() if each.family in FAMILIES} <= found


def test_every_family_has_an_input_without_findings_or_lines_that_are_fine() -> None:
    clean = {path.parent.name for path in INPUTS if not expected_in(path.read_text(encoding="utf-8"))}
    assert {"atomics", "barriers", "errors", "fp8", "launch_bounds", "ptx", "shared_memory", "textures"} <= clean


def test_the_corpus_is_large() -> None:
    others = [each for each in (CORPUS / "waves").iterdir() if each.suffix not in (".expected", ".fixed")]
    assert len(INPUTS) + len(others) >= 150
