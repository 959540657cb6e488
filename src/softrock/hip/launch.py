"""Kernel launches: checks, arguments, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from softrock.core.errors import SoftrockError, UnsupportedError
from softrock.gpu.device import Dim, Launch
from softrock.hip import raw, state, streams, trace
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.hip.modules import Function

T = TypeVar("T")

_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 3
_GRID_LIMITS = ((1 << 31) - 1, 1 << 16, 1 << 16)
"""Most blocks in x, y, z of a launch by module, as HIP has them."""
_MAX_ITEMS = (1 << 32) - 1


def arguments_from_pointers(function: Function, pointers: int) -> bytes:
    """The argument block from `kernelParams`: an array with a pointer to each argument's value.

    Raises:
        HipError: hipErrorInvalidValue, where the kernel has arguments and there is no array.
    """
    layout = function.arguments
    if not layout:
        return b""
    if not pointers:
        raise HipError("hipErrorInvalidValue", f"kernel {function.name} needs {len(layout)} arguments")
    block = raw.ffi.new("char[]", function.argument_bytes)
    cast, move = raw.ffi.cast, raw.ffi.memmove
    for (offset, size), address in zip(layout, raw.words(pointers, len(layout)), strict=True):
        if not address:
            raise HipError("hipErrorInvalidValue", f"the pointer to an argument of kernel {function.name} is null")
        move(block + offset, cast("char *", address), size)
    return bytes(raw.ffi.buffer(block))


def arguments_from_extra(function: Function, extra: int) -> bytes:
    """The argument block from `extra`: HIP_LAUNCH_PARAM_BUFFER_POINTER, address, ..._SIZE, address of the size, END."""
    keys = raw.words(extra, 5)
    if keys[0] != _BUFFER_POINTER or keys[2] != _BUFFER_SIZE or keys[4] != _END:
        raise HipError("hipErrorInvalidValue", "the extra launch parameters are not a buffer and its size")
    size = raw.get(keys[3], "Q")
    if size < function.argument_bytes:
        raise HipError(
            "hipErrorInvalidValue",
            f"kernel {function.name} needs {function.argument_bytes} bytes of arguments, the buffer holds {size}",
        )
    return raw.read(keys[1], function.argument_bytes)


def check(function: Function, grid: Dim, block: Dim, shared: int, *, by_symbol: bool, cooperative: bool) -> None:
    """Check a launch's geometry.

    Raises:
        HipError: hipErrorInvalidConfiguration (launches by symbol) or hipErrorInvalidValue (launches by module),
            hipErrorLaunchFailure, hipErrorCooperativeLaunchTooLarge.
    """
    wrong = "hipErrorInvalidConfiguration" if by_symbol else "hipErrorInvalidValue"
    where = f"launch of kernel {function.name}: "
    if min(grid) <= 0 or min(block) <= 0:
        raise HipError(wrong, f"{where}grid {grid} or block {block} has a dimension of 0")
    threads = block[0] * block[1] * block[2]
    facts = function.home.device.facts.properties
    most = facts["maxThreadsPerBlock"]
    if threads > most:
        raise HipError(wrong, f"{where}{threads} threads a block; the device runs at most {most}")
    if any(have > limit for have, limit in zip(block, facts["maxThreadsDim"], strict=True)):
        raise HipError(wrong, f"{where}block {block} is larger than {tuple(facts['maxThreadsDim'])}")
    bound = function.kernel.max_flat_workgroup_size
    if threads > bound:
        raise HipError(
            "hipErrorLaunchFailure",
            f"{where}{threads} threads a block; it was compiled for at most {bound}",
            hint=f"declare it with __launch_bounds__({threads}), or use smaller blocks",
        )
    if any(have > limit for have, limit in zip(grid, _GRID_LIMITS, strict=True)) and not by_symbol:
        raise HipError(wrong, f"{where}grid {grid} is larger than {_GRID_LIMITS}")
    if any(g * b > _MAX_ITEMS for g, b in zip(grid, block, strict=True)):
        raise HipError("hipErrorInvalidConfiguration", f"{where}more than 2^32 - 1 threads in one dimension")
    _check_shared(function, shared, where)
    if cooperative:
        _check_cooperative(function, grid, threads, shared, where)


def _check_shared(function: Function, shared: int, where: str) -> None:
    facts = function.home.device.facts.properties
    total = function.kernel.group_segment_size + shared
    limit = facts["sharedMemPerBlock"]
    if function.shared_limit is not None:
        limit = max(limit, function.kernel.group_segment_size + function.shared_limit)
    if total > limit:
        raise HipError(
            "hipErrorInvalidValue",
            f"{where}{total} bytes of LDS a block ({function.kernel.group_segment_size} static, {shared} dynamic); "
            f"the device has {limit}",
        )


def _check_cooperative(function: Function, grid: Dim, threads: int, shared: int, where: str) -> None:
    from softrock.hip import occupancy

    units = function.home.device.facts.properties["multiProcessorCount"]
    room = occupancy.blocks_per_unit(function, threads, shared) * units
    if grid[0] * grid[1] * grid[2] > room:
        raise HipError(
            "hipErrorCooperativeLaunchTooLarge",
            f"{where}{grid[0] * grid[1] * grid[2]} blocks; at most {room} are resident at once",
        )


def launch(
    function: Function,
    grid: Dim,
    block: Dim,
    arguments: bytes,
    shared: int = 0,
    stream: int = 0,
    *,
    by_symbol: bool = False,
    cooperative: bool = False,
    items: Dim | None = None,
) -> None:
    """Launch a kernel in a stream.

    Args:
        function: the kernel, on the stream's device.
        grid, block: workgroups, and threads of a workgroup, in x, y, z.
        arguments: the explicit arguments as they stand in the kernel's argument block.
        shared: bytes of dynamic LDS.
        stream: handle of the stream.
        by_symbol: whether the launch came from ``<<<>>>`` or hipLaunchKernel; HIP reports such errors differently.
        cooperative: all workgroups must be resident at once.
        items: threads in x, y, z where the grid is not a whole number of blocks.

    Raises:
        HipError: see :func:`check`; hipErrorNotSupported where the kernel holds an instruction that is not
            supported (the process then ends with a status that is not 0).
    """
    target = streams.of(stream)
    check(function, grid, block, shared, by_symbol=by_symbol, cooperative=cooperative)
    request = Launch(function.native, grid, block, shared, arguments, cooperative, items)
    if target.capture is not None:
        from softrock.hip.graphs import nodes

        target.capture.add(nodes.KernelNode(function, request))
        return
    submit(target, request)


def translated(call: Callable[..., T], *arguments: object) -> T:
    """Call what may translate a kernel. That it cannot be translated is the process's failure, whatever it does next.

    Raises:
        HipError: hipErrorNotSupported, hipErrorUnknown.
    """
    try:
        return call(*arguments)
    except HipError:
        raise
    except SoftrockError as error:
        state.runtime().fail()
        name = "hipErrorNotSupported" if isinstance(error, UnsupportedError) else "hipErrorUnknown"
        raise HipError(name, error.message, hint=error.hint) from None


def submit(target: streams.Stream, request: Launch) -> None:
    """Put a checked launch into a stream.

    Raises:
        HipError: hipErrorNotSupported, hipErrorInvalidHandle, hipErrorUnknown.
    """
    from softrock.hip import hidden

    queue = target.work()
    translated(request.function.prepare, request.block, request.items)
    prints = hidden.supply(target, request)
    translated(queue.launch, request)
    if prints:
        address = request.supplied["hidden_printf_buffer"]
        target.defer(lambda: hidden.print_buffer(target, request.function, address))
    if request.held:
        target.defer(None, request)
    if trace.folder() is not None:
        trace.record(target, request.function.kernel.name, request.grid, request.block)
