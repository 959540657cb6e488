"""The report of where host time went."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from softrock.core import ending, timings
from softrock.jit.build import Timings


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> timings.Kernel:
    monkeypatch.setattr(timings, "_kernels", [])
    monkeypatch.setattr(timings, "_counted", {})
    made = timings.kernel("fill", "gfx942", "any")
    made.add(Timings(0.001, 0.002, 0.003, 0.004, 0.005, 0.0, False, 77, "quick"))
    made.add(Timings(0.01, 0.02, 0.03, 0.04, 0.005, 0.0, False, 77, "full"), background=True)
    made.totals = lambda: (4, 40, 0.008)
    return made


def test_the_document_adds_up(record: timings.Kernel) -> None:
    report = timings.collect()
    assert report["translation_s"] == pytest.approx(
        {"decode": 0.001, "lift": 0.002, "passes": 0.003, "codegen": 0.004, "load": 0.005, "wait": 0.0}
    )
    assert report["run_s"] == 0.008
    assert (report["cache_hits"], report["cache_misses"]) == (0, 1)
    kernel = report["kernels"][0]
    assert (kernel["launches"], kernel["workgroups"], kernel["mean_s"]) == (4, 40, 0.002)
    assert [each["tier"] for each in kernel["translations"]] == ["quick", "full"]
    parts = report["run_s"] + report["rest_s"] + sum(report["translation_s"].values())
    assert parts == pytest.approx(report["wall_s"], rel=0.01)


def test_the_table_names_the_kernel_and_its_tiers(record: timings.Kernel) -> None:
    text = timings.render(timings.collect())
    rows = [line.split() for line in text.splitlines()]
    assert ["fill", "gfx942", "quick", "77", "1.0", "2.0", "3.0", "4.0", "5.0", "4", "8.0", "2.000"] in rows
    assert any(row[:3] == ["full,", "background", "77"] for row in rows)


def test_blocks_of_code_are_counted(record: timings.Kernel) -> None:
    before = timings.collect()["source_s"]
    with timings.counted("compile"):
        pass
    assert timings.collect()["source_s"] > before


def test_what_ends_ends_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "_functions", [])
    seen: list[int] = []

    def fails() -> None:
        raise ValueError

    for function in (lambda: seen.append(1), fails, lambda: seen.append(2)):
        ending.at_end(function)
    ending.run()
    ending.run()
    assert seen == [2, 1]


def test_a_process_writes_its_document(tmp_path: Path) -> None:
    code = (
        "import os; os.environ['SOFTROCK_TIMINGS'] = 't.{pid}.json'\n"
        "from softrock.core import timings\n"
        "timings.kernel('k', 'gfx942', 'any')\n"
        "print(os.getpid())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    report = json.loads((tmp_path / f"t.{done.stdout.strip()}.json").read_text())
    assert report["kernels"][0]["kernel"] == "k"
