"""Explaining an error: known messages in a text or log, their causes, and which of them this machine supports.

Messages and causes are data (data/messages.tsv, data/causes.toml). Texts are hostile: expressions have no unbounded
repeats, a log is read in pieces, and what is shown of it is cleaned.
"""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, TextIO

from softrock.doctor import registry
from softrock.doctor.registry import Machine, Result, Verdict
from softrock.doctor.text import clean

_PIECE = 1 << 20
"""Characters of a log that are looked at at once; longer lines are cut there."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class Support(StrEnum):
    """What the machine says to a cause."""

    SUPPORTED = "supported"
    OPEN = "open"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Message:
    """A row of messages.tsv."""

    id: str
    key: str
    find: re.Pattern[str]
    causes: tuple[str, ...]
    example: str


@dataclass(frozen=True)
class Cause:
    """A cause of a message on this machine.

    Attributes:
        id, text: what it is.
        likely: "likely" for the first of a message's causes in general, else "possible".
        support: what the machine's checks say to it.
        evidence: what a check saw that supports or contradicts it; empty where none did.
        mend: what to do, of the check that supports it where there is one.
    """

    id: str
    text: str
    likely: str
    support: Support
    evidence: str = ""
    mend: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """A message that was found.

    Attributes:
        id: its row.
        line: number of the first line that has it, from 1 on.
        seen: that line, cleaned and cut.
        causes: those that the machine supports first, those that it contradicts last.
    """

    id: str
    line: int
    seen: str
    causes: tuple[Cause, ...]


@cache
def messages() -> tuple[Message, ...]:
    """All known messages."""
    told = (resources.files("softrock.doctor") / "data" / "messages.tsv").read_text(encoding="utf-8")
    rows = [each.split("\t") for each in told.splitlines() if each and not each.startswith("#")][1:]
    return tuple(
        Message(name, key, re.compile(find or re.escape(key), re.IGNORECASE), tuple(causes.split(",")), example)
        for name, key, find, causes, example in rows
    )


@cache
def causes() -> dict[str, dict[str, Any]]:
    """All causes by id."""
    return tomllib.loads((resources.files("softrock.doctor") / "data" / "causes.toml").read_text(encoding="utf-8"))


def matches(stream: TextIO) -> Iterator[tuple[Message, int, str]]:
    """Messages in a text with the number and the words of the first line that has each, in the order of lines.

    Time is linear in the length of the text; memory is that of one piece.
    """
    left = list(messages())
    before, carry = 0, ""
    while left:
        piece = stream.read(_PIECE)
        held = _CONTROL.sub("", carry + piece)
        cut = held.rfind("\n") + 1 if piece else len(held)
        if piece and not cut:
            cut = len(held)  # a line longer than a piece
        block, carry = held[:cut], held[cut:]
        lowered = block.lower()
        found = []
        for each in [each for each in left if each.key in lowered]:
            at = each.find.search(block)
            if at is not None:
                found.append((at.start(), each))
                left.remove(each)
        for place, each in sorted(found, key=lambda one: one[0]):
            start = block.rfind("\n", 0, place) + 1
            end = block.find("\n", place)
            start = max(start, place - 200)
            words = block[start : end if end >= 0 else None]
            yield each, before + block.count("\n", 0, place) + 1, clean(words.strip(), 300)
        before += block.count("\n")
        if not piece:
            return


def explain(text: str | TextIO, machine: Machine, results: Sequence[Result] | None = None) -> list[Explanation]:
    """Known messages of a text or an open log, each with its causes for this machine.

    Args:
        text: the text, or a stream of it.
        machine: whose state is asked.
        results: of its checks, where they have run already.

    Returns:
        One explanation a message, in the order of lines; none where nothing is known.
    """
    found = list(matches(io.StringIO(text) if isinstance(text, str) else text))
    if not found:
        return []
    told = list(registry.run(machine)) if results is None else list(results)
    return [Explanation(each.id, line, words, _causes(each, told)) for each, line, words in found]


def _causes(message: Message, results: Sequence[Result]) -> tuple[Cause, ...]:
    made = [_cause(name, "likely" if at == 0 else "possible", results) for at, name in enumerate(message.causes)]
    order = (Support.SUPPORTED, Support.OPEN, Support.CONTRADICTED)
    return tuple(sorted(made, key=lambda each: order.index(each.support)))


def _cause(name: str, likely: str, results: Sequence[Result]) -> Cause:
    row = causes()[name]
    asked = [each for each in results if each.check in row["checks"]]
    wrong = [each for each in asked if each.verdict in (Verdict.FAILURE, Verdict.WARNING)]
    wrong.sort(key=lambda each: (each.verdict is not Verdict.FAILURE, not each.limits, each.rank))
    if wrong:
        mend = wrong[0].mend or tuple(row["mend"])
        return Cause(name, row["text"], likely, Support.SUPPORTED, wrong[0].seen, mend)
    fine = [each for each in asked if each.verdict is Verdict.OK]
    answered = {each.check for each in fine}
    if row["checks"] and answered >= set(row["checks"]):
        return Cause(name, row["text"], likely, Support.CONTRADICTED, fine[0].seen, tuple(row["mend"]))
    return Cause(name, row["text"], likely, Support.OPEN, "", tuple(row["mend"]))


def render(found: Sequence[Explanation]) -> str:
    """Explanations as people read them."""
    if not found:
        return "nothing in this text is known here; softrock doctor looks at the machine itself"
    lines: list[str] = []
    for each in found:
        lines += [f"{each.seen}", f"  line {each.line}, known as {each.id}; causes:"]
        for at, cause in enumerate(each.causes, 1):
            words = {"supported": "this machine supports it", "open": cause.likely, "contradicted": "not seen here"}
            lines.append(f"  {at}. {cause.text} ({words[cause.support.value]})")
            if cause.evidence:
                lines.append(f"     seen: {cause.evidence}")
            if cause.support is not Support.CONTRADICTED:
                lines += [f"     -> {step}" for step in cause.mend]
        lines.append("")
    return "\n".join(lines).rstrip()
