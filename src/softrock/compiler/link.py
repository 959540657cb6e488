"""Link the host half: objects, archives and libraries of a command line into a program or shared library."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from softrock.compiler import toolchain
from softrock.compiler.flags import CommandLine, Input
from softrock.compiler.host import HostTools
from softrock.core import cache
from softrock.core.errors import CompileError, ToolError


@dataclass(frozen=True, slots=True)
class Runtime:
    """The HIP runtime library to link with.

    Attributes:
        folder: where ``libamdhip64.so`` is.
        launcher: programs are built as shared objects and loaded by ``python -m softrock.abi.launch``,
            because this Python has no shared library that a program could load.
    """

    folder: Path
    launcher: bool = False


_ENTRY = "launcher_entry.o"
_LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}

RuntimeProvider = Callable[[], Runtime]


class Link:
    """The link step of one command line.

    Args:
        line: the command line.
        tools: the host's tool chain.
        objects: object file of each compiled input, by ``id`` of the input.
        temporary: folder for intermediate files.
        runtime: yields the runtime library.
    """

    def __init__(
        self,
        line: CommandLine,
        tools: HostTools,
        objects: dict[int, str],
        temporary: Path,
        runtime: RuntimeProvider,
    ) -> None:
        self.line = line
        self.tools = tools
        self.objects = objects
        self.temporary = temporary
        self.runtime = runtime()

    def _files(self) -> list[str]:
        inputs = (each for each in self.line.link if isinstance(each, Input))
        return [self.objects.get(id(each), each.path) for each in inputs]

    def _offload(self) -> list[str]:
        """GPU code that is linked only now, and what else objects of earlier compilations need."""
        if not self.line.rdc and len(self.objects) == len(self.line.inputs):
            return []
        from softrock.compiler import rdc

        return rdc.extra_arguments(self.line, self._files(), self.temporary)

    def command(self, offload: Sequence[str] = ()) -> list[str]:
        """The whole link command; `offload` goes after the objects."""
        if self.line.static_library:
            return [str(toolchain.zig()), "ar", "rcsD", self.line.output or "a.out", *self._files()]
        out = [*self.tools.linker, *(["-v"] if self.line.verbose else [])]
        if self.runtime.launcher and not self.line.shared:
            out += ["-shared", "-fPIC", str(self.temporary / _ENTRY), "-Wl,-e,sr_entry"]
        for each in self.line.link:
            out.append(self.objects.get(id(each), each.path) if isinstance(each, Input) else each)
        out += ["-o", self.line.output or "a.out"]
        out += offload
        folder = str(self.runtime.folder)
        out += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
        if (self.runtime.folder / "libhiprtc.so").exists():
            out += ["-Wl,--as-needed", "-lhiprtc", "-Wl,--no-as-needed"]  # older programs expect it in libamdhip64
        out += ["-lamdhip64", "-pthread", "-ldl", "-lm"]
        return [*out, "-Wl,--allow-shlib-undefined"] if self.tools.kind == "zig" else out

    def run(self) -> str:
        """Link; returns the linker's warnings.

        Raises:
            CompileError: the linker failed; the message is its output.
            ToolError: the linker cannot be started.
        """
        if self.line.static_library:
            Path(self.line.output or "a.out").unlink(missing_ok=True)  # made anew, not added to
            command = self.command()
        else:
            if self.tools.kind == "zig":
                ensure_libcxx(self.tools)
            if self.runtime.launcher and not self.line.shared:
                _compile_entry(self.temporary / _ENTRY)
            command = self.command(self._offload())
        try:
            done = subprocess.run(
                command,
                env=toolchain.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise ToolError(f"linker {self.tools.linker[0]} cannot be started: {error.strerror}") from None
        text = done.stdout + done.stderr
        if done.returncode:
            raise CompileError(f"{text}error: linker command failed with exit code {done.returncode}")
        return text


def _compile_entry(output: Path) -> None:
    """Compile the entry point of programs that must become Python when they are started."""
    packages = str(Path(__file__).parent.parent.parent)
    script = f"import sys; sys.path.append({packages!r}); from softrock.abi.launch import main; main()"
    values = {
        "SR_INTERPRETER": _LOADERS.get(toolchain.machine(), ""),
        "SR_PYTHON": sys.executable,
        "SR_SCRIPT": script,
    }
    defines = [f"-D{name}={json.dumps(value)}" for name, value in values.items()]
    source = str(Path(__file__).with_name("launcher_entry.c"))
    common = ["-triple", toolchain.host_triple(), "-mrelocation-model", "pic", "-pic-level", "2", "-O2"]
    args = ["clang", "-cc1", *common, "-ffreestanding", "-emit-obj", *defines, "-o", str(output), "-x", "c", source]
    done = toolchain.run(args)
    if done.returncode:
        raise ToolError(f"the entry point of programs does not compile: {done.stderr.strip()}")


def ensure_libcxx(tools: HostTools) -> None:
    """Build zig's libc++ where that has not been done: about a minute, once, with a line saying so.

    Raises:
        ToolError: it does not build.
    """
    key = cache.key_of("libcxx-1", toolchain.zig_version(), *tools.linker)
    if cache.read("host", key) is not None:
        return
    start = time.monotonic()
    say("building the C++ library for the host (once, about a minute) ...")
    folder = cache.folder("host")
    source, output = folder / f"{key}.cpp", folder / f"{key}.out"
    source.write_text("#include <string>\nint main(int n, char **v) { return std::string(*v).empty(); }\n")
    done = subprocess.run(
        [*tools.linker, str(source), "-o", str(output)],
        env=toolchain.environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise ToolError(f"the C++ library does not build:\n{done.stderr.strip()}")
    source.unlink(missing_ok=True)
    output.unlink(missing_ok=True)
    cache.write("host", key, b"built")
    say(f"C++ library built in {time.monotonic() - start:.0f} s")


def say(text: str) -> None:
    """One line about something slow that begins or ended."""
    print(f"softrock: {text}", file=sys.stderr, flush=True)
