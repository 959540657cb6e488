"""``softrock doctor``."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from softrock.cli.commands import Given
from softrock.core.errors import UsageError
from softrock.doctor import checks, registry, report, summary
from softrock.doctor.registry import Machine
from softrock.system.interface import System
from softrock.system.live import Live
from softrock.system.tree import Tree


def _system(given: Given) -> System:
    return Tree.load(Path(given.values["--tree"])) if "--tree" in given.values else Live()


def _wanted(given: Given) -> str:
    wanted = given.values.get("--for", "").lower()
    if "--for" in given.values and wanted not in summary.WANTED:
        raise UsageError(f"--for {given.values['--for']!r} is unknown", hint=f"choose from {', '.join(summary.WANTED)}")
    return wanted


def doctor(given: Given) -> int:
    """Carry out the command; returns the exit status."""
    assert checks.MODULES
    machine = Machine(_system(given), _wanted(given), live="--tree" not in given.values)
    results = list(registry.run(machine, active="--active" in given.values))
    told = summary.summarise(machine, results)
    if "--json" in given.values:
        print(json.dumps(report.document(machine, results, told), indent=2))
    else:
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        columns = min(shutil.get_terminal_size((100, 24)).columns, 120)
        print(report.text(machine, results, told, whole="--all" in given.values, colour=colour, columns=columns))
    return told.status
