"""What a model is made of: groups of equal matrices, and layers that keep a cache."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a group of parameters is; it decides how it is quantized, read and split over cards."""

    MATRIX = "matrix"
    EXPERT = "expert"
    EMBEDDING = "embedding"
    HEAD = "head"
    SMALL = "small"
    """Norms, biases, routers: kept at 16 or 32 bits whatever the rest has."""


class Split(Enum):
    """How tensor parallelism lays a group over cards."""

    SHARD = "shard"
    COPY = "copy"
    KV = "kv"
    """By KV head; where there are more cards than KV heads, a head is on several cards."""


@dataclass(frozen=True, slots=True)
class Part:
    """A group of equal matrices.

    Attributes:
        name: what it is, ``feed-forward``.
        rows, columns: output and input width of one matrix; a vector has one column.
        times: how many there are.
        stored: bytes it has as stored, where a file says so.
        used: of the experts in the model, how many a token goes through (for EXPERT), else 1 of 1.
    """

    name: str
    kind: Kind
    rows: int
    columns: int
    times: int = 1
    split: Split = Split.SHARD
    stored: int | None = None
    used: tuple[int, int] = (1, 1)

    @property
    def params(self) -> int:
        """Parameters in all its matrices."""
        return self.rows * self.columns * self.times


@dataclass(frozen=True, slots=True)
class Cache:
    """Layers that keep a cache of one form.

    Attributes:
        layers: how many.
        heads: KV heads; 1 for a latent.
        width: elements a KV head keeps of a token, keys and values together.
        window: tokens that are kept at most; None: all.
        latent: MLA: one vector for all heads, on every card.
    """

    layers: int
    heads: int
    width: int
    window: int | None = None
    latent: bool = False

    def elements(self, tokens: int) -> int:
        """Elements of one sequence of `tokens`."""
        kept = tokens if self.window is None else min(tokens, self.window)
        return self.layers * self.heads * self.width * kept


@dataclass(frozen=True, slots=True)
class State:
    """Layers of linear attention: a state of one size a sequence, however long that is.

    Attributes:
        layers: how many.
        heads: over which the state is split.
        bytes: of one layer's state.
    """

    layers: int
    heads: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What the files hold.

    Attributes:
        bytes: of all tensors, exact.
        tensors: how many.
        by_type: type -> (tensors, elements, bytes).
        label: what the mix is called.
        files: how many files were read.
    """

    bytes: int
    tensors: int
    by_type: dict[str, tuple[int, int, int]]
    label: str
    files: int = 1


@dataclass(frozen=True, slots=True)
class Model:
    """A model, as far as memory and bandwidth go.

    Attributes:
        heads, kv_heads, hidden, vocabulary: of the decoder; 0 where nobody said.
        inner: width of the widest feed-forward layer that is split over cards.
        limit: tokens of context it was made for; 0 where nobody said.
        parts: empty where only stored bytes are known.
        precision: what its configuration says it is stored in (a name of data/precisions.tsv).
        exact: parts are element for element right (else they were guessed from a total).
    """

    name: str
    architecture: str
    parts: tuple[Part, ...]
    caches: tuple[Cache, ...]
    heads: int = 0
    kv_heads: int = 0
    hidden: int = 0
    inner: int = 0
    vocabulary: int = 0
    limit: int = 0
    states: tuple[State, ...] = ()
    stored: Stored | None = None
    exact: bool = True
    precision: str = "bf16"
    notes: tuple[str, ...] = ()

    @property
    def params(self) -> int:
        """Parameters in all."""
        return sum(part.params for part in self.parts)

    @property
    def active(self) -> int:
        """Parameters that one token is multiplied with (all but the embedding table and idle experts)."""
        tied = next((part.rows * part.columns for part in self.parts if part.kind is Kind.HEAD and not part.times), 0)
        return tied + sum(
            part.params * part.used[0] // part.used[1] for part in self.parts if part.kind is not Kind.EMBEDDING
        )

    @property
    def layers(self) -> int:
        """Layers that keep a cache or a state; 0 where nobody said."""
        return sum(each.layers for each in self.caches) + sum(each.layers for each in self.states)
