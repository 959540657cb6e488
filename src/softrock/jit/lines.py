"""From host code addresses back to GPU addresses, by the line table that the translator left in the object file."""

from __future__ import annotations

import io
from bisect import bisect_right


def line_map(data: bytes) -> list[tuple[int, int]]:
    """(offset in the text section, GPU address or 0) pairs, sorted; empty where the object has no line table.

    LLVM marks the code at the start of a block that belongs to no GPU instruction with line 0.
    """
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(data))
    if not elf.has_dwarf_info():
        return []
    out: list[tuple[int, int]] = []
    info = elf.get_dwarf_info()
    for unit in info.iter_CUs():
        program = info.line_program_for_CU(unit)
        if program is None:
            continue
        for entry in program.get_entries():
            state = entry.state
            if state is not None and not state.end_sequence:
                out.append((state.address, state.line << 2))
    out.sort()
    return out


def find(lines: list[tuple[int, int]], offset: int) -> int | None:
    """The GPU address of the row that covers `offset`: where that has none, of the next that has one (the end of the
    same block), or the last before."""
    at = bisect_right(lines, (offset, 1 << 62)) - 1
    if at >= 0 and lines[at][1]:
        return lines[at][1]
    around = [*lines[at + 1 :], *reversed(lines[: max(at, 0)])]
    return next((address for _, address in around if address), None)
