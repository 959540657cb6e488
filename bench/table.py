"""What the terminal shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bench.results import Change, Failure, Row, Run, scaling


def number(value: float) -> str:
    """Three significant digits, no exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3g}"


def spread(low: float, high: float) -> str:
    """Lowest to highest sample."""
    return f"{number(low)}-{number(high)}"


def asked(row: Row) -> str:
    """The target in words."""
    target = row.target
    if target is None:
        return ""
    if target.at_most is not None:
        return f"≤ {target.at_most:g} {row.unit}"
    if target.of:
        return f"≥ {target.at_least:g}x {target.of}"
    return f"≥ {target.at_least:g} {row.unit}" + (" a thread" if target.per_thread else "")


def verdict(met: bool | None) -> str:
    """Whether a target is met."""
    return "" if met is None else "[green]met[/]" if met else "[red]missed[/]"


def heading(facts: dict[str, Any]) -> str:
    """Where and when, in two lines."""
    versions = ", ".join(f"{name} {value}" for name, value in facts["versions"].items() if value)
    absent = [name for name, value in facts["versions"].items() if not value]
    lines = [
        f"{facts['cpu']} ({facts['cpu_target']}; {' '.join(facts['features']) or 'baseline'}), {facts['cpus']} CPUs, "
        f"load {facts['load']}, {facts['date']}, commit {facts['commit']}{' (modified)' if facts['modified'] else ''}",
        versions + (f"; not installed: {', '.join(absent)}" if absent else ""),
        f"{facts['clock']}, medians of {facts['repeat']}" + (", small sizes: no figures" if facts["quick"] else ""),
    ]
    return "\n".join(lines)


def rows_table(rows: Iterable[Row]) -> Table:
    """A line for each contender of each row."""
    table = Table(
        "case", "GPU", "thr.", "who", "median", "low-high", "unit", "ours/rival", "asked", "", "", box=box.SIMPLE_HEAD
    )
    for name in ("thr.", "median", "low-high", "ours/rival"):
        next(c for c in table.columns if c.header == name).justify = "right"
    last = ""
    for row in rows:
        if last and row.case != last:
            table.add_section()
        last = row.case
        for index, figure in enumerate(row.figures):
            first = [row.title, row.gpu, str(row.threads)] if index == 0 else ["", "", ""]
            ask = [asked(row), verdict(row.met())] if index == 0 else ["", ""]
            ratio = row.ratio(figure.who) if index else None
            cells = [number(figure.median), spread(figure.low, figure.high), row.unit]
            cells.append("" if ratio is None else f"{ratio:.2f}x")
            table.add_row(*first, figure.who, *cells, *ask, f"[dim]{figure.note}[/]")
    return table


def show(console: Console, run: Run) -> None:
    """The table, how the threads scale, what is missing and what failed."""
    console.print(heading(run.facts), highlight=False)
    console.print(rows_table(run.rows))
    grown = scaling(run)
    if grown:
        table = Table("compute-bound case", "GPU", "threads", "over one thread", "asked", "", box=box.SIMPLE_HEAD)
        for row, ratio in grown:
            ask = 0.9 * row.threads
            table.add_row(row.title, row.gpu, str(row.threads), f"{ratio:.2f}x", f"≥ {ask:.1f}x", verdict(ratio >= ask))
        console.print(table)
    absent = {f"{who}: {why}" for row in run.rows for who, why in row.missing.items()}
    for line in sorted(absent):
        console.print(f"rival missing: {line}", highlight=False, markup=False)
    for failure in run.failures:
        console.print(failed(failure), highlight=False, markup=False, style="red")


def failed(failure: Failure) -> str:
    """One line."""
    return f"FAILED {failure.case} on {failure.gpu}, {failure.threads} thread(s): {failure.reason}"


def show_changes(console: Console, changes: list[Change], bound: float) -> None:
    """How a run differs from an older one."""
    table = Table("case", "GPU", "thr.", "by itself", "relative to rival", "", box=box.SIMPLE_HEAD)
    for change in changes:
        _, gpu, threads = change.key
        relative = "" if change.relative is None else f"{change.relative:.2f}x"
        mark = "[red]slower[/]" if change.value < 1 - bound else "[green]faster[/]" if change.value > 1 + bound else ""
        table.add_row(change.title, gpu, str(threads), f"{change.raw:.2f}x", relative, mark)
    console.print(table)
