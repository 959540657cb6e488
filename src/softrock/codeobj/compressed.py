"""Compressed offload bundles (magic ``CCOB``), versions 1 to 3, with zlib or zstd.

Header, little-endian: magic 4, version u16, method u16 (0 zlib, 1 zstd), then, in versions 2 and 3, the
file's total size, the uncompressed size and a 64-bit hash; sizes have 32 bits, 64 in version 3; version 1
has no total size.

Source: "Clang Offload Bundler", section Compression and Decompression.
"""

from __future__ import annotations

import io
import struct

from softrock.core.errors import CodeObjectError

COMPRESSED_MAGIC = b"CCOB"
_START = struct.Struct("<4sHH")
_HEADERS = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_METHODS = ("zlib", "zstd")
_MAX_RATIO = 2000
_ALWAYS_FINE = 64 << 20
_MAX_WINDOW = 1 << 30


def compressed_size(head: bytes) -> int | None:
    """Total size in bytes that the first 32 bytes of a compressed bundle tell, None where they do not."""
    _, version, _ = _START.unpack_from(head)
    if version not in (2, 3):
        return None
    return int(_HEADERS[version].unpack_from(head, _START.size)[0])


def decompress(data: bytes | memoryview, name: str) -> tuple[bytes, int, str]:
    """Decompress the bundle that `data` begins with.

    Returns:
        The plain bundle, the bytes of `data` that were used, and the method (zlib or zstd).

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
    body = bytes(data[start:total])
    plain, used = _inflate(body, plain_size, name) if method == 0 else _unzstd(body, plain_size, name)
    if len(plain) != plain_size:
        raise _error(name, f"it unpacks to {len(plain):#x} bytes instead of {plain_size:#x}")
    return plain, (start + used if version == 1 else total), _METHODS[method]


def _inflate(body: bytes, size: int, name: str) -> tuple[bytes, int]:
    import zlib

    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(body, size + 1)
        while not stream.eof and len(plain) == size and stream.unconsumed_tail:
            more = stream.decompress(stream.unconsumed_tail, 1)
            if more:
                return plain + more, len(body)
    except zlib.error as error:
        raise _error(name, f"zlib cannot unpack it ({error})") from None
    return plain, len(body) - len(stream.unused_data)


def _unzstd(body: bytes, size: int, name: str) -> tuple[bytes, int]:
    import zstandard

    used = _frame_size(body)
    source = io.BytesIO(body[:used])
    parts: list[bytes] = []
    left = size + 1
    try:
        unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
        with unpacker.stream_reader(source, closefd=False, read_size=1 << 20) as reader:
            while left and (part := reader.read(min(left, 1 << 24))):
                parts.append(part)
                left -= len(part)
    except (zstandard.ZstdError, MemoryError) as error:
        raise _error(name, f"zstd cannot unpack it ({error})") from None
    plain = b"".join(parts)
    return plain, used


def _frame_size(body: bytes) -> int:
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
