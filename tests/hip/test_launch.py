"""Launches: arguments, checks, order, faults."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from softrock.core.errors import UnsupportedError
from softrock.gpu import kernarg
from softrock.gpu.device import Launch
from softrock.hip import HipError, devices, events, launch, memory, modules, occupancy, raw, state, streams

from .conftest import Ints

ONE = (1, 1, 1)
WAVE = (64, 1, 1)


def _function(module: modules.Module, name: str) -> modules.Function:
    found = module.function(name)
    assert found is not None
    return found


def _run(module: modules.Module, name: str, arguments: bytes, **options: object) -> None:
    launch.launch(_function(module, name), ONE, WAVE, arguments, **options)  # type: ignore[arg-type]


def test_a_kernel_changes_memory(module: modules.Module, ints: type[Ints]) -> None:
    data = ints(list(range(100)))
    launch.launch(_function(module, "add"), (2, 1, 1), WAVE, struct.pack("<Qii", data.address, 100, 7))
    assert data.read() == [i + 7 for i in range(100)]


def test_arguments_of_every_size_from_pointers(module: modules.Module) -> None:
    function = _function(module, "mixed")
    out = memory.malloc(32)
    values = [
        raw.Held(struct.pack(f"<{letters}", value))
        for letters, value in (("b", 3), ("h", 500), ("d", 7.5), ("Q", out), ("f", 9.25))
    ]
    pointers = raw.Held(b"".join(struct.pack("<Q", each.address) for each in values))
    block = launch.arguments_from_pointers(function, pointers.address)
    assert len(block) == function.argument_bytes
    launch.launch(function, ONE, WAVE, block)
    back = raw.Held(32)
    memory.memcpy(back.address, out, 32)
    assert raw.words(back.address, 4) == [3, 500, 7, 9]


def test_arguments_from_extra(module: modules.Module, ints: type[Ints]) -> None:
    function = _function(module, "add")
    data = ints([1, 2])
    block = raw.Held(struct.pack("<Qii", data.address, 2, 10))
    size = raw.Held(struct.pack("<Q", 16))
    extra = raw.Held(struct.pack("<5Q", 1, block.address, 2, size.address, 3))
    launch.launch(function, ONE, WAVE, launch.arguments_from_extra(function, extra.address))
    assert data.read() == [11, 12]
    raw.put(size.address, "Q", 8)
    with pytest.raises(HipError, match="16 bytes of arguments"):
        launch.arguments_from_extra(function, extra.address)
    raw.put(extra.address, "Q", 5)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        launch.arguments_from_extra(function, extra.address)


def test_missing_arguments(module: modules.Module) -> None:
    function = _function(module, "add")
    with pytest.raises(HipError, match="needs 3 arguments"):
        launch.arguments_from_pointers(function, 0)
    pointers = raw.Held(24)
    with pytest.raises(HipError, match="is null"):
        launch.arguments_from_pointers(function, pointers.address)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "by_symbol", "name"),
    [
        ((0, 1, 1), WAVE, 0, True, "hipErrorInvalidConfiguration"),
        ((0, 1, 1), WAVE, 0, False, "hipErrorInvalidValue"),
        (ONE, (64, 0, 1), 0, True, "hipErrorInvalidConfiguration"),
        (ONE, (2048, 1, 1), 0, True, "hipErrorInvalidConfiguration"),
        (ONE, (64, 64, 1), 0, False, "hipErrorInvalidValue"),
        (ONE, WAVE, 1 << 20, True, "hipErrorInvalidValue"),
        ((1 << 26, 1, 1), (1024, 1, 1), 0, True, "hipErrorInvalidConfiguration"),
    ],
)
def test_bad_geometry(
    module: modules.Module,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared: int,
    by_symbol: bool,
    name: str,
) -> None:
    with pytest.raises(HipError) as caught:
        launch.launch(_function(module, "store"), grid, block, bytes(8), shared, by_symbol=by_symbol)
    assert caught.value.name == name
    streams.synchronize()


def test_launch_bounds_are_kept(module: modules.Module) -> None:
    with pytest.raises(HipError, match=r"hipErrorLaunchFailure.*at most 128") as caught:
        launch.launch(_function(module, "bounded"), ONE, (129, 1, 1), bytes(8))
    assert "__launch_bounds__(129)" in (caught.value.hint or "")


def test_hidden_arguments(module: modules.Module) -> None:
    out = memory.malloc(64)
    function = _function(module, "geometry")
    launch.launch(function, (3, 4, 5), (64, 2, 1), struct.pack("<Q", out))
    back = raw.Held(64)
    memory.memcpy(back.address, out, 36)
    assert [raw.get(back.address + 4 * i, "I") for i in range(9)] == [3, 4, 5, 64, 2, 1, 0, 0, 0]


def test_hidden_arguments_of_partial_grids(module: modules.Module) -> None:
    function = _function(module, "geometry")
    builder = kernarg.Arguments(function.kernel)
    whole = Launch(function.native, (2, 1, 1), (64, 1, 1), 0, bytes(8), items=(100, 1, 1))
    block = builder.build(whole, {})
    count, _ = builder.hidden["hidden_block_count_x"]
    remainder, _ = builder.hidden["hidden_remainder_x"]
    assert struct.unpack_from("<I", block, count)[0] == 1
    assert struct.unpack_from("<H", block, remainder)[0] == 36


def test_dynamic_lds(module: modules.Module, ints: type[Ints]) -> None:
    data = ints([0] * 64)
    _run(module, "shared", struct.pack("<Q", data.address), shared=256)
    assert data.read() == list(range(63, -1, -1))


def test_variables(module: modules.Module) -> None:
    place = module.variable("counter")
    assert place is not None
    assert place[1] == 4
    launch.launch(_function(module, "bump"), ONE, ONE, b"")
    streams.synchronize()
    assert raw.get(place[0], "i") == 6
    assert module.variable("nothing") is None
    assert module.function("nothing") is None


@pytest.mark.parametrize("order", [1, 2])
def test_a_fault_is_reported_once_and_stays(
    module: modules.Module, capfd: pytest.CaptureFixture[str], order: int
) -> None:
    _run(module, "store", struct.pack("<Q", 64 * order))
    with pytest.raises(HipError, match="hipErrorIllegalAddress"):
        streams.synchronize()
    message = capfd.readouterr().err
    assert message.count("Memory access fault by GPU node-1") == 1
    assert "kernel store" in message
    assert "null pointer" in message
    for call in (lambda: memory.malloc(4), streams.synchronize, lambda: _run(module, "bump", b"")):
        with pytest.raises(HipError, match="hipErrorIllegalAddress"):
            call()
    assert state.runtime().failure == 1
    assert capfd.readouterr().err == ""
    devices.reset()
    assert memory.malloc(4)
    assert state.runtime().failure == 0


def test_a_trap(module: modules.Module, capfd: pytest.CaptureFixture[str]) -> None:
    _run(module, "trap", b"")
    with pytest.raises(HipError, match="hipErrorLaunchFailure"):
        streams.synchronize()
    assert "kernel trap" in capfd.readouterr().err


def test_a_timeout_says_where_the_waves_are(
    module: modules.Module,
    ints: type[Ints],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    data = ints([0])
    monkeypatch.setenv("SOFTROCK_TIMEOUT", "0.3")
    _run(module, "forever", struct.pack("<Q", data.address))
    with pytest.raises(HipError, match="hipErrorLaunchTimeOut"):
        streams.synchronize()
    message = capfd.readouterr().err
    assert "SOFTROCK_TIMEOUT" in message
    assert "block (0, 0, 0) wave 0" in message


def test_a_timeout_ends_waits_for_events_too(
    module: modules.Module, ints: type[Ints], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = ints([0])
    monkeypatch.setenv("SOFTROCK_TIMEOUT", "0.2")
    _run(module, "forever", struct.pack("<Q", data.address))
    event = events.create()
    events.record(event)
    with pytest.raises(HipError, match="hipErrorLaunchTimeOut"):
        events.synchronize(event)


def test_what_cannot_be_translated_is_the_process_failure(
    module: modules.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnsupportedError("kernel bump: instruction v_magic at 0x10 is not supported on gfx942")

    monkeypatch.setattr("softrock.jit.prepare", refuse)
    with pytest.raises(HipError, match="hipErrorNotSupported: kernel bump: instruction v_magic at 0x10"):
        _run(module, "bump", b"")
    assert state.runtime().failure == 1
    monkeypatch.undo()


def test_occupancy(module: modules.Module) -> None:
    function = _function(module, "store")
    assert occupancy.blocks_per_unit(function, 256) == 8
    assert occupancy.blocks_per_unit(function, 64, 40000) == 1
    assert occupancy.blocks_per_unit(_function(module, "bounded"), 256) == 0
    with pytest.raises(HipError):
        occupancy.blocks_per_unit(function, 0)
    grid, block = occupancy.best_block(function)
    assert block % 64 == 0
    assert grid * block == 304 * 2048


def test_cooperative_grids_must_fit(module: modules.Module) -> None:
    with pytest.raises(HipError, match="hipErrorCooperativeLaunchTooLarge"):
        launch.launch(_function(module, "store"), (100_000, 1, 1), (1024, 1, 1), bytes(8), cooperative=True)


def test_images_of_the_wrong_kind(compile_device: Callable[..., bytes]) -> None:
    other = compile_device('extern "C" __global__ void k() {}', "gfx1100")
    with pytest.raises(HipError, match="hipErrorNoBinaryForGpu"):
        modules.load_data(other)
    for bad in (b"", b"nothing", other[:300]):
        with pytest.raises(HipError, match=r"hipErrorInvalidImage|hipErrorNoBinaryForGpu"):
            modules.load_data(bad)
    with pytest.raises(HipError, match="hipErrorFileNotFound"):
        modules.load_file("/nowhere/at/all.co")


def test_two_devices_hold_their_own_copies(compile_device: Callable[..., bytes]) -> None:
    image = compile_device('__device__ int where = 1; extern "C" __global__ void k() { where += 1; }', "gfx942")
    places = []
    for device in (0, 1):
        state.set_device(device)
        loaded = modules.load_data(image)
        launch.launch(_function(loaded, "k"), ONE, ONE, b"")
        streams.synchronize_device()
        place = loaded.variable("where")
        assert place is not None
        places.append(place[0])
        assert raw.get(place[0], "i") == 2
    assert places[0] != places[1]
