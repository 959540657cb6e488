"""The order of packages: each imports only from the rows above its own (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import softrock

ROOT = Path(softrock.__file__).parent
ORDER = (
    "core", "system", "isa", "decode", "codeobj", "memory", "lift", "jit", "exec", "gpu", "compiler", "hip", "libs",
    "abi", "hipify", "lint", "inspect", "smi", "doctor", "fit", "cli",
)  # fmt: skip
TABLES = {"coefficients.h"}
"""Generated numbers, not code to read."""


def _imports(path: Path) -> set[str]:
    """Packages of softrock that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module] if node.module != "softrock" else [f"softrock.{a.name}" for a in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "softrock" and len(parts) > 1 and parts[1] in ORDER:
                found.add(parts[1])
    return found


def test_every_package_stands_on_a_floor() -> None:
    packages = {p.name for p in ROOT.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert packages <= set(ORDER)


def test_packages_import_only_from_floors_above() -> None:
    wrong = []
    for package in ORDER:
        for path in sorted((ROOT / package).rglob("*.py")):
            for other in _imports(path):
                if ORDER.index(other) > ORDER.index(package):
                    wrong.append(f"{path.relative_to(ROOT)} imports softrock.{other}")
    assert not wrong, "\n".join(wrong)


def test_modules_stay_small() -> None:
    sources = [p for s in ("*.py", "*.c", "*.h", "*.cpp", "*.hpp") for p in ROOT.rglob(s)]
    counted = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources if p.name not in TABLES}
    long = {name: lines for name, lines in counted.items() if lines > 620}
    assert not long
