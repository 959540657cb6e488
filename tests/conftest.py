"""Fixtures shared by all tests.

`compile_device` makes real code objects from small HIP device sources, so that no binary stands in the
repository. Results are kept in pytest's cache folder (keyed by source, target, flags and compiler
version), so a second run compiles nothing.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

os.environ.setdefault("SOFTROCK_TIER", "full")  # tests of tiers ask for others; what the rest runs must not vary

_ZIG_CACHE = Path(tempfile.gettempdir()) / f"softrock-tests-zig-{os.getuid()}"
_KEYWORDS = ("global", "device", "host", "shared", "constant", "managed")

CompileDevice = Callable[..., bytes]


def _run_zig(*arguments: str, folder: Path) -> None:
    """Run the clang or lld inside the ziglang wheel in `folder`; its messages become the test's failure."""
    import ziglang

    zig = Path(ziglang.__file__).parent / "zig"
    _ZIG_CACHE.mkdir(exist_ok=True, mode=0o700)
    env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(_ZIG_CACHE), "ZIG_LOCAL_CACHE_DIR": str(_ZIG_CACHE)}
    done = subprocess.run(
        [str(zig), *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.fail(f"zig {' '.join(arguments)}\n{done.stderr}", pytrace=False)


@pytest.fixture(scope="session")
def zig() -> Callable[..., None]:
    """``zig("ld.lld", "-shared", "a.o", folder=tmp_path)`` runs a tool of the ziglang wheel."""
    return _run_zig


@pytest.fixture(scope="session")
def compile_device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CompileDevice:
    """``compile_device(source, target="gfx942", flags=(), *, link=True, language="hip") -> bytes``.

    Args (of the returned function):
        source: HIP device code without headers; ``__global__``, ``__device__``, ``__shared__`` and
        ``__constant__``
            are defined, everything else is clang's builtins. With ``language="asm"`` it is AMDGPU assembly.
        target: target ID, e.g. ``gfx942`` or ``gfx942:xnack-``.
        flags: more flags for clang's cc1 (default optimisation is -O3).
        link: False gives the relocatable object instead of the shared code object.
    """
    assert request.config.cache is not None
    store = request.config.cache.mkdir("device")
    version = importlib.metadata.version("ziglang")

    def compile_(
        source: str,
        target: str = "gfx942",
        flags: Sequence[str] = (),
        *,
        link: bool = True,
        language: str = "hip",
    ) -> bytes:
        key = hashlib.sha256(
            repr((source, target, tuple(flags), link, language, version)).encode()
        ).hexdigest()
        kept = store / key
        if kept.exists():
            return kept.read_bytes()
        folder = tmp_path_factory.mktemp("device")
        processor, *features = target.split(":")
        switches = [
            item
            for each in features
            for item in ("-target-feature", ("+" if each[-1] == "+" else "-") + each[:-1])
        ]
        common = ["-triple", "amdgcn-amd-amdhsa", "-target-cpu", processor, *switches]
        if language == "asm":
            (folder / "k.s").write_text(source)
            _run_zig(
                "clang", "-cc1as", *common, "-filetype", "obj", *flags, "-o", "k.o", "k.s", folder=folder
            )
        else:
            (folder / "k.hip").write_text(source)
            defines = [f"-D__{word}__=__attribute__(({word}))" for word in _KEYWORDS]
            level = [] if any(flag.startswith("-O") for flag in flags) else ["-O3"]
            fixed = [
                "-x",
                "hip",
                "-fvisibility=hidden",
                "-fapply-global-visibility-to-externs",
                "-fcuda-is-device",
                "-std=c++17",
                "-ffp-contract=fast",
                "-emit-obj",
            ]
            paths = [f"-fdebug-compilation-dir={folder}", "-o", "k.o", "k.hip"]
            _run_zig("clang", "-cc1", *common, *fixed, *defines, *level, *flags, *paths, folder=folder)
        if link:
            _run_zig("ld.lld", "-shared", "k.o", "-o", "k.co", folder=folder)
        result = (folder / ("k.co" if link else "k.o")).read_bytes()
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(result)
        fresh.replace(kept)
        return result

    return compile_
