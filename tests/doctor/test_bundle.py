"""Records and archives for bug reports: nothing in them tells who and where, and they replay the same."""

from __future__ import annotations

import io
import json
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doctor.machines import Table, gpu, host, join

from softrock.core.errors import SoftrockError, UsageError
from softrock.doctor import registry, summary
from softrock.doctor.bundle import record, write_bundle, write_record
from softrock.doctor.masking import Masker
from softrock.doctor.registry import Machine
from softrock.system.recorder import Recorder
from softrock.system.tree import Tree

SECRETS = (
    "alice", "Alice Doe", "wonderland", "7a1b2c3d4e5f0080", "hunter2", "192.168.7.21", "aa:bb:cc:dd:ee:0f",
    "fe80::1c2d:3eff", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "secret-project", "wifi-at-home",
)  # fmt: skip
PRIVATE: Table = {
    "environment": {
        "HIP_VISIBLE_DEVICES": "GPU-7a1b2c3d4e5f0080",
        "LD_LIBRARY_PATH": "/home/alice/secret-project/lib:/opt/rocm/lib",
        "NCCL_SOCKET_IFNAME": "10.0.0.7", "HF_TOKEN": "hunter2", "MY_NOTES": "hunter2", "ROCM_TOKEN": "hunter2",
    },
    "commands": {
        "dmesg": "[ 1.0] Linux version 6.14 (alice@wonderland)\n[ 1.1] usb 1-1: SerialNumber: hunter2\n"
        "[ 1.2] wlan0: associated with aa:bb:cc:dd:ee:0f wifi-at-home\n"
        "[ 1.3] amdgpu 0000:03:00.0: amdgpu: from 192.168.7.21 fe80::1c2d:3eff aa:bb:cc:dd:ee:0f root=UUID="
        "1b4e28ba-2fa1-11d2-883f-0016d3cca427 /home/alice/secret-project/x.bin\n"
        "[ 2.0] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, by alice\n",
    },
}  # fmt: skip


def _seen(system: Tree) -> tuple[Recorder, Machine, list[registry.Result], summary.Summary]:
    recorder = Recorder(system)
    machine = Machine(recorder)
    results = list(registry.run(machine))
    return recorder, machine, results, summary.summarise(machine, results)


MACHINE = join(host(groups=(44,)), gpu(), PRIVATE)


def test_a_record_tells_nobody_and_replays_the_same() -> None:
    recorder, _, results, told = _seen(Tree(MACHINE))
    text, _ = record(recorder)
    assert not [each for each in SECRETS if each in text]
    again = _seen(Tree(tomllib.loads(text)))
    assert [(each.check, each.verdict) for each in again[2]] == [(each.check, each.verdict) for each in results]
    assert again[3].state is told.state
    assert "user1" in text
    assert again[0].environment["HIP_VISIBLE_DEVICES"] == "GPU-0000000000000001"
    assert recorder.environment["HIP_VISIBLE_DEVICES"] == "GPU-7a1b2c3d4e5f0080"
    assert again[0].environment["LD_LIBRARY_PATH"].endswith("/lib:/opt/rocm/lib")


def test_a_masked_record_is_masked_already() -> None:
    first = record(_seen(Tree(MACHINE))[0])[0]
    again = record(_seen(Tree(tomllib.loads(first)))[0])[0]
    assert tomllib.loads(again) == tomllib.loads(first)


@pytest.mark.parametrize("name", ["x.tar.gz", "x.tgz", "x.zip"])
def test_bundles(tmp_path: Path, name: str) -> None:
    recorder, machine, results, told = _seen(Tree(MACHINE))
    write_bundle(recorder, machine, results, told, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {each: archive.read(each).decode() for each in archive.namelist()}
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            members = {each.name: (packed.extractfile(each) or io.BytesIO()).read().decode() for each in packed}
            assert not any(each.uname or each.gname for each in packed)
    assert sorted(members) == ["x/README.txt", "x/report.json", "x/report.txt", "x/tree.toml"]
    assert not [(each, where) for where, text in members.items() for each in SECRETS if each in text]
    assert json.loads(members["x/report.json"])["summary"]["state"] == "broken"
    assert "FAIL" in members["x/report.txt"]
    with pytest.raises(SoftrockError, match="is there already"):
        write_bundle(recorder, machine, results, told, tmp_path / name)


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    recorder, machine, results, told = _seen(Tree(MACHINE))
    with pytest.raises(UsageError, match="no kind of archive"):
        write_bundle(recorder, machine, results, told, tmp_path / "x.rar")
    with pytest.raises(SoftrockError, match="No such file"):
        write_record(recorder, tmp_path / "none" / "x.toml")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("alice", "user1"), ("malice alice.x", "malice user1.x"), ("wonderland: hi", "host1: hi"),
        ("/home/bob/Work/venv/lib/python3.12/site-packages/torch", None),
        ("ROCm 6.4.1 0000:03:00.0 gfx1100 v1.2.3.4-5", "ROCm 6.4.1 0000:03:00.0 gfx1100 v1.2.3.4-5"),
        ("127.0.0.1 ::1", "127.0.0.1 ::1"), ("12:34:56 at 0x1a2b", "12:34:56 at 0x1a2b"),
    ],
)  # fmt: skip
def test_masks(text: str, masked: str | None) -> None:
    told = Masker(Tree(MACHINE)).text(text)
    if masked is None:
        assert told == "/home/user2/folder1/venv/lib/python3.12/site-packages/torch"
    else:
        assert told == masked


@given(st.text(max_size=200))
def test_masks_take_any_text(text: str) -> None:
    masker = Masker(Tree(MACHINE))
    told = masker.text(text + " alice")
    assert told.endswith(" user1")
    assert masker.text(text + " alice") == told
