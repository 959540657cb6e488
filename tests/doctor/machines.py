"""Written machines, put together from parts."""

from __future__ import annotations

from typing import Any

from softrock.doctor import checks, registry, summary
from softrock.doctor.registry import Machine, Result
from softrock.doctor.summary import Summary
from softrock.system.tree import Tree

GIB = 1 << 30
UBUNTU = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\n'
FEDORA = 'ID=fedora\nVERSION_ID=42\nPRETTY_NAME="Fedora Linux 42"\n'
ARCH = 'ID=arch\nPRETTY_NAME="Arch Linux"\n'
Table = dict[str, Any]


def join(*tables: Table) -> Table:
    """Tables of trees as one."""
    made: Table = {}
    for table in tables:
        for key, value in table.items():
            made[key] = {**made.get(key, {}), **value} if isinstance(value, dict) else value
    return made


def host(release: str = UBUNTU, groups: tuple[int, ...] = (993, 44)) -> Table:
    """A Linux with the driver loaded, and a user in the groups of the nodes."""
    return {
        "who": {"uid": 1000, "gid": 1000, "groups": list(groups)},
        "platform": {"release": "6.14.0-29-generic"},
        "environment": {"HOME": "/home/alice", "USER": "alice"},
        "files": {
            "/etc/os-release": release,
            "/etc/group": "root:x:0:\nvideo:x:44:alice\nrender:x:993:\n",
            "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1000:Alice Doe:/home/alice:/bin/bash\n",
            "/etc/hostname": "wonderland\n",
            "/proc/meminfo": f"MemTotal:       {64 * GIB >> 10} kB\n",
            "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet\n",
            "/sys/module/amdgpu/initstate": "live\n",
            "/dev/kfd": {"kind": "character", "device": [235, 0], "mode": 0o660, "gid": 993},
            "/sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 16\nsimd_count 0\n",
        },
        "commands": {"dmesg": "[    1.0] amdgpu 0000:03:00.0: amdgpu: initialized\n"},
        "queries": {"/dev/kfd kfd-version": "010000000e000000"},
    }


def gpu(
    address: str = "0000:03:00.0", device: int = 0x744C, node: int | None = 1, version: int = 110000,
    vram: int = 24 * GIB, visible: int = 0, driver: str = "amdgpu", minor: int = 128, revision: int = 0xC8,
) -> Table:  # fmt: skip
    """A card with all that its driver tells."""
    path = f"/sys/bus/pci/devices/{address}"
    files: Table = {
        f"{path}/vendor": "0x1002\n",
        f"{path}/device": f"0x{device:04x}\n",
        f"{path}/class": "0x030000\n",
        f"{path}/revision": f"0x{revision:02x}\n",
    }
    links: Table = {}
    if driver:
        links[f"{path}/driver"] = f"../../../bus/pci/drivers/{driver}"
    if driver == "amdgpu":
        files |= {
            f"{path}/drm/card{minor - 128}": {"kind": "folder"},
            f"{path}/drm/renderD{minor}": {"kind": "folder"},
            f"{path}/mem_info_vram_total": f"{vram}\n",
            f"{path}/mem_info_vis_vram_total": f"{visible or vram}\n",
            f"{path}/mem_info_vram_used": "100000000\n",
            f"{path}/mem_info_gtt_total": f"{32 * GIB}\n",
            f"{path}/unique_id": f"{0x7A1B2C3D4E5F0000 + minor:016x}\n",
            f"/dev/dri/renderD{minor}": {"kind": "character", "device": [226, minor], "mode": 0o660, "gid": 993},
        }
    if node is not None and driver == "amdgpu":
        bus, slot = int(address[5:7], 16), int(address[8:10], 16)
        files[f"/sys/class/kfd/kfd/topology/nodes/{node}/properties"] = (
            f"cpu_cores_count 0\nsimd_count 192\ngfx_target_version {version}\nlocation_id {bus << 8 | slot << 3}\n"
            f"domain 0\ndrm_render_minor {minor}\nvendor_id 4098\ndevice_id {device}\n"
        )
    return {"files": files, "links": links}


def apu(**more: Any) -> Table:
    """An integrated GPU of Ryzen 7000."""
    told: Table = {
        "address": "0000:0c:00.0", "device": 0x164E, "node": 2, "version": 100306, "vram": GIB // 2, "minor": 129,
        "revision": 0xC1,
    }  # fmt: skip
    return gpu(**{**told, **more})


def found(*tables: Table, wanted: str = "") -> tuple[list[Result], Summary]:
    """All results of a machine, and what they mean."""
    assert checks.MODULES
    machine = Machine(Tree(join(*tables)), wanted)
    results = list(registry.run(machine))
    return results, summary.summarise(machine, results)


def of(results: list[Result], check: str) -> list[Result]:
    """Results of one check."""
    assert check in registry.CHECKS
    return [each for each in results if each.check == check]
