"""ROCm"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from softrock.codeobj.targets import GENERIC
from softrock.doctor.checks.environment import effective, fitting
from softrock.doctor.facts import Gpu, driven
from softrock.doctor.facts.reading import line
from softrock.doctor.registry import Machine, Result, check, limit, ok, warning
from softrock.doctor.text import clean
from softrock.system.interface import System, listed, target

_FOLDER = re.compile(r"rocm(-[0-9][0-9.]{0,15})?")
_CORE = ("libamdhip64.so", "libhsa-runtime64.so", "libamd_comgr.so")
_TARGET = re.compile(r"_(?:fallback_)?(gfx[0-9a-f]{3,5}(?:-generic)?)(?:[:_.](?:xnack|sramecc)[+-])*\.(?:dat|co)$|-(gfx[0-9a-f]{3,5})\.hsaco$")  # noqa: E501
_PACKAGES = re.compile(
    r"^(rocm-core|rocm-runtime|rocm-hip|hip-runtime-amd|hsa-rocr|hsakmt|libamdhip64-\d|libhsa-runtime64-\d|rocblas|"
    r"librocblas\d*|rocm-hip-runtime|rocm-clr) (\S{1,60})",
    re.MULTILINE,
)
_PLACES = ("/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib")


@dataclass(frozen=True)
class Install:
    """A ROCm installation.

    Attributes:
        kind: "folder" under /opt, "distribution", "wheel" or "conda".
        path: its root folder.
        libraries: folder of its libraries.
        version: as it tells it; empty where it does not.
        missing: libraries without which no program runs.
        targets: what rocBLAS has kernels for; empty where there is no rocBLAS, or it does not tell.
    """

    kind: str
    path: str
    libraries: str
    version: str
    missing: tuple[str, ...] = ()
    targets: frozenset[str] = frozenset()


def site_packages(machine: Machine) -> tuple[str, ...]:
    """Folders of Python packages around: VIRTUAL_ENV, CONDA_PREFIX, the running Python, the user's, the system's."""
    system, variables = machine.system, machine.system.environment
    home = variables.get("HOME", "/root").rstrip("/")
    roots = [variables.get("VIRTUAL_ENV", ""), variables.get("CONDA_PREFIX", ""), f"{home}/.local", "/opt/venv",
             "/opt/conda", "/usr/local", "/usr"]  # fmt: skip
    found = [each for each in variables.get("PYTHONPATH", "").split(":") if each.startswith("/")]
    if machine.live:
        found += [each for each in sys.path if each.endswith(("site-packages", "dist-packages"))]
    for root in roots:
        if root.startswith("/"):
            for lib in ("lib", "lib64"):
                for name in listed(system, f"{root}/{lib}"):
                    if re.fullmatch(r"python3(\.\d{1,2})?", name):
                        found += [f"{root}/{lib}/{name}/{each}" for each in ("site-packages", "dist-packages")]
    kept: list[str] = []
    for each in map(posixpath.normpath, found):
        if each not in kept and listed(system, each):
            kept.append(each)
    return tuple(kept)


def packages(machine: Machine) -> dict[str, dict[str, str]]:
    """Python packages by folder: normalised names with versions, from the names of their metadata folders."""
    found: dict[str, dict[str, str]] = {}
    for folder in machine.fact(site_packages):
        for name in listed(machine.system, folder):
            at = re.fullmatch(r"([A-Za-z0-9_.]{1,100})-([0-9][A-Za-z0-9_.+!]{0,80})\.(dist-info|egg-info)", name)
            if at:
                found.setdefault(folder, {})[re.sub(r"[-_.]+", "-", at[1]).lower()] = at[2]
    return found


def targets_in(system: System, libraries: str) -> frozenset[str]:
    """What rocBLAS beside a folder of libraries has kernels for, by the names of its files."""
    found = set()
    for name in listed(system, f"{libraries}/rocblas/library"):
        at = _TARGET.search(name)
        if at:
            found.add(at[1] or at[2])
    return frozenset(found)


def missing(system: System, libraries: str) -> tuple[str, ...]:
    """Of the libraries that every program needs, those that a folder has not."""
    names = listed(system, libraries)
    return tuple(each for each in _CORE if not any(name == each or name.startswith(f"{each}.") for name in names))


def installs(machine: Machine) -> tuple[Install, ...]:
    """All ROCm installations; links to others are left out."""
    system = machine.system
    found = []
    for name in listed(system, "/opt"):
        path = f"/opt/{name}"
        if _FOLDER.fullmatch(name) and target(system, path) is None and listed(system, path):
            lib = f"{path}/lib"
            version = line(system, f"{path}/.info/version")
            found.append(Install("folder", path, lib, version, missing(system, lib), targets_in(system, lib)))
    for path in _PLACES:
        names = listed(system, path)
        if any(each.startswith("libamdhip64.so.") for each in names):
            version = next((told for _, told in distributed(machine)), "")
            found.append(
                Install("distribution", path, path, version, missing(system, path), targets_in(system, path))
            )
    for folder, known in machine.fact(packages).items():
        if "rocm-sdk-core" in known:
            core, libraries = f"{folder}/_rocm_sdk_core/lib", f"{folder}/_rocm_sdk_libraries"
            has = targets_in(system, f"{libraries}/lib")
            lacks = tuple(each for each in missing(system, core) if each != "libamd_comgr.so")
            found.append(Install("wheel", folder, core, known["rocm-sdk-core"], lacks, has))
    prefix = system.environment.get("CONDA_PREFIX", "")
    if prefix.startswith("/") and any(each.startswith("libamdhip64.so") for each in listed(system, f"{prefix}/lib")):
        lib = f"{prefix}/lib"
        found.append(Install("conda", prefix, lib, "", missing(system, lib), targets_in(system, lib)))
    return tuple(found)


def distributed(machine: Machine) -> tuple[tuple[str, str], ...]:
    """ROCm's packages of the distribution: name and version."""
    for name in ("packages-dpkg", "packages-rpm", "packages-pacman"):
        told = machine.system.run(name)
        if told.status == 0 and told.text:
            return tuple(_PACKAGES.findall(told.text))
    return ()


