"""GPUs and processes as text, JSON and CSV. A value that cannot be had is N/A in all of them, never 0."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from softrock.core.text import printable
from softrock.smi import topology
from softrock.smi.fields import NA, Gpu, Word, shown, table
from softrock.smi.processes import Process

Record = dict[str, Any]


def document(gpu: Gpu, groups: Sequence[str]) -> Record:
    """A GPU's values of some groups (``usage``, ``static:asic``), by group."""
    made: Record = {"gpu": gpu.index}
    for each in table().values():
        if each.group in groups:
            value = gpu.get(each.name)
            made.setdefault(each.group.removeprefix("static:"), {})[each.name] = NA if value is None else value
    if gpu.notes:
        made["notes"] = [printable(each) for each in gpu.notes]
    return made


def to_json(value: Any) -> str:
    """A JSON document."""
    return json.dumps(value, indent=2)


def to_csv(records: Sequence[Record]) -> str:
    """Records as CSV, nested names joined by dots; the columns of all of them."""
    flat = [_flat(each) for each in records]
    columns = list(dict.fromkeys(name for each in flat for name in each))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(each.get(name)) for name in columns] for each in flat)
    return out.getvalue().rstrip("\n")


def _flat(record: Mapping[str, Any]) -> Record:
    made: Record = {}
    for key, value in record.items():
        if isinstance(value, Mapping):  # names of fields are unique over all groups
            made.update(_flat(value))
        elif isinstance(value, list):
            made[key] = "; ".join(str(each) for each in value)
        else:
            made[key] = value
    return made


def _cell(value: Any) -> str:
    """A cell; a text that a spreadsheet would take for a formula gets a quote before it."""
    text = NA if value is None else printable(str(value))
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@") else text


def to_text(records: Sequence[Record]) -> str:
    """Records as indented lines, like amd-smi's."""
    lines: list[str] = []
    for record in records:
        lines.append(f"GPU: {record['gpu']}")
        for group, values in record.items():
            if isinstance(values, Mapping):
                lines.append(f"    {group.upper().replace('-', '_')}:")
                lines += [f"        {name.upper()}: {shown(value)}" for name, value in values.items()]
            elif group == "notes":
                lines += [f"    NOTE: {each}" for each in values]
        lines.append("")
    return "\n".join(lines).rstrip("\n")


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table; the first is its head. Numbers stand right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    right = [all(_numeric(row[at]) for row in rows[1:]) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _numeric(text: str) -> bool:
    return not text or text == NA or text[0].isdigit()


# ---- pieces of text ----


def gib(value: float | None) -> str:
    """Bytes as GiB."""
    return NA if value is None else f"{value / (1 << 30):.1f}"


def whole(value: float | None, unit: str = "") -> str:
    """A number without decimals, and its unit."""
    return NA if value is None else f"{value:.0f}{unit}"


def of(used: float | None, total: float | None) -> str:
    """Two sizes: used of total, GiB."""
    return NA if used is None and total is None else f"{gib(used)}/{gib(total)} GiB"


def link(gpu: Gpu) -> str:
    """The state of the PCIe link."""
    speed, lanes = gpu.number("pcie_speed_gts"), gpu.number("pcie_width_lanes")
    return NA if speed is None and lanes is None else f"{shown(speed)} GT/s x{shown(lanes)}"


def errors(gpu: Gpu) -> str:
    """Corrected and uncorrected errors of memory."""
    found = [gpu.get("ecc_correctable_count"), gpu.get("ecc_uncorrectable_count")]
    return NA if found == [None, None] else "/".join(shown(each) for each in found)


HEAD = ("GPU", "NAME", "GFX", "USE", "MEMORY", "TEMP", "POWER", "CLOCKS", "FAN", "ECC c/u", "PCIE")


def row(gpu: Gpu) -> list[str]:
    """A GPU's line in the overview."""
    hot = gpu.number("temperature_edge_celsius")
    hot = gpu.number("temperature_hotspot_celsius") if hot is None else hot
    clocks = [gpu.number(name) for name in ("clock_gfx_mhz", "clock_memory_mhz")]
    limit = gpu.number("power_limit_watts")
    power = whole(gpu.number("power_watts"))
    return [
        str(gpu.index),
        shown(gpu.get("name")),
        shown(gpu.get("gfx")),
        whole(gpu.number("gfx_use_percent"), " %"),
        of(gpu.number("vram_used_bytes"), gpu.number("vram_total_bytes")),
        whole(hot, " °C"),
        NA if power == NA and limit is None else f"{power}/{whole(limit)} W",
        NA if clocks == [None, None] else f"{whole(clocks[0])}/{whole(clocks[1])} MHz",
        whole(gpu.number("fan_percent"), " %"),
        errors(gpu),
        link(gpu),
    ]


def process_rows(processes: Iterable[Process], owners: Mapping[int | None, str]) -> list[list[str]]:
    """Processes as a table with a head."""
    rows = [["GPU", "PID", "USER", "MEMORY", "GTT", "USE", "KIND", "COMMAND"]]
    for each in processes:
        kind = "software" if each.software else "compute" if each.compute else "graphics"
        rows.append(
            [
                str(each.gpu),
                str(each.pid),
                owners.get(each.uid, "?"),
                _size(each.vram_bytes),
                _size(each.gtt_bytes),
                whole(each.use_percent, " %"),
                kind,
                printable(each.name),
            ]
        )
    return rows


def _size(value: int | None) -> str:
    return NA if value is None else f"{value / (1 << 20):.1f} MiB"


def process_record(each: Process, owner: str) -> Record:
    """A process as a record."""
    known: dict[str, Word] = {
        "gpu": each.gpu, "pid": each.pid, "parent_pid": each.parent, "user": owner, "name": printable(each.name),
        "vram_bytes": each.vram_bytes, "gtt_bytes": each.gtt_bytes, "use_percent": each.use_percent,
        "kind": "software" if each.software else "compute" if each.compute else "graphics",
        **{f"engine_{name}_ns": value for name, value in sorted(each.engines.items())},
    }  # fmt: skip
    return {name: NA if value is None else value for name, value in known.items()}


def overview(gpus: Sequence[Gpu], processes: Sequence[Process], owners: Mapping[int | None, str]) -> str:
    """The table that is printed where nothing else is asked for."""
    if not gpus:
        return "No AMD GPU found, and no process of yours runs a software GPU."
    parts = [columns([HEAD, *(row(each) for each in gpus)])]
    parts += [f"GPU {gpu.index}: {printable(note)}" for gpu in gpus for note in gpu.notes]
    mine = {each.index for each in gpus}
    users = [each for each in processes if each.gpu in mine]
    parts.append("\n" + (columns(process_rows(users, owners)) if users else "No processes, or none that may be seen."))
    return "\n".join(parts)


def matrix(gpus: Sequence[Gpu], links: Mapping[tuple[int, int], topology.Link], what: str) -> str:
    """A square table: type, weight, hops or bandwidth of the links between GPUs."""
    rows = [["", *(f"GPU{each.index}" for each in gpus)]]
    for one in gpus:
        cells = ["SELF" if one is two else link_word(links.get((one.index, two.index)), what) for two in gpus]
        rows.append([f"GPU{one.index}", *cells])
    return columns(rows)


def link_word(link: topology.Link | None, what: str) -> str:
    """One measure of a link as a word."""
    if link is None:
        return NA
    if what == "bandwidth":
        return NA if link.bandwidth is None else f"{link.bandwidth[0]}-{link.bandwidth[1]}"
    return shown({"type": link.type, "weight": link.weight, "hops": link.hops, "access": "ENABLED"}[what])
