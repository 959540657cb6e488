"""What GPU code a binary holds: targets, kernels, registers, memory, occupancy."""

from softrock.inspect.report import report
from softrock.inspect.text import render

__all__ = ["render", "report"]
