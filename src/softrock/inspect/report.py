"""What GPU code a file, folder or package holds, as plain data (the shape of ``softrock inspect --json``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from softrock.codeobj import TargetId
from softrock.codeobj.kpack import Reference
from softrock.codeobj.names import Demangler
from softrock.codeobj.survey import Counts
from softrock.codeobj.targets import runs_on
from softrock.core.errors import CodeObjectError
from softrock.inspect import packages, walk
from softrock.inspect.kernels import describe
from softrock.inspect.limits import clean
from softrock.inspect.scan import ARGUMENTS, COUNTS, KERNELS, File, Found, scan
from softrock.inspect.verdict import Verdict

_MOST_PROBLEMS = 100
_MOST_REMEMBERED = 200_000
_KINDS = {
    "zip": "zip archive",
    "tar": "tar archive",
    "ar": "archive",
    "gzip": "gzip file",
    "bzip2": "bzip2 file",
    "xz": "xz file",
    "zstd": "zstd file",
}


class Options(NamedTuple):
    """What to report.

    Attributes:
        gpus: devices for which to say whether it runs on them.
        kernels: describe all kernels (with `gpus`, those that one of them takes); None describes them only where there
            are no more than `few`.
        few: see there.
        arguments: describe the kernels' arguments too.
        pattern: only kernels whose name, readable or mangled, matches; a text without ``*?[`` must be part of it.
        enough: says when no more kernels need to be described.
        progress: called now and then with what is being read and how many kernels there were.
    """

    gpus: tuple[TargetId, ...] = ()
    kernels: bool | None = True
    few: int = 40
    arguments: bool = True
    pattern: str = ""
    enough: Callable[[], bool] | None = None
    progress: Callable[[str, int], None] | None = None


_ALL = Options()


class _Target(NamedTuple):
    """Counts of a row of the summary, as a list to add to."""

    counts: dict[str, int]
    versions: set[int]


_COUNTS = ("code_objects", "kernels", "bytes", "bitcode", "unreadable", "spilling", "scratch", "agprs")


def report(path: str | Path, options: Options = _ALL) -> dict[str, Any]:
    """Describe the GPU code in a file: a program, shared library, object, archive, bundle, code object, kpack or other
    archive; in the files of a folder; or in an installed Python package.

    Returns:
        A dictionary that JSON can hold. ``file``, ``kind``, ``bytes``; ``targets``: the target IDs there
        is code for; ``summary``: for each target its counts (code_objects, kernels, bytes, kernels that spill, use
        scratch or AGPRs; versions of its code objects); ``kernel_count``; ``files``: those that hold code, each with
        ``name``, ``kind``, ``bytes``, ``build_id``, ``compilers``, ``code_objects``, ``kernels`` and ``kept_in`` (kpack
        archives); ``compilers`` of the GPU code; ``gpus``: see :class:`softrock.inspect.verdict.Verdict`;
        ``problems``: what cannot be read; ``kernels_matched``: how many kernels were asked for (by pattern and GPU);
        ``kernels_left_out``: how many of all are not described.

        ``code_objects``: each with ``target``, ``version``, ``file``, ``where``, ``compression``, ``bytes``,
        ``build_id``, ``compilers``, ``kernel_count``, ``kernels``, ``variables``, ``undefined`` and ``error`` (None, or
        why it cannot be read). A kernel has registers (``vgprs`` with AGPRs included, ``agprs``, ``sgprs``), bytes
        (``lds``, ``scratch``, ``arguments_bytes``, ``code_bytes``), ``vgpr_spills``, ``sgpr_spills``,
        ``dynamic_stack``, ``wave_size``, ``max_block``, ``arguments`` and ``occupancy`` (None for GPUs whose limits are
        not known; with `gpus`, on the first of those that runs it).

    Raises:
        UsageError: there is no such file or package, or it may not be read.
        CodeObjectError: it holds no GPU code, or is corrupt.
    """
    objects: list[dict[str, Any]] = []
    found = survey(path, options, objects.append)
    if found["kernels_left_out"] and options.kernels is None:
        for each in objects:
            each["kernels"] = []
        found["kernels_left_out"] = found["kernel_count"]
    return {**found, "code_objects": objects}


def survey(path: str | Path, options: Options, emit: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Like :func:`report`, but hands the code objects to `emit` one by one, so that memory holds only one."""
    source = _source(Path(path), options)
    collected = _Collected(options)
    try:
        for leaf in chain(source.leaves, _elsewhere(Path(path), source, collected)):
            if isinstance(leaf, walk.Problem):
                collected.problem(leaf.message)
                continue
            for event in scan(leaf, collected.depth):
                if isinstance(event, Found):
                    emit(collected.code_object(event))
                elif isinstance(event, File):
                    collected.file(event)
                else:
                    collected.problem(event.message)
    finally:
        collected.names.close()
    return {**source.facts, **collected.result(source.facts)}


def _elsewhere(path: Path, source: _Source, collected: _Collected) -> Iterator[walk.Leaf | walk.Problem]:
    """What a library names as the place of its code; a folder or package is taken as it is."""
    kept = collected.reference
    if source.facts["bytes"] is not None and kept is not None and not source.facts["kind"]:
        yield from walk.kept_elsewhere(path, kept.paths, kept.name)


class _Source(NamedTuple):
    facts: dict[str, Any]
    leaves: Iterator[walk.Leaf | walk.Problem]


def _source(path: Path, options: Options) -> _Source:
    shown = clean(str(path))
    progress = _Counter(options).step if options.progress else None
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError):
        is_folder, exists = False, True  # opening it says what is wrong
    if is_folder:
        return _Source({"file": shown, "kind": "folder", "bytes": None}, walk.in_folder(path, progress))
    package = None if exists else packages.find(str(path))
    if package is not None:
        kind = f"Python package {package.version}".rstrip()
        return _Source({"file": package.name, "kind": kind, "bytes": None}, walk.in_package(package, progress))
    opened = walk.open_file(path)
    if opened.kind is None:
        raise CodeObjectError(
            f"{shown} holds no GPU code that is known here: it is no ELF file, offload bundle or archive",
            hint="give a program, shared library, .o, .a, .hsaco, .co, .hipfb, .kpack or .whl file, or a folder",
        )
    if opened.kind == "thin":
        raise CodeObjectError(
            f"{shown} is a thin archive, which only names its members", hint="inspect the object files themselves"
        )
    kind = "wheel" if path.suffix == ".whl" and opened.kind == "zip" else _KINDS.get(opened.kind, "")
    facts = {"file": shown, "kind": kind, "bytes": len(opened.data)}
    return _Source(facts, walk.in_file(opened, shown, progress))


