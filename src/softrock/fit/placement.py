"""Which cards hold a model, and how many: weights, cache and overhead of each card against its memory.

Overhead is an estimate with a stated margin: activations of a chunk of the prompt, logits of the batch, a fixed part
for the runtime (HIP context, code objects, workspaces of the libraries), buffers for the exchange between cards, and a
share of the memory that stays free (fragmentation, other users).
"""

from __future__ import annotations

from dataclasses import dataclass

from softrock.fit import precisions
from softrock.fit.cards import Card
from softrock.fit.model import Cache, Kind, Model, Split
from softrock.fit.text import GIB

COUNTS = (1, 2, 4, 8, 16)
RUNTIME = GIB
EXCHANGE = GIB // 2
CHUNK = 8192
"""Tokens of prompts that engines take at a time (vLLM's max_num_batched_tokens on server cards, 2025)."""
MARGIN = 0.05
MOST_CONTEXT = 1 << 26


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked for.

    Attributes:
        precision: of weights: a name of precisions, or ``stored``.
        cache_bits: bits of an element of the cache.
        context: tokens of each sequence, prompt and answer together.
        batch: sequences at a time.
        margin: share of a card's memory that stays free.
        most: cards at most.
    """

    precision: str = precisions.STORED
    cache_bits: float = 16
    context: int = 8192
    batch: int = 1
    margin: float = MARGIN
    most: int = 8


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that one of `cards` cards must have."""

    cards: int
    weights: int
    cache: int
    activations: int
    runtime: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.cache + self.activations + self.runtime


@dataclass(frozen=True, slots=True)
class Placement:
    """A model on cards of one kind.

    Attributes:
        need: of each of the fewest cards that hold it; of the most that were looked at where none do.
        fits: whether they hold it.
        why: what is in the way where they do not.
        bare: memory of all those cards less weights, nothing else counted (bytes).
        headroom: memory less need and margin, of one card (bytes; negative: missing).
        longest: tokens of context that fit at this batch; 0: none.
        tokens: bound of tokens a second for the whole batch.
        prompt: bound of prompt tokens a second, by arithmetic; 0 where the card's rate is not known.
    """

    card: Card
    need: Need
    fits: bool
    why: str
    bare: int
    headroom: int
    longest: int
    tokens: float
    prompt: float


def token_bytes(model: Model, bits: float) -> int:
    """Bytes of cache that one more token takes while every window is open."""
    return sum(int(each.layers * each.heads * each.width * bits / 8) for each in model.caches)


