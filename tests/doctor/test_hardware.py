"""GPUs by what buses and drivers tell, and what of it is wrong."""

from __future__ import annotations

import pytest
from tests.doctor.machines import GIB, Table, apu, found, gpu, host, join, of

from softrock.doctor.facts.gpus import gpus, known, version_name
from softrock.doctor.registry import Machine, Verdict
from softrock.doctor.summary import State
from softrock.system.tree import Tree


@pytest.mark.parametrize(
    ("version", "name"),
    [(110000, "gfx1100"), (90402, "gfx942"), (90010, "gfx90a"), (90012, "gfx90c"), (120001, "gfx1201"),
     (90500, "gfx950"), (110501, "gfx1151"), (0, ""), (-5, ""), (10**18, "")],
)  # fmt: skip
def test_targets_by_version(version: int, name: str) -> None:
    assert version_name(version) == name


def test_table_of_gpus_is_sound() -> None:
    rows = known()
    assert rows["744c"].gfx == "gfx1100"
    assert rows["744c:c8"].name == "Radeon RX 7900 XTX"
    assert rows["1586"].integrated
    assert len(rows) > 150
    assert all(each.gfx.startswith("gfx") and each.name for each in rows.values())


def _cards(*tables: Table) -> tuple[object, ...]:
    return Machine(Tree(join(*tables))).fact(gpus)


def test_a_card_is_known_without_its_driver() -> None:
    (card,) = Machine(Tree(gpu(driver="", node=None))).fact(gpus)
    assert (card.gfx, card.told, card.name, card.driver) == ("gfx1100", "table", "Radeon RX 7900 XTX", "")


def test_the_driver_knows_better_than_the_table() -> None:
    (card,) = Machine(Tree(join(host(), gpu(device=0x9999, version=110501)))).fact(gpus)
    assert (card.gfx, card.told, card.integrated, card.node) == ("gfx1151", "kfd", True, 1)
    assert card.render == "/dev/dri/renderD128"
    assert card.uuid == "GPU-7a1b2c3d4e5f0080"


def test_the_discovery_table_tells_the_target() -> None:
    block = "/sys/bus/pci/devices/0000:03:00.0/ip_discovery/die/0/GC/0"
    more = {"files": {f"{block}/major": "12", f"{block}/minor": "0", f"{block}/revision": "1"}}
    (card,) = Machine(Tree(join(gpu(device=0x9999, node=None), more))).fact(gpus)
    assert (card.gfx, card.told) == ("gfx1201", "discovery")


def test_nodes_without_a_bus_are_gpus() -> None:
    table = join(host(), gpu())
    table["files"] = {k: v for k, v in table["files"].items() if not k.startswith("/sys/bus")}
    table["links"] = {}
    assert len(_cards(table)) == 1


def test_other_makers_are_none() -> None:
    path = "/sys/bus/pci/devices/0000:01:00.0"
    other = {"files": {f"{path}/vendor": "0x10de", f"{path}/device": "0x2684", f"{path}/class": "0x030000"}}
    results, summary = found(other)
    assert summary.state is State.NO_GPU
    assert summary.status == 0
    assert not [each for each in results if each.verdict is Verdict.FAILURE]


def test_a_healthy_desktop_works() -> None:
    results, summary = found(host(), gpu())
    assert summary.state is State.WORKS, results
    assert summary.text == "1 GPU (gfx1100)"
    assert all(each.verdict in (Verdict.OK, Verdict.NOT_APPLICABLE) for each in results)


@pytest.mark.parametrize(("first", "state"), [(False, State.WORKS), (True, State.LIMITED)])
def test_an_integrated_gpu_beside_a_card(first: bool, state: State) -> None:
    results, summary = found(host(), gpu(node=3 if first else 1), apu())
    assert summary.state is state
    (result,) = of(results, "integrated-first")
    assert result.mend == ("export HIP_VISIBLE_DEVICES=GPU-7a1b2c3d4e5f0080",)
    results, summary = found(host(), gpu(node=3), apu(), {"environment": {"ROCR_VISIBLE_DEVICES": "1"}})
    assert summary.state is State.WORKS


