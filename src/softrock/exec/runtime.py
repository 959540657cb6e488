"""The native runtime from Python: queues, launches, events, faults. Thin and typed over ``native/api.h``.

Everything here may be called from any thread. Calls that wait release the GIL and wake up every 50 ms, so
that Ctrl-C gets through. Launches are asynchronous; a kernel's fault is found with `Queue.fault` after
waiting.
"""

from __future__ import annotations

import atexit
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, Final

from softrock.core import settings
from softrock.core.errors import DeviceFault, SoftrockError, UsageError
from softrock.exec import build

FIBER_STACK_BYTES: Final = 1 << 20
"""Host stack of a wave that can be suspended (address space; only touched pages cost memory)."""

KERNARG_LIMIT: Final = 65536

_SLICE: Final = 0.05
"""Seconds a wait stays in C at a time."""


class Flags(IntFlag):
    """How a kernel is run."""

    NONE = 0
    FIBERS = 1
    """The kernel calls sr_barrier or sr_yield."""
    COOPERATIVE = 2
    """All workgroups are resident at once; needs FIBERS."""


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


def _check(result: int, what: str) -> int:
    if result >= 0:
        return result
    if result == -12:
        raise SoftrockError(
            f"the host has no memory left for {what}",
            hint="free memory, raise the limit on address space (ulimit -v), or lower SOFTROCK_THREADS",
        )
    raise UsageError(f"{what}: invalid arguments", hint="check grid, block and argument sizes")


class Launch:
    """A launch, filled in once per kernel and changed from launch to launch; holds the C structure.

    Args:
        fn: host address of ``void kernel(sr_wave *)``.
        name: for reports.
        wave_size: 32 or 64.
        flags: see `Flags`.
        scratch_lane_bytes: scratch of a lane.
        calls: host address of the call table, 0 for none; must stay valid while launches run.
        code: host address range [low, high) of the translated code.
        code_base, user: handed to the kernel and to reports as they are.
        kernel_object: goes into the AQL packet.

    One object must not be changed by two threads at once; queues copy it.
    """

    __slots__ = ("_lds", "_name", "raw", "times")

    def __init__(
        self,
        fn: int,
        name: str = "",
        *,
        wave_size: int = 64,
        flags: Flags = Flags.NONE,
        scratch_lane_bytes: int = 0,
        lds_bytes: int = 0,
        calls: int = 0,
        code: tuple[int, int] = (0, 0),
        code_base: int = 0,
        user: int = 0,
        kernel_object: int = 0,
    ) -> None:
        ffi = runtime().ffi
        self._name = ffi.new("char[]", name.encode())
        self.raw = raw = ffi.new("sr_launch *")
        self.times = ffi.NULL
        raw.fn, raw.name, raw.wave_size, raw.flags = fn, self._name, wave_size, int(flags)
        raw.scratch_lane_bytes, raw.calls, raw.code_base, raw.user = (
            scratch_lane_bytes,
            calls,
            code_base,
            user,
        )
        raw.code_lo, raw.code_hi = code
        raw.kernel_object = kernel_object
        self._lds = raw.lds_bytes = lds_bytes

    def shape(
        self,
        grid: Sequence[int],
        group: Sequence[int],
        *,
        dynamic_lds: int = 0,
        items: Sequence[int] | None = None,
        cooperative: bool = False,
    ) -> None:
        """Set the shape of the next launches.

        Args:
            grid: workgroups in x, y, z.
            group: work-items of a workgroup in x, y, z.
            dynamic_lds: bytes of LDS besides the kernel's own.
            items: work-items of the grid where the last workgroups are partial ones; None for grid * group.
            cooperative: keep all workgroups resident.
        """
        raw = self.raw
        raw.grid, raw.group = list(grid), list(group)
        raw.items = [0, 0, 0] if items is None else list(items)
        raw.lds_bytes = self._lds + dynamic_lds
        if cooperative:
            raw.flags |= int(Flags.COOPERATIVE)
        else:
            raw.flags &= ~int(Flags.COOPERATIVE)

    def timed(self) -> None:
        """Have start and end of every launch from now on written to `times` (two u64, ns of
        CLOCK_MONOTONIC)."""
        self.times = runtime().ffi.new("uint64_t[2]")
        self.raw.times = self.times


