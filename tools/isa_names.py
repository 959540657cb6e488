"""Canonical operation names: gfx11's spelling for what older targets spell otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable

WORDS: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"^(flat|global|scratch|buffer)_load_(u|s)byte$", lambda m: f"{m[1]}_load_{'i' if m[2] == 's' else 'u'}8"),
    (r"^(flat|global|scratch|buffer)_load_(u|s)short$", lambda m: f"{m[1]}_load_{'i' if m[2] == 's' else 'u'}16"),
    (r"^(flat|global|scratch|buffer)_load_(u|s)byte_d16(_hi)?$",
     lambda m: f"{m[1]}_load_d16{m[3] or ''}_{'i' if m[2] == 's' else 'u'}8"),
    (r"^(flat|global|scratch|buffer)_load_short_d16(_hi)?$", lambda m: f"{m[1]}_load_d16{m[2] or ''}_b16"),
    (r"^(flat|global|scratch|buffer)_store_byte$", lambda m: f"{m[1]}_store_b8"),
    (r"^(flat|global|scratch|buffer)_store_short$", lambda m: f"{m[1]}_store_b16"),
    (r"^(flat|global|scratch|buffer)_store_byte_d16_hi$", lambda m: f"{m[1]}_store_d16_hi_b8"),
    (r"^(flat|global|scratch|buffer)_store_short_d16_hi$", lambda m: f"{m[1]}_store_d16_hi_b16"),
    (r"^(global|scratch)_load_lds_(u|s)byte$", lambda m: f"{m[1]}_load_lds_{'i' if m[2] == 's' else 'u'}8"),
    (r"^(global|scratch)_load_lds_(u|s)short$", lambda m: f"{m[1]}_load_lds_{'i' if m[2] == 's' else 'u'}16"),
    (r"^(.*_(?:load|store|load_lds|discard))_dword(?:x(\d+))?$", lambda m: f"{m[1]}_b{32 * int(m[2] or 1)}"),
    (r"^(t?buffer)_(load|store)_format_d16(_hi)?_(\w+)$", lambda m: f"{m[1]}_{m[2]}_d16{m[3] or ''}_format_{m[4]}"),
]
ATOMIC = re.compile(
    r"^(flat|global|buffer|s|s_buffer)_atomic_"
    r"(swap|cmpswap|add|sub|smin|umin|smax|umax|and|or|xor|inc|dec)(_x2)?$"
)
ATOMIC_TYPE = {"swap": "b", "cmpswap": "b", "and": "b", "or": "b", "xor": "b", "smin": "i", "smax": "i"}
DS = [
    ("ds_write2st64", "ds_store_2addr_stride64"), ("ds_read2st64", "ds_load_2addr_stride64"),
    ("ds_wrxchg2st64", "ds_storexchg_2addr_stride64"), ("ds_write2", "ds_store_2addr"), ("ds_read2", "ds_load_2addr"),
    ("ds_wrxchg2", "ds_storexchg_2addr"), ("ds_wrxchg", "ds_storexchg"), ("ds_write", "ds_store"),
    ("ds_read", "ds_load"), ("ds_cmpst_", "ds_cmpstore_"),
]
NAMES = {
    "s_ff0_i32_b32": "s_ff0_i32_b32",
    "s_ff1_i32_b32": "s_ctz_i32_b32", "s_ff1_i32_b64": "s_ctz_i32_b64", "s_flbit_i32_b32": "s_clz_i32_u32",
    "s_flbit_i32_b64": "s_clz_i32_u64", "s_flbit_i32": "s_cls_i32", "s_flbit_i32_i64": "s_cls_i32_i64",
    "s_andn2_b32": "s_and_not1_b32", "s_andn2_b64": "s_and_not1_b64", "s_orn2_b32": "s_or_not1_b32",
    "s_orn2_b64": "s_or_not1_b64", "s_andn2_saveexec_b64": "s_and_not1_saveexec_b64",
    "s_orn2_saveexec_b64": "s_or_not1_saveexec_b64", "s_andn1_saveexec_b64": "s_and_not0_saveexec_b64",
    "s_orn1_saveexec_b64": "s_or_not0_saveexec_b64", "s_andn1_wrexec_b64": "s_and_not0_wrexec_b64",
    "s_andn2_wrexec_b64": "s_and_not1_wrexec_b64",
    "v_cvt_rpi_i32_f32": "v_cvt_nearest_i32_f32", "v_cvt_flr_i32_f32": "v_cvt_floor_i32_f32",
    "v_ffbh_u32": "v_clz_i32_u32", "v_ffbl_b32": "v_ctz_i32_b32", "v_ffbh_i32": "v_cls_i32",
    "v_addc_co_u32": "v_add_co_ci_u32", "v_subb_co_u32": "v_sub_co_ci_u32", "v_subbrev_co_u32": "v_subrev_co_ci_u32",
    "v_add_u32": "v_add_nc_u32", "v_sub_u32": "v_sub_nc_u32", "v_subrev_u32": "v_subrev_nc_u32",
    "v_add_i32": "v_add_nc_i32", "v_sub_i32": "v_sub_nc_i32", "v_add_u16": "v_add_nc_u16", "v_sub_u16": "v_sub_nc_u16",
    "v_add_i16": "v_add_nc_i16", "v_sub_i16": "v_sub_nc_i16",
    "v_dot2c_f32_f16": "v_dot2acc_f32_f16", "v_dot2c_f32_bf16": "v_dot2acc_f32_bf16",
    "v_cvt_pkrtz_f16_f32": "v_cvt_pk_rtz_f16_f32", "v_cvt_pknorm_i16_f32": "v_cvt_pk_norm_i16_f32",
    "v_cvt_pknorm_u16_f32": "v_cvt_pk_norm_u16_f32", "v_cvt_pknorm_i16_f16": "v_cvt_pk_norm_i16_f16",
    "v_cvt_pknorm_u16_f16": "v_cvt_pk_norm_u16_f16", "v_mul_legacy_f32": "v_mul_dx9_zero_f32",
}
LDS_LOADS = re.compile(r"^(global|scratch)_load_")


OLD_MATRIX = re.compile(r"^v_mfma_(\w+?)_(\d+)x(\d+)x(\d+)(f32|f64|f16|bf16|i8)(?:_1k)?$")


def matrix_name(mnemonic: str, result_dwords: int) -> str:
    """gfx942's name of a gfx90a matrix operation: with the number of blocks, which the result's size tells."""
    found = OLD_MATRIX.match(mnemonic)
    if not found:
        return mnemonic
    result, rows, columns, depth, source = found.groups()
    elements = result_dwords // (2 if result == "f64" else 1) * 64
    blocks = elements // (int(rows) * int(columns))
    middle = f"_{blocks}b" if blocks > 1 else ""
    return f"v_mfma_{result}_{rows}x{columns}x{depth}{middle}_{source}"


def canonical(mnemonic: str, to_lds: bool) -> str:
    """The operation's name, the same on every target that has it; `to_lds`: a load whose data goes to LDS."""
    name = re.sub(r"_tru_", "_t_", mnemonic)
    if to_lds and "_lds_" not in name:
        name = LDS_LOADS.sub(r"\1_load_lds_", name)
    if found := ATOMIC.match(name):
        space, what, wide = found.groups()
        kind = ATOMIC_TYPE.get(what, "u")
        what = {"smin": "min", "umin": "min", "smax": "max", "umax": "max"}.get(what, what)
        return f"{space}_atomic_{what}_{kind}{64 if wide else 32}"
    for old, new in DS:
        if name.startswith(old):
            return name.replace(old, new, 1)
    for pattern, build in WORDS:
        if found := re.match(pattern, name):
            return build(found)
    return NAMES.get(name, name)
