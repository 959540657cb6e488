"""A picture of a run: our rate over each rival's."""

from __future__ import annotations

from pathlib import Path

from bench.results import Row, Run

COLOURS = {"C": "#4477aa", "OpenBLAS": "#ee6677", "PoCL": "#228833", "torch": "#ccbb44"}

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


class MissingLibrary(Exception):
    """matplotlib is not installed; the text says what to do."""


def check() -> None:
    """Fail before an hour of measuring rather than after it.

    Raises:
        MissingLibrary: matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingLibrary("--png needs matplotlib: pip install softrock[plots]") from None


def draw(run: Run, path: Path) -> None:
    """Write the picture: a panel for each GPU and number of threads, a bar for each rival, a mark for each target."""
    check()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels: dict[tuple[str, int], list[Row]] = {}
    for row in run.rows:
        if len(row.figures) > 1:
            panels.setdefault((row.gpu, row.threads), []).append(row)
    if not panels:
        raise ValueError("there is nothing to draw: no case was measured beside a rival")
    most = max(len(rows) for rows in panels.values())
    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(2 + 4.2 * len(panels), 1.6 + 0.42 * most), squeeze=False, layout="constrained"
    )
    for axis, ((gpu, threads), rows) in zip(axes[0], sorted(panels.items()), strict=True):
        for place, row in enumerate(rows):
            rivals = row.figures[1:]
            height = 0.8 / len(rivals)
            for index, rival in enumerate(rivals):
                ratio = row.ratio(rival.who) or 0.0
                at = place - 0.4 + (index + 0.5) * height
                axis.barh(at, ratio, height * 0.9, color=COLOURS.get(rival.who, "#aa3377"), label=rival.who)
                if row.target is not None and row.target.of == rival.who and row.target.at_least is not None:
                    axis.plot([row.target.at_least] * 2, [at - height / 2, at + height / 2], color="black", lw=2)
        axis.axvline(1.0, color="grey", lw=0.8)
        axis.set_xscale("log")
        ticks = [t for t in TICKS if axis.get_xlim()[0] <= t <= axis.get_xlim()[1]]
        axis.set_xticks(ticks, [f"{t:g}" for t in ticks], minor=False)
        axis.set_xticks([], minor=True)
        axis.set_yticks(range(len(rows)), [row.title for row in rows], fontsize=8)
        axis.invert_yaxis()
        axis.set_title(f"{gpu}, {threads} thread{'s' if threads > 1 else ''}", fontsize=10)
        axis.set_xlabel("our rate over the rival's (black: asked)", fontsize=8)
        named = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
        axis.legend(named.values(), named.keys(), fontsize=7)
    facts = run.facts
    figure.suptitle(f"{facts['cpu']}, {facts['date'][:10]}, commit {facts['commit']}", fontsize=10)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
