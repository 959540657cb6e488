"""The command: a few small cases from end to end, and what happens when a case goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import children
from bench.context import Context
from bench.registry import Case, Job, Rival, cases
from bench.results import Failure, read
from bench.worker import measure_case

ROOT = Path(__file__).parents[2]


def command(*args: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(ROOT / "bench" / "run.py"), *args]
    return subprocess.run(line, check=False, capture_output=True, text=True)


def test_small_cases_from_end_to_end(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    chosen = ["--case", "add", "--case", "reduce-shuffle", "--case", "import"]
    done = command("--quick", "--gpu", "gfx1100", "--threads", "1", *chosen, "--json", str(path))
    assert done.returncode == 0, done.stderr
    run = read(path)
    assert [row.case for row in run.rows] == ["add", "reduce-shuffle", "import"]
    for row in run.rows:
        assert row.gpu == "gfx1100"
        assert all(sample > 0 for figure in row.figures for sample in figure.samples)
        assert row.cost or row.rival("C") is not None or "C" in row.missing
    assert run.facts["versions"]["numpy"] == np.__version__
    assert json.loads(path.read_text())["rows"][0]["figures"][0]["median"] == run.rows[0].ours.median
    assert "vector add" in done.stdout
    again = command(
        "--quick", "--gpu", "gfx1100", "--threads", "1", "--case", "import", "--compare", str(path), "--bound", "0.99"
    )
    assert again.returncode == 0, again.stderr
    assert "relative to rival" in again.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--case", "nosuch*"], "no case matches"),
        (["--gpu", "gfx803"], "gfx803"),
        (["--threads", "0"], "0 threads"),
        (["--compare", "/nonexistent.json"], "nonexistent"),
    ],
)
def test_wrong_usage(args: list[str], said: str) -> None:
    done = command(*args)
    assert done.returncode == 2
    assert said in done.stderr


def test_every_case_is_listed() -> None:
    done = command("--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [case.name for case in cases()]


def _job(rival_is_right: bool) -> Job:
    good, other = np.ones(4), np.full(4, 1.0 if rival_is_right else 2.0)

    def check(result: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        np.testing.assert_array_equal(result, 1.0)

    return Job(1.0, lambda: None, good, check, [Rival("C", lambda: None, other)])


def test_a_wrong_result_is_an_error_and_no_figure() -> None:
    context = Context("gfx942", 1, quick=True)
    right = Case("right", "right", "GB/s", lambda _: _job(True))
    assert len(measure_case(right, context, 2, False).figures) == 2
    wrong = Case("wrong", "wrong", "GB/s", lambda _: _job(False))
    with pytest.raises(AssertionError, match="C's result is wrong"):
        measure_case(wrong, context, 2, False)


def test_a_rival_that_does_not_run_is_missing() -> None:
    def fail() -> None:
        raise RuntimeError("no device")

    def make(_: Context) -> Job:
        job = _job(True)
        job.rivals.append(Rival("PoCL", fail, np.ones(4)))
        return job

    row = measure_case(Case("odd", "odd", "GB/s", make), Context("gfx942", 1, quick=True), 2, False)
    assert [f.who for f in row.figures] == ["softrock", "C"]
    assert "no device" in row.missing["PoCL"]


def test_a_worker_that_dies_or_hangs_costs_its_row_only() -> None:
    unknown = Case("nosuch", "no such case", "GB/s", lambda _: _job(True))
    found = children.run(unknown, "gfx942", 1, children.Options())
    assert isinstance(found, Failure)
    assert "no case matches" in found.reason
    slow = children.run(cases(["add"])[0], "gfx942", 1, children.Options(limit=0.01))
    assert isinstance(slow, Failure)
    assert "no result within" in slow.reason
