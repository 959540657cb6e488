"""The software GPU: translated code on the host's processor, behind the device protocol.

It joins the packages below: memory gives addresses, `jit` makes native functions of kernels, `exec` runs them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from softrock import memory
from softrock.core import settings, timings
from softrock.core.errors import CodeObjectError
from softrock.exec import runtime as engine
from softrock.gpu import faults, kernarg, models, status
from softrock.gpu.device import Copy, Device, Facts, Fault, Fill, Launch

if TYPE_CHECKING:
    from softrock.codeobj import CodeObject, Kernel
    from softrock.jit import Prepared

_SYNC_BYTES = 64
_GROUPS_OF_THREAD = 8
"""Workgroups of a column run together only where each host thread still gets so many of these."""

_translating = threading.Lock()
"""One kernel is translated at a time: the translator's tables fill as they are used."""

_closing = threading.Lock()
"""No queue is freed while another thread looks at it."""

_translated: weakref.WeakValueDictionary[int, Translation] = weakref.WeakValueDictionary()
"""Native function -> kernel, to explain faults."""


class Translation:
    """A kernel translated for workgroups of one layout (:func:`softrock.jit.layout_of`), and its native launch."""

    def __init__(self, function: SoftwareFunction, layout: str) -> None:
        from softrock import jit

        self.module = function.module
        self.kernel = kernel = function.kernel
        self.name = kernel.name
        symbols = engine.runtime().symbols
        self._lock = threading.Lock()
        self._ready = False
        self._better: Prepared | None = None
        self.prepared: Prepared = jit.prepare(self.module.code, kernel, symbols, layout=layout, better=self._replace)
        self.flags = engine.Flags.FIBERS if self.prepared.fibers else engine.Flags.NONE
        self.rows = jit.rows_of(layout)[1]
        self.shared = engine.Kernel(
            self.prepared.fn, calls=self.prepared.calls, code=self.prepared.code, flags=self.flags
        )
        self.launch = self.structure()
        self._times = timings.kernel(kernel.name, self.module.code.target, layout)
        self._times.add(self.prepared.timings)
        self._times.totals = self._totals
        self.module.device.ran.append(self._totals)
        _translated[self.prepared.fn] = self
        with self._lock:
            self._ready = True
        self._exchange()

    def _replace(self, better: Prepared) -> None:
        """A better translation is there (called in another thread): launches that begin from now on run it."""
        with self._lock:
            self._better = better
            ready = self._ready
        if ready:
            self._exchange()

    def _exchange(self) -> None:
        with self._lock:
            better, self._better = self._better, None
        if better is not None:
            _translated[better.fn] = self
            better.older, self.prepared = self.prepared, better
            self._times.add(better.timings, background=True)
            self.shared.replace(better.fn, calls=better.calls, code=better.code, flags=self.flags)

    def _totals(self) -> tuple[int, int, float]:
        """Launches that have ended, their workgroups, and the seconds between their begins and ends."""
        totals = self.shared.totals()
        return totals.launches, totals.groups * self.rows, totals.run_ns * 1e-9

    def shape(self, native: engine.Launch, launch: Launch, cooperative: bool = False) -> None:
        """Give a native launch its shape: it has one workgroup for several of a column that run together."""
        x, y, z = launch.grid
        items = launch.items if self.rows == 1 else None  # there all workgroups are whole
        grid = (x, y // self.rows, z)
        native.shape(grid, launch.block, dynamic_lds=launch.shared, items=items, cooperative=cooperative)

    def structure(self) -> engine.Launch:
        """A native launch of it, to be given a shape and arguments."""
        prepared, kernel = self.prepared, self.kernel
        return engine.Launch(
            prepared.fn,
            kernel.name,
            wave_size=kernel.wavefront_size,
            flags=self.flags,
            scratch_lane_bytes=prepared.scratch_lane_bytes,
            lds_bytes=kernel.group_segment_size,
            calls=prepared.calls,
            code=prepared.code,
            code_base=self.module.base,
            kernel_object=self.module.base + kernel.address,
            kernel=self.shared,
        )


class SoftwareFunction:
    """A kernel of a loaded module; translated at its first launch with workgroups of a layout."""

    def __init__(self, module: SoftwareModule, kernel: Kernel) -> None:
        self.module = module
        self.kernel = kernel
        self.name = kernel.name
        self.translations: dict[str, Translation] = {}
        self.most_rows: int | None = None
        """Workgroups of a column that may run together, None while no launch has asked."""
        self._blocks: dict[Sequence[int], Translation] = {}
        self._arguments: kernarg.Arguments | None = None
        self._lock = threading.Lock()

    @property
    def arguments(self) -> kernarg.Arguments:
        """Builder of its argument blocks."""
        if self._arguments is None:
            self._arguments = kernarg.Arguments(self.kernel)
        return self._arguments

    def prepare(self, block: Sequence[int], items: Sequence[int] | None = None, rows: int = 1) -> Translation:
        """Translate it for workgroups of these dimensions, unless that was done.

        Args:
            items: work-items of the whole launch, where they do not fill the workgroups at its edges.
            rows: workgroups of a column that may run together, a power of two.

        Raises:
            UnsupportedError: it holds an instruction that is not supported.
        """
        block = tuple(block)
        if items is not None and any(n % of for n, of in zip(items, block, strict=True)):
            # Workgroups at the edges have rows of another length.
            block = (*block, 0)
        elif rows > 1:
            block = (*block, rows)
        found = self._blocks.get(block)
        return found if found is not None else self._translate(block)

    def _translate(self, block: tuple[int, ...]) -> Translation:
        from softrock import jit

        with _translating:
            self._arguments = self.arguments  # first, because it refuses what cannot be supplied
            layout = jit.layout_of(block[:3], self.kernel.wavefront_size)
            rows = block[3] if len(block) > 3 else 1
            if not rows:
                layout = layout if layout == jit.LINE else jit.ANY
            elif rows > 1:
                if self.most_rows is None:
                    self.most_rows = jit.most_rows(self.module.code, self.kernel)
                layout = jit.in_column(layout, jit.rows_together(self.kernel, self.most_rows, layout, rows))
            if layout not in self.translations:
                self.translations[layout] = Translation(self, layout)
            self._blocks[block] = self.translations[layout]
            return self._blocks[block]

    def _for(self, launch: Launch) -> Translation:
        x, y, z = launch.grid
        rows = y & -y  # the power of two in it
        if rows > 1:
            most = x * y * z // (_GROUPS_OF_THREAD * engine.runtime().threads)
            rows = min(rows, 1 << most.bit_length() >> 1)
        return self.prepare(launch.block, launch.items, rows)

    def repeat(self, launch: Launch) -> Repeat:
        """See :meth:`softrock.gpu.device.Function.repeat`."""
        translation = self._for(launch)
        native = translation.structure()
        translation.shape(native, launch)
        return Repeat(native, self.arguments.build(launch, launch.supplied))

    def write_down(self, batch: engine.Batch, launch: Launch) -> None:
        """Add a launch to a batch."""
        translation = self._for(launch)
        block = self.arguments.build(launch, launch.supplied)
        with self._lock:
            translation.shape(translation.launch, launch)
            batch.launch(translation.launch, block)

    def enqueue(self, queue: engine.Queue, launch: Launch, supplied: dict[str, int]) -> int:
        """Put a launch into a queue and return its number there."""
        translation = self._for(launch)
        block = self.arguments.build(launch, supplied)
        with self._lock:
            # Without a barrier in the kernel nothing waits for another workgroup.
            waits = bool(translation.flags & engine.Flags.FIBERS)
            translation.shape(translation.launch, launch, cooperative=launch.cooperative and waits)
            return queue.launch(translation.launch, block)


class Repeat:
    """A launch whose arguments change; see :meth:`softrock.gpu.device.Function.repeat`. The caller locks."""

    __slots__ = ("_data", "_enqueue", "_native", "_raw", "block")

    def __init__(self, native: engine.Launch, block: bytearray) -> None:
        run = engine.runtime()
        self._native = native
        self._raw = native.raw
        self._enqueue = run.lib.sr_enqueue_launch
        self.block = block
        self._data = run.ffi.from_buffer(block) if block else run.ffi.NULL
        self._raw.kernarg, self._raw.kernarg_bytes = self._data, len(block)

    def queue(self, queue: SoftwareQueue) -> bool:
        """Queue a launch with the arguments that stand in the block."""
        seq = self._enqueue(queue.native.raw, self._raw)
        if seq <= 0:
            return False
        queue.last = seq
        return True


class SoftwareModule:
    """A code object in device memory."""

    def __init__(self, device: SoftwareDevice, image: bytes, name: str) -> None:
        from softrock.codeobj import load

        self.device = device
        self.code: CodeObject = load(image, name)
        self._check(name)
        self.size = max(self.code.size, 1)
        self.base = device.allocate_code(self.size)
        view = engine.runtime().ffi.buffer(engine.runtime().ffi.cast("char *", self.base), self.size)
        target = memoryview(view)
        target[:] = bytes(self.size)
        self.code.fill(target, self.base)
        self.names: Sequence[str] = tuple(self.code.kernels)
        self._functions: dict[str, SoftwareFunction] = {}

    def _check(self, name: str) -> None:
        from softrock.codeobj import targets

        device = targets.parse(self.device.facts.target)
        if not targets.runs_on(self.code.target_id, device):
            raise CodeObjectError(
                f"{name} holds code for {self.code.target_id}, the device is {device}",
                hint=f"compile it with --offload-arch={device.processor}",
            )

    def function(self, name: str) -> SoftwareFunction | None:
        found = self._functions.get(name)
        if found is None:
            kernel = self.code.kernels.get(name)
            if kernel is None:
                return None
            found = self._functions[name] = SoftwareFunction(self, kernel)
        return found

    def variable(self, name: str) -> tuple[int, int] | None:
        symbol = self.code.variables.get(name)
        return None if symbol is None else (self.base + symbol.address, symbol.size)

    def source_of(self, address: int) -> str:
        """``file:line`` of a code address, as far as ``-g`` left it."""
        from softrock.codeobj.lines import Lines

        found = Lines(self.code.data, self.code.name).source_of(address)
        return f"{found[0]}:{found[1]}" if found else ""

    def unload(self) -> None:
        if self.base:
            self.device.free(self.base)
            self.base = 0
        self._functions.clear()


class SoftwareEvent:
    """A point in a queue."""

    def __init__(self) -> None:
        self.native = engine.Event()

    def done(self) -> bool:
        return self.native.done()

    def wait(self, timeout: float) -> bool:
        return self.native.wait(timeout)

    def time(self) -> int:
        return self.native.time_ns()

    def close(self) -> None:
        self.native.close()


class SoftwareQueue:
    """Work in order on the software GPU."""

    def __init__(self, device: SoftwareDevice) -> None:
        self.device = device
        self.native = engine.Queue()
        self.last = 0
        device.queues.append(weakref.ref(self, device.queues.remove))

    def copy(self, copy: Copy) -> None:
        if copy.height == 1 and copy.depth == 1:
            self.last = self.native.memcpy(copy.dst, copy.src, copy.width)
            return
        self.last = self.native.copy(
            copy.dst,
            copy.src,
            copy.width,
            copy.height,
            copy.depth,
            dst_pitch=copy.dst_pitch,
            src_pitch=copy.src_pitch,
            dst_slice=copy.dst_slice,
            src_slice=copy.src_slice,
        )

    def fill(self, fill: Fill) -> None:
        self.last = self.native.fill(
            fill.dst,
            fill.value,
            fill.width,
            fill.height,
            fill.depth,
            element=fill.element,
            pitch=fill.pitch,
            slice=fill.slice,
        )

    def launch(self, launch: Launch) -> None:
        function = launch.function
        assert isinstance(function, SoftwareFunction)
        supplied = launch.supplied
        hidden = function.arguments.hidden
        if launch.cooperative and "hidden_multigrid_sync_arg" in hidden:
            supplied = {**supplied, "hidden_multigrid_sync_arg": self._grid_sync(launch)}
        self.last = function.enqueue(self.native, launch, supplied)

    def run_batch(self, batch: engine.Batch) -> None:
        """Queue what :meth:`SoftwareDevice.batch` wrote down."""
        self.last = self.native.batch(batch)

    def _grid_sync(self, launch: Launch) -> int:
        """Memory in which the workgroups of a cooperative launch meet; lives as long as the launch object.

        Layout of ROCm's device library: pointer 0, grid 0 of 1, threads before and in all grids, two counters,
        number of workgroups.
        """
        groups = launch.grid[0] * launch.grid[1] * launch.grid[2]
        threads = groups * launch.block[0] * launch.block[1] * launch.block[2]
        ffi = engine.runtime().ffi
        place = ffi.new("uint32_t[]", _SYNC_BYTES // 4)
        place[3] = 1
        place[6], place[7] = threads & 0xFFFFFFFF, threads >> 32
        place[10] = groups
        launch.held.append(place)
        return int(ffi.cast("uintptr_t", place))

    def call(self, function: int, argument: int) -> None:
        self.last = self.native.call_native(function, argument)

    def record(self, event: SoftwareEvent) -> None:
        self.last = self.native.record(event.native)

    def wait_for(self, event: SoftwareEvent) -> None:
        self.last = self.native.wait_event(event.native)

    def wait(self, timeout: float) -> bool:
        return self.native.wait(timeout=timeout)

    def idle(self) -> bool:
        return self.native.done()

    def position(self) -> int:
        return self.last

    def reached(self) -> int:
        """The newest number that has ended."""
        return int(engine.runtime().lib.sr_queue_done(self.native.raw))

    def catch_up(self, position: int) -> None:
        self.native.wait(position)

    def fault(self) -> Fault | None:
        run = engine.runtime()
        if not run.lib.sr_queue_fault(self.native.raw, run.ffi.NULL):  # the usual case, and cheap
            return None
        found = self.native.fault()
        return None if found is None else faults.explain(found, _translated.get(found.fn), self.device)

    def abort(self, reason: int = faults.TIMEOUT) -> Fault | None:
        """End what runs, everywhere; the fault then says where each wave was."""
        engine.runtime().abort_all(reason)
        self.native.wait(timeout=1.0)
        return self.fault()

    def clear(self) -> None:
        self.native.clear()

    def close(self) -> None:
        with _closing:
            self.native.close()

    def busy(self) -> bool:
        """Whether work waits or runs; unlike the rest it may be called by a thread that does not own the queue."""
        with _closing:
            return self.native.raw is not None and not self.native.done()


class SoftwareDevice:
    """One software GPU.

    Args:
        model: what it imitates.
        index: its number.
    """

    backend = "software"

    def __init__(self, model: models.Model, index: int) -> None:
        self.model = model
        self.index = index
        self.space = memory.space()
        self.space.set_limit(index, model.memory_bytes)
        properties = model.properties(index, memory_bytes=self.space.capacity(index))
        self.facts = Facts(properties["name"], model.target_id, model.wave_size, properties)
        self.ran: list[Callable[[], tuple[int, int, float]]] = []
        self.queues: list[weakref.ref[SoftwareQueue]] = []

    def allocate(self, size: int) -> int:
        return self.space.alloc(size, self.index)

    def allocate_code(self, size: int) -> int:
        """Memory for the image of a code object."""
        return self.space.alloc(size, self.index, memory.Kind.CODE)

    def free(self, address: int) -> None:
        self.space.free(address)

    def allocate_host(self, size: int) -> int:
        return self.space.alloc(size, self.index, memory.Kind.PINNED)

    def free_host(self, address: int) -> None:
        self.space.free(address)

    def memory(self) -> tuple[int, int]:
        return self.space.free_bytes(self.index), self.space.capacity(self.index)

    def load(self, image: bytes, name: str) -> SoftwareModule:
        return SoftwareModule(self, image, name)

    def queue(self, priority: int) -> SoftwareQueue:
        return SoftwareQueue(self)

    def batch(self, pieces: Sequence[Launch | Copy | Fill]) -> engine.Batch:
        """Work written down to be queued as one packet."""
        made = engine.Batch()
        for each in pieces:
            if isinstance(each, Launch):
                function = each.function
                assert isinstance(function, SoftwareFunction)
                function.write_down(made, each)
            elif isinstance(each, Copy):
                pitches = (each.dst_pitch, each.src_pitch, each.dst_slice, each.src_slice)
                made.copy(each.dst, each.src, each.width, each.height, each.depth, *pitches)
            else:
                made.fill(
                    each.dst,
                    each.value,
                    each.width,
                    each.height,
                    each.depth,
                    element=each.element,
                    pitch=each.pitch,
                    slice=each.slice,
                )
        return made

    def event(self, timing: bool) -> SoftwareEvent:
        return SoftwareEvent()

    def told(self) -> status.Told:
        """What it does now, for other processes to see."""
        totals = [each() for each in tuple(self.ran)]
        queues = [each() for each in tuple(self.queues)]
        return status.Told(
            self.index,
            self.facts.name,
            self.facts.target,
            self.space.used(self.index),
            self.space.capacity(self.index),
            sum(launches for launches, _, _ in totals),
            int(sum(seconds for _, _, seconds in totals) * 1e9),
            any(each.busy() for each in queues if each is not None),
            int(self.facts.properties.get("multiProcessorCount", 0)),
        )

    def near(self, address: int) -> str:
        """What lies at or near an address, in words."""
        return self.space.describe(address)


def open_devices() -> list[Device]:
    """The devices of SOFTROCK_GPUS."""
    devices = [SoftwareDevice(model, index) for index, model in enumerate(models.parse_gpus(settings.load().gpus))]
    status.publish(devices)
    return list[Device](devices)
