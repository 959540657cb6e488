"""Object files → callable code in this process."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

_names = itertools.count()


@functools.cache
def _engine() -> Any:
    from llvmlite import binding

    from softrock.jit.host import target_machine

    return binding.create_lljit_compiler(target_machine(2), use_jit_link=True, suppress_errors=False)


class Loaded:
    """Code in memory; it stays there for as long as this object lives."""

    def __init__(self, data: bytes, symbols: Iterable[str], helpers: Mapping[str, int]) -> None:
        from llvmlite import binding

        builder = binding.JITLibraryBuilder().add_object_img(data)
        for name, address in helpers.items():
            builder = builder.import_symbol(name, address)
        wanted = list(symbols)
        for name in wanted:
            builder = builder.export_symbol(name)
        builder = builder.add_current_process()
        self._tracker = builder.link(_engine(), f"softrock{next(_names)}")
        self.address: dict[str, int] = {name: self._tracker[name] for name in wanted}

    def code_range(self, data: bytes, entry: str) -> tuple[int, int]:
        """Host addresses [low, high) of the object's text section."""
        from softrock.jit.elf import text_layout

        offset, size = text_layout(data, entry)
        low = self.address[entry] - offset
        return low, low + size
