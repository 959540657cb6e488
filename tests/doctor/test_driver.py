"""What keeps the driver from a GPU, and what the kernel's log tells."""

from __future__ import annotations

import re
import tomllib
from importlib import resources

import pytest
from tests.doctor.machines import ARCH, FEDORA, GIB, UBUNTU, Table, apu, found, gpu, host, join, of

from softrock.doctor.checks.kernel_log import signs
from softrock.doctor.facts.driver import driver
from softrock.doctor.facts.versions import first_kernels, pair, releases
from softrock.doctor.registry import Machine, Result, Verdict
from softrock.doctor.summary import State
from softrock.system.tree import Tree

NO_DRIVER = gpu(driver="", node=None)


def _unloaded(release: str = UBUNTU, **more: Table) -> tuple[Result, State]:
    table = join(host(release), NO_DRIVER, more)
    table["files"] = {k: v for k, v in table["files"].items() if "module/amdgpu" not in k and "kfd" not in k}
    results, summary = found(table)
    (result,) = of(results, "driver-loaded")
    assert result.verdict is Verdict.FAILURE
    assert summary.text == result.seen
    assert summary.first == result.mend[0]
    return result, summary.state


@pytest.mark.parametrize(
    ("more", "seen", "mend"),
    [
        ({}, "amdgpu is not loaded", "sudo modprobe amdgpu"),
        ({"files": {"/proc/cmdline": "quiet nomodeset\n"}}, "started with nomodeset", "command line"),
        ({"files": {"/etc/modprobe.d/x.conf": "# y\nblacklist amdgpu\n"}}, "/etc/modprobe.d/x.conf forbids", "grep"),
        ({"commands": {"module-amdgpu": {"status": 1, "error": "not found"}}}, "has no module amdgpu",
         'sudo apt install "linux-modules-extra-$(uname -r)"'),
        ({"commands": {"module-amdgpu": "filename: /lib/modules/x/updates/dkms/amdgpu.ko\n",
                       "secure-boot": "SecureBoot enabled\n"}}, "Secure Boot", "mokutil --import"),
        ({"commands": {"dkms": "amdgpu/6.12.12, 6.8.0-49-generic, x86_64: installed\n"},
          "files": {"/var/lib/dkms/amdgpu/6.12.12/build/make.log": "CC x.o\nx.c:1:2: error: no member 'y'\nother\n"}},
         "not built for the running kernel 6.14.0-29-generic: x.c:1:2: error: no member 'y'",
         "sudo apt purge amdgpu-dkms"),
        ({"files": {"/.dockerenv": ""}}, "the host has not loaded amdgpu", "on the host"),
    ],
)  # fmt: skip
def test_why_the_driver_is_not_loaded(more: Table, seen: str, mend: str) -> None:
    result, state = _unloaded(**more)
    assert state is State.BROKEN
    assert seen in result.seen
    assert mend in result.mend[0]


def test_mends_follow_the_distribution() -> None:
    missing = {"commands": {"module-amdgpu": {"status": 1, "error": "not found"}}}
    assert _unloaded(FEDORA, **missing)[0].mend[0] == 'sudo dnf install "kernel-modules-extra-$(uname -r)"'
    assert _unloaded(ARCH, **missing)[0].mend[0] == "sudo pacman -S linux"


def test_a_driver_of_dkms() -> None:
    told = {
        "commands": {
            "module-amdgpu": "filename:       /lib/modules/6.8/updates/dkms/amdgpu.ko.zst\nversion:        6.12.12\n"
            "signer:         wonderland Secure Boot Module Signature key\nsrcversion:     ABC\n",
            "dkms": "amdgpu/6.12.12-2164967.24.04, 6.14.0-29-generic, x86_64: installed\n",
        },
        "files": {
            "/sys/module/amdgpu/version": "6.12.12\n",
            "/sys/module/amdgpu/srcversion": "DEF\n",
            "/opt/rocm-6.4.1/.info/version": "6.4.1-83\n",
            "/opt/rocm-7.2.0/.info/version": "7.2.0-1\n",
        },
    }
    table = join(host(), gpu(), told)
    known = Machine(Tree(table)).fact(driver)
    assert (known.kind, known.version, known.loaded) == ("dkms", "6.12.12", True)
    results, summary = found(table)
    assert of(results, "dkms")[0].verdict is Verdict.OK
    seen = {each.seen: each for each in of(results, "driver-version")}
    assert seen["the running amdgpu is not the one on disk"].verdict is Verdict.WARNING
    assert any("6.4 in /opt/rocm-6.4.1 belong together" in each for each in seen)
    assert not summary.status
    old = join(table, {"files": {"/sys/module/amdgpu/version": "6.8.5\n"}})
    results, summary = found(old)
    assert [each for each in of(results, "driver-version") if each.limits and "more than a year apart" in each.seen]
    assert summary.state is State.LIMITED


def test_dkms_that_was_not_built_while_the_kernel_has_a_driver() -> None:
    told = {"commands": {"dkms": "amdgpu/6.12.12, 6.8.0-49-generic, x86_64: installed\n"}}
    results, summary = found(host(), gpu(), told)
    assert of(results, "dkms")[0].verdict is Verdict.WARNING
    assert summary.state is State.WORKS


