"""Dot products of packed numbers, and sums of absolute differences.

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides. Integer sums are exact. The guides add floating-point products one
after the other without saying whether the hardware rounds between; here each product is fused into the sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.apply import finish_float
from softrock.lift.ir import Val
from softrock.lift.registry import raw, valu
from softrock.lift.semantics.eight_bit import decode, format_of
from softrock.lift.semantics.floats import canonical
from softrock.lift.semantics.vector_int import saturate

if TYPE_CHECKING:
    from softrock.lift.context import Wave

# -- integers --------------------------------------------------------------------------------------


def element(word: Val, k: int, bits: int, signed: bool) -> Val:
    """Element k of `bits` bits of a dword, as i32."""
    if signed:
        return (word.bits_as("i32") << 32 - bits * (k + 1)) >> 32 - bits
    shifted = word.bits_as("u32") >> bits * k
    return (shifted if bits * (k + 1) == 32 else shifted & ((1 << bits) - 1)).bits_as("i32")


def _sum_of_products(x: Wave, a: Val, b: Val, c: Val, bits: int, signed: tuple[bool, bool], result: str) -> Val:
    parts = [
        element(a, k, bits, signed[0]) * element(b, k, bits, signed[1]) for k in range(32 // bits)
    ]
    if x.clamp or bits == 16:
        wide = "i64" if result == "i" else "u64"
        total = c.bits_as(f"{result}32").to(wide)
        for part in parts:
            total = total + part.bits_as(f"{result}32").to(wide)
        return saturate(x, total.bits_as("i64"), result, 32)
    total = c.bits_as("i32")
    for part in parts:
        total = total + part
    return total.bits_as(f"{result}32")


def _integer_dot(names: str, bits: int, kind: str, accumulate: bool) -> None:
    signed = (kind == "i", kind == "i")
    word = f"{kind}32"
    valu(names, f"{word} <- u32 u32 {'dst:' if accumulate else ''}{word}")(
        lambda x, a, b, c: _sum_of_products(x, a, b, c, bits, signed, kind)
    )


def _halves_dot(name: str, kind: str) -> None:
    @raw(name)
    def dot(x: Wave, inst: Instruction) -> None:
        """Halves chosen by op_sel and op_sel_hi."""
        a, b = (_chosen_halves(x, inst, k) for k in (0, 1))
        c = x.read(inst.src[2], f"{kind}32")
        x.write(inst.dst[0], _sum_of_products(x, a, b, c, 16, (kind == "i", kind == "i"), kind))


def _chosen_halves(x: Wave, inst: Instruction, k: int) -> Val:
    """Source k with the halves that op_sel and op_sel_hi name, as one dword."""
    low, high = (x.read(inst.src[k], "u16", inst.mod(sel) >> k & 1).to("u32") for sel in ("op_sel", "op_sel_hi"))
    return low | (high << 16)


_halves_dot("v_dot2_i32_i16", "i")
_halves_dot("v_dot2_u32_u16", "u")
_integer_dot("v_dot4_i32_i8", 8, "i", False)
_integer_dot("v_dot4_u32_u8", 8, "u", False)
_integer_dot("v_dot8_i32_i4", 4, "i", False)
_integer_dot("v_dot8_u32_u4", 4, "u", False)
_integer_dot("v_dot2c_i32_i16 v_dot2acc_i32_i16", 16, "i", True)
_integer_dot("v_dot4c_i32_i8 v_dot4acc_i32_i8", 8, "i", True)
_integer_dot("v_dot8c_i32_i4 v_dot8acc_i32_i4", 4, "i", True)


def _mixed_dot(name: str, bits: int) -> None:
    @raw(name)
    def dot(x: Wave, inst: Instruction) -> None:
        """Signed where neg_lo says so, source by source."""
        signed = bool(inst.mod("neg_lo") & 1), bool(inst.mod("neg_lo") & 2)
        a, b, c = (x.read(op, "u32") for op in inst.src)
        x.write(inst.dst[0], _sum_of_products(x, a, b, c, bits, signed, "i"))


_mixed_dot("v_dot4_i32_iu8", 8)
_mixed_dot("v_dot8_i32_iu4", 4)

# -- floats ----------------------------------------------------------------------------------------

_ORDER = "each product is fused into the sum, in order"


def _half(x: Wave, inst: Instruction, k: int, part: int, kind: str) -> Val:
    """Half `part` of source k as f32, chosen by op_sel / op_sel_hi and negated by neg_lo / neg_hi."""
    sel = inst.mod("op_sel_hi") if part and inst.format == "VOP3P" else inst.mod("op_sel")
    which = sel >> k & 1 if inst.format == "VOP3P" else part
    value = x.read(inst.src[k], kind, which).to("f32")
    return -value if inst.mod("neg_hi" if part else "neg_lo") >> k & 1 else value


def _float_dot(names: str, kind: str, result: str, accumulate: bool = False) -> None:
    @raw(names, approximate=_ORDER, reads_dst=accumulate)
    def dot(x: Wave, inst: Instruction) -> None:
        last = inst.dst[0] if accumulate else inst.src[2]
        total = x.read(last, result, inst.mod("op_sel") >> 2 & 1).to("f32")
        if inst.format == "VOP3P" and inst.mod("neg_lo") >> 2 & 1 and not accumulate:
            total = -total
        for part in (0, 1):
            total = _half(x, inst, 0, part, kind).fma(_half(x, inst, 1, part, kind), total)
        out = canonical(total.to(result))
        x.write(inst.dst[0], finish_float(x, inst, out), inst.mod("op_sel") >> 3 & 1)


_float_dot("v_dot2_f32_f16", "f16", "f32")
_float_dot("v_dot2_f32_bf16", "bf16", "f32")
_float_dot("v_dot2_f16_f16", "f16", "f16")
_float_dot("v_dot2_bf16_bf16", "bf16", "bf16")
_float_dot("v_dot2acc_f32_f16 v_dot2c_f32_f16", "f16", "f32", accumulate=True)
_float_dot("v_dot2acc_f32_bf16 v_dot2c_f32_bf16", "bf16", "f32", accumulate=True)


def _eight_bit_dot(first: str, second: str) -> None:
    @valu(f"v_dot4_f32_{first}_{second}", "f32 <- u32 u32 f32", approximate=_ORDER)
    def dot(x: Wave, a: Val, b: Val, c: Val) -> Val:
        for k in range(4):
            p, q = (decode((v >> 8 * k) & 255, format_of(x, w)) for v, w in ((a, first), (b, second)))
            c = p.fma(q, c)
        return canonical(c)


for _first in ("fp8", "bf8"):
    for _second in ("fp8", "bf8"):
        _eight_bit_dot(_first, _second)

# -- sums of absolute differences ------------------------------------------------------------------


def _difference(a: Val, b: Val) -> Val:
    return a.imax(b) - a.imin(b)


def _byte(word: Val, k: int) -> Val:
    return (word >> 8 * k) & 255


def _sad(a: Val, b: Val, c: Val, masked: bool) -> Val:
    """c plus |a - b| over four bytes; masked: bytes where the reference b is 0 do not count."""
    for k in range(4):
        reference = _byte(b, k)
        step = _difference(_byte(a, k), reference)
        c = c + (reference.eq(0).select(0, step) if masked else step)
    return c


valu("v_sad_u8", "u32 <- u32 u32 u32")(lambda x, a, b, c: _sad(a, b, c, masked=False))
valu("v_msad_u8", "u32 <- u32 u32 u32")(lambda x, a, b, c: _sad(a, b, c, masked=True))
valu("v_sad_hi_u8", "u32 <- u32 u32 u32")(lambda x, a, b, c: (_sad(a, b, a ^ a, masked=False) << 16) + c)
valu("v_sad_u32", "u32 <- u32 u32 u32")(lambda x, a, b, c: _difference(a, b) + c)
valu("v_sad_u16", "u32 <- u32 u32 u32")(
    lambda x, a, b, c: _difference(a & 0xFFFF, b & 0xFFFF) + _difference(a >> 16, b >> 16) + c
)


def _sliding(name: str, masked: bool, packed: bool) -> None:
    """Four sums over windows that slide by a byte: 16-bit sums packed in 64 bits, or four dwords."""

    def sums(x: Wave, a: Val, b: Val, parts: list[Val]) -> list[Val]:
        return [_sad((a >> 8 * k).to("u32"), b, parts[k], masked) for k in range(4)]

    if packed:

        @valu(name, "u64 <- u64 u32 u64")
        def packed_sums(x: Wave, a: Val, b: Val, c: Val) -> Val:
            parts = [(c >> 16 * k).to("u32") & 0xFFFF for k in range(4)]
            out = x.const("u64", 0)
            for k, part in enumerate(sums(x, a, b, parts)):
                out = out | ((part & 0xFFFF).to("u64") << 16 * k)
            return out
    else:

        @valu(name, "u32x4 <- u64 u32 u32x4")
        def wide_sums(x: Wave, a: Val, b: Val, c: list[Val]) -> tuple[list[Val]]:
            return (sums(x, a, b, c),)


_sliding("v_qsad_pk_u16_u8", masked=False, packed=True)
_sliding("v_mqsad_pk_u16_u8", masked=True, packed=True)
_sliding("v_mqsad_u32_u8", masked=True, packed=False)


@valu("v_lerp_u8", "u32 <- u32 u32 u32")
def lerp(x: Wave, a: Val, b: Val, c: Val) -> Val:
    """Means of bytes, rounded up where the low bit of c's byte is set."""
    out = x.const("u32", 0)
    for k in range(4):
        out = out | (((_byte(a, k) + _byte(b, k) + (_byte(c, k) & 1)) >> 1) << 8 * k)
    return out


def _bitop3(bits: int) -> None:
    @raw(f"v_bitop3_b{bits}")
    def bitop3(x: Wave, inst: Instruction) -> None:
        """Any function of three bits; the table stands in the encoding's OMOD, ABS and NEG fields."""
        word = int.from_bytes(inst.raw[:8], "little")
        table = (word >> 59 & 3) << 6 | (word >> 8 & 7) << 3 | word >> 61 & 7
        a, b, c = (x.read(op, f"u{bits}", inst.mod("op_sel") >> k & 1) for k, op in enumerate(inst.src))
        out = x.const(f"u{bits}", 0)
        for k in range(8):
            if table >> k & 1:
                out = out | ((a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c))
        x.write(inst.dst[0], out, inst.mod("op_sel") >> 3 & 1)


_bitop3(16)
_bitop3(32)
