"""Fields of a model's description, each checked when it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from softrock.core.errors import SoftrockError
from softrock.fit.text import clean

MOST = 1 << 40
"""No size, count or width in a model's description is larger."""
_MISSING = object()


class Fields:
    """A description's fields.

    Args:
        data: the fields.
        where: what to call it in messages, ``config.json``.
    """

    def __init__(self, data: Mapping[str, Any], where: str) -> None:
        self._data = data
        self.where = where

    def fail(self, name: str, what: str, hint: str = "correct the field, or give the model by --params") -> NoReturn:
        """Say what is wrong with a field.

        Raises:
            SoftrockError: always.
        """
        raise SoftrockError(f"{self.where}: {clean(name)} {what}", hint=hint)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._data.get(name) is not None

    def integer(self, *names: str, default: int | None = None, low: int = 1, high: int = 1 << 31) -> int:
        """A whole number: the first of `names` that is there, else `default`.

        Raises:
            SoftrockError: none is there and there is no default, or it is no whole number from `low` to `high`.
        """
        for name in names:
            value = self._data.get(name)
            if value is None:
                continue
            if isinstance(value, float) and math.isfinite(value) and value == int(value):
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                self.fail(name, f"is {clean(value)!s}, not a whole number from {low} to {high}")
            return value
        if default is None:
            self.fail(names[0], "is missing", "a configuration of this architecture has it; fetch the file again")
        return default

    def flag(self, name: str, default: bool) -> bool:
        """A yes or no.

        Raises:
            SoftrockError: it is something else.
        """
        value = self._data.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.fail(name, f"is {clean(value)}, not true or false")
        return value

    def text(self, name: str, default: str = "") -> str:
        """A string.

        Raises:
            SoftrockError: it is something else.
        """
        value = self._data.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(name, f"is {clean(value)}, not a text")
        return value

    def items(self, name: str, kind: type, most: int = 4096) -> list[Any]:
        """A list whose entries are all of `kind`; empty where there is none.

        Raises:
            SoftrockError: it is something else, or longer than `most`.
        """
        value = self._data.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > most:
            self.fail(name, f"is not a list of at most {most}")
        if not all(isinstance(each, kind) and not (kind is int and isinstance(each, bool)) for each in value):
            self.fail(name, f"has an entry that is no {kind.__name__}")
        return value

    def part(self, name: str) -> Fields | None:
        """A description inside this one; None where there is none.

        Raises:
            SoftrockError: it is no object.
        """
        value = self._data.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fail(name, "is no object")
        return Fields(value, f"{self.where} ({name})")

    def over(self, defaults: Mapping[str, Any]) -> Fields:
        """These fields, with others where they say nothing."""
        return Fields(
            {**defaults, **{key: value for key, value in self._data.items() if value is not None}}, self.where
        )
