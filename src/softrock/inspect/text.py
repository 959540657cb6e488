"""The report of :mod:`softrock.inspect.report` as text for a terminal."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from softrock.core.errors import UsageError
from softrock.inspect.limits import clean

_COLUMNS = (
    "VGPRs", "AGPRs", "SGPRs", "LDS", "scratch", "spills", "wave", "block", "args", "waves/SIMD", "limit", "kernel",
)  # fmt: skip
_LEFT = ("limit", "kernel", "target", "file", "kind", "versions", "build id", "gpu", "verdict")
_MOST_OBJECTS = 24
_MOST_FILES = 40
_NOTE = "block: most threads of a block. waves/SIMD: with blocks of 256, or the size a kernel requires."

Row = tuple[str, dict[str, Any]]
"""A target, and a kernel for it."""


def _spills(kernel: dict[str, Any]) -> int:
    return (kernel["vgpr_spills"] or 0) + (kernel["sgpr_spills"] or 0)


def _fraction(kernel: dict[str, Any]) -> float:
    return kernel["occupancy"]["fraction"] if kernel["occupancy"] else 2.0


SORTS: dict[str, Callable[[Row], Any]] = {
    "name": lambda row: row[1]["name"],
    "target": lambda row: row[0],
    "vgprs": lambda row: -row[1]["vgprs"],
    "agprs": lambda row: -row[1]["agprs"],
    "sgprs": lambda row: -row[1]["sgprs"],
    "lds": lambda row: -row[1]["lds"],
    "scratch": lambda row: -row[1]["scratch"],
    "spills": lambda row: -_spills(row[1]),
    "occupancy": lambda row: _fraction(row[1]),
    "code": lambda row: -row[1]["code_bytes"],
    "args": lambda row: -row[1]["arguments_bytes"],
}
"""What kernels can be sorted by; numbers come largest first, occupancy smallest first."""


class Listing:
    """The kernels to list, of all code objects: no more than `limit` of them are kept (0 keeps all).

    Raises:
        UsageError: `sort` is no key of :data:`SORTS`.
    """

    def __init__(self, sort: str, limit: int) -> None:
        if sort and sort not in SORTS:
            raise UsageError(f"--sort {clean(sort)!r} is no column", hint=f"choose among {', '.join(SORTS)}")
        self._key = SORTS.get(sort)
        self._limit = limit
        self._rows: list[Row] = []

    def add(self, item: dict[str, Any]) -> None:
        """Take the kernels of a code object."""
        fresh = [(item["target"], each) for each in item["kernels"]]
        self._rows += fresh
        if self._limit and len(self._rows) > 4 * self._limit:
            self._rows = self.rows()

    def full(self) -> bool:
        """Whether no further kernel would be shown."""
        return self._key is None and 0 < self._limit <= len(self._rows)

    def rows(self) -> list[Row]:
        """Those to show, sorted."""
        if self._key is None:
            return self._rows[: self._limit] if self._limit else self._rows
        if self._limit:
            return heapq.nsmallest(self._limit, self._rows, key=self._key)
        return sorted(self._rows, key=self._key)


def render(report: dict[str, Any], listing: Listing | None = None) -> str:
    """The report as aligned text, without a final newline.

    Args:
        report: with or without its code objects.
        listing: kernels to list in one table, instead of below their code objects.
    """
    size = f", {_size(report['bytes'])}" if report["bytes"] is not None else ""
    lines = [f"{clean(report['file'])}: {report['kind']}{size}"]
    lines += [f"GPU code for: {', '.join(report['targets']) or 'none in the file itself'}"]
    lines += _identity(report)
    if report["summary"]:
        lines += ["", *_summary(report["summary"])]
    if len(report["files"]) > 1 or any(":" in each["name"][len(report["file"]) :] for each in report["files"]):
        lines += ["", *_files(report)]
    lines += _kept(report["files"])
    lines += _gpus(report["gpus"], report["file"])
    objects = report.get("code_objects", [])
    if listing is not None:
        lines += ["", *_listing(listing, report)]
    elif not report["kernels_left_out"] and len(objects) <= _MOST_OBJECTS:
        for item in objects:
            lines += ["", *_code_object(item, report["file"])]
        if any(each["occupancy"] for item in objects for each in item["kernels"]):
            lines += ["", _NOTE]
    elif report["kernel_count"]:
        lines += ["", f"{report['kernel_count']} kernels: --kernels lists them, --filter '*NAME*' only some."]
    problems = report["problems"]
    shown = {each["error"] for each in objects} if listing is None and not report["kernels_left_out"] else set()
    lines += [f"cannot be read: {clean(each, 1000)}" for each in problems if each not in shown]
    return "\n".join(lines)


def _identity(report: dict[str, Any]) -> list[str]:
    lines = []
    if report["compilers"]:
        lines.append(f"GPU code compiled by: {_short(report['compilers'])}")
    if len(report["files"]) == 1:
        [only] = report["files"]
        host = [each for each in only["compilers"] if each not in report["compilers"]]
        if host:
            lines.append(f"host code compiled by: {_short(host)}")
        if only["build_id"]:
            lines.append(f"build ID: {only['build_id']}")
    return lines


def _short(compilers: list[str]) -> str:
    """The first few, without the command lines and addresses that follow versions."""
    shown = [each if len(each) <= 100 else each[:99] + "…" for each in compilers[:4]]
    return "; ".join(shown) + (f" and {len(compilers) - 4} more" if len(compilers) > 4 else "")


def _summary(rows: list[dict[str, Any]]) -> list[str]:
    head = ["target", "code objects", "kernels", "bytes", "versions", "spill", "scratch", "AGPRs"]
    extra = [each for each in ("bitcode", "unreadable") if any(row[each] for row in rows)]
    table: list[Sequence[str]] = [[*head, *extra]]
    for row in rows:
        versions = " ".join(f"v{each}" for each in row["versions"]) or "-"
        cells = [clean(row["target"]), str(row["code_objects"]), str(row["kernels"]), _size(row["bytes"]), versions]
        cells += [str(row[each] or "-") for each in ("spilling", "scratch", "agprs")]
        table.append([*cells, *(str(row[each] or "-") for each in extra)])
    return _table(table)


def _files(report: dict[str, Any]) -> list[str]:
    rows: list[Sequence[str]] = [["code objects", "kernels", "size", "build id", "file"]]
    files = sorted(report["files"], key=lambda each: -each["kernels"])
    for each in files[:_MOST_FILES]:
        name = clean(each["name"]).removeprefix(report["file"]).lstrip(":/")
        identity = (each["build_id"] or "-")[:16]
        rows.append([str(each["code_objects"]), str(each["kernels"]), _size(each["bytes"]), identity, name])
    more = len(files) - _MOST_FILES
    return [*_table(rows), *([f"  and {more} more files (--json names them)"] if more > 0 else [])]


def _kept(files: list[dict[str, Any]]) -> list[str]:
    kept = [each for each in files if each["kept_in"]]
    rows = [(clean(each["name"]), ", ".join(each["kept_in"][:4])) for each in kept[:_MOST_FILES]]
    lines = [f"{name} keeps its GPU code in {paths}" for name, paths in rows]
    return ["", *lines] if lines else []


def _gpus(results: list[dict[str, Any]], file: str) -> list[str]:
    lines: list[str] = [""] if results else []
    for each in results:
        what = f"{each['kernels']} kernels from code for {', '.join(each['taken'])}" if each["taken"] else ""
        lines.append(f"{each['gpu']}: {each['verdict']}" + (f" ({what})" if what else ""))
        if each["reason"]:
            lines.append(f"  why: {each['reason']}")
        if each["without"] and each["taken"]:
            more = each["bundles_without"] - len(each["without"])
            names = [name.removeprefix(file).lstrip(":/") for name in each["without"]]
            lines.append(f"  without: {', '.join(names)}" + (f" and {more} more" if more else ""))
        lines += [f"  needs: {need}" for need in each["needs"]]
        if each["mend"]:
            lines.append(f"  mend: {each['mend']}")
    return lines


def _code_object(item: dict[str, Any], file: str) -> list[str]:
    facts = [
        f"code object v{item['version']}" if item["version"] else "",
        _size(item["bytes"]),
        item["compression"] or "",
        f"build ID {item['build_id']}" if item["build_id"] else "",
    ]
    place = clean(item["where"].removeprefix(file).strip())
    facts.append(f"in {place}" if place else "")
    lines = [f"{clean(item['target'])}  ({', '.join(fact for fact in facts if fact)})"]
    if item["error"]:
        return [*lines, f"  cannot be read: {item['error']}"]
    if item["bitcode"]:
        return [*lines, "  LLVM bitcode, not linked yet"]
    if item["version"] is None:
        return [*lines, "  SPIR-V, compiled when it is loaded"]
    if item["kernels"]:
        lines += _table([_COLUMNS, *(_row(kernel) for kernel in item["kernels"])])
    else:
        lines.append("  no kernels" if not item["kernel_count"] else "  no kernels that match")
    lines += [
        f"  variable {clean(v['name'])}: {_size(v['bytes'])}{', constant' if v['constant'] else ''}"
        for v in item["variables"][:_MOST_FILES]
    ]
    if item["undefined"]:
        lines.append(f"  undefined: {', '.join(clean(each) for each in item['undefined'][:_MOST_FILES])}")
    return lines


def _listing(listing: Listing, report: dict[str, Any]) -> list[str]:
    rows = listing.rows()
    if not rows:
        return ["no kernels" + (" that match" if report["kernel_count"] else "")]
    many = len(report["targets"]) > 1
    table: list[Sequence[str]] = [("target", *_COLUMNS) if many else _COLUMNS]
    table += [(clean(target), *_row(each)) if many else _row(each) for target, each in rows]
    lines = [*_table(table), "", _NOTE]
    if len(rows) < report["kernels_matched"]:
        shown = f"{len(rows)} of {report['kernels_matched']} kernels"
        lines.append(f"{shown}; --limit 0 shows all, --filter '*NAME*' only some.")
    return lines


def _row(kernel: dict[str, Any]) -> tuple[str, ...]:
    found = kernel["occupancy"]
    waves = f"{found['waves_per_simd']:.3g} of {found['max_waves_per_simd']}" if found else "?"
    return (
        str(kernel["vgprs"]),
        str(kernel["agprs"] or "-"),
        str(kernel["sgprs"]),
        _size(kernel["lds"]) if kernel["lds"] else "-",
        (_size(kernel["scratch"]) if kernel["scratch"] else "-") + ("+" if kernel["dynamic_stack"] else ""),
        str(_spills(kernel) or "-"),
        str(kernel["wave_size"]),
        str(kernel["max_block"]),
        str(kernel["arguments_bytes"]),
        waves,
        "-" if not found or found["limit"] == "waves" else found["limit"],
        clean(kernel["name"]),
    )


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    lines = list(rows)
    head = lines[0]
    widths = [max(len(row[column]) for row in lines) for column in range(len(head))]
    return [
        "  " + "  ".join(
            cell.ljust(width) if name in _LEFT else cell.rjust(width)
            for name, cell, width in zip(head, row, widths, strict=True)
        ).rstrip()
        for row in lines
    ]  # fmt: skip


def _size(count: int) -> str:
    """Bytes with a unit: 512 B, 4 KiB, 1.2 MiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"
