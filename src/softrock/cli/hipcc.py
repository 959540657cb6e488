"""The ``hipcc`` command."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence

from softrock.cli import report
from softrock.cli.runtime import runtime
from softrock.compiler import driver


def main(args: Sequence[str] | None = None) -> int:
    """Compile and link like hipcc, with its HIPCC_*_FLAGS_APPEND variables; returns the exit status."""
    words = list(sys.argv[1:] if args is None else args)
    for name in ("HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND"):
        words += shlex.split(os.environ.get(name, ""))
    return report.guarded(lambda: driver.main(words, runtime))


if __name__ == "__main__":
    sys.exit(main())
