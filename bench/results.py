"""Figures, how they are written, and how two runs are compared."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.registry import Target

OURS = "softrock"
SCHEMA = 1
WALL, CPU = "wall clock", "CPU time"


@dataclass(slots=True)
class Figure:
    """What one contender reached: its samples in the order they were taken, in the row's unit."""

    who: str
    samples: list[float]
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def low(self) -> float:
        return min(self.samples)

    @property
    def high(self) -> float:
        return max(self.samples)


@dataclass(slots=True)
class Row:
    """One case on one GPU with one number of threads: our figure first, then the rivals'."""

    case: str
    title: str
    unit: str
    gpu: str
    threads: int
    cost: bool
    compute: bool
    figures: list[Figure]
    missing: dict[str, str] = field(default_factory=dict)
    target: Target | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        return self.case, self.gpu, self.threads

    @property
    def ours(self) -> Figure:
        return self.figures[0]

    def rival(self, who: str) -> Figure | None:
        """The figure of a rival, None where it was not measured."""
        return next((f for f in self.figures[1:] if f.who == who), None)

    def ratio(self, who: str) -> float | None:
        """Ours over the rival's: the median of the ratios of samples taken one after the other."""
        rival = self.rival(who)
        if rival is None:
            return None
        return statistics.median(a / b for a, b in zip(self.ours.samples, rival.samples, strict=True))

    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or its rival is missing."""
        if self.target is None:
            return None
        if self.target.at_most is not None:
            return self.ours.median <= self.target.at_most
        asked = self.target.at_least
        if asked is None:
            return None
        if not self.target.of:
            return self.ours.median >= asked * (self.threads if self.target.per_thread else 1)
        ratio = self.ratio(self.target.of)
        return None if ratio is None else ratio >= asked


@dataclass(slots=True)
class Failure:
    """A case that gave no figure."""

    case: str
    gpu: str
    threads: int
    reason: str


@dataclass(slots=True)
class Run:
    """Everything one run of the command measured, and where."""

    facts: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write as JSON, medians and ratios included for readers without this module."""
        rows = []
        for row in self.rows:
            plain = asdict(row)
            for figure, entry in zip(row.figures, plain["figures"], strict=True):
                entry.update(median=figure.median, low=figure.low, high=figure.high)
            plain["ratios"] = {f.who: row.ratio(f.who) for f in row.figures[1:]}
            plain["met"] = row.met()
            rows.append(plain)
        failures = [asdict(f) for f in self.failures]
        body = {"schema": SCHEMA, "facts": self.facts, "rows": rows, "failures": failures}
        path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def row_of(plain: dict[str, Any]) -> Row:
    """A row from what JSON holds of it."""
    wanted = {name: plain[name] for name in ("case", "title", "unit", "gpu", "threads", "cost", "compute", "missing")}
    figures = [Figure(f["who"], list(f["samples"]), f["note"]) for f in plain["figures"]]
    target = Target(**plain["target"]) if plain["target"] else None
    return Row(figures=figures, target=target, **wanted)


def read(path: Path) -> Run:
    """The run that :meth:`Run.write` wrote.

    Raises:
        ValueError: the file holds something else.
    """
    try:
        body = json.loads(path.read_text())
        if body["schema"] != SCHEMA:
            raise ValueError(f"{path}: schema {body['schema']}, this command reads {SCHEMA}")
        return Run(body["facts"], [row_of(r) for r in body["rows"]], [Failure(**f) for f in body["failures"]])
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} was not written by bench/run.py --json: {error}") from None


@dataclass(frozen=True, slots=True)
class Change:
    """How a case has changed: above 1 is better.

    Attributes:
        raw: by our own figures. relative: by our figures over the first rival's that both runs have, None without one.
    """

    key: tuple[str, str, int]
    title: str
    raw: float
    relative: float | None

    @property
    def value(self) -> float:
        """What decides: relative to the rival where there is one, for then the machine's own speed cancels."""
        return self.raw if self.relative is None else self.relative


def compare(old: Run, new: Run) -> list[Change]:
    """The changes of all cases that both runs have, worst first."""
    before = {row.key: row for row in old.rows}
    changes = []
    for row in new.rows:
        past = before.get(row.key)
        if past is None:
            continue
        if row.cost:
            changes.append(Change(row.key, row.title, past.ours.median / row.ours.median, None))
            continue
        relative = None
        for figure in row.figures[1:]:
            was, now = past.ratio(figure.who), row.ratio(figure.who)
            if was is not None and now is not None:
                relative = now / was
                break
        changes.append(Change(row.key, row.title, row.ours.median / past.ours.median, relative))
    return sorted(changes, key=lambda c: c.value)


def regressions(changes: list[Change], bound: float) -> list[Change]:
    """The changes that lost more than `bound` (0.1: a tenth)."""
    return [c for c in changes if c.value < 1 - bound]


def scaling(run: Run) -> list[tuple[Row, float]]:
    """(row with several threads, its rate over the rate of one thread) of the compute-bound cases that have both.

    Empty for runs that took CPU time, which says nothing of threads that wait, and for runs of small sizes.
    """
    if run.facts["clock"] != WALL or run.facts["quick"]:
        return []
    single = {(r.case, r.gpu): r for r in run.rows if r.threads == 1}
    out = []
    for row in run.rows:
        one = single.get((row.case, row.gpu))
        if row.compute and row.threads > 1 and one is not None:
            out.append((row, row.ours.median / one.ours.median))
    return out
