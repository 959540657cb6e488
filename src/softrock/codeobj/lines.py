"""Source lines of code addresses, from the DWARF line table that ``-g`` leaves in a code object."""

from __future__ import annotations

import io
from bisect import bisect_right

_Row = tuple[int, str, int, int, bool]


class Lines:
    """The line table of one code object; reading it costs time: only where an address must be explained."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._rows = _read(data)
        self._addresses = [row[0] for row in self._rows]

    def __bool__(self) -> bool:
        return bool(self._rows)

    def source_of(self, address: int) -> tuple[str, int, int] | None:
        """(file, line, column) of the statement that holds a code address; None where unknown."""
        at = bisect_right(self._addresses, address) - 1
        if at < 0:
            return None
        _, file, line, column, ends = self._rows[at]
        return None if ends or not line else (file, line, column)


def _read(data: bytes) -> list[_Row]:
    """All rows, sorted. Debug information is a help, not a need: whatever is corrupt in it is left out."""
    from elftools.elf.elffile import ELFFile

    rows: list[_Row] = []
    try:
        file = ELFFile(io.BytesIO(data))
        if not file.has_dwarf_info():
            return []
        info = file.get_dwarf_info(relocate_dwarf_sections=False)
        for unit in info.iter_CUs():
            rows += _unit_rows(info.line_program_for_CU(unit), unit)
    except Exception:  # pyelftools raises many kinds on corrupt input, KeyError and struct errors among them
        return []
    rows.sort(key=lambda row: (row[0], not row[4]))
    return rows


def _unit_rows(program: object, unit: object) -> list[_Row]:
    if program is None:
        return []
    names = _FileNames(program, unit)
    rows: list[_Row] = []
    for entry in program.get_entries():  # type: ignore[attr-defined]
        state = entry.state
        if state is not None:
            rows.append((state.address, names[state.file], state.line, state.column, state.end_sequence))
    return rows


class _FileNames:
    """Paths of a line program's files by number, whatever the DWARF version."""

    def __init__(self, program: object, unit: object) -> None:
        self._header = program.header  # type: ignore[attr-defined]
        top = unit.get_top_DIE().attributes  # type: ignore[attr-defined]
        folder = top.get("DW_AT_comp_dir")
        self._root = folder.value.decode("utf-8", "replace") if folder else ""
        self._known: dict[int, str] = {}

    def __getitem__(self, number: int) -> str:
        if number not in self._known:
            self._known[number] = self._path(number)
        return self._known[number]

    def _path(self, number: int) -> str:
        modern = self._header["version"] >= 5
        files, folders = self._header["file_entry"], self._header["include_directory"]
        at = number if modern else number - 1
        if not 0 <= at < len(files):
            return "?"
        name = files[at].name.decode("utf-8", "replace")
        folder = files[at].dir_index
        path = ""
        if modern and folder < len(folders) and folder:
            path = folders[folder].decode("utf-8", "replace")
        elif not modern and 0 < folder <= len(folders):
            path = folders[folder - 1].decode("utf-8", "replace")
        parts = [part for part in (self._root, path, name) if part]
        while len(parts) > 1 and any(part.startswith("/") for part in parts[1:]):
            parts.pop(0)
        return "/".join(parts)
