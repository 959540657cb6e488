"""The ``hipconfig`` command: where things are, as build scripts ask for it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from softrock.cli import report
from softrock.cli.runtime import runtime
from softrock.compiler import driver, rocm_layout, versions

_HELP = """usage: hipconfig [options]

  --path, -p           HIP folder
  --rocmpath, -R       ROCm folder
  --cpp_config, -C     C++ preprocessor options
  --compiler, -c       compiler (clang)
  --platform, -P       platform (amd)
  --runtime, -r        runtime (rocclr)
  --hipclangpath, -l   folder of clang++
  --version, -v        HIP version
  --newline, -n        end the output with a new line
  --full, -f           all of it (default)
"""
_SHORT = {"p": "path", "R": "rocmpath", "C": "cpp_config", "c": "compiler", "P": "platform", "r": "runtime",
          "l": "hipclangpath", "v": "version", "n": "newline", "f": "full", "h": "help"}  # fmt: skip


def _cpp_config(root: str) -> str:
    return f" -D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I{root}/include"


_ANSWERS: dict[str, Callable[[str], str]] = {
    "path": lambda root: root,
    "rocmpath": lambda root: root,
    "hippath": lambda root: root,
    "cpp_config": _cpp_config,
    "cppconfig": _cpp_config,
    "cxxflags": _cpp_config,
    "compiler": lambda root: "clang",
    "platform": lambda root: "amd",
    "runtime": lambda root: "rocclr",
    "hipclangpath": lambda root: f"{root}/llvm/bin",
    "version": lambda root: f"{versions.version_text()}-softrock",
}


def _full(root: str) -> str:
    clang = driver.version_text().replace("\n", "\n  ")
    return f"""HIP version  : {_ANSWERS["version"](root)}

== hipconfig
HIP_PATH     : {root}
ROCM_PATH    : {root}
HIP_COMPILER : clang
HIP_PLATFORM : amd
HIP_RUNTIME  : rocclr
CPP_CONFIG   : {_cpp_config(root)}

== hip-clang
HIP_CLANG_PATH : {root}/llvm/bin
  {clang}

== Host
{platform.platform()}
"""


def _names(args: Sequence[str]) -> list[str]:
    out = []
    for arg in args:
        name = arg.lstrip("-")
        out.append(_SHORT.get(name, name) if not arg.startswith("--") else name)
    return out


def _answer(args: Sequence[str], root: str) -> int:
    names = _names(args)
    if "help" in names:
        print(_HELP, end="")
        return 0
    unknown = [name for name in names if name not in _ANSWERS and name not in ("newline", "full", "check")]
    if unknown:
        print(f"hipconfig: error: unknown option --{unknown[0]}\n{_HELP}", end="", file=sys.stderr)
        return 2
    asked = [name for name in names if name in _ANSWERS]
    text = "".join(_ANSWERS[name](root) for name in asked) if asked else _full(root)
    print(text, end="\n" if "newline" in names and not text.endswith("\n") else "")
    return 0


def main(args: Sequence[str] | None = None, root: str | None = None) -> int:
    """Answer like hipconfig; `root` is the ROCm folder (default: made where it is missing)."""
    words = sys.argv[1:] if args is None else args

    def action() -> int:
        folder: Path | str = root if root is not None else rocm_layout.path(runtime().folder)
        return _answer(words, str(folder))

    return report.guarded(action)


if __name__ == "__main__":
    sys.exit(main())
