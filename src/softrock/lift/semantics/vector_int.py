"""Vector integer arithmetic, logic, shifts and bit fields (VOP1, VOP2, VOP3).

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides. Names are registered in gfx9's and gfx11's spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift import forms
from softrock.lift.ir import Val
from softrock.lift.notes import noted
from softrock.lift.registry import raw, valu
from softrock.lift.semantics import sequences
from softrock.lift.semantics.floats import moved_bits

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def saturate(x: Wave, exact: Val, kind: str, bits: int) -> Val:
    """A wider signed result cut to `kind` (u or i) and `bits`: saturated where the instruction clamps, else wrapped."""
    if x.clamp:
        low, high = (0, (1 << bits) - 1) if kind == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        exact = exact.imax(low).imin(high)
    return exact.to(f"{kind}{bits}")


# -- sums ------------------------------------------------------------------------------------------


def _sums(names_add: str, names_sub: str, names_subrev: str, kind: str) -> None:
    def add(x: Wave, a: Val, b: Val) -> Val:
        if x.clamp:
            return a.add_sat(b)
        for value, count in ((a, b), (b, a)):
            if count.const in (1, -1, 0xFFFFFFFF) and value.note is not None and value.note[0] == "sqrt":
                return noted(a + b, "add+1" if count.const == 1 else "add-1", value)
        return a + b

    def sub(x: Wave, a: Val, b: Val) -> Val:
        return a.sub_sat(b) if x.clamp else a - b

    signature = f"{kind} <- {kind} {kind}"
    valu(names_add, signature)(add)
    valu(names_sub, signature)(sub)
    if names_subrev:
        valu(names_subrev, signature)(lambda x, a, b: sub(x, b, a))


_sums("v_add_nc_u32 v_add_u32", "v_sub_nc_u32 v_sub_u32", "v_subrev_nc_u32 v_subrev_u32", "u32")
_sums("v_add_nc_i32 v_add_i32", "v_sub_nc_i32 v_sub_i32", "", "i32")
_sums("v_add_nc_u16 v_add_u16", "v_sub_nc_u16 v_sub_u16", "v_subrev_nc_u16 v_subrev_u16", "u16")
_sums("v_add_nc_i16 v_add_i16", "v_sub_nc_i16 v_sub_i16", "", "i16")


@valu("v_add_co_u32", "u32 mask <- u32 u32")
def add_carry_out(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    if x.clamp:
        return a.add_sat(b), (a + b).lt(a)
    return forms.add_low(a, b)


@valu("v_sub_co_u32", "u32 mask <- u32 u32")
def sub_carry_out(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    return (a.sub_sat(b) if x.clamp else a - b), a.lt(b)


@valu("v_subrev_co_u32", "u32 mask <- u32 u32")
def subrev_carry_out(x: Wave, a: Val, b: Val) -> tuple[Val, Val]:
    return sub_carry_out(x, b, a)  # type: ignore[no-any-return]


@valu("v_add_co_ci_u32 v_addc_co_u32", "u32 mask <- u32 u32 mask")
def add_with_carry(x: Wave, a: Val, b: Val, carry: Val) -> tuple[Val, Val]:
    if not x.clamp and (found := forms.add_high(a, b, carry)) is not None:
        return found
    partial = a + b
    out = partial + carry.to("u32")
    overflow = partial.lt(a) | out.lt(partial)
    return (overflow.select(-1, out) if x.clamp else out), overflow


@valu("v_sub_co_ci_u32 v_subb_co_u32", "u32 mask <- u32 u32 mask")
def sub_with_borrow(x: Wave, a: Val, b: Val, borrow: Val) -> tuple[Val, Val]:
    out = a - b - borrow.to("u32")
    underflow = a.lt(b) | (a.eq(b) & borrow)
    return (underflow.select(0, out) if x.clamp else out), underflow


@valu("v_subrev_co_ci_u32 v_subbrev_co_u32", "u32 mask <- u32 u32 mask")
def subrev_with_borrow(x: Wave, a: Val, b: Val, borrow: Val) -> tuple[Val, Val]:
    return sub_with_borrow(x, b, a, borrow)  # type: ignore[no-any-return]


# -- products --------------------------------------------------------------------------------------


@valu("v_mul_lo_u32 v_mul_lo_i32", "u32 <- u32 u32")
def mul_lo(x: Wave, a: Val, b: Val) -> Val:
    return a * b


@valu("v_mul_lo_u16", "u16 <- u16 u16")
def mul_lo_u16(x: Wave, a: Val, b: Val) -> Val:
    return saturate(x, a.to("i64") * b.to("i64"), "u", 16) if x.clamp else a * b


@valu("v_mul_hi_u32", "u32 <- u32 u32")
def mul_hi_u32(x: Wave, a: Val, b: Val) -> Val:
    return ((a.to("u64") * b.to("u64")) >> 32).to("u32")


@valu("v_mul_hi_i32", "i32 <- i32 i32")
def mul_hi_i32(x: Wave, a: Val, b: Val) -> Val:
    return ((a.to("i64") * b.to("i64")) >> 32).to("i32")


def _low24(a: Val) -> Val:
    """The low 24 bits, zero- or sign-extended by the value's own signedness."""
    return (a << 8) >> 8 if a.kind == "i" else a & 0xFFFFFF


