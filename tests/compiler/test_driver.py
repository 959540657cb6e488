"""hipcc end to end: from sources to objects, bundles and programs, with a runtime that only tells its calls."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.codeobj import bundle
from softrock.compiler import driver, toolchain
from softrock.compiler.link import Runtime

Hipcc = Callable[..., int]
Output = Callable[[str], str]

PROGRAM = """
#include "tiny.h"
#include <cstdio>
#include <string>
#include <vector>
template <typename T> global void scale(T *x, T s) { x[__builtin_amdgcn_workitem_id_x()] *= s; }
int main() {
    std::vector<std::string> words{"ready", "set"};
    scale<<<3, 64, 128>>>((double *)nullptr, 2.0);
    std::printf("%s\\n", words[1].c_str());
}
"""


@pytest.fixture
def program(work: Path) -> Path:
    path = work / "k.hip"
    path.write_text(PROGRAM)
    return path


def test_program_with_two_targets(hipcc: Hipcc, program: Path, output: Output) -> None:
    assert hipcc("k.hip", "-o", "k", "--offload-arch=gfx942", "--offload-arch=gfx1100") == 0
    assert output("./k") == "fatbin _C3 align 0\nfunction _Z5scaleIdEvPT_S0_\nlaunch 3 64 128\nset\n"
    (found,) = bundle.find_bundles(Path("k").read_bytes(), "k")
    assert {str(each.target) for each in found.gpu} == {"gfx942", "gfx1100"}
    assert all(each.offset % 4096 == 0 for each in found.gpu)


def test_default_output_and_optimisation(hipcc: Hipcc, program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert hipcc("k.hip", "--offload-arch=gfx942") == 0
    assert Path("a.out").is_file()
    assert hipcc("-###", "k.hip", "--offload-arch=gfx942") == 0
    printed = capfd.readouterr().err
    assert printed.count('"-O3"') == 2
    assert hipcc("-###", "k.hip", "--offload-arch=gfx942", "-O1") == 0
    assert '"-O3"' not in capfd.readouterr().err


def test_genco_writes_a_bundle(hipcc: Hipcc, program: Path) -> None:
    assert hipcc("--genco", "k.hip", "-o", "k.co", "--offload-arch=gfx942:xnack-") == 0
    data = Path("k.co").read_bytes()
    (found,) = bundle.find_bundles(data, "k.co")
    assert [str(each.target) for each in found.gpu] == ["gfx942:xnack-"]


@pytest.mark.parametrize("version", [5, 6])
def test_code_object_version(hipcc: Hipcc, program: Path, version: int) -> None:
    flags = [] if version == 5 else [f"-mcode-object-version={version}"]
    assert hipcc("--genco", "k.hip", "-o", "k.co", "--offload-arch=gfx942", *flags) == 0
    (found,) = bundle.find_bundles(Path("k.co").read_bytes(), "k.co")
    assert found.gpu[0].data[8] == version - 2  # EI_ABIVERSION: 3 stands for v5, 4 for v6


def test_compile_error_shows_file_and_line(hipcc: Hipcc, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "bad.hip").write_text('#include "tiny.h"\nglobal void k(int *p) { *p = missing; }\nint main() {}\n')
    assert hipcc("bad.hip", "-o", "bad") == 1
    printed = capfd.readouterr().err
    assert printed.startswith("bad.hip:2:30: error: use of undeclared identifier 'missing'")
    assert printed.count("error:") == 1
    assert "Traceback" not in printed
    assert not Path("bad").exists()


def test_host_only_error(hipcc: Hipcc, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "#if !defined(__HIP_DEVICE_COMPILE__)\n#error on the host\n#endif\nint main() {}\n"
    (work / "bad.hip").write_text(text)
    assert hipcc("bad.hip", "-c") == 1
    assert "bad.hip:2:2: error: on the host" in capfd.readouterr().err


def test_unknown_flag_and_missing_file_in_clangs_words(
    hipcc: Hipcc, program: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert hipcc("k.hip", "--no-such-flag", "-c") == 1
    assert capfd.readouterr().err == "hipcc: error: unknown argument: '--no-such-flag'\n"
    assert hipcc("none.hip") == 1
    assert "no such file or directory: 'none.hip'" in capfd.readouterr().err
    assert hipcc() == 1
    assert "hipcc: error: no input files" in capfd.readouterr().err


def test_unknown_gpu(hipcc: Hipcc, program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert hipcc("k.hip", "--offload-arch=gfx31415") == 1
    assert "gfx31415" in capfd.readouterr().err


def test_undefined_symbol_is_a_link_error(hipcc: Hipcc, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "m.hip").write_text("void elsewhere(); int main() { elsewhere(); }\n")
    assert hipcc("m.hip", "-o", "m", "--offload-arch=gfx942") == 1
    assert "elsewhere" in capfd.readouterr().err
    (work / "m.hip").write_text('#include "tiny.h"\ndevice int far(int); global void k(int *p) { *p = far(*p); }\n')
    assert hipcc("m.hip", "-c", "--offload-arch=gfx942") == 1
    assert "undefined hidden symbol: far(int)" in capfd.readouterr().err


def test_several_sources_objects_and_libraries(hipcc: Hipcc, program: Path, work: Path, output: Output) -> None:
    (work / "main.cpp").write_text('#include <cstdio>\nextern "C" int c(); int cxx(); int o();\n'
                                   'int main() { std::printf("%d\\n", c() + cxx() + o()); }\n')  # fmt: skip
    (work / "c.c").write_text("int c(void) { return sizeof('a'); }\n")  # 4 in C, 1 in C++
    (work / "cxx.cpp").write_text("int cxx() { return sizeof('a') * 10; }\n")
    (work / "o.cpp").write_text("int o() { return 100; }\n")
    assert hipcc("-c", "o.cpp", "cxx.cpp", "--offload-arch=gfx942") == 0
    assert hipcc("-shared", "-fPIC", "cxx.o", "-o", "libcxx.so") == 0
    assert hipcc("main.cpp", "c.c", "o.o", "-L.", "-lcxx", "-Wl,-rpath," + str(work), "-o", "m") == 0
    assert output("./m") == "114\n"
    assert hipcc("-c", "o.cpp", "cxx.cpp", "-o", "both.o") == 1


def test_preprocess_and_assembly(hipcc: Hipcc, program: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert hipcc("-E", "-DSIZE=42", "k.hip", "--cuda-host-only") == 0
    assert b"scale<<<3, 64, 128>>>" in capfdbinary.readouterr().out
    assert hipcc("-S", "k.hip", "--offload-device-only", "--offload-arch=gfx942", "-o", "k.s") == 0
    assert ".amdhsa_kernel _Z5scaleIdEvPT_S0_" in Path("k.s").read_text()
    assert hipcc("-S", "k.hip", "--offload-arch=gfx942", "--offload-arch=gfx1100", "-o", "all.s") == 0
    starts = re.findall(r"__CLANG_OFFLOAD_BUNDLE____START__ (\S+)", Path("all.s").read_text())
    assert [each.split("-")[0] for each in starts] == ["hip", "hip", "host"]


def test_dependency_files(hipcc: Hipcc, program: Path) -> None:
    assert hipcc("-c", "k.hip", "-o", "k.o", "-MD", "-MF", "deps.d", "-MT", "target", "--offload-arch=gfx942") == 0
    text = Path("deps.d").read_text()
    assert text.startswith("target:")
    assert "tiny.h" in text
    assert "/vector" in text


def test_dependencies_alone(hipcc: Hipcc, program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert hipcc("-MM", "k.hip") == 0
    printed = capfd.readouterr().out
    assert printed.startswith("k.o: k.hip")
    assert "tiny.h" in printed


def test_standard_input(
    hipcc: Hipcc, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], output: Output
) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"int main() { return sizeof(void *) - 8; }\n"))
    monkeypatch.setattr("sys.stdin", text)
    assert hipcc("-x", "hip", "-", "-o", "m", "--offload-arch=gfx942") == 0
    assert output("./m") == ""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert hipcc("-E", "-dM", "-x", "c++", "-") == 0
    assert "#define __clang__ 1" in capfd.readouterr().out


def test_save_temps(hipcc: Hipcc, program: Path) -> None:
    assert hipcc("-c", "k.hip", "--save-temps", "--offload-arch=gfx942") == 0
    names = [each.name for each in Path().iterdir()]
    assert "k-hip-amdgcn-amd-amdhsa-gfx942.s" in names
    assert any(each.endswith(".hipi") for each in names)
    assert "k.o" in names


def test_wave_size_and_unsafe_atomics(hipcc: Hipcc, program: Path) -> None:
    args = ("k.hip", "-S", "--offload-device-only", "--offload-arch=gfx1100", "-munsafe-fp-atomics", "-o", "k.s")
    assert hipcc(*args) == 0
    assert ".amdhsa_wavefront_size32 1" in Path("k.s").read_text()
    assert hipcc(*args, "-mwavefrontsize64") == 0
    assert ".amdhsa_wavefront_size32 0" in Path("k.s").read_text()


def test_cuda_mode_is_told_to_the_source(hipcc: Hipcc, work: Path) -> None:
    text = "#if !defined(__SOFTROCK_CUDA__)\n#error HIP\n#endif\n"
    (work / "k.cu").write_text(text)
    (work / "k.hip").write_text(text)
    flags = ("-fsyntax-only", "--offload-arch=gfx942")
    assert hipcc("k.cu", *flags) == 0
    assert hipcc("k.hip", *flags) == 1
    assert hipcc("-x", "cu", "k.hip", *flags) == 0


def test_warnings_are_printed_and_do_not_fail(hipcc: Hipcc, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "w.hip").write_text("int f() { int unused; return 0; }\n")
    assert hipcc("-c", "w.hip", "-Wall", "--offload-arch=gfx942") == 0
    printed = capfd.readouterr().err
    assert "w.hip:1:15: warning: unused variable" in printed
    assert hipcc("-c", "w.hip", "-Wall", "-Werror", "--offload-arch=gfx942") == 1


def test_relocatable_device_code(hipcc: Hipcc, work: Path, output: Output) -> None:
    (work / "a.hip").write_text(
        '#include "tiny.h"\nextern device int twice(int);\nglobal void k(int *p) { *p = twice(*p); }\n'
        "int main() { k<<<1, 1>>>(nullptr); }\n"
    )
    (work / "b.hip").write_text('#include "tiny.h"\ndevice int twice(int x) { return 2 * x; }\n')
    targets = ("-fgpu-rdc", "--offload-arch=gfx942", "--offload-arch=gfx1100")
    expected = "fatbin _C3 align 0\nfunction _Z1kPi\n"
    assert hipcc("a.hip", "b.hip", *targets, "-o", "whole") == 0
    assert expected in output("./whole")
    assert hipcc("-c", "a.hip", *targets) == 0
    assert hipcc("-c", "b.hip", *targets) == 0
    assert hipcc("a.o", "b.o", *targets, "--hip-link", "-o", "parts") == 0
    assert expected in output("./parts")
    assert hipcc("a.o", *targets, "-o", "lacking") == 1


def test_device_linking_from_an_archive(hipcc: Hipcc, work: Path, output: Output) -> None:
    (work / "a.hip").write_text(
        '#include "tiny.h"\nextern device int twice(int);\nglobal void k(int *p) { *p = twice(*p); }\n'
        "int main() { k<<<1, 1>>>(nullptr); }\n"
    )
    (work / "b.hip").write_text('#include "tiny.h"\ndevice int twice(int x) { return 2 * x; }\n')
    targets = ("-fgpu-rdc", "--offload-arch=gfx942")
    assert hipcc("-c", "a.hip", "b.hip", *targets) == 0
    assert toolchain.run(["ar", "rcs", "libb.a", "b.o"]).returncode == 0
    assert hipcc("a.o", "-L.", "-lb", *targets, "-o", "m") == 0
    assert "function _Z1kPi" in output("./m")
    (found,) = bundle.find_bundles(Path("m").read_bytes(), "m")
    assert [str(each.target) for each in found.gpu] == ["gfx942"]


def test_bundle_assembled_by_hand(hipcc: Hipcc, program: Path, output: Output) -> None:
    """Host and GPU code compiled apart and joined by an assembly file, as build scripts do."""
    assert hipcc("-c", "--offload-host-only", "k.hip", "-o", "host.o") == 0
    assert hipcc("--genco", "k.hip", "-o", "k.hipfb", "--offload-arch=gfx942") == 0
    Path("joint.s").write_text(
        '.section .hip_fatbin,"a",@progbits\n.globl __hip_fatbin\n.p2align 12\n__hip_fatbin:\n'
        '.incbin "k.hipfb"\n.section .note.GNU-stack,"",@progbits\n'
    )
    assert hipcc("-c", "joint.s", "-o", "joint.o") == 0
    assert hipcc("host.o", "joint.o", "-o", "k") == 0
    assert output("./k").startswith("fatbin _C2 align 0\n")


def test_queries(hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    assert hipcc("--version") == 0
    printed = capfd.readouterr().out
    assert re.match(r"HIP version: \d+\.\d+\.\d+.*\nclang version \d+", printed)
    assert hipcc("--version", name="clang++", cxx_is_hip=False) == 0
    assert capfd.readouterr().out.startswith("clang version ")


def test_verbose_shows_commands_and_still_compiles(
    hipcc: Hipcc, program: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert hipcc("-v", "k.hip", "-o", "k", "--offload-arch=gfx942") == 0
    printed = capfd.readouterr().err
    assert '"-target-cpu" "gfx942"' in printed
    assert '"-lamdhip64"' in printed
    assert Path("k").is_file()


def test_link_only_adds_nothing_to_plain_objects(hipcc: Hipcc, work: Path, output: Output) -> None:
    (work / "p.cpp").write_text('#include <cstdio>\nint main() { std::puts("plain"); }\n')
    assert hipcc("-x", "c++", "-c", "p.cpp", "-o", "p.o") == 0
    assert hipcc("p.o", "-o", "p") == 0
    assert output("./p") == "plain\n"


def test_static_library(hipcc: Hipcc, work: Path, output: Output) -> None:
    (work / "library.hip").write_text(
        '#include "tiny.h"\nglobal void k(int *p) { *p = 1; }\nvoid work() { k<<<4, 1>>>(nullptr); }\n'
    )
    (work / "main.cpp").write_text("void work(); int main() { work(); }\n")
    for _ in range(2):
        assert hipcc("--emit-static-lib", "-fPIC", "library.hip", "-o", "libwork.a", "--offload-arch=gfx942") == 0
    assert hipcc("main.cpp", "-L.", "-lwork", "-o", "m") == 0
    assert "launch 4 1 0" in output("./m")


def test_program_for_a_python_without_a_shared_library(stub_runtime: Runtime, work: Path) -> None:
    """It is a shared object that Python loads; started by itself it becomes that Python."""
    (work / "m.cpp").write_text(
        "#include <cstdio>\n#include <string>\nint global = 40; std::string text = \"made\";\n"
        'int main(int n, char **v) { std::printf("%s %s %s\\n", text.c_str(), v[1], v[2]); return global + n; }\n'
    )
    runtime = Runtime(stub_runtime.folder, launcher=True)
    assert driver.main(["-x", "c++", "m.cpp", "-o", "m"], lambda: runtime) == 0
    done = subprocess.run(["./m", "a b", ""], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.returncode) == ("made a b \n", 43), done.stderr
