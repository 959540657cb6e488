"""A hash of the translator's own sources: cached code never outlives a change of the translator."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

_PACKAGES = ("isa", "decode", "lift", "jit")


@functools.cache
def source_hash() -> str:
    """SHA-256 over names, sizes and modification times of the translator's files (a stat each, no reading)."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in (".py", ".txt"):
                info = path.stat()
                digest.update(f"{path.relative_to(root)} {info.st_size} {info.st_mtime_ns}\n".encode())
    return digest.hexdigest()
