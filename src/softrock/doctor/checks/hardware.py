"""Hardware"""

from __future__ import annotations

from collections.abc import Iterator

from softrock.doctor.facts import gpus, wsl
from softrock.doctor.registry import Machine, Result, check, not_applicable, ok, unknown


@check("gpu-found", "AMD GPUs are on the PCI bus and their target is known")
def gpu_found(machine: Machine) -> Iterator[Result]:
    """Each GPU, by what it is known."""
    found = machine.fact(gpus)
    if not found and not machine.fact(wsl):
        yield not_applicable("no AMD GPU on the PCI bus")
    for each in found:
        if each.gfx:
            kind = "integrated, " if each.integrated else ""
            yield ok(f"{each.title}: {kind}target from {each.told}", gpu=each.address)
        else:
            yield unknown(
                f"{each.title}: PCI id 1002:{each.device:04x} is not known here",
                why="whether libraries hold code for it cannot be told", gpu=each.address,
            )  # fmt: skip
