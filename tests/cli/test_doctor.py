"""``softrock doctor`` as a person types it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from tests.doctor.machines import gpu, host, join

from softrock.cli.app import start
from softrock.system.interface import exists
from softrock.system.live import Live
from softrock.system.writing import toml


@pytest.fixture
def refused(tmp_path: Path) -> str:
    path = tmp_path / "refused.toml"
    path.write_text(toml(join(host(groups=()), gpu())), encoding="utf-8")
    return str(path)


@pytest.fixture
def fine(tmp_path: Path) -> str:
    path = tmp_path / "fine.toml"
    path.write_text(toml(join(host(), gpu())), encoding="utf-8")
    return str(path)


@pytest.mark.skipif(exists(Live(), "/sys/class/kfd"), reason="this machine has an AMD GPU")
def test_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.monotonic()
    assert start(["doctor"]) == 0
    assert time.monotonic() - begin < 20  # the figure is in docs/doctor.md; machines that run tests are busy
    assert capsys.readouterr().out.splitlines()[0] == "no AMD GPU found; the software GPU works"


def test_statuses(refused: str, fine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["doctor", "--tree", refused]) == 1
    out = capsys.readouterr().out
    assert out.startswith("broken: /dev/kfd belongs to group 993 (render)")
    assert "first: sudo usermod -aG render $USER\n" in out
    assert start(["doctor", "--tree", fine]) == 0
    assert capsys.readouterr().out.startswith("works: 1 GPU (gfx1100)")


def test_json(refused: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["doctor", "--tree", refused, "--json", "--for", "PyTorch"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["status"] == 1
    assert told["summary"]["for"] == "pytorch"


def test_single_checks(refused: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["doctor", "--tree", refused, "--check", "memory,driver-loaded", "--all"]) == 0
    out = capsys.readouterr().out
    assert "amdgpu is loaded" in out
    assert "/dev/kfd" not in out
    assert start(["doctor", "--list"]) == 0
    assert "kfd-open" in capsys.readouterr().out
    assert start(["doctor", "--list", "--json"]) == 0
    assert {each["id"] for each in json.loads(capsys.readouterr().out)} >= {"kfd-open", "gpu-trial"}


def test_a_record_is_replayed(refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, bundle = tmp_path / "r.toml", tmp_path / "b.tar.gz"
    assert start(["doctor", "--tree", refused, "--record", str(record), "--bundle", str(bundle)]) == 1
    first = capsys.readouterr()
    assert "r.toml is written" in first.err
    assert "alice" not in record.read_text()
    assert start(["doctor", "--tree", str(record)]) == 1
    assert capsys.readouterr().out == first.out
    with tarfile.open(bundle) as archive:
        assert "b/tree.toml" in archive.getnames()
    assert start(["doctor", "--tree", refused, "--record", str(record)]) == 1
    assert "is there already" in capsys.readouterr().err


_ERROR = "Unable to open /dev/kfd read-write: Permission denied\nFailed to get user name to check for video group"


def test_an_error_is_explained(
    refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "error.log"
    log.write_bytes(b"\xff\xfe noise\n" + _ERROR.encode())
    assert start(["doctor", "--tree", refused, "--explain", _ERROR]) == 0
    out = capsys.readouterr().out
    assert "line 1" in out
    assert "sudo usermod -aG render $USER" in out
    assert start(["doctor", "--tree", refused, "--explain", str(log), "--json"]) == 0
    (told, *_) = json.loads(capsys.readouterr().out)
    assert told["line"] == 2
    assert told["causes"][0]["support"] == "supported"
    monkeypatch.setattr(sys, "stdin", io.StringIO(_ERROR))
    assert start(["doctor", "--tree", refused, "--explain", "-"]) == 0
    assert start(["doctor", "--tree", refused, "--explain", "all is well"]) == 1


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["--for", "cuda"], 2, "--for 'cuda' is unknown"), (["--check", "nothing"], 2, "there is no check 'nothing'"),
        (["--tree", "/nothing.toml"], 1, "/nothing.toml: no such tree"),
        (["--bundle", "x.rar"], 2, "no kind of archive"), (["extra"], 2, "extra"),
        (["--tree"], 2, "requires an argument"), (["--explain", " "], 2, "--explain needs a text"),
    ],
)  # fmt: skip
def test_wrong_usage(args: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["doctor", *args]) == status
    assert words in capsys.readouterr().err


def test_input_in_any_encoding(refused: str) -> None:
    command = [sys.executable, "-m", "softrock.cli", "doctor", "--tree", refused, "--explain", "-"]
    done = subprocess.run(command, input=b"\xff\x9b\x00\n" + _ERROR.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_only_terminals_get_colours(fine: str) -> None:
    command = [sys.executable, "-m", "softrock.cli", "doctor", "--tree", fine, "--all"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert b"\x1b" not in done.stdout
