"""The C rivals: one shared library for each file, built by the machine's own compiler."""

from __future__ import annotations

import atexit
import ctypes
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]


@dataclass(frozen=True, slots=True)
class Library:
    """A loaded C library; `note` names the vector math functions it calls."""

    handle: ctypes.CDLL
    note: str


def compiler() -> str | None:
    """The machine's C compiler, gcc first."""
    return shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")


def version(program: str) -> str:
    """First line of a program's --version."""
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="softrock-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def vector_math(path: Path) -> list[str]:
    """The functions of a vector math library (``_ZGV…``, glibc's libmvec) that a shared library calls."""
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        table: Any = ELFFile(file).get_section_by_name(".dynsym")
        names = [s.name for s in table.iter_symbols() if s["st_shndx"] == "SHN_UNDEF"] if table else []
    return sorted(n for n in names if n.startswith("_ZGV"))


def library(program: str, source: Path, defines: dict[str, int]) -> Library:
    """Build and load a C file.

    Raises:
        subprocess.CalledProcessError: it does not compile; the compiler has said why.
    """
    out = _folder() / f"{source.stem}.so"
    macros = [f"-D{name}={value}" for name, value in defines.items()]
    subprocess.run([program, *FLAGS, *macros, str(source), "-o", str(out), "-lm"], check=True)
    used = sorted({n.split("_", 3)[-1] for n in vector_math(out)})
    return Library(ctypes.CDLL(str(out)), f"vector math library: {', '.join(used)}" if used else "")
