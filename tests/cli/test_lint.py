"""`softrock lint` as a user meets it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from softrock.cli.app import start

BALLOT = "__device__ unsigned f(bool p) { return __ballot(p); }\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "src" / "x.hip"
    path.parent.mkdir()
    path.write_text(BALLOT)
    return path


def test_findings_are_printed_and_errors_are_status_1(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["lint", str(source), "--tokens"]) == 1
    out, err = capsys.readouterr()
    assert f"{source}:1:40: error: " in out
    assert "[ballot-in-32-bits]" in out
    assert "1 error, 0 warnings, 0 notes in 1 file" in err


def test_status_0_where_nothing_is_wrong(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["lint", str(source), "--tokens", "--gpu", "gfx1100"]) == 0
    assert start(["lint", str(source), "--tokens", "--ignore", "ballot-in-32-bits"]) == 0
    assert start(["lint", str(source), "--tokens", "--rule", "mask-32-bits"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["nothing.cu"], "no such file"),
        (["--rule", "balot", "."], "no such rule"),
        (["--gpu", "gfx1", "."], "unknown GPU"),
        (["--severity", "bad", "."], "--severity"),
        (["--write-baseline", "."], "--baseline FILE"),
        (["--explain", "nothing"], "no such rule"),
    ],
)
def test_wrong_use_is_status_2(
    arguments: list[str],
    message: str,
    source: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(source.parent)
    assert start(["lint", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_baseline_is_written_and_used(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = tmp_path / "known.json"
    common = ["lint", str(source.parent), "--tokens", "--baseline", str(baseline)]
    assert start([*common, "--write-baseline"]) == 0
    assert start(common) == 0
    source.write_text(BALLOT + BALLOT)
    capsys.readouterr()
    assert start(common) == 1
    assert f"{source}:2:" in capsys.readouterr().out
    source.write_text("__device__ int g();\n")
    assert start(common) == 0
    assert "[stale-baseline]" in capsys.readouterr().out


def test_json_has_all_findings(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["lint", str(source), "--tokens", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (found,) = document["findings"]
    assert (found["rule"], found["severity"], found["line"], found["column"]) == ("ballot-in-32-bits", "error", 1, 40)
    assert document["counts"] == {"error": 1, "warning": 0, "note": 0}
    assert document["gpus"] == ["gfx942", "gfx1100"]


def test_sarif_and_html_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, log, html = tmp_path / "<x>.hip", tmp_path / "out" / "log.sarif", tmp_path / "page.html"
    text = "__device__ int f(bool p) { return p < 3 && __popc(__ballot(p)); }\n"
    path.write_text(text)
    assert start(["lint", str(path), "--tokens", "--sarif", str(log), "--html", str(html)]) == 1
    (run,) = json.loads(log.read_text())["runs"]
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (result["ruleId"], result["level"]) == ("mask-bits-counted-in-32", "error")
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (1, 44, 50)
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    place = replacement["deletedRegion"]
    assert text[place["byteOffset"] : place["byteOffset"] + place["byteLength"]] == "__popc"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "mask-bits-counted-in-32"
    page = html.read_text()
    assert "<mark>__popc</mark>" in page
    assert "&lt;x&gt;.hip" in page
    assert "<x>.hip" not in page


def test_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["lint", "--list"]) == 0
    assert "ballot-in-32-bits" in capsys.readouterr().out
    assert start(["lint", "--explain", "ballot-in-32-bits"]) == 0
    assert "Found in:" in capsys.readouterr().out


def test_fix_mends_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.hip"
    path.write_text("__device__ int f(bool p) { return __popc(__ballot(p)); }\n")
    assert start(["lint", str(path), "--tokens", "--fix"]) == 0
    assert "__popcll(__ballot(p))" in path.read_text()
    assert "1 mended" in capsys.readouterr().err


# ---- odd inputs: a line each, and the status that tells ----


def _lines(text: str) -> list[str]:
    """Printed findings, without what mends them."""
    return [line for line in text.splitlines() if not line.startswith("  mend: ")]


def test_a_binary_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(b"\x7fELF\0\0" + bytes(range(256)))
    assert start(["lint", str(tmp_path), "--tokens"]) == 0  # one of many files in a folder
    (line,) = _lines(capsys.readouterr().out)
    assert line == f"{path}:1:1: warning: not looked at: a binary file [unreadable]"
    assert start(["lint", str(path), "--tokens"]) == 1  # what was asked for
    assert f"{path}:1:1: error: not looked at: a binary file" in capsys.readouterr().out


def test_a_file_that_is_not_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.hip"
    path.write_bytes(b"// \xe4\xff\xfe\x80\n" + BALLOT.encode() + b'const char *s = "\xc3\x28";\n')
    assert start(["lint", str(path), "--tokens"]) == 1
    (line,) = _lines(capsys.readouterr().out)
    assert line.startswith(f"{path}:2:40: error: ")
    assert path.read_bytes().startswith(b"// \xe4\xff")


def test_fix_keeps_what_is_not_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.hip"
    text = b"// \xe4\xff\r\n__device__ int f(bool p) { return __popc(__ballot(p)); }\r\n"
    path.write_bytes(text)
    assert start(["lint", str(path), "--tokens", "--fix"]) == 0
    assert path.read_bytes() == text.replace(b"__popc", b"__popcll")


def test_a_file_of_a_megabyte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.cu"
    row = "    " + "0x12345678, " * 8 + "\n"
    path.write_text("__constant__ unsigned table[] = {\n" + row * 11_000 + "};\n" + BALLOT)
    assert path.stat().st_size > 1 << 20
    assert start(["lint", str(path), "--tokens"]) == 1
    out, err = capsys.readouterr()
    (line,) = _lines(out)
    assert line.startswith(f"{path}:11003:40: error: ")
    assert "in 1 file, 11004 lines" in err


def test_a_folder_with_a_loop_of_links(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = source.parent
    (folder / "again").symlink_to(folder)
    (folder / "round.cu").symlink_to(folder / "round.cu")
    assert start(["lint", str(folder), "--tokens"]) == 1
    lines = _lines(capsys.readouterr().out)
    assert f"{folder / 'again'}:1:1: note: not looked at: a link to {folder}, which it is in [unreadable]" in lines
    assert any(line.startswith(f"{folder / 'round.cu'}:1:1: warning: not looked at: Too many") for line in lines)
    assert sum("[ballot-in-32-bits]" in line for line in lines) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_and_folders_that_may_not_be_read(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    closed = source.parent / "closed"
    closed.mkdir(0)
    source.chmod(0)
    try:
        assert start(["lint", str(source.parent), "--tokens"]) == 1
    finally:
        closed.chmod(0o755)
    assert _lines(capsys.readouterr().out) == [
        f"{each}:1:1: error: not looked at: Permission denied [unreadable]" for each in (source, closed)
    ]


def test_files_that_cannot_be_opened(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(source.parent / "pipe.cu")
    gone = source.parent / "gone.cu"
    gone.symlink_to(source.parent / "nowhere.cu")
    assert start(["lint", str(source.parent), "--tokens", "--ignore", "ballot-in-32-bits"]) == 1
    assert _lines(capsys.readouterr().out) == [
        f"{gone}:1:1: warning: not looked at: No such file or directory [unreadable]",
        f"{source.parent / 'pipe.cu'}:1:1: error: not looked at: not a regular file [unreadable]",
    ]
    assert start(["lint", str(gone), "--tokens"]) == 1


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "#", "/*", '"', "{", "__global__", "\\"])
def test_a_file_with_next_to_nothing(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.cu"
    path.write_text(text, encoding="utf-8")
    assert start(["lint", str(path), "--tokens"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("0 errors, 0 warnings, 0 notes in 1 file, ")


def test_a_folder_without_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.txt").write_text("")
    assert start(["lint", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "no source files in" in err
    assert "Traceback" not in err


def test_names_with_control_characters_are_shown_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b[31m\n.hip"
    path.write_text(BALLOT)
    assert start(["lint", str(path), "--tokens"]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[31m" in out
