"""Device nodes"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from softrock.doctor import mends
from softrock.doctor.facts import Kind, container, gpus, kernel_log, wsl
from softrock.doctor.registry import Machine, Result, check, failure, limit, ok, unknown, warning
from softrock.system.interface import Stat, System, exists

_KFD = "/dev/kfd"
_NOBODY = 65534
_RULE = (
    'echo \'KERNEL=="kfd", GROUP="render", MODE="0660"\' | sudo tee /etc/udev/rules.d/70-kfd.rules',
    "sudo udevadm control --reload",
    "sudo udevadm trigger --action=add /dev/kfd",
)
_RENDER_RULE = (
    'echo \'SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="render", MODE="0660"\' '
    "| sudo tee /etc/udev/rules.d/70-render.rules",
    "sudo udevadm control --reload",
    "sudo udevadm trigger --action=add --subsystem-match=drm",
)
_DENIED = re.compile(r"(avc: +denied|apparmor=\"DENIED\").{0,400}?(kfd|renderD\d+|/dev/dri|hsa_device_t|dri_device_t)")


def _usable(machine: Machine) -> bool:
    """There is something whose nodes should be there: a GPU with the driver."""
    return not machine.fact(wsl) and any(each.driver == "amdgpu" for each in machine.fact(gpus))


@check("kfd-open", "the compute device /dev/kfd can be opened")
def kfd_open(machine: Machine) -> Iterator[Result]:
    """Open /dev/kfd; where that is refused, say which number is missing where."""
    if not _usable(machine):
        return
    system = machine.system
    if not exists(system, _KFD):
        if machine.fact(container):
            return  # container-devices tells how to hand it in
        if exists(system, "/sys/class/kfd"):
            yield failure(
                "/dev/kfd is missing although the kernel has it", why="ROCm opens it first of all", rank=12,
                mend=("sudo udevadm trigger --action=add --subsystem-match=kfd",),
            )  # fmt: skip
        return
    yield _opened(machine, _KFD, "")


@check("render-open", "the render node of each GPU can be opened")
def render_open(machine: Machine) -> Iterator[Result]:
    """Open each GPU's render node."""
    if not _usable(machine):
        return
    inside = machine.fact(container) is not None
    for each in machine.fact(gpus):
        if each.driver != "amdgpu":
            continue
        if each.render and exists(machine.system, each.render):
            yield _opened(machine, each.render, each.address)
        elif not inside:
            yield failure(
                f"{each.title} has no render node in /dev/dri", gpu=each.address, rank=14,
                why="memory of the GPU is reached through it",
                mend=("sudo udevadm trigger --action=add --subsystem-match=drm",),
            )  # fmt: skip


def _opened(machine: Machine, path: str, address: str) -> Result:
    system = machine.system
    try:
        system.open(path)
    except OSError as error:
        return _refused(machine, path, address, error)
    try:
        told = system.stat(path)
    except OSError:
        return ok(f"{path} can be opened", gpu=address)
    owner = mends.group_name(system, told.gid)
    group = f"{told.gid} ({owner})" if owner else str(told.gid)
    return ok(f"{path} can be opened (group {group}, mode {told.mode:o})", gpu=address)


def _refused(machine: Machine, path: str, address: str, error: OSError) -> Result:
    """Why a node that is there cannot be opened."""
    system = machine.system
    rank = 15 if path == _KFD else 16
    why = "ROCm opens this node for reading and writing; without it there is no GPU for programs"
    reason = errno.errorcode.get(error.errno or 0, "an error")
    try:
        told = system.stat(path)
    except OSError:
        return failure(f"{path} cannot be opened ({reason})", why=why, rank=rank, gpu=address)
    inside = machine.fact(container)
    owner = mends.group_name(system, told.gid)
    group = f"{told.gid} ({owner})" if owner else str(told.gid)
    have = ", ".join(map(str, sorted(system.who.groups)[:40]))
    if error.errno not in (errno.EACCES, errno.EPERM):
        return failure(
            f"{path} cannot be opened: {reason}", why="the driver refused; its reason stands in the kernel's log",
            mend=("sudo dmesg | grep -iE 'amdgpu|kfd' | tail -n 50",), rank=rank, gpu=address,
        )  # fmt: skip
    if inside is not None:
        return _refused_inside(machine, path, address, told, error, group, have)
    if error.errno == errno.EPERM or _may(system, told):
        return failure(
            f"{path}: {reason}, although owner, group {group} and mode {told.mode:o} allow it", rank=rank, gpu=address,
            why="a security module (SELinux, AppArmor), a control group or a sandbox of the service refuses it",
            mend=("sudo ausearch -m avc,apparmor -ts recent", "systemctl show -p DeviceAllow -p PrivateDevices UNIT"),
        )  # fmt: skip
    if told.gid == 0 or told.mode & 0o060 != 0o060:
        return failure(
            f"{path} belongs to group {group} with mode {told.mode:o}: no group of users may open it", why=why,
            mend=_RULE if path == _KFD else _RENDER_RULE, rank=rank, gpu=address,
        )  # fmt: skip
    name = mends.user_name(system)
    listed = any(number == told.gid and name in members for _, number, members in mends.groups(system))
    if name and listed:
        return failure(
            f"{path} belongs to group {group}; /etc/group lists you in it, but this process has only {have}",
            why="a login that is older than the membership does not have it", rank=rank, gpu=address,
            mend=(f"newgrp {owner}   # or log out and in again, or: sudo loginctl terminate-user $USER",),
        )  # fmt: skip
    join = mends.join(machine, owner or str(told.gid))
    if not owner:
        join = (f"sudo groupadd -g {told.gid} gpu-{told.gid}", *mends.join(machine, f"gpu-{told.gid}"))
    return failure(
        f"{path} belongs to group {group} with mode {told.mode:o}; this process has the groups {have}",
        why=why + ". What counts is the number of the group, not its name", mend=join, rank=rank, gpu=address,
    )  # fmt: skip


