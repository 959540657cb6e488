"""Targets and instruction tables."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from softrock import isa
from softrock.core.errors import UsageError
from softrock.isa.tables import layouts, number_names

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def test_every_target_is_known_by_name() -> None:
    assert isa.names() == list(TARGETS)
    assert isa.target("gfx942").family == "cdna3"
    assert isa.target("gfx90a:sramecc+:xnack-").name == "gfx90a"


def test_unknown_target_lists_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        isa.target("gfx803")
    assert "gfx803" in caught.value.message
    assert all(name in str(caught.value.hint) for name in TARGETS)


def test_wave_size_changes_what_depends_on_it() -> None:
    wide = isa.target("gfx1100").with_wave_size(64)
    assert (wide.wave_size, wide.mask_dwords, wide.vgpr_encoding_granule, wide.simd_vgprs) == (64, 2, 4, 768)
    assert wide.with_wave_size(32) == isa.target("gfx1100")
    with pytest.raises(UsageError, match="gfx942 has no waves of 32 lanes"):
        isa.target("gfx942").with_wave_size(32)


def test_special_scalar_registers() -> None:
    assert (isa.target("gfx942").m0_sgpr, isa.target("gfx942").null_sgpr) == (124, None)
    assert (isa.target("gfx1100").m0_sgpr, isa.target("gfx1100").null_sgpr) == (125, 124)


@pytest.mark.parametrize("name", TARGETS)
def test_rows_are_sound(name: str) -> None:
    target, table = isa.target(name), isa.table(name)
    known = layouts(target.major)
    assert len(table.rows) > 1800
    for row in table.rows:
        assert row.match & ~row.mask == 0, row.asm
        layout = known["FLAT" if row.encoding in ("GLOBAL", "SCRATCH") else row.encoding]
        assert row.size in (4, 8, 12, 16)
        assert row.mnemonic
        assert row.op
        roles = [spec.role for spec in row.operands if spec.fixed not in ("vcc", "exec", "m0")]
        assert len(roles) == len(set(roles)), row.asm
        for spec in row.operands:
            if row.size == 16 or spec.fixed or spec.role in ("target", "imm", "vaddr"):
                continue
            assert spec.role in layout, (row.asm, spec.role)


@pytest.mark.parametrize("name", TARGETS)
def test_no_two_rows_accept_the_same_word(name: str) -> None:
    """A word that two rows accept belongs to the one that fixes more bits; equal ones would be ambiguous."""
    seen: dict[tuple[int, int, int], str] = {}
    for row in isa.table(name).rows:
        key = (row.size, row.mask, row.match)
        assert key not in seen, (row.asm, seen[key])
        seen[key] = row.asm


@pytest.mark.parametrize(
    ("gfx9", "gfx11"),
    [
        ("ds_read_b32", "ds_load_b32"),
        ("ds_write2st64_b64", "ds_store_2addr_stride64_b64"),
        ("global_load_dwordx4", "global_load_b128"),
        ("global_load_short_d16_hi", "global_load_d16_hi_b16"),
        ("flat_atomic_add_x2", "flat_atomic_add_u64"),
        ("buffer_atomic_cmpswap", "buffer_atomic_cmpswap_b32"),
        ("s_load_dwordx8", "s_load_b256"),
        ("s_andn2_saveexec_b64", "s_and_not1_saveexec_b64"),
        ("s_ff1_i32_b32", "s_ctz_i32_b32"),
        ("v_add_u32_e32", "v_add_nc_u32"),
        ("v_addc_co_u32_e32", "v_add_co_ci_u32"),
        ("v_cmp_tru_f32_e32", "v_cmp_t_f32"),
    ],
)
def test_one_operation_has_one_name(gfx9: str, gfx11: str) -> None:
    old = {row.asm: row.op for row in isa.table("gfx942").rows}
    assert old[gfx9] == gfx11
    assert gfx11 in {row.op for row in isa.table("gfx1100").rows}


def test_dual_issue_halves() -> None:
    table = isa.table("gfx1100")
    assert table.dual_x[0].op == "v_fmac_f32"
    assert table.dual_y[16].op == "v_add_nc_u32"
    assert len(table.dual_x) == 14
    assert len(table.dual_y) == 17
    assert not isa.table("gfx942").dual_x


def test_names_of_numbers() -> None:
    assert number_names("hwreg", "gfx942")[20] == "XCC_ID"
    assert number_names("message", "gfx1100")[3] == "DEALLOC_VGPRS"
    assert number_names("format", "gfx942") == {}


def test_loading_a_table_is_fast() -> None:
    code = (
        "import time; from softrock import isa; start = time.perf_counter(); isa.table('gfx1100');"
        "print(time.perf_counter() - start)"
    )
    best = 1.0
    deadline = time.monotonic() + 20
    while best > 0.06 and time.monotonic() < deadline:
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        best = min(best, float(out))
    assert best <= 0.06
