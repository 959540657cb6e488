"""Kernels written by hand, in one spelling for all targets.

A body is gfx11's assembly with some words of ours: ``EXEC`` and ``VCC`` are the masks of the wave's width, ``_bW`` ends
the name of an operation on masks, ``M32`` is a register (pair) for a mask from s32 on, and ``wait`` waits for memory.
It finds the input's address in s[4:5], the output's in s[6:7], lane numbers in v0, and 4 * lane in v60, and stores
what it wants to show by ``show v1`` (a row of the output for each, in order).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from tests.exec.conftest import Program
from tests.lift.harness import lanes_of
from tests.lift.models import program

TARGETS = ("gfx942", "gfx1100", "gfx1100:64")

_GFX9 = {
    "v_add_nc_u32": "v_add_u32",
    "v_sub_nc_u32": "v_sub_u32",
    "v_add_co_ci_u32": "v_addc_co_u32",
    "global_load_b32": "global_load_dword",
    "global_load_b64": "global_load_dwordx2",
    "global_store_b32": "global_store_dword",
    "global_store_b64": "global_store_dwordx2",
    "s_load_b32": "s_load_dword",
    "s_load_b64": "s_load_dwordx2",
    "s_load_b128": "s_load_dwordx4",
    "s_and_not1": "s_andn2",
    "s_or_not1": "s_orn2",
    "s_and_not0": "s_andn1",
}


def text(target: str, name: str, body: str) -> str:
    """Assembly of one kernel."""
    gfx9, wide = target == "gfx942", lanes_of(target) == 64
    lines, shown = [], 0
    start = (
        f"s_load_b128 s[4:7], s[0:1], 0x0\nwait\n{'v_and_b32 v0, 0x3ff, v0' if gfx9 else ''}\nv_lshlrev_b32 v60, 2, v0"
    )
    for line in f"{start}\n{body}\ns_endpgm".splitlines():
        line = line.strip().replace("_bW", "_b64" if wide else "_b32").replace("$", f"{name}_")
        line = re.sub(r"\bEXEC\b", "exec" if wide else "exec_lo", line)
        line = re.sub(r"\bVCC\b", "vcc" if wide else "vcc_lo", line)
        line = re.sub(r"\bM(\d+)\b", lambda m: f"s[{m[1]}:{int(m[1]) + 1}]" if wide else f"s{m[1]}", line)
        if line == "wait":
            line = "s_waitcnt vmcnt(0) lgkmcnt(0)"
        elif line.startswith("show "):
            lines.append(f"v_add_nc_u32 v61, {4 * lanes_of(target) * shown}, v60")
            line = f"global_store_b32 v61, {line.removeprefix('show ')}, s[6:7]"
            shown += 1
        lines.append(line)
    if gfx9:
        lines = [re.sub(r"\b[vsg]\w+", _spelled, line) for line in lines]
    code = "\n".join(lines)
    return f".p2align 8\n.type {name},@function\n{name}:\n{code}\n.size {name}, .-{name}\n" + program.descriptor(
        name, 9 if gfx9 else 11, wide
    )


def _spelled(match: re.Match[str]) -> str:
    word = match[0]
    for new, old in _GFX9.items():
        if word == new or (word.startswith(new) and new.startswith("s_") and "load" not in new):
            return old + word[len(new) :]
    return word


def assembled(compile_device: Callable[..., bytes], target: str, bodies: Mapping[str, str], extra: str = "") -> Program:
    """The kernels in one code object; `extra` is assembly of functions that they call."""
    name = target.partition(":")[0]
    texts = [text(target, kernel, body) for kernel, body in bodies.items()]
    source = program.source(name, list(bodies), [*texts, extra], lanes_of(target))
    wave = ["-target-feature", "+wavefrontsize64", "-target-feature", "-wavefrontsize32"]
    return Program(compile_device(source, name, wave if target.endswith(":64") else [], language="asm"))


def results(
    loaded: Program, target: str, name: str, given: npt.NDArray[np.uint32], *, threads: int = 0, rows: int = 12
) -> npt.NDArray[np.uint32]:
    """What a kernel shows, rows of lanes; it must be the same where nothing is known of the workgroup's layout."""
    lanes = lanes_of(target)
    outs = []
    for layout in (None, "any"):
        out = np.full((rows, lanes), 0xEEEEEEEE, np.uint32)
        loaded.run(name, 1, threads or lanes, given, out, layout=layout)
        outs.append(out)
    np.testing.assert_array_equal(outs[0], outs[1], err_msg=f"{name} on {target}: with a known layout and without")
    return outs[0]
