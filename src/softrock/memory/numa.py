"""Hosts with several memory nodes: which CPUs and memory belong together, and what is placed where.

Workers are bound to the CPUs of a node, as many to each as it has CPUs. Neighbouring workgroups run on one node
(``job_split`` in exec/native/pool.c), and large device memory is laid out the same way: its first part on the first
node, and so on, each as large as the node's part of the workers. So a kernel whose workgroup i works on the i-th part
of its arrays finds them near. Smaller memory is spread over the nodes page by page. On a host with one node, or with
SOFTROCK_NUMA=off, nothing is bound or placed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from softrock.core import settings
from softrock.memory.pages import HUGE, round_up

MOST_NODES: Final = 16
SPREAD_FROM: Final = 64 << 10
"""Smaller memory stays where it is first touched."""

_PREFERRED: Final = 1
_INTERLEAVE: Final = 3
_MBIND: Final = {"x86_64": 237, "aarch64": 235}

Mbind = Callable[[int, int, int, int], int]
"""(address, size, MPOL_… mode, mask of nodes) -> errno, 0 for success."""


@dataclass(frozen=True, slots=True)
class Node:
    """A memory node: its number for the kernel, and the CPUs of it that this process may use."""

    number: int
    cpus: frozenset[int]


@dataclass(frozen=True, slots=True)
class Placement:
    """Who works where.

    Attributes:
        nodes: two or more.
        workers: how many workers each node has, at least one; worker numbers ascend from node to node.
    """

    nodes: tuple[Node, ...]
    workers: tuple[int, ...]

    def node_of_worker(self) -> list[int]:
        """The node (index into `nodes`) of each worker."""
        return [node for node, count in enumerate(self.workers) for _ in range(count)]

    def cpu_masks(self) -> list[list[int]]:
        """For each node its CPUs as bits of 64-bit words, all of the same length."""
        words = max(max(node.cpus) for node in self.nodes) // 64 + 1
        bits = [sum(1 << cpu for cpu in node.cpus) for node in self.nodes]
        return [[mask >> 64 * word & (1 << 64) - 1 for word in range(words)] for mask in bits]

    def describe(self) -> list[str]:
        """A line for each node."""
        return [
            f"node {node.number}: {count} of {len(node.cpus)} CPUs' workers"
            for node, count in zip(self.nodes, self.workers, strict=True)
        ]


def parse_list(text: str) -> frozenset[int]:
    """A list of numbers as the kernel writes it: ``0-3,8,10-11``."""
    out: set[int] = set()
    for part in text.strip().split(","):
        low, _, high = part.partition("-")
        if low.strip():
            out.update(range(int(low), int(high or low) + 1))
    return frozenset(out)


def read_nodes(root: Path, cpus: Collection[int]) -> tuple[Node, ...]:
    """The nodes under ``root/sys`` that have memory and CPUs this process may use, by number.

    Args:
        root: ``/``, or a folder with a made-up ``sys`` and ``proc``.
        cpus: the CPUs this process may use.
    """
    place = root / "sys/devices/system/node"
    try:
        names = parse_list((place / "online").read_text())
        filled = parse_list((place / "has_memory").read_text()) if (place / "has_memory").exists() else names
        allowed = names
        for line in (root / "proc/self/status").read_text().splitlines():
            if line.startswith("Mems_allowed_list:"):
                allowed = parse_list(line.split(":", 1)[1])
        found = [
            Node(number, parse_list((place / f"node{number}" / "cpulist").read_text()) & frozenset(cpus))
            for number in sorted(names & filled & allowed)
        ]
    except (OSError, ValueError):  # no such host: it does not say
        return ()
    return tuple(node for node in found if node.cpus)


def plan(nodes: tuple[Node, ...], threads: int) -> Placement | None:
    """Deal the workers out in proportion to the nodes' CPUs; None where that leaves less than two nodes."""
    total = sum(len(node.cpus) for node in nodes)
    if len(nodes) < 2 or len(nodes) > MOST_NODES or not total:
        return None
    ends = [round(threads * at / total) for at in accumulate(len(node.cpus) for node in nodes)]
    counts = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    used = [(node, count) for node, count in zip(nodes, counts, strict=True) if count]
    if len(used) < 2:
        return None
    return Placement(tuple(node for node, _ in used), tuple(count for _, count in used))


def _mbind() -> Mbind:
    libc = ctypes.CDLL(None, use_errno=True)
    number = _MBIND.get(platform.machine())

    def call(address: int, size: int, mode: int, mask: int) -> int:
        if number is None:
            return errno.ENOSYS
        nodes = (ctypes.c_ulong * 16)(*(mask >> 64 * i & (1 << 64) - 1 for i in range(16)))
        word = ctypes.c_ulong
        done = libc.syscall(
            ctypes.c_long(number), word(address), word(size), word(mode), nodes, word(1024 + 1), ctypes.c_uint(0)
        )
        return ctypes.get_errno() if done else 0

    return call


class Policy:
    """Places device memory on nodes.

    Attributes:
        refused: the errno of the last placement the host refused (containers may forbid it), 0 if none was. Memory is
            then where it is first touched, which is correct and may be slower.
    """

    def __init__(self, placement: Placement, mbind: Mbind | None = None) -> None:
        self.placement = placement
        self.refused = 0
        self._mbind = mbind or _mbind()
        self._every = sum(1 << node.number for node in placement.nodes)

    def place(self, base: int, size: int) -> None:
        """Say where untouched memory shall be; `base` and `size` are whole pages."""
        if size < SPREAD_FROM:
            return
        if size < 2 * HUGE * len(self.placement.nodes):
            self._note(self._mbind(base, size, _INTERLEAVE, self._every))
            return
        start = 0
        for node, end in zip(self.placement.nodes, self._ends(size), strict=True):
            if end > start:
                self._note(self._mbind(base + start, end - start, _PREFERRED, 1 << node.number))
            start = end

    def _ends(self, size: int) -> Iterable[int]:
        """Where each node's part ends: whole huge pages, but for the last."""
        total = sum(self.placement.workers)
        for at in accumulate(self.placement.workers):
            yield size if at == total else min(size, round_up(size * at // total, HUGE))

    def _note(self, error: int) -> None:
        self.refused = error or self.refused


ROOT: Path = Path("/")
"""Where ``sys`` and ``proc`` are looked for; tests set another one."""

_lock = threading.Lock()
_known: dict[tuple[str, int], Policy | None] = {}


def policy() -> Policy | None:
    """What holds for this process, None where nothing is placed.

    Raises:
        UsageError: SOFTROCK_NUMA or SOFTROCK_THREADS make no sense.
    """
    asked = settings.load()
    key = (str(ROOT) if asked.numa == "auto" else "", asked.threads)
    with _lock:
        if key not in _known:
            cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
            placement = plan(read_nodes(ROOT, cpus), asked.threads) if asked.numa == "auto" else None
            _known[key] = None if placement is None else Policy(placement)
        return _known[key]
