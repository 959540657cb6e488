"""Stream capture: work of streams is written into a graph instead of being done.

A capture begins in one stream. Other streams join it by waiting for an event that was recorded in it, and must be
joined back by events before it ends.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass

from softrock.hip import events, state, streams
from softrock.hip.errors import HipError
from softrock.hip.graphs.graph import Graph
from softrock.hip.graphs.nodes import Node

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NONE, ACTIVE, INVALIDATED = range(3)

_ids = itertools.count(1)


class Session:
    """A capture in progress, in all its streams."""

    def __init__(self, origin: streams.Stream, mode: int, graph: Graph) -> None:
        self.origin = origin
        self.mode = mode
        self.graph = graph
        self.thread = threading.get_ident()
        self.id = next(_ids)
        self.invalid = False
        self.branches: list[Capture] = []


class Capture:
    """One stream's part of a capture: `tail` are the nodes that its next node waits for."""

    def __init__(self, session: Session, stream: streams.Stream, tail: list[Node]) -> None:
        self.session = session
        self.stream = stream
        self.tail = tail
        session.branches.append(self)

    def add(self, node: Node) -> Node:
        """Write a node down at the end of the stream's work.

        Raises:
            HipError: hipErrorStreamCaptureInvalidated.
        """
        if self.session.invalid:
            raise HipError("hipErrorStreamCaptureInvalidated")
        self.session.graph.add(node, dict.fromkeys(self.tail))
        self.tail = [node]
        return node

    def invalidate(self) -> None:
        """A forbidden call was made: the capture can only end with an error."""
        self.session.invalid = True


@dataclass(frozen=True, slots=True)
class Mark:
    """Where an event was recorded in a capture."""

    session: Session
    tail: tuple[Node, ...]


def begin(stream: int, mode: int, graph: Graph | None = None, tail: list[Node] | None = None) -> None:
    """Begin to capture a stream.

    Raises:
        HipError: hipErrorStreamCaptureUnsupported for the default stream, hipErrorIllegalState where it is captured
            already, hipErrorInvalidValue for an unknown mode.
    """
    target = streams.of(stream)
    if mode not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise HipError("hipErrorInvalidValue", f"capture mode {mode}")
    if target.legacy:
        raise HipError("hipErrorStreamCaptureUnsupported", "the default stream cannot be captured")
    if target.capture is not None:
        raise HipError("hipErrorIllegalState", "the stream is being captured already")
    session = Session(target, mode, graph if graph is not None else Graph())
    target.capture = Capture(session, target, list(tail or ()))


def end(stream: int) -> Graph:
    """End a capture and return its graph.

    Raises:
        HipError: hipErrorIllegalState, hipErrorStreamCaptureUnmatched, hipErrorStreamCaptureWrongThread,
            hipErrorStreamCaptureInvalidated, hipErrorStreamCaptureUnjoined.
    """
    target = streams.of(stream)
    capture = target.capture
    if capture is None:
        raise HipError("hipErrorIllegalState", "the stream is not being captured")
    session = capture.session
    if session.origin is not target:
        raise HipError("hipErrorStreamCaptureUnmatched")
    if session.mode != RELAXED and session.thread != threading.get_ident():
        raise HipError("hipErrorStreamCaptureWrongThread")
    for each in session.branches:
        each.stream.capture = None
    if session.invalid:
        raise HipError("hipErrorStreamCaptureInvalidated")
    joined = session.graph.ancestors(capture.tail)
    for each in session.branches:
        if each is not capture and not joined.issuperset(each.tail):
            raise HipError("hipErrorStreamCaptureUnjoined")
    return session.graph


def status(stream: int) -> tuple[int, Capture | None]:
    """(NONE, ACTIVE or INVALIDATED, the stream's part of the capture)."""
    target = streams.of(stream)
    capture = target.capture
    if capture is None:
        _legacy_check(target)
        return NONE, None
    return (INVALIDATED if capture.session.invalid else ACTIVE), capture


def _legacy_check(target: streams.Stream) -> None:
    if target.legacy and any(each.capture is not None for each in target.home.blocking):
        raise HipError("hipErrorStreamCaptureImplicit")


def record_event(stream: streams.Stream, event: events.Event) -> None:
    """Record an event in a captured stream: it marks a place in the graph."""
    capture = stream.capture
    assert capture is not None
    event.captured = Mark(capture.session, tuple(capture.tail))
    event.stream = stream


def wait_event(stream: streams.Stream, event: events.Event) -> None:
    """Let a stream wait for an event where a capture is involved.

    Raises:
        HipError: hipErrorStreamCaptureIsolation, hipErrorStreamCaptureMerge, hipErrorStreamCaptureInvalidated.
    """
    capture, mark = stream.capture, event.captured
    if mark is None:
        if capture is not None:
            capture.invalidate()
        raise HipError("hipErrorStreamCaptureIsolation", "the event was recorded outside the capture")
    if mark.session.invalid:
        raise HipError("hipErrorStreamCaptureInvalidated")
    if capture is None:
        if not any(each.stream.capture is each for each in mark.session.branches):
            raise HipError("hipErrorCapturedEvent", "the capture of the event has ended")
        if stream.legacy:
            raise HipError("hipErrorStreamCaptureImplicit")
        stream.capture = Capture(mark.session, stream, list(mark.tail))
        return
    if capture.session is not mark.session:
        capture.invalidate()
        mark.session.invalid = True
        raise HipError("hipErrorStreamCaptureMerge")
    capture.tail = list(dict.fromkeys((*capture.tail, *mark.tail)))


def update_dependencies(stream: int, nodes: list[Node], replace: bool) -> None:
    """Change what the next captured node waits for."""
    capture = streams.of(stream).capture
    if capture is None:
        raise HipError("hipErrorIllegalState", "the stream is not being captured")
    if any(each.graph is not capture.session.graph for each in nodes):
        raise HipError("hipErrorInvalidValue", "a node is not of the captured graph")
    capture.tail = list(dict.fromkeys(nodes if replace else (*capture.tail, *nodes)))


def exchange_mode(mode: int) -> int:
    """Set the calling thread's capture mode and return the one before."""
    if mode not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise HipError("hipErrorInvalidValue", f"capture mode {mode}")
    before, state.thread.capture_mode = state.thread.capture_mode, mode
    return before
