"""Kernel descriptors against what the assembler was told to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from softrock import codeobj, isa
from softrock.codeobj import targets
from softrock.core.errors import CodeObjectError

Compile = Callable[..., bytes]

COMMON = {
    "group_segment_fixed_size": 1536,
    "private_segment_fixed_size": 208,
    "kernarg_size": 72,
    "user_sgpr_dispatch_ptr": 1,
    "user_sgpr_queue_ptr": 1,
    "user_sgpr_kernarg_segment_ptr": 1,
    "user_sgpr_dispatch_id": 1,
    "user_sgpr_private_segment_size": 1,
    "system_sgpr_workgroup_id_x": 0,
    "system_sgpr_workgroup_id_y": 1,
    "system_sgpr_workgroup_id_z": 1,
    "system_sgpr_workgroup_info": 1,
    "system_vgpr_workitem_id": 2,
    "float_round_mode_32": 1,
    "float_round_mode_16_64": 2,
    "float_denorm_mode_32": 3,
    "float_denorm_mode_16_64": 1,
    "fp16_overflow": 1,
    "exception_fp_ieee_invalid_op": 1,
    "exception_fp_denorm_src": 0,
    "exception_fp_ieee_div_zero": 1,
    "exception_fp_ieee_overflow": 0,
    "exception_fp_ieee_underflow": 1,
    "exception_fp_ieee_inexact": 0,
    "exception_int_div_zero": 1,
    "uses_dynamic_stack": 1,
    "next_free_vgpr": 41,
    "next_free_sgpr": 30,
}
EXTRA: Mapping[str, Mapping[str, int]] = {
    "gfx90a": {
        "accum_offset": 28,
        "tg_split": 1,
        "dx10_clamp": 0,
        "ieee_mode": 0,
        "user_sgpr_private_segment_buffer": 1,
        "user_sgpr_flat_scratch_init": 1,
        "system_sgpr_private_segment_wavefront_offset": 1,
        "reserve_xnack_mask": 1,
    },
    "gfx942": {
        "accum_offset": 40,
        "dx10_clamp": 1,
        "ieee_mode": 0,
        "enable_private_segment": 1,
        "user_sgpr_kernarg_preload_length": 5,
        "user_sgpr_kernarg_preload_offset": 2,
    },
    "gfx1100": {
        "dx10_clamp": 0,
        "ieee_mode": 1,
        "wavefront_size32": 1,
        "workgroup_processor_mode": 0,
        "memory_ordered": 0,
        "forward_progress": 1,
        "enable_private_segment": 1,
        "shared_vgpr_count": 0,
    },
    "gfx1201": {
        "wavefront_size32": 1,
        "workgroup_processor_mode": 1,
        "round_robin_scheduling": 1,
        "enable_private_segment": 1,
    },
}
RENAMED = {
    "fp16_overflow": "fp16_ovfl",
    "dx10_clamp": "enable_dx10_clamp",
    "ieee_mode": "enable_ieee_mode",
    "wavefront_size32": "enable_wavefront_size32",
    "workgroup_processor_mode": "wgp_mode",
    "memory_ordered": "mem_ordered",
    "forward_progress": "fwd_progress",
    "round_robin_scheduling": "enable_wg_rr_en",
    "system_vgpr_workitem_id": "enable_vgpr_workitem_id",
    "exception_fp_ieee_invalid_op": "enable_exception_fp_invalid_operation",
    "exception_fp_denorm_src": "enable_exception_fp_denormal_source",
    "exception_fp_ieee_div_zero": "enable_exception_fp_division_by_zero",
    "exception_fp_ieee_overflow": "enable_exception_fp_overflow",
    "exception_fp_ieee_underflow": "enable_exception_fp_underflow",
    "exception_fp_ieee_inexact": "enable_exception_fp_inexact",
    "exception_int_div_zero": "enable_exception_int_divide_by_zero",
    "user_sgpr_kernarg_preload_length": "kernarg_preload_length",
    "user_sgpr_kernarg_preload_offset": "kernarg_preload_offset",
    "system_sgpr_private_segment_wavefront_offset": "enable_private_segment",
}


def _assemble(compile_device: Compile, target: str) -> tuple[codeobj.Kernel, dict[str, int]]:
    told = {**COMMON, **EXTRA[target]}
    lines = "\n".join(f"  .amdhsa_{name} {value}" for name, value in told.items())
    source = f"""
