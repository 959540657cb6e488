"""Scalar integer operations: SOP1, SOP2, SOPC and SOPK, with SCC as the ISA guides give it.

Sources: AMD "MI300 ISA" (CDNA3) and "RDNA3 ISA" guides, chapters SOP1-SOPK; "RDNA4 ISA" for the gfx12 forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Operand
from softrock.lift import forms
from softrock.lift.ir import Val
from softrock.lift.registry import raw, salu

if TYPE_CHECKING:
    from softrock.lift.context import Wave

# -- sums and products -----------------------------------------------------------------------------


def _signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@salu("s_add_u32 s_add_co_u32", "u32 scc <- u32 u32")
def add_u32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    out = a + b
    for pc, constant in ((a, b), (b, a)):
        if pc.note is not None and pc.note[0] == "pclo" and isinstance(constant.const, int) and out is not pc:
            out.note = ("pclo", pc.note[1] + _signed(constant.const))
            return out, out.lt(a)
    return forms.add_low(a, b)


@salu("s_addc_u32 s_add_co_ci_u32", "u32 scc <- u32 u32 scc")
def addc_u32(x: Wave, a: Val, b: Val, carry: Val) -> tuple[Val, Val]:
    found = forms.add_high(a, b, carry)
    if found is not None:
        return found
    wide = a.to("u64") + b.to("u64") + carry.to("u64")
    out = wide.to("u32")
    for pc, constant in ((a, b), (b, a)):
        if pc.note is not None and pc.note[0] == "pchi" and isinstance(constant.const, int):
            out.note = pc.note
    return out, (wide >> 32).ne(0)


@salu("s_sub_u32 s_sub_co_u32", "u32 scc <- u32 u32")
def sub_u32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    return a - b, a.lt(b)


@salu("s_subb_u32 s_sub_co_ci_u32", "u32 scc <- u32 u32 scc")
def subb_u32(x: Wave, a: Val, b: Val, borrow: Val) -> tuple[Val, Val]:
    wide = a.to("u64") - b.to("u64") - borrow.to("u64")
    return wide.to("u32"), (wide >> 32).ne(0)


@salu("s_add_i32 s_add_co_i32", "i32 scc <- i32 i32")
def add_i32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    out = a + b
    return out, ((a ^ out) & (b ^ out)).lt(0)


@salu("s_sub_i32 s_sub_co_i32", "i32 scc <- i32 i32")
def sub_i32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    out = a - b
    return out, ((a ^ b) & (a ^ out)).lt(0)


@salu("s_addk_i32 s_addk_co_i32", "i32 scc <- dst:i32 simm16")
def addk_i32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    return add_i32(x, a, b)  # type: ignore[no-any-return]


@salu("s_mulk_i32", "i32 <- dst:i32 simm16")
def mulk_i32(x: Wave, a: Val, b: Val) -> Val:
    return a * b


@salu("s_mul_i32", "i32 <- i32 i32")
def mul_i32(x: Wave, a: Val, b: Val) -> Val:
    return a * b


@salu("s_mul_u64", "u64 <- u64 u64")
def mul_u64(x: Wave, a: Val, b: Val) -> Val:
    return a * b


@salu("s_mul_hi_u32", "u32 <- u32 u32")
def mul_hi_u32(x: Wave, a: Val, b: Val) -> Val:
    return ((a.to("u64") * b.to("u64")) >> 32).to("u32")


@salu("s_mul_hi_i32", "i32 <- i32 i32")
def mul_hi_i32(x: Wave, a: Val, b: Val) -> Val:
    return ((a.to("i64") * b.to("i64")) >> 32).to("i32")


@salu("s_add_nc_u64 s_add_u64", "u64 <- u64 u64")
def add_u64(x: Wave, a: Val, b: Val) -> Val:
    out = a + b
    if a.note is not None and a.note[0] == "pc" and isinstance(b.const, int) and out is not a:
        out.note = ("pc", a.note[1] + _signed(b.const, 64))
    return out


@salu("s_sub_nc_u64 s_sub_u64", "u64 <- u64 u64")
def sub_u64(x: Wave, a: Val, b: Val) -> Val:
    return a - b


@salu("s_absdiff_i32", "i32 scc <- i32 i32")
def absdiff_i32(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    diff = a - b
    out = diff.lt(0).select(-diff, diff)
    return out, out.ne(0)


@salu("s_abs_i32", "i32 scc <- i32")
def abs_i32(x: Wave, a: Val) -> tuple[Val, Val]:
    out = a.lt(0).select(-a, a)
    return out, out.ne(0)


def _shifted_add(shift: int) -> None:
    @salu(f"s_lshl{shift}_add_u32", "u32 scc <- u32 u32")
    def shifted_add(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
        wide = (a.to("u64") << shift) + b.to("u64")
        return wide.to("u32"), (wide >> 32).ne(0)


def _min_max(kind: str) -> None:
    @salu(f"s_min_{kind}", f"{kind} scc <- {kind} {kind}")
    def smaller(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
        return a.imin(b), a.lt(b)

    @salu(f"s_max_{kind}", f"{kind} scc <- {kind} {kind}")
    def larger(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
        return a.imax(b), a.ge(b)


for _n in (1, 2, 3, 4):
    _shifted_add(_n)
for _kind in ("i32", "u32"):
    _min_max(_kind)

# -- bits ------------------------------------------------------------------------------------------

_LOGIC: dict[str, Callable[[Val, Val], Val]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
    "and_not1 andn2": lambda a, b: a & ~b,
    "or_not1 orn2": lambda a, b: a | ~b,
    "and_not0 andn1": lambda a, b: ~a & b,
    "or_not0 orn1": lambda a, b: ~a | b,
}
"""The two-source logic; the same table serves s_*_b32/b64 and s_*_saveexec / wrexec with EXEC as the second source."""


def _logic(words: str, bits: int) -> None:
    combine = _LOGIC[words]
    kind = f"u{bits}"
    stems = words.split()

    @salu(" ".join(f"s_{stem}_b{bits}" for stem in stems), f"{kind} scc <- {kind} {kind}")
    def logic(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
        out = combine(a, b)
        return out, out.ne(0)

    def exec_step(x: Wave, inst: Instruction, give_new: bool) -> None:
        if bits != x.W:
            raise x.unsupported(inst, f"a {bits}-bit EXEC operation in wave{x.W}")
        old = x.exec_bits()
        new = combine(x.read_scalar(inst.src[0], kind), old)
        x.set_exec(new)
        x.regs.set_scc(new.ne(0))
        x.write_scalar(inst.dst[0], new if give_new else old)

    @raw(" ".join(f"s_{stem}_saveexec_b{bits}" for stem in stems), silent=True)
    def save_exec(x: Wave, inst: Instruction) -> None:
        exec_step(x, inst, give_new=False)

    @raw(" ".join(f"s_{stem}_wrexec_b{bits}" for stem in stems), silent=True)
    def write_exec(x: Wave, inst: Instruction) -> None:
        exec_step(x, inst, give_new=True)


def _quads(a: Val) -> Val:
    """Bit 4k set where any bit of quad k is."""
    any_bit = a | (a >> 1)
    any_bit = any_bit | (any_bit >> 2)
    return any_bit & (0x1111111111111111 >> (64 - a.bits))


def _bits(bits: int) -> None:
    u, i = f"u{bits}", f"i{bits}"

    @salu(f"s_not_b{bits}", f"{u} scc <- {u}")
    def invert(x: Wave, a: Val) -> tuple[Val, Val]:
        out = ~a
        return out, out.ne(0)

    @salu(f"s_mov_b{bits}", f"{u} <- {u}")
    def move(x: Wave, a: Val) -> Val:
        return a

    @salu(f"s_cmov_b{bits}", f"{u} <- {u} dst:{u} scc")
    def conditional_move(x: Wave, a: Val, old: Val, scc: Val) -> Val:
        return scc.select(a, old)

    @salu(f"s_cselect_b{bits}", f"{u} <- {u} {u} scc")
    def choose(x: Wave, a: Val, b: Val, scc: Val) -> Val:
        return scc.select(a, b)

    @salu(f"s_lshl_b{bits}", f"{u} scc <- {u} u32")
    def left(x: Wave, a: Val, count: Val) -> tuple[Val, Val]:
        out = a << count
        return out, out.ne(0)

    @salu(f"s_lshr_b{bits}", f"{u} scc <- {u} u32")
    def right(x: Wave, a: Val, count: Val) -> tuple[Val, Val]:
        out = a >> count
        return out, out.ne(0)

    @salu(f"s_ashr_i{bits}", f"{i} scc <- {i} u32")
    def arithmetic_right(x: Wave, a: Val, count: Val) -> tuple[Val, Val]:
        out = a >> count
        return out, out.ne(0)

    @salu(f"s_bfm_b{bits}", f"{u} <- u32 u32")
    def field_mask(x: Wave, width: Val, offset: Val) -> Val:
        return ((x.scalar(u, 1) << width) - 1) << offset

    @salu(f"s_bfe_u{bits}", f"{u} scc <- {u} u32")
    def extract(x: Wave, a: Val, spec: Val) -> tuple[Val, Val]:
        width = (spec >> 16) & 127
        mask = width.ge(bits).select(x.scalar(u, -1), (x.scalar(u, 1) << width) - 1)
        out = (a >> spec) & mask
        return out, out.ne(0)

    @salu(f"s_bfe_i{bits}", f"{i} scc <- {i} u32")
    def extract_signed(x: Wave, a: Val, spec: Val) -> tuple[Val, Val]:
        width = (spec >> 16) & 127
        spare = x.scalar("u32", bits) - width
        field = ((a >> spec) << spare) >> spare
        out = width.eq(0).select(x.scalar(i, 0), width.ge(bits).select(a >> spec, field))
        return out, out.ne(0)

    @salu(f"s_bcnt1_i32_b{bits}", f"u32 scc <- {u}")
    def ones(x: Wave, a: Val) -> tuple[Val, Val]:
        out = a.popcount().to("u32")
        return out, out.ne(0)

    @salu(f"s_bcnt0_i32_b{bits}", f"u32 scc <- {u}")
    def zeros(x: Wave, a: Val) -> tuple[Val, Val]:
        out = (~a).popcount().to("u32")
        return out, out.ne(0)

    @salu(f"s_ctz_i32_b{bits} s_ff1_i32_b{bits}", f"u32 <- {u}")
    def first_one(x: Wave, a: Val) -> Val:
        return a.eq(0).select(-1, a.ctz().to("u32"))

    @salu(f"s_ff0_i32_b{bits}", f"u32 <- {u}")
    def first_zero(x: Wave, a: Val) -> Val:
        return a.eq(-1).select(-1, (~a).ctz().to("u32"))

    @salu(f"s_clz_i32_{u} s_flbit_i32_b{bits}", f"u32 <- {u}")
    def leading_zeros(x: Wave, a: Val) -> Val:
        return a.eq(0).select(-1, a.clz().to("u32"))

    @salu("s_cls_i32 s_flbit_i32" if bits == 32 else "s_cls_i32_i64 s_flbit_i32_i64", f"u32 <- {i}")
    def leading_signs(x: Wave, a: Val) -> Val:
        differ = (a ^ (a >> (bits - 1))).bits_as(u)
        return differ.eq(0).select(-1, differ.clz().to("u32"))

    @salu(f"s_brev_b{bits}", f"{u} <- {u}")
    def reverse(x: Wave, a: Val) -> Val:
        if isinstance(a.const, int):
            return a.b.const(u, int(f"{a.const & (1 << bits) - 1:0{bits}b}"[::-1], 2))
        return a.bitreverse()

    @salu(f"s_bitset1_b{bits}", f"{u} <- u32 dst:{u}")
    def set_bit(x: Wave, where: Val, old: Val) -> Val:
        return old | (x.scalar(u, 1) << where)

    @salu(f"s_bitset0_b{bits}", f"{u} <- u32 dst:{u}")
    def clear_bit(x: Wave, where: Val, old: Val) -> Val:
        return old & ~(x.scalar(u, 1) << where)

    @salu(f"s_bitcmp1_b{bits}", f"scc <- {u} u32")
    def bit_is_one(x: Wave, a: Val, where: Val) -> Val:
        return ((a >> where) & 1).ne(0)

    @salu(f"s_bitcmp0_b{bits}", f"scc <- {u} u32")
    def bit_is_zero(x: Wave, a: Val, where: Val) -> Val:
        return ((a >> where) & 1).eq(0)

    @salu(f"s_wqm_b{bits}", f"{u} scc <- {u}")
    def whole_quads(x: Wave, a: Val) -> tuple[Val, Val]:
        out = _quads(a) * 15
        return out, out.ne(0)

    @salu(f"s_quadmask_b{bits}", f"{u} scc <- {u}")
    def quad_mask(x: Wave, a: Val) -> tuple[Val, Val]:
        out = _quads(a)
        for shift, keep in ((3, 0x0303030303030303), (6, 0x000F000F000F000F), (12, 0x000000FF000000FF), (24, 0xFFFF)):
            out = (out | (out >> shift)) & keep if shift < bits // 2 else out
        return out, out.ne(0)


for _bit_count in (32, 64):
    _bits(_bit_count)
    for _words in _LOGIC:
        _logic(_words, _bit_count)


@salu("s_bitreplicate_b64_b32", "u64 <- u32")
def bit_replicate(x: Wave, a: Val) -> Val:
    out = a.to("u64")
    for shift, keep in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        out = (out | (out << shift)) & keep
    return out | (out << 1)


@salu("s_sext_i32_i8", "i32 <- u32")
def sext_i8(x: Wave, a: Val) -> Val:
    return a.to("i8").to("i32")


@salu("s_sext_i32_i16", "i32 <- u32")
def sext_i16(x: Wave, a: Val) -> Val:
    out = a.to("i16").to("i32")
    if a.note is not None and a.note[0] == "pchi":
        out.note = a.note  # gfx12 extends the high half of s_getpc_b64, which is canonical already
    return out


@salu("s_pack_ll_b32_b16", "u32 <- u32 u32")
def pack_ll(x: Wave, a: Val, b: Val) -> Val:
    return (a & 0xFFFF) | (b << 16)


@salu("s_pack_lh_b32_b16", "u32 <- u32 u32")
def pack_lh(x: Wave, a: Val, b: Val) -> Val:
    return (a & 0xFFFF) | (b & 0xFFFF0000)


@salu("s_pack_hl_b32_b16", "u32 <- u32 u32")
def pack_hl(x: Wave, a: Val, b: Val) -> Val:
    return (a >> 16) | (b << 16)


@salu("s_pack_hh_b32_b16", "u32 <- u32 u32")
def pack_hh(x: Wave, a: Val, b: Val) -> Val:
    return (a >> 16) | (b & 0xFFFF0000)


# -- constants and comparisons ---------------------------------------------------------------------


@salu("s_movk_i32", "i32 <- simm16")
def movk(x: Wave, a: Val) -> Val:
    return a


@salu("s_cmovk_i32", "i32 <- simm16 dst:i32 scc")
def cmovk(x: Wave, a: Val, old: Val, scc: Val) -> Val:
    return scc.select(a, old)


_COMPARE: dict[str, Callable[[Val, Val], Val]] = {
    "eq": lambda a, b: a.eq(b),
    "lg": lambda a, b: a.ne(b),
    "lt": lambda a, b: a.lt(b),
    "le": lambda a, b: a.le(b),
    "gt": lambda a, b: a.gt(b),
    "ge": lambda a, b: a.ge(b),
}


def _compare(word: str, kind: str) -> None:
    compare = _COMPARE[word]

    @salu(f"s_cmp_{word}_{kind}", f"scc <- {kind} {kind}")
    def registers(x: Wave, a: Val, b: Val) -> Val:
        return compare(a, b)

    if kind == "u64":
        return

    @raw(f"s_cmpk_{word}_{kind}", silent=True)
    def constant(x: Wave, inst: Instruction) -> None:
        number = inst.mod("simm16") & 0xFFFF
        if kind == "i32":
            number = _signed(number, 16)
        x.regs.set_scc(compare(x.read_scalar(_register(inst), kind), x.scalar(kind, number)))


def _register(inst: Instruction) -> Operand:
    """The register of a SOPK instruction that only reads it, wherever the decoder lists it."""
    return (inst.src or inst.dst)[0]


for _word in _COMPARE:
    for _kind in ("i32", "u32"):
        _compare(_word, _kind)
for _word in ("eq", "lg"):
    _compare(_word, "u64")

# -- the program counter ---------------------------------------------------------------------------


@raw("s_getpc_b64", silent=True)
def getpc(x: Wave, inst: Instruction) -> None:
    """The next instruction's address; both halves are marked, so that an address made from them stays in one piece."""
    address = x.field("code_base", "u64") + inst.end
    low, high = address.to("u32"), (address >> 32).to("u32")
    low.note, high.note = ("pclo", inst.end), ("pchi", inst.end)
    r = inst.dst[0].index
    x.regs.scalar.write(r, low)
    x.regs.scalar.write(r + 1, high)