def cache_bytes(model: Model, load: Load, cards: int = 1, context: int | None = None) -> int:
    """Bytes of cache of all sequences on one of `cards` cards."""
    tokens = load.context if context is None else context
    growing = sum(_cache(each, load.cache_bits, tokens, cards) for each in model.caches)
    fixed = sum(each.layers * -(-each.bytes // min(cards, each.heads)) for each in model.states)
    return (growing + fixed) * load.batch


def _cache(layers: Cache, bits: float, tokens: int, cards: int) -> int:
    heads = 1 if layers.latent else -(-layers.heads // cards)  # more cards than KV heads: a head is on several
    return int(layers.elements(tokens) // layers.heads * heads * bits / 8)


def divides(model: Model, precision: str, cards: int) -> str:
    """Why tensor parallelism over `cards` cards is not possible; empty where it is."""
    if cards == 1:
        return ""
    if model.heads and model.heads % cards:
        return f"{model.heads} heads do not divide by {cards}"
    latent = any(each.latent for each in model.caches)
    if model.kv_heads and not latent and model.kv_heads % cards and cards % model.kv_heads:
        return f"{model.kv_heads} KV heads do not divide by {cards}"
    if model.inner and model.inner % cards:
        return f"a feed-forward width of {model.inner} does not divide by {cards}"
    group = {"int4": 128, "int4-g64": 64, "int4-g32": 32, "gptq-order": 128, "mxfp4": 32, "nvfp4": 16}.get(precision, 0)
    if group and model.inner and model.inner // cards % group:
        return f"a feed-forward width of {model.inner} over {cards} cards is no whole number of groups of {group}"
    return ""


def weight_bytes(model: Model, precision: str, cards: int) -> int:
    """Bytes of weights on one of `cards` cards."""
    if not model.parts:
        return -(-precisions.weights(model, precision) // cards)
    counted = sum(precisions.part_bytes(model, part, precision) for part in model.parts)
    whole = precisions.weights(model, precision)
    parts = 0
    for part in model.parts:
        size = precisions.part_bytes(model, part, precision)
        if part.split is Split.SHARD:
            size = -(-size // cards)
        elif part.split is Split.KV:
            size = -(-size // min(cards, max(1, model.kv_heads))) if model.kv_heads else -(-size // cards)
        parts += size
    return parts + -(-(whole - counted) // cards)  # what the files hold beside: image encoders, masks


def activation_bytes(model: Model, load: Load, cards: int, context: int | None = None) -> int:
    """An estimate for a chunk of the prompt at 16 bits, and the batch's logits at 32."""
    chunk = min(CHUNK, (load.context if context is None else context) * load.batch)
    width = 6 * model.hidden + (3 * model.inner + 3 * model.heads * _head_width(model)) // cards
    return 2 * chunk * width + 2 * 4 * load.batch * model.vocabulary


def _head_width(model: Model) -> int:
    return max((each.width // 2 for each in model.caches if not each.latent), default=192)


def need(model: Model, load: Load, cards: int, context: int | None = None) -> Need:
    """Bytes that one of `cards` cards must have."""
    return Need(
        cards,
        weight_bytes(model, load.precision, cards),
        cache_bytes(model, load, cards, context),
        activation_bytes(model, load, cards, context),
        RUNTIME + (EXCHANGE if cards > 1 else 0),
    )


def bound(model: Model, load: Load, card: Card, cards: int) -> float:
    """Tokens a second at most: what each token reads, over the bandwidth. Nothing else is counted.

    Experts: with a batch of b and k of n used, a share of 1 - (1 - k/n)^b is read, as if each choice were even.
    """
    read = 0.0
    for part in model.parts:
        if part.kind is Kind.EMBEDDING:
            continue
        size = precisions.part_bytes(model, part, load.precision)
        if part.kind is Kind.HEAD and not part.times:
            size = next(
                (precisions.part_bytes(model, e, load.precision) for e in model.parts if e.kind is Kind.EMBEDDING), 0
            )
        used, number = part.used
        share = 1 - (1 - used / number) ** load.batch if used < number else 1.0
        split = cards if part.split is Split.SHARD else 1
        if part.split is Split.KV:
            split = min(cards, max(1, model.kv_heads))
        read += size * share / split
    if not model.parts:
        read = precisions.weights(model, load.precision) / cards
    read += cache_bytes(model, load, cards)
    return card.bandwidth / read * load.batch if read else 0.0


def prompt_bound(model: Model, load: Load, card: Card, cards: int) -> float:
    """Prompt tokens a second at most: two operations a parameter that a token meets, over the dense peak rate."""
    rate = card.rate(precisions.unit(model, load.precision))
    return rate * cards / (2 * model.active) if rate and model.active else 0.0


def longest(model: Model, load: Load, card: Card, cards: int) -> int:
    """Tokens of context that fit at this batch, up to what the model was made for; 0 where none do."""
    usable = int(card.memory * (1 - load.margin))
    if not model.caches or need(model, load, cards, 1).total > usable:
        return 0
    low, high = 1, model.limit or MOST_CONTEXT
    while low < high:
        middle = (low + high + 1) // 2
        if need(model, load, cards, middle).total <= usable:
            low = middle
        else:
            high = middle - 1
    return low


def place(model: Model, load: Load, card: Card) -> Placement:
    """The fewest cards of a kind that hold a model."""
    found: tuple[Need, int] | None = None
    why: list[str] = []
    usable = int(card.memory * (1 - load.margin))
    most = min(load.most, int(card.number("most_cards") or load.most))
    for cards in (each for each in COUNTS if each <= most):
        problem = divides(model, load.precision, cards)
        if problem:
            why.append(problem)
            continue
        wanted = need(model, load, cards)
        room = usable - wanted.total
        if found is None or room >= 0 or wanted.total < found[0].total:
            found = (wanted, room)
        if room >= 0:
            break
    assert found is not None  # one card always divides
    wanted, room = found
    fits = room >= 0
    whole = precisions.weights(model, load.precision)
    return Placement(
        card,
        wanted,
        fits,
        "" if fits else "; ".join([f"{-room:,} bytes are missing on each of {wanted.cards}", *dict.fromkeys(why)]),
        card.memory * wanted.cards - (whole if wanted.cards == 1 else wanted.weights * wanted.cards),
        room,
        longest(model, load, card, wanted.cards) if fits else 0,
        bound(model, load, card, wanted.cards) if fits else 0.0,
        prompt_bound(model, load, card, wanted.cards) if fits else 0.0,
    )
