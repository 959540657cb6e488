"""The loads and stores that every memory space has, in terms of one load and one store a space. Registers nothing."""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.instruction import Instruction
from softrock.lift.context import Wave
from softrock.lift.ir import Val
from softrock.lift.registry import raw

Raw = Callable[[Wave, Instruction], None]
Load = Callable[[Wave, Instruction, int], list[Val]]
"""``load(x, inst, size)`` gives the dwords of `size` bytes a lane, narrower data zero-extended."""
Store = Callable[[Wave, Instruction, int, list[Val]], None]
"""``store(x, inst, size, data)`` stores `size` bytes a lane from dwords."""
Put = Callable[[Wave, Instruction, list[Val]], None]
"""``put(x, inst, words)`` writes what was loaded to the destination."""

LOADS = {"b32": 4, "b64": 8, "b96": 12, "b128": 16, "u8": 1, "i8": 1, "u16": 2, "i16": 2}
STORES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}
D16 = {"u8": 1, "i8": 1, "b16": 2}
DS_D16 = {"u8": 1, "i8": 1, "u16": 2}


def to_registers(x: Wave, inst: Instruction, words: list[Val]) -> None:
    """Write loaded dwords to the destination under EXEC."""
    x.write_words(inst.dst[0], words)


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


def register(space: str, load: Load, store: Store, put: Put = to_registers) -> None:
    """Register a space's plain, narrow and half-register loads and stores under their canonical names."""
    local = space == "ds"
    for kind, size in LOADS.items():
        raw(f"{space}_load_{kind}")(_loader(load, put, kind, size))
    for kind, size in (DS_D16 if local else D16).items():
        for high in (False, True):
            form = f"{kind}_d16{'_hi' * high}" if local else f"d16{'_hi' * high}_{kind}"
            raw(f"{space}_load_{form}", reads_dst=True)(_half_loader(load, kind, size, high))
    for kind, size in STORES.items():
        raw(f"{space}_store_{kind}")(_storer(store, size, False))
    for kind in ("b8", "b16"):
        form = f"{kind}_d16_hi" if local else f"d16_hi_{kind}"
        raw(f"{space}_store_{form}")(_storer(store, STORES[kind], True))


def _loader(load: Load, put: Put, kind: str, size: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        words = load(x, inst, size)
        put(x, inst, [extend(words[0], kind), *words[1:]])

    return run


def _half_loader(load: Load, kind: str, size: int, high: bool) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        merge_d16(x, inst, load(x, inst, size)[0], kind, high)

    return run


def _storer(store: Store, size: int, high: bool) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        data = inst.get("vdata") or inst.get("data0")
        if data is None:
            raise x.unsupported(inst, "no data register")
        words = x.read_words(data, max(1, size // 4))
        if high or data.half:
            words[0] = words[0] >> 16
        store(x, inst, size, words)

    return run
