"""Instruction tables: one row an instruction, read from ``data/<gfx>.txt``; field places from ``data/formats.txt``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from softrock.core.errors import UsageError

DATA = Path(__file__).parent / "data"


class Piece(NamedTuple):
    """Some bits of a field: `width` bits from bit `low` of the instruction word."""

    low: int
    width: int


class Field(NamedTuple):
    """Where a field stands and how to read it (classes: see data/formats.txt)."""

    kind: str
    pieces: tuple[Piece, ...]


Layout = dict[str, Field]
"""Fields of an encoding by name."""


class OperandSpec(NamedTuple):
    """One operand of a row.

    Attributes:
        role: name of the operand, and of its field.
        dwords: width in registers; 0 for a lane mask (as wide as the wave needs).
        written: it is a destination.
        half: a 16-bit half register.
        fixed: ``vcc``, ``exec`` or ``m0`` where the encoding implies the register, ``acc`` for a register that is
            always an AGPR, ``imm`` for a field that holds a number, ``@name`` for an operand that stands in another
            operand's field, else empty.
    """

    role: str
    dwords: int
    written: bool
    half: bool
    fixed: str


class Row:
    """One instruction in one encoding. Operands are parsed when first asked for.

    Attributes:
        encoding: name of the layout.
        asm: name as the assembler prints it, with its encoding suffix.
        op: canonical operation name.
        mask, match: an instruction word W (little-endian) is this row when ``W & mask == match``.
        size: bytes without a trailing literal.
    """

    __slots__ = ("_mods", "_operands", "asm", "encoding", "mask", "match", "op", "size")

    def __init__(self, line: str) -> None:
        head, operands, self._mods = line.split(" | ")
        self._operands = operands.rstrip()
        self.encoding, self.asm, self.op, mask, match = head.split()
        self.size = len(mask) // 2
        self.mask = int(mask, 16)
        self.match = int(match, 16)

    @property
    def operands(self) -> list[OperandSpec]:
        """Operands in the assembler's order."""
        return [_operand(text) for text in self._operands.split()] if self._operands != "-" else []

    @property
    def mods(self) -> list[str]:
        """Names of the modifiers this instruction has."""
        return self._mods.split() if self._mods != "-" else []

    def names_role(self, role: str) -> bool:
        """Whether an operand of this role is listed; cheaper than parsing the operands."""
        return f"{role}:" in self._operands

    @property
    def hides_destination(self) -> bool:
        """Whether the destination is EXEC, which the assembler does not write out."""
        return "sdst:m=exec" in self._operands

    @property
    def mnemonic(self) -> str:
        """Name without the encoding suffix."""
        name = self.asm.removesuffix("_dpp").removesuffix("_sdwa")
        return name.removesuffix("_e32").removesuffix("_e64")


def _operand(text: str) -> OperandSpec:
    written = text.startswith(">")
    role, _, size = text.lstrip(">").partition(":")
    size, _, fixed = size.partition("=")
    dwords = 0 if size == "m" else 1 if size == "h" else int(size)
    return OperandSpec(role, dwords, written, size == "h", fixed)


class Table:
    """All instructions of one target.

    Attributes:
        name: the target.
        rows: every instruction, halves of VOPD left out.
        dual_x, dual_y: halves of VOPD by opcode.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[Row] = []
        self.dual_x: dict[int, Row] = {}
        self.dual_y: dict[int, Row] = {}
        for line in _lines(f"{name}.txt"):
            row = Row(line)
            if row.encoding == "VOPDX":
                self.dual_x[row.match >> 22] = row
            elif row.encoding == "VOPDY":
                self.dual_y[row.match >> 17] = row
            else:
                self.rows.append(row)


def _lines(file: str) -> list[str]:
    text = (DATA / file).read_text()
    return [line for line in text.splitlines() if line and line[0] != "#"]


@cache
def table(name: str) -> Table:
    """The instruction table of a target.

    Raises:
        UsageError: there is no table for it.
    """
    try:
        return Table(name)
    except FileNotFoundError:
        raise UsageError(f"no instruction table for {name!r}") from None


@cache
def layouts(major: int) -> dict[str, Layout]:
    """Layouts of all encodings of a generation (9, 11 or 12)."""
    found: dict[str, Layout] = {}
    for line in _lines("formats.txt"):
        encoding, generations, *fields = line.split()
        if str(major) in generations.split(","):
            found[encoding] = dict(map(_field, fields))
    return found


def _field(text: str) -> tuple[str, Field]:
    name, _, rest = text.partition("=")
    kind, _, places = rest.partition("@")
    pieces = (place.split("+") for place in places.split(","))
    return name, Field(kind, tuple(Piece(int(low), int(width)) for low, width in pieces))


@cache
def number_names(kind: str, name: str) -> dict[int, str]:
    """Assembler names of numbers on a target: kinds hwreg, message, format, data_format, number_format."""
    for line in _lines("names.txt"):
        found, targets, *pairs = line.split()
        if found == kind and name in targets.split(","):
            return {int(number): label for number, _, label in (pair.partition("=") for pair in pairs)}
    return {}
