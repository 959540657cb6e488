"""What a command found and changed in many files, and its forms: text, JSON, HTML, SARIF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from softrock.hipify import table
from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity

MISSING = ("unknown", "unsupported", "removed")
"""Statuses of names that have no counterpart."""


@dataclass
class File:
    """What came of one file.

    Attributes:
        path: as it is shown.
        lines: how many it has.
        mode: "parsed", "tokens", "cmake", "python", "skipped"; "" where nothing concerned it.
        reason: why it was not parsed, or what the parse does not cover.
        findings: in order.
        edits: what changed.
        replaced: names and headers that were replaced.
        diff: the change as a patch, a character a byte.
        output: the file that was written, "" for none.
    """

    path: str
    lines: int = 0
    mode: str = ""
    reason: str = ""
    findings: list[Finding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    replaced: int = 0
    diff: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a library's counterpart carries a program.

    Attributes:
        family: the library, by its table's name.
        counterpart: what ROCm has for it.
        verdict: drop-in, mostly, redesign or none.
        about: a sentence on it.
        names, uses: different names of it in the program, and how often they stand there.
        full, partial, missing: of `names`: the same in HIP, other in HIP, not in HIP.
        by_hand: the names that are missing.
    """

    family: str
    counterpart: str
    verdict: str
    about: str
    names: int
    uses: int
    full: int
    partial: int
    missing: int
    by_hand: tuple[str, ...] = ()


@dataclass
class Report:
    """What came of all files.

    Attributes:
        tool: the command, for titles.
        about: rule -> a sentence about it.
        severities: rule -> its usual severity.
        uses: (family, status, name) -> how often it is used; status "unknown" for names in no table.
    """

    tool: str
    about: Mapping[str, str] = field(default_factory=dict)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)
    uses: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def findings(self) -> list[Finding]:
        """All findings, by file."""
        return [finding for file in self.files for finding in file.findings]

    @property
    def changed(self) -> list[File]:
        """Files in which something was, or is to be, changed."""
        return [file for file in self.files if file.edits]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(each.severity is Severity.ERROR for each in self.findings)

    def statistics(self) -> dict[str, Any]:
        """Counts of everything, for all forms."""
        found = self.findings
        by_severity = Counter(str(each.severity) for each in found)
        by_family: Counter[str] = Counter()
        for (family, status, _), count in self.uses.items():
            if status not in MISSING:
                by_family[family] += count
        return {
            "files": len(self.files),
            "lines": sum(each.lines for each in self.files),
            "changed_files": len(self.changed),
            "replaced": sum(each.replaced for each in self.files),
            "modes": dict(sorted(Counter(each.mode or "untouched" for each in self.files).items())),
            "findings": {str(each): by_severity[str(each)] for each in reversed(Severity)},
            "rules": dict(sorted(Counter(each.rule for each in found).items())),
            "names_by_family": dict(sorted(by_family.items())),
        }

    def verdicts(self) -> list[Verdict]:
        """What holds for each library that is used, in the order of the tables."""
        known = table.libraries()
        order = {family: number for number, family in enumerate(known)}
        members: dict[str, dict[str, str]] = {}
        total: Counter[str] = Counter()
        for (family, status, name), count in self.uses.items():
            members.setdefault(family, {})[name] = status
            total[family] += count
        found = []
        for family in sorted(members, key=lambda each: (order.get(each, len(order)), each)):
            library = known.get(family)
            statuses = Counter(members[family].values())
            missing = tuple(sorted(name for name, status in members[family].items() if status in MISSING))
            about = (
                (library.counterpart, library.verdict, library.about)
                if library
                else ("", "none", "No table covers it.")
            )
            full = statuses["full"] + statuses["deprecated"]
            counts = len(members[family]), total[family], full, statuses["partial"], len(missing)
            found.append(Verdict(family, *about, *counts, missing))
        return found
