"""Offload bundles: plain, compressed, concatenated, in programs and archives; choice of the best entry."""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from softrock.codeobj import bundle
from softrock.codeobj.targets import parse, runs_on
from softrock.core.errors import CodeObjectError, UsageError

Compile = Callable[..., bytes]
CodeOf = Callable[[str], bytes]

HOST = ("host-x86_64-unknown-linux-gnu-", b"")


def _plain(*targets: str) -> bytes:
    return bundle.write(
        [HOST, *((bundle.entry_id(each), f"code for {each}".encode() * 50) for each in targets)]
    )


def _compressed(plain: bytes, version: int, method: str) -> bytes:
    body = zlib.compress(plain) if method == "zlib" else zstandard.ZstdCompressor().compress(plain)
    digest = hashlib.md5(plain).digest()[:8]
    number = ("zlib", "zstd").index(method)
    start = struct.pack("<4sHH", b"CCOB", version, number)
    if version == 1:
        return start + struct.pack("<I", len(plain)) + digest + body
    layout = "<II" if version == 2 else "<QQ"
    total = len(start) + struct.calcsize(layout) + 8 + len(body)
    return start + struct.pack(layout, total, len(plain)) + digest + body


@pytest.mark.parametrize("method", ["zlib", "zstd"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_compressed(version: int, method: str) -> None:
    data = _compressed(_plain("gfx942", "gfx1100"), version, method)
    found = bundle.find_bundles(data, "b")
    assert [each.compression for each in found] == [method]
    assert bundle.select(data, "gfx1100", "b") == b"code for gfx1100" * 50
    assert [e.id for e in found[0].entries] == [
        HOST[0],
        "hipv4-amdgcn-amd-amdhsa--gfx942",
        "hipv4-amdgcn-amd-amdhsa--gfx1100",
    ]


@pytest.mark.parametrize("first", ["plain", "v1", "v2", "v3", "zlib1"])
def test_concatenated(first: str) -> None:
    kinds: dict[str, Callable[[bytes], bytes]] = {
        "plain": lambda data: data,
        "v1": lambda data: _compressed(data, 1, "zstd"),
        "v2": lambda data: _compressed(data, 2, "zstd"),
        "v3": lambda data: _compressed(data, 3, "zlib"),
        "zlib1": lambda data: _compressed(data, 1, "zlib"),
    }
    head = kinds[first](_plain("gfx942"))
    data = head + bytes(-len(head) % 4096) + _plain("gfx1100", "gfx90a") + bytes(100)
    found = bundle.find_bundles(data, "b")
    assert [[str(e.target) for e in each.gpu] for each in found] == [["gfx942"], ["gfx1100", "gfx90a"]]


@pytest.mark.parametrize(
    ("there", "device", "chosen"),
    [
        (["gfx942", "gfx1100"], "gfx942", "gfx942"),
        (["gfx942", "gfx1100"], "gfx942:sramecc+:xnack-", "gfx942"),
        (["gfx942:xnack+", "gfx942:xnack-"], "gfx942:sramecc+:xnack-", "gfx942:xnack-"),
        (["gfx942:xnack-", "gfx942:xnack+"], "gfx942:sramecc+:xnack+", "gfx942:xnack+"),
        (["gfx11-generic", "gfx1100"], "gfx1100", "gfx1100"),
        (["gfx11-generic", "gfx942"], "gfx1100", "gfx11-generic"),
        (["gfx9-4-generic"], "gfx950", "gfx9-4-generic"),
    ],
)
def test_choice(there: list[str], device: str, chosen: str) -> None:
    assert bundle.select(_plain(*there), device, "b") == f"code for {chosen}".encode() * 50


def test_nothing_fits() -> None:
    with pytest.raises(
        CodeObjectError, match="no code for gfx1100; it holds code for: gfx942, gfx90a:xnack-"
    ) as caught:
        bundle.select(_plain("gfx942", "gfx90a:xnack-"), "gfx1100", "prog")
    assert caught.value.hint is not None
    assert "--offload-arch=gfx1100" in caught.value.hint
    with pytest.raises(CodeObjectError, match="gfx942:xnack\\+ does not fit"):
        bundle.select(_plain("gfx942:xnack+"), "gfx942:sramecc+:xnack-", "prog")


def test_old_and_odd_entry_ids() -> None:
    data = bundle.write(
        [
            HOST,
            ("hip-amdgcn-amd-amdhsa-gfx942", b"old"),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", b"spirv"),
            ("openmp-amdgcn-amd-amdhsa--gfx1100", b"openmp"),
            ("hipv4-amdgcn-amd-amdhsa--gfx9999", b"future"),
        ]
    )
    assert [str(e.target) for e in bundle.find_bundles(data, "b")[0].gpu] == ["gfx942"]
    assert bundle.select(data, "gfx942", "b") == b"old"


def test_bare_code_object_counts_as_bundle(code_of: CodeOf) -> None:
    data = code_of("gfx942")
    assert bundle.select(data, "gfx942", "k.co") == data
    with pytest.raises(CodeObjectError, match="no code for gfx1100"):
        bundle.select(data, "gfx1100", "k.co")


@pytest.fixture
def host_object(tmp_path: Path) -> Path:
    """A host object file with a bundle in its section .hip_fatbin, as the compiler leaves it."""
    (tmp_path / "fat.bin").write_bytes(_plain("gfx942") + _plain("gfx1100"))
    (tmp_path / "fat.s").write_text('.section .hip_fatbin,"a",@progbits\n.p2align 12\n.incbin "fat.bin"\n')
    return tmp_path


def test_sections_of_host_elf(host_object: Path, zig: Callable[..., None]) -> None:
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
        folder=host_object,
    )
    zig("ld.lld", "-shared", "fat.o", "-o", "fat.so", folder=host_object)
    zig("ar", "rcs", "fat.a", "fat.o", folder=host_object)
    for name in ("fat.o", "fat.so", "fat.a"):
        found = bundle.find_bundles((host_object / name).read_bytes(), name)
        assert [[str(e.target) for e in each.gpu] for each in found] == [["gfx942"], ["gfx1100"]], name
        assert bundle.select((host_object / name).read_bytes(), "gfx1100", name).startswith(
            b"code for gfx1100"
        )


def test_host_file_without_gpu_code() -> None:
    data = Path("/proc/self/exe").read_bytes()
    assert bundle.find_bundles(data, "python") == []
    with pytest.raises(CodeObjectError, match="holds no GPU code"):
        bundle.select(data, "gfx942", "python")


@pytest.mark.parametrize("kind", ["plain", "v2", "v3", "elf"])
def test_measure(kind: str, code_of: CodeOf) -> None:
    plain = _plain("gfx942", "gfx1100")
    data = {
        "plain": plain,
        "v2": _compressed(plain, 2, "zstd"),
        "v3": _compressed(plain, 3, "zstd"),
        "elf": code_of("gfx942"),
    }[kind]
    memory = data + b"\xaa" * 5000
    assert bundle.measure(lambda offset, size: memory[offset : offset + size], "memory") == len(data)


def test_measure_refuses_what_it_cannot_tell() -> None:
    data = _compressed(_plain("gfx942"), 1, "zstd")
    with pytest.raises(CodeObjectError, match="version 1"):
        bundle.measure(lambda offset, size: data[offset : offset + size], "memory")
    with pytest.raises(CodeObjectError, match="no offload bundle"):
        bundle.measure(lambda offset, size: bytes(size), "memory")


@pytest.mark.parametrize("size", [0, 3, 10, 30])
def test_measure_of_cut_memory(size: int) -> None:
    for whole in (_plain("gfx942"), _compressed(_plain("gfx942"), 3, "zstd"), b"\x7fELF" + bytes(60)):
        memory = whole[:size]

        def peek(offset: int, count: int, memory: bytes = memory) -> bytes:
            return memory[offset : offset + count]

        with pytest.raises(CodeObjectError, match="truncated"):
            bundle.measure(peek, "memory")


def test_decompression_bomb_is_refused() -> None:
    body = zstandard.ZstdCompressor().compress(bytes(1 << 20))
    data = struct.pack("<4sHHQQQ", b"CCOB", 3, 1, 32 + len(body), 1 << 40, 0) + body
    with pytest.raises(CodeObjectError, match="claim to unpack"):
        bundle.find_bundles(data, "bomb")
    data = struct.pack("<4sHHQQQ", b"CCOB", 3, 1, 32 + len(body), 1000, 0) + body
    with pytest.raises(CodeObjectError, match="unpacks to"):
        bundle.find_bundles(data, "bomb")


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", ["zlib", "zstd"])
def test_mutated_compressed(version: int, method: str) -> None:
    good = _compressed(_plain("gfx942", "gfx1100"), version, method)
    chance = random.Random(version)
    for _ in range(150):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(chance.choice((24, len(data))))] = chance.randrange(256)
        try:
            bundle.find_bundles(bytes(data), "bad")
        except CodeObjectError as error:
            assert "bad" in error.message  # noqa: PT017 (some mutations are harmless)


