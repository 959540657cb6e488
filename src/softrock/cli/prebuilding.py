"""Build what is slow before it is needed, with a line for each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from softrock.cli.runtime import runtime
from softrock.core import settings


def _libcxx() -> None:
    from softrock.compiler import host, link

    tools = host.find()
    if tools.kind == "zig":
        link.ensure_libcxx(tools)


def _device_math() -> None:
    from softrock.compiler import devlib, driver

    for target in dict.fromkeys((*driver.gpu_targets(), *driver.DEFAULT_TARGETS)):
        devlib.bitcode(target)


def _native_runtime() -> None:
    from softrock.exec import build

    build.library()


def _layout() -> None:
    from softrock.compiler import rocm_layout

    rocm_layout.path(runtime().folder)


STEPS: tuple[tuple[str, Callable[[], object]], ...] = (
    ("C++ library of the host", _libcxx),
    ("HIP runtime library", runtime),
    ("native runtime", _native_runtime),
    ("device math library", _device_math),
    ("ROCm folder layout", _layout),
)


def prebuild() -> int:
    """Do every step, saying how long each took."""
    start = time.monotonic()
    for index, (name, step) in enumerate(STEPS, 1):
        print(f"[{index}/{len(STEPS)}] {name} ... ", end="", file=sys.stderr, flush=True)
        begin = time.monotonic()
        step()
        print(f"{time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)
    total = time.monotonic() - start
    print(f"ready in {total:.1f} s (cache: {settings.load().cache_dir})", file=sys.stderr)
    return 0
