"""AMD GPUs: what the PCI bus shows, with what the kernel driver tells of each."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from softrock.doctor.facts.reading import line, number, table
from softrock.doctor.registry import Machine
from softrock.system.interface import System, listed, target

VENDOR = 0x1002
_BUS = "/sys/bus/pci/devices"
_NODES = "/sys/class/kfd/kfd/topology/nodes"
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_CLASSES = (0x03, 0x12)
"""PCI base classes: display controllers and processing accelerators."""
_APU = re.compile(r"gfx(902|909|90c|1013|103[3567]|1103|115[0-9])")
_CARD, _RENDER = re.compile(r"card\d{1,3}"), re.compile(r"renderD\d{1,3}")


@dataclass(frozen=True)
class Gpu:
    """An AMD GPU.

    Attributes:
        address: on the PCI bus, ``0000:03:00.0``.
        path: its folder in sysfs.
        device, subsystem, revision: PCI numbers; subsystem is (vendor, device).
        gfx: LLVM processor, ``gfx1100``; empty where nothing tells it.
        told: what the target is from: "kfd", "discovery" (IP discovery table), "table" (PCI id), or "".
        name: as sold; a guess by PCI id.
        integrated: part of a CPU, with memory of the system.
        driver: kernel driver bound to it, ``amdgpu``, ``vfio-pci``; empty where none is.
        card, render: device nodes, ``/dev/dri/renderD128``; empty where there are none.
        node: number in KFD's topology, the order in which ROCm counts; None where it is no compute device.
        unique_id: 16 hexadecimal digits as in ROCm's ``GPU-…``; empty where it has none.
        vram, visible, gtt: bytes of its memory, of that what the CPU can address, and of system memory; 0: unknown.
    """

    address: str
    path: str
    device: int
    subsystem: tuple[int, int] = (0, 0)
    revision: int = 0
    gfx: str = ""
    told: str = ""
    name: str = "AMD GPU"
    integrated: bool = False
    driver: str = ""
    card: str = ""
    render: str = ""
    node: int | None = None
    unique_id: str = ""
    vram: int = 0
    visible: int = 0
    gtt: int = 0

    @property
    def uuid(self) -> str:
        """What HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES take for it, ``GPU-…``; empty where it has none."""
        return f"GPU-{self.unique_id}" if self.unique_id else ""

    @property
    def title(self) -> str:
        """How it is called in sentences."""
        return f"{self.name} ({self.gfx or 'unknown target'}, {self.address})"


@dataclass(frozen=True)
class Known:
    """A row of gpus.tsv."""

    gfx: str
    integrated: bool
    name: str


@cache
def known() -> dict[str, Known]:
    """GPUs by PCI device id in hexadecimal, ``744c``, or that and a revision, ``744c:c8``."""
    rows = (resources.files("softrock.doctor") / "data" / "gpus.tsv").read_text(encoding="utf-8").splitlines()
    cells = [each.split("\t") for each in rows if each and not each.startswith(("#", "device"))]
    return {device: Known(gfx, kind == "apu", name) for device, gfx, kind, name in cells}


def row_of(device: int, revision: int = 0) -> Known | None:
    """What is known of a GPU."""
    return known().get(f"{device:04x}:{revision:02x}") or known().get(f"{device:04x}")


def version_name(version: int) -> str:
    """LLVM's name of KFD's gfx_target_version: 110000 is gfx1100, 90402 gfx942, 90010 gfx90a; empty for 0."""
    major, minor, step = version // 10000, version // 100 % 100, version % 100
    return f"gfx{major}{minor:x}{step:x}" if 6 <= major < 100 and minor < 16 and step < 16 else ""


def gpus(machine: Machine) -> tuple[Gpu, ...]:
    """AMD GPUs of a machine by PCI address; those in KFD's topology alone (a container without /sys/bus) follow."""
    system = machine.system
    nodes = _nodes(system)
    found = []
    for address in listed(system, _BUS):
        if _ADDRESS.fullmatch(address):
            path = f"{_BUS}/{address}"
            if number(system, f"{path}/vendor") == VENDOR and (number(system, f"{path}/class") or 0) >> 16 in _CLASSES:
                found.append(_gpu(system, address, nodes.pop(address, None)))
    for address, (index, told) in sorted(nodes.items()):
        found.append(_from_node(address, index, told))
    return tuple(found)


