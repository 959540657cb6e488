"""A file of findings that are known and wait: only new ones are shown.

An entry names the rule, the file, and a digest of the line's text without blanks, so that it still holds where the
line has moved or was indented anew, and falls away where it was changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from softrock.core.errors import UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import write

VERSION = 1
STALE = "stale-baseline"
"""Id of findings about entries that match nothing any more."""

Entry = tuple[str, str, str]
"""Rule, path relative to the baseline's folder, digest of the line."""


def digest(line: str) -> str:
    """What stands for a line in a baseline: a digest of its text without blanks."""
    return hashlib.sha256("".join(line.split()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass
class Baseline:
    """The entries of a baseline file and how often each may occur."""

    path: Path
    entries: Counter[Entry]

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a baseline file.

        Raises:
            UsageError: it cannot be read or is no baseline.
        """
        hint = "make a new one with --write-baseline"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["version"] != VERSION:
                raise UsageError(f"{path}: a baseline of version {data['version']!r}", hint=hint)
            entries = Counter[Entry]()
            for each in data["findings"]:
                entries[str(each["rule"]), str(each["path"]), str(each["line"])] += int(each.get("count", 1))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", hint=hint) from None
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: no baseline of softrock lint: {error}", hint=hint) from None
        return cls(path, entries)

    def entry(self, finding: Finding, line: str) -> Entry:
        """The entry that would hold a finding; `line` is the digest of its line."""
        return finding.rule, relative(Path(finding.path), self.path.parent), line

    def new(self, found: Iterable[tuple[Finding, str]], checked: Iterable[str]) -> tuple[list[Finding], list[Finding]]:
        """Findings that are not in the baseline, and one finding for each entry of a checked file that matches none.

        Args:
            found: findings with the digests of their lines.
            checked: paths of all files that were looked at.
        """
        left = self.entries.copy()
        fresh: list[Finding] = []
        for finding, line in found:
            entry = self.entry(finding, line)
            if left[entry] > 0:
                left[entry] -= 1
            else:
                fresh.append(finding)
        seen = {relative(Path(each), self.path.parent) for each in checked}
        stale = Counter[tuple[str, str]]()
        for (rule, path, _), count in left.items():
            if count > 0 and (path in seen or not (self.path.parent / path).exists()):
                stale[rule, path] += count
        return fresh, [self._stale(rule, path, count) for (rule, path), count in sorted(stale.items())]

    def _stale(self, rule: str, path: str, count: int) -> Finding:
        message = f"{count} {'entry' if count == 1 else 'entries'} of {path} for {rule} no longer match anything"
        hint = "write the baseline anew with --write-baseline"
        return Finding(STALE, Severity.NOTE, str(self.path), 1, 1, 1, 1, message, hint)


def relative(path: Path, folder: Path) -> str:
    """A path as baselines have it: seen from their folder, with forward slashes."""
    return Path(os.path.relpath(path, folder)).as_posix()


def save(path: Path, found: Iterable[tuple[Finding, str]]) -> int:
    """Write a baseline that holds these findings; returns how many.

    Raises:
        UsageError: it cannot be written.
    """
    baseline = Baseline(path, Counter())
    baseline.entries.update(baseline.entry(finding, line) for finding, line in found)
    rows = [
        {"rule": rule, "path": name, "line": line, "count": count}
        for (rule, name, line), count in sorted(baseline.entries.items(), key=lambda item: (item[0][1], item[0]))
    ]
    text = json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n"
    write(path, text.encode("utf-8"))
    return baseline.entries.total()
