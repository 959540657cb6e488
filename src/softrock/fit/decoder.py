"""A model's parts and caches from its configuration (config.json of Hugging Face).

What architectures have in common is here, what they add is in ``data/architectures.toml``.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from softrock.core.errors import SoftrockError
from softrock.fit import feedforward
from softrock.fit.fields import MOST, Fields
from softrock.fit.model import Cache, Kind, Model, Part, Split, State
from softrock.fit.text import clean

_INSTEAD = (
    "give the model by --params, --layers, --hidden, --heads, --kv-heads, --head-dim and --vocab; or a .safetensors or "
    ".gguf file, whose tensors are counted whatever the architecture"
)
_MOST_LAYERS = 10_000


@cache
def table() -> dict[str, dict[str, Any]]:
    """Architecture -> what it adds to the plain decoder, with what it takes from others filled in."""
    raw = tomllib.loads(resources.files("softrock.fit").joinpath("data/architectures.toml").read_text("utf-8"))

    def full(name: str) -> dict[str, Any]:
        own = raw[name]
        return {**(full(own["like"]) if "like" in own else {}), **own}

    return {name: full(name) for name in raw}


def names() -> list[str]:
    """The architectures whose configurations are understood."""
    return sorted(table())


def from_config(config: Fields, name: str) -> Model:
    """The model that a configuration describes.

    Raises:
        SoftrockError: its architecture is unknown, or a field is missing or wrong.
    """
    kind = config.text("model_type")
    if not kind:
        config.fail("model_type", "is missing: it says what architecture the model has", _INSTEAD)
    rules = table().get(kind)
    if rules is None:
        raise SoftrockError(
            f"{config.where}: the architecture {clean(kind)!r} is unknown (known: {', '.join(names())})", hint=_INSTEAD
        )
    notes: list[str] = []
    precision = stored_precision(config)
    if "inside" in rules:
        inner = config.part("text_config")
        if inner is None:
            config.fail("text_config", "is missing")
        notes.append("counts the language model alone; its image encoder comes on top (files give the exact sum)")
        config, rules = inner, table()[rules["inside"]]
    renamed = {new: config.integer(old) for old, new in rules.get("rename", {}).items() if config.has(old)}
    return _build(config.over({**rules.get("defaults", {}), **renamed}), rules, name, kind, precision, notes)


def stored_precision(config: Fields) -> str:
    """What a configuration says its weights are stored in, as ``data/precisions.tsv`` names it.

    Raises:
        SoftrockError: a field that says it is of a wrong type.
    """
    quantized = config.part("quantization_config")
    if quantized is not None:
        method = quantized.text("quant_method")
        bits = quantized.integer("bits", default=8 if quantized.flag("load_in_8bit", False) else 4, high=64)
        if method in ("fp8", "fbgemm_fp8"):
            return "fp8-block" if quantized.has("weight_block_size") else "fp8"
        if method == "mxfp4":
            return "mxfp4"
        if method == "bitsandbytes" and bits == 4:
            return "nf4"
        if method in ("awq", "gptq") and bits == 4:
            group = quantized.integer("group_size", default=128, low=-1)
            return f"int4-g{group}" if group in (32, 64) else "int4"
        if method == "compressed-tensors":
            return _compressed(quantized)
        if bits == 8:
            return "int8"
    inner = config.part("text_config")
    said = (config if config.has("torch_dtype") or config.has("dtype") or inner is None else inner).text
    return {"float32": "fp32", "float16": "fp16"}.get(said("torch_dtype") or said("dtype"), "bf16")


def _compressed(quantized: Fields) -> str:
    """Precision of the first group of a compressed-tensors configuration."""
    groups = quantized.part("config_groups")
    first = groups.part("group_0") if groups else None
    weights = first.part("weights") if first else None
    if weights is None:
        return "bf16"
    bits, real = weights.integer("num_bits", default=8, high=64), weights.text("type") == "float"
    if bits == 4:
        group = weights.integer("group_size", default=128, low=-1)
        return "nvfp4" if real else f"int4-g{group}" if group in (32, 64) else "int4"
    return "fp8" if real else "int8"


def _says(config: Fields, rule: Any) -> bool:
    return config.flag(rule, False) if isinstance(rule, str) and rule else bool(rule)


def _build(config: Fields, rules: dict[str, Any], name: str, kind: str, precision: str, notes: list[str]) -> Model:
    hidden = config.integer("hidden_size")
    layers = config.integer("num_hidden_layers", high=_MOST_LAYERS)
    vocabulary = config.integer("vocab_size")
    heads = config.integer("num_attention_heads", high=1 << 20)
    parts: list[Part] = [Part("token embeddings", Kind.EMBEDDING, vocabulary, hidden)]
    if rules.get("positions"):
        positions = config.integer(rules["positions"])
        parts.append(Part("position embeddings", Kind.EMBEDDING, positions, hidden, 1, Split.COPY))
    states: list[State] = []
    if rules.get("attention") == "latent":
        attention, caches, kv_heads = _latent(config, hidden, layers, heads)
    elif rules.get("attention") == "hybrid":
        full = _full_layers(config, layers)
        attention, caches, kv_heads = _attention(config, rules, hidden, full, heads)
        linear, states = _linear(config, hidden, layers - full)
        attention += linear
    else:
        attention, caches, kv_heads = _attention(config, rules, hidden, layers, heads)
    parts += attention
    norms = _norms(config, rules) * layers + 1
    parts.append(Part("norms", Kind.SMALL, hidden * (2 if rules.get("norm_bias") else 1), 1, norms, Split.COPY))
    inner, more = feedforward.parts(config, rules, hidden, layers, _says(config, rules.get("mlp_bias")))
    parts += more
    parts += _head(config, rules, hidden, vocabulary)
    predicting = config.integer("num_nextn_predict_layers", "mtp_num_hidden_layers", default=0, low=0, high=64)
    if predicting:
        notes.append(
            f"{predicting} layer(s) for multi-token prediction are not counted; files that hold them are larger"
        )
    if sum(part.params for part in parts) > MOST * 1024:
        raise SoftrockError(f"{config.where}: its sizes make more parameters than any model has", hint=_INSTEAD)
    return Model(
        name,
        kind,
        tuple(part for part in parts if part.params or part.kind is Kind.HEAD),
        tuple(caches),
        heads,
        kv_heads,
        hidden,
        inner,
        vocabulary,
        config.integer("max_position_embeddings", default=0, low=0),
        states=tuple(states),
        precision=precision,
        notes=tuple(notes),
    )


def _head(config: Fields, rules: dict[str, Any], hidden: int, vocabulary: int) -> list[Part]:
    bias = [Part("head bias", Kind.SMALL, vocabulary, 1)] if rules.get("head_bias") else []
    tied = config.flag("tie_word_embeddings", rules["tied"])
    # A tied head is the embedding table once more: no bytes of its own, but all of it is read for each token.
    return [*bias, Part("head (tied)" if tied else "head", Kind.HEAD, vocabulary, hidden, 0 if tied else 1)]


def _norms(config: Fields, rules: dict[str, Any]) -> int:
    """Norms in a layer; Falcon's newer layers have one more."""
    if config.flag("new_decoder_architecture", False):
        return config.integer("num_ln_in_parallel_attn", default=2, high=4)
    if not config.flag("parallel_attn", True):
        return 2
    return int(rules["norms"])


