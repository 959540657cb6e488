"""Command lines of hipcc and nvcc as the driver reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.compiler import flags
from softrock.core.errors import UnsupportedError, UsageError


def test_inputs_keep_their_order_among_the_linker_arguments() -> None:
    line = flags.parse(["a.hip", "-L", "lib", "b.o", "-lfoo", "c.cpp", "-Wl,-z,now", "-o", "out"])
    assert line.mode == "link"
    assert line.output == "out"
    assert [each.path for each in line.sources] == ["a.hip", "c.cpp"]
    shown = [each.path if isinstance(each, flags.Input) else each for each in line.link]
    assert shown == ["a.hip", "-L", "lib", "b.o", "-lfoo", "c.cpp", "-Wl,-z,now"]


@pytest.mark.parametrize(
    ("name", "cxx_is_hip", "language", "cuda"),
    [
        ("k.hip", True, "hip", False),
        ("k.cu", True, "hip", True),
        ("k.cpp", True, "hip", False),
        ("k.cpp", False, "c++", False),
        ("k.cu", False, "hip", True),
        ("k.c", True, "c", False),
        ("k.s", True, "assembler", False),
        ("k.o", True, "object", False),
        ("libk.so.1", True, "object", False),
        ("libk.a", True, "object", False),
    ],
)
def test_language_by_suffix(name: str, cxx_is_hip: bool, language: str, cuda: bool) -> None:
    (item,) = flags.parse([name], cxx_is_hip=cxx_is_hip).inputs
    assert (item.language, item.cuda) == (language, cuda)


def test_language_by_flag_holds_until_none() -> None:
    line = flags.parse(["-x", "hip", "a.inc", "-xcu", "b.inc", "-x", "none", "c.c"])
    assert [(each.language, each.cuda) for each in line.inputs] == [("hip", False), ("hip", True), ("c", False)]


def test_cpp_beside_cu_is_host_code_as_with_nvcc() -> None:
    line = flags.parse(["a.cpp", "k.cu", "b.hip", "-x", "hip", "c.cpp"])
    assert [(each.language, each.cuda) for each in line.inputs] == [
        ("c++", False),
        ("hip", True),
        ("hip", False),
        ("hip", False),
    ]
    assert line.link[:2] == line.inputs[:2]
    assert [each.language for each in flags.parse(["a.cpp", "b.hip"]).inputs] == ["hip", "hip"]


def test_flags_with_values_do_not_become_inputs() -> None:
    words = ["-I", "inc", "-D", "X=1", "-include", "pre.h", "-isystem", "sys", "-Xclang", "-foo", "-mllvm", "-bar"]
    line = flags.parse([*words, "-MF", "x.d", "-MD", "k.hip", "-c"])
    assert [each.path for each in line.inputs] == ["k.hip"]
    assert line.compile_flags == [*words, "-MF", "x.d", "-MD"]
    assert line.mode == "object"


def test_targets_in_all_spellings() -> None:
    line = flags.parse(
        ["--offload-arch=gfx942", "--offload-arch=gfx1100,gfx90a:xnack-", "--amdgpu-target=gfx950", "k.hip"]
    )
    assert line.archs == ["gfx942", "gfx1100", "gfx90a:xnack-", "gfx950"]
    assert flags.parse(["--offload-arch=gfx942", "--no-offload-arch=all", "k.hip"]).archs == []


def test_nvcc_flags_are_translated_or_noted() -> None:
    line = flags.parse(
        ["-arch=sm_80", "-gencode", "arch=compute_70,code=sm_70", "-rdc=true", "-Xcompiler", "-Wall,-fPIC", "-lineinfo",
         "--use_fast_math", "--expt-relaxed-constexpr", "-lcudart", "-l", "cuda", "-l", "nvrtc", "--std=c++17",
         "-ccbin", "g++", "k.cu"]
    )  # fmt: skip
    expected = ["-fgpu-rdc", "-Wall", "-fPIC", "-gline-tables-only", "-ffast-math", "-std=c++17"]
    assert line.compile_flags == expected
    assert line.rdc
    assert [each.path for each in line.inputs] == ["k.cu"]
    assert len(line.notes) == 2
    assert "sm_80" in line.notes[0]
    assert [each for each in line.link if isinstance(each, str) and each.startswith("-l")] == ["-lhiprtc"]


def test_value_that_looks_like_an_nvcc_flag_stays_a_value() -> None:
    assert flags.parse(["-Xclang", "-t", "k.hip"]).compile_flags == ["-Xclang", "-t"]


def test_response_files(tmp_path: Path) -> None:
    inner = tmp_path / "inner.rsp"
    inner.write_text("-DA='x y' -O2\n")
    outer = tmp_path / "outer.rsp"
    outer.write_text(f"@{inner}\nk.hip -c")
    line = flags.parse([f"@{outer}"])
    assert line.compile_flags == ["-DA=x y", "-O2"]
    assert line.optimised
    inner.write_text(f"@{outer}")
    with pytest.raises(UsageError, match="includes itself"):
        flags.parse([f"@{outer}"])


def test_sanitizers_are_refused_unless_they_need_no_runtime() -> None:
    with pytest.raises(UnsupportedError, match="sanitizer"):
        flags.parse(["-fsanitize=address,undefined", "k.hip"])
    assert flags.parse(["-fsanitize=undefined", "k.hip"]).compile_flags == ["-fsanitize=undefined"]


def test_debug_and_optimisation_flags_stay_with_the_compiler() -> None:
    line = flags.parse(["-g", "-O2", "-lineinfo", "-pthread", "k.hip"])
    assert [each for each in line.link if isinstance(each, str)] == ["-pthread"]


def test_openmp_is_refused_with_a_mend() -> None:
    with pytest.raises(UnsupportedError, match="OpenMP") as caught:
        flags.parse(["-fopenmp", "k.hip"])
    assert caught.value.hint


@pytest.mark.parametrize("word", ["-o", "-I", "-x", "-L", "-include", "-arch"])
def test_missing_value(word: str) -> None:
    with pytest.raises(UsageError, match="missing"):
        flags.parse(["k.hip", word])


def test_parallel_jobs_wants_a_number() -> None:
    assert flags.parse(["-parallel-jobs=3", "k.hip"]).jobs == 3
    with pytest.raises(UsageError):
        flags.parse(["-parallel-jobs=many", "k.hip"])
