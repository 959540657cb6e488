"""Translate the names of CUDA's runtime and driver interfaces to HIP's.

Most names follow a rule (``cudaMemcpy`` becomes ``hipMemcpy``); a rule is only trusted where our HIP headers know
the name it gives. The rest stand in ``names.txt``. What neither covers stays as it is and is reported with its line:
a name is never invented. String literals and comments are not touched, and ``<<<>>>`` is HIP's launch syntax too.
"""

from __future__ import annotations

import bisect
import functools
import re
from dataclasses import dataclass
from pathlib import Path

_INCLUDE = Path(__file__).parent.parent / "compiler" / "include" / "hip"
_TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<include>\#\s*include\s*[<"](?P<header>[^>"\n]+)[>"])"""
    r"""|(?P<name>\b[A-Za-z_]\w*\b)""",
    re.DOTALL | re.VERBOSE,
)
_CUDA_NAME = re.compile(r"cuda[A-Z]\w*|cu[A-Z]\w*|CU_[A-Z]\w*|CUDA_\w+|nvrtc[A-Z]\w*|NVRTC_\w*|__CUDA\w*")
_CUDA_HEADER = re.compile(r"(cu|nv)\w*\.h|\w*(vector_types|launch_parameters|math_constants|cooperative_groups)\.h")
_RULES = (
    ("cudaDevAttr", "hipDeviceAttribute"),
    ("cuda", "hip"),
    ("CUDA_", "HIP_"),
    ("nvrtc", "hiprtc"),
    ("NVRTC_", "HIPRTC_"),
    ("cu", "hip"),
    ("CU_", "HIP_"),
    ("CU", "hip"),
)


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated source.

    Attributes:
        text: the HIP source.
        replaced: how many names and headers were replaced.
        unknown: (line, name) of what has no counterpart here and was left alone.
    """

    text: str
    replaced: int
    unknown: tuple[tuple[int, str], ...]


@functools.cache
def _table() -> dict[str, str]:
    lines = (Path(__file__).parent / "names.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if line.strip() and not line.startswith("#"))
    return {row[0]: row[1] for row in rows}


@functools.cache
def _known() -> frozenset[str]:
    """Every name with HIP in it that our headers use."""
    found: set[str] = set()
    for path in _INCLUDE.rglob("*.h"):
        found.update(re.findall(r"\b(?:hip|HIP|hiprtc|HIPRTC)\w*", path.read_text(encoding="utf-8")))
    return frozenset(found)


def _name(name: str) -> str | None:
    """HIP's name for a CUDA name, or None."""
    if name in _table():
        return _table()[name]
    for old, new in _RULES:
        if name.startswith(old):
            candidate = new + name[len(old) :]
            for each in (candidate, f"{candidate}_t"):
                if each in _known():
                    return each
    return None


def translate(source: str) -> Translation:
    """Translate a CUDA source text."""
    replaced = 0
    unknown: list[tuple[int, str]] = []
    ends = [match.start() for match in re.finditer("\n", source)]

    def line_of(offset: int) -> int:
        return bisect.bisect_left(ends, offset) + 1

    def swap(match: re.Match[str]) -> str:
        nonlocal replaced
        whole = match.group()
        if match["skip"]:
            return whole
        if match["include"]:
            header = match["header"]
            if header in _table():
                replaced += 1
                return f"#include <{_table()[header]}>"
            if _CUDA_HEADER.fullmatch(header):
                unknown.append((line_of(match.start()), header))
            return whole
        if whole not in _table() and not _CUDA_NAME.fullmatch(whole):
            return whole
        new = _name(whole)
        if new is None:
            unknown.append((line_of(match.start()), whole))
            return whole
        replaced += 1
        return new

    text = _TOKEN.sub(swap, source)
    if replaced and "hip/hip_runtime" not in text:
        text = "#include <hip/hip_runtime.h>\n" + text
    return Translation(text, replaced, tuple(unknown))
