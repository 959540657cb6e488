"""``softrock inspect`` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.inspect import samples

from softrock.cli.app import start


@pytest.fixture
def library(tmp_path: Path, codes: dict[str, bytes]) -> str:
    path = tmp_path / "libx.so"
    path.write_bytes(samples.library(codes))
    return str(path)


def test_small_file_shows_its_kernels(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["inspect", library]) == 0
    out = capsys.readouterr().out
    assert out.index("code objects") < out.index("VGPRs")
    assert out.count("  turn\n") == 2


def test_kernels(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["inspect", library, "--kernels", "--sort", "scratch", "--limit", "3"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    listed = [row[-1] for row in rows if row and row[0] in ("gfx942", "gfx1100") and len(row) > 9]
    assert listed == ["turn", "turn", "axpy"]
    assert start(["inspect", library, "--filter", "tu*", "--gpu", "gfx942"]) == 0
    out = capsys.readouterr().out
    assert out.count("  turn\n") == 1
    assert "axpy" not in out


def test_exit_status(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["inspect", library, "--gpu", "gfx942,gfx1030"]) == 1
    assert "gfx1030: does not run" in capsys.readouterr().out
    for wrong in (["--limit", "-1"], ["--limit", "1.5"], ["--limit", "nan"], ["--limit", "inf"], ["--sort", "x"],
                  ["--gpu", "x"], ["--json", "--sort", "name"]):  # fmt: skip
        assert start(["inspect", library, *wrong]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_json(library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["inspect", library, "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["kernels_left_out"] == 0
    assert start(["inspect", library, "--json", "--kernels"]) == 0
    assert json.loads(capsys.readouterr().out) == whole
    assert start(["inspect", library, "--json", "--limit", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [len(each["kernels"]) for each in found["code_objects"]] == [2, 1]
    (tmp_path / "bad").write_bytes(b"nothing")
    assert start(["inspect", library, str(tmp_path / "bad"), library, "--json", "--kernels"]) == 1
    several = json.loads(capsys.readouterr().out)
    assert [each.get("kernel_count") for each in several] == [4, None, 4]
    assert "no GPU code" in several[1]["error"]


def test_several_files(library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad\x1b[2J").write_bytes(b"\x7fELF" + bytes(100))
    assert start(["inspect", library, str(tmp_path / "bad\x1b[2J"), library]) == 1
    done = capsys.readouterr()
    assert done.out.count("GPU code for: gfx942, gfx1100") == 2
    assert "\x1b" not in done.err
    assert start(["inspect", str(tmp_path / "bad\x1b[2J")]) == 1
    assert "\x1b" not in capsys.readouterr().err
