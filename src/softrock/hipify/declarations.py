"""Headers of libraries that are not installed, made from the mapping tables: enough for clang to resolve names.

A function is a template that takes anything, an enumerator converts to any type, a handle is a pointer. What a program
means by a name is thus known without a prototype for each of some thousand functions, and none of it can be linked.
What needs a shape of its own (members of structures, values of macros) stands in ``include/softrock/shapes``, class
templates in headers next to it.
"""

from __future__ import annotations

import contextlib
import functools
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from softrock.core import cache
from softrock.core.errors import SoftrockError

INCLUDE = Path(__file__).parent / "include"
"""Headers written by hand."""

_SHAPES = INCLUDE / "softrock" / "shapes"
_TABLES = Path(__file__).parent / "tables"
OWN = Path(__file__).parent.parent / "compiler" / "include"
"""Headers of our compiler."""
_KIND = "hipify-include"
_NAME = re.compile(r"[A-Za-z_]\w*")
_DECLARED = frozenset(["function", "type", "struct", "enum", "enumerator", "macro", "variable"])
# What is declared by rule: names with a library's prefix (not `texture`, which the table has too).
_MEMBERS = re.compile(r"\b(?:hip|HIP|cu|CU|nv|NV|rcc|mio|p?ncc|NCCL)\w*")


@dataclass(frozen=True, slots=True)
class Family:
    """The headers of one table.

    Attributes:
        table: its name without ``.tsv``.
        status: what its functions return, on CUDA's and on HIP's side.
        cuda, hip: headers, the first of which has the declarations.
        first: lines at their beginning.
    """

    table: str
    status: tuple[str, str]
    cuda: tuple[str, ...]
    hip: tuple[str, ...]
    first: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


def _family(table: str, status: str, cuda: str, hip: str, first: str = "", hip_first: str = "") -> Family:
    pair = status.split()
    return Family(
        table,
        (pair[0], pair[-1]),
        tuple(cuda.split()),
        tuple(hip.split()),
        (tuple(first.split()), tuple(hip_first.split())),
    )


# In the order in which a name that two tables have is given to the first.
FAMILIES = (
    _family(
        "cublas",
        "cublasStatus_t hipblasStatus_t",
        "cublas_v2.h cublas_api.h cublas.h cublasXt.h",
        "hipblas/hipblas.h hipblas.h",
        "cuComplex.h library_types.h cuda_fp16.h cuda_bf16.h",
        "hip/hip_complex.h hip/library_types.h hip/hip_fp16.h hip/hip_bf16.h",
    ),
    _family(
        "cublaslt",
        "cublasStatus_t hipblasStatus_t",
        "cublasLt.h",
        "hipblaslt/hipblaslt.h hipblaslt.h hipblaslt/hipblaslt-ext.hpp",
        "cublas_v2.h",
        "hipblas/hipblas.h",
    ),
    _family(
        "cufft",
        "cufftResult hipfftResult",
        "cufft.h cufftXt.h cufftw.h",
        "hipfft/hipfft.h hipfft.h hipfft/hipfftXt.h",
        "cuComplex.h library_types.h",
        "hip/hip_complex.h hip/library_types.h",
    ),
    _family(
        "curand",
        "curandStatus_t hiprandStatus_t",
        "curand.h",
        "hiprand/hiprand.h hiprand.h",
    ),
    _family(
        "cusparse",
        "cusparseStatus_t hipsparseStatus_t",
        "cusparse.h cusparse_v2.h",
        "hipsparse/hipsparse.h hipsparse.h",
        "cuComplex.h library_types.h",
        "hip/hip_complex.h hip/library_types.h",
    ),
    _family(
        "cusolver",
        "cusolverStatus_t hipsolverStatus_t",
        "cusolver_common.h cusolverDn.h cusolverSp.h cusolverRf.h cusolverMg.h cusolverSp_LOWLEVEL_PREVIEW.h",
        "hipsolver/hipsolver.h hipsolver.h",
        "cublas_v2.h cusparse.h",
        "hipblas/hipblas.h hipsparse/hipsparse.h",
    ),
    _family(
        "cudnn",
        "cudnnStatus_t miopenStatus_t",
        "cudnn.h cudnn_version.h cudnn_graph.h cudnn_ops.h cudnn_cnn.h cudnn_adv.h cudnn_ops_infer.h cudnn_ops_train.h "
        "cudnn_cnn_infer.h cudnn_cnn_train.h cudnn_adv_infer.h cudnn_adv_train.h cudnn_backend.h",
        "miopen/miopen.h",
    ),
    # What our own headers do not have: a name that is not supported is still known for what it is.
    _family(
        "runtime",
        "cudaError_t hipError_t",
        "softrock/cuda_rest.h cuda_gl_interop.h cuda_egl_interop.h",
        "softrock/hip_rest.h hip/hip_gl_interop.h",
    ),
    _family("driver", "CUresult hipError_t", "softrock/cu_rest.h cudaGL.h cudaEGL.h", "", "cuda.h"),
    _family("nccl", "ncclResult_t", "nccl.h", "rccl/rccl.h rccl.h"),
    _family("cufile", "CUfileError_t hipFileError_t", "cufile.h", "hipfile.h", "cuda.h"),
)


