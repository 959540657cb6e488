"""Order among streams, events, host functions."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable

import pytest

from softrock.hip import HipError, events, launch, memory, modules, raw, state, streams

ONE = (1, 1, 1)
WAVE = (64, 1, 1)


class Log:
    """Kernels append numbers to it; a slow kernel may go before."""

    def __init__(self, module: modules.Module) -> None:
        self.module = module
        self.place = memory.malloc(8)
        self.out = memory.malloc(1024)
        self.work = memory.malloc(256)
        self.gate = memory.malloc(4)
        memory.memset(self.place, 0, 8)
        memory.memset(self.work, 0, 256)
        memory.memset(self.gate, 0, 4)
        streams.synchronize()

    def add(self, value: int, stream: int = 0, slow: bool = False) -> None:
        if slow:
            self._launch("slow", struct.pack("<Qi", self.work, 3_000_000), stream)
        self._launch("append", struct.pack("<QQi", self.place, self.out, value), stream)

    def hold(self, stream: int = 0) -> None:
        """Let a stream wait until :meth:`release`."""
        self._launch("forever", struct.pack("<Q", self.gate), stream)

    def release(self) -> None:
        """Let the streams go on."""
        raw.put(self.gate, "i", 1)

    def _launch(self, name: str, arguments: bytes, stream: int) -> None:
        function = self.module.function(name)
        assert function is not None
        launch.launch(function, ONE, WAVE, arguments, 0, stream)

    def read(self) -> list[int]:
        streams.synchronize_device()
        return [raw.get(self.out + 4 * i, "i") for i in range(raw.get(self.place, "Q"))]


@pytest.fixture
def log(module: modules.Module) -> Log:
    return Log(module)


def test_one_stream_is_in_order(log: Log) -> None:
    for i in range(20):
        log.add(i, slow=i == 0)
    assert log.read() == list(range(20))


def test_the_default_stream_waits_for_blocking_streams(log: Log) -> None:
    a, b = streams.create(), streams.create()
    log.add(1, a, slow=True)
    log.add(2)
    log.add(3, b)
    assert log.read() == [1, 2, 3]


def test_blocking_streams_wait_for_the_default_stream(log: Log) -> None:
    a = streams.create()
    log.add(1, slow=True)
    log.add(2, a)
    log.add(3, a)
    log.add(4)
    assert log.read() == [1, 2, 3, 4]


def test_non_blocking_streams_do_not_wait(log: Log) -> None:
    free = streams.create(streams.NON_BLOCKING)
    log.hold()
    log.add(1)
    log.add(2, free)
    streams.synchronize(free)
    log.release()
    assert log.read() == [2, 1]


def test_events_order_streams(log: Log) -> None:
    a, b = streams.create(streams.NON_BLOCKING), streams.create(streams.NON_BLOCKING)
    event = events.create()
    log.add(1, a, slow=True)
    events.record(event, a)
    streams.wait_event(b, events.of(event))
    log.add(2, b)
    assert log.read() == [1, 2]


def test_event_times_and_states(log: Log) -> None:
    start, stop, never = events.create(), events.create(), events.create()
    plain = events.create(events.DISABLE_TIMING)
    assert events.query(never)
    events.record(start)
    events.synchronize(start)  # a busy host takes its time to get there
    log.hold()
    events.record(stop)
    events.record(plain)
    with pytest.raises(HipError, match="hipErrorNotReady"):
        events.elapsed(start, stop)
    assert not events.query(stop)
    time.sleep(0.01)
    log.release()
    events.synchronize(stop)
    assert 9.9 < events.elapsed(start, stop) < 60_000
    assert events.elapsed(start, start) == 0
    events.synchronize(plain)
    for one, two in ((start, plain), (never, stop)):
        with pytest.raises(HipError, match="hipErrorInvalidHandle"):
            events.elapsed(one, two)
    events.destroy(start)
    with pytest.raises(HipError, match="hipErrorInvalidHandle"):
        events.record(start)


def test_query_tells_what_is_left(log: Log) -> None:
    stream = streams.create()
    log.hold(stream)
    assert not streams.query(stream)
    log.release()
    streams.synchronize(stream)
    assert streams.query(stream)


def test_host_functions_run_in_order(log: Log) -> None:
    seen: list[int] = []
    callback = raw.ffi.callback("void(void *)", lambda _: seen.append(raw.get(log.place, "Q")))
    log.add(1, slow=True)
    streams.host_call(0, int(raw.ffi.cast("uintptr_t", callback)), 0)
    log.add(2)
    log.read()
    assert seen == [1]
    with pytest.raises(HipError):
        streams.host_call(0, 0, 0)


def test_each_thread_has_its_own_device_and_stream() -> None:
    found: list[object] = []

    def other() -> None:
        found.append(state.current().index)
        found.append(streams.of(streams.PER_THREAD))

    state.set_device(1)
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found[0] == 0
    assert found[1] is not streams.of(streams.PER_THREAD)
    assert streams.of(streams.PER_THREAD) is streams.of(streams.PER_THREAD)
    assert streams.of(streams.LEGACY) is streams.of(0)


def test_bad_handles() -> None:
    for call in (lambda: streams.synchronize(1234), lambda: streams.destroy(0), lambda: streams.of(events.create())):
        with pytest.raises(HipError, match="hipErrorInvalidHandle"):
            call()
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        streams.create(8)
    stream = streams.create(0, -99)
    assert streams.of(stream).priority == -1
    streams.destroy(stream)
    with pytest.raises(HipError, match="hipErrorInvalidHandle"):
        streams.query(stream)


def test_direct_launches_end_where_order_matters(log: Log) -> None:
    told: list[streams.Stream] = []
    streams.on_indirect.append(told.append)
    try:
        null, stream = streams.of(0), streams.of(streams.create())
        null.direct = stream.direct = True
        assert not null.may_go_direct()
        assert stream.may_go_direct()
        log.add(1)  # the default stream now has work: the other must ask again
        assert stream in told
        assert not stream.may_go_direct()
        log.add(2, stream.handle)
        assert stream.may_go_direct()
        assert log.read() == [1, 2]
    finally:
        streams.on_indirect.remove(told.append)


def test_signals(log: Log, settle: Callable[[], None]) -> None:
    from softrock.hip import signals

    word = memory.malloc(8)
    memory.memset(word, 0, 8)
    a, b = streams.create(streams.NON_BLOCKING), streams.create(streams.NON_BLOCKING)
    signals.wait(a, word, 5, signals.AT_LEAST, (1 << 64) - 1, 8)
    log.add(1, a)
    log.add(2, b, slow=True)
    signals.write(b, word, 5, 8)
    settle()
    assert log.read() == [2, 1]
    with pytest.raises(HipError):
        signals.write(0, word + 1, 1, 4)
    assert [signals._holds(*each, 4) for each in ((1, 0, 0), (0, 1, 0), (6, 2, 2), (4, 2, 2), (0xFFFFFFFF, 0, 3))] == [
        True, False, True, False, False,
    ]  # fmt: skip
