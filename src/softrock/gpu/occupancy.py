"""How many blocks and waves of a kernel a multiprocessor holds at once, from the documented allocation rules.

Sources: "User Guide for AMDGPU Backend" (register and LDS granules) and the CDNA and RDNA ISA guides
(waves of a SIMD, blocks that may use a barrier, work-group processor mode).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from softrock.codeobj import Kernel
    from softrock.gpu.models import Model


class Resources(NamedTuple):
    """What a kernel takes: registers of a wave, bytes of static LDS, lanes of its wave.

    `wgp_mode` (RDNA): a block may spread over both compute units of a work-group processor.
    """

    vgprs: int
    sgprs: int
    lds: int
    wave_size: int
    wgp_mode: bool = True


class Occupancy(NamedTuple):
    """How full a multiprocessor gets.

    Attributes:
        blocks: blocks of a multiprocessor at once; 0 means that the kernel cannot be launched so.
        waves: waves of a multiprocessor at once.
        waves_per_simd: waves of a SIMD, on average.
        max_waves: what the multiprocessor could hold.
        limit: what limits it: waves, vgprs, sgprs, lds, barriers or block (a single block does not fit).
    """

    blocks: int
    waves: int
    waves_per_simd: float
    max_waves: int
    limit: str

    @property
    def fraction(self) -> float:
        """Waves over the most waves, 0 to 1."""
        return self.waves / self.max_waves


def resources(kernel: Kernel) -> Resources:
    """A kernel's resources, as its descriptor and metadata give them."""
    counted = kernel.metadata.vgpr_count if kernel.metadata else 0
    scalars = kernel.metadata.sgpr_count if kernel.metadata else 0
    return Resources(
        vgprs=counted or kernel.vgprs,
        sgprs=scalars or kernel.sgprs,
        lds=kernel.group_segment_size,
        wave_size=kernel.wavefront_size,
        wgp_mode=bool(kernel.fields.get("wgp_mode", 1)),
    )


def _up(value: int, granule: int) -> int:
    return -(-value // granule) * granule


def _waves_by_registers(model: Model, use: Resources) -> tuple[int, str]:
    """Waves of a SIMD that fit into its registers, and what limits them."""
    halved = 2 if use.wave_size > model.wave_size else 1
    granule = model.vgpr_granule // halved
    by_vgprs = (model.vgprs_per_simd // halved) // _up(max(use.vgprs, 1), granule)
    most, limit = model.max_waves_per_simd, "waves"
    if by_vgprs < most:
        most, limit = by_vgprs, "vgprs"
    if model.sgprs_per_simd:
        by_sgprs = model.sgprs_per_simd // _up(max(use.sgprs, 1), model.sgpr_granule)
        if by_sgprs < most:
            most, limit = by_sgprs, "sgprs"
    return most, limit


def occupancy(model: Model, use: Resources, block_size: int, dynamic_lds: int = 0) -> Occupancy:
    """Occupancy of a kernel on a GPU.

    Args:
        model: the GPU.
        use: the kernel's resources; see :func:`resources`.
        block_size: threads of a block.
        dynamic_lds: bytes of dynamic LDS of a block.
    """
    waves_per_block = max(1, -(-block_size // use.wave_size))
    shares = 1 if use.wgp_mode else model.units_per_multiprocessor
    simds = model.simds_per_multiprocessor // shares
    per_simd, limit = _waves_by_registers(model, use)
    blocks = per_simd * simds // waves_per_block
    lds = use.lds + dynamic_lds
    if lds:
        pool = model.lds_per_unit * model.units_per_multiprocessor // shares
        by_lds = pool // _up(lds, model.lds_granule) if lds <= model.lds_per_block else 0
        if by_lds < blocks:
            blocks, limit = by_lds, "lds"
    if waves_per_block > 1 and model.max_blocks_with_barrier // shares < blocks:
        blocks, limit = model.max_blocks_with_barrier // shares, "barriers"
    if block_size > model.max_threads_per_block:
        blocks, limit = 0, "block"
    blocks *= shares
    waves = blocks * waves_per_block
    most = model.max_waves_per_multiprocessor
    return Occupancy(blocks, waves, waves / model.simds_per_multiprocessor, most, limit)
