"""Which files are translated: those that the user names, folders, a compile_commands.json."""

from __future__ import annotations

import fnmatch
import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from softrock.core.errors import UsageError

CPP = frozenset(
    ".cu .cuh .hip .c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .inc .inl .ipp .tpp .tcc .impl .cuinc .cui".split()
)
CMAKE = "CMakeLists.txt"
_DATABASE = "compile_commands.json"
_DATABASE_LIMIT = 256 << 20


@dataclass(frozen=True, slots=True)
class Item:
    """A file to translate.

    Attributes:
        path: as it is shown.
        relative: where it stands below an output folder.
        flags: of its compilation, for clang.
        cwd: folder that the flags' paths start from.
        named: the user named it himself.
    """

    path: Path
    relative: Path
    flags: tuple[str, ...] = ()
    cwd: Path | None = None
    named: bool = False


def kind_of(path: Path) -> str:
    """ "cpp", "cmake" or "python" by the name; "" for others."""
    if path.name == CMAKE or path.suffix == ".cmake":
        return "cmake"
    if path.suffix == ".py":
        return "python"
    return "cpp" if path.suffix.lower() in CPP else ""


def collect(
    paths: Sequence[Path],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    skip: Sequence[Path] = (),
    links: bool = False,
) -> tuple[list[Item], list[tuple[Path, str]]]:
    """The files that the user's paths mean, each once, in a fixed order; and folders that cannot be read, with why.

    Args:
        include: in folders, only files that match one of these; a glob without a slash is compared with the name.
        exclude: files that are left out, wherever they come from.
        skip: folders that are not looked into.
        links: a link to a file counts as a file of its own.

    Raises:
        UsageError: a path that does not exist, or a compile_commands.json that is none.
    """
    found: dict[str, Item] = {}
    trouble: list[tuple[Path, str]] = []
    left_out = {os.path.realpath(each) for each in skip}
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError(f"{path}: no such file or folder", hint="check the path")
        for item in _of(path, left_out, trouble):
            if not item.named and include and not _matches(item, include):
                continue
            if _matches(item, exclude):
                continue
            same = os.path.normpath(item.path.absolute()) if links else os.path.realpath(item.path)
            found.setdefault(same, item)
    return list(found.values()), trouble


def _of(path: Path, left_out: set[str], trouble: list[tuple[Path, str]]) -> Iterator[Item]:
    if path.is_dir():
        for each in _below(path, left_out, trouble):
            yield Item(each, each.relative_to(path))
    elif path.name == _DATABASE or (path.suffix == ".json" and path.is_file()):
        yield from _database(path)
    else:
        yield Item(path, Path(path.name), named=True)


def _below(folder: Path, left_out: set[str], trouble: list[tuple[Path, str]]) -> Iterator[Path]:
    """Sources below a folder, in order. Links to folders are followed, each folder once: a loop ends there."""
    seen: set[tuple[int, int]] = set()
    pending = [folder]
    while pending:
        here = pending.pop()
        if os.path.realpath(here) in left_out:
            continue
        try:
            info = here.stat()
            if (info.st_dev, info.st_ino) in seen:
                continue
            seen.add((info.st_dev, info.st_ino))
            entries = sorted(os.scandir(here), key=lambda each: each.name)
        except OSError as error:
            trouble.append((here, error.strerror or "it cannot be read"))
            continue
        folders = []
        for entry in entries:
            path = here / entry.name
            if entry.name.startswith("."):
                continue
            try:
                inside = entry.is_dir()
            except OSError:  # a link that leads to itself: reading it says so
                inside = False
            if inside:
                folders.append(path)
            elif kind_of(path):
                yield path
        pending += reversed(folders)


def _matches(item: Item, globs: Sequence[str]) -> bool:
    """A glob with a slash is compared with the path as it is and as it is below the folder that was given."""
    places = (item.path.as_posix(), item.relative.as_posix())
    return any(
        any(fnmatch.fnmatch(each, glob) for each in places) if "/" in glob else fnmatch.fnmatch(item.path.name, glob)
        for glob in globs
    ) or any(item.path.match(glob) for glob in globs)


def _database(path: Path) -> Iterator[Item]:
    try:
        if path.stat().st_size > _DATABASE_LIMIT:
            raise UsageError(f"{path}: larger than {_DATABASE_LIMIT >> 20} MiB", hint="give folders instead")
        entries = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="check the path and its permissions") from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"{path}: not a compilation database", hint="CMAKE_EXPORT_COMPILE_COMMANDS=ON makes one"
        ) from None
    items = []
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str) or "\0" in entry["file"]:
            raise UsageError(
                f"{path}: an entry has no file", hint="CMAKE_EXPORT_COMPILE_COMMANDS=ON makes a proper one"
            )
        folder = Path(path.parent, str(entry.get("directory", ".")))
        items.append((Path(os.path.normpath(folder / entry["file"])), folder, _words(path, entry)))
    if not items:
        return
    common = Path(os.path.commonpath([str(each.absolute().parent) for each, _, _ in items]))
    here = Path.cwd()
    for file, folder, words in items:
        absolute = file.absolute()
        shown = absolute.relative_to(here) if absolute.is_relative_to(here) else absolute
        yield Item(shown, absolute.relative_to(common), words, folder.absolute())


def _words(path: Path, entry: dict[str, object]) -> tuple[str, ...]:
    """The compiler's arguments of an entry, without its name."""
    words = entry.get("arguments")
    if isinstance(words, list) and all(isinstance(each, str) for each in words):
        return tuple(words[1:])
    command = entry.get("command")
    if not isinstance(command, str):
        return ()
    try:
        return tuple(shlex.split(command)[1:])
    except ValueError as error:
        raise UsageError(
            f"{path}: the command for {entry['file']} cannot be split: {error}", hint="see its quotes"
        ) from None
