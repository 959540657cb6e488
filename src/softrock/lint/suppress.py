"""Comments that silence rules where a person has decided.

``// softrock: allow(rule-id) reason`` holds for its own line, or, standing alone, for the next line of code;
``// softrock: allow-file(rule-id) reason`` for the whole file. Several ids are separated by commas. Python has the
same behind ``#``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from softrock.hipify import findings
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, tokens
from softrock.hipify.source import Source

UNKNOWN = "unknown-rule"
"""Id of findings about comments that name a rule there is none of."""

_ALLOW = re.compile(r"softrock:\s*allow(?P<file>-file)?\s*(?:\((?P<ids>[^()]*)\))?")
_PYTHON_COMMENT = re.compile(r"\#[^\n]*")


@dataclass
class Suppressions:
    """What the comments of a file silence.

    Attributes:
        everywhere: rules allowed in the whole file.
        lines: line -> rules allowed on it.
        unknown: findings about ids that are no rule's.
    """

    everywhere: set[str] = field(default_factory=set)
    lines: dict[int, set[str]] = field(default_factory=dict)
    unknown: list[Finding] = field(default_factory=list)

    def silences(self, finding: Finding) -> bool:
        """True where a comment allows what the finding is about."""
        return finding.rule in self.everywhere or finding.rule in self.lines.get(finding.line, ())


def _comments(source: Source, language: str) -> Iterator[tuple[int, str]]:
    if language == "python":
        for match in _PYTHON_COMMENT.finditer(source.text):
            yield match.start(), match[0]
        return
    for token in tokens(source.text):
        if token.kind is Kind.COMMENT:
            yield token.offset, token.text


def _comment_only(line: str, language: str) -> bool:
    text = line.strip()
    return text.startswith("#") if language == "python" else text.startswith(("//", "/*", "*"))


def _applies_to(source: Source, language: str, begin: int, end: int) -> range:
    """Lines that a comment from offset `begin` to `end` speaks of."""
    first, last = source.position(begin)[0], source.position(end)[0]
    start = source.line_starts[first - 1]
    if source.text[start:begin].strip():
        return range(first, last + 1)
    following = last + 1
    while following <= len(source.line_starts):
        line = source.line(following)
        if line.strip() and not _comment_only(line, language):
            break
        following += 1
    return range(first, following + 1)


def suppressions(source: Source, language: str, known: Collection[str]) -> Suppressions:
    """The suppression comments of a file; `known` are the ids of all rules."""
    found = Suppressions()
    if "softrock:" not in source.text:
        return found
    for offset, comment in _comments(source, language):
        for match in _ALLOW.finditer(comment):
            ids = {each.strip() for each in (match["ids"] or "").split(",")} - {""}
            for each in sorted(ids - set(known)) or ([""] if not ids else []):
                found.unknown.append(_unknown(source, offset + match.start(), match[0], each, known))
            if match["file"]:
                found.everywhere |= ids
                continue
            for line in _applies_to(source, language, offset, offset + len(comment)):
                found.lines.setdefault(line, set()).update(ids)
    return found


def _unknown(source: Source, offset: int, text: str, name: str, known: Collection[str]) -> Finding:
    import difflib

    if not name:
        message, hint = "a comment that allows no rule", "write allow(rule-id) with the id of the finding"
    else:
        close = difflib.get_close_matches(name, known, 1)
        message = f"there is no rule {name!r} to allow"
        hint = f"did you mean {close[0]!r}?" if close else "softrock lint --list shows the ids"
    return findings.at(source, offset, len(text), UNKNOWN, Severity.WARNING, message, hint)
