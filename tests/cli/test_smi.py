"""`softrock smi` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from tests.smi.machines import DESKTOP, SERVER, machine
from tests.smi.test_gpus import users

from softrock.cli import smi
from softrock.cli.app import start
from softrock.gpu import status
from softrock.smi import fields

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def desktop(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    name = getattr(request, "param", DESKTOP)
    changes: dict[str, Any] = users() if name == DESKTOP else {}
    monkeypatch.setattr(smi, "Live", lambda: machine(name, **changes))
    monkeypatch.setattr(status, "folder", lambda: None)
    monkeypatch.setattr(smi, "_PAUSE", 0.0)


on_server = pytest.mark.parametrize("desktop", ["ok-server-mi300x-8"], indirect=True)
on_nothing = pytest.mark.parametrize("desktop", ["ok-no-gpu"], indirect=True)


def test_the_overview(capsys: Capture) -> None:
    assert start(["smi"]) == 0
    out = capsys.readouterr().out
    assert "AMD Radeon RX 7900 XTX" in out
    assert "98/303 W" in out
    assert "16 GT/s x16" in out
    assert "game?[2J" in out


@on_nothing
@pytest.mark.parametrize("words", [[], ["list"], ["metric"], ["monitor"], ["process"], ["topology"]])
def test_without_a_gpu(words: list[str], capsys: Capture) -> None:
    assert start(["smi", *words]) == 0
    assert capsys.readouterr().out.startswith("No ")
    assert start(["smi", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_groups_of_metrics(capsys: Capture) -> None:
    assert start(["smi", "metric", "-u", "--temperature", "--json"]) == 0
    (gpu,) = json.loads(capsys.readouterr().out)
    assert set(gpu) == {"gpu", "usage", "temperature"}
    assert gpu["usage"]["gfx_use_percent"] == 7
    assert start(["smi", "static", "--bus"]) == 0
    out = capsys.readouterr().out
    assert "BDF: 0000:03:00.0" in out
    assert "NAME:" not in out


@on_server
def test_csv_of_several_gpus(capsys: Capture) -> None:
    assert start(["smi", "monitor", "-p", "-t", "--csv", "--gpu", "1,0000:e5:00.0"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["gpu"] for row in rows] == ["1", "7"]
    assert rows[0]["power_watts"] == "141.0"
    assert rows[0]["temperature_memory_celsius"] == "38.0"


@on_server
def test_topology(capsys: Capture) -> None:
    assert start(["smi", "topology", "-t", "--weight"]) == 0
    out = capsys.readouterr().out
    assert "TYPE TABLE:" in out
    assert "WEIGHT TABLE:" in out
    assert "HOPS" not in out
    assert out.count("XGMI") == 56
    assert start(["smi", "topology", "--json", "-t"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["gpu1_type"] == "XGMI"


def test_processes(capsys: Capture) -> None:
    assert start(["smi", "process", "--pid", "5000", "--json"]) == 0
    (each,) = json.loads(capsys.readouterr().out)
    assert (each["vram_bytes"], each["gtt_bytes"], each["kind"]) == (1 << 30, "N/A", "compute")
    assert start(["smi", "process", "-n", "python"]) == 0
    assert "5000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["--showtemp"], "metric --temperature"),
        (["--showuse", "--showpower", "--json"], "metric --usage --power --json"),
        (["--showpids"], "process"),
        (["--showtopoweight"], "topology --weight"),
    ],
)
def test_options_of_rocm_smi_work_and_tell_the_new_spelling(old: list[str], new: str, capsys: Capture) -> None:
    assert start(["smi", *old]) == 0
    out, err = capsys.readouterr()
    assert err == f"softrock smi: {' '.join(old)} is written: softrock smi {new}\n"
    assert start(["smi", *new.split()]) == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no subcommand 'nothing'"),
        (["--setfan", "50"], "only reads"),
        (["--showtemp", "--showpids"], "several subcommands"),
        (["--gpu", "9"], "no such GPU"),
        (["metric", "--nothing"], "No such option: --nothing"),
        (["--json", "--csv"], "--json and --csv"),
        (["--watch=x"], "not a number"),
        (["--watch=0"], "0.1 at least"),
        (["serve", "--port", "70000"], "no port"),
    ],
)
def test_wrong_use_is_status_2(arguments: list[str], message: str, capsys: Capture) -> None:
    assert start(["smi", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_watching_without_a_terminal_prints_again(capsys: Capture) -> None:
    assert start(["smi", "metric", "-p", "--watch=0.1", "--iterations", "3"]) == 0
    assert capsys.readouterr().out.count("POWER_WATTS: 98") == 3


def test_every_option_of_rocm_smi_leads_somewhere() -> None:
    for name, new in [row[:2] for row in fields.rows("rocm_options.tsv")]:
        if new != "-" and name.startswith("--"):
            subcommand, *options = new.split()
            assert subcommand in smi.SUBS
            assert {*options} <= {each.flag for each in smi.SUBS[subcommand].options}, name


def test_every_group_has_an_option() -> None:
    for name, static in (("metric", False), ("static", True)):
        flags = {each.flag for each in smi.SUBS[name].options}
        assert {f"--{group}" for group in fields.groups(static=static)} <= flags


@pytest.mark.parametrize("desktop", [SERVER], indirect=True)
def test_help_and_version(capsys: Capture) -> None:
    assert start(["smi", "--help"]) == 0
    assert "--watch" in capsys.readouterr().out
    assert start(["smi", "version"]) == 0
    assert "driver: 6.12.12" in capsys.readouterr().out
