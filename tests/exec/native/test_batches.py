"""Batches of work, and what the launches of a kernel share: replaceable code and totals."""

from __future__ import annotations

import gc
import struct
import threading
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import UsageError
from softrock.exec import runtime as rt


def shaped(launch: rt.Launch, grid: int, group: int = 64) -> rt.Launch:
    launch.shape((grid, 1, 1), (group, 1, 1))
    return launch


def test_pieces_run_in_order_each_time(kernels: Any, queue: rt.Queue) -> None:
    """A chain in which each piece checks what the one before left: launches, a copy, a fill."""
    value, errors, kept = (np.zeros(1, np.uint32) for _ in range(3))
    launch = shaped(kernels.launch("in_order"), 1)
    batch = rt.Batch()
    batch.fill(value.ctypes.data, 0, 1, element=4)
    for i in range(500):
        batch.launch(launch, struct.pack("QIIQ", value.ctypes.data, i, i + 1, 0) + bytes(i % 7 * 300))
    batch.copy(kept.ctypes.data, value.ctypes.data, 4)
    for _ in range(20):
        kept[0] = 7
        queue.batch(batch)
        assert queue.wait(timeout=20)
        assert (kept[0], errors[0]) == (500, 0)
    queue.check()
    with pytest.raises(UsageError):
        batch.launch(launch, bytes(24))


def test_pieces_of_many_workgroups_are_shared_among_workers(kernels: Any, queue: rt.Queue) -> None:
    value, source, target = np.zeros(1, np.uint32), np.arange(5 << 20, dtype=np.uint32), np.zeros(5 << 20, np.uint32)
    batch = rt.Batch()
    for grid in (1, 3000, 17, 40000, 1, 5):
        batch.launch(shaped(kernels.launch("add_one"), grid), struct.pack("Q", value.ctypes.data))
    batch.copy(target.ctypes.data, source.ctypes.data, source.nbytes)
    for round_ in range(1, 6):
        target[:] = 0
        queue.batch(batch)
        assert queue.wait(timeout=20)
        assert value[0] == round_ * 43024
        assert (target == source).all()


def test_a_batch_may_run_in_two_queues_and_be_given_up_at_once(kernels: Any) -> None:
    value = np.zeros(1, np.uint32)
    queues = [rt.Queue(), rt.Queue()]
    batch = rt.Batch()
    launch = shaped(kernels.launch("add_one"), 9)
    for _ in range(200):
        batch.launch(launch, struct.pack("Q", value.ctypes.data))
    for _ in range(10):
        for queue in queues:
            queue.batch(batch)
    batch.close()
    gc.collect()
    for queue in queues:
        assert queue.wait(timeout=20)
        queue.check()
    assert value[0] == 2 * 10 * 200 * 9


def test_launch_numbers_go_on_behind_a_batch(kernels: Any, queue: rt.Queue) -> None:
    rows = np.zeros((3, 64, 8), np.uint32)
    launch = shaped(kernels.launch("identify"), 1)
    batch = rt.Batch()
    for i in range(2):
        batch.launch(launch, struct.pack("Q", rows[i].ctypes.data))
    queue.batch(batch)
    queue.launch(launch, struct.pack("Q", rows[2].ctypes.data))
    assert queue.wait(timeout=5)
    assert [int(each[0, 7]) for each in rows] == [0, 1, 2]


def test_a_fault_skips_the_rest_of_the_batch(kernels: Any, queue: rt.Queue) -> None:
    value = np.zeros(1, np.uint32)
    add = shaped(kernels.launch("add_one"), 4)
    batch = rt.Batch()
    batch.launch(add, struct.pack("Q", value.ctypes.data))
    batch.launch(shaped(kernels.launch("bad_read"), 40), struct.pack("QQ", 64, 17))
    batch.launch(add, struct.pack("Q", value.ctypes.data))
    seq = queue.batch(batch)
    assert queue.wait(timeout=20)
    fault = queue.fault()
    assert fault is not None
    assert (fault.kernel, fault.kind, fault.address, fault.seq) == ("bad_read", rt.FaultKind.MEMORY, 64, seq)
    assert value[0] == 4
    queue.clear()
    queue.launch(add, struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=5)
    assert value[0] == 8


def test_bad_pieces_are_refused(kernels: Any) -> None:
    batch = rt.Batch()
    with pytest.raises(UsageError):
        batch.launch(kernels.launch("add_one"))
    with pytest.raises(UsageError):
        batch.fill(0, 0, 1, element=3)


def test_code_is_replaced_while_launches_wait(kernels: Any, queue: rt.Queue) -> None:
    """What was enqueued before the exchange but begins after it runs the new code, batches too."""
    value, other, errors = (np.zeros(1, np.uint32) for _ in range(3))
    go = threading.Event()
    kernel = rt.Kernel(kernels["add_one"], code=kernels.code)
    launch = shaped(kernels.launch("add_one", kernel=kernel), 1)

    def arguments(expected: int, following: int) -> bytes:
        return struct.pack("QIIQ", other.ctypes.data, expected, following, errors.ctypes.data)

    queue.launch(launch, struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=5)
    assert value[0] == 1
    queue.call(lambda: go.wait(10))
    queue.launch(launch, arguments(0, 5))
    batch = rt.Batch()
    batch.launch(launch, arguments(5, 6))
    queue.batch(batch)
    kernel.replace(kernels["in_order"], code=kernels.code)
    go.set()
    assert queue.wait(timeout=5)
    queue.check()
    assert (value[0], other[0], errors[0]) == (1, 6, 0)


def test_new_code_may_need_fibers(kernels: Any, queue: rt.Queue) -> None:
    kernel = rt.Kernel(kernels["empty"], code=kernels.code)
    launch = shaped(kernels.launch("empty", kernel=kernel), 20, 256)
    queue.launch(launch)
    assert queue.wait(timeout=5)
    kernel.replace(kernels["nine_barriers"], code=kernels.code, flags=rt.Flags.FIBERS)
    queue.launch(launch)
    assert queue.wait(timeout=5)
    queue.check()
    kernel.replace(kernels["nine_barriers"], code=kernels.code)
    queue.launch(launch)
    assert queue.wait(timeout=5)
    fault = queue.fault()
    assert fault is not None
    assert fault.kind is rt.FaultKind.MISUSE


def test_totals_add_up(kernels: Any) -> None:
    """Launches of two queues, by themselves and in batches; a slow kernel takes its time."""
    value = np.zeros(1, np.uint32)
    queues = [rt.Queue(), rt.Queue()]
    kernel = rt.Kernel(kernels["slow_add"], code=kernels.code)
    launch = shaped(kernels.launch("slow_add", kernel=kernel), 7)
    assert kernel.totals() == rt.Totals(0, 0, 0)
    batch = rt.Batch()
    batch.launch(launch, struct.pack("Q", value.ctypes.data))
    for queue in queues:
        queue.launch(launch, struct.pack("Q", value.ctypes.data))
        queue.batch(batch)
    for queue in queues:
        assert queue.wait(timeout=20)
    totals = kernel.totals()
    assert (totals.launches, totals.groups, value[0]) == (4, 28, 28)
    assert totals.run_ns > 4 * 50_000
