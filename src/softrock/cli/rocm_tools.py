"""The tools of the ROCm folder layout (:mod:`softrock.compiler.rocm_layout`), one small function each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from softrock.cli import report
from softrock.cli.runtime import runtime
from softrock.compiler import bundle_writer, driver, toolchain
from softrock.core.errors import UsageError


def _clang(args: Sequence[str], root: str, name: str) -> int:
    if any(each in ("-v", "--verbose") for each in args):
        from softrock.compiler import versions

        # CMake reads the ROCm folder from this line, which clang prints where it finds one.
        print(f"Found HIP installation: {root}, version {versions.version_text()}", file=sys.stderr)
    return driver.main(args, runtime, name=name, cxx_is_hip=False)


def _hipcc(args: Sequence[str], root: str) -> int:
    from softrock.cli.hipcc import main as hipcc

    return hipcc(args)


def _hipconfig(args: Sequence[str], root: str) -> int:
    from softrock.cli.hipconfig import main as hipconfig

    return hipconfig(args, root)


def _hipify(args: Sequence[str], root: str) -> int:
    from softrock.cli.hipify_perl import main as hipify

    return hipify(args)


def _bundler(args: Sequence[str], root: str) -> int:
    if any(each.lstrip("-") in ("unbundle", "list") for each in args):
        raise UsageError("clang-offload-bundler here only bundles", hint="softrock inspect FILE lists a bundle")
    bundle_writer.run(args)
    return 0


def _forward(tool: str) -> Callable[[Sequence[str], str], int]:
    """A tool that the wheel holds under the same or another name; it replaces this process."""

    def run(args: Sequence[str], root: str) -> int:
        os.execve(toolchain.zig(), [str(toolchain.zig()), tool, *args], toolchain.environment())

    return run


def _llvm_mc(args: Sequence[str], root: str) -> int:
    """Assemble: the options of llvm-mc that make an object file, in the words of clang's assembler."""
    out = ["clang", "-cc1as"]
    words = iter(args)
    for word in words:
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name in ("triple", "mcpu", "filetype", "mattr", "o") and not equals:
            value = next(words, "")
        if not word.startswith("-"):
            out.append(word)
        elif name in ("triple", "filetype", "o"):
            out += [f"-{name}", value.removeprefix("host-") if name == "triple" else value]
        elif name == "mcpu":
            out += ["-target-cpu", value]
        elif name == "mattr":
            for each in value.split(","):
                out += ["-target-feature", each]
        else:
            raise UsageError(f"llvm-mc: {word} is not supported here", hint="options: -triple -mcpu -filetype -o")
    return _run(out)


def _bitcode(emit: str) -> Callable[[Sequence[str], str], int]:
    def run(args: Sequence[str], root: str) -> int:
        words = list(args)
        output = words[words.index("-o") + 1] if "-o" in words[:-1] else None
        files = [each for each in words if not each.startswith("-") and each != output]
        if len(files) != 1:
            raise UsageError("one input file is needed")
        output = output or str(Path(files[0]).with_suffix(".bc" if emit == "-emit-llvm-bc" else ".ll"))
        return _run(["clang", "-cc1", emit, "-disable-llvm-passes", "-x", "ir", files[0], "-o", output])

    return run


def _run(args: Sequence[str]) -> int:
    done = toolchain.run(args)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


def _enumerate(args: Sequence[str], root: str) -> int:
    """``rocm_agent_enumerator``: one target a line; gfx000 stands for the CPU unless ``-t GPU`` is given."""
    if "GPU" not in args:
        print("gfx000")
    print("\n".join(driver.gpu_targets()))
    return 0


def _architectures(args: Sequence[str], root: str) -> int:
    print("\n".join(driver.gpu_targets()))
    return 0


def _rocminfo(args: Sequence[str], root: str) -> int:
    print("ROCk module is not needed: these are software GPUs")
    for index, target in enumerate(driver.gpu_targets(), 1):
        print(f"*******\nAgent {index}\n*******\n  Name:                    {target}")
        print("  Device Type:             GPU")
        print(f"  ISA 1\n    Name:                    amdgcn-amd-amdhsa--{target}")
    return 0


_TOOLS: dict[str, Callable[[Sequence[str], str], int]] = {
    "hipcc": _hipcc,
    "hipconfig": _hipconfig,
    "hipify-perl": _hipify,
    "rocm_agent_enumerator": _enumerate,
    "rocminfo": _rocminfo,
    "offload-arch": _architectures,
    "amdgpu-arch": _architectures,
    "clang-offload-bundler": _bundler,
    "llvm-mc": _llvm_mc,
    "llvm-ar": _forward("ar"),
    "ld.lld": _forward("ld.lld"),
    "llvm-as": _bitcode("-emit-llvm-bc"),
    "llvm-dis": _bitcode("-emit-llvm"),
}


def main(tool: str, root: str) -> int:
    """Act as `tool`; `root` is the folder that stands for the ROCm installation."""
    args = sys.argv[1:]
    action = _TOOLS.get(tool)
    return report.guarded(lambda: action(args, root) if action else _clang(args, root, tool))
