"""What is said about a kernel: registers, memory, limits, occupancy."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from softrock.codeobj import Kernel
from softrock.codeobj.targets import GENERIC
from softrock.gpu import models
from softrock.gpu.models import Model
from softrock.gpu.occupancy import occupancy, resources

_USUAL_BLOCK = 256


def describe(kernel: Kernel, name: str, with_args: bool, device: str | None = None) -> dict[str, Any]:
    """A kernel as plain data; see :func:`softrock.inspect.report.report`.

    Args:
        name: its readable name.
        with_args: with its arguments, which its code object must have been read with.
        device: the processor that occupancy is for; by default the one it was compiled for.
    """
    noted = kernel.metadata
    described = {
        "name": name,
        "symbol": kernel.name,
        "vgprs": noted.vgpr_count if noted else kernel.vgprs,
        "agprs": noted.agpr_count if noted else 0,
        "sgprs": noted.sgpr_count if noted else kernel.sgprs,
        "vgpr_spills": noted.vgpr_spill_count if noted else None,
        "sgpr_spills": noted.sgpr_spill_count if noted else None,
        "lds": kernel.group_segment_size,
        "scratch": kernel.private_segment_size,
        "dynamic_stack": kernel.uses_dynamic_stack,
        "wave_size": kernel.wavefront_size,
        "max_block": kernel.max_flat_workgroup_size,
        "required_block": list(noted.reqd_workgroup_size) or None if noted else None,
        "code_bytes": kernel.code_size,
        "arguments_bytes": kernel.kernarg_size,
        "preloaded_arguments": kernel.preload[0],
        "occupancy": waves(kernel, device or kernel.target.processor),
    }
    if with_args:
        described["arguments"] = [
            {"name": a.name, "type": a.type_name, "kind": a.value_kind, "offset": a.offset, "bytes": a.size}
            for a in kernel.args
        ]
        described["hidden_arguments"] = list(kernel.hidden_args)
    return described


def waves(kernel: Kernel, processor: str) -> dict[str, Any] | None:
    """Occupancy on a processor (for a generic one, on its first member that is known), with the block size the kernel
    requires or else a usual one; None where its limits are not known.
    """
    model = limits(processor)
    if model is None:
        return None
    block = 1
    for side in (kernel.metadata.reqd_workgroup_size if kernel.metadata else ()) or (_USUAL_BLOCK,):
        block *= side
    block = max(1, min(block, kernel.max_flat_workgroup_size))
    found = occupancy(model, resources(kernel), block)
    return {
        "gpu": model.name,
        "block": block,
        "blocks": found.blocks,
        "waves_per_simd": found.waves_per_simd,
        "max_waves_per_simd": model.max_waves_per_simd,
        "fraction": found.fraction,
        "limit": found.limit,
    }


@functools.cache
def limits(processor: str) -> Model | None:
    """What bounds occupancy on a processor, or None. Of processors without a model only those facts hold."""
    for each in (processor, *GENERIC.get(processor, ())):
        if each in models.names():
            return models.model(each)
        if each in _table():
            return _table()[each]
    return None


@functools.cache
def _table() -> dict[str, Model]:
    text = (Path(__file__).parent / "processors.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"][1:]
    found: dict[str, Model] = {}
    for names, like, most, vgprs, granule, lds in rows:
        for name in names.split():
            found[name] = models.model(like)._replace(
                gfx=name,
                name=name,
                max_waves_per_simd=int(most),
                vgprs_per_simd=int(vgprs),
                vgpr_granule=int(granule),
                lds_granule=int(lds),
            )
    return found
