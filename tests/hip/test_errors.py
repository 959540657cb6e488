"""Error codes agree with the headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock import compiler
from softrock.core.errors import SoftrockError
from softrock.hip import errors

HEADER = Path(compiler.__file__).parent / "include" / "hip" / "detail" / "api_enums_core.h"


def _enumeration(name: str) -> dict[str, int]:
    text = HEADER.read_text()
    body = text[text.index(f" {name} {{") : text.index(f"}} {name};")]
    return {key: int(value, 0) for key, value in re.findall(r"(\w+)\s*=\s*(0x[0-9a-fA-F]+|\d+)", body)}


def test_every_code_of_the_header_is_known() -> None:
    for name, code in _enumeration("hipError_t").items():
        assert errors.code_of(name) == code, name


def test_no_code_is_made_up() -> None:
    codes = set(_enumeration("hipError_t").values())
    assert {code for code, _, _ in errors.table()} == codes


def test_names_and_texts() -> None:
    assert errors.name_of(2) == "hipErrorOutOfMemory"
    assert errors.text_of(700) == "an illegal memory access was encountered"
    assert errors.name_of(12345) == "hipErrorUnknown"
    assert errors.text_of(12345) == "unknown error"


def test_the_exception_names_its_code() -> None:
    error = errors.HipError("hipErrorInvalidValue", "nothing is given")
    assert (error.code, error.name) == (1, "hipErrorInvalidValue")
    assert str(error) == "hipErrorInvalidValue: nothing is given"
    assert isinstance(error, SoftrockError)
    assert str(errors.HipError(600)) == "hipErrorNotReady: device not ready"


def test_an_unknown_name_is_a_defect() -> None:
    with pytest.raises(KeyError):
        errors.code_of("hipErrorOfMine")
