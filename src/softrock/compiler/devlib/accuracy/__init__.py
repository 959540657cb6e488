"""Measures the device library against mpmath, in ulps, against the bounds that the CUDA and OpenCL guides document.

``cases.csv`` lists what is measured and the bounds; :mod:`.references` holds the true values; :func:`measure` does one
case with any evaluator: the host build of the library (:class:`HostEvaluator`), or a kernel on a software or real GPU
(:func:`kernel_source` makes its source). ``python -m softrock.compiler.devlib.accuracy FILE.md`` writes the report.

Needs mpmath and numpy (development dependencies).
"""

from __future__ import annotations

import csv
import functools
import math
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softrock.core.errors import UsageError

Evaluator = Callable[[str, str, Sequence[Sequence[float]]], Sequence[float]]
"""``evaluate(function, type, columns)``: results of ``__ocml_<function>_<type>`` over columns of arguments."""

INTEGER_SECOND = frozenset({"pown", "rootn"})
"""Functions whose second argument is an ``int``."""


@dataclass(frozen=True, slots=True)
class Format:
    """A floating-point type.

    Args:
        name: ``f16``, ``f32`` or ``f64``.
        ctype: its name in C.
        precision: significant bits.
        lowest: exponent of the smallest subnormal (the quantum of subnormals is ``2**lowest``).
        limit: exponent of the overflow threshold: finite numbers are below ``2**limit``.
        code: its letter for `struct`.
    """

    name: str
    ctype: str
    precision: int
    lowest: int
    limit: int
    code: str

    def random_bits(self, source: random.Random, positive: bool) -> float:
        """A finite number of uniformly random bits (every exponent equally likely)."""
        size = struct.calcsize(self.code)
        while True:
            raw = source.getrandbits(8 * size)
            value = float(struct.unpack("<" + self.code, raw.to_bytes(size, "little"))[0])
            if math.isfinite(value):
                return abs(value) if positive else value

    def nearest(self, value: float) -> float:
        """A Python float rounded to the type; what overflows becomes the largest number."""
        try:
            return float(struct.unpack("<" + self.code, struct.pack("<" + self.code, value))[0])
        except OverflowError:
            return math.copysign(math.ldexp(2 - math.ldexp(1, 1 - self.precision), self.limit - 1), value)


