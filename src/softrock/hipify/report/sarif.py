"""Findings as a SARIF 2.1.0 log."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import softrock
from softrock.hipify.findings import Finding
from softrock.hipify.report import Report
from softrock.hipify.report.json import written

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """The log of a report as text."""

    def about(name: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        if name in report.about:
            result["shortDescription"] = {"text": report.about[name]}
        if name in report.severities:
            result["defaultConfiguration"] = {"level": str(report.severities[name])}
        return result

    return written(log(report.tool, report.findings, about))


def log(tool: str, found: Sequence[Finding], about: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The log of a tool's findings; rules that found nothing are left out.

    Args:
        tool: the command's name.
        about: what there is to say about a rule, as SARIF's reportingDescriptor has it, without the id.
    """
    named = sorted({each.rule for each in found})
    index = {name: number for number, name in enumerate(named)}
    rules = [{"id": name, **about(name)} for name in named]
    run = {
        "tool": {"driver": {"name": tool, "version": softrock.__version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, index[each.rule]) for each in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, index: int) -> dict[str, Any]:
    path = Path(finding.path)
    place = {"uri": path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))}
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
