"""Operations that look at other lanes, and moves between the register files.

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides. Lane selects are taken modulo the wave's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.ir import Val
from softrock.lift.registry import raw, valu
from softrock.lift.semantics.lanes import gather, scatter

if TYPE_CHECKING:
    from softrock.lift.context import Wave


# -- one lane --------------------------------------------------------------------------------------


def _lane_select(x: Wave, op: Operand) -> Val | int:
    select = x.read_scalar(op, "u32")
    return select.const & (x.W - 1) if isinstance(select.const, int) else select & (x.W - 1)


@raw("v_readlane_b32", cross_lane=True)
def readlane(x: Wave, inst: Instruction) -> None:
    """One lane as a scalar, active or not."""
    x.write_scalar(inst.dst[0], x.read_word(inst.src[0]).lane(_lane_select(x, inst.src[1])))


@raw("v_readfirstlane_b32", cross_lane=True)
def readfirstlane(x: Wave, inst: Instruction) -> None:
    """The first active lane as a scalar; lane 0 where none is active."""
    op = inst.src[0]
    vector = op.kind in (Kind.VGPR, Kind.AGPR)
    x.write_scalar(inst.dst[0], x.first_lane(x.read_word(op)) if vector else x.read_scalar(op, "u32"))


@raw("v_writelane_b32", cross_lane=True, reads_dst=True)
def writelane(x: Wave, inst: Instruction) -> None:
    """Put a scalar into one lane, active or not."""
    r = x.bank_index(inst.dst[0])
    value = x.read_scalar(inst.src[0], "u32")
    x.regs.vector.write(r, x.regs.vector.read(r).with_lane(_lane_select(x, inst.src[1]), value))


# -- counting --------------------------------------------------------------------------------------


def _mask_count(high: bool) -> None:
    @valu(f"v_mbcnt_{'hi' if high else 'lo'}_u32_b32", "u32 <- u32 u32")
    def count(x: Wave, mask: Val, base: Val) -> Val:
        """Bits of the mask that stand for lower lanes, added to `base`."""
        places = [min(max(lane - 32 * high, 0), 32) for lane in range(x.W)]
        if mask.const == -1 or mask.const == 0xFFFFFFFF:
            return base + x.b.vector("u32", places)
        lower = x.b.vector("u32", [(1 << p) - 1 for p in places])
        return base + (mask & lower).popcount()


_mask_count(high=False)
_mask_count(high=True)

# -- permutations ----------------------------------------------------------------------------------


def _active_or_zero(x: Wave, value: Val) -> Val:
    return value if x.full else x.exec_mask().select(value, 0)


def _own_part(x: Wave, index: Val) -> Val:
    """A lane number as ds_permute takes it: modulo the wave on gfx9, within the lane's 32 on later targets."""
    if x.target.major < 10 or x.W == 32:
        return index & (x.W - 1)
    return (index & 31) | (x.iota() & 32)


@raw("ds_bpermute_b32", cross_lane=True)
def bpermute(x: Wave, inst: Instruction) -> None:
    """Every lane reads the lane that its byte address divided by four names; inactive lanes read as 0."""
    address, data = (x.read_word(op) for op in inst.src[:2])
    index = _own_part(x, (address + inst.mod("offset")) >> 2)
    x.write(inst.dst[0], gather(x, _active_or_zero(x, data), index))


@raw("ds_bpermute_fi_b32", cross_lane=True)
def bpermute_inactive(x: Wave, inst: Instruction) -> None:
    """ds_bpermute that reads inactive lanes too."""
    address, data = (x.read_word(op) for op in inst.src[:2])
    x.write(inst.dst[0], gather(x, data, _own_part(x, (address + inst.mod("offset")) >> 2)))


@raw("ds_permute_b32", cross_lane=True)
def permute(x: Wave, inst: Instruction) -> None:
    """Every active lane sends to the lane that it names; the highest sender wins, a lane without sender gets 0."""
    address, data = (x.read_word(op) for op in inst.src[:2])
    index = _own_part(x, (address + inst.mod("offset")) >> 2)
    x.write(inst.dst[0], scatter(x, data, index, x.exec_bits()))


def swizzle_sources(pattern: int, lanes: int, major: int) -> list[int] | None:
    """The lane that each lane reads under ds_swizzle's offset field, None for one that is not known."""

    def source(lane: int) -> int:
        base, k = lane & ~31, lane & 31
        if pattern >= 0xE000:  # FFT: bits reversed above the masked ones
            mask = pattern & 31
            j = int(f"{k:05b}"[::-1], 2) >> mask.bit_count()
            return base | j | k & mask
        if pattern >= 0xC000:  # rotate; the masked bits stay
            mask, step = pattern & 31, pattern >> 5 & 31
            step = -step if pattern >> 10 & 1 else step
            return base | k & mask | (k + step) & ~mask & 31
        if pattern & 0x8000:  # quad permutation
            return lane & ~3 | pattern >> 2 * (lane & 3) & 3
        return base | (k & (pattern & 31) | pattern >> 5 & 31) ^ (pattern >> 10 & 31)

    if 0x8000 <= pattern < 0xC000 and pattern & 0x7F00:
        return None
    return [source(lane) for lane in range(lanes)]


