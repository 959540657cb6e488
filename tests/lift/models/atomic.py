"""What atomic operations leave in memory, from the pseudo-code of the ISA guides.

They all return what was there before.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.lift.models.floating import less
from tests.lift.models.formats import BF16, BY_NAME, F16, Format
from tests.lift.models.integer import signed

Result = Callable[[int, int, int], int]
"""The new value from the old one, the data and the second data (compare-and-swap: what to compare with), as raw
bits."""


def operation(op: str, major: int) -> tuple[Result, int]:
    """(what a canonical operation does, its width in bits).

    Raises:
        KeyError: there is no model for it.
    """
    name = op.removeprefix("global_atomic_").removeprefix("ds_").replace("_rtn_", "_")
    word, _, elem = name.rpartition("_")
    if word == "pk_add":
        return _packed_add({"f16": F16, "bf16": BF16}[elem]), 32
    bits = int(elem[1:])
    mask = (1 << bits) - 1
    if elem[0] == "f":
        return _float(word, BY_NAME[elem], major, op.startswith("ds_")), bits
    if elem[0] == "i":
        wins = {"min": min, "max": max}[word]
        return lambda old, a, b: wins(signed(a, bits), signed(old, bits)) & mask, bits
    if word == "cmpstore" and major < 10:  # gfx9: the first data is compared, the second stored
        return lambda old, a, b: b if old == a else old, bits
    table: dict[str, Result] = {
        "add": lambda old, a, b: old + a,
        "sub": lambda old, a, b: old - a,
        "rsub": lambda old, a, b: a - old,
        "csub": lambda old, a, b: old - a if old >= a else 0,
        "inc": lambda old, a, b: 0 if old >= a else old + 1,
        "dec": lambda old, a, b: a if old == 0 or old > a else old - 1,
        "min": lambda old, a, b: min(old, a),
        "max": lambda old, a, b: max(old, a),
        "and": lambda old, a, b: old & a,
        "or": lambda old, a, b: old | a,
        "xor": lambda old, a, b: old ^ a,
        "mskor": lambda old, a, b: old & ~a | b,
        "swap": lambda old, a, b: a,
        "storexchg": lambda old, a, b: a,
        "cmpswap": lambda old, a, b: a if old == b else old,
        "cmpstore": lambda old, a, b: a if old == b else old,
        "wrap": lambda old, a, b: old - a if old >= a else old + b,
    }
    found = table[word]
    return lambda old, a, b: found(old, a, b) & mask, bits


def _float(word: str, f: Format, major: int, local: bool) -> Result:
    if word in ("cmpswap", "cmpstore"):
        first = major < 10 and local
        return lambda old, a, b: (b if first else a) if f.value(old) == f.value(a if first else b) else old
    table: dict[str, Result] = {
        "add": lambda old, a, b: f.add(old, a),
        "min": lambda old, a, b: a if less(f, a, old) else old,
        "max": lambda old, a, b: a if less(f, old, a) else old,
    }
    return table[word]


def _packed_add(f: Format) -> Result:
    return lambda old, a, b: f.add(old & 0xFFFF, a & 0xFFFF) | f.add(old >> 16, a >> 16) << 16
