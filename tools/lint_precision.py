"""Lint public code bases that work on AMD GPUs, and write down what was found: docs/lint-precision.md.

    python tools/lint_precision.py FOLDER [--write] [--only WORD]

FOLDER holds clones (git directories will do) of the projects in `BASES`, as ``owner+name`` or ``name``; those that are
not there are left out. Each is linted by tokens alone, some with clang's tree as well. ``lint_verdicts.tsv`` beside
this file holds what a person says of findings of severity error: right or wrong, and why. The page shows each of them;
the exit status is 1 where one was not looked at, or where a project has more errors a thousand lines than its bound.
"""

from __future__ import annotations

import csv
import fnmatch
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lint_field_cases import clone

from softrock.hipify.findings import Finding, Severity
from softrock.lint import engine, targets
from softrock.lint.registry import rules

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "lint-precision.md"
VERDICTS = Path(__file__).with_name("lint_verdicts.tsv")


@dataclass(frozen=True)
class Base:
    """A code base.

    Attributes:
        project: its name on GitHub.
        folders: those of it that are linted; all where there are none.
        parse: lint it with clang's tree, too.
        bound: errors in 1,000 lines that it may have at most: code that is known to work on waves of both sizes.
    """

    project: str
    folders: tuple[str, ...] = ()
    parse: bool = False
    bound: float | None = None


BASES = (
    Base("ROCm/rocm-examples", parse=True, bound=1.0),
    Base("ROCm/hipCUB", ("hipcub",), parse=True, bound=1.0),
    Base("ROCm/rocPRIM", ("rocprim",), bound=1.0),
    Base("ROCm/rocSOLVER", ("library",), bound=1.0),
    Base("ROCm/rocHPL", bound=1.0),
    Base("stotko/stdgpu", ("src",), bound=1.0),
    Base("ggml-org/ggml", ("src/ggml-cuda",)),
    Base("kokkos/kokkos", ("core",)),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of findings: those of a rule in files that match a glob, in lines that have a text."""

    project: str
    path: str
    rule: str
    text: str
    right: bool
    why: str


@dataclass
class Run:
    """What came of one code base in one mode."""

    base: Base
    commit: str
    mode: str
    files: int = 0
    parsed: int = 0
    lines: int = 0
    findings: list[tuple[Finding, str]] = field(default_factory=list)

    def count(self, severity: Severity) -> int:
        """How many findings of a severity there are."""
        return sum(each.severity is severity for each, _ in self.findings)

    @property
    def rate(self) -> float:
        """Errors in a thousand lines."""
        return 1000 * self.count(Severity.ERROR) / max(1, self.lines)


def verdicts(path: Path = VERDICTS) -> list[Verdict]:
    """The table of verdicts."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Verdict(each["project"], each["path"], each["rule"], each["text"], each["verdict"] == "right", each["why"])
            for each in rows
        ]


def verdict_of(finding: Finding, line: str, project: str, known: Iterable[Verdict]) -> Verdict | None:
    """The first verdict that speaks of a finding."""
    for each in known:
        fits = each.project == project and each.rule in ("*", finding.rule) and fnmatch.fnmatch(finding.path, each.path)
        if fits and (each.text == "*" or each.text in line):
            return each
    return None


