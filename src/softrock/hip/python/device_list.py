"""Devices from Python."""

from __future__ import annotations

from dataclasses import dataclass

from softrock.hip import state


@dataclass(frozen=True, slots=True)
class Device:
    """One visible device.

    Attributes:
        index: its number, as `set_device` takes it.
        name: e.g. ``AMD Instinct MI300X (software)``.
        target: e.g. ``gfx942``.
        warp_size: lanes of a wave that HIP programs see.
        backend: ``software`` or ``hardware``.
        total_memory: bytes.
    """

    index: int
    name: str
    target: str
    warp_size: int
    backend: str
    total_memory: int


def devices() -> list[Device]:
    """The visible devices in order."""
    out = []
    for index, each in enumerate(state.runtime().devices):
        facts = each.device.facts
        out.append(
            Device(index, facts.name, facts.target, facts.wave_size, each.device.backend, each.device.memory()[1])
        )
    return out


def set_device(index: int) -> None:
    """Choose the calling thread's device.

    Raises:
        HipError: hipErrorInvalidDevice.
    """
    state.set_device(index)


def synchronize() -> None:
    """Wait for all work of the current device.

    Raises:
        HipError: a kernel has faulted.
    """
    from softrock.hip import streams

    streams.synchronize_device()
