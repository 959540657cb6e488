"""What a decoded instruction is: the contract between `decode` and everything above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """Where an operand's value comes from."""

    VGPR = "v"
    AGPR = "a"
    SGPR = "s"
    """SGPRs 0-105, VCC (106, 107) and TTMP (108-123), by their hardware number."""
    M0 = "m0"
    EXEC = "exec"
    """`index` 126 is the low half or the whole, 127 the high half."""
    NULL = "null"
    INT = "int"
    """Inline integer, -16 to 64, in `value` (sign-extended to the operand's type)."""
    FLOAT = "float"
    """Inline float constant, in `number`; its bits depend on the type of the operation."""
    LITERAL = "literal"
    """A 32-bit (or, on targets that have it, 64-bit) literal, raw bits in `value`."""
    SPECIAL = "special"
    """A read-only source named in `name`: scc, vccz, execz, src_shared_base, src_private_base, src_shared_limit,
    src_private_limit, src_pops_exiting_wave_id, lds_direct, flat_scratch (lo/hi by index) …"""
    LABEL = "label"
    """A branch target; `value` is the absolute address."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand with its modifiers.

    Attributes:
        role: field name: vdst, sdst, vdata, src0, src1, src2, vaddr, saddr, srsrc, soffset, sbase, addr, data0, data1 …
        kind: see :class:`Kind`.
        index: first register (hardware number), 0 for constants.
        dwords: size of the operand in 32-bit registers (16-bit operands count as one).
        value: raw bits of LITERAL, the integer of INT, the target address of LABEL.
        number: the value of FLOAT.
        name: the name of SPECIAL.
        neg, abs: floating-point source modifiers (VOP3, DPP, SDWA).
        sext: SDWA sign extension.
        sel: SDWA selection: BYTE_0..BYTE_3, WORD_0, WORD_1, DWORD; empty without SDWA.
        half: for true16 register operands 0 (.l) or 1 (.h); None where the operand has no half.
    """

    role: str
    kind: Kind
    index: int = 0
    dwords: int = 1
    value: int = 0
    number: float = 0.0
    name: str = ""
    neg: bool = False
    abs: bool = False
    sext: bool = False
    sel: str = ""
    half: int | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """One decoded instruction.

    Attributes:
        address: where it stands (byte address in the code object's own address space).
        size: bytes it takes.
        mnemonic: as the target's assembler spells it, without _e32/_e64/_dpp/_sdwa.
        op: the operation's canonical name, the same on every target that has it (gfx11's spelling); `lift` registers
            semantics under it.
        format: encoding family: SOP1, SOP2, SOPC, SOPK, SOPP, SMEM, VOP1, VOP2, VOP3, VOP3P, VOPC, VOPD, VINTERP, DS,
            FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, EXP; VOP formats with DPP or SDWA keep the base name here and
            carry the rest in `mods`.
        dst: destinations in the assembler's order, implicit VCC of short compares and carries included.
        src: sources in the assembler's order; an address that reads ``off`` is left out.
        mods: everything else by name: offset, offset0, offset1, glc, slc, dlc, sc0, sc1, nt, gds, lds, offen, idxen,
            clamp, omod (0 none, 1 *2, 2 *4, 3 /2), op_sel, op_sel_hi, neg_lo, neg_hi (bit i is source i; op_sel bit of
            the destination is bit 3 or, with two sources, bit 3 as well), cbsz, abid, blgp, dpp_ctrl, row_mask,
            bank_mask, bound_ctrl, fi, dpp8 (24 bits), dst_sel, dst_unused (SDWA, as numbers of the ISA guide), simm16,
            format (MTBUF) … Absent means 0 (row_mask and bank_mask are always present with DPP).
        parts: for VOPD the two halves as instructions of their own, else empty.
    """

    address: int
    size: int
    raw: bytes
    mnemonic: str
    op: str
    format: str
    dst: tuple[Operand, ...] = ()
    src: tuple[Operand, ...] = ()
    mods: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[Instruction, ...] = ()

    def get(self, role: str) -> Operand | None:
        """The operand with this role, or None."""
        for operand in self.dst:
            if operand.role == role:
                return operand
        for operand in self.src:
            if operand.role == role:
                return operand
        return None

    def mod(self, name: str) -> int:
        """A modifier's value, 0 where absent."""
        return self.mods.get(name, 0)

    @property
    def end(self) -> int:
        """Address of the next instruction."""
        return self.address + self.size
