"""The C libraries libamdhip64 and libhiprtc over the Python runtime.

:func:`library_dir` builds them at first use; :func:`needs_launcher` says whether programs must be started by
``python -m softrock.abi.launch`` because this interpreter has no shared libpython.
"""

from __future__ import annotations

from softrock.abi.build import library_dir, needs_launcher

__all__ = ["library_dir", "needs_launcher"]
