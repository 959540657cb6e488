"""Runs clang's front end on a user's file: which flags, precompiled headers, limits.

What a file includes in angle brackets (and what it includes in quotes but does not own) goes into a precompiled header.
Declarations from there are loaded only where they are referred to, so that a dump of the tree holds the user's own
code, and files with the same includes share the cost of reading them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softrock.compiler import driver, flags, toolchain
from softrock.compiler.plan import CC1
from softrock.core import cache
from softrock.core.errors import SoftrockError, UsageError
from softrock.hipify import declarations

TIME_LIMIT = 60.0
"""Seconds that clang may take for one file."""
MEMORY_LIMIT = 6 << 30
"""Bytes of address space that clang may take."""
OUTPUT_LIMIT = 768 << 20
"""Bytes of JSON that clang may write."""
KEPT = 64
"""Precompiled headers that are kept."""

TARGET = "gfx942"
_KIND = "hipify-pch"
_DROPPED_NEXT = frozenset(["-o", "-main-file-name", "-x", "-mllvm", "-ferror-limit", "-fcuda-include-gpubinary"])
_DROPPED = (
    "-emit-obj",
    "-Werror=",
    "-cuid=",
    "-O",
    "-vectorize-",
    "-disable-free",
    "-clear-ast",
    "-fdebug-comp",
    "-fcoverage-comp",
)


class ParseError(SoftrockError):
    """clang gives no tree for a file at all: out of time, out of memory, or no such file."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a file is compiled.

    Attributes:
        language: clang's name: "hip" or "c".
        cuda: as hipcc compiles a .cu file.
        device: the pass that compiles GPU code (False: the host's).
        words: the user's -I, -D, -U, -std, -include and -isystem flags, each word one argument.
        cwd: folder that relative paths in `words` are seen from.
    """

    language: str = "hip"
    cuda: bool = True
    device: bool = True
    words: tuple[str, ...] = ()
    cwd: Path = field(default_factory=Path.cwd)

    def folders(self) -> list[Path]:
        """Folders that an ``#include`` is looked for in, in order."""
        words = base_flags(self.language, self.cuda, self.device)
        found = [self.cwd / word for word in _values(self.words, ("-I", "-iquote", "-isystem"))]
        return found + [Path(word) for word in _values(words, ("-internal-isystem", "-internal-externc-isystem"))]


def _values(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Values of flags that are written ``-I VALUE`` or ``-IVALUE``."""
    found: list[str] = []
    at = 0
    while at < len(words):
        for name in names:
            if words[at] == name and at + 1 < len(words):
                at += 1
                found.append(words[at])
                break
            if words[at].startswith(name) and words[at] != name and len(name) == 2:
                found.append(words[at][2:])
                break
        at += 1
    return found


_WITH_VALUE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter")


def user_words(words: Sequence[str]) -> tuple[str, ...]:
    """Of a command line, the flags that change what a file means; all others are left out."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-x", "-Xcompiler", "-Xcudafe", "-o", "-gencode", "-arch"):
            at += 1
        elif word in ("-std", "--std") and at < len(words):
            kept.append(f"-std={words[at]}")
            at += 1
        elif word.startswith(("-std=", "--std=")):
            kept.append(f"-{word.lstrip('-')}")
        elif word in _WITH_VALUE:
            if at < len(words):
                kept += [word, words[at]]
                at += 1
        elif word.startswith(("-I", "-D", "-U", "-isystem", "-iquote")):
            name = next(each for each in ("-isystem", "-iquote", "-I", "-D", "-U") if word.startswith(each))
            kept += [name, word[len(name) :].removeprefix("=")]
    return tuple(kept)


@functools.lru_cache(maxsize=32)
def base_flags(language: str, cuda: bool, device: bool, std: str = "") -> tuple[str, ...]:
    """Arguments of ``clang -cc1`` that hipcc's compilations have, without those about output and optimisation.

    Raises:
        CompileError: clang does not know the language standard.
    """
    suffix = {"c": ".c"}.get(language, ".cu" if cuda else ".hip")
    with driver.temporary_folder() as folder:
        source = folder / f"x{suffix}"
        source.touch()
        words = ["-c", f"--offload-arch={TARGET}", *([std] if std else []), str(source)]
        work = driver.Compilation(flags.parse(words), "softrock", folder, library=lambda target, wave64: ())
        work.add_all()
    job = next(each for each in work.jobs if each.kind == CC1 and (each.device == device or language == "c"))
    kept: list[str] = []
    arguments = iter(job.args[:-1])
    for word in arguments:
        if word in _DROPPED_NEXT:
            next(arguments, None)
        elif not word.startswith(_DROPPED):
            kept.append(word)
            if kept[-1] == str(driver.INCLUDE):  # before what may be installed
                for place in (declarations.INCLUDE, declarations.folder()):
                    kept += ["-internal-isystem", str(place)]
    return (*kept, "-x", language, "-ferror-limit", "0", "-w", "-fno-caret-diagnostics")


def arguments(setting: Setting) -> tuple[list[str], list[str]]:
    """(flags for everything, implicit ``-include`` flags, which a precompiled header has in it already)."""
    std = next((each for each in reversed(setting.words) if each.startswith("-std=")), "")
    if setting.language == "c" and "++" in std:
        std = ""
    both: list[str] = []
    includes: list[str] = []
    words = base_flags(setting.language, setting.cuda, setting.device, std.replace("-std=gnu++0x", "-std=gnu++11"))
    rest = iter([*words, *(each for each in setting.words if not each.startswith("-std="))])
    for word in rest:
        if word == "-include":
            includes += [word, next(rest, "")]
        else:
            both.append(word)
    return both, includes


@dataclass(slots=True)
class Done:
    """What clang wrote: its messages and its standard output."""

    messages: str
    output: bytes
    status: int


def run(words: Sequence[str], setting: Setting, what: str, limit: float = TIME_LIMIT) -> Done:
    """Run clang under limits of time, memory and output.

    Args:
        what: names the file in messages.

    Raises:
        ParseError: a limit was reached.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [str(toolchain.zig()), "clang", *words],
            env=toolchain.environment(),
            cwd=setting.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=messages,
        )
        with contextlib.suppress(OSError):  # it has ended already
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            raise ParseError(
                f"{what}: clang was not done after {limit:g} seconds",
                hint="the file is handled token by token; exclude it, or split it",
            ) from None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        messages.seek(0)
        text = messages.read(4 << 20).decode("utf-8", "replace")
        if output.seek(0, os.SEEK_END) >= OUTPUT_LIMIT:
            raise ParseError(
                f"{what}: its syntax tree is larger than {OUTPUT_LIMIT >> 20} MiB",
                hint="the file is handled token by token; exclude it, or split it",
            )
        output.seek(0)
        return Done(text, output.read(), status)


# --- precompiled headers ----------------------------------------------------------------------------------------------

_CULPRIT = re.compile(r"In file included from [^\n]*prefix\.h:(\d+):")
_MISSING = re.compile(r"[^\n]*prefix\.h:(\d+):\d+: (?:fatal )?error:")


@dataclass(frozen=True, slots=True)
class Prefix:
    """A precompiled header.

    Attributes:
        path: of the .pch file.
        dropped: lines that could not be part of it because they do not compile.
    """

    path: Path
    dropped: tuple[str, ...] = ()


def prefix(lines: Sequence[str], setting: Setting, what: str, fresh: bool = False) -> Prefix:
    """The precompiled header of these lines, from the cache where it is there.

    Lines that do not compile are left out, one after the other.

    Args:
        lines: ``#include`` and ``#define`` lines.
        fresh: make it anew (what it was made from has changed).

    Raises:
        ParseError: not even an empty one compiles.
    """
    both, includes = arguments(setting)
    dropped: list[str] = []
    left = list(lines)
    while True:
        text = "".join(f"{line}\n" for line in left)
        key = cache.key_of(toolchain.zig_version(), toolchain.own_version(), str(setting.cwd), *both, *includes, text)
        made = _make(key, text, [*both, *includes], setting, what, fresh)
        if isinstance(made, Path):
            return Prefix(made, tuple(dropped))
        culprit = _CULPRIT.search(made) or _MISSING.search(made)
        line = int(culprit[1]) if culprit else len(left)
        if not left:
            raise ParseError(f"{what}: the headers that every file has do not compile: {made.strip()[:500]}")
        dropped.append(left.pop(min(line, len(left)) - 1))


def _make(key: str, text: str, words: Sequence[str], setting: Setting, what: str, fresh: bool) -> Path | str:
    """Path of a precompiled header, or clang's messages where it does not compile."""
    folder = cache.folder(_KIND) / key[:32]
    path, failed = folder / "prefix.pch", folder / "failed"
    for known in (path, failed) if not fresh else ():
        with contextlib.suppress(OSError):
            if time.time() - known.stat().st_mtime > 600:
                os.utime(folder)
            return known if known is path else failed.read_text(encoding="utf-8")
    with cache.building(_KIND, key[:32], TIME_LIMIT):
        if path.is_file() and not fresh:
            return path
        folder.mkdir(exist_ok=True, mode=0o700)
        header = folder / "prefix.h"
        _place(header, text.encode("utf-8", "surrogateescape"))
        with tempfile.TemporaryDirectory(dir=folder) as place:
            new = Path(place) / "new.pch"
            done = run(["-cc1", *words[1:], "-emit-pch", "-o", str(new), str(header)], setting, f"headers of {what}")
            if done.status or not new.is_file():
                _place(failed, done.messages[:4000].encode())
                return done.messages or f"clang ended with {done.status}"
            new.replace(path)
            failed.unlink(missing_ok=True)
    _prune()
    return path


def _place(path: Path, data: bytes) -> None:
    """Write a file in one step, with a date that depends on nothing: clang compares it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.utime(name, (1e9, 1e9))
    Path(name).replace(path)


def _prune() -> None:
    """Remove the precompiled headers that were not used for longest."""
    import shutil

    folder = cache.folder(_KIND)
    known: list[tuple[float, Path]] = []
    for each in folder.iterdir():
        with contextlib.suppress(OSError):
            known.append((each.stat().st_mtime, each))
    for _, each in sorted(known, reverse=True)[KEPT:]:
        shutil.rmtree(each, ignore_errors=True)


def checked_flags(words: Sequence[str]) -> tuple[str, ...]:
    """`user_words`; a -std that clang does not know is a usage error.

    Raises:
        UsageError: it does not.
    """
    kept = user_words(words)
    for each in kept:
        if each.startswith("-std=") and not re.fullmatch(r"-std=[a-z+0-9:]+", each):
            raise UsageError(f"{each}: not the name of a language standard")
    return kept
