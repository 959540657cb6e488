"""Workers: a process for each case, GPU and number of threads, so that a crash or a hang costs one row."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import worker
from bench.registry import Case
from bench.results import Failure, Row, row_of

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure: samples, small sizes, CPU time in place of wall clock, seconds a case may take."""

    repeat: int = 7
    quick: bool = False
    cpu_time: bool = False
    limit: float = 900.0
    verbose: bool = False


def _environment(case: Case, gpu: str, threads: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in worker.DROPPED}
    path = os.pathsep.join([str(ROOT), *filter(None, [kept.get("PYTHONPATH")])])
    return {**kept, **worker.environment(case, gpu, threads), "PYTHONPATH": path}


def _receive(pipe: int, limit: float) -> bytes | None:
    """All that a worker says until it closes its end; None where it takes longer than `limit` seconds."""
    deadline = time.monotonic() + limit
    out = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            return out
        out += part


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run(case: Case, gpu: str, threads: int, options: Options) -> Row | Failure:
    """Measure in a process of its own.

    Returns:
        The row; a :class:`Failure` where a result is wrong, the process dies or the time is up.
    """
    receiver, sender = os.pipe()
    command = [sys.executable, "-m", "bench.worker", "--case", case.name, "--gpu", gpu, "--threads", str(threads)]
    command += ["--repeat", str(options.repeat), "--fd", str(sender)]
    command += ["--quick"] if options.quick else []
    command += ["--cpu-time"] if options.cpu_time else []
    output = None if options.verbose else tempfile.TemporaryFile("w+")  # noqa: SIM115
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=_environment(case, gpu, threads),
        pass_fds=[sender],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    os.close(sender)
    try:
        message = _receive(receiver, options.limit)
        if message is None:
            return Failure(case.name, gpu, threads, f"no result within {options.limit:.0f} s")
        if message:
            body = json.loads(message)
            if "row" in body:
                return row_of(body["row"])
            return Failure(case.name, gpu, threads, body["error"])
        process.wait()
        last: list[str] = []
        if output is not None:
            output.seek(0)
            last = [line.strip() for line in output if line.strip()][-3:]
        return Failure(case.name, gpu, threads, f"the process ended with {process.returncode}: {' | '.join(last)}")
    finally:
        os.close(receiver)
        _end(process)
        if output is not None:
            output.close()
