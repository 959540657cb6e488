"""Operations with rules of their own: lane access, swaps, packed moves, mixed-sign dot products."""

from __future__ import annotations

import numpy as np
from tests.lift.models import lanes as lane_moves
from tests.lift.models import matrix
from tests.lift.models.integer import saturate
from tests.lift.models.machine import M0, Machine, shifted, special
from tests.lift.models.packed import parts

from softrock.decode.instruction import Instruction, Operand


@special("v_nop s_nop s_waitcnt s_delay_alu s_clause s_waitcnt_depctr v_pipeflush")
def _nothing(m: Machine, inst: Instruction) -> None:
    pass


@special("v_readfirstlane_b32")
def _readfirstlane(m: Machine, inst: Instruction) -> None:
    lane = lane_moves.first_lane(m.active())
    m.write_scalar(inst.dst[0], int(m.dwords(inst.src[0])[lane]), 32)


@special("v_readlane_b32")
def _readlane(m: Machine, inst: Instruction) -> None:
    lane = m.read_scalar(inst.src[1], 32) % m.lanes
    m.write_scalar(inst.dst[0], int(m.dwords(inst.src[0])[lane]), 32)


@special("v_writelane_b32")
def _writelane(m: Machine, inst: Instruction) -> None:
    lane = m.read_scalar(inst.src[1], 32) % m.lanes
    m.word(m.register(inst.dst[0]))[lane] = m.read_scalar(inst.src[0], 32)


@special("v_permlane16_b32 v_permlanex16_b32")
def _permlane16(m: Machine, inst: Instruction) -> None:
    select = m.read_scalar(inst.src[1], 32) | m.read_scalar(inst.src[2], 32) << 32
    r = m.register(inst.dst[0])
    out = lane_moves.permlane16(
        [int(x) for x in m.dwords(inst.src[0])],
        [int(x) for x in m.word(r)],
        m.active(),
        select,
        across="x16" in inst.op,
        fetch_inactive=bool(inst.mod("op_sel") & 1),
        bound_control=bool(inst.mod("op_sel") & 2),
    )
    m.vector[r] = np.array(out, np.uint32)


@special("v_permlane64_b32")
def _permlane64(m: Machine, inst: Instruction) -> None:
    """Swaps the halves of a wave of 64, whatever EXEC of the source; does nothing in a wave of 32."""
    if m.lanes == 64:
        source = np.roll(m.dwords(inst.src[0]), 32)
        r = m.register(inst.dst[0])
        m.vector[r] = np.where(np.array(m.active()), source, m.word(r))


@special("v_swap_b32 v_swap_b16")
def _swap(m: Machine, inst: Instruction) -> None:
    a, b = inst.dst[0], inst.src[0]
    elem = "u32" if inst.op.endswith("32") else "u16"
    left, right = m.source(a, elem), m.source(b, elem)
    m.write_vector(inst, a, elem, right)
    m.write_vector(inst, b, elem, left)


@special("v_pk_mov_b32")
def _pk_mov(m: Machine, inst: Instruction) -> None:
    words = [
        m.dwords(op, inst.mod("op_sel") >> k & 1) if op.dwords == 2 else m.dwords(op) for k, op in enumerate(inst.src)
    ]
    op = inst.dst[0]
    for k, word in enumerate([w.copy() for w in words]):
        m.write_vector(inst, Operand(op.role, op.kind, op.index + k), "u32", [int(x) for x in word])


@special("v_dot4_i32_iu8 v_dot8_i32_iu4")
def _dot_mixed(m: Machine, inst: Instruction) -> None:
    bits = 8 if inst.op.endswith("8") else 4
    signs = [bool(inst.mod("neg_lo") >> k & 1) for k in (0, 1)]
    a, b, c = (m.source(op, elem) for op, elem in zip(inst.src, ("u32", "u32", "i32"), strict=True))
    out = []
    for x, y, z in zip(a, b, c, strict=True):
        exact = z + sum(p * q for p, q in zip(parts(x, bits, signs[0]), parts(y, bits, signs[1]), strict=True))
        out.append(saturate(exact, -(1 << 31), (1 << 31) - 1) if inst.mod("clamp") else exact)
    m.write_vector(inst, inst.dst[0], "i32", out)


@special("ds_bpermute_b32 ds_permute_b32")
def _ds_permute(m: Machine, inst: Instruction) -> None:
    addr, data = inst.src[0], inst.src[1]
    move = lane_moves.ds_bpermute if inst.op.startswith("ds_b") else lane_moves.ds_permute
    address, values, active = [int(x) for x in m.dwords(addr)], [int(x) for x in m.dwords(data)], m.active()
    # RDNA permutes within 32 lanes in waves of 64 too.
    size = 32 if m.major >= 10 else m.lanes
    out: list[int] = []
    for k in range(0, m.lanes, size):
        out += move(address[k : k + size], values[k : k + size], active[k : k + size], inst.mod("offset"))
    m.write_vector(inst, inst.dst[0], "u32", out)


@special("ds_swizzle_b32")
def _ds_swizzle(m: Machine, inst: Instruction) -> None:
    values, active = m.dwords(inst.src[0]), m.active()
    out = []
    for lane in range(m.lanes):
        other = lane_moves.ds_swizzle_source(inst.mod("offset"), lane)
        out.append(int(values[other]) if active[other] else 0)
    m.write_vector(inst, inst.dst[0], "u32", out)


@special("v_mfma_i32_4x4x4_16b_i8")
def _small_mfma(m: Machine, inst: Instruction) -> None:
    """A matrix product in integers: every lane takes part, whatever EXEC is."""
    shape = matrix.shape_of(inst.op)
    a, b, c = ([m.dwords(op, k).copy() for k in range(op.dwords)] for op in inst.src)
    exact, _ = matrix.mfma(shape, a, b, c, dict(inst.mods))
    base = m.register(inst.dst[0])
    for k, numbers in enumerate(exact):
        m.vector[base + k] = (numbers.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)


# -- indexed registers ------------------------------------------------------------------------------------------------


@special("s_set_gpr_idx_on")
def _index_on(m: Machine, inst: Instruction) -> None:
    m.gpr_index = inst.src[1].value & 15
    m.scalar[M0] = m.scalar[M0] & 0xFFFF0F00 | m.read_scalar(inst.src[0], 32) & 0xFF | m.gpr_index << 12


@special("s_set_gpr_idx_off")
def _index_off(m: Machine, inst: Instruction) -> None:
    m.gpr_index = 0


@special("s_set_gpr_idx_idx")
def _index_index(m: Machine, inst: Instruction) -> None:
    m.scalar[M0] = m.scalar[M0] & 0xFFFFFF00 | m.read_scalar(inst.src[0], 32) & 0xFF


@special("v_movrels_b32 v_movreld_b32 v_movrelsd_b32 v_movrelsd_2_b32")
def _movrel(m: Machine, inst: Instruction) -> None:
    m0 = m.scalar[M0]
    from_by, to_by = (m0 & 0x3FF, m0 >> 16 & 0x3FF) if inst.op.endswith("_2_b32") else (m0, m0)
    source = shifted(inst.src[0], from_by if "rels" in inst.op else 0)
    target = shifted(inst.dst[0], to_by if "reld" in inst.op or "relsd" in inst.op else 0)
    m.write_vector(inst, target, "u32", [int(x) for x in m.dwords(source).copy()])
