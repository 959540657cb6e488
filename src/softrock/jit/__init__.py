"""Translated kernels as native code: LLVM pipeline, code cache, loading, line maps."""

from softrock.jit.prepare import Prepared, prepare
from softrock.lift.layout import ANY, LINE, layout_of

__all__ = ["ANY", "LINE", "Prepared", "layout_of", "prepare"]
