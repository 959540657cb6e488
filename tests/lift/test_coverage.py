"""Every operation of gfx942 and gfx1100 has semantics, but for those listed here with their reason."""

from __future__ import annotations

import fnmatch

import pytest

from softrock.isa import table
from softrock.lift import semantics
from softrock.lift.registry import SEMANTICS

CONTROL_FLOW = [
    *("s_branch", "s_cbranch_scc?", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz"),
    *("s_endpgm", "s_call_b64", "s_setpc_b64", "s_swappc_b64"),
]
"""Translated by lift.function: they shape the control flow itself."""

UNSUPPORTED = {
    "graphics": "exp export image_* lds_direct_load lds_param_load ds_direct_load v_interp_* ds_bvh_* "
    "s_endpgm_ordered_ps_done v_screen_partition_4se_b32",
    "texture formats, which no compute compiler emits": "tbuffer_* buffer_load*_format_* buffer_store*_format_*",
    "global wave synchronisation and ordered append": "ds_gws_* ds_ordered_count *_gs_reg_rtn",
    "context switching, traps and debuggers": "s_rfe_* s_cbranch_cdbg* s_endpgm_saved",
    "gfx9's old divergence instructions": "s_cbranch_g_fork s_cbranch_i_fork s_cbranch_join s_setvskip",
    "gfx11's subvector execution": "s_subvector_loop_*",
    "scalar stores, atomics and scratch": "s_atomic_* s_buffer_atomic_* s_store_* s_buffer_store_* s_scratch_*",
    "private memory straight into LDS": "scratch_load_lds_*",
    "relative scalar registers": "s_movrel* s_set_gpr_idx_mode v_swaprel_b32",
    "thread-addressed memory": "global_load_addtid_b32 global_store_addtid_b32",
    "rare LDS operations": "ds_condxchg32_rtn_b64 ds_wrap_rtn_b32",
    "pipeline control": "v_pipeflush",
}


def allowed(op: str) -> bool:
    patterns = [*CONTROL_FLOW, *(p for text in UNSUPPORTED.values() for p in text.split())]
    return any(fnmatch.fnmatchcase(op, pattern) for pattern in patterns)


def operations(target: str) -> set[str]:
    rows = table(target)
    return {r.op for r in [*rows.rows, *rows.dual_x.values(), *rows.dual_y.values()]}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_every_operation_has_semantics(target: str) -> None:
    semantics.load()
    missing = sorted(op for op in operations(target) if op not in SEMANTICS and not allowed(op))
    assert not missing, f"{len(missing)} operations of {target} without semantics: {' '.join(missing)}"


def test_the_list_names_nothing_that_is_supported() -> None:
    semantics.load()
    known = operations("gfx942") | operations("gfx1100")
    stale = sorted(op for op in known if op in SEMANTICS and allowed(op))
    assert not stale, f"supported, but listed as unsupported: {' '.join(stale)}"
