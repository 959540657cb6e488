"""HIP's error codes, and the exception that carries one.

The table (``errors.tsv``) is data: number, names, text. Codes travel as numbers; Python raises :class:`HipError`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from softrock.core.errors import SoftrockError

NOT_READY = 600
NOT_SUPPORTED = 801
UNKNOWN = 999


@functools.cache
def table() -> tuple[tuple[int, str, str], ...]:
    """All codes: (number, name, text that hipGetErrorString gives)."""
    return tuple((code, names[0], text) for code, names, text in _rows())


@functools.cache
def _rows() -> tuple[tuple[int, list[str], str], ...]:
    text = (Path(__file__).parent / "errors.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((int(code), names.split("|"), text) for code, names, text in rows)


@functools.cache
def _by_name() -> dict[str, int]:
    return {name: code for code, names, _ in _rows() for name in names}


@functools.cache
def _by_code() -> dict[int, tuple[str, str]]:
    return {code: (name, text) for code, name, text in table()}


def code_of(name: str) -> int:
    """The number of an error, e.g. 1 for ``hipErrorInvalidValue`` (KeyError for a name HIP does not have)."""
    return _by_name()[name]


def name_of(code: int) -> str:
    """The name of a code; ``hipErrorUnknown`` for a number HIP does not have."""
    return _by_code().get(code, ("hipErrorUnknown", ""))[0]


def text_of(code: int) -> str:
    """What hipGetErrorString says of a code."""
    return _by_code().get(code, ("", "unknown error"))[1]


class HipError(SoftrockError):
    """A HIP call failed.

    Args:
        name: HIP's name of the error, e.g. ``hipErrorInvalidValue``, or its number.
        reason: what was wrong, in words; HIP's own text where there is nothing to add.
        hint: the mend, where there is one.

    Attributes:
        code: HIP's number.
        name: HIP's name.
    """

    def __init__(self, name: str | int, reason: str = "", *, hint: str | None = None) -> None:
        self.code = code_of(name) if isinstance(name, str) else name
        self.name = name_of(self.code)
        super().__init__(f"{self.name}: {reason or text_of(self.code)}", hint=hint)
