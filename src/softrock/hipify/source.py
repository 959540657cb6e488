"""A source file as bytes that are never changed by reading them.

Everything works on `Source.text`, in which each character stands for one byte (of UTF-8, or of whatever 8-bit encoding
the file has): offsets are clang's byte offsets, nothing has to be decoded to be found, and what is not edited is
written back as it was. UTF-16 files are the exception; they are turned into UTF-8 and back.
"""

from __future__ import annotations

import bisect
import codecs
import filecmp
import itertools
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from softrock.core.errors import UsageError

MAX_BYTES = 64 << 20
"""A larger file is no source that a person wrote."""

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class Source:
    """One file.

    Attributes:
        path: as the user gave it, for messages.
        text: the bytes, one character each.
        encoding: what `text` is made from: "bytes", "utf-16-le" or "utf-16-be".
    """

    path: Path
    text: str = field(repr=False)
    encoding: str = "bytes"

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read a file.

        Raises:
            UsageError: it cannot be read, is larger than `MAX_BYTES`, or is not text.
        """
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise UsageError(f"{path}: not a regular file", hint="give files and folders only")
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", hint="check the path and its permissions") from None
        return cls.of_bytes(path, data)

    @classmethod
    def of_bytes(cls, path: Path, data: bytes) -> Source:
        """The source that these bytes are; raises `UsageError` as `read` does."""
        if len(data) > MAX_BYTES:
            raise UsageError(f"{path}: more than {MAX_BYTES >> 20} MiB", hint="exclude it: this is no source file")
        for mark, encoding in _UTF16.items():
            if data.startswith(mark):
                try:
                    text = data[2:].decode(encoding)
                except UnicodeDecodeError as error:
                    raise UsageError(f"{path}: not valid UTF-16: {error.reason}", hint="convert it to UTF-8") from None
                return cls(path, text.encode("utf-8", "surrogatepass").decode("latin-1"), encoding)
        if b"\0" in data[:8192]:
            raise UsageError(f"{path}: a binary file", hint="give sources only, or exclude it with --exclude")
        if b"\r" in data and b"\n" not in data:
            raise UsageError(f"{path}: its lines end with CR alone", hint="end them with LF or CR LF")
        return cls(path, data.decode("latin-1"))

    def to_bytes(self, text: str | None = None) -> bytes:
        """The file's bytes with `text` (default: its own) as contents."""
        data = (self.text if text is None else text).encode("latin-1")
        if self.encoding == "bytes":
            return data
        mark = next(mark for mark, encoding in _UTF16.items() if encoding == self.encoding)
        return mark + data.decode("utf-8", "surrogatepass").encode(self.encoding)

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset at which each line begins."""
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    @cached_property
    def is_ascii(self) -> bool:
        """A character is a byte, and a column."""
        return self.text.isascii()

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1; columns count characters where the line is UTF-8."""
        line = bisect.bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        # Most files are ASCII; a line may be all of a file, and asked about for each of its tokens.
        before = offset - start if self.is_ascii else len(readable(self.text[start:offset]))
        return line, before + 1

    def line(self, number: int) -> str:
        """A line (from 1) as a person reads it, without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return readable(self.text[start:end].rstrip("\r\n"))


def readable(text: str) -> str:
    """Characters of what `Source.text` has as bytes: UTF-8 where it is that, else one character a byte."""
    if text.isascii():
        return text
    data = text.encode("latin-1")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return text


def keep(path: Path, suffix: str) -> Path:
    """Keep a file's contents under its name and a suffix; earlier ones stay, and the next is numbered (``.orig.2``).

    Returns:
        The file that holds them.

    Raises:
        OSError: it cannot be written.
    """
    for number in itertools.count(1):
        kept = path.with_name(path.name + suffix + (f".{number}" if number > 1 else ""))
        try:
            os.link(path, kept)
        except FileExistsError:
            if kept.is_file() and filecmp.cmp(path, kept, shallow=False):
                return kept
            continue
        except OSError:  # a file system without links
            try:
                with path.open("rb") as old, kept.open("xb") as new:
                    shutil.copyfileobj(old, new)
            except FileExistsError:
                continue
            shutil.copystat(path, kept)
        return kept
    raise AssertionError("there are always more numbers")


def write(path: Path, data: bytes, *, like: Path | None = None, backup: str | None = None) -> None:
    """Replace a file in one step, so that it is whole at any moment.

    Args:
        like: file whose permissions the new one gets (default: `path` itself where it exists).
        backup: suffix under which the old file is kept, see `keep`.

    Raises:
        UsageError: the file or its folder cannot be written.
    """
    model = like or path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve() if path.is_symlink() else path
        if backup and target.exists():
            keep(target, backup)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(stat.S_IMODE(model.stat().st_mode) if model.exists() else 0o644)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written: {error.strerror}", hint="check the folder's permissions"
        ) from None
