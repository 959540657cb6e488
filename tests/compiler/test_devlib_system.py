"""The printf buffer, the heap and the integer helpers of the device library, run on the host."""

from __future__ import annotations

import ctypes
import random
import threading

import pytest

from softrock.compiler import devlib
from softrock.compiler.devlib import layout


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """The library built for this host, with the entry points that take what the hidden arguments hold."""
    found = ctypes.CDLL(str(devlib.host_library()))
    found.host_printf_alloc.restype = ctypes.c_void_p
    found.host_printf_alloc.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    found.host_dm_alloc.restype = ctypes.c_uint64
    found.host_dm_alloc.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    found.host_dm_dealloc.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    return found


class Heap:
    """A heap in host memory, header first."""

    def __init__(self, library: ctypes.CDLL, size: int) -> None:
        self.library = library
        self.memory = ctypes.create_string_buffer(size + layout.HEAP_HEADER_BYTES + 16)
        start = ctypes.addressof(self.memory)
        self.base = (start + layout.HEAP_HEADER_BYTES + 15) & ~15
        ctypes.memmove(start, layout.heap_header(self.base, size), layout.HEAP_HEADER_BYTES)
        self.end = self.base + size

    def alloc(self, size: int) -> int:
        """Address, or 0."""
        return int(self.library.host_dm_alloc(self.memory, size))

    def free(self, address: int) -> bool:
        """Whether it was a live block."""
        return bool(self.library.host_dm_dealloc(self.memory, address))


def test_printf_records_fill_the_buffer_and_no_more(library: ctypes.CDLL) -> None:
    buffer = ctypes.create_string_buffer(layout.printf_header(100), 100)
    start = ctypes.addressof(buffer)
    assert library.host_printf_alloc(buffer, 20) == start + layout.PRINTF_HEADER_BYTES
    assert library.host_printf_alloc(buffer, 60) == start + 28
    assert not buffer.raw[4] & layout.PRINTF_LOST
    assert library.host_printf_alloc(buffer, 13) is None
    assert library.host_printf_alloc(buffer, 0xFFFFFFFF) is None
    assert library.host_printf_alloc(buffer, 12) == start + 88
    assert library.host_printf_alloc(buffer, 1) is None
    assert int.from_bytes(buffer.raw[:4], "little") == 92
    assert int.from_bytes(buffer.raw[4:8], "little") == 92 | layout.PRINTF_LOST
    assert library.host_printf_alloc(None, 4) is None
    damaged = ctypes.create_string_buffer(b"\xff" * 8, 64)
    assert library.host_printf_alloc(damaged, 4) is None


def test_heap_blocks_are_aligned_apart_and_inside(library: ctypes.CDLL) -> None:
    heap = Heap(library, 1 << 20)
    source = random.Random(1)
    live: dict[int, int] = {}
    for _ in range(2500):
        if live and source.random() < 0.4:
            address = source.choice(list(live))
            assert ctypes.string_at(address, live[address]) == bytes([address >> 4 & 255]) * live.pop(address)
            assert heap.free(address)
        else:
            size = source.choice((1, 15, 16, 17, 100, 1000, source.randint(1, 3000)))
            address = heap.alloc(size)
            if address:
                assert address % 16 == 0
                assert heap.base <= address <= heap.end - size
                assert all(address + size <= other or other + live[other] <= address for other in live)
                live[address] = size
                ctypes.memset(address, address >> 4 & 255, size)
    assert len(live) > 200


def test_a_full_heap_gives_null_and_recovers(library: ctypes.CDLL) -> None:
    heap = Heap(library, 1 << 16)
    blocks = []
    while address := heap.alloc(1000):
        blocks.append(address)
    assert 30 <= len(blocks) <= 64
    assert heap.alloc(500) != 0  # smaller blocks may still fit at the end
    assert heap.free(blocks[0])
    assert heap.alloc(900) == blocks[0]
    assert heap.alloc(1 << 17) == 0
    assert heap.alloc(2**64 - 1) == 0
    assert heap.alloc(0) == 0
    assert library.host_dm_alloc(None, 8) == 0


def test_a_large_free_block_serves_a_small_request_when_nothing_else_is_left(library: ctypes.CDLL) -> None:
    heap = Heap(library, 1 << 16)
    large = heap.alloc(20000)
    while heap.alloc(16):
        pass
    assert heap.free(large)
    assert heap.alloc(16) == large


