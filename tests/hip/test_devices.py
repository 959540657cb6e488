"""Devices, attributes, limits, peers, visibility."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock import compiler
from softrock.core.errors import UsageError
from softrock.hip import HipError, devices, memory, state

HEADER = Path(compiler.__file__).parent / "include" / "hip" / "detail" / "api_enums_core.h"


def test_attribute_numbers_agree_with_the_header() -> None:
    text = HEADER.read_text()
    body = text[text.index(" hipDeviceAttribute_t {") : text.index("} hipDeviceAttribute_t;")]
    for name, number in re.findall(r"hipDeviceAttribute(\w+)\s*=\s*(\d+)", body):
        if name.endswith(("Begin", "End")) or name.startswith("Unused"):
            continue
        assert devices.attribute(int(number), 0) == devices.attribute(name if name != "PciDomainId" else 69, 0)


def test_what_a_software_mi300x_reports() -> None:
    facts = devices.properties(0)
    assert facts["name"] == "AMD Instinct MI300X (software)"
    assert facts["gcnArchName"].startswith("gfx942")
    assert devices.attribute("WarpSize", 0) == 64
    assert devices.attribute("MultiprocessorCount", 0) == 304
    assert devices.attribute("MaxBlockDimX", 0) == 1024
    assert devices.attribute("TotalGlobalMem", 0) == min(facts["totalGlobalMem"], 2**31 - 1)


def test_bad_attributes_and_devices() -> None:
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        devices.attribute(9999, 0)
    with pytest.raises(HipError, match="hipErrorInvalidDevice"):
        devices.attribute("WarpSize", 2)
    with pytest.raises(HipError, match="hipErrorInvalidDevice"):
        state.set_device(-1)


@pytest.mark.parametrize(
    ("variable", "value", "names"),
    [
        ("HIP_VISIBLE_DEVICES", "1", ["gfx1100"]),
        ("HIP_VISIBLE_DEVICES", "1,0", ["gfx1100", "gfx942"]),
        ("CUDA_VISIBLE_DEVICES", "0", ["gfx942"]),
        ("ROCR_VISIBLE_DEVICES", "1,7,0", ["gfx1100"]),
        ("HIP_VISIBLE_DEVICES", "", []),
        ("HIP_VISIBLE_DEVICES", "-1", []),
    ],
)
def test_visible_devices(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, names: list[str]) -> None:
    monkeypatch.setenv("SOFTROCK_GPUS", "gfx942,gfx1100")
    monkeypatch.setenv(variable, value)
    found = [home.device.facts.target.partition(":")[0] for home in state.runtime().devices]
    assert found == names
    if not names:
        with pytest.raises(HipError, match="hipErrorNoDevice"):
            memory.malloc(4)


def test_an_unknown_gpu_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_GPUS", "gfx1")
    with pytest.raises(UsageError, match="gfx1"):
        state.runtime()


def test_each_device_has_its_own_address_and_uuid() -> None:
    assert devices.pci_address(0) != devices.pci_address(1)
    assert devices.by_pci_address(devices.pci_address(1)) == 1
    assert devices.uuid(0) != devices.uuid(1)
    assert len(devices.uuid(0)) == 16
    with pytest.raises(HipError, match="hipErrorInvalidDevice"):
        devices.by_pci_address("0000:7f:00.0")
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        devices.by_pci_address("there")


def test_limits() -> None:
    devices.set_limit(1, 1 << 16)
    assert devices.get_limit(1) == 1 << 16
    assert devices.get_limit(2) == 8 << 20
    with pytest.raises(HipError, match="hipErrorUnsupportedLimit"):
        devices.get_limit(77)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        devices.set_limit(1, 1)


def test_peers() -> None:
    assert devices.can_access_peer(0, 1)
    assert not devices.can_access_peer(0, 0)
    devices.enable_peer(1)
    with pytest.raises(HipError, match="hipErrorPeerAccessAlreadyEnabled"):
        devices.enable_peer(1)
    devices.disable_peer(1)
    with pytest.raises(HipError, match="hipErrorPeerAccessNotEnabled"):
        devices.disable_peer(1)


def test_choose_takes_the_device_that_meets_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_GPUS", "gfx942,gfx1100")
    assert devices.choose({"major": 11}) == 1
    assert devices.choose({"warpSize": 64}) == 0


def test_reset_frees_memory() -> None:
    before = memory.info()[0]
    memory.malloc(1 << 20)
    assert memory.info()[0] < before
    devices.reset()
    assert memory.info()[0] == before
