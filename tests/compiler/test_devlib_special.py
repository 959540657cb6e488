"""Special values of the device library (C99 Annex F, OpenCL for what C lacks), in float and double on the host."""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.compiler.devlib.accuracy import FORMATS, INTEGER_SECOND
from softrock.compiler.devlib.accuracy.evaluate import HostEvaluator

INF = math.inf


def table() -> list[tuple[str, list[float], float]]:
    """Function, arguments and result of every line of devlib_special.txt."""
    lines = (Path(__file__).parent / "devlib_special.txt").read_text().splitlines()
    rows = []
    for line in lines:
        if not line.startswith("#"):
            left, right = line.split("=")
            function, *arguments = left.split()
            rows.append((function, [float(a) for a in arguments], float(right)))
    return rows


@pytest.fixture(scope="module")
def host() -> HostEvaluator:
    """The library built for this host."""
    return HostEvaluator()


def same(a: float, b: float) -> bool:
    """Equal, with the sign of zero; NaN equals NaN."""
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("type_name", ["f32", "f64"])
def test_special_values(host: HostEvaluator, type_name: str) -> None:
    wrong = []
    for function, arguments, wanted in table():
        (got,) = host(function, type_name, [[a] for a in arguments])
        want = FORMATS[type_name].nearest(wanted)
        if not same(got, want):
            wrong.append(f"{function}{arguments} = {got}, not {want}")
    assert not wrong


