"""Many files, over all cores: read, translate, write; what came of each."""

from __future__ import annotations

import contextlib
import functools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from softrock.core.errors import SoftrockError, UsageError
from softrock.core.processes import spread
from softrock.core.settings import cpus
from softrock.hipify import cmake, edits, files, python, source, translate
from softrock.hipify.files import Item
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.report import File, Report
from softrock.hipify.source import Source
from softrock.hipify.work import ABOUT, RULES, Options

_WORTH = {"never": 3 << 20, "auto": 1 << 12, "always": 1 << 12}
"""Bytes of sources from which on more processes pay, by `Options.parse`."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go.

    Attributes:
        folder: the output folder; None: none.
        in_place: the files themselves.
        backup: suffix under which the old file is kept, "" for none.
        rename: .cu becomes .hip.
    """

    folder: Path | None = None
    in_place: bool = False
    backup: str = ".orig"
    rename: bool = False

    def of(self, item: Item) -> Path | None:
        """The file that an item's result is written to."""
        if self.folder is None and not self.in_place:
            return None
        path = self.folder / item.relative if self.folder is not None else item.path
        return path.with_suffix(".hip") if self.rename and path.suffix == ".cu" else path


def run(
    items: Sequence[Item],
    options: Options,
    target: Target | None = None,
    *,
    jobs: int | None = None,
    progress: Callable[[int, str], None] | None = None,
) -> Report:
    """Translate files, in the order given.

    Args:
        jobs: processes (default: one for each core that this one may use).
        progress: called with the number of files that are done and the name of the last.

    Raises:
        UsageError: two files would become the same one, or one that is read.
        SoftrockError: a process that translates died.
    """
    target = target or Target()
    _no_clash(items, target)
    if target.rename:
        names = frozenset(os.path.realpath(each.path) for each in items if each.path.suffix == ".cu")
        options = replace(options, renamed=names)
    work = functools.partial(one, options=options, target=target)
    report = Report("softrock hipify", ABOUT, RULES)
    jobs = jobs or cpus()
    if jobs == 1 or len(items) < 2 or _bytes(items) < _WORTH[options.parse]:
        _gather(report, map(work, items), progress)
        return report
    # A parse takes a second or more; files without one are sent several at a time.
    chunk = 1 if options.parse != "never" else None
    mend = "try --jobs 1, or leave out what is too large with --exclude"
    with contextlib.closing(spread(work, items, jobs, mend=mend, chunk=chunk)) as results:
        _gather(report, results, progress)
    return report


def _gather(
    report: Report,
    results: Iterable[tuple[File, Counter[tuple[str, str, str]]]],
    progress: Callable[[int, str], None] | None,
) -> None:
    for number, (file, uses) in enumerate(results, 1):
        report.files.append(file)
        report.uses.update(uses)
        if progress is not None:
            progress(number, file.path)


def _bytes(items: Sequence[Item]) -> int:
    total = 0
    for each in items:
        try:
            total += each.path.stat().st_size
        except OSError:
            continue
    return total


def _no_clash(items: Sequence[Item], target: Target) -> None:
    taken: dict[str, Path] = {}
    read = {} if target.in_place else {os.path.realpath(each.path): each.path for each in items}
    for item in items:
        path = target.of(item)
        if path is None:
            continue
        if os.path.realpath(path) in read:
            raise UsageError(
                f"{read[os.path.realpath(path)]} is read and would be overwritten",
                hint="give another output folder, or --in-place, which keeps the old file",
            )
        other = taken.setdefault(os.path.normpath(path), item.path)
        if other != item.path:
            raise UsageError(f"{item.path} and {other} would both become {path}", hint="translate them one by one")


def one(item: Item, options: Options, target: Target) -> tuple[File, Counter[tuple[str, str, str]]]:
    """Translate one file and write the result; trouble with the file becomes a finding."""
    file = File(str(item.path))
    uses: Counter[tuple[str, str, str]] = Counter()
    try:
        read = Source.read(item.path)
    except UsageError as error:
        kind = "binary" if "binary" in error.message else "unreadable"
        text = error.message.removeprefix(f"{item.path}: ")
        file.mode = "skipped"
        file.findings.append(_about(item, kind, f"left out: {text}", error.hint))
        return file, uses
    options = replace(options, flags=(*item.flags, *options.flags), cwd=item.cwd)
    try:
        result = translated(read, options)
    except SoftrockError as error:  # only where no fallback is wanted
        file.mode = "skipped"
        text = error.message.removeprefix(f"{item.path}: ")
        file.findings.append(replace(_about(item, "not-parsed", f"left out: {text}"), severity=Severity.ERROR))
        return file, uses
    file.lines = read.text.count("\n") + (not read.text.endswith("\n") and bool(read.text))
    file.mode, file.reason = result.mode, result.reason
    file.findings, file.edits, file.replaced = result.findings, result.edits, result.replaced
    if result.mode == "tokens" and result.reason:
        file.findings.insert(0, _about(item, "not-parsed", f"not parsed, handled by tokens: {result.reason}"))
    file.diff = edits.unified_diff(read, result.text) if result.edits else ""
    path = target.of(item)
    if path is not None:
        try:
            _write(read, result.text, item.path, path, target)
            file.output = str(path) if target.folder is not None or result.edits else ""
        except SoftrockError as error:
            file.findings.append(_about(item, "unreadable", error.message, error.hint))
    return file, result.uses


def _about(item: Item, rule: str, message: str, hint: str | None = None) -> Finding:
    """A finding about a file as a whole."""
    return Finding(rule, RULES[rule], str(item.path), 1, 1, 1, 1, message, hint or "")


def translated(read: Source, options: Options) -> translate.Translation:
    """Translate a source as what its name says it is."""
    kind = files.kind_of(read.path)
    if kind == "cmake":
        return cmake.translate(read, options)
    if kind == "python":
        return python.translate(read, options)
    return translate.translate(read, options)


def _write(read: Source, text: str, old: Path, new: Path, target: Target) -> None:
    """Write a result; in place only what differs, with the old file kept."""
    if target.folder is not None:
        source.write(new, read.to_bytes(text), like=old)
    elif new != old:  # another suffix: the old file moves out of the way
        if new.exists():
            raise UsageError(f"{new} exists: {old} was left as it is", hint="move it away, or do without --rename")
        source.write(new, read.to_bytes(text), like=old)
        try:
            if target.backup:
                source.keep(old, target.backup)
            old.unlink()
        except OSError as error:
            raise UsageError(
                f"{old}: cannot be moved: {error.strerror}", hint="remove it: its translation is written"
            ) from None
    elif text != read.text:
        source.write(new, read.to_bytes(text), backup=target.backup or None)
