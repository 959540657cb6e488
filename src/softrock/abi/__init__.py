"""The C libraries libamdhip64 and libhiprtc over the Python runtime.

:func:`library_dir` builds them at first use; :func:`needs_launcher` says whether programs must be started by
``python -m softrock.abi.launch`` because this interpreter has no shared libpython.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softrock.abi.build import library_dir, needs_launcher

__all__ = ["library_dir", "needs_launcher"]


def __getattr__(name: str) -> Any:
    """Load what builds the libraries only when it is asked for: a program that uses them must start quickly."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from softrock.abi import build

    return getattr(build, name)
