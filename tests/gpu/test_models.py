"""The table of GPUs and the choice of devices."""

from __future__ import annotations

import pytest

from softrock import isa
from softrock.codeobj import targets
from softrock.core.errors import UsageError
from softrock.gpu import models

EXPECTED = {  # name, compute units, wave size, HIP's multiprocessors, threads of a multiprocessor
    "gfx942": ("AMD Instinct MI300X", 304, 64, 304, 2048),
    "gfx90a": ("AMD Instinct MI250X", 110, 64, 110, 2048),
    "gfx950": ("AMD Instinct MI355X", 256, 64, 256, 2048),
    "gfx1100": ("AMD Radeon RX 7900 XTX", 96, 32, 48, 2048),
    "gfx1201": ("AMD Radeon RX 9070 XT", 64, 32, 32, 2048),
}


@pytest.mark.parametrize("gfx", EXPECTED)
def test_models(gfx: str) -> None:
    model = models.model(gfx)
    name, units, wave, multiprocessors, threads = EXPECTED[gfx]
    assert (model.gfx, model.name, model.compute_units, model.wave_size) == (gfx, name, units, wave)
    assert model.multiprocessors == multiprocessors
    assert model.max_waves_per_multiprocessor * model.wave_size == threads
    assert model.software_name == f"{name} (software)"
    assert targets.parse(model.target_id).processor == gfx
    # the bandwidth as sold must follow from bus and clock: 2 transfers on HBM2e, 4 on HBM3, 16 on GDDR6
    peak = model.memory_bus_bits / 8 * model.memory_clock_khz / 1e6
    factor = model.bandwidth_gb_s / peak
    assert min(abs(factor / n - 1) for n in (2, 4, 16)) < 0.03


def test_the_default_is_first() -> None:
    assert models.names() == tuple(EXPECTED)


@pytest.mark.parametrize("gfx", EXPECTED)
def test_properties(gfx: str) -> None:
    model = models.model(gfx)
    first, second = model.properties(0), model.properties(1, memory_bytes=1 << 30)
    assert first["name"].endswith("(software)")
    assert first["warpSize"] == model.wave_size
    assert first["gcnArchName"].startswith(gfx)
    assert first["totalGlobalMem"] == model.memory_bytes
    assert second["totalGlobalMem"] == 1 << 30
    assert first["uuid"] != second["uuid"]
    assert len(first["uuid"]) == 16
    assert first["pciBusID"] != second["pciBusID"]
    assert first["maxThreadsPerBlock"] == 1024
    assert first["sharedMemPerBlock"] == (163840 if gfx == "gfx950" else 65536)
    assert first["attributes"]["WallClockRate"] == 100_000
    assert first["arch"]["hasDoubles"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gfx942", ["gfx942"]),
        ("gfx942:2,gfx1100", ["gfx942", "gfx942", "gfx1100"]),
        (" gfx90a , gfx1201:1 ", ["gfx90a", "gfx1201"]),
        ("gfx942:xnack+:2", ["gfx942", "gfx942"]),
    ],
)
def test_choice_of_devices(text: str, expected: list[str]) -> None:
    assert [each.gfx for each in models.parse_gpus(text)] == expected


def test_settings_replace_the_default() -> None:
    assert models.parse_gpus("gfx942:xnack+")[0].target_id == "gfx942:sramecc+:xnack+"
    assert models.parse_gpus("gfx942")[0].target_id == "gfx942:sramecc+:xnack-"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("gfx9999", "gfx9999"),
        ("", "empty entry"),
        ("gfx942,,gfx1100", "empty entry"),
        ("gfx942:0", "count"),
        ("gfx942:-1", "count"),
        ("gfx942:65", "count"),
        ("gfx942:60,gfx1100:60", "too many"),
        ("gfx942:x", "bad feature"),
        ("gfx1100:xnack+", "no setting"),
        (":3", "no GPU ''"),
        ("MI300X", "MI300X"),
        ("gfx906", "gfx906"),
    ],
)
def test_bad_choices(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as caught:
        models.parse_gpus(text)
    assert caught.value.hint


@pytest.mark.parametrize("gfx", EXPECTED)
def test_models_agree_with_the_instruction_set_tables(gfx: str) -> None:
    """Both state some facts, so that neither package needs the other at run time."""
    model, target = models.model(gfx), isa.target(gfx)
    assert (model.major, model.wave_size) == (target.major, target.wave_size)
    assert (model.vgprs_per_simd, model.vgpr_granule) == (target.simd_vgprs, target.vgpr_granule)
    assert model.max_vgprs == target.max_vgprs + target.max_agprs
    assert (model.lds_per_block, model.lds_granule) == (target.lds_bytes, target.lds_granule)
    assert model.max_waves_per_simd == target.max_waves
