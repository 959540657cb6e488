"""What happens when a kernel faults: one message, an error that stays, a process that does not end well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.hip import state
from softrock.hip.errors import HipError, code_of

if TYPE_CHECKING:
    from softrock.gpu.device import Fault
    from softrock.hip.streams import Stream

_ERRORS = {
    "memory": "hipErrorIllegalAddress",
    "trap": "hipErrorLaunchFailure",
    "assert": "hipErrorAssert",
    "unsupported": "hipErrorNotSupported",
    "timeout": "hipErrorLaunchTimeOut",
    "resources": "hipErrorOutOfMemory",
}


def check(stream: Stream) -> None:
    """Report a fault of a stream's queue, if there is one.

    Raises:
        HipError: the error of the fault.
    """
    fault = stream.queue.fault()
    if fault is not None:
        report(fault)


def report(fault: Fault) -> None:
    """Print a fault once and raise its error, which from now on every call returns."""
    runtime = state.runtime()
    code = code_of(_ERRORS.get(fault.kind, "hipErrorLaunchFailure"))
    with runtime.lock:
        first = not runtime.sticky
        if first:
            runtime.sticky = code
            runtime.fail()
    if first:
        say(fault.message)
    raise HipError(runtime.sticky, fault.message.splitlines()[0] if fault.message else "")


def say(message: str) -> None:
    """Print to stderr, after what the program printed so far."""
    from softrock.hip import printf

    printf.write(f"{message}\n".encode(), True)


def timed_out(stream: Stream) -> None:
    """End what runs in a stream, because SOFTROCK_TIMEOUT has passed, and report where each wave was."""
    from softrock.gpu.device import Fault

    abort = getattr(stream.queue, "abort", None)
    fault = abort() if abort is not None else None
    report(fault or Fault("timeout", "a kernel ran longer than SOFTROCK_TIMEOUT allows"))
