"""Written machines for the tests: those of the doctor, and changes to them."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from softrock.system.tree import Tree

TREES = Path(__file__).parents[1] / "doctor" / "trees"
DESKTOP = "ok-desktop-7900xtx"
SERVER = "ok-server-mi300x-2"
LAPTOP = "ok-laptop-780m"
CARD = "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"


def machine(name: str, **changes: Any) -> Tree:
    """A written machine with files, links or commands changed; a file that is None goes away."""
    tree = Tree.load(TREES / f"{name}.toml")
    table = {**_loaded(name)}
    for key, value in changes.items():
        merged = {**table.get(key, {}), **value}
        table[key] = {path: each for path, each in merged.items() if each is not None}
    return Tree(table, name) if changes else tree


@cache
def _loaded(name: str) -> dict[str, Any]:
    table = tomllib.loads((TREES / f"{name}.toml").read_text(encoding="utf-8"))
    merged: dict[str, Any] = {}
    for base in [table["base"]] if isinstance(table.get("base"), str) else table.get("base", []):
        for key, value in _loaded(base).items():
            merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    for key, value in table.items():
        merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    return merged
