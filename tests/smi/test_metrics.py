"""gpu_metrics files: layouts against the sizes and offsets that a C compiler gives the kernel's structures."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock.smi.metrics import Malformed, layout, parse

# sizeof and offsetof of Linux's kgd_pp_interface.h, compiled by clang for x86-64.
SIZES = {
    "1.0": 80, "1.1": 96, "1.2": 104, "1.3": 120, "1.4": 288, "1.5": 360, "2.0": 120, "2.1": 120, "2.2": 128,
    "2.3": 152, "2.4": 168, "3.0": 264,
}  # fmt: skip
OFFSETS = [
    ("1.0", "current_fan_speed", 72), ("1.3", "energy_accumulator", 24), ("1.3", "current_gfxclk", 54),
    ("1.3", "indep_throttle_status", 112), ("1.4", "firmware_timestamp", 232), ("1.5", "current_uclk", 352),
    ("2.0", "system_clock_counter", 8), ("2.1", "fan_pwm", 112), ("2.4", "average_gfx_current", 162),
    ("3.0", "average_socket_power", 112), ("3.0", "average_apu_power", 120), ("3.0", "time_filter_alphavalue", 256),
]  # fmt: skip
VERSIONS = [*SIZES, "1.6", "1.7", "1.8"]


@pytest.mark.parametrize("version", SIZES)
def test_sizes_are_those_of_the_compiler(version: str) -> None:
    fields = layout(version)
    align = max(struct.calcsize("<" + each.letter) for each in fields)
    assert -(-fields[-1].end // align) * align == SIZES[version]


@pytest.mark.parametrize(("version", "name", "offset"), OFFSETS)
def test_offsets_are_those_of_the_compiler(version: str, name: str, offset: int) -> None:
    assert next(each.offset for each in layout(version) if each.name == name) == offset


def header(version: str, size: int) -> bytes:
    form, content = version.split(".")
    return struct.pack("<HBB", size, int(form), int(content))


def test_all_bits_set_is_missing_and_zero_is_zero() -> None:
    data = bytearray(header("1.3", 120) + b"\xff" * 116)
    struct.pack_into("<H", data, 16, 0)
    found = parse(bytes(data)).values
    assert found["average_gfx_activity"] == 0
    assert found["temperature_edge"] is None
    assert found["temperature_hbm"] == (None, None, None, None)


def test_a_shorter_file_of_an_older_driver_lacks_its_last_fields() -> None:
    data = header("1.3", 100) + bytes(96)
    found = parse(data).values
    assert found["temperature_edge"] == 0
    assert found["voltage_gfx"] is None


def attribute(number: int, kind: int, count: int, values: bytes) -> bytes:
    return struct.pack("<Q", kind << 20 | number << 10 | count) + values


def test_a_list_of_attributes() -> None:
    body = attribute(0, 2, 1, struct.pack("<H", 61)) + attribute(33, 2, 3, struct.pack("<3H", 2100, 0xFFFF, 2090))
    body += attribute(900, 6, 1, bytes(8))  # of a newer kernel
    data = struct.pack("<HBBi", 8, 1, 9, 3) + body
    found = parse(data)
    assert found.values == {"temperature_hotspot": 61, "current_gfxclk": (2100, None, 2090)}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header"),
        (b"\x04\x00", "header"),
        (header("9.7", 4), "9.7"),
        (header("1.3", 200) + bytes(100), "says 200"),
        (header("1.3", 2) + bytes(100), "says 2"),
        (struct.pack("<HBBi", 8, 1, 9, -1), "-1 attributes"),
        (struct.pack("<HBBi", 8, 1, 9, 1 << 30), "do not fit"),
        (struct.pack("<HBBi", 8, 1, 9, 1) + attribute(0, 9, 1, bytes(8)), "no attribute"),
        (struct.pack("<HBBi", 8, 1, 9, 1) + attribute(0, 6, 100, bytes(8)), "ends within"),
    ],
)
def test_what_is_malformed_says_so(data: bytes, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        parse(data)


@given(st.sampled_from([*VERSIONS, "1.9", "0.0"]), st.binary(max_size=400), st.integers(0, 65535))
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_read_or_refused(version: str, body: bytes, size: int) -> None:
    for length in (size, len(body) + 4):
        try:
            found = parse(header(version, min(length, 65535)) + body)
        except Malformed:
            continue
        for value in found.values.values():
            for each in value if isinstance(value, tuple) else (value,):
                assert each is None or -(1 << 63) <= each < 1 << 64
