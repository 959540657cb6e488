"""Which files are looked at, as what language, by which rules; and what comes of it."""

from __future__ import annotations

import fnmatch
import functools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from softrock.core.errors import SoftrockError, UsageError
from softrock.core.processes import spread
from softrock.core.settings import cpus
from softrock.hipify import files as database
from softrock.hipify.files import Item
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import Source
from softrock.lint import fixes
from softrock.lint.baseline import digest
from softrock.lint.by_size import chosen_by_size
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
    r"#\s*include\s*[<\"](?:hip|rocprim|hipcub|rocwmma|ck)/|\bhip(?:Malloc|Memcpy|Launch|Device|Get|Set|Error_|Stream|Event)\w*"
    r"|\bhipSuccess\b|__builtin_amdgcn_|__HIP_|__AMDGCN_|\bROCPRIM_[A-Z]|\brocprim::"
)
_CUDA = re.compile(
    r"#\s*include\s*[<\"](?:cuda|cub/|curand|cooperative_groups|cublas|device_launch)"
    r"|\bcuda(?:Malloc|Memcpy|Stream_t|DeviceSynchronize)\b|\bc10/cuda/|\bATen/cuda/"
)
_DEVICE = re.compile(
    r"\b__(?:global|device|shared|constant|launch_bounds|syncthreads|syncwarp|ballot|shfl)\w*\b|\bthreadIdx\b|<<<"
    r"|\bwarpSize\b|\b[A-Z]\w*_DEVICE(?:_\w+)?\s+(?:inline|static|auto|void|bool|int|unsigned|float|T\b|[A-Z]\w*_INLINE)"
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
        flags: for clang, e.g. ``-Iinclude``; relative paths in them start from `cwd`.
        parse: use clang's tree where a file parses.
        fix: make the edits of findings that carry some.
    """

    targets: tuple[Target, ...]
    rules: frozenset[str]
    least: Severity = Severity.NOTE
    flags: tuple[str, ...] = ()
    parse: bool = True
    fix: bool = False
    cwd: Path | None = None


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


def _parsed(source: Source, settings: Settings) -> tuple[Tree | None, str]:
    """clang's tree of a file; where there is none to be had, why."""
    from softrock.hipify import parse

    try:
        return parse.parse(source.path, settings.flags, cwd=settings.cwd, source=source), ""
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
    return [
        finding
        for rule in _by_language(file.language, chosen)
        for finding in rule.check(file)
        if not (rule.by_size and chosen_by_size(file, finding.line))
    ]


def check(source: Source, settings: Settings) -> Checked:
    """Look at one source; with `settings.fix`, its file is edited."""
    result = Checked(str(source.path), len(source.line_starts), language_of(source))
    if not result.language:
        return result

    def found(text: Source) -> list[Finding]:
        tree: Tree | None = None
        if settings.parse and result.language != "python":
            tree, result.unparsed = _parsed(text, settings)
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
    by_line = {number: digest(source.line(number)) for number in {each.line for each in result.findings}}
    result.digests = [by_line[each.line] for each in result.findings]
    return result


def check_file(item: Path | Item, settings: Settings) -> Checked:
    """Look at one file; a file that cannot be read gives a finding that says so."""
    path, named = (item, True) if isinstance(item, Path) else (item.path, item.named)
    if isinstance(item, Item):
        settings = replace(settings, flags=(*item.flags, *settings.flags), cwd=item.cwd)
    if path.exists() and not path.is_file():  # a pipe would be waited for
        return not_looked_at(path, "not a regular file", "give sources, or exclude it with --exclude")
    try:
        return check(Source.read(path), settings)
    except UsageError as error:
        text = error.message.removeprefix(f"{path}: ")
        given = named or not ("binary" in text or not path.exists())  # what a link points to may be left out
        severity = Severity.ERROR if given else Severity.WARNING
        return not_looked_at(path, text, error.hint or "", severity)


def not_looked_at(path: Path, why: str, hint: str, severity: Severity = Severity.ERROR) -> Checked:
    """What comes of a file or folder that could not be read."""
    finding = Finding(UNREADABLE, severity, str(path), 1, 1, 1, 1, f"not looked at: {why}", hint)
    return Checked(str(path), findings=[finding], digests=[""])


def check_files(items: Sequence[Path | Item], settings: Settings, jobs: int | None = None) -> list[Checked]:
    """Look at files, over all cores; in the order given."""
    jobs = jobs or cpus()
    work = functools.partial(check_file, settings=settings)
    if jobs == 1 or len(items) < _PARALLEL_FROM:
        return [work(item) for item in items]
    return list(spread(work, items, jobs, mend="leave out what is too large with --exclude"))


def collect(
    paths: Sequence[Path], include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> tuple[list[Item], list[Checked]]:
    """The sources that the user's paths mean, each once: files, what is below folders, a compile_commands.json.

    Returns:
        The files in order, and what there is to say of folders that cannot be read or are in themselves.

    Raises:
        UsageError: a path that does not exist.
    """
    found: dict[str, Item] = {}
    trouble: list[Checked] = []
    for path in paths:
        if path.is_dir():
            members: Iterable[Item] = (Item(each, each) for each in _below(path, trouble))
        else:
            members, _ = database.collect([path])
        for each in members:
            name = each.path.as_posix()
            wanted = each.named or not include or any(fnmatch.fnmatch(name, glob) for glob in include)
            if wanted and not any(fnmatch.fnmatch(name, glob) for glob in exclude):
                found.setdefault(os.path.realpath(each.path), each)
    return list(found.values()), trouble


def files(paths: Sequence[Path], include: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[Path]:
    """The sources that the user's paths mean, as `collect` finds them; raises as it does."""
    return [each.path for each in collect(paths, include, exclude)[0]]


def _below(folder: Path, trouble: list[Checked]) -> Iterator[Path]:
    """Sources below a folder. Links to folders are followed, but none twice: a loop ends there, and is told."""
    seen: dict[tuple[int, int], Path] = {}
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            info = here.stat()
            first = seen.setdefault((info.st_dev, info.st_ino), here)
            if first is not here:
                if here.resolve() in here.absolute().parents:
                    why, hint = f"a link to {first}, which it is in", "leave it out with --exclude"
                    trouble.append(not_looked_at(here, why, hint, Severity.NOTE))
                continue
            entries = sorted(os.scandir(here), key=lambda each: each.name)
        except OSError as error:
            why = error.strerror or "it cannot be read"
            trouble.append(not_looked_at(here, why, "check its permissions"))
            continue
        folders = []
        for entry in entries:
            path = here / entry.name
            if path.is_dir():  # a link to itself is none; `entry.is_dir` would raise
                folders += [path] if not entry.name.startswith(".") else []
            elif path.suffix.lower() in _SUFFIXES or path.suffix.lower() in _CPP:
                yield path
        pending += reversed(folders)
