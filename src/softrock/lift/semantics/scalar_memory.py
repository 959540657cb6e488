"""Scalar loads (ISA guides: "Scalar memory operations")."""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.registry import raw
from softrock.lift.semantics.memory_forms import Raw


def _offset(x: Wave, inst: Instruction) -> Val:
    soffset = inst.get("soffset")
    total = x.scalar("u64", inst.mod("offset"))
    return total + x.read_scalar(soffset, "u32").to("u64") if soffset is not None else total


def _words(x: Wave, address: Val, count: int) -> list[Val]:
    pointer = x.b.ptr(address)
    if count == 1:
        return [x.b.load(Ty("u", 32, 0), pointer, 4)]
    if count == 2:
        return [x.b.load(Ty("u", 64, 0), pointer, 4)]
    wide = x.b.load(Ty("u", 32, count), pointer, 4)
    return [wide.lane(k) for k in range(count)]


def _put(x: Wave, inst: Instruction, words: list[Val]) -> None:
    index = inst.dst[0].index
    if len(words) == 1:  # one dword, or one pair as u64
        x.write_scalar(inst.dst[0], words[0])
    else:
        for k, word in enumerate(words):
            x.regs.scalar.write(index + k, word)


def _narrow(x: Wave, address: Val, kind: str) -> Val:
    bits = int(kind[1:])
    word = x.b.load(Ty("u", bits, 0), x.b.ptr(address), 1)
    return word.bits_as(kind).to("i32" if kind[0] == "i" else "u32").bits_as("u32")


def _load(count: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        sbase = inst.get("sbase")
        if sbase is None:
            raise x.unsupported(inst, "no base")
        address = (x.read_scalar(sbase, "u64") + _offset(x, inst)) & ~3
        _put(x, inst, _words(x, address, count))

    return run


def _load_narrow(kind: str) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        sbase = inst.get("sbase")
        if sbase is None:
            raise x.unsupported(inst, "no base")
        x.write_scalar(inst.dst[0], _narrow(x, x.read_scalar(sbase, "u64") + _offset(x, inst), kind))

    return run


def _buffer_load(count: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        sbase = inst.get("sbase")
        if sbase is None:
            raise x.unsupported(inst, "no buffer")
        bank, r = x.regs.scalar, sbase.index
        word1 = bank.read(r + 1)
        base = ((word1 & 0xFFFF).to("u64") << 32) | bank.read(r).to("u64")
        stride = ((word1 >> 16) & 0x3FFF).to("u64")
        records = bank.read(r + 2).to("u64")
        limit = stride.eq(0).select(records, records * stride)
        offset = _offset(x, inst) & ~3
        values: list[Val] = []
        for k in range(count):
            at = offset + 4 * k
            inside = (at + 4).le(limit)

            def get(at: Val = at) -> list[Val]:
                return _words(x, base + at, 1)

            def zero() -> list[Val]:
                return [x.scalar("u32", 0)]

            def test(inside: Val = inside) -> Val:
                return inside

            values += access.choose(x, [(test, get), (None, zero)], 1)
        _put(x, inst, values)

    return run


for _n, _name in ((1, "b32"), (2, "b64"), (3, "b96"), (4, "b128"), (8, "b256"), (16, "b512")):
    raw(f"s_load_{_name}")(_load(_n))
    raw(f"s_buffer_load_{_name}")(_buffer_load(_n))
for _name in ("u8", "i8", "u16", "i16"):
    raw(f"s_load_{_name}")(_load_narrow(_name))
