"""Where EXEC is the kernel's initial one: what the analysis says of small kernels, and that whole kernels keep what
can be read of inactive lanes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.lift.hand_kernels import TARGETS, assembled, results
from tests.lift.harness import lanes_of
from tests.lift.models import program
from tests.lift.test_forms_blocks import FormedBlocks
from tests.lift.test_random_programs import _check as check_kernels

from softrock.lift import cfg, execs, registry
from softrock.lift.module import ModuleLifter

CompileDevice = Callable[..., bytes]


def _points(compile_device: CompileDevice, target: str, body: str) -> list[bool]:
    """For every s_nop of the kernel in order, whether EXEC is known to be the initial one there."""
    loaded = assembled(compile_device, target, {"k": body})
    lifter = ModuleLifter(loaded.code, loaded.code.kernel("k"), False)
    lifter.discover()
    graph: cfg.Function = lifter.graphs[lifter.kernel.entry]
    insts = {i.address: i for block in graph.blocks.values() for i in block.insts}
    semantics = {a: registry.lookup(i.op) for a, i in insts.items()}
    found = execs.whole_points(graph, semantics, lanes_of(target))
    return [a in found for a, i in sorted(insts.items()) if i.op == "s_nop"]


KNOWN: list[tuple[str, list[int]]] = [
    ("s_nop 0", [1]),
    ("s_and_saveexec_bW M32, VCC\ns_nop 0\ns_or_bW EXEC, EXEC, M32\ns_nop 0", [0, 1]),
    (
        "v_cmp_lt_u32 VCC, 3, v0\ns_nop 0\ns_and_saveexec_bW M32, VCC\ns_nop 0\ns_or_bW EXEC, EXEC, M32\ns_nop 0",
        [1, 0, 1],
    ),
    ("v_cmp_lt_u32 VCC, 3, v0\ns_mov_bW M32, EXEC\ns_mov_bW EXEC, VCC\ns_nop 0\ns_mov_bW EXEC, M32\ns_nop 0", [0, 1]),
    # A mask from memory or a constant may hold more lanes.
    ("s_mov_bW EXEC, -1\ns_nop 0", []),
    ("s_nop 0\ns_mov_b32 exec_lo, s4\ns_nop 0", []),
    ("s_nop 0\ns_not_bW EXEC, EXEC\ns_nop 0", []),
    ("s_nop 0\ns_or_not1_saveexec_bW M32, VCC\ns_nop 0", []),
    ("s_nop 0\ns_or_saveexec_bW M32, -1\ns_nop 0\ns_mov_bW EXEC, M32\ns_nop 0", []),
    ("s_nop 0\ns_wqm_bW EXEC, EXEC\ns_nop 0", []),
    ("v_cmp_lt_u32 VCC, 3, v0\ns_nop 0\ns_xor_bW EXEC, EXEC, VCC\ns_nop 0", [1, 0]),
    ("v_cmp_lt_u32 VCC, 3, v0\ns_not_bW VCC, VCC\ns_mov_bW EXEC, VCC\ns_nop 0", []),
    ("v_cmp_lt_u32 VCC, 3, v0\ns_or_b32 vcc_lo, vcc_lo, s4\ns_or_bW EXEC, EXEC, VCC\ns_nop 0", []),
    ("v_cmp_lt_u32 VCC, 3, v0\ns_lshl_bW VCC, VCC, 1\ns_or_bW EXEC, EXEC, VCC\ns_nop 0", []),
    # Where two ways meet, what holds on both.
    (
        """s_mov_bW M32, EXEC
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 $join
        v_cmp_lt_u32 M32, 3, v0
      $join:
        s_nop 0
        s_mov_bW EXEC, M32
        s_nop 0""",
        [1, 0],
    ),
    (
        """s_mov_bW M32, EXEC
        v_cmp_lt_u32 VCC, 3, v0
      $loop:
        s_nop 0
        s_and_bW EXEC, EXEC, VCC
        s_cbranch_execnz $loop
        s_mov_bW EXEC, M32
        s_nop 0""",
        [0, 1],
    ),
    (
        """s_mov_bW M32, EXEC
        s_branch $first
      $loop:
        s_load_b64 s[32:33], s[4:5], 0x0
        wait
      $first:
        v_cmp_lt_u32 VCC, 3, v0
        s_nop 0
        s_mov_bW EXEC, M32
        s_nop 0
        s_cbranch_vccnz $loop""",
        [],
    ),
]


@pytest.mark.parametrize("target", TARGETS)
def test_points(compile_device: CompileDevice, target: str) -> None:
    for body, want in KNOWN:
        found = _points(compile_device, target, body)
        assert found == [bool(w) for w in want] if want else not any(found), body


def test_the_high_half_of_exec_in_waves_of_32(compile_device: CompileDevice) -> None:
    """It is no part of EXEC there."""
    body = """v_cmp_lt_u32 vcc_lo, 3, v0
        s_mov_b32 s33, exec_hi
        s_mov_b32 s34, exec_lo
        s_mov_b32 exec_lo, vcc_lo
        s_nop 0
        s_or_b32 exec_lo, exec_lo, s33
        s_nop 0
        s_mov_b32 exec_hi, s34
        s_nop 0"""
    assert not any(_points(compile_device, "gfx1100", body))
    shown = """v_mov_b32 v1, 0
        s_mov_b32 s33, exec_lo
        s_mov_b32 exec_lo, 0xff
        s_mov_b32 exec_hi, s33
        v_mov_b32 v1, 5
        s_mov_b32 exec_lo, s33
        s_mov_b32 s34, exec_hi
        v_mov_b32 v2, s34
        show v1
        show v2"""
    loaded = assembled(compile_device, "gfx1100", {"k": shown})
    out = results(loaded, "gfx1100", "k", np.zeros(4, np.uint32))
    np.testing.assert_array_equal(out[0], [5] * 8 + [0] * 24)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("threads", [64, 45, 19])
def test_lanes_that_no_thread_has(compile_device: CompileDevice, target: str, threads: int) -> None:
    """Whole-wave code around a spill to lanes: what was stored in lanes of no thread is there when they are read."""
    body = """
        s_load_b128 s[8:11], s[4:5], 0x0
        v_lshlrev_b32 v2, 2, v0
        v_mov_b32 v3, 17
        wait
        s_or_saveexec_bW M32, -1
        v_mov_b32 v63, s8
        v_mov_b32 v5, 3
        s_mov_bW EXEC, M32
        v_writelane_b32 v63, s9, 31
        v_add_nc_u32 v5, s10, v0
        v_mov_b32 v6, s10
        v_cmp_gt_u32 VCC, 4, v0
        s_and_saveexec_bW M34, VCC
        v_mov_b32 v63, v2
        v_mov_b32 v6, v2
        s_mov_bW EXEC, M34
        s_or_saveexec_bW M32, -1
        v_add_nc_u32 v7, 1, v5
        v_readlane_b32 s12, v63, 31
        v_readlane_b32 s13, v63, 30
        v_readlane_b32 s14, v7, 29
        v_readlane_b32 s15, v7, 2
        s_mov_bW EXEC, M32
        v_mov_b32 v8, s12
        v_mov_b32 v9, s13
        v_mov_b32 v10, s14
        v_mov_b32 v11, s15
        show v8
        show v9
        show v10
        show v11
        show v6
        show v63"""
    lanes = lanes_of(target)
    threads = min(threads, lanes)
    loaded = assembled(compile_device, target, {"k": body})
    given = np.array([1000, 2000, 3000, 4000], np.uint32)
    out = results(loaded, target, "k", given, threads=threads)[:, :threads]
    lane = np.arange(threads)
    in_thread = 3000 + 29 + 1 if threads > 29 else 4
    low = lane < 4
    for k, value in enumerate((2000, 1000, in_thread, 3003)):
        np.testing.assert_array_equal(out[k], np.full(threads, value), err_msg=f"row {k}")
    np.testing.assert_array_equal(out[4], np.where(low, 4 * lane, 3000))
    np.testing.assert_array_equal(out[5], np.where(lane == 31, 2000, np.where(low, 4 * lane, 1000)))


class NarrowBlocks(FormedBlocks):
    """Kernels that never turn on lanes besides the initial ones."""

    def exec_change(self, depth: int) -> None:
        saved, other = self.mask(54 + 2 * min(depth, 2)), self.mask(58)
        and_not = "s_andn2" if self.major == 9 else "s_and_not1"
        self.emit(f"s_mov_{self.suffix} {saved}, {self.exec}")
        self.compare()
        kind = int(self.rng.integers(0, 5))
        if kind == 0:
            self.emit(f"s_mov_{self.suffix} {self.exec}, {self.vcc}")
        elif kind == 1:
            self.emit(f"{and_not}_{self.suffix} {self.exec}, {self.exec}, {self.vcc}")
        elif kind == 2:
            self.emit(f"s_cselect_{self.suffix} {self.exec}, {self.vcc}, {saved}")
        elif kind == 3:
            self.emit(f"s_xor_{self.suffix} {self.exec}, {self.exec}, {self.vcc}")
        else:
            self.emit(f"{and_not}_saveexec_{self.suffix} {other}, {saved}")
        for _ in range(int(self.rng.integers(1, 4))):
            self.instruction()
        self.emit(f"s_mov_{self.suffix} {self.exec}, {saved}")


@pytest.fixture
def narrow_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "Generator", NarrowBlocks)


@pytest.mark.usefixtures("narrow_blocks")
@pytest.mark.parametrize("target", TARGETS)
def test_random_kernels(compile_device: CompileDevice, target: str) -> None:
    # An even seed, because calls end the analysis; and one that leaves lanes without threads.
    check_kernels(compile_device, target, 40, 708, 1)


@pytest.mark.long
@pytest.mark.usefixtures("narrow_blocks")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(3000, 3100, 20))
def test_more_random_kernels(compile_device: CompileDevice, target: str, seed: int) -> None:
    for each in range(seed, seed + 20, 2):
        check_kernels(compile_device, target, 20 + each % 70, each, 1)
