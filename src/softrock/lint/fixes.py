"""Make the edits that findings carry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softrock.hipify.edits import Edit, apply
from softrock.hipify.findings import Finding
from softrock.hipify.source import Source, write

_PASSES = 8
"""Edits that overlap wait for the next pass; no chain of them is longer than a few."""


def edits(found: Sequence[Finding]) -> list[Edit]:
    """All edits of some findings."""
    return [edit for finding in found for edit in finding.fix]


def fix(source: Source, check: Callable[[Source], Sequence[Finding]]) -> tuple[Source, int]:
    """Edit a file until `check` asks for nothing more.

    Args:
        source: what the file holds; written over in each pass, because `check` may parse it from there.
        check: finds what there is to mend in a source.

    Returns:
        The edited source (the same object where nothing was to be done) and how many findings were mended.

    Raises:
        UsageError: the file cannot be written.
    """
    mended = 0
    for _ in range(_PASSES):
        fixable = [finding for finding in check(source) if finding.fix]
        text = apply(source.text, edits(fixable))
        if text == source.text:
            break
        source = Source(source.path, text, source.encoding)
        write(source.path, source.to_bytes())
        mended += len(fixable) - sum(1 for finding in check(source) if finding.fix)
    return source, mended
