"""The live view without a terminal, the endpoint for Prometheus, tables and CSV."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from rich.console import Console
from tests.smi.machines import DESKTOP, SERVER, machine
from tests.smi.test_gpus import users

from softrock.smi import prometheus, render, snapshot, watch
from softrock.smi.processes import Process
from softrock.smi.snapshot import Snapshot
from softrock.smi.view import SORTS, View, spark, tree

SENT: list[tuple[int, str]] = []


def now() -> Snapshot:
    return snapshot.take(machine(DESKTOP, **users()), told=list)


def send(pid: int, name: str) -> str:
    SENT.append((pid, name))
    return f"sent {name} to process {pid}"


@pytest.fixture
def view() -> View:
    SENT.clear()
    made = View(lambda uid: {0: "root", 1000: "user"}.get(uid or 0, "?"), send)
    made.update(now())
    return made


def typed(view: View, keys: str) -> None:
    for key in keys:
        view.key(key)


def test_sparks() -> None:
    assert spark([0.0, 0.5, 1.0, None, 7.0, -1.0], 8) == "   ▄█·█ "
    assert spark([], 3) == "   "


def test_processes_are_sorted_and_reversed(view: View) -> None:
    assert [each.pid for each in view.processes()] == [5000, 4242]
    typed(view, "s")
    assert view.sort == SORTS[1]
    typed(view, "s")
    assert [each.pid for each in view.processes()] == [4242, 5000]
    typed(view, "r")
    assert [each.pid for each in view.processes()] == [5000, 4242]


def test_processes_of_one_user(view: View) -> None:
    typed(view, "uuser\r")
    assert view.processes() == []
    typed(view, "uroot\r")
    assert len(view.processes()) == 2
    typed(view, "ux\x7f\r")
    assert view.user == ""


def test_a_signal_is_sent_only_after_asking(view: View) -> None:
    typed(view, "k4242\r")
    assert "TERM" in view.prompt()
    assert "game?[2J of root" in view.prompt()
    assert not SENT
    typed(view, "n")
    assert not SENT
    assert view.prompt() == "no signal sent"
    typed(view, "k4242\rt")
    assert SENT == [(4242, "TERM")]
    assert not view.done


@pytest.mark.parametrize("keys", ["k1\r", "k999999\r", "k\r", "kx\r", "k-1\r", "k4242\x1b"])
def test_no_signal_to_what_is_not_shown(view: View, keys: str) -> None:
    typed(view, keys + "t")
    assert not SENT


def test_the_tree_of_processes() -> None:
    shown = [Process(0, 30, 20), Process(0, 20, 10), Process(1, 20, 10), Process(0, 40, 1), Process(0, 50, 51)]
    assert [(depth, each.pid) for depth, each in tree(shown)] == [(0, 20), (1, 30), (0, 20), (0, 40), (0, 50)]
    ring = [Process(0, 1, 2), Process(0, 2, 1)]
    assert sorted(each.pid for _, each in tree(ring)) == [1, 2]


def test_the_view_is_drawn(view: View) -> None:
    for _ in range(3):
        view.update(now())
    typed(view, "t")
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(watch.draw(view, 160))
    text = console.export_text()
    console.file.close()
    assert "AMD Radeon RX 7900 XTX" in text
    assert "python3" in text
    assert "q quit" in text
    assert "\x1b" not in text


def test_history_of_gpus_that_are_gone_is_dropped(view: View) -> None:
    view.update(Snapshot([]))
    assert view.history == {}


def test_signals_go_to_processes_that_live() -> None:
    assert "No such process" in watch.send(2**22 + 1, "TERM") or "Invalid" in watch.send(2**22 + 1, "TERM")


# ---- Prometheus ----


@pytest.fixture
def address() -> Iterator[str]:
    server = prometheus.server(0, now)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_endpoint(address: str) -> None:
    with urllib.request.urlopen(f"{address}/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.read().decode().splitlines()
    label = 'gpu="0",kind="hardware",gfx="gfx1100",bdf="0000:03:00.0"'
    assert f"softrock_gpu_power_watts{{{label}}} 98.0" in lines
    assert f"softrock_gpu_pcie_replay_count_total{{{label}}} 0" in lines
    assert "# TYPE softrock_gpu_pcie_replay_count_total counter" in lines
    assert not [each for each in lines if "ecc" in each]  # no card of the kind counts them: no line, not 0
    assert 'softrock_gpu_process_vram_bytes{gpu="0",pid="4242",name="game?[2J"} 3145728' in lines


@pytest.mark.parametrize(("path", "host", "status"), [("/x", "", 404), ("/metrics", "evil.example", 403)])
def test_what_the_endpoint_refuses(address: str, path: str, host: str, status: int) -> None:
    asked = urllib.request.Request(f"{address}{path}", headers={"Host": host} if host else {})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(asked)
    assert caught.value.code == status
    caught.value.close()


# ---- text ----


def test_missing_values_are_na_everywhere() -> None:
    found = snapshot.take(machine(SERVER), told=list).gpus
    record = render.document(found[0], ["fan", "usage"])
    assert record["fan"] == {"fan_rpm": "N/A", "fan_percent": "N/A"}
    assert render.to_csv([record]).splitlines()[1].startswith("0,7,2,0,N/A,N/A")
    assert "FAN_RPM: N/A" in render.to_text([record])


def test_cells_that_a_spreadsheet_would_run() -> None:
    assert render.to_csv([{"gpu": 0, "name": "=cmd()"}]) == "gpu,name\n0,'=cmd()"


def test_the_live_view_in_a_terminal_is_left_by_a_key() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "softrock.cli", "smi", "--watch=30"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "160", "LINES": "40"}
    child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True)
    os.close(theirs)
    seen = b""
    try:
        while b"k signal" not in seen and select.select([ours], [], [], 20)[0]:
            seen += os.read(ours, 4096)
        os.write(ours, b"sq")
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the terminal is gone with the program
                break
            if not more:
                break
            seen += more
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.wait()
        os.close(ours)
    assert b"\x1b[?1049h" in seen
    assert b"\x1b[?1049l" in seen  # the screen is given back
