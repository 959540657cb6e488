"""Find what does not carry over from NVIDIA's GPUs to AMD's: assumptions about warps, masks, limits and defaults."""
