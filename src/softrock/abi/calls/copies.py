"""Copies and fills."""

from __future__ import annotations

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.gpu.device import Copy, Fill
from softrock.hip import images, memory, raw, state
from softrock.hip.errors import HipError

_H2D, _D2H, _D2D, _ANY = memory.HOST_TO_DEVICE, memory.DEVICE_TO_HOST, memory.DEVICE_TO_DEVICE, memory.DEFAULT
# hipMemoryType
_HOST, _DEVICE, _ARRAY, _UNIFIED, _MANAGED = 1, 2, 10, 11, 3


def hipMemcpy(dst: int, src: int, size: int, kind: int) -> None:
    if size:
        memory.memcpy(dst, src, size, kind)


def hipMemcpyWithStream(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    if size:
        memory.memcpy(dst, src, size, kind, stream)


def hipMemcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    if size:
        memory.memcpy_async(dst, src, size, kind, stream)


def hipMemcpyHtoD(dst: int, src: int, size: int) -> None:
    hipMemcpy(dst, src, size, _H2D)


def hipMemcpyDtoH(dst: int, src: int, size: int) -> None:
    hipMemcpy(dst, src, size, _D2H)


def hipMemcpyDtoD(dst: int, src: int, size: int) -> None:
    hipMemcpy(dst, src, size, _D2D)


def hipMemcpyHtoDAsync(dst: int, src: int, size: int, stream: int) -> None:
    hipMemcpyAsync(dst, src, size, _H2D, stream)


def hipMemcpyDtoHAsync(dst: int, src: int, size: int, stream: int) -> None:
    hipMemcpyAsync(dst, src, size, _D2H, stream)


def hipMemcpyDtoDAsync(dst: int, src: int, size: int, stream: int) -> None:
    hipMemcpyAsync(dst, src, size, _D2D, stream)


def hipMemcpyPeer(dst: int, to: int, src: int, source: int, size: int) -> None:
    state.device_state(to)
    state.device_state(source)
    hipMemcpy(dst, src, size, _D2D)


def hipMemcpyPeerAsync(dst: int, to: int, src: int, source: int, size: int, stream: int) -> None:
    state.device_state(to)
    state.device_state(source)
    hipMemcpyAsync(dst, src, size, _D2D, stream)


# ---- symbols ----


def hipGetSymbolAddress(out: int, symbol: int) -> None:
    require(out)
    raw.put(out, "Q", state.runtime().registry.variable(symbol, state.current())[0])


def hipGetSymbolSize(out: int, symbol: int) -> None:
    require(out)
    raw.put(out, "Q", state.runtime().registry.variable(symbol, state.current())[1])


def symbol_part(symbol: int, offset: int, size: int) -> int:
    """Address of a part of a variable; hipErrorInvalidValue where it does not lie inside."""
    address, total = state.runtime().registry.variable(symbol, state.current())
    if offset + size > total:
        raise HipError("hipErrorInvalidValue", f"{size} bytes at {offset} do not lie in a variable of {total} bytes")
    return address + offset


def hipMemcpyToSymbol(symbol: int, src: int, size: int, offset: int, kind: int) -> None:
    _to_symbol_kind(kind)
    hipMemcpy(symbol_part(symbol, offset, size), src, size, kind)


def hipMemcpyToSymbolAsync(symbol: int, src: int, size: int, offset: int, kind: int, stream: int) -> None:
    _to_symbol_kind(kind)
    hipMemcpyAsync(symbol_part(symbol, offset, size), src, size, kind, stream)


def hipMemcpyFromSymbol(dst: int, symbol: int, size: int, offset: int, kind: int) -> None:
    _from_symbol_kind(kind)
    hipMemcpy(dst, symbol_part(symbol, offset, size), size, kind)


def hipMemcpyFromSymbolAsync(dst: int, symbol: int, size: int, offset: int, kind: int, stream: int) -> None:
    _from_symbol_kind(kind)
    hipMemcpyAsync(dst, symbol_part(symbol, offset, size), size, kind, stream)


def _to_symbol_kind(kind: int) -> None:
    if kind in (memory.HOST_TO_HOST, memory.DEVICE_TO_HOST):
        raise HipError("hipErrorInvalidMemcpyDirection", "a symbol is in device memory")


def _from_symbol_kind(kind: int) -> None:
    if kind in (memory.HOST_TO_HOST, memory.HOST_TO_DEVICE):
        raise HipError("hipErrorInvalidMemcpyDirection", "a symbol is in device memory")


# ---- rows and slices ----


def hipMemcpy2D(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    memory.memcpy_rows(_rows(dst, dpitch, src, spitch, width, height), kind)


def hipMemcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    memory.memcpy_rows(_rows(dst, dpitch, src, spitch, width, height), kind, stream, wait=False)


def _rows(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int) -> Copy:
    if width > dpitch or width > spitch:
        raise HipError("hipErrorInvalidPitchValue", f"rows of {width} bytes do not fit pitches {dpitch} and {spitch}")
    return Copy(dst, src, width, height, 1, dpitch, spitch)


def copy_of_3d(parameters: int) -> tuple[Copy, int]:
    """A hipMemcpy3DParms as a copy, and its kind."""
    values = structs.of("hipMemcpy3DParms").all(parameters)
    # With an array on a side, widths count its elements; positions in linear memory stay bytes.
    arrays = {side: images.array(values[f"{side}Array"]) for side in ("dst", "src") if values[f"{side}Array"]}
    element = next(iter(arrays.values())).element if arrays else 1
    values["extent.width"] *= element

    def place(side: str) -> tuple[int, int, int]:
        x, y, z = (values[f"{side}Pos.{axis}"] for axis in "xyz")
        if side in arrays:
            image = arrays[side]
            return image.place(x * image.element, y, z), image.row_pitch, image.slice_pitch
        pitch, rows = values[f"{side}Ptr.pitch"], values[f"{side}Ptr.ysize"]
        rows = rows or values["extent.height"]
        return values[f"{side}Ptr.ptr"] + x + y * pitch + z * pitch * rows, pitch, pitch * rows

    dst, dst_pitch, dst_slice = place("dst")
    src, src_pitch, src_slice = place("src")
    width, height, depth = (values[f"extent.{side}"] for side in ("width", "height", "depth"))
    return Copy(dst, src, width, height, depth, dst_pitch, src_pitch, dst_slice, src_slice), values["kind"]


def hipMemcpy3D(parameters: int) -> None:
    require(parameters)
    copy, kind = copy_of_3d(parameters)
    memory.memcpy_rows(copy, kind)


def hipMemcpy3DAsync(parameters: int, stream: int) -> None:
    require(parameters)
    copy, kind = copy_of_3d(parameters)
    memory.memcpy_rows(copy, kind, stream, wait=False)


def hipMemcpy3DPeer(parameters: int) -> None:
    hipMemcpy3DPeerAsync(parameters, 0, wait=True)


def hipMemcpy3DPeerAsync(parameters: int, stream: int, wait: bool = False) -> None:
    require(parameters)
    values = structs.of("hipMemcpy3DPeerParms").all(parameters)
    if values["srcArray"] or values["dstArray"]:
        raise HipError("hipErrorNotSupported", "copies of arrays are not supported: there are no textures")
    places = []
    for side in ("dst", "src"):
        state.device_state(values[f"{side}Device"])
        pitch, rows = values[f"{side}Ptr.pitch"], values[f"{side}Ptr.ysize"] or values["extent.height"]
        x, y, z = (values[f"{side}Pos.{axis}"] for axis in "xyz")
        places.append((values[f"{side}Ptr.ptr"] + x + y * pitch + z * pitch * rows, pitch, pitch * rows))
    (dst, dst_pitch, dst_slice), (src, src_pitch, src_slice) = places
    width, height, depth = (values[f"extent.{side}"] for side in ("width", "height", "depth"))
    copy = Copy(dst, src, width, height, depth, dst_pitch, src_pitch, dst_slice, src_slice)
    memory.memcpy_rows(copy, _D2D, stream, wait=wait)


def _side(values: dict[str, int], side: str) -> int:
    kind = values[f"{side}MemoryType"]
    if kind == _HOST:
        return values[f"{side}Host"]
    if kind in (_DEVICE, _UNIFIED, _MANAGED):
        return values[f"{side}Device"] or values[f"{side}Host"]
    raise HipError("hipErrorInvalidValue", f"memory type {kind}")


def copy_of_driver(name: str, parameters: int) -> Copy:
    """A hip_Memcpy2D or HIP_MEMCPY3D as a copy."""
    values = structs.of(name).all(parameters)
    width, height, depth = values["WidthInBytes"], values["Height"], values.get("Depth", 1)
    places = []
    for side in ("dst", "src"):
        if values[f"{side}MemoryType"] == _ARRAY:
            image = images.array(values[f"{side}Array"])
            start = image.place(values[f"{side}XInBytes"], values[f"{side}Y"], values.get(f"{side}Z", 0))
            places.append((start, image.row_pitch, image.slice_pitch))
            continue
        pitch = values[f"{side}Pitch"] or width + values[f"{side}XInBytes"]
        rows = values.get(f"{side}Height", 0) or height
        start = _side(values, side) + values[f"{side}XInBytes"] + values[f"{side}Y"] * pitch
        places.append((start + values.get(f"{side}Z", 0) * pitch * rows, pitch, pitch * rows))
    (dst, dst_pitch, dst_slice), (src, src_pitch, src_slice) = places
    return Copy(dst, src, width, height, depth, dst_pitch, src_pitch, dst_slice, src_slice)


def hipMemcpyParam2D(parameters: int) -> None:
    require(parameters)
    memory.memcpy_rows(copy_of_driver("hip_Memcpy2D", parameters), _ANY)


def hipMemcpyParam2DAsync(parameters: int, stream: int) -> None:
    require(parameters)
    memory.memcpy_rows(copy_of_driver("hip_Memcpy2D", parameters), _ANY, stream, wait=False)


def hipDrvMemcpy2DUnaligned(parameters: int) -> None:
    hipMemcpyParam2D(parameters)


def hipDrvMemcpy3D(parameters: int) -> None:
    require(parameters)
    memory.memcpy_rows(copy_of_driver("HIP_MEMCPY3D", parameters), _ANY)


def hipDrvMemcpy3DAsync(parameters: int, stream: int) -> None:
    require(parameters)
    memory.memcpy_rows(copy_of_driver("HIP_MEMCPY3D", parameters), _ANY, stream, wait=False)


def hipMemcpyBatchAsync(
    dsts: int, srcs: int, sizes: int, count: int, attributes: int, indices: int, number: int, failed: int, stream: int
) -> None:
    require(dsts, srcs, sizes)
    for i in range(count):
        try:
            dst, src, size = (raw.get(array + 8 * i, "Q") for array in (dsts, srcs, sizes))
            hipMemcpyAsync(dst, src, size, _ANY, stream)
        except HipError:
            if failed:
                raw.put(failed, "Q", i)
            raise


# ---- fills ----


def hipMemset(dst: int, value: int, size: int) -> None:
    memory.memset(dst, value, size)


def hipMemsetAsync(dst: int, value: int, size: int, stream: int) -> None:
    memory.memset(dst, value, size, stream, wait=False)


def hipMemsetD8(dst: int, value: int, count: int) -> None:
    memory.memset(dst, value, count)


def hipMemsetD8Async(dst: int, value: int, count: int, stream: int) -> None:
    memory.memset(dst, value, count, stream, wait=False)


def hipMemsetD16(dst: int, value: int, count: int) -> None:
    memory.memset(dst, value, count, element=2)


def hipMemsetD16Async(dst: int, value: int, count: int, stream: int) -> None:
    memory.memset(dst, value, count, stream, wait=False, element=2)


def hipMemsetD32(dst: int, value: int, count: int) -> None:
    memory.memset(dst, value, count, element=4)


def hipMemsetD32Async(dst: int, value: int, count: int, stream: int) -> None:
    memory.memset(dst, value, count, stream, wait=False, element=4)


def _fill_rows(
    dst: int, pitch: int, value: int, width: int, height: int, element: int, stream: int, wait: bool
) -> None:
    value &= (1 << 8 * element) - 1
    memory.memset_rows(Fill(dst, value, element, width, height, 1, pitch), stream, wait)


def hipMemset2D(dst: int, pitch: int, value: int, width: int, height: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 1, 0, True)


def hipMemset2DAsync(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 1, stream, False)


def hipMemsetD2D8(dst: int, pitch: int, value: int, width: int, height: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 1, 0, True)


def hipMemsetD2D8Async(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 1, stream, False)


def hipMemsetD2D16(dst: int, pitch: int, value: int, width: int, height: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 2, 0, True)


def hipMemsetD2D16Async(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 2, stream, False)


def hipMemsetD2D32(dst: int, pitch: int, value: int, width: int, height: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 4, 0, True)


def hipMemsetD2D32Async(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    _fill_rows(dst, pitch, value, width, height, 4, stream, False)


def _fill_box(pitched: int, value: int, extent: int, stream: int, wait: bool) -> None:
    dst, pitch, rows = structs.of("hipPitchedPtr").get(pitched, "ptr", "pitch", "ysize")
    width, height, depth = structs.of("hipExtent").get(extent, "width", "height", "depth")
    fill = Fill(dst, value & 0xFF, 1, width, height, depth, pitch, pitch * (rows or height))
    memory.memset_rows(fill, stream, wait)


def hipMemset3D(pitched: int, value: int, extent: int) -> None:
    _fill_box(pitched, value, extent, 0, True)


def hipMemset3DAsync(pitched: int, value: int, extent: int, stream: int) -> None:
    _fill_box(pitched, value, extent, stream, False)
