"""Queues: order, copies, fills, events, host calls, waiting."""

from __future__ import annotations

import os
import struct
import threading
import time
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import UsageError
from softrock.exec import runtime as rt


def add_one(kernels: Any, grid: int = 1) -> rt.Launch:
    launch: rt.Launch = kernels.launch("add_one")
    launch.shape((grid, 1, 1), (64, 1, 1))
    return launch


def test_packets_run_in_order(kernels: Any, queue: rt.Queue) -> None:
    value, errors = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    launch = kernels.launch("in_order")
    launch.shape((1, 1, 1), (64, 1, 1))
    for i in range(3000):
        queue.launch(launch, struct.pack("QIIQ", value.ctypes.data, i, i + 1, 0) + bytes(i % 7 * 300))
    seq = queue.marker()
    assert seq == 3001
    assert queue.wait(seq, timeout=20)
    queue.check()
    assert (value[0], errors[0]) == (3000, 0)


def test_copies_and_fills(queue: rt.Queue) -> None:
    source = np.random.default_rng(2).integers(0, 255, 1 << 20, np.uint8)
    target = np.zeros_like(source)
    queue.memcpy(target.ctypes.data, source.ctypes.data, source.nbytes)
    assert queue.wait(timeout=5)
    assert (target == source).all()

    box = np.zeros((5, 6, 64), np.uint8)
    queue.copy(
        box.ctypes.data + 3,
        source.ctypes.data,
        10,
        4,
        2,
        dst_pitch=64,
        src_pitch=32,
        dst_slice=6 * 64,
        src_slice=4096,
    )
    assert queue.wait(timeout=5)
    expected = np.zeros_like(box)
    for z in range(2):
        for y in range(4):
            expected[z, y, 3:13] = source[z * 4096 + y * 32 :][:10]
    assert (box == expected).all()

    for element, kind in ((1, np.uint8), (2, np.uint16), (4, np.uint32)):
        plane = np.zeros((3, 8, 16), kind)
        queue.fill(
            plane.ctypes.data,
            0xA1B2C3D4,
            5,
            7,
            2,
            element=element,
            pitch=16 * element,
            slice=8 * 16 * element,
        )
        assert queue.wait(timeout=5)
        wanted = np.zeros_like(plane)
        wanted[:2, :7, :5] = 0xA1B2C3D4 & (256**element - 1)
        assert (plane == wanted).all()
    with pytest.raises(UsageError):
        queue.fill(0, 0, 1, element=3)


def test_events_time_and_order_queues(kernels: Any, queue: rt.Queue) -> None:
    other, start, end = rt.Queue(), rt.Event(), rt.Event()
    value = np.zeros(1, np.uint32)
    slow = kernels.launch("slow_add")
    slow.shape((40, 1, 1), (64, 1, 1))
    assert start.done()
    queue.record(start)
    queue.launch(slow, struct.pack("Q", value.ctypes.data))
    queue.record(end)
    other.wait_event(end)
    seen = np.zeros(1, np.uint32)
    other.memcpy(seen.ctypes.data, value.ctypes.data, 4)
    assert other.wait(timeout=10)
    assert seen[0] == 40
    assert end.done()
    assert end.wait(timeout=1)
    assert 0 < start.time_ns() < end.time_ns()
    before = end.time_ns()
    queue.record(end)
    assert end.wait(timeout=5)
    assert end.time_ns() > before
    other.wait_event(end)  # already reached
    assert other.wait(timeout=5)
    for each in (start, end, other):
        each.close()


def test_an_event_may_be_closed_while_it_is_in_use(kernels: Any, queue: rt.Queue) -> None:
    value = np.zeros(1, np.uint32)
    slow = kernels.launch("slow_add")
    slow.shape((10, 1, 1), (64, 1, 1))
    other = rt.Queue()
    for _ in range(20):
        event = rt.Event()
        queue.launch(slow, struct.pack("Q", value.ctypes.data))
        queue.record(event)
        other.wait_event(event)
        event.close()
    other.close()
    assert queue.wait(timeout=20)


def test_a_queue_may_be_closed_while_it_works(kernels: Any) -> None:
    value = np.zeros(1, np.uint32)
    slow = kernels.launch("slow_add")
    slow.shape((10, 1, 1), (64, 1, 1))
    for _ in range(10):
        passing = rt.Queue()
        passing.launch(slow, struct.pack("Q", value.ctypes.data))
        passing.close()
    until = time.monotonic() + 20
    while value[0] < 100 and time.monotonic() < until:
        time.sleep(0.01)
    assert value[0] == 100


def test_host_calls_wait_their_turn(kernels: Any, queue: rt.Queue) -> None:
    value, seen = np.zeros(1, np.uint32), []
    for _ in range(5):
        queue.launch(add_one(kernels, 50), struct.pack("Q", value.ctypes.data))
        queue.call(lambda: seen.append((int(value[0]), threading.current_thread() is threading.main_thread())))
    assert queue.wait(timeout=10)
    assert seen == [(50 * (i + 1), False) for i in range(5)]


def test_a_host_call_does_not_hold_up_other_queues(kernels: Any, queue: rt.Queue) -> None:
    gate = threading.Event()
    queue.call(lambda: gate.wait(10))
    value, other = np.zeros(1, np.uint32), rt.Queue()
    for _ in range(10):
        other.launch(add_one(kernels, 3), struct.pack("Q", value.ctypes.data))
    assert other.wait(timeout=5)
    assert value[0] == 30
    assert not queue.done()
    gate.set()
    assert queue.wait(timeout=5)
    other.close()


