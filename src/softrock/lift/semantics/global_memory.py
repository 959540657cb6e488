"""GLOBAL and FLAT loads and stores (ISA guides: "Flat memory instructions").

A FLAT address in the shared aperture is the host address of the LDS itself, so only the private aperture needs a
test, and only in kernels that have private memory.
"""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Val
from softrock.lift.lines import Address
from softrock.lift.semantics.memory_forms import register


def address(x: Wave, inst: Instruction) -> Address:
    """The lanes' addresses of a GLOBAL or FLAT instruction."""
    vaddr, saddr = inst.get("vaddr"), inst.get("saddr")
    offset = inst.mod("offset")
    if vaddr is None:
        raise x.unsupported(inst, "no address register")
    if saddr is not None:
        return Address(x.read_scalar(saddr, "u64") + offset, x.vector(x.bank_index(vaddr)))
    return Address(x.scalar("u64", offset), x.vector_pair(x.bank_index(vaddr)))


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


for _space in ("global", "flat"):
    register(_space, load_words, store_words)
