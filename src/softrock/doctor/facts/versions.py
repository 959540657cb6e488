"""Versions of releases, kernels and packages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from softrock.doctor.facts.reading import line
from softrock.doctor.registry import Machine
from softrock.system.interface import listed, target

_NUMBERS = re.compile(r"(\d{1,5})\.(\d{1,5})")
_FIRMWARE = re.compile(
    r"^(?:linux-firmware|amd-gpu-firmware|firmware-amd-graphics|linux-firmware-amdgpu|kernel-firmware-amdgpu)"
    r" (\S{1,80})",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Release:
    """A driver release and the ROCm release it came with."""

    driver: str
    rocm: tuple[int, int]
    months: int


def pair(text: str) -> tuple[int, int] | None:
    """The first two numbers of a version: 6.8.0-49-generic is (6, 8)."""
    found = _NUMBERS.search(text)
    return (int(found[1]), int(found[2])) if found else None


def rows(name: str) -> list[list[str]]:
    """Cells of a table of this package, without comments and heading."""
    told = (resources.files("softrock.doctor") / "data" / name).read_text(encoding="utf-8").splitlines()
    return [each.split("\t") for each in told if each and not each.startswith("#")][1:]


@cache
def releases() -> tuple[Release, ...]:
    """Driver releases, oldest first."""
    made = []
    for driver, rocm, date in rows("drivers.tsv"):
        year, month = date.split("-")
        made.append(Release(driver, pair(rocm) or (0, 0), int(year) * 12 + int(month)))
    return tuple(made)


@cache
def first_kernels() -> dict[str, tuple[int, int]]:
    """The first Linux release for a target."""
    return {gfx: pair(linux) or (0, 0) for gfx, linux in rows("kernels.tsv")}


def rocm_installed(machine: Machine) -> dict[str, tuple[int, int]]:
    """ROCm installations under /opt by folder, links left out: their first two numbers, from .info/version."""
    found = {}
    names = [each for each in listed(machine.system, "/opt") if re.fullmatch(r"rocm(-[0-9][0-9.]{0,15})?", each)]
    for name in names:
        if (target(machine.system, f"/opt/{name}") or "").removeprefix("/opt/") not in names:
            told = pair(line(machine.system, f"/opt/{name}/.info/version"))
            if told:
                found[f"/opt/{name}"] = told
    return found


def firmware_packages(machine: Machine) -> tuple[str, ...]:
    """Versions of the packages that hold amdgpu's firmware; none where that of amdgpu-dkms goes before them."""
    for name in ("packages-dpkg", "packages-rpm", "packages-pacman"):
        told = machine.system.run(name)
        if told.status == 0 and re.search(r"^amdgpu-dkms-firmware ", told.text, re.MULTILINE):
            return ()
        if told.status == 0:
            return tuple(_FIRMWARE.findall(told.text))
    return ()
