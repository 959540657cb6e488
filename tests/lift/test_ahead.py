"""Which loads ask for what later workgroups load."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.lift.hand_kernels import TARGETS, assembled
from tests.lift.harness import lanes_of

from softrock.lift.module import ModuleLifter

CompileDevice = Callable[..., bytes]

_LINE = "v_lshlrev_b32 v62, 4, v0"
_WIDE = "global_load_b128 v[2:5], v62, s[4:5]\nwait\nshow v2\nshow v5"
_ONCE = f"{_LINE}\n{_WIDE}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("body", "asks"),
    [
        (_ONCE, True),
        (f"{_LINE}\ns_mov_b32 s32, 3\n$loop:\n{_WIDE}\ns_sub_u32 s32, s32, 1\ns_cbranch_scc0 $loop", False),
        (f"{_LINE}\n$loop:\ns_sub_u32 s4, s4, 1\ns_cbranch_scc0 $loop\n{_WIDE}", True),
        ("v_lshlrev_b32 v62, 5, v0\n" + _WIDE, False),
        (f"{_LINE}\nds_load_b128 v[2:5], v62\nwait\nshow v2", False),
        ("global_load_b32 v2, v60, s[4:5]\nwait\nshow v2", False),
    ],
)
def test_which_loads_ask(compile_device: CompileDevice, target: str, body: str, asks: bool) -> None:
    if target == "gfx942":
        body = body.replace("b128", "dwordx4").replace("ds_load_dwordx4", "ds_read_b128")
    loaded = assembled(compile_device, target, {"k": body})
    lifter = ModuleLifter(loaded.code, loaded.code.kernel("k"), True, "line")
    text = lifter.lift().text
    count = text.count("call void @llvm.prefetch.p0")
    lines = lanes_of(target) * 16 // 64
    assert count == lines if asks else count == 0
    assert "call void @llvm.prefetch" not in lifter.lift(quick=True).text