def test_memory_of_integrated_gpus_is_not_added_up() -> None:
    results, summary = found(host(), apu(node=1))
    (result,) = of(results, "memory")
    assert result.verdict is Verdict.OK
    assert "512 MiB set aside" in result.seen
    assert "about 32.00 GiB" in result.seen
    results, summary = found(host(), apu(node=1), {"platform": {"release": "6.8.0-49-generic"}})
    assert summary.state is State.LIMITED
    assert of(results, "memory")[0].limits


def test_large_models_may_take_more_of_the_system() -> None:
    table = join(host(), apu(device=0x1586, node=1, version=110501))
    (_, advice) = of(found(table)[0], "memory")
    assert advice.verdict is Verdict.WARNING
    assert not advice.limits
    assert "GRUB_CMDLINE_LINUX_DEFAULT=\"/&ttm.pages_limit=14260633 /" in advice.mend[0]
    dkms = {"files": {"/sys/module/amdgpu/version": "6.14.14\n"}}
    assert "amdttm.pages_limit" in of(found(table, dkms)[0], "memory")[1].mend[0]


@pytest.mark.parametrize(("cards", "limits"), [(1, False), (2, True)])
def test_small_windows(cards: int, limits: bool) -> None:
    second = gpu("0000:04:00.0", node=2, minor=129, visible=GIB // 4) if cards == 2 else {}
    results, summary = found(host(), gpu(visible=GIB // 4), second)
    found_here = of(results, "large-bar")
    assert len(found_here) == cards
    assert all("256 MiB of 24.00 GiB" in each.seen and each.limits is limits for each in found_here)
    assert summary.status == int(limits)


def _link(one: int, other: int, kind: int, flags: int = 1) -> Table:
    path = f"/sys/class/kfd/kfd/topology/nodes/{one}/io_links/0/properties"
    return {"files": {path: f"type {kind}\nnode_from {one}\nnode_to {other}\nflags {flags}\n"}}


def test_peers() -> None:
    pair = (host(), gpu(), gpu("0000:04:00.0", node=2, minor=129))
    assert of(found(*pair)[0], "peer-access")[0].verdict is Verdict.WARNING
    (result,) = of(found(*pair, _link(1, 2, 11), _link(2, 1, 2))[0], "peer-access")
    assert result.seen == "all 2 GPUs reach each other directly by PCIe and XGMI"
    (result,) = of(found(*pair, _link(1, 2, 2), _link(2, 1, 2, 17))[0], "peer-access")
    assert result.limits
    assert "1 of 2 ways" in result.seen
    group = {"files": {"/sys/bus/pci/devices/0000:03:00.0/iommu_group/type": "DMA-FQ\n"}}
    (result,) = of(found(*pair, group)[0], "iommu")
    assert "iommu=pt" in result.mend[0]


def test_power_and_heat() -> None:
    card = "/sys/bus/pci/devices/0000:03:00.0"
    sensors = {
        f"{card}/hwmon/hwmon3/power1_cap": "200000000", f"{card}/hwmon/hwmon3/power1_cap_default": "303000000",
        f"{card}/hwmon/hwmon3/temp2_input": "108000", f"{card}/hwmon/hwmon3/temp2_crit": "110000",
        f"{card}/hwmon/hwmon3/temp2_label": "junction", f"{card}/power_dpm_force_performance_level": "low",
        f"{card}/current_link_width": "4", f"{card}/max_link_width": "16",
    }  # fmt: skip
    results, summary = found(host(), gpu(), {"files": sensors})
    assert of(results, "power-limit")[0].mend == (f"echo 303000000 | sudo tee {card}/hwmon/hwmon3/power1_cap",)
    assert "junction has 108 °C" in of(results, "temperature")[0].seen
    assert "4 of 16" in of(results, "pcie-width")[0].seen
    assert of(results, "performance-level")[0].limits
    assert summary.state is State.LIMITED
