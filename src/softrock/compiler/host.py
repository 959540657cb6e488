"""The host's C++ tool chain: whose standard library headers are used, and who links.

Two kinds, never mixed: ``gnu`` is the machine's own compiler driver with its libstdc++ (or whatever library
it names), ``zig`` is the libc++ and glibc headers of the ziglang wheel linked by ``zig c++``, for machines
without a compiler. Both halves of a program are always *compiled* by the wheel's clang: only it understands
``<<<>>>``.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from softrock.compiler import toolchain
from softrock.core import cache
from softrock.core.errors import ToolError

_CANDIDATES = ("g++", "c++", "clang++")
_ZIG_GLIBC = (2, 31)
"""glibc that zig links against where the machine's is at least as new (older machines: their own version)."""


@dataclass(frozen=True, slots=True)
class HostTools:
    """A host tool chain.

    Attributes:
        kind: ``gnu`` or ``zig``.
        linker: command that links, without arguments of the program at hand.
        cxx_includes: standard C++ header folders, in order, before clang's own builtin headers.
        c_includes: C and system header folders, in order, after them.
        defines: macros that the headers need.
    """

    kind: str
    linker: tuple[str, ...]
    cxx_includes: tuple[str, ...]
    c_includes: tuple[str, ...]
    defines: tuple[str, ...]

    def cc1_flags(self, cxx: bool) -> list[str]:
        """Flags for ``clang -cc1`` that show it exactly these headers (`cxx` false: not the C++ ones)."""
        flags: list[str] = []
        for path in self.cxx_includes if cxx else ():
            flags += ["-internal-isystem", path]
        flags += ["-internal-isystem", str(toolchain.resource_dir() / "include")]
        for path in self.c_includes:
            flags += ["-internal-externc-isystem", path]
        for define in self.defines:
            flags += ["-D", define]
        return flags


def _search_list(text: str) -> list[str]:
    """The ``#include <...>`` folders that gcc or clang prints under ``-v``."""
    folders: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("#include <...>"):
            inside = True
        elif line.startswith("End of search list"):
            break
        elif inside:
            folders.append(str(Path(os.path.normpath(line.strip().removesuffix(" (framework directory)")))))
    return folders


def _is_compiler_own(folder: str) -> bool:
    """Whether a folder holds another compiler's builtin headers, which clang must not read."""
    path = Path(folder)
    in_gcc = "gcc" in path.parts and path.name in ("include", "include-fixed")
    in_clang = path.name == "include" and path.parent.parent.name == "clang"
    return in_gcc or in_clang


def _probe_gnu(driver: str) -> HostTools | None:
    """Ask a compiler driver for its header folders; None where it cannot compile C++."""
    try:
        done = subprocess.run(
            [driver, "-E", "-x", "c++", "-v", os.devnull],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, "LC_ALL": "C"},
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    folders = [each for each in _search_list(done.stderr) if not _is_compiler_own(each)]
    cxx = [each for each in folders if "c++" in Path(each).parts]
    rest = [each for each in folders if each not in cxx]
    has_cxx = any((Path(each) / "vector").is_file() for each in cxx)
    has_c = any((Path(each) / "stdio.h").is_file() for each in rest)
    if done.returncode or not has_cxx or not has_c:
        return None
    return HostTools("gnu", (driver,), tuple(cxx), tuple(rest), ())


def zig_target() -> str:
    """zig's name for this host with the glibc that programs are linked against."""
    version = platform.libc_ver()[1].split(".")
    own = (int(version[0]), int(version[1])) if len(version) >= 2 and version[1].isdigit() else _ZIG_GLIBC
    major, minor = min(own, _ZIG_GLIBC)
    return f"{toolchain.machine()}-linux-gnu.{major}.{minor}"


def _probe_zig() -> HostTools:
    """Read from ``zig c++ -###`` which headers and macros belong to its libc++."""
    target = zig_target()
    done = toolchain.run(
        ["c++", "-###", "-target", target, "-O2", "-fno-sanitize=undefined", "-c", "-x", "c++", os.devnull],
        cwd=Path("/"),  # zig names what lies below the working folder by relative paths
    )
    line = next((each for each in done.stderr.splitlines() if '"-cc1"' in each), None)
    if line is None:
        raise ToolError(f"zig c++ did not say which headers it uses: {done.stderr.strip()[:300]}")
    words = shlex.split(line)
    pairs = list(itertools.pairwise(words))
    folders = [str(Path("/") / value) for word, value in pairs if word == "-isystem"]
    defines = [value for word, value in pairs if word == "-D" and value != "NDEBUG"]  # NDEBUG is the user's
    cxx = [each for each in folders if "libcxx" in each or "libcxxabi" in each]
    own = str(toolchain.resource_dir() / "include")
    rest = [each for each in folders if each not in cxx and each != own]
    # One level whatever the program's: zig builds its libraries anew for each.
    linker = (str(toolchain.zig()), "c++", "-target", target, "-O2", "-fno-sanitize=undefined")
    return HostTools("zig", linker, tuple(cxx), tuple(rest), tuple(defines))


def _stamp(path: str) -> str:
    info = Path(path).stat()
    return f"{path}:{info.st_mtime_ns}:{info.st_size}"


@functools.cache
def find() -> HostTools:
    """The tool chain of this machine: SOFTROCK_HOST_CXX, else g++, c++, clang++ of PATH, else zig's.

    ``SOFTROCK_HOST_CXX=zig`` chooses zig's libc++ although there is a compiler. The answer is cached by the
    compiler's path and time.

    Raises:
        ToolError: SOFTROCK_HOST_CXX names something that cannot compile C++.
    """
    asked = os.environ.get("SOFTROCK_HOST_CXX", "").strip()
    if asked == "zig":
        return _zig()
    for name in (asked,) if asked else _CANDIDATES:
        path = shutil.which(name)
        tools = _gnu(path) if path else None
        if tools is not None:
            return tools
    if asked:
        raise ToolError(
            f"SOFTROCK_HOST_CXX={asked} cannot compile a C++ file",
            hint="name a C++ compiler driver such as g++, or zig, or unset it",
        )
    return _zig()


def _gnu(path: str) -> HostTools | None:
    return _remembered(_stamp(path), lambda: _probe_gnu(path))


def _zig() -> HostTools:
    stamp = f"zig:{toolchain.zig()}:{toolchain.zig_version()}:{zig_target()}"
    return _remembered(stamp, _probe_zig) or _probe_zig()


def _remembered(stamp: str, probe: Callable[[], HostTools | None]) -> HostTools | None:
    """The answer of `probe`, kept in the cache under `stamp`."""
    key = cache.key_of("host-tools-3", stamp)
    known = cache.read("host", key)
    if known is not None:
        data = json.loads(known)
        if data is None:
            return None
        lists = ("linker", "cxx_includes", "c_includes", "defines")
        return HostTools(str(data["kind"]), *(tuple(data[name]) for name in lists))
    tools = probe()
    cache.write("host", key, json.dumps(None if tools is None else asdict(tools)).encode())
    return tools
