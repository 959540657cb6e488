"""LLVM's text of one instruction → what tiling needs to know of it.

Tiling works on the text because LLVM's own passes that could do it are out of llvmlite's reach. Only lines whose whole
form is understood become lane-wise operations (class ``T``); of every other line only the class counts: ``P`` pure
(may move freely between its operands and its uses), ``R`` reads memory or may trap (keeps its order with writes), ``W``
writes, calls, or is unknown (keeps its order with everything that touches memory).
"""

from __future__ import annotations

import re
from collections.abc import Callable

BITS = {
    "i1": 1,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "half": 16,
    "bfloat": 16,
    "float": 32,
    "double": 64,
    "ptr": 64,
}
"""Element types of lane-wise operations."""

NAMES = re.compile(r"%[-a-zA-Z$._0-9]+")
"""Local names. Quoted ones do not match: functions that hold any are left alone."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANEWISE = _words(
    """fma fmuladd sqrt fabs minnum maxnum minimum maximum minimumnum maximumnum copysign floor ceil trunc rint
    nearbyint roundeven canonicalize ldexp smin smax umin umax abs ctpop ctlz cttz bitreverse bswap sadd.sat uadd.sat
    ssub.sat usub.sat fshl fshr is.fpclass"""
)
"""Intrinsics whose result in a lane depends on the operands in that lane only."""

_OTHER_PURE = ("vector.reduce.", "vector.extract.", "vector.insert.")
_BINARY = _words("add sub mul shl lshr ashr and or xor fadd fsub fmul fdiv")
_DIVISION = _words("udiv sdiv urem srem")
_CASTS = _words("trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp bitcast ptrtoint inttoptr addrspacecast")
_PURE = (
    _BINARY
    | _CASTS
    | _words("frem fneg freeze icmp fcmp select getelementptr")
    | _words("extractelement insertelement shufflevector extractvalue insertvalue")
)
TERMINATORS = _words("br ret switch indirectbr unreachable invoke resume callbr")

_TYPED = re.compile(r"([a-z ]*?)<(\d+) x ([a-z0-9]+)> ")
_VECTOR = re.compile(r"<(\d+) x ([a-z0-9]+)>")
_CALL = re.compile(
    r"((?:(?:tail|notail) )?call [^@%<]*)<(\d+) x ([a-z0-9]+)> @llvm\.([a-z.]+?)((?:\.v\d+[a-z0-9]+)+)\((.*)\)( #\d+)?"
)
_ANY_CALL = re.compile(r"(?:(?:tail|notail) )?call [^@]*@llvm\.([a-z0-9_.]+)\(")
_LOAD = re.compile(r"load <(\d+) x ([a-z0-9]+)>, ptr (%[-a-zA-Z$._0-9]+), align (\d+)")
_SPLAT_INDEX = re.compile(r"<(\d+) x i32> (?:(zeroinitializer)|splat \(i32 (\d+)\)|<(.*)>)")


class Op:
    """One instruction of a block.

    Attributes:
        name: the value it defines, with its ``%``; empty where it has none.
        kind: ``T``, ``P``, ``R`` or ``W``; see the module's docstring.
        form: of a ``T``: what makes it up, ``bin``, ``load``, ``unmask`` ...
        parts: of a ``T``: the text around the operands, one more than there are operands.
        operands: of a ``T``: (operand, element type); the type is empty where it is written out as it stands.
        elem: element type of a vector result.
        uses: local names it reads.
        tail: metadata, with the comma before it.
    """

    __slots__ = ("elem", "form", "kind", "level", "line", "name", "operands", "parts", "tail", "uses")

    def __init__(self, line: str, name: str, kind: str, uses: list[str]) -> None:
        self.line = line
        self.name = name
        self.kind = kind
        self.uses = uses
        self.form = ""
        self.parts: list[str] = []
        self.operands: list[tuple[str, str]] = []
        self.elem = ""
        self.tail = ""
        self.level = 0


_PIECE = re.compile(r"(?:[^,<(\[{]|<[^<>]*>|\([^()]*\))+")


def split_top(text: str) -> list[str]:
    """Split at commas that stand in no bracket."""
    if "<" not in text and "(" not in text:
        return text.split(", ")
    quick = [piece.lstrip(" ") for piece in _PIECE.findall(text)]
    if ", ".join(quick) == text:
        return quick
    out, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "<([{":
            depth += 1
        elif char in ">)]}":
            depth -= 1
        elif char == "," and not depth:
            out.append(text[start:at])
            start = at + 2
    out.append(text[start:])
    return out


def known_operand(text: str) -> bool:
    """A local name, or a constant that can be sliced."""
    return (
        text[0] == "%"
        or text in ("zeroinitializer", "poison", "undef")
        or (text.startswith("splat (") and text.endswith(")"))
        or (text[0] == "<" and text[-1] == ">" and "(" not in text)
    )


def _lanewise(op: Op, form: str, elem: str, parts: list[str], operands: list[tuple[str, str]]) -> bool:
    for operand, kind in operands:
        if kind and (kind not in BITS or not known_operand(operand)):
            return False
    if elem not in BITS:
        return False
    op.kind, op.form, op.elem, op.parts, op.operands = "T", form, elem, parts, operands
    return True


def _typed_pair(op: Op, word: str, rest: str, lanes: str, result: str | None, form: str) -> bool:
    found = _TYPED.match(rest)
    if found is None or found[2] != lanes:
        return False
    values = split_top(rest[found.end() :])
    if len(values) != 2:
        return False
    head = f"{word} {rest[: found.end()]}"
    return _lanewise(op, form, result or found[3], [head, ", ", ""], [(values[0], found[3]), (values[1], found[3])])


def _binary(op: Op, word: str, rest: str, lanes: str) -> bool:
    return _typed_pair(op, word, rest, lanes, None, "bin")


def _divide(op: Op, word: str, rest: str, lanes: str) -> bool:
    return _typed_pair(op, word, rest, lanes, None, "trap")


def _compare(op: Op, word: str, rest: str, lanes: str) -> bool:
    return _typed_pair(op, word, rest, lanes, "i1", "cmp")


def _unary(op: Op, word: str, rest: str, lanes: str) -> bool:
    found = _TYPED.match(rest)
    if found is None or found[2] != lanes:
        return False
    return _lanewise(op, "un", found[3], [f"{word} {rest[: found.end()]}", ""], [(rest[found.end() :], found[3])])


def _cast(op: Op, word: str, rest: str, lanes: str) -> bool:
    source, to, target = rest.partition(" to ")
    result = _VECTOR.fullmatch(target)
    if not to or result is None or result[1] != lanes:
        return False
    if word == "bitcast" and source.startswith(f"i{lanes} %") and result[2] == "i1":
        return _lanewise(op, "unmask", "i1", ["", ""], [(source[len(lanes) + 2 :], "")])
    found = _TYPED.match(source)
    if found is None or found[2] != lanes:
        return False
    head = f"{word} {source[: found.end()]}"
    return _lanewise(op, "cast", result[2], [head, f" to {target}"], [(source[found.end() :], found[3])])


def _select(op: Op, word: str, rest: str, lanes: str) -> bool:
    values = split_top(rest)
    if len(values) != 3:
        return False
    parts, operands, elem = [word + " "], [], ""
    for at, value in enumerate(values):
        scalar = at == 0 and value.startswith("i1 ")
        found = _TYPED.match(value)
        if scalar:
            parts[-1] += "i1 "
            operands.append((value[3:], ""))
        elif found is not None and found[2] == lanes:
            parts[-1] += value[: found.end()]
            operands.append((value[found.end() :], found[3]))
            elem = found[3]
        else:
            return False
        parts.append(", ")
    parts[-1] = ""
    return _lanewise(op, "select", elem, parts, operands)


def _call(op: Op, word: str, rest: str, lanes: str) -> bool:
    found = _CALL.fullmatch(f"{word} {rest}")
    if found is None or found[2] != lanes or found[4] not in LANEWISE:
        return False
    parts = [f"{found[1]}<{lanes} x {found[3]}> @llvm.{found[4]}{found[5]}("]
    operands = []
    for value in split_top(found[6]):
        typed = _VECTOR.match(value)
        if typed is None:
            if NAMES.search(value) is not None:
                return False
            parts[-1] += value
            parts[-1] += ", "
            continue
        if typed[1] != lanes:
            return False
        parts[-1] += typed[0] + " "
        operands.append((value[typed.end() + 1 :], typed[2]))
        parts.append(", ")
    parts[-1] = parts[-1][:-2] + ")"
    return _lanewise(op, "call", found[3], parts, operands)


def _load(op: Op, word: str, rest: str, lanes: str) -> bool:
    found = _LOAD.fullmatch(f"{word} {rest}")
    if found is None or found[1] != lanes or BITS.get(found[2], 0) < 8:
        return False
    return _lanewise(op, "load", found[2], ["", found[4]], [(found[3], "")])


def _shuffle(op: Op, word: str, rest: str, lanes: str) -> bool:
    """One lane repeated; other shuffles cross lanes."""
    values = split_top(rest)
    found = _VECTOR.match(values[0])
    index = _SPLAT_INDEX.fullmatch(values[2]) if len(values) == 3 else None
    if found is None or index is None or index[1] != lanes:
        return False
    if index[4] is not None:
        seen = set(index[4].split(", "))
        if len(seen) != 1:
            return False
        which = seen.pop()[4:]
    else:
        which = "0" if index[2] else index[3]
    if not which.isdigit() or int(which) >= int(found[1]):
        return False
    return _lanewise(op, "splat", found[2], [found[0], which], [(values[0][found.end() + 1 :], "")])


_HANDLERS: dict[str, Callable[[Op, str, str, str], bool]] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_DIVISION, _divide),
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    **dict.fromkeys(("fneg", "freeze"), _unary),
    **dict.fromkeys(_CASTS, _cast),
    **dict.fromkeys(("tail", "notail", "call"), _call),
    "select": _select,
    "load": _load,
    "shufflevector": _shuffle,
}


def parse(line: str, lanes: str) -> Op:
    """Classify one line of a block that is neither label, phi nor terminator.

    Args:
        lanes: how many lanes a vector has that may be tiled, in digits.
    """
    left, equals, body = line.partition(" = ")
    if not equals:
        return Op(line, "", "W", NAMES.findall(line))
    name = left.strip()
    word, _, rest = body.partition(" ")
    at = rest.find(", !")
    tail = ""
    if at >= 0:
        rest, tail = rest[:at], rest[at:]
    op = Op(line, name, "W", [])
    op.tail = tail
    handler = _HANDLERS.get(word)
    if handler is not None and f"<{lanes} x " in rest and handler(op, word, rest, lanes):
        op.uses = [operand for operand, _ in op.operands if operand[0] == "%"]
        if op.form == "load" and ", !invariant.load " in tail:
            op.form = "invariant"
        return op
    op.uses = NAMES.findall(rest)
    if word in _PURE:
        op.kind = "P"
    elif word in _DIVISION:
        op.kind = "R"
    elif word == "load":
        if rest.startswith(("volatile", "atomic")):
            op.kind = "W"
        else:
            op.kind = "P" if ", !invariant.load " in tail else "R"
    elif word in ("call", "tail", "notail"):
        called = _ANY_CALL.match(f"{word} {rest}")
        if called is not None and (
            called[1].startswith(_OTHER_PURE) or called[1].partition(".v")[0].removesuffix(".i32") in LANEWISE
        ):
            op.kind = "P"
    return op
