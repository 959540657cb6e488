"""The device address space: allocation, limits, look-up, faults on misuse."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softrock.core.errors import UsageError
from softrock.memory import AddressSpace, DeviceOutOfMemory, InvalidPointer, Kind
from softrock.memory.ranges import Ranges
from softrock.memory.space import spare_bytes

MIB = 1 << 20


@pytest.fixture
def space() -> Iterator[AddressSpace]:
    made = AddressSpace(64 << 30, host_limit=16 << 30)
    yield made
    made.close()


def view_of(address: int, size: int) -> np.ndarray[Any, Any]:
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def mappings() -> int:
    return Path("/proc/self/maps").read_text().count("\n")


def ends_by_signal(action: Callable[[], object]) -> bool:
    """Whether a child process that does this dies of a signal."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        action()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def poke(address: int, value: int = 1) -> None:
    ctypes.c_uint8.from_address(address).value = value


@pytest.mark.parametrize("size", [1, 255, 256, 257, 4096, 65535, 65536, 100_000, 2 * MIB, 5 * MIB + 1])
def test_memory_is_usable_and_aligned(space: AddressSpace, size: int) -> None:
    places = [space.alloc(size) for _ in range(5)]
    assert len(set(places)) == 5
    for number, place in enumerate(places):
        assert place % (2 * MIB if size >= 2 * MIB else 4096 if size >= 65536 else 256) == 0
        view = view_of(place, size)
        assert not view.any()
        view[:] = number + 1
    for number, place in enumerate(places):
        view = view_of(place, size)
        assert (view == number + 1).all()
        space.free(place)
    assert space.used(0) == 0


@pytest.mark.parametrize("align", [256, 4096, 65536, 4 * MIB])
def test_alignment_is_kept(space: AddressSpace, align: int) -> None:
    assert all(space.alloc(size, align=align) % align == 0 for size in (1, 300, 70_000, 3 * MIB) * 3)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the child does next to nothing
def test_overruns_and_uses_after_free_fault(space: AddressSpace) -> None:
    big, next_to_it = space.alloc(100_000), space.alloc(100_000)
    assert next_to_it - big >= 106_496
    poke(big + 99_999)
    assert not ends_by_signal(lambda: poke(big))
    assert ends_by_signal(lambda: poke(big + 102_400))
    assert ends_by_signal(lambda: poke(big - 1))
    space.free(big)
    assert ends_by_signal(lambda: poke(big))
    again = space.alloc(100_000)
    assert again == big
    assert ctypes.c_uint8.from_address(again + 99_999).value == 0


def test_find(space: AddressSpace) -> None:
    first, second = space.alloc(1000, device=1), space.alloc(1 * MIB, device=2, kind=Kind.MANAGED, tag="mine")
    for address in (first, first + 999):
        found = space.find(address)
        assert found is not None
        assert (found.base, found.size, found.device, found.kind) == (first, 1000, 1, Kind.DEVICE)
    assert space.find(first + 1000) is None
    assert space.find(0) is None
    assert space.find(1 << 63) is None
    found = space.find(second + 12345)
    assert found is not None
    assert (found.tag, found.kind) == ("mine", Kind.MANAGED)
    assert "byte 5 of 1000" in space.describe(first + 5)
    assert "1 bytes behind the end of 1048576 bytes of managed" in space.describe(second + MIB + 1)
    assert "null" in space.describe(8)
    assert [each.base for each in space.allocations(2)] == [second]


def test_freeing_what_is_not_there(space: AddressSpace) -> None:
    place = space.alloc(1000)
    for wrong in (0, place + 1, place - 256, 1 << 40):
        with pytest.raises(InvalidPointer):
            space.free(wrong)
    space.free(place)
    with pytest.raises(InvalidPointer):
        space.free(place)


def test_limits(space: AddressSpace) -> None:
    space.set_limit(0, 10 * MIB)
    space.set_limit(1, 1 << 50)
    assert (space.capacity(0), space.capacity(1)) == (10 * MIB, 16 << 30)
    held = space.alloc(6 * MIB)
    with pytest.raises(DeviceOutOfMemory, match=r"device 0 has 4\.0 MiB of 10\.0 MiB left, 5\.0 MiB were asked"):
        space.alloc(5 * MIB)
    assert space.free_bytes(0) == 4 * MIB
    space.alloc(5 * MIB, kind=Kind.PINNED)  # host memory does not count
    space.alloc(4 * MIB)
    space.free(held)
    space.alloc(6 * MIB)
    with pytest.raises(DeviceOutOfMemory, match="the host has"):
        space.alloc(17 << 30, device=1)
    with pytest.raises(DeviceOutOfMemory):
        space.alloc(1 << 62, device=1)
    assert space.used(0) == 10 * MIB


