"""The doctor on written machines: trees/*.toml, each with what is expected of it. docs/doctor.md says how to add one.

    [expect]
    state = "broken"             # of the summary; "" where that is left open
    status = 1                   # exit status
    first = ["newgrp render"]    # words in the first thing to do
    checks = {"kfd-open" = "failure"}   # by check the worst verdict
    seen = {"memory" = "added up"}      # by check words in what it saw

Trees without this table are bases of others.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import softrock.doctor.checks  # noqa: F401 - enters the checks
from softrock.doctor.registry import Machine, Result, Verdict, run
from softrock.doctor.summary import Summary, summarise
from softrock.system.tree import Tree

FOLDER = Path(__file__).parent / "trees"
NAMES = sorted(p.stem for p in FOLDER.glob("*.toml") if "expect" in tomllib.loads(p.read_text(encoding="utf-8")))
HEALTHY = [name for name in NAMES if name.startswith("ok-")]
_WORST = (Verdict.FAILURE, Verdict.WARNING, Verdict.UNKNOWN, Verdict.OK, Verdict.NOT_APPLICABLE)

_OWN = re.compile(r"\$\((uname -r|stat -c %g /dev/(kfd|dri/renderD\d+))\)")
"""What mends have of their own."""


@cache
def _seen(name: str) -> tuple[list[Result], Summary, dict[str, Any]]:
    tree = Tree.load(FOLDER / f"{name}.toml")
    machine = Machine(tree)
    results = list(run(machine))
    return results, summarise(machine, results), tree.extra["expect"]


def _told(results: list[Result]) -> str:
    return "\n".join(f"{r.check}: {r.verdict}: {r.seen} | {r.mend}" for r in results if r.verdict is not Verdict.OK)


def test_there_are_enough_machines() -> None:
    assert len(NAMES) >= 60
    assert len(HEALTHY) >= 15


@pytest.mark.parametrize("name", NAMES)
def test_verdicts(name: str) -> None:
    results, summary, expected = _seen(name)
    told = f"{summary.state}: {summary.text} | {summary.first}\n{_told(results)}"
    if expected.get("state"):
        assert summary.state == expected["state"], told
    if "status" in expected:
        assert summary.status == expected["status"], told
    for words in expected.get("first", ()):
        assert words in summary.first, told
    for check, verdict in expected.get("checks", {}).items():
        mine = {each.verdict for each in results if each.check == check}
        assert next((each for each in _WORST if each in mine), None) == verdict, f"{check}\n{told}"
    for check, words in expected.get("seen", {}).items():
        assert any(words in each.seen for each in results if each.check == check), told


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_has_a_first_step(name: str) -> None:
    _, summary, _ = _seen(name)
    assert bool(summary.first) == bool(summary.status)
    assert not summary.first.startswith(("or ", "or,", "and "))


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_fails_on_healthy_machines(name: str) -> None:
    results, _, _ = _seen(name)
    assert not [each for each in results if each.verdict is Verdict.FAILURE or each.limits], _told(results)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_drives_the_terminal(name: str) -> None:
    results, summary, _ = _seen(name)
    words = [summary.text, summary.first, *(w for r in results for w in (r.seen, r.why, *r.mend))]
    assert all(letter.isprintable() or letter == "\n" for word in words for letter in word)


@pytest.mark.parametrize("name", NAMES)
def test_data_is_never_part_of_a_command_that_mends(name: str) -> None:
    results, _, _ = _seen(name)
    for mend in (_OWN.sub("", m) for r in results for m in r.mend):
        assert "$(" not in mend
        assert "`" not in mend
        assert "rm -rf" not in mend


def test_one_installation_under_two_names_is_told_of_once() -> None:
    results, _, _ = _seen("more-driver-years-old")
    assert [each.seen for each in results if each.check == "driver-version" and each.limits] == [
        "amdgpu 6.2.4 (of ROCm 5.7) and ROCm 7.1 in /opt/rocm-7.1.0 are more than a year apart"
    ]
