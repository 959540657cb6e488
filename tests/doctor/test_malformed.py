"""Machines that nobody vouches for: cut, garbled, huge and hostile files never crash it or drive the terminal."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.doctor.machines import Table, apu, gpu, host, join

from softrock.doctor import checks, registry, report, summary
from softrock.doctor.bundle import record
from softrock.doctor.registry import Machine
from softrock.system.recorder import Recorder
from softrock.system.tree import Tree

TREES = Path(__file__).parent / "trees"
_HOSTILE = (
    "", "\x00", "\x1b]0;owned\x07\x1b[2J", "$(touch /tmp/owned)", "`reboot`", "'; reboot #", "-1", "0x", "9" * 400,
    "-0x1", "nan", "\ud800".encode("utf-16-le", "surrogatepass").decode("latin-1"), "a" * 200_000, "\n" * 5000,
    "1 2 3\n" * 3000, "\u202egfx", "0x1002", "1e9", "\xff\xfe", "٣", "²",
)  # fmt: skip
_ERRORS = ("EACCES", "EPERM", "EIO", "EINVAL", "ENODEV", "EISDIR", "ELOOP", "ENOTDIR", "ENAMETOOLONG")


@cache
def _bases() -> tuple[Mapping[str, Any], ...]:
    """Tables of machines with much in them: two put together here, and some of the written ones."""
    made: list[Mapping[str, Any]] = [
        join(host(), gpu(), gpu("0000:04:00.0", node=3, minor=130), apu(), _SOFTWARE),
        join(host(groups=()), gpu(), {"files": {"/.dockerenv": ""}}),
    ]
    for path in sorted(TREES.glob("*.toml")):
        if "expect" in tomllib.loads(path.read_text(encoding="utf-8")):
            recorder = Recorder(Tree.load(path))
            list(registry.run(Machine(recorder)))
            made.append(recorder.table())
    return tuple(made)


_SOFTWARE: Table = {
    "commands": {
        "module-amdgpu": "filename: /lib/modules/x/updates/dkms/amdgpu.ko\nversion: 6.12.12\n",
        "dkms": "amdgpu/6.12.12, 6.8.0-49-generic, x86_64: installed\n", "secure-boot": "SecureBoot enabled\n",
    },
    "files": {"/var/lib/dkms/amdgpu/6.12.12/build/make.log": "x.c:1:2: error: y\n", "/opt/rocm/.info/version": "6.4.1"},
}  # fmt: skip


def _look(table: Mapping[str, Any]) -> tuple[list[registry.Result], str]:
    assert checks.MODULES
    machine = Machine(Recorder(Tree(table)))
    results = list(registry.run(machine))
    told = summary.summarise(machine, results)
    report.document(machine, results, told)
    return results, report.text(machine, results, told, whole=True)


def _sound(table: Mapping[str, Any]) -> None:
    results, text = _look(table)
    assert all(each.isprintable() or each == "\n" for each in text)
    mends = " ".join(mend for each in results for mend in each.mend)
    assert "owned" not in mends
    assert "`reboot`" not in mends
    assert "'; reboot" not in mends


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A machine some of whose files, links, commands and variables are replaced."""
    base = draw(st.sampled_from(_bases()))
    table: dict[str, Any] = {key: dict(each) if isinstance(each, dict) else each for key, each in base.items()}
    names = {key: sorted(table.get(key, {})) for key in ("files", "links", "commands", "environment", "queries")}
    for _ in range(draw(st.integers(1, 12))):
        key = draw(st.sampled_from([each for each in names if names[each]] or ["files"]))
        if not names[key]:
            continue
        name = draw(st.sampled_from(names[key]))
        text = draw(st.sampled_from(_HOSTILE) | st.text(max_size=60))
        if key == "files":
            table[key][name] = draw(
                st.sampled_from(
                    [
                        text, {"hex": text.encode("utf-8", "replace").hex()}, {"error": draw(st.sampled_from(_ERRORS))},
                        {"kind": "folder"}, {"kind": "character", "mode": 0, "gid": 4_000_000_000},
                        {"kind": "character", "open": draw(st.sampled_from(_ERRORS))},
                    ]
                )
            )  # fmt: skip
        elif key == "queries":
            table[key][name] = draw(st.sampled_from(["", "ff", {"error": "EINVAL"}]))
        elif key == "commands":
            table[key][name] = draw(st.sampled_from([text, {"status": 1, "error": text}, {"status": 124}]))
        elif key == "links":
            ways = ["loop", "/", "../../../..", "/etc", text.replace("\0", "") or "x"]
            table[key][name] = draw(st.sampled_from(ways))
        else:
            table[key][name] = text
    return table


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(_mutated())
def test_mutated_machines_never_crash(table: dict[str, Any]) -> None:
    _sound(table)


@pytest.mark.long
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(_mutated())
def test_many_mutated_machines_never_crash(table: dict[str, Any]) -> None:
    _sound(table)


@pytest.mark.parametrize("text", _HOSTILE)
def test_every_file_is_hostile(text: str) -> None:
    base = _bases()[0]
    files = {
        path: {**each, "mode": 0o660} if isinstance(each, dict) else text
        for path, each in base["files"].items()
    }  # fmt: skip
    _sound({**base, "files": files, "commands": dict.fromkeys(base["commands"], text)})
    _sound({**base, "environment": dict.fromkeys(base["environment"], text)})
    _sound({**base, "platform": {"release": text, "system": text, "machine": text}})


def test_hostile_names_in_folders() -> None:
    bad = "x\x1b[31m;$(touch owned)"
    files = {
        f"/sys/bus/pci/devices/{bad}/vendor": "0x1002\n",
        f"/sys/class/kfd/kfd/topology/nodes/{bad}/properties": "x 1\n",
        f"/opt/rocm-{bad}/.info/version": "6.4\n", f"/sys/bus/pci/devices/0000:03:00.0/drm/{bad}/x": "1",
        f"/etc/modprobe.d/{bad}.conf": "blacklist amdgpu\n", f"/var/lib/dkms/amdgpu/{bad}/build/make.log": "error: x\n",
        f"/sys/bus/pci/devices/0000:03:00.0/hwmon/{bad}/power1_cap": "1", f"/dev/dri/{bad}": "x",
    }  # fmt: skip
    _sound(join(_bases()[0], {"files": files}))  # type: ignore[arg-type]
    table = join(host(), gpu(driver="", node=None), {"files": files})
    table["files"].pop("/sys/module/amdgpu/initstate")
    _sound(table)


def test_huge_files() -> None:
    log = "[ 1.0] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n" * 18_000
    results, _ = _look(join(host(), gpu(), {"commands": {"dmesg": log}}))
    assert any("18000 times" in each.seen for each in results)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(_mutated())
def test_records_of_any_machine_can_be_read(table: dict[str, Any]) -> None:
    recorder = Recorder(Tree(table))
    results = list(registry.run(Machine(recorder)))
    again = list(registry.run(Machine(Tree(tomllib.loads(record(recorder)[0])))))
    assert len(again) > 0 or not results
