"""Every kind of file gives the same targets and kernels, wherever they stand in it."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from tests.inspect import samples
from tests.inspect.samples import KERNELS

from softrock import inspect
from softrock.codeobj import bundle
from softrock.core.errors import CodeObjectError, UsageError

Codes = dict[str, bytes]
TARGETS = ["gfx942", "gfx1100"]

KINDS: dict[str, Callable[[Codes], bytes]] = {
    "x.hipfb": samples.bundle_of,
    "twice.hipfb": lambda codes: samples.bundle_of({"gfx942": codes["gfx942"]}) + samples.compressed(
        samples.bundle_of({"gfx1100": codes["gfx1100"]})
    ),
    **{
        f"v{version}-{method}.hipfb": lambda codes, v=version, m=method: samples.compressed(  # type: ignore[misc]
            samples.bundle_of(codes), v, m
        )
        for version in (1, 2, 3)
        for method in ("zlib", "zstd")
    },
    "x.so": samples.library,
    "packed.so": lambda codes: samples.library(codes, pack=True),
    "x.kpack": samples.kpack,
    "plain.kpack": lambda codes: samples.kpack(codes, zstd=False),
    "x.a": lambda codes: samples.ar({"a-name-that-is-long.o": samples.library(codes)}),
    "bsd.a": lambda codes: samples.ar({"a-name-that-is-long.o": samples.library(codes)}, bsd=True),
    "x-1-py3-none-any.whl": lambda codes: samples.wheel({"x/lib/libx.so": samples.library(codes)}),
    "stored.zip": lambda codes: samples.wheel({"x/libx.so": samples.library(codes)}, zipfile.ZIP_STORED),
    "lzma.zip": lambda codes: samples.wheel({"x/libx.so": samples.library(codes)}, zipfile.ZIP_LZMA),
    **{
        f"x.tar.{packing or 'none'}": lambda codes, p=packing: samples.tar(  # type: ignore[misc]
            {"opt/" + "long" * 40 + "/libx.so": samples.library(codes)}, p
        )
        for packing in ("", "gz", "bz2", "xz", "zst")
    },
    "gnu.tar": lambda codes: samples.tar(
        {"opt/" + "long" * 40 + "/libx.so": samples.library(codes)}, form=tarfile.GNU_FORMAT
    ),
    "x.deb": lambda codes: samples.ar(
        {
            "debian-binary": b"2.0\n",
            "data.tar.xz": samples.tar(
                {"x.whl": samples.wheel({"libx.a": samples.ar({"x.o": samples.library(codes)})})}, "xz"
            ),
        }
    ),
}  # fmt: skip


def _names(found: dict[str, Any]) -> list[list[str]]:
    return [sorted(each["name"] for each in code["kernels"]) for code in found["code_objects"]]


@pytest.mark.parametrize("name", KINDS)
def test_all_kinds_agree(name: str, tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / name
    path.write_bytes(KINDS[name](codes))
    found = inspect.report(path)
    assert found["targets"] == TARGETS
    assert found["problems"] == []
    assert _names(found) == [KERNELS, KERNELS]
    assert [(row["target"], row["code_objects"], row["kernels"]) for row in found["summary"]] == [
        ("gfx942", 1, 2),
        ("gfx1100", 1, 2),
    ]
    text = inspect.render(found)
    assert "GPU code for: gfx942, gfx1100" in text
    assert text.count("  axpy") == 2


def test_counts_alone_agree_with_what_is_read_in_full(tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(samples.library(codes))
    whole = inspect.report(path)
    counted = inspect.report(path, inspect.Options(kernels=False))
    assert counted["summary"] == whole["summary"]
    assert counted["kernels_left_out"] == 4
    assert not any(each["kernels"] for each in counted["code_objects"])
    kernels = [each for code in whole["code_objects"] for each in code["kernels"]]
    assert sum(row["scratch"] for row in whole["summary"]) == sum(bool(each["scratch"]) for each in kernels) == 2
    few = inspect.report(path, inspect.Options(kernels=None, few=3))
    assert few["kernels_left_out"] == 4
    assert not any(each["kernels"] for each in few["code_objects"])
    assert "4 kernels: --kernels lists them" in inspect.render(few)


def test_relocatable_object_is_counted(tmp_path: Path, compile_device: Callable[..., bytes]) -> None:
    path = tmp_path / "x.o"
    path.write_bytes(compile_device(samples.SOURCE, "gfx942", link=False))
    [row] = inspect.report(path, inspect.Options(kernels=False))["summary"]
    assert (row["kernels"], row["scratch"]) == (2, 1)


def test_build_id_and_compilers(tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(samples.library(codes))
    found = inspect.report(path)
    [file] = found["files"]
    assert file["build_id"] == "0123456789abcdef"
    assert file["compilers"] == ["GCC: (Debian 12.2.0) 12.2.0"]
    assert (file["code_objects"], file["kernels"]) == (2, 4)
    assert any("clang version" in each for each in found["compilers"])
    text = inspect.render(found)
    assert "build ID: 0123456789abcdef" in text
    assert "host code compiled by: GCC: (Debian" in text


def test_folder(tmp_path: Path, codes: Codes) -> None:
    base = tmp_path / "tree"
    (base / "lib" / "kernels").mkdir(parents=True)
    (base / "lib" / "libx.so.1").write_bytes(samples.library(codes))
    (base / "lib" / "libx.so").symlink_to("libx.so.1")
    (base / "lib" / "gone.so").symlink_to("nowhere")
    (base / "lib" / "up").symlink_to(base)
    (base / "lib" / "kernels" / "a.hsaco").write_bytes(codes["gfx942"])
    (base / "lib" / "host.so").write_bytes(samples.host_elf({".text": b"\xc3"}))
    (base / "lib" / "host32.so").write_bytes(b"\x7fELF\1\1\1" + bytes(200))
    (base / "note.txt").write_text("no code")
    found = inspect.report(base)
    assert (found["kind"], found["bytes"], found["kernel_count"], found["problems"]) == ("folder", None, 6, [])
    assert [Path(each["name"]).name for each in found["files"]] == ["libx.so", "a.hsaco"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(CodeObjectError, match="holds no AMD GPU code"):
        inspect.report(empty)


def test_installed_package_is_not_imported(tmp_path: Path, codes: Codes, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "site"
    facts = place / "some_thing-1.5.dist-info"
    (place / "something").mkdir(parents=True)
    facts.mkdir()
    (place / "something" / "__init__.py").write_text("raise SystemExit('imported')")
    (place / "something" / "lib.so").write_bytes(samples.library(codes))
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: some-thing\nVersion: 1.5\n")
    (facts / "RECORD").write_text("something/__init__.py,,\nsomething/lib.so,,\nsomething/absent.so,,\n")
    monkeypatch.syspath_prepend(place)
    monkeypatch.chdir(tmp_path)
    for name, kind in (("some-thing", "Python package 1.5"), ("something", "Python package")):
        found = inspect.report(name)
        assert found["kind"] == kind
        assert found["kernel_count"] == 4
    assert "something" not in sys.modules
    for name in ("no-such-package", "../some", "-x", "a" * 5000):
        with pytest.raises((UsageError, CodeObjectError)):
            inspect.report(name)


def test_host_library_names_its_kpack(tmp_path: Path, codes: Codes) -> None:
    paths = ["../.kpack/x_@GFXARCH@.kpack", "bad\x1b[31m.kpack"]
    marker = msgpack.packb({"kernel_name": "lib/libx.so", "kpack_search_paths": paths})
    path = tmp_path / "libx.so"
    path.write_bytes(samples.host_elf({".hip_fatbin": bytes(8192), ".rocm_kpack_ref": marker}))
    found = inspect.report(path)
    assert found["files"][0]["kept_in"] == ["../.kpack/x_@GFXARCH@.kpack", "bad?[31m.kpack"]
    assert "keeps its GPU code in ../.kpack/x_@GFXARCH@.kpack" in inspect.render(found)
    asked = inspect.Options(gpus=inspect.devices("gfx942,gfx1201"))
    [verdict, _] = inspect.report(path, asked)["gpus"]
    assert (verdict["verdict"], verdict["reason"][:22]) == ("unknown", "its GPU code is kept i")
    (tmp_path / "x_gfx942.kpack").write_bytes(samples.kpack({"gfx942": codes["gfx942"]}))
    (tmp_path / "y_gfx1100.kpack").write_bytes(samples.kpack({"gfx1100": codes["gfx1100"]}))
    assert [each["verdict"] for each in inspect.report(tmp_path, asked)["gpus"]] == ["runs", "does not run"]
    (tmp_path / "lib").mkdir()
    (tmp_path / ".kpack").mkdir()
    path = path.rename(tmp_path / "lib" / "libx.so")
    assert inspect.report(path)["targets"] == []  # the archives' packages are not installed
    (tmp_path / ".kpack" / "x_gfx942.kpack").write_bytes(samples.kpack({"gfx942": codes["gfx942"]}))
    (tmp_path / ".kpack" / "x_gfx1100.kpack").write_bytes(samples.kpack({"gfx1100": codes["gfx1100"]}, "lib/liby.so#0"))
    (tmp_path / ".kpack" / "y_gfx1100.kpack").write_bytes(samples.kpack({"gfx1100": codes["gfx1100"]}))
    (tmp_path / ".kpack" / "x_gfx90a.kpack").write_bytes(b"KPAK")
    found = inspect.report(path, asked)
    assert (found["targets"], found["kernel_count"]) == (["gfx942"], 2)
    assert [each["verdict"] for each in found["gpus"]] == ["runs", "does not run"]
    assert len(found["problems"]) == 1
    path.write_bytes(samples.host_elf({".hip_fatbin": bytes(64), ".rocm_kpack_ref": b"\xc1"}))
    with pytest.raises(CodeObjectError, match="corrupt section"):
        inspect.report(path)


def test_spirv_bitcode_and_unknown_targets_are_named(tmp_path: Path, codes: Codes) -> None:
    data = bundle.write(
        [
            samples.HOST,
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", b"\x03\x02\x23\x07" * 8),
            ("hipv4-amdgcn-amd-amdhsa--gfx9999", codes["gfx942"]),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a", b"BC\xc0\xde" + bytes(60)),
            ("hipv4-amdgcn-amd-amdhsa--gfx1201", b"\x7fELF" + bytes(60)),
        ]
    )
    path = tmp_path / "x.hipfb"
    path.write_bytes(data)
    found = inspect.report(path)
    assert found["targets"] == ["amdgcnspirv", "gfx942", "gfx90a", "gfx1201"]  # the ELF header decides, not the name
    assert len(found["problems"]) == 1
    text = inspect.render(found)
    assert "SPIR-V, compiled when it is loaded" in text
    assert "bitcode, not linked yet" in text


def test_names_that_match(tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(samples.library(codes))
    for pattern, count in (("ax", 2), ("ax*", 2), ("*[xn]*", 4), ("?xpy", 2), ("ax?", 0), ("none", 0)):
        found = inspect.report(path, inspect.Options(pattern=pattern))
        assert sum(len(each["kernels"]) for each in found["code_objects"]) == found["kernels_matched"] == count
        assert found["kernel_count"] == 4


def test_listing_sorts_and_stops(tmp_path: Path, codes: Codes) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(samples.library(codes))
    options = inspect.Options(arguments=False)
    listing = inspect.Listing("lds", 1)
    found = inspect.survey(path, options, listing.add)
    text = inspect.render(found, listing)
    assert "1 of 4 kernels" in text
    assert [row[1]["name"] for row in listing.rows()] == ["turn"]
    everything = inspect.Listing("name", 0)
    inspect.survey(path, options, everything.add)
    assert [row[1]["name"] for row in everything.rows()] == ["axpy", "axpy", "turn", "turn"]
    with pytest.raises(UsageError, match="is no column"):
        inspect.Listing("colour", 0)


def test_other_files_are_refused(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(UsageError, match="no regular file"):
            inspect.report(path)
    (tmp_path / "thin.a").write_bytes(b"!<thin>\n")
    with pytest.raises(CodeObjectError, match="thin archive"):
        inspect.report(tmp_path / "thin.a")
    (tmp_path / "empty.zip").write_bytes(samples.wheel({}))
    with pytest.raises(CodeObjectError, match="holds no AMD GPU code"):
        inspect.report(tmp_path / "empty.zip")
