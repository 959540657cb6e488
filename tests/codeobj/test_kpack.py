"""kpack archives: what stands in them, and what is refused."""

from __future__ import annotations

import struct
from typing import Any

import msgpack
import pytest
from tests.inspect import samples

from softrock.codeobj.elf import Elf
from softrock.codeobj.kpack import Kpack, Packed, reference
from softrock.core.errors import CodeObjectError

CODES = {"gfx942": b"code for one" * 100, "gfx1100": b"code for the other" * 50}


@pytest.mark.parametrize("zstd", [True, False])
def test_read(zstd: bool) -> None:
    archive = Kpack(samples.kpack(CODES, zstd=zstd), "x.kpack")
    assert (archive.group, archive.targets, archive.compression) == ("x_lib", ("gfx942", "gfx1100"), "zstd" * zstd)
    assert archive.entries[1] == Packed("lib/libx.so#0", "gfx1100", "hsaco", 1, 900)
    assert {each.target: bytes(archive.read(each)) for each in archive.entries} == CODES
    assert [archive.size_of(each) for each in archive.entries] == [1200, 900]


def _changed(zstd: bool = True, magic: bytes = b"KPAK", version: int = 1, **changes: Any) -> bytes:
    good = samples.kpack(CODES, zstd=zstd)
    start = struct.unpack_from("<Q", good, 8)[0]
    table = msgpack.unpackb(good[start:]) | changes
    return struct.pack("<4sIQ", magic, version, start) + good[16:start] + bytes(msgpack.packb(table))


def _entry(**row: Any) -> dict[str, Any]:
    return {"lib/libx.so#0": {"gfx942": {"type": "hsaco", "ordinal": 0, "original_size": 1200} | row}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_changed(version=2), "version 2 is not known"),
        (_changed(magic=b"KPAX"), "header"),
        (_changed(compression_scheme="lz4"), "'lz4' is not known"),
        (_changed(compression_scheme=["x" * 500]), "is not known"),
        (_changed(zstd_offset=1 << 40), "region is outside"),
        (_changed(zstd_size=-1), "region is outside"),
        (_changed(zstd_size=20), "code object 0 of 2 is outside"),
        (_changed(False, blobs=[{"offset": 64, "size": 1 << 40}]), "code object 0 is outside"),
        (_changed(False, blobs=[{"offset": 64}]), "code object 0 is outside"),
        (_changed(False, blobs=7), "names no code object"),
        (_changed(toc=_entry(ordinal=2)), "names no code object"),
        (_changed(toc=_entry(ordinal=True)), "names no code object"),
        (_changed(toc=_entry(original_size="many")), "names no code object"),
        (_changed(toc={"x": {"gfx942": 1}}), "of a wrong type"),
        (b"KPAK" + struct.pack("<IQ", 1, 16) + b"\xc1", "no MessagePack map"),
        (b"KPAK" + struct.pack("<IQ", 1, 99), "said to stand"),
        (b"KPAK", "cut short"),
    ],
)
def test_refused(data: bytes, message: str) -> None:
    with pytest.raises(CodeObjectError, match=message) as caught:
        Kpack(data, "x.kpack")
    assert len(caught.value.message) < 400


def test_wrong_sizes() -> None:
    wrong = ((1199, "more than that"), (1201, "unpacks to 0x4b0"), (1 << 62, "more than the memory holds"))
    for size, message in wrong:
        archive = Kpack(_changed(toc=_entry(original_size=size)), "x.kpack")
        with pytest.raises(CodeObjectError, match=message):
            archive.read(archive.entries[0])


def test_a_size_that_the_table_does_not_tell_stands_in_the_frame() -> None:
    archive = Kpack(_changed(toc=_entry(original_size=None)), "x.kpack")
    assert bytes(archive.read(archive.entries[0])) == CODES["gfx942"]


def test_reference() -> None:
    marker = msgpack.packb({"kernel_name": "lib/libx.so", "kpack_search_paths": ["../.kpack/x_@GFXARCH@.kpack", 7]})
    elf = Elf(samples.host_elf({".rocm_kpack_ref": marker + bytes(100)}), "libx.so")
    found = reference(elf)
    assert found is not None
    assert (found.name, found.paths) == ("lib/libx.so", ("../.kpack/x_@GFXARCH@.kpack",))
    assert reference(Elf(samples.host_elf({".text": b""}), "libx.so")) is None
    for bad in (b"", b"\x80", b"\x91\x01", msgpack.packb({"kernel_name": 1, "kpack_search_paths": []})):
        with pytest.raises(CodeObjectError, match="corrupt section"):
            reference(Elf(samples.host_elf({".rocm_kpack_ref": bad}), "libx.so"))
