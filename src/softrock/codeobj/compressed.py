"""Compressed offload bundles (magic ``CCOB``), versions 1 to 3, with zlib or zstd.

Header, little-endian: magic 4, version u16, method u16 (0 zlib, 1 zstd), then, in versions 2 and 3, the
file's total size, the uncompressed size and a 64-bit hash; sizes have 32 bits, 64 in version 3; version 1
has no total size.

Source: "Clang Offload Bundler", section Compression and Decompression.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from softrock.core.errors import CodeObjectError

COMPRESSED_MAGIC = b"CCOB"
_START = struct.Struct("<4sHH")
_HEADERS = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_METHODS = ("zlib", "zstd")
_MAX_RATIO = 2000
_ALWAYS_FINE = 64 << 20
_MAX_WINDOW = 1 << 30
_PIECE = 16384
"""Compressed bytes that are unpacked at once: at zlib's highest ratio they give 16 MiB."""


def compressed_size(head: bytes) -> int | None:
    """Total size in bytes that the first 32 bytes of a compressed bundle tell, None where they do not."""
    _, version, _ = _START.unpack_from(head)
    if version not in (2, 3):
        return None
    return int(_HEADERS[version].unpack_from(head, _START.size)[0])


def decompress(
    data: bytes | memoryview, name: str, admit: Callable[[int, str], None] | None = None
) -> tuple[memoryview, int, str]:
    """Decompress the bundle that `data` begins with.

    Args:
        data: the bundle, and whatever follows it.
        name: what to call it in messages.
        admit: called with the size it claims to unpack to and its name, before it is; it may refuse by raising.

    Returns:
        The plain bundle (read only), the bytes of `data` that were used, and the method (zlib or zstd).

    Raises:
        CodeObjectError: it is corrupt, truncated or of an unknown version.
    """
    if len(data) < _START.size:
        raise _error(name, "its header is cut short")
    _, version, method = _START.unpack_from(data)
    layout = _HEADERS.get(version)
    if layout is None:
        raise _error(name, f"version {version} is not known (1 to 3 are)")
    start = _START.size + layout.size
    if len(data) < start:
        raise _error(name, "its header is cut short")
    if method >= len(_METHODS):
        raise _error(name, f"compression method {method} is not known")
    fields = layout.unpack_from(data, _START.size)
    total, plain_size = (len(data), fields[0]) if version == 1 else fields[:2]
    if not start <= total <= len(data):
        raise _error(name, f"it claims {total:#x} bytes and {len(data):#x} are there")
    if plain_size > max(_ALWAYS_FINE, (total - start) * _MAX_RATIO):
        raise _error(name, f"{total - start:#x} bytes claim to unpack to {plain_size:#x}")
    if admit is not None:
        admit(plain_size, name)
    try:
        plain = bytearray(plain_size)
    except MemoryError:
        raise _error(name, f"it claims to unpack to {plain_size:#x} bytes, more than the memory holds") from None
    body = memoryview(data)[start:total]
    if method == 0:
        used = _inflate(body, plain, name)
    else:
        used = _frame_size(body)
        unzstd(body[:used], plain, lambda what: _error(name, what))
    return memoryview(plain).toreadonly(), (start + used if version == 1 else total), _METHODS[method]


def _inflate(body: memoryview, plain: bytearray, name: str) -> int:
    """Unpack zlib into `plain`; returns the bytes of `body` used."""
    import zlib

    stream = zlib.decompressobj()
    at = used = 0
    try:
        while used < len(body) and not stream.eof:
            piece = body[used : used + _PIECE]
            part = stream.decompress(piece)
            used += len(piece) - len(stream.unused_data)
            if at + len(part) > len(plain):
                raise _error(name, _differs(at + len(part), len(plain)))
            plain[at : at + len(part)] = part
            at += len(part)
    except zlib.error as error:
        raise _error(name, f"zlib cannot unpack it ({error})") from None
    if at != len(plain):
        raise _error(name, _differs(at, len(plain)))
    return used


def _differs(found: int, wanted: int) -> str:
    more = "more than that" if found > wanted else f"{found:#x}"
    return f"it claims to unpack to {wanted:#x} bytes and unpacks to {more}"


def unzstd(frame: memoryview, plain: bytearray, error_of: Callable[[str], CodeObjectError]) -> None:
    """Unpack a zstd frame into `plain`, which it must fill exactly.

    Raises:
        CodeObjectError: it is corrupt or of another size; made by `error_of` from what is wrong.
    """
    import zstandard

    at = 0
    target = memoryview(plain)
    try:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
        with unpacker.stream_reader(frame, closefd=False) as reader:
            while at < len(plain) and (count := reader.readinto(target[at : at + (1 << 24)])):
                at += count
            if at == len(plain) and reader.read(1):
                at += 1
    except (zstandard.ZstdError, MemoryError) as error:
        raise error_of(f"zstd cannot unpack it ({error})") from None
    if at != len(plain):
        raise error_of(_differs(at, len(plain)))


def _frame_size(body: memoryview) -> int:
    """Bytes of the zstd frame that `body` begins with (RFC 8878, section 3.1.1)."""
    if len(body) < 5:
        return len(body)
    descriptor = body[4]
    single = descriptor >> 5 & 1
    size_field = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    at = 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3] + size_field
    last = False
    while not last and at + 3 <= len(body):
        head = int.from_bytes(body[at : at + 3], "little")
        last = bool(head & 1)
        at += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
    return min(at + (4 if descriptor & 4 else 0), len(body))


def _error(name: str, what: str) -> CodeObjectError:
    return CodeObjectError(f"{name} is a corrupt compressed bundle: {what}", hint="fetch or build it again")
