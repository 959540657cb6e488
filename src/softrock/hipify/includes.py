"""What a file includes: which headers go into its precompiled prefix, which are its own, which are missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_SCAN = re.compile(
    r"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"""|^(?:\xef\xbb\xbf)?[ \t]*\#[ \t]*(?P<word>include|include_next|define|if|ifdef|ifndef|endif)\b"""
    r"""[ \t]*(?P<rest>(?:\\\r?\n|[^\n])*)""",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"""<([^>\n]+)>|"([^"\n]+)\"""")
_DEFINE = re.compile(r"[A-Za-z_]\w*(?:[ \t]+[\w.+\-\"() ]*)?$")
_GUARD = re.compile(
    r"^[ \t]*#[ \t]*(?:pragma[ \t]+once\b"
    r"|(?:ifndef[ \t]+|if[ \t]+!defined[ \t(]+)(\w+)[^\n]*\s+#[ \t]*define[ \t]+\1\b)",
    re.MULTILINE,
)
_MAX_FILES = 2000
_MAX_BYTES = 64 << 20


@dataclass(slots=True)
class Includes:
    """What was found.

    Attributes:
        prefix: lines of the precompiled header: angle includes that exist, in order, after the file's first defines.
        own: the user's own headers that the file reaches through quoted includes, absolute.
        missing: (file, byte offset of the name, name) of includes that exist nowhere.
    """

    prefix: list[str] = field(default_factory=list)
    own: list[Path] = field(default_factory=list)
    missing: list[tuple[Path, int, str]] = field(default_factory=list)


def scan(path: Path, text: str, folders: Sequence[Path], quoted: Sequence[Path]) -> Includes:
    """Follow a file's includes.

    Args:
        path: the file, absolute.
        text: its contents, a character a byte.
        folders: where headers are looked for, in order.
        quoted: those of `folders` that are the user's (a quoted include found there is the user's own header).
    """
    found = Includes()
    names: dict[str, None] = {}
    defines: list[str] = []
    depth = 0  # of conditions in the file
    seen = {path}
    total = 0
    # Depth first in the order in which the preprocessor comes across them: (file, text, position in the text).
    stack = [(path, _SCAN.finditer(text))]
    while stack:
        here, matches = stack[-1]
        match = next(matches, None)
        if match is None:
            stack.pop()
            continue
        word, rest = match["word"], match["rest"]
        if word in ("if", "ifdef", "ifndef", "endif"):
            depth += (-1 if word == "endif" else 1) if here == path else 0
            continue
        if word == "define":
            simple = rest.split("//")[0].split("/*")[0].strip()
            if here == path and depth == 0 and not names and _DEFINE.match(simple):
                defines.append(f"#define {simple}")
            continue
        if word is None:
            continue
        name = _NAME.match(rest)
        if name is None:
            continue
        if name[2] is not None:
            own = find(name[2], [here.parent, *quoted])
            if own is not None:
                own = own.resolve()
                if own in seen or len(seen) >= _MAX_FILES or total >= _MAX_BYTES:
                    continue
                seen.add(own)
                found.own.append(own)
                try:
                    inner = own.read_bytes().decode("latin-1")
                except OSError:
                    continue
                total += len(inner)
                stack.append((own, _SCAN.finditer(inner)))
                continue
        header = name[1] or name[2]
        file = find(header, folders)
        if file is not None:
            theirs = not any(file.is_relative_to(each) for each in quoted)
            if theirs or (_guarded(file) and not _reaches(file, path, folders)):
                names[header] = None
        else:
            offset = match.end() - len(rest) + name.start() + 1
            found.missing.append((here, offset, header))
    found.prefix = [*dict.fromkeys(defines), *(f"#include <{name}>" for name in names)]
    return found


_USUAL = ("", "include", "inc", "common", "Common", "src", "utils")
_UP = 6
_CUDA_OWN = ("cuda.h", "cuda_runtime.h", "cublas_v2.h", "nccl.h")
"""A folder with such files would hide the headers of these names, if it was looked through for others."""


def guess(path: Path, name: str) -> Path | None:
    """A folder of the project that a header might be meant to be found in, None where there is none.

    For files whose flags are not known: looked through are the folders above the file, up to the repository's top, and
    those in them that usually hold headers.
    """
    if name.startswith("/") or ".." in name.split("/"):
        return None
    for above in list(path.parents)[:_UP]:
        for usual in _USUAL:
            file = find(name, [above / usual])
            if file is None or file.resolve() == path.resolve():
                continue  # <musa.h> in a file musa.h is not that file
            if not any((above / usual / each).is_file() for each in _CUDA_OWN):
                return above / usual
        if (above / ".git").exists():
            break
    return None


def _guarded(path: Path) -> bool:
    """Whether a header can be read twice: what has no guard would be declared once more behind the prefix."""
    try:
        text = path.read_bytes()[:_MAX_BYTES].decode("latin-1")
    except OSError:
        return False
    return _GUARD.search(text) is not None


def _reaches(start: Path, goal: Path, folders: Sequence[Path]) -> bool:
    """Whether a header includes a file, by whatever way; conditions are not looked at."""
    seen = {start}
    stack = [start]
    while stack and len(seen) < _MAX_FILES:
        here = stack.pop()
        if here.resolve() == goal:
            return True
        try:
            text = here.read_bytes()[:_MAX_BYTES].decode("latin-1")
        except OSError:
            continue
        for match in _SCAN.finditer(text):
            name = _NAME.match(match["rest"]) if (match["word"] or "").startswith("include") else None
            if name is None:
                continue
            file = find(name[1] or name[2], [here.parent, *folders] if name[2] else folders)
            if file is not None and file not in seen:
                seen.add(file)
                stack.append(file)
    return False


def find(name: str, folders: Sequence[Path]) -> Path | None:
    """The file that a header's name means."""
    if "\0" in name or len(name) > 1000:
        return None
    for folder in folders:
        candidate = folder / name
        try:
            if candidate.is_file():
                return candidate
        except OSError:
            continue
    return None
