"""The prototypes of the C API, read from our own headers: the one place where signatures stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from softrock.core.errors import SoftrockError

_PROTOTYPE = re.compile(r"^(?P<result>(?:const\s+)?\w[\w ]*?[\s*]+)(?P<name>\w+)\s*\((?P<params>.*)\)\s*;\s*$")
_DEFAULT = re.compile(r"\s*__SR_DEFAULT\([^()]*\)")
_PARAMETER = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)$")


@dataclass(frozen=True, slots=True)
class Prototype:
    """One exported function.

    Attributes:
        result: C type of the result, e.g. ``hipError_t``.
        name: e.g. ``hipMalloc``.
        params: (C type, name) of each argument.
    """

    result: str
    name: str
    params: tuple[tuple[str, str], ...]


def parse(text: str, source: str) -> list[Prototype]:
    """Prototypes of a header that holds one prototype a line.

    Raises:
        SoftrockError: a line looks like a prototype and cannot be read.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = _DEFAULT.sub("", line.strip())
        if not bare.endswith(");") or bare.startswith(("#", "/", "*", "typedef", "return", "static")):
            continue
        match = _PROTOTYPE.match(bare)
        if match is None:
            raise SoftrockError(f"{source}:{number}: not a prototype: {bare}")
        params = []
        inner = match["params"].strip()
        for part in [] if inner in ("", "void") else inner.split(","):
            parameter = _PARAMETER.match(part.strip())
            if parameter is None:
                raise SoftrockError(f"{source}:{number}: argument without a name: {part.strip()}")
            params.append((parameter["type"].strip(), parameter["name"]))
        found.append(Prototype(match["result"].strip(), match["name"], tuple(params)))
    return found


def read(path: Path) -> list[Prototype]:
    """Prototypes of the header at `path`."""
    return parse(path.read_text(encoding="utf-8"), str(path))
