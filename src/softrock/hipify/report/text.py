"""A report for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from softrock.hipify.report import File, Report


def render(report: Report) -> str:
    """Findings, what was not parsed, statistics and verdicts."""
    return "\n".join([*_findings(report), *_modes(report), *_verdicts(report), summary(report)]) + "\n"


def _findings(report: Report) -> Iterator[str]:
    for file in report.files:
        for finding in file.findings:
            yield str(finding)


def _modes(report: Report) -> Iterator[str]:
    for file in report.files:
        if file.mode == "tokens" and file.reason:
            yield f"{file.path}: not parsed, handled by tokens: {file.reason}"
        elif file.mode == "parsed" and file.reason:
            yield f"{file.path}: {file.reason}"


def _verdicts(report: Report) -> Iterator[str]:
    found = report.verdicts()
    if not found:
        return
    yield "by library:"
    width = max(len(each.family) for each in found)
    for each in found:
        counts = f"{each.names} names, {each.full} the same, {each.partial} differ, {each.missing} missing"
        yield f"  {each.family:{width}}  {each.verdict:8}  -> {each.counterpart or 'nothing'}: {counts}. {each.about}"


def summary(report: Report) -> str:
    """One line."""
    numbers = report.statistics()
    named = [f"{count} {name}{'s' * (count != 1)}" for name, count in numbers["findings"].items()]
    files, lines = numbers["files"], numbers["lines"]
    return (
        f"{numbers['replaced']} names in {numbers['changed_files']} of {files} file{'s' * (files != 1)} "
        f"({lines} lines); {', '.join(named)}"
    )


def line_of(file: File) -> str:
    """What became of a file that was written."""
    return f"{file.path} -> {file.output}" if file.output else file.path
