"""Computes src/coefficients.h: polynomials and split constants of the device math library.

Every polynomial is the Chebyshev interpolant of its function, computed with mpmath and converted to powers; its degree
grows until the error of the *rounded* coefficients is under the tolerance of the type. Run
``python -m softrock.compiler.devlib.coefficients`` after changing a table here (needs mpmath; the result is committed).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath

mp: Any = mpmath
Real = Any
"""An mpmath number (the package has no types)."""

BITS = {"float": 24, "double": 53}


@dataclass(frozen=True)
class Poly:
    """One polynomial.

    Args:
        name: member name in ``coef<T>``.
        function: what it stands for, over the *original* variable.
        low, high: the interval of that variable.
        weight: how much the polynomial's relative error counts in the final result (<= 1 for correction terms).
        centre: the powers are of (variable - centre).
        guard: bits of accuracy beyond the type's own.
        types: the types it is made for.
    """

    name: str
    function: Callable[[Real], Real]
    low: Real
    high: Real
    weight: Real = 1
    centre: Real = 0
    guard: int = 4
    types: tuple[str, ...] = ("float", "double")


def chebyshev(function: Callable[[Real], Real], low: Real, high: Real, count: int, centre: Real) -> list[Real]:
    """Coefficients in powers of (x - centre) of the interpolant at `count` Chebyshev nodes of [low, high]."""
    middle, half = (low + high) / 2, (high - low) / 2
    angles = [mp.pi * (mp.mpf(k) + mp.mpf(1) / 2) / count for k in range(count)]
    values = [function(middle + half * mp.cos(a)) for a in angles]
    series = [2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True)) / count for j in range(count)]
    series[0] /= 2
    shift = (centre - middle) / half
    scale = 1 / half
    previous, current = [mp.mpf(1)], [shift, scale]
    total = [mp.mpf(0)] * count
    for j in range(count):
        for power, value in enumerate(previous):
            total[power] += series[j] * value
        following = [mp.mpf(0)] * (len(current) + 1)
        for power, value in enumerate(current):
            following[power] += 2 * shift * value
            following[power + 1] += 2 * scale * value
        for power, value in enumerate(previous):
            following[power] -= value
        previous, current = current, following
    return total


def rounded(value: Real, bits: int) -> Real:
    """`value` to the nearest number of `bits` significant bits."""
    with mp.workprec(bits):
        return +value


def hexadecimal(value: Real, bits: int) -> str:
    """An exact C++ hexadecimal literal of a number that has at most `bits` bits."""
    number = rounded(value, bits)
    text = float(number).hex()
    return text + ("f" if bits == 24 else "")


def fit(poly: Poly, bits: int) -> list[Real]:
    """The shortest coefficients (lowest power first) whose weighted relative error is under 2**-(bits + guard)."""
    low, high, centre = mp.mpf(poly.low), mp.mpf(poly.high), mp.mpf(poly.centre)
    function: Callable[[Real], Real] = poly.function
    limit = mp.mpf(2) ** -(bits + poly.guard) / mp.mpf(poly.weight)
    samples = [low + (high - low) * (mp.mpf(k) + mp.mpf("0.37")) / 61 for k in range(61)]
    truth = [function(s) for s in samples]
    for count in range(2, 60):
        exact = chebyshev(function, low, high, count, centre)
        error = max(abs(mp.polyval(exact[::-1], s - centre) / t - 1) for s, t in zip(samples, truth, strict=True))
        if error < limit:
            return exact
    raise ArithmeticError(f"{poly.name}: no degree below 60 reaches 2^-{bits + poly.guard}")


def _bessel_pieces() -> list[Poly]:
    """Bessel functions on [0, 8]: centred on the zeros, so that relative accuracy survives there."""
    j0, j1, y0, y1 = (_of_order(f, n) for f in (mp.besselj, mp.bessely) for n in (0, 1))
    pieces = [
        Poly("j0_a", lambda z: (j0(mp.sqrt(z)) - 1) / z, 0, 1.44, 0.5),
        Poly("j1_a", lambda z: j1(mp.sqrt(z)) / mp.sqrt(z), 0, 4),
        Poly("y0_a", _y0_rest, 0, 6.76),
        Poly("y1_a", _y1_rest, 0, 14.44),
    ]
    spans: list[tuple[str, Callable[[Real], Real], Real, float, float]] = [
        ("j0_b", j0, mp.besseljzero(0, 1), 1.19, 3.91),
        ("j0_c", j0, mp.besseljzero(0, 2), 3.89, 7.11),
        ("j0_d", j0, mp.besseljzero(0, 3), 7.09, 8.01),
        ("j1_b", j1, mp.besseljzero(1, 1), 1.99, 5.41),
        ("j1_c", j1, mp.besseljzero(1, 2), 5.39, 8.01),
        ("y0_b", y0, mp.besselyzero(0, 2), 2.59, 5.41),
        ("y0_c", y0, mp.besselyzero(0, 3), 5.39, 8.01),
        ("y1_b", y1, mp.besselyzero(1, 2), 3.79, 6.91),
        ("y1_c", y1, mp.besselyzero(1, 3), 6.89, 8.01),
    ]
    for name, function, zero, low, high in spans:
        pieces.append(Poly(name, _divided(function, zero), low, high, 1, zero))
    for order in (0, 1):
        pieces.append(Poly(f"bessel_p{order}", _modulus(order, 0), 0, 1, 1, 0, 2))
        pieces.append(Poly(f"bessel_q{order}", _modulus(order, 1), 0, 1, 0.06, 0, 2))
    return pieces


def _of_order(function: Callable[..., Real], order: int) -> Callable[[Real], Real]:
    return lambda x: function(order, x)


def _divided(function: Callable[[Real], Real], zero: Real) -> Callable[[Real], Real]:
    return lambda x: function(x) / (x - zero)


def _y0_rest(z: Real) -> Real:
    """(Y0(x) - 2/pi J0(x) log(x/x0)) / (x^2 - x0^2), an entire function of z = x^2 (x0: first zero of Y0)."""
    x, zero = mp.sqrt(z), mp.besselyzero(0, 1)
    with mp.extraprec(60):
        return (mp.bessely(0, x) - 2 / mp.pi * mp.besselj(0, x) * mp.log(x / zero)) / (z - zero**2)


def _y1_rest(z: Real) -> Real:
    """x (Y1(x) - 2/pi J1(x) log(x/x1)) / (x^2 - x1^2), an entire function of z = x^2 (x1: first zero of Y1)."""
    x, zero = mp.sqrt(z), mp.besselyzero(1, 1)
    with mp.extraprec(60):
        return x * (mp.bessely(1, x) - 2 / mp.pi * mp.besselj(1, x) * mp.log(x / zero)) / (z - zero**2)


def _modulus(order: int, which: int) -> Callable[[Real], Real]:
    """P (which=0) and x Q (which=1) of Hankel's expansion, exact, over s = (8/x)^2."""

    def value(s: Real) -> Real:
        x = 8 / mp.sqrt(s)
        with mp.extraprec(40):
            angle = x - (2 * order + 1) * mp.pi / 4
            scale = mp.sqrt(mp.pi * x / 2)
            j, y = mp.besselj(order, x), mp.bessely(order, x)
            if which == 0:
                return scale * (j * mp.cos(angle) + y * mp.sin(angle))
            return x * scale * (y * mp.cos(angle) - j * mp.sin(angle))

    return value