def test_wrong_addresses_are_refused(library: ctypes.CDLL) -> None:
    heap = Heap(library, 1 << 16)
    address = heap.alloc(64)
    assert not heap.free(address + 8)
    assert not heap.free(address + 16)
    assert not heap.free(heap.base)
    assert not heap.free(heap.end)
    assert not heap.free(0)
    assert heap.free(address)
    assert not heap.free(address)


def test_threads_share_a_heap(library: ctypes.CDLL) -> None:
    heap = Heap(library, 4 << 20)
    problems: list[str] = []

    def work(number: int) -> None:
        source = random.Random(number)
        live: list[tuple[int, int]] = []
        for _ in range(1500):
            if len(live) > 20 or (live and source.random() < 0.4):
                address, size = live.pop(source.randrange(len(live)))
                if ctypes.string_at(address, size) != bytes([number]) * size:
                    problems.append("overlap")
                if not heap.free(address):
                    problems.append("not live")
            else:
                size = source.randint(1, 200)
                address = heap.alloc(size)
                if not address:
                    problems.append("full")
                    return
                ctypes.memset(address, number, size)
                live.append((address, size))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_layout_rejects_nonsense() -> None:
    with pytest.raises(ValueError, match="printf buffer of 8 bytes"):
        layout.printf_header(8)
    with pytest.raises(ValueError, match="not a positive multiple"):
        layout.heap_header(8, 4096)
    with pytest.raises(ValueError, match="outside 64 B"):
        layout.heap_header(4096, 1 << 40)


MASK = 0xFFFFFFFF


def test_integer_helpers(library: ctypes.CDLL) -> None:
    source = random.Random(4)

    def call(name: str, *arguments: int) -> int:
        function = getattr(library, f"__ockl_{name}")
        signed = "i32" in name or name.startswith("sdot")
        function.restype = ctypes.c_int32 if signed else ctypes.c_uint32
        function.argtypes = [ctypes.c_uint32] * (len(arguments) - ("dot" in name)) + [ctypes.c_bool] * ("dot" in name)
        return int(function(*arguments))

    def fields(value: int, bits: int, signed: bool) -> list[int]:
        parts = [(value >> i) & ((1 << bits) - 1) for i in range(0, 32, bits)]
        return [p - (1 << bits) if signed and p >> (bits - 1) else p for p in parts]

    for _ in range(300):
        a, b, c = (source.getrandbits(32) for _ in range(3))
        offset, width = source.randrange(32), source.randrange(32)
        assert call("bfe_u32", a, offset, width) == (a >> offset) & ((1 << width) - 1)
        wide = (a >> offset) & ((1 << width) - 1)
        top = min(offset + width, 32) - offset
        signed_field = wide - (1 << top) if width and wide >> (top - 1) & 1 else wide
        assert call("bfe_i32", a, offset, width) == signed_field
        assert call("bfi_u32", a, b, c) == (a & b) | (~a & c & MASK)
        assert call("bfm_u32", width, offset) == ((1 << width) - 1) << offset & MASK
        assert call("bitalign_u32", a, b, offset) == ((a << 32 | b) >> offset) & MASK
        assert call("bytealign_u32", a, b, c) == ((a << 32 | b) >> 8 * (c & 3)) & MASK
        sad = sum(abs(x - y) for x, y in zip(fields(a, 8, False), fields(b, 8, False), strict=True))
        assert call("sad_u8", a, b, c) == (sad + c) & MASK
        assert call("sad_hi_u8", a, b, c) == ((sad << 16) + c) & MASK
        assert call("sad_u32", a, b, c) == (abs(a - b) + c) & MASK
        assert call("median3_u32", a, b, c) == sorted((a, b, c))[1]
        assert call("clz_u32", a >> width) == 32 - (a >> width).bit_length()
        assert call("popcount_u32", a) == bin(a).count("1")
        assert call("mul24_u32", a, b) == (a & 0xFFFFFF) * (b & 0xFFFFFF) & MASK
        assert call("mul_hi_u32", a, b) == a * b >> 32
        assert call("add_sat_u32", a, b) == min(a + b, MASK)
        for bits, name in ((8, "dot4"), (4, "dot8")):
            products = sum(x * y for x, y in zip(fields(a, bits, False), fields(b, bits, False), strict=True))
            assert call(f"u{name}", a, b, c, 1) == min(products + c, MASK)
            products = sum(x * y for x, y in zip(fields(a, bits, True), fields(b, bits, True), strict=True))
            start = c - (1 << 32) if c >> 31 else c
            assert call(f"s{name}", a, b, c, 1) == max(-(1 << 31), min(products + start, (1 << 31) - 1))
