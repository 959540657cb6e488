"""softrock: an open, ROCm-compatible GPU compute stack with a software AMD GPU."""

__version__ = "0.1.0"
