"""How commands end: one clear error and an exit status, never a traceback (but see SOFTROCK_DEBUG)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from softrock.core.errors import CompileError, SoftrockError

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it (128 + SIGINT)."""


def show(error: SoftrockError) -> None:
    """Print an error and its mend to standard error; a compiler's own words are printed as they are."""
    if isinstance(error, CompileError):
        print(error.message, file=sys.stderr)
        return
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  mend: {error.hint}", file=sys.stderr)


def guarded(action: Callable[[], int]) -> int:
    """Run `action`; its errors become messages and an exit status (SOFTROCK_DEBUG=1 shows the traceback)."""
    _open_streams()
    try:
        return action()
    except SoftrockError as error:
        if os.environ.get("SOFTROCK_DEBUG", "") not in ("", "0"):
            raise
        show(error)
        return error.status
    except BrokenPipeError:  # the reader of our output has gone, e.g. `softrock targets | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if os.environ.get("SOFTROCK_DEBUG", "") not in ("", "0"):
            raise
        show(SoftrockError(": ".join(str(each) for each in (error.filename, error.strerror or error) if each)))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _open_streams() -> None:
    """Give a process that was started with closed standard streams (``>&-``) some that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 -- for as long as the process lives
