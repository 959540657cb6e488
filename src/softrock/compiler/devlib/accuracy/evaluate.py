"""Runs device library functions over arrays: on this host, and the source of the same as a GPU kernel."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from softrock.compiler import devlib
from softrock.compiler.devlib.accuracy import FORMATS, INTEGER_SECOND, Case, cases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@functools.cache
def _arities() -> dict[str, int]:
    return {each.function: len(each.domains) for each in cases()}


def arity(function: str) -> int:
    """How many arguments a function of the case table takes."""
    return _arities()[function]


def _signature(function: str, type_name: str) -> tuple[str, list[str]]:
    real = FORMATS[type_name].ctype
    kinds = [real] * arity(function)
    if function in INTEGER_SECOND:
        kinds[1] = "int"
    return real, kinds


def kernel_source(functions: Sequence[str], type_name: str) -> str:
    """HIP source with a kernel ``eval_<function>_<type>`` for each function, for workgroups of 256.

    Kernel arguments: pointers to the argument columns (the second of pown and rootn holds ints), a pointer to the
    results, and ``unsigned n``. It needs no header: compile it as HIP with the device library linked.
    """
    parts = []
    for name in functions:
        real, kinds = _signature(name, type_name)
        symbol = f"__ocml_{name}_{type_name}"
        takes = ", ".join(f"const {kind} *a{i}" for i, kind in enumerate(kinds))
        gives = ", ".join(f"a{i}[t]" for i in range(len(kinds)))
        parts.append(
            f'extern "C" __attribute__((device)) {real} {symbol}({", ".join(kinds)});\n'
            f'extern "C" __attribute__((global)) void eval_{name}_{type_name}({takes}, {real} *y, unsigned n) {{\n'
            "  unsigned t = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();\n"
            f"  if (t < n) y[t] = {symbol}({gives});\n"
            "}\n"
        )
    return "".join(parts)


def _host_loops() -> str:
    """Loops over arrays for every function of the case table and every type, for the host build."""
    parts = []
    for name in _arities():
        for type_name in FORMATS:
            real, kinds = _signature(name, type_name)
            takes = ", ".join(f"const {kind} *a{i}" for i, kind in enumerate(kinds))
            gives = ", ".join(f"a{i}[t]" for i in range(len(kinds)))
            parts.append(
                f"API void eval_{name}_{type_name}({takes}, {real} *y, unsigned n) {{\n"
                f"  for (unsigned t = 0; t < n; ++t) y[t] = __ocml_{name}_{type_name}({gives});\n"
                "}\n"
            )
    return "".join(parts)


class HostEvaluator:
    """Evaluates through the host build of the device library; call it as an ``Evaluator``, or :meth:`arrays`."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(devlib.host_library(_host_loops())))

    def function(self, symbol: str, type_name: str, count: int) -> Any:
        """A function of the library by its full name, taking and giving `count` and one numbers (f32 and f64 only)."""
        real = {"f32": ctypes.c_float, "f64": ctypes.c_double}[type_name]
        found = getattr(self.library, symbol)
        found.restype, found.argtypes = real, [real] * count
        return found

    def arrays(self, function: str, type_name: str, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Results over NumPy columns, in the type's own NumPy type (float16, float32, float64)."""
        import numpy as np

        real = np.dtype(FORMATS[type_name].code)
        kinds = [real] * len(columns)
        if function in INTEGER_SECOND:
            kinds[1] = np.dtype(np.int32)
        inputs = [np.ascontiguousarray(c, dtype=k) for c, k in zip(columns, kinds, strict=True)]
        output: NDArray[Any] = np.empty(len(inputs[0]), dtype=real)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*inputs, output)]
        getattr(self.library, f"eval_{function}_{type_name}")(*pointers, ctypes.c_uint(len(output)))
        return output

    def __call__(self, function: str, type_name: str, columns: Sequence[Sequence[float]]) -> list[float]:
        import numpy as np

        return [float(v) for v in self.arrays(function, type_name, [np.asarray(c) for c in columns])]


def ulp_distance(result: NDArray[Any], truth: NDArray[np.float64], type_name: str) -> NDArray[np.float64]:
    """Distance in representable numbers between results (float16 or float32) and truth rounded to the same type.

    Infinity counts as the number after the largest; NaN against NaN is 0, NaN against a number is infinite.
    """
    import numpy as np

    kind: Any = {"f16": np.float16, "f32": np.float32}[type_name]
    whole: Any = {"f16": np.int16, "f32": np.int32}[type_name]
    with np.errstate(over="ignore", invalid="ignore"):
        best = truth.astype(kind)

    def position(values: NDArray[Any]) -> NDArray[np.int64]:
        bits = np.ascontiguousarray(values, dtype=kind).view(whole).astype(np.int64)
        ordered: NDArray[np.int64] = np.where(bits < 0, int(np.iinfo(whole).min) - bits, bits)
        return ordered

    distance: NDArray[np.float64] = np.abs(position(result) - position(best)).astype(np.float64)
    both = np.isnan(result) & np.isnan(best)
    either = np.isnan(result) | np.isnan(best)
    distance = np.where(both, 0.0, np.where(either, np.inf, distance))
    return distance


def half_errors(host: HostEvaluator, each: Case) -> NDArray[np.float64]:
    """Error of a function of one argument at every half, against the library's own double, in ulps.

    lgamma's are not counted near its zeros below -2, where only the absolute error is bounded.
    """
    import numpy as np

    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    results = host.arrays(each.function, "f16", [every])
    truth = host.arrays(each.function, "f64", [every.astype(np.float64)])
    error = ulp_distance(results, truth, "f16")
    if each.function == "lgamma":
        error = np.where((every < -2) & (np.abs(truth) < 1), 0.0, error)
    return error
