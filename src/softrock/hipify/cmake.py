"""CMake files."""

from __future__ import annotations

from softrock.hipify.source import Source
from softrock.hipify.translate import Translation
from softrock.hipify.work import Options


def translate(source: Source, options: Options) -> Translation:
    return Translation(source.text, mode="")
