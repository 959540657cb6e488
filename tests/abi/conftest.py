"""Programs for the C library: compiled once a session, run in an environment with nothing in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock import abi
from softrock.compiler import driver
from softrock.compiler.flags import parse
from softrock.compiler.link import Runtime
from softrock.core import settings

HERE = Path(__file__).parent / "programs"

Build = Callable[..., Path]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """``build("name.hip", *flags)`` compiles a program of the folder `programs` for both targets."""
    folder = tmp_path_factory.mktemp("programs")
    known: dict[tuple[str, ...], Path] = {}

    def make(name: str, *flags: str) -> Path:
        key = (name, *flags)
        if key not in known:
            out = folder / f"{Path(name).stem}-{len(known)}"
            line = parse(["-Wno-unused-value", "-O2", *flags, str(HERE / name), "-o", str(out)])
            line.archs = ["gfx942", "gfx1100"]
            driver.compile_line(line, "hipcc", lambda: Runtime(abi.library_dir(), False))
            known[key] = out
        return known[key]

    return make


@pytest.fixture
def run() -> Run:
    """``run(program, *arguments, gpus=..., **variables)`` runs it with an otherwise empty environment."""

    def start(
        program: Path, *arguments: str, gpus: str = "gfx942", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        env = {"SOFTROCK_CACHE_DIR": str(settings.load().cache_dir), "SOFTROCK_GPUS": gpus, **variables}
        env["LD_LIBRARY_PATH"] = str(abi.library_dir())
        return subprocess.run(
            [str(program), *arguments], env=env, capture_output=True, text=True, timeout=120, check=False
        )

    return start


@pytest.fixture
def c_program(tmp_path: Path) -> Build:
    """Compiles a C source text against the C library with the machine's own compiler."""
    from shutil import which

    compiler = which("cc") or which("gcc") or which("clang")
    if compiler is None:
        pytest.skip("this machine has no C compiler")

    def make(source: str, *flags: str) -> Path:
        text, out = tmp_path / "program.c", tmp_path / "program"
        text.write_text(source)
        include = Path(driver.__file__).parent / "include"
        folder = abi.library_dir()
        command = [compiler, str(text), "-o", str(out), f"-I{include}", f"-L{folder}", *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
        assert done.returncode == 0, done.stderr
        return out

    return make
