"""What a case needs to prepare itself: memory with random data, compiled kernels, the same loops in C, OpenCL."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bench import native
from bench.registry import Job, Rival

CASES = Path(__file__).parent / "cases"
WAVE = {"gfx942": 64, "gfx1100": 32}


@dataclass
class Context:
    """The conditions of one measurement.

    Attributes:
        gpu: target of the software GPU. threads: host threads of ours and of every rival.
        quick: sizes for a smoke test, not for figures.
    """

    gpu: str
    threads: int
    quick: bool = False
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    @property
    def wave(self) -> int:
        """Lanes of a wave."""
        return WAVE[self.gpu]

    def size(self, full: int, quick: int) -> int:
        """The size to measure with."""
        return quick if self.quick else full

    def kernels(self, file: str, *options: str) -> Any:
        """The module compiled from a HIP source of `bench/cases`; contraction to FMA is on, as in hipcc."""
        import softrock

        return softrock.compile((CASES / file).read_text(), options=["-ffp-contract=fast", *options], name=file)

    def place(self, values: NDArray[Any]) -> NDArray[Any]:
        """A copy in device memory, seen as a NumPy array: ours and the rivals read the same pages."""
        import softrock

        out: NDArray[Any] = np.from_dlpack(softrock.array(values))
        return out

    def random(self, *shape: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Uniform numbers of [0, 1) in device memory."""
        if np.dtype(dtype) != np.float32:
            return self.place(self.rng.random(shape, np.float32).astype(dtype))
        return self.fill(*shape)

    def fill(self, *shape: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Room for a result, with random bits in it, so that nothing is right by accident and every page is there."""
        import softrock

        out: NDArray[Any] = np.from_dlpack(softrock.empty(shape, dtype))
        self.rng.random(out=out.reshape(-1).view(np.float32), dtype=np.float32)
        return out

    @cached_property
    def compiler(self) -> str | None:
        """The machine's C compiler."""
        return native.compiler()

    def c_rival(
        self,
        job: Job,
        file: str,
        function: str,
        *args: Any,
        result: NDArray[Any],
        defines: dict[str, int] | None = None,
    ) -> None:
        """Add a function of a C file as a rival; arrays go by address, numbers as float or int64_t."""
        if self.compiler is None:
            job.missing["C"] = "no C compiler on this machine"
            return
        library = native.library(self.compiler, CASES / file, defines or {})
        entry = library.handle[function]
        entry.restype = None
        converted = [_c_argument(a) for a in args]
        job.rivals.append(Rival("C", lambda: entry(*converted), result, library.note))

    def opencl_rival(
        self,
        job: Job,
        file: str,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *args: Any,
        result: NDArray[Any],
    ) -> None:
        """Add an OpenCL kernel on PoCL as a rival; `grid` counts work-items. Arrays are used where they stand."""
        from bench import opencl

        try:
            run, version = opencl.prepare((CASES / file).read_text(), kernel, grid, block, args)
        except opencl.Missing as error:
            job.missing["PoCL"] = str(error)
            return
        job.rivals.append(Rival("PoCL", run, result, version))

    def blas_rival(self, job: Job, a: NDArray[Any], b: NDArray[Any]) -> None:
        """Add NumPy's fp32 matrix product of `a` and `b` as a rival, named after the library behind it."""
        out = self.fill(a.shape[0], b.shape[1])
        name, kernel = blas()
        job.rivals.append(Rival(name, lambda: np.matmul(a, b, out=out), out, f"sgemm, {kernel}" if kernel else "sgemm"))


def blas() -> tuple[str, str]:
    """(name of NumPy's BLAS, version and the kernels it has chosen for this CPU, as far as they can be told)."""
    found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    name = "OpenBLAS" if "openblas" in found["name"] else str(found["name"])
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return name, str(found["version"])
    for entry in threadpool_info():
        if entry["user_api"] == "blas" and "numpy" in entry["filepath"]:
            return name, f"{entry['version']}, {entry.get('architecture', '')} kernels"
    return name, str(found["version"])


def _c_argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, (float, np.float32)):
        return ctypes.c_float(float(value))
    return ctypes.c_int64(int(value))
