"""Put the figures of a run into docs/performance.md, between its markers: `python bench/report.py figures.json`.

With `--check` nothing is written; the exit status is 1 if the page does not show the figures of the file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.results import Figure, Row, Run, read, scaling
from bench.table import asked, heading, number, spread

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def _median(figure: Figure) -> str:
    return f"{number(figure.median)} ({spread(figure.low, figure.high)})"


def _state(met: bool | None) -> str:
    return "" if met is None else "met" if met else "**missed**"


def _rate(row: Row) -> list[str]:
    rivals = []
    for figure in row.figures[1:]:
        vector = ", libmvec" if figure.note.startswith("vector math library") else ""
        rivals.append(f"{figure.who}{vector} {number(figure.median)} → {row.ratio(figure.who):.2f}x")
    cells = [row.title, row.gpu, str(row.threads), f"{_median(row.ours)} {row.unit}", "; ".join(rivals)]
    return [*cells, asked(row), _state(row.met())]


def _cost(row: Row) -> list[str]:
    return [row.title, row.gpu, f"{_median(row.ours)} {row.unit}", asked(row), _state(row.met())]


def _lines(head: list[str], rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    return ["", *("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])]


def render(run: Run) -> str:
    """The figures as Markdown."""
    out = [line + "  " for line in heading(run.facts).splitlines()]
    rates = [_rate(row) for row in run.rows if not row.cost]
    out += _lines(["case", "GPU", "threads", "softrock", "rivals → ours over theirs", "asked", ""], rates)
    grown = [
        [row.title, row.gpu, str(row.threads), f"{ratio:.2f}x", f"≥ {0.9 * row.threads:.1f}x"]
        for row, ratio in scaling(run)
    ]
    out += _lines(["compute-bound case", "GPU", "threads", "over one thread", "asked"], grown)
    out += _lines(["cost", "GPU", "softrock", "asked", ""], [_cost(row) for row in run.rows if row.cost])
    failures = [f"{f.case} on {f.gpu}, {f.threads} thread(s): {f.reason}" for f in run.failures]
    return "\n".join([*out, *(["", "Failed: " + "; ".join(failures)] if failures else [])])


def insert(page: str, figures: str) -> str:
    """The page with other figures between its markers.

    Raises:
        ValueError: the page has no markers.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{figures}\n{END}{after}"


def main() -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="bench/report.py", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("figures", type=Path, help="what bench/run.py --json wrote")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="only tell whether the page is up to date")
    args = parser.parse_args()
    try:
        old = args.page.read_text()
        new = insert(old, render(read(args.figures)))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if args.check:
        if old != new:
            print(f"{args.page} does not show {args.figures}; run bench/report.py {args.figures}", file=sys.stderr)
        return int(old != new)
    args.page.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
