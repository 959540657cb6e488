"""Device printf against the C library's."""

from __future__ import annotations

import ctypes
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock.compiler.devlib import layout
from softrock.hip import printf

_LIBC = ctypes.CDLL(None)


def _c(text: bytes, *arguments: object) -> bytes:
    """What snprintf makes of it."""
    out = ctypes.create_string_buffer(4096)
    _LIBC.snprintf(out, ctypes.c_size_t(4096), ctypes.c_char_p(text), *arguments)
    return out.value


def _record(text: bytes, *parts: bytes, constant: bool = True, to_stderr: bool = False) -> bytes:
    head = (
        struct.pack("<Q", layout.format_hash(text))
        if constant
        else (text + b"\0").ljust((len(text) + 8) // 8 * 8, b"\0")
    )
    body = head + b"".join(parts)
    return struct.pack("<I", (4 + len(body)) << 2 | (2 if constant else 0) | int(to_stderr)) + body


def _word(value: int) -> bytes:
    return struct.pack("<Q", value & (1 << 64) - 1)


def _string(text: bytes) -> bytes:
    return (text + b"\0").ljust((len(text) + 8) // 8 * 8, b"\0")


def _render(text: bytes, *parts: bytes) -> bytes:
    return printf.render(_record(text, *parts), {layout.format_hash(text): text})


_FLAGS = st.sampled_from([b"", b"-", b"+", b" ", b"#", b"0", b"-+", b"+0", b"#0", b"- #"])
_WIDTHS = st.sampled_from([b"", b"1", b"5", b"12"])
_PRECISIONS = st.sampled_from([b"", b".", b".0", b".3", b".10"])


@settings(max_examples=300, deadline=None)
@given(
    flags=_FLAGS,
    width=_WIDTHS,
    precision=_PRECISIONS,
    kind=st.sampled_from(b"diuoxX"),
    value=st.integers(-(2**31), 2**31 - 1),
)
def test_integers(flags: bytes, width: bytes, precision: bytes, kind: int, value: int) -> None:
    text = b"<%" + flags + width + precision + bytes([kind]) + b">"
    assert _render(text, _word(value & 0xFFFFFFFF)) == _c(text, ctypes.c_int(value))


@settings(max_examples=200, deadline=None)
@given(
    length=st.sampled_from([b"hh", b"h", b"l", b"ll", b"z", b"j"]),
    kind=st.sampled_from(b"dux"),
    value=st.integers(-(2**63), 2**63 - 1),
)
def test_lengths(length: bytes, kind: int, value: int) -> None:
    text = b"%" + length + bytes([kind])
    assert _render(text, _word(value)) == _c(text, ctypes.c_longlong(value))


@settings(max_examples=400, deadline=None)
@given(flags=_FLAGS, width=_WIDTHS, precision=_PRECISIONS, kind=st.sampled_from(b"fFeEgG"), value=st.floats())
def test_floats(flags: bytes, width: bytes, precision: bytes, kind: int, value: float) -> None:
    if value != value:
        value = float("nan")
    text = b"<%" + flags + width + precision + bytes([kind]) + b">"
    assert _render(text, struct.pack("<d", value)) == _c(text, ctypes.c_double(value))


@settings(max_examples=100, deadline=None)
@given(value=st.floats(allow_nan=False, allow_subnormal=False), kind=st.sampled_from(b"aA"))
def test_hexadecimal_floats(value: float, kind: int) -> None:
    text = b"%" + bytes([kind])
    assert _render(text, struct.pack("<d", value)) == _c(text, ctypes.c_double(value))


@pytest.mark.parametrize("text", [b"[%s]", b"[%10s]", b"[%-10s]", b"[%.2s]", b"[%8.3s]"])
def test_strings(text: bytes) -> None:
    for value in (b"", b"abc", b"seven77", b"eight888", b"a longer one"):
        assert _render(text, _string(value)) == _c(text, ctypes.c_char_p(value))


def test_several_arguments_and_stars() -> None:
    text = b"%d %s %*.*f %c %% %llu\n"
    parts = (
        _word(-3),
        _string(b"xyz"),
        _word(8),
        _word(2),
        struct.pack("<d", 3.14159),
        _word(ord("q")),
        _word(2**64 - 1),
    )
    assert _render(text, *parts) == b"-3 xyz     3.14 q % 18446744073709551615\n"
    assert _render(b"%-*d|", _word(4), _word(7)) == b"7   |"
    assert _render(b"%*d|", _word(-4), _word(7)) == b"7   |"
    assert _render(b"%p", _word(0xABC)) == b"0xabc"


def test_formats_that_are_not_constant() -> None:
    record = _record(b"n=%d\n", _word(5), constant=False)
    assert printf.render(record, {}) == b"n=5\n"


def test_a_buffer_of_records(capfd: pytest.CaptureFixture[str]) -> None:
    text = b"%d\n"
    records = b"".join(_record(text, _word(i), to_stderr=i == 2) for i in range(4))
    printf.show(records, {layout.format_hash(text): text})
    out, err = capfd.readouterr()
    assert (out, err) == ("0\n1\n3\n", "2\n")


def test_damaged_records_end_it_with_a_note(capfd: pytest.CaptureFixture[str]) -> None:
    for bad in (struct.pack("<I", 400 << 2) + bytes(20), struct.pack("<I", 2 << 2) + bytes(20)):
        printf.show(bad, {})
        assert "damaged" in capfd.readouterr().err
    assert b"unknown format" in printf.render(_record(b"%d", _word(1)), {})
    assert printf.render(_record(b"%d %s", constant=False), {}) == b"0 (null)"
