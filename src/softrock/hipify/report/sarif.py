"""A report as a SARIF 2.1.0 log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import softrock
from softrock.hipify.findings import Finding
from softrock.hipify.report import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(report: Report) -> dict[str, Any]:
    """The log; rules that found nothing are left out."""
    found = report.findings
    named = sorted({each.rule for each in found})
    index = {name: number for number, name in enumerate(named)}
    rules = [_descriptor(report, name) for name in named]
    driver = {"name": report.tool, "version": softrock.__version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, index[each.rule]) for each in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def render(report: Report) -> str:
    """The log as text."""
    return json.dumps(document(report), indent=1, ensure_ascii=False) + "\n"


def _descriptor(report: Report, name: str) -> dict[str, Any]:
    result: dict[str, Any] = {"id": name}
    if name in report.about:
        result["shortDescription"] = {"text": report.about[name]}
    if name in report.severities:
        result["defaultConfiguration"] = {"level": str(report.severities[name])}
    return result


def _result(finding: Finding, index: int) -> dict[str, Any]:
    path = Path(finding.path)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    place = {"uri": uri}
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
