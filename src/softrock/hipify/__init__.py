"""CUDA sources turned into HIP sources, name by name."""

from softrock.hipify.translate import Translation, translate

__all__ = ["Translation", "translate"]
