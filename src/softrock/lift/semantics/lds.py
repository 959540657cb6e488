"""DS loads and stores: the workgroup's local memory (ISA guides: "Data share operations")."""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.lines import Address
from softrock.lift.registry import raw
from softrock.lift.semantics.global_memory import load_words
from softrock.lift.semantics.memory_forms import Raw, extend, register


def address(x: Wave, inst: Instruction, offset: int) -> Address:
    """LDS addresses plus a constant; the sum wraps at 32 bits and never leaves the workgroup's reserve."""
    if inst.mod("gds"):
        raise x.unsupported(inst, "global data share")
    addr = inst.get("addr")
    if addr is None:
        raise x.unsupported(inst, "no address register")
    return Address(x.field("lds", "u64"), x.vector(x.bank_index(addr)) + offset)


def data(x: Wave, inst: Instruction, role: str, words: int) -> list[Val]:
    """The dwords of a data operand."""
    operand = inst.get(role)
    if operand is None:
        raise x.unsupported(inst, f"no {role}")
    return x.read_words(operand, words)


def load(x: Wave, inst: Instruction, size: int) -> list[Val]:
    """Dwords a lane; narrower data zero-extended."""
    return access.load(x, address(x, inst, inst.mod("offset")), size, ahead=False)


def store(x: Wave, inst: Instruction, size: int, words: list[Val]) -> None:
    """Store `size` bytes a lane."""
    access.store(x, address(x, inst, inst.mod("offset")), size, words)


def _load2(size: int, unit: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        where = address(x, inst, 0)
        places = inst.mod("offset0") * unit, inst.mod("offset1") * unit
        x.write_words(inst.dst[0], access.load_twice(x, where.base, where.offset, places, size))

    return run


def _store2(size: int, unit: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        for name, role in (("offset0", "data0"), ("offset1", "data1")):
            access.store(x, address(x, inst, inst.mod(name) * unit), size, data(x, inst, role, size // 4))

    return run


def _addtid(x: Wave, inst: Instruction) -> Address:
    from softrock.lift.regs import M0

    start = x.regs.scalar.read(M0) & 0xFFFF
    return Address(x.field("lds", "u64"), x.iota("u32", 4) + (start + inst.mod("offset")))


@raw("ds_load_addtid_b32")
def ds_load_addtid_b32(x: Wave, inst: Instruction) -> None:
    x.write_words(inst.dst[0], access.load(x, _addtid(x, inst), 4, ahead=False))


@raw("ds_store_addtid_b32")
def ds_store_addtid_b32(x: Wave, inst: Instruction) -> None:
    access.store(x, _addtid(x, inst), 4, data(x, inst, "data0", 1))


def _counter(x: Wave, inst: Instruction) -> str:
    from softrock.lift.regs import M0

    if inst.mod("gds"):
        raise x.unsupported(inst, "global data share")
    offset = (x.regs.scalar.read(M0) & 0xFFFF) + inst.mod("offset")
    return x.b.ptr(x.field("lds", "u64") + offset.to("u64"))


def _count(x: Wave, inst: Instruction, subtract: bool) -> None:
    pointer = _counter(x, inst)
    old = x.b.load(Ty("u", 32, 0), pointer, 4)
    lanes = x.exec_bits().popcount().to("u32")
    x.b.store(old - lanes if subtract else old + lanes, pointer, 4)
    x.write(inst.dst[0], old.splat(x.W))


@raw("ds_append")
def ds_append(x: Wave, inst: Instruction) -> None:
    """Add the number of active lanes to the counter at M0 plus offset; every lane gets its old value."""
    _count(x, inst, False)


@raw("ds_consume")
def ds_consume(x: Wave, inst: Instruction) -> None:
    """Subtract it."""
    _count(x, inst, True)


def store_by_lane(x: Wave, word: Val, offset: int) -> None:
    """Store a dword a lane at M0 plus offset, lanes side by side (loads that go to LDS)."""
    from softrock.lift.regs import M0

    start = (x.regs.scalar.read(M0) & 0xFFFFF) + offset
    access.store(x, Address(x.field("lds", "u64"), x.iota("u32", 4) + start), 4, [word])


@raw("ds_nop")
def ds_nop(x: Wave, inst: Instruction) -> None:
    """Nothing."""


def _to_lds(kind: str, size: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        store_by_lane(x, extend(load_words(x, inst, size)[0], kind), inst.mod("offset"))

    return run


for _kind, _size in {"b32": 4, "dword": 4, "u8": 1, "i8": 1, "u16": 2, "i16": 2}.items():
    raw(f"global_load_lds_{_kind}")(_to_lds(_kind, _size))
register("ds", load, store)
for _bits in (32, 64):
    raw(f"ds_load_2addr_b{_bits}")(_load2(_bits // 8, _bits // 8))
    raw(f"ds_load_2addr_stride64_b{_bits}")(_load2(_bits // 8, 8 * _bits))
    raw(f"ds_store_2addr_b{_bits}")(_store2(_bits // 8, _bits // 8))
    raw(f"ds_store_2addr_stride64_b{_bits}")(_store2(_bits // 8, 8 * _bits))

