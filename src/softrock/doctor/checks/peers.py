"""Several GPUs"""

from __future__ import annotations

from collections.abc import Iterator

from softrock.doctor import mends
from softrock.doctor.facts import Gpu, container, driven
from softrock.doctor.facts.reading import line, table
from softrock.doctor.registry import Machine, Result, check, limit, ok, warning
from softrock.system.interface import listed

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_XGMI, _PCIE = 11, 2
_ENABLED, _NO_PEER = 1, 16
"""Flags of a link, as in drivers/gpu/drm/amd/amdkfd/kfd_crat.h."""
_INSTINCT = ("gfx908", "gfx90a", "gfx942", "gfx950")


def _cards(machine: Machine) -> list[Gpu]:
    """Cards that compute; integrated GPUs are nobody's peers, but for MI300A."""
    found = [each for each in machine.fact(driven) if each.node is not None]
    return [each for each in found if not each.integrated or each.gfx == "gfx942"]


@check("peer-access", "GPUs reach each other's memory directly")
def peer_access(machine: Machine) -> Iterator[Result]:
    """Links in KFD's topology between each two cards: XGMI, or PCIe with peer access."""
    cards = _cards(machine)
    if len(cards) < 2:
        return
    ways = [(one, other) for one in cards for other in cards if one != other]
    kinds = {(one.address, other.address): _link(machine, one, other) for one, other in ways}
    missing = [pair for pair, kind in kinds.items() if not kind]
    if not missing:
        yield ok(f"all {len(cards)} GPUs reach each other directly by {' and '.join(sorted(set(kinds.values())))}")
        return
    instinct = all(each.gfx in _INSTINCT for each in cards)
    off = line(machine.system, "/sys/module/amdgpu/parameters/pcie_p2p") == "N"
    cause = "the parameter pcie_p2p of amdgpu is off" if off else "small BARs, the IOMMU, or PCIe bridges between them"
    first = missing[0]
    mend = ("in the BIOS: switch on Above 4G Decoding and Resizable BAR", *mends.kernel_parameter(machine, "iommu=pt"))
    if off:
        option = "echo 'options amdgpu pcie_p2p=1' | sudo tee /etc/modprobe.d/amdgpu-p2p.conf"
        mend = (option, *mends.initramfs(machine), "sudo reboot")
    yield (limit if instinct or len(missing) < len(kinds) else warning)(
        f"{len(missing)} of {len(kinds)} ways between GPUs are not direct, first {first[0]} to {first[1]}", rank=37,
        why=f"copies go through the system's memory, and collectives are slow; the cause may be: {cause}", mend=mend,
    )  # fmt: skip


def _link(machine: Machine, one: Gpu, other: Gpu) -> str:
    """How one GPU reaches another: XGMI, PCIe; empty where it does not."""
    for folder in ("io_links", "p2p_links"):
        place = f"{_NODES}/{one.node}/{folder}"
        for name in listed(machine.system, place)[:512]:
            told = table(machine.system, f"{place}/{name}/properties")
            if told.get("node_to", -1) != other.node or told.get("flags", _ENABLED) & _NO_PEER:
                continue
            if told.get("type") == _XGMI:
                return "XGMI"
            if told.get("type") == _PCIE:
                return "PCIe"
    return ""


@check("iommu", "the IOMMU does not stand between GPUs")
def iommu(machine: Machine) -> Iterator[Result]:
    """With several cards on PCIe, the IOMMU should pass addresses through."""
    cards = [each for each in _cards(machine) if not each.integrated]
    kinds = {each.address: line(machine.system, f"{each.path}/iommu_group/type") for each in cards}
    translated = [address for address, kind in kinds.items() if kind.startswith("DMA")]
    if len(cards) < 2 or machine.fact(container):
        return
    if translated:
        yield limit(
            f"the IOMMU translates addresses of {len(translated)} GPUs ({kinds[translated[0]]})", rank=43,
            why="collectives over several GPUs may hang or be slow; AMD's guides start Linux with iommu=pt",
            mend=mends.kernel_parameter(machine, "iommu=pt"),
        )  # fmt: skip
    elif any(kinds.values()):
        yield ok("the IOMMU passes the GPUs' addresses through")
