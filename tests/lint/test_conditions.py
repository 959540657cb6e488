"""Which code an AMD compiler sees."""

from __future__ import annotations

import pytest

from softrock.hipify.lexer import tokens
from softrock.lint.conditions import alternatives, on_amd, split


def seen(text: str, cuda: bool = False) -> str:
    """The code that is left."""
    return " ".join(token.text for token in split(list(tokens(text)), cuda)[0])


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("ifdef __HIP_PLATFORM_AMD__", True),
        ("ifndef __HIP_PLATFORM_AMD__", False),
        ("ifdef __NVCC__", False),
        ("ifdef SOMETHING", None),
        ("if defined(USE_ROCM)", True),
        ("if USE_ROCM", True),
        ("if !USE_ROCM", False),
        ("if defined(__HIPCC__) && !defined(OTHER)", None),
        ("if defined(__HIPCC__) || defined(OTHER)", True),
        ("if defined __NVCC__ || defined OTHER", None),
        ("if defined(__NVCC__) && OTHER", False),
        ("if __CUDA_ARCH__ >= 700", False),
        ("if __CUDA_ARCH__ < 700", True),
        ("if (__CUDA_ARCH__ == 0) || X", True),
        ("if HIP_VERSION >= 60000000", None),
        ("if 0", False),
        ("if 1", True),
        ("if 0x10u > 15", True),
        ("if __has_include(<x.h>) && 0", False),
        ("if !(defined(__HIP__) && 1)", False),
        ("if defined(GGML_USE_HIP)", True),
        ("if A + B * 2 > 3", None),
        ("if", None),
        ("ifdef", None),
    ],
)
def test_conditions(condition: str, value: bool | None) -> None:
    text = f"#{condition}\nyes\n#else\nno\n#endif\n"
    assert seen(text) == {True: "yes", False: "no", None: "yes no"}[value]
    assert split(list(tokens(text)))[1][0].value is value


def test_branches_are_alternatives() -> None:
    text = "#if defined(__NVCC__)\na\n#elif defined(USE_ROCM)\nb\n#elif X\nc\n#else\nd\n#endif\ne"
    assert seen(text) == "b e"
    assert seen("#if X\na\n#elif Y\nb\n#else\nc\n#endif") == "a b c"
    assert seen("#if X\na\n#elif 1\nb\n#else\nc\n#endif") == "a b"


def test_nested_branches_and_code_behind() -> None:
    text = "#ifdef __NVCC__\n#if X\na\n#else\nb\n#endif\nc\n#else\n#if X\nd\n#endif\n#endif\ne"
    assert seen(text) == "d e"


def test_of_branches_that_open_a_brace_the_first_is_taken() -> None:
    text = "#if X\nvoid f() {\n#else\nvoid g() {\n#endif\nbody }\n"
    assert seen(text) == "void f ( ) { body }"


def test_lines_know_whether_they_are_reached() -> None:
    text = "#ifdef __NVCC__\n#define A\n#elif X\n#define B\n#else\n#define C\n#endif\n"
    lines = split(list(tokens(text)))[1]
    assert [(each.word, each.active) for each in lines] == [
        ("ifdef", True),
        ("define", False),
        ("elif", True),
        ("define", True),
        ("else", True),
        ("define", True),
        ("endif", True),
    ]


def test_the_architecture_macro_guards_device_code_in_cuda_sources() -> None:
    text = "#ifdef __CUDA_ARCH__\na\n#else\nb\n#endif\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\nc\n#endif\n"
    assert seen(text) == "b"
    assert seen(text, cuda=True) == "a b"
    assert on_amd("__CUDA_ARCH__") is False
    assert on_amd("__CUDA_ARCH__", cuda=True) is None


def test_lines_without_end_and_ends_without_line() -> None:
    assert seen("#endif\n#else\n#elif X\na\n#if __NVCC__\nb") == "a"
    assert seen("#ifdef __HIP__ // c\\\nd\na") == "a"


def test_branches_of_one_condition_are_alternatives() -> None:
    text = "_a\n#if X\n_b\n#if Y\n_c\n#endif\n#elif Z\n_d\n#else\n_e\n#endif\n#if X\n_f\n#endif\n"
    lines = split(list(tokens(text)))[1]
    place = {name: text.index(f"_{name}\n") for name in "abcdef"}

    def other(one: str, two: str) -> bool:
        return alternatives(lines, place[one], place[two])

    assert all(other(one, two) for one, two in ("bd", "cd", "de", "be", "ec"))
    assert not any(other(one, two) for one, two in ("ab", "bc", "bf", "df", "bb"))
