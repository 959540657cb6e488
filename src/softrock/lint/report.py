"""What was found, as JSON, SARIF 2.1.0 and an HTML page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import softrock
from softrock.core.errors import UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import Source
from softrock.lint.engine import Checked
from softrock.lint.registry import rules

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


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
        "findings": [_plain(each) for each in found],
    }


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "message": finding.message,
        "hint": finding.hint,
        "fix": [{"offset": each.offset, "length": each.length, "text": each.text} for each in finding.fix],
    }


def sarif(found: Sequence[Finding]) -> dict[str, Any]:
    """The findings as a SARIF log; rules that found nothing are left out."""
    named = sorted({each.rule for each in found})
    index = {name: number for number, name in enumerate(named)}
    driver = {
        "name": "softrock lint",
        "version": softrock.__version__,
        "rules": [_descriptor(name) for name in named],
    }
    results = [_result(each, index[each.rule]) for each in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _descriptor(name: str) -> dict[str, Any]:
    rule = rules().get(name)
    if rule is None:  # about comments, baselines and files
        return {"id": name}
    help_text = f"{rule.why}\n\nFound in:\n{rule.example}\n\nInstead:\n{rule.fix}"
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    place = {"uri": quote(Path(finding.path).as_posix())}
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    text = finding.message + (f" ({finding.hint})" if finding.hint else "")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": str(finding.severity),
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": region}}],
    }
    if finding.fix:
        replacements = [
            {
                "deletedRegion": {"byteOffset": each.offset, "byteLength": each.length},
                "insertedContent": {"text": each.text},
            }
            for each in finding.fix
        ]
        changes = [{"artifactLocation": place, "replacements": replacements}]
        result["fixes"] = [{"description": {"text": finding.hint or finding.message}, "artifactChanges": changes}]
    return result


_STYLE = """
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; } td, th { padding: .2em .8em .2em 0; text-align: left; vertical-align: top; }
pre { background: #f4f4f4; padding: .4em .6em; overflow-x: auto; margin: .2em 0 1em; }
mark { background: #ffd9a0; } .error { color: #b00020; } .warning { color: #8a5a00; } .note { color: #555; }
"""


def page(checked: Sequence[Checked], found: Sequence[Finding], gpus: Sequence[str]) -> str:
    """An HTML page that stands on its own: statistics, then the findings by file with the lines they are about."""
    looked = [each for each in checked if each.language]
    total = ", ".join(f"{number} {name}{'s' * (number != 1)}" for name, number in counts(found).items())
    summary = f"{total} in {len(looked)} files, {sum(each.lines for each in looked)} lines; for {', '.join(gpus)}."
    parts = [
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>softrock lint</title><style>{_STYLE}</style>",
        f"<h1>softrock lint</h1><p>{escape(summary)}</p>",
        "<table><tr><th>rule<th>findings<th>about</tr>",
    ]
    for name, number in Counter(each.rule for each in found).most_common():
        title = rules()[name].title if name in rules() else ""
        parts.append(f"<tr><td>{escape(name)}<td>{number}<td>{escape(' '.join(title.split()).replace('``', ''))}</tr>")
    parts.append("</table>")
    by_path: dict[str, list[Finding]] = {}
    for each in found:
        by_path.setdefault(each.path, []).append(each)
    for path, members in by_path.items():
        parts.append(f"<h2>{escape(path)}</h2>")
        line = _lines(path)
        parts += [_shown(each, line(each.line)) for each in members]
    return "\n".join(parts) + "\n"


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
    hint = f"<br>{escape(finding.hint)}" if finding.hint else ""
    return (
        f"<p>{finding.line}:{finding.column} <b class={finding.severity}>{finding.severity}</b> "
        f"{escape(finding.message)} [{escape(finding.rule)}]{hint}</p>"
        f"<pre>{escape(before)}<mark>{escape(marked)}</mark>{escape(behind)}</pre>"
    )


def text_of(data: dict[str, Any]) -> str:
    """A document as indented JSON."""
    return json.dumps(data, indent=1, ensure_ascii=False)
