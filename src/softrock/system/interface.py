"""The interface to a machine: files, opening of device nodes, queries of drivers, commands of a fixed list.

Paths are absolute and POSIX, whatever the host. Commands and queries are named, and their tables are data of this
package: nothing that was read can become a command or a part of one.
"""

from __future__ import annotations

import errno
import posixpath
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Protocol

LIMIT = 1 << 20
"""Bytes that are read of a file where nothing else is asked for."""


class Kind(StrEnum):
    """What a path leads to, links followed."""

    FILE = "file"
    FOLDER = "folder"
    CHARACTER = "character"
    BLOCK = "block"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Stat:
    """Ownership and permissions of a path, links followed.

    Attributes:
        kind: what it is.
        mode: permission bits, 0o660.
        uid, gid: numbers of owner and group.
        size: in bytes; 0 in most of sysfs and /proc.
        device: major and minor number of a device node.
        acl: access control list in the text form of acl(5), such as ``user:1000:rw-``; empty where there is none.
    """

    kind: Kind
    mode: int
    uid: int
    gid: int
    size: int = 0
    device: tuple[int, int] | None = None
    acl: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Who:
    """Who is looking.

    Attributes:
        uid, gid: effective numbers of user and group.
        groups: numbers of all groups of the process, `gid` included.
    """

    uid: int
    gid: int
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class Output:
    """What a command said.

    Attributes:
        status: exit status; 127 where the command is missing, 124 where it took too long.
        text: standard output, cut at `Command.limit` bytes.
        error: standard error, likewise.
    """

    status: int
    text: str = ""
    error: str = ""

    @property
    def found(self) -> bool:
        """The command exists."""
        return self.status != 127


@dataclass(frozen=True, slots=True)
class Command:
    """A command that may be run: a row of commands.toml.

    Attributes:
        name: what it is called here.
        argv: program and arguments.
        timeout: seconds.
        limit: bytes of its output that are kept.
        about: what it is run for.
    """

    name: str
    argv: tuple[str, ...]
    about: str
    timeout: float = 5.0
    limit: int = 1 << 20


@dataclass(frozen=True, slots=True)
class Query:
    """An ioctl that may be asked of a device node: a row of queries.toml.

    Attributes:
        name: what it is called here.
        request: number of the ioctl.
        size: bytes of its argument, which goes in as zeros.
        source: where the number is defined.
    """

    name: str
    request: int
    size: int
    source: str


class System(Protocol):
    """A machine. Paths are absolute; what cannot be had raises OSError with the errno that the kernel gives."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables of the process that asks."""

    @property
    def who(self) -> Who:
        """User and groups of the process that asks."""

    @property
    def platform(self) -> tuple[str, str, str]:
        """System name, kernel release and architecture, as ``uname -s -r -m`` gives them."""

    def read(self, path: str, limit: int = LIMIT) -> bytes:
        """The first `limit` bytes of a file."""

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted."""

    def stat(self, path: str) -> Stat:
        """What a path leads to, links followed."""

    def link(self, path: str) -> str:
        """Where a symbolic link points, as it is written; EINVAL where the path is none."""

    def open(self, path: str) -> None:
        """Open a device node for reading and writing and close it again: raises where that is refused."""

    def query(self, path: str, name: str) -> bytes:
        """Ask a device node one of `queries`."""

    def run(self, name: str) -> Output:
        """Run one of `commands`."""


@cache
def commands() -> dict[str, Command]:
    """The commands that may be run, by name."""
    table = tomllib.loads((resources.files(__package__) / "commands.toml").read_text(encoding="utf-8"))
    return {name: Command(name, tuple(row.pop("argv")), **row) for name, row in table.items()}


@cache
def queries() -> dict[str, Query]:
    """The queries of drivers that may be asked, by name."""
    table = tomllib.loads((resources.files(__package__) / "queries.toml").read_text(encoding="utf-8"))
    return {name: Query(name, **row) for name, row in table.items()}


def text(system: System, path: str, limit: int = LIMIT) -> str | None:
    """A file's text without the space around it; None where there is no such file.

    Raises:
        OSError: it is there but cannot be read.
    """
    try:
        return system.read(path, limit).decode("utf-8", "replace").strip("\0 \t\r\n")
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO):
            return None
        raise


def exists(system: System, path: str) -> bool:
    """There is such a path, whether it may be looked at or not."""
    try:
        system.stat(path)
    except OSError as error:
        return error.errno == errno.EACCES
    return True


def listed(system: System, path: str) -> list[str]:
    """Names in a folder; none where it is missing or closed."""
    try:
        return system.names(path)
    except OSError:
        return []


def target(system: System, path: str) -> str | None:
    """The path that a link points to, made absolute; None where it is no link."""
    try:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), system.link(path)))
    except OSError:
        return None
