"""A report as an HTML page that stands on its own: no scripts, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from softrock.hipify.findings import Finding
from softrock.hipify.report import File, Report
from softrock.hipify.report.text import summary
from softrock.hipify.source import readable

_STYLE = """
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin-bottom: 1.5em; }
td, th { padding: .2em 1em .2em 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e4e4e4; }
pre { background: #f6f6f6; padding: .6em; overflow-x: auto; font: 13px/1.4 monospace; }
ins { background: #d9f2d9; text-decoration: none; } del { background: #f9dcdc; text-decoration: none; }
.at { color: #777; } .error, .none { color: #b00020; } .warning, .redesign { color: #8a5a00; } .note { color: #555; }
.drop-in { color: #1b6b1b; } summary { cursor: pointer; font-weight: bold; padding: .3em 0; }
"""


def render(report: Report) -> str:
    """The page: statistics, verdicts by library, then every file with its findings and its diff."""
    return "\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    title = escape(report.tool)
    yield f"<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>{title}</title>"
    yield f"<style>{_STYLE}</style></head>"
    yield f"<body><h1>{title}</h1><p>{escape(summary(report))}</p>"
    yield from _verdicts(report)
    yield from _rules(report)
    numbers = report.statistics()
    if numbers["names_by_family"]:
        yield "<h2>Names by family</h2><table><tr><th>family<th>uses</tr>"
        for family, count in numbers["names_by_family"].items():
            yield f"<tr><td>{escape(family)}<td>{count}</tr>"
        yield "</table>"
    yield "<h2>Files</h2>"
    for file in report.files:
        if file.findings or file.diff or file.reason:
            yield from _file(file)
    yield "</body></html>"


def _verdicts(report: Report) -> Iterator[str]:
    found = report.verdicts()
    if not found:
        return
    yield "<h2>By library</h2><table>"
    yield "<tr><th>library<th>verdict<th>counterpart<th>names<th>the same<th>differ<th>missing<th>about</tr>"
    for each in found:
        yield (
            f"<tr><td>{escape(each.family)}<td class={escape(each.verdict)}>{escape(each.verdict)}"
            f"<td>{escape(each.counterpart)}<td>{each.names}<td>{each.full}<td>{each.partial}<td>{each.missing}"
            f"<td>{escape(each.about)}</tr>"
        )
    yield "</table>"


def _rules(report: Report) -> Iterator[str]:
    counts = report.statistics()["rules"]
    if not counts:
        return
    yield "<h2>Findings</h2><table><tr><th>rule<th>findings<th>about</tr>"
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"<tr><td>{escape(name)}<td>{count}<td>{escape(report.about.get(name, ''))}</tr>"
    yield "</table>"


def _file(file: File) -> Iterator[str]:
    head = f"{file.path}: {file.replaced} replaced, {len(file.findings)} findings"
    yield f"<details open><summary>{escape(head)}</summary>"
    if file.reason:
        yield f"<p class=note>{escape(file.reason)}</p>"
    if file.findings:
        yield "<table>" + "".join(_finding(each) for each in file.findings) + "</table>"
    if file.diff:
        yield "<pre>" + "\n".join(_diff_line(line) for line in readable(file.diff).split("\n")) + "</pre>"
    yield "</details>"


def _finding(finding: Finding) -> str:
    hint = f"<br><span class=note>{escape(finding.hint)}</span>" if finding.hint else ""
    return (
        f"<tr><td>{finding.line}:{finding.column}<td class={finding.severity}>{finding.severity}"
        f"<td>{escape(finding.rule)}<td>{escape(finding.message)}{hint}</tr>"
    )


def _diff_line(line: str) -> str:
    text = escape(line)
    if line.startswith(("+++", "---", "@@")):
        return f"<span class=at>{text}</span>"
    tag = {"+": "ins", "-": "del"}.get(line[:1])
    return f"<{tag}>{text}</{tag}>" if tag else text
