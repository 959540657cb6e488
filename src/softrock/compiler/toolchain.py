"""The compiler that every other module here calls: the clang and lld inside the ``ziglang`` wheel.

``zig clang`` is clang's own driver: with ``-###`` it *plans* a compilation (all of clang's flags, messages
and defaults) in ten milliseconds. It cannot carry the plan out alone (it has no bundler, no device library
and finds no headers); :mod:`softrock.compiler.plan` reads the plan and :mod:`softrock.compiler.jobs` does it.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

from softrock import __version__
from softrock.core import cache
from softrock.core.errors import ToolError

CLANG_VERSION = "22"
"""Major version of the clang that the wheel carries; headers and messages may name it."""


@functools.cache
def zig() -> Path:
    """Path of the ``zig`` executable of the ``ziglang`` wheel.

    Raises:
        ToolError: the package is not installed or lacks its executable.
    """
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "zig"
        if path.is_file():
            return path
    raise ToolError("the compiler (Python package ziglang) is not installed", hint="pip install ziglang")


@functools.cache
def zig_version() -> str:
    """What tells one build of the wheel from another without running it; part of every cache key."""
    info = zig().stat()
    return f"{info.st_size}-{info.st_mtime_ns}"


@functools.cache
def own_version() -> str:
    """Stands for this package's own code; part of the key of every kept result."""
    here = Path(__file__).parent
    stamps = [(path.name, path.stat()) for path in sorted((*here.glob("*.py"), *here.glob("*.c")))]
    return cache.key_of(__version__, *(f"{name} {info.st_mtime_ns} {info.st_size}" for name, info in stamps))


def resource_dir() -> Path:
    """clang's resource folder; its builtin headers (stddef.h, ...) are in ``include`` below it."""
    return zig().parent / "lib"


def machine() -> str:
    """The host processor as a triple names it, e.g. ``x86_64``."""
    name = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(name, name)


def host_triple() -> str:
    """Target triple of the host half, e.g. ``x86_64-unknown-linux-gnu``."""
    return f"{machine()}-unknown-linux-gnu"


@functools.cache
def environment() -> dict[str, str]:
    """Environment for zig's tools: its caches live in ours, so that it works without HOME."""
    env = dict(os.environ)
    folder = str(cache.folder("zig"))
    env["ZIG_GLOBAL_CACHE_DIR"] = folder
    env["ZIG_LOCAL_CACHE_DIR"] = folder
    env.setdefault("PATH", os.defpath)  # the host's driver looks there for its linker
    return env


def run(
    args: Sequence[str],
    *,
    name: str | None = None,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``zig ARGS`` and capture what it prints.

    Args:
        args: e.g. ``["clang", "-cc1", ...]`` or ``["ld.lld", "-shared", ...]``.
        name: the name under which clang's driver speaks in its messages (``hipcc: error: ...``).
        cwd: working folder.
        env: environment in place of :func:`environment`.
    """
    return subprocess.run(
        [name or str(zig()), *args],
        executable=zig(),
        env=environment() if env is None else env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
