"""A machine that was recorded or written down: a TOML file, replayed.

::

    about = "RX 7900 XTX, user not in the group of /dev/kfd"
    base = "ubuntu-24.04"              # another tree beside it, whose entries stand where this one has none
    drop = ["/sys/module/amdgpu"]      # of the base: paths with all below, "environment.NAME", "commands.dmesg"

    [who]                              # uid, gid, groups; 1000, 1000, [1000] where nothing is said
    [platform]                         # system, release, machine
    [environment]                      # NAME = "value"
    [files]                            # "/path" = "text", or a table of
                                       #   text | hex | base64; mode (0o644), uid, gid, size, acl = [...];
                                       #   kind = "character", device = [226, 128]; error = "EACCES": reading fails;
                                       #   open = "EPERM": opening fails (else by mode, owner and acl)
    [links]                            # "/path" = "where it points"
    [commands]                         # name in commands.toml = "output", or {status, text, error}; else missing
    [queries]                          # "/dev/kfd kfd-version" = "hex", or {error = "EINVAL"}

Other tables are left to the reader of `Tree.extra` (what is expected of a machine, for tests). Folders are there when
something is in them; one that is empty is a file of kind "folder". Numbers of owners are 0 where nothing is said.
"""

from __future__ import annotations

import base64
import binascii
import errno
import posixpath
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softrock.core.errors import SoftrockError
from softrock.system.interface import LIMIT, Kind, Output, Stat, Who, commands, queries

_TABLES = ("who", "platform", "environment", "files", "links", "commands", "queries")
_FILE = frozenset(["text", "hex", "base64", "mode", "uid", "gid", "kind", "device", "acl", "size", "error", "open"])
_LINKS = 40
"""Links that are followed before it is a loop, as in Linux."""


