"""``softrock doctor``."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from softrock.cli.commands import Given
from softrock.core.errors import UsageError
from softrock.doctor import registry, report, summary
from softrock.doctor.registry import Machine
from softrock.system.interface import System
from softrock.system.live import Live
from softrock.system.recorder import Recorder
from softrock.system.tree import Tree


def _system(given: Given) -> System:
    return Tree.load(Path(given.values["--tree"])) if "--tree" in given.values else Live()


def _wanted(given: Given) -> str:
    wanted = given.values.get("--for", "").lower()
    if "--for" in given.values and wanted not in summary.WANTED:
        raise UsageError(f"--for {given.values['--for']!r} is unknown", hint=f"choose from {', '.join(summary.WANTED)}")
    return wanted


def _list(given: Given) -> int:
    """Print the checks."""
    checks = registry.CHECKS.values()
    if "--json" in given.values:
        rows = [{"id": each.id, "section": each.section, "title": each.title, "active": each.active} for each in checks]
        print(json.dumps(rows, indent=2))
    else:
        width = max(len(each.id) for each in checks)
        for each in checks:
            print(f"{each.id:{width}}  {each.title}{' (--active)' if each.active else ''}")
    return 0


def doctor(given: Given) -> int:
    """Carry out the command; returns the exit status."""
    if "--list" in given.values:
        return _list(given)
    only = [each for each in given.values.get("--check", "").split(",") if each]
    unknown = [each for each in only if each not in registry.CHECKS]
    if unknown:
        raise UsageError(f"there is no check {unknown[0]!r}", hint="softrock doctor --list shows them")
    recorder = Recorder(_system(given))
    live = "--tree" not in given.values
    machine = Machine(recorder, _wanted(given), live=live)
    if "--explain" in given.values:
        return _explain(given, machine)
    results = list(registry.run(machine, active="--active" in given.values, only=only))
    told = summary.summarise(machine, results)
    if "--json" in given.values:
        print(json.dumps(report.document(machine, results, told), indent=2))
    else:
        print(report.text(machine, results, told, whole="--all" in given.values, colour=_colour(), columns=_columns()))
    _write(given, machine, recorder, results, told)
    return told.status


def _explain(given: Given, machine: Machine) -> int:
    """Explain a text, a file, or (``-``) what comes in; the status is 1 where nothing of it is known."""
    from softrock.doctor import explain

    words = given.values["--explain"]
    if not words.strip():
        raise UsageError("--explain needs a text, a file, or - for standard input")
    if words == "-":
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        found = explain.explain(sys.stdin, machine)
    elif _is_file(words):
        with Path(words).open(encoding="utf-8", errors="replace") as log:
            found = explain.explain(log, machine)
    else:
        found = explain.explain(words, machine)
    if "--json" in given.values:
        print(json.dumps([dataclasses.asdict(each) for each in found], indent=2))
    else:
        print(explain.render(found))
    return 0 if found else 1


def _is_file(words: str) -> bool:
    """Whether it names a file; a long error text is no name at all."""
    try:
        return "\n" not in words and Path(words).is_file()
    except (OSError, ValueError):
        return False


def _write(
    given: Given, machine: Machine, recorder: Recorder, results: list[registry.Result], told: summary.Summary
) -> None:
    """Write the files that were asked for, and say so."""
    from softrock.doctor import bundle

    ways: dict[str, Callable[[Path], None]] = {
        "--record": lambda path: bundle.write_record(recorder, path),
        "--bundle": lambda path: bundle.write_bundle(recorder, machine, results, told, path),
    }
    for flag, write in ways.items():
        if flag in given.values:
            write(Path(given.values[flag]))
            print(f"{given.values[flag]} is written; look through it before you send it", file=sys.stderr)


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _columns() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 120)
