"""``softrock hipify``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from softrock.cli.commands import Given
from softrock.core.errors import UsageError
from softrock.core.text import printable
from softrock.hipify import files, run
from softrock.hipify.findings import Finding
from softrock.hipify.report import File, Report, html, json, sarif, text
from softrock.hipify.run import Target
from softrock.hipify.source import write
from softrock.hipify.work import RULES, Options

_PARSE = ("auto", "always", "never")


def hipify(given: Given) -> int:
    """Carry out the command; returns the exit status."""
    target = _target(given)
    parse = given.values.get("--parse", "auto")
    if parse not in _PARSE:
        raise UsageError(f"--parse {parse!r}", hint=f"choose from {', '.join(_PARSE)}")
    jobs = given.number("--jobs")
    if jobs is not None and not (jobs >= 1 and jobs.is_integer()):
        raise UsageError(f"--jobs {given.values['--jobs']!r}", hint="give a number of processes, from 1 on")
    options = Options("--launch-macro" in given.values, parse, tuple(given.tail))
    skip = [target.folder] if target.folder is not None else []
    paths = [Path(each) for each in given.words]
    if target.folder is not None and any(os.path.realpath(each) == os.path.realpath(target.folder) for each in paths):
        raise UsageError(f"-o {target.folder} is the folder that is read", hint="give another, or --in-place")
    items, trouble = files.collect(paths, _globs(given, "--include"), _globs(given, "--exclude"), skip, bool(skip))
    if not items and not trouble:
        raise UsageError(
            f"no source files in {', '.join(given.words)}", hint="give CUDA or C++ sources, or build files"
        )
    sources = {os.path.realpath(each.path) for each in items}
    for flag in ("--html", "--sarif"):
        if flag in given.values and os.path.realpath(given.values[flag]) in sources:
            raise UsageError(f"{flag} {given.values[flag]} is a source that is read", hint="give a file for the report")
    progress, done = _progress(len(items), "--json" not in given.values)
    report = run.run(items, options, target, jobs=int(jobs) if jobs else None, progress=progress)
    done()
    for folder, why in trouble:
        finding = Finding(
            "unreadable", RULES["unreadable"], str(folder), 1, 1, 1, 1, f"left out: {why}", "check its permissions"
        )
        report.files.append(File(str(folder), mode="skipped", findings=[finding]))
    _show(given, report, target)
    if report.errors or ("--check" in given.values and report.changed):
        return 1
    return 0


def _target(given: Given) -> Target:
    modes = [each for each in ("-o", "--in-place", "--diff", "--check") if each in given.values]
    if len(modes) > 1 and set(modes) != {"--diff", "--check"}:
        raise UsageError(f"{' and '.join(modes)} exclude each other", hint="choose one")
    if "--backup" in given.values and "--in-place" not in given.values:
        raise UsageError("--backup goes with --in-place", hint="softrock hipify --help shows the usage")
    backup = given.values.get("--backup", ".orig")
    if "/" in backup:
        raise UsageError(f"--backup {backup!r}", hint="give a suffix such as .orig, or an empty one for no backup")
    if files.kind_of(Path("x" + backup)):
        raise UsageError(f"--backup {backup!r} makes sources of the old files", hint="give a suffix such as .orig")
    folder = Path(given.values["-o"]) if "-o" in given.values else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: not a folder", hint="-o names the folder that results are written to")
    return Target(folder, "--in-place" in given.values, backup, "--rename" in given.values)


def _globs(given: Given, flag: str) -> list[str]:
    return [each.strip() for each in given.values.get(flag, "").split(",") if each.strip()]


def _progress(count: int, wanted: bool) -> tuple[Callable[[int, str], None] | None, Callable[[], None]]:
    """A line on the terminal that says how far it is, and what removes it."""
    if not wanted or count < 2 or not sys.stderr.isatty():
        return None, lambda: None

    def show(number: int, name: str) -> None:
        sys.stderr.write(f"\r\x1b[K[{number}/{count}] {printable(name[-60:])}")
        sys.stderr.flush()

    return show, lambda: print("\r\x1b[K", end="", file=sys.stderr)


def _show(given: Given, report: Report, target: Target) -> None:
    for flag, form in (("--sarif", sarif), ("--html", html)):
        if flag in given.values:
            write(Path(given.values[flag]), form.render(report).encode("utf-8", "replace"))
    if "--json" in given.values:
        _print(json.render(report))
        return
    if "--diff" in given.values:
        sys.stdout.flush()
        for file in report.files:
            sys.stdout.buffer.write(file.diff.encode("latin-1"))  # the files' own bytes, or patch could not use it
        sys.stdout.buffer.flush()
        _print(text.render(report), sys.stderr)
        return
    if "--check" in given.values:
        for file in report.changed:
            _print(f"{printable(file.path)}: {file.replaced} to replace\n")
    _print(text.render(report))
    written = sum(bool(each.output) for each in report.files)
    files_ = f"{written} file{'s' * (written != 1)}"
    if target.folder is not None:
        _print(f"{files_} written to {printable(str(target.folder))}\n")
    elif target.in_place:
        kept = f"; what was there is kept with the suffix {target.backup}" if target.backup and written else ""
        _print(f"{files_} changed{kept}\n")
    elif "--check" not in given.values and report.changed:
        _print("nothing was written: give --in-place, -o FOLDER or --diff\n")


def _print(what: str, stream: TextIO | None = None) -> None:
    """Print text; names of files may have bytes in them that are no UTF-8."""
    (stream or sys.stdout).write(what.encode("utf-8", "replace").decode("utf-8"))
