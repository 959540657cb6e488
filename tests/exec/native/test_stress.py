"""Many queues, shapes, faults and aborts at once: nothing hangs, nothing is lost."""

from __future__ import annotations

import struct
import threading
import time
from typing import Any

import numpy as np
import pytest

from softrock.exec import runtime as rt

FIBERS = rt.Flags.FIBERS


def launch_of(kernels: Any, name: str, grid: int, items: int, flags: rt.Flags, cooperative: bool = False) -> rt.Launch:
    launch: rt.Launch = kernels.launch(name, flags=flags, lds_bytes=1024)
    launch.shape((grid, 1, 1), (items, 1, 1), cooperative=cooperative)
    return launch


def test_two_cooperative_launches_at_once(kernels: Any) -> None:
    queues = [rt.Queue(), rt.Queue(), rt.Queue()]
    groups, phases = 30, 10
    counters, out = np.zeros((3, 5, phases), np.uint32), np.zeros((3, groups * 2), np.uint32)
    launch = launch_of(kernels, "grid_sync", groups, 128, FIBERS, cooperative=True)
    for turn in range(5):
        for at, queue in enumerate(queues):
            words = (counters[at, turn].ctypes.data, phases | groups << 32, out[at].ctypes.data)
            queue.launch(launch, struct.pack("QQQ", *words))
    for queue in queues:
        assert queue.wait(timeout=30)
        queue.check()
        queue.close()
    assert (counters == groups).all()
    assert (out == 5).all()


def test_abort_of_a_grid_sync_that_never_ends(kernels: Any, queue: rt.Queue) -> None:
    counters, out = np.zeros(1, np.uint32), np.zeros(80, np.uint32)
    launch = launch_of(kernels, "grid_sync", 40, 128, FIBERS, cooperative=True)
    queue.launch(launch, struct.pack("QQQ", counters.ctypes.data, 1 | 41 << 32, out.ctypes.data))
    assert not queue.wait(timeout=0.2)
    assert rt.runtime().abort_all(3) == 0
    assert queue.wait(timeout=1)
    fault = queue.fault()
    assert fault is not None
    assert len(fault.waves) == 80
    states = [wave.state for wave in fault.waves]
    assert states.count(rt.WaveState.BARRIER) == 40
    assert len({(wave.group, wave.wave_id) for wave in fault.waves}) == 80
    assert all(kernels.code[0] <= wave.host_pc < kernels.code[1] for wave in fault.waves)


def _mixture(kernels: Any, seed: int, until: float, failures: list[str]) -> None:
    """One queue's worth of random work with faults in between; what it computes is checked after each wait."""
    random = np.random.default_rng(seed)
    queue = rt.Queue()
    data = random.random(64 * 256, np.float32)
    sums, value = np.zeros(64, np.float32), np.zeros(1, np.uint32)
    expected = 0
    reduce_ = launch_of(kernels, "reduce", 64, 256, FIBERS)
    bad = launch_of(kernels, "bad_after_barrier", 7, 256, FIBERS)
    while time.monotonic() < until:
        for _ in range(int(random.integers(1, 30))):
            choice = int(random.integers(4))
            if choice == 0:
                sums[:] = 0
                queue.launch(reduce_, struct.pack("QQ", data.ctypes.data, sums.ctypes.data))
                queue.wait()
                if not np.allclose(sums, data.reshape(64, 256).sum(axis=1), rtol=1e-4):
                    failures.append(f"{seed}: wrong sums")
            elif choice == 1:
                grid = int(random.integers(1, 300))
                expected += grid
                queue.launch(
                    launch_of(kernels, "add_one", grid, 64, rt.Flags.NONE), struct.pack("Q", value.ctypes.data)
                )
            elif choice == 2:
                queue.call(lambda: None)
            else:
                queue.marker()
        if not queue.wait(timeout=20):
            failures.append(f"{seed}: timed out")
            return
        if value[0] != expected % 2**32:
            failures.append(f"{seed}: {value[0]} instead of {expected}")
        if random.integers(3) == 0:
            queue.launch(bad, struct.pack("Q", 0x3000))
            queue.wait()
            fault = queue.fault()
            if fault is None or fault.address != 0x3000 or fault.wave_id != 2:
                failures.append(f"{seed}: {fault}")
            queue.clear()
    queue.close()


@pytest.mark.parametrize("seconds", [1, pytest.param(20, marks=pytest.mark.long)])
def test_mixture(kernels: Any, seconds: float) -> None:
    failures: list[str] = []
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=_mixture, args=(kernels, seed, until, failures)) for seed in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 30)
        assert not thread.is_alive()
    assert not failures, failures[:5]


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.long)])
def test_aborts_again_and_again(kernels: Any, rounds: int) -> None:
    random = np.random.default_rng(5)
    flag = np.zeros(1, np.uint32)
    queues = [rt.Queue() for _ in range(3)]
    for _ in range(rounds):
        for queue in queues:
            name = ["spin", "yield_forever", "spin_mixed", "spin_clock"][int(random.integers(4))]
            launch = launch_of(kernels, name, int(random.integers(1, 20)), 256, FIBERS)
            queue.launch(launch, struct.pack("Q", flag.ctypes.data))
        time.sleep(float(random.uniform(0, 0.01)))
        assert rt.runtime().abort_all() == 0
        for queue in queues:
            assert queue.wait(timeout=5)
            fault = queue.fault()
            assert fault is not None
            assert fault.kind == rt.FaultKind.ABORTED
            queue.clear()
    for queue in queues:
        queue.close()
