"""The checks, a module a subject. Importing this package enters all of them: a new one is a new file here."""

from __future__ import annotations

import importlib
import pkgutil

SECTIONS = (
    "hardware", "driver", "kernel_log", "nodes", "containers", "wsl", "memory", "power", "peers",
    "rocm", "libraries", "frameworks", "environment",
)  # fmt: skip
"""Modules in the order in which they are shown; others follow by name, and `active` is last."""


def _order(name: str) -> tuple[int, str]:
    last = len(SECTIONS) + (name == "active")
    return (SECTIONS.index(name) if name in SECTIONS else last), name


MODULES = tuple(sorted((each.name for each in pkgutil.iter_modules(__path__)), key=_order))
TITLES = {
    name: (importlib.import_module(f"{__name__}.{name}").__doc__ or name).strip().splitlines()[0].rstrip(".")
    for name in MODULES
}
"""Title of each section."""
