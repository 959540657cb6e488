"""Nodes of graphs: adding them, reading and setting their parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from softrock.abi import structs
from softrock.abi.calls.copies import copy_of_3d, copy_of_driver, symbol_part
from softrock.abi.calls.devices import require
from softrock.abi.calls.graphs import nodes_at
from softrock.gpu.device import Copy, Fill, Launch
from softrock.hip import events, launch, memory, modules, pools, raw, state
from softrock.hip.errors import HipError
from softrock.hip.graphs import graph, nodes
from softrock.hip.graphs.nodes import Node

N = TypeVar("N", bound=Node)


def _add(out: int, handle: int, before: int, count: int, node: Node) -> None:
    require(out)
    raw.put(out, "Q", graph.of(handle).add(node, nodes_at(before, count)).handle)


def _node(handle: int, kind: type[N]) -> N:
    found = graph.node_of(handle)
    if not isinstance(found, kind):
        raise HipError("hipErrorInvalidValue", f"the node is no {kind.__name__}")
    return found


def _set(handle: int, made: Node) -> None:
    """Give a node of a graph the parameters of a fresh one."""
    _node(handle, type(made)).take(made)


def _set_executable(executable: int, handle: int, made: Node) -> None:
    """The same for the node's twin in an executable graph."""
    twin = graph.executable_of(executable).twin(_node(handle, type(made)))
    if not twin.accepts(made):
        raise HipError("hipErrorInvalidValue", "an executable graph cannot take these parameters")
    twin.take(made)


# ---- kernels ----


def _kernel(parameters: int) -> nodes.KernelNode:
    require(parameters)
    layout = structs.of("hipKernelNodeParams")
    values = layout.all(parameters)
    grid = (values["gridDim.x"], values["gridDim.y"], values["gridDim.z"])
    block = (values["blockDim.x"], values["blockDim.y"], values["blockDim.z"])
    host = values["func"]
    function = state.runtime().find(host, modules.Function)
    by_symbol = function is None
    if function is None:
        function = state.runtime().registry.function(host, state.current())
    if values["extra"]:
        arguments = launch.arguments_from_extra(function, values["extra"])
    else:
        arguments = launch.arguments_from_pointers(function, values["kernelParams"])
    launch.check(function, grid, block, values["sharedMemBytes"], by_symbol=by_symbol, cooperative=False)
    node = nodes.KernelNode(function, Launch(function.native, grid, block, values["sharedMemBytes"], arguments))
    node.symbol = host
    return node


def hipGraphAddKernelNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    _add(out, handle, before, count, _kernel(parameters))


def hipGraphKernelNodeGetParams(node: int, out: int) -> None:
    require(out)
    found = _node(node, nodes.KernelNode)
    request, function = found.request, found.function
    values = raw.Held(request.arguments or b"\0")
    pointers = b"".join((values.address + offset).to_bytes(8, "little") for offset, _ in function.arguments)
    array = raw.Held(pointers or b"\0")
    _shown[found] = (values, array)
    layout = structs.of("hipKernelNodeParams")
    layout.clear(out)
    layout.set(
        out,
        func=found.symbol or function.handle,
        sharedMemBytes=request.shared,
        kernelParams=array.address,
        **{f"gridDim__{axis}": size for axis, size in zip("xyz", request.grid, strict=True)},
        **{f"blockDim__{axis}": size for axis, size in zip("xyz", request.block, strict=True)},
    )


_shown: dict[Node, tuple[raw.Held, raw.Held]] = {}
"""Argument arrays that were given out; they stay until the node is asked again."""


def hipGraphKernelNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _kernel(parameters))


def hipGraphExecKernelNodeSetParams(executable: int, node: int, parameters: int) -> None:
    _set_executable(executable, node, _kernel(parameters))


def hipGraphKernelNodeSetAttribute(node: int, which: int, value: int) -> None:
    require(value)
    found = _node(node, nodes.KernelNode)
    if which == 2:
        found.set_cooperative(bool(raw.get(value, "i")))
    elif which not in (1, 8):
        raise HipError("hipErrorInvalidValue", f"attribute {which}")


def hipGraphKernelNodeGetAttribute(node: int, which: int, out: int) -> None:
    require(out)
    found = _node(node, nodes.KernelNode)
    if which not in (1, 2, 8):
        raise HipError("hipErrorInvalidValue", f"attribute {which}")
    raw.write(out, bytes(structs.of("hipLaunchAttributeValue").size))
    if which == 2:
        raw.put(out, "i", int(found.request.cooperative))


