"""The cache folder: owner-only, written atomically, verified on every read.

An entry is a file ``<kind>/<key>`` holding a magic line, the SHA-256 of its body, and the body. Whatever does not
verify is treated as absent, so a corrupt or foreign file is rebuilt and never trusted. Concurrent processes may
write the same entry: the last rename wins and every reader sees a whole file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from softrock.core import settings
from softrock.core.errors import SoftrockError

_MAGIC = b"softrock-cache-1\n"


def folder(kind: str) -> Path:
    """The folder for one kind of entry, made owner-only if absent.

    Raises:
        SoftrockError: the folder belongs to someone else or can be written by others.
    """
    base = settings.load().cache_dir
    path = base / kind
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for each in (base, path):
            info = each.stat()
            if hasattr(os, "getuid") and info.st_uid != os.getuid():
                raise SoftrockError(
                    f"cache folder {each} belongs to user {info.st_uid}, not to you",
                    hint="set SOFTROCK_CACHE_DIR to a folder of your own",
                )
            if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                each.chmod(0o700)
    except OSError as error:
        raise SoftrockError(
            f"cache folder {path} cannot be used: {error.strerror}",
            hint="set SOFTROCK_CACHE_DIR to a folder that can be written",
        ) from None
    return path


def seal(note: Path, files: Sequence[Path]) -> None:
    """Note next to files, which other programs read as they are, what is in them; see :func:`whole`."""
    note.write_text(key_of(*(each.read_bytes() for each in files)))


def whole(note: Path, files: Sequence[Path]) -> bool:
    """Whether all files are there and as they were when they were sealed."""
    try:
        return note.read_text() == key_of(*(each.read_bytes() for each in files))
    except (OSError, UnicodeDecodeError):
        return False


def key_of(*parts: bytes | str) -> str:
    """A file name that stands for all of `parts`, length-prefixed so that no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def read(kind: str, key: str) -> bytes | None:
    """The body of an entry, or None where it is absent, corrupt or not ours."""
    if settings.load().no_cache:
        return None
    try:
        data = (folder(kind) / key).read_bytes()
    except OSError:
        return None
    head = len(_MAGIC)
    if len(data) < head + 32 or data[:head] != _MAGIC:
        return None
    body = data[head + 32 :]
    return body if hashlib.sha256(body).digest() == data[head : head + 32] else None


def write(kind: str, key: str, body: bytes) -> None:
    """Store an entry; a cache that cannot be written is no error (the work is only done again)."""
    if settings.load().no_cache:
        return
    place = folder(kind)
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(dir=place, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(body).digest() + body)
            Path(name).replace(place / key)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