@pytest.mark.parametrize(("size", "align"), [(0, 256), (-1, 256), (16, 3), (16, 0)])
def test_senseless_requests(space: AddressSpace, size: int, align: int) -> None:
    with pytest.raises(UsageError):
        space.alloc(size, align=align)


def test_registered_memory(space: AddressSpace) -> None:
    data = np.zeros(5000, np.uint8)
    base = data.ctypes.data
    made = space.register(base, 5000, device=3)
    assert space.find(base + 4999) == made
    assert made.kind is Kind.REGISTERED
    for start, size in ((base + 10, 10), (base - 10, 20), (base - 1, 9000), (base, 0), (0, 5)):
        with pytest.raises(UsageError):
            space.register(start, size)
    with pytest.raises(InvalidPointer):
        space.free(base)
    assert space.used(3) == 0
    assert space.unregister(base) == made
    assert space.find(base) is None
    with pytest.raises(InvalidPointer):
        space.unregister(base)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the child does next to nothing
def test_many_small_allocations_share_pages_and_give_them_back(space: AddressSpace) -> None:
    before = mappings()
    places = [space.alloc(300) for _ in range(20_000)]
    assert mappings() - before < 50
    for place in places:
        poke(place)
    for place in reversed(places):
        space.free(place)
    assert not space.allocations()
    assert ends_by_signal(lambda: poke(places[10_000]))


def test_threads(space: AddressSpace) -> None:
    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        held: list[tuple[int, int]] = []
        for _ in range(300):
            size = int(2 ** random.uniform(0, 22))
            place = space.alloc(size, device=seed)
            poke(place, seed)
            poke(place + size - 1, seed)
            held.append((place, size))
            if len(held) > 10:
                place, size = held.pop(int(random.integers(len(held))))
                ends = {ctypes.c_uint8.from_address(at).value for at in (place, place + size - 1)}
                wrong.extend(ends - {seed})
                space.free(place)
        for place, _ in held:
            space.free(place)

    wrong: list[int] = []
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert not space.allocations()
    assert all(space.used(seed) == 0 for seed in range(5))


def test_a_small_address_space_is_used_up_and_recovers() -> None:
    space = AddressSpace(64 * MIB, host_limit=1 << 40)
    held = [space.alloc(3 * MIB) for _ in range(12)]
    with pytest.raises(DeviceOutOfMemory, match="address space"):
        space.alloc(40 * MIB)
    for place in held[::2] + held[1::2]:
        space.free(place)
    assert space.alloc(40 * MIB)
    space.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.sampled_from([1, 2, 8, 32]), st.booleans()), max_size=60))
def test_ranges_never_overlap_and_come_back_whole(steps: list[tuple[int, int, bool]]) -> None:
    ranges, taken = Ranges(), np.zeros(1064, bool)
    held: list[tuple[int, int]] = []
    ranges.add(64, 1000)
    for size, align, give_back in steps:
        if give_back and held:
            start, length = held.pop(size % len(held))
            taken[start : start + length] = False
            ranges.add(start, length)
            continue
        place = ranges.take(size, align)
        if place is None:
            continue
        assert place % align == 0
        assert 64 <= place <= 1064 - size
        assert not taken[place : place + size].any()
        taken[place : place + size] = True
        held.append((place, size))
        assert ranges.total == 1000 - taken.sum()
    for start, length in held:
        whole = ranges.add(start, length)
    assert not held or whole == (64, 1000)
    assert ranges.take(1000, 64) == 64


def test_free_memory_leaves_the_host_its_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that fills nine tenths of the free memory and mirrors it on the host must not end the machine."""
    monkeypatch.setattr(sys.modules[spare_bytes.__module__], "spare_bytes", lambda: 64 * MIB)
    space = AddressSpace(1 << 30)
    assert space.free_bytes(0) == 32 * MIB
    place = space.alloc(8 * MIB)
    assert space.free_bytes(0) == 24 * MIB
    space.free(place)
    space.close()


def test_spare_memory_is_part_of_the_hosts() -> None:
    assert 0 < spare_bytes() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
