# ruff: noqa: E501 -- kernels stand here as C text
"""Whole kernels in workgroups of many shapes, translated for the shape and for any shape."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.exec.random_programs import INPUTS, TYPES, Source
from tests.exec.random_programs import program as random_program
from tests.exec.test_random_programs import DTYPES, host_library, values

TARGETS = ("gfx942", "gfx1100")
BLOCKS = (
    (64,), (100,), (256,), (1,), (8, 8), (16, 16), (32, 8), (64, 4), (3, 5), (48, 2), (1, 64), (2, 128), (128, 3), (16, 3),
    (4, 4, 4), (8, 8, 3), (16, 2, 3), (2, 3, 4), (64, 1, 2), (32, 3, 2), (4, 64, 1), (8, 1, 8),
)  # fmt: skip
FEW = ((100,), (16, 16), (3, 5), (16, 3), (2, 3, 4), (64, 1, 2))
LAYOUTS = (None, "any")
MakeProgram = Callable[..., Any]

SOURCE = """
#define X __builtin_amdgcn_workitem_id_x()
#define Y __builtin_amdgcn_workitem_id_y()
#define Z __builtin_amdgcn_workitem_id_z()
KERNEL(512) void ids(u32 bx, u32 by, u32 *out) {
    u32 i = (Z * by + Y) * bx + X;
    out[i] = X | Y << 10 | Z << 20;
}
KERNEL(512) void x_alone(u32 *count, const u32 *in, u32 *sum) {
    u32 x = X;
    __hip_atomic_fetch_add(&count[x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(&sum[x], in[2 * x + 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL(512) void y_alone(u32 *count, u32 shift) {
    __hip_atomic_fetch_add(&count[Y << shift], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL(512) void plane(u32 bx, u32 by, int pitch, const float *in, float *out, long far) {
    u32 i = (Z * by + Y) * bx + X;
    const float *row = in + (long)(int)Y * pitch + 4096;
    float a = row[X] + row[(int)X - 1] * 0.5f, b = in[(X & 3) + (Y & 1) * 4] - in[X >> 2];
    for (int k = 0; k < 4; k++) a += row[k * pitch + (int)X * 2] - in[8192 - (int)X - k];
    out[i + far] = a;
    out[i + far + 512] = b + (float)(X * Y) - (float)(int)(X - Y);
}
KERNEL(512) void tile(u32 bx, u32 by, const u32 *in, u32 *out) {
    __shared__ u32 s[1024];
    u32 i = (Z * by + Y) * bx + X;
    s[i] = in[i]; s[i + 512] = in[i] * 3 + X;
    sync();
    u32 n = bx * by, t = Z * n + X * by + Y, a = s[t] + s[512 + (i ^ 1)];
    if (X & 1) a += s[Y * bx];
    sync();
    s[X * by + Y + Z * n] = a;
    sync();
    out[i] = s[i] + (Y > 1 ? s[i - bx] : X);
}
"""


def _shape(block: Sequence[int]) -> tuple[list[int], int, list[npt.NDArray[np.int64]]]:
    """The block in three dimensions, its work-items, and their x, y, z."""
    block3 = [*block, 1, 1][:3]
    count = block3[0] * block3[1] * block3[2]
    linear = np.arange(count)
    x, y = linear % block3[0], linear // block3[0] % block3[1]
    return block3, count, [x, y, linear // (block3[0] * block3[1])]


@pytest.mark.parametrize("target", TARGETS)
def test_ids(program: MakeProgram, target: str) -> None:
    loaded = program(SOURCE, target)
    for block in BLOCKS:
        block3, count, (x, y, z) = _shape(block)
        for layout in LAYOUTS:
            out = np.full(count + 64, 0xEEEEEEEE, np.uint32)
            loaded.run("ids", 1, block3, np.uint32(block3[0]), np.uint32(block3[1]), out, layout=layout)
            want = np.concatenate([x | y << 10 | z << 20, [0xEEEEEEEE] * 64])
            np.testing.assert_array_equal(out, want, err_msg=f"{block} {layout}")


@pytest.mark.parametrize("target", TARGETS)
def test_one_id_alone(program: MakeProgram, target: str) -> None:
    loaded = program(SOURCE, target)
    data = np.random.default_rng(3).integers(0, 1 << 32, 1024, np.uint32)
    for block in BLOCKS:
        block3, _, (x, y, _) = _shape(block)
        for layout in LAYOUTS:
            counts, total = np.zeros(512, np.uint32), np.zeros(512, np.uint32)
            loaded.run("x_alone", 2, block3, counts, data, total, layout=layout)
            want = 2 * np.bincount(x, minlength=512)
            np.testing.assert_array_equal(counts, want, err_msg=f"{block} {layout}")
            np.testing.assert_array_equal(total, (want * data[1::2]).astype(np.uint32), err_msg=f"{block} {layout}")
            counts = np.zeros(1024, np.uint32)
            loaded.run("y_alone", 2, block3, counts, np.uint32(1), layout=layout)
            np.testing.assert_array_equal(counts, 2 * np.bincount(2 * y, minlength=1024), err_msg=f"{block} {layout}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("blocks", [FEW, pytest.param(BLOCKS, marks=pytest.mark.long)], ids=["few", "all"])
def test_planes(program: MakeProgram, target: str, blocks: Sequence[Any]) -> None:
    loaded = program(SOURCE, target, ["-ffp-contract=off"])
    data = np.random.default_rng(4).random(1 << 15, np.float32)
    for block in blocks:
        block3, count, (x, y, _) = _shape(block)
        for layout in LAYOUTS:
            out = np.zeros(2048, np.float32)
            pitch, far, half = -17, 300, np.float32(0.5)
            if layout is None and block3[0] % 3:
                pitch = block3[0]
            scalars = np.uint32(block3[0]), np.uint32(block3[1]), np.int32(pitch)
            loaded.run("plane", 1, block3, *scalars, data, out, np.int64(far), layout=layout)
            row = y * pitch + 4096
            a = data[row + x] + data[row + x - 1] * half
            b = data[(x & 3) + (y & 1) * 4] - data[x >> 2]
            for k in range(4):
                a = a + (data[row + k * pitch + x * 2] - data[8192 - x - k])
            b = b + (x * y).astype(np.float32) - (x - y).astype(np.float32)
            want = np.zeros(2048, np.float32)
            want[far : far + count] = a
            want[far + 512 : far + 512 + count] = b
            np.testing.assert_array_equal(out, want, err_msg=f"{block} {layout}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("blocks", [FEW, pytest.param(BLOCKS, marks=pytest.mark.long)], ids=["few", "all"])
def test_tiles(program: MakeProgram, target: str, blocks: Sequence[Any]) -> None:
    loaded = program(SOURCE, target)
    data = np.random.default_rng(5).integers(0, 1 << 32, 1024, np.uint32)
    for block in blocks:
        block3, count, (x, y, z) = _shape(block)
        if count % 2:
            continue
        for layout in LAYOUTS:
            out = np.zeros(512, np.uint32)
            loaded.run("tile", 1, block3, np.uint32(block3[0]), np.uint32(block3[1]), data, out, layout=layout)
            i, n = np.arange(count), block3[0] * block3[1]
            first, second = data[:count], data[:count] * np.uint32(3) + x.astype(np.uint32)
            a = first[z * n + x * block3[1] + y] + second[i ^ 1]
            a += np.where(x & 1, first[y * block3[0]], 0).astype(np.uint32)
            s = np.zeros(count, np.uint32)
            s[x * block3[1] + y + z * n] = a
            want = s + np.where(y > 1, s[i - block3[0]], x).astype(np.uint32)
            np.testing.assert_array_equal(out[:count], want, err_msg=f"{block} {layout}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("block", "items"), [((16, 16), (41, 23)), ((8, 8), (8, 13)), ((64, 2), (100, 3)), ((128,), (300,))]
)
def test_partial_workgroups(program: MakeProgram, target: str, block: tuple[int, ...], items: tuple[int, ...]) -> None:
    source = """
    KERNEL(512) void mark(u32 bx, u32 by, u32 width, u32 *out) {
        u32 x = __builtin_amdgcn_workgroup_id_x() * bx + __builtin_amdgcn_workitem_id_x();
        u32 y = __builtin_amdgcn_workgroup_id_y() * by + __builtin_amdgcn_workitem_id_y();
        out[y * width + x] += 1 + x * y;
    }"""
    loaded = program(source, target)
    block3, items3 = [*block, 1, 1][:3], [*items, 1, 1][:3]
    grid = [-(-n // of) for n, of in zip(items3, block3, strict=True)]
    for layout in LAYOUTS:
        out = np.zeros((64, 400), np.uint32)
        scalars = np.uint32(block3[0]), np.uint32(block3[1]), np.uint32(400)
        loaded.run("mark", grid, block3, *scalars, out, layout=layout, items=items3)
        want = np.zeros((64, 400), np.uint32)
        want[: items3[1], : items3[0]] = 1 + np.outer(np.arange(items3[1]), np.arange(items3[0]))
        np.testing.assert_array_equal(out, want)


# -- random programs -------------------------------------------------------------------------------

FROM_IDS = {
    "a": "(i32)X * 5 - 7",
    "b": "Y * 4u + in_b[0]",
    "c": "(i64)(i32)(X - Y * 3u) * in_c[1] + in_c[0]",
    "d": "((u64)Y << 20 | X) + in_d[5]",
    "h": "(i16)(X - Y * 2u)",
    "j": "(u16)(X * in_j[2] + 1u)",
}
"""Variables of the random programs that work-item ids and uniform values give instead of memory."""
SHAPES = ((256,), (16, 16), (64, 4), (8, 32), (2, 128), (1, 256), (48, 5), (100, 2), (32, 4, 2))


def _of_ids(source: Source) -> Source:
    """The program on work-item ids."""
    lines = source.body.splitlines()
    for k, line in enumerate(lines[: len(INPUTS)]):
        kind, name, _ = line.split(maxsplit=2)
        if name in FROM_IDS:
            lines[k] = f"{kind} {name} = ({kind})({FROM_IDS[name]});"
    return replace(source, body="\n".join(lines), parameters=source.parameters + ", u32 bx, u32 bn")


MIX = "DEV __attribute__((noinline)) u32 mix(u32 a, u32 b, u64 c) { return (a ^ b * 7) + (u32)(c >> (b & 7)); }\n"


def _check_sources(
    make: MakeProgram,
    zig: Callable[..., None],
    folder: Path,
    how: tuple[str, str],
    sources: dict[int, Source],
    blocks: Sequence[Any],
) -> None:
    """Programs by number, compiled for (target, level), in workgroups of several shapes against the host's compiler."""
    target, level = how
    device = "#define DEV __device__\n" + TYPES + MIX
    device += "#define X __builtin_amdgcn_workitem_id_x()\n#define Y __builtin_amdgcn_workitem_id_y()\n"
    for k, source in enumerate(sources.values()):
        head = "u32 i = (__builtin_amdgcn_workitem_id_z() * (bn / bx) + Y) * bx + X;"
        device += f"KERNEL(256) void k{k}({source.parameters}) {{ {head}\n{source.body}\n}}\n"
    loaded = make(device, target, [level, "-w", "-ffp-contract=off"])
    on_host = [replace(s, body=f"const u32 X = i % bx, Y = i / bx % (bn / bx);\n{s.body}") for s in sources.values()]
    host = host_library(on_host, zig, folder, MIX)
    for k, (seed, source) in enumerate(sources.items()):
        rng = np.random.default_rng(seed)
        inputs = [values(kind, rng) for kind, _ in INPUTS]
        for block in blocks:
            _compare(loaded, host, k, source, inputs, block, f"program {seed} on {target} {level}")


def _compare(
    loaded: Any, host: ctypes.CDLL, k: int, source: Source, inputs: list[Any], block: Sequence[int], told: str
) -> None:
    block3, count, _ = _shape(block)
    shape = block3[0], block3[0] * block3[1]
    want = [np.zeros(256, DTYPES[kind]) for kind in source.outputs]
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in [*inputs, *want])
    host[f"k{k}"](*pointers, *(ctypes.c_uint32(n) for n in shape))
    for layout in LAYOUTS:
        got = [np.zeros(256, DTYPES[kind]) for kind in source.outputs]
        loaded.run(f"k{k}", 1, block3, *inputs, *got, *(np.uint32(n) for n in shape), layout=layout)
        for index, (found, expected) in enumerate(zip(got, want, strict=True)):
            raw = np.dtype(f"uint{8 * found.itemsize}")
            same = found[:count].view(raw) == expected[:count].view(raw)
            if found.dtype.kind == "f":
                same |= np.isnan(found[:count]) & np.isnan(expected[:count])
            lanes = np.flatnonzero(~same)
            assert not lanes.size, (
                f"{told}, block {block}, layout {layout}: output {index} of items {lanes[:4]} is {found[lanes[:4]]}, "
                f"not {expected[lanes[:4]]}"
            )


def _on_ids(seeds: range) -> dict[int, Source]:
    return {seed: _of_ids(random_program(seed)) for seed in seeds}


needs_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the host half is compiled for x86-64-v3")


@needs_x86
@pytest.mark.parametrize(("target", "level", "seed"), [("gfx942", "-O1", 903)])
def test_random_programs_on_ids(
    target: str, level: str, seed: int, program: MakeProgram, zig: Callable[..., None], tmp_path: Path
) -> None:
    _check_sources(program, zig, tmp_path, (target, level), _on_ids(range(seed, seed + 1)), SHAPES[1:2])


@pytest.mark.long
@needs_x86
@pytest.mark.parametrize(
    ("target", "level", "seed"),
    [(t, o, 1000 + 10 * k) for k, (t, o) in enumerate((t, o) for t in TARGETS for o in ("-O0", "-O1", "-O2", "-O3"))],
)
def test_more_random_programs_on_ids(
    target: str, level: str, seed: int, program: MakeProgram, zig: Callable[..., None], tmp_path: Path
) -> None:
    _check_sources(program, zig, tmp_path, (target, level), _on_ids(range(seed, seed + 4)), SHAPES)


# -- control flow

FLOWS = (
    # Loops of other lengths in every lane, left in their middle.
    """u32 s = 0, k = X, end = in_b[i] % 50u;
    while (k < end) {
        s += k * Y; k += 3;
        if ((s & 7) == 5) break;
        if ((k ^ s) & 1) continue;
        s ^= X << 3;
    }
    out0[i] = s; out1[i] = k; out2[i] = k * 4 + X; out3[i] = end - k;""",
    # Calls between, with values that live across them.
    """u32 a = X * 12 + in_b[3], c = Y, s = 0;
    u64 wide = (u64)X * in_d[2] + Y;
    #pragma nounroll
    for (u32 k = 0; k < 5; k++) {
        s += mix(a, k + X, wide); a += 4; wide += in_d[1];
        if (s & 1) c = mix(c, X, k);
    }
    out0[i] = s; out1[i] = a; out2[i] = (u32)(wide >> 32) ^ (u32)wide; out3[i] = c;""",
    # Jump tables: one way for all lanes, and each its own.
    """u32 s = X * 8, t = Y;
    #pragma nounroll
    for (u32 k = 0; k < 6; k++) {
        switch (in_b[k] % 9u) {
            case 0: s += X; break; case 1: s = X * 3; t += 1; break; case 2: t = X; case 3: s ^= t; break;
            case 4: s = in_b[(i + k) % 256u]; break; case 5: t = s; s = Y; break; case 6: s = 7; t = 4 * X; break;
            case 7: t -= X; break; default: s += k; }
        switch ((in_b[i] >> 3 * k) % 7u) {
            case 0: s += X * 4; break; case 1: t = 64; break; case 2: t = s + X; break; case 3: s = k; break;
            case 4: t ^= 3; case 5: s -= t; break; default: t = X; }
    }
    out0[i] = s; out1[i] = t; out2[i] = s + X; out3[i] = t * 4 + Y;""",
    # Pointers and counters that count up in nested loops.
    """const u32 *p = in_b + X % 16u; u32 s = 0; int n = (int)X - 9;
    #pragma nounroll
    for (u32 j = 0; j < 7; j++) {
        const u32 *q = p + j * 4;
        #pragma nounroll
        for (u32 k = 0; k < 3 + (j & 1); k++) { s = s * 5 + *q; q += 33; n -= (int)Y; }
        if (n < 0) { p += 1; n += 100; } else p += X & 1;
        s ^= (u32)(q - in_b);
    }
    out0[i] = s; out1[i] = (u32)n; out2[i] = (u32)(p - in_b); out3[i] = in_b[(X + s) % 256u];""",
    # Jumps across (into one loop only: LLVM 22 makes endless loops of ones with two entries).
    """u32 s = X, t = Y * 4, k = 0;
  first:
    if (++k > 12) goto done;
    s += 4 * X; t ^= s;
    if ((s + in_b[k]) & 4) goto third;
    t += X; s = t;
    if ((t ^ in_b[i]) & 2) goto first;
    if (in_b[k + 3] & 1) goto second;
  third:
    s = in_b[k]; t = X << 2;
    if (in_b[(i + k) % 256u] & 8) goto first;
    if (in_b[i] >> 20 == k) goto done;
  second:
    s -= Y; t = X + k;
    goto first;
  done:
    out0[i] = s; out1[i] = t; out2[i] = k; out3[i] = s ^ X;""",
    # Halves of long values, and values that are rows on one way only.
    """u64 a = (u64)X << 32 | Y, c = in_d[0]; u32 s = 0;
    #pragma nounroll
    for (u32 k = 0; k < 4; k++) {
        a += c; s ^= (u32)(a >> 32) * 3 + (u32)a;
        if (in_b[k] & 1) a = (u64)(X * 4) + c; else if (in_b[i] & 2) a = in_d[i];
        if (in_b[k] & 4) c = (c & 0xffffffffull) | (u64)(X + k) << 32;
        if (in_b[i] & 16) c += (u64)(i32)(Y - X) * 8;
    }
    out0[i] = s; out1[i] = (u32)a; out2[i] = (u32)(a >> 32); out3[i] = (u32)(c >> 32) - (u32)c;""",
)
"""Bodies of kernels whose control flow is not that of the random programs."""


def _flow_sources() -> list[Source]:
    parameters = [f"const {kind} *in_{name}" for kind, name in INPUTS] + [f"u32 *out{k}" for k in range(4)]
    return [Source(", ".join(parameters) + ", u32 bx, u32 bn", body, ("u32",) * 4) for body in FLOWS]


@needs_x86
@pytest.mark.parametrize(("target", "level"), [("gfx942", "-O3"), ("gfx1100", "-O1")])
def test_flows(target: str, level: str, program: MakeProgram, zig: Callable[..., None], tmp_path: Path) -> None:
    chosen = dict(list(enumerate(_flow_sources()))[target == "gfx942" :: 3])
    _check_sources(program, zig, tmp_path, (target, level), chosen, SHAPES[1:2])


@pytest.mark.long
@needs_x86
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_more_flows(target: str, level: str, program: MakeProgram, zig: Callable[..., None], tmp_path: Path) -> None:
    _check_sources(program, zig, tmp_path, (target, level), dict(enumerate(_flow_sources())), SHAPES)
