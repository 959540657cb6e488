"""Bytes that are no instruction: only DecodeError, never a crash or a wrong length."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock import isa
from softrock.core.errors import DecodeError, UsageError
from softrock.decode import decode, decode_range, format_instruction

from . import vectors as data


@pytest.mark.parametrize("name", isa.names())
def test_random_bytes(name: str) -> None:
    target = isa.target(name)
    chance = random.Random(7)
    decoded = 0
    for _ in range(4000):
        raw = chance.randbytes(chance.choice((4, 8, 12, 16, 20)))
        try:
            instruction = decode(target, raw)
        except DecodeError:
            continue
        decoded += 1
        assert instruction.size <= len(raw)
        assert instruction.raw == raw[: instruction.size]
        assert format_instruction(instruction, target)
    assert decoded > 400


@settings(max_examples=300, deadline=None)
@given(raw=st.binary(max_size=24), name=st.sampled_from(isa.names()), offset=st.integers(-4, 28))
def test_any_bytes_at_any_offset(raw: bytes, name: str, offset: int) -> None:
    try:
        instruction = decode(name, raw, offset)
    except DecodeError:
        return
    assert offset + instruction.size <= len(raw)


@pytest.mark.parametrize("name", data.NAMES)
def test_truncated_instructions(name: str) -> None:
    target = data.target_of(name)
    for raw, text in data.vectors(name)[::41]:
        for length in range(0, len(raw), 2):
            try:
                instruction = decode(target, raw[:length])
            except DecodeError:
                continue
            assert instruction.size <= length, text


def test_the_error_names_address_bytes_and_target() -> None:
    with pytest.raises(DecodeError) as caught:
        decode("gfx942", b"\xff" * 8, 4, 0x1A04)
    assert "gfx942" in caught.value.message
    assert "0x1a04" in caught.value.message
    assert "ffffffff" in caught.value.message


def test_missing_literal() -> None:
    with pytest.raises(DecodeError, match="cut off"):
        decode("gfx942", bytes.fromhex("ff048c81"))
    with pytest.raises(DecodeError, match="end inside"):
        decode("gfx942", b"\x00\x00")


def test_range_stops_at_a_bad_word_and_at_its_end() -> None:
    code = bytes.fromhex("000080bf") * 3 + b"\xff" * 4
    found = decode_range("gfx942", code, 4, 12, 0x100)
    assert [instruction.address for instruction in found] == [0x104, 0x108]
    with pytest.raises(DecodeError, match="0x10c"):
        list(decode_range("gfx942", code, 0, 16, 0x100))
    crossing = bytes.fromhex("ff048c8178563412")
    assert len(list(decode_range("gfx942", crossing, 0, 8))) == 1
    with pytest.raises(DecodeError):
        list(decode_range("gfx942", crossing, 0, 4))


def test_unknown_target() -> None:
    with pytest.raises(UsageError, match="gfx1030"):
        decode("gfx1030", bytes(4))
