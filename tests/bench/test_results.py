"""Figures: medians, ratios, targets; writing, reading and comparing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.registry import Target
from bench.results import WALL, Failure, Figure, Row, Run, compare, read, regressions, scaling


def row(
    ours: list[float],
    rival: list[float] | None = None,
    *,
    target: Target | None = None,
    threads: int = 1,
    cost: bool = False,
) -> Row:
    figures = [Figure("softrock", ours), *([Figure("C", rival, "a note")] if rival else [])]
    unit = "µs" if cost else "GB/s"
    return Row("add", "vector add", unit, "gfx942", threads, cost, not cost, figures, {"PoCL": "absent"}, target)


def run(*rows: Row, clock: str = WALL) -> Run:
    return Run({"cpu": "a CPU", "clock": clock, "quick": False}, list(rows))


def test_the_ratio_is_the_median_of_neighbouring_samples() -> None:
    one = row([1, 20, 3], [2, 10, 3])
    assert one.ours.median == 3
    assert one.ratio("C") == 1
    assert one.ratio("PoCL") is None


@pytest.mark.parametrize(
    ("target", "ours", "threads", "met"),
    [
        (Target(1.0, of="C"), 2.0, 1, True),
        (Target(1.1, of="C"), 2.0, 1, False),
        (Target(1.0, of="torch"), 2.0, 1, None),
        (Target(2.0), 2.0, 2, True),
        (Target(2.0, per_thread=True), 3.9, 2, False),
        (Target(2.0, per_thread=True), 4.0, 2, True),
        (Target(at_most=2.0), 2.1, 1, False),
        (Target(at_most=2.0), 1.9, 1, True),
        (None, 2.0, 1, None),
    ],
)
def test_targets(target: Target | None, ours: float, threads: int, met: bool | None) -> None:
    assert row([ours], [2.0], target=target, threads=threads).met() is met


def test_a_run_survives_writing_and_reading(tmp_path: Path) -> None:
    before = run(row([1, 2, 3], [2, 2, 2], target=Target(0.9, of="C")), row([7.5], cost=True))
    before.failures.append(Failure("scan", "gfx1100", 2, "wrong"))
    before.write(tmp_path / "run.json")
    assert read(tmp_path / "run.json") == before


@pytest.mark.parametrize("text", ["", "{}", '{"schema": 99}', "[1]"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json"):
        read(path)


def test_a_slower_machine_is_no_regression_where_a_rival_shows_it() -> None:
    old, new = run(row([10, 10], [5, 5])), run(row([5, 5], [2.5, 2.5]))
    (change,) = compare(old, new)
    assert (change.raw, change.relative) == (0.5, 1.0)
    assert regressions([change], 0.1) == []


def test_losses_beyond_the_bound_are_regressions() -> None:
    old = run(row([10], [5]), row([10], threads=2), row([4], cost=True, threads=3))
    new = run(row([8], [5]), row([9.5], threads=2), row([5], cost=True, threads=3), row([1], threads=4))
    changes = compare(old, new)
    assert [c.key[2] for c in changes] == [1, 3, 2]  # worst first; what only one run has is left out
    assert [c.value for c in changes] == pytest.approx([0.8, 0.8, 0.95])
    assert len(regressions(changes, 0.1)) == 2
    assert len(regressions(changes, 0.25)) == 0


def test_scaling_needs_wall_clock_and_both_numbers_of_threads() -> None:
    one, two = row([10]), row([18], threads=2)
    assert scaling(run(one, two)) == [(two, 1.8)]
    assert scaling(run(two)) == []
    assert scaling(run(one, two, clock="CPU time")) == []
