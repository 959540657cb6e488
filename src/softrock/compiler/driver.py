"""hipcc: compile HIP, CUDA, C++ and C sources for the host and for GPUs, and link.

The order of work: parse (:mod:`~softrock.compiler.flags`), plan with clang's own driver
(:mod:`~softrock.compiler.plan`), add our headers and device library to the plan, carry it out
(:mod:`~softrock.compiler.jobs`), link with the host's tool chain (:mod:`~softrock.compiler.link`).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from softrock.compiler import flags, host, link, plan, toolchain, versions
from softrock.compiler.flags import CommandLine, Input
from softrock.compiler.jobs import Runner
from softrock.compiler.plan import AS, CC1, Job
from softrock.core import settings, timings
from softrock.core.errors import CompileError, SoftrockError, UsageError

INCLUDE = Path(__file__).parent / "include"
"""Our HIP and CUDA-named headers."""

DEFAULT_TARGETS = ("gfx942", "gfx1100")
"""Targets of hipcc where neither --offload-arch nor SOFTROCK_GPUS says otherwise."""

Library = Callable[[str, bool | None], Sequence[Path]]
"""Yields the device library's bitcode for a target and, where the code chooses it, a wave size (64: True)."""

_PRELUDE = "hip/detail/prelude.h"
"""Included before every HIP source, as clang does with its own wrapper header: the language's keywords."""

_MODE_FLAG = {"object": "-c", "assembly": "-S", "preprocess": "-E", "link": "-c"}
_HIP_LANGUAGES = ("hip", "hip-cpp-output")
_ONLY_HIP = (
    *("-fgpu-", "-fno-gpu-", "--cuda-", "--offload-", "-fhip-", "-nogpu", "-munsafe-fp-atomics"),
    *("-mcode-object-version", "-mwavefrontsize64", "-mno-wavefrontsize64", "-mcumode", "-mno-cumode"),
)


@dataclass(slots=True)
class Outcome:
    """What a compilation said and used.

    Attributes:
        warnings: the compiler's messages.
        output: bytes for standard output (``-E``, ``-M``).
        dependencies: every file read, where it was asked for.
    """

    warnings: str = ""
    output: bytes = b""
    dependencies: tuple[str, ...] = ()


def default_targets() -> list[str]:
    """GPU targets where the command line names none: those of SOFTROCK_GPUS, else :data:`DEFAULT_TARGETS`."""
    if not os.environ.get("SOFTROCK_GPUS", "").strip():
        return list(DEFAULT_TARGETS)
    return gpu_targets()


def gpu_targets() -> list[str]:
    """The targets of this process's GPUs, each once, e.g. ``["gfx942", "gfx1100"]``."""
    names = [each.partition(":")[0].strip() for each in settings.load().gpus.split(",")]
    return list(dict.fromkeys(each for each in names if each))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="softrock-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def targets_of(line: CommandLine) -> list[str]:
    """The GPU targets that `line` compiles for, in order, ``native`` resolved."""
    asked: list[str] = []
    for arch in line.archs:
        asked += gpu_targets() if arch == "native" else [arch]
    return list(dict.fromkeys(asked)) or default_targets()


def _language_flags(line: CommandLine, source: Input) -> list[str]:
    """Flags of clang's driver that depend on the source's language."""
    if source.language not in _HIP_LANGUAGES:
        return ["-x", source.language]
    out = ["-nogpulib", "-nogpuinc", "-mprintf-kind=buffered"]
    if not any(each.startswith("-mcode-object-version=") for each in line.compile_flags):
        out.append("-mcode-object-version=5")
    if not line.optimised:
        out.append("-O3")
    if {"-M", "-MM"} & set(line.compile_flags) and not line.device_only:
        out.append("--cuda-host-only")  # one list, not one for each half
    out += [f"--offload-arch={each}" for each in targets_of(line)]
    if source.language == "hip":
        out += ["-D__SOFTROCK_CUDA__=1"] if source.cuda else []
        for header in (_PRELUDE, *(("cuda_runtime.h",) if source.cuda else ())):
            out += _implicit(header)
    return [*out, "-x", source.language]


def _implicit(header: str) -> list[str]:
    return ["-include", header] if (INCLUDE / header).is_file() else []


def _driver_args(line: CommandLine, source: Input, output: str | None) -> list[str]:
    """Arguments of clang's driver for one source."""
    args = [f"--target={toolchain.host_triple()}", f"-resource-dir={toolchain.resource_dir()}"]
    if source.language not in ("assembler", "ir"):
        args.append("-nostdinc")
    if source.language in (*_HIP_LANGUAGES, "c++"):
        args.append("-nostdinc++")
    if sys.stderr.isatty() and "-fno-color-diagnostics" not in line.compile_flags:
        args.append("-fcolor-diagnostics")
    mode = _MODE_FLAG.get(line.mode)
    args += [mode] if mode else []
    args += _for_language(line.compile_flags, source) + _language_flags(line, source)
    if output is not None:
        args += ["-o", output]
    return [*args, source.path]


