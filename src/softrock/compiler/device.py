"""Compile GPU code from a source string, in memory: the base of HIPRTC and of the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from softrock.compiler import devlib, driver, host, kept, toolchain
from softrock.compiler.flags import Input, parse
from softrock.core import cache, settings, timings
from softrock.core.errors import UsageError

_KIND = "device"


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """Compiled GPU code.

    Attributes:
        code: an ELF code object for one target, or LLVM bitcode where that was asked for.
        log: the compiler's warnings.
        cached: whether it came from the cache (the log is then empty).
    """

    code: bytes
    log: str
    cached: bool = False


def _checked(name: str) -> str:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise UsageError(f"{name!r} cannot be the name of a source or header given as text")
    return name


def _absolute(options: Sequence[str]) -> list[str]:
    """Options with their relative folders made absolute, for the compiler runs elsewhere."""
    out: list[str] = []
    takes_path = False
    for option in options:
        if takes_path:
            out.append(str(Path(option).absolute()))
        elif option.startswith("-I") and option != "-I":
            out.append(f"-I{Path(option[2:].strip()).absolute()}")
        else:
            out.append(option)
        takes_path = option in ("-I", "-isystem", "-iquote", "-idirafter")
    return out


def _key(source: str, args: Sequence[str], headers: Mapping[str, str], name: str) -> str:
    parts = [toolchain.own_version(), toolchain.zig_version(), devlib.source_hash(), str(driver.INCLUDE)]
    parts += host.find().cxx_includes
    texts = [text for pair in sorted(headers.items()) for text in pair]
    return cache.key_of(*parts, "args", *args, "headers", *texts, "source", name, source)


def compile_device(
    source: str,
    target: str,
    options: Sequence[str] = (),
    *,
    name: str = "kernel.hip",
    headers: Mapping[str, str] | None = None,
    bitcode: bool = False,
) -> DeviceCode:
    """Compile HIP (or CUDA) device code for one GPU target.

    Args:
        source: the text of the source file.
        target: target ID, e.g. ``gfx942`` or ``gfx90a:xnack-``.
        options: compiler flags as hipcc takes them; ``-x cu`` gives CUDA's semantics (a warp of 32 lanes).
        name: the name that messages and ``__FILE__`` show; ``.cu`` gives CUDA's semantics too.
        headers: text of headers by the name they are included under.
        bitcode: make LLVM bitcode for later linking instead of a code object.

    Raises:
        CompileError: in the compiler's own words.
        UsageError: a name that is no relative path.
    """
    files = {_checked(each): text for each, text in (headers or {}).items()}
    files[_checked(name)] = source
    emit = ["-c", "-emit-llvm", "-fgpu-rdc"] if bitcode else ["-c"]
    args = [*_absolute(options), "--cuda-device-only", "--no-gpu-bundle-output", *emit]
    caching = not settings.load().no_cache
    key = _key(source, [*args, target], files, name)
    found = kept.find(_KIND, key) if caching else None
    if found is not None:
        return DeviceCode(found.read_bytes(), "", True)
    line = parse(args)
    line.archs = [target]
    with timings.counted("compile"), driver.temporary_folder() as folder:
        texts = folder / "src"
        for each, text in files.items():
            path = texts / each
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        cuda = name.endswith(".cu") or any(each in ("cu", "cuda", "-xcu", "-xcuda") for each in options)
        line.inputs = [Input(name, "hip", cuda)]
        line.compile_flags.append("-I.")
        work = driver.Compilation(line, "softrock", folder, texts)
        result = folder / "code"
        work.add(0, line.inputs[0], str(result))
        lists = work.track_dependencies()
        outcome = work.run()
        read = driver.read_dependencies(lists)
        code = result.read_bytes()
        if caching:
            outside = [each for each in read if Path(each).is_absolute() and not each.startswith(str(folder))]
            kept.keep(_KIND, key, result, outside)
    return DeviceCode(code, outcome.warnings)
