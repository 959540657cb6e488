"""Parameters of published models, to the last one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit import files

from softrock.core.errors import SoftrockError
from softrock.fit import decoder, placement, precisions
from softrock.fit.fields import Fields
from softrock.fit.model import Model

MODELS: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "data/models.toml").read_text("utf-8"))


def model(name: str, **changes: Any) -> Model:
    return decoder.from_config(Fields({**MODELS[name]["config"], **changes}, "config.json"), name)


@pytest.mark.parametrize("name", MODELS)
def test_parameters_are_those_of_the_published_files(name: str) -> None:
    facts = MODELS[name]
    found = model(name)
    assert found.params + facts.get("extra", 0) == facts["total"]
    assert found.active == facts.get("active", found.active)
    assert found.exact


def test_there_are_enough_models_of_enough_kinds() -> None:
    assert len(MODELS) >= 40
    assert len({each["config"]["model_type"] for each in MODELS.values()}) >= 20


def test_image_encoders_are_what_files_hold_beside() -> None:
    """`extra` of the multimodal models, counted from their encoders' own configurations."""
    h, i, layers = 1152, 4304, 27  # SigLIP of Gemma 3
    siglip = layers * (4 * (h * h + h) + 2 * h * i + i + h + 4 * h) + 3 * 14 * 14 * h + h + 4096 * h + 2 * h
    for name, hidden in (("google/gemma-3-4b-it", 2560), ("google/gemma-3-27b-it", 5376)):
        assert MODELS[name]["extra"] == siglip + h * hidden + h
    h, i, layers = 1408, 5632, 34  # Llama 4
    llama4 = layers * (4 * (h * h + h) + 2 * h * i + i + h + 4 * h) + 588 * h + h + 577 * h + 4 * h
    llama4 += 5632 * 4096 + 4096 * 4096 + 4096 * 5120
    assert MODELS["meta-llama/Llama-4-Maverick-17B-128E-Instruct"]["extra"] == llama4


def test_layers_for_prediction_are_what_files_hold_beside() -> None:
    """Qwen3.6: an image encoder (27 layers of 1,152, a merger of 4 patches) and one layer more for prediction."""

    def encoder(out: int) -> int:
        h, i = 1152, 4304
        layers = 27 * (4 * (h * h + h) + 2 * h * i + i + h + 4 * h)
        return layers + h * 3 * 2 * 16 * 16 + h + 2304 * h + 2 * h + 4608 * 4608 + 4608 + 4608 * out + out

    def layer(h: int, heads: int, kv: int, inner: int) -> int:
        return (heads * 2 + 2 * kv) * 256 * h + heads * 256 * h + 2 * 256 + inner + 2 * h + 2 * h * h + 3 * h

    h = 5120
    assert MODELS["Qwen/Qwen3.6-27B"]["extra"] == encoder(h) + layer(h, 24, 4, 3 * h * 17408)
    h = 2048
    experts = 256 * 3 * h * 512 + 256 * h + 3 * h * 512 + h
    assert MODELS["Qwen/Qwen3.6-35B-A3B"]["extra"] == encoder(h) + layer(h, 16, 2, experts)


def test_linear_layers_keep_a_state_of_one_size() -> None:
    found = model("Qwen/Qwen3-Coder-Next")
    assert placement.token_bytes(found, 16) == 12 * 2 * 2 * 256 * 2  # 12 layers of attention with 2 KV heads
    assert (found.layers, sum(each.layers for each in found.states)) == (48, 36)
    state = 36 * (32 * 128 * 128 * 4 + (2 * 2048 + 4096) * 3 * 2)
    one, two = (placement.cache_bytes(found, placement.Load(context=each)) for each in (1000, 2000))
    assert (one, two) == (1000 * 24_576 + state, 2000 * 24_576 + state)
    assert placement.cache_bytes(found, placement.Load(context=1000), 2) == (1000 * 24_576 + state) // 2
    with pytest.raises(SoftrockError, match="layer_types does not name"):
        model("Qwen/Qwen3-Coder-Next", layer_types=["full_attention"] * 3)


def test_deepseek_keeps_a_latent_for_all_heads() -> None:
    found = model("deepseek-ai/DeepSeek-V3")
    assert placement.token_bytes(found, 16) == 70_272 == 61 * 576 * 2
    assert placement.token_bytes(found, 8) == 35_136
    assert any("multi-token prediction" in each for each in found.notes)
    assert found.active == 36_625_618_432  # README_WEIGHTS.md of the repository: 36.6 B without the embedding table


