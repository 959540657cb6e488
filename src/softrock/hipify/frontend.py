"""Runs clang's front end on a user's file: which flags, precompiled headers, limits.

What a file includes in angle brackets (and what it includes in quotes but does not own) goes into a precompiled header.
Declarations from there are loaded only where they are referred to, so that a dump of the tree holds the user's own
code, and files with the same includes share the cost of reading them.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import resource
import shutil
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

    def user_folders(self) -> list[Path]:
        """Folders of the user that an ``#include`` is looked for in."""
        return [self.cwd / word for word in _values(self.words, _FOLDER_FLAGS)]

    def folders(self) -> list[Path]:
        """All folders that an ``#include`` is looked for in, in order."""
        words = arguments(self)[0]
        system = _values(words, ("-internal-isystem", "-internal-externc-isystem"))
        return [*self.user_folders(), *(Path(word) for word in system)]


def _values(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Values of flags that are written ``-I VALUE``."""
    return [value for word, value in itertools.pairwise(words) if word in names]


_FOLDER_FLAGS = ("-I", "-isystem", "-iquote", "-idirafter")
_IGNORED_NEXT = ("-x", "-Xcompiler", "-Xcudafe", "-o", "-gencode", "-arch", "-include-pch")
_QUIET = ("-w", "-Wno-register", "-Wno-c++11-narrowing", "-fno-caret-diagnostics")
"""nvcc compiles what clang takes for an error by default under these names."""
_WITH_VALUE = (*_FOLDER_FLAGS, "-include", "-D", "-U")


def user_words(words: Sequence[str]) -> tuple[str, ...]:
    """Of a command line, the flags that change what a file means; all others are left out."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _IGNORED_NEXT:
            at += 1
        elif word in ("-std", "--std") and at < len(words):
            kept.append(f"-std={words[at]}")
            at += 1
        elif word.startswith(("-std=", "--std=")):
            kept.append(f"-{word.lstrip('-')}")
        else:
            name = next((each for each in _WITH_VALUE if word.startswith(each)), None)
            if name is not None and word != name:
                kept += [name, word[len(name) :].removeprefix("=")]
            elif name is not None and at < len(words):
                kept += [name, words[at]]
                at += 1
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
    return (*kept, "-x", language, "-ferror-limit", "0", *_QUIET)


_OLD = re.compile(r"-std=(?:c|gnu)\+\+(?:98|03|0x|11|1y|14)")
"""Standards of C++ that our declarations of libraries do not compile under; C++17 takes nearly all that they do."""


def arguments(setting: Setting) -> tuple[list[str], list[str]]:
    """(flags for everything, implicit ``-include`` flags, which a precompiled header has in it already).

    Raises:
        CompileError: clang does not know the language standard.
    """
    std = next((each for each in reversed(setting.words) if each.startswith("-std=")), "")
    if _OLD.fullmatch(std) or ("++" in std) == (setting.language == "c"):
        std = ""
    both: list[str] = []
    includes: list[str] = []
    words = base_flags(setting.language, setting.cuda, setting.device, std)
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


def run(words: Sequence[str], setting: Setting, what: str) -> Done:
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
            status = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            raise ParseError(
                f"{what}: clang was not done after {TIME_LIMIT:g} seconds",
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

_CULPRIT = re.compile(r"In file included from [^\n]*prefix\.h:(\d+):|[^\n]*prefix\.h:(\d+):\d+: ")
_NOT_FOUND = re.compile(r"error: '([^'\n]+)' file not found")
_STUBS = "hipify-missing"
_MOST_STUBS = 60


@dataclass(frozen=True, slots=True)
class Prefix:
    """A precompiled header.

    Attributes:
        path: of the .pch file.
        stubs: folder with empty files in place of headers that are nowhere.
        messages: clang's errors in it.
        absent: headers that are nowhere: those of `stubs`.
        dropped: lines that could not be part of it because clang fails over them.
    """

    path: Path
    stubs: Path
    messages: str = ""
    dropped: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def prefix(
    lines: Sequence[str], setting: Setting, what: str, *, fresh: bool = False
) -> Prefix:
    """The precompiled header of these lines, from the cache where it is there; errors in it do no harm.

    Args:
        lines: ``#include`` and ``#define`` lines.
        what: names the file in messages.
        fresh: make it anew (what it was made from has changed).

    Raises:
        ParseError: not even an empty one compiles.
    """
    both, includes = arguments(setting)
    dropped: list[str] = []
    left = list(lines)
    absent: list[str] = []  # what headers of `lines` ask for in vain
    while True:
        place = stubs(absent)
        text = "".join(f"{line}\n" for line in left)
        words = [*both, *includes, "-internal-isystem", str(place)]
        key = cache.key_of(toolchain.zig_version(), toolchain.own_version(), str(setting.cwd), *words, text)[:32]
        messages = _make(key, text, words, setting, what, fresh)
        unknown = [each for each in _NOT_FOUND.findall(messages) if each not in absent]
        path = cache.folder(_KIND) / key / _FILE
        if unknown and len(absent) < _MOST_STUBS:
            absent += unknown
        elif path.is_file():
            return Prefix(path, place, messages, tuple(dropped), tuple(absent))
        elif not left:
            reason = next(iter(messages.strip().splitlines()), "clang says nothing")
            raise ParseError(f"{what}: the headers that every file has do not compile: {reason[:300]}")
        else:
            culprit = _CULPRIT.search(messages)
            line = int(culprit[1] or culprit[2]) if culprit else len(left)
            dropped.append(left.pop(min(line, len(left)) - 1))


_FILE = "prefix.pch"


def _make(key: str, text: str, words: Sequence[str], setting: Setting, what: str, fresh: bool) -> str:
    """Make a precompiled header where it is not there yet; returns clang's errors."""
    folder = cache.folder(_KIND) / key
    path, kept = folder / _FILE, folder / "messages"
    with contextlib.suppress(OSError):
        if not fresh:
            known = kept.read_text(encoding="utf-8")
            if time.time() - folder.stat().st_mtime > _USED_AGAIN:
                os.utime(folder)
            return known
    with cache.building(_KIND, key, TIME_LIMIT):
        with contextlib.suppress(OSError):
            if not fresh:
                return kept.read_text(encoding="utf-8")
        folder.mkdir(exist_ok=True, mode=0o700)
        header = folder / "prefix.h"
        _place(header, text.encode("utf-8", "surrogateescape"))
        with tempfile.TemporaryDirectory(dir=folder) as place:
            new = Path(place) / "new.pch"
            options = ["-fallow-pch-with-compiler-errors", "-emit-pch", "-o", str(new), str(header)]
            done = run([*words, *options], setting, f"headers of {what}")
            messages = done.messages[:_MOST_TEXT]
            if new.is_file():  # a failure is not kept: it may be one of this run alone
                new.replace(path)
                _place(kept, messages.encode("utf-8", "replace"))
    _prune(cache.folder(_KIND), KEPT)
    return messages


_USED_AGAIN = 600.0
"""Seconds after which another use of a precompiled header is noted."""
_MOST_TEXT = 64 << 10
_LEVELS = "/".join("abcdefgh")


def stubs(names: Sequence[str]) -> Path:
    """A folder with files for headers that are nowhere: clang stops at one that it does not find, and goes on behind
    the error that these consist of.

    It is some levels deep, so that names that begin with ``..`` have a place too.
    """
    wanted = sorted({each for each in names if not each.startswith("/") and "\0" not in each})
    place = cache.folder(_STUBS) / cache.key_of("error", *wanted)[:32]
    folder = place / _LEVELS
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in wanted:
            target = Path(os.path.normpath(folder / name))
            with contextlib.suppress(OSError):  # a name that no file can have, or that is a folder in another's
                if target.is_relative_to(place):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(f"#error '{name}' file not found\n", encoding="utf-8", errors="surrogateescape")
        _prune(cache.folder(_STUBS), 8 * KEPT)
    return folder


def _place(path: Path, data: bytes) -> None:
    """Write a file in one step, with a date that depends on nothing: clang compares it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.utime(name, (1e9, 1e9))
    Path(name).replace(path)


def _prune(folder: Path, limit: int) -> None:
    """Remove what was not used for longest of a folder's entries beyond a number."""
    known: list[tuple[float, Path]] = []
    for each in folder.iterdir():
        with contextlib.suppress(OSError):
            known.append((each.stat().st_mtime, each))
    for _, each in sorted(known, reverse=True)[limit:]:
        shutil.rmtree(each, ignore_errors=True)


_VENDOR = ("cuda_runtime.h", "hip/hip_runtime.h", "cuda_runtime_api.h")


def checked_flags(words: Sequence[str], cwd: Path) -> tuple[str, ...]:
    """`user_words` without folders of a CUDA or ROCm that is installed: our headers stand for theirs.

    Raises:
        UsageError: a -std that is no name of a standard.
    """
    found = user_words(words)
    kept: list[str] = []
    at = 0
    while at < len(found):
        word, size = found[at], 2 if found[at] in _WITH_VALUE else 1
        if word.startswith("-std=") and not re.fullmatch(r"-std=[a-z+0-9:]+", word):
            raise UsageError(f"{word}: not the name of a language standard")
        folder = cwd / found[at + 1] if word in _FOLDER_FLAGS else None
        if folder is None or not any((folder / each).is_file() for each in _VENDOR):
            kept += found[at : at + size]
        at += size
    return tuple(kept)
