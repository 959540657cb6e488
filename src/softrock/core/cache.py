"""The cache folder: owner-only, written atomically, verified on every read.

An entry is a file ``<kind>/<key>`` holding a magic line, the SHA-256 of its body, and the body. Whatever does not
verify is treated as absent, so a corrupt or foreign file is rebuilt and never trusted. Concurrent processes may
write the same entry: the last rename wins and every reader sees a whole file. :func:`building` lets one of them do the
work and the others wait for its result.

Reading an entry of a kind that :func:`prune` may cut (`PRUNED`) notes that it was used: the least recently used go
first.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import random
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from softrock.core import settings
from softrock.core.errors import SoftrockError

_MAGIC = b"softrock-cache-1\n"

PRUNED = ("code", "device")
"""Kinds whose entries are removed where the cache outgrows SOFTROCK_CACHE_LIMIT."""

_LOCKS = "locks"
_USED_AGAIN = 3600.0
"""Seconds after which another use of an entry is noted."""
_LOOK = 32
"""One write in so many looks whether the cache has outgrown its limit."""
_KEPT = 0.8
"""The part of the limit that is left after a cut, so that not every write must cut again."""


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
    path = folder(kind) / key
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC)
    if len(data) < head + 32 or data[:head] != _MAGIC:
        return None
    body = data[head + 32 :]
    if hashlib.sha256(body).digest() != data[head : head + 32]:
        return None
    if kind in PRUNED:
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _USED_AGAIN:
                os.utime(path)
    return body


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
    if kind in PRUNED and not random.randrange(_LOOK):
        prune(settings.load().cache_limit)


def remove(kind: str, key: str) -> None:
    """Take an entry away, if it is there."""
    with contextlib.suppress(OSError):
        (folder(kind) / key).unlink(missing_ok=True)


@contextlib.contextmanager
def building(kind: str, key: str, timeout: float) -> Iterator[bool]:
    """Hold the right to make an entry, which one process has at a time; the others wait for it here.

    Whoever gets it must look again whether the entry is there by now. The lock is the operating system's: it is gone
    when its owner ends, however that happens.

    Args:
        timeout: seconds to wait. Afterwards the work is done twice, which is no harm.

    Yields:
        Whether it was had in time.
    """
    if settings.load().no_cache:
        yield True
        return
    path = folder(_LOCKS) / f"{kind}-{key}"
    until = time.monotonic() + timeout
    handle = _lock(path)
    while handle is None and time.monotonic() < until:
        time.sleep(0.01)
        handle = _lock(path)
    try:
        yield handle is not None
    finally:
        if handle is not None and handle >= 0:
            # Removed while it is held: whoever opened it before finds at its turn that it is no longer this file.
            path.unlink(missing_ok=True)
            os.close(handle)


def _lock(path: Path) -> int | None:
    """A handle that holds the lock, None where another process has it, -1 where there can be no locks."""
    import fcntl

    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(handle).st_ino:
            return handle
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            os.close(handle)
            return -1
    os.close(handle)
    return None


@dataclass(frozen=True, slots=True)
class Usage:
    """Files and bytes of one kind."""

    files: int
    bytes: int


def usage() -> dict[str, Usage]:
    """What each kind of entry takes; other processes may add and remove entries meanwhile."""
    base = settings.load().cache_dir
    out: dict[str, Usage] = {}
    with contextlib.suppress(OSError):
        for each in sorted(base.iterdir()):
            if each.is_dir() and each.name != _LOCKS:
                sizes = [info.st_size for _, info in _files(each)]
                out[each.name] = Usage(len(sizes), sum(sizes))
    return out


def prune(limit: int) -> int:
    """Remove entries of the kinds in `PRUNED`, the least recently used first, where they take more than `limit` bytes.

    Returns:
        Bytes removed.
    """
    base = settings.load().cache_dir
    found = [(info.st_mtime, info.st_size, path) for kind in PRUNED for path, info in _files(base / kind)]
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return 0
    removed = 0
    for _, size, path in sorted(found):
        if total - removed <= limit * _KEPT:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            removed += size
    return removed


def _files(place: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Regular files below a folder, with what the file system says of them."""
    try:
        entries = list(os.scandir(place))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            with contextlib.suppress(OSError):
                yield Path(entry.path), entry.stat(follow_symlinks=False)
