"""Carry out a plan: jobs run side by side as their inputs become ready; messages come in the plan's order.

The host half needs the finished GPU bundle only at its very end (to embed it), so it is started at once and
reads the bundle from a named pipe: both halves of a program compile at the same time.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softrock.compiler import bundle_writer, toolchain
from softrock.compiler.plan import BUNDLE, CC1, Job
from softrock.core.errors import CompileError, SoftrockError
from softrock.core.settings import cpus


@dataclass(slots=True)
class _State:
    job: Job
    done: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[bytes] | None = None
    status: int | None = None
    out: bytes = b""
    err: bytes = b""


class Runner:
    """Runs the jobs of one or several plans.

    Args:
        jobs: the plan; `depends` holds indices into it.
        temporary: folder of intermediate files; only there does a named pipe replace a file.
        limit: how many commands run at once (default: the CPUs this process may use).
        cwd: working folder of the commands.
    """

    def __init__(self, jobs: Sequence[Job], temporary: Path, limit: int | None = None, cwd: Path | None = None) -> None:
        self.cwd = cwd
        self.states = [_State(job) for job in jobs]
        self.temporary = temporary
        self.slots = threading.Semaphore(limit or cpus())
        self.failed = threading.Event()
        self.lock = threading.Lock()
        self.pipes: dict[str, _State] = {}

    def run(self) -> tuple[bytes, str]:
        """Carry out everything.

        Returns:
            What the jobs printed to standard output, and their warnings.

        Raises:
            CompileError: a job failed; the message is the compiler's own output, warnings before it included.
        """
        self._use_pipes()
        threads = [threading.Thread(target=self._work, args=(state,), daemon=True) for state in self.states]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:
            self._stop()
            raise
        return self._report()

    def _report(self) -> tuple[bytes, str]:
        text = ""
        for state in self.states:
            text += state.err.decode(errors="replace")
            if state.status not in (0, None):
                raise CompileError(text.rstrip("\n"))
        return b"".join(state.out for state in self.states), text

    def _use_pipes(self) -> None:
        """Let each host job that embeds a temporary bundle start before the bundle is there."""
        for state in self.states:
            path = state.job.option("-fcuda-include-gpubinary") or state.job.option("-fembed-offload-object=")
            if state.job.kind != CC1 or path is None or Path(path).parent != self.temporary:
                continue
            makers = [each for each in state.job.depends if self.states[each].job.output == path]
            if len(makers) == 1 and self.states[makers[0]].job.kind == BUNDLE and path not in self.pipes:
                os.mkfifo(path, 0o600)
                self.pipes[path] = state
                state.job.depends.remove(makers[0])

    def _work(self, state: _State) -> None:
        try:
            for index in state.job.depends:
                self.states[index].done.wait()
            if not self.failed.is_set():
                state.status = self._bundle(state) if state.job.kind == BUNDLE else self._command(state)
        except SoftrockError as error:
            state.status, state.err = 1, f"error: {error.message}\n".encode()
        except OSError as error:
            state.status, state.err = 1, f"error: {error.filename}: {error.strerror}\n".encode()
        finally:
            if state.status not in (0, None):
                self._stop()
            state.done.set()

    def _command(self, state: _State) -> int:
        waits_for_pipe = any(each is state for each in self.pipes.values())
        if not waits_for_pipe:
            self.slots.acquire()
        try:
            with self.lock:
                if self.failed.is_set():
                    return 0
                state.process = subprocess.Popen(
                    [str(toolchain.zig()), *state.job.argv()],
                    env=toolchain.environment(),
                    cwd=self.cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            state.out, state.err = state.process.communicate()
            return self._status(state, state.process.returncode)
        finally:
            if not waits_for_pipe:
                self.slots.release()

    def _status(self, state: _State, code: int) -> int:
        if code < 0 and self.failed.is_set():  # ended by us because another job failed: it has nothing to say
            state.out = state.err = b""
            return 0
        if code < 0 or code > 1:
            state.err += f"error: the compiler crashed (status {code})\n".encode()
        return code

    def _bundle(self, state: _State) -> int:
        output = state.job.output
        reader = self.pipes.get(output or "")
        if output is None or reader is None:
            bundle_writer.run(state.job.args)
            return 0
        real = output + ".bundle"
        bundle_writer.run([f"-output={real}" if each.startswith("-output=") else each for each in state.job.args])
        self._feed(output, Path(real).read_bytes(), reader)
        return 0

    def _feed(self, path: str, data: bytes, reader: _State) -> None:
        """Write `data` into the named pipe once the host half opens it; give up if that half has ended."""
        while not reader.done.is_set() and not self.failed.is_set():
            try:
                handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.002)
                continue
            os.set_blocking(handle, True)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
            except BrokenPipeError:
                pass
            return

    def _stop(self) -> None:
        """End whatever still runs."""
        with self.lock:
            self.failed.set()
            for state in self.states:
                if state.process is not None and state.process.poll() is None:
                    state.process.kill()
