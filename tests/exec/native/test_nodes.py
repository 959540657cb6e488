"""Workers bound to memory nodes, on a made-up host with two. Workers start only once: each test is a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

START = """
import struct, sys
from pathlib import Path
import ctypes
import numpy as np
from softrock.exec import runtime as rt
from softrock.memory import numa

numa.ROOT = Path(sys.argv[1])
ctypes.CDLL(str(rt.runtime().path), ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(sys.argv[2])
queue = rt.Queue()

def launch(name, grid, group, data, *words, flags=rt.Flags.NONE, kernel=None):
    fn = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    made = rt.Launch(fn, name, flags=flags, lds_bytes=256, kernel=kernel)
    made.shape((grid, 1, 1), (group, 1, 1))
    queue.launch(made, struct.pack("Q%dI" % len(words), data.ctypes.data, *words))
    assert queue.wait(timeout=30)
    queue.check()

def address(name):
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
"""


@pytest.fixture
def cpus() -> list[int]:
    found = sorted(os.sched_getaffinity(0))[:2]
    if len(found) < 2:
        pytest.skip("needs two CPUs")
    return found


def run(tmp_path: Path, kernels: Any, cpus: list[int], body: str, **environment: str) -> None:
    root = tmp_path / "host"
    for node, cpu in enumerate(cpus):
        folder = root / f"sys/devices/system/node/node{node}"
        folder.mkdir(parents=True)
        (folder / "cpulist").write_text(f"{cpu}\n")
    (root / "sys/devices/system/node/online").write_text("0-1\n")
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/status").write_text("Mems_allowed_list:\t0-1\n")
    done = subprocess.run(
        [sys.executable, "-c", START + body, str(root), str(kernels.path), *map(str, cpus)],
        env={**os.environ, "SOFTROCK_THREADS": "4", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_workers_stay_on_their_node_and_begin_with_its_workgroups(
    tmp_path: Path, kernels: Any, cpus: list[int]
) -> None:
    body = """
cpus = [int(word) for word in sys.argv[3:]]
for grid in (400, 401, 4000):
    out = np.full((grid, 2), -1, np.int32)
    launch("who", grid, 64, out, 20000)
    assert (out >= 0).all()
    for worker, cpu in set(map(tuple, out.tolist())):
        assert cpu == cpus[0 if worker < 2 else 1], (worker, cpu)
    # a node's workers take the other's workgroups only when theirs are done: not those at its beginning
    first, second = out[: grid // 16, 0], out[grid // 2 : grid // 2 + grid // 16, 0]
    if len(set(out[:, 0].tolist()) & {0, 1}) and len(set(out[:, 0].tolist()) & {2, 3}):
        assert (first < 2).mean() > 0.9 or (second >= 2).mean() > 0.9, out[:, 0].tolist()
"""
    run(tmp_path, kernels, cpus, body)


def test_off_means_off(tmp_path: Path, kernels: Any, cpus: list[int]) -> None:
    body = """
import os
assert numa.policy() is None
for _ in range(20):
    out = np.full((4000, 2), -1, np.int32)
    launch("who", 4000, 64, out, 200)
tasks = [int(each) for each in os.listdir("/proc/self/task")]
assert all(os.sched_getaffinity(each) == os.sched_getaffinity(0) for each in tasks)
"""
    run(tmp_path, kernels, cpus, body, SOFTROCK_NUMA="off")


def test_every_workgroup_runs_once_and_copies_are_whole(tmp_path: Path, kernels: Any, cpus: list[int]) -> None:
    body = """
value = np.zeros(1, np.uint32)
total = 0
for grid in (1, 2, 7, 8, 9, 1000, 65537):
    launch("add_one", grid, 64, value)
    total += grid
    assert value[0] == total
source = np.random.default_rng(1).integers(0, 255, (70 << 20) + 13, np.uint8)
target = np.zeros_like(source)
queue.memcpy(target.ctypes.data, source.ctypes.data, source.nbytes)
assert queue.wait(timeout=30) and (target == source).all()
queue.fill(target.ctypes.data, 5, target.nbytes)
assert queue.wait(timeout=30) and (target == 5).all()
"""
    run(tmp_path, kernels, cpus, body)


def test_kernels_that_wait_for_workgroups_before_them_run_in_order(
    tmp_path: Path, kernels: Any, cpus: list[int]
) -> None:
    """The first launch of a kernel with barriers is in order; whether it may be split is known after it."""
    body = """
waits = rt.Kernel(address("look_back"), flags=rt.Flags.FIBERS)
for _ in range(6):
    flags = np.zeros(3000, np.uint32)
    launch("look_back", 3000, 128, flags, flags=rt.Flags.FIBERS, kernel=waits)
    assert (flags == np.arange(1, 3001)).all()
meets = rt.Kernel(address("who_meets"), flags=rt.Flags.FIBERS)
for _ in range(3):
    out = np.full((4000, 2), -1, np.int32)
    launch("who_meets", 4000, 128, out, 20000, flags=rt.Flags.FIBERS, kernel=meets)
    assert (out >= 0).all()
assert meets.raw.stalls == 0
"""
    run(tmp_path, kernels, cpus, body)
