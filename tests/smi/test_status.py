"""What processes tell of their software GPUs, and files that are not to be believed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.smi.machines import machine

from softrock.gpu import status
from softrock.gpu.status import Publisher, Told, read_all
from softrock.smi import software

TOLD = Told(0, "AMD Instinct MI300X (software)", "gfx942:sramecc+:xnack-", 1 << 20, 1 << 34, 7, 9_000, False, 304)


class Source:
    """A device that tells something."""

    def __init__(self) -> None:
        self.now = TOLD

    def told(self) -> Told:
        """What it tells."""
        return self.now


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    return folder


def test_what_is_written_is_read(place: Path) -> None:
    publisher = Publisher(place, [Source()])
    publisher.write()
    (found,) = read_all(place)
    assert found.pid == os.getpid()
    assert found.devices == (TOLD,)
    assert (place / str(os.getpid())).stat().st_mode & 0o777 == 0o600
    publisher.end()
    assert not read_all(place)
    assert not list(place.iterdir())


def test_nothing_is_written_where_nothing_changed(place: Path) -> None:
    source = Source()
    publisher = Publisher(place, [source])
    publisher.write()
    (first,) = read_all(place)
    publisher.write()
    assert read_all(place) == [first]
    source.now = Told(**{**{n: getattr(TOLD, n) for n in TOLD.__slots__}, "launches": 8})
    publisher.write()
    (later,) = read_all(place)
    assert later.written > first.written
    publisher.end()


def test_files_of_dead_processes_are_removed(place: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    Publisher(place, [Source()]).write()
    mine = place / str(os.getpid())
    (place / str(ended.pid)).write_text(mine.read_text())
    (place / str(ended.pid)).chmod(0o600)
    assert [each.pid for each in read_all(place)] == [os.getpid()]
    assert [each.name for each in place.iterdir()] == [mine.name]


def test_a_number_that_another_process_has_now_is_not_believed(place: Path) -> None:
    Publisher(place, [Source()]).write()
    mine = place / str(os.getpid())
    document = json.loads(mine.read_text())
    mine.write_text(json.dumps({**document, "started": 1}))
    assert read_all(place) == []
    assert not mine.exists()


def test_others_files_and_links_are_not_believed(place: Path, tmp_path: Path) -> None:
    Publisher(place, [Source()]).write()
    mine = place / str(os.getpid())
    mine.chmod(0o666)
    assert read_all(place) == []
    mine.chmod(0o600)
    real = tmp_path / "elsewhere"
    mine.rename(real)
    mine.symlink_to(real)
    assert read_all(place) == []
    assert real.exists()
    mine.unlink()
    real.rename(mine)
    assert len(read_all(place)) == 1
    place.chmod(0o755)
    assert read_all(place) == []


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2}, {"pid": 1}, {"written": -1}, {"written": True}, {"devices": {}}, {"devices": [1]},
        {"devices": [{"index": 0}]}, {"devices": [{}] * 300},
    ],
)  # fmt: skip
def test_documents_that_are_not_as_they_have_to_be(place: Path, change: dict[str, object]) -> None:
    Publisher(place, [Source()]).write()
    mine = place / str(os.getpid())
    mine.write_text(json.dumps({**json.loads(mine.read_text()), **change}))
    assert read_all(place) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", "x\x1b[2J"), ("name", "n" * 200), ("launches", -1), ("launches", 1.5), ("memory_used", 1 << 64),
     ("pending", 1), ("target", None)],
)  # fmt: skip
def test_devices_that_are_not_as_they_have_to_be(place: Path, name: str, value: object) -> None:
    Publisher(place, [Source()]).write()
    mine = place / str(os.getpid())
    document = json.loads(mine.read_text())
    document["devices"][0][name] = value
    mine.write_text(json.dumps(document))
    assert read_all(place) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 70000, b"\xff\xfe", b" " * 70000])
def test_broken_files(place: Path, data: bytes) -> None:
    mine = place / str(os.getpid())
    mine.write_bytes(data)
    mine.chmod(0o600)
    assert read_all(place) == []


def test_the_folder_must_be_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert status.folder() == tmp_path / "softrock"
    (tmp_path / "softrock").chmod(0o777)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "none"))
    assert status.folder() is None


def _status(written: int, **changes: object) -> status.Status:
    fields = {n: getattr(TOLD, n) for n in TOLD.__slots__}
    return status.Status(os.getpid(), written, (Told(**{**fields, **changes}),))


@pytest.mark.parametrize(
    ("later", "use"),
    [
        ({"busy_ns": 9_000 + 500_000_000}, 50.0),
        ({"busy_ns": 9_000 + 5_000_000_000}, 100.0),
        ({}, 0.0),
    ],
)
def test_use_of_a_software_gpu(later: dict[str, object], use: float) -> None:
    before, now = [_status(0)], [_status(1_000_000_000, **later)]
    gpus, users = software.gpus(machine("ok-no-gpu"), now, 0)
    software.use_since(before, now, gpus, users)
    assert gpus[0].get("gfx_use_percent") == use
    assert gpus[0].get("gfx") == "gfx942"
    assert gpus[0].get("kernels_launched_count") == 7


def test_a_kernel_that_runs_through_both_looks_counts_as_busy() -> None:
    before, now = [_status(0, pending=True)], [_status(1_000_000_000, pending=True)]
    gpus, users = software.gpus(machine("ok-no-gpu"), now, 0)
    software.use_since(before, now, gpus, users)
    assert gpus[0].get("gfx_use_percent") == 100.0


_PROGRAM = """
import sys
from softrock.hip import memory, state
state.runtime()
memory.malloc(1 << 20)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_running_process_is_seen_and_gone_when_it_ends(place: Path) -> None:
    place = place.parent
    place.chmod(0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(place), "SOFTROCK_GPUS": "gfx942,gfx1100"}
    child = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    try:
        for _ in range(60):
            found = read_all(place / "softrock")
            if found and found[0].devices[0].memory_used:
                break
            child.poll()
            subprocess.run(["sleep", "0.1"], check=True)
        (told,) = found
        assert told.pid == child.pid
        assert [each.target.partition(":")[0] for each in told.devices] == ["gfx942", "gfx1100"]
        assert [each.memory_used for each in told.devices] == [1 << 20, 0]
    finally:
        child.stdin.close()
        child.wait(20)
        child.stdout.close()
    assert list((place / "softrock").iterdir()) == []
