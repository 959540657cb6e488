# ruff: noqa: E501 -- kernels stand here as C text
"""Workgroups of a column that run together give what they give one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.exec.random_programs import INPUTS, TYPES, Source
from tests.exec.random_programs import program as random_program
from tests.exec.test_random_programs import DTYPES, values

from softrock import codeobj
from softrock.lift.columns import MOST_VECTORS
from softrock.lift.layout import ANY, LINE, WIDE, most_in_column
from softrock.lift.module import ModuleLifter

TARGETS = ("gfx942", "gfx1100")
MakeProgram = Callable[..., Any]

SOURCE = """
#define X __builtin_amdgcn_workitem_id_x()
#define Y __builtin_amdgcn_workitem_id_y()
#define GX __builtin_amdgcn_workgroup_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
KERNEL(64) void product(int n, int m, const float *a, const float *b, float *c) {
    int col = GX * 64 + X, row = GY;
    float acc = 0;
    for (int k = 0; k < m; k++) acc += a[row * m + k] * b[k * n + col];
    c[row * n + col] = acc;
}
KERNEL(64) void guarded(int n, int rows, int m, const float *a, const float *b, float *c) {
    int col = GX * 64 + X, row = GY;
    if (col >= n || row >= rows) return;
    float acc = 0;
    for (int k = 0; k < m; k++) acc += a[row * m + k] * b[k * n + col];
    c[row * n + col] = acc;
}
KERNEL(64) void triangle(int n, int m, const float *a, const float *b, float *c) {
    int col = GX * 64 + X, row = GY;
    float acc = 0;
    for (int k = 0; k <= row; k++) acc += a[row * m + k] * b[k * n + col];
    c[row * n + col] = acc;
}
KERNEL(64) void chosen(int n, int m, const float *a, const float *b, float *c) {
    int col = GX * 64 + X, row = GY;
    float acc = 0;
    for (int k = 0; k < m; k++) {
        float v = b[k * n + col], s = a[row * m + k];
        acc += s > 3 ? v : 2 * v * s;
        if (a[k] > 4) acc += v;
    }
    c[row * n + col] = a[row] > 2 ? acc : -acc;
}
KERNEL(64) void tile(int n, int m, const float *a, const float *b, float *c) {
    int col = GX * 16 + X, row = GY * 4 + Y;
    float acc = 0;
    for (int k = 0; k < m; k++) acc += a[row * m + k] * b[k * n + col];
    c[row * n + col] = acc;
}
"""
ALONE = """
#define X __builtin_amdgcn_workitem_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
KERNEL(64) void many_stores(int m, const float *b, float *c) { for (int k = 0; k < m; k++) c[GY * m + k] = b[k * 64 + X]; }
KERNEL(64) void adds(int m, const float *b, float *c) {
    float s = 0;
    for (int k = 0; k < m; k++) s += b[k * 64 + X];
    __hip_atomic_fetch_add(c + GY, s, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL(64) void watches(int m, const volatile float *b, float *c) {
    float s = 0;
    for (int k = 0; k < m; k++) s += b[k * 64 + X];
    c[GY * 64 + X] = s;
}
KERNEL(64) void parts(int m, const float *b, float *c) {
    float s = 0;
    for (int k = 0; k < m; k++) if (b[k * 64 + X] > s) s = c[k + 64 * (int)b[X]];
    c[GY * 64 + X] = s;
}
KERNEL(64) void stores_first(int m, const float *b, float *c) {
    c[GY * 64 + X] = 0;
    float s = 0;
    for (int k = 0; k < m; k++) s += b[k * 64 + X];
    c[GY * 64 + X] = s;
}
KERNEL(64) void lds(int m, const float *b, float *c) {
    __shared__ float s[64];
    float t = 0;
    for (int k = 0; k < m; k++) { s[X] = b[k * 64 + X]; sync(); t += s[X ^ 1]; sync(); }
    c[GY * 64 + X] = t;
}
KERNEL(64) void own_lines(int m, const float *b, float *c) {
    float s = 0;
    for (int k = 0; k < m; k++) s += b[(GY * m + k) * 64 + X];
    c[GY * 64 + X] = s;
}
KERNEL(64) void no_loop(int m, const float *b, float *c) { c[GY * 64 + X] = b[m + X]; }
"""


def _small(rng: np.random.Generator, *shape: int) -> Any:
    """Whole numbers whose sums of products are exact."""
    return rng.integers(-4, 8, shape).astype(np.float32)


@pytest.mark.parametrize("target", TARGETS)
def test_products(program: MakeProgram, target: str) -> None:
    loaded = program(SOURCE, target)
    rng = np.random.default_rng(1)
    for rows in (2, 4, 8):
        for m, grid in ((1, (1, 8)), (6, (2, 8)), (13, (2, 16))):
            n, height = 64 * grid[0], grid[1]
            a, b = _small(rng, height + 64, m), _small(rng, max(m, height), n)
            for name in ("product", "triangle", "chosen"):
                wide = a if name != "triangle" else _small(rng, height, height + m)
                inner = m if name != "triangle" else height + m
                want, got = np.full((height, n), -1, np.float32), np.full((height, n), -2, np.float32)
                loaded.run(name, grid, 64, np.int32(n), np.int32(inner), wide, b, want, layout="line")
                loaded.run(name, grid, 64, np.int32(n), np.int32(inner), wide, b, got, layout=f"line/{rows}")
                np.testing.assert_array_equal(got, want, err_msg=f"{name} {rows} {m}")
                if name == "product":
                    np.testing.assert_array_equal(got, a[:height] @ b[:m])


@pytest.mark.parametrize("target", TARGETS)
def test_guards(program: MakeProgram, target: str) -> None:
    """Lanes are off in the last workgroup of a row, all of them in the last rows."""
    loaded = program(SOURCE, target)
    rng = np.random.default_rng(2)
    for n, rows in ((100, 6), (64, 8), (128, 5)):
        a, b = _small(rng, 8, 9), _small(rng, 9, n)
        got = np.full((8, n), -2, np.float32)
        loaded.run("guarded", (2, 8), 64, np.int32(n), np.int32(rows), np.int32(9), a, b, got, layout="line/4")
        np.testing.assert_array_equal(got[:rows], (a @ b)[:rows])
        assert (got[rows:] == -2).all()


@pytest.mark.parametrize("target", TARGETS)
def test_two_dimensional_blocks(program: MakeProgram, target: str) -> None:
    loaded = program(SOURCE, target)
    rng = np.random.default_rng(3)
    a, b = _small(rng, 32, 9), _small(rng, 9, 48)
    for layout in ("16/2", "16/4", "any/2"):
        got = np.full((32, 48), -2, np.float32)
        loaded.run("tile", (3, 8), (16, 4), np.int32(48), np.int32(9), a, b, got, layout=layout)
        np.testing.assert_array_equal(got, a @ b, err_msg=layout)


def _most_rows(data: bytes, wide: bool) -> dict[str, int]:
    code = codeobj.load(data, "test.co")
    return {name: ModuleLifter(code, kernel, wide).most_rows() for name, kernel in code.kernels.items()}


@pytest.mark.parametrize("target", TARGETS)
def test_who_runs_together(program: MakeProgram, target: str) -> None:
    found = _most_rows(program(SOURCE, target).code.data, True)
    assert found["product"] == MOST_VECTORS // (4 if target == "gfx942" else 2)
    assert found["guarded"] == found["product"]
    assert found["triangle"] == found["product"]
    assert found["chosen"] > 1, found
    assert found["tile"] == found["product"]  # lanes load from A, each workgroup for itself, but as much is shared
    assert _most_rows(program(SOURCE, target).code.data, False)["product"] == (2 if target == "gfx942" else 4)
    alone = _most_rows(program(ALONE, target).code.data, True)
    assert set(alone.values()) == {1}, alone


def _in_columns(source: Source) -> Source:
    """The program on inputs of which some depend on the workgroup's row, some do not; some are the same in all lanes."""
    places = ("i", "tid", "gy", "0", "i", "gx * 64 + tid", "gy + 3", "tid", "7")
    lines = source.body.splitlines()
    for k, (kind, name) in enumerate(INPUTS):
        lines[k] = f"{kind} {name} = in_{name}[{places[k]}];"
    return replace(source, body="\n".join(lines))


def _check_random(make: MakeProgram, target: str, seeds: range) -> None:
    text = "#define DEV __device__\n" + TYPES
    sources = {seed: _in_columns(random_program(seed)) for seed in seeds}
    for seed, source in sources.items():
        head = (
            "u32 gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y();"
            "u32 i = (gy * 2 + gx) * 64 + tid;"
        )
        text += f"KERNEL(64) void k{seed}({source.parameters}) {{ {head}\n{source.body}\n}}\n"
    loaded = make(text, target, ["-O2", "-w", "-ffp-contract=off"])
    for seed, source in sources.items():
        rng = np.random.default_rng(seed)
        inputs = [np.tile(values(kind, rng), 2)[:512] for kind, _ in INPUTS]
        results = []
        for layout in ("line", "line/2", "line/4"):
            out = [np.zeros(512, DTYPES[kind]) for kind in source.outputs]
            loaded.run(f"k{seed}", (2, 4), 64, *inputs, *out, layout=layout)
            results.append((layout, out))
        for layout, out in results[1:]:
            for index, (found, expected) in enumerate(zip(out, results[0][1], strict=True)):
                raw = np.dtype(f"uint{8 * found.itemsize}")
                lanes = np.flatnonzero(found.view(raw) != expected.view(raw))
                assert not lanes.size, f"program {seed} on {target}, {layout}: output {index}, items {lanes[:8]}"


@pytest.mark.parametrize(("target", "seed"), [("gfx942", 11), ("gfx1100", 12)])
def test_random_programs(program: MakeProgram, target: str, seed: int) -> None:
    _check_random(program, target, range(seed, seed + 1))


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_many_random_programs(program: MakeProgram, target: str) -> None:
    _check_random(program, target, range(100, 112))


def test_layouts_with_many_rows_stay_apart() -> None:
    assert most_in_column(LINE, 64, 8) == most_in_column(WIDE, 32, 2) == 8
    assert [most_in_column(row, 64, 4) for row in ("2", "4", "8", "16", "32")] == [1, 1, 1, 2, 4]
    assert [most_in_column(row, 32, 2) for row in ("2", "4", "8", "16")] == [1, 1, 2, 4]
    assert most_in_column("16", 64, 8) == most_in_column(ANY, 32, 2) == 1
