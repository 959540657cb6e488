"""The pages made from the rules."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from softrock.core.errors import UsageError
from softrock.lint import docs
from softrock.lint.registry import rules

ROOT = Path(__file__).parent.parent.parent


def test_pages_are_fresh() -> None:
    specification = importlib.util.spec_from_file_location("rule_docs", ROOT / "tools" / "rule_docs.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert module.stale() == [], "run python tools/rule_docs.py"


def test_every_rule_has_a_page_and_a_row_in_the_guide() -> None:
    pages = docs.pages()
    for name in rules():
        assert f"rules/{name}.md" in pages
        assert f"[{name}](rules/{name}.md)" in pages["porting.md"]


@pytest.mark.parametrize("name", ["porting.md", "ptx-idioms.md", "lint-field-cases.md", "lint-precision.md"])
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert [each for each in re.findall(r"\]\(([\w./-]+)\)", text) if not (ROOT / "docs" / each).exists()] == []


def test_every_family_has_a_heading() -> None:
    assert {each.family for each in rules().values()} <= docs.FAMILIES.keys()


def test_an_explanation_says_all() -> None:
    text = docs.explanation("ballot-in-32-bits")
    for part in ("ballot-in-32-bits (error; CUDA, HIP; --fix)", "unsigned long long ballot", "softrock: allow("):
        assert part in text
    with pytest.raises(UsageError, match="no such rule"):
        docs.explanation("ballot")
