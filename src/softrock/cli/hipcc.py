"""The ``hipcc`` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from softrock.cli.runtime import runtime
from softrock.compiler import driver


def main(args: Sequence[str] | None = None) -> int:
    """Compile and link like hipcc; returns the exit status."""
    return driver.main(sys.argv[1:] if args is None else args, runtime)


if __name__ == "__main__":
    sys.exit(main())
