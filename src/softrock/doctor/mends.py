"""Commands that mend, made of fixed words and numbers for the distribution at hand; nothing that was read gets in."""

from __future__ import annotations

import re

from softrock.doctor.facts import container, distribution
from softrock.doctor.facts.container import Kind
from softrock.doctor.registry import Machine
from softrock.system.interface import System, text

_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_PARAMETER = re.compile(r"[a-z0-9_.]+=[a-z0-9_.]+")


def install(machine: Machine, **packages: str) -> tuple[str, ...]:
    """Install a package, named by family of distributions (`Distribution.install`)."""
    return machine.fact(distribution).install(**packages)


def kernel_parameter(machine: Machine, *settings: str) -> tuple[str, ...]:
    """Add parameters (``iommu=pt``) to the kernel's command line, and start anew."""
    assert all(_PARAMETER.fullmatch(each) for each in settings)
    setting = " ".join(settings)
    family = machine.fact(distribution).family
    grub = f"sudo sed -i 's/^GRUB_CMDLINE_LINUX_DEFAULT=\"/&{setting} /' /etc/default/grub"
    ways = {
        "apt": (grub, "sudo update-grub"),
        "dnf": (f'sudo grubby --update-kernel=ALL --args="{setting}"',),
        "zypper": (grub, "sudo grub2-mkconfig -o /boot/grub2/grub.cfg"),
        "pacman": (grub, "sudo grub-mkconfig -o /boot/grub/grub.cfg"),
        "nix": (f'add boot.kernelParams = [ "{setting}" ]; to /etc/nixos/configuration.nix', "sudo nixos-rebuild boot"),
    }  # fmt: skip
    return (*ways.get(family, (f"add {setting} to the kernel's command line in the boot loader",)), "sudo reboot")


def initramfs(machine: Machine) -> tuple[str, ...]:
    """Write the early file system anew, which holds modules and firmware."""
    ways = {
        "apt": "sudo update-initramfs -u", "dnf": "sudo dracut --force", "zypper": "sudo dracut --force",
        "pacman": "sudo mkinitcpio -P", "apk": "sudo mkinitfs",
    }  # fmt: skip
    command = ways.get(machine.fact(distribution).family)
    return (command,) if command else ()


def firmware(machine: Machine) -> tuple[str, ...]:
    """Install the newest firmware files, and start anew."""
    nix = "set hardware.enableRedistributableFirmware = true; in /etc/nixos/configuration.nix, then: "
    if machine.fact(distribution).family == "nix":
        return (nix + "sudo nixos-rebuild boot", "sudo reboot")
    debian = machine.fact(distribution).id == "debian"
    got = install(
        machine, apt="firmware-amd-graphics" if debian else "linux-firmware", dnf="amd-gpu-firmware",
        zypper="kernel-firmware-amdgpu", pacman="linux-firmware-amdgpu", apk="linux-firmware-amdgpu",
        any="linux-firmware",
    )  # fmt: skip
    return (*got, *initramfs(machine), "sudo reboot")


def join(machine: Machine, group: str) -> tuple[str, ...]:
    """Make who looks a member of a group, by a sound name or a number."""
    assert _NAME.fullmatch(group) or group.isdecimal()
    again = "log out and in again" + (f" (in a running shell: newgrp {group})" if not group.isdecimal() else "")
    ways = {
        "apk": f"sudo addgroup $USER {group}",
        "nix": f'users.users.NAME.extraGroups = [ "{group}" ]; in /etc/nixos/configuration.nix, then: '
        "sudo nixos-rebuild switch",
    }
    return (ways.get(machine.fact(distribution).family, f"sudo usermod -aG {group} $USER"), again)


def group_name(system: System, gid: int) -> str:
    """Name of a group by its number, from /etc/group; empty where it has none that may stand in a command."""
    return next((name for name, number, _ in groups(system) if number == gid), "")


def groups(system: System) -> list[tuple[str, int, tuple[str, ...]]]:
    """Groups of /etc/group whose names are sound: name, number, members."""
    try:
        told = text(system, "/etc/group") or ""
    except OSError:
        return []
    found = []
    for each in told.splitlines()[:5000]:
        parts = each.split(":")
        if len(parts) == 4 and _NAME.fullmatch(parts[0]) and re.fullmatch(r"[0-9]{1,10}", parts[2]):
            found.append((parts[0], int(parts[2]), tuple(parts[3].split(","))))
    return found


def user_name(system: System) -> str:
    """Name of who looks, from /etc/passwd; empty where it has none."""
    try:
        told = text(system, "/etc/passwd") or ""
    except OSError:
        return ""
    for each in told.splitlines()[:5000]:
        parts = each.split(":")
        if len(parts) == 7 and parts[2] == str(system.who.uid) and _NAME.fullmatch(parts[0]):
            return parts[0]
    return ""


def run_again(machine: Machine, gid: int | None = None) -> tuple[str, ...]:
    """How to start the container that this runs in with the GPUs.

    Args:
        gid: number of the group that owns the devices, as it is seen here; None where they are not here.
    """
    inside = machine.fact(container)
    kind = inside.kind if inside else Kind.OTHER
    group = "$(stat -c %g /dev/kfd)" if gid is None or gid == 65534 else str(gid)
    devices = "--device /dev/kfd --device /dev/dri"
    rootless = inside is not None and inside.rootless
    if kind is Kind.KUBERNETES:
        return (
            "in the pod's container: resources: {limits: {amd.com/gpu: 1}} (needs the AMD GPU device plugin)",
            "and in the pod: securityContext: {supplementalGroups: [GID]}, GID being what the node says to: "
            "stat -c %g /dev/kfd",
        )
    if kind is Kind.APPTAINER:
        return ("apptainer exec --rocm IMAGE COMMAND",)
    if kind is Kind.LXC:
        return (
            "on the host, into the container's configuration: lxc.cgroup2.devices.allow = c 226:* rwm",
            "and: lxc.cgroup2.devices.allow = c MAJOR:0 rwm, MAJOR being what the host says to: stat -c %Hr /dev/kfd",
            "and: lxc.mount.entry = /dev/kfd dev/kfd none bind,optional,create=file",
            "and: lxc.mount.entry = /dev/dri dev/dri none bind,optional,create=dir",
            "or, with Incus: incus config device add CONTAINER gpu gpu gid=GID, GID being the number of the group "
            "render in the container",
        )
    if kind is Kind.PODMAN or (kind is Kind.TOOLBOX and rootless):
        keep = "keep-groups" if rootless else group
        return (f"podman run {devices} --group-add {keep} --security-opt label=disable IMAGE",)
    if kind is Kind.NSPAWN:
        return ("systemd-nspawn --bind=/dev/kfd --bind=/dev/dri --property=DeviceAllow='char-drm rw' -D FOLDER",)
    if kind in (Kind.FLATPAK, Kind.SNAP):
        return ("run it outside of the sandbox: flatpak and snap do not hand /dev/kfd on",)
    return (f"docker run {devices} --group-add {group} IMAGE",)
