"""Conversions between integer and floating-point formats.

Sources: AMD "MI300 ISA", "RDNA3 ISA" and "RDNA4 ISA" guides; the OCP 8-bit floating-point specification for FP8 and
BF8, and the MI300 guide for their FNUZ variants. Conversions to integers truncate and saturate, and turn NaN into 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.apply import finish_float
from softrock.lift.ir import Val
from softrock.lift.registry import raw, valu
from softrock.lift.semantics.eight_bit import decode, encode, format_of
from softrock.lift.semantics.floats import canonical, clamp_int, quiet, raw_bits

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def to_int(value: Val, kind: str) -> Val:
    """A float as a saturated integer of 8, 16 or 32 bits; NaN gives 0."""
    bits = int(kind[1:])
    if bits == 32:
        return (value.to("f32") if value.bits == 16 else value).to(kind)
    low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return clamp_int(value.to("f32").to("i32"), low, high).to(kind)


def _plain() -> None:
    def convert(source: str, target: str) -> None:
        name = f"v_cvt_{target}_{source}"
        if target[0] == "f" and source[0] == "f":
            valu(name, f"{target} <- {source}")(lambda x, a: canonical(a.to(target)))
        elif target[0] == "f":
            valu(name, f"{target} <- {source}")(lambda x, a: _int_to_float(a, target))
        else:
            valu(name, f"{target} <- {source}")(lambda x, a: to_int(a, target))

    pairs = (
        "f16>f32 f32>f16 f32>f64 f64>f32 f32>i32 f32>u32 i32>f32 u32>f32 f64>i32 f64>u32 i32>f64 u32>f64 "
        "f16>i16 f16>u16 i16>f16 u16>f16"
    )
    for pair in pairs.split():
        convert(*pair.split(">"))


def _int_to_float(value: Val, target: str) -> Val:
    if value.bits == 16:
        return canonical(value.to("i32").to("f32").to(target))  # exact in f32
    return canonical(value.to(target))


_plain()
valu("v_cvt_f32_bf16", "f32 <- bf16")(lambda x, a: quiet(a.to("f32")))


@valu("v_cvt_nearest_i32_f32 v_cvt_rpi_i32_f32", "i32 <- f32")
def nearest(x: Wave, a: Val) -> Val:
    """floor(a + 1/2), without the rounding of the sum."""
    below = a.intrinsic("floor")
    return (a - below).ge(0.5).select(below + 1.0, below).to("i32")


valu("v_cvt_floor_i32_f32 v_cvt_flr_i32_f32", "i32 <- f32")(lambda x, a: a.intrinsic("floor").to("i32"))


@valu("v_cvt_off_f32_i4", "f32 <- u32")
def off_i4(x: Wave, a: Val) -> Val:
    """The low four bits, signed, in sixteenths."""
    return canonical(((a << 28).bits_as("i32") >> 28).to("f32") * 0.0625)


def _ubyte(k: int) -> None:
    valu(f"v_cvt_f32_ubyte{k}", "f32 <- u32")(
        lambda x, a: canonical(((a >> 8 * k) & 255).bits_as("i32").to("f32"))
    )


for _k in range(4):
    _ubyte(_k)

# -- normalised integers and packing ---------------------------------------------------------------


def _norm(value: Val, kind: str) -> Val:
    """[-1, 1] or [0, 1] to the full range of 16 bits, rounded to nearest."""
    top = 32767.0 if kind == "i16" else 65535.0
    scaled = (value.to("f64") * top).intrinsic("roundeven").to("i32")
    return clamp_int(scaled, -32767 if kind == "i16" else 0, int(top)).to(kind)


def pack(low: Val, high: Val) -> Val:
    """Two 16-bit values as one dword."""
    return low.bits_as("u16").to("u32") | (high.bits_as("u16").to("u32") << 16)


def toward_zero(value: Val) -> Val:
    """f32 to f16, rounded toward zero."""
    nearest = value.to("f16")
    beyond = nearest.to("f32").fabs().gt(value.fabs())
    return (raw_bits(nearest) - beyond.to("u16")).bits_as("f16")


for _kind in ("i16", "u16"):

    def _norms(kind: str) -> None:
        valu(f"v_cvt_norm_{kind}_f16", f"{kind} <- f16")(lambda x, a: _norm(a, kind))
        for source in ("f16", "f32"):
            valu(f"v_cvt_pk_norm_{kind}_{source} v_cvt_pknorm_{kind}_{source}", f"u32 <- {source} {source}")(
                lambda x, a, b: pack(_norm(a, kind), _norm(b, kind))
            )
        valu(f"v_cvt_pk_{kind}_f32", "u32 <- f32 f32")(lambda x, a, b: pack(to_int(a, kind), to_int(b, kind)))

    _norms(_kind)

valu("v_cvt_pk_rtz_f16_f32 v_cvt_pkrtz_f16_f32", "u32 <- f32 f32")(
    lambda x, a, b: pack(toward_zero(a), toward_zero(b))
)
valu("v_cvt_pk_f16_f32", "u32 <- f32 f32")(lambda x, a, b: pack(a.to("f16"), b.to("f16")))
valu("v_cvt_pk_bf16_f32", "u32 <- f32 f32")(lambda x, a, b: pack(a.to("bf16"), b.to("bf16")))
valu("v_cvt_pk_i16_i32", "u32 <- i32 i32")(
    lambda x, a, b: pack(*(clamp_int(v, -32768, 32767).to("i16") for v in (a, b)))
)
valu("v_cvt_pk_u16_u32", "u32 <- u32 u32")(lambda x, a, b: pack(*(v.imin(65535).to("u16") for v in (a, b))))


@valu("v_sat_pk_u8_i16", "u16 <- u32")
def saturate_bytes(x: Wave, a: Val) -> Val:
    """Two i16 as two saturated bytes."""
    low, high = (clamp_int(v, 0, 255).bits_as("u16") for v in (a.to("i16"), (a >> 16).to("i16")))
    return low | (high << 8)


@valu("v_cvt_pk_u8_f32", "u32 <- f32 u32 u32", approximate="truncates; the guides do not say how it rounds")
def pack_u8(x: Wave, a: Val, where: Val, old: Val) -> Val:
    """A float as a byte put into byte `where` of `old`."""
    shift = (where & 3) << 3
    byte = to_int(a, "u8").to("u32")
    return (old & ~(x.const("u32", 255) << shift)) | (byte << shift)


@valu("v_cvt_pkaccum_u8_f32", "u32 <- f32 u32 dst:u32", approximate="truncates; the guides do not say how it rounds")
def accumulate_u8(x: Wave, a: Val, where: Val, old: Val) -> Val:
    """A float as a byte put into byte `where` of the destination."""
    return pack_u8(x, a, where, old)  # type: ignore[no-any-return]


# -- eight-bit floats ------------------------------------------------------------------------------


def _byte_of(x: Wave, inst: Instruction) -> Val:
    """The source byte of v_cvt_f32_fp8: by SDWA on gfx9, by op_sel (bits swapped) on gfx12."""
    op = inst.src[0]
    if op.sel:
        return x.read(op, "u8").to("u32") if op.sel.startswith("BYTE") else x.read_word(op) & 255
    select = inst.mod("op_sel") & 3
    return (x.read(op, "u32") >> 8 * ((select & 1) << 1 | select >> 1)) & 255


def _eight_bit(word: str) -> None:
    @raw(f"v_cvt_f32_{word}")
    def widen(x: Wave, inst: Instruction) -> None:
        value = decode(_byte_of(x, inst), format_of(x, word))
        x.write(inst.dst[0], finish_float(x, inst, canonical(value)))

    @raw(f"v_cvt_pk_f32_{word}")
    def widen_pair(x: Wave, inst: Instruction) -> None:
        op = inst.src[0]
        high = op.sel == "WORD_1" or inst.mod("op_sel") & 1
        bits = x.read_word(op) if op.sel else x.read(op, "u32")
        bits = bits >> 16 if high else bits
        pair = [decode((bits >> shift) & 255, format_of(x, word)) for shift in (0, 8)]
        x.write_words(inst.dst[0], [finish_float(x, inst, v) for v in pair])

    @raw(f"v_cvt_pk_{word}_f32", reads_dst=True)
    def narrow_pair(x: Wave, inst: Instruction) -> None:
        low, high = (encode(x, x.read(op, "f32"), format_of(x, word)) for op in inst.src[:2])
        value = low | (high << 8)
        old = x.read_word(inst.dst[0])
        if inst.mod("op_sel") >> 3 & 1 or inst.dst[0].half:
            x.write_word(x.bank_index(inst.dst[0]), (old & 0xFFFF) | (value << 16))
        else:
            x.write_word(x.bank_index(inst.dst[0]), (old & 0xFFFF0000) | value)

    @raw(f"v_cvt_sr_{word}_f32", reads_dst=True, approximate="which random bits decide is not documented in full")
    def narrow_stochastic(x: Wave, inst: Instruction) -> None:
        value = encode(x, x.read(inst.src[0], "f32"), format_of(x, word), x.read(inst.src[1], "u32"))
        shift = 8 * (inst.mod("op_sel") >> 2 & 3)
        old = x.read_word(inst.dst[0]) & ~(255 << shift)
        x.write_word(x.bank_index(inst.dst[0]), old | (value << shift))


for _word in ("fp8", "bf8"):
    _eight_bit(_word)


def _stochastic_half(name: str, kind: str) -> None:
    @raw(name, reads_dst=True, approximate="which random bits decide is not documented in full")
    def narrow(x: Wave, inst: Instruction) -> None:
        value, random = x.read(inst.src[0], "f32"), x.read(inst.src[1], "u32")
        lost = 16 if kind == "bf16" else 13
        raw_value = raw_bits(value)
        added = raw_value + (random >> (32 - lost))
        finite = (raw_value & 0x7F800000).lt(0x7F800000)
        out = finite.select(added, raw_value).bits_as("f32")
        if kind == "bf16":
            half = (raw_bits(value.is_nan().select(value.to("bf16").to("f32"), out)) >> 16).to("u16")
        else:
            half = raw_bits(toward_zero(out))
        x.write(inst.dst[0], half, inst.mod("op_sel") >> 3 & 1)


_stochastic_half("v_cvt_sr_f16_f32", "f16")
_stochastic_half("v_cvt_sr_bf16_f32", "bf16")