def hipGraphKernelNodeCopyAttributes(source: int, to: int) -> None:
    _node(to, nodes.KernelNode).set_cooperative(_node(source, nodes.KernelNode).request.cooperative)


# ---- copies ----


def _copy_1d(dst: int, src: int, size: int, kind: int) -> nodes.CopyNode:
    copy = Copy(dst, src, size)
    if size:
        memory.check(copy, kind)
    return nodes.CopyNode(copy, kind)


def _copy_3d(parameters: int) -> nodes.CopyNode:
    require(parameters)
    copy, kind = copy_of_3d(parameters)
    memory.check(copy, kind)
    return nodes.CopyNode(copy, kind)


def _copy_driver(parameters: int) -> nodes.CopyNode:
    require(parameters)
    copy = copy_of_driver("HIP_MEMCPY3D", parameters)
    memory.check(copy, memory.DEFAULT)
    return nodes.CopyNode(copy, memory.DEFAULT)


def hipGraphAddMemcpyNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    _add(out, handle, before, count, _copy_3d(parameters))


def hipDrvGraphAddMemcpyNode(out: int, handle: int, before: int, count: int, parameters: int, context: int) -> None:
    _add(out, handle, before, count, _copy_driver(parameters))


def hipGraphAddMemcpyNode1D(
    out: int, handle: int, before: int, count: int, dst: int, src: int, size: int, kind: int
) -> None:
    _add(out, handle, before, count, _copy_1d(dst, src, size, kind))


def hipGraphAddMemcpyNodeToSymbol(
    out: int, handle: int, before: int, count: int, symbol: int, src: int, size: int, offset: int, kind: int
) -> None:
    _add(out, handle, before, count, _copy_1d(symbol_part(symbol, offset, size), src, size, kind))


def hipGraphAddMemcpyNodeFromSymbol(
    out: int, handle: int, before: int, count: int, dst: int, symbol: int, size: int, offset: int, kind: int
) -> None:
    _add(out, handle, before, count, _copy_1d(dst, symbol_part(symbol, offset, size), size, kind))


def hipGraphMemcpyNodeGetParams(node: int, out: int) -> None:
    require(out)
    found = _node(node, nodes.CopyNode)
    copy = found.copy
    layout = structs.of("hipMemcpy3DParms")
    layout.clear(out)
    values = {
        "kind": found.direction,
        "extent__width": copy.width,
        "extent__height": copy.height,
        "extent__depth": copy.depth,
    }
    for side, address, pitch, slice_ in (
        ("dst", copy.dst, copy.dst_pitch, copy.dst_slice),
        ("src", copy.src, copy.src_pitch, copy.src_slice),
    ):
        values |= {
            f"{side}Ptr__ptr": address,
            f"{side}Ptr__pitch": pitch or copy.width,
            f"{side}Ptr__xsize": copy.width,
            f"{side}Ptr__ysize": slice_ // pitch if pitch else copy.height,
        }
    layout.set(out, **values)


def hipGraphMemcpyNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _copy_3d(parameters))


def hipGraphMemcpyNodeSetParams1D(node: int, dst: int, src: int, size: int, kind: int) -> None:
    _set(node, _copy_1d(dst, src, size, kind))


def hipGraphMemcpyNodeSetParamsToSymbol(node: int, symbol: int, src: int, size: int, offset: int, kind: int) -> None:
    _set(node, _copy_1d(symbol_part(symbol, offset, size), src, size, kind))


def hipGraphMemcpyNodeSetParamsFromSymbol(node: int, dst: int, symbol: int, size: int, offset: int, kind: int) -> None:
    _set(node, _copy_1d(dst, symbol_part(symbol, offset, size), size, kind))


def hipGraphExecMemcpyNodeSetParams(executable: int, node: int, parameters: int) -> None:
    _set_executable(executable, node, _copy_3d(parameters))


def hipDrvGraphExecMemcpyNodeSetParams(executable: int, node: int, parameters: int, context: int) -> None:
    _set_executable(executable, node, _copy_driver(parameters))


def hipDrvGraphMemcpyNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _copy_driver(parameters))


def hipGraphExecMemcpyNodeSetParams1D(executable: int, node: int, dst: int, src: int, size: int, kind: int) -> None:
    _set_executable(executable, node, _copy_1d(dst, src, size, kind))


def hipGraphExecMemcpyNodeSetParamsToSymbol(
    executable: int, node: int, symbol: int, src: int, size: int, offset: int, kind: int
) -> None:
    _set_executable(executable, node, _copy_1d(symbol_part(symbol, offset, size), src, size, kind))


