"""Arrays, textures, surfaces, and the copies that have an array on one side."""

from __future__ import annotations

from collections.abc import Callable

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.gpu.device import Copy
from softrock.hip import images, memory, raw
from softrock.hip.errors import HipError

# hipResourceType
_ARRAY, _MIPMAPPED, _LINEAR, _PITCH2D = 0, 1, 2, 3
# hipArray_Format: bits and kind
_FORMATS = {
    0x01: (8, images.UNSIGNED), 0x02: (16, images.UNSIGNED), 0x03: (32, images.UNSIGNED),
    0x08: (8, images.SIGNED), 0x09: (16, images.SIGNED), 0x0A: (32, images.SIGNED),
    0x10: (16, images.FLOAT), 0x20: (32, images.FLOAT),
}  # fmt: skip
# Flags of the driver's texture descriptor
_READ_AS_INTEGER, _NORMALIZED = 1, 2


def _channels(description: int) -> tuple[tuple[int, int, int, int], int]:
    require(description)
    x, y, z, w, kind = structs.of("hipChannelFormatDesc").get(description, "x", "y", "z", "w", "f")
    return (x, y, z, w), kind


def _format(number: int, channels: int) -> tuple[tuple[int, int, int, int], int]:
    if number not in _FORMATS or channels not in (1, 2, 4):
        raise HipError("hipErrorInvalidValue", f"array format {number:#x} with {channels} channels")
    bits, kind = _FORMATS[number]
    x, y, z, w = ([bits] * channels + [0] * 4)[:4]
    return (x, y, z, w), kind


# ---- arrays ----


def hipMallocArray(out: int, description: int, width: int, height: int, flags: int) -> None:
    require(out)
    raw.put(out, "Q", images.create_array(images.shape(width, height, 0, *_channels(description)), flags))


def hipMalloc3DArray(out: int, description: int, extent: int, flags: int) -> None:
    require(out)
    width, height, depth = structs.of("hipExtent").get(extent, "width", "height", "depth")
    raw.put(out, "Q", images.create_array(images.shape(width, height, depth, *_channels(description)), flags))


def hipArrayCreate(out: int, description: int) -> None:
    require(out, description)
    width, height, number, channels = structs.of("HIP_ARRAY_DESCRIPTOR").get(
        description, "Width", "Height", "Format", "NumChannels"
    )
    raw.put(out, "Q", images.create_array(images.shape(width, height, 0, *_format(number, channels))))


def hipArray3DCreate(out: int, description: int) -> None:
    require(out, description)
    width, height, depth, number, channels, flags = structs.of("HIP_ARRAY3D_DESCRIPTOR").get(
        description, "Width", "Height", "Depth", "Format", "NumChannels", "Flags"
    )
    raw.put(out, "Q", images.create_array(images.shape(width, height, depth, *_format(number, channels)), flags))


def hipFreeArray(array: int) -> None:
    images.destroy_array(array)


def hipArrayDestroy(array: int) -> None:
    images.destroy_array(array)


def hipGetChannelDesc(out: int, array: int) -> None:
    require(out)
    image = images.array(array)
    bits = [image.bits] * image.channels + [0] * 4
    structs.of("hipChannelFormatDesc").set(out, x=bits[0], y=bits[1], z=bits[2], w=bits[3], f=image.kind)


def hipArrayGetInfo(description: int, extent: int, flags: int, array: int) -> None:
    image = images.array(array)
    if description:
        hipGetChannelDesc(description, array)
    if extent:
        structs.of("hipExtent").set(extent, width=image.width, height=image.height, depth=image.depth)
    if flags:
        raw.put(flags, "I", image.flags)


def _number(image: images.Image) -> int:
    return next(number for number, made in _FORMATS.items() if made == (image.bits, image.kind))


def hipArrayGetDescriptor(out: int, array: int) -> None:
    require(out)
    image = images.array(array)
    structs.of("HIP_ARRAY_DESCRIPTOR").set(
        out, Width=image.width, Height=image.height, Format=_number(image), NumChannels=image.channels
    )


def hipArray3DGetDescriptor(out: int, array: int) -> None:
    require(out)
    image = images.array(array)
    structs.of("HIP_ARRAY3D_DESCRIPTOR").set(
        out,
        Width=image.width,
        Height=image.height,
        Depth=image.depth,
        Format=_number(image),
        NumChannels=image.channels,
        Flags=image.flags,
    )


# ---- copies ----


def _rows(image: images.Image, x: int, y: int, width: int, height: int) -> int:
    """Where rows of an array begin, after a look whether they are inside it."""
    if x + width > image.width * image.element or y + height > max(image.height, 1):
        raise HipError("hipErrorInvalidValue", "the copy goes past the edge of the array")
    return image.place(x, y, 0)


