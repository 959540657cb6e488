"""Trees as TOML text that people read: long texts over several lines, a line an entry else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(table: Mapping[str, Any]) -> str:
    """Tables of a tree as TOML (`tomllib` gives the same tables back)."""
    return "\n".join(_lines(table)) + "\n"


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping):
            yield f"{_key(key)} = {_value(key, value)}"
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            yield ""
            yield f"[{_key(key)}]"
            for name, each in value.items():
                yield f"{_key(name)} = {_entry(name, each)}"


def _entry(name: str, value: Any) -> str:
    if not isinstance(value, Mapping):
        return _value(name, value)
    if value.keys() == {"text"}:
        return _value(name, value["text"])
    return "{" + ", ".join(f"{_key(key)} = {_value(key, each, inline=True)}" for key, each in value.items()) + "}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(key: str, value: Any, *, inline: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"0o{value:o}" if key == "mode" else str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value("", each, inline=True) for each in value) + "]"
    text = str(value)
    if "\n" in text.rstrip("\n") and not inline:
        return '"""\n' + "".join(_escaped(each) for each in text) + '"""'
    return _string(text)


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL and surrogates."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _escaped(character: str) -> str:
    """A character within a string of several lines."""
    if character in "\n\t" or (character.isprintable() and character not in '"\\'):
        return character
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"
