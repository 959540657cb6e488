"""True values of the device library's functions, in mpmath arithmetic of whatever precision is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

Real = Any
"""An mpmath number (the package has no types)."""

Reference = Callable[..., Real]


def _sign(x: Real) -> int:
    return -1 if x < 0 else 1


def _norm(*values: Real) -> Real:
    return mp.sqrt(mp.fsum(v * v for v in values))


def _extra(function: Reference, bits: int) -> Reference:
    """The function computed with more precision, where it cancels."""

    def computed(*values: Real) -> Real:
        with mp.extraprec(bits):
            return function(*values)

    return computed


def _erfcx(x: Real) -> Real:
    if x < 1e4:
        return mp.exp(x * x) * mp.erfc(x)
    return (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * mp.sqrt(mp.pi))


def _erfinv(x: Real) -> Real:
    small = abs(x) < 1e-15
    return x * mp.sqrt(mp.pi) / 2 * (1 + mp.pi * x * x / 12) if small else mp.erfinv(x)


def _erfcinv(x: Real) -> Real:
    if not 0 < x < 2:
        raise ValueError("outside the domain")
    bits = max(0, -int(mp.floor(mp.log(min(x, 2 - x), 2))))
    with mp.extraprec(2 * bits + 40):
        return mp.erfinv(1 - x)


def _ncdfinv(p: Real) -> Real:
    return -mp.sqrt(2) * _erfcinv(2 * p)


def _fmod(x: Real, y: Real) -> Real:
    with mp.workprec(4400):
        x, y = abs(x) * 1, mp.mpf(y)
        return x - abs(y) * mp.floor(x / abs(y))


def _signed_fmod(x: Real, y: Real) -> Real:
    return _sign(x) * _fmod(x, y)


def _remainder(x: Real, y: Real) -> Real:
    with mp.workprec(4400):
        return x - y * mp.nint(x / y)


def _tanpi(x: Real) -> Real:
    return mp.sinpi(x) / mp.cospi(x)


def _near_zero(function: Reference, slope: Real) -> Reference:
    """mpmath's function, and its first term where the argument is so small that nothing else counts."""
    return lambda x: function(x) if abs(x) > mp.mpf(10) ** -60 else slope * x


def _bessel(function: Reference, order: int) -> Reference:
    return _extra(lambda x: function(order, x), 60)


TABLE: dict[str, Reference] = {
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "sinpi": mp.sinpi,
    "cospi": mp.cospi,
    "tanpi": _tanpi,
    "exp": mp.exp,
    "exp2": lambda x: mp.power(2, x),
    "exp10": lambda x: mp.power(10, x),
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": lambda x: mp.log(x) / mp.log(10),
    "log1p": mp.log1p,
    "pow": _extra(mp.power, 40),
    "powr": _extra(mp.power, 40),
    "pown": _extra(mp.power, 40),
    "rootn": _extra(lambda x, n: _sign(x) * mp.power(abs(x), 1 / mp.mpf(n)), 40),
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "atan2": mp.atan2,
    "asinpi": lambda x: mp.asin(x) / mp.pi,
    "acospi": lambda x: mp.acos(x) / mp.pi,
    "atanpi": lambda x: mp.atan(x) / mp.pi,
    "atan2pi": lambda y, x: mp.atan2(y, x) / mp.pi,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "cbrt": lambda x: _sign(x) * mp.cbrt(abs(x)),
    "rcbrt": lambda x: _sign(x) / mp.cbrt(abs(x)),
    "hypot": _norm,
    "rhypot": lambda x, y: 1 / _norm(x, y),
    "len3": _norm,
    "len4": _norm,
    "rlen3": lambda *v: 1 / _norm(*v),
    "rlen4": lambda *v: 1 / _norm(*v),
    "erf": _near_zero(mp.erf, 2 / mp.sqrt(mp.pi)),
    "erfc": mp.erfc,
    "erfcx": _extra(_erfcx, 60),
    "erfinv": _extra(_erfinv, 60),
    "erfcinv": _erfcinv,
    "ncdf": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
    "ncdfinv": _ncdfinv,
    "lgamma": _extra(lambda x: mp.re(mp.loggamma(x)), 60),
    "tgamma": _extra(mp.gamma, 40),
    "fmod": _signed_fmod,
    "remainder": _remainder,
    "fdim": lambda x, y: max(x - y, mp.mpf(0)),
    "j0": _bessel(mp.besselj, 0),
    "j1": _bessel(mp.besselj, 1),
    "y0": _bessel(mp.bessely, 0),
    "y1": _bessel(mp.bessely, 1),
    "i0": _bessel(mp.besseli, 0),
    "i1": _bessel(mp.besseli, 1),
}
