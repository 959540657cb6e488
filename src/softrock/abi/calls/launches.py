"""Launches by symbol, by module and with a configuration; occupancy."""

from __future__ import annotations

from softrock.abi import fast, structs
from softrock.abi.calls.devices import require
from softrock.gpu.device import Dim
from softrock.hip import events, launch, modules, occupancy, raw, state, streams
from softrock.hip.errors import HipError

_COOPERATIVE = 2  # hipLaunchAttributeCooperative


def _dim(address: int) -> Dim:
    x, y, z = raw.ffi.unpack(raw.ffi.cast("uint32_t *", address), 3)
    return x, y, z


def _home(stream: int) -> state.DeviceState:
    return streams.of(stream).home if stream > 2 else state.current()


def _by_symbol(
    host: int, grid: int, block: int, pointers: int, shared: int, stream: int, *, cooperative: bool = False
) -> None:
    function = state.runtime().registry.function(host, _home(stream))
    arguments = launch.arguments_from_pointers(function, pointers)
    launch.launch(function, _dim(grid), _dim(block), arguments, shared, stream, by_symbol=True, cooperative=cooperative)
    fast.note(host, function, _dim(block), stream)


def hipLaunchKernel(host: int, grid: int, block: int, pointers: int, shared: int, stream: int) -> None:
    _by_symbol(host, grid, block, pointers, shared, stream)


def hipLaunchCooperativeKernel(host: int, grid: int, block: int, pointers: int, shared: int, stream: int) -> None:
    _by_symbol(host, grid, block, pointers, shared, stream, cooperative=True)


def hipExtLaunchKernel(
    host: int, grid: int, block: int, pointers: int, shared: int, stream: int, start: int, stop: int, flags: int
) -> None:
    if start:
        events.record(start, stream)
    _by_symbol(host, grid, block, pointers, shared, stream)
    if stop:
        events.record(stop, stream)


def hipLaunchCooperativeKernelMultiDevice(list_: int, count: int, flags: int) -> None:
    """Launches on several devices. Grids that synchronise across devices are not supported, so only one may come."""
    require(list_)
    if count <= 0 or count > len(state.runtime().devices):
        raise HipError("hipErrorInvalidValue", f"{count} devices")
    if count > 1:
        raise HipError("hipErrorNotSupported", "cooperative launches over several devices are not supported")
    _multi(list_, count, cooperative=True)


def hipExtLaunchMultiKernelMultiDevice(list_: int, count: int, flags: int) -> None:
    require(list_)
    _multi(list_, count, cooperative=False)


def _multi(list_: int, count: int, *, cooperative: bool) -> None:
    layout = structs.of("hipLaunchParams")
    for i in range(count):
        at = list_ + i * layout.size
        host, pointers, shared, stream = layout.get(at, "func", "args", "sharedMem", "stream")
        grid, block = at + layout.fields["gridDim.x"][0], at + layout.fields["blockDim.x"][0]
        _by_symbol(host, grid, block, pointers, shared, stream, cooperative=cooperative)


def _by_module(
    handle: int, grid: Dim, block: Dim, shared: int, stream: int, pointers: int, extra: int,
    *, cooperative: bool = False, items: Dim | None = None,
) -> None:  # fmt: skip
    function = modules.function_of(handle)
    if pointers and extra:
        raise HipError("hipErrorInvalidValue", "kernelParams and extra cannot both be given")
    if extra:
        arguments = launch.arguments_from_extra(function, extra)
    else:
        arguments = launch.arguments_from_pointers(function, pointers)
    launch.launch(function, grid, block, arguments, shared, stream, cooperative=cooperative, items=items)
    fast.note(handle, function, block, stream)


def hipModuleLaunchKernel(
    function: int,
    gx: int,
    gy: int,
    gz: int,
    bx: int,
    by: int,
    bz: int,
    shared: int,
    stream: int,
    pointers: int,
    extra: int,
) -> None:
    _by_module(function, (gx, gy, gz), (bx, by, bz), shared, stream, pointers, extra)


def hipModuleLaunchCooperativeKernel(
    function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int, pointers: int
) -> None:
    _by_module(function, (gx, gy, gz), (bx, by, bz), shared, stream, pointers, 0, cooperative=True)


