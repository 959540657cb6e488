"""The one error tree.

Every error that softrock raises on purpose derives from :class:`SoftrockError`. The command line prints
``error: <message>`` and, where there is one, ``  mend: <hint>``, and exits with ``status``; a traceback
means a defect in softrock itself.
"""

from __future__ import annotations


class SoftrockError(Exception):
    """An expected failure: what went wrong, where, and how to mend it.

    Args:
        message: names the thing and the place, in one sentence.
        hint: what the user can do about it (may be None).
        status: process exit status (1 the thing ran and failed, 2 wrong usage).
    """

    default_status = 1

    def __init__(self, message: str, *, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = self.default_status if status is None else status


class UsageError(SoftrockError):
    """The command line or an argument is wrong (exit status 2)."""

    default_status = 2


class CodeObjectError(SoftrockError):
    """A code object, bundle or archive is corrupt or lacks what was asked of it."""


class DecodeError(SoftrockError):
    """Bytes that are no instruction of the target."""


class UnsupportedError(SoftrockError):
    """An instruction, call or option that softrock knows of but does not support yet."""


class CompileError(SoftrockError):
    """The compiler rejected a source; the message is the compiler's own output."""


class ToolError(SoftrockError):
    """An outside program (linker, compiler) is missing or failed."""


class DeviceFault(SoftrockError):
    """A kernel did something a GPU would fault on: illegal address, trap, timeout."""
