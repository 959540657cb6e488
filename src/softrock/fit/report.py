"""One question answered: a document, and what is printed of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softrock.fit import engines, placement, precisions, prices
from softrock.fit.cards import Card
from softrock.fit.model import Model
from softrock.fit.placement import Load, Placement
from softrock.fit.text import GB, GIB, clean


@dataclass(frozen=True, slots=True)
class Answer:
    """A model, what was asked, and what came out."""

    model: Model
    load: Load
    placements: tuple[Placement, ...]
    costs: tuple[prices.Cost, ...] = ()


def answer(model: Model, load: Load, cards: Sequence[Card]) -> Answer:
    """Place a model on cards, those that need the fewest first, then by headroom."""
    placed = [placement.place(model, load, card) for card in cards]
    return Answer(
        model, load, tuple(sorted(placed, key=lambda p: (not p.fits, p.need.cards, -p.card.memory, p.card.id)))
    )


def sizes(size: int) -> dict[str, float]:
    """A size as documents have it: bytes, GB and GiB."""
    return {"bytes": size, "gb": round(size / GB, 3), "gib": round(size / GIB, 3)}


def label(model: Model, precision: str) -> str:
    """How a precision is called."""
    if precision != precisions.STORED:
        return precisions.all_precisions()[precision].label
    return (
        f"as stored: {clean(model.stored.label)}"
        if model.stored
        else precisions.all_precisions()[model.precision].label
    )


# ---- documents ----


def _model(found: Model) -> dict[str, Any]:
    stored = found.stored
    return {
        "name": found.name,
        "architecture": found.architecture,
        "parameters": found.params,
        "active_parameters": found.active,
        "exact": found.exact,
        "layers": found.layers,
        "heads": found.heads,
        "kv_heads": found.kv_heads,
        "hidden": found.hidden,
        "vocabulary": found.vocabulary,
        "made_for_context": found.limit,
        "stored": None
        if stored is None
        else {
            **sizes(stored.bytes),
            "label": stored.label,
            "tensors": stored.tensors,
            "files": stored.files,
            "by_type": {
                k: dict(zip(("tensors", "elements", "bytes"), v, strict=True)) for k, v in stored.by_type.items()
            },
        },
        "notes": list(found.notes),
    }


def _weights(found: Answer) -> list[dict[str, Any]]:
    names = [precisions.STORED] if found.model.stored else []
    names += list(precisions.all_precisions()) if found.model.parts and _calculable(found.model) else []
    return [
        {"precision": n, "label": label(found.model, n), **sizes(precisions.weights(found.model, n))} for n in names
    ]


def _calculable(model: Model) -> bool:
    """Whether parts are whole matrices: files that are quantized already hold packed ones."""
    return (
        model.stored is None
        or all(part.stored is None for part in model.parts)
        or (set(model.stored.by_type) <= {"F32", "F16", "BF16", "F64"})
    )


def _placement(each: Placement, found: Answer) -> dict[str, Any]:
    card, need = each.card, each.need
    return {
        "card": card.id,
        "name": card.name,
        "target": card.target,
        "memory": {**sizes(card.memory), "reported": card.reported},
        "cards": need.cards,
        "fits": each.fits,
        "why": each.why,
        "support": card.support(precisions.unit(found.model, found.load.precision)),
        "types": card.types,
        "precisions": {name: card.support(way.unit) for name, way in precisions.all_precisions().items()},
        "per_card": {
            "weights": sizes(need.weights),
            "cache": sizes(need.cache),
            "activations": sizes(need.activations),
            "runtime": sizes(need.runtime),
            "margin": sizes(card.memory - int(card.memory * (1 - found.load.margin))),
            "headroom": sizes(each.headroom),
        },
        "memory_less_weights": sizes(each.bare),
        "longest_context": each.longest,
        "tokens_per_second_bound": round(each.tokens, 3),
        "prompt_tokens_per_second_bound": round(each.prompt, 3),
        "disputed": {field: [fact.asdict() for fact in card.facts[field]] for field in card.disputed},
        "engines": {name: row["supported"] for name, row in engines.latest(card.target).items()},
    }


def _cost(each: prices.Cost) -> dict[str, Any]:
    price = each.price
    return {
        "card": price.card, "cards": each.placement.need.cards, "kind": price.kind, "price": price.amount,
        "currency": price.currency, "date": price.date, "source": price.source, "note": price.note,
        "total": each.total, "per_gb": each.per_gb, "per_gbs": each.per_gbs, "per_token_s": each.per_token,
        "per_million_tokens": each.per_million,
    }  # fmt: skip


def document(found: Answer) -> dict[str, Any]:
    """All of it, for ``--json``."""
    load = found.load
    return {
        "model": _model(found.model),
        "asked": {
            "precision": load.precision,
            "cache_bits": load.cache_bits,
            "context": load.context,
            "batch": load.batch,
            "margin": load.margin,
            "most_cards": load.most,
        },
        "weights": _weights(found),
        "cache": {
            "bytes_per_token": placement.token_bytes(found.model, load.cache_bits),
            "sequence": sizes(
                placement.cache_bytes(found.model, Load(cache_bits=load.cache_bits, context=load.context))
            ),
            "batch": sizes(placement.cache_bytes(found.model, load)),
            "layers": [
                {"layers": e.layers, "heads": e.heads, "width": e.width, "window": e.window, "latent": e.latent}
                for e in found.model.caches
            ],
            "states": [{"layers": e.layers, "bytes": e.bytes} for e in found.model.states],
        },
        "cards": [_placement(each, found) for each in found.placements],
        "prices": [_cost(each) for each in found.costs],
    }


def table(found: Answer) -> str:
    """The cards as CSV, with prices where there are any."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = (
        "card,name,target,memory_bytes,memory_reported,cards,fits,weights_bytes,cache_bytes,activations_bytes,runtime_bytes,"
        "headroom_bytes,memory_less_weights_bytes,longest_context,tokens_per_second_bound,prompt_tokens_per_second_bound,support,kind,price,currency,"
        "price_date,per_gb,per_gbs,per_token_s,per_million_tokens"
    )
    writer.writerow(head.split(","))
    for each in found.placements:
        card, need = each.card, each.need
        row: list[Any] = [
            card.id, card.name, card.target, card.memory, card.reported, need.cards, each.fits,
            need.weights, need.cache, need.activations, need.runtime, each.headroom, each.bare, each.longest,
            f"{each.tokens:.3f}", f"{each.prompt:.3f}",
            card.support(precisions.unit(found.model, found.load.precision)),
        ]  # fmt: skip
        mine = [cost for cost in found.costs if cost.placement is each]
        if not mine:
            writer.writerow(row + [""] * 8)
        for cost in mine:
            price = cost.price
            ratios = (cost.per_gb, cost.per_gbs, cost.per_token, cost.per_million)
            row_end = [
                price.kind,
                f"{price.amount:g}",
                price.currency,
                price.date,
                *(f"{ratio:.6g}" for ratio in ratios),
            ]
            writer.writerow(row + row_end)
    return out.getvalue()
