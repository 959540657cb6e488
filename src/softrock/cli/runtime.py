"""Where the command line finds the HIP runtime library that programs are linked with."""

from __future__ import annotations

import functools

from softrock.compiler.link import Runtime


@functools.cache
def runtime() -> Runtime:
    """The runtime library, built on first use.

    Raises:
        ToolError: it cannot be built.
    """
    from softrock.abi import build

    return Runtime(build.library_dir(), build.needs_launcher())
