"""The device library run on the software GPUs: the same results as on the host, and what only a GPU can run."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import softrock
from softrock.compiler.devlib.accuracy import FORMATS, INTEGER_SECOND, Case, case, cases, measure, samples
from softrock.compiler.devlib.accuracy.evaluate import HostEvaluator, kernel_source
from softrock.core.errors import SoftrockError
from softrock.hip import hidden, state

WAVE = {"gfx942": 64, "gfx1100": 32}
DEVICE = 'extern "C" __device__ '


@pytest.fixture(scope="module", params=list(WAVE))
def gpu(request: pytest.FixtureRequest) -> Iterator[str]:
    """The only device of a fresh runtime."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTROCK_BACKEND", "software")
        patch.setenv("SOFTROCK_GPUS", request.param)
        state.reset_for_tests()
        hidden.forget()
        yield request.param
        softrock.synchronize()
        state.reset_for_tests()
        hidden.forget()


@functools.cache
def host() -> HostEvaluator:
    """The library built for this host."""
    return HostEvaluator()


def on_gpu(function: str, type_name: str, columns: Sequence[Any], options: Sequence[str] = ()) -> NDArray[Any]:
    """Results of one function over columns of arguments, from a kernel compiled with more options."""
    real = np.dtype(FORMATS[type_name].code)
    kinds = [np.dtype(np.int32) if i and function in INTEGER_SECOND else real for i in range(len(columns))]
    inputs = [np.ascontiguousarray(c, dtype=k) for c, k in zip(columns, kinds, strict=True)]
    output: NDArray[Any] = np.zeros(len(inputs[0]), real)
    kernel = softrock.compile(kernel_source([function], type_name), options=options)[f"eval_{function}_{type_name}"]
    kernel[-(-len(output) // 256), 256](*inputs, output, np.uint32(len(output)))
    softrock.synchronize()
    return output


def evaluate(function: str, type_name: str, columns: Sequence[Sequence[float]]) -> list[float]:
    """An `Evaluator` that runs on the current device."""
    return [float(v) for v in on_gpu(function, type_name, columns)]


def arguments(each: Case, type_name: str, count: int) -> list[NDArray[Any]]:
    """Random and special arguments of a case."""
    fmt = FORMATS[type_name]
    tiny = float(np.finfo(fmt.code).smallest_subnormal)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, 1.0, -1.0, float(np.finfo(fmt.code).max)]
    columns = samples(each, fmt, count)
    for position, column in enumerate(columns):
        if not (position and each.function in INTEGER_SECOND):
            column[position::17] = [special[i % len(special)] for i in range(len(column[position::17]))]
    return [np.asarray(c) for c in columns]


def assert_same(got: NDArray[Any], want: NDArray[Any]) -> None:
    """Equal bits, except that any NaN is as good as another."""
    bits = np.dtype(f"u{got.itemsize}")
    different = (got.view(bits) != want.view(bits)) & ~(np.isnan(got) & np.isnan(want))
    assert not different.any(), (got[different][:5], want[different][:5], np.flatnonzero(different)[:5])


QUICK = [("sin", "f32"), ("exp", "f64"), ("fmod", "f32"), ("len3", "f32")]


@pytest.mark.parametrize(("function", "type_name"), QUICK)
def test_exact_arithmetic_gives_the_hosts_bits(gpu: str, function: str, type_name: str) -> None:
    columns = arguments(case(function), type_name, 1500)
    assert_same(on_gpu(function, type_name, columns), host().arrays(function, type_name, columns))


APPROXIMATE = {
    "f32": {"log", "log2", "log10", "log1p", "pow", "powr", "pown", "rootn", "tanh", "asinh", "acosh", "atanh", "rsqrt"}
    | {"erfinv", "erfcinv", "ncdfinv", "lgamma", "tgamma", "y0", "y1"},
    "f64": {"rsqrt"},
}
"""Functions that use approximate hardware operations, so that only their error is the same."""


@pytest.mark.long
@pytest.mark.parametrize("type_name", ["f32", "f64", "f16"])
@pytest.mark.parametrize("function", sorted({each.function for each in cases()}))
def test_every_function_gives_the_hosts_bits(gpu: str, function: str, type_name: str) -> None:
    each = next(c for c in cases() if c.function == function)
    columns = arguments(each, type_name, 2000)
    if type_name == "f16" and len(columns) == 1:
        columns = [np.arange(65536, dtype=np.uint16).view(np.float16)]
    got = on_gpu(function, type_name, columns)
    want = host().arrays(function, type_name, columns)
    if type_name == "f16" or function in APPROXIMATE[type_name]:
        np.testing.assert_allclose(got, want, rtol=8 * np.finfo(got.dtype).eps, atol=8 * np.finfo(got.dtype).eps)
        assert_same(np.where(np.isfinite(want), 0, got), np.where(np.isfinite(want), 0, want))
    else:
        assert_same(got, want)


@pytest.mark.parametrize(("name", "type_name"), [("pow", "f32"), ("log", "f64")])
def test_documented_bounds_hold_on_the_gpu(gpu: str, name: str, type_name: str) -> None:
    found = measure(case(name), type_name, evaluate, 500, seed=9)
    assert found.within, found


@pytest.mark.parametrize("flag", ["-ffp-contract=fast", "-ffast-math"])
def test_contraction_in_the_program_leaves_the_library_alone(gpu: str, flag: str) -> None:
    found = measure(case("pow"), "f64", lambda f, t, c: [float(v) for v in on_gpu(f, t, c, [flag])], 300, seed=4)
    assert found.within, found


@pytest.mark.long
@pytest.mark.parametrize("type_name", ["f32", "f64"])
@pytest.mark.parametrize("name", [each.name for each in cases()])
def test_all_documented_bounds_hold_on_the_gpu(gpu: str, name: str, type_name: str) -> None:
    found = measure(case(name), type_name, evaluate, 60 if name.startswith("y") else 1000, seed=9)
    assert found.within, found


ARGUMENTS = {"add": "a, b", "mul": "a, b", "div": "a, b", "fma": "a, b, c", "sqrt": "a"}


@pytest.mark.parametrize(
    ("operation", "type_name"),
    [("mul", "f32")]
    + [
        pytest.param(o, t, marks=pytest.mark.long)
        for o in ARGUMENTS
        for t in ("f32", "f64")
        if (o, t) != ("mul", "f32")
    ],
)
def test_directed_rounding_on_the_gpu(gpu: str, operation: str, type_name: str) -> None:
    real, given = FORMATS[type_name].ctype, ARGUMENTS[operation]
    count = len(given.split(","))
    symbols = [f"__ocml_{operation}_{mode}_{type_name}" for mode in ("rtn", "rtp", "rtz")]
    source = "\n".join(f"{DEVICE}{real} {symbol}({', '.join([real] * count)});" for symbol in symbols)
    source += f"""
    extern "C" __global__ void k(const {real} *x, {real} *y, unsigned n) {{
        unsigned t = blockIdx.x * 64 + threadIdx.x;
        if (t >= n) return;
        {real} a = x[t], b = x[t + n], c = x[t + 2 * n];
        {" ".join(f"y[n * {i} + t] = {symbol}({given});" for i, symbol in enumerate(symbols))}
    }}"""
    n = 960
    columns = [arguments(case("hypot"), type_name, n)[i % 2] for i in range(3)]
    columns[2] = np.where(np.arange(n) % 3 == 0, -columns[2][::-1], np.roll(columns[0], 7))
    packed = np.concatenate(columns).astype(FORMATS[type_name].code)
    got = np.zeros(n * 3, packed.dtype)
    softrock.compile(source)["k"][n // 64, 64](packed, got, np.uint32(n))
    softrock.synchronize()
    functions = [host().function(symbol, type_name, count) for symbol in symbols]
    points = packed.reshape(3, n)[:count].T.tolist()
    want = [[function(*point) for point in points] for function in functions]
    assert_same(got, np.asarray(want, packed.dtype).ravel())


@pytest.mark.parametrize("wave", [None, 64])
def test_wave_functions_see_only_active_lanes(gpu: str, wave: int | None) -> None:
    names = ["wfred_add_i32", "wfred_max_i32", "wfred_min_i32", "wfred_xor_i32"]
    source = "\n".join(f"{DEVICE}int __ockl_{name}(int);" for name in names)
    source += f"\n{DEVICE}int __ockl_wfscan_add_i32(int, bool); {DEVICE}unsigned __ockl_activelane_u32();"
    source += f"\n{DEVICE}int __ockl_wfany_i32(int); {DEVICE}int __ockl_wfall_i32(int);"
    source += f"\n{DEVICE}double __ockl_wfred_add_f64(double);"
    source += """
    extern "C" __global__ void k(const int *x, int *y) {
        int t = threadIdx.x, v = x[t], *o = y + t * 10;
        if (v % 3 != 0) {
            o[0] = __ockl_wfred_add_i32(v); o[1] = __ockl_wfred_max_i32(v); o[2] = __ockl_wfred_min_i32(v);
            o[3] = __ockl_wfred_xor_i32(v);
            o[4] = __ockl_wfscan_add_i32(v, true); o[5] = __ockl_wfscan_add_i32(v, false);
            o[6] = __ockl_activelane_u32(); o[7] = __ockl_wfany_i32(v == 5); o[8] = __ockl_wfall_i32(v > -50);
            o[9] = (int)(__ockl_wfred_add_f64(v * 0.5) * 2);
        } }"""
    values = np.random.default_rng(2).integers(-99, 99, 128).astype(np.int32)
    got = np.zeros((128, 10), np.int32)
    softrock.compile(source, options=["-mwavefrontsize64"] if wave else [])["k"][1, 128](values, got)
    softrock.synchronize()
    want = np.zeros_like(got)
    size = wave or WAVE[gpu]
    for start in range(0, 128, size):
        lanes = [t for t in range(start, start + size) if values[t] % 3]
        active = [int(values[t]) for t in lanes]
        for rank, t in enumerate(lanes):
            total = sum(active)
            row = [
                total,
                max(active),
                min(active),
                functools.reduce(lambda a, b: a ^ b, active),
                sum(active[: rank + 1]),
            ]
            want[t] = [*row, sum(active[:rank]), rank, 5 in active, min(active) > -50, total]
    np.testing.assert_array_equal(got, want)


def test_work_item_queries(gpu: str) -> None:
    names = ["local_id", "group_id", "global_id", "local_size", "global_size", "num_groups"]
    source = "\n".join(f"{DEVICE}unsigned long __ockl_get_{name}(unsigned);" for name in names)
    source += '\nextern "C" __global__ void k(unsigned long *y) {\n'
    source += "size_t at = ((blockIdx.y * 3 + blockIdx.x) * 2 + threadIdx.y) * 8 + threadIdx.x; y += at * 18;\n"
    source += " ".join(f"y[{i * 3 + d}] = __ockl_get_{n}({d});" for i, n in enumerate(names) for d in range(3)) + "}"
    got = np.zeros((2, 3, 2, 8, 6, 3), np.uint64)
    softrock.compile(source)["k"][(3, 2), (8, 2)](got)
    softrock.synchronize()
    for by, bx, ty, tx in np.ndindex(2, 3, 2, 8):
        want = [(tx, ty, 0), (bx, by, 0), (bx * 8 + tx, by * 2 + ty, 0), (8, 2, 1), (24, 4, 1), (3, 2, 1)]
        np.testing.assert_array_equal(got[by, bx, ty, tx], want)


def test_many_threads_allocate_at_once(gpu: str) -> None:
    source = """
    extern "C" __global__ void k(unsigned long long *where, int *bad) {
        int t = blockIdx.x * blockDim.x + threadIdx.x, n = 1 + t % 37;
        int *p = (int *)malloc(n * sizeof(int)), *q = (int *)malloc(16);
        for (int i = 0; i < n; i++) p[i] = t + i;
        q[0] = t;
        free(q);
        for (int i = 0; i < n; i++) if (p[i] != t + i) atomicAdd(bad, 1);
        where[t] = (unsigned long long)p;
        if (t % 2) free(p);
    }"""
    where, bad = np.zeros(2048, np.uint64), np.zeros(1, np.int32)
    softrock.compile(source)["k"][8, 256](where, bad)
    softrock.synchronize()
    kept = where[::2]
    assert bad[0] == 0
    assert (kept != 0).all()
    assert len(set(kept.tolist())) == len(kept)


def test_freeing_twice_is_a_fault(gpu: str) -> None:
    source = 'extern "C" __global__ void k(int *p) { void *q = malloc(8 + p[0]); free(q); free(q); }'
    kernel = softrock.compile(source)["k"]

    def run() -> None:
        kernel[1, 1](np.zeros(1, np.int32))
        softrock.synchronize()

    with pytest.raises(SoftrockError, match="trap"):
        run()
    state.reset_for_tests()
    hidden.forget()
