"""Atomic operations on global, flat, buffer and local memory: their operands and names.

What they do is in :mod:`softrock.lift.semantics.atomic_ops`.
"""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.lines import Address
from softrock.lift.registry import raw
from softrock.lift.semantics import atomic_ops, buffer, global_memory, lds
from softrock.lift.semantics.atomic_ops import Atomic
from softrock.lift.semantics.memory_forms import Raw

INLINE_LIMIT = 12
"""So many atomics of a function stand in line."""

_INTEGER = {
    "swap_b": "swap",
    "cmpswap_b": "cmpswap",
    "add_u": "add",
    "sub_u": "sub",
    "min_i": "smin",
    "min_u": "umin",
    "max_i": "smax",
    "max_u": "umax",
    "and_b": "and",
    "or_b": "or",
    "xor_b": "xor",
    "inc_u": "inc",
    "dec_u": "dec",
}
_OTHER = {
    "add_f32": ("fadd", 32),
    "min_f32": ("fmin", 32),
    "max_f32": ("fmax", 32),
    "min_num_f32": ("fmin", 32),
    "max_num_f32": ("fmax", 32),
    "add_f64": ("fadd", 64),
    "min_f64": ("fmin", 64),
    "max_f64": ("fmax", 64),
    "min_num_f64": ("fmin", 64),
    "max_num_f64": ("fmax", 64),
    "pk_add_f16": ("pk_add_f16", 32),
    "pk_add_bf16": ("pk_add_bf16", 32),
    "cmpswap_f32": ("fcmpswap", 32),
    "csub_u32": ("sub_clamp", 32),
    "sub_clamp_u32": ("sub_clamp", 32),
    "cond_sub_u32": ("cond_sub", 32),
}


def perform(
    x: Wave,
    inst: Instruction,
    code: str,
    bits: int,
    where: Address,
    data: list[Val],
    compare: list[Val] | None,
    local: bool,
    start: int = 0,
) -> None:
    """Do the atomic in every active lane and write the old values to the destination's dwords from `start`, if there
    is one."""
    base, offset = where.base, where.offset
    if global_memory.maybe_private(x, inst):
        base, offset = x.scalar("u64", 0), access.lane_addresses(x, where)
        resolved = access.spill(x, "lane_at", [offset])
        access.note_place(x)
        x.b.call_void("sr_flat_resolve", "%wave", resolved, access.mask64(x), x.scalar("u32", x.W))
        offset = x.b.op(offset.ty, f"load {offset.ty.llvm}, ptr {resolved}, align 64")
    data_value = _joined(data)
    compare_value = None if compare is None else _joined(compare)
    x.atomics.add(inst.address)  # a block may be translated more than once
    if x.compact or len(x.atomics) > INLINE_LIMIT:
        old = _outlined(x, code, bits, local, bool(inst.dst), [base, offset, data_value, compare_value])
    else:
        active = None if x.full else x.exec_bits()
        atomic = Atomic.of(x, code, bits, local, base, offset, data_value, compare_value, bool(inst.dst))
        atomic_ops.perform(x, atomic, active)
        old = _returned(x, atomic)
    if old is not None:
        words = [old] if bits == 32 else [old.to("u32"), (old >> 32).to("u32")]
        x.write_words(inst.dst[0], words, start)


def _joined(words: list[Val]) -> Val:
    """One or two dwords as one value."""
    return words[0] if len(words) == 1 else (words[1].to("u64") << 32) | words[0].to("u64")


def _returned(x: Wave, atomic: Atomic) -> Val | None:
    if atomic.returned is None:
        return None
    ty = Ty("u", atomic.bits, x.W)
    return x.b.op(ty, f"load {ty.llvm}, ptr {atomic.returned}, align 64")


