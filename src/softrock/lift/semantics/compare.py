"""Vector comparisons: v_cmp_* write a lane mask, v_cmpx_* also EXEC (gfx9: both, later targets: EXEC only).

Sources: AMD "MI300 ISA" and "RDNA3 ISA" guides, VOPC. Inactive lanes give 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift import access, masks
from softrock.lift.ir import Val
from softrock.lift.notes import noted
from softrock.lift.registry import raw
from softrock.lift.semantics.floats import EXPONENT, MANTISSA, moved_bits

if TYPE_CHECKING:
    from softrock.lift.context import Wave

FLOAT_PREDICATES = {
    "lt": "olt",
    "eq": "oeq",
    "le": "ole",
    "gt": "ogt",
    "lg": "one",
    "ge": "oge",
    "o": "ord",
    "u": "uno",
    "nge": "ult",
    "nlg": "ueq",
    "ngt": "ule",
    "nle": "ugt",
    "neq": "une",
    "nlt": "uge",
}
"""The guide's comparison → LLVM's predicate; f and t are constants."""

_INTEGER: dict[str, Callable[[Val, Val], Val]] = {
    "lt": lambda a, b: a.lt(b),
    "eq": lambda a, b: a.eq(b),
    "le": lambda a, b: a.le(b),
    "gt": lambda a, b: a.gt(b),
    "ne": lambda a, b: a.ne(b),
    "ge": lambda a, b: a.ge(b),
}

_EXEC = Operand("sdst", Kind.EXEC, 126, 2)


def _finish(x: Wave, inst: Instruction, result: Val) -> None:
    """Write the mask, and EXEC for v_cmpx."""
    if not inst.op.startswith("v_cmpx"):
        x.write_mask(inst.dst[0], result)
        return
    x.write_mask(_EXEC, result)
    bits = x.regs.exec()
    for op in inst.dst:
        if op.kind is Kind.SGPR:
            x.write_scalar(op, bits)


def _operands(x: Wave, inst: Instruction, kind: str) -> tuple[Val, Val]:
    sel = inst.mod("op_sel")
    return x.read(inst.src[0], kind, sel & 1), x.read(inst.src[1], kind, sel >> 1 & 1)


def _float_compare(word: str, predicate: str, bits: int) -> None:
    @raw(f"v_cmp_{word}_f{bits} v_cmpx_{word}_f{bits}")
    def compare(x: Wave, inst: Instruction) -> None:
        a, b = _operands(x, inst, f"f{bits}")
        result = a.fcmp(predicate, b)
        if predicate in ("olt", "ole"):
            result = noted(result, predicate, a, b)
        elif predicate in ("ogt", "oge"):
            result = noted(result, "ol" + predicate[2], b, a)
        _finish(x, inst, result)


def _mostly_alike(x: Wave, function: Callable[[Val, Val], Val], a: Val, b: Val, every: Val, none: Val) -> Val:
    """A compare that lanes make only where neither all of them nor none are known to hold.

    It takes many host vectors to be worth it: four are compared as quickly as the scalars are.
    """
    mask = f"u{x.W}"
    ways: list[tuple[Callable[[], Val | None] | None, Callable[[], list[Val]]]] = [
        (lambda: every, lambda: [x.scalar(mask, -1)]),
        (lambda: none, lambda: [x.scalar(mask, 0)]),
        (None, lambda: [function(a, b).pack().solid()]),
    ]
    if every.const == 0:
        del ways[0]
    return access.choose(x, ways, 1)[0].unpack()


def _integer_compare(word: str, kind: str) -> None:
    function = _INTEGER[word]

    @raw(f"v_cmp_{word}_{kind} v_cmpx_{word}_{kind}")
    def compare(x: Wave, inst: Instruction) -> None:
        a, b = _operands(x, inst, kind)
        alike = masks.alike(word, a, b) if x.W == 64 and not x.native_gather else None
        _finish(x, inst, function(a, b) if alike is None else _mostly_alike(x, function, a, b, *alike))


def _constant(word: str, value: int, kinds: tuple[str, ...]) -> None:
    @raw(" ".join(f"{stem}_{word}_{kind}" for stem in ("v_cmp", "v_cmpx") for kind in kinds))
    def constant(x: Wave, inst: Instruction) -> None:
        x.read(inst.src[0], "u32")  # DPP decides on the lanes written while its source is read
        _finish(x, inst, x.const("u1", value))


def _class_test(x: Wave, value: Val, mask: Val, bits: int) -> Val:
    """u1: the class of `value` (raw bits) is among those of `mask`: bit 0 signalling NaN, 1 quiet NaN, 2 -infinity,
    3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +infinity."""
    if isinstance(mask.const, int):
        as_float = value.bits_as(f"f{bits}")
        name = f"llvm.is.fpclass.{as_float.ty.mangled}"
        ty = as_float.ty._replace(kind="u", bits=1)
        x.b.declare(name, f"declare {ty.llvm} @{name}({as_float.ty.llvm}, i32 immarg)")
        return x.b.op(ty, f"call {ty.llvm} @{name}({as_float.typed}, i32 {mask.const & 0x3FF})")
    magnitude = value & ((1 << (bits - 1)) - 1)
    negative = (value >> (bits - 1)).ne(0)
    infinity, quiet = EXPONENT[bits], EXPONENT[bits] | 1 << (MANTISSA[bits] - 1)
    # The bit for a positive number (6-9) or its mirror image (5-2).
    rank = magnitude.ge(1 << MANTISSA[bits]).select(x.const("u32", 2), magnitude.ne(0).to("u32"))
    rank = magnitude.eq(infinity).select(3, rank)
    number = negative.select(x.const("u32", 5) - rank, rank + 6)
    which = magnitude.gt(infinity).select(magnitude.ge(quiet).to("u32"), number)
    return ((mask.to("u32") >> which) & 1).ne(0)


def _class(bits: int) -> None:
    @raw(f"v_cmp_class_f{bits} v_cmpx_class_f{bits}")
    def test(x: Wave, inst: Instruction) -> None:
        value = moved_bits(x, inst.src[0], bits, 0, inst)
        mask = x.read(inst.src[1], "u16" if bits == 16 else "u32", inst.mod("op_sel") >> 1 & 1)
        result = _class_test(x, value, mask, bits)
        _finish(x, inst, noted(result, "class", value, mask))


for _bits in (16, 32, 64):
    for _word, _predicate in FLOAT_PREDICATES.items():
        _float_compare(_word, _predicate, _bits)
    for _word in _INTEGER:
        for _sign in "iu":
            _integer_compare(_word, f"{_sign}{_bits}")
    _class(_bits)
_FLOATS = ("f16", "f32", "f64")
_INTEGERS = ("i16", "i32", "i64", "u16", "u32", "u64")
_constant("f", 0, _FLOATS + _INTEGERS)
_constant("t", 1, _FLOATS + _INTEGERS)
_constant("tru", 1, _FLOATS)
