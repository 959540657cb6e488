"""The command line: one command ``softrock`` with subcommands, and the tools that stand in for ROCm's own.

Nothing here but arguments and printing; each command imports what it needs when it runs.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Entry point of ``softrock``; returns the exit status."""
    from softrock.cli.app import start

    return start(sys.argv[1:])
