"""Where operations are registered: canonical operation name → its semantics.

To add an instruction, write a small function in the module of its format family and decorate it:

* ``@valu("v_add_f32", "f32 <- f32 f32")``: a per-lane operation. The wrapper fetches sources with their modifiers
  (neg, abs, op_sel, SDWA, DPP, inline constants by type), applies omod and clamp, and writes the destination under
  EXEC.
* ``@salu("s_add_u32", "u32 scc <- u32 u32")``: a scalar operation.
* ``@packed("v_pk_add_f16", "f16 <- f16 f16")``: called once for each half with op_sel/neg applied.
* ``@raw("s_barrier")``: everything by hand, ``def f(x: Wave, inst: Instruction)``.

Signatures are ``outs <- ins`` with type tokens:

========== =============================================================================================
token      meaning
========== =============================================================================================
u32 i64 …  a lane vector (valu) or scalar (salu) of that element type; f16 bf16 f32 f64 u8…u64 i8…i64
u32x4      a list of that many dwords (any element type of 32 bits or 64 bits, e.g. f64x2)
mask       a lane mask as a u1 vector; as a source an SGPR pair, as a destination written ANDed with EXEC
scc        the SCC bit (u1 scalar), implicit, not an operand
dst:f32    the destination's old value as a further source (fmac, cmov …), not an operand of its own
simm16     the 16-bit immediate as an i32 constant
s:u32      in valu: a scalar operand (readlane's lane select, an SGPR destination)
========== =============================================================================================

A function of the form ``f(x, a, b, …)`` returns one Val, or a tuple where there are several outs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Token:
    """One parsed type token."""

    role: str  # "lane", "mask", "scc", "dst", "simm16", "scalar"
    elem: str
    count: int


@dataclass(frozen=True, slots=True)
class Semantic:
    """A registered operation."""

    form: str  # "valu", "salu", "packed", "raw"
    outs: tuple[Token, ...]
    ins: tuple[Token, ...]
    function: Function
    exactness: str  # "exact" or "approximate"
    note: str
    cross_lane: bool
    reads_dst: bool
    silent: bool  # looks at and changes nothing but the wave's own registers


SEMANTICS: dict[str, Semantic] = {}


def _token(text: str) -> Token:
    if text in ("mask", "scc", "simm16"):
        return Token(text, {"mask": "u1", "scc": "u1", "simm16": "i32"}[text], 1)
    role = "lane"
    if text.startswith("dst:"):
        role, text = "dst", text[4:]
    elif text.startswith("s:"):
        role, text = "scalar", text[2:]
    elem, _, count = text.partition("x")
    return Token(role, elem, int(count) if count else 1)


def _register(
    form: str,
    names: str,
    signature: str,
    exactness: str,
    note: str,
    cross_lane: bool,
    reads_dst: bool,
    silent: bool = True,
) -> Callable[[Function], Function]:
    outs, _, ins = signature.partition("<-")
    out_tokens = tuple(_token(t) for t in outs.split())
    in_tokens = tuple(_token(t) for t in ins.split())
    reads_dst = reads_dst or any(t.role == "dst" for t in in_tokens)

    def add(function: Function) -> Function:
        for name in names.split():
            if name in SEMANTICS:
                raise AssertionError(f"{name} is registered twice")
            SEMANTICS[name] = Semantic(
                form, out_tokens, in_tokens, function, exactness, note, cross_lane, reads_dst, silent
            )
        return function

    return add


def valu(
    names: str, signature: str, *, approximate: str = "", cross_lane: bool = False
) -> Callable[[Function], Function]:
    """Register a per-lane operation under one or more (space-separated) canonical names.

    Args:
        approximate: non-empty where the result is not bit-exact by the ISA's definition: says how good it is.
        cross_lane: the function looks at other lanes of its sources.
    """
    return _register(
        "valu", names, signature, "approximate" if approximate else "exact", approximate, cross_lane, False
    )


def salu(names: str, signature: str) -> Callable[[Function], Function]:
    """Register a scalar operation."""
    return _register("salu", names, signature, "exact", "", False, False)


def packed(names: str, signature: str) -> Callable[[Function], Function]:
    """Register a packed operation by the semantics of one half."""
    return _register("packed", names, signature, "exact", "", False, False)


def raw(
    names: str,
    *,
    approximate: str = "",
    cross_lane: bool = False,
    reads_dst: bool = False,
    silent: bool | None = None,
) -> Callable[[Function], Function]:
    """Register ``f(x, inst)``.

    Args:
        cross_lane: reads lanes of VGPRs other than the own one, or inactive ones.
        reads_dst: reads its destination VGPRs, or leaves part of them as they were.
        silent: whether it looks at and changes nothing but the wave's own registers; None: vector operations do so,
            others do not.
    """
    if silent is None:
        silent = names.startswith("v_")
    exactness = "approximate" if approximate else "exact"
    return _register("raw", names, "<-", exactness, approximate, cross_lane, reads_dst, silent)


def lookup(op: str) -> Semantic | None:
    """The semantics of a canonical operation, or None where it is unsupported."""
    from softrock.lift import semantics

    semantics.load()
    return SEMANTICS.get(op)
