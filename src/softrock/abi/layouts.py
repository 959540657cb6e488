"""Where the members of the C structures stand, taken from the compiler when the library is built.

The headers are the only place that says what a structure holds; clang's record-layout dump says where.
"""

from __future__ import annotations

import re
from typing import Any

from softrock.core.errors import SoftrockError

Layout = dict[str, Any]
"""``{"size": bytes, "fields": {"member.member": [offset, struct letters]}}``."""

_BASIC = {
    "char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H", "int": "i", "unsigned int": "I",
    "uint32_t": "I", "unsigned": "I", "long": "q", "unsigned long": "Q", "long long": "q", "unsigned long long": "Q",
    "size_t": "Q", "uint64_t": "Q", "float": "f", "double": "d", "hipDevice_t": "i",
}  # fmt: skip
_LINE = re.compile(r"^\s*(?P<offset>\d+)(?P<bits>:\d+-\d+)?\s\|(?P<indent>\s+)(?P<rest>.*)$")
_SIZE = re.compile(r"\[sizeof=(\d+)")
_POINTER_NAMES = re.compile(r"typedef\s+[^;{}]*\*\s*(\w+);|typedef\s+\w[\w ]*\(\*(\w+)\)\(|typedef\s+(\w+_t)\s+(\w+);")
_ENUM_NAMES = re.compile(r"\}\s*(\w+);")


def pointer_names(text: str) -> set[str]:
    """Typedef names in a header that stand for pointers."""
    found: set[str] = set()
    for direct, function, base, alias in _POINTER_NAMES.findall(text):
        name = direct or function or (alias if base in found else "")
        if name:
            found.add(name)
    return found


def enum_names(text: str) -> set[str]:
    """Typedef names in a header that stand for enumerations."""
    found: set[str] = set()
    for part in re.split(r"typedef\s+enum", text)[1:]:
        match = _ENUM_NAMES.search(part)
        if match:
            found.add(match.group(1))
    return found


def _letters(kind: str, pointers: set[str], enums: set[str]) -> str | None:
    count = 1
    array = re.match(r"^(.*?)\[(\d+)\]$", kind)
    if array:
        kind, count = array.group(1).strip(), int(array.group(2))
        if kind == "char":
            return f"{count}s"
    kind = kind.removeprefix("enum ").removeprefix("const ").strip()
    if "*" in kind or kind in pointers:
        letter = "Q"
    elif kind in _BASIC:
        letter = _BASIC[kind]
    elif kind in enums:
        letter = "I"
    else:
        return None
    return letter if count == 1 else f"{count}{letter}"


def _name(rest: str) -> tuple[str, str]:
    """Split ``type name`` (the type may hold spaces, brackets and parentheses)."""
    if rest.endswith((")", "]")) or " " not in rest:
        return rest, ""
    kind, _, name = rest.rpartition(" ")
    if kind in ("struct", "union"):
        return rest, ""
    return kind, name


def parse(dump: str, header: str) -> dict[str, Layout]:
    """Layouts of all named structures and unions in clang's ``-fdump-record-layouts-complete`` output.

    Raises:
        SoftrockError: a member has a type that nothing here knows.
    """
    pointers, enums = pointer_names(header), enum_names(header)
    found: dict[str, Layout] = {}
    for block in dump.split("*** Dumping AST Record Layout")[1:]:
        lines = [line for line in block.splitlines() if line.strip()]
        head = _LINE.match(lines[0])
        if head is None or "unnamed" in head["rest"]:
            continue
        layout = _record(lines[1:], pointers, enums, head["rest"])
        found[head["rest"].split()[-1]] = layout
    return found


def _record(lines: list[str], pointers: set[str], enums: set[str], owner: str) -> Layout:
    fields: dict[str, list[Any]] = {}
    path: list[str] = []
    size = 0
    for line in lines:
        total = _SIZE.search(line)
        if total:
            size = int(total.group(1))
            break
        match = _LINE.match(line)
        if match is None:
            continue
        depth = (len(match["indent"]) - 3) // 2
        kind, name = _name(match["rest"].strip())
        del path[depth:]
        path.append(name)
        dotted = ".".join(part for part in path if part)
        if match["bits"]:  # a structure of flags is one word
            word = ".".join(part for part in path[:-1] if part)
            fields.setdefault(word, [int(match["offset"]) // 4 * 4, "I"])
            continue
        letters = _letters(kind, pointers, enums)
        if letters is not None:
            fields[dotted] = [int(match["offset"]), letters]
        elif not kind.startswith(("struct", "union")) and not _aggregate(kind):
            raise SoftrockError(f"{owner}: member {dotted} has the unknown type {kind}")
    return {"size": size, "fields": fields}


def _aggregate(kind: str) -> bool:
    """Named structures print their members on the lines that follow; arrays of them do not and are left out."""
    return kind.endswith("]") or kind[:3] in ("hip", "HIP", "dim", "ihi")