def _for_language(words: Sequence[str], source: Input) -> list[str]:
    """The user's flags, without those that mean nothing to a source that is not HIP."""
    if source.language in _HIP_LANGUAGES:
        return list(words)
    kept = [each for each in words if not each.startswith(_ONLY_HIP)]
    if source.language == "c":
        kept = [each for each in kept if not each.startswith(("-std=c++", "-std=gnu++", "-stdlib="))]
    return kept


def _adjust(job: Job, tools: host.HostTools, library: Library) -> None:
    """Give a planned job our headers and, for GPU code, the device math library."""
    if job.kind == AS:
        return
    language = job.option("-x") or ""
    args = job.args
    kept: list[str] = []
    words = iter(args)
    for word in words:
        if word in ("-internal-isystem", "-internal-externc-isystem"):
            next(words, None)
        elif job.device and word == "-ffp-contract=fast":
            # The same for the program's own arithmetic; plain "fast" lets the back end also fuse inside the device
            # library, whose error-free transformations that would break.
            kept.append("-ffp-contract=fast-honor-pragmas")
        else:
            kept.append(word)
    extra: list[str] = []
    if language not in ("ir", "assembler"):
        cxx = language not in ("c", "cpp-output", "assembler-with-cpp")
        if language in _HIP_LANGUAGES:
            # Standard headers that device code uses too (<complex>): ours, which go on to the library's own.
            extra += ["-internal-isystem", str(INCLUDE / "wrappers")]
        extra += ["-internal-isystem", str(INCLUDE), *tools.cc1_flags(cxx)]
    if job.device and language in _HIP_LANGUAGES and not {"-E", "-fsyntax-only", "-Eonly"} & set(args):
        for path in library(job.target, _wave64(args)):
            extra += ["-mlink-builtin-bitcode", str(path)]
    at = kept.index("-resource-dir") if "-resource-dir" in kept else 1
    job.args = kept[:at] + extra + kept[at:]


def _wave64(args: Sequence[str]) -> bool | None:
    """The wave size that a job's target features choose; None is the target's own."""
    if "+wavefrontsize64" in args:
        return True
    return False if "+wavefrontsize32" in args else None


def device_library(target: str, wave64: bool | None = None) -> Sequence[Path]:
    """Bitcode of the device math library for a target, built at first use with a line saying so."""
    from softrock.compiler import devlib

    return devlib.bitcode(target, wave64, link.say)


class Compilation:
    """One run of the driver.

    Args:
        line: the parsed command line.
        name: program name in messages.
        temporary: folder for intermediate files.
        cwd: working folder (default: this process's).
        library: device library by target (the library itself is built with one that yields nothing).
    """

    def __init__(
        self,
        line: CommandLine,
        name: str,
        temporary: Path,
        cwd: Path | None = None,
        library: Library = device_library,
    ) -> None:
        self.cwd = cwd
        self.line = line
        self.name = name
        self.temporary = temporary
        self.library = library
        self.tools = host.find()
        self.jobs: list[Job] = []
        self.remarks = ""
        self.objects: dict[int, str] = {}

    def add(self, index: int, source: Input, output: str | None) -> None:
        """Plan the compilation of one source into `output`."""
        folder = self.temporary / str(index)
        folder.mkdir()
        jobs, remarks = plan.make(
            _driver_args(self.line, source, output), name=self.name, temporary=folder, cwd=self.cwd
        )
        base = len(self.jobs)
        for job in jobs:
            job.depends = [each + base for each in job.depends]
            if job.kind == CC1 or job.kind == AS:
                _adjust(job, self.tools, self.library)
        self.jobs += jobs
        self.remarks += remarks

    def add_all(self) -> None:
        """Plan every source of the command line."""
        line = self.line
        sources = line.sources
        if line.mode != "link" and line.output is not None and len(sources) > 1:
            raise CompileError(f"{self.name}: error: cannot specify -o when generating multiple output files")
        for index, source in enumerate(sources):
            output = line.output
            if line.mode == "link":
                output = str(self.temporary / f"{index}-{Path(source.path).stem}.o")
                self.objects[id(source)] = output
            self.add(index, source, output)

    def track_dependencies(self) -> list[Path]:
        """Have every compiler job list the files it reads; returns the lists' paths."""
        lists: list[Path] = []
        for index, job in enumerate(self.jobs):
            if job.kind != CC1 or job.option("-x") == "ir":
                continue
            known = job.option("-dependency-file")
            path = Path(known) if known else self.temporary / f"{index}.d"
            if not known:
                job.args[1:1] = ["-dependency-file", str(path), "-MT", "x", "-sys-header-deps"]
            lists.append(path)
        return lists

    def run(self) -> Outcome:
        """Carry out the plan."""
        output, warnings = Runner(self.jobs, self.temporary, self.line.jobs, self.cwd).run()
        return Outcome(self.remarks + warnings, output)