def _outlined(x: Wave, code: str, bits: int, local: bool, returns: bool, given: list[Val | None]) -> Val | None:
    """As a call of a function that every atomic of its kind shares."""
    args = [v for v in given if v is not None]

    def body(inner: Wave, inside: list[Val]) -> list[Val]:
        compare = inside[3] if len(inside) > 3 else None
        atomic = Atomic.of(inner, code, bits, local, inside[0], inside[1], inside[2], compare, returns)
        atomic_ops.perform(inner, atomic, inner.exec_bits())
        old = _returned(inner, atomic)
        return [] if old is None else [old]

    kind = f"atomic_{code}_{bits}_{args[1].bits}{'_lds' if local else ''}{'_rtn' if returns else ''}"
    out = access.outline(x, kind, args, [Ty("u", bits, x.W)] if returns else [], body)
    return out[0] if out else None


def _operands(x: Wave, inst: Instruction, code: str, bits: int) -> tuple[list[Val], list[Val] | None]:
    """Data and compare values of a GLOBAL, FLAT or buffer atomic: a compare-and-swap packs both in vdata."""
    vdata = inst.get("vdata")
    if vdata is None:
        raise x.unsupported(inst, "no data register")
    words = bits // 32
    if code in ("cmpswap", "fcmpswap"):
        both = x.read_words(vdata, 2 * words)
        return both[:words], both[words:]
    return x.read_words(vdata, words), None


def _global(code: str, bits: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        data, compare = _operands(x, inst, code, bits)
        perform(x, inst, code, bits, global_memory.address(x, inst), data, compare, False)

    return run


def _buffer(code: str, bits: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        data, compare = _operands(x, inst, code, bits)
        place = buffer.locate(x, inst, bits // 8)
        returning = bool(inst.mod("glc") or inst.mod("sc0") or inst.mod("th"))
        with x.restricted(place.inside):
            if inst.dst or not returning:
                perform(x, inst, code, bits, place.where, data, compare, False)
            else:
                raise x.unsupported(inst, "atomic with return and no destination")

    return run


def _local(code: str, bits: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        words = bits // 32
        where = lds.address(x, inst, inst.mod("offset"))
        data = lds.data(x, inst, "data0", words)
        compare = None
        if code in ("cmpswap", "fcmpswap", "mskor"):
            compare = lds.data(x, inst, "data1", words)
            if code != "mskor" and x.target.major < 11:
                # ds_cmpst has the compare value first, ds_cmpstore the new one (ISA guides, DS opcodes).
                data, compare = compare, data
        perform(x, inst, code, bits, where, data, compare, True)

    return run


def _exchange2(bits: int, unit: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        for k, (name, role) in enumerate((("offset0", "data0"), ("offset1", "data1"))):
            where = lds.address(x, inst, inst.mod(name) * unit)
            data = lds.data(x, inst, role, bits // 32)
            perform(x, inst, "swap", bits, where, data, None, True, k * (bits // 32))

    return run


def _register() -> None:
    plain = {f"{stem}{bits}": (code, bits) for stem, code in _INTEGER.items() for bits in (32, 64)} | _OTHER
    for name, (code, bits) in plain.items():
        raw(f"global_atomic_{name} flat_atomic_{name}", reads_dst=True)(_global(code, bits))
        raw(f"buffer_atomic_{name}", reads_dst=True)(_buffer(code, bits))
    local: dict[str, tuple[str, int]] = {
        n: v for n, v in plain.items() if not n.startswith(("swap_b", "cmpswap", "csub"))
    }
    for bits in (32, 64):
        local[f"rsub_u{bits}"] = ("rsub", bits)
        local[f"mskor_b{bits}"] = ("mskor", bits)
        local[f"cmpstore_b{bits}"] = ("cmpswap", bits)
        local[f"cmpstore_f{bits}"] = ("fcmpswap", bits)
    for name, (code, bits) in local.items():
        stem, _, kind = name.rpartition("_")
        raw(f"ds_{name} ds_{stem}_rtn_{kind}")(_local(code, bits))
    for bits in (32, 64):
        raw(f"ds_storexchg_rtn_b{bits}")(_local("swap", bits))
        raw(f"ds_storexchg_2addr_rtn_b{bits}")(_exchange2(bits, bits // 8))
        raw(f"ds_storexchg_2addr_stride64_rtn_b{bits}")(_exchange2(bits, 8 * bits))


_register()
