"""Malformed and hostile files give one clear error or a report with problems: never anything else, and in little time
and memory."""

from __future__ import annotations

import io
import json
import random
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import msgpack
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.inspect import samples

from softrock import inspect
from softrock.codeobj import bundle, kpack
from softrock.codeobj.elf import Elf
from softrock.codeobj.names import Demangler
from softrock.core.errors import CodeObjectError, UsageError
from softrock.inspect import limits, walk
from softrock.inspect.limits import clean

Codes = dict[str, bytes]

KINDS: dict[str, Callable[[Codes], bytes]] = {
    "code": lambda codes: codes["gfx942"],
    "bundle": lambda codes: samples.bundle_of(codes, 64),
    "ccob1": lambda codes: samples.compressed(samples.bundle_of(codes, 64), 1, "zlib"),
    "ccob3": lambda codes: samples.compressed(samples.bundle_of(codes, 64), 3, "zstd"),
    "library": samples.library,
    "kpack": samples.kpack,
    "kpack-plain": lambda codes: samples.kpack(codes, zstd=False),
    "ar": lambda codes: samples.ar({"some-long-name.o": samples.bundle_of(codes, 64)}),
    "wheel": lambda codes: samples.wheel({"x/libx.so": samples.bundle_of(codes, 64)}),
    "zip-bz2": lambda codes: samples.wheel({"x/libx.so": samples.bundle_of(codes, 64)}, zipfile.ZIP_BZIP2),
    "tar": lambda codes: samples.tar({"a" * 120: samples.bundle_of(codes, 64)}),
    "tar.gz": lambda codes: samples.tar({"x.hipfb": samples.bundle_of(codes, 64)}, "gz"),
    "tar.xz": lambda codes: samples.tar({"x.hipfb": samples.bundle_of(codes, 64)}, "xz"),
    "tar.bz2": lambda codes: samples.tar({"x.hipfb": samples.bundle_of(codes, 64)}, "bz2"),
    "tar.zst": lambda codes: samples.tar({"x.hipfb": samples.bundle_of(codes, 64)}, "zst"),
}


def _survives(path: Path, data: bytes, options: inspect.Options | None = None) -> None:
    """Inspect a file; only a report that can be printed, or a clean error, may come of it."""
    path.write_bytes(data)
    try:
        found = inspect.report(path, options or inspect.Options(arguments=False, kernels=None))
    except (CodeObjectError, UsageError) as error:
        assert error.hint  # noqa: PT017
        assert len(error.message) < 3000  # noqa: PT017
        return
    text = inspect.render(found)
    assert all(line.isprintable() for line in text.split("\n"))
    json.dumps(found)


