"""The scalar ALU (SOP1, SOP2, SOPC, SOPK): functions of plain integers that give the result and SCC.

Each function takes the values of its sources (and of SCC or the destination where it needs them) and returns
``(result or None, SCC or None)``; None leaves the register as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.lift.models.integer import signed

Outcome = tuple[int | None, bool | None]


@dataclass(frozen=True)
class Scalar:
    """`result` and `sources` give widths in bits (a negative number: signed); `extra` names further arguments: ``scc``,
    ``dst`` or ``exec`` (before the sources)."""

    result: int
    sources: tuple[int, ...]
    function: Callable[..., Outcome]
    extra: str = ""


SCALARS: dict[str, Scalar] = {}


def _op(
    name: str, result: int, sources: tuple[int, ...], function: Callable[..., Any], scc: str, extra: str = ""
) -> None:
    """Register; `scc` is ``nonzero``, ``keep`` or ``own`` (the function gives it)."""

    def run(*values: int) -> Outcome:
        outcome = function(*values)
        if scc == "own":
            found: Outcome = outcome
            return found
        low = None if outcome is None else outcome & ((1 << abs(result)) - 1)
        return low, None if scc == "keep" else low != 0

    if name in SCALARS:
        raise AssertionError(name)
    SCALARS[name] = Scalar(result, sources, run, extra)


# -- logic, with SCC = result is not zero ------------------------------------------------------------------------------

_LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "and_not1": lambda a, b: a & ~b,
    "or_not1": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}
for _bits in (32, 64):
    for _name, _function in _LOGIC.items():
        _op(f"s_{_name}_b{_bits}", _bits, (_bits, _bits), _function, "nonzero")
    _m = _bits - 1
    _op(f"s_lshl_b{_bits}", _bits, (_bits, 32), lambda a, b, m=_m: a << (b & m), "nonzero")
    _op(f"s_lshr_b{_bits}", _bits, (_bits, 32), lambda a, b, m=_m: a >> (b & m), "nonzero")
    _op(f"s_ashr_i{_bits}", _bits, (-_bits, 32), lambda a, b, m=_m: a >> (b & m), "nonzero")
    _op(f"s_not_b{_bits}", _bits, (_bits,), lambda a: ~a, "nonzero")
    _op(f"s_mov_b{_bits}", _bits, (_bits,), lambda a: a, "keep")
    _op(f"s_cmov_b{_bits}", _bits, (_bits,), lambda scc, a: a if scc else None, "keep", "scc")
    _op(f"s_cselect_b{_bits}", _bits, (_bits, _bits), lambda scc, a, b: a if scc else b, "keep", "scc")
    _op(f"s_bfm_b{_bits}", _bits, (32, 32), lambda a, b, m=_m: ((1 << (a & m)) - 1) << (b & m), "keep")
    _op(f"s_brev_b{_bits}", _bits, (_bits,), lambda a, n=_bits: int(f"{a:0{n}b}"[::-1], 2), "keep")
    _op(f"s_bcnt1_i32_b{_bits}", 32, (_bits,), lambda a: a.bit_count(), "nonzero")
    _op(f"s_bcnt0_i32_b{_bits}", 32, (_bits,), lambda a, n=_bits: n - a.bit_count(), "nonzero")
    _op(f"s_bitset0_b{_bits}", _bits, (32,), lambda d, a, m=_m: d & ~(1 << (a & m)), "keep", "dst")
    _op(f"s_bitset1_b{_bits}", _bits, (32,), lambda d, a, m=_m: d | 1 << (a & m), "keep", "dst")
    _op(f"s_bitcmp0_b{_bits}", 0, (_bits, 32), lambda a, b, m=_m: (None, not a >> (b & m) & 1), "own")
    _op(f"s_bitcmp1_b{_bits}", 0, (_bits, 32), lambda a, b, m=_m: (None, bool(a >> (b & m) & 1)), "own")
    _op(f"s_ctz_i32_b{_bits}", 32, (_bits,), lambda a: (a & -a).bit_length() - 1 if a else -1, "keep")
    _op(f"s_clz_i32_u{_bits}", 32, (_bits,), lambda a, n=_bits: n - a.bit_length() if a else -1, "keep")
    _op(
        f"s_ff0_i32_b{_bits}",
        32,
        (_bits,),
        lambda a, n=_bits: (~a & -~a).bit_length() - 1 if a + 1 >> n == 0 else -1,
        "keep",
    )

    def _wqm(a: int, n: int = _bits) -> int:
        return sum(15 << k for k in range(0, n, 4) if a >> k & 15)

    def _quadmask(a: int, n: int = _bits) -> int:
        return sum(1 << k // 4 for k in range(0, n, 4) if a >> k & 15)

    _op(f"s_wqm_b{_bits}", _bits, (_bits,), _wqm, "nonzero")
    _op(f"s_quadmask_b{_bits}", _bits, (_bits,), _quadmask, "nonzero")


def _bfe(bits: int, is_signed: bool) -> Callable[[int, int], int]:
    def function(a: int, b: int) -> int:
        offset, width = b & (bits - 1), b >> 16 & 0x7F
        field = a >> offset
        if width < bits:
            field &= (1 << width) - 1
            if is_signed:
                field = signed(field, width) if width else 0
        return field

    return function


for _bits in (32, 64):
    _op(f"s_bfe_u{_bits}", _bits, (_bits, 32), _bfe(_bits, False), "nonzero")
    _op(f"s_bfe_i{_bits}", _bits, (-_bits, 32), _bfe(_bits, True), "nonzero")


def _cls(bits: int) -> Callable[[int], int]:
    def function(a: int) -> int:
        top = a >> (bits - 1) & 1
        return next((i for i in range(1, bits) if a >> (bits - 1 - i) & 1 != top), -1)

    return function


_op("s_cls_i32", 32, (32,), _cls(32), "keep")
_op("s_cls_i32_i64", 32, (64,), _cls(64), "keep")
_op("s_sext_i32_i8", 32, (32,), lambda a: signed(a, 8), "keep")
_op("s_sext_i32_i16", 32, (32,), lambda a: signed(a, 16), "keep")
_op("s_abs_i32", 32, (-32,), abs, "nonzero")
_op("s_bitreplicate_b64_b32", 64, (32,), lambda a: sum((a >> k & 1) * (3 << 2 * k) for k in range(32)), "keep")

# -- saving EXEC ---------------------------------------------------------------------------------------------------

_SAVE: dict[str, Callable[[int, int], int]] = {
    **_LOGIC,
    "and_not0": lambda a, b: ~a & b,
    "or_not0": lambda a, b: ~a | b,
}
SAVEEXEC: dict[str, tuple[Callable[[int, int], int], bool]] = {}
"""Operation → (new EXEC from source and EXEC, whether the destination gets the old EXEC rather than the new one)."""
for _bits in (32, 64):
    for _name, _function in _SAVE.items():
        SAVEEXEC[f"s_{_name}_saveexec_b{_bits}"] = (_function, True)
    for _name in ("and_not0", "and_not1"):
        SAVEEXEC[f"s_{_name}_wrexec_b{_bits}"] = (_SAVE[_name], False)

# -- arithmetic ----------------------------------------------------------------------------------------------------

M32 = 0xFFFFFFFF


def _overflows(value: int) -> bool:
    return not -(1 << 31) <= value < 1 << 31


_op("s_add_u32", 32, (32, 32), lambda a, b: (a + b & M32, a + b > M32), "own")
_op("s_sub_u32", 32, (32, 32), lambda a, b: (a - b & M32, b > a), "own")
_op("s_addc_u32", 32, (32, 32), lambda scc, a, b: (a + b + scc & M32, a + b + scc > M32), "own", "scc")
_op("s_subb_u32", 32, (32, 32), lambda scc, a, b: (a - b - scc & M32, b + scc > a), "own", "scc")
_op("s_add_i32", 32, (-32, -32), lambda a, b: (a + b & M32, _overflows(a + b)), "own")
_op("s_sub_i32", 32, (-32, -32), lambda a, b: (a - b & M32, _overflows(a - b)), "own")
for _k in (1, 2, 3, 4):
    _op(
        f"s_lshl{_k}_add_u32",
        32,
        (32, 32),
        lambda a, b, k=_k: ((a << k) + b & M32, (a << k) + b > M32),
        "own",
    )
_op("s_mul_i32", 32, (32, 32), lambda a, b: a * b, "keep")
_op("s_mul_hi_u32", 32, (32, 32), lambda a, b: a * b >> 32, "keep")
_op("s_mul_hi_i32", 32, (-32, -32), lambda a, b: a * b >> 32, "keep")
_op("s_absdiff_i32", 32, (-32, -32), lambda a, b: abs(signed(a - b, 32)), "nonzero")
for _letter, _width in (("i", -32), ("u", 32)):
    _op(f"s_min_{_letter}32", 32, (_width, _width), lambda a, b: (min(a, b) & M32, a < b), "own")
    _op(f"s_max_{_letter}32", 32, (_width, _width), lambda a, b: (max(a, b) & M32, a >= b), "own")
_PACK = {"ll": (0, 0), "lh": (0, 16), "hl": (16, 0), "hh": (16, 16)}
for _name, (_x, _y) in _PACK.items():
    _op(
        f"s_pack_{_name}_b32_b16",
        32,
        (32, 32),
        lambda a, b, x=_x, y=_y: a >> x & 0xFFFF | (b >> y & 0xFFFF) << 16,
        "keep",
    )

# -- comparisons ---------------------------------------------------------------------------------------------------

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}
for _name, _compare in _COMPARE.items():
    for _letter, _width in (("i", -32), ("u", 32)):
        _op(f"s_cmp_{_name}_{_letter}32", 0, (_width, _width), lambda a, b, f=_compare: (None, f(a, b)), "own")
        # SOPK: the destination field is the first source, the immediate is as signed as the comparison.
        _op(
            f"s_cmpk_{_name}_{_letter}32",
            0,
            (),
            lambda d, k, f=_compare, s=_letter == "i": (
                None,
                f(signed(d, 32) if s else d, signed(k, 16) if s else k & 0xFFFF),
            ),
            "own",
            "dst imm",
        )
for _name in ("eq", "lg"):
    _op(f"s_cmp_{_name}_u64", 0, (64, 64), lambda a, b, f=_COMPARE[_name]: (None, f(a, b)), "own")
_op("s_movk_i32", 32, (), lambda k: signed(k, 16), "keep", "imm")
_op("s_cmovk_i32", 32, (), lambda scc, k: signed(k, 16) if scc else None, "keep", "scc imm")
_op(
    "s_addk_i32",
    32,
    (),
    lambda d, k: (d + signed(k, 16) & M32, _overflows(signed(d, 32) + signed(k, 16))),
    "own",
    "dst imm",
)
_op("s_mulk_i32", 32, (), lambda d, k: d * signed(k, 16), "keep", "dst imm")
