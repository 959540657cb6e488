"""Reads the vectors in data/."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import zstandard

from softrock import isa

DATA = Path(__file__).parent / "data"
NAMES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1100-w64", "gfx1201-w64")


@cache
def vectors(name: str) -> list[tuple[bytes, str]]:
    """Bytes and text of every vector of a target."""
    text = zstandard.ZstdDecompressor().decompress((DATA / f"vectors-{name}.tsv.zst").read_bytes()).decode()
    lines = (line.split("\t") for line in text.splitlines())
    return [(bytes.fromhex(data), words) for data, words in lines]


def target_of(name: str) -> isa.Target:
    """The target of a vector file, with its wave size."""
    gfx, _, wide = name.partition("-")
    return isa.target(gfx).with_wave_size(64) if wide else isa.target(gfx)
