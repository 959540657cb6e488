"""Memory nodes of the host, on made-up hosts: a folder with the files that the kernel would show."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from softrock.core.errors import UsageError
from softrock.memory import AddressSpace, numa, pages

MIB = 1 << 20


def host(root: Path, nodes: dict[int, str], *, has_memory: str | None = None, allowed: str = "0-1023") -> Path:
    """Write a host with these nodes (number -> cpulist)."""
    place = root / "sys/devices/system/node"
    place.mkdir(parents=True)
    (place / "online").write_text(",".join(map(str, nodes)) + "\n")
    if has_memory is not None:
        (place / "has_memory").write_text(has_memory + "\n")
    for number, cpus in nodes.items():
        (place / f"node{number}").mkdir()
        (place / f"node{number}/cpulist").write_text(cpus + "\n")
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/status").write_text(f"Name:\tx\nMems_allowed:\t1\nMems_allowed_list:\t{allowed}\n")
    return root


def shown(nodes: tuple[numa.Node, ...]) -> dict[int, list[int]]:
    return {node.number: sorted(node.cpus) for node in nodes}


def test_lists_as_the_kernel_writes_them() -> None:
    assert numa.parse_list("0-3,8,10-11\n") == {0, 1, 2, 3, 8, 10, 11}
    assert numa.parse_list("\n") == set()


def test_nodes_are_those_with_memory_and_cpus_this_process_may_use(tmp_path: Path) -> None:
    cpus = {0: "0-3,16-19", 1: "4-7", 2: "8-11", 4: "12-15", 5: ""}
    every = set(range(20))
    assert shown(numa.read_nodes(host(tmp_path / "a", cpus), every)) == {
        0: [0, 1, 2, 3, 16, 17, 18, 19], 1: [4, 5, 6, 7], 2: [8, 9, 10, 11], 4: [12, 13, 14, 15],
    }  # fmt: skip
    assert shown(numa.read_nodes(host(tmp_path / "b", cpus, has_memory="0,2-5"), every)).keys() == {0, 2, 4}
    assert shown(numa.read_nodes(host(tmp_path / "c", cpus, allowed="1-2"), every)).keys() == {1, 2}
    assert shown(numa.read_nodes(host(tmp_path / "d", cpus), {2, 5, 6})) == {0: [2], 1: [5, 6]}
    assert numa.read_nodes(tmp_path / "nothing", every) == ()


@pytest.mark.parametrize(
    ("cpus", "threads", "workers"),
    [
        ({0: "0-3", 1: "4-7"}, 8, (4, 4)),
        ({0: "0-3", 1: "4-7"}, 5, (2, 3)),
        ({0: "0-5", 1: "6-7"}, 4, (3, 1)),
        ({0: "0-1", 1: "2-3", 2: "4-5", 3: "6-7"}, 16, (4, 4, 4, 4)),
        ({0: "0-1", 1: "2-3", 2: "4-5"}, 2, (1, 1)),
    ],
)
def test_workers_are_dealt_out_by_cpus(
    tmp_path: Path, cpus: dict[int, str], threads: int, workers: tuple[int, ...]
) -> None:
    placement = numa.plan(numa.read_nodes(host(tmp_path, cpus), set(range(8))), threads)
    assert placement is not None
    assert placement.workers == workers
    assert len(placement.nodes) == len(workers)
    of_worker = placement.node_of_worker()
    assert len(of_worker) == threads
    assert of_worker == sorted(of_worker)


def test_one_node_or_one_worker_needs_no_placement(tmp_path: Path) -> None:
    two = numa.read_nodes(host(tmp_path, {0: "0-3", 1: "4-7"}), set(range(8)))
    assert numa.plan(two, 1) is None
    assert numa.plan(two[:1], 8) is None
    assert numa.plan((), 8) is None


def test_masks_have_a_bit_for_each_cpu() -> None:
    placement = numa.Placement((numa.Node(0, frozenset({0, 65})), numa.Node(1, frozenset({63, 130}))), (1, 1))
    assert placement.cpu_masks() == [[1, 2, 0], [1 << 63, 0, 4]]


class Recorder:
    """Stands for the system call; knows what it was asked."""

    def __init__(self, error: int = 0) -> None:
        self.calls: list[tuple[int, int, int, int]] = []
        self.error = error

    def __call__(self, address: int, size: int, mode: int, mask: int) -> int:
        self.calls.append((address, size, mode, mask))
        return self.error


def policy(workers: tuple[int, ...], error: int = 0) -> tuple[numa.Policy, Recorder]:
    nodes = tuple(numa.Node(number, frozenset({number})) for number in (0, 2, 3)[: len(workers)])
    asked = Recorder(error)
    return numa.Policy(numa.Placement(nodes, workers), asked), asked


def test_large_memory_lies_in_parts_like_the_workgroups() -> None:
    made, asked = policy((3, 1))
    made.place(64 * MIB, 80 * MIB)
    assert asked.calls == [(64 * MIB, 60 * MIB, 1, 1), (124 * MIB, 20 * MIB, 1, 1 << 2)]
    for size in (8 * MIB, 9 * MIB + 4096, 1023 * MIB):
        made, asked = policy((1, 1, 1) if size > 12 * MIB else (1, 1))
        made.place(0, size)
        assert sum(call[1] for call in asked.calls) == size
        ends = [address + part for address, part, _, _ in asked.calls]
        assert all(end % (2 * MIB) == 0 for end in ends[:-1])
        assert [call[0] for call in asked.calls] == [0, *ends[:-1]]


def test_smaller_memory_is_spread_and_the_smallest_left_alone() -> None:
    made, asked = policy((1, 1))
    made.place(0, MIB)
    made.place(0, 4096)
    assert asked.calls == [(0, MIB, 3, 0b101)]


def test_a_refusal_is_remembered_and_harms_nothing() -> None:
    made, _ = policy((1, 1), errno.EPERM)
    space = AddressSpace(1 << 30, host_limit=1 << 28, place=made.place)
    address = space.alloc(32 * MIB)
    assert made.refused == errno.EPERM
    space.free(address)
    space.close()


def test_the_address_space_places_pages_before_anybody_touches_them() -> None:
    made, asked = policy((1, 1))
    space = AddressSpace(1 << 30, host_limit=1 << 28, place=made.place)
    small, large = space.alloc(100), space.alloc(32 * MIB)
    assert [call[0] for call in asked.calls] == [small, large, large + 16 * MIB]
    space.close()


def test_the_system_call_is_made_as_this_kernel_wants_it() -> None:
    """On whatever host this runs: the node of the first CPU is there, the last possible one is not."""
    place = pages.reserve(4 * MIB)
    assert place is not None
    pages.use(place, 4 * MIB)
    call = numa._mbind()
    first = numa.read_nodes(Path("/"), os.sched_getaffinity(0))
    mask = 1 << first[0].number if first else 1
    allowed = (0, errno.ENOSYS, errno.EPERM)  # containers may forbid it
    results = {call(place, 4 * MIB, mode, mask) for mode in (1, 3)}
    assert results <= set(allowed)
    if results == {0}:
        assert call(place, 4 * MIB, 1, 1 << 1000) == errno.EINVAL
        assert call(place + 1, 4 * MIB, 1, mask) == errno.EINVAL
    pages.unreserve(place, 4 * MIB)


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs")
    monkeypatch.setattr(numa, "ROOT", host(tmp_path, {0: str(cpus[0]), 1: str(cpus[1])}))
    monkeypatch.setenv("SOFTROCK_THREADS", "4")
    found = numa.policy()
    assert found is not None
    assert found.placement.workers == (2, 2)
    assert found.placement.describe() == ["node 0: 2 of 1 CPUs' workers", "node 1: 2 of 1 CPUs' workers"]
    assert numa.policy() is found
    monkeypatch.setenv("SOFTROCK_NUMA", "off")
    assert numa.policy() is None
    monkeypatch.setenv("SOFTROCK_NUMA", "perhaps")
    with pytest.raises(UsageError, match="SOFTROCK_NUMA"):
        numa.policy()