FORMATS = {
    "f16": Format("f16", "_Float16", 11, -24, 16, "e"),
    "f32": Format("f32", "float", 24, -149, 128, "f"),
    "f64": Format("f64", "double", 53, -1074, 1024, "d"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One line of cases.csv; `bounds` maps a type's name to its bound."""

    name: str
    function: str
    absolute: bool
    bounds: dict[str, float]
    source: str
    domains: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Outcome of a case: the largest error and where it occurred.

    Args:
        error: largest distance from the correctly rounded result in ulps (absolute cases: largest absolute error).
        real: largest distance from the true value, in ulps (not rounded to whole ulps).
        arguments, result, truth: where `error` (with the largest `real`) was seen.
        points: how many points were tried.
    """

    case: Case
    type: str
    error: float
    real: float
    arguments: tuple[float, ...]
    result: float
    truth: float
    points: int

    @property
    def bound(self) -> float:
        """The documented bound."""
        return self.case.bounds[self.type]

    @property
    def within(self) -> bool:
        """Whether the error keeps to the bound."""
        return self.error <= self.bound


@functools.cache
def cases() -> tuple[Case, ...]:
    """All cases of cases.csv."""
    lines = (Path(__file__).parent / "cases.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return tuple(
        Case(
            row["case"],
            row["function"],
            row["kind"] == "abs",
            {name: float(row[name]) for name in ("f32", "f64") if row[name] != "-"},
            row["source"],
            tuple(tuple(part.split()) for part in row["domains"].split("|")),
        )
        for row in rows
    )


def case(name: str) -> Case:
    """The case of that name.

    Raises:
        UsageError: there is none.
    """
    for each in cases():
        if each.name == name:
            return each
    raise UsageError(f"no accuracy case is named {name!r}", hint="see devlib/accuracy/cases.csv")


def _sample(domain: str, fmt: Format, source: random.Random) -> float:
    kind, *numbers = domain.split(":")
    if kind.startswith("bits"):
        return fmt.random_bits(source, kind.endswith("+"))
    low, high = (float(n) for n in numbers)
    if kind == "i":
        return float(source.randint(int(low), int(high)))
    if kind == "u":
        return fmt.nearest(source.uniform(low, high))
    if kind == "z":
        anchor = round(2 * source.uniform(low, high)) / 2
        return fmt.nearest(anchor + source.choice((-1, 1)) * math.exp(source.uniform(-0.7 * fmt.precision, -0.7)))
    value = math.exp(source.uniform(math.log(low), math.log(high)))
    return fmt.nearest(value if kind == "l+" or source.random() < 0.5 else -value)


def samples(each: Case, fmt: Format, count: int, seed: int = 1) -> list[list[float]]:
    """`count` arguments (a column per argument), drawn in turn from every combination of the case's domains."""
    source = random.Random(f"{each.name}/{fmt.name}/{seed}")
    longest = math.lcm(*(len(d) for d in each.domains))
    points = [
        [_sample(d[(i + j * (i // longest)) % len(d)], fmt, source) for j, d in enumerate(each.domains)]
        for i in range(count)
    ]
    return [list(column) for column in zip(*points, strict=True)]


def rounded(value: Any, fmt: Format) -> tuple[float, Any]:
    """An mpmath number correctly rounded to the type, and the ulp there (as an mpmath number)."""
    import mpmath as mp

    if not value:
        return 0.0, mp.ldexp(1, fmt.lowest)
    exponent = max(int(mp.frexp(value)[1]) - fmt.precision, fmt.lowest)
    quantum = mp.ldexp(1, exponent)
    whole = int(mp.nint(value / quantum))  # mpmath rounds halves to even
    if abs(whole) * quantum >= mp.ldexp(1, fmt.limit):
        return math.copysign(math.inf, whole), quantum
    return math.ldexp(whole, exponent), quantum


def distance(result: float, truth: Any, fmt: Format) -> tuple[float, float]:
    """Error of a result: (ulps from the correctly rounded value, ulps from the true value)."""
    import mpmath as mp

    best, quantum = rounded(truth, fmt)
    if math.isnan(result):
        return math.inf, math.inf
    if math.isinf(result) or math.isinf(best):
        if result == best:
            return 0.0, 0.0
        edge = math.ldexp(2 - math.ldexp(1, 1 - fmt.precision), fmt.limit - 1)
        result = math.copysign(edge, result) if math.isinf(result) else result
        best = math.copysign(edge, best) if math.isinf(best) else best
        steps = abs(mp.mpf(result) - mp.mpf(best)) / quantum + 1
        return float(steps), float(steps)
    steps = float(abs(mp.mpf(result) - mp.mpf(best)) / quantum)
    return steps, float(abs(mp.mpf(result) - truth) / quantum)


def measure(each: Case, type_name: str, evaluate: Evaluator, count: int, seed: int = 1) -> Measured:
    """Run one case at `count` random points.

    Args:
        each: the case.
        type_name: ``f32`` or ``f64``.
        evaluate: runs the device library's function.
        count: points.
        seed: another seed gives other points.
    """
    import mpmath as mp

    from softrock.compiler.devlib.accuracy.references import TABLE

    fmt = FORMATS[type_name]
    reference = TABLE[each.function]
    columns = samples(each, fmt, count, seed)
    results = evaluate(each.function, type_name, columns)
    worst = Measured(each, type_name, -1.0, -1.0, (), math.nan, math.nan, count)
    with mp.workprec(fmt.precision + 60):
        for arguments, result in zip(zip(*columns, strict=True), results, strict=True):
            try:
                truth = reference(*(mp.mpf(a) for a in arguments))
            except (ZeroDivisionError, ValueError):
                continue  # a pole: special values are tested by themselves
            if not mp.isfinite(truth) or mp.im(truth) != 0:
                continue
            real = float(abs(mp.mpf(result) - truth)) if each.absolute else 0.0
            error, real = (real, real) if each.absolute else distance(result, truth, fmt)
            if (error, real) > (worst.error, worst.real):
                worst = Measured(each, type_name, error, real, arguments, result, float(truth), count)
    return worst
