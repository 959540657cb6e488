"""The device library: the OCML/OCKL entry points that compiled device code calls, as LLVM bitcode.

The sources in ``src`` are C++ for amdgcn, one translation unit (``devlib.cpp``); the same sources compile for
the host, where :mod:`softrock.compiler.devlib.accuracy` measures them against mpmath.
:mod:`softrock.compiler.devlib.layout` describes the printf buffer and the heap that the runtime provides.

The bitcode names no processor, so one file serves every target and wave size: the compiler, which links it with
``-mlink-builtin-bitcode``, gives the functions its own target, takes what is needed and makes it internal. It is
built with ``-fdenormal-fp-math=dynamic``, so that it may be inlined into code of any denormal mode, without
contraction, so that error-free transformations stay error-free, and without ``-ffreestanding``, whose "no-builtins"
attribute would forbid inlining.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from softrock.compiler import toolchain
from softrock.core import cache
from softrock.core.errors import ToolError, UsageError

SOURCES = Path(__file__).parent / "src"

Progress = Callable[[str], None]
"""Called with one line before something slow begins."""

_COMMON = (
    *("-x", "c++", "-std=c++20", "-O2", "-ffp-contract=off"),
    *("-Wall", "-Wno-unused-function"),
)


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
        target: a target ID, e.g. ``gfx942`` or ``gfx1100``; today all AMD targets share one file.
        wave64: the wave size that the code is compiled for, None for the target's default; makes no difference today.
        progress: told what is going on when something must be built.

    Raises:
        ToolError: the compiler is missing or fails.
        UsageError: the target is not an AMD GPU.
    """
    if not target.startswith("gfx"):
        raise UsageError(f"there is no device library for {target!r}", hint="targets are named like gfx942")
    flags = (
        "-triple",
        "amdgcn-amd-amdhsa",
        "-fdenormal-fp-math=dynamic",
        "-emit-llvm-bc",
        "-mcode-object-version=none",
    )
    return [_Recipe("the device library", "bc", flags).built(progress)]


def host_library(more: str = "", progress: Progress | None = None) -> Path:
    """The same functions as a shared library for this machine, for accuracy tests.

    On x86-64 it needs FMA and F16C (any machine since 2013).

    Args:
        more: C++ source compiled behind the library's own, which may call its functions.
        progress: told what is going on when something must be built.
    """
    flags = ["-triple", toolchain.host_triple(), "-mrelocation-model", "pic", "-pic-level", "2", "-emit-obj"]
    if toolchain.machine() == "x86_64":
        flags += ["-target-cpu", "x86-64-v3"]
    recipe = _Recipe("the device library for this host", "so", tuple(flags), ("ld.lld", "-shared"), more)
    return recipe.built(progress)


@dataclass(frozen=True)
class _Recipe:
    """How to make one cached file: compile ``devlib.cpp`` and `more` with `flags`, then link if `link` says how."""

    what: str
    suffix: str
    flags: tuple[str, ...]
    link: tuple[str, ...] = ()
    more: str = ""

    def built(self, progress: Progress | None) -> Path:
        """The file, made now unless the cache has it; several processes may do so at once."""
        parts = (source_hash(), toolchain.zig_version(), *_COMMON, *self.flags, *self.link, self.more)
        place = cache.folder("devlib") / f"{cache.key_of(*parts)[:32]}.{self.suffix}"
        seal = place.with_suffix(".seal")
        if cache.whole(seal, [place]):
            return place
        if progress is not None:
            progress(f"building {self.what} (once)")
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as name:
            source, output = Path(name, "all.cpp"), Path(name, "out")
            source.write_text(f'#include "devlib.cpp"\n{self.more}')
            arguments = ["-I", str(SOURCES), "-o", str(output), str(source)]
            self._run(["clang", "-cc1", *_COMMON, *self.flags, *arguments])
            if self.link:
                linked = Path(name, "linked")
                self._run([*self.link, "-o", str(linked), str(output)])
                output = linked
            cache.seal(Path(name, "seal"), [output])
            output.replace(place)
            Path(name, "seal").replace(seal)
        return place

    def _run(self, arguments: list[str]) -> None:
        done = toolchain.run(arguments)
        if done.returncode:
            raise ToolError(f"{self.what} cannot be built: {done.stderr.strip()}", hint="reinstall ziglang")
