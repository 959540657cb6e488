"""Arithmetic and conversions in the directed rounding modes, against exact rational arithmetic."""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from softrock.compiler import devlib
from softrock.compiler.devlib.accuracy import FORMATS, Format

REAL = {"f32": ctypes.c_float, "f64": ctypes.c_double}
MODES = ("rtn", "rtp", "rtz", "rte")


def rounded(value: Fraction, fmt: Format, mode: str) -> float:
    """A rational number other than 0 rounded to the type in a mode."""
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    while Fraction(2) ** exponent > size:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    quantum = max(exponent - fmt.precision + 1, fmt.lowest)
    steps = size / Fraction(2) ** quantum
    whole = math.floor(steps)
    rest = steps - whole
    away = {
        "rtz": False,
        "rtp": rest > 0 and value > 0,
        "rtn": rest > 0 and value < 0,
        "rte": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
    }[mode]
    whole += away
    top = (1 << fmt.precision) - 1
    if quantum + fmt.precision > fmt.limit or (whole > top and quantum + fmt.precision + 1 > fmt.limit):
        to_inf = mode == "rte" or (mode == "rtp" and value > 0) or (mode == "rtn" and value < 0)
        result = math.inf if to_inf else math.ldexp(top, fmt.limit - fmt.precision)
    else:
        result = math.ldexp(whole, quantum)
    return result if value > 0 else -result


def exact_root(value: float, fmt: Format, mode: str) -> float:
    """Square root in a mode, by comparing squares."""
    square = Fraction(value)
    guess = rounded(Fraction(math.isqrt(int(square * 4**1200)), 2**1200), fmt, "rtz")
    down = Fraction(guess)
    up = Fraction(
        math.nextafter(guess, math.inf) if fmt.precision == 53 else guess + math.ldexp(1, math.frexp(guess)[1] - 24)
    )
    if down * down == square or mode in ("rtz", "rtn"):
        return guess
    if mode == "rtp":
        return float(up)
    return guess if ((down + up) / 2) ** 2 > square else float(up)


