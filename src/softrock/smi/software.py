"""The software GPUs of running processes, as GPUs like others (:mod:`softrock.gpu.status` has the files)."""

from __future__ import annotations

from collections.abc import Sequence

from softrock.gpu.status import Status
from softrock.smi.fields import Gpu, Word
from softrock.smi.processes import Process, identify
from softrock.system.interface import System


def gpus(system: System, told: Sequence[Status], first: int) -> tuple[list[Gpu], list[Process]]:
    """A GPU for each software GPU, numbered from `first`, and the process that runs it."""
    found: list[Gpu] = []
    users: list[Process] = []
    for status in told:
        for each in status.devices:
            process = Process(first + len(found), status.pid, vram_bytes=each.memory_used, software=True)
            process.engines = {"compute": each.busy_ns}
            identify(system, process)
            gpu = Gpu(process.gpu)
            values: dict[str, Word] = {
                "kind": "software",
                "name": each.name,
                "gfx": each.target.partition(":")[0],
                "compute_units_count": each.compute_units,
                "vram_total_bytes": each.memory_total,
                "vram_used_bytes": each.memory_used,
                "kernels_launched_count": each.launches,
                "kernels_busy_seconds": each.busy_ns / 1e9,
                "process_id": status.pid,
                "process_name": process.name,
            }
            for name, value in values.items():
                gpu.put(name, value)
            found.append(gpu)
            users.append(process)
    return found, users


def use_since(before: Sequence[Status], now: Sequence[Status], gpus: Sequence[Gpu], users: Sequence[Process]) -> None:
    """Fill in the use of software GPUs that were there before: time of kernels by time passed.

    A kernel that runs through both looks has not ended and is in no counter; work that waited then as now counts as
    busy.
    """
    old = {(status.pid, each.index): (status.written, each) for status in before for each in status.devices}
    fresh = [(status, each) for status in now for each in status.devices]
    for gpu, user, (status, each) in zip(gpus, users, fresh, strict=True):
        then = old.get((status.pid, each.index))
        if then is None:
            continue
        passed, spent = status.written - then[0], each.busy_ns - then[1].busy_ns
        if passed <= 0:
            use = None if each.pending else 0.0  # nothing new is told: idle, or stopped in the midst of work
        elif spent > 0:
            use = round(min(100.0, 100 * spent / passed), 1)
        else:
            use = 100.0 if each.pending and then[1].pending else 0.0
        gpu.values["gfx_use_percent"] = user.use_percent = use
