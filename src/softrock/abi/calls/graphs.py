"""Graphs: making, inspecting, instantiating, launching; stream capture."""

from __future__ import annotations

from pathlib import Path

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.hip import raw, state
from softrock.hip.errors import HipError
from softrock.hip.graphs import capture, graph
from softrock.hip.graphs.graph import Executable, Graph
from softrock.hip.graphs.nodes import Node

_KNOWN_FLAGS = 0xF


def nodes_at(address: int, count: int) -> list[Node]:
    """Nodes of an array of handles."""
    if count and not address:
        raise HipError("hipErrorInvalidValue", "the array of nodes is null")
    return [graph.node_of(handle) for handle in raw.words(address, count)]


def _list(out: int, count: int, nodes: list[Node]) -> None:
    """Give a list of nodes the way HIP does: the count alone, or as many as fit and null for the rest."""
    require(count)
    if not out:
        raw.put(count, "Q", len(nodes))
        return
    room = raw.get(count, "Q")
    for i in range(room):
        raw.put(out + 8 * i, "Q", nodes[i].handle if i < len(nodes) else 0)
    raw.put(count, "Q", min(room, len(nodes)) if room else len(nodes))


def hipGraphCreate(out: int, flags: int) -> None:
    require(out)
    if flags:
        raise HipError("hipErrorInvalidValue", "flags must be 0")
    raw.put(out, "Q", Graph().handle)


def hipGraphDestroy(handle: int) -> None:
    graph.of(handle).close()


def hipGraphDestroyNode(node: int) -> None:
    found = graph.node_of(node)
    if found.graph is not None:
        found.graph.remove(found)


def hipGraphAddDependencies(handle: int, before: int, after: int, count: int) -> None:
    target = graph.of(handle)
    for first, second in zip(nodes_at(before, count), nodes_at(after, count), strict=True):
        target.link(first, second)


def hipGraphRemoveDependencies(handle: int, before: int, after: int, count: int) -> None:
    target = graph.of(handle)
    for first, second in zip(nodes_at(before, count), nodes_at(after, count), strict=True):
        target.unlink(first, second)


def hipGraphGetEdges(handle: int, before: int, after: int, count: int) -> None:
    require(count)
    edges = graph.of(handle).edges()
    if not before and not after:
        raw.put(count, "Q", len(edges))
        return
    require(before, after)
    room = raw.get(count, "Q")
    for i in range(room):
        first, second = (edges[i][0].handle, edges[i][1].handle) if i < len(edges) else (0, 0)
        raw.put(before + 8 * i, "Q", first)
        raw.put(after + 8 * i, "Q", second)
    raw.put(count, "Q", min(room, len(edges)))


def hipGraphGetNodes(handle: int, out: int, count: int) -> None:
    _list(out, count, graph.of(handle).nodes)


def hipGraphGetRootNodes(handle: int, out: int, count: int) -> None:
    _list(out, count, graph.of(handle).roots())


def hipGraphNodeGetDependencies(node: int, out: int, count: int) -> None:
    _list(out, count, graph.node_of(node).before)


def hipGraphNodeGetDependentNodes(node: int, out: int, count: int) -> None:
    found = graph.node_of(node)
    _list(out, count, found.graph.after(found) if found.graph else [])


def hipGraphNodeGetType(node: int, out: int) -> None:
    require(out)
    raw.put(out, "I", graph.node_of(node).kind)


def hipGraphClone(out: int, original: int) -> None:
    require(out)
    raw.put(out, "Q", graph.of(original).clone().handle)


def hipGraphNodeFindInClone(out: int, node: int, clone: int) -> None:
    require(out)
    found = graph.of(clone).origin.get(graph.node_of(node))
    if found is None:
        raise HipError("hipErrorInvalidValue", "the graph is no clone of the node's graph")
    raw.put(out, "Q", found.handle)


def hipGraphDebugDotPrint(handle: int, path: int, flags: int) -> None:
    require(path)
    target = graph.of(handle)
    lines = ["digraph graph_0 {"]
    names = {node: f"node_{i}" for i, node in enumerate(target.nodes)}
    lines += [f'    {name} [label="{type(node).__name__}"];' for node, name in names.items()]
    lines += [f"    {names[before]} -> {names[after]};" for before, after in target.edges()]
    try:
        Path(raw.text(path)).write_text("\n".join([*lines, "}", ""]))
    except OSError as error:
        raise HipError("hipErrorOperatingSystem", f"{raw.text(path)}: {error.strerror}") from None


# ---- executable graphs ----


def hipGraphInstantiate(out: int, handle: int, error_node: int, log: int, room: int) -> None:
    hipGraphInstantiateWithFlags(out, handle, 0)
    if error_node:
        raw.put(error_node, "Q", 0)
    if log and room:
        raw.put(log, "B", 0)


def hipGraphInstantiateWithFlags(out: int, handle: int, flags: int) -> None:
    require(out)
    if flags & ~_KNOWN_FLAGS:
        raise HipError("hipErrorInvalidValue", f"flags {flags:#x}")
    raw.put(out, "Q", Executable(graph.of(handle), flags).handle)


def hipGraphInstantiateWithParams(out: int, handle: int, parameters: int) -> None:
    require(parameters)
    layout = structs.of("hipGraphInstantiateParams")
    hipGraphInstantiateWithFlags(out, handle, layout.get(parameters, "flags"))
    layout.set(parameters, errNode_out=0, result_out=0)


