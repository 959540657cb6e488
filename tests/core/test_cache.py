"""The cache: verified, owner-only, safe when something else writes there."""

from __future__ import annotations

import os
import stat
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
