"""The cards: facts with source and date, those in dispute with all that is said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from softrock.core.errors import UsageError
from softrock.fit.tables import rows
from softrock.fit.text import GB, GIB

_FAMILIES = ("instinct", "radeon", "geforce")
TYPES = ("fp32", "bf16", "fp16", "fp8", "int8", "int4", "fp4", "nvfp4")


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure as one source has it."""

    value: str
    source: str
    date: str
    note: str

    def asdict(self) -> dict[str, str]:
        """For documents: with the source's title and address."""
        where = sources()[self.source]
        return {
            "value": self.value, "source": where["title"], "address": where["address"], "date": self.date,
            "note": self.note,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """A card, or what the system shows as one device of it.

    Attributes:
        facts: field -> figures, the one that is used first.
    """

    id: str
    facts: dict[str, tuple[Fact, ...]]

    def text(self, field: str) -> str:
        """A fact as text; empty where there is none."""
        found = self.facts.get(field)
        return found[0].value if found else ""

    def number(self, field: str) -> float | None:
        """A fact as a number; None where there is none."""
        found = self.text(field)
        return float(found) if found else None

    @property
    def name(self) -> str:
        """As its maker calls it."""
        return self.text("name")

    @property
    def target(self) -> str:
        """gfx target, or compute capability as sm_NN."""
        return self.text("gfx")

    @property
    def memory(self) -> int:
        """Bytes: what the device reports where somebody has shown it, else what its maker says."""
        for field, unit in (("reported_bytes", 1), ("nominal_gib", GIB), ("nominal_gb", GB)):
            found = self.number(field)
            if found is not None:
                return int(found * unit)
        raise ValueError(f"{self.id} has no memory")  # a defect of the table

    @property
    def reported(self) -> bool:
        """Whether `memory` is what the device reports."""
        return "reported_bytes" in self.facts

    @property
    def bandwidth(self) -> float:
        """Bytes a second, peak."""
        return (self.number("bandwidth_gbs") or 0.0) * GB

    @property
    def disputed(self) -> list[str]:
        """Fields of which sources say different things."""
        found = [field for field, facts in self.facts.items() if len({each.value for each in facts}) > 1]
        return found

    def support(self, unit: str) -> str:
        """``native``, ``vector`` or ``emulated``: how it computes in a precision's arithmetic."""
        has = _units().get(self.target, {})
        return next((kind for kind in ("native", "vector") if unit in has.get(kind, ())), "emulated")

    @property
    def types(self) -> dict[str, str]:
        """How it computes in each type."""
        return {each: self.support(each) for each in TYPES}

    def rate(self, unit: str) -> float | None:
        """Operations a second in an arithmetic; where it is emulated, those of 16 bits; None where nobody said."""
        wanted = unit if self.support(unit) != "emulated" else "fp16"
        found = self.number(f"tops_{wanted}")
        return found * 1e12 if found is not None else None


@cache
def _units() -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        row["target"]: {"native": tuple(row["native"].split()), "vector": tuple(row["vector"].split())}
        for row in rows("units.tsv")
    }


@cache
def sources() -> dict[str, dict[str, str]]:
    """Key -> title and address."""
    return {row["source"]: row for row in rows("sources.tsv")}


@cache
def all_cards() -> dict[str, Card]:
    """Id -> card, in the table's order."""
    facts: dict[str, dict[str, list[Fact]]] = {}
    for row in rows("cards.tsv"):
        fact = Fact(row["value"], row["source"], row["date"], row["note"])
        facts.setdefault(row["card"], {}).setdefault(row["field"], []).append(fact)
    return {name: Card(name, {key: tuple(each) for key, each in given.items()}) for name, given in facts.items()}


def choose(text: str) -> list[Card]:
    """Cards by ids, targets (``gfx1100``: all that have it), families (``radeon``), makers; all AMD's if empty.

    Raises:
        UsageError: one is unknown.
    """
    known = all_cards()
    if not text.strip():
        return [each for each in known.values() if each.text("vendor") == "AMD"]
    found: dict[str, Card] = {}
    for word in (each.strip() for each in text.split(",")):
        wanted = word.lower().replace(" ", "")
        those = [
            each
            for each in known.values()
            if wanted in (each.id.lower(), each.target, each.text("vendor").lower(), "all")
            or (wanted in _FAMILIES and wanted in each.name.lower())
            or wanted in (each.name.lower().replace(" ", ""), each.id.lower().replace("-", ""))
        ]
        if not those:
            import difflib

            close = difflib.get_close_matches(word.upper(), known, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise UsageError(f"no card {word!r} is known", hint=f"{hint}softrock fit --cards lists them")
        found.update({each.id: each for each in those})
    return list(found.values())