def _attention(
    config: Fields, rules: dict[str, Any], hidden: int, layers: int, heads: int
) -> tuple[list[Part], list[Cache], int]:
    """Multi-head, grouped and multi-query attention: matrices and caches."""
    if config.has("head_dim"):
        width = config.integer("head_dim", high=1 << 20)
    elif hidden % heads:
        config.fail("num_attention_heads", f"({heads}) does not divide hidden_size ({hidden}), and head_dim is missing")
    else:
        width = hidden // heads
    kv_heads = config.integer("num_key_value_heads", default=heads, high=1 << 20)
    if rules.get("multi_query") and not config.flag("new_decoder_architecture", False):
        kv_heads = 1 if config.flag(rules["multi_query"], True) else heads
    if heads % kv_heads:
        config.fail("num_key_value_heads", f"({kv_heads}) does not divide num_attention_heads ({heads})")
    gated = rules.get("attention") == "hybrid"  # half of q is a gate of the output
    q_bias, o_bias = _says(config, rules.get("q_bias")), _says(config, rules.get("o_bias"))
    parts = [
        Part("attention q", Kind.MATRIX, heads * width * (2 if gated else 1), hidden, layers),
        Part("attention k", Kind.MATRIX, kv_heads * width, hidden, layers, Split.KV),
        Part("attention v", Kind.MATRIX, kv_heads * width, hidden, layers, Split.KV),
        Part("attention out", Kind.MATRIX, hidden, heads * width, layers),
    ]
    if q_bias:
        parts.append(Part("attention biases", Kind.SMALL, (heads + 2 * kv_heads) * width, 1, layers))
    if o_bias:
        parts.append(Part("attention out biases", Kind.SMALL, hidden, 1, layers, Split.COPY))
    if rules.get("sinks"):
        parts.append(Part("attention sinks", Kind.SMALL, heads, 1, layers))
    norm = rules.get("qk_norm", "")
    if norm == "use_qk_norm":
        norm = "head" if config.flag("use_qk_norm", False) else ""
    if rules["norms"] == 1 and config.flag("use_qk_norm", False):  # Cohere
        parts.append(Part("q and k norms", Kind.SMALL, (heads + kv_heads) * width, 1, layers))
    elif norm:
        each = 2 * width if norm == "head" else (heads + kv_heads) * width
        parts.append(Part("q and k norms", Kind.SMALL, each, 1, layers, Split.COPY))
    wide, window = _windowed(config, rules, layers)
    caches = [Cache(layers - wide, kv_heads, 2 * width), Cache(wide, kv_heads, 2 * width, window)]
    return parts, [each for each in caches if each.layers], kv_heads


