"""Rows compiled for decoding: which bits make an operand, which make a modifier.

Reading an operand is a dictionary look-up by the bits it depends on; only the first sight of a bit pattern builds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from softrock.decode.fields import bits, extract, flag
from softrock.decode.instruction import Kind, Operand
from softrock.decode.operands import IMPLIED, NO_LITERAL, SDWA_SELECT, BadOperand, fixed, scalar
from softrock.decode.variants import WHOLE_IMMEDIATE, layout_name, specialise
from softrock.isa import Layout, OperandSpec, Row, Target
from softrock.isa.tables import Field, layouts

SOURCE_BIT = {"src0": 0, "src1": 1, "src2": 2}
ALWAYS = frozenset({"row_mask", "bank_mask", "dpp_ctrl", "dpp8", "dst_sel", "dst_unused"})
"""Modifiers that are listed even where they are zero: zero is not their default."""
DPP8_FETCH = {1: 0, 2: 1}
"""fi by the low bits of the code that stands in src0 of a DPP8 instruction (233 and 234)."""
PER_SOURCE = frozenset({"neg", "abs", "sext", "src0_sel", "src1_sel"})
"""Modifiers that stand on operands and not on the instruction."""
CACHE_NAMES = {
    "gfx90a": {"c0": "glc", "c1": "slc", "c4": "scc"},
    "gfx942": {"c0": "sc0", "c1": "nt", "c4": "sc1"},
    "gfx950": {"c0": "sc0", "c1": "nt", "c4": "sc1"},
    "gfx1100": {"c0": "glc", "c1": "slc", "c2": "dlc"},
    "gfx1201": {},
}
MEMORY_MODS = ("c0", "c1", "c2", "c4", "scope", "th", "glc", "dlc", "offen", "idxen", "lds", "tfe", "format")
IMAGES = frozenset({"MIMG", "VIMAGE", "VSAMPLE"})
IMAGE_MODS = ("dmask", "dim", "unorm", "r128", "a16", "lwe", "d16")
MEMORY = frozenset({"FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "SMEM"}) | IMAGES


class Reader:
    """Reads one operand."""

    __slots__ = ("cache", "dwords", "field", "mask", "plan", "spec")

    def __init__(self, plan: Plan, spec: OperandSpec) -> None:
        self.plan = plan
        self.spec = spec
        self.dwords = spec.dwords or plan.target.mask_dwords
        self.cache: dict[int, Operand] = {}
        self.field = None if spec.fixed in IMPLIED else plan.layout[plan.field_name(spec)]
        self.mask = bits(self.field) if self.field else 0
        for name in plan.operand_flags(spec):
            self.mask |= bits(plan.layout[name])

    def build(self, word: int, literal: int | None) -> Operand:
        """The operand of this word, kept for the next time unless it holds a literal."""
        operand = self._modified(word, self._plain(word, literal))
        if operand.kind is not Kind.LITERAL:
            self.cache[word & self.mask] = operand
        return operand

    def _plain(self, word: int, literal: int | None) -> Operand:
        spec, dwords = self.spec, self.dwords
        role = "soffset" if spec.role == "soffset_low" else spec.role
        if self.field is None:
            return fixed(self.plan.target, role, spec.fixed, dwords)
        code = extract(self.field, word)
        kind = self.field.kind
        if spec.fixed == "imm":
            return Operand(role, Kind.INT, value=code)
        if kind == "u":
            return Operand(role, Kind.LITERAL, value=code)
        if kind == "sd":
            return scalar(self.plan.target, role, code & 0x7F if code & 0x80 else 106, dwords, NO_LITERAL)
        if kind == "sx":
            code ^= 0x100
        if kind == "v" or (kind in ("vs", "sx") and code >= 256):
            return self._vector(word, role, code & 0xFF, dwords)
        if kind == "s" and role in ("sbase", "srsrc", "ssamp"):
            code *= self.plan.scale[role]
        operand = scalar(self.plan.target, role, code, dwords, literal)
        if spec.half and operand.kind in (Kind.SGPR, Kind.M0, Kind.EXEC):
            return replace(operand, half=self._selected_half(word))
        return operand

    def _vector(self, word: int, role: str, code: int, dwords: int) -> Operand:
        if self.spec.half:
            if "op_sel" in self.plan.mod_fields:
                return Operand(role, Kind.VGPR, code, dwords, half=self._selected_half(word))
            return Operand(role, Kind.VGPR, code & 0x7F, dwords, half=code >> 7)
        if role == "vdst" and self.plan.dual == "Y":
            code = code << 1 | (1 - (word >> 56 & 1))
        bank = self.plan.bank_field(self.spec.role)
        is_acc = self.spec.fixed == "acc" or (bank and extract(self.plan.layout[bank], word))
        return Operand(role, Kind.AGPR if is_acc else Kind.VGPR, code, dwords)

    def _selected_half(self, word: int) -> int:
        if "op_sel" not in self.plan.mod_fields:
            return 0
        place = SOURCE_BIT.get(self.spec.role, 3)
        return extract(self.plan.mod_fields["op_sel"], word) >> place & 1

    def _modified(self, word: int, operand: Operand) -> Operand:
        place = SOURCE_BIT.get(self.spec.role)
        if place is None:
            return operand
        changes: dict[str, Any] = {}
        for name in ("neg", "abs", "sext"):
            if name in self.plan.mod_fields and extract(self.plan.mod_fields[name], word) >> place & 1:
                changes[name] = True
        select = f"src{place}_sel"
        if select in self.plan.mod_fields:
            number = extract(self.plan.mod_fields[select], word)
            if number >= len(SDWA_SELECT):
                raise BadOperand(f"its {select} has the reserved code {number}")
            changes["sel"] = SDWA_SELECT[number]
        return replace(operand, **changes) if changes else operand


class Plan:
    """One form of one instruction, ready to decode."""

    def __init__(self, row: Row, target: Target, word: int, dual: str = "") -> None:
        self.row = row
        self.target = target
        self.dual = dual
        self.layout: Layout = layouts(target.major)[layout_name(row)]
        if row.names_role("imm"):
            self.layout = {**self.layout, "imm": WHOLE_IMMEDIATE}
        self.mnemonic = row.mnemonic
        self.op = row.op
        self.format = row.encoding.partition("_")[0] if not dual else "VOPD"
        self.size = row.size + 4 * flag(self.layout, "nsa", word)
        self.has_imm = row.names_role("imm")
        self.is_matrix = row.op.startswith(("v_mfma", "v_smfmac")) and row.op != "v_mfma_ld_scale_b32"
        self.scale = {"sbase": 2, "srsrc": 1 if target.major == 12 else 4, "ssamp": 1 if target.major == 12 else 4}
        self.mod_fields = self._mod_fields()
        operands = specialise(row, self.layout, target, word)
        self.has_label = any(spec.role == "target" and row.encoding != "EXP" for spec in operands)
        operands = [spec for spec in operands if spec.role != "target"]
        self.dst = tuple(Reader(self, spec) for spec in operands if spec.written)
        self.src = tuple(Reader(self, spec) for spec in operands if not spec.written)
        takes_literal = not row.encoding.endswith(("DPP8", "DPP16", "SDWA")) and not (
            target.major == 9 and row.encoding.startswith("VOP3")
        )
        self.may_have_literal = takes_literal and any(r.field and r.field.kind in ("vs", "ss") for r in self.src)
        shown = {n: f for n, f in self.mod_fields.items() if n not in PER_SOURCE}
        self.shown = shown
        self.mod_mask = bits(self.layout["imm"]) if row.encoding == "SMEM" and target.major == 9 else 0
        for field in shown.values():
            self.mod_mask |= bits(field)
        self.mod_cache: dict[int, Mapping[str, int]] = {}

    def field_name(self, spec: OperandSpec) -> str:
        """The layout's field that an operand stands in."""
        if spec.fixed.startswith("@"):
            return spec.fixed[1:]
        if spec.role == "sdst" and self.row.encoding.startswith("VOP3") and self.row.names_role("vdst"):
            return "sdst_b"
        return spec.role

    def bank_field(self, role: str) -> str:
        """The field that says whether an operand is an AGPR, empty where none does."""
        if self.is_matrix:
            return {"vdst": "acc_cd", "src2": "acc_cd", "src0": "acc_src0", "src1": "acc_src1"}.get(role, "")
        return "acc" if "acc" in self.layout and role in ("vdst", "vdata", "data0", "data1") else ""

    def operand_flags(self, spec: OperandSpec) -> list[str]:
        """Further fields that an operand depends on."""
        found: list[str] = []
        if spec.role in SOURCE_BIT:
            names = ("neg", "abs", "sext", f"{spec.role}_sel")
            found = [name for name in names if name in self.mod_fields]
        if spec.half and "op_sel" in self.mod_fields:
            found.append("op_sel")
        if bank := self.bank_field(spec.role):
            found.append(bank)
        return found

    def _mod_fields(self) -> dict[str, Field]:
        names = {}
        for item in self.row.mods:
            name, _, field = item.partition("@")
            names[field or name] = name
        if self.row.encoding in MEMORY:
            names |= {n: CACHE_NAMES[self.target.name].get(n, n) for n in MEMORY_MODS if n in self.layout}
        if self.row.encoding in IMAGES:
            names |= {n: n for n in IMAGE_MODS}
        if "DPP" in self.row.encoding and "fi" in self.layout:
            names["fi"] = "fi"
        return {shown: self.layout[name] for name, shown in names.items() if name in self.layout}

    def mods(self, word: int) -> Mapping[str, int]:
        """Modifiers of a word, zeros left out."""
        found = {}
        for name, field in self.shown.items():
            value = extract(field, word)
            if field.kind == "d8":
                value = DPP8_FETCH.get(value, -1)
            if value or name in ALWAYS:
                found[name] = value
        self._check(found)
        if self.row.encoding == "SMEM" and self.target.major == 9 and "offset" in self.shown:
            found.pop("offset", None)
            if extract(self.layout["imm"], word):
                found["offset"] = extract(self.layout["offset"], word)
        self.mod_cache[word & self.mod_mask] = found
        return found


    def _check(self, mods: dict[str, int]) -> None:
        """Raise BadOperand for reserved values of modifiers."""
        if mods.get("fi", 0) < 0:
            raise BadOperand("its DPP8 code is reserved")
        if not dpp_control_is_valid(mods.get("dpp_ctrl", 0), self.target.major):
            raise BadOperand(f"its DPP control {mods['dpp_ctrl']:#x} is reserved")
        if mods.get("dst_sel", 0) >= len(SDWA_SELECT):
            raise BadOperand(f"its dst_sel has the reserved code {mods['dst_sel']}")
        if mods.get("dst_unused", 0) == 3:
            raise BadOperand("its dst_unused has the reserved code 3")
        if self.row.encoding == "FLAT" and self.target.major < 12 and mods.get("offset", 0) < 0:
            raise BadOperand("a FLAT offset cannot be negative")


def dpp_control_is_valid(value: int, major: int) -> bool:
    """Whether a generation has this DPP control."""
    if value < 0x100 or value in (0x140, 0x141) or value & 0x1F0 == 0x150:
        return True
    if value & 0x1F0 in (0x100, 0x110, 0x120):
        return value & 15 != 0
    if value & 0x1F0 == 0x160:
        return major > 9
    return major == 9 and value in (0x130, 0x134, 0x138, 0x13C, 0x142, 0x143)

