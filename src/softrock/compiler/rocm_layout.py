"""A folder laid out like a ROCm installation, for build systems that look for one.

It lies in the cache: headers and libraries are links, the tools are small scripts that call this Python.
CMake finds the packages ``hip`` and ``hip-lang`` in it, and a ``clang++`` that it accepts as a HIP compiler.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from softrock import __version__
from softrock.compiler import driver, toolchain
from softrock.compiler.versions import hip_version, version_text
from softrock.core import cache

_HERE = Path(__file__).parent
_CMAKE = _HERE / "cmake"
_TOOLS = {
    "bin": ("hipcc", "hipconfig", "hipify-perl", "rocm_agent_enumerator", "rocminfo", "offload-arch"),
    "llvm/bin": ("clang", "clang++", "amdclang", "amdclang++", "clang-offload-bundler", "llvm-mc", "llvm-ar",
                 "llvm-as", "llvm-dis", "ld.lld", "amdgpu-arch", "offload-arch"),
}  # fmt: skip
_SCRIPT = """#!/bin/sh
# {tool} of softrock {version}
exec '{python}' -Pc "import sys; sys.path.append('{packages}'); \
from softrock.cli.rocm_tools import main; sys.exit(main('{tool}', '{root}'))" "$@"
"""


def _write_tools(root: Path, final: Path) -> None:
    for folder, tools in _TOOLS.items():
        (root / folder).mkdir(parents=True)
        for tool in tools:
            path = root / folder / tool
            path.write_text(
                _SCRIPT.format(
                    tool=tool,
                    version=__version__,
                    python=sys.executable,
                    packages=_HERE.parent.parent,
                    root=final,
                )
            )
            path.chmod(0o755)
    for tool in ("clang", "clang++", "amdclang", "amdclang++"):
        if tool.startswith("amd"):
            (root / "bin" / tool).symlink_to(Path("..") / "llvm" / "bin" / tool)


def _write_packages(root: Path, library: Path) -> None:
    sonames = sorted(each.name for each in library.glob("libamdhip64.so.*"))
    values = {
        "@HIP_VERSION@": version_text(),
        "@GPU_TARGETS@": ";".join(driver.DEFAULT_TARGETS),
        "@SONAME@": sonames[-1] if sonames else "libamdhip64.so",
    }
    for package in ("hip", "hip-lang"):
        folder = root / "lib" / "cmake" / package
        folder.mkdir(parents=True)
        for template, name in (
            (f"{package}-config.cmake", f"{package}-config.cmake"),
            ("config-version.cmake", f"{package}-config-version.cmake"),
        ):
            text = (_CMAKE / template).read_text()
            for placeholder, value in values.items():
                text = text.replace(placeholder, value)
            (folder / name).write_text(text)


def _write_versions(root: Path) -> None:
    major, minor, patch = hip_version()
    (root / ".info").mkdir()
    (root / ".info" / "version").write_text(f"{version_text()}-softrock\n")
    (root / "share" / "hip").mkdir(parents=True)
    text = f"HIP_VERSION_MAJOR={major}\nHIP_VERSION_MINOR={minor}\nHIP_VERSION_PATCH={patch}\n"
    (root / "share" / "hip" / "version").write_text(text)
    (root / "bin" / ".hipVersion").write_text(text)


def _fill(root: Path, final: Path, library: Path) -> None:
    _write_tools(root, final)
    _write_packages(root, library)
    _write_versions(root)
    (root / "include").symlink_to(driver.INCLUDE)
    for file in library.iterdir():
        if ".so" in file.name:
            (root / "lib" / file.name).symlink_to(file)
    (root / "lib" / "llvm").symlink_to(Path("..") / "llvm")


def path(library: Path) -> Path:
    """The folder for ROCM_PATH and HIP_PATH, made at the first call.

    Args:
        library: folder of the runtime libraries.
    """
    templates = [each.read_text() for each in sorted(_CMAKE.glob("*.cmake"))]
    parts = [__version__, sys.executable, str(_HERE), str(library), version_text(), _SCRIPT, repr(_TOOLS)]
    parent = cache.folder("rocm")
    final = parent / cache.key_of(*parts, toolchain.zig_version(), *templates)[:24]
    if final.is_dir():
        return final
    work = Path(tempfile.mkdtemp(dir=parent, prefix=".new-"))
    try:
        _fill(work, final, library)
        work.rename(final)
    except OSError:
        shutil.rmtree(work, ignore_errors=True)
        if not final.is_dir():  # otherwise another process was faster
            raise
    return final