def test_waiting_times_out(queue: rt.Queue) -> None:
    gate = threading.Event()
    seq = queue.call(lambda: gate.wait(10))
    start = time.monotonic()
    assert not queue.wait(seq, timeout=0.12)
    assert 0.1 < time.monotonic() - start < 1
    assert not queue.done(seq)
    gate.set()
    assert queue.wait(seq, timeout=5)
    assert queue.done(seq)


def test_many_threads_enqueue_to_many_queues(kernels: Any) -> None:
    queues = [rt.Queue() for _ in range(4)]
    values = np.zeros((4, 64), np.uint32)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        launch = kernels.launch("add_one")
        for _ in range(300):
            at = int(random.integers(4))
            launch.shape((int(random.integers(1, 4)), 1, 1), (64, 1, 1))
            queues[at].launch(launch, struct.pack("Q", values[at].ctypes.data))
            with lock:
                totals[at] += launch.raw.grid[0]

    lock, totals = threading.Lock(), [0] * 4
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in queues:
        assert each.wait(timeout=20)
        each.check()
        each.close()
    assert values[:, 0].tolist() == totals


def test_launch_times(kernels: Any, queue: rt.Queue) -> None:
    value = np.zeros(1, np.uint32)
    launch = kernels.launch("slow_add")
    launch.shape((20, 1, 1), (64, 1, 1))
    launch.timed()
    before = time.monotonic_ns()
    queue.launch(launch, struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=10)
    assert before < launch.times[0] < launch.times[1] < time.monotonic_ns()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the child does next to nothing
def test_the_runtime_works_in_a_forked_child(kernels: Any, queue: rt.Queue) -> None:
    value = np.zeros(1, np.uint32)
    queue.launch(add_one(kernels, 100), struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=10)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            queue.launch(add_one(kernels, 100), struct.pack("Q", value.ctypes.data))
            fresh = rt.Queue()
            fresh.launch(add_one(kernels, 100), struct.pack("Q", value.ctypes.data))
            if queue.wait(timeout=10) and fresh.wait(timeout=10) and value[0] == 300:
                status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    queue.launch(add_one(kernels, 100), struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=10)
    assert value[0] == 200


@pytest.mark.parametrize("size", [(8 << 20) - 1, (8 << 20) + 5, 33 << 20])
def test_large_copies_and_fills(queue: rt.Queue, size: int) -> None:
    source = np.random.default_rng(4).integers(0, 255, size + 16, np.uint8)
    target = np.zeros_like(source)
    queue.memcpy(target.ctypes.data + 3, source.ctypes.data + 8, size)
    assert queue.wait(timeout=10)
    assert (target[3 : 3 + size] == source[8 : 8 + size]).all()
    assert not target[:3].any()
    assert not target[3 + size :].any()
    expected = source.copy()
    expected[100 : 100 + size - 100] = expected[:-100][: size - 100].copy()
    queue.memcpy(source.ctypes.data + 100, source.ctypes.data, size - 100)  # overlapping
    assert queue.wait(timeout=10)
    assert (source == expected).all()
    words = np.zeros(size // 4 + 2, np.uint32)
    queue.fill(words.ctypes.data + 4, 0x01020304, size // 4, element=4)
    assert queue.wait(timeout=10)
    assert (words[0], words[-1]) == (0, 0)
    assert (words[1:-1] == 0x01020304).all()


def test_a_large_copy_that_faults(queue: rt.Queue) -> None:
    target = np.zeros(64 << 20, np.uint8)
    queue.memcpy(target.ctypes.data, 0x10000, target.nbytes)
    assert queue.wait(timeout=10)
    fault = queue.fault()
    assert fault is not None
    assert fault.kind == rt.FaultKind.COPY
    queue.clear()


@pytest.mark.parametrize("offset", [0, 4, 60, 64, 68])
def test_large_copies_and_fills_end_where_they_should(queue: rt.Queue, offset: int) -> None:
    """Those that go around the caches: heads and tails off the cache lines, nothing beyond either end."""
    size = (33 << 20) + 12
    source = np.random.default_rng(3).integers(0, 255, size + 256, np.uint8)
    target = np.full(size + 256, 7, np.uint8)
    shift = -target.ctypes.data % 64 + offset
    for moved in (0, 1, 13):
        target[:] = 7
        queue.memcpy(target.ctypes.data + shift, source.ctypes.data + moved, size)
        assert queue.wait(timeout=20)
        assert (target[shift : shift + size] == source[moved : moved + size]).all()
        assert (target[:shift] == 7).all()
        assert (target[shift + size :] == 7).all()
    for element in (1, 2, 4):
        for odd in (0, 1):
            target[:] = 7
            start = shift + odd
            queue.fill(target.ctypes.data + start, 0xA1B2C3D4, size // element, element=element)
            assert queue.wait(timeout=20)
            pattern = np.frombuffer((0xA1B2C3D4).to_bytes(4, "little")[:element] * (size // element), np.uint8)
            assert (target[start : start + size] == pattern).all()
            assert (target[:start] == 7).all()
            assert (target[start + size :] == 7).all()
    queue.check()
