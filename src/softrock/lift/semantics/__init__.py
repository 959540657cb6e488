"""The operations, a module per format family; `load` imports them all once."""

from __future__ import annotations

import importlib

MODULES = (
    "scalar",
    "hwreg",
    "scalar_memory",
    "control",
    "vector_int",
    "dot",
    "vector_float",
    "division",
    "compare",
    "convert",
    "transcendental",
    "trigonometry",
    "packed",
    "scalar_float",
    "cross_lane",
    "matrix",
    "matrix_sparse",
    "matrix_scaled",
    "matrix_wmma",
    "global_memory",
    "scratch",
    "buffer",
    "lds",
    "transposed",
    "atomics",
    "indexed",
)
_loaded = False


def load() -> None:
    """Import every module of semantics (idempotent)."""
    global _loaded
    if not _loaded:
        _loaded = True
        for name in MODULES:
            importlib.import_module(f"{__name__}.{name}")
