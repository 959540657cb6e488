"""Loads and stores at addresses known to lie in lines, in memory where every page that no active lane touches is
closed.

A batch runs in a process of its own, which a wrong access kills; what it was doing is then in the failure. Bases are
shifted so that the active lanes' data begin where a page begins or end where one ends.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from tests.lift.harness import Case, Prepared, lanes_of, prepare, run_prepared
from tests.lift.harness import State as WaveState

TARGETS = ("gfx942", "gfx1100", "gfx1100:64")
RESERVE = 1 << 40
PAGE = mmap.PAGESIZE
SPACES = ("saddr", "unsigned", "signed", "added", "lds", "buffer")
SIZES = (1, 2, 4, 8, 12, 16)
_NAMES = {
    "gfx11": {1: "u8", 2: "u16", 4: "b32", 8: "b64", 12: "b96", 16: "b128"},
    "gfx9": {1: "ubyte", 2: "ushort", 4: "dword", 8: "dwordx2", 12: "dwordx3", 16: "dwordx4"},
}
_STORES = {"u8": "b8", "u16": "b16", "ubyte": "byte", "ushort": "short"}


@dataclass(frozen=True)
class Access:
    """One load or store: its case and where each lane's data stand."""

    case: Case
    addresses: npt.NDArray[np.uint64]
    size: int
    is_store: bool
    active: npt.NDArray[np.bool_]
    """Lanes that act."""
    told: str


def _mnemonic(target: str, space: str, size: int, is_store: bool) -> str:
    gfx9 = target == "gfx942"
    if space == "lds":
        kind = _NAMES["gfx11"][size]
        verb = ("write" if is_store else "read") if gfx9 else ("store" if is_store else "load")
        return f"ds_{verb}_{_STORES.get(kind, kind) if is_store else kind}"
    kind = _NAMES["gfx9" if gfx9 else "gfx11"][size]
    where = "buffer" if space == "buffer" else "global"
    return f"{where}_{'store' if is_store else 'load'}_{_STORES.get(kind, kind) if is_store else kind}"


