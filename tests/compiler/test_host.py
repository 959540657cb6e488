"""The host's tool chain: the machine's own, and zig's libc++ where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from softrock.compiler import host
from softrock.core.errors import ToolError

SOURCE = """
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
int main() {
    std::map<std::string, std::vector<int>> all{{"x", {1, 2, 3}}};
    int sum = 0;
    std::thread([&] { for (int each : all["x"]) sum += each; }).join();
    try { throw std::runtime_error("thrown"); } catch (const std::exception &e) { std::puts(e.what()); }
    std::printf("%d %.3f %s\\n", sum, std::sqrt(2.0),
#ifdef _LIBCPP_VERSION
                "libc++"
#else
                "other"
#endif
    );
}
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test looks for the tool chain anew."""
    monkeypatch.delenv("SOFTROCK_HOST_CXX", raising=False)
    host.find.cache_clear()


def test_the_machines_compiler_comes_first() -> None:
    found = host.find()
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    assert found.kind == "gnu"
    assert Path(found.linker[0]).name == "g++"
    assert any((Path(each) / "vector").is_file() for each in found.cxx_includes)
    assert any((Path(each) / "stdio.h").is_file() for each in found.c_includes)
    assert not any("lib/gcc" in each and each.endswith("/include") for each in found.c_includes)


def test_without_a_compiler_zig_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = host.find()
    assert found.kind == "zig"
    assert all("ziglang" in each for each in (*found.cxx_includes, *found.c_includes))
    assert all(Path(each).is_dir() for each in found.cxx_includes)
    assert any(each.startswith("_LIBCPP_") for each in found.defines)
    assert "NDEBUG" not in found.defines
    host.find.cache_clear()


def test_a_compiler_that_cannot_compile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "g++"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert host.find().kind == "zig"
    monkeypatch.setenv("SOFTROCK_HOST_CXX", "g++")
    host.find.cache_clear()
    with pytest.raises(ToolError, match="cannot compile"):
        host.find()
    host.find.cache_clear()


def _build_and_run(folder: Path, *, path: str | None) -> str:
    (folder / "m.cpp").write_text(SOURCE)
    script = (
        "import sys; from pathlib import Path; from softrock.compiler import driver, link;"
        "sys.exit(driver.main(sys.argv[1:], lambda: link.Runtime(Path('.'))))"
    )
    env = {**os.environ, **({"PATH": path} if path is not None else {})}
    env["PYTHONPATH"] = os.pathsep.join(sys.path)
    (folder / "libamdhip64.so").write_bytes(b"")
    empty = ["-x", "c++", "-shared", "-nostdlib", os.devnull, "-o", "libamdhip64.so"]
    for args in (empty, ["-x", "c++", "m.cpp", "-o", "m"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *args], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return subprocess.run([folder / "m"], capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_program_of_the_machines_library_runs(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    assert _build_and_run(tmp_path, path=None) == "thrown\n6 1.414 other\n"


@pytest.mark.long
def test_a_program_of_zigs_library_runs(tmp_path: Path) -> None:
    """The first time it builds libc++ (about a minute)."""
    assert _build_and_run(tmp_path, path="/nonexistent") == "thrown\n6 1.414 libc++\n"
