"""Results of compilations kept in the cache together with what they were made from.

A result stands for its key (command line, compiler, ...) and the *content* of every file that any compiler
job read (clang lists them). Time and size of each file are compared first; where these differ, the hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from softrock.core import cache

Entry = tuple[str, int, int, str | None]
"""Path, time of change in ns, size in bytes and SHA-256 of a file."""


def _digest(path: str) -> str | None:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def _describe(path: str) -> Entry | None:
    try:
        info = Path(path).stat()
    except OSError:
        return None
    return path, info.st_mtime_ns, info.st_size, _digest(path)


def _unchanged(entry: Sequence[object]) -> bool:
    path, mtime, size, digest = entry
    try:
        info = os.stat(str(path))  # noqa: PTH116 -- hundreds of headers: Path.stat takes twice the time
    except OSError:
        return False
    return (info.st_mtime_ns == mtime and info.st_size == size) or _digest(str(path)) == digest


def find(kind: str, key: str) -> Path | None:
    """The result kept under `key`, if every file it came from is as it was and it is itself whole."""
    record = cache.read(kind, key + ".json")
    if record is None:
        return None
    try:
        data = json.loads(record)
        path = cache.folder(kind) / key / data["name"]
        whole = _digest(str(path)) == data["digest"]
        return path if whole and all(_unchanged(entry) for entry in data["files"]) else None
    except (ValueError, KeyError, TypeError):
        return None


def keep(kind: str, key: str, built: Path, files: Sequence[str]) -> Path:
    """Copy a result into the cache, with the record of what it came from.

    Args:
        kind: kind of cache entry.
        key: what else it depends on (see :func:`softrock.core.cache.key_of`).
        built: the result.
        files: absolute paths of the files it was made from.

    Returns:
        Where it is kept.
    """
    folder = cache.folder(kind) / key
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / built.name
    temporary = folder / f".new-{os.getpid()}"
    shutil.copy2(built, temporary)
    temporary.replace(path)
    record = {
        "name": built.name,
        "digest": _digest(str(path)),
        "files": [entry for entry in map(_describe, files) if entry is not None],
    }
    cache.write(kind, key + ".json", json.dumps(record).encode())
    return path