def export(repository: Path, base: Base, folder: Path) -> str:
    """Put the files of a code base into a folder; returns the commit."""
    git = ["git", "-C", str(repository)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    data = subprocess.run([*git, "archive", commit, *base.folders], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter="data")
    return commit


def lint(base: Base, commit: str, folder: Path, parse: bool) -> Run:
    """Lint a code base."""
    items, _ = engine.collect([folder])
    settings = engine.Settings(targets.targets(None), frozenset(rules()), parse=parse)
    run = Run(base, commit, "parsed" if parse else "tokens")
    for each in engine.check_files(items, settings):
        if not each.language or each.language == "python":
            continue
        run.files, run.parsed, run.lines = run.files + 1, run.parsed + each.parsed, run.lines + each.lines
        lines = Path(each.path).read_bytes().decode("latin-1").split("\n")
        name = Path(each.path).relative_to(folder).as_posix()
        run.findings += [(named(finding, name), lines[finding.line - 1].strip()) for finding in each.findings]
    return run


def named(finding: Finding, path: str) -> Finding:
    """A finding with another path."""
    import dataclasses

    return dataclasses.replace(finding, path=path)


_HEAD = """\
# Lint: findings in public code

`softrock lint` (for gfx942 and gfx1100) over public code bases, by tokens alone and with clang's tree. `python
tools/lint_precision.py FOLDER --write` makes this page from clones of the projects. The projects of ROCm and stdgpu are
HIP that runs on AMD GPUs of both wave sizes: there lint may find at most one error in 1,000 lines, and each was looked
at. The CUDA backends of ggml and Kokkos are what has to be ported; they show what lint says of such code.

| project | commit | mode | files | of them parsed | lines | errors | warnings | notes | errors in 1,000 lines |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|
"""


def page(runs: Sequence[Run], known: Sequence[Verdict]) -> str:
    """The page."""
    parts = [_HEAD]
    for run in runs:
        counts = " | ".join(f"{run.count(each):,}" for each in reversed(Severity))
        parsed = f"{run.parsed:,}" if run.mode == "parsed" else ""
        where = " ".join((run.base.project, *run.base.folders))
        parts.append(
            f"| {where} | {run.commit[:9]} | {run.mode} | {run.files:,} | {parsed} | "
            f"{run.lines:,} | {counts} | {run.rate:.2f} |\n"
        )
    for run in runs:
        if run.base.parse and run.mode != "parsed":
            continue
        by_rule = Counter((each.rule, each.severity) for each, _ in run.findings)
        parts.append(f"\n## {run.base.project}\n\n| rule | severity | findings |\n|---|---|---:|\n")
        for (rule, severity), number in sorted(by_rule.items(), key=lambda each: (-each[0][1], -each[1], each[0][0])):
            name = f"[{rule}](rules/{rule}.md)" if rule in rules() else rule
            parts.append(f"| {name} | {severity} | {number} |\n")
        parts.append(_looked_at(run, known))
    return "".join(parts)


def _looked_at(run: Run, known: Sequence[Verdict]) -> str:
    """The errors, those of one verdict together."""
    grouped: dict[Verdict | None, list[Finding]] = {}
    for finding, line in run.findings:
        if finding.severity is Severity.ERROR:
            grouped.setdefault(verdict_of(finding, line, run.base.project, known), []).append(finding)
    if not grouped:
        return "\nThere are no errors.\n"
    rows = ["\n| errors | rule | verdict | why | where |\n|---:|---|---|---|---|\n"]
    for verdict, found in grouped.items():
        places = ", ".join(f"{each.path}:{each.line}" for each in found[:3]) + (", …" if len(found) > 3 else "")
        said = ("right" if verdict.right else "wrong") if verdict else "not looked at"
        ids = ", ".join(sorted({each.rule for each in found}))
        rows.append(f"| {len(found)} | {ids} | {said} | {verdict.why if verdict else ''} | {places} |\n")
    return "".join(rows)


def main() -> int:
    """Lint all code bases that are there."""
    words = sys.argv[1:]
    only = words[words.index("--only") + 1] if "--only" in words[:-1] else ""
    folders = [each for each in words if not each.startswith("--") and each != only]
    if len(folders) != 1:
        print("usage: python tools/lint_precision.py FOLDER [--write] [--only WORD]", file=sys.stderr)
        return 2
    known = verdicts()
    runs: list[Run] = []
    failed = False
    for base in BASES:
        repository = clone(Path(folders[0]), base.project)
        if only not in base.project or repository is None:
            print(f"{base.project}: left out", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as place:
            commit = export(repository, base, Path(place))
            for parse in (False, True)[: 1 + base.parse]:
                run = lint(base, commit, Path(place), parse)
                runs.append(run)
                errors = [(each, line) for each, line in run.findings if each.severity is Severity.ERROR]
                for each, line in errors:
                    if verdict_of(each, line, base.project, known) is None:
                        failed = True
                        print(f"not looked at ({run.mode}): {each}\n    {line}", file=sys.stderr)
                failed |= base.bound is not None and run.rate > base.bound
    text = page(runs, known)
    print(text)
    if "--write" in words:
        PAGE.write_text(text, encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
