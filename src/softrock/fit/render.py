"""An answer as text: tables, and bars."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softrock.fit import engines, placement, precisions
from softrock.fit.cards import Card
from softrock.fit.model import Model
from softrock.fit.placement import Load, Placement
from softrock.fit.report import Answer, document, label
from softrock.fit.text import GB, GIB, count, exact, gigabytes, short

_SUPPORT = {"native": "native", "vector": "vector units", "emulated": "emulated (16 bits)"}
_RATES = ("fp16", "fp8", "int8", "int4", "fp4")
_SHOWN = ("fp32", "bf16", "fp8", "int8", "int4", "mxfp4", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K", "Q2_K")


def _grid(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> Table:
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, head in enumerate(heads):
        grid.add_column(head, justify="right" if number in right else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _printed(parts: Iterable[Table | str], colour: bool) -> str:
    """Lines are as long as they are: a table cut to a terminal's width would lose figures."""
    out = io.StringIO()
    console = Console(file=out, width=1000, force_terminal=colour, color_system="standard" if colour else None)
    for part in parts:
        console.print(part if isinstance(part, Table) else Text(part), soft_wrap=isinstance(part, str))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def text(found: Answer, colour: bool = False, with_engines: bool = False) -> str:
    """The answer as a person reads it."""
    parts: list[Table | str] = [*_model(found.model), "", *_weights(found), "", *_cache(found), "", *_cards(found)]
    if found.costs:
        parts += ["", *_prices(found)]
    if with_engines:
        parts += ["", *engine_table({each.card.target: None for each in found.placements})]
    return _printed(parts, colour)


def _model(model: Model) -> list[Table | str]:
    lines = [f"{model.name} ({model.architecture})"]
    if model.params:
        about = "" if model.exact else "about "
        active = f", {count(model.active)} for each token" if model.active < model.params * 0.9 else ""
        lines.append(f"  parameters  {about}{model.params:,} = {count(model.params)}{active}")
    if model.heads:
        lines.append(f"  attention   {model.layers} layers, {model.heads} heads, {_heads(model)}")
    if model.limit:
        lines.append(f"  context     made for {model.limit:,} tokens")
    if model.stored:
        files = f"{model.stored.files} file{'s' * (model.stored.files != 1)}"
        lines.append(f"  stored      {exact(model.stored.bytes)}: {model.stored.tensors:,} tensors in {files}")
        for name, (tensors, elements, size) in model.stored.by_type.items():
            lines.append(f"              {name:8} {tensors:>6,} tensors  {elements:>17,} elements  {size:>17,} bytes")
    lines += [f"  note        {each}" for each in model.notes]
    return list(lines)


def _heads(model: Model) -> str:
    if any(each.latent for each in model.caches):
        return f"one latent of {model.caches[0].width} for all (MLA)"
    found = f"{model.kv_heads} KV head{'s' * (model.kv_heads != 1)} ({_kind(model)})"
    narrow = [each for each in model.caches if each.window is not None]
    if narrow:
        layers = sum(each.layers for each in narrow)
        found += f"; {layers} of the layers keep a window of {narrow[0].window:,} tokens"
    for state in model.states:
        found += f"; {state.layers} of the layers are linear: {state.bytes:,} bytes of state each"
    return found


def _pair(size: int) -> str:
    return f"{size / GB:,.1f} / {size / GIB:,.1f}"


def _kind(model: Model) -> str:
    if model.kv_heads == 1 < model.heads:
        return "MQA"
    return "GQA" if model.kv_heads < model.heads else "MHA"


def _weights(found: Answer) -> list[Table | str]:
    rows = []
    for each in document(found)["weights"]:
        name = each["precision"]
        chosen = name == found.load.precision
        if not found.model.stored and found.load.precision == precisions.STORED:
            chosen = name == found.model.precision
        if name not in _SHOWN and not chosen and name != precisions.STORED:
            continue
        mark = "*" if chosen else ""
        cards = _native(found, name)
        rows.append(
            (
                mark,
                name,
                each["label"],
                f"{each['bytes']:,}",
                f"{each['bytes'] / GB:,.1f}",
                f"{each['bytes'] / GIB:,.1f}",
                cards,
            )
        )
    head = ("", "precision", "", "bytes", "GB", "GiB", "computed natively on")
    return ["Weights (* is used below)", _grid(head, rows, (3, 4, 5))]