class Event:
    """A point in a queue that hosts and other queues can wait for."""

    __slots__ = ("_lib", "raw")

    def __init__(self) -> None:
        self.raw: Any = None
        self._lib = runtime().lib
        self.raw = self._lib.sr_event_new()
        if not self.raw:
            raise SoftrockError("the host has no memory left for an event")

    def done(self) -> bool:
        """Whether everything before the latest record has ended (also true if it was never recorded)."""
        return not self._lib.sr_event_query(self.raw)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the latest record; False if `timeout` seconds passed first."""
        return _sliced(lambda ns: int(self._lib.sr_event_wait(self.raw, ns)), timeout)

    def time_ns(self) -> int:
        """When the latest completed record was reached, ns of CLOCK_MONOTONIC; 0 if none was."""
        return int(self._lib.sr_event_time(self.raw))

    def close(self) -> None:
        """Give the event up. Packets that refer to it are still carried out."""
        if self.raw:
            self._lib.sr_event_free(self.raw)
            self.raw = None

    def __del__(self) -> None:
        self.close()


def _sliced(wait: Callable[[int], int], timeout: float | None) -> bool:
    """Call wait(ns) in slices until it returns 0 or `timeout` seconds have passed."""
    if timeout is None:
        while wait(int(_SLICE * 1e9)):
            pass
        return True
    until = time.monotonic() + timeout
    while wait(int(min(_SLICE, max(0.0, until - time.monotonic())) * 1e9)):
        if time.monotonic() >= until:
            return False
    return True


class Queue:
    """Packets carried out in order, asynchronously. Methods that enqueue return the packet's number in the
    queue."""

    __slots__ = ("_ffi", "_lib", "raw")

    def __init__(self) -> None:
        self.raw: Any = None
        run = runtime()
        self._lib, self._ffi = run.lib, run.ffi
        self.raw = self._lib.sr_queue_new()
        if not self.raw:
            raise SoftrockError("the host has no memory left for a queue")

    def launch(self, launch: Launch, kernarg: bytes | bytearray | memoryview = b"") -> int:
        """Enqueue a kernel; `kernarg` (at most 65536 bytes) is copied.

        Raises:
            UsageError: the shape or the argument size is invalid.
        """
        raw = launch.raw
        if kernarg:
            data = self._ffi.from_buffer(kernarg)
            raw.kernarg, raw.kernarg_bytes = data, len(data)
        else:
            raw.kernarg_bytes = 0
        seq = self._lib.sr_enqueue_launch(self.raw, raw)
        return seq if seq > 0 else _check(seq, "kernel launch")

    def memcpy(self, dst: int, src: int, size: int) -> int:
        """Copy `size` bytes between host addresses (device pointers are host addresses)."""
        return _check(self._lib.sr_enqueue_memcpy(self.raw, dst, src, size), "copy")

    def copy(
        self,
        dst: int,
        src: int,
        width: int,
        height: int = 1,
        depth: int = 1,
        *,
        dst_pitch: int = 0,
        src_pitch: int = 0,
        dst_slice: int = 0,
        src_slice: int = 0,
    ) -> int:
        """Copy a box of `depth` slices of `height` rows of `width` bytes; pitches and slices in bytes."""
        box = self._ffi.new("sr_copy *", [dst, src, width, height, depth, dst_pitch, src_pitch, dst_slice, src_slice])
        return _check(self._lib.sr_enqueue_copy(self.raw, box), "copy")

    def fill(
        self,
        dst: int,
        value: int,
        width: int,
        height: int = 1,
        depth: int = 1,
        *,
        element: int = 1,
        pitch: int = 0,
        slice: int = 0,
    ) -> int:
        """Fill a box with a value of `element` (1, 2 or 4) bytes; `width` counts elements, pitch and slice
        bytes."""
        box = self._ffi.new("sr_fill *", [dst, width, height, depth, pitch, slice, value & 0xFFFFFFFF, element])
        return _check(self._lib.sr_enqueue_fill(self.raw, box), "fill")

    def call(self, function: Callable[[], object]) -> int:
        """Call a Python function (in a thread of the runtime) when everything before has ended.

        An exception in it is printed by cffi; it does not stop the queue.
        """
        key = runtime().hold(function)
        return _check(
            self._lib.sr_enqueue_call(self.raw, runtime().trampoline, self._ffi.cast("void *", key)), "host call"
        )

    def call_native(self, function: int, argument: int = 0) -> int:
        """Call ``void function(void *)`` at a host address with `argument`."""
        cast = self._ffi.cast
        return _check(
            self._lib.sr_enqueue_call(self.raw, cast("void(*)(void *)", function), cast("void *", argument)),
            "host call",
        )

    def record(self, event: Event) -> int:
        """Mark the event done, with the time, when everything before has ended."""
        return _check(self._lib.sr_enqueue_record(self.raw, event.raw), "event record")

    def wait_event(self, event: Event) -> int:
        """Hold the queue until the event's latest record (as of now) is reached."""
        return _check(self._lib.sr_enqueue_wait(self.raw, event.raw), "event wait")

    def marker(self) -> int:
        """Enqueue a packet that does nothing."""
        return _check(self._lib.sr_enqueue_marker(self.raw), "marker")

    def done(self, seq: int | None = None) -> bool:
        """Whether packet `seq` (None: everything enqueued so far) has ended."""
        target = self._lib.sr_queue_last(self.raw) if seq is None else seq
        return bool(self._lib.sr_queue_done(self.raw) >= target)

    def wait(self, seq: int | None = None, timeout: float | None = None) -> bool:
        """Wait until packet `seq` (None: everything enqueued so far) has ended; False after `timeout`
        seconds."""
        target = self._lib.sr_queue_last(self.raw) if seq is None else seq
        if self._lib.sr_queue_done(self.raw) >= target:
            return True
        return _sliced(lambda ns: int(self._lib.sr_queue_wait(self.raw, target, ns)), timeout)

    def fault(self) -> Fault | None:
        """The fault that put the queue into its error state, None if it is fine.

        In the error state launches, copies and fills are skipped; events, markers and calls are carried out.
        """
        ffi, lib = self._ffi, self._lib
        raw = ffi.new("sr_fault *")
        if not lib.sr_queue_fault(self.raw, raw):
            return None
        count = lib.sr_queue_waves(self.raw, ffi.NULL, 0)
        waves = ffi.new("sr_wave_at[]", count or 1)
        count = min(count, lib.sr_queue_waves(self.raw, waves, count))
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

    def clear(self) -> None:
        """Leave the error state."""
        self._lib.sr_queue_clear(self.raw)

    def check(self) -> None:
        """Raise what the queue's fault says, if there is one.

        Raises:
            DeviceFault: names the kernel, the workgroup and the address.
        """
        fault = self.fault()
        if fault is not None:
            raise DeviceFault(describe(fault))

    def close(self) -> None:
        """Give the queue up; what is enqueued still runs."""
        if self.raw:
            self._lib.sr_queue_free(self.raw)
            self.raw = None

    def __del__(self) -> None:
        self.close()


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


