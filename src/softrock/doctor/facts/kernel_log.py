"""The kernel's log of this boot."""

from __future__ import annotations

from dataclasses import dataclass

from softrock.doctor.registry import Machine
from softrock.doctor.text import clean


@dataclass(frozen=True)
class Log:
    """The kernel's log.

    Attributes:
        lines: oldest first, fit to be printed.
        source: ``dmesg`` or ``journalctl``; empty where the log is closed.
        refusal: what the tools said then.
    """

    lines: tuple[str, ...] = ()
    source: str = ""
    refusal: str = ""


def kernel_log(machine: Machine) -> Log:
    """The kernel's log, from dmesg, or journalctl where that is closed to users."""
    refusal = ""
    for name, source in (("dmesg", "dmesg"), ("journal", "journalctl")):
        told = machine.system.run(name)
        lines = [each for each in told.text.split("\n") if each.strip() and not each.startswith("-- ")]
        if told.status == 0 and lines:  # journalctl says "-- No entries --" to users that may not look
            return Log(tuple(clean(each, 400) for each in lines), source)
        if told.error and told.found:
            refusal = clean(told.error.strip(), 200)
    return Log(refusal=refusal or "neither dmesg nor journalctl is there")