def _native(found: Answer, precision: str) -> str:
    wanted = precisions.unit(found.model, precision)
    targets: dict[str, str] = {}
    for each in found.placements:
        targets.setdefault(each.card.target, each.card.support(wanted))
    native = [target for target, support in targets.items() if support == "native"]
    vector = [target for target, support in targets.items() if support == "vector"]
    if not native and not vector:
        return "none: unpacked to 16 bits"
    if len(native) == len(targets):
        return "all shown"
    shown = " ".join(sorted(native)[:8]) + (" ..." if len(native) > 8 else "")
    return shown or "vector units: " + " ".join(sorted(vector)[:6])


def _cache(found: Answer) -> list[Table | str]:
    load, model = found.load, found.model
    if not model.caches:
        return ["KV cache: not known"]
    one = Load(cache_bits=load.cache_bits, context=load.context)
    rows = [
        ("a token", f"{placement.token_bytes(model, load.cache_bits):,} bytes"),
        (f"a sequence of {load.context:,} tokens", exact(placement.cache_bytes(model, one))),
    ]
    if load.batch > 1:
        rows.append((f"{load.batch} sequences", exact(placement.cache_bytes(model, load))))
    return [f"KV cache at {load.cache_bits:g} bits an element", *(f"  {name:32} {value}" for name, value in rows)]


def _cards(found: Answer) -> list[Table | str]:
    load = found.load
    wanted = precisions.unit(found.model, load.precision)
    rows = []
    for each in (one for one in found.placements if one.fits):
        need = each.need
        rows.append(
            (
                str(need.cards),
                each.card.id,
                each.card.target,
                _pair(each.card.memory) + ("  " if each.card.reported else " n"),
                f"{need.weights / GB:,.1f}",
                f"{need.cache / GB:,.2f}",
                f"{(need.activations + need.runtime) / GB:,.1f}",
                _pair(each.bare),
                _pair(each.headroom),
                f"{each.longest:,}" if each.longest else "?",
                short(each.tokens),
                short(each.prompt) if each.prompt else "?",
                _SUPPORT[each.card.support(wanted)],
            )
        )
    lines: list[Table | str] = [
        f"Cards, weights {label(found.model, load.precision)}, context {load.context:,}, batch {load.batch}: "
        "the fewest that hold it"
    ]
    if rows:
        head = (
            "cards", "card", "target", "memory, GB / GiB", "weights", "cache", "other", "all memory less weights",
            "headroom, GB / GiB", "longest", "tokens/s <=", "prompt/s <=", "arithmetic",
        )  # fmt: skip
        lines.append(_grid(head, rows, (0, 3, 4, 5, 6, 7, 8, 9, 10, 11)))
    failed = [one for one in found.placements if not one.fits]
    if failed:
        lines.append("does not fit:" if rows else "it fits none of these:")
        lines += [f"  {one.card.id}: {one.why}" for one in failed[:60]]
    lines += _explanation(found)
    return lines


def _explanation(found: Answer) -> list[str]:
    load = found.load
    lines = []
    for each in [one for one in found.placements if one.fits and one.need.cards == 1][:4]:
        memory = "reports" if each.card.reported else "should have"
        lines.append(
            f"one {each.card.id} {memory} {each.card.memory:,} bytes; less its weights, {exact(each.bare)} remain"
        )
    if 0 < found.model.limit < load.context:
        lines.append(f"the model was made for {found.model.limit:,} tokens: {load.context:,} are beyond that")
    lines.append(
        f"weights, cache, other: GB on each card. other: activations of {placement.CHUNK:,} prompt tokens, logits, "
        f"{gigabytes(placement.RUNTIME)} for the runtime. headroom: after those and {load.margin:.0%} of the memory."
    )
    lines.append(
        "tokens/s <=: weights that a token needs and its cache, read once at the peak bandwidth; prompt/s <=: two "
        "operations a parameter at the dense peak rate of its arithmetic; nothing else counted. "
        "n: nominal memory, nobody has shown what the device reports."
    )
    disputed = [one.card.id for one in found.placements if one.card.disputed]
    if disputed:
        lines.append(f"sources disagree about {', '.join(sorted(disputed))}: softrock fit --cards CARD shows each")
    return lines


