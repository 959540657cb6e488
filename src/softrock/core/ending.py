"""What is done when the process ends: with the interpreter, or with the program that has the interpreter inside."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Callable

_functions: list[Callable[[], None]] = []
_registered = False


def at_end(function: Callable[[], None]) -> None:
    """Have a function called once when the process ends; the last one given is called first."""
    global _registered
    if not _registered:
        _registered = True
        atexit.register(run)
    _functions.append(function)


def run() -> None:
    """Call them now. An error in one does not keep the others from being called."""
    while _functions:
        with contextlib.suppress(Exception):
            _functions.pop()()
