"""A report for the terminal."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from softrock.core.text import printable
from softrock.hipify.report import Report

_NAMED = 3
"""Names without a counterpart that are listed for a library."""


def render(report: Report) -> str:
    """Findings, what a parse did not cover, verdicts and statistics."""
    return "\n".join([*_findings(report), *_modes(report), *_verdicts(report), summary(report)]) + "\n"


def _findings(report: Report) -> Iterator[str]:
    for file in report.files:
        told = set()  # what to do about it is said once a file
        for finding in file.findings:
            same = (finding.message, finding.hint)
            yield str(dataclasses.replace(finding, hint="") if same in told else finding)
            told.add(same)


def _modes(report: Report) -> Iterator[str]:
    for file in report.files:
        if file.mode == "parsed" and file.reason:
            yield printable(f"{file.path}: {file.reason}")


def _verdicts(report: Report) -> Iterator[str]:
    found = report.verdicts()
    if not found:
        return
    yield "by library:"
    width = max(len(each.family) for each in found)
    for each in found:
        counts = f"{each.names} name{'s' * (each.names != 1)}, {each.full} the same, {each.partial} differ"
        counts += f", {each.missing} missing"
        if each.by_hand:
            counts += f" ({', '.join(each.by_hand[:_NAMED])}{', …' * (len(each.by_hand) > _NAMED)})"
        yield f"  {each.family:{width}}  {each.verdict:8}  -> {each.counterpart or 'nothing'}: {counts}. {each.about}"


def summary(report: Report) -> str:
    """One line."""
    numbers = report.statistics()
    named = [f"{count} {name}{'s' * (count != 1)}" for name, count in numbers["findings"].items()]
    files, lines = numbers["files"], numbers["lines"]
    return (
        f"{numbers['replaced']} name{'s' * (numbers['replaced'] != 1)} in {numbers['changed_files']} of "
        f"{files} file{'s' * (files != 1)} ({lines} line{'s' * (lines != 1)}); {', '.join(named)}"
    )
