"""What GPU code a binary, archive, folder or package holds: targets, kernels, registers, memory, occupancy, and whether
a GPU runs it."""

from softrock.inspect.report import Options, report, survey
from softrock.inspect.text import Listing, render
from softrock.inspect.verdict import devices

__all__ = ["Listing", "Options", "devices", "render", "report", "survey"]
