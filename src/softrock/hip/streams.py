"""Streams: work in order, and how the default stream orders itself among the others.

The legacy default stream waits for all work of the device's blocking streams, and they wait for it. Only events
between queues express that, and only where both have work: a program that uses one stream pays nothing.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from softrock.core import settings
from softrock.gpu.device import Queue
from softrock.hip import state
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.hip.events import Event
    from softrock.hip.graphs.capture import Capture

LEGACY, PER_THREAD = 1, 2
NON_BLOCKING = 1
PRIORITIES = (1, -1)
"""Lowest and highest priority, as ROCm has them."""
POLL = 0.05
"""Seconds a wait lasts before Python may look at signals (Ctrl-C)."""

on_indirect: list[Callable[[Stream], None]] = []
"""Called with a stream whose launches somebody queued directly and must not any more."""


class Stream:
    """A stream of one device.

    Attributes:
        home: its device.
        queue: where its work goes.
        flags: 0, or NON_BLOCKING.
        priority: within PRIORITIES.
        handle: what the program holds; 0 for the default stream.
        capture: the capture in progress, or None.
    """

    def __init__(self, home: state.DeviceState, flags: int = 0, priority: int = 0, legacy: bool = False) -> None:
        self.home = home
        spare = home.spare.get(priority)
        self.queue: Queue = spare.pop() if spare else home.device.queue(priority)
        self.flags = flags
        self.priority = priority
        self.legacy = legacy
        self.handle = 0
        self._capture: Capture | None = None
        self.dirty = False
        self.direct = False
        # A default stream with nothing but itself to heed does not count its work: whatever it has now comes first.
        self.null_seen = home.null_work if home.null is None or home.null.queue.idle() else -1
        self._deferred: deque[tuple[int, Callable[[], None] | None, Any]] = deque()
        home.streams.add(self)
        if self.blocking:
            home.blocking.add(self)
            if home.null is not None:
                home.null.go_indirect()

    @property
    def blocking(self) -> bool:
        """Whether it synchronises with the default stream."""
        return not self.legacy and not self.flags & NON_BLOCKING

    @property
    def capture(self) -> Capture | None:
        """The capture in progress, or None."""
        return self._capture

    @capture.setter
    def capture(self, capture: Capture | None) -> None:
        self._capture = capture
        self.go_indirect()

    def may_go_direct(self) -> bool:
        """Whether launches may be queued without asking for order among streams or capture (see `on_indirect`)."""
        if self._capture is not None:
            return False
        if self.legacy:
            return not self.home.blocking
        return bool(self.flags & NON_BLOCKING) or self.null_seen == self.home.null_work

    def go_indirect(self) -> None:
        """From now on launches must come through :meth:`work` again."""
        if self.direct:
            self.direct = False
            for each in on_indirect:
                each(self)

    def work(self) -> Queue:
        """The queue, ready for one more piece of work in the right order among the streams.

        Raises:
            HipError: a kernel has faulted before.
        """
        state.require_healthy()
        home = self.home
        if self.legacy:
            if home.blocking:
                self._forbid_captures()
                self._join_blocking()
                home.null_work += 1
                for each in home.blocking:
                    each.go_indirect()
            else:
                home.null_work = 0
        elif not self.flags & NON_BLOCKING:
            null = home.null
            if null is not None and self.null_seen != home.null_work:
                _order(null.queue, self)
                self.null_seen = home.null_work
            self.dirty = True
        return self.queue

    def _forbid_captures(self) -> None:
        """Work of the default stream would have to wait for streams whose work is only written down."""
        for each in self.home.blocking:
            if each.capture is not None:
                each.capture.invalidate()
                raise HipError("hipErrorStreamCaptureImplicit")

    def _join_blocking(self) -> None:
        for each in tuple(self.home.blocking):
            if each.dirty or each.direct:
                each.go_indirect()
                _order(each.queue, self)
                each.dirty = False

    def wait(self) -> None:
        """Wait for all its work (for the default stream also for the work it would wait for).

        Raises:
            HipError: a kernel of this stream has faulted.
        """
        state.require_healthy()
        if self.legacy and self.home.blocking:
            self._join_blocking()
        self.wait_until(self.queue.wait)
        self.settle()

    def wait_until(self, waits: Callable[[float], bool]) -> None:
        """Call `waits(seconds)` until it says True, or until SOFTROCK_TIMEOUT has passed; between the calls Python may
        see signals.

        Raises:
            HipError: hipErrorLaunchTimeOut.
        """
        if waits(POLL):
            return
        limit = settings.load().timeout
        end = None if limit is None else time.monotonic() + limit - POLL
        while not waits(POLL):
            if end is not None and time.monotonic() > end:
                from softrock.hip.faults import timed_out

                timed_out(self)
                return

    def settle(self) -> None:
        """After a wait: print what kernels printed, free what they needed, report a fault."""
        from softrock.hip import faults

        self.finish_deferred()
        faults.check(self)

    def defer(self, action: Callable[[], None] | None, keep: Any = None) -> None:
        """Once the work submitted so far has ended and somebody waits: call `action` and let go of `keep`."""
        self._deferred.append((self.queue.position(), action, keep))

    def finish_deferred(self) -> None:
        """Do what was deferred until now and whose work has ended, in order."""
        if not self._deferred:
            return
        with state.runtime().lock:
            reached = self.queue.reached()
            while self._deferred and self._deferred[0][0] <= reached:
                action = self._deferred.popleft()[1]
                if action is not None:
                    action()

    def drain(self) -> None:
        """Wait for its work; a fault (or a timeout) is left for the next call to report."""
        with contextlib.suppress(HipError):
            self.wait_until(self.queue.wait)
        self.finish_deferred()

    def ready(self) -> bool:
        """Whether all its work has ended.

        Raises:
            HipError: a kernel of this stream has faulted.
        """
        state.require_healthy()
        if self.legacy and self.home.blocking:
            self._join_blocking()
        if not self.queue.idle():
            return False
        self.settle()
        return True

    def close(self) -> None:
        """Wait for its work and give it up. The queue is kept for the next stream, not freed: another thread may be
        waiting for the whole device, and thus for it, at this moment."""
        self.go_indirect()
        self.drain()
        self.home.streams.discard(self)
        self.home.blocking.discard(self)
        if self.queue.fault() is None:
            self.home.spare.setdefault(self.priority, []).append(self.queue)


def _order(before: Queue, after: Stream) -> None:
    """Let a stream's further work wait for the work `before` has so far."""
    event = after.home.device.event(False)
    before.record(event)
    after.queue.wait_for(event)
    event.close()


