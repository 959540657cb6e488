"""Installations of ROCm of all kinds."""

from __future__ import annotations

from tests.doctor.machines import Table, found, gpu, host, join, of

from softrock.doctor.checks import rocm
from softrock.doctor.registry import Machine
from softrock.system.tree import Tree

CORE = ("libamdhip64.so.6", "libhsa-runtime64.so.1", "libamd_comgr.so.2")


def install(version: str, targets: tuple[str, ...] = ("gfx1100",), names: tuple[str, ...] = CORE) -> Table:
    root = f"/opt/rocm-{version}"
    files: Table = {f"{root}/.info/version": f"{version}-1\n", **{f"{root}/lib/{name}": "" for name in names}}
    files |= {f"{root}/lib/rocblas/library/TensileLibrary_lazy_{each}.dat": "" for each in targets}
    return {"files": files, "links": {"/opt/rocm": root}}


def test_folders_packages_wheels_and_conda_are_found() -> None:
    site = "/home/alice/v/lib/python3.12/site-packages"
    more: Table = {
        "environment": {"VIRTUAL_ENV": "/home/alice/v", "CONDA_PREFIX": "/home/alice/c"},
        "files": {
            "/usr/lib64/libamdhip64.so.6": "", f"{site}/rocm_sdk_core-7.10.0.dist-info/METADATA": "",
            f"{site}/_rocm_sdk_core/lib/libamdhip64.so.7": "", "/home/alice/c/lib/libamdhip64.so.6": "",
        },
        "commands": {"packages-dpkg": "rocm-core 6.4.2 ii\nbash 5 ii\n"},
    }  # fmt: skip
    machine = Machine(Tree(join(host(), gpu(), install("6.4.2"), install("7.0.2"), more)))
    told = [(each.kind, each.version) for each in machine.fact(rocm.installs)]
    assert told == [("folder", "6.4.2-1"), ("folder", "7.0.2-1"), ("distribution", "6.4.2"), ("wheel", "7.10.0"),
                    ("conda", "")]  # fmt: skip


def test_an_installation_that_lacks_libraries_is_named() -> None:
    results, _ = found(host(), gpu(), install("6.4.2", names=CORE[:2]))
    assert "libamd_comgr.so" in of(results, "rocm-complete")[0].seen


def test_targets_generic_ones_and_overrides() -> None:
    lacking, summary = found(host(), gpu(), install("6.4.2", ("gfx1030",)))
    assert of(lacking, "rocm-targets")[0].limits
    assert summary.status == 1
    for target in ("gfx11-generic", "gfx1100"):
        results, _ = found(host(), gpu(), install("6.4.2", (target,)))
        assert not of(results, "rocm-targets")
    strix = gpu(device=0x1586, version=110501)
    override = {"environment": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}}
    assert of(found(host(), strix, install("6.4.2"))[0], "rocm-targets")
    assert not of(found(host(), strix, install("6.4.2"), override)[0], "rocm-targets")