def hipGraphExecGetFlags(handle: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", graph.executable_of(handle).flags)


def hipGraphExecDestroy(handle: int) -> None:
    graph.executable_of(handle).close()


def hipGraphLaunch(handle: int, stream: int) -> None:
    graph.executable_of(handle).launch(stream)


def hipGraphUpload(handle: int, stream: int) -> None:
    """There is nothing to move to the device beforehand."""
    graph.executable_of(handle)


def hipGraphExecUpdate(handle: int, source: int, error_node: int, result: int) -> None:
    outcome, node = graph.executable_of(handle).update(graph.of(source))
    if error_node:
        raw.put(error_node, "Q", node.handle if node else 0)
    if result:
        raw.put(result, "I", outcome)
    if outcome:
        raise HipError("hipErrorGraphExecUpdateFailure")


def hipGraphNodeSetEnabled(handle: int, node: int, enabled: int) -> None:
    target = graph.executable_of(handle)
    twin = target.twin(graph.node_of(node))
    if enabled:
        target.disabled.discard(twin)
    else:
        target.disabled.add(twin)


def hipGraphNodeGetEnabled(handle: int, node: int, out: int) -> None:
    require(out)
    target = graph.executable_of(handle)
    raw.put(out, "I", int(target.twin(graph.node_of(node)) not in target.disabled))


# ---- objects whose life a graph prolongs ----


class UserObject:
    """A counted object of the program with a native destructor."""

    def __init__(self, pointer: int, destroy: int, count: int) -> None:
        self.pointer = pointer
        self.destroy = destroy
        self.count = count

    def release(self, count: int) -> None:
        """Give references up; the last one destroys the object."""
        if not 0 < count <= self.count:
            raise HipError("hipErrorInvalidValue", f"{count} of {self.count} references")
        self.count -= count
        if not self.count:
            raw.ffi.cast("void(*)(void *)", self.destroy)(raw.ffi.cast("void *", self.pointer))


def hipUserObjectCreate(out: int, pointer: int, destroy: int, count: int, flags: int) -> None:
    require(out, pointer, destroy)
    if not count or flags != 1:
        raise HipError("hipErrorInvalidValue", "a reference is needed, and flags must be 1")
    raw.put(out, "Q", state.runtime().add(UserObject(pointer, destroy, count)))


def hipUserObjectRelease(handle: int, count: int) -> None:
    state.runtime().get(handle, UserObject, "hipErrorInvalidValue").release(count)


def hipUserObjectRetain(handle: int, count: int) -> None:
    if not count:
        raise HipError("hipErrorInvalidValue", "no references")
    state.runtime().get(handle, UserObject, "hipErrorInvalidValue").count += count


def hipGraphRetainUserObject(handle: int, thing: int, count: int, flags: int) -> None:
    target = graph.of(handle)
    if flags not in (0, 1) or not count:
        raise HipError("hipErrorInvalidValue", f"flags {flags:#x}, {count} references")
    if not flags:
        hipUserObjectRetain(thing, count)
    target.objects += [thing] * count


def hipGraphReleaseUserObject(handle: int, thing: int, count: int) -> None:
    target = graph.of(handle)
    if target.objects.count(thing) < count or not count:
        raise HipError("hipErrorInvalidValue", "the graph does not hold that many references")
    for _ in range(count):
        target.objects.remove(thing)
    hipUserObjectRelease(thing, count)


# ---- capture ----


def hipStreamBeginCapture(stream: int, mode: int) -> None:
    capture.begin(stream, mode)


def hipStreamBeginCaptureToGraph(stream: int, handle: int, nodes: int, data: int, count: int, mode: int) -> None:
    capture.begin(stream, mode, graph.of(handle), nodes_at(nodes, count))


def hipStreamEndCapture(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", 0)
    raw.put(out, "Q", capture.end(stream).handle)


def hipStreamIsCapturing(stream: int, out: int) -> None:
    require(out)
    raw.put(out, "I", capture.status(stream)[0])


def hipStreamGetCaptureInfo(stream: int, out: int, number: int) -> None:
    require(out)
    status, found = capture.status(stream)
    raw.put(out, "I", status)
    if number and found is not None:
        raw.put(number, "Q", found.session.id)


def hipStreamGetCaptureInfo_v2(stream: int, out: int, number: int, handle: int, nodes: int, count: int) -> None:
    hipStreamGetCaptureInfo(stream, out, number)
    _, found = capture.status(stream)
    if found is None:
        return
    tail = b"".join(node.handle.to_bytes(8, "little") for node in found.tail)
    _tails[stream] = raw.Held(tail)
    if handle:
        raw.put(handle, "Q", found.session.graph.handle)
    if nodes:
        raw.put(nodes, "Q", _tails[stream].address)
    if count:
        raw.put(count, "Q", len(found.tail))


_tails: dict[int, raw.Held] = {}
"""The arrays that hipStreamGetCaptureInfo_v2 gave out; each stays until the next call for its stream."""


def hipStreamUpdateCaptureDependencies(stream: int, nodes: int, count: int, flags: int) -> None:
    if flags not in (0, 1):
        raise HipError("hipErrorInvalidValue", f"flags {flags:#x}")
    capture.update_dependencies(stream, nodes_at(nodes, count), flags == 1)


def hipThreadExchangeStreamCaptureMode(mode: int) -> None:
    require(mode)
    raw.put(mode, "I", capture.exchange_mode(raw.get(mode, "I")))
