"""SCRATCH loads and stores: private memory, its dwords interleaved by lane (ISA guides: "Scratch")."""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.semantics.memory_forms import register


def _offset(x: Wave, inst: Instruction) -> Val:
    """Byte offset in the lane's private memory: a scalar where no VGPR takes part, else u32 lanes."""
    vaddr, saddr = inst.get("vaddr"), inst.get("saddr")
    total = x.scalar("u32", inst.mod("offset"))
    if saddr is not None:
        total = total + x.read_scalar(saddr, "u32")
    if vaddr is not None:
        total = x.vector(x.bank_index(vaddr)) + total
    return total


def _row(x: Wave, offset: Val, k: int = 0) -> str:
    """Pointer to all lanes' dword number ``offset / 4 + k`` (offset a scalar)."""
    base = x.field("scratch", "u64")
    return x.b.ptr(base + (offset >> 2).to("u64") * (4 * x.W) + 4 * x.W * k)


def _whole(x: Wave, offset: Val, size: int) -> Val:
    """u1 scalar: the access lies in whole dwords (or inside one)."""
    if size >= 4:
        return (offset & 3).eq(0)
    return (offset & 3).le(4 - size)


def _same_everywhere(x: Wave, offset: Val, size: int) -> tuple[Val, Val]:
    """(scalar offset, u1: it holds for every active lane and is well placed)."""
    if not offset.lanes:
        return offset, _whole(x, offset, size)
    first = offset.lane(0)
    same = offset.eq(first.splat(x.W))
    if not x.full:
        same = same | ~x.exec_mask()
    return first, same.all() & _whole(x, first, size)


def load(x: Wave, inst: Instruction, size: int) -> list[Val]:
    """Dwords a lane; narrower data zero-extended."""
    offset = _offset(x, inst)
    words = max(1, size // 4)
    first, same = _same_everywhere(x, offset, size)

    def straight() -> list[Val]:
        rows = [x.b.load(Ty("u", 32, x.W), _row(x, first, k), 64) for k in range(words)]
        if size < 4:
            rows[0] = (rows[0] >> ((first & 3) << 3).splat(x.W)) & ((1 << 8 * size) - 1)
        return rows

    def scattered() -> list[Val]:
        lanes = offset.splat(x.W)
        return access.call_load(x, "sr_scratch_load", (x.field("scratch", "u64"),), [lanes], size)

    return access.choose(x, [(lambda: same, straight), (None, scattered)], words)


def store(x: Wave, inst: Instruction, size: int, data: list[Val]) -> None:
    """Store `size` bytes a lane."""
    offset = _offset(x, inst)
    words = max(1, size // 4)
    first, same = _same_everywhere(x, offset, size)

    def straight() -> list[Val]:
        for k in range(words):
            pointer = _row(x, first, k)
            value = data[k]
            if size < 4 or not x.full:
                old = x.b.load(Ty("u", 32, x.W), pointer, 64)
                if size < 4:
                    shift = ((first & 3) << 3).splat(x.W)
                    hole = x.const("u32", (1 << 8 * size) - 1) << shift
                    value = (old & ~hole) | ((value << shift) & hole)
                if not x.full:
                    value = x.exec_mask().select(value, old)
            x.b.store(value, pointer, 64)
        return []

    def scattered() -> list[Val]:
        lanes = offset.splat(x.W)
        access.call_store(x, "sr_scratch_store", (x.field("scratch", "u64"),), [lanes], size, data)
        return []

    access.choose(x, [(lambda: same, straight), (None, scattered)], 0)


register("scratch", load, store)
