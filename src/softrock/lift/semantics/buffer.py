"""MUBUF loads and stores: memory through a four-dword resource descriptor (ISA guides: "Vector memory buffer
instructions").

Out-of-range loads give 0 and stores are dropped. gfx9 checks raw buffers byte offset against NUM_RECORDS and
structured ones (a stride, and an index) by index; gfx10 and later choose by the descriptor's OOB_SELECT field.
"""

from __future__ import annotations

from dataclasses import dataclass

from softrock.codeobj.kernel import has_architected_flat_scratch
from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Val
from softrock.lift.lines import Address
from softrock.lift.semantics import lds
from softrock.lift.semantics.memory_forms import register, to_registers
from softrock.lift.wave import PRIVATE_MARK, PRIVATE_SHIFT

_STRUCTURED, _BY_INDEX, _NONE, _RAW = range(4)


@dataclass(frozen=True, slots=True)
class Place:
    """Lane addresses of a buffer access and the u1 lanes that are in range."""

    where: Address
    inside: Val


def locate(x: Wave, inst: Instruction, size: int) -> Place:
    """Addresses and range check for `size` bytes a lane."""
    srsrc, vaddr, soffset = inst.get("srsrc"), inst.get("vaddr"), inst.get("soffset")
    if srsrc is None:
        raise x.unsupported(inst, "no resource")
    if inst.mod("tfe"):
        raise x.unsupported(inst, "tfe")
    bank, r = x.regs.scalar, srsrc.index
    word = [bank.read(r + k) for k in range(4)]
    base = ((word[1] & 0xFFFF).to("u64") << 32) | word[0].to("u64")
    stride = (word[1] >> 16) & 0x3FFF
    scalar_offset = x.read_scalar(soffset, "u32") if soffset is not None else x.scalar("u32", 0)
    index = offset = None
    if vaddr is not None:
        first = x.bank_index(vaddr)
        if inst.mod("idxen"):
            index = x.vector(first)
            first += 1
        if inst.mod("offen"):
            offset = x.vector(first)
    private = _is_private(x, word, size)
    _refuse_swizzle(x, word, private)
    in_record = (offset if offset is not None else x.const("u32", 0)).to("u64") + inst.mod("offset")
    linear = in_record
    if index is not None:
        linear = linear + index.to("u64") * stride.to("u64")
    inside = _in_range(x, word, stride, scalar_offset, index, in_record, linear, size)
    if private is not None:
        own = private.splat(x.W)
        dword = (in_record >> 2) * (4 * x.W) + x.iota("u64", 4) + (in_record & 3)
        linear, inside = own.select(dword, linear), inside | own
    return Place(Address(base + scalar_offset.to("u64"), linear), inside)


def _is_private(x: Wave, word: list[Val], size: int) -> Val | None:
    """Whether the descriptor is the wave's scratch (u1), which gfx90a's code reaches dword by dword through one; None
    where no code does."""
    if has_architected_flat_scratch(x.target.name) or not x.uses_scratch or size > 4:
        return None
    return ((word[3] >> PRIVATE_SHIFT) & PRIVATE_MARK).eq(PRIVATE_MARK)


def _refuse_swizzle(x: Wave, word: list[Val], private: Val | None) -> None:
    """A swizzled buffer or one that adds the thread id, and is not scratch, would be addressed wrongly: end the
    kernel with a clear fault."""
    swizzled = (word[1] >> 31) if x.target.major < 11 else (word[1] >> 30)
    add_tid = (word[3] >> 23) & 1
    bad = (swizzled | add_tid).ne(0)
    if private is not None:
        bad = bad & ~private
    stop, on = x.b.new_block("swizzled"), x.b.new_block("linear")
    x.b.cond_branch(bad, stop, on, (1, 1000))
    x.b.begin(stop)
    address = x.inst.address if x.inst is not None else 0
    x.b.call_void("sr_unsupported", "%wave", x.scalar("u64", address), x.scalar("u32", 1))
    x.b.branch(on)
    x.b.begin(on)


def _in_range(
    x: Wave,
    word: list[Val],
    stride: Val,
    scalar_offset: Val,
    index: Val | None,
    in_record: Val,
    linear: Val,
    size: int,
) -> Val:
    records = word[2].to("u64").splat(x.W)
    raw_ok = (linear + scalar_offset.to("u64") + size).le(records)
    if x.target.major < 10:
        if index is None:
            return raw_ok
        by_index = index.to("u64").lt(records)
        return stride.ne(0).splat(x.W).select(by_index, raw_ok)
    select = (word[3] >> 28) & 3
    number = index.to("u64") if index is not None else x.const("u64", 0)
    by_index = number.lt(records)
    structured = by_index & (in_record + size).le(stride.to("u64").splat(x.W))
    some = records.ne(0)
    result = select.eq(_RAW).splat(x.W).select(raw_ok, some)
    result = select.eq(_BY_INDEX).splat(x.W).select(by_index, result)
    return select.eq(_STRUCTURED).splat(x.W).select(structured, result)


def _load(x: Wave, inst: Instruction, size: int) -> list[Val]:
    place = locate(x, inst, size)
    words = max(1, size // 4)

    def bounded() -> list[Val]:
        with x.restricted(place.inside):
            return access.load(x, place.where, size)

    if not x.full:
        return bounded()
    return access.choose(
        x, [(lambda: place.inside.all(), lambda: access.load(x, place.where, size)), (None, bounded)], words
    )


def _store(x: Wave, inst: Instruction, size: int, data: list[Val]) -> None:
    place = locate(x, inst, size)

    def bounded() -> list[Val]:
        with x.restricted(place.inside):
            access.store(x, place.where, size, data)
        return []

    def whole() -> list[Val]:
        access.store(x, place.where, size, data)
        return []

    if not x.full:
        bounded()
    else:
        access.choose(x, [(lambda: place.inside.all(), whole), (None, bounded)], 0)


def _put(x: Wave, inst: Instruction, words: list[Val]) -> None:
    """To registers, or straight to LDS where the instruction says so."""
    if not inst.mod("lds"):
        to_registers(x, inst, words)
    elif len(words) > 1:
        raise x.unsupported(inst, "more than a dword to LDS")
    else:
        lds.store_by_lane(x, words[0], inst.mod("offset"))


register("buffer", _load, _store, _put)
