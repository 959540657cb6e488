"""Which files are looked at, as what language, by which rules; and what comes of it."""

from __future__ import annotations

import fnmatch
import functools
import multiprocessing
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from softrock.core.errors import SoftrockError, UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import Source
from softrock.lint import fixes
from softrock.lint.baseline import digest
from softrock.lint.embedded import kernels_in
from softrock.lint.file import File
from softrock.lint.registry import Language, Rule, rules
from softrock.lint.suppress import suppressions
from softrock.lint.targets import Target

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree

UNREADABLE = "unreadable"
"""Id of findings about files that could not be looked at."""

_CPP = frozenset({".cpp", ".cc", ".cxx", ".c++", ".h", ".hpp", ".hh", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tpp"})
_SUFFIXES = {".cu": "cuda", ".cuh": "cuda", ".hip": "hip", ".py": "python", ".pyx": "python", ".pxi": "python"}
_HIP = re.compile(
    r"#\s*include\s*[<\"](?:hip|rocprim|hipcub)/|\bhipLaunchKernelGGL\b|\bhip(?:Malloc|Memcpy|Stream_t)\b"
)
_CUDA = re.compile(
    r"#\s*include\s*[<\"](?:cuda|cub/|curand|cooperative_groups|cublas|device_launch)"
    r"|\bcuda(?:Malloc|Memcpy|Stream_t|DeviceSynchronize)\b|\bc10/cuda/|\bATen/cuda/"
)
_DEVICE = re.compile(
    r"\b__(?:global|device|shared|constant|launch_bounds|syncthreads|syncwarp|ballot|shfl)\w*\b|\bthreadIdx\b|<<<"
)
_PARALLEL_FROM = 8
"""Fewer files are not worth the start of processes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for.

    Attributes:
        targets: the GPUs to port to.
        rules: ids of the rules that run.
        least: findings below it are not shown.
        flags: for clang, e.g. ``-Iinclude``.
        parse: use clang's tree where a file parses.
        fix: make the edits of findings that carry some.
    """

    targets: tuple[Target, ...]
    rules: frozenset[str]
    least: Severity = Severity.NOTE
    flags: tuple[str, ...] = ()
    parse: bool = True
    fix: bool = False


@dataclass
class Checked:
    """What came of one file.

    Attributes:
        lines: how many it has.
        language: "cuda", "hip", "python"; "" where it is none of these or could not be read.
        parsed: clang gave a tree of it.
        unparsed: why it gave none, where one was asked for.
        findings: what was found and not silenced, in order.
        digests: of the findings' lines, for baselines.
        silenced: how many findings comments silenced.
        fixed: how many findings were mended.
    """

    path: str
    lines: int = 0
    language: str = ""
    parsed: bool = False
    unparsed: str = ""
    findings: list[Finding] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    silenced: int = 0
    fixed: int = 0


def language_of(source: Source) -> str:
    """ "cuda", "hip" or "python", by suffix and, for C++, by content; "" for code without a GPU in it."""
    suffix = source.path.suffix.lower()
    if suffix in _SUFFIXES:
        known = _SUFFIXES[suffix]
        return "hip" if known == "cuda" and _HIP.search(source.text) and not _CUDA.search(source.text) else known
    if suffix not in _CPP:
        return ""
    if _HIP.search(source.text):
        return "hip"
    return "cuda" if _CUDA.search(source.text) or _DEVICE.search(source.text) else ""


def choose(only: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """Ids of the rules to run: those of `only` (all where it is empty) without those of `ignore`.

    Raises:
        UsageError: an id that is no rule's.
    """
    import difflib

    wanted, unwanted = list(only), list(ignore)
    for name in [*wanted, *unwanted]:
        if name not in rules():
            close = difflib.get_close_matches(name, rules(), 1)
            raise UsageError(f"no such rule: {name}", hint=f"did you mean {close[0]}?" if close else "see --list")
    return frozenset(wanted or rules()) - frozenset(unwanted)


@functools.cache
def _by_language(language: str, chosen: frozenset[str]) -> tuple[Rule, ...]:
    flag = Language[language.upper()]
    return tuple(each for each in rules().values() if each.id in chosen and flag in each.languages)


def _parsed(source: Source, flags: Sequence[str]) -> tuple[Tree | None, str]:
    """clang's tree of a file; where there is none to be had, why."""
    from softrock.hipify import parse

    try:
        return parse.parse(source.path, flags, source=source), ""
    except SoftrockError as error:
        return None, error.message


def findings_of(source: Source, language: str, settings: Settings, tree: Tree | None = None) -> list[Finding]:
    """What the rules find in one source, each place once for a rule, in order; nothing is silenced."""
    file = File(source, language, settings.targets, tree)
    found = _run(file, settings.rules)
    if language == "python":
        for kernel, inner in kernels_in(source):
            found += _run(File(kernel, inner, settings.targets, None), settings.rules)
    unique = {(each.rule, each.line, each.column): each for each in reversed(found)}
    return sorted(unique.values(), key=lambda each: (each.line, each.column, each.rule))


def _run(file: File, chosen: frozenset[str]) -> list[Finding]:
    return [finding for rule in _by_language(file.language, chosen) for finding in rule.check(file)]


def check(source: Source, settings: Settings) -> Checked:
    """Look at one source; with `settings.fix`, its file is edited."""
    result = Checked(str(source.path), len(source.line_starts), language_of(source))
    if not result.language:
        return result

    def found(text: Source) -> list[Finding]:
        tree: Tree | None = None
        if settings.parse and result.language != "python":
            tree, result.unparsed = _parsed(text, settings.flags)
        result.parsed = tree is not None
        everything = findings_of(text, result.language, settings, tree)
        allowed = suppressions(text, result.language, rules())
        kept = [each for each in everything if not allowed.silences(each)]
        result.silenced = len(everything) - len(kept)
        return [*kept, *allowed.unknown]

    if settings.fix:
        source, result.fixed = fixes.fix(source, found)
    ordered = sorted(found(source), key=lambda each: (each.line, each.column, each.rule))
    result.findings = [each for each in ordered if each.severity >= settings.least]
    result.digests = [digest(source.line(each.line)) for each in result.findings]
    return result


def check_file(path: Path, settings: Settings) -> Checked:
    """Look at one file; a file that cannot be read gives a finding that says so."""
    try:
        return check(Source.read(path), settings)
    except UsageError as error:
        text = f"not looked at: {error.message.removeprefix(f'{path}: ')}"
        finding = Finding(UNREADABLE, Severity.WARNING, str(path), 1, 1, 1, 1, text, error.hint or "")
        return Checked(str(path), findings=[finding], digests=[""])


def check_files(paths: Sequence[Path], settings: Settings, jobs: int | None = None) -> list[Checked]:
    """Look at files, over all cores; in the order given."""
    jobs = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1
    work = functools.partial(check_file, settings=settings)
    if jobs == 1 or len(paths) < _PARALLEL_FROM:
        return [work(path) for path in paths]
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(paths))) as pool:
        return pool.map(work, paths, chunksize=max(1, min(16, len(paths) // (4 * jobs))))


def files(paths: Sequence[Path], include: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[Path]:
    """The sources that the user's paths mean: files themselves, folders with all below them, each once.

    Raises:
        UsageError: a path that does not exist.
    """
    found: dict[str, Path] = {}
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder", hint="check the path")
        for each in _below(path) if path.is_dir() else [path]:
            name = each.as_posix()
            wanted = not include or each == path or any(fnmatch.fnmatch(name, glob) for glob in include)
            if wanted and not any(fnmatch.fnmatch(name, glob) for glob in exclude):
                found.setdefault(os.path.realpath(each), each)
    return list(found.values())


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):  # does not follow links to folders, so that no loop is walked
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix.lower() in _SUFFIXES or path.suffix.lower() in _CPP:
                yield path
