"""Where the model's operations are registered: canonical name → types and a function of plain values.

Type tokens: ``u32 i32 f32 u16 i16 f16 bf16 u64 i64 f64`` (one value a lane), ``f32x4`` (a list of them), ``mask`` (one
truth value a lane), ``dst:f32`` (the destination's old value), ``2f16`` (both halves of a dword, or both dwords of a
pair, one after the other, with op_sel). Floats are passed as raw bits, integers as Python integers of their sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.lift.models.edges import width_of
from tests.lift.models.formats import BY_NAME

Function = Callable[..., Any]


@dataclass(frozen=True)
class Context:
    """What an operation may depend on besides its operands.

    Attributes:
        major: 9 or 11.
        ieee, flush32, flush16: bits of the MODE register (flush16 holds for f16 and f64).
        clamp: the instruction's clamp bit, for integer saturation.
        lane: number of the lane.
    """

    major: int
    ieee: bool = True
    flush32: bool = False
    flush16: bool = False
    clamp: bool = False
    lane: int = 0


@dataclass(frozen=True)
class Model:
    """One operation of the vector ALU.

    Attributes:
        outs, ins: type tokens.
        function: ``f(context, *values)`` for one lane; several results as a tuple.
        ulp: allowed error in units of the last place, 0 where exact.
        packed: called once for each half, with op_sel, op_sel_hi, neg_lo and neg_hi.
    """

    outs: tuple[str, ...]
    ins: tuple[str, ...]
    function: Function
    ulp: int = 0
    packed: bool = False


class OneOf(tuple[int, ...]):
    """Results of which any is right, where the guides leave it open; the first is the most literal reading."""


MODELS: dict[str, Model] = {}


def model(names: str, signature: str, *, ulp: int = 0, packed: bool = False) -> Callable[[Function], Function]:
    """Register ``f(context, …)`` under space-separated names; the signature reads ``outs <- ins``."""
    outs, _, ins = signature.partition("<-")

    def add(function: Function) -> Function:
        for name in names.split():
            if name in MODELS:
                raise AssertionError(f"{name} has two models")
            MODELS[name] = Model(tuple(outs.split()), tuple(ins.split()), function, ulp, packed)
        return function

    return add


def pure(names: str, signature: str, function: Function, *, ulp: int = 0, packed: bool = False) -> None:
    """Register a function that needs no context."""
    model(names, signature, ulp=ulp, packed=packed)(lambda _, *values: function(*values))


def is_float(elem: str) -> bool:
    return elem in BY_NAME


def to_value(elem: str, raw: int) -> int:
    """Raw bits as the value a model gets: signed types are sign-extended, all else stays as it is."""
    bits = width_of(elem)
    raw &= (1 << bits) - 1
    return raw - (1 << bits) if elem[0] == "i" and raw >> (bits - 1) else raw
