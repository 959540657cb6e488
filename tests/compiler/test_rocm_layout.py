"""The folder that stands for a ROCm installation, and stock CMake with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from softrock.cli.runtime import runtime
from softrock.compiler import rocm_layout, versions

KERNEL = """
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }
int main() {
    int *p, host[64];
    if (hipMalloc(&p, sizeof(host)) != hipSuccess) return 1;
    k<<<1, 64>>>(p);
    if (hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess) return 1;
    std::printf("%d %d\\n", host[1], host[63]);
}
"""


@pytest.fixture(scope="session")
def root() -> Path:
    return rocm_layout.path(runtime().folder)


def _run(root: Path, command: list[str], cwd: Path, **more: str) -> str:
    env = {**os.environ, "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", **more}
    env["CMAKE_PREFIX_PATH"] = str(root)
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_layout(root: Path) -> None:
    folder = runtime().folder
    assert rocm_layout.path(folder) == root
    assert (root / "lib" / "libamdhip64.so").resolve() == (folder / "libamdhip64.so").resolve()
    assert (root / "include" / "hip" / "hip_runtime.h").is_file()
    assert (root / ".info" / "version").read_text().startswith(versions.version_text())
    for tool in ("bin/hipcc", "bin/hipconfig", "llvm/bin/clang++", "lib/llvm/bin/clang-offload-bundler"):
        assert os.access(root / tool, os.X_OK)


def test_tools_answer(root: Path, tmp_path: Path) -> None:
    assert _run(root, ["hipconfig", "--rocmpath"], tmp_path) == str(root)
    assert _run(root, ["hipconfig", "--version"], tmp_path).startswith(versions.version_text())
    assert _run(root, ["hipconfig", "--platform"], tmp_path) == "amd"
    assert f"HIP_PATH     : {root}\n" in _run(root, ["hipconfig"], tmp_path)
    listed = _run(root, ["rocm_agent_enumerator"], tmp_path, SOFTROCK_GPUS="gfx1100,gfx942:2")
    assert listed.split() == ["gfx000", "gfx1100", "gfx942"]
    done = subprocess.run([root / "bin" / "hipconfig", "--bogus"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "unknown option" in done.stderr


def test_assembler_and_bundler_make_a_bundle_by_hand(root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text(".text\n.globl f\nf:\n  s_endpgm\n")
    clang = str(root / "llvm" / "bin" / "clang++")
    _run(root, [clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "k.s", "-o", "k.co"], tmp_path)
    bundler = str(root / "llvm" / "bin" / "clang-offload-bundler")
    targets = "-targets=host-x86_64-unknown-linux,hipv4-amdgcn-amd-amdhsa--gfx942"
    _run(root, [bundler, "-type=o", "-bundle-align=4096", targets, "-input=/dev/null", "-input=k.co",
                "--output=k.hipfb"], tmp_path)  # fmt: skip
    assert (tmp_path / "k.hipfb").read_bytes().startswith(b"__CLANG_OFFLOAD_BUNDLE__")
    (tmp_path / "host.s").write_text('.section .hip_fatbin,"a",@progbits\n.incbin "k.hipfb"\n')
    assembler = str(root / "llvm" / "bin" / "llvm-mc")
    _run(root, [assembler, "-triple", "host-x86_64-unknown-linux-gnu", "host.s", "-o", "host.o", "--filetype=obj"],
         tmp_path)  # fmt: skip
    assert b"__CLANG_OFFLOAD_BUNDLE__" in (tmp_path / "host.o").read_bytes()


needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("c++") is None, reason="needs cmake and a C++ compiler"
)


@pytest.mark.long
@needs_cmake
def test_cmake_enable_language(root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.hip").write_text(KERNEL)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(k LANGUAGES CXX HIP)\nadd_executable(k k.hip)\n"
    )
    configured = _run(root, ["cmake", "-S", ".", "-B", "b", "-DCMAKE_HIP_ARCHITECTURES=gfx942"], tmp_path)
    assert "The HIP compiler identification is Clang" in configured
    _run(root, ["cmake", "--build", "b"], tmp_path)
    assert _run(root, ["b/k"], tmp_path) == "3 189\n"


@pytest.mark.long
@needs_cmake
def test_cmake_find_package(root: Path, tmp_path: Path) -> None:
    (tmp_path / "k.cpp").write_text(KERNEL)
    (tmp_path / "h.cpp").write_text(
        "#include <hip/hip_runtime_api.h>\n#include <cstdio>\n"
        'int main() { int n = 0; if (hipGetDeviceCount(&n)) return 1; std::printf("%d\\n", n); }\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(k LANGUAGES CXX)\n"
        "find_package(hip 6.0 REQUIRED CONFIG)\n"
        "add_executable(k k.cpp)\ntarget_link_libraries(k PRIVATE hip::device)\n"
        "add_executable(h h.cpp)\ntarget_link_libraries(h PRIVATE hip::host)\n"
    )
    _run(root, ["cmake", "-S", ".", "-B", "b", "-DGPU_TARGETS=gfx942"], tmp_path, CXX="hipcc")
    _run(root, ["cmake", "--build", "b"], tmp_path)
    assert _run(root, ["b/k"], tmp_path) == "3 189\n"
    assert _run(root, ["b/h"], tmp_path) == "1\n"
