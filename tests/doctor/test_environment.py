"""Variables: forced targets, visible devices together, values that deserve a word."""

from __future__ import annotations

import re

import pytest
from tests.doctor.machines import Table, apu, found, gpu, host, join, of

from softrock.doctor.checks import environment
from softrock.doctor.facts import driven
from softrock.doctor.registry import Machine, Verdict
from softrock.system.tree import Tree

TWO = join(gpu(), gpu("0000:43:00.0", node=2, minor=129))


def env(**variables: str) -> Table:
    return {"environment": variables}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [("", "failure"), ("10.3.0", "failure"), ("gfx1100", "failure"), ("11.0.0", "ok"), ("11.0.1", "warning")],
)
def test_overrides_of_a_card_with_its_own_code(value: str, verdict: str) -> None:
    results, _ = found(host(), gpu(), env(HSA_OVERRIDE_GFX_VERSION=value))
    assert [each.verdict for each in of(results, "override")] == [verdict]


def test_an_override_that_a_card_without_libraries_needs_is_fine() -> None:
    results, summary = found(host(), gpu(device=0x73DF, version=100301), env(HSA_OVERRIDE_GFX_VERSION="10.3.0"))
    assert [each.verdict for each in of(results, "override")] == [Verdict.OK]
    assert summary.status == 0


def test_the_place_of_an_override_is_named() -> None:
    start = {"files": {"/home/alice/.bashrc": "# mine\nexport HSA_OVERRIDE_GFX_VERSION=9.0.0\n"}}
    results, summary = found(host(), gpu(), env(HSA_OVERRIDE_GFX_VERSION="9.0.0"), start)
    (told,) = of(results, "override")
    assert "~/.bashrc:2" in told.seen
    assert any("line 2 of ~/.bashrc" in each for each in told.mend)
    assert summary.first == "unset HSA_OVERRIDE_GFX_VERSION"


@pytest.mark.parametrize(
    ("variables", "left"),
    [
        ({}, ["03", "43"]), ({"ROCR_VISIBLE_DEVICES": "1"}, ["43"]), ({"HIP_VISIBLE_DEVICES": "1,0"}, ["43", "03"]),
        ({"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "0"}, ["43"]),
        ({"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}, []), ({"HIP_VISIBLE_DEVICES": "-1"}, []),
        ({"HIP_VISIBLE_DEVICES": "0,7,1"}, ["03"]), ({"CUDA_VISIBLE_DEVICES": "1"}, ["43"]),
        ({"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "1"}, ["03"]),
        ({"HIP_VISIBLE_DEVICES": "", "CUDA_VISIBLE_DEVICES": "1"}, ["43"]), ({"ROCR_VISIBLE_DEVICES": ""}, []),
        ({"HIP_VISIBLE_DEVICES": f"GPU-{0x7A1B2C3D4E5F0000 + 129:016x}"}, ["43"]),
    ],
)  # fmt: skip
def test_visible_devices_together(variables: dict[str, str], left: list[str]) -> None:
    machine = Machine(Tree(join(host(), TWO, env(**variables))))
    assert len(machine.fact(driven)) == 2
    assert [each.address[5:7] for each in machine.fact(environment.visible).devices] == left


def test_an_entry_that_names_no_device_limits() -> None:
    results, summary = found(host(), TWO, env(HIP_VISIBLE_DEVICES="0,7,1"))
    assert any("7 names no device" in each.seen for each in of(results, "visible-devices") if each.limits)
    assert summary.status == 1


def test_an_override_hits_each_gpu_alone() -> None:
    results, _ = found(host(), gpu(), apu(), env(HSA_OVERRIDE_GFX_VERSION="10.3.0"))
    assert {each.gpu: each.verdict.value for each in of(results, "override")} == {
        "0000:03:00.0": "failure", "0000:0c:00.0": "ok",
    }  # fmt: skip


def test_rows_of_variables_are_sound_and_speak() -> None:
    assert len(environment.table()) >= 20
    for row in environment.table():
        assert row["about"] and row["source"]  # noqa: PT018
        assert all(re.compile(each["value"]) for each in row["wrong"])
    results, _ = found(host(), gpu(), env(AMD_LOG_LEVEL="4", HSA_ENABLE_SDMA="1"))
    assert [each.verdict.value for each in of(results, "variables")] == ["ok", "warning"]


def test_ollamas_service_has_settings_of_its_own() -> None:
    unit = {"files": {"/etc/systemd/system/ollama.service.d/override.conf":
                      '[Service]\nEnvironment="HSA_OVERRIDE_GFX_VERSION=9.0.0"\n'}}  # fmt: skip
    results, _ = found(host(), gpu(), unit)
    assert [each.software for each in of(results, "service-variables")] == ["ollama"]