def default(home: state.DeviceState) -> Stream:
    """A device's legacy default stream."""
    if home.null is None:
        with state.runtime().lock:
            if home.null is None:
                home.null = Stream(home, legacy=True)
    return home.null


def per_thread() -> Stream:
    """The calling thread's own default stream on its current device."""
    home = state.current()
    if state.thread.streams is None:
        state.thread.streams = {}
    stream = state.thread.streams.get(home.index)
    if stream is None or stream.home is not home:
        stream = state.thread.streams[home.index] = Stream(home)
    return stream


def of(handle: int) -> Stream:
    """The stream behind a handle: 0 and 1 are the default stream, 2 the thread's own.

    Raises:
        HipError: hipErrorInvalidHandle, where there is no such stream.
    """
    if handle == 0 and not state.thread.own_default:
        return default(state.current())
    if handle in (0, PER_THREAD):
        return per_thread()
    if handle == LEGACY:
        return default(state.current())
    return state.runtime().get(handle, Stream)


def create(flags: int = 0, priority: int = 0) -> int:
    """Make a stream on the current device and return its handle.

    Args:
        flags: 0, or 1 for a stream that does not synchronise with the default stream.
        priority: lower is more urgent; values outside the range are clamped to it.
    """
    if flags not in (0, NON_BLOCKING):
        raise HipError("hipErrorInvalidValue", f"stream flags {flags:#x} are unknown")
    priority = max(min(priority, PRIORITIES[0]), PRIORITIES[1])
    stream = Stream(state.current(), flags, priority)
    stream.handle = state.runtime().add(stream)
    return stream.handle


def destroy(handle: int) -> None:
    """Wait for a stream's work and free it."""
    if handle in (0, LEGACY, PER_THREAD):
        raise HipError("hipErrorInvalidHandle", "the default stream cannot be destroyed")
    stream = state.runtime().get(handle, Stream)
    if stream.capture is not None:
        stream.capture.invalidate()
    stream.close()
    state.runtime().drop(handle)


def synchronize(handle: int = 0) -> None:
    """Wait until all work of a stream has ended."""
    stream = of(handle)
    forbid_capture(stream)
    stream.wait()


def query(handle: int = 0) -> bool:
    """Whether all work of a stream has ended."""
    stream = of(handle)
    forbid_capture(stream)
    return stream.ready()


def wait_event(handle: int, event: Event) -> None:
    """Let a stream's further work wait for an event."""
    stream = of(handle)
    if stream.capture is not None or event.captured is not None:
        from softrock.hip.graphs import capture

        capture.wait_event(stream, event)
        return
    if event.recorded:
        stream.work().wait_for(event.event)


def host_call(handle: int, function: int, argument: int) -> None:
    """Call a native function with one pointer once the stream's work so far has ended."""
    if not function:
        raise HipError("hipErrorInvalidValue", "no function is given")
    stream = of(handle)
    if stream.capture is not None:
        from softrock.hip.graphs import nodes

        stream.capture.add(nodes.HostNode(function, argument))
        return
    stream.work().call(function, argument)


def forbid_capture(stream: Stream) -> None:
    """Raise where a stream is being captured: the call would have to wait for work that is only written down."""
    if stream.capture is not None:
        stream.capture.invalidate()
        raise HipError("hipErrorStreamCaptureUnsupported")


def synchronize_device(home: state.DeviceState | None = None) -> None:
    """Wait for all streams of a device."""
    home = home or state.current()
    state.require_healthy()
    for stream in tuple(home.streams):
        if stream.capture is not None:
            forbid_capture(stream)
        stream.wait()
