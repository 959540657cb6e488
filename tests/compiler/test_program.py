"""Programs kept for the next run: found when nothing changed, rebuilt when anything did."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.compiler import device, kept, program, toolchain
from softrock.compiler.link import Runtime
from softrock.core.errors import CompileError, SoftrockError, UsageError

SOURCE = '#include "tiny.h"\n#include "value.h"\nglobal void k(int *p) { *p = VALUE; }\nint main() { return VALUE; }\n'

Build = Callable[..., program.Program]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests here: the device library is built once; folders tell the tests' entries apart."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def build(work: Path, store: Path, stub_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(store))
    (work / "value.h").write_text("#define VALUE 3\n")
    (work / "k.hip").write_text(SOURCE)
    (work / "scratch").mkdir()

    def run(*args: str) -> program.Program:
        return program.build(args, ["gfx942"], lambda: stub_runtime, work / "scratch")

    return run


def _status(found: program.Program) -> int:
    return os.waitstatus_to_exitcode(os.spawnv(os.P_WAIT, found.path, [str(found.path)]) << 8)


def test_second_build_is_found(build: Build) -> None:
    first = build("k.hip")
    assert not first.cached
    second = build("k.hip")
    assert second.cached
    assert second.path == first.path
    assert _status(second) == 3


def test_a_changed_header_rebuilds(build: Build, work: Path) -> None:
    build("k.hip")
    (work / "value.h").write_text("#define VALUE 4\n")
    again = build("k.hip")
    assert not again.cached
    assert _status(again) == 4


def test_a_touched_but_equal_file_does_not_rebuild(build: Build, work: Path) -> None:
    build("k.hip")
    os.utime(work / "value.h", (1, 1))
    assert build("k.hip").cached


def test_flags_and_targets_are_part_of_the_key(build: Build) -> None:
    build("k.hip")
    assert not build("k.hip", "-DOTHER").cached
    assert not build("k.hip", "--offload-arch=gfx1100").cached
    assert build("k.hip").cached


def test_a_changed_object_relinks(build: Build, work: Path) -> None:
    def archive(symbol: str) -> None:
        (work / "part.s").write_text(f".globl {symbol}\n{symbol}:\n")
        assert toolchain.run(["clang", "-c", "part.s", "-o", "part.o"]).returncode == 0
        assert toolchain.run(["ar", "rcsD", "part.a", "part.o"]).returncode == 0

    archive("one")
    build("k.hip", "part.a")
    assert build("k.hip", "part.a").cached
    archive("two")
    assert not build("k.hip", "part.a").cached


def test_a_damaged_program_is_built_again(build: Build) -> None:
    first = build("k.hip")
    data = bytearray(first.path.read_bytes())
    data[len(data) // 2] ^= 1
    first.path.write_bytes(data)
    again = build("k.hip")
    assert not again.cached
    assert _status(again) == 3


def test_a_damaged_record_is_no_error(build: Build) -> None:
    folder = build("k.hip").path.parent
    record = folder.with_name(folder.name + ".json")
    record.write_bytes(record.read_bytes()[:-5])
    assert not build("k.hip").cached


def test_failed_builds_are_not_kept(build: Build, work: Path) -> None:
    (work / "k.hip").write_text("syntax error\n")
    for _ in range(2):
        with pytest.raises(CompileError, match=r"k\.hip:1:1: error"):
            build("k.hip")
    (work / "k.hip").write_text(SOURCE)
    assert _status(build("k.hip")) == 3


@pytest.mark.parametrize("args", [[], ["-O2"], ["k.hip", "-c"], ["k.hip", "-shared"], ["k.hip", "-o", "x"]])
def test_what_makes_no_program_is_wrong_usage(build: Build, args: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        build(*args)
    assert caught.value.status == 2


def test_missing_source(build: Build) -> None:
    with pytest.raises(SoftrockError, match=r"no such file: none\.hip"):
        build("none.hip")


def test_kept_results_survive_a_foreign_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "result").write_bytes(b"x")
    path = kept.keep("test", "key", tmp_path / "result", [])
    assert kept.find("test", "key") == path
    path.write_bytes(b"y")
    assert kept.find("test", "key") is None


def test_device_code_from_text(work: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(store))
    source = '#include "twice.h"\nextern "C" __global__ void k(int *p) { int unused; *p = twice(*p); }\n'
    headers = {"twice.h": "__device__ inline int twice(int x) { return 2 * x; }\n"}
    first = device.compile_device(source, "gfx942", ["-Wall"], name="my.hip", headers=headers)
    assert first.code.startswith(b"\x7fELF")
    assert "my.hip:2:44: warning: unused variable" in first.log
    second = device.compile_device(source, "gfx942", ["-Wall"], name="my.hip", headers=headers)
    assert second.cached
    assert second.code == first.code
    other = device.compile_device(source, "gfx942", name="my.hip", headers={"twice.h": headers["twice.h"] + "\n"})
    assert not other.cached
    assert device.compile_device(source, "gfx942", headers=headers, bitcode=True).code.startswith(b"BC\xc0\xde")
    with pytest.raises(CompileError, match=r"my\.hip:1:1: error"):
        device.compile_device("?", "gfx942", name="my.hip")
    with pytest.raises(UsageError):
        device.compile_device("", "gfx942", name="../my.hip")
