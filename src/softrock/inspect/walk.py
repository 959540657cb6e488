"""From a path to the things in it that hold GPU code: through folders, archives in archives, and compressed files.

Nothing is written to disk, files are mapped and not read whole, and symbolic links lead to nothing twice.
"""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from softrock.codeobj.bundle import members
from softrock.core.errors import CodeObjectError, UsageError
from softrock.inspect.archives import HEAD, STREAMS, Plain, Reader, Stream, sniff, tar_members, zip_members
from softrock.inspect.limits import MOST_NESTED, Budget, Progress, clean
from softrock.inspect.packages import Package

_MOST_ARCHIVES = 256


class Leaf(NamedTuple):
    """Bytes that hold GPU code, or may.

    Attributes:
        name: where they stand: path, and what is inside what.
        kind: elf, bundle, compressed or kpack.
        data: the bytes.
        budget: of the file they stand in.
        only: of a kpack archive, the library whose code objects are wanted; empty for all.
    """

    name: str
    kind: str
    data: memoryview
    budget: Budget
    only: str = ""


class Problem(NamedTuple):
    """Something that cannot be read; `message` names it."""

    message: str


class Opened(NamedTuple):
    """A mapped file: what :func:`softrock.inspect.archives.sniff` says it is, and its bytes."""

    kind: str | None
    data: memoryview


def open_file(path: Path) -> Opened:
    """Map a file.

    Raises:
        UsageError: it is missing, no regular file, or may not be read.
    """
    shown = clean(str(path))
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        hint = "check the path, or give an installed package's name"
        raise UsageError(f"{shown} does not exist", hint=hint) from None
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}", hint="check its permissions") from None
    except ValueError:
        raise UsageError(f"{str(path)!r} is no file name", hint="check the path") from None
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError(f"{shown} is no regular file", hint="give a file, a folder or a package's name")
        head = os.pread(handle, HEAD, 0)
        kind = sniff(head)
        if kind is None or not facts.st_size:
            return Opened(None, memoryview(head))
        return Opened(kind, memoryview(mmap.mmap(handle, 0, access=mmap.ACCESS_READ)))
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}", hint="check the disk it is on") from None
    finally:
        os.close(handle)


def in_file(opened: Opened, name: str, progress: Progress | None) -> Iterator[Leaf | Problem]:
    """What stands in a mapped file."""
    budget = Budget(len(opened.data), progress)
    yield from _within(name, opened.data, budget, 0)


def kept_elsewhere(library: Path, paths: Sequence[str], name: str) -> Iterator[Leaf | Problem]:
    """The code objects of a library in the kpack archives that it names, as far as they are there.

    Args:
        paths: relative to the library's folder, with ``@GFXARCH@`` for any target.
        name: what the archives call the library.
    """
    found: dict[Path, None] = {}
    for each in paths[:_MOST_ARCHIVES]:
        try:
            place = (library.parent / each).resolve()
            before, token, after = place.name.partition("@GFXARCH@")
            there = [item.name for item in place.parent.iterdir()] if token else [place.name]
        except (OSError, ValueError, RuntimeError):
            continue  # the packages that bring them need not be installed
        names = sorted(each for each in there if each.startswith(before) and each.endswith(after))
        found |= dict.fromkeys(place.parent / each for each in names)
    for item in in_files(iter(list(found)[:_MOST_ARCHIVES]), None):
        if isinstance(item, Problem):
            yield item
        elif item.kind == "kpack":
            yield item._replace(only=name)


def in_folder(folder: Path, progress: Progress | None) -> Iterator[Leaf | Problem]:
    """What stands in the files of a folder, in the order of their names; links to folders are not followed."""
    problems: list[Problem] = []

    def failed(error: OSError) -> None:
        problems.append(Problem(clean(f"{error.filename} cannot be read: {error.strerror}")))

    yield from in_files(_files(folder, failed), progress)
    yield from problems


def in_package(package: Package, progress: Progress | None) -> Iterator[Leaf | Problem]:
    """What stands in the files of an installed package."""
    folder = _files(package.folder, lambda error: None) if package.folder else ()
    yield from in_files(chain(package.files, folder), progress)


def _files(folder: Path, failed: Callable[[OSError], None]) -> Iterator[Path]:
    for base, folders, names in os.walk(folder, onerror=failed):
        folders.sort()
        yield from (Path(base, name) for name in sorted(names))


def in_files(paths: Iterator[Path], progress: Progress | None) -> Iterator[Leaf | Problem]:
    """What stands in files; what is no regular file is passed over, what has several names counts once."""
    seen: set[tuple[int, int]] = set()
    for path in paths:
        try:
            facts = path.stat()
            known = (facts.st_dev, facts.st_ino)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size < 4 or known in seen:
                continue
            seen.add(known)
            opened = open_file(path)
        except OSError:
            continue  # a link that leads nowhere, or a file that went away
        except UsageError as error:
            yield Problem(error.message)
            continue
        if opened.kind not in (None, "thin"):
            yield from in_file(opened, clean(str(path)), progress)


def _within(name: str, data: memoryview, budget: Budget, depth: int) -> Iterator[Leaf | Problem]:
    kind = sniff(data)
    try:
        budget.look(len(data), name)
        if kind in ("elf", "bundle", "compressed", "kpack"):
            yield Leaf(name, kind, data, budget)
        elif kind is not None and depth == MOST_NESTED:
            yield Problem(f"{name} stands in {depth} archives, one in the other: not read")
        elif kind == "ar":
            for label, content in members(data, name):
                yield from _within(f"{name}({clean(label)})", content, budget, depth + 1)
        elif kind == "zip":
            for label, inner in zip_members(data, name, budget):
                if isinstance(inner, CodeObjectError):
                    yield Problem(inner.message)
                else:
                    yield from _within(f"{name}:{label}", inner, budget, depth + 1)
        elif kind == "tar":
            yield from _in_tar(Plain(data), name, budget, depth)
        elif kind in STREAMS:
            yield from _in_stream(kind, data, name, budget, depth)
    except CodeObjectError as error:
        yield Problem(clean(error.message, 1000))


def _in_tar(reader: Reader, name: str, budget: Budget, depth: int) -> Iterator[Leaf | Problem]:
    for label, content in tar_members(reader, name, budget):
        yield from _within(f"{name}:{label}", content, budget, depth + 1)


class _Again:
    """A reader that first gives back what was taken from it to see what it is."""

    def __init__(self, start: memoryview, rest: Reader) -> None:
        self._start, self._rest = start, rest

    def take(self, size: int) -> memoryview:
        if not self._start:
            return self._rest.take(size)
        first = self._start[:size]
        self._start = self._start[len(first) :]
        return memoryview(bytes(first) + bytes(self._rest.take(size - len(first))))

    def skip(self, size: int) -> None:
        first = min(size, len(self._start))
        self._start = self._start[first:]
        self._rest.skip(size - first)


def _in_stream(kind: str, data: memoryview, name: str, budget: Budget, depth: int) -> Iterator[Leaf | Problem]:
    stream = Stream(data, kind, name, budget)
    start = stream.take(HEAD)
    inner = sniff(start)
    if inner == "tar":
        yield from _in_tar(_Again(start, stream), name, budget, depth)
    elif inner is not None:
        whole = bytearray(start)
        while part := stream.take(1 << 20):
            budget.hold(len(whole) + len(part), name)
            whole += part
        yield from _within(f"{name}:unpacked", memoryview(whole), budget, depth + 1)
