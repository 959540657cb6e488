"""C structures of the API by name of member, at the places the compiler gave them."""

from __future__ import annotations

import functools
import struct
from typing import Any

from softrock.hip import raw


class Structure:
    """A structure type.

    Args:
        name: as in the headers, e.g. ``hipPointerAttribute_t``.
    """

    def __init__(self, name: str) -> None:
        layout = _layouts()[name]
        self.name = name
        self.size: int = layout["size"]
        fields = layout["fields"].items()
        self.fields: dict[str, tuple[int, str]] = {name: (at, letters) for name, (at, letters) in fields}

    def get(self, address: int, *names: str) -> Any:
        """Values of members (one alone as itself, several as a list)."""
        data = raw.read(address, self.size)
        values = []
        for name in names:
            at, letters = self.fields[name]
            found = struct.unpack_from(f"<{letters}", data, at)
            values.append(found[0] if len(found) == 1 else found)
        return values[0] if len(values) == 1 else values

    def all(self, address: int) -> dict[str, Any]:
        """All members."""
        names = list(self.fields)
        return dict(zip(names, self.get(address, *names), strict=True))

    def set(self, address: int, /, **values: Any) -> None:
        """Write members; a name may hold a dot as ``__``."""
        for name, value in values.items():
            at, letters = self.fields[name.replace("__", ".")]
            items = value if isinstance(value, (tuple, list)) else (value,)
            raw.put(address + at, letters, *items)

    def clear(self, address: int) -> None:
        """Fill it with zeros."""
        raw.write(address, bytes(self.size))


@functools.cache
def _layouts() -> dict[str, Any]:
    from softrock.abi import build

    return build.layouts()


@functools.cache
def of(name: str) -> Structure:
    """The structure of that name."""
    return Structure(name)
