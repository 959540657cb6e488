"""Data-parallel primitives: the lane movements of DPP16 and DPP8 (ISA guides: "DPP", RDNA3 section 7.7, CDNA3
section 6.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.ir import Val

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def source_lanes(ctrl: int, lanes: int, major: int) -> list[int] | None:
    """For every lane the lane it reads, -1 where that is outside its row (or the wave); None for an unknown control."""
    out: list[int] = []
    for lane in range(lanes):
        row, k = lane & ~15, lane & 15
        if ctrl <= 0xFF:  # quad_perm
            out.append((lane & ~3) | (ctrl >> 2 * (lane & 3) & 3))
        elif 0x101 <= ctrl <= 0x10F:  # row_shl: reads to the right
            out.append(lane + (ctrl & 15) if k + (ctrl & 15) < 16 else -1)
        elif 0x111 <= ctrl <= 0x11F:  # row_shr
            out.append(lane - (ctrl & 15) if k >= (ctrl & 15) else -1)
        elif 0x121 <= ctrl <= 0x12F:  # row_ror
            out.append(row | (k - (ctrl & 15) & 15))
        elif ctrl == 0x130 and major < 10:  # wave_shl:1
            out.append(lane + 1 if lane + 1 < lanes else -1)
        elif ctrl == 0x134 and major < 10:  # wave_rol:1
            out.append((lane + 1) % lanes)
        elif ctrl == 0x138 and major < 10:  # wave_shr:1
            out.append(lane - 1)
        elif ctrl == 0x13C and major < 10:  # wave_ror:1
            out.append((lane - 1) % lanes)
        elif ctrl == 0x140:  # row_mirror
            out.append(row | 15 - k)
        elif ctrl == 0x141:  # row_half_mirror
            out.append((lane & ~7) | 7 - (lane & 7))
        elif ctrl == 0x142 and major < 10:  # row_bcast:15
            out.append(row - 1)
        elif ctrl == 0x143 and major < 10:  # row_bcast:31
            out.append((lane & ~31) - 1)
        elif 0x150 <= ctrl <= 0x15F:  # row_share (gfx90a calls it row_newbcast)
            out.append(row | ctrl & 15)
        elif 0x160 <= ctrl <= 0x16F and major >= 10:  # row_xmask
            out.append(lane ^ (ctrl & 15))
        else:
            return None
    return out


def apply(x: Wave, inst: Instruction, word: Val) -> tuple[Val, Val | None]:
    """Move `word` (u32 lanes) as the instruction's DPP control says.

    Returns:
        The moved lanes, and the u1 vector of lanes that may be written (None: all).
    """
    lanes = x.W
    if "dpp8" in inst.mods:
        selector = inst.mods["dpp8"]
        source: list[int] = [(lane & ~7) | (selector >> 3 * (lane & 7) & 7) for lane in range(lanes)]
        row_mask = bank_mask = 15
        bound_zero, fetch_inactive = True, bool(inst.mod("fi"))
    else:
        found = source_lanes(inst.mods["dpp_ctrl"], lanes, x.target.major)
        if found is None:
            raise x.unsupported(inst, f"DPP control 0x{inst.mods['dpp_ctrl']:x}")
        source = found
        row_mask, bank_mask = inst.mods.get("row_mask", 15), inst.mods.get("bank_mask", 15)
        bound_zero, fetch_inactive = bool(inst.mod("bound_ctrl")), bool(inst.mod("fi"))
    index = [lane if s < 0 else s for lane, s in enumerate(source)]
    moved = word.shuffle(index)
    in_row = [s >= 0 for s in source]
    valid: Val | None = None
    if not all(in_row):
        valid = x.b.vector("u1", [int(v) for v in in_row])
    if not x.full and not fetch_inactive:
        active = x.exec_mask().shuffle(index)
        valid = active if valid is None else active & valid
    enabled = [
        bool(row_mask >> (lane >> 4 & 3) & 1) and bool(bank_mask >> (lane >> 2 & 3) & 1)
        for lane in range(lanes)
    ]
    write: Val | None = None if all(enabled) else x.b.vector("u1", [int(v) for v in enabled])
    if valid is not None:
        if bound_zero:
            moved = valid.select(moved, 0)
        else:
            write = valid if write is None else write & valid
    return moved, write
