"""GPUs read from written machines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doctor.test_trees import NAMES
from tests.smi.machines import CARD, DESKTOP, LAPTOP, SERVER, machine

from softrock.smi import gpus, processes, snapshot, topology
from softrock.smi.fields import Gpu, table
from softrock.smi.metrics import parse


def one(name: str, **changes: object) -> Gpu:
    (gpu,) = gpus.read(machine(name, **changes))
    return gpu


def test_a_card_by_hwmon_and_gpu_metrics() -> None:
    gpu = one(DESKTOP)
    known = {
        "name": "AMD Radeon RX 7900 XTX",
        "gfx": "gfx1100",
        "bdf": "0000:03:00.0",
        "render": "/dev/dri/renderD128",
        "compute_units_count": 96,
        "vram_total_bytes": 25753026560,
        "gfx_use_percent": 7,
        "temperature_edge_celsius": 45.0,
        "temperature_hotspot_celsius": 58.0,
        "temperature_memory_celsius": 62.0,
        "power_watts": 98.0,
        "power_limit_watts": 303.0,
        "clock_gfx_mhz": 2304.0,
        "fan_rpm": 1180,
        "fan_percent": 29.8,
        "voltage_gfx_millivolts": 838,
        "pcie_width_lanes": 16,
        "pcie_speed_gts": 16.0,
        "pcie_replay_count": 0,
        "driver": "amdgpu",
        "ecc_correctable_count": None,
        "energy_joules": None,
    }
    assert {name: gpu.get(name) for name in known} == known
    assert not gpu.notes


def test_two_accelerators() -> None:
    first, second = gpus.read(machine(SERVER))
    assert [first.get("bdf"), second.get("bdf")] == ["0000:05:00.0", "0000:26:00.0"]
    assert first.get("name") == "AMD Instinct MI300X"
    assert first.get("gfx") == "gfx942"
    assert (first.get("power_watts"), second.get("power_watts")) == (141.0, 141.0)  # hwmon comes first
    assert first.get("ecc_uncorrectable_count") == 0
    assert first.get("driver") == "amdgpu 6.12.12"
    assert first.get("clock_memory_mhz") == 900  # gpu_metrics alone has it
    assert first.get("energy_joules") == pytest.approx(45776.37, abs=0.01)
    assert first.get("fan_rpm") is None


def test_links_between_accelerators() -> None:
    system = machine("ok-server-mi300x-8")
    found = topology.links(system, gpus.read(system))
    assert len(found) == 56
    assert found[0, 7] == topology.Link("XGMI", 15, 1, (64000, 64000))


def test_an_apu() -> None:
    gpu = one(LAPTOP)
    assert gpu.get("gfx") == "gfx1103"
    assert gpu.get("temperature_edge_celsius") == 48.0
    assert gpu.get("power_watts") == 11.2
    assert gpu.get("gtt_total_bytes") == 29360128000
    assert gpu.get("memory_use_percent") is None
    assert gpu.get("fan_percent") is None


def test_an_apu_by_gpu_metrics_alone() -> None:
    here = "/sys/devices/pci0000:00/0000:00:08.1/0000:c1:00.0"
    names = [f"{here}/hwmon/hwmon1/{each}" for each in ("temp1_input", "power1_input", "freq1_input")]
    gpu = one(LAPTOP, files={**dict.fromkeys(names), f"{here}/gpu_busy_percent": None})
    assert gpu.get("temperature_edge_celsius") == 48.5
    assert gpu.get("power_watts") == 11.2
    assert gpu.get("gfx_use_percent") == pytest.approx(7.3)
    assert gpu.get("clock_gfx_mhz") == 800


def test_no_gpu() -> None:
    assert gpus.read(machine("ok-no-gpu")) == []
    assert gpus.read(machine("ok-nvidia-only")) == []


def test_a_gpu_that_sleeps_is_not_woken() -> None:
    gpu = one(DESKTOP, files={f"{CARD}/power/runtime_status": "suspended\n"})
    assert gpu.get("temperature_edge_celsius") is None
    assert gpu.get("vram_used_bytes") is None
    assert gpu.get("name") == "AMD Radeon RX 7900 XTX"
    assert "suspended" in gpu.notes[0]


def test_what_cannot_be_read_is_missing_with_a_note() -> None:
    changed = {f"{CARD}/gpu_busy_percent": {"error": "EBUSY"}, f"{CARD}/hwmon/hwmon1/temp1_input": {"error": "EIO"}}
    gpu = one(DESKTOP, files=changed)
    assert gpu.get("gfx_use_percent") == 12  # gpu_metrics knows it too
    assert gpu.get("temperature_edge_celsius") == 45
    assert any("gpu_busy_percent" in each for each in gpu.notes)


@pytest.mark.parametrize("text", ["", "\n", "N/A", "12x", "-", "9" * 40, "\x00\xff", "1\n2"])
def test_numbers_that_are_none_are_missing(text: str) -> None:
    gpu = one(DESKTOP, files={f"{CARD}/gpu_busy_percent": text, f"{CARD}/gpu_metrics": None})
    assert gpu.get("gfx_use_percent") is None


@pytest.mark.parametrize("data", ["", "7800", "78000103", "ffff0909" + "00" * 60])
def test_broken_gpu_metrics_leave_the_rest(data: str) -> None:
    gpu = one(DESKTOP, files={f"{CARD}/gpu_metrics": {"hex": data}})
    assert any("gpu_metrics" in each for each in gpu.notes)
    assert gpu.get("power_watts") == 98.0


def test_errors_of_memory_are_added_up() -> None:
    ras = {f"{CARD}/ras/umc_err_count": "ue: 2\nce: 40\nde: 1\n", f"{CARD}/ras/gfx_err_count": "ue: 0\nce: 2\n"}
    gpu = one(DESKTOP, files=ras)
    assert gpu.get("ecc_correctable_count") == 42
    assert gpu.get("ecc_uncorrectable_count") == 2
    assert gpu.get("ecc_deferred_count") == 1


def test_names_come_from_the_machine_first() -> None:
    ids = {"/usr/share/libdrm/amdgpu.ids": "1.0.0\n744C,\tC8,\tA Better Name\n"}
    assert one(DESKTOP, files=ids).get("name") == "A Better Name"
    assert one(DESKTOP, files={f"{CARD}/device": "0xfffe"}).get("name") == "AMD GPU 0xfffe"


@pytest.mark.parametrize("name", NAMES)
def test_every_written_machine_can_be_looked_at(name: str) -> None:
    now = snapshot.take(machine(name), told=list)
    for gpu in now.gpus:
        assert gpu.values.keys() <= table().keys()
        assert all(letter.isprintable() for value in gpu.values.values() for letter in str(value))


@given(st.binary(max_size=200), st.sampled_from(["gpu_metrics", "gpu_busy_percent", "device", "unique_id", "uevent"]))
@settings(max_examples=60, deadline=None)
def test_any_bytes_in_a_file_are_survived(data: bytes, name: str) -> None:
    for gpu in gpus.read(machine(DESKTOP, files={f"{CARD}/{name}": {"hex": data.hex()}})):
        assert all(letter.isprintable() for value in gpu.values.values() for letter in str(value))


def test_values_of_gpu_metrics_of_the_written_machines() -> None:
    data = machine(DESKTOP).read(f"{CARD}/gpu_metrics")
    assert parse(data).values["current_fan_speed"] == 1180


# ---- processes ----


def fdinfo(client: int, vram: int, gfx: int, device: str = "0000:03:00.0", driver: str = "amdgpu") -> str:
    return (
        f"pos:\t0\nflags:\t02\ndrm-driver:\t{driver}\ndrm-pdev:\t{device}\ndrm-client-id:\t{client}\n"
        f"drm-memory-vram:\t{vram} KiB\ndrm-memory-gtt: \t64 KiB\ndrm-engine-gfx:\t{gfx} ns\n"
        "drm-engine-compute:\t0 ns\n"
    )


def users(gfx: int = 1_000_000_000) -> dict[str, dict[str, str]]:
    files = {
        "/proc/4242/comm": "game\x1b[2J\n", "/proc/4242/stat": "4242 (ga) me) S 4000 1 1 0",
        "/proc/4000/comm": "bash\n",
        "/proc/4242/fdinfo/7": fdinfo(11, 2048, gfx), "/proc/4242/fdinfo/8": fdinfo(11, 2048, gfx),
        "/proc/4242/fdinfo/9": fdinfo(12, 1024, 500), "/proc/4300/fdinfo/3": fdinfo(1, 5, 5, driver="i915"),
        "/proc/4300/comm": "other", "/sys/class/kfd/kfd/proc/5000/vram_40762": "1073741824\n",
        "/proc/5000/comm": "python3\n", "/proc/5000/stat": "5000 (python3) R 4000 1",
    }  # fmt: skip
    links = {f"/proc/4242/fd/{n}": "/dev/dri/renderD128" for n in (7, 8, 9)}
    return {"files": files, "links": {**links, "/proc/4242/fd/1": "/dev/null", "/proc/4300/fd/3": "/dev/dri/card0"}}


def test_processes_of_the_display_and_of_compute() -> None:
    system = machine(DESKTOP, **users())
    game, python = processes.read(system, gpus.read(system))
    assert (game.pid, game.parent, game.name) == (4242, 4000, "game?[2J")
    assert game.vram_bytes == 3072 << 10  # one client is open twice
    assert game.engines["gfx"] == 1_000_000_500
    assert not game.compute
    assert (python.pid, python.vram_bytes, python.compute) == (5000, 1 << 30, True)


def test_use_of_processes_between_two_looks() -> None:
    before = machine(DESKTOP, **users())
    after = machine(DESKTOP, **users(1_500_000_000))
    old, new = (processes.read(each, gpus.read(each)) for each in (before, after))
    processes.use_since(old, new, 2.0)
    assert new[0].use_percent == 25.0
    assert new[1].use_percent is None
