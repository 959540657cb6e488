"""Arrays, texture objects and surface objects.

Textures are read in software on every device (compiler/include/hip/detail/image.h): an array is plain memory in rows,
and a texture or surface object is the address of a record in device memory that says where the elements are and how
to read them. Its layout is :data:`_RECORD`; the header has the same.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from softrock.hip import memory, raw, state
from softrock.hip.errors import HipError

SIGNED, UNSIGNED, FLOAT = 0, 1, 2
"""hipChannelFormatKind"""
POINT, LINEAR = 0, 1
"""hipTextureFilterMode"""
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8
"""Flags of an array."""

_RECORD = struct.Struct("<Q4I2Q2I3I3I4f")
_ROW_ALIGNMENT = 256
_LARGEST = (1 << 27, 1 << 16, 1 << 16)


@dataclass(frozen=True, slots=True)
class Image:
    """Elements in memory: an array's, or a program's own memory described.

    Attributes:
        data: address of the first element.
        width, height, depth: elements, rows, slices (or layers); 0 where there is no such dimension.
        bits: of each channel that there is, 1, 2 or 4 of them, all alike: 8, 16 or 32.
        channels: how many.
        kind: SIGNED, UNSIGNED or FLOAT.
        row_pitch, slice_pitch: bytes from row to row and from slice to slice.
        flags: of the array.
    """

    data: int
    width: int
    height: int
    depth: int
    bits: int
    channels: int
    kind: int
    row_pitch: int
    slice_pitch: int
    flags: int = 0

    @property
    def element(self) -> int:
        """Bytes of an element."""
        return self.bits * self.channels // 8

    def place(self, x: int, y: int, z: int) -> int:
        """Address of byte x of row y of slice z."""
        return self.data + x + y * self.row_pitch + z * self.slice_pitch


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a texture is read; numbers as in hipTextureDesc."""

    address: tuple[int, int, int] = (1, 1, 1)
    filter: int = POINT
    normalized_read: bool = False
    normalized: bool = False
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(slots=True)
class Array:
    """What a hipArray_t stands for."""

    image: Image


@dataclass(frozen=True, slots=True)
class TextureObject:
    """What a texture or surface object was made of, for queries: the bytes of its descriptors."""

    resource: bytes
    texture: bytes
    view: bytes


_objects: dict[tuple[int, int], TextureObject] = {}


def shape(width: int, height: int, depth: int, bits: tuple[int, int, int, int], kind: int) -> Image:
    """An image without memory.

    Raises:
        HipError: hipErrorInvalidValue, where no texture has such elements or such a size.
    """
    used = [each for each in bits if each]
    if len(used) not in (1, 2, 4) or bits[: len(used)] != tuple(used) or len(set(used)) != 1:
        raise HipError("hipErrorInvalidValue", f"channels of {bits} bits: one, two or four alike are supported")
    if used[0] not in (8, 16, 32) or kind not in (SIGNED, UNSIGNED, FLOAT) or (kind == FLOAT and used[0] == 8):
        raise HipError("hipErrorInvalidValue", f"channels of {used[0]} bits and format kind {kind}")
    if width < 1 or any(size > limit for size, limit in zip((width, height, depth), _LARGEST, strict=True)):
        raise HipError("hipErrorInvalidValue", f"an array of {width} x {height} x {depth} elements")
    row = width * used[0] * len(used) // 8
    return Image(0, width, height, depth, used[0], len(used), kind, row, row * max(height, 1))


def create_array(image: Image, flags: int = 0) -> int:
    """Memory for an image of :func:`shape` on the current device; returns the array's handle.

    Raises:
        HipError: hipErrorOutOfMemory.
    """
    row = -(-image.row_pitch // _ROW_ALIGNMENT) * _ROW_ALIGNMENT
    pitch = row * max(image.height, 1)
    data = memory.malloc(pitch * max(image.depth, 1))
    return state.runtime().add(Array(replace(image, data=data, row_pitch=row, slice_pitch=pitch, flags=flags)))


def array(handle: int) -> Image:
    """The image of an array.

    Raises:
        HipError: hipErrorInvalidHandle.
    """
    return state.runtime().get(handle, Array).image


def destroy_array(handle: int) -> None:
    """Free an array and its memory. 0 is ignored."""
    if handle:
        image = array(handle)
        state.runtime().drop(handle)
        memory.free(image.data)


def create_object(image: Image, how: Sampling, made_of: TextureObject) -> int:
    """A texture or surface object: the address of its record in device memory.

    Raises:
        HipError: hipErrorInvalidValue for an integer format that is to be filtered as it is stored.
    """
    if how.filter == LINEAR and image.kind != FLOAT and not how.normalized_read:
        raise HipError("hipErrorInvalidValue", "linear filtering needs numbers: read the elements as normalised floats")
    if how.normalized_read and (image.kind == FLOAT or image.bits == 32):
        how = replace(how, normalized_read=False)
    sizes = (image.width, max(image.height, 1), max(image.depth, 1), image.channels)
    record = _RECORD.pack(
        *(image.data, *sizes, image.row_pitch, image.slice_pitch, image.bits, image.kind),
        *(*how.address, how.filter, how.normalized_read, how.normalized, *how.border),
    )
    address = memory.malloc(_RECORD.size)
    held = raw.Held(record)
    memory.memcpy(address, held.address, _RECORD.size)
    _objects[id(state.runtime()), address] = made_of
    return address


def object_source(address: int) -> TextureObject:
    """What an object was made of.

    Raises:
        HipError: hipErrorInvalidValue where there is no such object.
    """
    found = _objects.get((id(state.runtime()), address))
    if found is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is no texture or surface object")
    return found


def destroy_object(address: int) -> None:
    """Forget an object; what it shows stays. 0 is ignored."""
    if address:
        object_source(address)
        del _objects[id(state.runtime()), address]
        memory.free(address)
