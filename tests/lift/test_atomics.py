"""Every atomic operation on global memory and LDS, on cells of the lanes' own and on shared ones, against the model."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from tests.exec.conftest import Program
from tests.lift.harness import assemble
from tests.lift.models import atomic, program
from tests.lift.models.formats import BY_NAME, F16

from softrock.isa.tables import Row, table
from softrock.lift.registry import lookup
from softrock.lift.spins import COUNTING_TURNS, WAITING_TURNS, watched

CompileDevice = Callable[..., bytes]
FIRST, SECOND, RETURNED = 4, 6, 10
"""First registers of the data, the second data, and of what is returned."""


def _rows(name: str) -> list[tuple[Row, bool]]:
    """Atomic operations with a model, and whether they return the old value."""
    found = []
    for row in table(name).rows:
        if row.encoding not in ("GLOBAL", "DS") or lookup(row.op) is None:
            continue
        if row.encoding == "GLOBAL" and "atomic" not in row.op:
            continue
        try:
            atomic.operation(row.op, 9)
        except (KeyError, ValueError):
            continue
        found.append((row, any(spec.written for spec in row.operands)))
    return found


def _span(first: int, dwords: int) -> str:
    return f"v[{first}:{first + dwords - 1}]" if dwords > 1 else f"v{first}"


def _instruction(row: Row, returns: bool, major: int) -> list[str]:
    wide = {spec.role: spec.dwords for spec in row.operands}
    result = [_span(RETURNED, wide["vdst"])] if returns else []
    if row.encoding == "DS":
        data = [_span(first, wide[role]) for role, first in (("data0", FIRST), ("data1", SECOND)) if role in wide]
        return [f"{row.asm} {', '.join([*result, 'v29', *data])}", "s_waitcnt lgkmcnt(0)"]
    lines = [f"v_mov_b32 v{FIRST + 1}, v{SECOND}"] if row.op.endswith(("cmpswap_b32", "cmpswap_f32")) else []
    flag = ("sc0" if major == 9 else "glc") if returns else ""
    operands = ", ".join([*result, "v28", _span(FIRST, wide["vdata"]), "s[4:5]"])
    return [*lines, f"{row.asm} {operands} {flag}", "s_waitcnt vmcnt(0)"]


def _kernel(rows: list[tuple[Row, bool]], major: int, lanes: int) -> str:
    """Pointers: memory cells, data, second data, returned values; 8 bytes a lane, one row an instruction; and the byte
    offset of each lane's cell in its row."""
    load, store, four, two, word = (
        ("global_load_dwordx2", "global_store_dwordx2", "s_load_dwordx4", "s_load_dwordx2", "global_load_dword")
        if major == 9
        else ("global_load_b64", "global_store_b64", "s_load_b128", "s_load_b64", "global_load_b32")
    )
    add = "v_add_u32" if major == 9 else "v_add_nc_u32"
    ds_write, ds_read = ("ds_write_b64", "ds_read_b64") if major == 9 else ("ds_store_b64", "ds_load_b64")
    wait = "s_waitcnt vmcnt(0) lgkmcnt(0)"
    lines = ["k:", f"{four} s[4:7], s[0:1], 0x0", f"{four} s[8:11], s[0:1], 0x10"]
    lines += [f"{two} s[12:13], s[0:1], 0x20", wait, "v_and_b32 v0, 0x3ff, v0"]
    lines += ["v_lshlrev_b32 v30, 3, v0", "v_lshlrev_b32 v31, 3, v0", "s_mov_b32 m0, -1"]
    lines += ["v_lshlrev_b32 v28, 2, v0", f"{word} v29, v28, s[12:13]", wait, "v_mov_b32 v28, v29"]
    for row, returns in rows:
        lines += [f"{load} v[{FIRST}:{FIRST + 1}], v30, s[6:7]", f"{load} v[{SECOND}:{SECOND + 1}], v30, s[8:9]"]
        lines += [f"v_mov_b32 v{RETURNED}, 0", f"v_mov_b32 v{RETURNED + 1}, 0", wait]
        if row.encoding == "DS":
            lines += [f"{load} v[12:13], v30, s[4:5]", wait, f"{ds_write} v31, v[12:13]", wait]
        lines += _instruction(row, returns, major)
        if row.encoding == "DS":
            lines += [f"{ds_read} v[12:13], v31", wait, f"{store} v30, v[12:13], s[4:5]"]
        lines.append(f"{store} v30, v[{RETURNED}:{RETURNED + 1}], s[10:11]")
        lines += [f"{add} v30, {8 * lanes}, v30", f"{add} v28, {8 * lanes}, v28"]
    return "\n".join([".p2align 8", ".type k,@function", *lines, "s_endpgm", ".size k, .-k"])


