"""Figures in the documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.registry import Target, cases
from bench.report import BEGIN, END, PAGE, insert, render
from bench.results import WALL, Figure, Row, Run

ROOT = Path(__file__).parents[2]
FACTS = {
    "cpu": "a CPU", "cpu_target": "znver4", "features": ["avx2"], "cpus": 2, "load": 0.1, "date": "2026-01-02T03:04:05",
    "commit": "abc", "modified": False, "versions": {"numpy": "2.0", "torch": None}, "clock": WALL, "repeat": 3,
    "quick": False,
}  # fmt: skip


def run_of(ours: float) -> Run:
    target = Target(0.9, of="C")
    figures = [Figure("softrock", [ours]), Figure("C", [10.0], "vector math library: expf")]
    cost = Row(
        "help", "softrock --help", "s", "gfx942", 2, True, False, [Figure("softrock", [0.2])], {}, Target(at_most=0.3)
    )
    return Run(FACTS, [Row("exp", "exponentials", "GB/s", "gfx942", 1, False, True, figures, {}, target), cost])


def test_rates_costs_and_targets_are_shown() -> None:
    text = render(run_of(8.0))
    assert (
        "| exponentials | gfx942 | 1 | 8.00 (8.00-8.00) GB/s | C, libmvec 10.0 → 0.80x | ≥ 0.9x C | **missed** |"
        in text
    )
    assert "| softrock --help | gfx942 | 0.20 (0.20-0.20) s | ≤ 0.3 s | met |" in text
    assert "not installed: torch" in text


def test_only_what_is_between_the_markers_changes() -> None:
    page = f"# Title\n{BEGIN}\nold\n{END}\nrest\n"
    assert insert(page, "new") == f"# Title\n{BEGIN}\nnew\n{END}\nrest\n"
    with pytest.raises(ValueError, match="no lines"):
        insert("# Title\n", "new")


def test_the_command_writes_and_checks_a_page(tmp_path: Path) -> None:
    figures, page = tmp_path / "figures.json", tmp_path / "page.md"
    run_of(8.0).write(figures)
    page.write_text(f"{BEGIN}\n{END}\n")
    command = [sys.executable, str(ROOT / "bench" / "report.py"), str(figures), "--page", str(page)]
    assert subprocess.run([*command, "--check"], check=False, capture_output=True).returncode == 1
    subprocess.run(command, check=True)
    assert "exponentials" in page.read_text()
    subprocess.run([*command, "--check"], check=True)


def test_the_documentation_has_room_for_figures_and_explains_every_case() -> None:
    page = PAGE.read_text()
    assert BEGIN in insert(page, "figures")
    assert [case.name for case in cases() if f"`{case.name}`" not in page] == []
