"""Everything at one moment: GPUs of the machine and software GPUs, and who uses them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from softrock.core.errors import UsageError
from softrock.gpu import status
from softrock.smi import gpus as hardware
from softrock.smi import processes, software
from softrock.smi.fields import Gpu
from softrock.smi.processes import Process
from softrock.system.interface import System


@dataclass(slots=True)
class Snapshot:
    """A moment.

    Attributes:
        gpus: all GPUs.
        processes: who uses them.
        at: seconds of a clock that only goes forward.
        told: what processes with software GPUs told.
    """

    gpus: list[Gpu]
    processes: list[Process] = field(default_factory=list)
    at: float = 0.0
    told: list[status.Status] = field(default_factory=list)


Statuses = Callable[[], list[status.Status]]


def take(
    system: System, before: Snapshot | None = None, *, users: bool = True, told: Statuses = status.read_all
) -> Snapshot:
    """Look at everything; use since the look `before` is filled in.

    Args:
        users: look for processes too.
        told: where software GPUs are told of.
    """
    found = hardware.read(system)
    statuses = told()
    soft, runners = software.gpus(system, statuses, len(found))
    clients = processes.read(system, found) if users else []
    now = Snapshot([*found, *soft], [*clients, *runners], time.monotonic(), statuses)
    if before is not None:
        processes.use_since(before.processes, clients, now.at - before.at)
        software.use_since(before.told, statuses, soft, runners)
    return now


def chosen(gpus: Sequence[Gpu], asked: str) -> list[Gpu]:
    """The GPUs that a list of numbers, PCI addresses, unique ids or targets names; all for an empty one.

    Raises:
        UsageError: one of them is none of the GPUs.
    """
    if not asked:
        return list(gpus)
    found: list[Gpu] = []
    for word in (each.strip() for each in asked.split(",")):
        names = ("bdf", "unique_id", "gfx")
        mine = [each for each in gpus if word == str(each.index) or word.lower() in {each.get(n) for n in names}]
        if not mine:
            have = ", ".join(str(each.index) for each in gpus) or "none"
            raise UsageError(
                f"--gpu {word!r}: no such GPU", hint=f"there are: {have}; a PCI address or target does too"
            )
        found += [each for each in mine if each not in found]
    return found
