"""Waves, workgroups, barriers, LDS, scratch: what a kernel sees."""

from __future__ import annotations

import struct
from itertools import product
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import UsageError
from softrock.exec import runtime as rt
from softrock.lift import wave

FIBERS = rt.Flags.FIBERS


def run(queue: rt.Queue, launch: rt.Launch, *arguments: int | np.ndarray) -> None:
    words = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
    queue.launch(launch, struct.pack(f"{len(words)}Q", *words))
    assert queue.wait(timeout=30)
    queue.check()


@pytest.mark.parametrize("wave_size", [32, 64])
@pytest.mark.parametrize(
    ("grid", "group", "items"),
    [
        ((5, 1, 1), (256, 1, 1), None),
        ((3, 4, 2), (8, 4, 3), None),
        ((2, 3, 4), (1, 1, 1), None),
        ((1, 1, 1), (16, 8, 8), None),
        ((7, 1, 1), (100, 1, 1), None),
        ((3, 1, 1), (256, 1, 1), (600, 1, 1)),
        ((2, 3, 2), (16, 8, 2), (17, 20, 3)),
    ],
)
def test_every_work_item_runs_once(
    kernels: Any,
    queue: rt.Queue,
    wave_size: int,
    grid: tuple[int, ...],
    group: tuple[int, ...],
    items: tuple[int, ...] | None,
) -> None:
    size = items or tuple(a * b for a, b in zip(grid, group, strict=True))
    out = np.zeros((size[2], size[1], size[0], 8), np.uint32)
    launch = kernels.launch("identify", wave_size=wave_size)
    launch.shape(grid, group, items=items)
    run(queue, launch, out)
    run(queue, launch, out)
    assert (out[..., 0] == 2).all()
    for z, y, x in product(*(range(n) for n in out.shape[:3])):
        row = out[z, y, x]
        assert tuple(row[1:4]) == (x, y, z)
        corner = [at // g * g for at, g in zip((x, y, z), group, strict=True)]
        shape = [min(g, s - c) for g, s, c in zip(group, size, corner, strict=True)]
        inside = [at - c for at, c in zip((x, y, z), corner, strict=True)]
        flat = (inside[2] * shape[1] + inside[1]) * shape[0] + inside[0]
        assert (row[4], row[5]) == divmod(flat, wave_size)
        assert row[6] == -(-shape[0] * shape[1] * shape[2] // wave_size)
        assert row[7] == 1


def test_fields(kernels: Any, queue: rt.Queue) -> None:
    out = np.zeros(wave.SIZE // 4, np.uint32)
    launch = kernels.launch("fields", scratch_lane_bytes=48, lds_bytes=512, calls=64, code_base=77, user=88)
    launch.shape((1, 1, 1), (40, 1, 1), dynamic_lds=100)
    run(queue, launch, out)
    field = {
        name: int(out.view(np.uint64)[offset // 8]) if kind == "u64" else int(out[offset // 4])
        for (name, kind, _), offset in zip(wave.FIELDS, wave.OFFSET.values(), strict=True)
    }
    assert field["exec"] == (1 << 40) - 1
    assert field["lds"] % 2**32 == 0 != field["lds"]
    assert field["private_base"] == rt.runtime().private_aperture()
    assert field["private_base"] % 2**32 == 0 != field["private_base"]
    assert field["private_base"] >> 32 not in (field["lds"] >> 32, field["scratch"] >> 32)
    assert (field["lds_bytes"], field["scratch_lane_bytes"], field["num_waves"]) == (612, 48, 1)
    assert (field["calls"], field["code_base"], field["user"]) == (64, 77, 88)
    for name in ("kernarg", "dispatch", "queue", "scratch", "workitem_ids", "regs"):
        assert field[name] % 64 == 0 != field[name], name


def test_dispatch_packet_and_queue(kernels: Any, queue: rt.Queue) -> None:
    out = np.zeros(384, np.uint8)
    launch = kernels.launch("packets", scratch_lane_bytes=16, lds_bytes=64, kernel_object=0x1122334455667788)
    launch.shape((2, 3, 1), (64, 2, 1))
    run(queue, launch, out)
    raw = out.tobytes()
    header, setup, *sizes = struct.unpack_from("<8H", raw)
    assert (header, setup, sizes[:3]) == (2, 2, [64, 2, 1])
    assert struct.unpack_from("<5I", raw, 12) == (128, 6, 1, 16, 64)
    assert struct.unpack_from("<Q", raw, 32) == (0x1122334455667788,)
    group, private = struct.unpack_from("<2I", raw, 64 + 64)
    assert private == rt.runtime().private_aperture() >> 32
    assert group not in (0, private)


def test_reduction_with_nine_barriers(kernels: Any, queue: rt.Queue) -> None:
    groups = 700
    data = np.random.default_rng(1).random(groups * 256, np.float32)
    out = np.zeros(groups, np.float32)
    launch = kernels.launch("reduce", flags=FIBERS, lds_bytes=1024)
    launch.shape((groups, 1, 1), (256, 1, 1))
    run(queue, launch, data, out)
    np.testing.assert_allclose(out, data.reshape(groups, 256).sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize(("wave_size", "items"), [(64, 1024), (32, 1024), (64, 64), (64, 130)])
def test_waves_that_have_ended_count_as_arrived(kernels: Any, queue: rt.Queue, wave_size: int, items: int) -> None:
    waves = -(-items // wave_size)
    out = np.zeros((50, 64), np.uint32)
    launch = kernels.launch("leave_early", flags=FIBERS, lds_bytes=256, wave_size=wave_size)
    launch.shape((50, 1, 1), (items, 1, 1))
    run(queue, launch, out)
    expected = np.zeros(64, np.uint32)
    expected[:waves] = waves - 1 - np.arange(waves)
    assert (out == expected).all()


def test_yield_lets_other_waves_run(kernels: Any, queue: rt.Queue) -> None:
    out = np.zeros(40, np.uint64)
    launch = kernels.launch("spin_on_wave", flags=FIBERS, lds_bytes=64)
    launch.shape((40, 1, 1), (512, 1, 1))
    run(queue, launch, out)
    assert (out == 7 + np.arange(40)).all()


@pytest.mark.parametrize("groups", [24, 900])
def test_yield_lets_other_workgroups_run(kernels: Any, queue: rt.Queue, groups: int) -> None:
    counter = np.zeros(1, np.uint32)
    launch = kernels.launch("spin_on_groups", flags=FIBERS)
    launch.shape((groups, 1, 1), (128, 1, 1))
    run(queue, launch, counter, groups)
    assert counter[0] == groups


@pytest.mark.parametrize(("groups", "phases"), [(60, 20), (1500, 2)])
def test_cooperative_grid_sync(kernels: Any, queue: rt.Queue, groups: int, phases: int) -> None:
    counters, out = np.zeros(phases, np.uint32), np.zeros(groups * 4, np.uint32)
    launch = kernels.launch("grid_sync", flags=FIBERS, lds_bytes=64)
    launch.shape((groups, 1, 1), (256, 1, 1), cooperative=True)
    run(queue, launch, counters, phases | groups << 32, out)
    assert (counters == groups).all()
    assert (out == 1).all()


def test_lds_tail_reads_zero_and_forgets_writes(kernels: Any, queue: rt.Queue) -> None:
    out = np.zeros(12, np.uint64)
    launch = kernels.launch("lds_tail", lds_bytes=8000)
    launch.shape((12, 1, 1), (64, 1, 1))
    before = rt.runtime().stats()["lds_drops"]
    run(queue, launch, out)
    assert (out == 2).all()
    assert rt.runtime().stats()["lds_drops"] > before


def test_lds_shrinks_and_grows(kernels: Any, queue: rt.Queue) -> None:
    for size in (65536, 8192, 32768, 8192):
        data, out = np.ones(256, np.float32), np.zeros(1, np.float32)
        launch = kernels.launch("reduce", flags=FIBERS, lds_bytes=size)
        launch.shape((1, 1, 1), (256, 1, 1))
        run(queue, launch, data, out)
        assert out[0] == 256
        tail = np.zeros(1, np.uint64)
        launch = kernels.launch("lds_tail", lds_bytes=8192)
        launch.shape((1, 1, 1), (64, 1, 1))
        run(queue, launch, tail)
        assert tail[0] == 2


def test_scratch_and_save_areas_are_private(kernels: Any, queue: rt.Queue) -> None:
    errors = np.zeros(1, np.uint32)
    for lane_bytes in (4, 1000, 60):
        launch = kernels.launch("own_areas", flags=FIBERS, scratch_lane_bytes=lane_bytes)
        launch.shape((6, 1, 1), (320, 1, 1))
        run(queue, launch, errors)
    assert errors[0] == 0


def test_call_table(kernels: Any, queue: rt.Queue) -> None:
    pairs = [(pc, pc * 10) for pc in range(100, 200, 7)]
    table = np.array([len(pairs), *(word for pair in pairs for word in pair)], np.uint64)
    out = np.zeros(1, np.uint64)
    launch = kernels.launch("look_up", calls=table.ctypes.data)
    launch.shape((1, 1, 1), (64, 1, 1))
    for pc, function in pairs:
        run(queue, launch, out, pc)
        assert out[0] == function
    queue.launch(launch, struct.pack("QQ", out.ctypes.data, 101))
    queue.wait()
    fault = queue.fault()
    assert fault is not None
    assert (fault.kind, fault.address) == (rt.FaultKind.BAD_PC, 101)


def test_clocks(kernels: Any, queue: rt.Queue) -> None:
    out = np.zeros(4, np.uint64)
    launch = kernels.launch("clocks")
    launch.shape((1, 1, 1), (64, 1, 1))
    launch.timed()
    run(queue, launch, out)
    start, clock, end, clock_end = map(int, out)
    assert clock_end > clock
    spent = launch.times[1] - launch.times[0]
    assert 0 < (end - start) * 10 <= spent + 20


@pytest.mark.parametrize(
    ("grid", "group", "options"),
    [
        ((0, 1, 1), (64, 1, 1), {}),
        ((1, 1, 1), (1025, 1, 1), {}),
        ((1, 1, 1), (64, 32, 1), {}),
        ((1, 1, 1), (0, 1, 1), {}),
        ((1, 1, 1), (64, 1, 1), {"cooperative": True}),
        ((2, 1, 1), (64, 1, 1), {"items": (64, 1, 1)}),
        ((2, 1, 1), (64, 1, 1), {"items": (129, 1, 1)}),
    ],
)
def test_invalid_shapes(kernels: Any, queue: rt.Queue, grid: Any, group: Any, options: Any) -> None:
    launch = kernels.launch("empty")
    launch.shape(grid, group, **options)
    with pytest.raises(UsageError):
        queue.launch(launch)


def test_kernarg_limits(kernels: Any, queue: rt.Queue) -> None:
    launch = kernels.launch("empty")
    launch.shape((1, 1, 1), (64, 1, 1))
    queue.launch(launch, bytes(65536))
    with pytest.raises(UsageError):
        queue.launch(launch, bytes(65537))
    assert queue.wait(timeout=10)


@pytest.mark.parametrize("odds", [0, 600, 20000])
@pytest.mark.parametrize("waves", [1, 2, 4, 7, 16])
def test_barriers_hold_whatever_the_waves_do_between_them(kernels: Any, queue: rt.Queue, waves: int, odds: int) -> None:
    """Waves that leave at different barriers and yield in between (`odds` in 65536): rings that shrink, disorder."""
    counts = np.zeros(2, np.uint32)
    launch = kernels.launch("mixed_order", flags=rt.Flags.FIBERS, lds_bytes=256)
    launch.shape((60, 1, 1), (waves * 64, 1, 1))
    for seed in range(8):
        queue.launch(launch, struct.pack("QIII", counts.ctypes.data, seed, 11, odds))
    assert queue.wait(timeout=30)
    queue.check()
    assert counts.tolist() == [0, 8 * 60 * waves]
