"""Every rule fires on the example of its documentation, and is silent on the mended one."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.edits import apply
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.engine import Settings
from softrock.lint.registry import Language, Rule, rules

EVERY_GPU = ",".join(targets.TARGETS)
RULES = list(rules().values())


def _found(rule: Rule, text: str) -> list[Finding]:
    python = rule.languages is Language.PYTHON
    source = Source(Path("example.py" if python else "example.hip"), text + "\n")
    language = "python" if python else "cuda" if Language.HIP not in rule.languages else engine.language_of(source)
    settings = Settings(targets.targets(EVERY_GPU), frozenset(rules()), parse=False)
    return engine.findings_of(source, language, settings)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_fires_on_the_example(rule: Rule) -> None:
    assert rule.id in {each.rule for each in _found(rule, rule.example)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_is_silent_on_the_mended_example(rule: Rule) -> None:
    assert [each for each in _found(rule, rule.fix) if each.rule == rule.id] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_findings_have_the_rules_severity_or_less_and_a_place(rule: Rule) -> None:
    for each in _found(rule, rule.example):
        if each.rule == rule.id:
            assert (each.end_line, each.end_column) > (each.line, each.column)
            assert each.message
            assert "  " not in each.message


@pytest.mark.parametrize("rule", [each for each in RULES if each.fixable], ids=lambda rule: rule.id)
def test_edits_mend_and_are_made_once(rule: Rule) -> None:
    text = rule.example + "\n"
    edits = [edit for each in _found(rule, text) if each.rule == rule.id for edit in each.fix]
    if not edits:
        pytest.skip("this example is not mended by itself")
    mended = apply(text, edits)
    assert mended != text
    assert [each for each in _found(rule, mended) if each.rule == rule.id and each.fix] == []


def test_findings_that_hold_on_no_chosen_gpu_are_not_shown() -> None:
    source = Source(Path("x.hip"), "__device__ unsigned f(bool p) { unsigned m = __ballot(p); return __popc(m); }\n")
    for gpu, expected in (("gfx942", True), ("gfx950", True), ("gfx1100", False), ("gfx1201", False)):
        settings = Settings(targets.targets(gpu), frozenset(rules()), parse=False)
        found = {each.rule for each in engine.findings_of(source, "hip", settings)}
        assert ("ballot-in-32-bits" in found) is expected


def test_messages_tell_what_holds_for_each_wave_size() -> None:
    source = Source(Path("x.hip"), "__device__ int f(bool p) { unsigned m = __ballot(p); return 0; }\n")
    settings = Settings(targets.targets("gfx942,gfx950,gfx1100"), frozenset(rules()), parse=False)
    (found,) = engine.findings_of(source, "hip", settings)
    assert "gfx942 and gfx950" in found.message
    assert "gfx1100 with 32 lanes is not affected" in found.message
    assert found.severity is Severity.ERROR
