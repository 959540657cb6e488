"""Which barriers are put off: those from which some way leads to the wave's end without an effect."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.lift.hand_kernels import TARGETS, assembled

from softrock.lift import barriers, registry
from softrock.lift.module import ModuleLifter

CompileDevice = Callable[..., bytes]

_STORE = "global_store_b32 v60, v0, s[6:7]"
_GUARDED = f"s_and_saveexec_bW M32, VCC\ns_cbranch_execz $%s\n{_STORE}\n$%s:\ns_or_bW EXEC, EXEC, M32"


def _late(compile_device: CompileDevice, target: str, body: str) -> list[int]:
    """For every barrier of the kernel in order, whether it is put off."""
    loaded = assembled(compile_device, target, {"k": body})
    lifter = ModuleLifter(loaded.code, loaded.code.kernel("k"), False)
    lifter.discover()
    graph = lifter.graphs[lifter.kernel.entry]
    insts = {i.address: i for block in graph.blocks.values() for i in block.insts}
    late = barriers.find(graph, {a: registry.lookup(i.op) for a, i in insts.items()})
    assert late.barriers <= {a for a, i in insts.items() if i.op in barriers.BARRIERS}
    return [int(a in late.barriers) for a, i in sorted(insts.items()) if i.op in barriers.BARRIERS]


KNOWN: list[tuple[str, list[int]]] = [
    ("s_barrier", [1]),
    (f"s_barrier\n{_STORE}", [0]),
    (f"{_STORE}\ns_barrier\nv_add_nc_u32 v1, v0, v0\ns_nop 0\nwait\ns_barrier", [1, 1]),
    (f"s_barrier\n{_GUARDED % ('a', 'a')}\ns_barrier\n{_GUARDED % ('b', 'b')}", [1, 1]),
    (f"s_barrier\n{_GUARDED % ('a', 'a')}\ns_barrier\n{_STORE}\ns_barrier", [0, 0, 1]),
    # Only some ways have to be free of effects; those have to lead on.
    (f"s_barrier\ns_cbranch_scc1 $end\n{_STORE}\n$end:\ns_nop 0", [1]),
    ("$loop:\ns_barrier\ns_branch $loop", [0]),
    ("$loop:\ns_barrier\ns_cbranch_scc1 $loop", [1]),
    (f"$loop:\ns_barrier\n{_GUARDED % ('a', 'a')}\ns_cbranch_scc1 $loop", [1]),
    (f"$loop:\ns_barrier\n{_GUARDED % ('a', 'a')}\ns_cbranch_scc1 $loop\n{_STORE}", [0]),
    # What is seen elsewhere, or sees what others do.
    ("s_barrier\ns_sleep 1", [0]),
    ("s_barrier\ns_trap 2", [0]),
    ("s_barrier\ns_load_b32 s32, s[4:5], 0x0\nwait", [0]),
    ("s_barrier\nds_load_b32 v1, v60\nwait", [0]),
    ("s_barrier\ns_getpc_b64 s[32:33]\ns_setpc_b64 s[32:33]", [0]),
    ("s_barrier\ns_sendmsg 3", [1]),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("body", "want"), KNOWN)
def test_which_are_put_off(compile_device: CompileDevice, target: str, body: str, want: list[int]) -> None:
    if target == "gfx942":
        body = body.replace("ds_load_b32", "ds_read_b32")
    assert _late(compile_device, target, body) == want


def test_what_is_silent() -> None:
    """The wave's own registers and nothing else: no memory, no clock, no messages with an answer, no control."""
    from softrock.lift import semantics

    semantics.load()
    loud = {name for name, s in registry.SEMANTICS.items() if not s.silent}
    assert {"s_barrier", "s_trap", "s_sleep", "s_memtime", "s_getreg_b32", "s_sendmsg_rtn_b64", "s_load_b64"} <= loud
    memory = ("ds_", "global_", "flat_", "scratch_", "buffer_", "s_load", "s_store", "s_buffer")
    caches = {name for name in registry.SEMANTICS if name.endswith(("inv", "wb", "wbl2", "wbinvl1", "inv_vol", "vol"))}
    assert {name for name in registry.SEMANTICS if name.startswith(memory)} - caches <= loud