@pytest.fixture(scope="session")
def files(codes: Codes) -> dict[str, bytes]:
    return {name: make(codes) for name, make in KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_truncated(kind: str, files: dict[str, bytes], tmp_path: Path) -> None:
    """At every byte of the first headers, and at steps behind them."""
    good = files[kind]
    for size in [*range(130), *range(130, len(good), max(1, len(good) // 60)), len(good) - 1]:
        _survives(tmp_path / "f", good[:size])


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_extreme(kind: str, files: dict[str, bytes], tmp_path: Path) -> None:
    """Numbers of four bytes in headers become huge, negative, zero and one: lengths that overflow, huge counts."""
    good = files[kind]
    end = good.rfind(b"PK\x01\x02") if kind in ("wheel", "zip-bz2") else len(good)
    places = [*range(0, 96, 4), *range(max(0, end - 48), min(end + 60, len(good) - 4), 4)]
    for at in places:
        for value in (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\1\0\0\0"):
            _survives(tmp_path / "f", good[:at] + value + good[at + 4 :])


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 2**32), count=st.integers(1, 12))
def test_mutated(kind: str, seed: int, count: int, files: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        data = bytearray(files[kind])
        for _ in range(count):
            area = chance.choice((32, 128, 1024, len(data)))
            at = chance.randrange(min(area, len(data)))
            at = chance.choice((at, len(data) - 1 - at))
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        cut = chance.randrange(8)
        if cut == 0:
            del data[chance.randrange(len(data)) :]
        elif cut == 1:
            at = chance.randrange(len(data))
            data[at:at] = data[: chance.randrange(300)]
        _survives(tmp_path / "f", bytes(data))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=400))
def test_random_bytes_behind_every_magic(data: bytes, tmp_path: Path) -> None:
    heads = (b"", b"\x7fELF\2\1\1", bundle.BUNDLE_MAGIC, b"CCOB", b"KPAK\1\0\0\0", b"!<arch>\n", b"PK\3\4",
             b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", bytes(257) + b"ustar\0")  # fmt: skip
    for head in heads:
        _survives(tmp_path / "f", head + data)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_kpack_tables_of_any_shape(data: st.DataObject) -> None:
    keys = ("compression_scheme", "blobs", "zstd_offset", "zstd_size", "toc", "gfx_arches", "group_name", "offset",
            "size", "ordinal", "original_size", "type", "lib#0", "gfx942", "none", "zstd-per-kernel")  # fmt: skip
    value = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.sampled_from(keys) | st.binary(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(keys), inner, max_size=5),
        max_leaves=14,
    )
    table = data.draw(st.dictionaries(st.sampled_from(keys), value, max_size=8) | value)
    raw = struct.pack("<4sIQ", b"KPAK", 1, 64) + bytes(48) + msgpack.packb(table)
    try:
        archive = kpack.Kpack(raw, "x.kpack")
        for entry in archive.entries:
            if archive.size_of(entry) < 1 << 24:
                archive.read(entry)
    except CodeObjectError as error:
        assert "x.kpack" in error.message  # noqa: PT017


def _quick(path: Path, seconds: float = 10) -> list[str]:
    """Problems, or the error, of a file that must not take long nor much memory (in a process with 3 GiB)."""
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "from softrock import inspect\n"
        "from softrock.core.errors import SoftrockError\n"
        "try:\n    print(*inspect.report(sys.argv[1], inspect.Options(kernels=None))['problems'], sep='\\n')\n"
        "except SoftrockError as error:\n    print(error.message)\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - start < seconds
    return done.stdout.splitlines()


def test_decompression_bombs(tmp_path: Path, codes: Codes) -> None:
    zeros = b"\x7fELF" + bytes(64 << 20)
    frame = zstandard.ZstdCompressor(level=3).compress(zeros)
    path = tmp_path / "bomb"
    # A compressed bundle that claims to unpack to terabytes.
    body = zlib.compress(bytes(1000))
    path.write_bytes(struct.pack("<4sHHQQQ", b"CCOB", 3, 0, 32 + len(body), 1 << 42, 0) + body)
    assert "unpack to" in _quick(path)[0]
    # One that unpacks to more than it claims.
    path.write_bytes(struct.pack("<4sHHQQQ", b"CCOB", 3, 1, 32 + len(frame), 1000, 0) + frame)
    assert "more than that" in _quick(path)[0]
    # A tar with a member of 6 GiB, of 100 frames of 64 MiB.
    info = tarfile.TarInfo("x.so")
    info.size = 6 << 30
    path.write_bytes(zstandard.compress(info.tobuf()) + frame * 100)
    assert "makes likely" in _quick(path, 20)[0]


def test_zip_whose_members_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of directory entries for the same compressed bytes."""
    monkeypatch.setattr(limits, "_BASE", 1 << 27)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.so", b"\x7fELF" + bytes(32 << 20))
    data = out.getvalue()
    start = data.rfind(b"PK\x01\x02")
    end = data.rfind(b"PK\x05\x06")
    entry, count = data[start:end], 300
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(entry) * count, start, 0)
    path = tmp_path / "x.zip"
    path.write_bytes(data[:start] + entry * count + tail)
    events = walk.in_file(walk.open_file(path), "x.zip", None)
    messages = [each.message for each in events if isinstance(each, walk.Problem)]
    assert messages
    assert all("makes likely" in each or "Overlapped" in each for each in messages)


def test_archives_without_end(tmp_path: Path, codes: Codes) -> None:
    data = samples.library(codes)
    for number in range(12):
        data = samples.wheel({f"{number}.zip": data})
    path = tmp_path / "deep.zip"
    path.write_bytes(data)
    with pytest.raises(CodeObjectError, match="one in the other"):
        inspect.report(path)


def test_parts_that_overlap(tmp_path: Path) -> None:
    """A bundle of thousands of entries that are all of it."""
    size = 1 << 20
    rows = [(b"hipv4-amdgcn-amd-amdhsa--gfx942", 0, size)] * 4000
    head = bundle.BUNDLE_MAGIC + struct.pack("<Q", len(rows))
    head += b"".join(struct.pack("<QQQ", at, length, len(name)) + name for name, at, length in rows)
    path = tmp_path / "x.hipfb"
    path.write_bytes(head + bytes(size - len(head)))
    assert any("overlap" in each for each in _quick(path))


def test_string_tables_that_overlap() -> None:
    """Names that all run to the end of one long string would fill the memory."""
    names = b"\0" + b"a" * (1 << 20) + b"\0"
    symbols = b"".join(struct.pack("<IBBHQQ", 1 + i, 0x11, 0, 1, 0, 64) for i in range(20000))
    elf = Elf(samples.host_elf({".strtab": names, ".symtab": symbols}, 224), "x.co")
    table = next(each for each in elf.sections if each.name == ".symtab")
    with pytest.raises(CodeObjectError, match="names in a string table overlap"):
        elf._symbols(elf.content(table), names)


def test_mangled_names_that_explode() -> None:
    """A name of 400 bytes that stands for one of 2^60."""
    parts = "1A"
    for number in range(60):
        last = "S_" if number == 0 else f"S{_base36(2 * number - 1)}_"
        parts += f"St4pairI{last}{last}E"
    bomb = "_Z1f" + parts
    names = Demangler()
    start = time.monotonic()
    found = names.names(["_Z1fi", "plain", "_Z", "_Z1f\n", bomb, "_Z1gi"])
    names.close()
    assert time.monotonic() - start < 8
    assert found[:4] == ["f(int)", "plain", "_Z", "_Z1f\n"]
    assert len(found[4]) < 70000
    assert found[5] in ("g(int)", "_Z1gi")


def _base36(number: int) -> str:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return digits[number] if number < 36 else digits[number // 36] + digits[number % 36]


def test_names_with_control_characters(tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / "x.whl"
    nasty = "a\x1b]0;owned\x07\x1b[2J\n\u202e.so"
    path.write_bytes(samples.wheel({nasty: samples.library(codes)}))
    text = inspect.render(inspect.report(path))
    assert all(line.isprintable() for line in text.split("\n"))
    assert "owned" in text
    path.write_bytes(samples.ar({"b\x1b[31m.o": samples.library(codes)[:900]}))
    with pytest.raises(CodeObjectError) as caught:
        inspect.report(path)
    assert caught.value.message.isprintable()
    assert clean("a\udc80\x00b" + "c" * 1000).startswith("a??b")


def test_kernel_names_with_control_characters(tmp_path: Path, codes: Codes) -> None:
    code = codes["gfx942"].replace(b"axpy", b"a\x1b\x07y")
    path = tmp_path / "x.co"
    path.write_bytes(code)
    text = inspect.render(inspect.report(path))
    assert "a??y" in text
    assert all(line.isprintable() for line in text.split("\n"))
