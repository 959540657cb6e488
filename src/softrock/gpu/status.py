"""What the software GPUs of a process are doing, told to other processes of the same user (``softrock smi``).

Each process keeps one small file, in a folder that only its user may open: rewritten by a thread at most every half
second, and only where something changed. Launches do nothing for it: the thread reads counters that are kept anyway.
A reader believes only files of its own user that are well formed and whose process still runs; it removes the rest.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from softrock.core import ending

PERIOD = 0.5
"""Seconds between two looks at the counters."""
_LIMIT = 1 << 16
_MOST = (1 << 63) - 1
_WORDS = 100


@dataclass(frozen=True, slots=True)
class Told:
    """A software GPU of a process.

    Attributes:
        index, name, target: which.
        memory_used, memory_total: bytes.
        launches: kernels that have ended.
        busy_ns: from begin to end of each, added up (those of several queues overlap).
        pending: work was waiting or running when this was written.
        compute_units: how many it imitates.
    """

    index: int
    name: str
    target: str
    memory_used: int
    memory_total: int
    launches: int
    busy_ns: int
    pending: bool
    compute_units: int


@dataclass(frozen=True, slots=True)
class Status:
    """What a process tells: `written` is its clock (CLOCK_MONOTONIC, ns) at that time."""

    pid: int
    written: int
    devices: tuple[Told, ...]


class Source(Protocol):
    """A device that tells what it does."""

    def told(self) -> Told:
        """Its state now; called in a thread."""


def folder() -> Path | None:
    """The user's folder of status files, made where it is missing; None where there is none that is only theirs."""
    if not hasattr(os, "geteuid"):
        return None
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    base = Path(given) if given.startswith("/") else Path(f"/run/user/{os.geteuid()}")
    places = [base / "softrock", Path(tempfile.gettempdir()) / f"softrock-{os.geteuid()}"]
    for place in places if _private(base) else places[1:]:
        with contextlib.suppress(OSError):
            place.mkdir(mode=0o700)
        if _private(place):
            return place
    return None


def _private(path: Path) -> bool:
    """It is a folder, no link, of this user, and nobody else may enter."""
    try:
        told = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(told.st_mode) and told.st_uid == os.geteuid() and not told.st_mode & 0o077


def started(pid: int) -> int | None:
    """When a process started, in clock ticks since boot (field 22 of proc(5)'s stat); None where it is gone."""
    try:
        data = Path(f"/proc/{pid}/stat").read_bytes()
        parts = data.rpartition(b")")[2].split()
        return None if parts[0] in (b"Z", b"X") else int(parts[19])
    except (OSError, ValueError, IndexError):
        return None


# ---- writing ----


class Publisher:
    """Keeps the file of this process until it ends."""

    def __init__(self, place: Path, devices: Sequence[Source]) -> None:
        self._path = place / str(os.getpid())
        self.pid = os.getpid()
        self._start = started(self.pid)
        self.devices = devices
        self._last: tuple[Told, ...] | None = None
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Write again and again."""
        while True:
            with contextlib.suppress(OSError):  # a full or vanished folder is no concern of the program
                self.write()
            if self._stop.wait(PERIOD):
                return

    def write(self) -> None:
        """Write the file, if something has changed. It appears whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        now = tuple(each.told() for each in self.devices)
        with self._lock:
            busy = any(each.pending for each in now)
            if self._stop.is_set() or os.getpid() != self.pid or (now == self._last and not busy):
                return
            document = {
                "version": 1,
                "pid": self.pid,
                "started": self._start,
                "written": time.monotonic_ns(),
                "devices": [asdict(each) for each in now],
            }
            fresh = self._path.with_name(f".{self.pid}")
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file)
            fresh.replace(self._path)
            self._last = now

    def end(self) -> None:
        """Stop, and take the file away."""
        self._stop.set()
        with self._lock:
            if os.getpid() == self.pid:
                self._path.unlink(missing_ok=True)


_publisher: Publisher | None = None


def publish(devices: Sequence[Source]) -> None:
    """Tell other processes of the user about these devices until this one ends; nothing where that is not possible."""
    global _publisher
    if _publisher is not None and _publisher.pid == os.getpid():  # else that of the process this one was forked from
        _publisher.devices = devices
        return
    place = folder()
    if place is None or not devices:
        return
    made = _publisher = Publisher(place, devices)
    thread = threading.Thread(target=made.run, name="softrock-status", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no more threads: the program needs what there is
        return
    ending.at_end(made.end)


# ---- reading ----


def read_all(place: Path | None = None) -> list[Status]:
    """What the running processes of this user tell. Files of processes that are gone are removed."""
    place = folder() if place is None else place
    if place is None or not _private(place):
        return []
    found = []
    for path in sorted(place.iterdir()):
        if not path.name.isdecimal() or len(path.name) > 9:
            continue
        data = _content(path)
        status = None if data is None else _status(data, int(path.name))
        if status is not None:
            found.append(status)
        elif started(int(path.name)) is None or (data is not None and _outlived(data, int(path.name))):
            with contextlib.suppress(OSError):
                path.unlink()
    return found


def _content(path: Path) -> Any:
    """The document in a file; None unless it is a small file of this user's alone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        told = os.fstat(handle)
        if not stat.S_ISREG(told.st_mode) or told.st_uid != os.geteuid() or told.st_mode & 0o077:
            return None
        try:
            return json.loads(file.read(_LIMIT + 1)) if told.st_size <= _LIMIT else None
        except (OSError, ValueError, RecursionError):
            return None


def _outlived(document: Any, pid: int) -> bool:
    """Another process has the number now."""
    return isinstance(document, dict) and document.get("started") != started(pid)


def _status(document: Any, pid: int) -> Status | None:
    """A checked document; None where anything in it is not as it has to be."""
    if not isinstance(document, dict) or document.get("version") != 1 or document.get("pid") != pid:
        return None
    written, devices = document.get("written"), document.get("devices")
    if started(pid) is None or document.get("started") != started(pid) or not _count(written):
        return None
    if not isinstance(devices, list) or len(devices) > 256:
        return None
    try:
        told = tuple(_told(each) for each in devices)
    except (TypeError, ValueError):
        return None
    return Status(pid, written, told)


def _count(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= _MOST


def _told(fields: Any) -> Told:
    made = Told(**fields)
    counts = (made.index, made.memory_used, made.memory_total, made.launches, made.busy_ns, made.compute_units)
    words = (made.name, made.target)
    if not all(_count(each) for each in counts) or type(made.pending) is not bool:
        raise ValueError
    if not all(isinstance(each, str) and len(each) <= _WORDS and each.isprintable() for each in words):
        raise ValueError
    return made
