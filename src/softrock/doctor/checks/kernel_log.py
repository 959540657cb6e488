"""Kernel log"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from softrock.doctor import mends
from softrock.doctor.facts import Gpu, container, gpus, kernel_log, wsl
from softrock.doctor.registry import Machine, Result, check, failure, limit, not_applicable, ok, unknown, warning

_ADDRESS = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b")
_DEVICE = re.compile(r"\b1002:([0-9a-f]{4})\b", re.IGNORECASE)
_ABOUT = re.compile(r"amdgpu|kfd|gfxhub|mmhub|MES |unsigned|module|VM_L2|RAS|PCI rejects", re.IGNORECASE)
_MAKE: dict[str, Callable[..., Result]] = {"failure": failure, "limit": limit, "warning": warning}


@dataclass(frozen=True)
class Sign:
    """A row of kernel_log.toml."""

    id: str
    pattern: re.Pattern[str]
    verdict: str
    what: str
    why: str
    rank: int = 50
    gone: bool = False
    mend: tuple[str, ...] = ()


@cache
def signs() -> tuple[Sign, ...]:
    """What to look for."""
    told = (resources.files("softrock.doctor") / "data" / "kernel_log.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(told)
    return tuple(
        Sign(
            name, re.compile(row["pattern"], re.IGNORECASE), row["verdict"], row["what"], row["why"], row["rank"],
            row.get("gone", False), tuple(row.get("mend", ())),
        )
        for name, row in rows.items()
    )  # fmt: skip


def matches(machine: Machine) -> tuple[tuple[Sign, str, int, str], ...]:
    """Signs in the log: sign, PCI address of the GPU (or ""), how many lines, the last of them."""
    found: dict[tuple[str, str], tuple[Sign, int, str]] = {}
    for line in machine.fact(kernel_log).lines:
        if not _ABOUT.search(line):
            continue
        for sign in signs():
            if sign.pattern.search(line):
                told = _ADDRESS.search(line)
                key = (sign.id, told[0] if told else _by_device(machine, line))
                found[key] = (sign, found.get(key, (sign, 0, ""))[1] + 1, line)
                break
    return tuple((sign, address, number, last) for (_, address), (sign, number, last) in found.items())


def _by_device(machine: Machine, line: str) -> str:
    """PCI address of the one GPU whose device id a line names; empty where it names none, or one of several alike."""
    told = _DEVICE.search(line)
    cards = [each.address for each in machine.fact(gpus) if told and each.device == int(told[1], 16)]
    return cards[0] if len(cards) == 1 else ""


@check("kernel-log", "the kernel's log tells of no trouble with a GPU")
def log(machine: Machine) -> Iterator[Result]:
    """What the log says of GPUs: one result for each kind of trouble and GPU."""
    cards = machine.fact(gpus)
    if not cards or machine.fact(wsl):
        return
    told = machine.fact(kernel_log)
    if not told.lines and machine.fact(container):
        yield not_applicable("the kernel's log is not for containers: look at it on the host")
        return
    if not told.lines:
        yield unknown(
            f"the kernel's log cannot be read: {told.refusal}", why="resets, faults and refused modules stand there",
            mend=("sudo usermod -aG adm,systemd-journal $USER   # or run: sudo dmesg",),
        )  # fmt: skip
        return
    by_address = {each.address: each for each in cards}
    found = matches(machine)
    for sign, address, number, last in found:
        card = by_address.get(address)
        if sign.gone and _works(cards, card):
            continue
        times = f"{number} times" if number > 1 else "once"
        where = f"{card.title}: " if card else ""
        mend: list[str] = []
        for each in sign.mend:
            mend += mends.firmware(machine) if each == "firmware" else (each,)
        yield _MAKE[sign.verdict](
            f"{where}{sign.what} ({times}; last: {last})", why=sign.why, mend=mend, rank=sign.rank,
            gpu=card.address if card else "",
        )  # fmt: skip
    if not found:
        yield ok(f"nothing about GPUs in {len(told.lines)} lines of {told.source}")


def _works(cards: tuple[Gpu, ...], card: Gpu | None) -> bool:
    """The GPU that a line is about, or all where it names none, is a compute device now."""
    return card.node is not None if card else all(each.node is not None for each in cards)
