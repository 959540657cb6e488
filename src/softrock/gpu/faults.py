"""What the user reads when a kernel faults: the driver's words, then kernel, place, instruction and source line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.exec import runtime as engine
from softrock.gpu.device import Fault

if TYPE_CHECKING:
    from softrock.gpu.software import SoftwareDevice, Translation

TIMEOUT = 1
"""Reason given to the engine when SOFTROCK_TIMEOUT has passed."""
_PAGE = 4096
_MOST_WAVES = 16
EXIT = 2
"""Reason given to the engine when the process ends while kernels run."""
_ASSERTIONS = ("__assert_fail", "__assertfail", "__sr_assertion_failed")
"""Device functions in which a failed `assert` traps, after it has printed its message."""

_KINDS = {
    engine.FaultKind.MEMORY: "memory",
    engine.FaultKind.COPY: "memory",
    engine.FaultKind.BAD_PC: "memory",
    engine.FaultKind.TRAP: "trap",
    engine.FaultKind.UNSUPPORTED: "unsupported",
    engine.FaultKind.NO_MEMORY: "resources",
}


def explain(found: engine.Fault, function: Translation | None, device: SoftwareDevice) -> Fault:
    """Turn the engine's fault into what the user needs.

    Args:
        found: what the engine recorded.
        function: the kernel that ran, None where it is not known (copies).
        device: where it ran.
    """
    kind = _KINDS.get(found.kind, "other")
    if found.kind is engine.FaultKind.ABORTED:
        kind = {TIMEOUT: "timeout", EXIT: "exit"}.get(found.code, "other")
    if found.kind is engine.FaultKind.TRAP and _in_assertion(found, function):
        kind = "assert"
    lines = [_headline(found, kind, device)]
    if found.kernel:
        place = _block(found.group, function)
        lines.append(f"  kernel {found.kernel} ({device.facts.target}), {place}, wave {found.wave_id}")
    # Where a helper was running, the address found is the one it returns to: the call stands before it.
    code_pc = found.code_pc - (found.code_pc != found.host_pc)
    lines += _place(code_pc, found.gpu_pc, function, found.kind)
    lines += _waves(found, function)
    return Fault(kind, "\n".join(lines))


def _block(group: tuple[int, int, int], function: Translation | None) -> str:
    """A workgroup of a native launch, or those of the user's launch that it stands for."""
    x, y, z = group
    rows = 1 if function is None else function.rows
    if rows == 1:
        return f"block ({x}, {y}, {z})"
    return f"one of blocks ({x}, {y * rows}, {z}) to ({x}, {y * rows + rows - 1}, {z})"


def _headline(found: engine.Fault, kind: str, device: SoftwareDevice) -> str:
    if found.kind in (engine.FaultKind.MEMORY, engine.FaultKind.COPY):
        access = {engine.Access.READ: "read", engine.Access.WRITE: "write"}.get(found.access, "access")
        address, exact = "an address that is not canonical", ""
        if found.address is not None:
            address = f"address {found.address & -_PAGE:#x}"
            exact = f"\n  {access} at {found.address:#x}: {device.near(found.address)}"
        where = " in a copy or fill" if found.kind is engine.FaultKind.COPY else ""
        return (
            f"Memory access fault by GPU node-{device.index + 1} (software) on {address}{where}. "
            f"Reason: Page not present or supervisor privilege.{exact}"
        )
    if kind == "timeout":
        return "softrock: a kernel ran longer than SOFTROCK_TIMEOUT allows and was ended"
    if kind == "exit":
        return "softrock: a kernel still ran when the program ended, and was ended with it"
    if kind == "assert":
        return "softrock: an assertion failed on the device"
    return f"softrock: {engine.describe(found)}"


def _place(code_pc: int, gpu_pc: int, function: Translation | None, kind: engine.FaultKind) -> list[str]:
    text = locate(code_pc, gpu_pc, function)
    lines = [f"  at {text}"] if text else []
    if kind is engine.FaultKind.MEMORY and "`scratch_" in text and function:
        room = function.prepared.scratch_lane_bytes
        lines.append(f"  beyond the {room} bytes of private memory of a thread; do functions call themselves too deep?")
    return lines


def locate(code_pc: int, gpu_pc: int, function: Translation | None) -> str:
    """The GPU instruction and the source line behind a host address; empty where nothing is known.

    Args:
        code_pc: host address within the translated code, 0 if unknown.
        gpu_pc: address in the code object where the translated code told it itself, else 0.
        function: the kernel.
    """
    if function is None:
        return ""
    address = gpu_pc or (function.prepared.gpu_pc(code_pc) if code_pc else None)
    if not address:
        return ""
    parts = [f"{address:#x}"]
    text = function.prepared.text_at(address)
    if text:
        parts.append(f"`{text}`")
    line = function.module.source_of(address)
    if line:
        parts.append(f"({line})")
    return " ".join(parts)


def _in_assertion(found: engine.Fault, function: Translation | None) -> bool:
    if function is None:
        return False
    address = found.gpu_pc or function.prepared.gpu_pc(found.code_pc)
    inside = function.module.code.function_at(address) if address else None
    return inside is not None and any(name in inside.name for name in _ASSERTIONS)


def _waves(found: engine.Fault, function: Translation | None) -> list[str]:
    lines = []
    for wave in found.waves[:_MOST_WAVES]:
        place = locate(wave.host_pc, 0, function)
        state = wave.state.name.lower()
        block = _block(wave.group, function)
        lines.append(f"  {block} wave {wave.wave_id}: {state}" + (f" at {place}" if place else ""))
    if len(found.waves) > _MOST_WAVES:
        lines.append(f"  and {len(found.waves) - _MOST_WAVES} more waves")
    return lines
