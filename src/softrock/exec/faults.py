"""What ended a launch: the runtime's fault records in Python's terms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class FaultKind(IntEnum):
    """Why a launch was ended; see ``SR_FAULT_*`` in api.h."""

    NONE = 0
    MEMORY = 1
    TRAP = 2
    BAD_PC = 3
    UNSUPPORTED = 4
    ABORTED = 5
    ARITHMETIC = 6
    ILLEGAL = 7
    STACK = 8
    COPY = 9
    NO_MEMORY = 10
    MISUSE = 11


class Access(IntEnum):
    """What a faulting instruction did to the address."""

    UNKNOWN = 0
    READ = 1
    WRITE = 2
    EXECUTE = 3


class WaveState(IntEnum):
    """What a wave was doing when its launch was ended."""

    RUNNING = 0
    BARRIER = 1
    READY = 2
    """Suspended in a yield, or able to go on."""
    UNSTARTED = 3


@dataclass(frozen=True, slots=True)
class WaveAt:
    """Where a wave was when its launch was ended. `host_pc` lies in the launch's code, or is 0 if that is
    not known."""

    host_pc: int
    group: tuple[int, int, int]
    wave_id: int
    state: WaveState
    worker: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What ended a launch (or a copy of the queue).

    Attributes:
        kind: why.
        access: for MEMORY and COPY what was done to `address`.
        code: trap id (TRAP), the translator's code (UNSUPPORTED), the reason given (ABORTED).
        signal: host signal number, 0 if none.
        address: the address touched, or the target of BAD_PC; None where the host does not tell it
            (addresses that are not canonical).
        host_pc: where the host processor was.
        code_pc: the innermost address within the launch's translated code, 0 if none: look it up in the
            line maps. For a faulting instruction it is that instruction; for a call the return address.
        gpu_pc: where the translated code said it itself, else 0.
        fn, user: as in the launch.
        seq: number of the packet in its queue.
        group, wave_id: the wave.
        kernel: name (at most 191 bytes).
        waves: for launches that were interrupted, where every wave that was resident stood.
    """

    kind: FaultKind
    access: Access
    code: int
    signal: int
    address: int | None
    host_pc: int
    code_pc: int
    gpu_pc: int
    fn: int
    user: int
    seq: int
    group: tuple[int, int, int]
    wave_id: int
    kernel: str
    worker: int
    waves: tuple[WaveAt, ...] = ()


def fault_of(ffi: Any, lib: Any, queue: Any) -> Fault | None:
    """The fault of a native queue, None if it is fine."""
    raw = ffi.new("sr_fault *")
    if not lib.sr_queue_fault(queue, raw):
        return None
    count = lib.sr_queue_waves(queue, ffi.NULL, 0)
    waves = ffi.new("sr_wave_at[]", count or 1)
    count = min(count, lib.sr_queue_waves(queue, waves, count))
    return Fault(
        kind=FaultKind(raw.kind),
        access=Access(raw.access),
        code=raw.code,
        signal=raw.signal,
        address=raw.address if raw.address_known else None,
        host_pc=raw.host_pc,
        code_pc=raw.code_pc,
        gpu_pc=raw.gpu_pc,
        fn=raw.fn,
        user=raw.user,
        seq=raw.seq,
        group=(raw.group[0], raw.group[1], raw.group[2]),
        wave_id=raw.wave_id,
        kernel=ffi.string(raw.kernel).decode(errors="replace"),
        worker=raw.worker,
        waves=tuple(
            WaveAt(
                each.host_pc,
                (each.group[0], each.group[1], each.group[2]),
                each.wave_id,
                WaveState(each.state),
                each.worker,
            )
            for each in (waves[i] for i in range(count))
        ),
    )


def describe(fault: Fault) -> str:
    """One sentence for a fault, without source positions (those are in the code's line maps)."""
    place = f"kernel {fault.kernel or hex(fault.fn)}, workgroup {fault.group}, wave {fault.wave_id}"
    address = "an address that is not canonical" if fault.address is None else f"address {fault.address:#x}"
    access = {Access.READ: "read from", Access.WRITE: "write to", Access.EXECUTE: "execution at"}.get(
        fault.access, "access to"
    )
    match fault.kind:
        case FaultKind.MEMORY:
            return f"memory access fault: {access} {address} in {place}"
        case FaultKind.COPY:
            return f"memory access fault: {access} {address} in a copy or fill"
        case FaultKind.TRAP:
            return f"trap {fault.code} in {place}"
        case FaultKind.BAD_PC:
            return f"jump to {address}, where no function of the code object is, in {place}"
        case FaultKind.UNSUPPORTED:
            return f"unsupported instruction (code {fault.code}) at {fault.gpu_pc:#x} reached in {place}"
        case FaultKind.ABORTED:
            return f"kernel {fault.kernel or hex(fault.fn)} was ended"
        case FaultKind.STACK:
            return f"host stack overflow in {place}"
        case FaultKind.NO_MEMORY:
            return f"the host has no memory for the stacks, LDS and scratch of kernel {fault.kernel}"
        case FaultKind.MISUSE:
            return f"barrier in a launch that was not started with fibers in {place}"
        case _:
            return f"host signal {fault.signal} at {fault.host_pc:#x} in {place}"
