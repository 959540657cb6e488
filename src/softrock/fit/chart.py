"""An answer as a picture: what fills each card."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from softrock.core.errors import SoftrockError, UsageError
from softrock.fit.report import Answer, label
from softrock.fit.text import GB

_COLOURS = (("weights", "#1f77b4"), ("cache", "#ff7f0e"), ("activations", "#2ca02c"), ("runtime", "#7f7f7f"))


def write(found: Answer, path: Path) -> None:
    """Draw the cards into a PNG, SVG or PDF file.

    Raises:
        UsageError: the file's name ends otherwise.
        SoftrockError: matplotlib is not installed, or the file cannot be written.
    """
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UsageError(f"--chart {path.name}: it is no .png, .svg or .pdf", hint="name the file chart.png")
    if importlib.util.find_spec("matplotlib") is None:
        raise SoftrockError(
            "--chart needs matplotlib, which is not installed",
            hint="pip install 'softrock[plots]'; --bars draws the chart as text without it",
        )
    from matplotlib.figure import Figure

    shown = list(reversed(found.placements))
    names = [f"{each.need.cards} x {each.card.id}" for each in shown]
    figure = Figure(figsize=(9, 1.4 + 0.26 * len(shown)), layout="constrained")
    axes = figure.subplots()
    axes.barh(names, [each.card.memory / GB for each in shown], color="none", edgecolor="black", linewidth=0.8)
    left = [0.0] * len(shown)
    for name, colour in _COLOURS:
        sizes = [getattr(each.need, name) / GB for each in shown]
        axes.barh(names, sizes, left=left, color=colour, label=name, height=0.6)
        left = [a + b for a, b in zip(left, sizes, strict=True)]
    for number, each in enumerate(shown):
        if not each.fits:
            axes.text(left[number], number, " does not fit", va="center", fontsize=7, color="#d62728")
    load = found.load
    title = f"{found.model.name}, {label(found.model, load.precision)}, context {load.context:,}, batch {load.batch}"
    axes.set_title(title.replace("$", r"\$"), fontsize=9)
    axes.set_xlabel("GB on one card (outline: its memory)")
    axes.tick_params(labelsize=7)
    axes.margins(y=0.01)
    axes.legend(fontsize=7, loc="lower right")
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise SoftrockError(f"{path}: {error.strerror}", hint="choose a folder that can be written") from None
