"""The user's prices, and what they make of each card that holds a model."""

from __future__ import annotations

import csv
import datetime
import io
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NoReturn

from softrock.core.errors import SoftrockError, UsageError
from softrock.fit import jsonfile
from softrock.fit.cards import all_cards
from softrock.fit.placement import Placement
from softrock.fit.text import GB, clean

EXAMPLE = "example"
HOURS = 3 * 365 * 24
"""Hours that a bought card is used before it is worth nothing: three years, day and night."""
_MOST_BYTES, _MOST_ROWS = 4 << 20, 10_000
_COLUMNS = ("card", "kind", "price", "currency", "date", "source", "note")


@dataclass(frozen=True, slots=True)
class Price:
    """A price of one card: bought, or rented by the hour."""

    card: str
    kind: str
    amount: float
    currency: str
    date: str
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a price makes of a placement.

    Attributes:
        price: of one card.
        total: of all its cards.
        per_gb, per_gbs, per_token: price over memory (GB), bandwidth (GB/s), bound of tokens a second.
        per_million: price of a million tokens at the bound; bought cards over the hours they are used.
    """

    placement: Placement
    price: Price
    total: float
    per_gb: float
    per_gbs: float
    per_token: float
    per_million: float


def example_text() -> str:
    """The price file that comes with softrock."""
    return resources.files("softrock.fit").joinpath("data/prices.csv").read_text("utf-8")


def load(name: str) -> list[Price]:
    """Prices from a CSV file, or those that come with softrock (``example``).

    Raises:
        SoftrockError: it cannot be read, or a line is wrong.
    """
    if name == EXAMPLE:
        return parse(example_text(), "the example prices")
    path = Path(name)
    handle, size = jsonfile.open_regular(path)
    with os.fdopen(handle, "rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    where = clean(path, 300)
    if size > _MOST_BYTES:
        raise SoftrockError(f"{where}: it has {size:,} bytes; prices have at most {_MOST_BYTES:,}", hint="cut it")
    try:
        return parse(raw.decode("utf-8-sig"), where)
    except UnicodeDecodeError as error:
        raise SoftrockError(f"{where}: it is no UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None


def parse(text: str, where: str) -> list[Price]:
    """Prices from CSV text with a header; lines that begin with # are comments.

    Raises:
        SoftrockError: a column is missing or a line is wrong.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if len(lines) > _MOST_ROWS:
        raise SoftrockError(f"{where}: it has {len(lines):,} lines; at most {_MOST_ROWS:,} are read", hint="cut it")
    try:
        cells = list(csv.reader(io.StringIO("\n".join(line for _, line in lines)), strict=True))
    except csv.Error as error:
        raise SoftrockError(
            f"{where}: it is no CSV ({error})", hint="softrock fit --prices example shows one"
        ) from None
    header = [each.strip().lower() for each in cells[0]] if cells else []
    missing = [each for each in _COLUMNS[:5] if each not in header]
    if missing:
        raise SoftrockError(
            f"{where}: the column {missing[0]!r} is missing", hint=f"its first line is {','.join(_COLUMNS)}"
        )
    found = []
    for (number, _), row in zip(lines[1:], cells[1:], strict=False):
        if len(row) > len(header):
            _wrong(where, number, f"it has {len(row)} cells for {len(header)} columns")
        found.append(_price(dict(zip(header, row + [""] * (len(header) - len(row)), strict=True)), where, number))
    return found


def _wrong(where: str, number: int, what: str) -> NoReturn:
    raise SoftrockError(f"{where}, line {number}: {what}", hint="softrock fit --prices example shows how it is meant")


def _price(row: dict[str, str], where: str, number: int) -> Price:
    card = row["card"].strip()
    known = {each.lower(): each for each in all_cards()}
    if card.lower() not in known:
        _wrong(where, number, f"no card {clean(card)!r} is known (softrock fit --cards lists them)")
    kind = row["kind"].strip().lower()
    if kind not in ("buy", "rent"):
        _wrong(where, number, f"kind is {clean(kind)!r}, neither buy nor rent")
    try:
        amount = float(row["price"])
    except ValueError:
        amount = math.nan
    if not 0 < amount < 1e12:
        _wrong(where, number, f"price is {clean(row['price'])!r}, no amount above 0")
    try:
        day = datetime.date.fromisoformat(row["date"].strip())
    except ValueError:
        _wrong(where, number, f"date is {clean(row['date'])!r}, not written as 2026-01-31")
    currency = clean(row["currency"].strip().upper() or "?", 8)
    source, note = clean(row.get("source", ""), 120), clean(row.get("note", ""), 120)
    return Price(known[card.lower()], kind, amount, currency, day.isoformat(), source, note)


def costs(placements: Sequence[Placement], prices: Sequence[Price], hours: float = HOURS) -> list[Cost]:
    """What each price makes of each placement that fits, the cheapest million tokens first.

    Raises:
        UsageError: the prices are in several currencies.
    """
    currencies = sorted({each.currency for each in prices})
    if len(currencies) > 1:
        raise UsageError(f"the prices are in {' and '.join(currencies)}", hint="give all in one currency")
    found = []
    for placement in placements:
        for price in prices:
            if price.card != placement.card.id or not placement.fits or not placement.tokens:
                continue
            cards = placement.need.cards
            total = price.amount * cards
            hourly = total if price.kind == "rent" else total / hours
            found.append(
                Cost(
                    placement,
                    price,
                    total,
                    price.amount / (placement.card.memory / GB),
                    price.amount / (placement.card.bandwidth / GB),
                    total / placement.tokens,
                    hourly / 3600 / placement.tokens * 1e6,
                )
            )
    return sorted(found, key=lambda each: each.per_million)
