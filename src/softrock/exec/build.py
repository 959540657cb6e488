"""Compiles the native runtime with the clang of the ziglang wheel, once, and caches the result.

No C library is linked: whatever process loads the result has one, and undefined names resolve against it.
"""

from __future__ import annotations

import os
import platform
import stat
import sys
import tempfile
from importlib import util
from pathlib import Path
from typing import Final

from softrock.core import cache
from softrock.core.errors import ToolError, UnsupportedError

SOURCES: Final = ("fiber.c", "slot.c", "copy.c", "pool.c", "batch.c", "queue.c", "fault.c")
"""Compiled as one translation unit, in this order, followed by `LEAVES`."""

LEAVES: Final = ("lanes.c", "helpers.c")
"""Functions that only translated code calls and that hold no state of the runtime: a kernel may be
interrupted in them. They go into a section of their own, by which the signal handler knows them."""

HEADERS: Final = ("api.h", "rt.h")

NATIVE: Final = Path(__file__).with_name("native")

_ARCHES: Final = {
    "x86_64": ("x86_64-unknown-linux-gnu", "x86-64", ("x86_64-linux-gnu", "x86-linux-gnu"), "x86-linux-any"),
    "aarch64": ("aarch64-unknown-linux-gnu", "generic", ("aarch64-linux-gnu",), "aarch64-linux-any"),
}
"""machine -> target triple, CPU, folders of its glibc headers (their names changed between zig versions),
kernel headers."""

_GLIBC_MINOR: Final = 28
"""glibc whose headers are asked for: old enough that no newer symbol version is needed at load time."""


def zig() -> tuple[Path, Path]:
    """The zig program and its lib folder, from the ziglang wheel.

    Raises:
        ToolError: the wheel is not installed.
    """
    spec = util.find_spec("ziglang")
    if spec is None or not spec.origin:
        raise ToolError("the ziglang package is not installed", hint="pip install ziglang")
    folder = Path(spec.origin).parent
    return folder / "zig", folder / "lib"


def tool_environment() -> dict[str, str]:
    """The environment zig runs in: its own caches inside ours, so that it needs no HOME."""
    place = str(cache.folder("zig"))
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": place, "ZIG_LOCAL_CACHE_DIR": place}


def compiler_arguments(extra: tuple[str, ...] = ()) -> list[str]:
    """``zig clang -cc1`` with everything a C file of this machine needs, up to the input and output.

    Raises:
        UnsupportedError: the machine is neither x86-64 nor aarch64, or not Linux.
    """
    machine = platform.machine()
    if machine not in _ARCHES or not sys.platform.startswith("linux"):
        raise UnsupportedError(
            f"the software GPU does not run on {sys.platform} {machine}",
            hint="use Linux on x86-64 or aarch64",
        )
    program, lib = zig()
    triple, cpu, glibc, kernel = _ARCHES[machine]
    libc = lib / "libc" / "include"
    places = [lib / "include", *(libc / name for name in (*glibc, "generic-glibc", kernel, "any-linux-any"))]
    includes = [word for place in places if place.is_dir() for word in ("-internal-isystem", str(place))]
    return [
        str(program), "clang", "-cc1", "-triple", triple, "-target-cpu", cpu, "-emit-obj", "-O3",
        "-std=gnu17",
        "-fgnuc-version=4.2.1", f"-D__GLIBC_MINOR__={_GLIBC_MINOR}", "-mrelocation-model", "pic",
        "-pic-level", "2",
        "-ftls-model=initial-exec", "-fvisibility=hidden", "-ffp-contract=off", "-Wall", "-Wextra",
        "-Werror", *includes, *extra,
    ]  # fmt: skip


def run_tool(arguments: list[str]) -> None:
    """Run one step.

    Raises:
        ToolError: it failed; the message holds what it printed.
    """
    import subprocess

    done = subprocess.run(
        arguments,
        env=tool_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(
            f"building the native runtime failed (exit {done.returncode}):\n{done.stderr}",
            hint="this is a defect of softrock or an unknown version of ziglang; please report it",
        )


def link(objects: list[Path], output: Path, name: str) -> None:
    """Link objects into a shared library that stays loaded once it is (its threads may be running)."""
    program, _ = zig()
    run_tool(
        [
            str(program), "ld.lld", "-shared", "-z", "nodelete", "-z", "now", "-z", "noexecstack",
            "--hash-style=gnu",
            "--build-id=none", "-soname", name, "-o", str(output), *map(str, objects),
        ]
    )  # fmt: skip


def _key() -> str:
    from softrock.lift import wave

    program, _ = zig()
    info = program.stat()
    parts: list[bytes | str] = [
        platform.machine(),
        f"{program} {info.st_size} {info.st_mtime_ns}",
        wave.header(),
    ]
    parts += [Path(__file__).read_bytes()]
    parts += [(NATIVE / name).read_bytes() for name in (*HEADERS, *SOURCES, *LEAVES)]
    return cache.key_of(*parts)


def _is_ours(path: Path) -> bool:
    try:
        info = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(info.st_mode) and info.st_uid == os.getuid() and not info.st_mode & 0o022


def _compile(folder: Path) -> bytes:
    from softrock.lift import wave

    (folder / "sr_wave.h").write_text(wave.header())
    unit, code, library_file = folder / "runtime.c", folder / "runtime.o", folder / "runtime.so"
    include = [f'#include "{NATIVE / name}"\n' for name in (*SOURCES, *LEAVES)]
    include.insert(len(SOURCES), '#pragma clang section text="sr_leaf"\n')
    unit.write_text("".join(include))
    run_tool([*compiler_arguments(("-I", str(folder), "-I", str(NATIVE))), "-o", str(code), str(unit)])
    link([code], library_file, "libsoftrock-runtime.so")
    return library_file.read_bytes()


def library() -> Path:
    """The compiled runtime, built if this version of its sources was not yet.

    The file stands in the cache folder under a key of the sources, the layout of ``sr_wave``, this file and
    the zig program; next to it a verified cache entry holds the same bytes, from which a missing or damaged
    file is made again.

    Raises:
        ToolError: the compiler is missing or failed.
        UnsupportedError: the machine is not supported.
    """
    key = _key()
    place = cache.folder("native")
    path = place / f"runtime-{key[:24]}.so"
    body = cache.read("native", key)
    if body is not None and _is_ours(path) and path.read_bytes() == body:
        return path
    if body is None:
        with tempfile.TemporaryDirectory(prefix="softrock-") as folder:
            body = _compile(Path(folder))
        cache.write("native", key, body)
    handle, name = tempfile.mkstemp(dir=place, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        Path(name).replace(path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise ToolError(
            f"{path} cannot be written: {error.strerror}", hint="make room, or set SOFTROCK_CACHE_DIR to another folder"
        ) from None
    return path


def bindings() -> str:
    """Python source of cffi's out-of-line module for ``api.h``: it defines ``ffi``. Made once, then from the
    cache (parsing C declarations takes 30 ms, which every start would pay)."""
    import cffi

    text = (NATIVE / "api.h").read_text()
    key = cache.key_of(text, cffi.__version__, sys.version)
    known = cache.read("native", key)
    if known is not None:
        return known.decode()
    import io

    from cffi import recompiler

    maker = cffi.FFI()
    maker.cdef(text)
    output = io.StringIO()
    recompiler.make_py_source(maker, "softrock_runtime_api", output)
    source = output.getvalue()
    cache.write("native", key, source.encode())
    return source
