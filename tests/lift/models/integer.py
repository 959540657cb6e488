"""Integer operations of the vector ALU (MI300 and RDNA3 ISA guides, VOP1, VOP2, VOP3)."""

from __future__ import annotations

from collections.abc import Callable

from tests.lift.models.registry import Context, model, pure

M32 = 0xFFFFFFFF
M64 = (1 << 64) - 1


def signed(value: int, bits: int) -> int:
    """The low `bits` bits as a two's complement number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def saturate(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _limits(elem: str) -> tuple[int, int]:
    bits = int(elem[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if elem[0] == "i" else (0, (1 << bits) - 1)


def _saturating(names: str, signature: str, function: Callable[..., int]) -> None:
    """Integer arithmetic that the clamp bit saturates; without it the result wraps (the machine takes the low bits)."""
    low, high = _limits(signature.split()[0])

    @model(names, signature)
    def _(c: Context, *values: int) -> int:
        exact = function(*values)
        return saturate(exact, low, high) if c.clamp else exact


# -- moves and logic ---------------------------------------------------------------------------------------------------

pure("v_mov_b32", "u32 <- u32", lambda a: a)
pure("v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "u32 <- u32", lambda a: a)
pure("v_mov_b64", "u64 <- u64", lambda a: a)
pure("v_mov_b16", "u16 <- f16", lambda a: a)
pure("v_not_b32", "u32 <- u32", lambda a: ~a)
pure("v_not_b16", "u16 <- u16", lambda a: ~a)
for _bits in (16, 32):
    _t = f"u{_bits}"
    pure(f"v_and_b{_bits}", f"{_t} <- {_t} {_t}", lambda a, b: a & b)
    pure(f"v_or_b{_bits}", f"{_t} <- {_t} {_t}", lambda a, b: a | b)
    pure(f"v_xor_b{_bits}", f"{_t} <- {_t} {_t}", lambda a, b: a ^ b)
pure("v_xnor_b32", "u32 <- u32 u32", lambda a, b: ~(a ^ b))
pure("v_or3_b32", "u32 <- u32 u32 u32", lambda a, b, c: a | b | c)
pure("v_xor3_b32", "u32 <- u32 u32 u32", lambda a, b, c: a ^ b ^ c)
pure("v_and_or_b32", "u32 <- u32 u32 u32", lambda a, b, c: a & b | c)
pure("v_bfi_b32", "u32 <- u32 u32 u32", lambda a, b, c: a & b | ~a & c)
pure("v_bfrev_b32", "u32 <- u32", lambda a: int(f"{a:032b}"[::-1], 2))
pure("v_clz_i32_u32", "i32 <- u32", lambda a: 32 - a.bit_length() if a else -1)
pure("v_ctz_i32_b32", "i32 <- u32", lambda a: (a & -a).bit_length() - 1 if a else -1)
pure("v_bcnt_u32_b32", "u32 <- u32 u32", lambda a, b: a.bit_count() + b)
pure("v_bfm_b32", "u32 <- u32 u32", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31))
pure("v_bfe_u32", "u32 <- u32 u32 u32", lambda a, b, c: a >> (b & 31) & ((1 << (c & 31)) - 1))
pure("v_cndmask_b32", "u32 <- f32 f32 mask", lambda a, b, m: b if m else a)
pure("v_cndmask_b16", "u16 <- f16 f16 mask", lambda a, b, m: b if m else a)
pure("v_pack_b32_f16", "u32 <- f16 f16", lambda a, b: b << 16 | a)


@model("v_cls_i32", "i32 <- i32")
def _cls(_: Context, a: int) -> int:
    for i in range(1, 32):
        if (a >> (31 - i) & 1) != (a >> 31 & 1):
            return i
    return -1


@model("v_bfe_i32", "i32 <- i32 u32 u32")
def _bfe_i32(_: Context, a: int, offset: int, width: int) -> int:
    width &= 31
    return signed(a >> (offset & 31), width) if width else 0


# -- shifts --------------------------------------------------------------------------------------------------------

pure("v_lshlrev_b32", "u32 <- u32 u32", lambda a, b: b << (a & 31))
pure("v_lshrrev_b32", "u32 <- u32 u32", lambda a, b: b >> (a & 31))
pure("v_ashrrev_i32", "i32 <- u32 i32", lambda a, b: b >> (a & 31))
pure("v_lshlrev_b64", "u64 <- u32 u64", lambda a, b: b << (a & 63))
pure("v_lshrrev_b64", "u64 <- u32 u64", lambda a, b: b >> (a & 63))
pure("v_ashrrev_i64", "i64 <- u32 i64", lambda a, b: b >> (a & 63))
pure("v_lshlrev_b16", "u16 <- u16 u16", lambda a, b: b << (a & 15))
pure("v_lshrrev_b16", "u16 <- u16 u16", lambda a, b: b >> (a & 15))
pure("v_ashrrev_i16", "i16 <- u16 i16", lambda a, b: b >> (a & 15))
pure("v_alignbit_b32", "u32 <- u32 u32 u32", lambda a, b, c: (a << 32 | b) >> (c & 31))
pure("v_alignbyte_b32", "u32 <- u32 u32 u32", lambda a, b, c: (a << 32 | b) >> (8 * (c & 3)))
pure("v_lshl_add_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a << (b & 31)) + c)
pure("v_lshl_add_u64", "u64 <- u64 u32 u64", lambda a, b, c: (a << (b & 7)) + c)
pure("v_lshl_or_b32", "u32 <- u32 u32 u32", lambda a, b, c: a << (b & 31) | c)
pure("v_add_lshl_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a + b) << (c & 31))
pure("v_add3_u32", "u32 <- u32 u32 u32", lambda a, b, c: a + b + c)
pure("v_xad_u32", "u32 <- u32 u32 u32", lambda a, b, c: (a ^ b) + c)

# -- addition and multiplication ---------------------------------------------------------------------------------------

for _elem, _name in (("u32", "nc_u32"), ("i32", "nc_i32"), ("u16", "nc_u16"), ("i16", "nc_i16")):
    _saturating(f"v_add_{_name}", f"{_elem} <- {_elem} {_elem}", lambda a, b: a + b)
    _saturating(f"v_sub_{_name}", f"{_elem} <- {_elem} {_elem}", lambda a, b: a - b)
_saturating("v_subrev_nc_u32", "u32 <- u32 u32", lambda a, b: b - a)
_saturating("v_subrev_u16", "u16 <- u16 u16", lambda a, b: b - a)
_saturating("v_mul_lo_u16", "u16 <- u16 u16", lambda a, b: a * b)
_saturating("v_mad_u16 v_mad_legacy_u16", "u16 <- u16 u16 u16", lambda a, b, c: a * b + c)
_saturating("v_mad_i16 v_mad_legacy_i16", "i16 <- i16 i16 i16", lambda a, b, c: a * b + c)
_saturating("v_mad_u32_u16", "u32 <- u16 u16 u32", lambda a, b, c: a * b + c)
_saturating("v_mad_i32_i16", "i32 <- i16 i16 i32", lambda a, b, c: a * b + c)
_saturating("v_mad_u32_u24", "u32 <- u32 u32 u32", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
_saturating("v_mad_i32_i24", "i32 <- u32 u32 i32", lambda a, b, c: signed(a, 24) * signed(b, 24) + c)
_saturating("v_mul_u32_u24", "u32 <- u32 u32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF))
_saturating("v_mul_i32_i24", "i32 <- u32 u32", lambda a, b: signed(a, 24) * signed(b, 24))
pure("v_mul_hi_u32_u24", "u32 <- u32 u32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)
pure("v_mul_hi_i32_i24", "i32 <- u32 u32", lambda a, b: signed(a, 24) * signed(b, 24) >> 32)
pure("v_mul_lo_u32", "u32 <- u32 u32", lambda a, b: a * b)
pure("v_mul_hi_u32", "u32 <- u32 u32", lambda a, b: a * b >> 32)
pure("v_mul_hi_i32", "i32 <- i32 i32", lambda a, b: a * b >> 32)


def _carry(names: str, function: Callable[..., int], carry_in: bool) -> None:
    @model(names, "u32 mask <- u32 u32 mask" if carry_in else "u32 mask <- u32 u32")
    def _(c: Context, *values: int) -> tuple[int, bool]:
        exact = function(*(int(v) for v in values))
        return (saturate(exact, 0, M32) if c.clamp else exact), not 0 <= exact <= M32


_carry("v_add_co_u32", lambda a, b: a + b, False)
_carry("v_sub_co_u32", lambda a, b: a - b, False)
_carry("v_subrev_co_u32", lambda a, b: b - a, False)
_carry("v_add_co_ci_u32", lambda a, b, c: a + b + c, True)
_carry("v_sub_co_ci_u32", lambda a, b, c: a - b - c, True)
_carry("v_subrev_co_ci_u32", lambda a, b, c: b - a - c, True)


@model("v_mad_u64_u32", "u64 mask <- u32 u32 u64")
def _mad_u64(c: Context, a: int, b: int, d: int) -> tuple[int, bool]:
    exact = a * b + d
    return (saturate(exact, 0, M64) if c.clamp else exact), bool(exact >> 64)


@model("v_mad_i64_i32", "i64 mask <- i32 i32 i64")
def _mad_i64(c: Context, a: int, b: int, d: int) -> tuple[int, bool]:
    exact = a * b + d
    low, high = -(1 << 63), (1 << 63) - 1
    # Bit 64 of the 65-bit sum: set where the true sum is negative.
    return (saturate(exact, low, high) if c.clamp else exact), exact < 0


# -- minimum, maximum, median --------------------------------------------------------------------------------------

for _elem in ("i16", "u16", "i32", "u32"):
    _two, _three = f"{_elem} <- {_elem} {_elem}", f"{_elem} <- {_elem} {_elem} {_elem}"
    pure(f"v_min_{_elem}", _two, min)
    pure(f"v_max_{_elem}", _two, max)
    pure(f"v_min3_{_elem}", _three, min)
    pure(f"v_max3_{_elem}", _three, max)
    pure(f"v_med3_{_elem}", _three, lambda a, b, c: sorted((a, b, c))[1])
    if _elem.endswith("32"):
        pure(f"v_maxmin_{_elem}", _three, lambda a, b, c: min(max(a, b), c))
        pure(f"v_minmax_{_elem}", _three, lambda a, b, c: max(min(a, b), c))


# -- bytes ---------------------------------------------------------------------------------------------------------


def _bytes(a: int, count: int = 4) -> list[int]:
    return [a >> 8 * k & 0xFF for k in range(count)]


def _sad(a: int, b: int, c: int) -> int:
    return c + sum(abs(x - y) for x, y in zip(_bytes(a), _bytes(b), strict=True))


def _msad(a: int, b: int, c: int) -> int:
    return c + sum(abs(x - y) for x, y in zip(_bytes(a), _bytes(b), strict=True) if y)


def _clamped_sum(names: str, function: Callable[[int, int, int], int]) -> None:
    _saturating(names, "u32 <- u32 u32 u32", function)


_clamped_sum("v_sad_u8", _sad)
_clamped_sum("v_msad_u8", _msad)
_clamped_sum("v_sad_hi_u8", lambda a, b, c: (_sad(a, b, 0) << 16) + c)
_clamped_sum("v_sad_u16", lambda a, b, c: abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)) + c)
_clamped_sum("v_sad_u32", lambda a, b, c: abs(a - b) + c)


def _quad(names: str, function: Callable[[int, int, int], int]) -> None:
    @model(names, "u64 <- u64 u32 u64")
    def _(c: Context, a: int, b: int, d: int) -> int:
        out = 0
        for k in range(4):
            part = function(a >> 8 * k & M32, b, d >> 16 * k & 0xFFFF)
            out |= (min(part, 0xFFFF) if c.clamp else part & 0xFFFF) << 16 * k
        return out


_quad("v_qsad_pk_u16_u8", _sad)
_quad("v_mqsad_pk_u16_u8", _msad)


@model("v_mqsad_u32_u8", "u32x4 <- u64 u32 u32x4")
def _mqsad(c: Context, a: int, b: int, d: list[int]) -> list[int]:
    parts = [_msad(a >> 8 * k & M32, b, d[k]) for k in range(4)]
    return [min(p, M32) if c.clamp else p & M32 for p in parts]


@model("v_lerp_u8", "u32 <- u32 u32 u32")
def _lerp(_: Context, a: int, b: int, c: int) -> int:
    return sum(
        (x + y + (z & 1) >> 1) << 8 * k for k, (x, y, z) in enumerate(zip(_bytes(a), _bytes(b), _bytes(c), strict=True))
    )


@model("v_perm_b32", "u32 <- u32 u32 u32")
def _perm(_: Context, a: int, b: int, selector: int) -> int:
    data = _bytes(a << 32 | b, 8)
    out = 0
    for k, sel in enumerate(_bytes(selector)):
        if sel >= 13:
            byte = 0xFF
        elif sel == 12:
            byte = 0
        elif sel >= 8:
            byte = 0xFF if data[2 * (sel - 8) + 1] & 0x80 else 0
        else:
            byte = data[sel]
        out |= byte << 8 * k
    return out


@model("v_sat_pk_u8_i16", "u16 <- u32")
def _sat_pk(_: Context, a: int) -> int:
    return saturate(signed(a, 16), 0, 255) | saturate(signed(a >> 16, 16), 0, 255) << 8


# -- counting lanes ------------------------------------------------------------------------------------------------


@model("v_mbcnt_lo_u32_b32", "u32 <- u32 u32")
def _mbcnt_lo(c: Context, a: int, b: int) -> int:
    return (a & ((1 << c.lane) - 1) & M32).bit_count() + b


@model("v_mbcnt_hi_u32_b32", "u32 <- u32 u32")
def _mbcnt_hi(c: Context, a: int, b: int) -> int:
    return (a & ((1 << c.lane) - 1) >> 32).bit_count() + b
