"""Whether this is Windows' Linux."""

from __future__ import annotations

from softrock.doctor.registry import Machine
from softrock.system.interface import exists


def wsl(machine: Machine) -> bool:
    """It is WSL2: its kernel says so, or its paravirtual GPU device is there."""
    release = machine.system.platform[1].lower()
    return "microsoft" in release or exists(machine.system, "/dev/dxg")
