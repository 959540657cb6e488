"""Full translations in the background, while the quick ones run.

One worker process (:mod:`softrock.jit.worker`) serves this process; it starts with the first request. It is a process
and not a thread, because LLVM in a thread could be neither interrupted nor left alone when the program ends, because
llvmlite lets one thread in at a time, and because a defect of LLVM must not end the program.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from softrock.core import ending
from softrock.jit.worker import receive, send

IDLE_S = 20.0
"""The worker process ends after so many seconds without work."""


@dataclass(frozen=True, slots=True)
class Request:
    """A full translation that is wanted.

    Attributes:
        code, name: the code object's bytes and name. kernel, layout: what of it.
        key, quick_key: where the full and the quick translation stand in the cache.
        done: called in the background's thread with the cache's entry and the seconds that decoding, lifting, passes
            and code generation took.
    """

    code: bytes
    name: str
    kernel: str
    layout: str
    key: str
    quick_key: str
    done: Callable[[dict[str, Any], list[float]], None]


class Background:
    """The worker process and the thread that talks to it."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._ended = False
        self.failures: list[str] = []

    def submit(self, request: Request) -> None:
        """Ask for a translation. Nothing happens where it fails: the quick one stays in use."""
        with self._lock:
            if self._ended:
                return
            self._requests.put(request)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="softrock-background", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                request = self._requests.get(timeout=IDLE_S)
            except queue.Empty:
                with self._lock:
                    if not self._requests.empty():
                        continue
                    self._stop()
                    self._thread = None
                return
            try:
                self._carry_out(request)
            except Exception as error:
                self.failures.append(f"{request.kernel}: {error}")
                self._stop()

    def _carry_out(self, request: Request) -> None:
        process = self._worker()
        assert process.stdin is not None
        assert process.stdout is not None
        message = {name: getattr(request, name) for name in Request.__slots__ if name != "done"}
        send(process.stdin, message)  # type: ignore[arg-type]
        answer = receive(process.stdout)  # type: ignore[arg-type]
        if answer is None:
            raise RuntimeError(f"the background process ended with status {process.wait()}")
        if "error" in answer:
            self.failures.append(f"{request.kernel}: {answer['error']}")
            return
        with self._lock:  # so that the program's end waits for it
            if not self._ended:
                request.done(answer["entry"], answer["timings"])

    def _worker(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "softrock.jit.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the program
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            try:
                process.wait(timeout=2)  # it has nothing to do
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def end(self) -> None:
        """The program ends: no more code is loaded. Waits for what is being loaded at this moment."""
        if os.getpid() == self._pid:
            with self._lock:
                self._ended = True


def _environment() -> dict[str, str]:
    """The program's own, but with our packages and without what makes a worker misbehave."""
    from pathlib import Path

    import softrock

    out = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_WORKERS}
    root = str(Path(softrock.__file__).parent.parent)
    paths = [root, *(each for each in sys.path if each and each != root)]
    out["PYTHONPATH"] = os.pathsep.join(paths)
    return out


_NOT_FOR_WORKERS = ("SOFTROCK_TIER", "SOFTROCK_DUMP", "SOFTROCK_TIMINGS", "LD_PRELOAD")

_made = threading.Lock()
_background: Background | None = None


def submit(request: Request) -> None:
    """Have a full translation made; see :class:`Background`."""
    global _background
    with _made:
        if _background is None or _background._pid != os.getpid():
            _background = Background()
            ending.at_end(_background.end)
    _background.submit(request)


def failures() -> list[str]:
    """What went wrong in the background so far."""
    return _background.failures if _background is not None else []
