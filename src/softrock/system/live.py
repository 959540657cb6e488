"""The machine that runs this."""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import shutil
import stat as modes
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

from softrock.system.interface import LIMIT, Kind, Output, Stat, Who, commands, queries

_KINDS = (
    (modes.S_ISREG, Kind.FILE),
    (modes.S_ISDIR, Kind.FOLDER),
    (modes.S_ISCHR, Kind.CHARACTER),
    (modes.S_ISBLK, Kind.BLOCK),
)
_ACL = "system.posix_acl_access"
_TAGS = {0x01: "user:", 0x02: "user", 0x04: "group:", 0x08: "group", 0x10: "mask:", 0x20: "other:"}
"""Tags of linux/posix_acl_xattr.h; those without a colon carry an id."""


class Live:
    """This machine, read as it is.

    Args:
        environment: variables to see instead of the process's own.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.environment: Mapping[str, str] = dict(os.environ if environment is None else environment)

    @property
    def who(self) -> Who:
        """User and groups of this process."""
        return Who(os.geteuid(), os.getegid(), frozenset([*os.getgroups(), os.getegid()]))

    @property
    def platform(self) -> tuple[str, str, str]:
        """System name, kernel release and architecture."""
        told = platform.uname()
        return told.system, told.release, told.machine

    def read(self, path: str, limit: int = LIMIT) -> bytes:
        """The first `limit` bytes of a file; never waits for one that is a pipe or a terminal."""
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            parts = []
            while limit > 0 and (part := os.read(handle, min(limit, 1 << 20))):
                parts.append(part)
                limit -= len(part)
            return b"".join(parts)
        finally:
            os.close(handle)

    def names(self, path: str) -> list[str]:
        """Names in a folder, sorted."""
        return sorted(os.listdir(path))  # noqa: PTH208 - names, not paths

    def stat(self, path: str) -> Stat:
        """What a path leads to, links followed."""
        told = Path(path).stat()
        kind = next((kind for test, kind in _KINDS if test(told.st_mode)), Kind.OTHER)
        device = (os.major(told.st_rdev), os.minor(told.st_rdev)) if kind in (Kind.CHARACTER, Kind.BLOCK) else None
        acl = _acl(path) if kind is Kind.CHARACTER else ()
        return Stat(kind, modes.S_IMODE(told.st_mode), told.st_uid, told.st_gid, told.st_size, device, acl)

    def link(self, path: str) -> str:
        """Where a symbolic link points, as it is written."""
        return str(Path(path).readlink())

    def open(self, path: str) -> None:
        """Open a device node for reading and writing, and close it again."""
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY))

    def query(self, path: str, name: str) -> bytes:
        """Ask a device node one of `queries`."""
        asked = queries()[name]
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            return bytes(fcntl.ioctl(handle, asked.request, bytes(asked.size)))
        finally:
            os.close(handle)

    def run(self, name: str) -> Output:
        """Run one of `commands`, in the C locale, without input."""
        asked = commands()[name]
        places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin", "/usr/bin", "/bin"])
        program = shutil.which(asked.argv[0], path=places)
        if program is None:
            return Output(127, "", f"{asked.argv[0]}: command not found")
        environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
        try:
            done = subprocess.run(
                [program, *asked.argv[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=asked.timeout,
                env=environment,
                cwd="/",
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Output(124, "", f"{asked.argv[0]}: no answer within {asked.timeout:g} s")
        except OSError as error:
            return Output(126, "", f"{asked.argv[0]}: {error.strerror}")
        out, err = (each[: asked.limit].decode("utf-8", "replace") for each in (done.stdout, done.stderr))
        return Output(done.returncode, out, err)


def _acl(path: str) -> tuple[str, ...]:
    """Entries of a path's access control list beyond its mode; none where there is no list."""
    data = b""
    with contextlib.suppress(OSError, AttributeError):  # no list, no support, or no such call on this host
        data = os.getxattr(path, _ACL)
    entries = []
    for at in range(4, len(data) - 7, 8):
        tag, bits, number = struct.unpack_from("<HHI", data, at)
        name = _TAGS.get(tag, "")
        rights = "".join(letter if bits & bit else "-" for letter, bit in (("r", 4), ("w", 2), ("x", 1)))
        if name:
            entries.append(f"{name}{'' if name.endswith(':') else f':{number}'}:{rights}")
    return tuple(entries)