def _values(op: str, lanes: int, rng: np.random.Generator) -> np.ndarray:
    """Three values a lane (memory, data, second data), some of them equal."""
    elem = op.rpartition("_")[2]
    if elem == "bf16":
        raw = rng.integers(0x3F80, 0x4100, (2, 3, lanes)) | rng.integers(0, 2, (2, 3, lanes)) << 15
        return np.asarray((raw[0] | raw[1] << 16).astype(np.uint64))
    if elem == "f16":
        numbers = rng.integers(-400, 400, (2, 3, lanes)) / 8
        raw = np.vectorize(lambda x: F16.of_float(float(x)), otypes=[np.uint64])(numbers)
        return np.asarray(raw[0] | raw[1] << np.uint64(16))
    if elem[0] == "f":
        small, normal = rng.integers(-2, 3, (3, lanes)), rng.standard_normal((3, lanes))
        numbers = np.where(rng.integers(0, 2, (3, lanes)), small, normal)
        return np.asarray(np.vectorize(lambda x: BY_NAME[elem].of_float(float(x)), otypes=[np.uint64])(numbers))
    bits = int(elem[1:])
    edges = np.array([0, 1, 2, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, 77], np.uint64)
    random = rng.integers(0, 1 << bits, (3, lanes), np.uint64)
    chosen = edges[rng.integers(0, len(edges), (3, lanes))]
    return np.asarray(np.where(rng.integers(0, 4, (3, lanes)) > 0, chosen, random))


@functools.cache
def _program(target: str, compile_device: CompileDevice) -> Program:
    major, lanes = (9, 64) if target == "gfx942" else (11, 32)
    rows = _rows(target)
    kernel = _kernel(rows, major, lanes) + "\n" + program.descriptor("k", major, lanes == 64, kernarg=40, lds=8 * lanes)
    return Program(compile_device(program.source(target, ["k"], [kernel], lanes, pointers=5), target, language="asm"))


@pytest.mark.parametrize("sharing", ["own cells", "one cell", "some cells", "one lane"])
@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_atomics(compile_device: CompileDevice, target: str, sharing: str) -> None:
    """Lanes that meet at one cell act as if in lane order."""
    major, lanes = (9, 64) if target == "gfx942" else (11, 32)
    rows = _rows(target)
    assert len(rows) > 100
    rng = np.random.default_rng(4)
    cells = np.stack([_values(row.op, lanes, rng) for row, _ in rows], 1)
    threads = 1 if sharing == "one lane" else lanes if sharing == "one cell" else lanes - 3
    where = np.arange(lanes, dtype=np.uint32)
    if sharing == "one cell":
        where[:] = 5
    elif sharing == "some cells":
        where = rng.integers(0, 7, lanes, np.uint32)
        where[threads - 1] = where[0]
    wanted, back = cells[0].copy(), np.zeros_like(cells[0])
    for k, (row, returns) in enumerate(rows):
        result, bits = atomic.operation(row.op, major)
        mask = (1 << bits) - 1
        for lane in range(threads):
            at = where[lane]
            raw, a, b = (int(v) for v in (wanted[k, at], cells[1][k, lane], cells[2][k, lane]))
            wanted[k, at] = raw & ~mask | result(raw & mask, a & mask, b & mask)
            back[k, lane] = raw & mask if returns else 0
    returned = np.zeros_like(cells[0])
    before = cells.copy()
    _program(target, compile_device).run("k", 1, threads, cells[0], cells[1], cells[2], returned, 8 * where)
    wrong = []
    for k, (row, _) in enumerate(rows):
        local = row.encoding == "DS"
        for lane in range(lanes):
            # What no thread wrote to LDS before is not known, and what none reads back is not stored.
            if local and (lane >= threads or where[lane] >= threads):
                continue
            got = int(cells[0][k, lane]), int(returned[k, lane])
            if got != (int(wanted[k, lane]), int(back[k, lane])):
                told = f"{got[0]:#x} instead of {wanted[k, lane]:#x}, returned {got[1]:#x} for {back[k, lane]:#x}"
                a, b = (int(v) for v in before[1:, k, lane])
                wrong.append(f"{row.asm} lane {lane} with {a:#x}, {b:#x}: {told}")
                break
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("target", "text", "turns"),
    [
        ("gfx942", "global_atomic_add v0, v1, s[0:1]", COUNTING_TURNS),
        ("gfx942", "global_atomic_add v2, v0, v1, s[0:1] sc0", WAITING_TURNS),
        ("gfx942", "global_load_dword v2, v0, s[0:1] sc0 sc1", WAITING_TURNS),
        ("gfx942", "global_load_dword v2, v0, s[0:1]", 0),
        ("gfx1100", "ds_cmpstore_rtn_b32 v2, v0, v1, v3", WAITING_TURNS),
        ("gfx1100", "global_atomic_add_u32 v0, v1, s[0:1]", COUNTING_TURNS),
    ],
)
def test_loops_that_only_count_seldom_yield(target: str, text: str, turns: int) -> None:
    """A loop whose atomics give nothing back counts; yielding every few turns there cost a time slice each on a busy
    machine."""
    (inst,) = assemble(target, [text])
    assert watched(inst) == (inst.address, turns)
