"""Versions that tools report."""

from __future__ import annotations

import functools
from pathlib import Path

_HEADER = Path(__file__).parent / "include" / "hip" / "hip_version.h"
_DEFAULT = {"HIP_VERSION_MAJOR": 7, "HIP_VERSION_MINOR": 0, "HIP_VERSION_PATCH": 0}


@functools.cache
def hip_version() -> tuple[int, int, int]:
    """Version of the HIP interface that our headers declare (major, minor, patch)."""
    found = dict(_DEFAULT)
    for line in _HEADER.read_text().splitlines() if _HEADER.is_file() else ():
        words = line.split()
        if len(words) == 3 and words[0] == "#define" and words[1] in found and words[2].isdigit():
            found[words[1]] = int(words[2])
    major, minor, patch = found.values()
    return major, minor, patch


def version_text() -> str:
    """The HIP version with dots, e.g. ``7.0.0``."""
    return ".".join(map(str, hip_version()))