class Tree:
    """A machine out of a file.

    Attributes:
        about: what it is, in a sentence.
        extra: what the file says beside the machine.
    """

    def __init__(self, table: Mapping[str, Any], name: str = "tree") -> None:
        """Take a machine from what TOML gives.

        Raises:
            SoftrockError: it is no tree; the message says where.
        """
        self._name = name
        self.about = str(table.get("about", ""))
        self.extra = {key: value for key, value in table.items() if key not in (*_TABLES, "about", "base", "drop")}
        given = {each: self._table(table, each) for each in _TABLES}
        who = given["who"]
        gid = int(who.get("gid", 1000))
        self.who = Who(int(who.get("uid", 1000)), gid, frozenset([gid, *who.get("groups", [])]))
        told = {"system": "Linux", "release": "6.8.0-49-generic", "machine": "x86_64", **given["platform"]}
        self.platform = (str(told["system"]), str(told["release"]), str(told["machine"]))
        self.environment: Mapping[str, str] = {key: str(value) for key, value in given["environment"].items()}
        self._links = {key: str(value) for key, value in given["links"].items()}
        self._files = {self._path(key): self._file(key, value) for key, value in given["files"].items()}
        self._commands = {key: self._output(key, value) for key, value in given["commands"].items()}
        self._queries = given["queries"]
        self._folders: dict[str, set[str]] = {"/": set()}
        for path in (*self._files, *map(self._path, self._links)):
            while path != "/":
                above = posixpath.dirname(path)
                self._folders.setdefault(above, set()).add(posixpath.basename(path))
                path = above

    @classmethod
    def load(cls, path: Path) -> Tree:
        """Read a tree, and those it stands on.

        Raises:
            SoftrockError: a file is missing or no tree.
        """
        return cls(_loaded(path, ()), path.name)

    # ---- reading the tables ----

    def _table(self, table: Mapping[str, Any], name: str) -> dict[str, Any]:
        found = table.get(name, {})
        if not isinstance(found, dict):
            raise SoftrockError(f"{self._name}: {name} is no table", hint=f"write [{name}]")
        return found

    def _path(self, path: str) -> str:
        if not path.startswith("/") or posixpath.normpath(path) != path:
            raise SoftrockError(
                f"{self._name}: {path!r} is no absolute path", hint="write it from / on, without . and .."
            )
        return path

    def _file(self, path: str, value: Any) -> dict[str, Any]:
        entry = {"text": value} if isinstance(value, str) else value
        if not isinstance(entry, dict) or entry.keys() - _FILE:
            wrong = ", ".join(sorted(entry.keys() - _FILE)) if isinstance(entry, dict) else type(value).__name__
            raise SoftrockError(f"{self._name}: {path}: {wrong} is nothing that a file has", hint="see docs/doctor.md")
        try:
            if "hex" in entry:
                data = bytes.fromhex(entry["hex"])
            elif "base64" in entry:
                data = base64.b64decode(entry["base64"], validate=True)
            else:
                data = str(entry.get("text", "")).encode()
            kind = Kind(entry.get("kind", "file"))
        except (ValueError, binascii.Error) as error:
            raise SoftrockError(f"{self._name}: {path}: {error}") from None
        return {**entry, "data": data, "kind": kind}

    def _output(self, name: str, value: Any) -> Output:
        if name not in commands():
            raise SoftrockError(f"{self._name}: no command {name!r}", hint=f"commands: {', '.join(commands())}")
        return Output(0, value) if isinstance(value, str) else Output(**{"status": 0, **value})

    # ---- the interface ----

    def read(self, path: str, limit: int = LIMIT) -> bytes:
        """The first `limit` bytes of a file."""
        real = self._real(path)
        entry = self._files.get(real)
        if entry is None or entry["kind"] is Kind.FOLDER:
            raise _error("EISDIR" if entry or real in self._folders else "ENOENT", path)
        if "error" in entry:
            raise _error(entry["error"], path)
        if not self._allowed(self._stat(real, entry), 4):
            raise _error("EACCES", path)
        return bytes(entry["data"][:limit])

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted."""
        real = self._real(path)
        entry = self._files.get(real, {})
        if "error" in entry:
            raise _error(entry["error"], path)
        if real in self._folders:
            return sorted(self._folders[real])
        if entry.get("kind") is Kind.FOLDER:
            return []
        raise _error("ENOTDIR" if entry else "ENOENT", path)

    def stat(self, path: str) -> Stat:
        """What a path leads to, links followed."""
        real = self._real(path)
        entry = self._files.get(real)
        if entry is not None:
            return self._stat(real, entry)
        if real in self._folders:
            return Stat(Kind.FOLDER, 0o755, 0, 0)
        raise _error("ENOENT", path)

    def link(self, path: str) -> str:
        """Where a symbolic link points, as it is written."""
        above = self._real(posixpath.dirname(path))
        place = posixpath.join(above, posixpath.basename(path))
        if place in self._links:
            return self._links[place]
        raise _error("EINVAL" if place in self._files or place in self._folders else "ENOENT", path)

    def open(self, path: str) -> None:
        """Open a device node for reading and writing."""
        real = self._real(path)
        entry = self._files.get(real)
        if entry is None:
            raise _error("ENOENT", path)
        if "open" in entry:
            raise _error(entry["open"], path)
        if not self._allowed(self._stat(real, entry), 6):
            raise _error("EACCES", path)

    def query(self, path: str, name: str) -> bytes:
        """Ask a device node one of the queries."""
        asked = queries()[name]
        self.open(path)
        answer = self._queries.get(f"{path} {name}")
        if answer is None:
            raise _error("ENOTTY", path)
        if isinstance(answer, dict):
            raise _error(str(answer.get("error", "EINVAL")), path)
        return bytes.fromhex(answer)[: asked.size].ljust(asked.size, b"\0")

    def run(self, name: str) -> Output:
        """What one of the commands says."""
        program = commands()[name].argv[0]
        return self._commands.get(name, Output(127, "", f"{program}: command not found"))

    # ---- within ----

    def _real(self, path: str) -> str:
        """A path without links in it."""
        left, done = path.strip("/").split("/"), "/"
        followed = 0
        while left:
            part = left.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                done = posixpath.dirname(done)
                continue
            place = posixpath.join(done, part)
            where = self._links.get(place)
            if where is None:
                done = place
                continue
            followed += 1
            if followed > _LINKS:
                raise _error("ELOOP", path)
            left = [*where.split("/"), *left]
            done = "/" if where.startswith("/") else done
        return done

    def _stat(self, path: str, entry: Mapping[str, Any]) -> Stat:
        kind = entry["kind"]
        device = entry.get("device")
        mode = entry.get("mode", 0o755 if kind is Kind.FOLDER else 0o644)
        return Stat(
            kind,
            int(mode),
            int(entry.get("uid", 0)),
            int(entry.get("gid", 0)),
            int(entry.get("size", len(entry["data"]))),
            (int(device[0]), int(device[1])) if device else None,
            tuple(entry.get("acl", ())),
        )

    def _allowed(self, told: Stat, bits: int) -> bool:
        """Whether who looks may read (4) and write (2): mode and access control list, as acl(5) orders them."""
        who = self.who
        if who.uid == 0:
            return True
        if told.uid == who.uid:
            return told.mode >> 6 & bits == bits
        entries = [each.split(":") for each in told.acl if each.count(":") == 2]
        mask = next((_bits(rights) for tag, _, rights in entries if tag == "mask"), 7)
        for tag, name, rights in entries:
            if tag == "user" and name == str(who.uid):
                return _bits(rights) & mask & bits == bits
        group = next(
            (_bits(rights) for tag, name, rights in entries if tag == "group" and not name), told.mode >> 3 & 7
        )
        named = [(int(name), _bits(rights)) for tag, name, rights in entries if tag == "group" and name.isdecimal()]
        theirs = [rights for gid, rights in [(told.gid, group), *named] if gid in who.groups]
        if theirs:
            return any(rights & mask & bits == bits for rights in theirs)
        return told.mode & bits == bits


def _bits(rights: str) -> int:
    return sum(bit for letter, bit in (("r", 4), ("w", 2), ("x", 1)) if letter in rights)


def _error(name: str, path: str) -> OSError:
    number = getattr(errno, name, errno.EIO)
    return OSError(number, name, path)


def _loaded(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    """A tree's tables with those of its bases below them."""
    if path in seen:
        raise SoftrockError(f"{path}: trees stand on each other in a ring")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SoftrockError(f"{path}: no such tree") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SoftrockError(f"{path}: {error}", hint="a tree is a TOML file; see docs/doctor.md") from None
    bases = table.get("base", [])
    merged: dict[str, Any] = {}
    for name in [bases] if isinstance(bases, str) else bases:
        for key, value in _loaded(path.with_name(f"{name}.toml"), (*seen, path)).items():
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    for gone in table.get("drop", []):
        _drop(merged, str(gone))
    for key, value in table.items():
        merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    return merged


def _drop(table: dict[str, Any], gone: str) -> None:
    """Take a path with all below it, or a variable or command, from a tree."""
    if gone.startswith("/"):
        for name in ("files", "links"):
            kept = table.get(name, {})
            table[name] = {p: v for p, v in kept.items() if p != gone and not p.startswith(gone.rstrip("/") + "/")}
        return
    name, _, key = gone.partition(".")
    table.get(name, {}).pop(key, None)
