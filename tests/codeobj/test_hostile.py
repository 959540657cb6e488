"""Corrupt and hostile input gives one CodeObjectError that names the file, never anything else."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock import codeobj
from softrock.codeobj import bundle
from softrock.core.errors import CodeObjectError

CodeOf = Callable[[str], bytes]


def _exercise(data: bytes) -> None:
    """Everything that can be asked of a code object."""
    code = codeobj.load(data, "bad.co")
    for kernel in code.kernels.values():
        kernel.initial_sgprs()
        assert kernel.vgprs > 0
    if code.size < 1 << 24 and not code.is_relocatable:
        code.image(0x1000, lambda name: 0)
    assert isinstance(code.text, list)
    code.source_of(0x1800)


def _survives(work: Callable[[bytes], object], data: bytes) -> None:
    try:
        work(data)
    except CodeObjectError as error:
        assert "bad.co" in error.message  # noqa: PT017 (no error at all is fine too)
        assert len(str(error)) < 1000  # noqa: PT017


@pytest.mark.parametrize("size", [0, 3, 4, 16, 63, 64, 100, 500, 2000, 5000])
def test_truncated(code_of: CodeOf, size: int) -> None:
    with pytest.raises(CodeObjectError, match=r"bad\.co"):
        codeobj.load(code_of("gfx942")[:size], "bad.co")


@pytest.mark.parametrize("seed", range(4))
def test_mutated_code_objects(code_of: CodeOf, seed: int) -> None:
    """Random bytes changed, mostly in the headers, tables and metadata."""
    good = code_of(("gfx942", "gfx1100", "gfx1201", "gfx90a:xnack-")[seed])
    chance = random.Random(seed)
    for _ in range(250):
        data = bytearray(good)
        for _ in range(chance.randint(1, 8)):
            area = chance.choice((64, 600, 2000, len(data)))
            data[chance.randrange(area)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        _survives(_exercise, bytes(data))


def test_every_header_field_extreme(code_of: CodeOf) -> None:
    good = code_of("gfx942")
    for offset in range(0, 64 + 56 * 9, 4):
        for value in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\1\0\0\0"):
            _survives(_exercise, good[:offset] + value + good[offset + 4 :])


def test_every_section_header_field_extreme(code_of: CodeOf) -> None:
    good = code_of("gfx1100")
    start = int.from_bytes(good[40:48], "little")
    for offset in range(start, len(good), 4):
        for value in (b"\0\0\0\0", b"\xff\xff\xff\x7f"):
            _survives(_exercise, good[:offset] + value + good[offset + 4 :])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    for head in (b"", b"\x7fELF\2\1\1\x40\4", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB", b"!<arch>\n"):
        _survives(lambda d: codeobj.load(d, "bad.co"), head + data)
        _survives(lambda d: bundle.select(d, "gfx942", "bad.co"), head + data)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_metadata_of_any_shape(code_of: CodeOf, data: st.DataObject) -> None:
    """MessagePack documents of the right keys with values of any type."""
    import msgpack

    value = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.text(max_size=5)
        | st.binary(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
        max_leaves=12,
    )
    note = msgpack.packb({"amdhsa.kernels": data.draw(value), "amdhsa.version": data.draw(value)})
    good = code_of("gfx942")
    at = good.index(b"AMDGPU\0\0") + 8
    room = int.from_bytes(good[at - 16 : at - 12], "little")
    note = note[:room]
    header = len(note).to_bytes(4, "little")
    _survives(_exercise, good[: at - 16] + header + good[at - 12 : at] + note + good[at + len(note) :])


KEYS = (
    ".name",
    ".symbol",
    ".args",
    ".offset",
    ".size",
    ".value_kind",
    ".kernarg_segment_size",
    ".reqd_workgroup_size",
)


def test_huge_bss_is_refused_or_cheap(code_of: CodeOf) -> None:
    """A segment that claims 2^50 bytes must not be allocated."""
    data = bytearray(code_of("gfx942"))
    for i in range(9):
        at = 64 + 56 * i
        if data[at] == 1 and data[at + 4] == 6:
            data[at + 40 : at + 48] = (1 << 50).to_bytes(8, "little")
    with pytest.raises(CodeObjectError, match="segment"):
        codeobj.load(bytes(data), "bad.co")


def test_host_program_is_no_code_object() -> None:
    from pathlib import Path

    data = Path("/proc/self/exe").read_bytes()
    with pytest.raises(CodeObjectError, match="no AMD GPU code object"):
        codeobj.load(data, "python")
