"""Reading small files whose content nobody vouches for."""

from __future__ import annotations

import re

from softrock.doctor.text import clean
from softrock.system.interface import System, text

_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})(?![0-9a-zA-Z])")
_SMALL = 4096


def line(system: System, path: str) -> str:
    """A file's first line, fit to be printed; empty where there is none or it is closed."""
    try:
        told = text(system, path, _SMALL)
    except OSError:
        return ""
    return clean((told or "").split("\n", 1)[0].strip(), 200)


def number(system: System, path: str) -> int | None:
    """The number that a file begins with, decimal or 0x; None where it has none."""
    return whole(line(system, path))


def whole(told: str) -> int | None:
    """The number that a text begins with, decimal or 0x; None where it has none."""
    found = _NUMBER.match(told)
    if found is None:
        return None
    value = int(found[2], 16 if found[2][:2] in ("0x", "0X") else 10)
    return -value if found[1] == "-" else value


def table(system: System, path: str) -> dict[str, int]:
    """Lines of a name and a number, as KFD's topology has them; names twice: the last; none where it is closed."""
    try:
        told = text(system, path, 1 << 16)
    except OSError:
        return {}
    found: dict[str, int] = {}
    for each in (told or "").splitlines():
        name, _, value = each.strip().partition(" ")
        what = whole(value)
        if what is not None:
            found[name] = what
    return found
