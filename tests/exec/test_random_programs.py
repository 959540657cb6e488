"""Random programs give on the software GPU what the host's compiler makes of them."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.exec.random_programs import FLOATS, INPUTS, TYPES, Source
from tests.exec.random_programs import program as random_program

ELEMENTS = 256
DTYPES: dict[str, Any] = {
    **{f"i{b}": np.dtype(f"int{b}") for b in (16, 32, 64)},
    **{f"u{b}": np.dtype(f"uint{b}") for b in (16, 32, 64)},
    **{f"f{b}": np.dtype(f"float{b}") for b in (16, 32, 64)},
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, 60000.0, -6e-8)
PROGRAMS = 4


def values(kind: str, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Inputs with every kind of edge in them."""
    dtype = DTYPES[kind]
    if kind in FLOATS:
        out = (rng.standard_normal(ELEMENTS) * np.exp(rng.uniform(-6, 6, ELEMENTS))).astype(dtype)
        out[: len(SPECIAL)] = np.array(SPECIAL, dtype)
        return out
    info = np.iinfo(dtype)
    out = rng.integers(info.min, info.max, ELEMENTS, dtype=dtype, endpoint=True)
    out[::3] = rng.integers(0, 20, len(out[::3])).astype(dtype)
    out[:4] = [info.min, info.max, 0, 1]
    return out


def host_library(sources: list[Source], zig: Callable[..., None], folder: Path, extra: str = "") -> ctypes.CDLL:
    """The programs compiled for the host, one function ``k<n>`` each; `extra` stands before them."""
    text = "#define DEV static\n" + TYPES + extra
    for k, source in enumerate(sources):
        text += f"void k{k}({source.parameters}) {{ for (u32 i = 0; i < {ELEMENTS}; i++) {{\n{source.body}\n}} }}\n"
    (folder / "h.c").write_text(text)
    arithmetic = ["-mcpu=x86_64_v3", "-ffp-contract=off", "-fno-sanitize=undefined"]
    arithmetic += ["-Xclang", "-ffloat16-excess-precision=none"]
    zig("cc", "-shared", "-O1", "-w", *arithmetic, "h.c", "-o", "h.so", folder=folder)
    return ctypes.CDLL(str(folder / "h.so"))


@pytest.mark.long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the host half is compiled for x86-64-v3")
@pytest.mark.parametrize(
    ("target", "level", "seed"),
    [("gfx942", "-O2", 1), ("gfx942", "-O0", 2), ("gfx1100", "-O3", 3), ("gfx1100", "-O0", 4), ("gfx90a", "-O1", 5)],
)
def test_random_programs(
    target: str, level: str, seed: int, program: Callable[..., Any], zig: Callable[..., None], tmp_path: Path
) -> None:
    sources = [random_program(100 * seed + k) for k in range(PROGRAMS)]
    device = "#define DEV __device__\n" + TYPES
    for k, source in enumerate(sources):
        device += f"KERNEL(256) void k{k}({source.parameters}) {{ u32 i = bid * 256 + tid;\n{source.body}\n}}\n"
    loaded = program(device, target, [level, "-w", "-ffp-contract=off"])
    host = host_library(sources, zig, tmp_path)
    for k, source in enumerate(sources):
        rng = np.random.default_rng(seed)
        inputs = [values(kind, rng) for kind, _ in INPUTS]
        got = [np.zeros(ELEMENTS, DTYPES[kind]) for kind in source.outputs]
        want = [np.zeros(ELEMENTS, DTYPES[kind]) for kind in source.outputs]
        loaded.run(f"k{k}", 1, ELEMENTS, *inputs, *got)
        host[f"k{k}"](*(ctypes.c_void_p(array.ctypes.data) for array in [*inputs, *want]))
        for index, (found, expected) in enumerate(zip(got, want, strict=True)):
            raw = np.dtype(f"uint{8 * found.itemsize}")
            same = found.view(raw) == expected.view(raw)
            if found.dtype.kind == "f":
                same |= np.isnan(found) & np.isnan(expected)
            lanes = np.flatnonzero(~same)
            assert not lanes.size, (k, index, lanes[:4], found[lanes[:4]], expected[lanes[:4]])