def driven(machine: Machine) -> tuple[Gpu, ...]:
    """GPUs that the driver amdgpu of this kernel has."""
    return tuple(each for each in machine.fact(gpus) if each.driver == "amdgpu")


def _nodes(system: System) -> dict[str, tuple[int, dict[str, int]]]:
    """Nodes of KFD's topology that are GPUs, by PCI address."""
    found = {}
    for name in sorted((each for each in listed(system, _NODES) if each.isdecimal() and each.isascii()), key=int)[:256]:
        told = table(system, f"{_NODES}/{name}/properties")
        if told.get("simd_count", 0) > 0 or told.get("gfx_target_version", 0) > 0:
            place = told.get("location_id", 0)
            address = f"{told.get('domain', 0):04x}:{place >> 8 & 255:02x}:{place >> 3 & 31:02x}.{place & 7}"
            found[address] = (int(name), told)
    return found


def _gpu(system: System, address: str, node: tuple[int, dict[str, int]] | None) -> Gpu:
    path = f"{_BUS}/{address}"
    device = number(system, f"{path}/device") or 0
    revision = number(system, f"{path}/revision") or 0
    row = row_of(device, revision)
    told = node[1] if node else {}
    ways = (
        ("kfd", version_name(told.get("gfx_target_version", 0))),
        ("discovery", _discovered(system, path)),
        ("table", row.gfx if row else ""),
    )
    source, gfx = next(((way, each) for way, each in ways if each), ("", ""))
    nodes = listed(system, f"{path}/drm")
    card = next((each for each in nodes if _CARD.fullmatch(each)), "")
    render = next((each for each in nodes if _RENDER.fullmatch(each)), "")
    unique = line(system, f"{path}/unique_id").lower().removeprefix("0x")
    product = line(system, f"{path}/product_name")
    return Gpu(
        address,
        path,
        device,
        (number(system, f"{path}/subsystem_vendor") or 0, number(system, f"{path}/subsystem_device") or 0),
        revision,
        gfx,
        source,
        product or (row.name if row else f"AMD GPU 1002:{device:04x}"),
        _integrated(row, gfx, told),
        posixpath.basename(target(system, f"{path}/driver") or ""),
        f"/dev/dri/{card}" if card else "",
        f"/dev/dri/{render}" if render else "",
        node[0] if node else None,
        unique if re.fullmatch(r"[0-9a-f]{1,16}", unique) else "",
        *(number(system, f"{path}/mem_info_{each}_total") or 0 for each in ("vram", "vis_vram", "gtt")),
    )


def _from_node(address: str, index: int, told: dict[str, int]) -> Gpu:
    device = told.get("device_id", 0)
    row = row_of(device)
    gfx = version_name(told.get("gfx_target_version", 0))
    render = told.get("drm_render_minor", 0)
    return Gpu(
        address, f"{_BUS}/{address}", device, gfx=gfx or (row.gfx if row else ""),
        told="kfd" if gfx else "table" if row else "", name=row.name if row else f"AMD GPU 1002:{device:04x}",
        integrated=_integrated(row, gfx, told), driver="amdgpu",
        render=f"/dev/dri/renderD{render}" if 128 <= render < 256 else "", node=index,
    )  # fmt: skip


def _integrated(row: Known | None, gfx: str, told: dict[str, int]) -> bool:
    if row:
        return row.integrated
    return told.get("cpu_cores_count", 0) > 0 or bool(_APU.fullmatch(gfx))


def _discovered(system: System, path: str) -> str:
    """The target by the version of the graphics core that the driver read from the card."""
    block = f"{path}/ip_discovery/die/0/GC/0"
    numbers = [number(system, f"{block}/{each}") for each in ("major", "minor", "revision")]
    major, minor, step = (-1 if each is None else each for each in numbers)
    return f"gfx{major}{minor:x}{step:x}" if 9 <= major < 100 and 0 <= minor < 16 and 0 <= step < 16 else ""
