"""Memory"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.doctor import mends
from softrock.doctor.facts import Gpu, driven, driver
from softrock.doctor.facts.reading import line, number
from softrock.doctor.facts.versions import pair
from softrock.doctor.registry import Machine, Result, check, limit, ok, unknown, warning
from softrock.system.interface import text

_GIB = 1 << 30
_FULL = 0.9
_SMALL = 2 * _GIB
_LARGE = 48 * _GIB
_BAR = re.compile(r"0x([0-9a-f]{1,16}) 0x([0-9a-f]{1,16}) 0x[0-9a-f]{1,16}")


def size(count: int) -> str:
    """Bytes as GiB, ``23.98 GiB``; small ones as MiB."""
    return f"{count / _GIB:.2f} GiB" if count >= _GIB else f"{count >> 20} MiB"


def system_memory(machine: Machine) -> int:
    """Bytes of the system's memory that Linux has (a carve-out is not among them); 0 where that is not told."""
    try:
        told = text(machine.system, "/proc/meminfo", 1 << 14) or ""
    except OSError:
        return 0
    found = re.search(r"^MemTotal:\s+(\d{1,12}) kB", told, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


@check("memory", "the memory of each GPU is known")
def memory(machine: Machine) -> Iterator[Result]:
    """Cards have their own; integrated GPUs a carve-out, and pages of the system (GTT) beside it, never the sum of both
    and the system's."""
    total = machine.fact(system_memory)
    for each in machine.fact(driven):
        if not each.vram:
            if each.card:
                yield unknown(f"{each.title}: the driver does not tell its memory", gpu=each.address)
        elif not each.integrated:
            told = f"{each.title}: {size(each.vram)} of its own, and it may map {size(each.gtt)} of the system's"
            yield ok(told, gpu=each.address)
        else:
            yield from _shared(machine, each, total)


def _shared(machine: Machine, card: Gpu, total: int) -> Iterator[Result]:
    """An integrated GPU: what it may use goes by the kernel."""
    told = f"{card.title}: {size(card.vram)} set aside (VRAM), up to {size(card.gtt)} of the system's pages (GTT)"
    whole = f"; the system has {size(total)}" if total else ""
    release = pair(machine.system.platform[1]) or (0, 0)
    if card.gfx == "gfx942":
        yield ok(f"{told}: all memory is one", gpu=card.address)
    elif release < (6, 10) and card.vram < _SMALL and all(each.integrated for each in machine.fact(driven)):
        yield limit(
            f"{told}{whole}; before Linux 6.10 programs get the part set aside alone", rank=32, gpu=card.address,
            why="hipMalloc fails with hipErrorOutOfMemory beyond it",
            mend=("raise the UMA frame buffer size in the BIOS", "or use Linux 6.10 or newer (takes system pages)"),
        )  # fmt: skip
    else:
        usable = max(card.vram, card.gtt) if release >= (6, 10) else card.vram
        yield ok(
            f"{told}{whole}; programs can use about {size(usable)}: the two must not be added up", gpu=card.address
        )
        if release >= (6, 10) and card.gfx.startswith("gfx115") and total > _LARGE and card.gtt <= total * 0.55:
            pages = int(total * 0.85) >> 12
            module = "amdttm" if machine.fact(driver).kind == "dkms" else "ttm"  # ROCm#5595
            yield warning(
                f"{card.title}: GTT is limited to {size(card.gtt)} of {size(total)}", rank=60, gpu=card.address,
                why="large models may take more of it; half of the memory is the default",
                mend=mends.kernel_parameter(machine, f"{module}.pages_limit={pages}"),
            )  # fmt: skip


@check("memory-free", "each GPU's memory is not full")
def memory_free(machine: Machine) -> Iterator[Result]:
    """Memory that is in use now."""
    for each in machine.fact(driven):
        used = number(machine.system, f"{each.path}/mem_info_vram_used")
        if each.integrated or not each.vram or used is None:
            continue
        free = max(each.vram - used, 0)
        if used > each.vram * _FULL:
            yield warning(
                f"{each.title}: {size(free)} of {size(each.vram)} are free", why="programs run out of memory",
                mend=("softrock smi process   # shows who uses it",), gpu=each.address, rank=46,
            )  # fmt: skip
        else:
            yield ok(f"{each.title}: {size(free)} of {size(each.vram)} are free", gpu=each.address)


@check("large-bar", "the processor can address all memory of each card")
def large_bar(machine: Machine) -> Iterator[Result]:
    """Resizable BAR: by what the driver says, else by the size of the PCI window."""
    cards = [each for each in machine.fact(driven) if not each.integrated and each.vram]
    for each in cards:
        window = each.visible or _window(machine, each)
        if not window:
            continue
        if window >= each.vram * 0.95:
            yield ok(f"{each.title}: the processor addresses all of its memory (large BAR)", gpu=each.address)
            continue
        several = len(cards) > 1
        yield (limit if several else warning)(
            f"{each.title}: the processor addresses {size(window)} of {size(each.vram)} (small BAR)",
            why="copies between GPUs go through the system's memory" if several else "some copies are slower",
            mend=("in the BIOS: switch on Above 4G Decoding and Resizable BAR (Smart Access Memory), and CSM off",),
            gpu=each.address, rank=33,
        )  # fmt: skip


def _window(machine: Machine, card: Gpu) -> int:
    """Size of the first PCI memory region."""
    found = _BAR.match(line(machine.system, f"{card.path}/resource"))
    return max(int(found[2], 16) - int(found[1], 16) + 1, 0) if found else 0


@check("numa-balancing", "Linux does not move pages under the feet of several accelerators")
def numa_balancing(machine: Machine) -> Iterator[Result]:
    """Automatic NUMA balancing on machines with several Instinct cards."""
    cards = [each for each in machine.fact(driven) if each.gfx in ("gfx908", "gfx90a", "gfx942", "gfx950")]
    if len(cards) > 1 and number(machine.system, "/proc/sys/kernel/numa_balancing") == 1:
        yield warning(
            "automatic NUMA balancing is on", why="it unmaps pages that GPUs use; AMD's guides switch it off", rank=55,
            mend=("echo 0 | sudo tee /proc/sys/kernel/numa_balancing",),
        )  # fmt: skip
