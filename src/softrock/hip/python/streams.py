"""Streams and events from Python."""

from __future__ import annotations

from types import TracebackType

from softrock.hip import events, streams


class Stream:
    """Work in order, independent of other streams.

    Args:
        non_blocking: it does not synchronise with the default stream.
        priority: 1 lowest to -1 highest.
    """

    def __init__(self, *, non_blocking: bool = False, priority: int = 0) -> None:
        self.handle = streams.create(streams.NON_BLOCKING if non_blocking else 0, priority)

    def synchronize(self) -> None:
        """Wait for its work. Raises HipError if a kernel has faulted."""
        streams.synchronize(self.handle)

    def wait(self, event: Event) -> None:
        """Hold work enqueued from now on until the event has happened."""
        streams.wait_event(self.handle, events.of(event.handle))

    def close(self) -> None:
        """Give the stream up after its work."""
        if self.handle:
            streams.destroy(self.handle)
            self.handle = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Event:
    """A point in a stream."""

    def __init__(self) -> None:
        self.handle = events.create()

    def record(self, stream: Stream | None = None) -> None:
        """Mark the present end of a stream's work."""
        events.record(self.handle, stream.handle if stream else 0)

    def synchronize(self) -> None:
        """Wait until it has happened."""
        events.synchronize(self.handle)

    def elapsed_since(self, start: Event) -> float:
        """Milliseconds from `start` to this event."""
        return events.elapsed(start.handle, self.handle)
