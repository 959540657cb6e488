"""Graphs and their nodes' order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from softrock.gpu.device import Copy, Fill, Launch
from softrock.hip import launch as launching
from softrock.hip import state, streams, trace
from softrock.hip.errors import HipError
from softrock.hip.graphs.nodes import ChildNode, Node


class Graph:
    """A graph of nodes.

    Attributes:
        nodes: in the order they were added.
        handle: what the program holds.
        origin: where this is a clone: original node -> node here.
        changes: grows whenever a node gets other parameters.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.handle = state.runtime().add(self)
        self.origin: dict[Node, Node] = {}
        self.changes = 0
        self.objects: list[int] = []

    def add(self, node: Node, after: Iterable[Node] = ()) -> Node:
        """Add a node that runs after others of this graph.

        Raises:
            HipError: hipErrorInvalidValue, where one of them is in another graph or named twice.
        """
        before = list(after)
        if len(set(before)) != len(before) or any(each.graph is not self for each in before):
            raise HipError("hipErrorInvalidValue", "a dependency is named twice or belongs to another graph")
        node.graph, node.before = self, before
        node.handle = state.runtime().add(node)
        self.nodes.append(node)
        return node

    def link(self, before: Node, after: Node) -> None:
        """Let `after` run after `before`."""
        if before.graph is not self or after.graph is not self or before is after or before in after.before:
            raise HipError("hipErrorInvalidValue", "the nodes cannot be linked so")
        after.before.append(before)

    def unlink(self, before: Node, after: Node) -> None:
        """Remove a dependency."""
        if before not in after.before:
            raise HipError("hipErrorInvalidValue", "there is no such dependency")
        after.before.remove(before)

    def remove(self, node: Node) -> None:
        """Remove a node with its edges."""
        self.nodes.remove(node)
        for each in self.nodes:
            if node in each.before:
                each.before.remove(node)
        state.runtime().drop(node.handle)
        node.graph = None

    def roots(self) -> list[Node]:
        """Nodes that wait for no other."""
        return [each for each in self.nodes if not each.before]

    def edges(self) -> list[tuple[Node, Node]]:
        """(before, after) for each dependency."""
        return [(before, after) for after in self.nodes for before in after.before]

    def after(self, node: Node) -> list[Node]:
        """Nodes that wait for a node."""
        return [each for each in self.nodes if node in each.before]

    def order(self) -> list[Node]:
        """All nodes, each after those it waits for.

        Raises:
            HipError: hipErrorInvalidValue, where nodes wait for each other in a circle.
        """
        waiting = {node: len(node.before) for node in self.nodes}
        follow: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for before, after in self.edges():
            follow[before].append(after)
        ready = [node for node in self.nodes if not waiting[node]]
        found: list[Node] = []
        while ready:
            node = ready.pop(0)
            found.append(node)
            for each in follow[node]:
                waiting[each] -= 1
                if not waiting[each]:
                    ready.append(each)
        if len(found) != len(self.nodes):
            raise HipError("hipErrorInvalidValue", "the graph has a circle")
        return found

    def ancestors(self, nodes: Sequence[Node]) -> set[Node]:
        """The nodes and everything they wait for."""
        found: set[Node] = set()
        left = list(nodes)
        while left:
            node = left.pop()
            if node not in found:
                found.add(node)
                left += node.before
        return found

    def clone(self) -> Graph:
        """A copy with nodes of its own."""
        copy = Graph()
        for node in self.nodes:
            twin = node.clone()
            copy.origin[node] = twin
            copy.add(twin)
        for before, after in self.edges():
            copy.origin[after].before.append(copy.origin[before])
        return copy

    def close(self) -> None:
        """Forget it and its nodes."""
        runtime = state.runtime()
        for node in self.nodes:
            node.close()
            runtime.drop(node.handle)
        runtime.drop(self.handle)


class _Step(Protocol):
    """A node, or a batch."""

    def run(self, stream: streams.Stream) -> None: ...