def _products24(kind: str) -> None:
    wide = f"{kind}64"

    @valu(f"v_mul_{kind}32_{kind}24", f"{kind}32 <- {kind}32 {kind}32")
    def mul(x: Wave, a: Val, b: Val) -> Val:
        a, b = _low24(a), _low24(b)
        return saturate(x, (a.to(wide) * b.to(wide)).bits_as("i64"), kind, 32) if x.clamp else a * b

    @valu(f"v_mul_hi_{kind}32_{kind}24", f"{kind}32 <- {kind}32 {kind}32")
    def mul_hi(x: Wave, a: Val, b: Val) -> Val:
        return ((_low24(a).to(wide) * _low24(b).to(wide)) >> 32).to(f"{kind}32")

    @valu(f"v_mad_{kind}32_{kind}24", f"{kind}32 <- {kind}32 {kind}32 {kind}32")
    def mad(x: Wave, a: Val, b: Val, c: Val) -> Val:
        a, b = _low24(a), _low24(b)
        if x.clamp:
            return saturate(x, (a.to(wide) * b.to(wide) + c.to(wide)).bits_as("i64"), kind, 32)
        return a * b + c

    @valu(f"v_mad_{kind}32_{kind}16", f"{kind}32 <- {kind}16 {kind}16 {kind}32")
    def mad_mixed(x: Wave, a: Val, b: Val, c: Val) -> Val:
        if x.clamp:
            return saturate(x, (a.to(wide) * b.to(wide) + c.to(wide)).bits_as("i64"), kind, 32)
        return a.to(f"{kind}32") * b.to(f"{kind}32") + c

    @valu(f"v_mad_{kind}16 v_mad_legacy_{kind}16", f"{kind}16 <- {kind}16 {kind}16 {kind}16")
    def mad16(x: Wave, a: Val, b: Val, c: Val) -> Val:
        return saturate(x, a.to("i64") * b.to("i64") + c.to("i64"), kind, 16) if x.clamp else a * b + c


for _k in "iu":
    _products24(_k)


@valu("v_mad_u64_u32 v_mad_co_u64_u32", "u64 mask <- u32 u32 u64")
def mad_u64_u32(x: Wave, a: Val, b: Val, c: Val) -> tuple[Val, Val]:
    out = a.to("u64") * b.to("u64") + c
    carry = out.lt(c)
    if not x.clamp:
        low = a * b + forms.word(c, forms.LOW)
        return (forms.with_low(out, low) if low.form is not None else out), carry
    return (carry.select(-1, out) if x.clamp else out), carry


@valu("v_mad_i64_i32 v_mad_co_i64_i32", "i64 mask <- i32 i32 i64")
def mad_i64_i32(x: Wave, a: Val, b: Val, c: Val) -> tuple[Val, Val]:
    # The second result is bit 64 of the 65-bit sum: the sign of the exact result.
    product = a.to("i64") * b.to("i64")
    out = product + c
    overflow = ((product ^ out) & (c ^ out)).lt(0)
    sign = out.lt(0) ^ overflow
    if x.clamp:
        edge = sign.select(x.const("i64", -(1 << 63)), (1 << 63) - 1)
        return overflow.select(edge, out), sign
    return out, sign


# -- sums of three, shifts, logic ------------------------------------------------------------------


def _simple(kind: str, table: dict[str, Callable[..., Val]], sources: int) -> None:
    for names, function in table.items():
        valu(names, f"{kind} <- " + " ".join([kind] * sources))(function)


_simple(
    "u32",
    {
        "v_add3_u32": lambda x, a, b, c: a + b + c,
        "v_xad_u32": lambda x, a, b, c: (a ^ b) + c,
        "v_lshl_add_u32": lambda x, a, b, c: (a << b) + c,
        "v_add_lshl_u32": lambda x, a, b, c: (a + b) << c,
        "v_lshl_or_b32": lambda x, a, b, c: (a << b) | c,
        "v_and_or_b32": lambda x, a, b, c: (a & b) | c,
        "v_or3_b32": lambda x, a, b, c: a | b | c,
        "v_xor3_b32": lambda x, a, b, c: a ^ b ^ c,
        "v_bfi_b32": lambda x, a, b, c: (a & b) | (~a & c),
        "v_bfe_u32": lambda x, a, b, c: (a >> b) & ((x.const("u32", 1) << c) - 1),
        "v_alignbit_b32": lambda x, a, b, c: a.intrinsic("fshr", b, c & 31),
        "v_alignbyte_b32": lambda x, a, b, c: a.intrinsic("fshr", b, (c & 3) << 3),
    },
    3,
)