def compile_line(line: CommandLine, name: str, runtime: link.RuntimeProvider, track: bool = False) -> Outcome:
    """Do what a parsed command line asks for.

    Args:
        line: the command line.
        name: program name in messages (``hipcc``).
        runtime: yields the runtime library to link with; called only where something is linked.
        track: also report which files were read.

    Raises:
        CompileError: with the compiler's or the linker's own words.
    """
    with timings.counted("compile"), temporary_folder() as folder:
        _save_standard_input(line, folder)
        if line.mode in ("link", "object") and runtime().launcher:
            line.compile_flags.append("-fPIC")  # programs become shared objects
        work = Compilation(line, name, folder)
        work.add_all()
        lists = work.track_dependencies() if track else []
        linking = link.Link(line, work.tools, work.objects, folder, runtime) if line.mode == "link" else None
        if line.verbose or line.dry_run:
            _show(work, linking)
        if line.dry_run:
            return Outcome(work.remarks)
        outcome = work.run()
        if linking is not None:
            outcome.warnings += linking.run()
        if track:
            outcome.dependencies = tuple(read_dependencies(lists))
        return outcome


def _save_standard_input(line: CommandLine, folder: Path) -> None:
    """Put what ``-`` stands for into a file: every half of the program reads it."""
    if not any(each.path == "-" for each in line.inputs):
        return
    path = folder / "stdin"
    path.write_bytes(sys.stdin.buffer.read())
    line.inputs = [replace(each, path=str(path)) if each.path == "-" else each for each in line.inputs]
    line.link = [*(each for each in line.link if isinstance(each, str)), *line.inputs]


def _show(work: Compilation, linking: link.Link | None) -> None:
    """Print the commands as clang's ``-v`` and ``-###`` do."""
    print(version_text(), file=sys.stderr)
    for job in work.jobs:
        words = job.args if job.kind == plan.BUNDLE else job.argv()
        tool = "clang-offload-bundler" if job.kind == plan.BUNDLE else str(toolchain.zig())
        print(" " + " ".join(_quote(each) for each in (tool, *words)), file=sys.stderr)
    if linking is not None:
        print(" " + " ".join(_quote(each) for each in linking.command()), file=sys.stderr)


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def version_text() -> str:
    """clang's own version text, its folder replaced by ours."""
    text = toolchain.run(["clang", f"--target={toolchain.host_triple()}", "--version"]).stdout
    return "\n".join(each for each in text.splitlines() if not each.startswith("Build config"))


def read_dependencies(lists: Sequence[Path]) -> list[str]:
    """Files named by make-style dependency lists, each once."""
    found: dict[str, None] = {}
    for path in lists:
        try:
            text = path.read_text(errors="replace")
        except OSError:
            continue
        _, _, rest = text.replace("\\\n", " ").partition(": ")
        for word in rest.replace("\\ ", "\0").replace("$$", "$").split():
            found[word.replace("\0", " ").replace("\\#", "#")] = None
    return list(found)


def main(args: Sequence[str], runtime: link.RuntimeProvider, *, name: str = "hipcc", cxx_is_hip: bool = True) -> int:
    """Run as hipcc (or as clang++): print messages as clang does and return the exit status."""
    try:
        if flags.is_gpu_only(args):
            _emit(_compile_gpu_only(args, name))
            return 0
        line = flags.parse(args, cxx_is_hip=cxx_is_hip)
        if line.mode == "link" and line.device_only:
            line.mode = "genco"  # without a host half there is nothing to link
        for note in line.notes:
            print(f"{name}: note: {note}", file=sys.stderr)
        if line.mode == "query":
            if cxx_is_hip and "--version" in args:
                print(f"HIP version: {versions.version_text()}-softrock", flush=True)
            return _query(args, name)
        if not line.inputs and line.verbose:
            print(version_text(), file=sys.stderr)
            return 0
        if not line.inputs:
            raise UsageError("no input files", status=1)
        outcome = compile_line(line, name, runtime)
    except CompileError as error:
        print(error.message, file=sys.stderr)
        return error.status
    except SoftrockError as error:
        print(f"{name}: error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  mend: {error.hint}", file=sys.stderr)
        return error.status
    _emit(outcome)
    return 0


def _emit(outcome: Outcome) -> None:
    sys.stderr.write(outcome.warnings)
    sys.stderr.flush()
    sys.stdout.buffer.write(outcome.output)
    sys.stdout.flush()


def _compile_gpu_only(args: Sequence[str], name: str) -> Outcome:
    """Sources for the GPU alone: clang's plan is right as it is, down to the linker."""
    with temporary_folder() as folder:
        base = [f"-resource-dir={toolchain.resource_dir()}", "-nogpulib"]
        jobs, remarks = plan.make([*base, *args], name=name, temporary=folder)
        output, warnings = Runner(jobs, folder).run()
        return Outcome(remarks + warnings, output)


def _query(args: Sequence[str], name: str) -> int:
    base = [f"--target={toolchain.host_triple()}", f"-resource-dir={toolchain.resource_dir()}"]
    done = toolchain.run(["clang", *base, *args], name=name)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode
