"""Devices: how many, which, and what they are."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from softrock.hip import hidden, state
from softrock.hip.errors import HipError

RUNTIME_VERSION = 70253211
"""What hipRuntimeGetVersion reports: HIP 7.2 in its form major * 10^7 + minor * 10^5 + patch."""
DRIVER_VERSION = RUNTIME_VERSION

_INT_MAX = 2**31 - 1
STACK_LIMIT = 0
_SCRATCH_LIMITS = (4096, 4097, 4098)
_FLAGS = 0x1F


def count() -> int:
    """How many devices are visible."""
    return len(state.runtime().devices)


def properties(index: int) -> dict[str, Any]:
    """The fields of hipDeviceProp_t by name; absent ones are 0. Sizes in bytes, clocks in kHz."""
    return state.device_state(index).device.facts.properties


@functools.cache
def _attributes() -> dict[int, tuple[str, str]]:
    text = (Path(__file__).parent / "attributes.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {int(number): (name, source) for number, name, source in rows}


@functools.cache
def _attribute_numbers() -> dict[str, int]:
    return {name: number for number, (name, _) in _attributes().items()}


def attribute(which: int | str, index: int) -> int:
    """A device attribute by number, or by name without ``hipDeviceAttribute``.

    Raises:
        HipError: hipErrorInvalidValue, hipErrorInvalidDevice.
    """
    number = _attribute_numbers().get(which, -1) if isinstance(which, str) else which
    known = _attributes().get(number)
    facts = properties(index)
    if known is None:
        raise HipError("hipErrorInvalidValue", f"device attribute {which} is unknown")
    source = known[1]
    if source.isdecimal():
        return int(source)
    head, _, rest = source.partition(".")
    value = facts.get(head, 0)
    if head == "attributes":
        value = facts.get("attributes", {}).get(rest, 0)
    elif isinstance(value, (tuple, list)):
        value = value[int(rest or 0)]
    return min(int(value), _INT_MAX)


def by_pci_address(text: str) -> int:
    """The device with a PCI address ``domain:bus:device.function``.

    Raises:
        HipError: hipErrorInvalidValue, hipErrorInvalidDevice.
    """
    try:
        parts = [int(part, 16) for part in text.replace(".", ":").split(":")]
    except ValueError:
        raise HipError("hipErrorInvalidValue", f"{text!r} is no PCI address") from None
    if len(parts) == 3:
        parts.insert(0, 0)
    for index in range(count()):
        facts = properties(index)
        if parts[:3] == [facts.get(key, 0) for key in ("pciDomainID", "pciBusID", "pciDeviceID")]:
            return index
    raise HipError("hipErrorInvalidDevice", f"no device stands at {text}")


def pci_address(index: int) -> str:
    """A device's PCI address."""
    facts = properties(index)
    domain, bus, slot = (facts.get(key, 0) for key in ("pciDomainID", "pciBusID", "pciDeviceID"))
    return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


def uuid(index: int) -> bytes:
    """The 16 bytes of a device's UUID."""
    text = str(properties(index).get("uuid", ""))
    return text.removeprefix("GPU-").encode()[:16].ljust(16, b"\0")


def choose(wanted: dict[str, Any]) -> int:
    """The device that meets most of the wanted properties (those that are not 0)."""
    best, score = 0, -1
    for index in range(count()):
        facts = properties(index)
        met = sum(
            1 for key in ("major", "minor", "totalGlobalMem", "multiProcessorCount", "warpSize", "maxThreadsPerBlock")
            if wanted.get(key) and facts.get(key, 0) >= wanted[key]
        )  # fmt: skip
        if met > score:
            best, score = index, met
    return best


# ---- limits, flags, peers ----


def get_limit(number: int) -> int:
    """A limit of the current device, bytes.

    Raises:
        HipError: hipErrorUnsupportedLimit.
    """
    home = state.current()
    if number in hidden.DEFAULTS:
        return hidden.limit(home, number)
    if number == STACK_LIMIT:
        return home.limits.get(number, 1024)
    if number in _SCRATCH_LIMITS:
        return 0
    raise HipError("hipErrorUnsupportedLimit", f"limit {number}")


def set_limit(number: int, value: int) -> None:
    """Set a limit of the current device.

    Raises:
        HipError: hipErrorUnsupportedLimit; hipErrorInvalidValue where the size is out of range or already in use.
    """
    home = state.current()
    ranges = {STACK_LIMIT: (0, 131056), hidden.PRINTF_LIMIT: (1 << 10, 1 << 30), hidden.HEAP_LIMIT: (1 << 12, 1 << 35)}
    if number not in ranges:
        raise HipError("hipErrorUnsupportedLimit", f"limit {number}")
    low, high = ranges[number]
    if not low <= value <= high or (number == hidden.HEAP_LIMIT and hidden.has_heap(home)):
        raise HipError("hipErrorInvalidValue", f"limit {number} cannot be {value} now")
    home.limits[number] = value


def set_flags(flags: int) -> None:
    """Set how the host waits for the current device; only remembered."""
    if flags & ~_FLAGS or (flags & 7) not in (0, 1, 2, 4):
        raise HipError("hipErrorInvalidValue", f"device flags {flags:#x}")
    state.current().flags = flags


def can_access_peer(index: int, peer: int) -> bool:
    """Whether a device may access another's memory: every two devices may."""
    state.device_state(index)
    state.device_state(peer)
    return index != peer


def enable_peer(peer: int, flags: int = 0) -> None:
    """Let the current device access a peer's memory."""
    home = state.current()
    state.device_state(peer)
    if flags or peer == home.index:
        raise HipError("hipErrorInvalidValue" if flags else "hipErrorInvalidDevice")
    if peer in home.peers:
        raise HipError("hipErrorPeerAccessAlreadyEnabled")
    home.peers.add(peer)


def disable_peer(peer: int) -> None:
    """End what :func:`enable_peer` began."""
    home = state.current()
    state.device_state(peer)
    if peer not in home.peers:
        raise HipError("hipErrorPeerAccessNotEnabled")
    home.peers.discard(peer)


def reset() -> None:
    """Free everything of the current device and forget a fault."""
    from softrock.hip import memory

    home = state.current()
    runtime = state.runtime()
    for stream in tuple(home.streams):
        stream.drain()
        stream.queue.clear()
    runtime.sticky = runtime.failure = 0  # the program has seen what happened and starts again
    runtime.changed()
    for allocation in runtime.allocations.of_device(home.index):
        if not allocation.foreign:
            memory.release(allocation.base)
    home.peers.clear()
    home.limits.clear()