def hipGraphExecMemcpyNodeSetParamsFromSymbol(
    executable: int, node: int, dst: int, symbol: int, size: int, offset: int, kind: int
) -> None:
    _set_executable(executable, node, _copy_1d(dst, symbol_part(symbol, offset, size), size, kind))


# ---- fills ----


def _fill(parameters: int) -> nodes.FillNode:
    require(parameters)
    names = ("dst", "elementSize", "width", "height", "pitch", "value")
    dst, element, width, height, pitch, value = structs.of("hipMemsetParams").get(parameters, *names)
    if element not in (1, 2, 4) or not width or not height:
        raise HipError("hipErrorInvalidValue", f"a fill of {width} x {height} elements of {element} bytes")
    fill = Fill(dst, value & (1 << 8 * element) - 1, element, width, height, 1, pitch)
    memory.check_fill(fill)
    return nodes.FillNode(fill)


def hipGraphAddMemsetNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    _add(out, handle, before, count, _fill(parameters))


def hipDrvGraphAddMemsetNode(out: int, handle: int, before: int, count: int, parameters: int, context: int) -> None:
    _add(out, handle, before, count, _fill(parameters))


def hipGraphMemsetNodeGetParams(node: int, out: int) -> None:
    require(out)
    fill = _node(node, nodes.FillNode).fill
    structs.of("hipMemsetParams").set(
        out,
        dst=fill.dst,
        elementSize=fill.element,
        width=fill.width,
        height=fill.height,
        pitch=fill.pitch,
        value=fill.value,
    )


def hipGraphMemsetNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _fill(parameters))


def hipGraphExecMemsetNodeSetParams(executable: int, node: int, parameters: int) -> None:
    _set_executable(executable, node, _fill(parameters))


def hipDrvGraphExecMemsetNodeSetParams(executable: int, node: int, parameters: int, context: int) -> None:
    _set_executable(executable, node, _fill(parameters))


# ---- host calls, children, empty nodes, events ----


def _host(parameters: int) -> nodes.HostNode:
    require(parameters)
    function, argument = structs.of("hipHostNodeParams").get(parameters, "fn", "userData")
    require(function)
    return nodes.HostNode(function, argument)


def hipGraphAddHostNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    _add(out, handle, before, count, _host(parameters))


def hipGraphHostNodeGetParams(node: int, out: int) -> None:
    require(out)
    found = _node(node, nodes.HostNode)
    structs.of("hipHostNodeParams").set(out, fn=found.function, userData=found.argument)


def hipGraphHostNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _host(parameters))


def hipGraphExecHostNodeSetParams(executable: int, node: int, parameters: int) -> None:
    _set_executable(executable, node, _host(parameters))


def hipGraphAddChildGraphNode(out: int, handle: int, before: int, count: int, child: int) -> None:
    _add(out, handle, before, count, nodes.ChildNode(graph.of(child)))


