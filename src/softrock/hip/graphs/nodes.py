"""What a graph can hold. A node keeps its parameters and puts its work into a stream when it is run."""

from __future__ import annotations

import copy as copying
from dataclasses import replace
from typing import TYPE_CHECKING

from softrock.gpu.device import Copy, Fill, Launch
from softrock.hip import memory

if TYPE_CHECKING:
    from softrock.hip.events import Event
    from softrock.hip.graphs.graph import Graph
    from softrock.hip.modules import Function
    from softrock.hip.streams import Stream

KERNEL, COPY, FILL, HOST, CHILD, EMPTY, WAIT, RECORD = range(8)
ALLOC, FREE = 10, 11


class Node:
    """A node of a graph.

    Attributes:
        kind: hipGraphNodeType.
        before: nodes it waits for.
        graph: where it is.
    """

    kind = EMPTY

    def __init__(self) -> None:
        self.before: list[Node] = []
        self.graph: Graph | None = None
        self.handle = 0

    def run(self, stream: Stream) -> None:
        """Put its work into a stream."""

    def piece(self, stream: Stream) -> Launch | Copy | Fill | None:
        """Its work, where the device can be told it once and for all; None where :meth:`run` does more than that.

        Raises:
            HipError: what running it would give.
        """
        return None

    def clone(self) -> Node:
        """The same node without a place in a graph."""
        twin = copying.copy(self)
        twin.before, twin.graph, twin.handle = [], None, 0
        return twin

    def accepts(self, other: Node) -> bool:
        """Whether :meth:`take` may take over the other's parameters."""
        return True

    def take(self, other: Node) -> None:
        """Take over the parameters of a node of the same kind."""
        kept = (self.before, self.graph, self.handle)
        self.__dict__.update(other.__dict__)
        self.before, self.graph, self.handle = kept
        self.changed()

    def changed(self) -> None:
        """Its parameters are others now: what was written down of its graph is no longer true."""
        if self.graph is not None:
            self.graph.changes += 1

    def close(self) -> None:
        """Let go of what it holds."""


class EmptyNode(Node):
    """Does nothing; others wait for it."""


class KernelNode(Node):
    """A kernel launch."""

    kind = KERNEL

    def __init__(self, function: Function, request: Launch) -> None:
        super().__init__()
        self.function = function
        self.request = request
        self.symbol = 0

    def run(self, stream: Stream) -> None:
        from softrock.hip import launch

        # Each launch has buffers of its own: the request must not be shared between launches.
        launch.submit(stream, replace(self.request, supplied={}, held=[]))

    def set_cooperative(self, cooperative: bool) -> None:
        """Whether all blocks must be resident at once."""
        self.request.cooperative = cooperative
        self.changed()

    def piece(self, stream: Stream) -> Launch | None:
        """None for what needs something of its own at each launch: a printf buffer, a grid barrier."""
        from softrock.hip import hidden

        prints = "hidden_printf_buffer" in self.function.kernel.hidden_args
        if prints or self.request.cooperative or stream.home is not self.function.home:
            return None
        return hidden.with_heap(stream, self.request)

    def accepts(self, other: Node) -> bool:
        return isinstance(other, KernelNode) and other.function.home is self.function.home


class CopyNode(Node):
    """A copy."""

    kind = COPY

    def __init__(self, copy: Copy, direction: int) -> None:
        super().__init__()
        self.copy = copy
        self.direction = direction

    def run(self, stream: Stream) -> None:
        memory.check(self.copy, self.direction)
        stream.work().copy(self.copy)

    def piece(self, stream: Stream) -> Copy:
        memory.check(self.copy, self.direction)
        return self.copy


class FillNode(Node):
    """A fill."""

    kind = FILL

    def __init__(self, fill: Fill) -> None:
        super().__init__()
        self.fill = fill

    def run(self, stream: Stream) -> None:
        memory.check_fill(self.fill)
        stream.work().fill(self.fill)

    def piece(self, stream: Stream) -> Fill:
        memory.check_fill(self.fill)
        return self.fill


class HostNode(Node):
    """A call of a native function with one pointer."""

    kind = HOST

    def __init__(self, function: int, argument: int) -> None:
        super().__init__()
        self.function = function
        self.argument = argument

    def run(self, stream: Stream) -> None:
        stream.work().call(self.function, self.argument)


class ChildNode(Node):
    """Another graph as one node; it holds a copy of it."""

    kind = CHILD

    def __init__(self, child: Graph) -> None:
        super().__init__()
        self.child = child.clone()

    def run(self, stream: Stream) -> None:
        for node in self.child.order():
            node.run(stream)

    def clone(self) -> Node:
        return ChildNode(self.child)


class RecordNode(Node):
    """Records an event."""

    kind = RECORD

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event

    def run(self, stream: Stream) -> None:
        self.event.record(stream)


class WaitNode(Node):
    """Waits for an event."""

    kind = WAIT

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event

    def run(self, stream: Stream) -> None:
        if self.event.recorded:
            stream.work().wait_for(self.event.event)


class AllocNode(Node):
    """Memory that belongs to the graph. It is taken when the node is made, so that its address is known."""

    kind = ALLOC

    def __init__(self, address: int, size: int) -> None:
        super().__init__()
        self.address = address
        self.size = size


class FreeNode(Node):
    """Gives memory back: memory of the graph stays for its next launch, other memory is freed once."""

    kind = FREE

    def __init__(self, address: int) -> None:
        super().__init__()
        self.address = address
        self.done = False

    def run(self, stream: Stream) -> None:
        from softrock.hip import pools

        own = self.graph is not None and any(
            isinstance(each, AllocNode) and each.address == self.address for each in self.graph.nodes
        )
        if not own and not self.done:
            self.done = True
            pools.free_async(self.address, stream.handle)
