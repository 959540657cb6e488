"""Accuracy of the device library against the documented bounds, measured on the host.

Three layers: double and float against mpmath at few hundred points each; float against the library's own double (which
the first layer checked) at very many points; half against double at every half there is.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softrock.compiler.devlib.accuracy import FORMATS, Case, case, cases, distance, measure, rounded
from softrock.compiler.devlib.accuracy.evaluate import HostEvaluator, half_errors, ulp_distance

NAMES = [each.name for each in cases()]


@functools.cache
def host() -> HostEvaluator:
    """The library built for this host."""
    return HostEvaluator()


@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("name", NAMES)
def test_documented_bounds_hold(name: str, type_name: str) -> None:
    found = measure(case(name), type_name, host(), 60 if name.startswith("y") else 250)
    assert found.points > 0
    assert found.error >= 0
    assert found.within, found


@pytest.mark.long
@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("name", NAMES)
def test_documented_bounds_hold_at_more_points(name: str, type_name: str) -> None:
    found = measure(case(name), type_name, host(), 400 if name.startswith("y") else 3000, seed=2)
    assert found.within, found


def dense(each: Case, count: int, seed: int) -> list[NDArray[np.float32]]:
    """Like `accuracy.samples`, in NumPy: `count` points for every domain of every argument."""
    source = np.random.default_rng(seed)

    def draw(domain: str) -> Any:
        kind, *numbers = domain.split(":")
        if kind.startswith("bits"):
            bits = source.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
            return np.abs(bits) if kind.endswith("+") else bits
        low, high = (float(n) for n in numbers)
        if kind == "i":
            return source.integers(int(low), int(high) + 1, count)
        if kind == "u":
            return source.uniform(low, high, count)
        if kind == "z":
            near = np.round(2 * source.uniform(low, high, count)) / 2
            return near + source.choice([-1, 1], count) * np.exp(source.uniform(-17, -0.7, count))
        size = np.exp(source.uniform(math.log(low), math.log(high), count))
        return size if kind == "l+" else size * source.choice([-1, 1], count)

    longest = math.lcm(*(len(d) for d in each.domains))
    return [np.concatenate([draw(d[i % len(d)]) for i in range(longest)]).astype(np.float32) for d in each.domains]


# Their double results have errors far above double's ulp at float's scale, or are checked exactly elsewhere.
UNFIT = {"fmod", "remainder", "fdim", "sqrt", "j0 far", "j1 far", "y0 far", "y1 far"}


@pytest.mark.parametrize("name", [n for n in NAMES if n not in UNFIT])
def test_float_against_double_at_many_points(name: str) -> None:
    each = case(name)
    with np.errstate(over="ignore", invalid="ignore"):
        columns = dense(each, 20000, 3)
    results = host().arrays(each.function, "f32", columns)
    truth = host().arrays(each.function, "f64", [c.astype(np.float64) for c in columns])
    error = ulp_distance(results, truth, "f32")
    worst = int(np.argmax(error))
    assert error[worst] <= each.bounds["f32"], [c[worst] for c in columns] + [results[worst], truth[worst]]


HALVES = [n for n in NAMES if len(case(n).domains) == 1 and "far" not in n]


@pytest.mark.parametrize("name", HALVES)
def test_every_half(name: str) -> None:
    assert half_errors(host(), case(name)).max() <= 1


def test_reduction_of_hard_arguments() -> None:
    """The arguments closest to multiples of pi/2 (the double one from Muller's book), and the largest ones."""
    import mpmath as mp

    from softrock.compiler.devlib.accuracy.references import TABLE

    hard = {
        "f64": [math.ldexp(6381956970095103.0, 797), 1.7976931348623157e308, 5.3e15, 2.0**1023, 67108863.9999],
        "f32": [math.ldexp(16367173.0, 72), 3.4028234663852886e38, 131071.99, 131072.02, 2.0**127, 65521.0],
    }
    for type_name, values in hard.items():
        fmt = FORMATS[type_name]
        points = [s * fmt.nearest(v) for v in values for s in (1, -1)]
        for function in ("sin", "cos", "tan"):
            for point, result in zip(points, host()(function, type_name, [points]), strict=True):
                with mp.workprec(1400):
                    truth = TABLE[function](mp.mpf(point))
                    assert distance(result, truth, fmt)[0] <= 1, (function, point)


def test_float_functions_near_every_boundary_of_their_pieces() -> None:
    """Polynomial pieces meet without a jump: the neighbourhood of each seam, float against double."""
    seams = {
        "erf": [1.0],
        "erfc": [0.5],
        "erfinv": [0.5, 1 - math.exp(-6.25) / 2],
        "lgamma": [0.5, 1.5, 2.5, 8.0],
        "tgamma": [0.5, 8.0],
        "j0": [1.2, 3.9, 7.1],
        "j1": [2.0, 5.4],
        "y0": [2.6, 5.4],
        "y1": [3.8, 6.9],
        "cyl_bessel_i0": [8.0],
        "asin": [0.5],
        "acos": [0.5, -0.5],
        "atan": [1.0],
        "sin": [131072.0],
        "log": [math.sqrt(0.5), math.sqrt(2)],
        "sinh": [12.0],
        "tanh": [12.0],
    }
    for name, points in seams.items():
        each = case(name)
        for point in points:
            start = np.float32(point).view(np.int32)
            column = (start + np.arange(-300, 300, dtype=np.int32)).view(np.float32)
            truth = host().arrays(each.function, "f64", [column.astype(np.float64)])
            error = ulp_distance(host().arrays(each.function, "f32", [column]), truth, "f32")
            assert error.max() <= each.bounds["f32"], (name, point)


def test_the_ruler_itself() -> None:
    import mpmath as mp

    fmt = FORMATS["f32"]
    with mp.workprec(100):
        third = mp.mpf(1) / 3
        best = float(np.float32(1 / 3))
        assert rounded(third, fmt) == (best, mp.ldexp(1, -25))
        assert distance(best, third, fmt)[0] == 0
        assert distance(float(np.nextafter(np.float32(best), np.float32(1))), third, fmt)[0] == 1
        assert distance(math.nan, third, fmt) == (math.inf, math.inf)
        assert rounded(mp.ldexp(1, 130), fmt)[0] == math.inf
        assert distance(math.inf, mp.ldexp(1, 128) * (1 - mp.ldexp(1, -24)), fmt)[0] == 1
        assert rounded(mp.ldexp(3, -150), fmt)[0] == math.ldexp(1, -148)  # a tie goes to even
    values = np.array([1.0, np.inf, np.nan, -0.0], np.float32)
    assert ulp_distance(values, np.array([1.0 + 2**-23, 1e39, np.nan, 0.0]), "f32").tolist() == [1, 0, 0, 0]