def operands(fmt: Format, source: random.Random, count: int) -> list[float]:
    """Numbers that are hard together: random bits, near powers of two, extremes and denormals, similar exponents."""
    top = math.ldexp(2 - math.ldexp(1, 1 - fmt.precision), fmt.limit - 1)
    hard = [
        1.0,
        -1.0,
        top,
        -top,
        math.ldexp(1, fmt.lowest),
        -math.ldexp(1, fmt.lowest),
        math.ldexp(1, 2 - fmt.limit),
        3.0,
        1 / 3,
    ]
    picks: list[Callable[[], float]] = [
        lambda: fmt.random_bits(source, False),
        lambda: source.choice(hard),
        lambda: source.choice((1, -1)) * (1 + source.randint(0, 3) * math.ldexp(1, 1 - fmt.precision)),
        lambda: source.uniform(-4, 4),
        lambda: source.randint(-99, 99) * math.ldexp(1, fmt.lowest),
        lambda: math.ldexp(source.uniform(1, 2), source.choice((-2 * fmt.precision, 2 * fmt.precision, fmt.precision))),
        lambda: math.ldexp(source.uniform(0.9, 1), (fmt.limit // 2) * source.choice((1, -1))),
    ]
    return [fmt.nearest(source.choice(picks)()) or 1.0 for _ in range(count)]


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """The library built for this host."""
    return ctypes.CDLL(str(devlib.host_library()))


EXACT: dict[str, tuple[int, Callable[..., Fraction]]] = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "div": (2, lambda a, b: a / b),
    "fma": (3, lambda a, b, c: a * b + c),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("operation", EXACT)
def test_operations_are_exactly_rounded(library: ctypes.CDLL, operation: str, type_name: str, mode: str) -> None:
    fmt, real = FORMATS[type_name], REAL[type_name]
    count, exact = EXACT[operation]
    function = getattr(library, f"__ocml_{operation}_{mode}_{type_name}")
    function.restype, function.argtypes = real, [real] * count
    source = random.Random(f"{operation}{type_name}{mode}")
    for _ in range(1500):
        arguments = operands(fmt, source, count)
        if operation == "fma" and source.random() < 0.3:  # near cancellation
            arguments[2] = fmt.nearest(max(-1e300, min(1e300, -arguments[0] * arguments[1])))
        value = exact(*(Fraction(a) for a in arguments))
        got = function(*arguments)
        if value == 0:
            assert got == 0, arguments
            if operation in ("add", "sub", "fma"):
                assert math.copysign(1, got) == (-1 if mode == "rtn" else 1), arguments
        else:
            assert got == rounded(value, fmt, mode), arguments


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("type_name", ["f32", "f64"])
def test_square_roots_are_exactly_rounded(library: ctypes.CDLL, type_name: str, mode: str) -> None:
    fmt, real = FORMATS[type_name], REAL[type_name]
    function = getattr(library, f"__ocml_sqrt_{mode}_{type_name}")
    function.restype, function.argtypes = real, [real]
    source = random.Random(f"sqrt{type_name}{mode}")
    for value in (abs(v) for v in operands(fmt, source, 300)):
        assert function(value) == exact_root(value, fmt, mode), value
        square = fmt.nearest(value * value)
        if fmt.lowest < math.log2(value) * 2 < fmt.limit - 1 and Fraction(square) == Fraction(value) ** 2:
            assert function(square) == value


@pytest.mark.parametrize("mode", MODES[:3])
def test_specials_behave_as_without_a_mode(library: ctypes.CDLL, mode: str) -> None:
    inf, nan = math.inf, math.nan
    rows: list[tuple[str, tuple[float, ...], float]] = [
        ("add", (inf, -inf), nan),
        ("add", (-0.0, -0.0), -0.0),
        ("mul", (-0.0, 3.0), -0.0),
        ("mul", (inf, 0.0), nan),
        ("div", (1.0, 0.0), inf),
        ("div", (-0.0, 5.0), -0.0),
        ("div", (0.0, 0.0), nan),
        ("sqrt", (-1.0,), nan),
        ("sqrt", (-0.0,), -0.0),
        ("sqrt", (inf,), inf),
        ("fma", (-0.0, 1.0, -0.0), -0.0),
        ("fma", (inf, 1.0, -inf), nan),
        ("fma", (2.0, 3.0, inf), inf),
        ("fma", (0.0, 1.0, 5.0), 5.0),
    ]
    for operation, arguments, want in rows:
        for type_name, real in REAL.items():
            function = getattr(library, f"__ocml_{operation}_{mode}_{type_name}")
            function.restype, function.argtypes = real, [real] * len(arguments)
            got = function(*arguments)
            if math.isnan(want):
                assert math.isnan(got), (operation, arguments)
            else:
                assert (got, math.copysign(1, got)) == (want, math.copysign(1, want)), (operation, arguments)


INTEGERS = {
    "s32": (ctypes.c_int32, -(2**31), 2**31 - 1),
    "u32": (ctypes.c_uint32, 0, 2**32 - 1),
    "s64": (ctypes.c_int64, -(2**63), 2**63 - 1),
    "u64": (ctypes.c_uint64, 0, 2**64 - 1),
}


@pytest.mark.parametrize("mode", MODES[:3])
@pytest.mark.parametrize("kind", ["f32_s32", "f32_u32", "f32_s64", "f32_u64", "f64_s64", "f64_u64"])
def test_integer_conversions(library: ctypes.CDLL, kind: str, mode: str) -> None:
    type_name, integer = kind.split("_")
    ctype, low, high = INTEGERS[integer]
    function = getattr(library, f"__ocml_cvt{mode}_{kind}")
    function.restype, function.argtypes = REAL[type_name], [ctype]
    source = random.Random(kind + mode)
    values = [low, high, 1, 2**24 + 1, 2**24 + 3, high - 1, low + 1, *(source.randint(low, high) for _ in range(400))]
    for value in values + [source.randint(low, high) >> source.randint(0, 30) for _ in range(400)]:
        want = rounded(Fraction(value), FORMATS[type_name], mode) if value else 0.0
        assert function(value) == want, value


@pytest.mark.parametrize("mode", MODES[:3])
def test_double_to_float(library: ctypes.CDLL, mode: str) -> None:
    function = getattr(library, f"__ocml_cvt{mode}_f32_f64")
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_double]
    source = random.Random(mode)
    fmt = FORMATS["f32"]
    for _ in range(2000):
        value = math.ldexp(source.uniform(-2, 2), source.choice((0, 20, 127, 128, -126, -140, -149, -150, -200, 500)))
        assert function(value) == rounded(Fraction(value), fmt, mode), value
    assert math.isnan(function(math.nan))
    assert function(-math.inf) == -math.inf
    assert math.copysign(1, function(-0.0)) == -1
