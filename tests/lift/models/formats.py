"""Binary floating-point formats with exact, correctly rounded arithmetic on Python integers.

A finite number is kept as sign, integer m and exponent e (value ``m * 2**e``); rounding happens once, in `encode`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A format of `exp` exponent and `man` mantissa bits.

    Attributes:
        kind: ``ieee``; ``fnuz`` (no infinity, one NaN 0x80, no negative zero); ``ocp`` (E4M3FN: no infinity, NaN 0x7f).
    """

    name: str
    exp: int
    man: int
    bias: int
    kind: str = "ieee"

    @property
    def bits(self) -> int:
        return 1 + self.exp + self.man

    @property
    def sign_bit(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def inf(self) -> int:
        return ((1 << self.exp) - 1) << self.man

    @property
    def nan(self) -> int:
        if self.kind == "fnuz":
            return self.sign_bit
        return self.inf | (1 << (self.man - 1)) if self.kind == "ieee" else self.sign_bit - 1

    @property
    def largest(self) -> int:
        """Bits of the largest finite number."""
        if self.kind == "fnuz":
            return self.sign_bit - 1
        return self.inf - 1 if self.kind == "ieee" else self.sign_bit - 2

    # -- classification of bits ----------------------------------------------------------------------------------------

    def magnitude(self, raw: int) -> int:
        return raw & (self.sign_bit - 1)

    def negative(self, raw: int) -> bool:
        return bool(raw & self.sign_bit)

    def is_nan(self, raw: int) -> bool:
        if self.kind == "fnuz":
            return raw == self.sign_bit
        return self.magnitude(raw) > self.inf if self.kind == "ieee" else self.magnitude(raw) == self.nan

    def is_signalling(self, raw: int) -> bool:
        return self.is_nan(raw) and not raw >> (self.man - 1) & 1

    def is_inf(self, raw: int) -> bool:
        return self.kind == "ieee" and self.magnitude(raw) == self.inf

    def is_zero(self, raw: int) -> bool:
        return self.magnitude(raw) == 0 and not self.is_nan(raw)

    def is_denormal(self, raw: int) -> bool:
        return 0 < self.magnitude(raw) < 1 << self.man

    def exponent(self, raw: int) -> int:
        """The exponent field."""
        return raw >> self.man & ((1 << self.exp) - 1)

    def quiet(self, raw: int) -> int:
        return raw | 1 << (self.man - 1)

    def flush(self, raw: int) -> int:
        return raw & self.sign_bit if self.is_denormal(raw) else raw

    # -- values --------------------------------------------------------------------------------------------------------

    def split(self, raw: int) -> tuple[int, int]:
        """(m, e) of a finite number; m carries the sign."""
        field, fraction = self.exponent(raw), raw & ((1 << self.man) - 1)
        m, e = (fraction, 1) if field == 0 else (fraction | 1 << self.man, field)
        return (-m if self.negative(raw) else m), e - self.bias - self.man

    def fraction(self, raw: int) -> Fraction:
        m, e = self.split(raw)
        return Fraction(m) * Fraction(2) ** e

    def value(self, raw: int) -> float:
        """As a Python float (exact for every format here)."""
        if self.is_nan(raw):
            return math.nan
        if self.is_inf(raw):
            return -math.inf if self.negative(raw) else math.inf
        m, e = self.split(raw)
        if m == 0:
            return -0.0 if self.negative(raw) else 0.0
        return math.ldexp(m, e)

    def encode(self, m: int, e: int, negative_zero: bool = False, mode: str = "even", sticky: bool = False) -> int:
        """Bits of ``m * 2**e`` rounded once.

        Args:
            mode: ``even`` to nearest, ties to even; ``zero`` towards zero.
            sticky: the exact value lies a little further from zero than m * 2**e (m must be long enough).
        """
        sign = self.sign_bit if m < 0 or (m == 0 and negative_zero) else 0
        if m == 0:
            return 0 if self.kind == "fnuz" else sign
        m = abs(m)
        if sticky:
            m, e = m << 2 | 1, e - 2
        lowest = 1 - self.bias - self.man
        quantum = max(e + m.bit_length() - 1 - self.man, lowest)
        shift = quantum - e
        if shift <= 0:
            n = m << -shift
        else:
            n, rest, half = m >> shift, m & ((1 << shift) - 1), 1 << (shift - 1)
            if mode == "even" and (rest > half or (rest == half and n & 1)):
                n += 1
        if n >> (self.man + 1):
            n, quantum = n >> 1, quantum + 1
        raw = n if n < 1 << self.man else ((quantum - lowest + 1) << self.man) + n - (1 << self.man)
        if raw > self.largest:
            raw = self.largest if mode == "zero" else self.inf if self.kind == "ieee" else self.nan
            return self.nan if self.kind == "fnuz" and raw == self.nan else raw | sign
        return 0 if raw == 0 and self.kind == "fnuz" else raw | sign

    def of_fraction(self, value: Fraction, negative_zero: bool = False) -> int:
        """Nearest number of an exact rational."""
        if value == 0:
            return self.encode(0, 0, negative_zero)
        top, bottom = abs(value.numerator), value.denominator
        shift = max(0, bottom.bit_length() - top.bit_length() + self.man + 8)
        quotient, rest = divmod(top << shift, bottom)
        return self.encode(-quotient if value < 0 else quotient, -shift, sticky=rest != 0)

    def of_float(self, value: float, mode: str = "even") -> int:
        """Nearest number of a Python float."""
        if math.isnan(value):
            return self.nan
        if math.isinf(value):
            return (self.inf if self.kind == "ieee" else self.nan) | (self.sign_bit if value < 0 else 0)
        m, e = math.frexp(value)
        return self.encode(int(m * 2**53), e - 53, math.copysign(1, value) < 0, mode)

    def of_int(self, value: int) -> int:
        return self.encode(value, 0)

    def convert(self, raw: int, source: Format, mode: str = "even") -> int:
        """Bits of another format's number."""
        if source.is_nan(raw):
            return self.nan
        if source.is_inf(raw):
            return self.inf | (self.sign_bit if source.negative(raw) else 0)
        m, e = source.split(raw)
        return self.encode(m, e, source.negative(raw), mode)

    # -- arithmetic ----------------------------------------------------------------------------------------------------

    def add(self, a: int, b: int) -> int:
        return self.fma(a, self.one, b)

    def neg(self, a: int) -> int:
        return a ^ self.sign_bit

    @property
    def one(self) -> int:
        return self.bias << self.man

    def mul(self, a: int, b: int) -> int:
        sign = (a ^ b) & self.sign_bit
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        if self.is_inf(a) or self.is_inf(b):
            return self.nan if self.is_zero(a) or self.is_zero(b) else self.inf | sign
        (ma, ea), (mb, eb) = self.split(a), self.split(b)
        return self.encode(ma * mb, ea + eb, bool(sign))

    def fma(self, a: int, b: int, c: int, scale: int = 0) -> int:
        """``(a * b + c) * 2**scale``, rounded once."""
        if self.is_nan(a) or self.is_nan(b) or self.is_nan(c):
            return self.nan
        sign = (a ^ b) & self.sign_bit
        if self.is_inf(a) or self.is_inf(b):
            if self.is_zero(a) or self.is_zero(b) or (self.is_inf(c) and (c & self.sign_bit) != sign):
                return self.nan
            return self.inf | sign
        if self.is_inf(c):
            return c
        (ma, ea), (mb, eb), (mc, ec) = self.split(a), self.split(b), self.split(c)
        m, e = ma * mb, ea + eb
        low = min(e, ec)
        total = (m << (e - low)) + (mc << (ec - low))
        both_negative = bool(sign) and self.negative(c)
        return self.encode(total, low + scale, both_negative)

    def scale(self, a: int, power: int) -> int:
        """``a * 2**power``, rounded once."""
        if self.is_nan(a) or self.is_inf(a) or self.is_zero(a):
            return self.nan if self.is_nan(a) else a
        m, e = self.split(a)
        return self.encode(m, e + max(-5000, min(5000, power)))


F16 = Format("f16", 5, 10, 15)
BF16 = Format("bf16", 8, 7, 127)
F32 = Format("f32", 8, 23, 127)
F64 = Format("f64", 11, 52, 1023)
FP8_FNUZ = Format("fp8", 4, 3, 8, "fnuz")
BF8_FNUZ = Format("bf8", 5, 2, 16, "fnuz")
FP8_OCP = Format("fp8", 4, 3, 7, "ocp")
BF8_OCP = Format("bf8", 5, 2, 15)

BY_NAME = {f.name: f for f in (F16, BF16, F32, F64)}
