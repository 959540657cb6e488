"""`softrock lint` as a user meets it."""

from __future__ import annotations

import json
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