class _Counter:
    """Passes on what is being read."""

    def __init__(self, options: Options) -> None:
        self._report = options.progress

    def step(self, name: str) -> None:
        assert self._report is not None
        self._report(name, 0)


class _Collected:
    """What was found so far, but for the code objects themselves."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.names = Demangler()
        self._targets: dict[str, _Target] = {}
        self._files: dict[str, dict[str, Any]] = {}
        self._kinds: list[str] = []  # of the first file, for a file of its own
        self._compilers: dict[str, int] = {}
        self._verdicts = [Verdict(each) for each in options.gpus]
        self._problems: list[str] = []
        self._more_problems = 0
        self._kernels = self._described = self._matched = 0
        self._objects = self._errors = 0
        self._fitting: dict[str, bool] = {}
        self._last = ""
        self.reference: Reference | None = None

    def problem(self, message: str) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(message)
        else:
            self._more_problems += 1

    def file(self, item: File) -> None:
        if not self._kinds:
            self._kinds.append(item.kind)
        if self._last in self._files and self._is_empty(self._files[self._last]):
            del self._files[self._last]  # no GPU code: a folder may have a hundred thousand such
        self._last = item.name
        self.reference = item.reference or self.reference
        kept = list(item.reference.paths) if item.reference else []
        self._files[item.name] = {
            "name": item.name,
            "kind": item.kind,
            "bytes": item.size,
            "build_id": item.build_id or None,
            "compilers": list(item.compilers),
            "code_objects": 0,
            "kernels": 0,
            "targets": [],
            "kept_in": [clean(each) for each in kept[:64]],
        }

    @staticmethod
    def _is_empty(row: dict[str, Any]) -> bool:
        return not row["code_objects"] and not row["kept_in"]

    def depth(self, counts: Counts) -> int:
        """What to read of a code object."""
        options = self._options
        if options.kernels and options.gpus and not any(runs_on(counts.target_id, each) for each in options.gpus):
            return COUNTS
        matched = self._count_matches(counts.names) if options.pattern else counts.kernels
        self._matched += matched
        few = self._kernels + counts.kernels <= options.few
        if options.kernels is False or (options.kernels is None and not few) or not matched:
            return COUNTS
        if options.enough is not None and options.enough():
            return COUNTS
        return ARGUMENTS if options.arguments else KERNELS

    def _count_matches(self, symbols: Sequence[str]) -> int:
        """How many symbols match the pattern. Targets share most of theirs, so each is looked at once."""
        if len(self._fitting) > _MOST_REMEMBERED:
            self._fitting.clear()
        fresh = [each for each in dict.fromkeys(symbols) if each not in self._fitting]
        for symbol, name in zip(fresh, self.names.names(fresh), strict=True):
            self._fitting[symbol] = matches(self._options.pattern, symbol, name)
        return sum(self._fitting[each] for each in symbols)

    def code_object(self, found: Found) -> dict[str, Any]:
        """Count a code object and describe it."""
        self._objects += 1
        code = found.code
        count = found.counts.kernels if found.counts else 0
        self._kernels += count
        row = self._files.get(found.file)
        if row is not None:
            row["code_objects"] += 1
            row["kernels"] += count
            if found.target not in row["targets"]:
                row["targets"].append(found.target)
        for each in found.compilers:
            if each in self._compilers or len(self._compilers) < 64:
                self._compilers[each] = self._compilers.get(each, 0) + 1
        for verdict in self._verdicts:
            verdict.feed(found, count)
        self._count(found)
        if found.error:
            self._errors += 1
            self.problem(found.error)
        if self._options.progress is not None:
            self._options.progress("", count)
        return {
            "target": found.target,
            "id": found.id,
            "file": found.file,
            "where": found.where,
            "compression": found.compression or None,
            "bytes": found.size,
            "version": found.counts.version if found.counts else None,
            "bitcode": found.bitcode,
            "build_id": found.build_id or None,
            "compilers": list(found.compilers),
            "kernel_count": count,
            "kernels": self._describe(found),
            "variables": self._variables(found),
            "undefined": list(code.undefined) if code else [],
            "error": found.error or None,
        }

    def _count(self, found: Found) -> None:
        row = self._targets.setdefault(found.target, _Target(dict.fromkeys(_COUNTS, 0), set()))
        counts = row.counts
        counts["code_objects"] += 1
        counts["bytes"] += found.size
        counts["bitcode"] += found.bitcode
        counts["unreadable"] += bool(found.error)
        if found.counts is not None:
            row.versions.add(found.counts.version)
            for name in ("kernels", "spilling", "scratch", "agprs"):
                counts[name] += getattr(found.counts, name)

    def _describe(self, found: Found) -> list[dict[str, Any]]:
        if found.code is None or not found.code.kernels:
            return []
        options = self._options
        kernels = list(found.code.kernels.values())
        names = self.names.names([each.name for each in kernels])
        pairs = [
            (kernel, name)
            for kernel, name in zip(kernels, names, strict=True)
            if matches(options.pattern, kernel.name, name)
        ]
        self._described += len(pairs)
        device = next(
            (d.processor for d in options.gpus if found.target_id and runs_on(found.target_id, d)), None
        )
        return [describe(kernel, name, options.arguments, device) for kernel, name in pairs]

    def _variables(self, found: Found) -> list[dict[str, Any]]:
        if found.code is None:
            return []
        shown = [each for each in found.code.variables.values() if not each.name.startswith("__hip_cuid_")]
        names = self.names.names([each.name for each in shown])
        return [
            {"name": name, "symbol": each.name, "bytes": each.size, "constant": each.is_const}
            for each, name in zip(shown, names, strict=True)
        ]

    def result(self, facts: dict[str, Any]) -> dict[str, Any]:
        """All but the code objects.

        Raises:
            CodeObjectError: there is no GPU code, or the only thing there is cannot be read.
        """
        files = [each for each in self._files.values() if not self._is_empty(each)]
        if not self._objects and not files:
            self._nothing(facts["file"])
        if self._errors == self._objects == 1 and len(self._problems) == 1:
            raise CodeObjectError(self._problems[0], hint="build or fetch the file again")
        kept = [each for row in files for each in row["kept_in"]]
        more = [f"{self._more_problems} more problems"] if self._more_problems else []
        return {
            "kind": facts["kind"] or (self._kinds[0] if self._kinds else ""),
            "targets": list(self._targets),
            "summary": [
                {"target": name, **row.counts, "versions": sorted(row.versions)} for name, row in self._targets.items()
            ],
            "kernel_count": self._kernels,
            "kernels_left_out": self._kernels - self._described,
            "kernels_matched": self._matched,
            "files": files,
            "compilers": sorted(self._compilers),
            "gpus": [each.result(kept) for each in self._verdicts],
            "problems": self._problems + more,
        }

    def _nothing(self, name: str) -> None:
        hint = "compile it with hipcc --offload-arch=gfx942, or give a file that was"
        if self._problems:
            first = self._problems[0]
            more = len(self._problems) + self._more_problems - 1
            also = f" (and {more} more problems)" if more else ""
            raise CodeObjectError(first + also, hint="build or fetch it again")
        raise CodeObjectError(f"{name} holds no AMD GPU code", hint=hint)


def matches(pattern: str, *names: str) -> bool:
    """Whether a name matches a glob, or holds a text that is none."""
    if not pattern:
        return True
    if not any(each in pattern for each in "*?["):
        return any(pattern in name for name in names)
    return any(fnmatchcase(name, pattern) for name in names)
