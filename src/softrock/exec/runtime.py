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
from enum import IntFlag
from typing import Any, Final

from softrock.core import settings
from softrock.core.errors import DeviceFault, SoftrockError, UsageError
from softrock.exec import build
from softrock.exec.faults import Access as Access
from softrock.exec.faults import Fault as Fault
from softrock.exec.faults import FaultKind as FaultKind
from softrock.exec.faults import WaveAt as WaveAt
from softrock.exec.faults import WaveState as WaveState
from softrock.exec.faults import describe as describe
from softrock.exec.faults import fault_of
from softrock.memory import numa

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


def _check(result: int, what: str) -> int:
    if result >= 0:
        return result
    if result == -12:
        raise SoftrockError(
            f"the host has no memory left for {what}",
            hint="free memory, raise the limit on address space (ulimit -v), or lower SOFTROCK_THREADS",
        )
    raise UsageError(f"{what}: invalid arguments", hint="check grid, block and argument sizes")


@dataclass(frozen=True, slots=True)
class Totals:
    """What the launches of a kernel that have ended took, all together.

    Attributes:
        launches, groups: how many launches and workgroups there were.
        run_ns: from begin to end of each launch, added up (host nanoseconds; launches of several queues overlap).
    """

    launches: int
    groups: int
    run_ns: int


class Kernel:
    """What all launches of a kernel share: its present host code, and what they took.

    Each launch reads the code once, when it begins to run (``work_begin`` in native/queue.c); so code can be replaced
    while launches wait, run, or stand in graphs. Code that was replaced must stay loaded until the launches that
    began with it have ended.

    Args:
        fn: host address of ``void kernel(sr_wave *)``.
        calls: host address of its call table, 0 for none.
        code: host address range [low, high) of the code.
        flags: `Flags.FIBERS` or none.
    """

    __slots__ = ("_codes", "raw")

    def __init__(self, fn: int, *, calls: int = 0, code: tuple[int, int] = (0, 0), flags: Flags = Flags.NONE) -> None:
        self.raw = runtime().ffi.new("sr_kernel *")
        self._codes: list[Any] = []
        self.replace(fn, calls=calls, code=code, flags=flags)

    def replace(self, fn: int, *, calls: int = 0, code: tuple[int, int] = (0, 0), flags: Flags = Flags.NONE) -> None:
        """Let launches that begin from now on run other code of the same kernel. May be called from any thread."""
        run = runtime()
        made = run.ffi.new("sr_code *", [fn, calls, code[0], code[1], int(flags & Flags.FIBERS)])
        self._codes.append(made)
        run.lib.sr_kernel_set_code(self.raw, made)

    def totals(self) -> Totals:
        """What its launches took so far."""
        return Totals(self.raw.launches, self.raw.groups, self.raw.run_ns)


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
        kernel: where `fn`, `calls`, `code` and FIBERS come from when the launch begins; None to use those given here.

    One object must not be changed by two threads at once; queues copy it.
    """

    __slots__ = ("_lds", "_name", "kernel", "raw", "times")

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
        kernel: Kernel | None = None,
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
        self.kernel = kernel
        if kernel is not None:
            raw.kernel = kernel.raw
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


class Batch:
    """Launches, copies and fills that are written down once and enqueued together, in order, as often as wanted.

    Methods that add raise UsageError once the batch was enqueued.
    """

    __slots__ = ("_ffi", "_held", "_lib", "raw")

    def __init__(self) -> None:
        self.raw: Any = None
        run = runtime()
        self._lib, self._ffi = run.lib, run.ffi
        self._held: list[Any] = []
        self.raw = self._lib.sr_batch_new()
        if not self.raw:
            raise SoftrockError("the host has no memory left for a batch")

    def launch(self, launch: Launch, kernarg: bytes | bytearray | memoryview = b"") -> None:
        """Add a launch as it is now; arguments are copied."""
        _arguments(launch, kernarg, self._ffi)
        self._held.append(launch.kernel)
        _check(self._lib.sr_batch_launch(self.raw, launch.raw), "kernel launch")

    def copy(self, dst: int, src: int, width: int, height: int = 1, depth: int = 1, *pitches: int) -> None:
        """Add a copy; `pitches` are those of :meth:`Queue.copy` in its order."""
        box = self._ffi.new("sr_copy *", [dst, src, width, height, depth, *pitches])
        _check(self._lib.sr_batch_copy(self.raw, box), "copy")

    def fill(
        self, dst: int, value: int, width: int, height: int = 1, depth: int = 1, *, element: int = 1,
        pitch: int = 0, slice: int = 0,
    ) -> None:  # fmt: skip
        """Add a fill, see :meth:`Queue.fill`."""
        box = self._ffi.new("sr_fill *", [dst, width, height, depth, pitch, slice, value & 0xFFFFFFFF, element])
        _check(self._lib.sr_batch_fill(self.raw, box), "fill")

    def close(self) -> None:
        """Give the batch up; what is enqueued still runs."""
        if self.raw:
            self._lib.sr_batch_free(self.raw)
            self.raw = None

    def __del__(self) -> None:
        self.close()


def _arguments(launch: Launch, kernarg: bytes | bytearray | memoryview, ffi: Any) -> None:
    """Point a launch at its arguments."""
    raw = launch.raw
    if kernarg:
        data = ffi.from_buffer(kernarg)
        raw.kernarg, raw.kernarg_bytes = data, len(data)
    else:
        raw.kernarg_bytes = 0


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
        _arguments(launch, kernarg, self._ffi)
        seq = self._lib.sr_enqueue_launch(self.raw, launch.raw)
        return seq if seq > 0 else _check(seq, "kernel launch")

    def batch(self, batch: Batch) -> int:
        """Enqueue everything in a batch as one packet. After a fault in it the rest of it is skipped."""
        return _check(self._lib.sr_enqueue_batch(self.raw, batch.raw), "batch")

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
        return fault_of(self._ffi, self._lib, self.raw)

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
        policy = numa.policy()
        if policy is not None:
            self._set_nodes(policy.placement)
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

    def _set_nodes(self, placement: numa.Placement) -> None:
        masks = placement.cpu_masks()
        of_worker = placement.node_of_worker()
        flat = [word for mask in masks for word in mask]
        self.lib.sr_set_nodes(len(masks), of_worker, len(of_worker), flat, len(masks[0]))

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
