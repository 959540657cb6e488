"""The fidelity report: what is exact, approximate or unsupported is told from the tables and the semantics."""

from __future__ import annotations

import pytest

from softrock.core.errors import UsageError
from softrock.gpu import fidelity


@pytest.mark.parametrize("gfx", ["gfx942", "gfx1100"])
def test_levels(gfx: str) -> None:
    entries = {each.name: each for each in fidelity.fidelity(gfx)}
    assert entries["v_add_f32"].level == "exact"
    assert entries["s_cbranch_scc0"].level == "exact"
    assert entries["v_exp_f32"].level == "approximate"
    assert "ulp" in entries["v_exp_f32"].note
    assert entries["ds_gws_barrier"].level == "unsupported"
    counts = fidelity.summary(list(entries.values()))
    assert sum(counts.values()) == len(entries)
    assert counts["exact"] > 800
    for each in entries.values():
        assert bool(each.note) == (each.level == "approximate"), each


def test_unknown_targets_are_refused() -> None:
    with pytest.raises(UsageError, match="gfx1"):
        fidelity.fidelity("gfx1")
