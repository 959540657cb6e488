"""What GPU code a file holds, as plain data (the shape of ``softrock inspect --json``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softrock.codeobj import CodeObject, Kernel, bundle, load
from softrock.codeobj.compressed import COMPRESSED_MAGIC
from softrock.codeobj.elf import EM_AMDGPU, ET_REL, MAGIC, Elf
from softrock.codeobj.names import demangle
from softrock.codeobj.targets import GENERIC
from softrock.core.errors import CodeObjectError, UsageError
from softrock.gpu import models
from softrock.gpu.occupancy import occupancy, resources

_USUAL_BLOCK = 256
_PT_INTERP = 3


def report(path: str | Path) -> dict[str, Any]:
    """Describe the GPU code in a file: a program, shared library, object, archive, bundle or code object.

    Returns:
        A dictionary that JSON can hold. ``file``, ``kind``, ``bytes``; ``targets``: the target IDs there
        is code for; ``code_objects``: each with ``target``, ``version``, ``where``, ``compression``,
        ``bytes``, ``kernels``, ``variables``, ``undefined`` and ``error`` (None, or why it cannot be
        read); ``problems``: all such errors. A kernel has registers (``vgprs`` with AGPRs included,
        ``agprs``, ``sgprs``), bytes (``lds``, ``scratch``, ``arguments_bytes``, ``code_bytes``),
        ``vgpr_spills``, ``sgpr_spills``, ``dynamic_stack``, ``wave_size``, ``max_block``, ``arguments``
        and ``occupancy`` (None for GPUs there is no model of).

    Raises:
        UsageError: the file is missing, a folder, or may not be read.
        CodeObjectError: it holds no GPU code, or is corrupt.
    """
    name = str(path)
    data = _read(Path(path))
    bundles = bundle.find_bundles(data, name)
    entries = [(each, entry) for each in bundles for entry in each.gpu]
    if not entries:
        there = ", ".join(e.id for b in bundles for e in b.entries if e.size) or "none"
        raise CodeObjectError(
            f"{name} holds no AMD GPU code" + (f" (entries: {there})" if bundles else ""),
            hint="compile it with hipcc --offload-arch=gfx942, or give a file that was",
        )
    objects = [_entry(each, entry) for each, entry in entries]
    problems = [item["error"] for item in objects if item["error"]]
    if len(problems) == len(objects) == 1:
        raise CodeObjectError(problems[0], hint="build or fetch the file again")
    return {
        "file": name,
        "kind": _kind(data, name),
        "bytes": len(data),
        "targets": list(dict.fromkeys(item["target"] for item in objects)),
        "code_objects": objects,
        "problems": problems,
    }


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UsageError(
                f"{path} is a folder", hint="give a file: a program, library, object or code object"
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist", hint="check the path") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from None
    except ValueError:
        raise UsageError(f"{str(path)!r} is no file name", hint="check the path") from None


def _kind(data: bytes, name: str) -> str:
    if data[:4] == COMPRESSED_MAGIC:
        return "compressed offload bundle"
    if bundle.is_bundle(data):
        return "offload bundle"
    if data[:4] != MAGIC:
        return "archive"
    elf = Elf(data, name)
    if elf.machine == EM_AMDGPU:
        return "relocatable GPU object" if elf.kind == ET_REL else "GPU code object"
    if elf.kind == ET_REL:
        return "object file"
    return "program" if any(each.kind == _PT_INTERP for each in elf.segments) else "shared library"


def _entry(home: bundle.Bundle, entry: bundle.Entry) -> dict[str, Any]:
    described: dict[str, Any] = {
        "target": str(entry.target),
        "id": entry.id,
        "where": home.where,
        "compression": home.compression or None,
        "bytes": entry.size,
        "version": None,
        "bitcode": entry.is_bitcode,
        "kernels": [],
        "variables": [],
        "undefined": [],
        "error": None,
    }
    if entry.is_bitcode:
        return described
    try:
        _describe(
            load(entry.data, f"{home.where} ({entry.target})" if entry.offset else home.where), described
        )
    except CodeObjectError as error:
        described["error"] = error.message
    return described


def _describe(code: CodeObject, described: dict[str, Any]) -> None:
    described["version"] = code.version
    described["target"] = str(code.target_id)
    described["kernels"] = [_kernel(each) for each in code.kernels.values()]
    described["variables"] = [
        {"name": demangle(each.name), "symbol": each.name, "bytes": each.size, "constant": each.is_const}
        for each in code.variables.values()
        if not each.name.startswith("__hip_cuid_")
    ]
    described["undefined"] = list(code.undefined)


def _kernel(kernel: Kernel) -> dict[str, Any]:
    noted = kernel.metadata
    return {
        "name": demangle(kernel.name),
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
        "arguments": [
            {"name": a.name, "type": a.type_name, "kind": a.value_kind, "offset": a.offset, "bytes": a.size}
            for a in kernel.args
        ],
        "hidden_arguments": list(kernel.hidden_args),
        "occupancy": _occupancy(kernel),
    }


def _occupancy(kernel: Kernel) -> dict[str, Any] | None:
    """Occupancy on the GPU it was compiled for, with the block size it requires or else a usual one."""
    processor = kernel.target.processor
    known = models.names()
    gfx = (
        processor if processor in known else next((m for m in GENERIC.get(processor, ()) if m in known), None)
    )
    if gfx is None:
        return None
    block = 1
    for side in (kernel.metadata.reqd_workgroup_size if kernel.metadata else ()) or (_USUAL_BLOCK,):
        block *= side
    block = min(block, kernel.max_flat_workgroup_size)
    model = models.model(gfx)
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
