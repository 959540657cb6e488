"""Streams, events, callbacks."""

from __future__ import annotations

import itertools
from typing import Any

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.hip import events, raw, signals, state, streams
from softrock.hip.errors import NOT_READY, HipError


def hipStreamCreate(out: int) -> None:
    hipStreamCreateWithPriority(out, 0, 0)


def hipStreamCreateWithFlags(out: int, flags: int) -> None:
    hipStreamCreateWithPriority(out, flags, 0)


def hipStreamCreateWithPriority(out: int, flags: int, priority: int) -> None:
    require(out)
    raw.put(out, "Q", streams.create(flags, priority))


def hipExtStreamCreateWithCUMask(out: int, size: int, mask: int) -> None:
    """The mask narrows a stream to some compute units: it changes no result and is only kept."""
    require(out, mask)
    if not size:
        raise HipError("hipErrorInvalidValue", "the mask is empty")
    handle = streams.create()
    _masks[handle] = [raw.get(mask + 4 * i, "I") for i in range(size)]
    raw.put(out, "Q", handle)


_masks: dict[int, list[int]] = {}


def hipExtStreamGetCUMask(stream: int, size: int, out: int) -> None:
    require(out)
    streams.of(stream)
    units = state.current().device.facts.properties["multiProcessorCount"]
    words = -(-units // 32)
    if size < words:
        raise HipError("hipErrorInvalidValue", f"the mask has {words} words")
    whole = [min((1 << 32) - 1, (1 << max(units - 32 * i, 0)) - 1) for i in range(words)]
    for i, word in enumerate(_masks.get(stream, whole)[:size]):
        raw.put(out + 4 * i, "I", word)


def hipDeviceGetStreamPriorityRange(least: int, greatest: int) -> None:
    for out, value in zip((least, greatest), streams.PRIORITIES, strict=True):
        if out:
            raw.put(out, "i", value)


def hipStreamDestroy(stream: int) -> None:
    streams.destroy(stream)
    _masks.pop(stream, None)


def hipStreamQuery(stream: int) -> None:
    if not streams.query(stream):
        raise HipError(NOT_READY)


def hipStreamSynchronize(stream: int) -> None:
    streams.synchronize(stream)


def hipStreamWaitEvent(stream: int, event: int, flags: int) -> None:
    if flags not in (0, 1):
        raise HipError("hipErrorInvalidValue", f"flags {flags:#x}")
    streams.wait_event(stream, events.of(event))


def hipStreamGetFlags(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "I", streams.of(stream).flags)


def hipStreamGetPriority(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "i", streams.of(stream).priority)


def hipStreamGetDevice(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "i", streams.of(stream).home.index)


def hipGetStreamDeviceId(stream: int) -> int:
    try:
        return streams.of(stream).home.index
    except HipError:
        return -1


def hipStreamGetId(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", streams.of(stream).handle)


_ids = itertools.count(1)
_callbacks: dict[int, Any] = {}


def hipStreamAddCallback(stream: int, function: int, argument: int, flags: int) -> None:
    if not function or flags:
        raise HipError("hipErrorInvalidValue", "a function is needed, and flags must be 0")
    call = raw.ffi.cast("void(*)(void *, int, void *)", function)
    key = next(_ids)

    def run(_: Any) -> None:
        try:
            call(raw.ffi.cast("void *", stream), 0, raw.ffi.cast("void *", argument))
        finally:
            _callbacks.pop(key, None)

    handle = _callbacks[key] = raw.ffi.callback("void(void *)", run)
    streams.host_call(stream, int(raw.ffi.cast("uintptr_t", handle)), 0)


def hipLaunchHostFunc(stream: int, function: int, argument: int) -> None:
    streams.host_call(stream, function, argument)


def hipStreamGetAttribute(stream: int, which: int, out: int) -> None:
    require(out)
    target = streams.of(stream)
    if which == 8:
        raw.put(out, "i", target.priority)
    elif which == 3:
        raw.put(out, "I", 1)
    elif which == 1:
        raw.write(out, bytes(structs.of("hipLaunchAttributeValue").size))
    else:
        raise HipError("hipErrorInvalidValue", f"stream attribute {which}")


def hipStreamSetAttribute(stream: int, which: int, value: int) -> None:
    require(value)
    target = streams.of(stream)
    if which == 8:
        target.priority = max(min(raw.get(value, "i"), streams.PRIORITIES[0]), streams.PRIORITIES[1])
    elif which not in (1, 3):
        raise HipError("hipErrorInvalidValue", f"stream attribute {which}")


def hipStreamCopyAttributes(to: int, source: int) -> None:
    streams.of(to).priority = streams.of(source).priority


def hipEventCreate(out: int) -> None:
    hipEventCreateWithFlags(out, 0)


def hipEventCreateWithFlags(out: int, flags: int) -> None:
    require(out)
    raw.put(out, "Q", events.create(flags))


def hipEventDestroy(event: int) -> None:
    events.destroy(event)


def hipEventRecord(event: int, stream: int) -> None:
    events.record(event, stream)


def hipEventRecordWithFlags(event: int, stream: int, flags: int) -> None:
    if flags not in (0, 1):
        raise HipError("hipErrorInvalidValue", f"flags {flags:#x}")
    events.record(event, stream)


def hipEventSynchronize(event: int) -> None:
    events.synchronize(event)


def hipEventQuery(event: int) -> None:
    if not events.query(event):
        raise HipError(NOT_READY)


def hipEventElapsedTime(out: int, start: int, stop: int) -> None:
    require(out)
    raw.put(out, "f", events.elapsed(start, stop))


# ---- words in memory as signals ----

_WAIT_32, _WRITE_32, _FLUSH, _WAIT_64, _WRITE_64, _BARRIER = range(1, 7)


def hipStreamWriteValue32(stream: int, address: int, value: int, flags: int) -> None:
    signals.write(stream, address, value, 4)


def hipStreamWriteValue64(stream: int, address: int, value: int, flags: int) -> None:
    signals.write(stream, address, value, 8)


def hipStreamWaitValue32(stream: int, address: int, value: int, flags: int, mask: int) -> None:
    signals.wait(stream, address, value, flags, mask, 4)


def hipStreamWaitValue64(stream: int, address: int, value: int, flags: int, mask: int) -> None:
    signals.wait(stream, address, value, flags, mask, 8)


def hipStreamBatchMemOp(stream: int, count: int, array: int, flags: int) -> None:
    """Several of the above in order; barriers and flushes are there anyway."""
    require(array)
    layout = structs.of("hipStreamBatchMemOpParams")
    names = ("operation", "waitValue.address", "waitValue.value", "waitValue.value64", "waitValue.flags")
    for i in range(count):
        operation, address, value, value64, how = layout.get(array + i * layout.size, *names)
        if operation == _WRITE_32:
            signals.write(stream, address, value, 4)
        elif operation == _WRITE_64:
            signals.write(stream, address, value64, 8)
        elif operation == _WAIT_32:
            signals.wait(stream, address, value, how, (1 << 32) - 1, 4)
        elif operation == _WAIT_64:
            signals.wait(stream, address, value64, how, (1 << 64) - 1, 8)
        elif operation not in (_FLUSH, _BARRIER):
            raise HipError("hipErrorInvalidValue", f"operation {operation}")
