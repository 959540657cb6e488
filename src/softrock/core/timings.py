"""Where host time went: what ``--timings`` and SOFTROCK_TIMINGS print when the process ends.

A kernel's preparation notes itself here, with a function that gives what its launches took; the rest is counted by
name. Everything is in seconds of wall clock.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softrock.core import ending, settings

SOURCE = "SOFTROCK_TIMINGS_SOURCE"
"""Environment variable with which ``softrock run`` tells the program how long its compilation took."""

PHASES = ("decode", "lift", "passes", "codegen", "load", "wait")
"""Parts of a kernel's preparation: finding and decoding its instructions, translating them to LLVM IR, LLVM's passes,
LLVM's code generator, loading, and waiting for another process that translates the same kernel."""


@dataclass
class Kernel:
    """One translation of a kernel.

    Attributes:
        name, target, layout: which.
        made: for each time it was prepared: the tier, whether it came from the cache, whether it was made in the
            background, the number of GPU instructions (0 from the cache), and seconds by phase.
        totals: gives (launches, workgroups, seconds) of the launches that have ended.
    """

    name: str
    target: str
    layout: str
    made: list[dict[str, Any]] = field(default_factory=list)
    totals: Callable[[], tuple[int, int, float]] = lambda: (0, 0, 0.0)

    def add(self, timings: Any, *, background: bool = False) -> None:
        """Note a preparation (:class:`softrock.jit.build.Timings`)."""
        fields = ("tier", "cached", "instructions", *PHASES)
        self.made.append({name: getattr(timings, name) for name in fields} | {"background": background})


_kernels: list[Kernel] = []
_counted: dict[str, tuple[int, float]] = {}
_started = False
_loaded = time.perf_counter()


def kernel(name: str, target: str, layout: str) -> Kernel:
    """A record for one translation of a kernel."""
    record = Kernel(name, target, layout)
    _kernels.append(record)
    start()
    return record


def start() -> None:
    """Report at the process's end, if that is wanted."""
    global _started
    if not _started:
        _started = True
        if settings.load().timings is not None:
            ending.at_end(_report)


@contextlib.contextmanager
def counted(name: str) -> Iterator[None]:
    """Add the time of a block of code to what `name` took."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        number, seconds = _counted.get(name, (0, 0.0))
        _counted[name] = (number + 1, seconds + time.perf_counter() - begin)


def _process_age() -> float:
    """Seconds since the process began."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # Field 22 of proc(5)'s stat: when the process started, in clock ticks since boot.
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.perf_counter() - _loaded


def collect() -> dict[str, Any]:
    """Everything as one document; times in seconds."""
    kernels: list[tuple[float, dict[str, Any]]] = []
    sums = dict.fromkeys(PHASES, 0.0)
    ran = 0.0
    for each in _kernels:
        launches, groups, seconds = each.totals()
        ran += seconds
        cost = seconds
        for made in each.made:
            for phase in PHASES:
                cost += made[phase]
                if not made["background"]:
                    sums[phase] += made[phase]
        document = {
            "kernel": each.name,
            "target": each.target,
            "layout": each.layout,
            "translations": each.made,
            "launches": launches,
            "workgroups": groups,
            "run_s": seconds,
            "mean_s": seconds / launches if launches else 0.0,
        }
        kernels.append((cost, document))
    kernels.sort(key=lambda row: -row[0])
    source = float(os.environ.get(SOURCE) or 0) + sum(seconds for _, seconds in _counted.values())
    cpu = os.times()
    wall = _process_age()
    return {
        "program": sys.argv[0] if sys.argv and sys.argv[0] else Path(sys.executable).name,
        "wall_s": wall,
        "cpu_s": cpu.user + cpu.system,
        "source_s": source,
        "translation_s": sums,
        "run_s": ran,
        "rest_s": max(0.0, wall - sum(sums.values()) - ran - sum(seconds for _, seconds in _counted.values())),
        "cache_hits": sum(m["cached"] for each in _kernels for m in each.made),
        "cache_misses": sum(not m["cached"] for each in _kernels for m in each.made if not m["background"]),
        "kernels": [document for _, document in kernels],
    }


def render(report: dict[str, Any], most: int = 40) -> str:
    """The document as a table, milliseconds."""
    head = (
        "KERNEL",
        "TARGET",
        "TIER",
        "INSTS",
        "DECODE",
        "LIFT",
        "PASSES",
        "CODEGEN",
        "LOAD",
        "LAUNCHES",
        "RUN",
        "MEAN",
    )
    rows: list[tuple[str, ...]] = [head]
    for each in report["kernels"][:most]:
        rows.extend(_rows(each))
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    lines = ["softrock: where host time went (ms)"]
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].ljust(widths[2])]
        cells += [cell.rjust(width) for cell, width in zip(row[3:], widths[3:], strict=True)]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(report["kernels"]) > most:
        lines.append(f"  and {len(report['kernels']) - most} more kernels")
    parts = [("compile source", report["source_s"])]
    parts += [(name, seconds) for name, seconds in report["translation_s"].items() if seconds > 0 or name != "wait"]
    parts += [("kernels run", report["run_s"]), ("rest (program, copies, runtime)", report["rest_s"])]
    lines.append("  " + ", ".join(f"{name} {seconds * 1e3:.1f}" for name, seconds in parts))
    lines.append(
        f"  wall {report['wall_s'] * 1e3:.1f}, processor {report['cpu_s'] * 1e3:.1f}; "
        f"translations from the cache: {report['cache_hits']}, made: {report['cache_misses']}"
    )
    return "\n".join(lines) + "\n"


def _rows(each: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    name = each["kernel"] if len(each["kernel"]) <= 40 else each["kernel"][:37] + "..."
    used = (str(each["launches"]), f"{each['run_s'] * 1e3:.1f}", f"{each['mean_s'] * 1e3:.3f}")
    for at, made in enumerate(each["translations"]):
        tier = made["tier"] + (", cached" if made["cached"] else ", background" if made["background"] else "")
        phases = [f"{made[phase] * 1e3:.1f}" for phase in PHASES[:5]]
        count = str(made["instructions"] or "")
        first = (name, each["target"]) if at == 0 else ("", "")
        yield (*first, tier, count, *phases, *(used if at == 0 else ("", "", "")))


def _report() -> None:
    """Print the table, or write the document to the file that was asked for (``{pid}`` in its name is the process's
    number)."""
    asked = settings.load().timings
    if asked is None or not (_kernels or _counted):
        return
    report = collect()
    if asked == "1":
        os.write(2, render(report).encode())
        return
    path = Path(asked.replace("{pid}", str(os.getpid())))
    try:
        path.write_text(json.dumps(report, indent=2) + "\n")
    except OSError as error:
        os.write(2, f"softrock: timings cannot be written to {path}: {error.strerror}\n".encode())