class Runtime:
    """The library and what belongs to the whole process. Get it with `runtime`.

    Attributes:
        ffi, lib: cffi's objects for ``native/api.h``, for calls that need every microsecond.
        symbols: name -> host address of what translated code may call.
        trampoline: C function pointer ``void (void *)`` that calls what `hold` was given.
        path: the shared library; C code may open it too (it is the same copy in the process).
    """

    def __init__(self) -> None:
        self.path = build.library()
        space: dict[str, Any] = {}
        exec(compile(build.bindings(), "softrock_runtime_api", "exec"), space)
        self.ffi: Any = space["ffi"]
        self.lib: Any = self.ffi.dlopen(str(self.path))
        self.threads = settings.load().threads
        # -EBUSY: another part of the process started the workers already; they stay as they are.
        self.lib.sr_init(self.threads, FIBER_STACK_BYTES)
        count = self.ffi.new("uint32_t *")
        table = self.lib.sr_symbols(count)
        string = self.ffi.string
        self._calls: dict[int, Callable[[], object]] = {}
        self._numbers = itertools.count(1)
        self.trampoline: Any = self.ffi.callback("void(void *)", self._call_held)
        # The interpreter's end takes the functions away that queued host calls would call.
        atexit.register(self.lib.sr_close_calls, 1_000_000_000)
        self.symbols: dict[str, int] = {
            string(table[i].name).decode(): table[i].address for i in range(count[0]) if table[i].address
        }

    def hold(self, function: Callable[[], object]) -> int:
        """Keep a function until `trampoline` is called with the number that this returns, which calls it."""
        key = next(self._numbers)
        self._calls[key] = function
        return key

    def _call_held(self, key: Any) -> None:
        self._calls.pop(int(self.ffi.cast("uintptr_t", key)))()

    def private_aperture(self) -> int:
        """Base of the 4 GiB of address space that mark private (scratch) addresses; nothing is ever mapped
        there."""
        return int(self.lib.sr_private_aperture())

    def abort_all(self, reason: int = 0, timeout: float = 1.0) -> int:
        """End every running launch, and those enqueued behind them; their queues go into the error state.

        Returns:
            Workers that are still in a launch after `timeout` seconds (0: everything ended).
        """
        return int(self.lib.sr_abort_all(reason, int(timeout * 1e9)))

    def stats(self) -> dict[str, int]:
        """Counters since the start: launches, groups, wakes, stalls, lds_drops, workers, sleeping."""
        raw = self.ffi.new("sr_stats *")
        self.lib.sr_get_stats(raw)
        names = ("launches", "groups", "wakes", "stalls", "lds_drops", "workers", "sleeping")
        return {name: getattr(raw, name) for name in names}


_lock = threading.Lock()
_runtime: Runtime | None = None


def runtime() -> Runtime:
    """The process's runtime, built and loaded on first use.

    Raises:
        ToolError, UnsupportedError: it cannot be built here.
    """
    global _runtime
    if _runtime is None:
        with _lock:
            if _runtime is None:
                _runtime = Runtime()
    return _runtime
