"""Compile a program for ``softrock run`` and keep it: the second run finds it ready in milliseconds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from softrock.compiler import devlib, driver, host, kept, toolchain
from softrock.compiler.flags import CommandLine, parse
from softrock.compiler.link import Runtime, RuntimeProvider
from softrock.core import cache, settings
from softrock.core.errors import SoftrockError, UsageError

_KIND = "programs"
_READ_BY_CLANG = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "SOURCE_DATE_EPOCH")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is ready to run.

    Attributes:
        path: the executable (a shared object where the runtime needs a launcher).
        cached: whether it was found ready.
        warnings: what the compiler said (nothing where it was found ready).
    """

    path: Path
    cached: bool
    warnings: str = ""


def _key(args: Sequence[str], targets: Sequence[str], runtime: Runtime) -> str:
    tools = host.find()
    parts = [
        toolchain.own_version(),
        toolchain.zig_version(),
        devlib.source_hash(),
        str(toolchain.zig()),
        *tools.linker,
        str(Path.cwd()),
    ]
    parts += [
        str(runtime.folder),
        str(runtime.launcher),
        *(os.environ.get(name, "") for name in _READ_BY_CLANG),
    ]
    return cache.key_of(*parts, "targets", *targets, "args", *args)


def _absolute(line: CommandLine, files: Sequence[str]) -> list[str]:
    """Everything that went into the program: files the compiler read, objects and archives linked."""
    linked = [each.path for each in line.inputs if each.language == "object"]
    return [str(Path(each).absolute()) for each in (*files, *linked)]


def build(args: Sequence[str], targets: Sequence[str], runtime: RuntimeProvider, scratch: Path) -> Program:
    """The program that ``hipcc ARGS`` makes, from the cache where nothing has changed.

    Args:
        args: compiler flags and sources, without ``-o``.
        targets: GPU targets where `args` names none.
        runtime: yields the runtime library.
        scratch: folder to build in where the cache is switched off; the caller removes it.

    Raises:
        UsageError: no source, or flags that make no program (``-c``, ``-E``, ...).
        CompileError: in the compiler's own words.
    """
    line = parse(args)
    if not line.sources:
        named = f"; {args[0]} is not one by its name" if args and Path(args[0]).is_file() else ""
        raise UsageError(f"no source file given{named}", hint="softrock run PROGRAM.cu (or .hip, .cpp; others: -x cu)")
    if line.mode != "link" or line.device_only or line.shared or line.output:
        raise UsageError(
            "run makes a program and runs it: -c, -E, -S, -shared, --genco and -o have no place here",
            hint="use softrock build for other outputs",
        )
    line.archs = driver.targets_of(line) if line.archs else list(targets)
    library = runtime()
    key = _key(args, line.archs, library)
    if not settings.load().no_cache:
        known = kept.find(_KIND, key)
        if known is not None:
            return Program(known, True)
    for source in line.sources:
        if Path(source.path).is_dir():
            raise SoftrockError(f"{source.path} is a folder", hint="give a source file in it")
        if not Path(source.path).is_file():
            raise SoftrockError(f"no such file: {source.path}", hint="check the name of the source file")
    name = Path(line.sources[0].path).stem or "program"
    built = scratch / name
    outcome = driver.compile_line(replace(line, output=str(built)), "softrock", lambda: library, track=True)
    if settings.load().no_cache:
        return Program(built, False, outcome.warnings)
    return Program(kept.keep(_KIND, key, built, _absolute(line, outcome.dependencies)), False, outcome.warnings)