def _refused_inside(
    machine: Machine, path: str, address: str, told: Stat, error: OSError, group: str, have: str
) -> Result:
    """Why a node cannot be opened in a container."""
    rank = 15 if path == _KFD else 16
    inside = machine.fact(container)
    assert inside is not None
    if error.errno == errno.EPERM:
        return failure(
            f"{path} is in the container but may not be opened (EPERM): the device is not allowed there", rank=rank,
            why="a bind mount of /dev is not enough: the container's control group must allow the device",
            mend=mends.run_again(machine, told.gid), gpu=address,
        )  # fmt: skip
    if _may(machine.system, told):
        return failure(
            f"{path}: EACCES, although group {group} and mode {told.mode:o} allow it", rank=rank, gpu=address,
            why="SELinux or AppArmor of the host refuses it to the container",
            mend=("sudo setsebool -P container_use_devices=true", *mends.run_again(machine, told.gid)),
        )  # fmt: skip
    why = "the number of the host's group counts; a group of that name in the image may have another number"
    if told.gid == _NOBODY and inside.rootless:
        why = "the host's group is not mapped into this rootless container, so it shows as 65534 (nobody)"
    if inside.kind is Kind.TOOLBOX:
        return failure(
            f"{path} belongs to group {group}; this process has the groups {have}", why=why, rank=rank, gpu=address,
            mend=("on the host: sudo usermod -aG render,video $USER", "log out and in again"),
        )  # fmt: skip
    return failure(
        f"{path} belongs to group {group} with mode {told.mode:o}; this process has the groups {have}", why=why,
        mend=mends.run_again(machine, told.gid), rank=rank, gpu=address,
    )  # fmt: skip


def _may(system: System, told: Stat) -> bool:
    """Whether owner, group and mode alone let this process read and write."""
    who = system.who
    if who.uid == 0 or (told.uid == who.uid and told.mode & 0o600 == 0o600):
        return True
    return told.mode & (0o060 if told.gid in who.groups else 0o006) in (0o060, 0o006)


@check("kfd-version", "the kernel's compute interface answers")
def kfd_version(machine: Machine) -> Iterator[Result]:
    """Ask /dev/kfd for its version."""
    if not _usable(machine) or not exists(machine.system, _KFD):
        return
    try:
        told = machine.system.query(_KFD, "kfd-version")
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTTY):
            yield unknown(f"/dev/kfd does not tell its version ({errno.errorcode.get(error.errno or 0, 'error')})")
        return
    major, minor = (int.from_bytes(told[at : at + 4], "little") for at in (0, 4))
    if major == 1 and minor < 10:
        yield limit(
            f"KFD interface {major}.{minor} is old", why="ROCm 6 and later expect 1.10 or newer",
            mend=("use a newer kernel, or the amdgpu-dkms driver",),
        )  # fmt: skip
    else:
        yield ok(f"KFD interface {major}.{minor}")


@check("access-lists", "access to the nodes does not depend on who sits at the screen")
def access_lists(machine: Machine) -> Iterator[Result]:
    """Render nodes are often open to the user at the screen by an access list alone: not over SSH or in services."""
    system = machine.system
    if not _usable(machine) or system.who.uid == 0 or machine.fact(container):
        return
    for path in [_KFD, *(each.render for each in machine.fact(gpus) if each.render)]:
        try:
            told = system.stat(path)
        except OSError:
            continue
        mine = any(each.startswith(f"user:{system.who.uid}:") for each in told.acl)
        if mine and not _may(system, told):
            owner = mends.group_name(system, told.gid)
            yield warning(
                f"{path} is open to you by an access list that your login at the screen set",
                why="services, SSH sessions and scheduled jobs of yours are refused; membership of the group is not",
                mend=mends.join(machine, owner or str(told.gid)),
            )  # fmt: skip


@check("denials", "no security module refused a GPU's node")
def denials(machine: Machine) -> Iterator[Result]:
    """SELinux and AppArmor denials in the kernel's log."""
    if not _usable(machine):
        return
    found = [each for each in machine.fact(kernel_log).lines if "denied" in each.lower() and _DENIED.search(each)]
    if not found:
        return
    apparmor = "apparmor" in found[-1].lower()
    mend = (
        ("sudo aa-status", "sudo aa-complain PROFILE   # the profile that the line names")
        if apparmor
        else ("sudo setsebool -P container_use_devices=true   # for containers", "sudo ausearch -m avc -ts boot")
    )
    yield warning(
        f"{'AppArmor' if apparmor else 'SELinux'} refused a GPU's node {len(found)} times, last: {found[-1]}",
        why="programs under that policy find no GPU", mend=mend,
    )  # fmt: skip
