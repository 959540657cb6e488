"""CUDA sources turned into HIP sources: `translate.translate` for one, `run.run` for many."""
