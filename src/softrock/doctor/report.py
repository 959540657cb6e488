"""Findings as a document and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from softrock import __version__
from softrock.doctor.checks import MODULES, TITLES
from softrock.doctor.facts import container, distribution, gpus, wsl
from softrock.doctor.registry import CHECKS, Machine, Result, Verdict
from softrock.doctor.summary import State, Summary
from softrock.doctor.text import clean

_MARKS = {
    Verdict.OK: ("ok  ", "32"), Verdict.WARNING: ("warn", "33"), Verdict.FAILURE: ("FAIL", "31"),
    Verdict.NOT_APPLICABLE: ("n/a ", "2"), Verdict.UNKNOWN: ("?   ", "35"),
}  # fmt: skip
_STATES = {State.WORKS: "32", State.LIMITED: "33", State.BROKEN: "31", State.NO_GPU: "36"}

Paint = Callable[[str, str], str]


def document(machine: Machine, results: Sequence[Result], summary: Summary) -> dict[str, Any]:
    """Everything as JSON takes it: summary, machine, GPUs, results."""
    where, inside = machine.fact(distribution), machine.fact(container)
    return {
        "softrock": __version__,
        "summary": {
            "state": summary.state.value, "text": summary.text, "first": summary.first, "status": summary.status,
            "for": machine.wanted,
        },
        "machine": {
            "distribution": where.name, "family": where.family, "kernel": clean(machine.system.platform[1]),
            "architecture": clean(machine.system.platform[2]), "container": inside.kind.value if inside else "",
            "wsl": machine.fact(wsl),
        },
        "gpus": [
            {
                "address": each.address, "name": each.name, "gfx": each.gfx, "target_from": each.told,
                "vendor_id": 0x1002, "device_id": each.device, "integrated": each.integrated, "driver": each.driver,
                "card": each.card, "render": each.render, "kfd_node": each.node, "uuid": each.uuid,
                "vram_bytes": each.vram, "visible_vram_bytes": each.visible, "gtt_bytes": each.gtt,
            }
            for each in machine.fact(gpus)
        ],
        "results": [
            {
                "check": each.check, "section": CHECKS[each.check].section, "title": CHECKS[each.check].title,
                "verdict": each.verdict.value, "limits": each.limits, "seen": each.seen, "why": each.why,
                "mend": list(each.mend), "rank": each.rank, "gpu": each.gpu, "software": each.software,
            }
            for each in results
        ],
    }  # fmt: skip


def _plain(words: str, code: str) -> str:
    return words


def _coloured(words: str, code: str) -> str:
    return f"\x1b[{code}m{words}\x1b[0m"


def headline(summary: Summary) -> str:
    """The first line: state and sentence."""
    return summary.text if summary.state is State.NO_GPU else f"{summary.state.value}: {summary.text}"


def text(
    machine: Machine, results: Sequence[Result], summary: Summary, *, whole: bool = False, colour: bool = False,
    columns: int = 100,
) -> str:
    """Findings as people read them: the summary first, then sections; what is fine only where all is asked for."""
    paint = _coloured if colour else _plain
    lines = [paint(headline(summary), f"1;{_STATES[summary.state]}")]
    if summary.first:
        lines.append(f"first: {paint(summary.first, '1')}")
    lines.append(paint(_machine(machine), "2"))
    for section in MODULES:
        shown = [each for each in results if CHECKS[each.check].section == section and (whole or _loud(each))]
        if shown:
            lines += ["", paint(TITLES[section], "1")]
            for each in shown:
                lines += _result(each, paint, columns)
    quiet = sum(1 for each in results if not _loud(each))
    if quiet and not whole:
        lines += ["", f"{quiet} more findings are fine (--all shows them)."]
    return "\n".join(lines)


def _machine(machine: Machine) -> str:
    """The machine in a line."""
    inside = machine.fact(container)
    kind = f", in a container ({inside.kind.value}{', rootless' if inside.rootless else ''})" if inside else ""
    words = f"{machine.fact(distribution).name}, Linux {clean(machine.system.platform[1], 80)}{kind}"
    return words + (", Windows (WSL)" if machine.fact(wsl) else "")


def _loud(result: Result) -> bool:
    return result.verdict in (Verdict.FAILURE, Verdict.WARNING, Verdict.UNKNOWN)


def _result(result: Result, paint: Paint, columns: int) -> Iterator[str]:
    mark, code = _MARKS[result.verdict]
    seen = textwrap.wrap(result.seen, max(columns - 7, 30), break_long_words=False, break_on_hyphens=False) or [""]
    yield f"  {paint(mark, code)} {seen[0]}"
    for each in seen[1:]:
        yield f"       {each}"
    for each in textwrap.wrap(result.why, max(columns - 7, 30), break_long_words=False, break_on_hyphens=False):
        yield f"       {paint(each, '2')}"
    for each in result.mend:  # to be copied in one piece
        yield f"       {paint('→', code)} {each}"
