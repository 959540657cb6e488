"""Which stores may go around the host's caches, and that they are written as such."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.lift.hand_kernels import TARGETS, assembled

from softrock.lift import registry, streams
from softrock.lift.module import ModuleLifter

CompileDevice = Callable[..., bytes]

_STORE = "global_store_b32 v60, v0, s[6:7]"
_LOAD = "global_load_b32 v1, v60, s[4:5]"
_FENCE = {"gfx942": "s_waitcnt vmcnt(0)", "gfx1100": "s_waitcnt_vscnt null, 0x0"}
_WRITE_BACK = {"gfx942": "buffer_wbl2 sc1", "gfx1100": "buffer_gl0_inv"}
_COHERENT = {"gfx942": f"{_STORE} sc0 sc1", "gfx1100": f"{_STORE} glc"}
_ATOMIC = {"gfx942": "global_atomic_add v60, v0, s[6:7]", "gfx1100": "global_atomic_add_u32 v60, v0, s[6:7]"}

KNOWN: list[tuple[str, list[int]]] = [
    (_STORE, [1]),
    (f"{_LOAD}\nwait\n{_STORE}\nFENCE", [1]),
    (f"{_STORE}\n{_STORE}\nFENCE", [1, 1]),
    (f"{_STORE}\nFENCE\n{_STORE}", [0, 1]),
    (f"{_STORE}\nWRITE_BACK\n{_STORE}", [0, 1]),
    (f"{_STORE}\nv_add_nc_u32 v1, v0, v0\n{_LOAD}", [1]),
    (f"{_STORE}\nATOMIC", [0]),
    (f"ATOMIC\n{_STORE}", [1]),
    (f"{_STORE}\nCOHERENT", [0, 0]),
    (f"{_STORE}\ns_barrier", [0]),
    (f"s_barrier\n{_STORE}", [1]),
    (f"{_STORE}\ns_sleep 1", [0]),
    # Every way counts, and loops may write a line again.
    (f"{_STORE}\ns_cbranch_scc1 $end\nATOMIC\n$end:\ns_nop 0", [0]),
    (f"s_cbranch_scc1 $end\nATOMIC\n$end:\n{_STORE}", [1]),
    (f"$loop:\n{_STORE}\ns_cbranch_scc1 $loop\n{_STORE}", [0, 1]),
    (f"$loop:\n{_LOAD}\ns_cbranch_scc1 $loop\n{_STORE}", [1]),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("body", "want"), KNOWN)
def test_which_go_around(compile_device: CompileDevice, target: str, body: str, want: list[int]) -> None:
    gpu = target.partition(":")[0]
    for word, table in (("FENCE", _FENCE), ("WRITE_BACK", _WRITE_BACK), ("COHERENT", _COHERENT), ("ATOMIC", _ATOMIC)):
        body = body.replace(word, table[gpu])
    loaded = assembled(compile_device, target, {"k": body})
    lifter = ModuleLifter(loaded.code, loaded.code.kernel("k"), True)
    lifter.discover()
    graph = lifter.graphs[lifter.kernel.entry]
    insts = {i.address: i for block in graph.blocks.values() for i in block.insts}
    found = streams.find(graph, {a: registry.lookup(i.op) for a, i in insts.items()}, lifter.unit.target.major)
    assert [int(a in found) for a, i in sorted(insts.items()) if "_store_" in i.op] == want


@pytest.mark.parametrize("target", TARGETS)
def test_translated(compile_device: CompileDevice, target: str) -> None:
    """Whole lines of full waves, tested for alignment when they run."""
    loaded = assembled(compile_device, target, {"k": _STORE, "scattered": "global_store_b32 v1, v0, s[6:7]"})
    for name, native, want in (("k", True, 1), ("k", False, 1), ("scattered", True, 0)):
        lifted = ModuleLifter(loaded.code, loaded.code.kernel(name), native, "line").lift()
        assert lifted.text.count("!nontemporal") == want, (name, native)
