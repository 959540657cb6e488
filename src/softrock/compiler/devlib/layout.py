"""What device code and the runtime agree on: the printf buffer and the device heap, byte by byte.

Both are reached through hidden kernel arguments (code object version 5 and later). Everything is little-endian.

**Printf buffer** (``hidden_printf_buffer``; code compiled with ``-mprintf-kind=buffered``)::

    u32 used     bytes of records so far; the runtime sets it to 0 before a launch and reads it after
    u32 size     bytes that records may take (the buffer's size - 8), a multiple of 4; bit 0: a record did not fit
    u8  data[]   records, one after the other

``__printf_alloc(bytes)`` takes `bytes` of `data` by compare-and-swap, so `used` never passes `size`; where they do not
fit it sets that bit and returns null, and that printf returns -1. Without a buffer (null argument) it returns null as
well. A record, as LLVM's AMDGPU printf lowering writes it (llvm/lib/Transforms/Utils/AMDGPUEmitPrintf.cpp)::

    u32 control  bits 31..2: size of the whole record in bytes, this word included; bit 1: the format string is a
                 constant; bit 0: stream (0 stdout, 1 stderr)
    constant format:  u64 low half of the MD5 digest of the format string (without its null byte)
    otherwise:        the format string itself with its null byte, padded to a multiple of 8 bytes
    arguments    in order, each a multiple of 8 bytes: integers zero-extended to 64 bits, floating point as double,
                 pointers as addresses; the argument of %s as its bytes with null, padded to a multiple of 8 (the
                 padding's contents are undefined); %s of a null pointer takes no bytes at all

Records are 4-byte aligned only (4 + 8 n bytes each), so 64-bit parts may stand misaligned. Constant format strings
stand in the code object's metadata, key ``amdhsa.printf``: a list of strings ``0:0:<hash in lowercase hex>,<format>``.
"Low half" is the first eight digest bytes read little-endian; :func:`format_hash` computes it. A format that is the
empty string counts as not constant.

**Device heap** (``hidden_heap_v1``; used by ``__ockl_dm_alloc`` and ``__ockl_dm_dealloc``, thus malloc, free, new and
delete)::

    u64 base     address of unit 0, a multiple of 16; units are 16 bytes
    u64 units    number of units
    u64 next     first unit never handed out
    u64 reserved 0
    u64 free[64] free list by size class: tag << 32 | index of the first free unit (0: empty)

:func:`heap_header` makes the initial bytes. The header may stand before `base` in the same allocation. `next` starts
at 1, so that index 0 can mean "none". At most 2**32 - 1 units (64 GiB) are addressable. Freeing an address that is not
a live block of the heap traps.
"""

from __future__ import annotations

import hashlib
import struct

PRINTF_BUFFER_OFFSET = 72
"""Offset of ``hidden_printf_buffer`` from the implicit argument pointer."""

HEAP_OFFSET = 96
"""Offset of ``hidden_heap_v1`` from the implicit argument pointer."""

PRINTF_HEADER_BYTES = 8
PRINTF_LOST = 1
"""Bit of `size` that says that a record did not fit."""

HEAP_UNIT_BYTES = 16
HEAP_CLASSES = 64
HEAP_HEADER_BYTES = 32 + 8 * HEAP_CLASSES


def printf_header(buffer_bytes: int) -> bytes:
    """The first bytes of an empty printf buffer of `buffer_bytes` bytes in all.

    Raises:
        ValueError: too small for a record, or over what 32 bits count.
    """
    if not 16 <= buffer_bytes < 1 << 32:
        raise ValueError(f"a printf buffer of {buffer_bytes} bytes is outside 16 B to 4 GiB")
    return struct.pack("<II", 0, (buffer_bytes - PRINTF_HEADER_BYTES) & ~3)


def format_hash(text: bytes) -> int:
    """The number that stands for a constant format string in a printf record."""
    return int.from_bytes(hashlib.md5(text, usedforsecurity=False).digest()[:8], "little")


def heap_header(base: int, heap_bytes: int) -> bytes:
    """The bytes of a fresh heap's header.

    Args:
        base: device address of the memory to hand out, a multiple of 16.
        heap_bytes: its size.

    Raises:
        ValueError: misaligned, too small, or over 64 GiB.
    """
    units = heap_bytes // HEAP_UNIT_BYTES
    if base % HEAP_UNIT_BYTES or base <= 0:
        raise ValueError(f"heap base {base:#x} is not a positive multiple of {HEAP_UNIT_BYTES}")
    if not 4 <= units < 1 << 32:
        raise ValueError(f"a heap of {heap_bytes} bytes is outside 64 B to 64 GiB")
    return struct.pack("<QQQQ", base, units, 1, 0) + bytes(8 * HEAP_CLASSES)
