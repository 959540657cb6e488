"""Events: points in streams, with the time they were reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.hip import state, streams
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.hip.graphs.capture import Mark

DISABLE_TIMING = 0x2
_KNOWN_FLAGS = 0x1 | DISABLE_TIMING | 0x4 | 0x20000000 | 0x40000000 | 0x80000000


class Event:
    """An event of one device.

    Attributes:
        recorded: whether it was ever recorded.
        captured: where a capture recorded it last, or None.
        stream: the stream it was recorded in last.
    """

    def __init__(self, home: state.DeviceState, flags: int) -> None:
        self.home = home
        self.flags = flags
        self.event = home.device.event(not flags & DISABLE_TIMING)
        self.recorded = False
        self.captured: Mark | None = None
        self.stream: streams.Stream | None = None
        self.position = 0

    def record(self, stream: streams.Stream) -> None:
        """Put it at the end of a stream's work."""
        if stream.capture is not None:
            from softrock.hip.graphs import capture

            capture.record_event(stream, self)
            return
        if stream.home is not self.home:
            raise HipError("hipErrorInvalidHandle", "the event belongs to another device than the stream")
        stream.work().record(self.event)
        self.recorded, self.captured, self.stream = True, None, stream
        self.position = stream.queue.position()

    def ready(self) -> bool:
        """Whether it was reached (an event that was never recorded counts as reached)."""
        self._forbid_captured()
        if not self.recorded or self.event.done():
            self._settle()
            return True
        return False

    def wait(self) -> None:
        """Wait until it is reached."""
        self._forbid_captured()
        state.require_healthy()
        if self.recorded and self.stream is not None:
            self.stream.wait_until(self.event.wait)
        self._settle()

    def _settle(self) -> None:
        """Do what a wait for the stream would do, as far as the stream has come."""
        if self.stream is not None:
            if self.recorded and self.event.done():
                self.stream.queue.catch_up(self.position)
            self.stream.settle()

    def _forbid_captured(self) -> None:
        if self.captured is not None:
            raise HipError("hipErrorCapturedEvent")

    def milliseconds_since(self, start: Event) -> float:
        """Time from `start` to this event, with a resolution of a nanosecond.

        Raises:
            HipError: hipErrorInvalidHandle where one was made without timing or never recorded,
                hipErrorNotReady where one is not reached yet.
        """
        for each in (start, self):
            each._forbid_captured()
            if each.flags & DISABLE_TIMING or not each.recorded:
                raise HipError("hipErrorInvalidHandle", "the event holds no time")
        if not (start.event.done() and self.event.done()):
            raise HipError("hipErrorNotReady")
        return (self.event.time() - start.event.time()) / 1e6


def create(flags: int = 0) -> int:
    """Make an event on the current device and return its handle."""
    if flags & ~_KNOWN_FLAGS:
        raise HipError("hipErrorInvalidValue", f"event flags {flags:#x} are unknown")
    return state.runtime().add(Event(state.current(), flags))


def of(handle: int) -> Event:
    """The event behind a handle."""
    return state.runtime().get(handle, Event)


def destroy(handle: int) -> None:
    """Free an event; work that waits for it goes on waiting for it."""
    event = of(handle)
    event.event.close()
    state.runtime().drop(handle)


def record(handle: int, stream: int = 0) -> None:
    """Put an event at the end of a stream's work."""
    of(handle).record(streams.of(stream))


def synchronize(handle: int) -> None:
    """Wait until an event is reached."""
    of(handle).wait()


def query(handle: int) -> bool:
    """Whether an event is reached."""
    return of(handle).ready()


def elapsed(start: int, stop: int) -> float:
    """Milliseconds between two events."""
    return of(stop).milliseconds_since(of(start))
