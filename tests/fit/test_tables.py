"""Cards, engines and prices: facts with sources and dates."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit import files
from tests.fit.test_models import model

from softrock.core.errors import SoftrockError, UsageError
from softrock.fit import cards, engines, placement, prices
from softrock.fit.placement import Load
from softrock.fit.tables import rows

CARDS = cards.all_cards()


def test_every_fact_has_a_source_and_a_date() -> None:
    for row in (*rows("cards.tsv"), *rows("engines.tsv")):
        assert row["source"] in cards.sources(), row
        assert datetime.date(2010, 1, 1) < datetime.date.fromisoformat(row["date"]) <= datetime.date(2026, 12, 1), row
    for row in cards.sources().values():
        assert row["title"]
        assert row["address"].startswith("https://") or row["source"] == "unsourced"


def test_cards_are_whole() -> None:
    assert len(CARDS) >= 45
    for card in CARDS.values():
        assert card.name
        assert card.memory > 7e9, card.id
        assert card.bandwidth > 200e9 or card.id in ("RX6600",), card.id
        assert card.target in {row["target"] for row in rows("units.tsv")}, card.id
        assert card.rate("fp16"), card.id
        nominal = card.number("nominal_gib")
        if card.reported and nominal and card.target != "gfx1151":
            assert 0.99 < card.memory / (nominal * 2**30) <= 1.0, card.id


def test_disputed_figures_are_shown_with_each_source() -> None:
    claims = CARDS["MI355X"].facts["memory_claim"]
    assert {each.value for each in claims} == {"288 GB", "304 GB"}
    assert CARDS["MI355X"].disputed == ["memory_claim", "bandwidth_gbs"]
    assert CARDS["MI355X"].memory == 309_220_868_096
    assert CARDS["MI300X"].bandwidth == 5.3e12
    assert CARDS["MI325X"].disputed == ["nominal_gib", "bandwidth_gbs"]
    assert not CARDS["RX7900XTX"].disputed


def test_what_cards_compute() -> None:
    assert CARDS["MI300X"].support("fp8") == "native"
    assert CARDS["MI250X"].support("fp8") == "emulated"
    assert CARDS["MI355X"].support("fp4") == "native"
    assert CARDS["RX7900XTX"].support("fp8") == "emulated"
    assert CARDS["RX9070XT"].support("fp8") == "native"
    assert CARDS["RX6900XT"].support("bf16") == "emulated"
    assert CARDS["RX6900XT"].support("fp16") == "vector"
    assert CARDS["RX7900XTX"].rate("fp8") == CARDS["RX7900XTX"].rate("fp16")


def test_cards_by_name_target_and_maker() -> None:
    assert [each.id for each in cards.choose("mi300x")] == ["MI300X"]
    assert {"RX7900XTX", "W7900"} <= {each.id for each in cards.choose("gfx1100")}
    assert all(each.text("vendor") == "AMD" for each in cards.choose(""))
    assert [each.id for each in cards.choose("H100,H100,MI210")] == ["H100", "MI210"]
    assert {each.id for each in cards.choose("Instinct")} >= {"MI100", "MI355X"}
    assert len(cards.choose("all")) == len(CARDS)
    with pytest.raises(UsageError, match="no card 'MI300Z' is known"):
        cards.choose("MI300Z")


def test_engines_by_target_and_version() -> None:
    assert {row["engine"] for row in rows("engines.tsv")} == set(engines.ENGINES)
    assert all(row["supported"] in ("yes", "build", "other", "no") for row in rows("engines.tsv"))
    known = {row["target"] for row in rows("units.tsv")}
    assert all(set(row["targets"].split()) <= known for row in rows("engines.tsv"))
    assert engines.latest("gfx942")["vLLM"]["supported"] == "yes"
    assert engines.latest("gfx1030")["SGLang"]["supported"] == "no"
    assert engines.latest("gfx1100")["SGLang"]["version"] == "0.5.13"
    assert engines.latest("gfx1100")["TGI"]["supported"] == "no"
    for target in {each.target for each in cards.choose("")}:
        assert set(engines.latest(target)) >= {"vLLM", "llama.cpp", "Ollama"}, target


# ---- prices ----

HEAD = "card,kind,price,currency,date,source,note\n"


def _placed(*names: str) -> list[placement.Placement]:
    return [placement.place(model("meta-llama/Meta-Llama-3-8B"), Load("bf16"), CARDS[each]) for each in names]


def test_prices_a_gb_a_gbs_a_token_and_a_million() -> None:
    placed = _placed("MI300X", "RX7900XTX")
    listed = prices.parse(HEAD + "MI300X,rent,2.0,USD,2026-11-30,me,\nrx7900xtx,buy,900,usd,2026-11-30,me,used\n", "p")
    found = {each.price.card: each for each in prices.costs(placed, listed)}
    rent, bought = found["MI300X"], found["RX7900XTX"]
    assert rent.per_gb == pytest.approx(2 / 206.141652992)
    assert rent.per_gbs == pytest.approx(2 / 5300)
    assert rent.per_token == pytest.approx(2 / rent.placement.tokens)
    assert rent.per_million == pytest.approx(2 / 3600 / rent.placement.tokens * 1e6)
    assert bought.per_gb == pytest.approx(900 / 25.75302656)
    assert bought.per_million == pytest.approx(900 / (3 * 8760) / 3600 / bought.placement.tokens * 1e6)
    ordered = prices.costs(placed, listed)
    assert [each.per_million for each in ordered] == sorted(each.per_million for each in ordered)


def test_several_cards_cost_several_prices() -> None:
    placed = [placement.place(model("meta-llama/Meta-Llama-3-70B"), Load("int4"), CARDS["RX7900XTX"])]
    found = prices.costs(placed, prices.parse(HEAD + "RX7900XTX,buy,900,USD,2026-11-30,me,\n", "p"))
    assert found[0].total == 900 * placed[0].need.cards
    assert placed[0].need.cards > 1
    assert prices.costs(placed, prices.parse(HEAD + "RX7600,buy,200,USD,2026-11-30,me,\n", "p")) == []


def test_the_example_prices_are_dated_and_known() -> None:
    found = prices.load("example")
    assert len(found) >= 10
    assert {each.kind for each in found} == {"buy", "rent"}
    assert all(each.source and each.date for each in found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the column 'card' is missing"),
        ("card,price\n", "the column 'kind' is missing"),
        (HEAD + "MI9,buy,1,USD,2026-01-01,,\n", "line 2: no card 'MI9' is known"),
        ("# c\n\n" + HEAD + "MI9\x1b[1m,buy,1,USD,2026-01-01,,\n", r"line 4: no card 'MI9\?\[1m' is known"),
        (HEAD + "MI300X,lease,1,USD,2026-01-01,,\n", "kind is 'lease'"),
        (HEAD + "MI300X,buy,nan,USD,2026-01-01,,\n", "price is 'nan'"),
        (HEAD + "MI300X,buy,-1,USD,2026-01-01,,\n", "price is '-1'"),
        (HEAD + "MI300X,buy,inf,USD,2026-01-01,,\n", "price is 'inf'"),
        (HEAD + "MI300X,buy,1,USD,yesterday,,\n", "date is 'yesterday'"),
        (HEAD + "MI300X,buy,1,USD,2026-01-01,,,,,\n", "10 cells for 7 columns|9 cells for 7 columns"),
        (HEAD + 'MI300X,buy,1,USD,2026-01-01,"x\n', "no CSV"),
    ],
)
def test_wrong_prices_are_named_with_their_line(text: str, message: str) -> None:
    with pytest.raises(SoftrockError, match=message):
        prices.parse(text, "prices.csv")


def test_currencies_are_not_mixed() -> None:
    listed = prices.parse(HEAD + "MI300X,buy,1,USD,2026-01-01,,\nMI300X,buy,1,EUR,2026-01-01,,\n", "p")
    with pytest.raises(UsageError, match="EUR and USD"):
        prices.costs([], listed)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120))
def test_any_text_makes_prices_or_one_message(text: str) -> None:
    try:
        prices.parse(HEAD + text, "p")
    except SoftrockError as error:
        files.told(error)