REST = ["#include <softrock/cuda_rest.h>", "#include <softrock/cu_rest.h>"]
"""Lines that declare what our own CUDA-named headers lack."""


def shapes(family: Family, side: str) -> str:
    """Declarations of a family that are not made by rule."""
    path = _SHAPES / f"{family.table}_{side}.h"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _rows(table: Path) -> Iterator[dict[str, str]]:
    lines = table.read_text(encoding="utf-8").splitlines()
    lines = [each for each in lines if each.strip() and not each.startswith("#")]
    head = lines[0].split("\t") if lines else []
    for line in lines[1:]:
        yield dict(zip(head, line.split("\t"), strict=False))


@functools.cache
def _in_our_headers() -> frozenset[str]:
    """Names that the headers of our compiler have: those are not declared again."""
    found: set[str] = set()
    for path in OWN.rglob("*.[hi]*"):
        found.update(_MEMBERS.findall(path.read_text(encoding="utf-8")))
    return frozenset(found)


def names(family: Family, side: str) -> dict[str, str]:
    """Kind by name of what a family's table has on one side ("cuda" or "hip")."""
    found: dict[str, str] = {}
    path = _TABLES / f"{family.table}.tsv"
    for row in _rows(path) if path.is_file() else ():
        kind = row.get("kind", "")
        for name in re.split(r"[\s,;/]+", row.get(side, "")):
            if kind in _DECLARED and _NAME.fullmatch(name):
                found.setdefault(name, kind)
    return found


_RETURNS = (
    (re.compile(r"cudaGetParameterBuffer"), "void*"),  # clang knows this name and wants it so
    (
        re.compile(r"Get(?:Error|Status|LastError)?(?:String|Name)$|GetLastError(?:String)?$|cufileop_status_error"),
        "const char*",
    ),
    (re.compile(r"(?:cudnn|cublasLt|hipblasLt|miopen)Get(?:Cudart|Cuda)?[vV]ersion$"), "size_t"),
)


def _function(name: str, status: str, known: dict[str, str]) -> str:
    kind = next((kind for pattern, kind in _RETURNS if pattern.search(name)), status)
    kind = kind if "*" in kind or kind == "size_t" or kind in known else "int"
    return (
        f"#ifdef __cplusplus\ntemplate <class... A> __host__ __device__ {kind} {name}(A&&...);\n"
        f"#else\n{kind} {name}();\n#endif\n"
    )


