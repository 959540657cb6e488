"""Reports and findings as HTML pages that stand on their own: no scripts, nothing fetched."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping

from softrock.core.text import printable
from softrock.hipify.findings import Finding
from softrock.hipify.report import File, Report
from softrock.hipify.report.text import summary
from softrock.hipify.source import readable

_STYLE = """
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin-bottom: 1.5em; }
td, th { padding: .2em 1em .2em 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e4e4e4; }
pre { background: #f6f6f6; padding: .6em; overflow-x: auto; font: 13px/1.4 monospace; margin: .2em 0 1em; }
ins { background: #d9f2d9; text-decoration: none; } del { background: #f9dcdc; text-decoration: none; }
mark { background: #ffd9a0; }
.at { color: #777; } .error, .none { color: #b00020; } .warning, .redesign { color: #8a5a00; } .note { color: #555; }
.drop-in { color: #1b6b1b; } summary { cursor: pointer; font-weight: bold; padding: .3em 0; }
"""


def escape(text: str) -> str:
    """Text for a page; what is not printable becomes ``?``."""
    return html.escape("\t".join(printable(each) for each in text.split("\t")))


def page(title: str, about: str, body: Iterable[str]) -> str:
    """A page with a title and a sentence; `body` is HTML."""
    head = (
        f"<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>"
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1><p>{escape(about)}</p>"
    )
    return "\n".join([head, *body, "</body></html>"]) + "\n"


def table(*columns: str, rows: Iterable[Iterable[str]]) -> str:
    """A table; cells are HTML, and one that begins with ``<td`` has its own tag. Empty where there are no rows."""
    body = ["<tr>" + "".join(_cell(each) for each in row) + "</tr>" for row in rows]
    head = "<tr>" + "".join(f"<th>{escape(each)}" for each in columns) + "</tr>" if columns else ""
    return f"<table>{head}{''.join(body)}</table>" if body else ""


def _cell(text: str) -> str:
    return text if text.startswith("<td") else f"<td>{text}"


def rules(counts: Mapping[str, int], about: Callable[[str], str]) -> str:
    """A table of how often each rule found something, most often first; `about` is a sentence on a rule."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = ((escape(name), str(count), escape(about(name))) for name, count in ordered)
    return table("rule", "findings", "about", rows=rows)


def cells(finding: Finding) -> list[str]:
    """What a page says of a finding besides its path, as cells of a table."""
    hint = f"<br><span class=note>{escape(finding.hint)}</span>" if finding.hint else ""
    return [
        f"{finding.line}:{finding.column}",
        f"<td class={finding.severity}>{finding.severity}",
        escape(finding.rule),
        escape(finding.message) + hint,
    ]


def render(report: Report) -> str:
    """The page of a report: statistics, verdicts by library, then every file with its findings and its diff."""
    return page(report.tool, summary(report), _body(report))


def _body(report: Report) -> Iterator[str]:
    libraries = table(
        *("library", "verdict", "counterpart", "names", "the same", "differ", "missing", "about"),
        rows=_verdicts(report),
    )
    if libraries:
        yield "<h2>By library</h2>" + libraries
    numbers = report.statistics()
    if numbers["rules"]:
        yield "<h2>Findings</h2>" + rules(numbers["rules"], lambda name: report.about.get(name, ""))
    families = table(
        "family",
        "names replaced or kept",
        rows=((escape(name), str(count)) for name, count in numbers["names_by_family"].items()),
    )
    if families:
        yield "<h2>Names by family</h2>" + families
    modes = table("handled by", "files", rows=((escape(name), str(n)) for name, n in numbers["modes"].items()))
    yield "<h2>Files</h2>" + modes
    for file in report.files:
        if file.findings or file.diff or file.reason:
            yield from _file(file)


def _verdicts(report: Report) -> Iterator[list[str]]:
    for each in report.verdicts():
        missing = f"{each.missing}: {', '.join(each.by_hand)}" if each.missing else "0"
        yield [
            escape(each.family),
            f"<td class={escape(each.verdict)}>{escape(each.verdict)}",
            escape(each.counterpart or "nothing"),
            *(str(number) for number in (each.names, each.full, each.partial)),
            escape(missing),
            escape(each.about),
        ]


def _file(file: File) -> Iterator[str]:
    findings = f"{len(file.findings)} finding{'s' * (len(file.findings) != 1)}"
    head = f"{file.path}: {file.replaced} replaced, {findings}"
    yield f"<details open><summary>{escape(head)}</summary>"
    if file.reason and file.mode == "parsed":  # where it is not, a finding says so
        yield f"<p class=note>{escape(file.reason)}</p>"
    yield table(rows=(cells(each) for each in file.findings))
    if file.diff:
        lines = readable(file.diff).removesuffix("\n").split("\n")
        yield "<pre>" + "\n".join(_diff_line(line.removesuffix("\r")) for line in lines) + "</pre>"
    yield "</details>"


def _diff_line(line: str) -> str:
    text = escape(line)
    if line.startswith(("+++ ", "--- ", "@@ ")):
        return f"<span class=at>{text}</span>"
    tag = {"+": "ins", "-": "del"}.get(line[:1])
    return f"<{tag}>{text}</{tag}>" if tag else text