def _signed(out: Val, a: Val, b: Val, mask: int, kind: str) -> Val:
    """Note what is a float's magnitude or negative."""
    for value, other in ((a, b), (b, a)):
        if other.const == mask:
            return noted(out, kind, value)
    return out


_simple(
    "u32",
    {
        "v_and_b32": lambda x, a, b: _signed(a & b, a, b, 0x7FFFFFFF, "abs"),
        "v_or_b32": lambda x, a, b: a | b,
        "v_xor_b32": lambda x, a, b: _signed(a ^ b, a, b, 0x80000000, "neg"),
        "v_xnor_b32": lambda x, a, b: ~(a ^ b),
        "v_lshlrev_b32": lambda x, a, b: b << a,
        "v_lshrrev_b32": lambda x, a, b: b >> a,
        "v_lshl_b32": lambda x, a, b: a << b,
        "v_lshr_b32": lambda x, a, b: a >> b,
        "v_bfm_b32": lambda x, a, b: ((x.const("u32", 1) << a) - 1) << b,
        "v_bcnt_u32_b32": lambda x, a, b: a.popcount() + b,
    },
    2,
)
_simple(
    "u16",
    {
        "v_and_b16": lambda x, a, b: a & b,
        "v_or_b16": lambda x, a, b: a | b,
        "v_xor_b16": lambda x, a, b: a ^ b,
        "v_lshlrev_b16": lambda x, a, b: b << a,
        "v_lshrrev_b16": lambda x, a, b: b >> a,
    },
    2,
)
_simple(
    "u32",
    {
        "v_mov_b32": lambda x, a: a,
        "v_not_b32": lambda x, a: ~a,
        "v_bfrev_b32": lambda x, a: a.bitreverse(),
        "v_clz_i32_u32 v_ffbh_u32": lambda x, a: a.eq(0).select(-1, a.clz()),
        "v_ctz_i32_b32 v_ffbl_b32": lambda x, a: a.eq(0).select(-1, a.ctz()),
    },
    1,
)
_simple("u16", {"v_not_b16": lambda x, a: ~a}, 1)
valu("v_mov_b64", "u64 <- u64")(lambda x, a: a)
valu("v_ashrrev_i32", "i32 <- u32 i32")(lambda x, a, b: b >> a)
valu("v_ashrrev_i16", "i16 <- u16 i16")(lambda x, a, b: b >> a)
valu("v_lshlrev_b64", "u64 <- u32 u64")(lambda x, a, b: b << a)
valu("v_lshrrev_b64", "u64 <- u32 u64")(lambda x, a, b: b >> a)
valu("v_ashrrev_i64", "i64 <- u32 i64")(lambda x, a, b: b >> a)
valu("v_lshl_add_u64", "u64 <- u64 u32 u64")(lambda x, a, b, c: (a << (b & 7)) + c)
valu("v_cvt_u32_u16", "u32 <- u16")(lambda x, a: a.to("u32"))
valu("v_cvt_i32_i16", "i32 <- i16")(lambda x, a: a.to("i32"))


@valu("v_bfe_i32", "i32 <- i32 u32 u32")
def bfe_i32(x: Wave, a: Val, offset: Val, width: Val) -> Val:
    spare = x.const("u32", 32) - (width & 31)
    field = ((a >> offset) << spare) >> spare
    return (width & 31).eq(0).select(0, field)


@valu("v_cls_i32 v_ffbh_i32", "i32 <- i32")
def leading_signs(x: Wave, a: Val) -> Val:
    differ = a ^ (a >> 31)
    return differ.eq(0).select(-1, differ.clz())


@valu("v_prng_b32", "u32 <- u32")
def next_random(x: Wave, a: Val) -> Val:
    """One step of a linear feedback shift register."""
    return (a << 1) ^ ((a.bits_as("i32") >> 31).bits_as("u32") & 197)


def _shift_pack(kind: str, low: int, high: int) -> None:
    @valu(f"v_ashr_pk_{kind}_i32", "u16 <- i32 i32 u32")
    def shift_pack(x: Wave, a: Val, b: Val, count: Val) -> Val:
        """Two dwords shifted and saturated to bytes."""
        first, second = ((v >> count).imax(low).imin(high).bits_as("u32") & 255 for v in (a, b))
        return (first | (second << 8)).to("u16")


_shift_pack("i8", -128, 127)
_shift_pack("u8", 0, 255)

# -- minimum, maximum, median ----------------------------------------------------------------------


