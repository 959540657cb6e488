"""The cache: verified, owner-only, safe when something else writes there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softrock.core import cache, settings
from softrock.core.errors import SoftrockError, UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SOFTROCK_NO_CACHE", raising=False)
    return tmp_path / "cache"


def test_what_is_written_is_read(folder: Path) -> None:
    cache.write("kind", "key", b"body")
    assert cache.read("kind", "key") == b"body"
    assert cache.read("kind", "other") is None
    assert stat.S_IMODE((folder / "kind").stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE((folder / "kind" / "key").stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("damage", [b"", b"x", b"softrock-cache-1\n", b"softrock-cache-1\n" + bytes(40)])
def test_corrupt_entries_are_absent(folder: Path, damage: bytes) -> None:
    cache.write("kind", "key", b"body")
    (folder / "kind" / "key").write_bytes(damage)
    assert cache.read("kind", "key") is None


def test_one_flipped_bit_is_found(folder: Path) -> None:
    cache.write("kind", "key", b"body" * 100)
    path = folder / "kind" / "key"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    assert cache.read("kind", "key") is None


def test_keys_do_not_collide_by_concatenation() -> None:
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc")
    assert cache.key_of(b"x") == cache.key_of("x")


def test_folders_open_to_others_are_closed(folder: Path) -> None:
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    cache.folder("kind")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_is_refused(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with pytest.raises(SoftrockError, match="belongs to user 12345"):
        cache.folder("kind")


def test_no_cache_neither_reads_nor_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write("kind", "key", b"body")
    monkeypatch.setenv("SOFTROCK_NO_CACHE", "1")
    assert cache.read("kind", "key") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("SOFTROCK_THREADS", "many"), ("SOFTROCK_THREADS", "0"), ("SOFTROCK_OPT", "9"), ("SOFTROCK_BACKEND", "magic")],
)
def test_settings_that_make_no_sense_name_the_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name):
        settings.load()


def test_sealed_files_are_known_again(tmp_path: Path) -> None:
    one, other, note = (tmp_path / name for name in ("one", "other", "note"))
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    assert not cache.whole(note, [one, other])
    cache.seal(note, [one, other])
    assert cache.whole(note, [one, other])
    other.write_bytes(b"3")
    assert not cache.whole(note, [one, other])
    other.unlink()
    assert not cache.whole(note, [one, other])
    note.write_bytes(b"\xff")
    assert not cache.whole(note, [one])


def test_one_process_builds_and_the_others_wait(folder: Path, tmp_path: Path) -> None:
    """Sixteen processes want the same entry at once: one makes it, all get it."""
    code = (
        "import sys, time\n"
        "from softrock.core import cache\n"
        "with cache.building('code', 'k', 20):\n"
        "    if cache.read('code', 'k') is None:\n"
        "        time.sleep(0.2)\n"
        "        print('built')\n"
        "        cache.write('code', 'k', bytes(100000))\n"
        "assert cache.read('code', 'k') == bytes(100000)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(16)]
    said = [each.communicate(timeout=60)[0] for each in running]
    assert [each.returncode for each in running] == [0] * 16
    assert "".join(said) == "built\n"
    assert not list((folder / "locks").iterdir())


def test_the_right_to_build_ends_with_its_owner(folder: Path) -> None:
    code = (
        "import os\n"
        "from softrock.core import cache\n"
        "with cache.building('code', 'k', 1):\n"
        "    print('mine', flush=True)\n"
        "    os.read(0, 1)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"mine\n"
        start = time.monotonic()
        with cache.building("code", "k", 0.2) as mine:  # nobody waits for ever
            assert not mine
        assert time.monotonic() - start < 5
        owner.kill()
        owner.wait()
        start = time.monotonic()
        with cache.building("code", "k", 30) as mine:
            assert mine
            assert time.monotonic() - start < 5


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    for number in range(10):
        cache.write("code", f"k{number}", bytes(1000))
        os.utime(folder / "code" / f"k{number}", (number * 1e5, number * 1e5))
    cache.write("abi", "kept", bytes(5000))
    assert cache.read("code", "k0") is not None  # and so it is the newest now
    assert cache.prune(1 << 20) == 0
    assert cache.prune(6000) > 0
    left = {path.name for path in (folder / "code").iterdir()}
    assert "k0" in left
    assert "k9" in left
    assert "k1" not in left
    assert cache.usage()["code"].bytes <= 6000
    assert cache.read("abi", "kept") is not None
