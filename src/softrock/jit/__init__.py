"""Translated kernels as native code: LLVM pipeline, code cache, loading, line maps."""

from softrock.jit.prepare import Prepared, prepare

__all__ = ["Prepared", "prepare"]
