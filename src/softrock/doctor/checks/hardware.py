"""Hardware"""

from __future__ import annotations

from collections.abc import Iterator

from softrock.doctor.facts import driven, gpus, wsl
from softrock.doctor.registry import Machine, Result, check, limit, not_applicable, ok, unknown, warning

_VISIBLE = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")


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


@check("integrated-first", "programs that take the first GPU take the right one")
def integrated_first(machine: Machine) -> Iterator[Result]:
    """Integrated GPUs beside cards: ROCm counts in the order of KFD's nodes."""
    nodes = sorted((each for each in machine.fact(driven) if each.node is not None), key=lambda each: each.node or 0)
    cards = [each for each in nodes if not each.integrated]
    inner = [each for each in nodes if each.integrated and each.gfx != "gfx942"]
    if not cards or not inner:
        return
    variables = machine.system.environment
    if any(variables.get(name, "").strip() for name in _VISIBLE):
        yield ok("which GPUs programs see is set by the environment")
        return
    by_name = all(each.uuid for each in cards)
    chosen = ",".join(each.uuid if by_name else str(nodes.index(each)) for each in cards)
    told = ", ".join(f"{at}: {each.title}" for at, each in enumerate(nodes))
    first = nodes[0].integrated
    yield (limit if first else warning)(
        f"the integrated GPU is {'the first' if first else 'one'} of the devices: {told}", rank=28 if first else 52,
        why="programs for the card's target crash there (invalid device function), and some split work over all GPUs",
        mend=(f"export HIP_VISIBLE_DEVICES={chosen}",),
    )  # fmt: skip
