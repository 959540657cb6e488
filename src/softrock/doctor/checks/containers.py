"""Containers"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.doctor import mends
from softrock.doctor.facts import Kind, container, gpus, wsl
from softrock.doctor.registry import Machine, Result, check, failure, not_applicable, ok, warning
from softrock.system.interface import exists, listed, text

_SMALL_SHARED = 1 << 30


@check("container-devices", "the GPUs are handed into the container")
def container_devices(machine: Machine) -> Iterator[Result]:
    """Which nodes are missing in a container on a host with GPUs, and the flags that hand them in."""
    inside = machine.fact(container)
    cards = [each for each in machine.fact(gpus) if each.driver == "amdgpu"]
    if inside is None:
        return
    kind = f"{inside.kind.value}{', rootless' if inside.rootless else ''}"
    if not cards:
        yield not_applicable(f"this is a container ({kind}) on a machine without AMD GPUs")
        return
    if machine.fact(wsl):
        return
    system = machine.system
    renders = [each for each in listed(system, "/dev/dri") if re.fullmatch(r"renderD\d{1,3}", each)]
    missing = [*([] if exists(system, "/dev/kfd") else ["/dev/kfd"]), *([] if renders else ["/dev/dri/renderD*"])]
    if missing:
        yield failure(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in this container ({kind})",
            why=f"the host has {len(cards)} AMD GPU{'s' if len(cards) > 1 else ''}; a container sees what it is given",
            mend=mends.run_again(machine), rank=10,
        )  # fmt: skip
        return
    given = [each for each in cards if each.render.removeprefix("/dev/dri/") in renders]
    number = f"{len(given)} of {len(cards)}" if given else f"{len(renders)}"
    yield ok(f"{number} GPUs of the host are in this container ({kind})")


@check("container-shared-memory", "shared memory is large enough for programs on several GPUs")
def shared_memory(machine: Machine) -> Iterator[Result]:
    """Size of /dev/shm in a container with several GPUs."""
    inside = machine.fact(container)
    if inside is None or len([each for each in machine.fact(gpus) if not each.integrated]) < 2:
        return
    try:
        mounts = text(machine.system, "/proc/self/mounts") or text(machine.system, "/proc/mounts") or ""
    except OSError:
        return
    found = re.search(r"^\S+ /dev/shm tmpfs \S*?\bsize=(\d{1,15})k\b", mounts, re.MULTILINE)
    if found and int(found[1]) << 10 < _SMALL_SHARED:
        flag = {
            Kind.KUBERNETES: "mount an emptyDir with medium: Memory at /dev/shm",
            Kind.DOCKER: "docker run --ipc=host …   # or --shm-size 16g",
            Kind.PODMAN: "podman run --ipc=host …   # or --shm-size 16g",
        }.get(inside.kind, "give the container a larger /dev/shm")
        yield warning(
            f"/dev/shm has {int(found[1]) >> 10} MiB", mend=(flag,),
            why="RCCL and the data loaders of PyTorch share memory there; bus errors follow when it is full",
        )  # fmt: skip