def _erfinv_over_x(w: Real) -> Real:
    """erfinv(x)/x where w = -log(1 - x^2)."""
    if w < 30:
        x = mp.sqrt(-mp.expm1(-w))
        with mp.extraprec(80):
            return mp.erfinv(x) / x
    with mp.extraprec(40):
        # 1 - x = d with d (2 - d) = exp(-w); solve log erfc(v) = log d.
        e = mp.exp(-w)
        d = e / (1 + mp.sqrt(1 - e)) if w < 200 else e / 2
        target = mp.log(d)
        v = mp.sqrt(w - mp.log(mp.sqrt(mp.pi * w) / 1))
        for _ in range(8):
            c = mp.erfc(v)
            slope = -2 / mp.sqrt(mp.pi) * mp.exp(-v * v) / c
            v -= (mp.log(c) - target) / slope
        return v / (1 - d)


def _stirling(z: Real) -> Real:
    """x (lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2) over z = 1/x^2."""
    x = 1 / mp.sqrt(z)
    with mp.extraprec(80):
        return x * (mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def polynomials() -> list[Poly]:
    """Every polynomial of the library."""
    q = mp.pi / 4 * mp.mpf("1.001")
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.02")
    return [
        Poly("sin", lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, q * q, 0.12),
        Poly("cos", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 0, q * q, 0.03),
        Poly("exp", lambda r: (mp.expm1(r) - r) / r**2, -half_ln2, half_ln2, 0.08),
        Poly("log", lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, "0.0296", 0.011),
        Poly("log1p", _log1p_rest, mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 0.17, 0, 1, ("float",)),
        Poly("log_tail", _log_tail, 0, "0.0296", 2e-4, 0, 13),
        Poly("atan", lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, 1, 0.3),
        Poly("asin", lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, "0.2501", 0.05),
        Poly("tanh", lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, "0.361", 0.12, types=("float",)),
        Poly("cbrt", lambda m: m ** (-mp.mpf(1) / 3), 0.5, 1, 1, 0.75, -14, ("float",)),
        Poly("erf", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 0, 1),
        Poly("log_erfc", lambda x: -mp.log(mp.erfc(x)), "0.99", "6.01", 0.3, 1),
        Poly("erfcx", _erfcx_scaled, "-0.601", 1),
        Poly("erfcx_near", lambda x: mp.exp(x * x) * mp.erfc(x), 0, 1, 1, 0.5),
        Poly("erfinv_a", _erfinv_over_x, 0, 6.26, 1, 3.125),
        Poly("erfinv_b", lambda y: _erfinv_over_x(y * y), 2.49, 4.01, 1, 3.25),
        Poly("erfinv_c", lambda y: _erfinv_over_x(y * y), 3.99, 6.5, 1, 5.25),
        Poly("erfinv_d", lambda y: _erfinv_over_x(y * y), 6.49, 12.01, 1, 9),
        Poly("erfinv_e", lambda y: _erfinv_over_x(y * y), 11.99, 27.4, 1, 18),
        Poly("lgamma_1", lambda t: mp.loggamma(1 + t) / t, -0.5, 0.5),
        Poly("lgamma_2", lambda t: mp.loggamma(2 + t) / t, -0.5, 0.5),
        Poly("stirling", _stirling, 0, 1 / mp.mpf(64), 0.02),
        Poly("rgamma", lambda t: (mp.rgamma(1 + t) - 1) / t, -0.5, 0.5, 0.3),
        Poly("i0", lambda z: (mp.besseli(0, mp.sqrt(z)) - 1) / z, 0, 64, 1),
        Poly("i1", lambda z: mp.besseli(1, mp.sqrt(z)) / mp.sqrt(z), 0, 64, 1),
        Poly("i0_tail", lambda s: _bessel_i_scaled(0, 8 / s), 0, 1, 1, 0.5),
        Poly("i1_tail", lambda s: _bessel_i_scaled(1, 8 / s), 0, 1, 1, 0.5),
        *_bessel_pieces(),
    ]


def _log1p_rest(f: Real) -> Real:
    """(log(1 + f) - f + f^2/2)/f^3."""
    with mp.extraprec(60):
        return (mp.log1p(f) - f + f * f / 2) / f**3


def _log_tail(z: Real) -> Real:
    """(atanh(s)/s - 1 - z/3)/z^2 over z = s^2."""
    return ((mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z - mp.mpf(1) / 3) / z


def _bessel_i_scaled(order: int, x: Real) -> Real:
    return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)


def _erfcx_scaled(t: Real) -> Real:
    """(1 + 2x) exp(x^2) erfc(x) over t = (x - 4)/(x + 4), after Shepherd and Laframboise (1981)."""
    x = 4 * (1 + t) / (1 - t)
    with mp.extraprec(60):
        return (1 + 2 * x) * (mp.exp(x * x) * mp.erfc(x) if x < 1000 else _erfcx_far(x))


def _erfcx_far(x: Real) -> Real:
    term, total = mp.mpf(1), mp.mpf(1)
    for k in range(1, 12):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mp.sqrt(mp.pi))


