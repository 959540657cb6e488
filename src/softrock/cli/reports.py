"""``softrock targets`` and ``cache``: what there is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from softrock.core import settings
from softrock.core.errors import SoftrockError, UsageError

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


_FEATURES = (
    "avx2",
    "fma",
    "f16c",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512fp16",
    "avx512bf16",
    "avx512vnni",
    "amx-tile",
)
"""Features of a host that translations depend on or may profit from."""


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


def host(as_json: bool) -> int:
    """Describe the machine that kernels run on: processor, threads, memory nodes."""
    from softrock.jit.host import host as processor
    from softrock.memory import host_bytes, numa

    policy = numa.policy()
    placement = policy.placement.describe() if policy is not None else []
    cpu = processor()
    facts: dict[str, Any] = {
        "cpu": cpu.cpu,
        "features": [name for name in _FEATURES if cpu.has(name)],
        "threads": settings.load().threads,
        "memory": host_bytes(),
        "placement": placement,
    }
    if as_json:
        print(json.dumps(facts, indent=2))
        return 0
    words = {
        "features": " ".join(facts["features"]),
        "memory": _bytes(facts["memory"]),
        "placement": "; ".join(placement) or "none: one memory node, or SOFTROCK_NUMA=off",
    }
    _table((name, words.get(name, str(value))) for name, value in facts.items())
    return 0


def cache(clear: bool, limit: str | None, as_json: bool) -> int:
    """Show, cut or clear the cache folder.

    Args:
        limit: cut it to this size (``500M``, ``2G``), the least recently used kernels first.

    Raises:
        UsageError: `limit` is no size.
        SoftrockError: something cannot be removed.
    """
    from softrock.core import cache as store

    base = settings.load().cache_dir
    used = store.usage()
    total = sum(each.bytes for each in used.values())
    removed = 0
    if clear:
        folders = [each for each in base.iterdir() if each.is_dir()] if base.is_dir() else []
        _clear(sorted(folders))
        removed = total
    elif limit is not None:
        rest = sum(each.bytes for kind, each in used.items() if kind not in store.PRUNED)
        removed = store.prune(max(0, _size(limit) - rest))
    if as_json:
        kinds = {name: {"files": each.files, "bytes": each.bytes} for name, each in used.items()}
        facts = {"folder": str(base), "bytes": total, "cleared": clear, "removed": removed, "kinds": kinds}
        print(json.dumps({**facts, "limit": settings.load().cache_limit}, indent=2))
    elif clear or limit is not None:
        print(f"removed {_bytes(removed)} from {base}")
    else:
        print(f"{base}: {_bytes(total)}")
        rows = [
            (f"  {name}", _bytes(each.bytes), f"{each.files} files", _KINDS.get(name, ""))
            for name, each in used.items()
        ]
        if rows:
            _table(rows)
    return 0


def _size(text: str) -> int:
    """``500M`` → bytes."""
    number, unit = text.rstrip("iBb"), 1
    if number and number[-1].upper() in "KMGT":
        unit = 1 << 10 * ("KMGT".index(number[-1].upper()) + 1)
        number = number[:-1]
    try:
        size = float(number) * unit
    except ValueError:
        size = -1.0
    if not 0 <= size < float("inf"):
        raise UsageError(f"{text!r} is no size", hint="for instance 500M or 2G")
    return int(size)


def _clear(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            continue  # another process was faster
        except OSError as error:
            raise SoftrockError(
                f"{error.filename} cannot be removed: {error.strerror}", hint="check who owns the file"
            ) from None
