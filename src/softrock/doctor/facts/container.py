"""Whether this runs in a container, and in which kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from softrock.doctor.facts.reading import line
from softrock.doctor.registry import Machine
from softrock.system.interface import System, exists, text


class Kind(StrEnum):
    """Kinds of containers."""

    DOCKER = "docker"
    PODMAN = "podman"
    LXC = "lxc"
    KUBERNETES = "kubernetes"
    APPTAINER = "apptainer"
    TOOLBOX = "toolbox"
    NSPAWN = "systemd-nspawn"
    FLATPAK = "flatpak"
    SNAP = "snap"
    OTHER = "container"


@dataclass(frozen=True)
class Container:
    """A container.

    Attributes:
        kind: of which kind.
        rootless: ids inside are mapped: its root is a common user of the host.
        uids, gids: lines of the id maps: first id inside, first outside, how many.
    """

    kind: Kind
    rootless: bool = False
    uids: tuple[tuple[int, int, int], ...] = ()
    gids: tuple[tuple[int, int, int], ...] = ()


def container(machine: Machine) -> Container | None:
    """The container that this runs in; None where it is none."""
    system = machine.system
    kind = _kind(system)
    if kind is None:
        return None
    uids, gids = _map(system, "uid_map"), _map(system, "gid_map")
    whole = ((0, 0, 4294967295),)
    return Container(kind, bool(uids) and uids != whole, uids, gids)


def _kind(system: System) -> Kind | None:
    variables = system.environment
    if "KUBERNETES_SERVICE_HOST" in variables or exists(system, "/var/run/secrets/kubernetes.io"):
        return Kind.KUBERNETES
    if "APPTAINER_CONTAINER" in variables or "SINGULARITY_CONTAINER" in variables or exists(system, "/.singularity.d"):
        return Kind.APPTAINER
    if exists(system, "/run/.toolboxenv") or "DISTROBOX_ENTER_PATH" in variables:
        return Kind.TOOLBOX
    if exists(system, "/run/.containerenv"):
        return Kind.PODMAN
    if exists(system, "/.dockerenv"):
        return Kind.DOCKER
    if exists(system, "/.flatpak-info"):
        return Kind.FLATPAK
    if "SNAP" in variables and "SNAP_NAME" in variables:
        return Kind.SNAP
    return _told(system, variables.get("container", "") or line(system, "/run/systemd/container"))


def _told(system: System, named: str) -> Kind | None:
    """The kind by the name that a manager left, else by control groups."""
    for name, kind in (
        ("lxc", Kind.LXC), ("incus", Kind.LXC), ("podman", Kind.PODMAN), ("docker", Kind.DOCKER),
        ("nspawn", Kind.NSPAWN), ("flatpak", Kind.FLATPAK), ("oci", Kind.PODMAN),
    ):  # fmt: skip
        if name in named:
            return kind
    groups = ""
    for path in ("/proc/1/cgroup", "/proc/self/cgroup"):
        try:
            groups += text(system, path, 1 << 16) or ""
        except OSError:
            continue
    for pattern, kind in (
        (r"kubepods", Kind.KUBERNETES), (r"/docker[-/]", Kind.DOCKER), (r"libpod|/podman", Kind.PODMAN),
        (r"/lxc[./]", Kind.LXC), (r"containerd", Kind.OTHER),
    ):  # fmt: skip
        if re.search(pattern, groups):
            return kind
    return Kind.OTHER if named and named not in ("wsl", "none") else None


def _map(system: System, name: str) -> tuple[tuple[int, int, int], ...]:
    try:
        told = text(system, f"/proc/self/{name}", 1 << 14) or ""
    except OSError:
        return ()
    lines = [each.split() for each in told.splitlines()]
    return tuple(
        (int(each[0]), int(each[1]), int(each[2]))
        for each in lines
        if len(each) == 3 and all(word.isascii() and word.isdecimal() for word in each)
    )