def header(family: Family, side: str, taken: set[str]) -> str:
    """The text of a family's first header.

    Args:
        side: "cuda" or "hip".
        taken: names that are declared elsewhere; those declared here are added.
    """
    mine = names(family, side)
    status = family.status[side == "hip"]
    same = side == "hip" and bool(mine) and mine.keys() == names(family, "cuda").keys()
    mine.setdefault(status, "enum")
    special = shapes(family, "cuda" if same else side)
    taken |= set(_NAME.findall(special))
    order = ("enum", "type", "struct", "macro", "enumerator", "variable", "function")
    parts = [special]
    number = 1
    for name, kind in sorted(mine.items(), key=lambda item: order.index(item[1])):
        if name in taken or name in _in_our_headers() or not _MEMBERS.fullmatch(name):
            continue
        taken.add(name)
        if kind == "enum" or (kind == "type" and name == status):
            parts.append(f"#ifdef __cplusplus\nenum {name} : int {{}};\n#else\ntypedef int {name};\n#endif\n")
        elif kind == "type":
            parts.append(f"typedef struct {name}_opaque* {name};\n")
        elif kind == "struct":
            parts.append(f"typedef struct {name} {{ char opaque[64]; }} {name};\n")
        elif kind == "macro":
            parts.append(f"#define {name} 1\n")
        elif kind in ("enumerator", "variable"):
            value = 0 if name.endswith(("SUCCESS", "Success")) else number
            number += 1
            cxx, c = f"constexpr softrock::Any {name}{{{value}}};", f"enum {{ {name} = {value} }};"
            parts.append(f"#ifdef __cplusplus\n{cxx}\n#else\n{c}\n#endif\n")
        else:
            parts.append(_function(name, status, mine | dict.fromkeys(taken, "")))
    runtime = "cuda_runtime.h" if side == "cuda" else "hip/hip_runtime.h"
    first = [f"#include <{each}>\n" for each in (runtime, "softrock/anything.h", *family.first[side == "hip"])]
    guard = f"SOFTROCK_DECLARED_{'cuda' if same else side}_{family.table}_H".upper()
    return "".join([f"#ifndef {guard}\n#define {guard}\n", *first, *parts, "#endif\n"])


_TEMPLATES = {
    "cub": {"cuda": "softrock/cub.h", "hip": "softrock/hipcub.h"},
    "thrust": {"cuda": "softrock/thrust.h", "hip": "softrock/thrust.h"},
    "libcudacxx": {"cuda": "softrock/cuda_std.h", "hip": "softrock/cuda_std.h"},
}
"""Headers written by hand that stand for all of a library of templates, by its table and the side."""


def _header_rows() -> Iterator[tuple[str, str]]:
    """(header, what it includes) of the tables' headers of libraries of templates."""
    for table, target in _TEMPLATES.items():
        path = _TABLES / f"{table}.tsv"
        for row in _rows(path) if path.is_file() else ():
            for side in ("cuda", "hip"):
                if row.get("kind") == "header" and row.get(side, "-") != "-":
                    yield row[side], target[side]


def redirects() -> Iterator[tuple[str, str]]:
    """(header, what it includes) of headers that are there by name alone."""
    for line in (INCLUDE / "softrock" / "redirects.tsv").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, target = line.split("\t")
            before, brace, rest = pattern.partition("{")
            inner, _, after = rest.partition("}")
            yield from ((f"{before}{each}{after}", target) for each in (inner.split(",") if brace else [""]))


def texts() -> dict[str, str]:
    """All generated headers by their name."""
    pairs = [*_header_rows(), *redirects()]
    found = {name: f"#include <{target}>\n" for name, target in pairs if not (OWN / name).is_file()}
    for side in ("cuda", "hip"):
        taken: set[str] = set()
        for family in FAMILIES:
            main, *others = (family.cuda if side == "cuda" else family.hip) or ("",)
            if not main:
                continue
            text = header(family, side, taken)
            found[main] = text
            for each in others:
                found.setdefault(each, f"#include <{main}>\n")
    return found


@functools.cache
def folder() -> Path:
    """The folder with the generated headers, made where it is not there yet.

    Raises:
        SoftrockError: the cache folder cannot be written.
    """
    inputs = [*sorted(p for p in INCLUDE.rglob("*") if p.is_file()), Path(__file__), *sorted(_TABLES.glob("*.tsv"))]
    stamps = [f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in (*inputs, *OWN.rglob("*.h"))]
    place = cache.folder(_KIND)
    target = place / cache.key_of(*stamps)[:32]
    if target.is_dir():
        return target
    try:
        new = Path(tempfile.mkdtemp(dir=place))
        for name, text in texts().items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(text, encoding="utf-8")
        with contextlib.suppress(OSError):  # another process was first
            new.rename(target)
        shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise SoftrockError(f"{place}: cannot be written: {error.strerror}", hint="set SOFTROCK_CACHE_DIR") from None
    for old in sorted(place.iterdir(), key=lambda each: each.stat().st_mtime)[:-4]:
        shutil.rmtree(old, ignore_errors=True)
    return target