def _prices(found: Answer) -> list[Table | str]:
    rows = [
        (
            each.price.card, str(each.placement.need.cards), each.price.kind, f"{each.price.amount:,.2f}",
            short(each.per_gb), short(each.per_gbs), short(each.per_token), f"{each.per_million:,.3f}",
            each.price.date, each.price.source,
        )
        for each in found.costs
    ]  # fmt: skip
    if not rows:
        return []
    currency = found.costs[0].price.currency
    head = (
        "card",
        "cards",
        "",
        f"{currency} a card",
        "a GB",
        "a GB/s",
        "a token/s",
        "a million tokens",
        "date",
        "source",
    )
    return [
        "Prices, the cheapest million tokens (at the bound) first",
        _grid(head, rows, (1, 3, 4, 5, 6, 7)),
        "rent: a card an hour, and what follows an hour too. buy: a million tokens over the years of use (--years), "
        "day and night; power and the machine around the cards not counted.",
    ]


def engine_table(targets: Iterable[str]) -> list[Table | str]:
    """What is known of engines on targets."""
    rows = [
        (e["target"], e["engine"], e["version"], e["supported"], e["needs"], e["date"], e["source"])
        for e in engines.entries(targets)
    ]
    head = ("target", "engine", "version", "supported", "needs", "date", "source")
    return ["Engines (yes: the project says so; build: from source; other: by a third party)", _grid(head, rows)]


def engines_text(targets: Iterable[str]) -> str:
    """The engines of targets as text."""
    return _printed(engine_table(targets), False)


def cards_text(cards: Sequence[Card], facts: bool) -> str:
    """A list of cards, or all facts of them with sources."""
    if facts:
        parts: list[Table | str] = []
        for card in cards:
            known: list[Sequence[str]] = []
            for field, found in card.facts.items():
                for number, each in enumerate(found):
                    state = "used" if not number else "agrees" if each.value == found[0].value else "disputed"
                    state = state if len(found) > 1 else ""
                    known.append((field, each.value, state, each.date, each.source, each.note))
            parts += [f"{card.id}: {card.name}", _grid(("fact", "value", "", "date", "source", "note"), known), ""]
        return _printed(parts, False)
    rows: list[Sequence[str]] = [
        (
            card.id, card.name, card.target, f"{card.memory:,}", "reported" if card.reported else "nominal",
            f"{card.bandwidth / GB:,.0f}", *(card.text(f"tops_{kind}") for kind in _RATES),
            " ".join(kind for kind, how in card.types.items() if how == "native") or "-",
        )
        for card in cards
    ]  # fmt: skip
    rates = (*(kind.upper() for kind in _RATES[:-1]), f"{_RATES[-1].upper()} (10^12/s)")
    head = ("card", "", "target", "bytes", "", "GB/s", *rates, "matrix units for")
    return _printed([_grid(head, rows, (3, 5, 6, 7, 8, 9, 10))], False)


def bars(found: Answer, width: int = 100) -> str:
    """A chart in plain text: what fills one card of each kind."""
    marks = (("weights", "#"), ("cache", "="), ("activations", "+"), ("runtime", "-"))
    lines = ["one card, to scale: # weights  = cache  + activations  - runtime  . free  ! missing", ""]
    most = max((max(each.card.memory, each.need.total) for each in found.placements), default=1)
    for each in found.placements:
        lines.append(f"{each.card.id:>14} x{each.need.cards:<2} |{_bar(each, marks, most, width - 24)}")
    return "\n".join(lines)


def _bar(each: Placement, marks: Sequence[tuple[str, str]], most: int, width: int) -> str:
    drawn, filled = "", 0
    for name, mark in marks:
        filled += getattr(each.need, name)
        drawn += mark * (round(filled / most * width) - len(drawn))
    end = round(each.card.memory / most * width)
    if len(drawn) > end:
        return drawn[:end] + "|" + "!" * (len(drawn) - end)
    return drawn + "." * (end - len(drawn)) + "|"
