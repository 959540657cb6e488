"""Translated kernels as native code: LLVM pipeline, code cache, loading, line maps."""

from softrock.jit.build import most_rows, rows_together
from softrock.jit.prepare import Prepared, prepare
from softrock.lift.layout import ANY, LINE, in_column, layout_of, rows_of

__all__ = [
    "ANY",
    "LINE",
    "Prepared",
    "in_column",
    "layout_of",
    "most_rows",
    "prepare",
    "rows_of",
    "rows_together",
]
