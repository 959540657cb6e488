"""Device nodes and containers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.doctor.machines import Table, found, gpu, host, join, of

from softrock.doctor.facts.container import Kind, container
from softrock.doctor.registry import Machine, Result, Verdict
from softrock.doctor.summary import State
from softrock.system.tree import Tree


def _refused(*more: Table, groups: tuple[int, ...] = (44,)) -> Result:
    results, summary = found(host(groups=groups), gpu(), *more)
    (result,) = of(results, "kfd-open")
    assert result.verdict is Verdict.FAILURE
    assert summary.state is State.BROKEN
    assert summary.text == result.seen
    return result


def _kfd(**more: Any) -> Table:
    return {"files": {"/dev/kfd": {"kind": "character", "device": [235, 0], "mode": 0o660, "gid": 993, **more}}}


def test_not_in_the_group() -> None:
    result = _refused()
    assert "belongs to group 993 (render) with mode 660; this process has the groups 44, 1000" in result.seen
    assert result.mend[0] == "sudo usermod -aG render $USER"


def test_the_number_counts_and_not_the_name() -> None:
    group = {"files": {"/etc/group": "render:x:109:alice\nvideo:x:44:alice\n"}}
    result = _refused(group, groups=(44, 109))
    assert "group 993 with" in result.seen
    assert result.mend[:2] == ("sudo groupadd -g 993 gpu-993", "sudo usermod -aG gpu-993 $USER")


def test_a_login_that_is_older_than_the_membership() -> None:
    result = _refused({"files": {"/etc/group": "render:x:993:bob,alice\n"}})
    assert "lists you in it" in result.seen
    assert result.mend[0].startswith("newgrp render")


@pytest.mark.parametrize(
    ("release", "command"),
    [("ID=alpine\n", "sudo addgroup $USER render"), ("ID=nixos\n", 'users.users.NAME.extraGroups = [ "render" ];')],
)
def test_groups_are_joined_in_the_distributions_way(release: str, command: str) -> None:
    assert _refused({"files": {"/etc/os-release": release}}).mend[0].startswith(command)


def test_nodes_without_a_group() -> None:
    assert "udev" in " ".join(_refused(_kfd(gid=0, mode=0o600)).mend)


def test_refused_although_the_mode_allows() -> None:
    assert "security module" in _refused(_kfd(open="EPERM"), groups=(993,)).why
    assert "kernel's log" in _refused(_kfd(open="EIO"), groups=(993,)).why


def test_hostile_names_get_into_no_command() -> None:
    result = _refused({"files": {"/etc/group": "$(reboot):x:993:\n;x:x:993:alice\n"}})
    assert "reboot" not in " ".join([result.seen, *result.mend])


def test_access_by_a_list_alone() -> None:
    results, _ = found(host(groups=()), gpu(), _kfd(acl=["user:1000:rw-", "mask::rw-"]))
    assert of(results, "kfd-open")[0].verdict is Verdict.OK
    assert of(results, "access-lists")[0].verdict is Verdict.WARNING


def test_denials() -> None:
    line = 'audit: type=1400 avc:  denied  { read write } for pid=9 comm="python" name="kfd" dev="devtmpfs"\n'
    results, _ = found(host(), gpu(), {"commands": {"dmesg": line}})
    assert "SELinux refused" in of(results, "denials")[0].seen


DOCKER: Table = {"files": {"/.dockerenv": ""}}
PODMAN: Table = {"files": {"/run/.containerenv": "", "/proc/self/uid_map": "0 1000 1\n1 100000 65536\n",
                           "/proc/self/gid_map": "0 1000 1\n1 100000 65536\n"}}  # fmt: skip
LXC: Table = {"environment": {"container": "lxc"}}
KUBERNETES: Table = {"environment": {"KUBERNETES_SERVICE_HOST": "10.96.0.1"}}
APPTAINER: Table = {"environment": {"APPTAINER_CONTAINER": "/x.sif"}}


def _without_nodes(*tables: Table) -> Table:
    table = join(host(), gpu(), *tables)
    table["files"] = {path: each for path, each in table["files"].items() if not path.startswith("/dev/")}
    return table


@pytest.mark.parametrize(
    ("inside", "kind", "mend"),
    [
        (DOCKER, Kind.DOCKER, "docker run --device /dev/kfd --device /dev/dri --group-add $(stat -c %g /dev/kfd)"),
        (PODMAN, Kind.PODMAN, "podman run --device /dev/kfd --device /dev/dri --group-add keep-groups"),
        (LXC, Kind.LXC, "lxc.cgroup2.devices.allow = c 226:* rwm"),
        (KUBERNETES, Kind.KUBERNETES, "amd.com/gpu: 1"),
        (APPTAINER, Kind.APPTAINER, "apptainer exec --rocm"),
        ({"files": {"/proc/1/cgroup": "0::/system.slice/docker-1a2b.scope\n"}}, Kind.DOCKER, "docker run"),
    ],
)
def test_containers_without_the_nodes(inside: Table, kind: Kind, mend: str) -> None:
    table = _without_nodes(inside)
    known = Machine(Tree(table)).fact(container)
    assert known is not None
    assert known.kind is kind
    results, summary = found(table)
    (result,) = of(results, "container-devices")
    assert result.verdict is Verdict.FAILURE
    assert "/dev/kfd and /dev/dri/renderD* are not in this container" in result.seen
    assert mend in result.mend[0]
    assert summary.first == result.mend[0]


def test_a_container_with_another_number_for_the_group() -> None:
    group = {"files": {"/etc/group": "render:x:109:\n"}, "who": {"uid": 1000, "groups": [109]}}
    results, summary = found(host(), gpu(), DOCKER, group)
    (result,) = of(results, "kfd-open")
    assert result.mend == ("docker run --device /dev/kfd --device /dev/dri --group-add 993 IMAGE",)
    assert summary.state is State.BROKEN


def test_a_rootless_container_that_maps_no_group() -> None:
    nobody = {"files": {"/dev/kfd": {"kind": "character", "mode": 0o660, "gid": 65534, "uid": 65534, "open": "EACCES"}}}
    results, _ = found(host(), gpu(), PODMAN, nobody)
    (result,) = of(results, "kfd-open")
    assert "not mapped" in result.why
    assert "keep-groups" in result.mend[0]


def test_a_node_that_the_control_group_forbids() -> None:
    results, _ = found(host(groups=(993,)), gpu(), DOCKER, _kfd(open="EPERM"))
    (result,) = of(results, "kfd-open")
    assert "not allowed" in result.seen
    assert "docker run --device /dev/kfd" in result.mend[0]


def test_a_healthy_container_with_one_of_two_gpus() -> None:
    second = gpu("0000:04:00.0", node=None, minor=129)
    second["files"].pop("/dev/dri/renderD129")
    results, summary = found(host(), gpu(), second, DOCKER)
    assert summary.state is State.WORKS, [each for each in results if each.verdict is Verdict.FAILURE]
    assert "1 of 2 GPUs" in of(results, "container-devices")[0].seen
    assert summary.text == "1 GPU (gfx1100)"


def test_little_shared_memory() -> None:
    mounts = {"files": {"/proc/self/mounts": "shm /dev/shm tmpfs rw,nosuid,size=65536k 0 0\n"}}
    results, _ = found(host(), gpu(), gpu("0000:04:00.0", node=2, minor=129), DOCKER, mounts)
    assert "64 MiB" in of(results, "container-shared-memory")[0].seen


WSL: Table = {
    "platform": {"release": "5.15.153.1-microsoft-standard-WSL2"},
    "files": {"/dev/dxg": {"kind": "character", "mode": 0o666}, "/usr/lib/wsl/lib/libdxcore.so": "x"},
}


def test_wsl() -> None:
    results, summary = found(WSL, {"files": {"/opt/rocm/lib/librocdxg.so": "x"}, "environment": {
        "HSA_ENABLE_DXG_DETECTION": "1"}})  # fmt: skip
    assert summary.state is State.WORKS
    results, summary = found(WSL, {"files": {"/opt/rocm/lib/libhsa-runtime64.so": "x"}})
    assert summary.state is State.BROKEN
    assert "librocdxg" in summary.text
    results, summary = found({"platform": {"release": "5.15.153.1-microsoft-standard-WSL2"}})
    assert of(results, "wsl-device")[0].verdict is Verdict.FAILURE
