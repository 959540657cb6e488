"""Our headers compile without a warning: language standards, C++ libraries, both passes, C, plain C++."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from softrock.compiler import driver, host, toolchain
from softrock.compiler.device import compile_device
from softrock.core.errors import CompileError

SNIPPETS = Path(__file__).parent / "headers"
NAMES = sorted(each.name for each in SNIPPETS.iterdir())
INCLUDE = driver.INCLUDE
Hipcc = Callable[..., int]


@pytest.fixture(scope="module", params=["machine", "zig"])
def library(request: pytest.FixtureRequest) -> Iterator[str]:
    """Whose C++ headers: the machine's compiler's, or zig's libc++."""
    with pytest.MonkeyPatch.context() as patch:
        host.find.cache_clear()
        if request.param == "zig":
            patch.setenv("SOFTROCK_HOST_CXX", "zig")
        elif host.find().kind == "zig":
            pytest.skip("this machine has no C++ compiler of its own")
        yield request.param
        host.find.cache_clear()


def compile_quietly(hipcc: Hipcc, capfd: pytest.CaptureFixture[str], path: Path, *args: str) -> None:
    """Host and gfx1100, warnings as errors; unless the arguments say otherwise also gfx942, to machine code."""
    how = args if "-fsyntax-only" in args else ("-c", "-o", "out.o", "--offload-arch=gfx942", *args)
    status = hipcc("-Wall", "-Werror", "--offload-arch=gfx1100", *how, str(path))
    assert status == 0, capfd.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_every_header_compiles(name: str, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    compile_quietly(hipcc, capfd, SNIPPETS / name)


@pytest.mark.parametrize("name", ["language.hip", "math.hip", "complex.hip", "driver.cu"])
def test_with_libcxx(
    name: str, monkeypatch: pytest.MonkeyPatch, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOFTROCK_HOST_CXX", "zig")
    host.find.cache_clear()
    compile_quietly(hipcc, capfd, SNIPPETS / name, "-fsyntax-only")
    monkeypatch.undo()
    host.find.cache_clear()


@pytest.mark.long
@pytest.mark.parametrize("standard", ["c++14", "c++20", "c++23"])
@pytest.mark.parametrize("name", ["language.hip", "math.hip", "runtime.cu"])
def test_language_standards(
    library: str, name: str, standard: str, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]
) -> None:
    compile_quietly(hipcc, capfd, SNIPPETS / name, f"-std={standard}", "-fsyntax-only")


def test_cpp11(hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    compile_quietly(hipcc, capfd, SNIPPETS / "language.hip", "-std=c++11", "-fsyntax-only")


ORDERS = [
    "<cmath>\n<math.h>\n<hip/hip_runtime.h>",
    "<hip/hip_runtime.h>\n<math.h>\n<complex>",
    "<complex>\n<algorithm>\n<random>",
]


@pytest.mark.long
@pytest.mark.parametrize("order", ORDERS)
def test_math_in_any_order(
    order: str, library: str, work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]
) -> None:
    includes = "".join(f"#include {each}\n" for each in order.split("\n"))
    text = (SNIPPETS / "math.hip").read_text().replace("#include", includes + "#include", 1)
    (work / "a.hip").write_text(text)
    compile_quietly(hipcc, capfd, work / "a.hip", "-fsyntax-only")


def test_no_optimisation(hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    compile_quietly(hipcc, capfd, SNIPPETS / "language.hip", "-O0")


def alone(headers: list[Path]) -> list[str]:
    return [str(each.relative_to(INCLUDE)) for each in headers]


HIP = alone(sorted((INCLUDE / "hip").glob("*.h")) + sorted((INCLUDE / "hip/amd_detail").glob("*.h")))
CUDA = alone(
    sorted(INCLUDE.glob("*.h"))
    + sorted((INCLUDE / "cooperative_groups").glob("*.h"))
    + sorted((INCLUDE / "crt").glob("*.h"))
)


@pytest.mark.parametrize(("names", "suffix"), [(HIP, ".hip"), (CUDA, ".cu")], ids=["hip", "cuda"])
def test_each_header_stands_alone(
    names: list[str], suffix: str, work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]
) -> None:
    """One translation unit a header would be slow: each is included first of a list, and twice."""
    for at in range(0, len(names), max(1, len(names) // 3)):
        rotated = names[at:] + names[:at]
        text = "".join(f"#include <{each}>\n#include <{each}>\n" for each in rotated)
        source = work / f"a{suffix}"
        source.write_text(text + "int main() { return 0; }\n")
        compile_quietly(hipcc, capfd, source, "-fsyntax-only")


def test_run_time_compilation_needs_no_other_header() -> None:
    """What HIPRTC compiles on a machine without any C or C++ header."""
    source = SNIPPETS.parent / "headers_rtc.hip"
    for target in ("gfx942", "gfx1100"):
        for cuda, header in (([], "hip/hip_runtime.h"), (["-D__SOFTROCK_CUDA__=1"], "cuda_runtime.h")):
            args = ["clang", "-cc1", "-triple", "amdgcn-amd-amdhsa", "-aux-triple", toolchain.host_triple()]
            args += ["-target-cpu", target, "-fcuda-is-device", "-fsyntax-only", "-nostdsysteminc", "-nobuiltininc"]
            args += ["-internal-isystem", str(INCLUDE), "-std=c++17", "-fhip-new-launch-api", "-Wall", "-Werror"]
            args += ["-fcuda-allow-variadic-functions", "-D__HIPCC_RTC__=1", *cuda, "-include", header]
            done = toolchain.run([*args, "-x", "hip", str(source)])
            assert done.returncode == 0, done.stderr


HOST_ONLY = """
#include <hip/hip_runtime_api.h>
#include <hip/hip_ext.h>
#include <hip/hiprtc.h>
#include <hip/hip_complex.h>
int main(void) {
    hipDeviceProp_t p;
    void *x;
    float4 f = make_float4(1, 2, 3, 4);
    hipFloatComplex z = hipCmulf(make_hipFloatComplex(f.x, 1), make_hipFloatComplex(2, f.y));
    if (hipMalloc(&x, 4) != hipSuccess || hipCabsf(z) < 1) return 1;
    return hipGetDeviceProperties(&p, 0) == hipSuccess;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_host_compilers_read_the_api(
    language: str, compiler: str, work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]
) -> None:
    """C files, and C++ files that never see the GPU compiler, GCC's included."""
    path = work / ("a.c" if language == "c" else "a.cpp")
    path.write_text(HOST_ONLY)
    for standard in ["c99", "c17"] if language == "c" else ["c++11", "c++20"]:
        args = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(path)]
        if compiler == "gcc":
            if shutil.which("gcc") is None:
                pytest.skip("no gcc here")
            words = ["gcc", "-x", language, "-isystem", str(INCLUDE), *args]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        else:
            assert hipcc(*args, cxx_is_hip=False) == 0, capfd.readouterr().err


KERNEL = 'extern "C" __global__ void k(float *p, int n) { %s }'
REFUSED = {
    "a 32-bit mask for a wave": ("p[0] = __shfl_sync(0xffffffffu, p[0], 0);", "64-bit integer"),
    "the wave size as a constant": ("__shared__ int s[warpSize]; p[0] = s[n];", "variable length array|constant"),
    "the wave size as a variadic argument": ('printf("%d", warpSize);', "variadic"),
    "a tile of a size that is none": (
        "cooperative_groups::tiled_partition<12>(cooperative_groups::this_thread_block());",
        "power of two",
    ),
}


@pytest.mark.parametrize("what", list(REFUSED))
def test_mistakes_are_refused(what: str) -> None:
    body, message = REFUSED[what]
    source = "#include <hip/hip_cooperative_groups.h>\n" + KERNEL % body
    with pytest.raises(CompileError, match=message):
        compile_device(source, "gfx942")


def test_cuda_headers_refuse_a_hip_source() -> None:
    with pytest.raises(CompileError, match="a CUDA source is compiled as HIP"):
        compile_device("#include <cuda_runtime.h>\n", "gfx942")


def test_every_line_of_code_is_ours() -> None:
    """Size limit and licence line of each header."""
    for path in sorted(INCLUDE.rglob("*")):
        if path.is_file():
            text = path.read_text()
            assert text.startswith("/* Part of softrock (MIT licence"), path
            assert text.count("\n") <= 620, path
            assert not re.search(r"[^\x00-\x7f]", text), path
