"""Power and heat"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.doctor.facts import Gpu, container, driven
from softrock.doctor.facts.reading import line, number
from softrock.doctor.registry import Machine, Result, check, limit, ok, warning
from softrock.system.interface import listed

_CLOSE = 5
"""Degrees below the critical temperature that are too close."""


def _sensors(machine: Machine, card: Gpu) -> str:
    """The GPU's folder of sensors; empty where it has none."""
    names = [each for each in listed(machine.system, f"{card.path}/hwmon") if re.fullmatch(r"hwmon\d{1,4}", each)]
    return f"{card.path}/hwmon/{names[0]}" if names else ""


@check("power-limit", "no GPU's power is limited below its default")
def power_limit(machine: Machine) -> Iterator[Result]:
    """The power cap against the card's default."""
    for each in machine.fact(driven):
        folder = _sensors(machine, each)
        if not folder:
            continue
        cap, usual = (number(machine.system, f"{folder}/power1_cap{tail}") for tail in ("", "_default"))
        if not cap or not usual or cap < 0 or usual <= 0:
            continue
        told = f"{each.title}: power is limited to {cap / 1e6:.0f} W; {usual / 1e6:.0f} W is the default"
        if cap >= usual * 0.95:
            yield ok(f"{each.title}: power limit {cap / 1e6:.0f} W", gpu=each.address)
            continue
        yield (limit if cap < usual * 0.7 else warning)(
            told, why="it clocks lower under load", gpu=each.address, rank=47,
            mend=(f"echo {usual} | sudo tee {folder}/power1_cap",) if _safe(folder) else (),
        )  # fmt: skip


def _safe(path: str) -> bool:
    """A path that may stand in a command: made of an address and a number that were checked."""
    return re.fullmatch(r"/sys/bus/pci/devices/[0-9a-f:.]{12,16}/hwmon/hwmon\d{1,4}", path) is not None


@check("performance-level", "no GPU is kept at low clocks")
def performance_level(machine: Machine) -> Iterator[Result]:
    """power_dpm_force_performance_level."""
    for each in machine.fact(driven):
        level = line(machine.system, f"{each.path}/power_dpm_force_performance_level")
        if level in ("low", "profile_min_sclk", "profile_min_mclk"):
            yield limit(
                f"{each.title}: the performance level is {level}", why="the clocks stay at their lowest", rank=34,
                mend=(f"echo auto | sudo tee {each.path}/power_dpm_force_performance_level",), gpu=each.address,
            )  # fmt: skip
        elif level:
            yield ok(f"{each.title}: performance level {level}", gpu=each.address)


@check("temperature", "no GPU is close to its critical temperature")
def temperature(machine: Machine) -> Iterator[Result]:
    """All sensors that have a critical temperature."""
    for each in machine.fact(driven):
        folder = _sensors(machine, each)
        hottest = ""
        for name in listed(machine.system, folder) if folder else ():
            matched = re.fullmatch(r"(temp\d{1,2})_input", name)
            if matched is None:
                continue
            now, critical = (number(machine.system, f"{folder}/{matched[1]}_{tail}") for tail in ("input", "crit"))
            label = line(machine.system, f"{folder}/{matched[1]}_label") or matched[1]
            if now is None or not critical or critical < 40_000:
                continue
            if now > critical - _CLOSE * 1000:
                hottest = f"{label} has {now / 1000:.0f} °C, {critical / 1000:.0f} °C is critical"
        if hottest:
            yield warning(
                f"{each.title}: {hottest}", why="it slows down, and switches off when it gets hotter", rank=36,
                mend=("clean the fans and check the airflow",), gpu=each.address,
            )  # fmt: skip


@check("pcie-width", "each card has all lanes of its slot")
def pcie_width(machine: Machine) -> Iterator[Result]:
    """Lanes now against those that the card has; the speed is not looked at because it drops when a card is idle."""
    if machine.fact(container):
        return
    for each in machine.fact(driven):
        if each.integrated:
            continue
        now, most = (number(machine.system, f"{each.path}/{which}_link_width") for which in ("current", "max"))
        if not now or not most or now >= most or not 0 < now <= 32:
            continue
        yield warning(
            f"{each.title}: {now} of {most} PCIe lanes", why="copies to and from the card take longer", rank=49,
            mend=("use the slot next to the CPU, seat the card anew, and look for M.2 slots that share its lanes",),
            gpu=each.address,
        )  # fmt: skip
