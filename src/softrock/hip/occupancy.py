"""Occupancy: how many blocks of a kernel a multiprocessor holds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.gpu import occupancy as rules
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.gpu.models import Model
    from softrock.hip.modules import Function


def _model(function: Function) -> Model:
    from softrock.gpu import models

    device = function.home.device
    known = getattr(device, "model", None)
    return known if known is not None else models.model(device.facts.target)


def blocks_per_unit(function: Function, block_size: int, dynamic_shared: int = 0) -> int:
    """Blocks of a kernel that one multiprocessor holds at once.

    Raises:
        HipError: hipErrorInvalidValue for a block size of 0 or less.
    """
    if block_size <= 0:
        raise HipError("hipErrorInvalidValue", f"a block of {block_size} threads")
    if block_size > function.kernel.max_flat_workgroup_size:
        return 0
    return rules.occupancy(_model(function), rules.resources(function.kernel), block_size, dynamic_shared).blocks


def best_block(function: Function, dynamic_shared: int = 0, limit: int = 0) -> tuple[int, int]:
    """A block size with the most waves, and the grid that fills the device with it: (grid, block)."""
    wave = function.kernel.wavefront_size
    most = min(function.kernel.max_flat_workgroup_size, limit or 1024)
    sizes = list(range(most // wave * wave, 0, -wave)) or [most]
    best, waves = sizes[0], -1
    for size in sizes:
        count = blocks_per_unit(function, size, dynamic_shared) * -(-size // wave)
        if count > waves:
            best, waves = size, count
    units = function.home.device.facts.properties["multiProcessorCount"]
    return max(blocks_per_unit(function, best, dynamic_shared), 0) * units, best