def hipExtModuleLaunchKernel(
    function: int, ix: int, iy: int, iz: int, bx: int, by: int, bz: int, shared: int, stream: int, pointers: int,
    extra: int, start: int, stop: int, flags: int,
) -> None:  # fmt: skip
    """The grid is given in threads here and need not be a whole number of blocks."""
    if start:
        events.record(start, stream)
    if min(bx, by, bz) <= 0:
        raise HipError("hipErrorInvalidValue", "a block dimension is 0")
    grid = (-(-ix // bx), -(-iy // by), -(-iz // bz))
    _by_module(function, grid, (bx, by, bz), shared, stream, pointers, extra, items=(ix, iy, iz))
    if stop:
        events.record(stop, stream)


def hipHccModuleLaunchKernel(
    function: int, ix: int, iy: int, iz: int, bx: int, by: int, bz: int, shared: int, stream: int, pointers: int,
    extra: int, start: int, stop: int,
) -> None:  # fmt: skip
    hipExtModuleLaunchKernel(function, ix, iy, iz, bx, by, bz, shared, stream, pointers, extra, start, stop, 0)


def _cooperative(attributes: int, count: int) -> bool:
    layout = structs.of("hipLaunchAttribute_st")
    cooperative = False
    for i in range(count if attributes else 0):
        which, value = layout.get(attributes + i * layout.size, "id", "val.cooperative")
        if which == _COOPERATIVE:
            cooperative = bool(value)
        elif which in (4, 5) and value not in (0, 1):
            raise HipError("hipErrorNotSupported", "launches in clusters are not supported")
    return cooperative


def hipLaunchKernelExC(config: int, host: int, pointers: int) -> None:
    require(config)
    layout = structs.of("hipLaunchConfig_st")
    shared, stream, attributes, count = layout.get(config, "dynamicSmemBytes", "stream", "attrs", "numAttrs")
    grid, block = config + layout.fields["gridDim.x"][0], config + layout.fields["blockDim.x"][0]
    _by_symbol(host, grid, block, pointers, shared, stream, cooperative=_cooperative(attributes, count))


def hipDrvLaunchKernelEx(config: int, function: int, pointers: int, extra: int) -> None:
    require(config)
    values = structs.of("HIP_LAUNCH_CONFIG_st").all(config)
    grid = (values["gridDimX"], values["gridDimY"], values["gridDimZ"])
    block = (values["blockDimX"], values["blockDimY"], values["blockDimZ"])
    cooperative = _cooperative(values["attrs"], values["numAttrs"])
    shared, stream = values["sharedMemBytes"], values["hStream"]
    _by_module(function, grid, block, shared, stream, pointers, extra, cooperative=cooperative)


# ---- the oldest launch form: configure, set up arguments one by one, launch ----


def hipConfigureCall(grid: int, block: int, shared: int, stream: int) -> None:
    _configured.append((_dim(grid), _dim(block), shared, stream, bytearray()))


_configured: list[tuple[Dim, Dim, int, int, bytearray]] = []


def hipSetupArgument(value: int, size: int, offset: int) -> None:
    if not _configured:
        raise HipError("hipErrorMissingConfiguration")
    block = _configured[-1][4]
    block.extend(bytes(max(0, offset + size - len(block))))
    block[offset : offset + size] = raw.read(value, size)


def hipLaunchByPtr(host: int) -> None:
    if not _configured:
        raise HipError("hipErrorMissingConfiguration")
    grid, block, shared, stream, arguments = _configured.pop()
    function = state.runtime().registry.function(host, _home(stream))
    launch.launch(function, grid, block, bytes(arguments), shared, stream, by_symbol=True)


# ---- occupancy ----


def _symbol(host: int) -> modules.Function:
    return state.runtime().registry.function(host, state.current())


def hipOccupancyMaxActiveBlocksPerMultiprocessor(out: int, host: int, block: int, shared: int) -> None:
    require(out)
    raw.put(out, "i", occupancy.blocks_per_unit(_symbol(host), block, shared))


def hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    out: int, host: int, block: int, shared: int, flags: int
) -> None:
    _flags(flags)
    hipOccupancyMaxActiveBlocksPerMultiprocessor(out, host, block, shared)


def hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(out: int, function: int, block: int, shared: int) -> None:
    require(out)
    raw.put(out, "i", occupancy.blocks_per_unit(modules.function_of(function), block, shared))


def hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    out: int, function: int, block: int, shared: int, flags: int
) -> None:
    _flags(flags)
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(out, function, block, shared)


def _flags(flags: int) -> None:
    if flags not in (0, 1):
        raise HipError("hipErrorInvalidValue", f"occupancy flags {flags:#x}")


def _best(grid: int, block: int, function: modules.Function, shared: int, limit: int) -> None:
    require(grid, block)
    if limit < 0:
        raise HipError("hipErrorInvalidValue", f"a block size limit of {limit}")
    blocks, size = occupancy.best_block(function, shared, limit)
    raw.put(grid, "i", blocks)
    raw.put(block, "i", size)


def hipOccupancyMaxPotentialBlockSize(grid: int, block: int, host: int, shared: int, limit: int) -> None:
    _best(grid, block, _symbol(host), shared, limit)


def hipModuleOccupancyMaxPotentialBlockSize(grid: int, block: int, function: int, shared: int, limit: int) -> None:
    _best(grid, block, modules.function_of(function), shared, limit)


def hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    grid: int, block: int, function: int, shared: int, limit: int, flags: int
) -> None:
    _flags(flags)
    _best(grid, block, modules.function_of(function), shared, limit)


def hipOccupancyAvailableDynamicSMemPerBlock(out: int, host: int, blocks: int, block: int) -> None:
    require(out)
    function = _symbol(host)
    facts = function.home.device.facts.properties
    if blocks <= 0 or block <= 0 or occupancy.blocks_per_unit(function, block) < blocks:
        raise HipError("hipErrorInvalidValue", f"{blocks} blocks of {block} threads do not fit a multiprocessor")
    share = facts["sharedMemPerMultiprocessor"] // blocks // 512 * 512
    most = min(share, facts["sharedMemPerBlock"])
    raw.put(out, "Q", max(most - function.kernel.group_segment_size, 0))
