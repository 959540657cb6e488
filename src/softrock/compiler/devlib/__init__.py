"""The device library: OCML/OCKL entry points that compiled device code calls, as bitcode for ``-mlink-builtin-bitcode``.

The sources in ``src`` are C++ for amdgcn, one translation unit (``devlib.cpp``); the same sources compile for the host,
where :mod:`softrock.compiler.devlib.accuracy` measures them against mpmath. :mod:`softrock.compiler.devlib.layout`
describes the printf buffer and the heap that the runtime hands to device code.

Function attributes: everything is built with ``-fdenormal-fp-math=dynamic``, so that it may be inlined into code of
any denormal mode, and without contraction, so that error-free transformations stay error-free.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from softrock.compiler import toolchain
from softrock.core import cache
from softrock.core.errors import ToolError

SOURCES = Path(__file__).parent / "src"

Progress = Callable[[str], None]
"""Called with one line before something slow begins."""

_COMMON = ("-x", "c++", "-std=c++20", "-ffreestanding", "-O2", "-ffp-contract=off", "-Wall", "-Wno-unused-function")


@functools.cache
def source_hash() -> str:
    """SHA-256 over the names and texts of all sources."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def bitcode(target: str, wave64: bool | None = None, progress: Progress | None = None) -> list[Path]:
    """Bitcode files of the device library for a target, built at first use (about a second) and cached.

    Args:
        target: a target ID; features after a colon make no difference to the library (``gfx942:xnack-``).
        wave64: True or False choose the wave size on targets that have both; None is the target's default.
        progress: told what is going on when something must be built.

    Raises:
        ToolError: the compiler is missing, or rejects the target.
    """
    processor = target.partition(":")[0]
    flags = ["-triple", "amdgcn-amd-amdhsa", "-target-cpu", processor, "-fdenormal-fp-math=dynamic"]
    flags.append("-mcode-object-version=none")  # it joins code of every version
    if wave64 is not None:
        flags += ["-target-feature", "+wavefrontsize64" if wave64 else "+wavefrontsize32"]
    what = f"the device library for {processor}"
    return [_built(what, "bc", [*flags, "-emit-llvm-bc"], (), progress)]


def host_library(progress: Progress | None = None) -> Path:
    """The same functions as a shared library for this machine (x86-64 with FMA and F16C), for accuracy tests."""
    flags = ["-triple", toolchain.host_triple(), "-mrelocation-model", "pic", "-pic-level", "2", "-emit-obj"]
    if toolchain.machine() == "x86_64":
        flags += ["-target-cpu", "x86-64-v3"]
    return _built("the device library for this host", "so", flags, ("ld.lld", "-shared"), progress)


def _built(what: str, suffix: str, flags: Sequence[str], link: Sequence[str], progress: Progress | None) -> Path:
    key = cache.key_of(source_hash(), toolchain.zig_version(), *_COMMON, *flags, *link)[:32]
    place = cache.folder("devlib") / f"{key}.{suffix}"
    if place.is_file():
        return place
    if progress is not None:
        progress(f"building {what} (once)")
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as name:
        folder = Path(name)
        output = folder / "out"
        _run(what, ["clang", "-cc1", *_COMMON, *flags, "-o", str(output), str(SOURCES / "devlib.cpp")])
        if link:
            linked = folder / "linked"
            _run(what, [*link, "-o", str(linked), str(output)])
            output = linked
        os.replace(output, place)
    return place


def _run(what: str, arguments: Sequence[str]) -> None:
    done = toolchain.run(arguments)
    if done.returncode:
        raise ToolError(f"{what} cannot be built: {done.stderr.strip()}", hint="check the target's name")