def covers(targets: frozenset[str], gfx: str) -> bool:
    """Whether code for some targets runs on another, generic ones included."""
    return gfx in targets or any(gfx in GENERIC.get(each, ()) for each in targets)


def get_target(gpu: Gpu) -> tuple[str, ...]:
    """How to come by ROCm for a GPU whose target libraries lack."""
    fits = fitting(gpu.gfx)
    url = f"https://rocm.nightlies.amd.com/v2/{index(gpu.gfx)}/"
    wheels = f"python -m pip install --index-url {url} 'rocm[libraries]'"
    override = (f"or, as a stopgap: export HSA_OVERRIDE_GFX_VERSION={fits}  # code for another target",) if fits else ()
    return (f"{wheels}  # holds {gpu.gfx}", *override)


_INDEX = {
    "gfx110X-all": ("gfx1100", "gfx1101", "gfx1102", "gfx1103"), "gfx120X-all": ("gfx1200", "gfx1201"),
    "gfx94X-dcgpu": ("gfx942",), "gfx950-dcgpu": ("gfx950",), "gfx90X-dcgpu": ("gfx908", "gfx90a"),
    "gfx103X-dgpu": ("gfx1030", "gfx1031", "gfx1032", "gfx1034"),
}  # fmt: skip
"""Folders of ROCm's wheels (TheRock, RELEASES.md; written from memory, not looked up)."""


def index(gfx: str) -> str:
    """The folder of ROCm's wheels for a target."""
    return next((name for name, members in _INDEX.items() if gfx in members), gfx)


@check("rocm-found", "ROCm is installed")
def rocm_found(machine: Machine) -> Iterator[Result]:
    """All installations, with their versions."""
    if not machine.fact(driven):
        return
    found = machine.fact(installs)
    for each in found:
        told = clean(each.version, 40) or "of unknown version"
        has = f", rocBLAS for {', '.join(sorted(each.targets))}" if each.targets else ""
        yield ok(f"ROCm {told} ({each.kind}) in {each.path}{has}")
    if not found:
        yield ok("no ROCm is installed; frameworks that bring their own runtime do not need it")
    names = ", ".join(f"{name} {told}" for name, told in distributed(machine)[:8])
    if names:
        yield ok(f"packages of the distribution: {names}")


@check("rocm-complete", "installations of ROCm are whole")
def rocm_complete(machine: Machine) -> Iterator[Result]:
    """The libraries that every program needs."""
    if not machine.fact(driven):
        return
    for each in machine.fact(installs):
        if each.missing and listed(machine.system, each.libraries):
            yield warning(
                f"ROCm in {each.path} lacks {', '.join(each.missing)}", rank=45,
                why="programs that are linked with it do not start",
                mend=("install the package rocm-hip-runtime (or rocm) of the same version",),
            )  # fmt: skip


@check("rocm-targets", "ROCm's libraries hold code for the GPU")
def rocm_targets(machine: Machine) -> Iterator[Result]:
    """Names of rocBLAS' kernel files against the targets of the GPUs, an override counted in."""
    found = [each for each in machine.fact(installs) if each.targets and each.kind != "wheel"]
    cards = [each for each in machine.fact(driven) if each.gfx and each.node is not None]
    beside = any(not each.integrated for each in cards)
    for gpu in cards:
        lacking = [each for each in found if not covers(each.targets, effective(machine, gpu))]
        for each in lacking:
            alone = gpu.address if len(cards) > 1 else ""
            told = f"rocBLAS of {each.path} has no kernels for {effective(machine, gpu)} ({gpu.title})"
            if (gpu.integrated and beside) or len(lacking) < len(found):
                yield ok(f"{told}; another installation or GPU serves", gpu=alone)
                continue
            yield limit(
                told, rank=34, gpu=alone, mend=get_target(gpu),
                why="programs stop with: Cannot read TensileLibrary.dat, or no compatible code objects found",
            )  # fmt: skip
