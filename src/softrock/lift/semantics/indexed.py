"""VGPRs named by an index in M0: v_movrel* and gfx9's s_set_gpr_idx mode (ISA guides: "VGPR indexing").

The index is uniform, so an access becomes a switch over the registers from the base to the last one the kernel has.
"""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.context import Wave
from softrock.lift.ir import Block, Val
from softrock.lift.registry import raw
from softrock.lift.regs import M0

_SRC0, _DST = 1, 8


def _switch(x: Wave, base: int, index: Val, body: Callable[[int], Val | None]) -> Val | None:
    """Run ``body(register)`` for register ``base + index``; nothing (or 0) where that lies beyond the kernel's
    registers."""
    b = x.b
    # As vectors: forms cross GPU blocks only, and this makes blocks of its own.
    x.regs.flush(solid=True)
    x.new_block()
    join, default = b.new_block("indexed"), b.new_block("beyond")
    cases = [b.new_block("register") for _ in range(base, x.vgprs)]
    table = " ".join(f"i32 {k}, label %{block.label}" for k, block in enumerate(cases))
    b.line(f"switch {index.typed}, label %{default.label} [ {table} ]")
    b.block.done = True
    arrived: list[tuple[Val, Block]] = []
    for k, block in enumerate(cases):
        b.begin(block)
        x.new_block()
        value = body(base + k)
        x.regs.flush(solid=True)
        if value is not None:
            arrived.append((value, b.block))
        b.branch(join)
    b.begin(default)
    if arrived:
        arrived.append((x.const("u32", 0), b.block))
    b.branch(join)
    b.begin(join)
    x.new_block()
    return b.phi(arrived[0][0].ty, arrived) if arrived else None


def _read(x: Wave, op: Operand, index: Val) -> Val:
    if op.kind is not Kind.VGPR:
        return x.read_word(op)
    value = _switch(x, op.index, index, x.regs.vector.read)
    if value is None:
        raise AssertionError("no register to read")
    return value


def _write(x: Wave, op: Operand, index: Val, value: Val) -> None:
    def put(r: int) -> None:
        merged = value if x.full else x.exec_mask().select(value, x.regs.vector.read(r))
        x.regs.vector.write(r, merged)

    _switch(x, op.index, index, put)


def _index(x: Wave) -> Val:
    return x.regs.scalar.read(M0)


@raw("v_movrels_b32", reads_dst=True)
def v_movrels_b32(x: Wave, inst: Instruction) -> None:
    x.write(inst.dst[0], _read(x, inst.src[0], _index(x)))


@raw("v_movreld_b32", reads_dst=True)
def v_movreld_b32(x: Wave, inst: Instruction) -> None:
    value = x.read_word(inst.src[0])
    _write(x, inst.dst[0], _index(x), value)


@raw("v_movrelsd_b32", reads_dst=True)
def v_movrelsd_b32(x: Wave, inst: Instruction) -> None:
    index = _index(x)
    _write(x, inst.dst[0], index, _read(x, inst.src[0], index))


@raw("v_movrelsd_2_b32", reads_dst=True)
def v_movrelsd_2_b32(x: Wave, inst: Instruction) -> None:
    m0 = _index(x)
    _write(x, inst.dst[0], (m0 >> 16) & 0x3FF, _read(x, inst.src[0], m0 & 0x3FF))


@raw("s_set_gpr_idx_on")
def s_set_gpr_idx_on(x: Wave, inst: Instruction) -> None:
    """M0[7:0] takes the index, M0[15:12] which operands it applies to; the mode lasts until s_set_gpr_idx_off."""
    index = x.read_scalar(inst.src[0], "u32") & 0xFF
    what = inst.src[1].value & 15 if len(inst.src) > 1 else inst.mod("imm") & 15
    old = x.regs.scalar.read(M0) & 0xFFFF0F00
    x.regs.scalar.write(M0, old | index | (what << 12))
    x.gpr_index = what


@raw("s_set_gpr_idx_off")
def s_set_gpr_idx_off(x: Wave, inst: Instruction) -> None:
    x.gpr_index = 0


@raw("s_set_gpr_idx_idx")
def s_set_gpr_idx_idx(x: Wave, inst: Instruction) -> None:
    index = x.read_scalar(inst.src[0], "u32") & 0xFF
    x.regs.scalar.write(M0, (x.regs.scalar.read(M0) & 0xFFFFFF00) | index)


def indexed_move(x: Wave, inst: Instruction) -> None:
    """v_mov_b32 in s_set_gpr_idx mode; compilers emit no other operation there."""
    if inst.op != "v_mov_b32" or len(inst.src) != 1:
        raise x.unsupported(inst, "in s_set_gpr_idx mode")
    index = x.regs.scalar.read(M0) & 0xFF
    what = x.gpr_index
    value = _read(x, inst.src[0], index) if what & _SRC0 else x.read_word(inst.src[0])
    if what & _DST:
        _write(x, inst.dst[0], x.regs.scalar.read(M0) & 0xFF, value)
    else:
        x.write(inst.dst[0], value)
