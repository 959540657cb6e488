"""Where the command line finds the HIP runtime library that programs are linked with."""

from __future__ import annotations

import importlib
from typing import Any

from softrock.compiler.link import Runtime
from softrock.core.errors import ToolError


def runtime() -> Runtime:
    """The runtime library, built on first use.

    Raises:
        ToolError: it cannot be built.
    """
    abi: Any = importlib.import_module("softrock.abi")
    if not hasattr(abi, "library_dir"):
        raise ToolError("softrock has no HIP runtime library here (softrock.abi.library_dir is missing)")
    return Runtime(abi.library_dir(), bool(abi.needs_launcher()))
