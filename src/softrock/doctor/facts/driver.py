"""The kernel driver: which module, of what version, loaded or not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from softrock.doctor.facts.reading import line
from softrock.doctor.registry import Machine
from softrock.doctor.text import clean
from softrock.system.interface import exists

_FIELD = re.compile(r"([a-z]+):\s+(.*)")


@dataclass(frozen=True)
class Driver:
    """The amdgpu driver.

    Attributes:
        loaded: it runs.
        initialised: and finished loading.
        version: of the running module, ``6.8.5``; in-tree drivers have none.
        file: the module that modprobe would load, empty where there is none; ``(builtin)`` where it is in the kernel.
        file_version: its version.
        signer: who signed it.
        source_version, file_source_version: fingerprints of the running module's sources and of the file's.
        dkms: lines of ``dkms status`` that name amdgpu.
    """

    loaded: bool = False
    initialised: bool = False
    version: str = ""
    file: str = ""
    file_version: str = ""
    signer: str = ""
    source_version: str = ""
    file_source_version: str = ""
    dkms: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``dkms`` or ``in-tree``; empty where that is not known."""
        if re.search(r"/(updates|extra|weak-updates)/", self.file) or (self.version and self.loaded):
            return "dkms"
        return "in-tree" if self.file else ""


def driver(machine: Machine) -> Driver:
    """The amdgpu driver of a machine."""
    system = machine.system
    told: dict[str, str] = {}
    asked = system.run("module-amdgpu")
    for each in asked.text.splitlines() if asked.status == 0 else ():
        matched = _FIELD.fullmatch(each.strip())
        if matched:
            told.setdefault(matched[1], clean(matched[2].strip(), 300))
    made = system.run("dkms")
    module = "/sys/module/amdgpu"
    return Driver(
        exists(system, module),
        line(system, f"{module}/initstate") in ("live", ""),
        line(system, f"{module}/version"),
        told.get("filename", ""),
        told.get("version", ""),
        told.get("signer", ""),
        line(system, f"{module}/srcversion"),
        told.get("srcversion", ""),
        tuple(clean(each, 300) for each in made.text.splitlines() if each.startswith("amdgpu")),
    )