def _order(kind: str) -> None:
    def smaller(x: Wave, a: Val, b: Val) -> Val:
        return a.imin(b)

    def larger(x: Wave, a: Val, b: Val) -> Val:
        return a.imax(b)

    two, three = f"{kind} <- {kind} {kind}", f"{kind} <- {kind} {kind} {kind}"
    valu(f"v_min_{kind}", two)(smaller)
    valu(f"v_max_{kind}", two)(larger)
    valu(f"v_min3_{kind}", three)(lambda x, a, b, c: a.imin(b).imin(c))
    valu(f"v_max3_{kind}", three)(lambda x, a, b, c: a.imax(b).imax(c))
    valu(f"v_med3_{kind}", three)(lambda x, a, b, c: a.imin(b).imax(a.imax(b).imin(c)))
    valu(f"v_minmax_{kind}", three)(lambda x, a, b, c: a.imin(b).imax(c))
    valu(f"v_maxmin_{kind}", three)(lambda x, a, b, c: a.imax(b).imin(c))


for _name in ("i32", "u32", "i16", "u16"):
    _order(_name)

# -- selection and permutation ---------------------------------------------------------------------


def _conditional(bits: int) -> None:
    @raw(f"v_cndmask_b{bits}")
    def cndmask(x: Wave, inst: Instruction) -> None:
        mask = x.read_mask(inst.src[2])
        no, yes = (moved_bits(x, inst.src[k], bits, k, inst) for k in (0, 1))
        out = mask.select(yes, no)
        if mask.note is not None:
            out = noted(out, "select", mask, yes, no)
            if mask.note[0] == "class":
                out = sequences.root(x, out) or sequences.root_word(x, mask, yes, no) or out
        x.write(inst.dst[0], out, inst.mod("op_sel") >> 3 & 1)


for _size in (16, 32):
    _conditional(_size)


@raw("v_mov_b16")
def move_half(x: Wave, inst: Instruction) -> None:
    """A half of a register; neg and abs act on its sign bit."""
    x.write(inst.dst[0], moved_bits(x, inst.src[0], 16, 0, inst), inst.mod("op_sel") >> 3 & 1)


@valu("v_pack_b32_f16", "u32 <- f16 f16")
def pack_f16(x: Wave, a: Val, b: Val) -> Val:
    return a.bits_as("u16").to("u32") | (b.bits_as("u16").to("u32") << 16)


@valu("v_perm_b32", "u32 <- u32 u32 u32")
def perm(x: Wave, a: Val, b: Val, selector: Val) -> Val:
    """Each selector byte names a byte of {a, b} (0-7), a replicated sign (8-11), 0x00 (12) or 0xFF (13 and up)."""
    if isinstance(selector.const, int):
        return _perm_constant(x, a, b, selector.const & 0xFFFFFFFF)
    both = (a.to("u64") << 32) | b.to("u64")
    out = x.const("u32", 0)
    for k in range(4):
        which = (selector >> 8 * k) & 0xFF
        plain = (both >> ((which & 7) << 3)).to("u32") & 0xFF
        word = which.lt(10).select(b, a)
        sign = ((which & 1).eq(0).select(word << 16, word).bits_as("i32") >> 31).bits_as("u32") & 0xFF
        fixed = which.eq(12).select(0, which.lt(12).select(sign, 0xFF))
        out = out | (which.lt(8).select(plain, fixed) << 8 * k)
    return out


def _perm_constant(x: Wave, a: Val, b: Val, selector: int) -> Val:
    """v_perm_b32 with a known selector as one shuffle of bytes."""
    lanes = x.W
    picks = [selector >> 8 * k & 0xFF for k in range(4)]
    signs = {8: (b, 16), 9: (b, 0), 10: (a, 16), 11: (a, 0)}
    bytes_of = [_as_bytes(x, v) for v in (b, a)]
    index: list[int] = []
    for lane in range(lanes):
        index += [4 * lane + (p & 3) + (4 * lanes if p & 4 else 0) if p < 8 else 4 * lane for p in picks]
    moved = bytes_of[0].shuffle(index, bytes_of[1])
    out = x.b.op(a.ty, f"bitcast {moved.typed} to {a.ty.llvm}")
    for k, p in enumerate(picks):
        if p < 8:
            continue
        out = out & ~(0xFF << 8 * k)
        if p in signs:
            word, shift = signs[p]
            out = out | (((word << shift).bits_as("i32") >> 31).bits_as("u32") & (0xFF << 8 * k))
        elif p > 12:
            out = out | (0xFF << 8 * k)
    return out


def _as_bytes(x: Wave, value: Val) -> Val:
    ty = value.ty._replace(bits=8, lanes=4 * x.W)
    return x.b.op(ty, f"bitcast {value.typed} to {ty.llvm}")
