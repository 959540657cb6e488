"""One source of CUDA into one of HIP.

What is replaced are identifiers and headers that stand in the mapping tables. Comments, strings, names of the
program's own and everything else keep their bytes. What has no counterpart stays and is reported: nothing is invented,
and nothing passes in silence.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from softrock.core.errors import SoftrockError
from softrock.hipify import edits, embedded, headers, host_math, launches, lexer, names
from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding
from softrock.hipify.source import Source
from softrock.hipify.work import Options, Work

__all__ = ["Options", "Translation", "translate"]

_PLAIN = ("cuda-branch", "never-closed")
"""Findings that a parse has nothing to say about."""


@dataclass
class Translation:
    """What came of one source.

    Attributes:
        text: the result, a character a byte as in `Source.text`.
        edits: how it differs.
        findings: what a person has to know, in order.
        uses: (family, status, name) -> how often; status "unknown" for names in no table.
        replaced: how many names and headers were replaced.
        mode: "parsed", "tokens" or "" (nothing of CUDA's in it).
        reason: why it was not parsed, or what clang's tree does not cover.
    """

    text: str
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    uses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    replaced: int = 0
    mode: str = "tokens"
    reason: str = ""


def translate(source: Source, options: Options | None = None) -> Translation:
    """Translate a C or C++ source.

    Raises:
        SoftrockError: `options.parse` is "always" and clang gives no tree of it.
    """
    options = options or Options(parse="never")
    work = Work(source, options)
    _steps(work)
    reason = ""
    if options.parse != "never" and (work.edits or any(each.rule not in _PLAIN for each in work.findings)):
        parsed = Work(source, options)
        # The tokens do not change by being seen through a tree.
        parsed.__dict__["tokens"], parsed.__dict__["directives"] = work.tokens, work.directives
        try:
            from softrock.hipify.parse import parse  # starts a compiler, which most do without

            parsed.tree = parse(source.path, options.flags, cwd=options.cwd, source=source)
            reason = _uncovered(parsed)
            _steps(parsed)
            work = parsed
        except SoftrockError as error:
            if options.parse == "always":
                raise
            reason = error.message.removeprefix(f"{source.path}: ")
    return finished(work, reason)


def finished(work: Work, reason: str = "") -> Translation:
    """The result of work that is done."""
    kept = edits.consistent(work.edits)
    found = sorted(work.findings, key=lambda each: (each.line, each.column, each.rule))
    mode = "parsed" if work.tree is not None else "tokens"
    if not kept and not found and not work.uses:
        mode = ""
    text = edits.apply(work.source.text, kept)
    return Translation(text, kept, found, work.uses, work.replaced, mode, reason)


def _steps(work: Work) -> None:
    if work.options.launch_macro:
        launches.translate(work)
    names.translate(work)
    host_math.report(work)
    embedded.translate(work)
    headers.translate(work)
    _never_closed(work)


def _never_closed(work: Work) -> None:
    """Report a comment or a raw string that takes the rest of the file with it."""
    text = work.source.text
    last = work.tokens[-1] if work.tokens else None
    rest = last.end if last is not None else 0
    for each in lexer.tokens(text[rest:]):
        if each.kind is lexer.Kind.COMMENT and each.text.startswith("/*") and not each.text[2:].endswith("*/"):
            what = "a comment begins here that never ends: what follows was left alone"
            work.report(rest + each.offset, 2, "never-closed", what, "close it, or see what opened it")
    if last is not None and last.kind is lexer.Kind.STRING and "R" in last.text[:3] and last.text[0] != '"':
        mark = last.text[last.text.index('"') + 1 : last.text.index("(")]
        if not last.text.endswith(f'){mark}"'):
            what = "a raw string begins here that never ends: what follows was left alone"
            work.report(last.offset, len(last.text), "never-closed", what, "close it")


def _uncovered(work: Work) -> str:
    """Which lines clang did not see, and what it did not understand."""
    tree = work.tree
    assert tree is not None, "asked for only with a tree"
    parts = []
    lines = sum(work.source.text.count("\n", start, end) for start, end in tree.inactive)
    if lines:
        one = lines == 1
        which = "1 line in a branch of #if that is" if one else f"{lines} lines in branches of #if that are"
        parts.append(f"{which} not compiled {'was' if one else 'were'} handled by tokens")
    if tree.errors:
        count = len(tree.errors)
        parts.append(f"clang has {count} error{'s' * (count != 1)}, the first: {tree.errors[0]}")
    return "; ".join(parts)