def _windowed(config: Fields, rules: dict[str, Any], layers: int) -> tuple[int, int | None]:
    """How many layers keep a window alone, and how many tokens it has."""
    rule = rules.get("window", "none")
    field = "attention_chunk_size" if rule == "chunk" else "sliding_window"
    if rule == "none" or not config.has(field):
        return 0, None
    window = config.integer(field)
    types = config.items("layer_types", str)
    if types:
        if len(types) != layers:
            config.fail("layer_types", f"has {len(types)} entries for {layers} layers")
        known = {"sliding_attention": 1, "chunked_attention": 1, "full_attention": 0}
        if any(each not in known for each in types):
            config.fail("layer_types", f"names {clean(next(e for e in types if e not in known))!r}", _INSTEAD)
        return sum(known[each] for each in types), window
    if rule == "chunk":
        ropes = config.items("no_rope_layers", int)  # 1: rotary positions and chunks; 0: neither
        if ropes and len(ropes) != layers:
            config.fail("no_rope_layers", f"has {len(ropes)} entries for {layers} layers")
        return (sum(1 for each in ropes if each) if ropes else layers - layers // 4), window
    if rule == "upper":
        if not config.flag("use_sliding_window", False):
            return 0, None
        return max(0, layers - config.integer("max_window_layers", default=layers, low=0)), window
    if rule == "sixth":
        each = config.integer("sliding_window_pattern", "_sliding_window_pattern", default=6)
        return layers - layers // each, window
    return (layers + 1) // 2 if rule == "even" else layers, window


def _latent(config: Fields, hidden: int, layers: int, heads: int) -> tuple[list[Part], list[Cache], int]:
    """Multi-head latent attention (DeepSeek): one compressed vector a token stands for all heads' keys and values."""
    latent = config.integer("kv_lora_rank", high=1 << 20)
    rope = config.integer("qk_rope_head_dim", high=1 << 20)
    plain = config.integer("qk_nope_head_dim", high=1 << 20)
    value = config.integer("v_head_dim", high=1 << 20)
    queries = heads * (plain + rope)
    if config.has("q_lora_rank"):
        rank = config.integer("q_lora_rank", high=1 << 20)
        parts = [
            Part("attention q down", Kind.MATRIX, rank, hidden, layers, Split.COPY),
            Part("attention q up", Kind.MATRIX, queries, rank, layers),
            Part("q latent norm", Kind.SMALL, rank, 1, layers, Split.COPY),
        ]
    else:
        parts = [Part("attention q", Kind.MATRIX, queries, hidden, layers)]
    parts += [
        Part("attention kv down", Kind.MATRIX, latent + rope, hidden, layers, Split.COPY),
        Part("kv latent norm", Kind.SMALL, latent, 1, layers, Split.COPY),
        Part("attention kv up", Kind.MATRIX, heads * (plain + value), latent, layers),
        Part("attention out", Kind.MATRIX, hidden, heads * value, layers),
    ]
    return parts, [Cache(layers, 1, latent + rope, latent=True)], heads


def _full_layers(config: Fields, layers: int) -> int:
    """How many layers of a hybrid have attention over all tokens."""
    types = config.items("layer_types", str)
    if types and (len(types) != layers or any(each not in ("linear_attention", "full_attention") for each in types)):
        config.fail("layer_types", f"does not name linear or full attention for each of {layers} layers")
    full = types.count("full_attention") if types else layers // config.integer("full_attention_interval", default=4)
    if not 0 < full <= layers:
        config.fail("layer_types", f"leaves {full} of {layers} layers with attention over all tokens")
    return full


def _linear(config: Fields, hidden: int, layers: int) -> tuple[list[Part], list[State]]:
    """Gated delta networks (Qwen3-Next): a matrix of state a head, and the last inputs of a short convolution.

    Source: huggingface/transformers, models/qwen3_next (v4.57, 2025); the state has 32 bits, the convolution's 16.
    """
    key_heads = config.integer("linear_num_key_heads", high=1 << 16)
    heads = config.integer("linear_num_value_heads", high=1 << 16)
    key_width = config.integer("linear_key_head_dim", high=1 << 16)
    width = config.integer("linear_value_head_dim", high=1 << 16)
    kernel = config.integer("linear_conv_kernel_dim", default=4, high=1 << 10)
    keys, values = key_heads * key_width, heads * width
    mixed = 2 * keys + values
    parts = [
        Part("linear attention q, k, v, gate", Kind.MATRIX, mixed + values, hidden, layers),
        Part("linear attention decay", Kind.MATRIX, 2 * heads, hidden, layers),
        Part("linear attention convolution", Kind.SMALL, mixed, kernel, layers),
        Part("linear attention heads", Kind.SMALL, 2 * heads + width, 1, layers, Split.COPY),
        Part("linear attention out", Kind.MATRIX, hidden, values, layers),
    ]
    size = 4 * heads * key_width * width + 2 * mixed * (kernel - 1)
    return (parts, [State(layers, heads, size)]) if layers else ([], [])
