"""``softrock fit``."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

from softrock.cli.commands import Given
from softrock.core.errors import UsageError
from softrock.fit import cards, placement, precisions, prices, report, sources
from softrock.fit.model import Model
from softrock.fit.placement import Load

_NUMBERS = ("params", "active", "layers", "hidden", "heads", "kv-heads", "head-dim", "vocab", "inner")
_CACHE_BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "q8_0": 8.5, "q4_0": 4.5, "int4": 4}


def _whole(given: Given, flag: str, default: int, high: int) -> int:
    number = given.number(flag)
    if number is None:
        return default
    if not math.isfinite(number) or number != int(number) or not 1 <= number <= high:
        raise UsageError(f"{flag} {given.values[flag]!r} is no whole number from 1 to {high}")
    return int(number)


def _load(given: Given) -> Load:
    precision = given.values.get("--precision", precisions.STORED)
    if precision.lower() != precisions.STORED:
        precision = precisions.find(precision).name
    kind = given.values.get("--kv-precision", "bf16").lower()
    if kind not in _CACHE_BITS:
        raise UsageError(f"--kv-precision {kind!r} is unknown", hint=f"choose from {', '.join(_CACHE_BITS)}")
    margin = given.number("--margin")
    if margin is not None and not 0 <= margin < 100:
        raise UsageError(f"--margin {given.values['--margin']!r} is no share from 0 to 99 percent")
    return Load(
        precision.lower() if precision.lower() == precisions.STORED else precision,
        _CACHE_BITS[kind],
        _whole(given, "--context", 8192, placement.MOST_CONTEXT),
        _whole(given, "--batch", 1, 1 << 20),
        placement.MARGIN if margin is None else margin / 100,
        _whole(given, "--count", 8, 16),
    )


def _model(given: Given) -> Model:
    numbers = {
        name.replace("-", "_"): _whole(given, f"--{name}", 0, 10**15)
        for name in _NUMBERS
        if f"--{name}" in given.values
    }
    if given.words:
        if numbers:
            flag = next(iter(numbers)).replace("_", "-")
            raise UsageError(f"--{flag} goes with no MODEL", hint="give either a file or numbers")
        return sources.load(Path(given.words[0]))
    if not numbers:
        raise UsageError(
            "Missing argument 'MODEL'", hint="a folder, file, or --params; softrock fit --help shows the usage"
        )
    return sources.from_numbers(numbers)


def _lists(given: Given) -> bool:
    """Print what was asked for besides a model; whether something was."""
    from softrock.fit import render

    asked = given.values.get("--gpu", "")
    if "--cards" in given.values:
        named = given.values["--cards"] or ",".join(given.words)
        chosen = cards.choose(named or asked or "all")
        if "--json" in given.values:
            found = {each.id: {k: [f.asdict() for f in facts] for k, facts in each.facts.items()} for each in chosen}
            print(json.dumps(found, indent=2))
        else:
            print(render.cards_text(chosen, bool(named or asked)))
        return True
    if "--engines" in given.values and not given.words and "--params" not in given.values:
        from softrock.fit import engines

        targets = dict.fromkeys(each.target for each in cards.choose(asked))
        if "--json" in given.values:
            print(json.dumps(engines.entries(targets), indent=2))
        else:
            print(render.engines_text(targets))
        return True
    if given.values.get("--prices") == "example" and not given.words and "--params" not in given.values:
        print(prices.example_text(), end="")
        return True
    return False


def fit(given: Given) -> int:
    """Carry out the command; returns the exit status: 1 where no card holds the model."""
    if _lists(given):
        return 0
    load, chosen = _load(given), cards.choose(given.values.get("--gpu", ""))
    listed = prices.load(given.values["--prices"]) if "--prices" in given.values else []
    found = report.answer(_model(given), load, chosen)
    if listed:
        years = given.number("--years")
        if years is not None and not 0 < years <= 100:
            raise UsageError(f"--years {given.values['--years']!r} is no number of years")
        hours = prices.HOURS if years is None else years * 365 * 24
        costs = tuple(prices.costs(found.placements, listed, hours))
        found = report.Answer(found.model, found.load, found.placements, costs)
    if "--chart" in given.values:
        from softrock.fit import chart

        chart.write(found, Path(given.values["--chart"]))
    _print(given, found)
    return 0 if any(each.fits for each in found.placements) else 1


def _print(given: Given, found: report.Answer) -> None:
    from softrock.fit import render

    ways: dict[str, Callable[[], str]] = {
        "--json": lambda: json.dumps(report.document(found), indent=2),
        "--csv": lambda: report.table(found).rstrip("\n"),
        "--bars": lambda: render.bars(found),
    }
    asked = [flag for flag in ways if flag in given.values]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} are two ways to print", hint="give one of them")
    if asked:
        print(ways[asked[0]]())
    else:
        print(render.text(found, sys.stdout.isatty(), "--engines" in given.values))