@pytest.mark.parametrize(
    ("name", "each", "at_8192"),
    [
        ("meta-llama/Meta-Llama-3-70B", 327_680, 2_684_354_560),  # 80 x 2 x 8 x 128 x 2
        ("google/gemma-2b", 18_432, 150_994_944),  # one KV head
        ("meta-llama/Llama-2-7b-hf", 524_288, 4_294_967_296),  # all heads
        ("mistralai/Mistral-7B-v0.1", 131_072, 4096 * 131_072),  # a window in every layer
        ("google/gemma-2-2b-it", 106_496, 13 * 4096 * (8192 + 4096)),  # in every other layer
        ("google/gemma-3-1b-it", 26_624, 1024 * (4 * 8192 + 22 * 512)),  # in five of six
        ("openai/gpt-oss-20b", 49_152, 2048 * (12 * 8192 + 12 * 128)),
    ],
)
def test_cache_of_heads_and_windows(name: str, each: int, at_8192: int) -> None:
    found = model(name)
    assert placement.token_bytes(found, 16) == each
    assert placement.cache_bytes(found, placement.Load(context=8192)) == at_8192
    assert placement.cache_bytes(found, placement.Load(context=8192, batch=3)) == 3 * at_8192


def test_layers_of_a_window_by_the_configuration_itself() -> None:
    types = ["full_attention"] * 12 + ["sliding_attention"] * 12
    found = model("openai/gpt-oss-20b", layer_types=types)
    assert sorted((each.layers, each.window) for each in found.caches if each.window) == [(12, 128)]
    found = model("Qwen/Qwen2.5-0.5B", use_sliding_window=True, max_window_layers=20)
    assert sorted((each.layers, each.window or 0) for each in found.caches) == [(4, 32768), (20, 0)]
    maverick = model("meta-llama/Llama-4-Maverick-17B-128E-Instruct")
    assert sorted((each.layers, each.window or 0) for each in maverick.caches) == [(12, 0), (36, 8192)]


def test_an_unknown_architecture_is_named_with_what_to_give_instead() -> None:
    with pytest.raises(SoftrockError, match="'mamba9' is unknown") as caught:
        decoder.from_config(Fields({"model_type": "mamba9"}, "config.json"), "m")
    assert "--params" in str(caught.value.hint)
    assert ".gguf" in str(caught.value.hint)
    with pytest.raises(SoftrockError, match="model_type is missing"):
        decoder.from_config(Fields({}, "config.json"), "m")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_size": "8192"}, "hidden_size is 8192, not a whole number"),
        ({"hidden_size": -1}, "hidden_size is -1"),
        ({"hidden_size": True}, "hidden_size is True"),
        ({"hidden_size": float("nan")}, "hidden_size is nan"),
        ({"hidden_size": float("inf")}, "hidden_size is inf"),
        ({"hidden_size": 2**40}, "hidden_size is 1099511627776"),
        ({"hidden_size": None}, "hidden_size is missing"),
        ({"hidden_size": [1]}, "hidden_size is"),
        ({"num_hidden_layers": 10**6}, "num_hidden_layers is 1000000"),
        ({"num_key_value_heads": 7}, "num_key_value_heads \\(7\\) does not divide"),
        ({"num_attention_heads": 63}, "does not divide hidden_size"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings is no, not true or false"),
        ({"model_type": 3}, "model_type is 3, not a text"),
        ({"model_type": "x\x1b[31m\n"}, "'x\\?\\[31m\\?'"),
        ({"quantization_config": 4}, "quantization_config is no object"),
    ],
)
def test_wrong_fields_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SoftrockError, match=message) as caught:
        model("meta-llama/Meta-Llama-3-70B", **changes)
    assert "\x1b" not in caught.value.message
    assert "config.json" in caught.value.message


def _group(kind: str, bits: int, size: int | None) -> dict[str, Any]:
    return {"group_0": {"weights": {"type": kind, "num_bits": bits, "group_size": size}}}


def test_what_a_configuration_says_it_is_stored_in() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"torch_dtype": "float16"}, "fp16"),
        ({"dtype": "bfloat16"}, "bf16"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 64}}, "int4-g64"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}, "int4"),
        ({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}, "fp8-block"),
        ({"quantization_config": {"quant_method": "mxfp4"}}, "mxfp4"),
        ({"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}, "nf4"),
        (
            {"quantization_config": {"quant_method": "compressed-tensors", "config_groups": _group("int", 4, 32)}},
            "int4-g32",
        ),
        (
            {"quantization_config": {"quant_method": "compressed-tensors", "config_groups": _group("float", 8, None)}},
            "fp8",
        ),
    ]
    for said, meant in cases:
        assert model("meta-llama/Meta-Llama-3-8B", **said).precision == meant
        assert meant in precisions.all_precisions()


_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.integers(-5, 5), max_size=4),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(MODELS)), st.data())
def test_any_configuration_makes_a_model_or_one_message(name: str, data: st.DataObject) -> None:
    config = dict(MODELS[name]["config"])
    inner = config["text_config"] = dict(config["text_config"]) if "text_config" in config else config
    if inner is config:
        del config["text_config"]
    for key in data.draw(st.lists(st.sampled_from(sorted(inner)), max_size=3)):
        inner[key] = data.draw(_ODD)
    try:
        found = decoder.from_config(Fields(config, "config.json"), name)
    except SoftrockError as error:
        files.told(error)
    else:
        assert found.params >= 0
        assert placement.cache_bytes(found, placement.Load(context=1 << 20)) >= 0
        files.shown(found)
