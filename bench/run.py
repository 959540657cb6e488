"""Measure translated kernels beside native rivals, in one run: `make bench`, or `python bench/run.py --help`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SLOWS_BLAS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Where they are set, OpenBLAS does not take the kernels of this CPU."""

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    for name in SLOWS_BLAS:
        os.environ.pop(name, None)  # before NumPy is loaded
    from bench.command import main

    sys.exit(main())
