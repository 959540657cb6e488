"""Feed-forward layers: dense, and mixtures of experts with their routers and shared experts."""

from __future__ import annotations

from typing import Any

from softrock.fit.fields import Fields
from softrock.fit.model import Kind, Part, Split

_MOST_EXPERTS = 1 << 16


def parts(config: Fields, rules: dict[str, Any], hidden: int, layers: int, bias: bool) -> tuple[int, list[Part]]:
    """Width of the widest matrices that are split over cards, and the parts of all feed-forward layers.

    Raises:
        SoftrockError: a field is missing or wrong.
    """
    matrices = 3 if rules["gated"] else 2
    style = rules.get("experts", "")
    if not style:
        inner = config.integer(
            "intermediate_size", default=rules["inner_times"] * hidden if "inner_times" in rules else None
        )
        return inner, _dense(inner, hidden, layers, matrices, bias)
    return _STYLES[style](config, hidden, layers)


def _dense(inner: int, hidden: int, layers: int, matrices: int = 3, bias: bool = False) -> list[Part]:
    found = [
        Part("feed-forward up", Kind.MATRIX, inner, hidden, (matrices - 1) * layers),
        Part("feed-forward down", Kind.MATRIX, hidden, inner, layers),
    ]
    if bias:
        found.append(Part("feed-forward biases", Kind.SMALL, (matrices - 1) * inner + hidden, 1, layers, Split.COPY))
    return found if layers else []


def _shared(inner: int, hidden: int, layers: int) -> list[Part]:
    return [
        Part("shared experts up", Kind.MATRIX, inner, hidden, 2 * layers),
        Part("shared experts down", Kind.MATRIX, hidden, inner, layers),
    ]


def _experts(number: int, used: int, inner: int, hidden: int, layers: int, router: int = 0) -> list[Part]:
    """Experts of three matrices and the routers; `router` is what a router has beside its matrix, an expert."""
    share = (used, number)
    return [
        Part("experts up", Kind.EXPERT, inner, hidden, 2 * number * layers, used=share),
        Part("experts down", Kind.EXPERT, hidden, inner, number * layers, used=share),
        Part("routers", Kind.SMALL, number, hidden + router, layers, Split.COPY),
    ]


def _number(config: Fields, *names: str) -> tuple[int, int]:
    number = config.integer(*names, high=_MOST_EXPERTS)
    used = config.integer("num_experts_per_tok", "experts_per_token", high=_MOST_EXPERTS)
    if used > number:
        config.fail("num_experts_per_tok", f"({used}) is more than there are experts ({number})")
    return number, used


def _mixtral(config: Fields, hidden: int, layers: int) -> tuple[int, list[Part]]:
    number, used = _number(config, "num_local_experts")
    inner = config.integer("intermediate_size")
    return inner, _experts(number, used, inner, hidden, layers)


def _qwen(config: Fields, hidden: int, layers: int) -> tuple[int, list[Part]]:
    number, used = _number(config, "num_experts")
    inner = config.integer("moe_intermediate_size")
    step = config.integer("decoder_sparse_step", default=1)
    dense = set(config.items("mlp_only_layers", int))
    sparse = sum(1 for layer in range(layers) if layer not in dense and (layer + 1) % step == 0)
    found = _experts(number, used, inner, hidden, sparse)
    shared = config.integer("shared_expert_intermediate_size", default=0, low=0)
    if shared:
        found += _shared(shared, hidden, sparse)
        found.append(Part("shared experts' gates", Kind.SMALL, 1, hidden, sparse, Split.COPY))
    rest = layers - sparse
    return inner, found + (_dense(config.integer("intermediate_size"), hidden, rest) if rest else [])


def _deepseek(config: Fields, hidden: int, layers: int) -> tuple[int, list[Part]]:
    number, used = _number(config, "n_routed_experts")
    inner = config.integer("moe_intermediate_size")
    first = config.integer("first_k_dense_replace", default=0, low=0)
    every = config.integer("moe_layer_freq", default=1)
    sparse = sum(1 for layer in range(first, layers) if layer % every == 0)
    correction = 1 if config.flag("correction_bias", False) else 0
    found = _experts(number, used, inner, hidden, sparse, correction)
    shared = config.integer("n_shared_experts", default=0, low=0, high=_MOST_EXPERTS)
    if shared:
        found += _shared(shared * inner, hidden, sparse)
    rest = layers - sparse
    return inner, found + (_dense(config.integer("intermediate_size"), hidden, rest) if rest else [])


def _llama4(config: Fields, hidden: int, layers: int) -> tuple[int, list[Part]]:
    number, used = _number(config, "num_local_experts")
    inner = config.integer("intermediate_size")
    given = config.items("moe_layers", int)
    sparse = len(set(given)) if given else layers // config.integer("interleave_moe_layer_step", default=1)
    found = _experts(number, used, inner, hidden, sparse) + _shared(inner, hidden, sparse)
    rest = layers - sparse
    return inner, found + (_dense(config.integer("intermediate_size_mlp"), hidden, rest) if rest else [])


def _gpt_oss(config: Fields, hidden: int, layers: int) -> tuple[int, list[Part]]:
    number, used = _number(config, "num_local_experts", "num_experts")
    inner = config.integer("intermediate_size")
    biases = Part(
        "experts' biases", Kind.SMALL, 2 * inner + hidden, 1, number * layers, Split.COPY, used=(used, number)
    )
    return inner, [*_experts(number, used, inner, hidden, layers, 1), biases]


_STYLES = {
    "mixtral": _mixtral,
    "qwen": _qwen,
    "deepseek": _deepseek,
    "llama4": _llama4,
    "gpt_oss": _gpt_oss,
}
