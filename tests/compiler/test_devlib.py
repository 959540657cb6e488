"""The device library's bitcode: complete, self-contained, inlined, and linkable for every target."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.compiler import devlib, toolchain
from softrock.compiler.devlib import layout
from softrock.compiler.devlib.accuracy import cases
from softrock.compiler.devlib.accuracy.evaluate import kernel_source
from softrock.core import cache
from softrock.core.errors import UsageError

UNARY = [
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atanh",
    "atanpi",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "cospi",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "i0",
    "i1",
    "j0",
    "j1",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "ncdf",
    "ncdfinv",
    "nearbyint",
    "pred",
    "rcbrt",
    "rint",
    "round",
    "rsqrt",
    "sin",
    "sinh",
    "sinpi",
    "sqrt",
    "succ",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
    "y0",
    "y1",
]
OTHER = [
    "atan2",
    "atan2pi",
    "copysign",
    "fdim",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fmuladd",
    "fpclassify",
    "fract",
    "frexp",
    "hypot",
    "ilogb",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "ldexp",
    "len3",
    "len4",
    "lgamma_r",
    "mad",
    "max",
    "maxmag",
    "min",
    "minmag",
    "modf",
    "nan",
    "nextafter",
    "pow",
    "pown",
    "powr",
    "remainder",
    "remquo",
    "remquo2",
    "rhypot",
    "rlen3",
    "rlen4",
    "rootn",
    "scalb",
    "scalbn",
    "signbit",
    "sincos",
    "sincospi",
]
ROUNDED = [
    f"{op}_{mode}" for op in ("add", "sub", "mul", "div", "sqrt", "fma") for mode in ("rte", "rtn", "rtp", "rtz")
]
NATIVE = ["sin", "cos", "exp", "exp2", "exp10", "log", "log2", "log10", "recip", "rsqrt", "sqrt"]
CONVERSIONS = [
    f"__ocml_cvt{mode}_{what}"
    for mode in ("rtn", "rtp", "rtz")
    for what in ["f16_f32", "f16_f64", "f32_f64", "f32_s32", "f32_u32", "f32_s64", "f32_u64", "f64_s64", "f64_u64"]
]
OCKL = [
    "get_local_id",
    "get_group_id",
    "get_global_id",
    "get_local_size",
    "get_global_size",
    "get_num_groups",
    "get_global_offset",
    "get_work_dim",
    "activelane_u32",
    "lane_u32",
    "steadyctr_u64",
    "cyclectr_u64",
    "fdot2_f32_f16_f16",
    "sdot4",
    "udot4",
    "sad_u32",
    "sad_u8",
    "bfe_u32",
    "wfred_add_i32",
    "wfred_max_f64",
    "wfscan_add_u32",
    "wfany_i32",
    "wfall_i32",
    "dm_alloc",
    "dm_dealloc",
    "clz_u32",
    "popcount_u64",
    "mul_hi_u64",
]

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def expected() -> list[str]:
    """Every symbol that must be there."""
    math = [f"__ocml_{n}_{t}" for n in UNARY + OTHER + ROUNDED for t in ("f32", "f64", "f16")]
    packed = [f"__ocml_{n}_2f16" for n in UNARY if n not in ("pred", "succ")] + ["__ocml_fma_2f16"]
    stret = [f"__ocml_{n}_stret_{t}" for n in ("sincos", "sincospi") for t in ("f32", "f64")]
    native = [f"__ocml_native_{n}_f32" for n in NATIVE]
    plain = ["__printf_alloc", "memcpy", "memmove", "memset", "memcmp", "__cxa_pure_virtual"]
    return math + packed + stret + native + CONVERSIONS + [f"__ockl_{n}" for n in OCKL] + plain


@pytest.fixture(scope="module")
def functions() -> dict[str, bool]:
    """Functions of the bitcode: name -> whether it has a body."""
    from llvmlite import binding

    (path,) = devlib.bitcode("gfx942")
    module = binding.parse_bitcode(path.read_bytes())
    return {function.name: not function.is_declaration for function in module.functions}


def test_every_promised_symbol_is_defined(functions: dict[str, bool]) -> None:
    missing = [name for name in expected() if not functions.get(name, False)]
    assert not missing


def test_nothing_but_intrinsics_is_left_open(functions: dict[str, bool]) -> None:
    open_ends = [name for name, defined in functions.items() if not defined and not name.startswith("llvm.")]
    assert not open_ends


def test_it_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = devlib.bitcode("gfx942")
    monkeypatch.setattr(toolchain, "run", lambda *_: pytest.fail("built again"))
    said: list[str] = []
    assert devlib.bitcode("gfx1100:xnack-", progress=said.append) == first
    assert not said
    assert first[0].parent == cache.folder("devlib")


def test_a_first_use_says_so_and_survives_a_broken_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path))
    toolchain.environment.cache_clear()
    said: list[str] = []
    (path,) = devlib.bitcode("gfx942", progress=said.append)
    toolchain.environment.cache_clear()
    assert said == ["building the device library (once)"]
    assert path.read_bytes()[:2] == b"BC"
    assert {p.name for p in path.parent.iterdir()} == {path.name, path.with_suffix(".seal").name}


def test_other_processors_are_refused() -> None:
    with pytest.raises(UsageError, match="no device library for 'sm_90'"):
        devlib.bitcode("sm_90")


def compile_kernels(zig: Callable[..., None], folder: Path, source: str, target: str, *flags: str) -> None:
    """k.hip to k.o with the device library linked."""
    (folder / "k.hip").write_text(source)
    (library,) = devlib.bitcode(target)
    common = ["-triple", "amdgcn-amd-amdhsa", "-target-cpu", target, "-x", "hip", "-fcuda-is-device", "-O3"]
    link = ["-mlink-builtin-bitcode", str(library), "-mprintf-kind=buffered"]
    zig("clang", "-cc1", *common, *link, *flags, "-o", "k.o", "k.hip", folder=folder)


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_link_for_every_target(zig: Callable[..., None], tmp_path: Path, target: str) -> None:
    names = ["sin", "exp", "pow", "tgamma", "fmod", "erfinv"]
    compile_kernels(zig, tmp_path, kernel_source(names, "f32") + kernel_source(names, "f64"), target, "-emit-obj")
    zig("ld.lld", "-shared", "--no-undefined", "k.o", "-o", "k.co", folder=tmp_path)
    assert (tmp_path / "k.co").stat().st_size > 1000


@pytest.mark.long
@pytest.mark.parametrize("type_name", ["f32", "f64", "f16"])
def test_every_function_of_the_accuracy_table_compiles(
    zig: Callable[..., None], tmp_path: Path, type_name: str
) -> None:
    names = sorted({each.function for each in cases()})
    compile_kernels(zig, tmp_path, kernel_source(names, type_name), "gfx1100", "-emit-obj")
    zig("ld.lld", "-shared", "--no-undefined", "k.o", "-o", "k.co", folder=tmp_path)


def test_functions_are_inlined_into_kernels(zig: Callable[..., None], tmp_path: Path) -> None:
    compile_kernels(zig, tmp_path, kernel_source(["sin", "log"], "f32"), "gfx942", "-emit-llvm")
    defined = re.findall(r"^define .*?@(\w+)", (tmp_path / "k.o").read_text(), re.MULTILINE)
    assert sorted(defined) == ["eval_log_f32", "eval_sin_f32"]


def test_the_hash_of_a_format_is_the_compilers(zig: Callable[..., None], tmp_path: Path) -> None:
    source = (
        'extern "C" __attribute__((device)) int printf(const char *, ...);\n'
        'extern "C" __attribute__((global)) void k(int x) { printf("x is %d\\n", x); }\n'
    )
    compile_kernels(zig, tmp_path, source, "gfx942", "-emit-llvm")
    text = (tmp_path / "k.o").read_text()
    assert f"0:0:{layout.format_hash(b'x is %d' + bytes([10])):x},x is %d" in text