def constants() -> dict[str, Real]:
    """Constants emitted as NAME_0, NAME_1, NAME_2: an unevaluated sum of three numbers of the type."""
    return {
        "ln2": mp.log(2),
        "log2e": 1 / mp.log(2),
        "log2_10": mp.log(10, 2),
        "log10_2": mp.log(2, 10),
        "ln10": mp.log(10),
        "log10e": 1 / mp.log(10),
        "pi": +mp.pi,
        "half_pi": mp.pi / 2,
        "quarter_pi": mp.pi / 4,
        "inv_pi": 1 / mp.pi,
        "two_over_pi": 2 / mp.pi,
        "sqrt_half": mp.sqrt(mp.mpf(1) / 2),
        "sqrt_pi": mp.sqrt(mp.pi),
        "half_log_2pi": mp.log(2 * mp.pi) / 2,
        "log_pi": mp.log(mp.pi),
        "euler": +mp.euler,
        "third": mp.mpf(1) / 3,
        "j0_z1": mp.besseljzero(0, 1),
        "j0_z2": mp.besseljzero(0, 2),
        "j0_z3": mp.besseljzero(0, 3),
        "j1_z1": mp.besseljzero(1, 1),
        "j1_z2": mp.besseljzero(1, 2),
        "y0_z1": mp.besselyzero(0, 1),
        "y0_z2": mp.besselyzero(0, 2),
        "y0_z3": mp.besselyzero(0, 3),
        "y1_z1": mp.besselyzero(1, 1),
        "y1_z2": mp.besselyzero(1, 2),
        "y1_z3": mp.besselyzero(1, 3),
    }