def _code(target: str, space: str, size: int, is_store: bool, shift: int, offset: int) -> list[str]:
    gfx9 = target == "gfx942"
    vcc, wide = ("vcc_lo", False) if lanes_of(target) == 32 else ("vcc", True)
    low, high = ("v_add_co_u32", "v_addc_co_u32" if gfx9 else "v_add_co_ci_u32")
    words = max(1, size // 4)
    data = f"v[8:{7 + words}]" if words > 1 else "v8"
    name = _mnemonic(target, space, size, is_store)
    away = f" offset:{offset}" if offset else ""
    null = "s[30:31]" if wide else "s30"
    before = {
        "unsigned": [f"v_mad_u64_u32 v[2:3], {null}, v1, {1 << shift}, s[8:9]"],
        "signed": [
            "v_ashrrev_i32 v3, 31, v1",
            "v_mov_b32 v2, v1",
            f"v_lshlrev_b64 v[2:3], {shift}, v[2:3]",
            f"{low} v2, {vcc}, s8, v2",
            "v_mov_b32 v4, s9",
            f"{high} v3, {vcc}, v4, v3, {vcc}",
        ],
        "added": [
            "v_mov_b32 v3, 0",
            "v_mov_b32 v2, v1",
            f"v_lshlrev_b64 v[2:3], {shift}, v[2:3]",
            "v_mov_b32 v4, s9",
            f"{low} v2, {vcc}, v2, s8",
            f"{high} v3, {vcc}, v3, v4, {vcc}",
        ],
    }.get(space, [])
    if space == "lds":
        return [f"{name} v1, {data}{away}" if is_store else f"{name} {data}, v1{away}"]
    if space == "buffer":
        return [f"{name} {data}, v1, s[12:15], 0 offen{away}"]
    where = ("v1", "s[8:9]") if space == "saddr" else ("v[2:3]", "off")
    return [
        *before,
        f"{name} {where[0]}, {data}, {where[1]}{away}" if is_store else f"{name} {data}, {', '.join(where)}{away}",
    ]


def _access(target: str, space: str, size: int, is_store: bool, start: int, rng: np.random.Generator) -> Access:
    lanes = lanes_of(target)
    number = np.arange(lanes)
    shift = int(rng.integers(0, 4)) if space in ("unsigned", "signed", "added") else 0
    unit = max(1, size >> shift)
    steps = [0, unit, unit, unit, -unit, 4 >> min(shift, 2), 2 * unit, 3 * unit, 4 * unit, 1, 7, 1 << 20, 1 << 31]
    stride = int(rng.choice(steps))
    row = lanes if rng.integers(0, 2) else 1 << int(rng.integers(0, lanes.bit_length()))
    pitch = int(rng.choice([0, stride * row, unit * row, 2 * unit * row, -unit * row, 100, 4096, 1 << 22, unit]))
    span = stride * (number % row) + (pitch * (number // row) if row < lanes else 0)
    base = int(rng.choice([0, 4, 1000, 1 << 20, (1 << 31) - 64, (1 << 32) - 40, 1 << 31, (1 << 32) - 256, 64]))
    if rng.integers(0, 2):
        base = max(0, -int(span.min())) + 16  # nothing wraps
    v1 = ((base + span) & 0xFFFFFFFF).astype(np.uint32)
    offset = int(rng.choice([0, 0, 4, 12, 2047])) if space != "lds" else int(rng.choice([0, 0, 4, 8, 65535]))
    kind = int(rng.integers(0, 4))
    mask = np.ones(lanes, np.bool_) if kind < 2 else rng.integers(0, 2, lanes) == 1
    if kind == 3:
        first, last = sorted(int(k) for k in rng.integers(0, lanes, 2))
        mask = (number >= first) & (number <= last)
        mask = mask & (rng.integers(0, 8) > 0)
    scaled = (v1.view(np.int32) if space == "signed" else v1).astype(np.int64) << shift
    scaled += offset
    if space == "lds":
        scaled &= 0xFFFFFFFF
    active = mask.copy()
    records = 0
    if space == "buffer":
        records = int(rng.choice([(1 << 32) - 1, int(scaled.max()) + size, int(np.median(scaled)) + size, 0]))
        records = min(records, (1 << 32) - 1)
        active &= scaled + size <= records
    # Shift everything so that the active data touch a page's beginning or its end.
    some = scaled[active]
    base64 = start + (1 << 38) if not len(some) else start + (1 << 38) - int(some.min())
    if len(some):
        edge = base64 + (int(some.min()) if rng.integers(0, 2) else int(some.max()) + size)
        base64 += -edge % PAGE
    sgprs = {8: base64 & 0xFFFFFFFF, 9: base64 >> 32, 30: 0, 31: 0}
    if space == "buffer":
        word3 = 0x20000 if target == "gfx942" else 3 << 28
        sgprs |= {12: base64 & 0xFFFFFFFF, 13: base64 >> 32 & 0xFFFF, 14: records, 15: word3}
    if not len(some):
        sgprs |= {8: 0xDEAD0000, 9: 0xFFFF} if space != "buffer" else {12: 0x1000, 13: 0}
    case = Case(
        target,
        _code(target, space, size, is_store, shift, offset),
        {1: v1} | {r: rng.integers(0, 1 << 32, lanes, np.uint32) for r in (2, 3, 4, *range(8, 8 + max(1, size // 4)))},
        sgprs,
        sum(1 << k for k in range(lanes) if mask[k]),
        rows={1: row},
        told=[1] * int(rng.integers(0, 2)),
        wave={"lds": base64 if len(some) else 0x1000},
        full=bool(mask.all()) and bool(rng.integers(0, 4)),
    )
    told = (
        f"{target} {space} {'store' if is_store else 'load'} of {size} bytes, base {base:#x}, stride {stride}, "
        f"row {row}, pitch {pitch}, scale {1 << shift}, offset {offset}, records {records:#x}, "
        f"EXEC {case.exec_mask:#x}, full {case.full}, told {case.told}"
    )
    return Access(case, (scaled + base64).astype(np.uint64), size, is_store, active, told)


def _pattern(first: int, count: int) -> npt.NDArray[np.uint8]:
    at = np.arange(first, first + count, dtype=np.uint64)
    return ((at * np.uint64(167)) ^ (at >> np.uint64(7))).astype(np.uint8)


class _Memory:
    """Address space of which only the pages of one access at a time are open."""

    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.mmap.restype = ctypes.c_void_p
        self.libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self.libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
        self.start = self.libc.mmap(None, RESERVE, 0, flags, -1, 0)
        if self.start in (None, ctypes.c_void_p(-1).value):
            pytest.skip("no room for the reserve")

    def open(self, access: Access) -> dict[int, npt.NDArray[np.uint8]]:
        """Open and fill the pages that active lanes touch; gives page address -> its bytes."""
        pages = {(int(at) + k) // PAGE * PAGE for at in access.addresses[access.active] for k in (0, access.size - 1)}
        out = {}
        for page in sorted(pages):
            if self.libc.mprotect(page, PAGE, mmap.PROT_READ | mmap.PROT_WRITE):
                raise OSError(ctypes.get_errno(), f"mprotect {page:#x}")
            out[page] = np.ctypeslib.as_array((ctypes.c_uint8 * PAGE).from_address(page))
            out[page][:] = _pattern(page, PAGE)
        return out

    def close(self, pages: dict[int, npt.NDArray[np.uint8]]) -> None:
        for page in pages:
            self.libc.mprotect(page, PAGE, 0)


def _expected_load(access: Access) -> npt.NDArray[np.uint32]:
    """The destination's dwords."""
    lanes, words = len(access.addresses), max(1, access.size // 4)
    old = np.array([access.case.vgprs[8 + k] for k in range(words)], np.uint32)
    enabled = np.array([access.case.exec_mask >> k & 1 for k in range(lanes)], np.bool_)
    for lane in np.flatnonzero(enabled):
        raw = np.zeros(4 * words, np.uint8)
        if access.active[lane]:
            raw[: access.size] = _pattern(int(access.addresses[lane]), access.size)
        old[:, lane] = raw.view(np.uint32)
    return old


def _wrong(access: Access, state: WaveState, pages: dict[int, npt.NDArray[np.uint8]]) -> str:
    """What is wrong after an access, as text."""
    words = max(1, access.size // 4)
    if not access.is_store:
        got = np.array([state.u32(8 + k) for k in range(words)])
        bad = np.argwhere(got != _expected_load(access))
        return "" if not len(bad) else f"dword {bad[0][0]} of lane {bad[0][1]} is wrong ({len(bad)} wrong)"
    want = {page: _pattern(page, PAGE) for page in pages}
    for lane in np.flatnonzero(access.active):
        data = np.array([access.case.vgprs[8 + k][lane] for k in range(words)], np.uint32).view(np.uint8)
        for k in range(access.size):
            at = int(access.addresses[lane]) + k
            want[at // PAGE * PAGE][at % PAGE] = data[k]
    for page, content in pages.items():
        places = np.flatnonzero(content != want[page])
        if len(places):
            return f"byte {int(places[0]):#x} of page {page:#x} is wrong ({len(places)} wrong)"
    return ""


def _child(pipe: int, memory: _Memory, accesses: Sequence[Access], prepared: Prepared, first: int) -> None:
    with os.fdopen(pipe, "w") as out:
        for k in range(first, len(accesses)):
            print(f"{k} begins", file=out, flush=True)
            pages = memory.open(accesses[k])
            one = Prepared(
                (accesses[k].case,), prepared.layouts[k : k + 1], prepared.functions[k : k + 1], prepared.loaded, ""
            )
            state = run_prepared(one)[0]
            wrong = _wrong(accesses[k], state, pages)
            print(f"{k} {wrong or 'ends'}", file=out, flush=True)
            memory.close(pages)


def _failures(accesses: Sequence[Access], memory: _Memory) -> list[str]:
    """Run accesses in processes of their own; gives what went wrong."""
    prepared = prepare([a.case for a in accesses])
    failures, first = [], 0
    while first < len(accesses):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                signal.signal(signal.SIGSEGV, signal.SIG_DFL)
                _child(write, memory, accesses, prepared, first)
            except BaseException as error:
                os.write(2, repr(error).encode())
                os._exit(3)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            heard = [line.strip().partition(" ") for line in lines]
        status = os.waitpid(child, 0)[1]
        failures += [f"{accesses[int(k)].told}: {text}" for k, _, text in heard if text not in ("begins", "ends")]
        if status == 0:
            break
        last = int(heard[-1][0])
        failures.append(f"{accesses[last].told}: died of {status:#x}")
        first = last + 1
    return failures


@pytest.fixture(scope="module")
def memory() -> _Memory:
    return _Memory()


def _check(memory: _Memory, target: str, space: str, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    accesses = [
        _access(target, space, int(rng.choice(SIZES)), bool(rng.integers(0, 2)), memory.start, rng)
        for _ in range(count)
    ]
    failures = _failures(accesses, memory)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("space", SPACES)
def test_lines(memory: _Memory, target: str, space: str) -> None:
    _check(memory, target, space, SPACES.index(space), 8)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("space", SPACES)
def test_more_lines(memory: _Memory, target: str, space: str) -> None:
    _check(memory, target, space, 100 + SPACES.index(space), 300)
