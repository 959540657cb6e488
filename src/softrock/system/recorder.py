"""A machine that notes what is read of it, to be written as a tree."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from softrock.system.interface import LIMIT, Kind, Output, Stat, System, Who

T = TypeVar("T")


class Recorder:
    """Another machine, and all that was asked of it.

    Args:
        system: the machine.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self._files: dict[str, dict[str, Any]] = {}
        self._links: dict[str, str] = {}
        self._commands: dict[str, Output] = {}
        self._queries: dict[str, Any] = {}
        self._asked: set[str] = set()

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables."""
        return self.system.environment

    @property
    def who(self) -> Who:
        """User and groups."""
        return self.system.who

    @property
    def platform(self) -> tuple[str, str, str]:
        """System name, kernel release and architecture."""
        return self.system.platform

    def read(self, path: str, limit: int = LIMIT) -> bytes:
        """The first `limit` bytes of a file."""
        data = self._noted(path, "error", lambda: self.system.read(path, limit))
        entry = self._files.setdefault(path, {})
        if len(data) >= len(entry.get("data", b"")):
            entry["data"] = data
        return data

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted."""
        found = self._noted(path, "error", lambda: self.system.names(path))
        if not found:
            self._files.setdefault(path, {})["kind"] = Kind.FOLDER
        for name in found:
            self._present(f"{path.rstrip('/')}/{name}")
        return found

    def stat(self, path: str) -> Stat:
        """What a path leads to."""
        told = self.system.stat(path)
        self._stated(path, told)
        return told

    def link(self, path: str) -> str:
        """Where a symbolic link points."""
        where = self.system.link(path)
        self._links[path] = where
        return where

    def open(self, path: str) -> None:
        """Open a device node."""
        self._present(path)
        self._noted(path, "open", lambda: self.system.open(path))

    def query(self, path: str, name: str) -> bytes:
        """Ask a device node."""
        try:
            answer = self.system.query(path, name)
        except OSError as error:
            self._queries[f"{path} {name}"] = {"error": _name(error)}
            raise
        self._queries[f"{path} {name}"] = answer.hex()
        return answer

    def run(self, name: str) -> Output:
        """Run a command."""
        self._commands[name] = self.system.run(name)
        return self._commands[name]

    def table(self) -> dict[str, Any]:
        """What was noted, as tables of a tree (`tree.Tree` takes it)."""
        who, (system, release, machine) = self.who, self.platform
        return {
            "who": {"uid": who.uid, "gid": who.gid, "groups": sorted(who.groups)},
            "platform": {"system": system, "release": release, "machine": machine},
            "environment": dict(self.environment),
            "files": {path: _entry(entry) for path, entry in sorted(self._files.items()) if path not in self._links},
            "links": dict(sorted(self._links.items())),
            "commands": {
                name: {"status": each.status, "text": each.text, "error": each.error}
                for name, each in sorted(self._commands.items())
                if each.found
            },
            "queries": dict(sorted(self._queries.items())),
        }

    def _noted(self, path: str, what: str, do: Callable[[], T]) -> T:
        """Do something to a path; note the kernel's refusal, unless the path is not there at all."""
        try:
            return do()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
                self._files.setdefault(path, {})[what] = _name(error)
            raise

    def _present(self, path: str) -> None:
        """A path is there: note its owner, and that it is a link where it is one."""
        if path in self._asked:
            return
        self._asked.add(path)
        try:
            self.link(path)
        except OSError:
            try:
                self.stat(path)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    self._files.setdefault(path, {})

    def _stated(self, path: str, told: Stat) -> None:
        entry = self._files.setdefault(path, {})
        entry.update(kind=told.kind, mode=told.mode, uid=told.uid, gid=told.gid, size=told.size)
        if told.device:
            entry["device"] = list(told.device)
        if told.acl:
            entry["acl"] = list(told.acl)


def _name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "EIO")


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with what goes without saying left out."""
    data = entry.get("data")
    made = {key: value for key, value in entry.items() if key != "data"}
    kind = made.get("kind", Kind.FILE)
    usual = {"uid": 0, "gid": 0, "kind": Kind.FILE, "mode": 0o755 if kind is Kind.FOLDER else 0o644}
    made = {key: value for key, value in made.items() if value != usual.get(key)}
    if kind is not Kind.FILE or data is not None:
        made.pop("size", None)
    if "kind" in made:
        made["kind"] = str(made["kind"])
    if data:
        try:
            made["text"] = data.decode()
        except UnicodeDecodeError:
            made["hex"] = data.hex()
    return made