def test_a_card_that_is_no_compute_device() -> None:
    log = "[    4.2] kfd kfd: amdgpu: skipped device 1002:744c, PCI rejects atomics 730<0\n"
    line = "[    4.2] amdgpu 0000:03:00.0: kfd: skipped device, PCI rejects atomics\n"
    for each in (log, line):
        results, summary = found(host(), gpu(node=None), {"commands": {"dmesg": each}})
        assert summary.state is State.BROKEN
        assert "atomic operations" in summary.text
        assert "is no compute device: the PCIe slot" in of(results, "compute-device")[0].seen
    _, summary = found(host(), gpu(node=None), apu(node=1), {"commands": {"dmesg": line}})
    assert summary.state is State.LIMITED, "the other GPU works"
    assert "slot" in summary.first


def test_a_card_that_is_newer_than_the_kernel() -> None:
    old = {"platform": {"release": "5.15.0-100-generic"}}
    _, summary = found(host(), gpu(device=0x7550, driver="", node=None, revision=0xC0), old)
    assert "Linux 5.15 is older than the GPU" in summary.text
    assert summary.first == "sudo apt install linux-generic-hwe-24.04"


def test_cards_for_virtual_machines() -> None:
    _, summary = found(host(), gpu(driver="vfio-pci", node=None))
    assert summary.state is State.BROKEN
    _, summary = found(host(), gpu(), gpu("0000:04:00.0", driver="vfio-pci", node=None))
    assert summary.state is State.WORKS


def test_firmware_that_is_known_to_be_bad() -> None:
    strix = gpu("0000:c4:00.0", 0x1586, 1, 110501, vram=GIB)
    path = "/sys/bus/pci/devices/0000:c4:00.0/fw_version/mes_fw_version"
    package = {"commands": {"packages-rpm": "amd-gpu-firmware 20251125-1.fc42\n"}}
    for more in ({"files": {path: "0x00000083\n"}}, package):
        results, summary = found(host(FEDORA), strix, more)
        assert summary.state is State.LIMITED
        assert "known to be bad" in summary.text
        assert summary.first == "sudo dnf install amd-gpu-firmware"
    dkms = {"commands": {"packages-dpkg": "linux-firmware 20251125 ii\namdgpu-dkms-firmware 30.30 ii\n"}}
    assert not of(found(host(), strix, dkms)[0], "firmware"), "its own files go before those of linux-firmware"
    results, summary = found(host(FEDORA), strix, {"files": {path: "0x00000080\n"}})
    assert of(results, "firmware")[0].verdict is Verdict.OK
    assert summary.state is State.WORKS


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("amdgpu 0000:03:00.0: Direct firmware load for amdgpu/x_mes.bin failed with error -2", "firmware-missing"),
        ("amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init", "init-failed"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "reset"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset(3) succeeded!", "reset"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110", "reset-failed"),
        ("[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=2", "ring-timeout"),
        ("amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8)", "page-fault"),
        ("amdgpu 0000:03:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0)", "page-fault"),
        ("amdgpu: MES failed to respond to msg=REMOVE_QUEUE", "mes-hung"),
        ("amdgpu 0000:03:00.0: amdgpu: 2 uncorrectable hardware errors detected in umc block", "ras"),
        ("amdgpu 0000:03:00.0: amdgpu: ERROR: GPU over temperature range(SW CTF) detected!", "too-hot"),
        ("amdgpu: module verification failed: signature and/or required key missing", "unsigned"),
    ],
)
def test_lines_of_the_log(line: str, sign: str) -> None:
    assert next(each.id for each in signs() if each.pattern.search(line)) == sign
    results, _ = found(host(), gpu(), {"commands": {"dmesg": f"[ 9.0] {line}\n"}})
    told = of(results, "kernel-log")
    row = next(each for each in signs() if each.id == sign)
    assert (not told or told[0].verdict is Verdict.OK) if row.gone else row.what in told[0].seen


def test_a_log_that_is_closed() -> None:
    closed = {"dmesg": {"status": 1, "error": "dmesg: read kernel buffer failed: Operation not permitted"}}
    results, summary = found(join(host(), gpu()), {"commands": closed})
    (result,) = of(results, "kernel-log")
    assert result.verdict is Verdict.UNKNOWN
    assert "Operation not permitted" in result.seen
    assert summary.state is State.WORKS
    results, _ = found(host(), gpu(), {"commands": {**closed, "journal": "[1.0] amdgpu: GPU reset begin!\n"}})
    assert "reset" in of(results, "kernel-log")[0].seen


def test_a_journal_that_is_closed() -> None:
    closed = {"dmesg": {"status": 1, "error": "not permitted"}, "journal": "-- No entries --\n"}
    results, _ = found(join(host(), gpu()), {"commands": closed})
    assert of(results, "kernel-log")[0].verdict is Verdict.UNKNOWN


def test_a_driver_that_does_not_come_to_its_end() -> None:
    results, summary = found(host(), gpu(driver="", node=None), {"files": {"/sys/module/amdgpu/initstate": "coming\n"}})
    assert summary.state is State.BROKEN
    assert "did not come to its end" in of(results, "driver-loaded")[0].seen


def test_tables_are_sound() -> None:
    told = tomllib.loads((resources.files("softrock.doctor") / "data" / "kernel_log.toml").read_text())
    assert {each["verdict"] for each in told.values()} <= {"failure", "limit", "warning"}
    assert all(re.compile(each["pattern"]) for each in told.values())
    assert [each.months for each in releases()] == sorted(each.months for each in releases())
    assert all(each > (5, 0) for each in first_kernels().values())
    assert pair("6.8.0-49-generic") == (6, 8)
    assert pair("none") is None