def hipGraphChildGraphNodeGetGraph(node: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", _node(node, nodes.ChildNode).child.handle)


def hipGraphExecChildGraphNodeSetParams(executable: int, node: int, child: int) -> None:
    _set_executable(executable, node, nodes.ChildNode(graph.of(child)))


def hipGraphAddEmptyNode(out: int, handle: int, before: int, count: int) -> None:
    _add(out, handle, before, count, nodes.EmptyNode())


def hipGraphAddEventRecordNode(out: int, handle: int, before: int, count: int, event: int) -> None:
    _add(out, handle, before, count, nodes.RecordNode(events.of(event)))


def hipGraphAddEventWaitNode(out: int, handle: int, before: int, count: int, event: int) -> None:
    _add(out, handle, before, count, nodes.WaitNode(events.of(event)))


def _event_handle(event: events.Event) -> int:
    return state.runtime().handle_of(event)


def hipGraphEventRecordNodeGetEvent(node: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", _event_handle(_node(node, nodes.RecordNode).event))


def hipGraphEventWaitNodeGetEvent(node: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", _event_handle(_node(node, nodes.WaitNode).event))


def hipGraphEventRecordNodeSetEvent(node: int, event: int) -> None:
    _set(node, nodes.RecordNode(events.of(event)))


def hipGraphEventWaitNodeSetEvent(node: int, event: int) -> None:
    _set(node, nodes.WaitNode(events.of(event)))


def hipGraphExecEventRecordNodeSetEvent(executable: int, node: int, event: int) -> None:
    _set_executable(executable, node, nodes.RecordNode(events.of(event)))


def hipGraphExecEventWaitNodeSetEvent(executable: int, node: int, event: int) -> None:
    _set_executable(executable, node, nodes.WaitNode(events.of(event)))


# ---- memory of graphs ----


def hipGraphAddMemAllocNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    require(parameters)
    layout = structs.of("hipMemAllocNodeParams")
    size, device = layout.get(parameters, "bytesize", "poolProps.location.id")
    address = pools.current_pool(state.device_state(device)).take(size)
    _add(out, handle, before, count, nodes.AllocNode(address, size))
    layout.set(parameters, dptr=address)


def hipGraphMemAllocNodeGetParams(node: int, out: int) -> None:
    require(out)
    found = _node(node, nodes.AllocNode)
    layout = structs.of("hipMemAllocNodeParams")
    layout.clear(out)
    layout.set(out, bytesize=found.size, dptr=found.address, poolProps__allocType=1, poolProps__location__type=1)


def hipGraphAddMemFreeNode(out: int, handle: int, before: int, count: int, address: int) -> None:
    require(address)
    _add(out, handle, before, count, nodes.FreeNode(address))


def hipDrvGraphAddMemFreeNode(out: int, handle: int, before: int, count: int, address: int) -> None:
    hipGraphAddMemFreeNode(out, handle, before, count, address)


def hipGraphMemFreeNodeGetParams(node: int, out: int) -> None:
    require(out)
    raw.put(out, "Q", _node(node, nodes.FreeNode).address)


def _graph_memory(device: int) -> dict[int, int]:
    pool = pools.current_pool(state.device_state(device))
    return {0: pool.used, 1: pool.used_high, 2: pool.reserved, 3: pool.reserved_high}


def hipDeviceGetGraphMemAttribute(device: int, which: int, out: int) -> None:
    require(out)
    values = _graph_memory(device)
    if which not in values:
        raise HipError("hipErrorInvalidValue", f"attribute {which}")
    raw.put(out, "Q", values[which])


def hipDeviceSetGraphMemAttribute(device: int, which: int, value: int) -> None:
    require(value)
    if which not in (1, 3) or raw.get(value, "Q"):
        raise HipError("hipErrorInvalidValue", "only the high marks can be reset to 0")
    pools.current_pool(state.device_state(device)).set({1: pools.USED_HIGH, 3: pools.RESERVED_HIGH}[which], 0)


def hipDeviceGraphMemTrim(device: int) -> None:
    pools.current_pool(state.device_state(device)).trim(0)


# ---- any node by its type ----


@functools.cache
def _makers() -> dict[int, Callable[[int], Node]]:
    """Node type -> what makes a node of the parameters at an address (a member of hipGraphNodeParams' union)."""

    def copies(at: int) -> Node:
        return _copy_3d(at + structs.of("hipMemcpyNodeParams").fields["copyParams.srcArray"][0])

    return {
        nodes.KERNEL: _kernel,
        nodes.COPY: copies,
        nodes.FILL: _fill,
        nodes.HOST: _host,
        nodes.CHILD: lambda at: nodes.ChildNode(graph.of(raw.get(at, "Q"))),
        nodes.EMPTY: lambda at: nodes.EmptyNode(),
        nodes.WAIT: lambda at: nodes.WaitNode(events.of(raw.get(at, "Q"))),
        nodes.RECORD: lambda at: nodes.RecordNode(events.of(raw.get(at, "Q"))),
        nodes.FREE: lambda at: nodes.FreeNode(raw.get(at, "Q")),
    }


def _generic(parameters: int) -> Node:
    require(parameters)
    kind = raw.get(parameters, "I")
    maker = _makers().get(kind)
    if maker is None:
        raise HipError("hipErrorNotSupported", f"nodes of type {kind} are not supported here")
    return maker(parameters + 16)


def hipGraphAddNode(out: int, handle: int, before: int, count: int, parameters: int) -> None:
    require(parameters)
    if raw.get(parameters, "I") == nodes.ALLOC:
        hipGraphAddMemAllocNode(out, handle, before, count, parameters + 16)
    else:
        _add(out, handle, before, count, _generic(parameters))


def hipGraphNodeSetParams(node: int, parameters: int) -> None:
    _set(node, _generic(parameters))


def hipGraphExecNodeSetParams(executable: int, node: int, parameters: int) -> None:
    _set_executable(executable, node, _generic(parameters))
