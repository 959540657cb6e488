"""The GPUs of a machine, from sysfs and hwmon, with what the gpu_metrics file adds.

Sources: Documentation/gpu/amdgpu in Linux (thermal.rst, driver-misc.rst, ras.rst),
Documentation/hwmon/sysfs-interface.rst, Documentation/ABI/testing/sysfs-bus-pci;
the properties of the compute driver's topology are those of kfd_topology.c.
"""

from __future__ import annotations

import re
from functools import cache

from softrock.core.text import printable
from softrock.smi import metrics
from softrock.smi.fields import Gpu, Word, rows
from softrock.system.interface import System, exists, listed, target, text

_DRM = "/sys/class/drm"
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_AMD = 0x1002
_BDF = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_IDS = ("/usr/share/libdrm/amdgpu.ids", "/opt/amdgpu/share/libdrm/amdgpu.ids")
_PLAIN = {
    "gfx_use_percent": "gpu_busy_percent",
    "memory_use_percent": "mem_busy_percent",
    "media_use_percent": "vcn_busy_percent",
    "vram_total_bytes": "mem_info_vram_total",
    "vram_used_bytes": "mem_info_vram_used",
    "vram_visible_total_bytes": "mem_info_vis_vram_total",
    "vram_visible_used_bytes": "mem_info_vis_vram_used",
    "gtt_total_bytes": "mem_info_gtt_total",
    "gtt_used_bytes": "mem_info_gtt_used",
    "pcie_replay_count": "pcie_replay_count",
}
"""Fields that are one number in one file of the device."""
_STATIC = {
    "unique_id": "unique_id",
    "vbios_version": "vbios_version",
    "serial_number": "serial_number",
    "product_number": "product_number",
    "vram_vendor": "mem_info_vram_vendor",
    "compute_partition": "current_compute_partition",
    "memory_partition": "current_memory_partition",
    "performance_level": "power_dpm_force_performance_level",
}
_SENSORS = (
    ("temp", "edge", "input", "temperature_edge_celsius", 1e-3),
    ("temp", "junction", "input", "temperature_hotspot_celsius", 1e-3),
    ("temp", "mem", "input", "temperature_memory_celsius", 1e-3),
    ("temp", "junction", "crit", "temperature_hotspot_critical_celsius", 1e-3),
    ("freq", "sclk", "input", "clock_gfx_mhz", 1e-6),
    ("freq", "mclk", "input", "clock_memory_mhz", 1e-6),
    ("in", "vddgfx", "input", "voltage_gfx_millivolts", 1),
    ("power", "", "average", "power_watts", 1e-6),
    ("power", "", "input", "power_watts", 1e-6),
    ("power", "", "cap", "power_limit_watts", 1e-6),
    ("power", "", "cap_max", "power_limit_max_watts", 1e-6),
    ("power", "", "cap_default", "power_limit_default_watts", 1e-6),
    ("fan", "", "input", "fan_rpm", 1),
)
"""hwmon: kind of sensor, its label, file, field, factor."""
_ERRORS = re.compile(r"^(ue|ce|de):\s*(\d{1,18})\s*$", re.MULTILINE)
_KINDS = {"ue": "ecc_uncorrectable_count", "ce": "ecc_correctable_count", "de": "ecc_deferred_count"}


def read(system: System) -> list[Gpu]:
    """The GPUs that a driver of AMD's has taken, by PCI address."""
    found = []
    for name in listed(system, _DRM):
        if re.fullmatch(r"card\d{1,4}", name) and _number(system, f"{_DRM}/{name}/device/vendor") == _AMD:
            found.append((_address(system, name), name))
    nodes = _nodes(system)
    return [_gpu(system, index, card, bdf, nodes) for index, (bdf, card) in enumerate(sorted(found))]


