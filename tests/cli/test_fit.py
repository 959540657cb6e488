"""``softrock fit`` as a person types it."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from tests.fit import files
from tests.fit.test_models import MODELS

from softrock.cli.app import start


@pytest.fixture
def llama(tmp_path: Path) -> str:
    folder = tmp_path / "Meta-Llama-3-70B"
    folder.mkdir()
    config = {**MODELS["meta-llama/Meta-Llama-3-70B"]["config"], "torch_dtype": "float16"}
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def test_llama_3_70b_on_one_mi300x(llama: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["fit", llama, "--gpu", "MI300X", "--count", "1"]) == 0
    out = capsys.readouterr().out
    assert "70,553,706,496 = 70.55 B" in out
    assert "141,107,412,992  141.1  131.4" in out
    assert (
        "one MI300X reports 206,141,652,992 bytes; less its weights, 65,034,240,000 bytes = 65.0 GB = 60.6 GiB remain"
        in out
    )
    assert "327,680 bytes" in out
    assert "\x1b" not in out


def test_four_bits_do_not_fit_24_gb(llama: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["fit", llama, "--gpu", "RX7900XTX", "--count", "1", "--precision", "int4"]) == 1
    out = capsys.readouterr().out
    assert "it fits none of these:" in out
    assert "bytes are missing on each of 1" in out


def test_the_cache_has_a_precision_of_its_own(llama: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, each in [("fp8", "163,840 bytes"), ("q8_0", "174,080 bytes"), ("q4_0", "92,160 bytes")]:
        assert start(["fit", llama, "--gpu", "MI300X", "--kv-precision", name]) == 0
        assert each in capsys.readouterr().out


def test_every_way_to_print(llama: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["fit", llama, "--gpu", "MI300X,gfx1201", "--precision", "fp8", "--prices", "example"]
    assert start([*common, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"]["parameters"] == 70_553_706_496
    assert found["prices"][0]["per_million_tokens"] <= found["prices"][-1]["per_million_tokens"]
    assert start([*common, "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["card"] for row in rows} >= {"MI300X", "R9700", "RX9070XT"}
    assert start([*common, "--bars"]) == 0
    assert "MI300X x1  |####" in capsys.readouterr().out
    assert start([*common, "--engines"]) == 0
    out = capsys.readouterr().out
    assert "Prices, the cheapest million tokens" in out
    assert "llama.cpp" in out
    pytest.importorskip("matplotlib")
    assert start([*common, "--chart", str(tmp_path / "chart.png")]) == 0
    assert (tmp_path / "chart.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    capsys.readouterr()


def test_a_chart_without_matplotlib_says_what_to_install(
    llama: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert start(["fit", llama, "--gpu", "MI300X", "--chart", str(tmp_path / "c.png")]) == 1
    assert "pip install 'softrock[plots]'" in capsys.readouterr().err


def test_a_gguf_file_and_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = files.write(tmp_path / "tiny.gguf", files.gguf(files.LLAMA, files.tiny()))
    assert start(["fit", str(path), "--gpu", "RX7600"]) == 0
    out = capsys.readouterr().out
    assert "as stored: Q4_K_M" in out
    assert "Q8_0          2 tensors" in out
    numbers = "--params 70e9 --layers 80 --hidden 8192 --heads 64 --kv-heads 8 --head-dim 128 --vocab 128256"
    assert start(["fit", *numbers.split(), "--gpu", "MI300X"]) == 0
    out = capsys.readouterr().out
    assert "about 70,000,000,000" in out
    assert "327,680 bytes" in out


def test_lists_need_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["fit", "--cards"]) == 0
    assert "MI300X" in capsys.readouterr().out
    assert start(["fit", "--cards=MI355X"]) == 0
    out = capsys.readouterr().out
    assert "304 GB" in out
    assert "288 GB" in out
    assert start(["fit", "--cards", "MI355X"]) == 0
    assert capsys.readouterr().out == out
    assert start(["fit", "--cards=MI355X", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["MI355X"]["memory_claim"][0]["address"].startswith("https://")
    assert start(["fit", "--engines", "--gpu", "gfx1100"]) == 0
    assert "SGLang" in capsys.readouterr().out
    assert start(["fit", "--prices", "example"]) == 0
    assert "\ncard,kind,price,currency,date,source,note\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing argument 'MODEL'"),
        (["nowhere"], "there is no such file or folder"),
        (["x", "--params", "7e9"], "--params goes with no MODEL"),
        (["--params", "0.5"], "--params '0.5' is no whole number"),
        (["--params", "nan"], "--params 'nan' is no whole number"),
        (["--params", "seven"], "--params 'seven' is not a number"),
        (["--params", "7e9", "--precision", "q9"], "the precision 'q9' is unknown"),
        (["--params", "7e9", "--kv-precision", "q9"], "--kv-precision 'q9' is unknown"),
        (["--params", "7e9", "--gpu", "GTX"], "no card 'GTX' is known"),
        (["--params", "7e9", "--context", "0"], "--context '0' is no whole number"),
        (["--params", "7e9", "--context", "1e30"], "--context '1e30' is no whole number"),
        (["--params", "7e9", "--margin", "100"], "--margin '100'"),
        (["--params", "7e9", "--count", "64"], "--count '64'"),
        (["--params", "7e9", "--json", "--csv"], "two ways to print"),
        (["--params", "7e9", "--prices", "nowhere.csv"], "nowhere.csv"),
        (["--params", "7e9", "--prices", "example", "--years", "0"], "--years '0'"),
        (["--params", "7e9", "--chart", "chart.txt"], "no .png, .svg or .pdf"),
    ],
)
def test_wrong_use_is_told_in_a_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(["fit", *args]) in (1, 2)
    err = capsys.readouterr().err
    assert message in err
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_hostile_names_never_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = {**files.LLAMA, "general.name": "a\x1b[2J\x07b\r\n"}
    path = files.write(tmp_path / "x\x1b[31m.gguf", files.gguf(keys, files.tiny()))
    assert start(["fit", str(path), "--gpu", "MI300X"]) == 0
    out = capsys.readouterr().out
    assert "a?[2J?b??" in out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert start(["fit", str(tmp_path / "y\x1b[31m.gguf")]) == 1
    assert "\x1b" not in capsys.readouterr().err
