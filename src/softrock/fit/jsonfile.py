"""JSON documents that others wrote: bounded, strict, one clear message where they are broken."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any, NoReturn

from softrock.core.errors import SoftrockError
from softrock.fit.text import clean

LIMIT = 32 << 20
"""Bytes of an index or header. That of DeepSeek-V3, with 91,991 tensors, has 9 MB."""
CONFIG = 4 << 20
"""Bytes of a configuration; most have a few thousand."""
_DEPTH = 64


def _fail(where: str, what: str, hint: str) -> NoReturn:
    raise SoftrockError(f"{where}: {what}", hint=hint)


def open_regular(path: Path) -> tuple[int, int]:
    """A file descriptor and the size in bytes of a regular file; a pipe or a device is never waited for.

    Raises:
        SoftrockError: it cannot be opened, or is no regular file.
    """
    where = clean(path, 300)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no path"
        raise SoftrockError(f"{where}: {reason}", hint="give a file or folder that can be read") from None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        _fail(where, "it is no regular file", "give a config.json, .safetensors or .gguf file, or a folder with them")
    return handle, found.st_size


def parse(raw: bytes, where: str) -> dict[str, Any]:
    """A JSON object from its bytes (UTF-8).

    Raises:
        SoftrockError: it is no JSON, nested too deep, says NaN or Infinity, names a key twice, or is no object.
    """
    hint = "the file is damaged or is something else; fetch it again"

    def constant(name: str) -> NoReturn:
        _fail(where, f"it holds {name}, which is no JSON number", hint)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            _fail(where, f"it names {clean(twice)!r} twice", hint)
        return found

    if _deep(raw):
        _fail(where, f"it is nested deeper than {_DEPTH} levels", hint)
    try:
        found = json.loads(raw.decode("utf-8"), parse_constant=constant, object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        _fail(where, f"it is no UTF-8 text (byte {error.start})", hint)
    except json.JSONDecodeError as error:
        _fail(where, f"it is no JSON ({error.msg}, line {error.lineno})", hint)
    except (ValueError, RecursionError):  # numbers of thousands of digits
        _fail(where, "it holds a number or a nesting that no model has", hint)
    if not isinstance(found, dict):
        _fail(where, "it is no JSON object", hint)
    return found


def _deep(raw: bytes) -> bool:
    """Whether brackets outside strings nest deeper than `_DEPTH`; looks at brackets and quotes alone."""
    import re

    depth, inside = 0, False
    for found in re.finditer(rb'\\.|["{}\[\]]', raw, re.DOTALL):
        mark = found[0]
        if mark == b'"':
            inside = not inside
        elif not inside and len(mark) == 1:
            depth += 1 if mark in b"{[" else -1
            if depth > _DEPTH:
                return True
    return False


def read(path: Path, limit: int = LIMIT) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        SoftrockError: it cannot be read, is larger than `limit` bytes, or is no JSON object.
    """
    where = clean(path, 300)
    handle, size = open_regular(path)
    with os.fdopen(handle, "rb") as file:
        if size > limit:
            _fail(
                where, f"it has {size:,} bytes; a description of a model has at most {limit:,}", "give the right file"
            )
        try:
            raw = file.read(limit + 1)
        except OSError as error:
            _fail(where, error.strerror or "it cannot be read", "give a file that can be read")
    return parse(raw[:limit], where)
