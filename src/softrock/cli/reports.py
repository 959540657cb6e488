"""``softrock inspect``, ``targets`` and ``cache``: what there is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from softrock.core import settings
from softrock.core.errors import SoftrockError

_KINDS = {
    "programs": "programs of softrock run",
    "code": "translated kernels",
    "device": "GPU code from source strings",
    "abi": "HIP runtime library",
    "devlib": "device math library",
    "native": "native runtime",
    "host": "facts about the host's compiler",
    "rocm": "ROCm folder layouts",
    "zig": "zig's own cache (C++ library)",
}


def _table(rows: Iterable[Sequence[str]]) -> None:
    lines = [list(row) for row in rows]
    widths = [max(len(row[column]) for row in lines) for column in range(len(lines[0]))]
    for row in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _bytes(size: int) -> str:
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def inspect(file: str, as_json: bool) -> int:
    """Describe the GPU code in a file.

    Raises:
        SoftrockError: it cannot be read, holds no GPU code, or is corrupt.
    """
    from softrock.inspect import render, report

    found = report(file)
    print(json.dumps(found, indent=2) if as_json else render(found))
    return 0


def targets(gfx: str | None, as_json: bool) -> int:
    """List the GPUs that can be imitated, or all facts of one.

    Raises:
        UsageError: `gfx` names none of them.
    """
    from softrock.gpu import fidelity, models

    if gfx is not None:
        facts = models.model(gfx)._asdict()
        entries = fidelity.fidelity(gfx)
        counts = fidelity.summary(entries)
        if as_json:
            report = {"summary": counts, "operations": [entry._asdict() for entry in entries]}
            print(json.dumps({**facts, "fidelity": report}, indent=2))
            return 0
        _table((name.replace("_", " "), str(value)) for name, value in facts.items())
        print(f"\nFidelity of {len(entries)} operations: " + ", ".join(f"{n} {level}" for level, n in counts.items()))
        for level in ("approximate", "unsupported"):
            print(f"\n{level}:")
            for entry in entries:
                if entry.level == level:
                    print(f"  {entry.name}" + (f": {entry.note}" if entry.note else ""))
        return 0
    known = [models.model(name) for name in models.names()]
    if as_json:
        print(json.dumps([each._asdict() for each in known], indent=2))
        return 0
    rows = [("TARGET", "GPU", "ARCHITECTURE", "WAVE", "CUs", "LDS/BLOCK", "MEMORY")]
    for each in known:
        sizes = (_bytes(each.lds_per_block), _bytes(each.memory_bytes))
        wave, units = str(each.wave_size), str(each.compute_units)
        rows.append((each.gfx, each.software_name, each.architecture, wave, units, *sizes))
    _table(rows)
    return 0


def _usage(folder: Path) -> tuple[int, int]:
    """Files and bytes below a folder."""
    files = [each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()]
    return len(files), sum(each.stat().st_size for each in files)


def cache(clear: bool, as_json: bool) -> int:
    """Show or clear the cache folder.

    Raises:
        SoftrockError: it cannot be removed.
    """
    base = settings.load().cache_dir
    folders = sorted(each for each in base.iterdir() if each.is_dir()) if base.is_dir() else []
    used = {each.name: _usage(each) for each in folders}
    total = sum(size for _, size in used.values())
    if clear:
        _clear(folders)
    if as_json:
        kinds = {name: {"files": count, "bytes": size} for name, (count, size) in used.items()}
        print(json.dumps({"folder": str(base), "bytes": total, "cleared": clear, "kinds": kinds}, indent=2))
    elif clear:
        print(f"removed {_bytes(total)} from {base}")
    else:
        print(f"{base}: {_bytes(total)}")
        rows = [
            (f"  {name}", _bytes(size), f"{count} files", _KINDS.get(name, "")) for name, (count, size) in used.items()
        ]
        if rows:
            _table(rows)
    return 0


def _clear(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise SoftrockError(
                f"{error.filename} cannot be removed: {error.strerror}", hint="check who owns the file"
            ) from None