def test_mutated_plain() -> None:
    good = _plain("gfx942", "gfx1100")
    chance = random.Random(5)
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            data[24 + chance.randrange(200)] = chance.choice((0, 0xFF, 0x7F, chance.randrange(256)))
        try:
            bundle.select(bytes(data), "gfx942", "bad")
        except CodeObjectError as error:
            assert "bad" in error.message  # noqa: PT017 (some mutations are harmless)


@pytest.mark.parametrize("size", [10, 24, 30, 60, 150, 5000])
def test_truncated_bundle(size: int) -> None:
    with pytest.raises(CodeObjectError, match=r"b\.hipfb"):
        bundle.select(_plain("gfx942", "gfx1100")[:size], "gfx1100", "b.hipfb")


@pytest.mark.parametrize(
    "text", ["gfx942:xnack", "gfx942:foo+", "gfx942:xnack+:xnack-", "sm_90", "", "gfx9420"]
)
def test_bad_targets(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_compatibility_rules() -> None:
    assert str(parse("gfx942:xnack+:sramecc-")) == "gfx942:sramecc-:xnack+"
    assert runs_on(parse("gfx942"), parse("gfx942:xnack+"))
    assert not runs_on(parse("gfx942:xnack-"), parse("gfx942:xnack+"))
    assert not runs_on(parse("gfx11-generic"), parse("gfx1201"))
    assert runs_on(parse("gfx12-generic"), parse("gfx1201"))


def test_archive_members_of_both_kinds_of_names() -> None:
    def member(label: str, content: bytes) -> bytes:
        head = label.encode().ljust(48) + f"{len(content):<10}`\n".encode()
        return head + content + b"\n" * (len(content) % 2)

    data = b"!<arch>\n" + member("//", b"a-long-name.o/\n") + member("/0", b"one") + member("#1/8", b"bsd-nametwo")
    data += member("/²", b"no number") + member("plain.o/", b"three")
    assert list(bundle.members(data, "x.a")) == [
        ("a-long-name.o", b"one"),
        ("bsd-name", b"two"),
        ("/²", b"no number"),
        ("plain.o", b"three"),
    ]
