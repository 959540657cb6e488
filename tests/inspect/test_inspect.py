"""The report on binaries, as data and as text."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock import inspect
from softrock.codeobj import bundle
from softrock.core.errors import CodeObjectError, SoftrockError, UsageError

Compile = Callable[..., bytes]

SOURCE = """\
__constant__ float table[16] = {1, 2, 3};
template <typename T> __global__ void scale(T *p, T by) {
  p[__builtin_amdgcn_workitem_id_x()] *= by + table[*(int *)p & 15];
}
template __global__ void scale<float>(float *, float);
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 128))) void plain(int *p, int n) {
  __shared__ int s[1024];
  volatile int a[40];
  int i = __builtin_amdgcn_workitem_id_x();
  for (int k = 0; k < 40; k++) a[k] = p[k];
  s[i] = a[n];
  __builtin_amdgcn_s_barrier();
  p[i] = s[i ^ 1];
}
"""
TARGETS = ("gfx942", "gfx1100")


@pytest.fixture
def fat(compile_device: Compile) -> bytes:
    host = ("host-x86_64-unknown-linux-gnu-", b"")
    return bundle.write([host, *((bundle.entry_id(each), compile_device(SOURCE, each)) for each in TARGETS)])


def _write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_code_object(tmp_path: Path, compile_device: Compile) -> None:
    found = inspect.report(_write(tmp_path, "k.co", compile_device(SOURCE, "gfx942")))
    assert found["kind"] == "GPU code object"
    assert found["targets"] == ["gfx942"]
    assert found["problems"] == []
    [code] = found["code_objects"]
    kernels = {each["symbol"]: each for each in code["kernels"]}
    plain = kernels["plain"]
    assert plain["lds"] == 4096
    assert plain["scratch"] >= 160
    assert plain["required_block"] is None
    assert plain["max_block"] == 128
    assert plain["wave_size"] == 64
    assert [a["name"] for a in plain["arguments"]] == ["p.coerce", "n"]
    assert plain["occupancy"]["gpu"] == "AMD Instinct MI300X"
    assert plain["occupancy"]["block"] == 128
    assert (
        plain["occupancy"]["blocks"] == 16
    )  # 64 KiB of LDS, and 32 waves, hold 16 blocks of 4 KiB and 2 waves
    assert plain["occupancy"]["fraction"] == 1.0
    assert [v["name"] for v in code["variables"]] == ["table"]
    assert code["variables"][0]["constant"] is True
    names = [each["name"] for each in code["kernels"]]
    assert any(name in ("void scale<float>(float*, float)", "_Z5scaleIfEvPT_S0_") for name in names)


def test_everything_is_json(tmp_path: Path, fat: bytes) -> None:
    found = inspect.report(_write(tmp_path, "k.hipfb", fat))
    assert json.loads(json.dumps(found)) == found
    assert found["kind"] == "offload bundle"
    assert found["targets"] == list(TARGETS)
    assert [each["kernels"][0]["wave_size"] for each in found["code_objects"]] == [64, 32]


def test_text(tmp_path: Path, fat: bytes) -> None:
    path = _write(tmp_path, "k.hipfb", fat)
    text = inspect.render(inspect.report(path))
    assert "GPU code for: gfx942, gfx1100" in text
    assert "4 KiB" in text
    row = next(line for line in text.splitlines() if line.endswith(" plain"))
    head = next(line for line in text.splitlines() if line.endswith("kernel"))
    assert row.index("plain") == head.index("kernel")
    assert "variable table: 64 B, constant" in text


def test_host_binaries_and_archives(tmp_path: Path, fat: bytes, zig: Callable[..., None]) -> None:
    _write(tmp_path, "fat.bin", fat)
    (tmp_path / "fat.s").write_text('.section .hip_fatbin,"a",@progbits\n.p2align 12\n.incbin "fat.bin"\n')
    zig(
        "clang",
        "-cc1as",
        "-triple",
        "x86_64-linux-gnu",
        "-filetype",
        "obj",
        "-o",
        "fat.o",
        "fat.s",
        folder=tmp_path,
    )
    zig("ld.lld", "-shared", "fat.o", "-o", "fat.so", folder=tmp_path)
    zig("ar", "rcs", "fat.a", "fat.o", folder=tmp_path)
    for name, kind in (("fat.o", "object file"), ("fat.so", "shared library"), ("fat.a", "archive")):
        found = inspect.report(tmp_path / name)
        assert found["kind"] == kind
        assert found["targets"] == list(TARGETS)
        assert [len(each["kernels"]) for each in found["code_objects"]] == [2, 2]
        assert "plain" in inspect.render(found)


def test_relocatable_and_bitcode(tmp_path: Path, compile_device: Compile) -> None:
    found = inspect.report(_write(tmp_path, "k.o", compile_device(SOURCE, "gfx942", link=False)))
    assert found["kind"] == "relocatable GPU object"
    assert len(found["code_objects"][0]["kernels"]) == 2
    data = bundle.write([(bundle.entry_id("gfx942"), b"BC\xc0\xde" + bytes(60))])
    found = inspect.report(_write(tmp_path, "k.hipfb", data))
    assert "bitcode" in inspect.render(found)


def test_one_corrupt_entry_is_reported_beside_the_good(tmp_path: Path, compile_device: Compile) -> None:
    good = compile_device(SOURCE, "gfx942")
    data = bundle.write([(bundle.entry_id("gfx942"), good), (bundle.entry_id("gfx1100"), good[:300])])
    found = inspect.report(_write(tmp_path, "k.hipfb", data))
    assert [bool(each["error"]) for each in found["code_objects"]] == [False, True]
    assert len(found["problems"]) == 1
    assert "cannot be read" in inspect.render(found)


def test_bad_files(tmp_path: Path, compile_device: Compile, fat: bytes) -> None:
    cases: list[tuple[Path, type[SoftrockError], str]] = [
        (tmp_path / "absent", UsageError, "does not exist"),
        (
            _write(tmp_path, "text", b"hello world, I am no binary"),
            CodeObjectError,
            "no GPU code that is known",
        ),
        (_write(tmp_path, "empty", b""), CodeObjectError, "no GPU code"),
        (
            _write(tmp_path, "cut.co", compile_device(SOURCE, "gfx942")[:700]),
            CodeObjectError,
            "corrupt or truncated",
        ),
        (_write(tmp_path, "cut.hipfb", fat[: len(fat) // 2]), CodeObjectError, "truncated"),
        (Path("/proc/self/exe").resolve(), CodeObjectError, "holds no AMD GPU code"),
        (Path("nul\0byte"), UsageError, "no file name"),
    ]
    for path, kind, message in cases:
        with pytest.raises(kind, match=message) as caught:
            inspect.report(path)
        assert caught.value.hint


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    path = _write(tmp_path, "secret", b"")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        inspect.report(path)
