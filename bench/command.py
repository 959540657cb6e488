"""The command: its options, the order of measuring, the exit status.

Every case runs on each GPU model with one thread (pinned to one CPU) and with all, our samples and the rivals' in
turn. Inputs hold random data before the clock starts. A wrong result, of ours or of a rival, is an error and no figure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from bench import children, facts, plot, results, table
from bench.registry import GPUS, Case, cases


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    out = argparse.ArgumentParser(
        prog="bench/run.py", description="Measure translated kernels beside native rivals, in one run."
    )
    out.add_argument("--case", action="append", default=[], metavar="GLOB", help="only cases that match; repeatable")
    out.add_argument("--gpu", default=",".join(GPUS), help="GPU models, comma-separated (default: %(default)s)")
    out.add_argument("--threads", default="1,all", help="numbers of threads, `all` among them (default: %(default)s)")
    out.add_argument("--repeat", type=int, default=7, help="samples of each figure (default: %(default)s)")
    out.add_argument("--json", type=Path, metavar="FILE", help="write figures and circumstances")
    out.add_argument("--png", type=Path, metavar="FILE", help="draw the ratios (needs softrock[plots])")
    out.add_argument("--compare", type=Path, metavar="OLD.json", help="show changes since; exit 1 where one is slower")
    out.add_argument("--bound", type=float, default=0.1, help="loss that counts as slower (default: %(default)s)")
    out.add_argument("--cpu-time", action="store_true", help="rates by CPU time, for machines with other work")
    out.add_argument("--quick", action="store_true", help="small sizes, few samples: does it run?")
    out.add_argument("--limit", type=float, default=900.0, help="seconds a case may take (default: %(default)g)")
    out.add_argument("--verbose", action="store_true", help="show what the workers print")
    out.add_argument("--list", action="store_true", help="list the cases")
    return out


def thread_counts(text: str) -> list[int]:
    """`1,all` → the numbers, each once.

    Raises:
        ValueError: not a number of threads.
    """
    out: list[int] = []
    for part in text.split(","):
        count = facts.all_threads() if part == "all" else int(part)
        if count < 1:
            raise ValueError(f"{part} threads cannot run anything")
        if count not in out:
            out.append(count)
    return out


def plan(chosen: list[Case], gpus: list[str], threads: list[int]) -> list[tuple[Case, str, int]]:
    """What to measure, in order."""
    out = []
    for case in chosen:
        for gpu in [g for g in gpus if g in case.gpus][: 1 if case.once and case.cost else None]:
            out += [(case, gpu, count) for count in ([facts.all_threads()] if case.once else threads)]
    return out


def main() -> int:
    args = parser().parse_args()
    console = Console(width=None if sys.stdout.isatty() else 180)
    try:
        chosen = cases(args.case)
        threads = thread_counts(args.threads)
        gpus = args.gpu.split(",")
        for gpu in gpus:
            if gpu not in GPUS:
                raise ValueError(f"{gpu!r} is not one of {', '.join(GPUS)}")
        if args.repeat < 1:
            raise ValueError("--repeat must be at least 1")
        old = results.read(args.compare) if args.compare else None
        if args.png:
            plot.check()
    except (ValueError, OSError, plot.MissingLibrary) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if args.list:
        for case in chosen:
            print(f"{case.name:18} {case.title} [{case.unit}] on {', '.join(case.gpus)}")
        return 0
    return measured(args, console, plan(chosen, gpus, threads), old)


def measured(
    args: argparse.Namespace, console: Console, todo: list[tuple[Case, str, int]], old: results.Run | None
) -> int:
    """Measure, show, write, compare; the exit status."""
    repeat = min(args.repeat, 2) if args.quick else args.repeat
    options = children.Options(repeat, args.quick, args.cpu_time, args.limit, args.verbose)
    run = results.Run(facts.gather())
    run.facts.update(clock=results.CPU if args.cpu_time else results.WALL, repeat=repeat, quick=args.quick)
    for index, (case, gpu, count) in enumerate(todo, 1):
        print(f"[{index}/{len(todo)}] {case.name} {gpu} {count} thread(s)", end=" ", file=sys.stderr, flush=True)
        found = children.run(case, gpu, count, options)
        if isinstance(found, results.Failure):
            run.failures.append(found)
            print(table.failed(found), file=sys.stderr)
        else:
            run.rows.append(found)
            said = [f"{f.who} {table.number(f.median)}" for f in found.figures]
            print(f"{', '.join(said)} {found.unit}", file=sys.stderr)
        if args.json:
            run.write(args.json)  # after every case: what is measured is kept if the rest is interrupted
    table.show(console, run)
    if args.png and run.rows:
        plot.draw(run, args.png)
    lost = False
    if old is not None:
        if old.facts["cpu"] != run.facts["cpu"]:
            console.print(f"the older run was made on {old.facts['cpu']}", style="yellow")
        changes = results.compare(old, run)
        table.show_changes(console, changes, args.bound)
        lost = bool(results.regressions(changes, args.bound))
    return 1 if run.failures or lost or not run.rows else 0
