"""Allocation, copies, fills, pools."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock.gpu.device import Copy, Fill
from softrock.hip import HipError, memory, pools, raw, state, streams


def _held(data: bytes) -> raw.Held:
    return raw.Held(data)


def test_round_trip_through_the_device() -> None:
    data = bytes(range(256)) * 5
    host, back = _held(data), raw.Held(len(data))
    device, other = memory.malloc(len(data)), memory.malloc(len(data))
    memory.memcpy(device, host.address, len(data), memory.HOST_TO_DEVICE)
    memory.memcpy(other, device, len(data), memory.DEVICE_TO_DEVICE)
    memory.memcpy(back.address, other, len(data), memory.DEVICE_TO_HOST)
    assert raw.read(back.address, len(data)) == data
    memory.free(device)
    memory.free(other)


def test_zero_sizes() -> None:
    assert memory.malloc(0) == 0
    memory.free(0)
    memory.host_free(0)
    memory.memcpy(memory.malloc(4), memory.malloc(4), 0)


def test_too_much_memory_is_one_clear_error() -> None:
    with pytest.raises(HipError) as caught:
        memory.malloc(1 << 50)
    assert caught.value.name == "hipErrorOutOfMemory"
    assert memory.malloc(64)


def test_freeing_what_is_not_there() -> None:
    address = memory.malloc(100)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        memory.free(address + 4)
    memory.free(address)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        memory.free(address)
    host = memory.host_malloc(100)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        memory.host_free(host + 1)


@pytest.mark.parametrize("kind", [-1, 5, 99])
def test_unknown_direction(kind: int) -> None:
    with pytest.raises(HipError, match="hipErrorInvalidMemcpyDirection"):
        memory.memcpy(memory.malloc(4), memory.malloc(4), 4, kind)


def test_copies_past_an_allocation_are_refused() -> None:
    device, host = memory.malloc(16), raw.Held(64)
    with pytest.raises(HipError, match="4 bytes past its allocation"):
        memory.memcpy(device, host.address, 20, memory.HOST_TO_DEVICE)
    with pytest.raises(HipError, match="source"):
        memory.memcpy(host.address, device + 8, 9, memory.DEVICE_TO_HOST)
    with pytest.raises(HipError, match="two addresses"):
        memory.memcpy(0, device, 4)


@settings(max_examples=25, deadline=None)
@given(
    width=st.integers(1, 40),
    height=st.integers(1, 5),
    depth=st.integers(1, 4),
    extra=st.integers(0, 9),
    rows=st.integers(0, 3),
)
def test_boxes_are_copied_exactly(width: int, height: int, depth: int, extra: int, rows: int) -> None:
    pitch, slice_ = width + extra, (width + extra) * (height + rows)
    size = slice_ * depth
    source = bytes((i * 7 + 1) % 251 for i in range(size))
    host, device, back = _held(source), memory.malloc(size), raw.Held(size)
    memory.memset(device, 0, size)
    box = Copy(device, host.address, width, height, depth, pitch, pitch, slice_, slice_)
    memory.memcpy_rows(box, memory.HOST_TO_DEVICE)
    memory.memcpy(back.address, device, size, memory.DEVICE_TO_HOST)
    expected = bytearray(size)
    for z in range(depth):
        for y in range(height):
            at = z * slice_ + y * pitch
            expected[at : at + width] = source[at : at + width]
    assert raw.read(back.address, size) == bytes(expected)
    memory.free(device)


@pytest.mark.parametrize(("element", "value"), [(1, 0xAB), (2, 0xBEEF), (4, 0xDEADBEEF)])
def test_fills_of_each_element(element: int, value: int) -> None:
    device, back = memory.malloc(64), raw.Held(64)
    memory.memset(device, 0, 64)
    memory.memset(device + 8, value, 5, element=element)
    memory.memcpy(back.address, device, 64)
    body = value.to_bytes(element, "little") * 5
    assert raw.read(back.address, 64) == (bytes(8) + body).ljust(64, b"\0")


def test_fills_of_rows_leave_the_padding_alone() -> None:
    address, pitch = memory.malloc_pitch(10, 3)
    assert pitch % memory.PITCH_ALIGNMENT == 0
    memory.memset(address, 0, pitch * 3)
    memory.memset_rows(Fill(address, 9, 1, 10, 3, 1, pitch))
    back = raw.Held(pitch * 3)
    memory.memcpy(back.address, address, pitch * 3)
    assert raw.read(back.address, pitch * 3) == (b"\t" * 10 + bytes(pitch - 10)) * 3


def test_fills_outside_device_memory_are_refused() -> None:
    device, host = memory.malloc(16), raw.Held(16)
    for bad in (
        Fill(device, 0, 1, 17),
        Fill(host.address, 0, 1, 4),
        Fill(device + 1, 0, 4, 1),
        Fill(device, 0, 1, 8, 2, 1, 4),
    ):
        with pytest.raises(HipError):
            memory.memset_rows(bad)


def test_pinned_registered_and_managed_memory() -> None:
    pinned = memory.host_malloc(32, 2)
    assert memory.host_device_pointer(pinned) == pinned
    assert memory.host_flags(pinned) == 2
    own = raw.Held(64)
    memory.host_register(own.address, 64)
    assert memory.find(own.address + 63) is not None
    with pytest.raises(HipError, match="hipErrorHostMemoryAlreadyRegistered"):
        memory.host_register(own.address, 64)
    memory.host_unregister(own.address)
    with pytest.raises(HipError, match="hipErrorHostMemoryNotRegistered"):
        memory.host_unregister(own.address)
    managed = memory.malloc_managed(64)
    raw.put(managed, "Q", 1234)
    known = memory.find(managed)
    assert known is not None
    assert known.kind == memory.MANAGED
    assert memory.address_range(managed + 5) == (managed, 64)
    memory.free(managed)
    with pytest.raises(HipError):
        memory.host_malloc(8, 0xC0000000)


def test_memory_of_another_device_belongs_to_it() -> None:
    state.set_device(1)
    address = memory.malloc(16)
    state.set_device(0)
    known = memory.find(address)
    assert known is not None
    assert known.device == 1
    here = memory.malloc(16)
    memory.memset(address, 3, 16)
    memory.memcpy(here, address, 16)
    back = raw.Held(16)
    memory.memcpy(back.address, here, 16)
    assert raw.read(back.address, 16) == b"\3" * 16


def test_pools_keep_what_they_may_and_count() -> None:
    pool = pools.of(pools.create(0))
    pool.set(pools.RELEASE_THRESHOLD, 1 << 20)
    first = pools.malloc_async(1000, 0, pool.handle)
    assert pool.get(pools.USED) == 1024
    pools.free_async(first)
    streams.synchronize()
    assert (pool.get(pools.USED), pool.get(pools.RESERVED)) == (0, 1024)
    assert pools.malloc_async(1000, 0, pool.handle) == first
    memory.free(first)
    pool.trim(0)
    assert pool.get(pools.RESERVED) == 0
    assert pool.get(pools.USED_HIGH) == 1024
    with pytest.raises(HipError):
        pool.set(pools.USED, 1)


def test_a_pool_with_a_limit_is_full_at_some_time() -> None:
    handle = pools.create(0, limit=4096)
    kept = [pools.malloc_async(1024, 0, handle) for _ in range(4)]
    with pytest.raises(HipError, match="hipErrorOutOfMemory"):
        pools.malloc_async(1, 0, handle)
    pools.free_async(kept[0])
    streams.synchronize()
    assert pools.malloc_async(1, 0, handle)
    with pytest.raises(HipError):
        pools.destroy(pools.default_pool(state.current()).handle)
    pools.destroy(handle)
