"""Tells the C library about kernels and streams, so that it can launch without Python (native/fast.c)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from softrock.gpu.software import SoftwareFunction, SoftwareQueue
from softrock.hip import hidden, modules, raw, state, streams, trace

_KERNARG = 4096
_KERNEL = struct.Struct("<QQQQQ11I4x")
_HIDDEN = struct.Struct("<IHHQ")
_KINDS = {
    "hidden_block_count_x": 0, "hidden_block_count_y": 1, "hidden_block_count_z": 2,
    "hidden_group_size_x": 3, "hidden_group_size_y": 4, "hidden_group_size_z": 5,
    "hidden_grid_dims": 6, "hidden_dynamic_lds_size": 7, "hidden_heap_v1": 8,
}  # fmt: skip
_VALUE = 8

_known: set[tuple[int, int, tuple[int, ...]]] = set()
_held: list[Any] = []
_add_kernel: Any = None
_set_stream: Any = None


def connect(add_kernel: int, set_stream: int) -> None:
    """Remember the C side's two functions, and hear of streams that need Python again."""
    global _add_kernel, _set_stream
    _add_kernel = raw.ffi.cast("int(*)(void *)", add_kernel)
    _set_stream = raw.ffi.cast("int(*)(uint64_t, void *, int)", set_stream)
    streams.on_indirect.append(_forbid)


def note(key: int, function: modules.Function, block: Sequence[int], stream: int) -> None:
    """A kernel was launched through Python: let later launches of it with workgroups of these dimensions in this stream
    go directly, if they may."""
    if _add_kernel is None or stream == streams.PER_THREAD or state.thread.own_default or trace.folder() is not None:
        return
    if (key, function.home.index, tuple(block)) not in _known:
        _describe(key, function, tuple(block))
    target = streams.of(stream)
    if target.may_go_direct() and isinstance(target.queue, SoftwareQueue):
        queue = raw.ffi.cast("void *", int(_address(target.queue.native.raw)))
        if _set_stream(_handle(target), queue, target.home.index):
            target.direct = True
            state.set_device(state.current().index)  # the C side must know it for the default stream


def forget() -> None:
    """The C side has forgotten all kernels, because a program took its own away."""
    _known.clear()


def _address(pointer: Any) -> int:
    from softrock.exec import runtime as engine

    return int(engine.runtime().ffi.cast("uintptr_t", pointer))


def _handle(stream: streams.Stream) -> int:
    return stream.home.index + 1 if stream.legacy else stream.handle


def _forbid(stream: streams.Stream) -> None:
    _set_stream(_handle(stream), raw.ffi.NULL, stream.home.index)


def _describe(key: int, function: modules.Function, block: tuple[int, ...]) -> None:
    """Put a kernel with workgroups of these dimensions into the C side's table; kernels that need Python at each launch
    stay out of it."""
    _known.add((key, function.home.index, block))
    native = function.native
    if not isinstance(native, SoftwareFunction) or (native.most_rows or 1) > 1:
        return  # how it is launched depends on the grid
    launch = native.prepare(block).launch
    kernel = function.kernel
    wanted = native.arguments.hidden
    if kernel.kernarg_size > _KERNARG or "hidden_printf_buffer" in wanted:
        return
    arguments = raw.Held(b"".join(struct.pack("<II", *each) for each in function.arguments) or 1)
    rows = [
        _HIDDEN.pack(offset, size, _KINDS[kind], hidden.heap(function.home) if _KINDS[kind] == _VALUE else 0)
        for kind, (offset, size) in wanted.items()
        if kind in _KINDS
    ]
    table = raw.Held(b"".join(rows) or 1)
    facts = function.home.device.facts.properties
    row = _KERNEL.pack(
        key,
        _address(launch.raw),
        _enqueue(),
        arguments.address,
        table.address,
        function.home.index,
        len(function.arguments),
        len(rows),
        kernel.kernarg_size,
        function.argument_bytes,
        min(kernel.max_flat_workgroup_size, facts["maxThreadsPerBlock"]),
        kernel.group_segment_size,
        facts["sharedMemPerBlock"],
        *block,
    )
    described = raw.Held(row)
    _held.extend((arguments, table, described, launch))
    _add_kernel(raw.ffi.cast("void *", described.address))


def _enqueue() -> int:
    from softrock.exec import runtime as engine

    run = engine.runtime()
    return int(run.ffi.cast("uintptr_t", run.ffi.addressof(run.lib, "sr_enqueue_launch")))
