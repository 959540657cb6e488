"""Types of the values of LLVM IR, as tables of semantics write them: ``u32``, ``i64``, ``f16``, ``bf16``, ``u1`` …"""

from __future__ import annotations

import struct
from typing import NamedTuple


class Ty(NamedTuple):
    """Element kind (``u`` unsigned, ``i`` signed, ``f`` IEEE float, ``b`` bfloat), bits, and lanes (0: scalar)."""

    kind: str
    bits: int
    lanes: int

    @property
    def elem(self) -> str:
        """LLVM's name of the element type."""
        return _ELEM[self.kind, self.bits] if self.kind in "fb" else f"i{self.bits}"

    @property
    def llvm(self) -> str:
        """LLVM's name of the type."""
        return f"<{self.lanes} x {self.elem}>" if self.lanes else self.elem

    @property
    def mangled(self) -> str:
        """The suffix that LLVM's overloaded intrinsics carry for this type."""
        elem = {"half": "f16", "float": "f32", "double": "f64", "bfloat": "bf16"}.get(self.elem, self.elem)
        return f"v{self.lanes}{elem}" if self.lanes else elem

    def with_elem(self, name: str) -> Ty:
        """The same shape with another element, e.g. ``ty.with_elem("f64")``."""
        kind, bits = elem_of(name)
        return Ty(kind, bits, self.lanes)


_ELEM = {("f", 16): "half", ("f", 32): "float", ("f", 64): "double", ("b", 16): "bfloat"}
_PARSED: dict[str, tuple[str, int]] = {}


def elem_of(name: str) -> tuple[str, int]:
    """Parse ``u32``, ``bf16`` … into (kind, bits)."""
    found = _PARSED.get(name)
    if found is None:
        found = ("b", int(name[2:])) if name.startswith("bf") else (name[0], int(name[1:]))
        _PARSED[name] = found
    return found


def float_literal(kind: str, bits: int, value: float) -> str:
    """LLVM's exact spelling of a float constant of the given format."""
    if kind == "b":
        raw = struct.unpack("<I", struct.pack("<f", value))[0]
        return f"0xR{(raw + 0x7FFF + (raw >> 16 & 1)) >> 16 & 0xFFFF:04X}"
    if bits == 16:
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    if bits == 32:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def wrap(value: int, kind: str, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind == "i" and value >> (bits - 1) else value
