"""Graphs and capture."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable

import pytest

from softrock.gpu.device import Copy, Fill, Launch
from softrock.hip import HipError, events, launch, memory, modules, raw, streams
from softrock.hip.graphs import capture, nodes
from softrock.hip.graphs.graph import Executable, Graph

ONE = (1, 1, 1)
WAVE = (64, 1, 1)


def _kernel(module: modules.Module, data: int, value: int) -> nodes.KernelNode:
    function = module.function("add")
    assert function is not None
    request = Launch(function.native, ONE, WAVE, 0, struct.pack("<Qii", data, 64, value))
    return nodes.KernelNode(function, request)


def _add(module: modules.Module, data: int, value: int, stream: int) -> None:
    function = module.function("add")
    assert function is not None
    launch.launch(function, ONE, WAVE, struct.pack("<Qii", data, 64, value), 0, stream)


def _first(address: int) -> int:
    streams.synchronize_device()
    return int(raw.get(address, "i"))


@pytest.fixture
def data() -> int:
    address = memory.malloc(256)
    memory.memset(address, 0, 256)
    return address


def test_a_graph_by_hand_runs_in_order_each_time(module: modules.Module, data: int) -> None:
    graph, copy = Graph(), memory.malloc(256)
    fill = graph.add(nodes.FillNode(Fill(data, 3, 4, 64)))
    kernel = graph.add(_kernel(module, data, 4), [fill])
    graph.add(nodes.CopyNode(Copy(copy, data, 256), memory.DEVICE_TO_DEVICE), [kernel])
    ready = Executable(graph)
    for _ in range(3):
        ready.launch(0)
    assert _first(copy) == 7
    assert [type(node).__name__ for node in ready.order] == ["FillNode", "KernelNode", "CopyNode"]


def test_changing_the_source_leaves_the_executable_alone(module: modules.Module, data: int) -> None:
    graph = Graph()
    node = graph.add(_kernel(module, data, 1))
    ready = Executable(graph)
    node.take(_kernel(module, data, 100))
    ready.launch(0)
    assert _first(data) == 1
    ready.twin(node).take(_kernel(module, data, 10))
    ready.launch(0)
    assert _first(data) == 11


def test_a_chain_is_one_packet(module: modules.Module, data: int) -> None:
    """A launch adds one packet for a run of kernels, copies and fills, however long; a host call cuts it."""
    graph, copy = Graph(), memory.malloc(256)
    last = graph.add(nodes.FillNode(Fill(data, 0, 4, 64)))
    for _ in range(30):
        last = graph.add(_kernel(module, data, 1), [last])
    last = graph.add(nodes.CopyNode(Copy(copy, data, 256), memory.DEVICE_TO_DEVICE), [last])
    ready = Executable(graph)
    streams.synchronize_device()  # a stream that is made while the default stream works waits for it: a packet more
    stream = streams.of(streams.create())
    for _ in range(3):
        before = stream.queue.position()
        ready.launch(stream.handle)
        assert stream.queue.position() - before == 1
    assert _first(copy) == 30
    note = raw.ffi.new("int *")
    called = raw.ffi.callback("void(void *)", lambda _: note.__setitem__(0, note[0] + 1))
    graph.add(_kernel(module, data, 5), [graph.add(nodes.HostNode(int(raw.ffi.cast("uintptr_t", called)), 0), [last])])
    ready = Executable(graph)
    before = stream.queue.position()
    ready.launch(stream.handle)
    assert stream.queue.position() - before == 3
    assert (_first(data), _first(copy), note[0]) == (35, 30, 1)


def test_launches_follow_what_changes_between_them(module: modules.Module, data: int) -> None:
    """What was written down at the first launch is thrown away when nodes, allocations or the stream change."""
    graph = Graph()
    first = graph.add(_kernel(module, data, 1))
    child = Graph()
    child.add(_kernel(module, data, 10))
    middle = graph.add(nodes.ChildNode(child), [first])
    host = graph.add(nodes.EmptyNode(), [middle])
    copy = memory.malloc(256)
    graph.add(nodes.CopyNode(Copy(copy, data, 256), memory.DEVICE_TO_DEVICE), [host])
    ready = Executable(graph)
    expected = 0
    for change in (0, 1, 2, 3, 4):
        if change == 1:
            ready.twin(first).take(_kernel(module, data, 100))
        elif change == 2:
            ready.disabled.add(ready.twin(middle))
        elif change == 3:
            ready.disabled.clear()
        expected += (11, 110, 100, 110, 110)[change]
        ready.launch(streams.create() if change == 4 else 0)
        ready_copy = _first(copy)
        assert (_first(data), ready_copy) == (expected, expected)
    memory.free(copy)
    small = memory.malloc(16)
    assert small == copy
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        ready.launch(0)


def test_update_takes_parameters_of_the_same_shape(module: modules.Module, data: int) -> None:
    def make(value: int, extra: bool = False, kind: type[nodes.Node] | None = None) -> Graph:
        graph = Graph()
        first = graph.add(_kernel(module, data, value))
        graph.add(kind() if kind else _kernel(module, data, value), [first])
        if extra:
            graph.add(nodes.EmptyNode())
        return graph

    ready = Executable(make(1))
    assert ready.update(make(5)) == (0, None)
    ready.launch(0)
    assert _first(data) == 10
    assert ready.update(make(1, extra=True))[0] == 2
    assert ready.update(make(1, kind=nodes.EmptyNode))[0] == 3
    loose = Graph()
    loose.add(_kernel(module, data, 1))
    loose.add(_kernel(module, data, 1))
    assert ready.update(loose)[0] == 2


def test_circles_and_foreign_nodes_are_refused() -> None:
    graph, other = Graph(), Graph()
    one, two = graph.add(nodes.EmptyNode()), graph.add(nodes.EmptyNode())
    graph.link(one, two)
    graph.link(two, one)
    with pytest.raises(HipError, match="circle"):
        Executable(graph)
    graph.unlink(two, one)
    assert graph.edges() == [(one, two)]
    assert graph.roots() == [one]
    with pytest.raises(HipError):
        other.add(nodes.EmptyNode(), [one])
    with pytest.raises(HipError):
        graph.link(one, two)
    graph.remove(one)
    assert graph.roots() == [two]


def test_child_graphs_are_copies(module: modules.Module, data: int) -> None:
    child = Graph()
    child.add(_kernel(module, data, 2))
    parent = Graph()
    node = parent.add(nodes.ChildNode(child))
    parent.add(_kernel(module, data, 40), [node])
    child.add(_kernel(module, data, 1000))
    Executable(parent).launch(0)
    assert _first(data) == 42


def test_capture_of_one_stream(module: modules.Module, data: int) -> None:
    stream = streams.create()
    capture.begin(stream, capture.GLOBAL)
    assert capture.status(stream)[0] == capture.ACTIVE
    memory.memset(data, 0, 256, stream, wait=False)
    for _ in range(3):
        _add(module, data, 1, stream)
    graph = capture.end(stream)
    assert capture.status(stream)[0] == capture.NONE
    assert _first(data) == 0
    assert [node.kind for node in graph.order()] == [nodes.FILL, nodes.KERNEL, nodes.KERNEL, nodes.KERNEL]
    ready = Executable(graph)
    ready.launch(stream)
    ready.launch(stream)
    assert _first(data) == 3


def test_capture_spreads_over_events_and_must_join(module: modules.Module, data: int) -> None:
    a, b = streams.create(), streams.create()
    fork, join = events.create(), events.create()
    capture.begin(a, capture.RELAXED)
    _add(module, data, 1, a)
    events.record(fork, a)
    streams.wait_event(b, events.of(fork))
    _add(module, data, 2, b)
    events.record(join, b)
    with pytest.raises(HipError, match="hipErrorCapturedEvent"):
        events.query(join)
    streams.wait_event(a, events.of(join))
    _add(module, data, 4, a)
    graph = capture.end(a)
    assert len(graph.nodes) == 3
    assert len(graph.nodes[2].before) == 2
    Executable(graph).launch(0)
    assert _first(data) == 7
    _add(module, data, 8, b)
    assert _first(data) == 15


def test_unjoined_streams_are_an_error(module: modules.Module, data: int) -> None:
    a, b = streams.create(), streams.create()
    fork = events.create()
    capture.begin(a, capture.RELAXED)
    _add(module, data, 1, a)
    events.record(fork, a)
    streams.wait_event(b, events.of(fork))
    _add(module, data, 2, b)
    with pytest.raises(HipError, match="hipErrorStreamCaptureUnmatched"):
        capture.end(b)
    with pytest.raises(HipError, match="hipErrorStreamCaptureUnjoined"):
        capture.end(a)


def test_what_a_capture_forbids(module: modules.Module, data: int) -> None:
    stream = streams.create()
    with pytest.raises(HipError, match="hipErrorStreamCaptureUnsupported"):
        capture.begin(0, capture.GLOBAL)
    with pytest.raises(HipError, match="hipErrorIllegalState"):
        capture.end(stream)
    cases: list[tuple[Callable[[], None], str]] = [
        (lambda: streams.synchronize(stream), "hipErrorStreamCaptureUnsupported"),
        (lambda: _add(module, data, 1, 0), "hipErrorStreamCaptureImplicit"),
        (lambda: streams.wait_event(stream, events.of(events.create())), "hipErrorStreamCaptureIsolation"),
        (lambda: memory.memcpy(data, data + 64, 64, 3, stream), "hipErrorStreamCaptureUnsupported"),
    ]
    for forbidden, name in cases:
        capture.begin(stream, capture.GLOBAL)
        with pytest.raises(HipError, match=name):
            forbidden()
        assert capture.status(stream)[0] == capture.INVALIDATED
        with pytest.raises(HipError, match="hipErrorStreamCaptureInvalidated"):
            capture.end(stream)
    _add(module, data, 5, 0)
    assert _first(data) == 5


def test_another_thread_may_not_end_it() -> None:
    stream = streams.create()
    capture.begin(stream, capture.THREAD_LOCAL)
    seen: list[str] = []

    def end() -> None:
        try:
            capture.end(stream)
        except HipError as error:
            seen.append(error.name)

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    assert seen == ["hipErrorStreamCaptureWrongThread"]
    assert capture.end(stream).nodes == []


def test_launching_a_graph_in_a_capture_makes_a_child(module: modules.Module, data: int) -> None:
    inner = Graph()
    inner.add(_kernel(module, data, 6))
    ready = Executable(inner)
    stream = streams.create()
    capture.begin(stream, capture.GLOBAL)
    ready.launch(stream)
    outer = capture.end(stream)
    assert [node.kind for node in outer.nodes] == [nodes.CHILD]
    Executable(outer).launch(0)
    assert _first(data) == 6


def test_event_and_host_nodes(data: int) -> None:
    seen: list[int] = []
    callback = raw.ffi.callback("void(void *)", lambda _: seen.append(raw.get(data, "i")))
    event = events.create()
    graph = Graph()
    fill = graph.add(nodes.FillNode(Fill(data, 8, 4, 1)))
    host = graph.add(nodes.HostNode(int(raw.ffi.cast("uintptr_t", callback)), 0), [fill])
    graph.add(nodes.RecordNode(events.of(event)), [host])
    Executable(graph).launch(0)
    events.synchronize(event)
    assert seen == [8]
