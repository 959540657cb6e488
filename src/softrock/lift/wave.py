"""The layout of ``struct sr_wave``: what translated code and the native runtime share, in one table.

A translated kernel is a native function ``void kernel(sr_wave *wave)`` that runs one wave. It reads the
public fields and writes none of them; the fields from `PRIVATE` on belong to the runtime. `exec.build`
generates the C header from this table, `lift` takes its offsets from `OFFSET`.
"""

from __future__ import annotations

from typing import Final

FIELDS: Final[tuple[tuple[str, str, str], ...]] = (
    ("kernarg", "u64", "host address of the kernarg segment (64-byte aligned)"),
    ("dispatch", "u64", "host address of the 64-byte AQL kernel dispatch packet"),
    ("queue", "u64", "host address of a 320-byte stand-in for amd_queue_t"),
    ("dispatch_id", "u64", "number of this launch in its queue, from 0"),
    ("lds", "u64", "4 GiB-aligned host address of the workgroup's LDS"),
    ("scratch", "u64", "host address of this wave's scratch, dwords interleaved by lane, 64-byte aligned"),
    ("exec", "u64", "initial EXEC: one bit for each lane that holds a work-item"),
    ("workitem_ids", "u64", "host address of one u32 a lane: x | y << 10 | z << 20 (64-byte aligned)"),
    (
        "private_base",
        "u64",
        "aperture whose high 32 bits mark private (scratch) addresses; nothing is mapped there",
    ),
    ("regs", "u64", "register save area for calls between translated functions, REGS_BYTES, 64-byte aligned"),
    (
        "calls",
        "u64",
        "call table: u64 count, then count pairs {u64 gpu_pc, u64 function} sorted by gpu_pc; or 0",
    ),
    ("code_base", "u64", "where the launch's code object stands (as the launch says)"),
    ("user", "u64", "opaque value from the launch"),
    ("group_id", "u32[3]", "workgroup id x, y, z"),
    ("wave_id", "u32", "number of the wave in its workgroup"),
    ("lds_bytes", "u32", "LDS the workgroup may use, in bytes"),
    ("scratch_lane_bytes", "u32", "scratch a lane may use, in bytes"),
    ("num_waves", "u32", "waves in this workgroup"),
    ("hw_id", "u32", "number of the host worker that runs the wave"),
    (
        "around",
        "u32",
        "with so many bytes from each work-item the launch writes more than the host's last cache holds",
    ),
    (
        "where",
        "u64",
        "code-object address of the instruction whose lane-by-lane helper runs, for fault reports",
    ),
    ("next_rsp", "u64", "saved stack pointer of the wave that follows in the ring, while it is suspended"),
    ("slot", "u64", "where this wave's own stack pointer is saved: next_rsp of the wave before it"),
    ("next", "u64", "the wave that follows in the ring of those that have not ended"),
    ("pc", "u64", "host address after the last barrier or yield, 0 before the first"),
    ("home", "u64", "the resident workgroup (struct sr_group) this wave is part of"),
    ("bit", "u64", "1 << wave_id"),
    ("top", "u64", "top of the fiber's stack, 0 if none"),
    ("fn", "u64", "the kernel"),
)
"""(name, C type, meaning) in order of place; types are u32, u64 or an array of one of them."""

PRIVATE: Final = "next_rsp"
"""The first field that only the runtime uses."""

REGS_BYTES: Final = 160 * 1024
"""Size of the area at `regs`."""

_SIZES: Final = {"u32": 4, "u64": 8}


def _layout() -> tuple[dict[str, int], int]:
    offsets: dict[str, int] = {}
    place = 0
    for name, kind, _ in FIELDS:
        base, _, count = kind.partition("[")
        size = _SIZES[base]
        place = -(-place // size) * size
        offsets[name] = place
        place += size * (int(count[:-1]) if count else 1)
    return offsets, -(-place // 64) * 64


OFFSET, SIZE = _layout()
"""Byte offset of each field; size of the struct (a multiple of 64, as its alignment is)."""


def header() -> str:
    """The C header ``sr_wave.h`` for this layout, with a compile-time check of every offset."""
    lines = [
        "/* Generated from softrock/lift/wave.py. */",
        "#pragma once",
        "#include <stddef.h>",
        "#include <stdint.h>",
        f"enum {{ SR_REGS_BYTES = {REGS_BYTES} }};",
        "typedef struct __attribute__((aligned(64))) sr_wave {",
    ]
    for name, kind, doc in FIELDS:
        base, _, count = kind.partition("[")
        suffix = f"[{count}" if count else ""
        lines.append(f"    {'uint32_t' if base == 'u32' else 'uint64_t'} {name}{suffix}; /* {doc} */")
    lines.append("} sr_wave;")
    lines += [
        f'_Static_assert(offsetof(sr_wave, {name}) == {offset}, "{name}");' for name, offset in OFFSET.items()
    ]
    lines.append(f'_Static_assert(sizeof(sr_wave) == {SIZE}, "size");')
    return "\n".join(lines) + "\n"

PRIVATE_SHIFT, PRIVATE_MARK = 21, 7
"""Bits of a gfx9 buffer descriptor's last dword that mark scratch: INDEX_STRIDE 3 (64 lanes) and ADD_TID_ENABLE."""
