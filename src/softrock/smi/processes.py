"""Who uses the GPUs: the compute driver's table of processes, and fdinfo of open render and compute nodes.

Sources: Documentation/gpu/drm-usage-stats.rst and amdgpu_fdinfo.c in Linux (memory in KiB, engines in nanoseconds);
kfd_process.c (/sys/class/kfd/kfd/proc: vram_N in bytes, sdma_N in microseconds).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from softrock.core.text import printable
from softrock.smi.fields import Gpu
from softrock.system.interface import System, listed, text

_KFD = "/sys/class/kfd/kfd/proc"
_SIZE = re.compile(r"(\d{1,15})(?: (KiB|MiB))?")
_TIME = re.compile(r"(\d{1,19}) ns")
_UNITS = {None: 1, "KiB": 1 << 10, "MiB": 1 << 20}


@dataclass(slots=True)
class Process:
    """A process on a GPU.

    Attributes:
        gpu: number of the GPU.
        pid, parent: its number and its parent's, 0 where that is not known.
        uid: number of its owner, None where that is not known.
        name: its command.
        vram_bytes, gtt_bytes: memory it holds, None where that is not known.
        engines: nanoseconds of work by engine so far (gfx, compute, dma, enc, dec).
        use_percent: of `gfx` and `compute` since the last look, None at the first.
        compute: the compute driver knows it.
        software: it runs a software GPU.
    """

    gpu: int
    pid: int
    parent: int = 0
    uid: int | None = None
    name: str = "?"
    vram_bytes: int | None = None
    gtt_bytes: int | None = None
    engines: dict[str, int] = field(default_factory=dict)
    use_percent: float | None = None
    compute: bool = False
    software: bool = False


def read(system: System, gpus: Sequence[Gpu]) -> list[Process]:
    """All processes that use one of these GPUs and may be looked at, by GPU and number."""
    found: dict[tuple[int, int], Process] = {}
    hardware = [each for each in gpus if each.get("kind") == "hardware"]
    if not hardware:
        return []
    for pid in _pids(listed(system, _KFD)):
        _compute(system, pid, hardware, found)
    by_address = {str(each.get("bdf")): each.index for each in hardware}
    for pid in _pids(listed(system, "/proc")):
        for told in _clients(system, pid):
            index = by_address.get(told.get("drm-pdev", ""))
            if index is not None and told.get("drm-driver") == "amdgpu":
                process = found.setdefault((index, pid), Process(index, pid))
                _add(process, told)
    for process in found.values():
        identify(system, process)
    return [found[key] for key in sorted(found)]


def _pids(names: Sequence[str]) -> list[int]:
    return [int(each) for each in names if each.isdecimal() and len(each) < 10]


def _compute(system: System, pid: int, gpus: Sequence[Gpu], found: dict[tuple[int, int], Process]) -> None:
    for gpu in gpus:
        held = _text(system, f"{_KFD}/{pid}/vram_{gpu.kfd}") if gpu.kfd else ""
        if held.isdecimal() and len(held) < 20:
            process = found.setdefault((gpu.index, pid), Process(gpu.index, pid, compute=True))
            process.vram_bytes = int(held)


def _clients(system: System, pid: int) -> Iterator[dict[str, str]]:
    """Keys of the fdinfo of each DRM client of a process, every client once."""
    seen = set()
    for number in listed(system, f"/proc/{pid}/fd"):
        try:
            if not system.link(f"/proc/{pid}/fd/{number}").startswith("/dev/dri/"):
                continue
        except OSError:
            continue
        told = _keys(_text(system, f"/proc/{pid}/fdinfo/{number}"))
        client = (told.get("drm-pdev"), told.get("drm-client-id"))
        if told.get("drm-driver") and client not in seen:
            seen.add(client)
            yield told


def _keys(told: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in told.splitlines())
    return {key: value.strip() for key, colon, value in pairs if colon and key.startswith("drm-")}


def _add(process: Process, told: dict[str, str]) -> None:
    vram = _bytes(told, "drm-memory-vram", "drm-resident-vram", "drm-total-vram")
    gtt = _bytes(told, "drm-memory-gtt", "drm-resident-gtt", "drm-total-gtt")
    if vram is not None and not process.compute:  # the compute driver's number holds this already
        process.vram_bytes = (process.vram_bytes or 0) + vram
    if gtt is not None:
        process.gtt_bytes = (process.gtt_bytes or 0) + gtt
    for key, value in told.items():
        time = _TIME.fullmatch(value)
        if key.startswith("drm-engine-") and time:
            engine = key.removeprefix("drm-engine-")[:16]
            process.engines[engine] = process.engines.get(engine, 0) + int(time[1])


def _bytes(told: dict[str, str], *names: str) -> int | None:
    for name in names:
        found = _SIZE.fullmatch(told.get(name, ""))
        if found:
            return int(found[1]) * _UNITS[found[2]]
    return None


def identify(system: System, process: Process) -> None:
    """Fill in a process's command, parent and owner."""
    here = f"/proc/{process.pid}"
    name = _text(system, f"{here}/comm")
    process.name = printable(name)[:64] if name else process.name
    # Fields of proc(5)'s stat behind the command, which may hold anything: state, parent.
    stat = _text(system, f"{here}/stat").rpartition(")")[2].split()
    process.parent = int(stat[1]) if len(stat) > 1 and stat[1].isdecimal() and len(stat[1]) < 10 else 0
    try:
        process.uid = system.stat(here).uid
    except OSError:
        process.uid = None


def use_since(before: Sequence[Process], now: Sequence[Process], seconds: float) -> None:
    """Fill in `use_percent` of processes that were there before."""
    if seconds <= 0:
        return
    old = {(each.gpu, each.pid): each.engines for each in before}
    for each in now:
        engines = old.get((each.gpu, each.pid))
        if engines is not None and each.engines:
            spent = max(each.engines.get(name, 0) - engines.get(name, 0) for name in each.engines)
            each.use_percent = round(min(100.0, max(0.0, spent / seconds / 1e7)), 1)


def owner(system: System, uid: int | None) -> str:
    """The name of a user, else the number."""
    if uid is None:
        return "?"
    for line in _text(system, "/etc/passwd").splitlines():
        parts = line.split(":")
        if len(parts) > 2 and parts[2] == str(uid):
            return printable(parts[0])[:32]
    return str(uid)


def _text(system: System, path: str) -> str:
    try:
        return text(system, path, 1 << 16) or ""
    except OSError:
        return ""