def _gpu(system: System, index: int, card: str, bdf: str, nodes: dict[int, tuple[int, dict[str, int]]]) -> Gpu:
    gpu = Gpu(index)
    device = f"{_DRM}/{card}/device"
    minor = _render(system, device)
    gpu.put("kind", "hardware")
    gpu.put("card", f"/dev/dri/{card}")
    gpu.put("bdf", bdf or None)
    gpu.put("render", f"/dev/dri/renderD{minor}" if minor else None)
    gpu.node, facts = nodes.get(minor, (-1, {}))
    gpu.kfd = facts.get("gpu_id", 0)
    gpu.put("gfx", _target(facts.get("gfx_target_version", 0)))
    simds, each = facts.get("simd_count", 0), facts.get("simd_per_cu", 0)
    gpu.put("compute_units_count", simds // each if simds and each else None)
    _identify(system, gpu, device)
    for field, name in _STATIC.items():
        gpu.put(field, _word(system, gpu, f"{device}/{name}"))
    _link(system, gpu, device, "max_link", "pcie_max_width_lanes", "pcie_max_speed_gts")
    node = _number(system, f"{device}/numa_node")
    gpu.put("numa_node", node if node is not None and node >= 0 else None)
    _driver(system, gpu, device)
    if gpu.get("runtime_status") == "suspended":
        gpu.notes.append("suspended to save power: its sensors are not read, which would wake it")
        return gpu
    for field, name in _PLAIN.items():
        gpu.put(field, _number(system, f"{device}/{name}", gpu))
    _sensors(system, gpu, device)
    _metrics(system, gpu, device)
    _link(system, gpu, device, "current_link", "pcie_width_lanes", "pcie_speed_gts")
    _errors(system, gpu, device)
    return gpu


# ---- identity ----


def _address(system: System, card: str) -> str:
    """The PCI address: the last name of where the device's link leads, else what its uevent says."""
    where = (target(system, f"{_DRM}/{card}/device") or "").rpartition("/")[2]
    if _BDF.fullmatch(where):
        return where
    found = re.search(r"^PCI_SLOT_NAME=(\S+)$", _text(system, f"{_DRM}/{card}/device/uevent") or "", re.MULTILINE)
    return found[1] if found and _BDF.fullmatch(found[1]) else ""


def _render(system: System, device: str) -> int:
    """Minor number of the render node; 0 for none."""
    names = [each for each in listed(system, f"{device}/drm") if re.fullmatch(r"renderD\d{1,4}", each)]
    return int(names[0].removeprefix("renderD")) if names else 0


def _identify(system: System, gpu: Gpu, device: str) -> None:
    number, revision = _number(system, f"{device}/device"), _number(system, f"{device}/revision")
    gpu.put("device_id", None if number is None else f"0x{number:04x}")
    gpu.put("revision_id", None if revision is None else f"0x{revision:02x}")
    board = [_number(system, f"{device}/subsystem_{part}") for part in ("vendor", "device")]
    gpu.put("subsystem_id", f"0x{board[0]:04x}:0x{board[1]:04x}" if None not in board else None)
    gpu.put("name", _word(system, gpu, f"{device}/product_name"))
    if number is not None:
        gpu.put("name", name_of(system, number, revision) or f"AMD GPU 0x{number:04x}")


def name_of(system: System, device: int, revision: int | None) -> str:
    """What a PCI device is called: by the machine's list, else by names.tsv; empty where neither knows it."""
    for path in _IDS:
        for line in (_text(system, path) or "").splitlines():
            parts = [each.strip() for each in line.split(",")]
            if len(parts) == 3 and parts[0].lower() == f"{device:04x}" and parts[1].lower() == f"{revision or 0:02x}":
                return printable(parts[2])[:100]
    mine = [(revisions, name) for number, revisions, name in _names() if number == f"{device:04x}"]
    exact = [name for revisions, name in mine if revision is not None and f"{revision:02x}" in revisions]
    return exact[0] if exact else mine[0][1] if len(mine) == 1 else ""


@cache
def _names() -> tuple[tuple[str, frozenset[str], str], ...]:
    return tuple((number, frozenset(revisions.split()), name) for number, revisions, name in rows("names.tsv"))


def _nodes(system: System) -> dict[int, tuple[int, dict[str, int]]]:
    """Properties of the compute driver's GPUs and their numbers, by minor number of the render node."""
    found = {}
    for name in listed(system, _NODES):
        if not name.isdecimal() or len(name) > 5:
            continue
        facts = properties(_text(system, f"{_NODES}/{name}/properties") or "")
        number = _number(system, f"{_NODES}/{name}/gpu_id")
        if number and facts.get("drm_render_minor"):
            found[facts["drm_render_minor"]] = (int(name), {**facts, "gpu_id": number})
    return found


def properties(told: str) -> dict[str, int]:
    """A file of names and decimal numbers, one pair a line; other lines are passed over."""
    pairs = (line.split() for line in told.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal() and len(pair[1]) < 21}


def _target(version: int) -> str | None:
    """gfx90a of 90010: major * 10000 + minor * 100 + stepping."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}" if version else None


def _driver(system: System, gpu: Gpu, device: str) -> None:
    name = (target(system, f"{device}/driver") or "").rpartition("/")[2]
    version = _word(system, gpu, f"/sys/module/{name}/version") if re.fullmatch(r"\w+", name) else None
    gpu.put("driver", f"{name} {version}" if name and version else name or None)
    gpu.put("runtime_status", _word(system, gpu, f"{device}/power/runtime_status"))


# ---- sensors ----


def _sensors(system: System, gpu: Gpu, device: str) -> None:
    for monitor in listed(system, f"{device}/hwmon"):
        here = f"{device}/hwmon/{monitor}"
        files = set(listed(system, here))
        for kind, label, what, field, factor in _SENSORS:
            for at in range(1 if kind != "in" else 0, 8):
                name = f"{kind}{at}_{what}"
                if name not in files or (label and _text(system, f"{here}/{kind}{at}_label") != label):
                    continue
                value = _number(system, f"{here}/{name}", gpu)
                gpu.put(field, None if value is None else round(value * factor, 6))
                break
        driven, most = _number(system, f"{here}/pwm1"), _number(system, f"{here}/pwm1_max") or 255
        if driven is not None and most > 0:
            gpu.put("fan_percent", round(100 * driven / most, 1))


@cache
def _mapping() -> tuple[tuple[str, str, str, float], ...]:
    return tuple((version, theirs, ours, float(factor)) for version, theirs, ours, factor in rows("mapping.tsv"))


def _metrics(system: System, gpu: Gpu, device: str) -> None:
    """Add what the gpu_metrics file tells; the link's state there is that of the slot, not of a switch on the card."""
    try:
        found = metrics.parse(system.read(f"{device}/gpu_metrics", 1 << 16))
    except FileNotFoundError:
        return
    except OSError as error:
        gpu.notes.append(f"gpu_metrics: {error.strerror}")
        return
    except metrics.Malformed as error:
        gpu.notes.append(f"gpu_metrics: {error}")
        return
    for version, theirs, ours, factor in _mapping():
        if found.version.startswith(version):
            value = _largest(found.values.get(theirs))
            if value is None or (ours.startswith("pcie_") and ours != "pcie_replay_count" and not value):
                continue
            scaled = value if factor == 1 else round(value * factor, 6)
            gpu.put(ours, f"{value:#x}" if ours == "throttle_status" else scaled)


def _largest(value: metrics.Value) -> int | None:
    if isinstance(value, tuple):
        known = [each for each in value if each is not None]
        return max(known) if known else None
    return value


def _link(system: System, gpu: Gpu, device: str, name: str, width: str, speed: str) -> None:
    lanes = _number(system, f"{device}/{name}_width")
    gpu.put(width, lanes or None)
    found = re.match(r"(\d{1,3}(?:\.\d)?) GT/s", _text(system, f"{device}/{name}_speed") or "")
    gpu.put(speed, float(found[1]) if found else None)


def _errors(system: System, gpu: Gpu, device: str) -> None:
    """Sums of the counters of all blocks; None where there is no block that counts."""
    sums: dict[str, int] = {}
    for name in listed(system, f"{device}/ras"):
        if name.endswith("_err_count"):
            for kind, number in _ERRORS.findall(_text(system, f"{device}/ras/{name}") or ""):
                sums[_KINDS[kind]] = sums.get(_KINDS[kind], 0) + int(number)
    for field, total in sums.items():
        gpu.put(field, total)
    if exists(system, f"{device}/ras"):
        told = _text(system, f"{device}/ras/features") or ""
        mask = re.search(r"feature mask:\s*(0x[0-9a-f]+)", told)
        gpu.put("ras_features", mask[1] if mask else None)


# ---- files ----


def _text(system: System, path: str) -> str | None:
    """A file's text; None where it is missing or cannot be read."""
    try:
        return text(system, path)
    except OSError:
        return None


def _word(system: System, gpu: Gpu, path: str) -> Word:
    try:
        told = text(system, path, 4096)
    except OSError as error:
        gpu.notes.append(f"{path.rpartition('/')[2]}: {error.strerror}")
        return None
    return printable(told.partition("\n")[0])[:100] if told else None


def _number(system: System, path: str, gpu: Gpu | None = None) -> int | None:
    """A file that holds one number, decimal or with 0x; None for others, with a note where it cannot be read."""
    try:
        told = text(system, path, 64)
    except OSError as error:
        if gpu is not None:
            gpu.notes.append(f"{path.rpartition('/')[2]}: {error.strerror}")
        return None
    if told is None:
        return None
    if re.fullmatch(r"-?\d{1,20}", told):
        return int(told)
    return int(told, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", told) else None