def two_over_pi_words(count: int) -> list[int]:
    """The first `count` 32-bit words of 2/pi's binary fraction, most significant first."""
    with mp.workprec(32 * count + 64):
        whole = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (32 * count)))
    return [(whole >> (32 * (count - 1 - k))) & 0xFFFFFFFF for k in range(count)]


def header() -> str:
    """The text of coefficients.h."""
    mp.mp.prec = 220
    lines = [
        "// Generated by softrock.compiler.devlib.coefficients; do not edit.",
        "#pragma once",
        "template <class T> struct coef;",
    ]
    table = polynomials()
    for type_name, bits in BITS.items():
        lines.append(f"template <> struct coef<{type_name}> {{")
        for name, value in constants().items():
            rest, parts = value, []
            for part in range(3):
                piece = rounded(rest, bits)
                parts.append(f"{name}_{part} = {hexadecimal(piece, bits)}")
                rest -= piece
            lines.append(f"  static constexpr {type_name} {', '.join(parts)};")
        for poly in (p for p in table if type_name in p.types):
            terms = fit(poly, bits)
            lines.append(f"  static constexpr {type_name} {poly.name}[{len(terms)}] = {{")
            texts = [hexadecimal(term, bits) for term in terms]
            lines.extend("      " + ", ".join(texts[k : k + 4]) + "," for k in range(0, len(texts), 4))
            lines.append("  };")
        lines.append("};")
    words = two_over_pi_words(40)
    lines.append(f"static constexpr unsigned two_over_pi_word[{len(words)}] = {{")
    lines.extend("    " + ", ".join(f"0x{w:08x}u" for w in words[k : k + 8]) + "," for k in range(0, len(words), 8))
    lines.append("};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "src" / "coefficients.h").write_text(header())
