"""How GPUs are connected, from the compute driver's topology (kfd_topology.c; kfd_crat.h: types 2 PCIe, 11 XGMI)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from softrock.smi.fields import Gpu
from softrock.smi.gpus import properties
from softrock.system.interface import System, listed, text

_NODES = "/sys/class/kfd/kfd/topology/nodes"
_TYPES = {2: "PCIE", 11: "XGMI"}


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one GPU to another.

    Attributes:
        type: PCIE, XGMI, or the driver's number.
        weight: the driver's measure of distance, None where it gives none.
        hops: links on the way: 1 over XGMI, 2 through the host; more where the hosts' processors differ.
        bandwidth: least and most, MB/s; None where the driver gives none.
    """

    type: str
    weight: int | None
    hops: int
    bandwidth: tuple[int, int] | None


def links(system: System, gpus: Sequence[Gpu]) -> dict[tuple[int, int], Link]:
    """Links by numbers of two GPUs; those between which the driver lists none are left out."""
    by_node = {each.node: each.index for each in gpus if each.node >= 0}
    found: dict[tuple[int, int], Link] = {}
    for node, index in by_node.items():
        for folder in ("p2p_links", "io_links"):  # what is in both, the direct link tells
            for name in listed(system, f"{_NODES}/{node}/{folder}"):
                try:
                    facts = properties(text(system, f"{_NODES}/{node}/{folder}/{name}/properties") or "")
                except OSError:
                    continue
                other = by_node.get(facts.get("node_to", -1))
                if other is None or other == index:
                    continue
                kind = facts.get("type", 0)
                bandwidth = (facts.get("min_bandwidth", 0), facts.get("max_bandwidth", 0))
                hops = 1 if _TYPES.get(kind) == "XGMI" else 2
                found[index, other] = Link(
                    _TYPES.get(kind, str(kind)), facts.get("weight"), hops, bandwidth if any(bandwidth) else None
                )
    return found
