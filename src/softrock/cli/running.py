"""``softrock run``, ``exec`` and ``env``: programs with a GPU of our choosing."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from softrock.cli.runtime import runtime
from softrock.core import settings, timings
from softrock.core.errors import SoftrockError, UsageError

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit statuses of shells for a command that is not there or cannot be run."""

GRACE_S = 0.6
"""Seconds that a program has to end after Ctrl-C before it is ended."""


Command = tuple[str, list[str], dict[str, str]]
"""A file to execute, its arguments from argv[0] on, and its environment."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says about device and time; see :func:`environment`."""

    gpu: str | None = None
    timeout: float | None = None
    dump: str | None = None
    timings: str | None = None
    """``1`` for a table, or a file for a JSON document."""

    def variables(self) -> dict[str, str]:
        """The settings of these options as environment variables.

        Raises:
            UsageError: a value that makes no sense.
        """
        out: dict[str, str] = {}
        if self.gpu is not None:
            _check_gpus(self.gpu)
            out["SOFTROCK_GPUS"] = self.gpu
        if self.timeout is not None:
            if not self.timeout > 0:
                raise UsageError(f"--timeout {self.timeout:g} is not a positive number of seconds")
            out["SOFTROCK_TIMEOUT"] = f"{self.timeout:g}"
        if self.dump is not None:
            folder = Path(self.dump).absolute()
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"--dump {self.dump}: no such folder can be made: {error.strerror}") from None
            out["SOFTROCK_DUMP"] = str(folder)
        if self.timings is not None:
            out["SOFTROCK_TIMINGS"] = self.timings if self.timings == "1" else str(Path(self.timings).absolute())
        return out


def _check_gpus(text: str) -> None:
    """Refuse names that are no GPU before anything is compiled for them."""
    from softrock.gpu import models

    for each in text.split(","):
        name = each.partition(":")[0].strip()
        if not name:
            raise UsageError(f"--gpu {text!r} names no GPU", hint="for instance --gpu gfx942,gfx1100")
        models.parse_gpus(each)


def _prepended(variable: str, folder: Path) -> str:
    rest = os.environ.get(variable, "")
    return f"{folder}{os.pathsep}{rest}" if rest else str(folder)


def environment(options: Options) -> dict[str, str]:
    """The variables that make a process find the software GPU instead of ROCm."""
    from softrock.compiler import rocm_layout

    library = runtime()
    root = rocm_layout.path(library.folder)
    out = {
        "LD_LIBRARY_PATH": _prepended("LD_LIBRARY_PATH", library.folder),
        "PATH": _prepended("PATH", root / "bin"),
        "ROCM_PATH": str(root),
        "HIP_PATH": str(root),
        "HIP_PLATFORM": "amd",
        "CMAKE_PREFIX_PATH": _prepended("CMAKE_PREFIX_PATH", root),
        "SOFTROCK_GPUS": settings.load().gpus,
    }
    out.update(options.variables())
    return out


def print_environment(options: Options, as_json: bool) -> int:
    """``softrock env``."""
    variables = environment(options)
    if as_json:
        print(json.dumps(variables, indent=2))
    else:
        for name, value in variables.items():
            print(f"export {name}={shlex.quote(value)}")
    return 0


def execute(command: Sequence[str], options: Options) -> int:
    """``softrock exec``: become `command`; returns only where it cannot be started.

    Raises:
        UsageError: no command.
        SoftrockError: the command cannot be started.
    """
    if not command:
        raise UsageError("no command given", hint="softrock exec -- COMMAND ARGUMENTS")
    variables = {**os.environ, **environment(options)}
    found = shutil.which(command[0], path=variables.get("PATH"))
    if found is None:
        raise SoftrockError(f"{command[0]}: no such command", hint="check its name and path", status=NOT_FOUND)
    return _become(found, command, variables)


def _become(program: str, argv: Sequence[str], variables: dict[str, str]) -> int:
    """Replace this process, so that signals and exit status are the program's own."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(program, list(argv), variables)
    except OSError as error:
        raise SoftrockError(f"{program} cannot be started: {error.strerror}", status=NOT_EXECUTABLE) from None


def run(args: Sequence[str], tail: Sequence[str], options: Options) -> int:
    """``softrock run``: compile, then run once on each GPU asked for.

    Args:
        args: source files and compiler flags.
        tail: arguments of the program.
        options: device and time.

    Returns:
        The exit status of the program (of the first run that failed, with several GPUs).
    """
    extra = options.variables()
    # --gpu lists GPUs to run on one after another; SOFTROCK_GPUS is what one program sees.
    gpus = [each.strip() for each in options.gpu.split(",")] if options.gpu else [settings.load().gpus]
    os.environ.update(extra)
    from softrock.compiler import driver, program

    targets = driver.gpu_targets()
    keep = not settings.load().no_cache
    scratch = Path(tempfile.mkdtemp(prefix="softrock-run-"))
    try:
        start = time.perf_counter()
        built = program.build(args, targets, runtime, scratch)
        sys.stderr.write(built.warnings)
        if settings.load().timings is not None:
            extra[timings.SOURCE] = f"{time.perf_counter() - start:.6f}"
        commands = [command(built.path, tail, extra, gpu) for gpu in gpus]
        if len(commands) == 1 and keep:
            shutil.rmtree(scratch, ignore_errors=True)
            return _become(*commands[0])
        return _one_after_another(gpus, commands)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def command(program: Path, tail: Sequence[str], extra: dict[str, str], gpu: str) -> Command:
    """What to execute, its arguments, and its environment."""
    variables = {**os.environ, **extra, "SOFTROCK_GPUS": gpu}
    variables["LD_LIBRARY_PATH"] = _prepended("LD_LIBRARY_PATH", runtime().folder)
    return str(program), [str(program), *tail], variables


def _one_after_another(gpus: Sequence[str], commands: Sequence[Command]) -> int:
    status = 0
    for gpu, command in zip(gpus, commands, strict=True):
        if len(gpus) > 1:
            print(f"== {gpu} ==", flush=True)
        code = _child(*command)
        status = status or code
        if code == 128 + signal.SIGINT:
            break
    return status


def _child(program: str, argv: Sequence[str], variables: dict[str, str]) -> int:
    """Run a program and wait; signals sent to us go on to it. Returns its status as a shell would."""
    with subprocess.Popen(list(argv), executable=program, env=variables) as process:
        forwarded = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        interrupted = threading.Event()

        def forward(number: int, _frame: object) -> None:
            process.send_signal(number)
            interrupted.set()

        old = {number: signal.signal(number, forward) for number in forwarded}
        try:
            code = _wait(process, interrupted)
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
    return 128 - code if code < 0 else code


def _wait(process: subprocess.Popen[bytes], interrupted: threading.Event) -> int:
    """The program's exit code. After a signal it has :data:`GRACE_S` to end; then it is ended."""
    while not interrupted.is_set():
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=0.2)
    try:
        return process.wait(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return 128 + signal.SIGINT
