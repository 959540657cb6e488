"""What was found, as JSON, SARIF 2.1.0 and an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from softrock.core.errors import UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.report import html, json
from softrock.hipify.report import sarif as logs
from softrock.hipify.report.html import escape
from softrock.hipify.source import Source
from softrock.lint.engine import Checked
from softrock.lint.registry import rules


def counts(found: Sequence[Finding]) -> dict[str, int]:
    """Severity -> how many findings, worst first."""
    by_severity = Counter(each.severity for each in found)
    return {str(each): by_severity[each] for each in reversed(Severity)}


def document(checked: Sequence[Checked], found: Sequence[Finding], gpus: Sequence[str]) -> dict[str, Any]:
    """The findings and statistics for ``--json``; `found` are those that are shown."""
    looked = [each for each in checked if each.language]
    return {
        "version": 1,
        "gpus": list(gpus),
        "files": len(looked),
        "lines": sum(each.lines for each in looked),
        "counts": counts(found),
        "rules": dict(sorted(Counter(each.rule for each in found).items())),
        "allowed_by_comments": sum(each.silenced for each in checked),
        "mended": sum(each.fixed for each in checked),
        "not_parsed": [{"path": each.path, "reason": each.unparsed} for each in checked if each.unparsed],
        "findings": [json.plain(each) for each in found],
    }


def sarif(found: Sequence[Finding]) -> dict[str, Any]:
    """The findings as a SARIF log; rules that found nothing are left out."""
    return logs.log("softrock lint", found, _about)


def _about(name: str) -> dict[str, Any]:
    rule = rules().get(name)
    if rule is None:  # about comments, baselines and files
        return {}
    help_text = f"{rule.why}\n\nFound in:\n{rule.example}\n\nInstead:\n{rule.fix}"
    return {
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": str(rule.severity)},
    }

_AROUND = 200
"""Characters of a line that a page shows before and behind a finding."""


def page(checked: Sequence[Checked], found: Sequence[Finding], gpus: Sequence[str]) -> str:
    """An HTML page that stands on its own: statistics, then the findings by file with the lines they are about."""
    looked = [each for each in checked if each.language]
    total = ", ".join(f"{number} {name}{'s' * (number != 1)}" for name, number in counts(found).items())
    summary = f"{total} in {len(looked)} files, {sum(each.lines for each in looked)} lines; for {', '.join(gpus)}."
    return html.page("softrock lint", summary, _body(found))


def _body(found: Sequence[Finding]) -> Iterator[str]:
    yield html.rules(Counter(each.rule for each in found), _title)
    by_path: dict[str, list[Finding]] = {}
    for each in found:
        by_path.setdefault(each.path, []).append(each)
    for path, members in by_path.items():
        yield f"<h2>{escape(path)}</h2>"
        line = _lines(path)
        for each in members:
            yield _shown(each, line(each.line))


def _title(name: str) -> str:
    return " ".join(rules()[name].title.split()).replace("``", "") if name in rules() else ""


def _lines(path: str) -> Callable[[int], str]:
    """The lines of a file by number; empty ones where it cannot be read."""
    try:
        source = Source.read(Path(path))
    except UsageError:
        return lambda _: ""
    return lambda number: source.line(number) if number <= len(source.line_starts) else ""


def _shown(finding: Finding, line: str) -> str:
    end = finding.end_column if finding.end_line == finding.line else len(line) + 1
    before, marked, behind = line[: finding.column - 1], line[finding.column - 1 : end - 1], line[end - 1 :]
    # A line may be all of a generated file: of what stands around the place, a screen's width is shown.
    before = f"…{before[-_AROUND:]}" if len(before) > _AROUND else before
    marked = f"{marked[:_AROUND]}…" if len(marked) > _AROUND else marked
    behind = f"{behind[:_AROUND]}…" if len(behind) > _AROUND else behind
    return (
        html.table(rows=[html.cells(finding)])
        + f"<pre>{escape(before)}<mark>{escape(marked)}</mark>{escape(behind)}</pre>"
    )


def text_of(data: dict[str, Any]) -> str:
    """A document as indented JSON."""
    return json.written(data).rstrip("\n")