@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("function", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p"])
def test_denormals_pass_unchanged(host: HostEvaluator, type_name: str, function: str) -> None:
    fmt = FORMATS[type_name]
    values = [s * math.ldexp(k, fmt.lowest) for k in (1, 2, 3, 12345) for s in (1, -1)]
    assert host(function, type_name, [values]) == values


@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("function", ["exp", "exp2", "exp10", "sinh", "cosh", "expm1", "pow", "erfcx", "tgamma", "i0"])
def test_overflow_happens_at_the_right_place(host: HostEvaluator, type_name: str, function: str) -> None:
    import mpmath as mp

    from softrock.compiler.devlib.accuracy.references import TABLE as TRUE

    fmt = FORMATS[type_name]
    second = [1.5] if function == "pow" else []
    high = {"pow": math.ldexp(1.0, fmt.limit - 1), "erfcx": 0.0}.get(function, float(fmt.limit + 2))
    low = {"erfcx": -30.0, "tgamma": 5.0}.get(function, 1.0)
    grows = function != "erfcx"
    with mp.workprec(120):
        for _ in range(70):  # bisect the last argument whose true result is below the overflow threshold
            middle = fmt.nearest((low + high) / 2)
            finite = TRUE[function](mp.mpf(middle), *second) < mp.mpf(2) ** fmt.limit
            low, high = (middle, high) if finite == grows else (low, middle)
    inside, outside = (low, high) if grows else (high, low)
    nudge = 1 + 2 ** -(fmt.precision - 12)
    results = host(function, type_name, [[inside / nudge, outside * nudge], *([s, s] for s in second)])
    assert math.isfinite(results[0])
    assert results[1] == INF


def test_integer_second_arguments_are_known() -> None:
    assert {"pown", "rootn"} == INTEGER_SECOND


REAL = {"f32": ctypes.c_float, "f64": ctypes.c_double}


@pytest.mark.parametrize("type_name", ["f32", "f64"])
def test_functions_that_return_two_things(host: HostEvaluator, type_name: str) -> None:
    real = REAL[type_name]

    def call(name: str, second: type, *arguments: float) -> tuple[float, float]:
        function = getattr(host.library, f"__ocml_{name}_{type_name}")
        function.restype = real
        function.argtypes = [real] * len(arguments) + [ctypes.c_void_p]
        place = second()
        result = function(*arguments, ctypes.addressof(place))
        return float(result), float(place.value)

    assert call("modf", real, -3.25) == (-0.25, -3.0)
    whole = call("modf", real, -3.0)
    assert same(whole[0], -0.0)
    assert call("modf", real, INF) == (0.0, INF)
    assert call("frexp", ctypes.c_int, -40.0) == (-0.625, 6)
    assert call("frexp", ctypes.c_int, math.ldexp(1.0, FORMATS[type_name].lowest)) == (
        0.5,
        FORMATS[type_name].lowest + 1,
    )
    assert call("fract", real, -0.25) == (0.75, -1.0)
    assert call("fract", real, -1e-30)[0] < 1.0
    assert call("lgamma_r", ctypes.c_int, -0.5)[1] == -1
    assert call("lgamma_r", ctypes.c_int, -1.5)[1] == 1
    assert call("lgamma_r", ctypes.c_int, 3.0)[1] == 1
    sine, cosine = call("sincos", real, 1.0)
    assert [sine] == host("sin", type_name, [[1.0]])
    assert [cosine] == host("cos", type_name, [[1.0]])
    assert call("sincospi", real, 0.5) == (1.0, 0.0)
    for x, y in [(7.0, 2.0), (-7.0, 2.0), (5.0, -3.0), (1e10, 3.0), (8.5, 0.25), (2.5, 1.0), (3.5, 1.0), (0.25, 1.0)]:
        x, y = FORMATS[type_name].nearest(x), FORMATS[type_name].nearest(y)
        rest, quotient = call("remquo", ctypes.c_int, x, y)
        assert rest == math.remainder(x, y)
        assert abs(quotient) % 8 == abs(round(x / y)) % 8
        assert quotient == 0 or (quotient < 0) == (x * y < 0)


@pytest.mark.parametrize("type_name", ["f32", "f64"])
def test_division_remainders_are_exact(host: HostEvaluator, type_name: str) -> None:
    """Against Python's own exact fmod and remainder, at many points: a wrong quotient digit is rare."""
    fmt, source = FORMATS[type_name], random.Random(type_name)
    x = [fmt.nearest(math.ldexp(source.uniform(-1, 1), source.randint(-20, 90))) for _ in range(60000)]
    y = [fmt.nearest(math.ldexp(source.uniform(0.5, 1), source.randint(-20, 20))) for _ in x]
    assert host("fmod", type_name, [x, y]) == [math.fmod(a, b) for a, b in zip(x, y, strict=True)]
    assert host("remainder", type_name, [x, y]) == [math.remainder(a, b) for a, b in zip(x, y, strict=True)]


# CUDA's documented bounds of the fast intrinsics: domain, absolute bound there.
NATIVE = {
    "sin": (math.sin, -math.pi, math.pi, 2**-21.41),
    "cos": (math.cos, -math.pi, math.pi, 2**-21.19),
    "log": (math.log, 0.5, 2.0, 2**-21.41),
    "log2": (math.log2, 0.5, 2.0, 2**-22),
    "log10": (math.log10, 0.5, 2.0, 2**-24),
}
# And in ulps: domain, bound over the argument.
NATIVE_ULPS: dict[str, tuple[Callable[[float], float], float, float, Callable[[float], float]]] = {
    "exp": (math.exp, -87.0, 88.0, lambda x: 2 + math.floor(abs(1.173 * x))),
    "exp10": (lambda x: 10.0**x, -37.0, 38.0, lambda x: 2 + math.floor(abs(2.97 * x))),
    "exp2": (lambda x: 2.0**x, -126.0, 127.9, lambda x: 2),
    "log": (math.log, 2.0, 1e30, lambda x: 3),
    "log2": (math.log2, 2.0, 1e30, lambda x: 2),
    "log10": (math.log10, 2.0, 1e30, lambda x: 3),
    "rsqrt": (lambda x: 1 / math.sqrt(x), 1e-30, 1e30, lambda x: 2),
    "sqrt": (math.sqrt, 1e-30, 1e30, lambda x: 1),
    "recip": (lambda x: 1 / x, 1e-30, 1e30, lambda x: 1),
}


def native(host: HostEvaluator, name: str, low: float, high: float) -> list[tuple[float, float]]:
    """Arguments and results of a native function, uniform or (over wide ranges) log-uniform."""
    source, fmt = random.Random(name), FORMATS["f32"]
    wide = high > 1e6
    points = [math.exp(source.uniform(math.log(low), math.log(high))) if wide else source.uniform(low, high)
              for _ in range(20000)]  # fmt: skip
    points = [fmt.nearest(p) for p in points]
    function = host.function(f"__ocml_native_{name}_f32", "f32", 1)
    return [(p, function(p)) for p in points]


@pytest.mark.parametrize("name", NATIVE)
def test_native_functions_keep_their_absolute_bounds(host: HostEvaluator, name: str) -> None:
    truth, low, high, bound = NATIVE[name]
    assert max(abs(result - truth(point)) for point, result in native(host, name, low, high)) <= bound


@pytest.mark.parametrize("name", NATIVE_ULPS)
def test_native_functions_keep_their_bounds_in_ulps(host: HostEvaluator, name: str) -> None:
    truth, low, high, bound = NATIVE_ULPS[name]
    for point, result in native(host, name, low, high):
        exact = truth(point)
        ulp = math.ldexp(1, math.frexp(exact)[1] - 24)
        assert abs(result - exact) <= (bound(point) + 0.5) * ulp, point