@raw("ds_swizzle_b32", cross_lane=True)
def swizzle(x: Wave, inst: Instruction) -> None:
    """A fixed permutation within 32 lanes; inactive lanes read as 0."""
    pattern = inst.mod("offset") & 0xFFFF
    sources = swizzle_sources(pattern, x.W, x.target.major)
    if sources is None:
        raise x.unsupported(inst, f"swizzle pattern 0x{pattern:x}")
    x.write(inst.dst[0], _active_or_zero(x, x.read_word(inst.src[0])).shuffle(sources))


def _row_permutation(names: str, across: bool, per_lane: bool) -> None:
    @raw(names, cross_lane=True, reads_dst=True)
    def permute_row(x: Wave, inst: Instruction) -> None:
        """Lanes read lanes of their own row of 16, or of the other row of the pair; op_sel bit 0 fetches inactive lanes
        too, bit 1 (bound_ctrl) turns what is not fetched into 0 instead of keeping the old value."""
        data = x.read_word(inst.src[0])
        row = x.iota() & ~15
        if across:
            row = row ^ 16
        index = row | (x.read_word(inst.src[1]) & 15 if per_lane else _row_selects(x, inst))
        out = gather(x, data, index)
        if not x.full and not inst.mod("op_sel") & 1:
            active = gather(x, x.exec_mask().to("u32"), index).ne(0)
            kept = x.const("u32", 0) if inst.mod("op_sel") & 2 else x.read_word(inst.dst[0])
            out = active.select(out, kept)
        x.write(inst.dst[0], out)


def _row_selects(x: Wave, inst: Instruction) -> Val:
    """Four bits a lane out of two scalars of selects."""
    low, high = (x.read_scalar(op, "u32") for op in inst.src[1:3])
    if isinstance(low.const, int) and isinstance(high.const, int):
        selects = (high.const & 0xFFFFFFFF) << 32 | low.const & 0xFFFFFFFF
        return x.b.vector("u32", [selects >> 4 * (lane & 15) & 15 for lane in range(x.W)])
    upper = x.b.vector("u1", [lane >> 3 & 1 for lane in range(x.W)])
    word = upper.select(high.splat(x.W), low.splat(x.W))
    return (word >> x.b.vector("u32", [4 * (lane & 7) for lane in range(x.W)])) & 15


_row_permutation("v_permlane16_b32", across=False, per_lane=False)
_row_permutation("v_permlanex16_b32", across=True, per_lane=False)
_row_permutation("v_permlane16_var_b32", across=False, per_lane=True)
_row_permutation("v_permlanex16_var_b32", across=True, per_lane=True)


@raw("v_permlane64_b32", cross_lane=True)
def permlane64(x: Wave, inst: Instruction) -> None:
    """The two halves of a wave64 change places; nothing happens in wave32."""
    if x.W == 64:
        x.write(inst.dst[0], x.read_word(inst.src[0]).shuffle([lane ^ 32 for lane in range(64)]))


def _swap_rows(size: int) -> None:
    @raw(f"v_permlane{size}_swap_b32", cross_lane=True, reads_dst=True)
    def swap(x: Wave, inst: Instruction) -> None:
        """Odd rows (of 16 or 32 lanes) of the destination change places with even rows of the source."""
        first, second = x.read_word(inst.dst[0]), x.read_word(inst.src[0])
        lanes = range(x.W)
        new_first = first.shuffle([lane - size + x.W if lane & size else lane for lane in lanes], second)
        new_second = second.shuffle([lane if lane & size else lane + size + x.W for lane in lanes], first)
        x.write(inst.dst[0], new_first)
        x.write(inst.src[0], new_second)


_swap_rows(16)
_swap_rows(32)

# -- moves -----------------------------------------------------------------------------------------

valu("v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "u32 <- u32")(lambda x, a: a)


@raw("v_swap_b32", reads_dst=True)
def swap_registers(x: Wave, inst: Instruction) -> None:
    """Two registers change places in the active lanes."""
    first, second = x.read_word(inst.dst[0]), x.read_word(inst.src[0])
    x.write(inst.dst[0], second)
    x.write(inst.src[0], first)


@raw("v_swap_b16", reads_dst=True)
def swap_halves(x: Wave, inst: Instruction) -> None:
    """Two register halves change places in the active lanes."""
    first, second = x.read(inst.dst[0], "u16"), x.read(inst.src[0], "u16")
    x.write(inst.dst[0], second)
    x.write(inst.src[0], first)