def _to_array(dst: int, x: int, y: int, src: int, pitch: int, width: int, height: int) -> Copy:
    image = images.array(dst)
    return Copy(_rows(image, x, y, width, height), src, width, height, 1, image.row_pitch, pitch)


def _from_array(dst: int, pitch: int, src: int, x: int, y: int, width: int, height: int) -> Copy:
    image = images.array(src)
    return Copy(dst, _rows(image, x, y, width, height), width, height, 1, pitch, image.row_pitch)


def hipMemcpy2DToArray(dst: int, x: int, y: int, src: int, pitch: int, width: int, height: int, kind: int) -> None:
    memory.memcpy_rows(_to_array(dst, x, y, src, pitch, width, height), kind)


def hipMemcpy2DToArrayAsync(
    dst: int, x: int, y: int, src: int, pitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    memory.memcpy_rows(_to_array(dst, x, y, src, pitch, width, height), kind, stream, wait=False)


def hipMemcpy2DFromArray(dst: int, pitch: int, src: int, x: int, y: int, width: int, height: int, kind: int) -> None:
    memory.memcpy_rows(_from_array(dst, pitch, src, x, y, width, height), kind)


def hipMemcpy2DFromArrayAsync(
    dst: int, pitch: int, src: int, x: int, y: int, width: int, height: int, kind: int, stream: int
) -> None:
    memory.memcpy_rows(_from_array(dst, pitch, src, x, y, width, height), kind, stream, wait=False)


def hipMemcpy2DArrayToArray(
    dst: int, dst_x: int, dst_y: int, src: int, src_x: int, src_y: int, width: int, height: int, kind: int
) -> None:
    source = images.array(src)
    start = _rows(source, src_x, src_y, width, height)
    hipMemcpy2DToArray(dst, dst_x, dst_y, start, source.row_pitch, width, height, kind)


def _runs(image: images.Image, x: int, y: int, size: int) -> list[tuple[int, int]]:
    """(address, bytes) of each row's part of `size` bytes that begin at byte x of row y and go on row by row."""
    found = []
    row = image.width * image.element
    while size > 0:
        part = min(size, row - x)
        found.append((_rows(image, x, y, part, 1), part))
        size, x, y = size - part, 0, y + 1
    return found


def hipMemcpyToArray(dst: int, x: int, y: int, src: int, size: int, kind: int) -> None:
    for address, part in _runs(images.array(dst), x, y, size):
        memory.memcpy(address, src, part, kind)
        src += part


def hipMemcpyFromArray(dst: int, src: int, x: int, y: int, size: int, kind: int) -> None:
    for address, part in _runs(images.array(src), x, y, size):
        memory.memcpy(dst, address, part, kind)
        dst += part


def hipMemcpyAtoH(dst: int, src: int, offset: int, size: int) -> None:
    hipMemcpyFromArray(dst, src, offset, 0, size, memory.DEVICE_TO_HOST)


def hipMemcpyHtoA(dst: int, offset: int, src: int, size: int) -> None:
    hipMemcpyToArray(dst, offset, 0, src, size, memory.HOST_TO_DEVICE)


def hipMemcpyAtoD(dst: int, src: int, offset: int, size: int) -> None:
    hipMemcpyFromArray(dst, src, offset, 0, size, memory.DEVICE_TO_DEVICE)


def hipMemcpyDtoA(dst: int, offset: int, src: int, size: int) -> None:
    hipMemcpyToArray(dst, offset, 0, src, size, memory.DEVICE_TO_DEVICE)


# ---- texture and surface objects ----


def _linear(
    values: dict[str, int], width: int, height: int, pitch: int, made: Callable[[], images.Image]
) -> images.Image:
    """A program's own memory as an image."""
    image = made()
    address = values["res.linear.devPtr"]
    if memory.find(address) is None:
        raise HipError("hipErrorInvalidValue", f"no memory of the device at {address:#x}")
    if height and pitch < width * image.element:
        raise HipError("hipErrorInvalidPitchValue", f"rows of {width * image.element} bytes do not fit pitch {pitch}")
    row = pitch or width * image.element
    return images.Image(address, width, height, 0, image.bits, image.channels, image.kind, row, row * max(height, 1))


def _resource(description: int) -> images.Image:
    """The image of a hipResourceDesc."""
    values = structs.of("hipResourceDesc").all(description)
    kind = values["resType"]
    if kind == _ARRAY:
        return images.array(values["res.array.array"])
    if kind not in (_LINEAR, _PITCH2D):
        raise HipError("hipErrorNotSupported", "mipmapped textures are not supported")
    part = "res.linear" if kind == _LINEAR else "res.pitch2D"
    x, y, z, w = (values[f"{part}.desc.{axis}"] for axis in "xyzw")
    bits, format_kind = (x, y, z, w), values[f"{part}.desc.f"]
    if kind == _PITCH2D:
        width, height, pitch = (values[f"{part}.{name}"] for name in ("width", "height", "pitchInBytes"))
    else:
        width, height, pitch = values[f"{part}.sizeInBytes"] // (sum(bits) // 8 or 1), 0, 0
    return _linear(values, width, height, pitch, lambda: images.shape(max(width, 1), height, 0, bits, format_kind))


def _copy_of(name: str, address: int) -> bytes:
    return raw.read(address, structs.of(name).size) if address else b""


def hipCreateTextureObject(out: int, resource: int, texture: int, view: int) -> None:
    require(out, resource, texture)
    values = structs.of("hipTextureDesc").all(texture)
    how = images.Sampling(
        values["addressMode"], values["filterMode"], values["readMode"] == 1, values["normalizedCoords"] != 0,
        values["borderColor"],
    )  # fmt: skip
    made_of = images.TextureObject(
        _copy_of("hipResourceDesc", resource),
        _copy_of("hipTextureDesc", texture),
        _copy_of("hipResourceViewDesc", view),
    )
    raw.put(out, "Q", images.create_object(_resource(resource), how, made_of))


def hipTexObjectCreate(out: int, resource: int, texture: int, view: int) -> None:
    require(out, resource, texture)
    values = structs.of("HIP_TEXTURE_DESC_st").all(texture)
    flags = values["flags"]
    how = images.Sampling(
        values["addressMode"], values["filterMode"], not flags & _READ_AS_INTEGER, bool(flags & _NORMALIZED),
        values["borderColor"],
    )  # fmt: skip
    made_of = images.TextureObject(
        _copy_of("HIP_RESOURCE_DESC_st", resource), _copy_of("HIP_TEXTURE_DESC_st", texture),
        _copy_of("HIP_RESOURCE_VIEW_DESC_st", view),
    )  # fmt: skip
    raw.put(out, "Q", images.create_object(_driver_resource(resource), how, made_of))


def _driver_resource(description: int) -> images.Image:
    """The image of a HIP_RESOURCE_DESC."""
    values = structs.of("HIP_RESOURCE_DESC_st").all(description)
    kind = values["resType"]
    if kind == _ARRAY:
        return images.array(values["res.array.hArray"])
    if kind not in (_LINEAR, _PITCH2D):
        raise HipError("hipErrorNotSupported", "mipmapped textures are not supported")
    part = "res.linear" if kind == _LINEAR else "res.pitch2D"
    bits, format_kind = _format(values[f"{part}.format"], values[f"{part}.numChannels"])
    if kind == _PITCH2D:
        width, height, pitch = (values[f"{part}.{name}"] for name in ("width", "height", "pitchInBytes"))
    else:
        width, height, pitch = values[f"{part}.sizeInBytes"] // (sum(bits) // 8), 0, 0
    return _linear(values, width, height, pitch, lambda: images.shape(max(width, 1), height, 0, bits, format_kind))


def hipDestroyTextureObject(address: int) -> None:
    images.destroy_object(address)


def hipTexObjectDestroy(address: int) -> None:
    images.destroy_object(address)


def hipGetTextureObjectResourceDesc(out: int, address: int) -> None:
    require(out)
    raw.write(out, images.object_source(address).resource)


def hipGetTextureObjectTextureDesc(out: int, address: int) -> None:
    require(out)
    raw.write(out, images.object_source(address).texture)


def hipGetTextureObjectResourceViewDesc(out: int, address: int) -> None:
    require(out)
    view = images.object_source(address).view
    if not view:
        raise HipError("hipErrorInvalidValue", "the texture object was made without a view")
    raw.write(out, view)


hipTexObjectGetResourceDesc = hipGetTextureObjectResourceDesc
hipTexObjectGetTextureDesc = hipGetTextureObjectTextureDesc
hipTexObjectGetResourceViewDesc = hipGetTextureObjectResourceViewDesc


def hipCreateSurfaceObject(out: int, resource: int) -> None:
    require(out, resource)
    if structs.of("hipResourceDesc").get(resource, "resType") != _ARRAY:
        raise HipError("hipErrorInvalidValue", "a surface is made of an array")
    made_of = images.TextureObject(_copy_of("hipResourceDesc", resource), b"", b"")
    raw.put(out, "Q", images.create_object(_resource(resource), images.Sampling(), made_of))


def hipDestroySurfaceObject(address: int) -> None:
    images.destroy_object(address)
