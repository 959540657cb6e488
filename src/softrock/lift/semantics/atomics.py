"""Atomic operations on global, flat, buffer and local memory. Lanes act in lane order, one host atomic each.

Operation numbers are shared with exec/native/atomics.c.
"""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.context import Wave
from softrock.lift.ir import Val
from softrock.lift.registry import raw
from softrock.lift.semantics import buffer, global_memory, lds
from softrock.lift.semantics.memory_forms import Raw

CODES = {
    name: code
    for code, name in enumerate(
        [
            "swap",
            "cmpswap",
            "add",
            "sub",
            "rsub",
            "smin",
            "umin",
            "smax",
            "umax",
            "and",
            "or",
            "xor",
            "inc",
            "dec",
            "fadd",
            "fmin",
            "fmax",
            "pk_add_f16",
            "pk_add_bf16",
            "cond_sub",
            "sub_clamp",
            "mskor",
            "fcmpswap",
        ]
    )
}

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
    addresses: Val,
    data: list[Val],
    compare: list[Val] | None,
    local: bool,
) -> None:
    """Do the atomic in every active lane and write the old values to the destination, if there is one."""
    words = bits // 32
    where = access.spill(x, "lane_at", [addresses])
    if global_memory.maybe_private(x, inst):
        access.note_place(x)
        x.b.call_void("sr_flat_resolve", "%wave", where, access.mask64(x), x.scalar("u32", x.W))
    values = access.spill(x, "lane_in", data)
    compared = access.spill(x, "lane_cmp", compare) if compare is not None else "null"
    returned = access.clear(x, "lane_out", words) if inst.dst else "null"
    access.note_place(x)
    tail = [x.scalar("u32", int(local))] + ([x.scalar("u32", x.W)] if bits == 64 else [])
    x.b.call_void(
        f"sr_atomic{bits}",
        x.scalar("u32", CODES[code]),
        where,
        access.mask64(x),
        values,
        compared,
        returned,
        *tail,
    )
    if inst.dst:
        x.write_words(inst.dst[0], access.unspill(x, "lane_out", words))


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
        addresses = access.lane_addresses(x, global_memory.address(x, inst))
        perform(x, inst, code, bits, addresses, data, compare, False)

    return run


def _buffer(code: str, bits: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        data, compare = _operands(x, inst, code, bits)
        place = buffer.locate(x, inst, bits // 8)
        returning = bool(inst.mod("glc") or inst.mod("sc0") or inst.mod("th"))
        with x.restricted(place.inside):
            if inst.dst or not returning:
                perform(x, inst, code, bits, access.lane_addresses(x, place.where), data, compare, False)
            else:
                raise x.unsupported(inst, "atomic with return and no destination")

    return run


def _local(code: str, bits: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        words = bits // 32
        addresses = access.lane_addresses(x, lds.address(x, inst, inst.mod("offset")))
        data = lds.data(x, inst, "data0", words)
        compare = None
        if code in ("cmpswap", "fcmpswap", "mskor"):
            compare = lds.data(x, inst, "data1", words)
            if code != "mskor" and x.target.major < 11:
                # ds_cmpst has the compare value first, ds_cmpstore the new one (ISA guides, DS opcodes).
                data, compare = compare, data
        perform(x, inst, code, bits, addresses, data, compare, True)

    return run


def _exchange2(bits: int, unit: int) -> Raw:
    def run(x: Wave, inst: Instruction) -> None:
        words = bits // 32
        dst = inst.dst[0]
        for k, (name, role) in enumerate((("offset0", "data0"), ("offset1", "data1"))):
            where = access.spill(x, "lane_at", [access.lane_addresses(x, lds.address(x, inst, inst.mod(name) * unit))])
            values = access.spill(x, "lane_in", lds.data(x, inst, role, words))
            out = access.clear(x, "lane_out", words)
            tail = [x.scalar("u32", 1)] + ([x.scalar("u32", x.W)] if bits == 64 else [])
            access.note_place(x)
            x.b.call_void(
                f"sr_atomic{bits}",
                x.scalar("u32", CODES["swap"]),
                where,
                access.mask64(x),
                values,
                "null",
                out,
                *tail,
            )
            x.write_words(dst, access.unspill(x, "lane_out", words), start=k * words)

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