.amdgcn_target "amdgcn-amd-amdhsa--{target}"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
{lines}
.end_amdhsa_kernel
"""
    data = compile_device(source, target, language="asm")
    return codeobj.load(data, "k.co").kernels["k"], told


@pytest.mark.parametrize("target", EXTRA)
def test_every_field_is_read_back(compile_device: Compile, target: str) -> None:
    kernel, told = _assemble(compile_device, target)
    descriptor, fields = kernel.descriptor, kernel.fields
    checked = 0
    for name, value in told.items():
        plain = name.replace("user_sgpr_", "enable_sgpr_").replace("system_sgpr_", "enable_sgpr_")
        field = RENAMED.get(name, plain)
        if field in fields and name not in ("accum_offset",):
            assert fields[field] == value, name
            checked += 1
    assert checked >= 22
    assert descriptor.group_segment_fixed_size == 1536
    assert descriptor.private_segment_fixed_size == 208
    assert descriptor.kernarg_size == 72
    assert kernel.uses_dynamic_stack
    assert kernel.workitem_id_count == 3
    assert kernel.metadata is None


@pytest.mark.parametrize(
    ("target", "vgprs", "accum", "sgprs"),
    [("gfx90a", 48, 28, 48), ("gfx942", 48, 40, 48), ("gfx1100", 48, None, 128), ("gfx1201", 48, None, 128)],
)
def test_register_counts(
    compile_device: Compile, target: str, vgprs: int, accum: int | None, sgprs: int
) -> None:
    kernel, _ = _assemble(compile_device, target)
    assert (kernel.vgprs, kernel.accum_offset, kernel.sgprs) == (vgprs, accum, sgprs)


def test_register_order(compile_device: Compile) -> None:
    """All registers that a descriptor can ask for, in the order of LLVM's guide."""
    kernel, _ = _assemble(compile_device, "gfx90a")
    assert [tuple(each) for each in kernel.initial_sgprs()] == [
        ("private_segment_buffer", 0, 4),
        ("dispatch_ptr", 4, 2),
        ("queue_ptr", 6, 2),
        ("kernarg_segment_ptr", 8, 2),
        ("dispatch_id", 10, 2),
        ("flat_scratch_init", 12, 2),
        ("private_segment_size", 14, 1),
        ("workgroup_id_y", 15, 1),
        ("workgroup_id_z", 16, 1),
        ("workgroup_info", 17, 1),
        ("private_segment_wavefront_offset", 18, 1),
    ]
    kernel, _ = _assemble(compile_device, "gfx942")
    assert [tuple(each) for each in kernel.initial_sgprs()][-4:] == [
        ("kernarg_preload", 9, 5),
        ("workgroup_id_y", 14, 1),
        ("workgroup_id_z", 15, 1),
        ("workgroup_info", 16, 1),
    ]
    assert kernel.preload == (5, 2)
    kernel, _ = _assemble(compile_device, "gfx1201")
    assert kernel.workgroup_ids_in_ttmp
    assert kernel.initial_sgprs()[-1].name == "private_segment_size"


@pytest.mark.parametrize(
    ("target", "mode"),
    [
        ("gfx90a", 1 | 2 << 2 | 3 << 4 | 1 << 6 | 1 << 23),
        ("gfx942", 1 | 2 << 2 | 3 << 4 | 1 << 6 | 1 << 8 | 1 << 23),
        ("gfx1100", 1 | 2 << 2 | 3 << 4 | 1 << 6 | 1 << 9 | 1 << 23),
        ("gfx1201", 1 | 2 << 2 | 3 << 4 | 1 << 6 | 1 << 23),
    ],
)
def test_mode(compile_device: Compile, target: str, mode: int) -> None:
    assert _assemble(compile_device, target)[0].mode == mode


def test_more_user_registers_than_counted(compile_device: Compile) -> None:
    kernel, _ = _assemble(compile_device, "gfx942")
    wrong = {**kernel.fields, "user_sgpr_count": 3}
    descriptor = kernel.descriptor._replace(fields=wrong)
    bad = codeobj.Kernel(
        **{name: value for name, value in vars(kernel).items() if name not in ("descriptor", "user_sgprs")},
        descriptor=descriptor,
    )
    with pytest.raises(CodeObjectError, match="14 user SGPRs but counts 3"):
        bad.initial_sgprs()


@pytest.mark.parametrize("gfx", isa.names())
def test_kernels_agree_with_the_instruction_set_tables(compile_device: Compile, gfx: str) -> None:
    kernel = _assemble(compile_device, gfx if gfx in EXTRA else "gfx942")[0]
    kernel.target = targets.parse(gfx)
    target = isa.target(gfx)
    assert kernel.packed_workitem_ids == target.packed_workitem_ids
    assert kernel.workgroup_ids_in_ttmp == target.workgroup_ids_in_ttmp
    assert kernel.architected_flat_scratch == target.architected_flat_scratch
