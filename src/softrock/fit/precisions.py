"""Bytes that a model's weights have at each precision.

GGUF's are exact: a matrix is blocks of one type, with llama.cpp's choice of another type where rows are no whole number
of blocks and its larger types for some layers in the _M mixes (ggml-org/llama.cpp, src/llama-quant.cpp, 2025).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from softrock.core.errors import UsageError
from softrock.fit import gguf
from softrock.fit.model import Kind, Model, Part
from softrock.fit.tables import rows

STORED = "stored"
_MIXES = {"Q4_K_M": ("Q4_K", "Q6_K"), "Q5_K_M": ("Q5_K", "Q6_K")}
_LARGE = 80
"""Layers of what llama.cpp takes for a 70 B model: its values keep 5 bits where others have 4."""
_PURE = (
    "Q8_0 Q6_K Q5_K Q5_0 Q4_K Q4_0 IQ4_XS IQ4_NL Q3_K IQ3_S IQ3_XXS Q2_K IQ2_S IQ2_XS IQ2_XXS IQ1_M IQ1_S MXFP4".split()
)
_INSTEAD = {"Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
"""Types for rows that are no whole number of 256; IQ4_NL for all others."""


@dataclass(frozen=True, slots=True)
class Precision:
    """A way to store weights.

    Attributes:
        name: as it is given on the command line.
        label: as it is shown.
        unit: the arithmetic it was made for (a name of data/units.tsv).
        size: bytes of a part; `layers` is how many layers the model has.
    """

    name: str
    label: str
    unit: str
    size: Callable[[Part, int, bool], int]


def _plain(row: dict[str, str]) -> Precision:
    bits, group, square = int(row["bits"]), int(row["group"]), row["square"] == "1"
    scale, zero, index = float(row["scale_bits"]), int(row["zero_bits"]), int(row["index_bits"])
    other = int(row["other"])

    def size(part: Part, layers: int, tied: bool) -> int:
        if part.kind not in (Kind.MATRIX, Kind.EXPERT):
            return part.params * other // 8
        groups = -(-part.columns // group) if group else 1
        lines = -(-part.rows // group) if square else part.rows
        each = part.rows * part.columns * bits + lines * groups * (scale + zero) + part.columns * index
        return int(-(-each // 8)) * part.times

    return Precision(row["name"], row["label"], row["unit"], size)


@cache
def _widths() -> dict[str, tuple[int, int]]:
    return {name: (block, width) for name, block, width in gguf.types().values()}


def block_bytes(kind: str, part: Part) -> int:
    """Bytes of one matrix in a GGUF type, or in the type that llama.cpp takes where its rows do not suit."""
    block, width = _widths()[kind]
    if part.columns % block:
        kind = _INSTEAD.get(kind, "IQ4_NL") if block == 256 else "F16"
        block, width = _widths()[kind]
        if part.columns % block:
            block, width = _widths()["F16"]
    return part.rows * (part.columns // block) * width


def _more(layers: int) -> int:
    """How many layers of a mix get the larger type: the first and last eighth and each third between."""
    return sum(
        1
        for layer in range(layers)
        if layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2
    )


def _blocks(name: str, base: str, larger: str) -> Precision:
    mixed = name in _MIXES

    def size(part: Part, layers: int, tied: bool) -> int:
        if part.kind is Kind.SMALL or part.name == "position embeddings":
            return part.params * 4
        kind = base
        if mixed and (part.kind is Kind.HEAD or (part.kind is Kind.EMBEDDING and tied)):
            kind = "Q6_K"
        each = block_bytes(kind, part)
        if larger == base or part.kind in (Kind.HEAD, Kind.EMBEDDING) or not layers:
            return each * part.times
        if part.name in ("attention v", "feed-forward down", "experts down", "shared experts down"):
            more = part.times * _more(layers) // layers
            if part.name == "attention v" and base == "Q4_K" and layers == _LARGE:
                each = block_bytes("Q5_K", part)
            return block_bytes(larger, part) * more + each * (part.times - more)
        return each * part.times

    return Precision(name, f"GGUF {name}", "weights", size)


@cache
def all_precisions() -> dict[str, Precision]:
    """Name -> precision, those of Hugging Face files first."""
    found = {row["name"]: _plain(row) for row in rows("precisions.tsv")}
    found.update({name: _blocks(name, *pair) for name, pair in _MIXES.items()})
    found.update({name: _blocks(name, name, name) for name in _PURE if name not in found})
    return found


def find(name: str) -> Precision:
    """A precision by name, upper or lower case.

    Raises:
        UsageError: there is none of that name.
    """
    known = {each.lower(): each for each in all_precisions()}
    if name.lower() not in known:
        raise UsageError(f"the precision {name!r} is unknown", hint=f"choose from {', '.join(all_precisions())}")
    return all_precisions()[known[name.lower()]]


def unit(model: Model, precision: str) -> str:
    """The arithmetic that a precision was made for."""
    if precision != STORED:
        return all_precisions()[precision].unit
    if model.stored is None:
        return all_precisions()[model.precision].unit
    known = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}
    if model.stored.label in known:
        return known[model.stored.label]
    return all_precisions()[model.precision].unit if model.precision not in ("bf16", "fp16") else "weights"


def part_bytes(model: Model, part: Part, precision: str) -> int:
    """Bytes of a part at a precision; as stored where `precision` is ``stored``."""
    if precision == STORED:
        if part.stored is not None:
            return part.stored
        precision = model.precision
    tied = any(each.kind is Kind.HEAD and not each.times for each in model.parts)
    return all_precisions()[precision].size(part, model.layers, tied)


def weights(model: Model, precision: str) -> int:
    """Bytes of all weights at a precision; what the files hold where it is ``stored``."""
    if precision == STORED and model.stored is not None:
        return model.stored.bytes
    return sum(part_bytes(model, part, precision) for part in model.parts)
