"""Operations that move data between lanes, and DPP's lane selection (ISA guides: "DPP", RDNA3 7.7, MI300 6.8 and
12)."""

from __future__ import annotations

from collections.abc import Sequence


def dpp16_source(ctrl: int, lane: int, lanes: int, major: int) -> int | None:
    """The lane that `lane` reads under a DPP16 control, None where that lies outside its row (or the wave)."""
    row, k = lane // 16 * 16, lane % 16
    if ctrl < 0x100:
        return lane // 4 * 4 + (ctrl >> 2 * (lane % 4) & 3)
    kind, amount = ctrl >> 4, ctrl & 15
    if kind == 0x10:  # row_shl: lane n gets n + amount
        return row + k + amount if k + amount < 16 else None
    if kind == 0x11:  # row_shr
        return row + k - amount if k >= amount else None
    if kind == 0x12:  # row_ror
        return row + (k - amount) % 16
    if kind == 0x15:  # row_share; row_newbcast on gfx90a and later CDNA
        return row + amount
    if kind == 0x16:  # row_xmask
        return row + (k ^ amount)
    if ctrl == 0x140:  # row_mirror
        return row + 15 - k
    if ctrl == 0x141:  # row_half_mirror
        return row + k // 8 * 8 + 7 - k % 8
    if ctrl == 0x130:  # wave_shl
        return lane + 1 if lane + 1 < lanes else None
    if ctrl == 0x134:  # wave_rol
        return (lane + 1) % lanes
    if ctrl == 0x138:  # wave_shr
        return lane - 1 if lane else None
    if ctrl == 0x13C:  # wave_ror
        return (lane - 1) % lanes
    if ctrl == 0x142:  # row_bcast:15, lane 15 of each row to the next row
        return row - 1 if row else None
    if ctrl == 0x143:  # row_bcast:31, lane 31 to rows 2 and 3
        return 31 if lane >= 32 else None
    raise AssertionError(f"DPP control {ctrl:#x}")


def dpp8_source(selector: int, lane: int) -> int:
    return lane // 8 * 8 + (selector >> 3 * (lane % 8) & 7)


def row_enabled(lane: int, row_mask: int, bank_mask: int) -> bool:
    """Whether DPP16's masks let a lane be written."""
    return bool(row_mask >> lane // 16 & 1) and bool(bank_mask >> lane % 16 // 4 & 1)


def controls(major: int) -> list[int]:
    """Every DPP16 control of a generation (quad permutations: some)."""
    found = [0x00, 0xE4, 0x1B, 0xB1, 0xFF, 0x39, 0x140, 0x141]
    for kind in (0x100, 0x110, 0x120):
        found += [kind | n for n in range(1, 16)]
    found += [0x150 | n for n in range(16)]
    if major >= 10:
        return found + [0x160 | n for n in range(16)]
    return [*found, 0x130, 0x134, 0x138, 0x13C, 0x142, 0x143]


def permlane16(
    source: Sequence[int],
    old: Sequence[int],
    active: Sequence[bool],
    select: int,
    *,
    across: bool,
    fetch_inactive: bool,
    bound_control: bool,
) -> list[int]:
    """V_PERMLANE16 and V_PERMLANEX16; a disabled source lane gives 0 with BOUND_CTRL, else leaves the destination."""
    out = list(old)
    for lane in range(len(source)):
        if not active[lane]:
            continue
        row = lane // 16 ^ (1 if across else 0)
        other = row * 16 + (select >> 4 * (lane % 16) & 15)
        if active[other] or fetch_inactive:
            out[lane] = source[other]
        elif bound_control:
            out[lane] = 0
    return out


def first_lane(active: Sequence[bool]) -> int:
    """The lane of V_READFIRSTLANE: the lowest active one, 0 if there is none."""
    return next((k for k, on in enumerate(active) if on), 0)


def ds_bpermute(address: Sequence[int], data: Sequence[int], active: Sequence[bool], offset: int) -> list[int]:
    """What each active lane gets: data of the lane its address names, 0 where that lane is off. On RDNA a wave of 64
    permutes within each half (RDNA3 ISA guide, DS_BPERMUTE_B32)."""
    lanes = len(data)
    return [data[(a + offset) // 4 % lanes] if active[(a + offset) // 4 % lanes] else 0 for a in address]


def ds_permute(address: Sequence[int], data: Sequence[int], active: Sequence[bool], offset: int) -> list[int]:
    """Each active lane sends to the lane its address names; the highest-numbered sender wins; 0 where nobody sent."""
    lanes = len(data)
    out = [0] * lanes
    for lane in range(lanes):
        if active[lane]:
            out[(address[lane] + offset) // 4 % lanes] = data[lane]
    return out


def ds_swizzle_source(offset: int, lane: int) -> int:
    """The lane that DS_SWIZZLE_B32 reads: rotation within 32 lanes (0xC000 and up), four lanes permuted (bit 15), or
    and/or/xor masks within 32 lanes. The pattern of FFTs (0xE000 and up) is left out."""
    half, k = lane // 32 * 32, lane % 32
    if offset >= 0xC000:
        mask, amount = offset & 31, offset >> 5 & 31
        moved = k - amount if offset >> 10 & 1 else k + amount
        return half + (k & mask | moved & ~mask & 31)
    if offset >> 15:
        return lane // 4 * 4 + (offset >> 2 * (lane % 4) & 3)
    return half + ((k & offset & 31 | offset >> 5 & 31) ^ (offset >> 10 & 31))
