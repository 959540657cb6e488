"""The report of :mod:`softrock.inspect.report` as text for a terminal."""

from __future__ import annotations

from typing import Any

_HEAD = (
    "VGPRs",
    "AGPRs",
    "SGPRs",
    "LDS",
    "scratch",
    "spills",
    "wave",
    "block",
    "waves/SIMD",
    "limit",
    "kernel",
)
_LEFT = ("limit", "kernel")


def render(report: dict[str, Any]) -> str:
    """The report as aligned text, without a final newline."""
    lines = [
        f"{report['file']}: {report['kind']}, {_size(report['bytes'])}",
        f"GPU code for: {', '.join(report['targets'])}",
    ]
    for item in report["code_objects"]:
        lines += ["", *_code_object(item, report["file"])]
    if any(_has_occupancy(item) for item in report["code_objects"]):
        lines += [
            "",
            "block: most threads of a block. waves/SIMD: with blocks of 256, or the size a kernel requires.",
        ]
    return "\n".join(lines)


def _has_occupancy(item: dict[str, Any]) -> bool:
    return any(kernel["occupancy"] for kernel in item["kernels"])


def _code_object(item: dict[str, Any], file: str) -> list[str]:
    facts = [
        f"code object v{item['version']}" if item["version"] else "",
        _size(item["bytes"]),
        item["compression"] or "",
    ]
    place = item["where"].removeprefix(file).strip()
    facts.append(f"in {place}" if place else "")
    lines = [f"{item['target']}  ({', '.join(fact for fact in facts if fact)})"]
    if item["error"]:
        return [*lines, f"  cannot be read: {item['error']}"]
    if item["bitcode"]:
        return [*lines, "  LLVM bitcode, not linked yet"]
    if item["kernels"]:
        lines += _table([_HEAD, *(_row(kernel) for kernel in item["kernels"])])
    else:
        lines.append("  no kernels")
    lines += [
        f"  variable {v['name']}: {_size(v['bytes'])}{', constant' if v['constant'] else ''}"
        for v in item["variables"]
    ]
    if item["undefined"]:
        lines.append(f"  undefined: {', '.join(item['undefined'])}")
    return lines


def _row(kernel: dict[str, Any]) -> tuple[str, ...]:
    spills = (kernel["vgpr_spills"] or 0) + (kernel["sgpr_spills"] or 0)
    found = kernel["occupancy"]
    waves = f"{found['waves_per_simd']:.3g} of {found['max_waves_per_simd']}" if found else "?"
    return (
        str(kernel["vgprs"]),
        str(kernel["agprs"]),
        str(kernel["sgprs"]),
        _size(kernel["lds"]) if kernel["lds"] else "-",
        (_size(kernel["scratch"]) if kernel["scratch"] else "-") + ("+" if kernel["dynamic_stack"] else ""),
        str(spills) if spills else "-",
        str(kernel["wave_size"]),
        str(kernel["max_block"]),
        waves,
        "-" if not found or found["limit"] == "waves" else found["limit"],
        kernel["name"],
    )


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if head in _LEFT else cell.rjust(width)
            for cell, width, head in zip(row, widths, _HEAD, strict=True)
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _size(count: int) -> str:
    """Bytes with a unit: 512 B, 4 KiB, 1.2 MiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"
