"""Reports and findings as JSON documents."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import softrock
from softrock.hipify.findings import Finding
from softrock.hipify.report import File, Report


def document(report: Report) -> dict[str, Any]:
    """Everything in the report as plain values."""
    return {
        "version": 1,
        "tool": report.tool,
        "softrock": softrock.__version__,
        "statistics": report.statistics(),
        "libraries": [dataclasses.asdict(each) for each in report.verdicts()],
        "files": [_file(each) for each in report.files],
    }


def render(report: Report) -> str:
    """The document as text."""
    return written(document(report))


def written(values: dict[str, Any]) -> str:
    """A document as indented text."""
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def _file(file: File) -> dict[str, Any]:
    return {
        "path": file.path,
        "lines": file.lines,
        "mode": file.mode or "untouched",
        "reason": file.reason,
        "output": file.output,
        "replaced": file.replaced,
        "edits": [dataclasses.asdict(each) for each in file.edits],
        "findings": [plain(each) for each in file.findings],
    }


def plain(finding: Finding) -> dict[str, Any]:
    """A finding as plain values."""
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