class Plan:
    """What launching a graph comes to: batches of launches, copies and fills that the device was told once, and between
    them the nodes that need Python each time."""

    def __init__(self, source: Executable, stream: streams.Stream) -> None:
        self._home = stream.home
        self._changes = source.graph.changes
        self._disabled = frozenset(source.disabled)
        self._allocations = state.runtime().allocations.changes
        self._steps: list[_Step] = []
        pieces: list[Launch | Copy | Fill] = []
        run: list[Node] = []
        for node in self._flat(each for each in source.order if each not in self._disabled):
            piece = node.piece(stream)
            if piece is not None:
                pieces.append(piece)
                run.append(node)
                continue
            self._close(run, pieces)
            self._steps.append(node)
        self._close(run, pieces)

    def _flat(self, order: Iterable[Node]) -> Iterator[Node]:
        """Nodes that do something, those of child graphs among them."""
        for node in order:
            if isinstance(node, ChildNode):
                yield from self._flat(node.child.order())
            elif type(node).run is not Node.run:
                yield node

    def _close(self, run: list[Node], pieces: list[Launch | Copy | Fill]) -> None:
        if pieces:
            batch = launching.translated(self._home.device.batch, tuple(pieces))
            self._steps += run if batch is None else [_Batch(batch)]
        run.clear()
        pieces.clear()

    def holds(self, source: Executable, stream: streams.Stream) -> bool:
        """Whether it is still what the graph says (copies are checked against the allocations there are)."""
        return (
            self._home is stream.home
            and self._changes == source.graph.changes
            and self._disabled == source.disabled
            and self._allocations == state.runtime().allocations.changes
        )

    def run(self, stream: streams.Stream) -> None:
        """Put everything into a stream."""
        for step in self._steps:
            step.run(stream)


class _Batch:
    """A batch, run like a node."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def run(self, stream: streams.Stream) -> None:
        stream.work().run_batch(self._batch)


class Executable:
    """A graph that can be launched: a copy of the graph in the order it runs."""

    def __init__(self, source: Graph, flags: int = 0) -> None:
        self.graph = source.clone()
        self.flags = flags
        self.order = self.graph.order()
        self.disabled: set[Node] = set()
        self.handle = state.runtime().add(self)
        self._plan: Plan | None = None

    def twin(self, node: Node) -> Node:
        """The node here that stands for a node of the graph it was made from."""
        found = self.graph.origin.get(node)
        if found is None:
            raise HipError("hipErrorInvalidValue", "the node is not of the graph this was instantiated from")
        return found

    def launch(self, stream: int) -> None:
        """Put all nodes into a stream, in order; in a stream that is captured, as a child graph."""
        target = streams.of(stream)
        if target.capture is not None:
            target.capture.add(ChildNode(self.graph))
            return
        plan = self._plan
        if plan is None or not plan.holds(self, target):
            plan = self._plan = Plan(self, target)
        plan.run(target)
        if trace.folder() is not None:
            trace.record(target, "(graph)", (1, 1, 1), (1, 1, 1))

    def update(self, source: Graph) -> tuple[int, Node | None]:
        """Take the parameters of another graph of the same shape.

        Returns:
            (hipGraphExecUpdateResult, node that differs): (0, None) where everything was taken over.
        """
        ours, theirs = self.graph.nodes, source.nodes
        if len(ours) != len(theirs):
            return 2, None
        index = {node: i for i, node in enumerate(ours)}
        other = {node: i for i, node in enumerate(theirs)}
        for mine, new in zip(ours, theirs, strict=True):
            if mine.kind != new.kind:
                return 3, new
            if {index[each] for each in mine.before} != {other[each] for each in new.before}:
                return 2, new
            if not mine.accepts(new):
                return 7, new
        for mine, new in zip(ours, theirs, strict=True):
            mine.take(new)
        self.graph.origin.update(zip(theirs, ours, strict=True))
        return 0, None

    def close(self) -> None:
        """Forget it."""
        self._plan = None
        self.graph.close()
        state.runtime().drop(self.handle)


def of(handle: int) -> Graph:
    """The graph behind a handle."""
    return state.runtime().get(handle, Graph, "hipErrorInvalidValue")


def node_of(handle: int) -> Node:
    """The node behind a handle."""
    return state.runtime().get(handle, Node, "hipErrorInvalidValue")


def executable_of(handle: int) -> Executable:
    """The executable graph behind a handle."""
    return state.runtime().get(handle, Executable, "hipErrorInvalidValue")
