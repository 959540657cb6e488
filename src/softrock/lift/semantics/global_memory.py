"""GLOBAL and FLAT loads and stores (ISA guides: "Flat memory instructions").

A FLAT address in the shared aperture is the host address of the LDS itself, so only the private aperture needs a
test, and only in kernels that have private memory.
"""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.access import Address
from softrock.lift.context import Wave
from softrock.lift.ir import Val
from softrock.lift.registry import raw

Raw = Callable[[Wave, Instruction], None]

_LOADS = {"b32": 4, "b64": 8, "b96": 12, "b128": 16, "u8": 1, "i8": 1, "u16": 2, "i16": 2}
_STORES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}
_D16 = {"u8": 1, "i8": 1, "b16": 2}


def address(x: Wave, inst: Instruction) -> Address:
    """The lanes' addresses of a GLOBAL or FLAT instruction."""
    vaddr, saddr = inst.get("vaddr"), inst.get("saddr")
    offset = inst.mod("offset")
    if vaddr is None:
        raise x.unsupported(inst, "no address register")
    if saddr is not None:
        return Address(x.read_scalar(saddr, "u64") + offset, x.regs.vector.read(x.bank_index(vaddr)))
    return Address(x.scalar("u64", offset), x.regs.vector.read_pair(x.bank_index(vaddr)))


def maybe_private(x: Wave, inst: Instruction) -> bool:
    """Whether a FLAT instruction may touch private memory."""
    return inst.format == "FLAT" and x.uses_scratch


def _any_private(x: Wave, where: Address) -> Val:
    high = (access.lane_addresses(x, where) >> 32).to("u32")
    private = high.eq((x.field("private_base", "u64") >> 32).to("u32"))
    return (private & x.exec_mask() if not x.full else private).any()


def load_words(x: Wave, inst: Instruction, size: int) -> list[Val]:
    """Dwords a lane for a load of `size` bytes."""
    where = address(x, inst)
    if not maybe_private(x, inst):
        return access.load(x, where, size)
    words = max(1, size // 4)
    return access.choose(
        x,
        [
            (lambda: ~_any_private(x, where), lambda: access.load(x, where, size)),
            (
                None,
                lambda: access.call_load(
                    x, "sr_flat_load", ("%wave",), [access.lane_addresses(x, where)], size
                ),
            ),
        ],
        words,
    )


def store_words(x: Wave, inst: Instruction, size: int, data: list[Val]) -> None:
    """Store `size` bytes a lane."""
    where = address(x, inst)
    if not maybe_private(x, inst):
        access.store(x, where, size, data)
        return

    def plain() -> list[Val]:
        access.store(x, where, size, data)
        return []

    def mixed() -> list[Val]:
        access.call_store(x, "sr_flat_store", ("%wave",), [access.lane_addresses(x, where)], size, data)
        return []

    access.choose(x, [(lambda: ~_any_private(x, where), plain), (None, mixed)], 0)


def extend(word: Val, kind: str) -> Val:
    """Sign-extend i8 and i16 data; u8 and u16 come zero-extended."""
    if kind in ("i8", "i16"):
        return word.to(f"u{kind[1:]}").bits_as(kind).to("i32").bits_as("u32")
    return word


def merge_d16(x: Wave, inst: Instruction, word: Val, kind: str, high: bool) -> None:
    """Write 16 bits of a loaded word into half of the destination, keeping the other half."""
    dst = inst.dst[0]
    half = extend(word, kind) & 0xFFFF
    high = bool(dst.half) if dst.half is not None else high
    old = x.regs.vector.read(x.bank_index(dst))
    x.write_word(x.bank_index(dst), (old & 0xFFFF) | (half << 16) if high else (old & 0xFFFF0000) | half)


def half_of(x: Wave, word: Val, high: bool) -> Val:
    """The half of a data register that a 16-bit store takes."""
    return word >> 16 if high else word


def _register() -> None:
    for space in ("global", "flat"):
        for kind, size in _LOADS.items():
            raw(f"{space}_load_{kind}")(_loader(kind, size))
        for kind, size in _D16.items():
            raw(f"{space}_load_d16_{kind}", reads_dst=True)(_d16_loader(kind, size, False))
            raw(f"{space}_load_d16_hi_{kind}", reads_dst=True)(_d16_loader(kind, size, True))
        for kind, size in _STORES.items():
            raw(f"{space}_store_{kind}")(_storer(size, False))
        for kind in ("b8", "b16"):
            raw(f"{space}_store_d16_hi_{kind}")(_storer(_STORES[kind], True))


def _loader(kind: str, size: int) -> Raw:
    def load(x: Wave, inst: Instruction) -> None:
        words = load_words(x, inst, size)
        x.write_words(inst.dst[0], [extend(words[0], kind), *words[1:]])

    return load


def _d16_loader(kind: str, size: int, high: bool) -> Raw:
    def load(x: Wave, inst: Instruction) -> None:
        merge_d16(x, inst, load_words(x, inst, size)[0], kind, high)

    return load


def _storer(size: int, high: bool) -> Raw:
    def store(x: Wave, inst: Instruction) -> None:
        data = inst.get("vdata")
        if data is None:
            raise x.unsupported(inst, "no data register")
        words = x.read_words(data, max(1, size // 4))
        store_words(x, inst, size, [half_of(x, words[0], high or bool(data.half)), *words[1:]])

    return store


_register()
