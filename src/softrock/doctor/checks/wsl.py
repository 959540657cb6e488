"""Windows (WSL2)"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from softrock.doctor.facts import wsl
from softrock.doctor.registry import Machine, Result, check, failure, ok, unknown, warning
from softrock.system.interface import exists, listed, text

_DXG = "/dev/dxg"
_NAMES = ("librocdxg.so", "librocdxg.so.1")
_DRIVERS = "/usr/lib/wsl/drivers"
_FOLDER = re.compile(r"rocm(-[0-9][0-9.]{0,15})?")


@check("wsl-device", "Windows hands its GPU in")
def wsl_device(machine: Machine) -> Iterator[Result]:
    """WSL1 has no GPU; WSL2 has /dev/dxg, never /dev/kfd."""
    if not machine.fact(wsl):
        return
    system = machine.system
    if not exists(system, _DXG):
        old = "wsl2" not in system.platform[1].lower() and system.platform[1].startswith("4.4")
        yield failure(
            "this is WSL1: it has no GPU" if old else "this is WSL2 without /dev/dxg: Windows hands no GPU in", rank=5,
            why="GPUs come into WSL2 through the driver of Windows and /dev/dxg; /dev/kfd is never there",
            mend=("in Windows: wsl.exe --set-version DISTRIBUTION 2",) if old else
            ("in Windows: wsl.exe --update, then wsl.exe --shutdown",
             "in Windows: install AMD Software: Adrenalin Edition with support of WSL2"),
        )  # fmt: skip
        return
    try:
        system.open(_DXG)
    except OSError as error:
        reason = errno.errorcode.get(error.errno or 0, "an error")
        yield failure(
            f"/dev/dxg cannot be opened ({reason})", why="the GPU of Windows is reached through it", rank=6,
            mend=("sudo chmod 0666 /dev/dxg",),
        )  # fmt: skip
        return
    yield ok("WSL2: /dev/dxg can be opened; /dev/kfd is not needed there")


@check("wsl-libraries", "the libraries for WSL2 are there")
def wsl_libraries(machine: Machine) -> Iterator[Result]:
    """The runtime must speak to /dev/dxg: librocdxg, or the HSA runtime that is made for WSL."""
    system = machine.system
    if not machine.fact(wsl) or not exists(system, _DXG):
        return
    if not exists(system, "/usr/lib/wsl/lib/libdxcore.so"):
        yield failure(
            "/usr/lib/wsl/lib/libdxcore.so is missing", why="it comes from Windows and leads to /dev/dxg", rank=7,
            mend=("in Windows: wsl.exe --update, then wsl.exe --shutdown",),
        )  # fmt: skip
    folders = [f"/opt/{name}/lib" for name in listed(system, "/opt") if _FOLDER.fullmatch(name)]
    places = [*folders, "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"]
    dxg = [f"{place}/{name}" for place in places for name in _NAMES if exists(system, f"{place}/{name}")]
    old = _rocr4wsl(machine)
    if dxg:
        yield ok(f"{dxg[0]} leads ROCm to the GPU of Windows")
        if system.environment.get("HSA_ENABLE_DXG_DETECTION", "") != "1":
            yield warning(
                "HSA_ENABLE_DXG_DETECTION is not set to 1", mend=("export HSA_ENABLE_DXG_DETECTION=1",),
                why="ROCm 7.1 looks for librocdxg only then; later releases do so by themselves",
            )  # fmt: skip
    elif old:
        yield ok("the HSA runtime for WSL (hsa-runtime-rocr4wsl-amdgpu) is installed")
    elif folders:
        yield failure(
            "ROCm is installed, but neither librocdxg.so nor the HSA runtime for WSL", rank=8,
            why="the usual libhsa-runtime64.so wants /dev/kfd, which WSL2 does not have. A wheel that brings its own "
            "libhsa-runtime64.so (torch/lib) shadows the right one in the same way (librocdxg#46, ROCm#3563)",
            mend=("amdgpu-install -y --usecase=wsl,rocm --no-dkms",
                  "or build librocdxg (github.com/ROCm/librocdxg) and: export HSA_ENABLE_DXG_DETECTION=1"),
        )  # fmt: skip
    else:
        yield failure(
            "no ROCm for WSL2 is installed", why="programs need librocdxg.so beside libhsa-runtime64.so", rank=9,
            mend=("amdgpu-install -y --usecase=wsl,rocm --no-dkms",),
        )  # fmt: skip


def _rocr4wsl(machine: Machine) -> bool:
    """The package of the older way is installed."""
    try:
        return "\nPackage: hsa-runtime-rocr4wsl-amdgpu\n" in "\n" + (
            text(machine.system, "/var/lib/dpkg/status", 1 << 25) or ""
        )
    except OSError:
        return False


@check("wsl-vendor", "the GPU of Windows is AMD's")
def wsl_vendor(machine: Machine) -> Iterator[Result]:
    """By the folders of Windows' drivers that WSL shows."""
    if not machine.fact(wsl):
        return
    names = [each.lower() for each in listed(machine.system, _DRIVERS)]
    displays = [each for each in names if re.match(r"(u0\d|amd|nv|iigd|ki0|c0\d)", each)]
    if displays and all(each.startswith(("nv", "iigd")) for each in displays):
        yield unknown(f"Windows shows drivers of other makers alone ({displays[0]})", why="ROCm needs a GPU of AMD")
