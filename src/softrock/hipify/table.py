"""CUDA's names and what HIP has for them: the mapping tables.

A table is a file in ``tables``, a line a name; `Row` says what its columns mean. ``reasons.tsv`` has the notes that
many rows share: why names have no counterpart, or one that differs, and what to do. ``libraries.tsv`` says what stands
in for a family as a whole. Lines are read at once and made into rows when asked for: a program names few of them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "tables"
STATUSES = ("full", "partial", "deprecated", "removed", "unsupported")
KINDS = (
    "function", "type", "struct", "enum", "enumerator", "macro", "variable", "class",
    "header", "namespace", "target", "command", "property", "package", "language", "option",
)  # fmt: skip
FAMILIES = (
    "runtime", "driver", "nvrtc", "device", "intrinsics", "types", "complex", "macros", "cooperative_groups",
    "cublas", "cublaslt", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl",
    "cub", "thrust", "libcudacxx", "nvtx", "cufile", "headers",
)  # fmt: skip
"""Tables of names in C++ sources. A name stands in one of them."""
OTHERS = ("cmake", "python")
"""Tables of names in CMake files and in Python sources."""
VERDICTS = ("drop-in", "mostly", "redesign", "none")

_PREFIXES = (
    # (pattern, family): what a name that is in no table belongs to; the first that fits holds.
    (r"cublasLt\w*|CUBLASLT_\w+", "cublaslt"),
    (r"cublas[A-Z]\w*|CUBLAS(?:XT)?_\w+", "cublas"),
    (r"cufft[A-Z]\w*|CUFFT_\w+", "cufft"),
    (r"curand(?:[A-Z]\w*|\d)?|curand_(?:uniform|normal|log|poisson|discrete|init|mtgp|Philox|precalc)\w*", "curand"),
    (r"CURAND_\w+", "curand"),
    (r"cusparse(?:[A-Z]\w*)|CUSPARSE_\w+", "cusparse"),
    (r"cusolver[A-Z]\w*|CUSOLVER\w*_\w+", "cusolver"),
    (r"cudnn[A-Z]\w*|CUDNN_\w+", "cudnn"),
    (r"p?nccl[A-Z]\w*|NCCL_\w+", "nccl"),
    (r"nvrtc[A-Z]\w*|NVRTC_\w+", "nvrtc"),
    (r"nvtx(?:[A-Z]\w*|3(?:::[\w:]+)?)|NVTX3?_\w+", "nvtx"),
    (r"cuFile\w*|CUfile\w*|CUFile\w*|CU_?FILE_\w+|cufile[A-Z]\w*", "cufile"),
    (r"cu(?:tensor|dss|sten|solverMp|blasMp|quantum|statevec|tensornet)[A-Z]\w*|CUTENSOR_\w+|CUDSS_\w+", "other"),
    (r"nv(?:ml|jpeg|graph|JitLink|PTXCompiler|Fatbin|shmem|comp|cv|infer)(?:[A-Z]\w*|_\w+)", "other"),
    (r"NVML_\w+|NVJPEG_\w+|NVSHMEM_\w+", "other"),
    (r"npp[isc]?[A-Z]\w*|NPP_\w+|optix[A-Z]\w*|OPTIX_\w+|cupti[A-Z]\w*|CUPTI_\w+", "other"),
    (r"cuda::[a-z][a-z0-9_:]*|nvcuda::\w[\w:]*", "libcudacxx"),
    (r"cub::\w[\w:]*|CUB_\w+", "cub"),
    (r"thrust::\w[\w:]*|THRUST_\w+", "thrust"),
    (r"cooperative_groups::\w[\w:]*", "cooperative_groups"),
    (r"cutlass::\w[\w:]*|cute::\w[\w:]*|CUTLASS_\w+|CUTE_\w+", "other"),
    (r"cuda[A-Z]\w*|CUDART(?:API|_\w+)", "runtime"),
    (r"cu[A-Z][a-z]\w*|cu(?:GL|D3D|VDPAU|EGL)\w+|CU_\w+|CU[a-z]\w*|CUDA_\w+|CUDAAPI", "driver"),
    (r"__CUDA\w+|__NV(?:CC|RTC|COMPILER)\w*|__cuda\w+", "macros"),
    (r"__nv_\w+|__NV_\w+|__nanosleep|__nvvm_\w+|nv_bfloat16\w*", "device"),
)  # fmt: skip
_FAMILY = tuple((re.compile(pattern), family) for pattern, family in _PREFIXES)
_CUDA = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _PREFIXES))
# Words that programs make up for themselves: macros around calls, include guards.
_NOT_CUDA = re.compile(
    r"(?:CUDA|CU|CUDART|CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUDNN|NCCL|NVRTC|CUTLASS|THRUST|CUB)_"
    r"(?:\w*CHECK\w*|\w*SAFE\w*|CALL\w*|ERR|ERRCHK|TRY|KERNEL_\w*|1D_KERNEL_LOOP\w*|VISIBLE_DEVICES|HOST_DEVICE\w*|"
    r"CALLABLE\w*|ASSERT\w*|EXPECT\w*|REQUIRE\w*|LAUNCH\w*|\w*GUARD\w*|DEVICE|HOST|GLOBAL|INLINE|ENABLED?|USE_\w*|ARCH\w*|FOUND|"
    r"\w*_H_*|H|HPP|CUH)"
)


@dataclass(frozen=True, slots=True)
class Row:
    """What HIP has for a name.

    Attributes:
        cuda: CUDA's name. Members of C++ namespaces have theirs in front (``cub::DeviceReduce``).
        hip: HIP's, "" where there is none.
        kind: one of `KINDS`.
        since: version of ROCm in which the counterpart appeared, "" where that is not known.
        status: full; partial (works, but differs: see note); deprecated (in HIP); removed (from CUDA, and HIP has no
            counterpart); unsupported.
        note: what differs or why there is nothing, and what to do; never empty for a row that is neither full nor
            deprecated.
        family: the table it stands in.
    """

    cuda: str
    hip: str
    kind: str
    since: str
    status: str
    note: str
    family: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a name has no (or no equal) counterpart, and what to do."""

    reason: str
    suggestion: str

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.reason, self.suggestion)))


@dataclass(frozen=True, slots=True)
class Library:
    """What stands in for a family: its counterpart, one of `VERDICTS`, and a sentence."""

    counterpart: str
    verdict: str
    about: str


def _lines(name: str) -> list[str]:
    """The lines of a table behind its head."""
    text = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8")
    return [each for each in text.split("\n") if each and each[0] != "#"][1:]


class Table(Mapping[str, Row]):
    """Rows by CUDA name, made when asked for."""

    __slots__ = ("_lines", "_rows")

    def __init__(self, *families: str) -> None:
        self._lines: dict[str, tuple[str, str]] = {}
        self._rows: dict[str, Row] = {}
        for family in families:
            for line in _lines(family):
                self._lines.setdefault(line[: line.index("\t")], (family, line))

    def __getitem__(self, name: str) -> Row:
        row = self._rows.get(name)
        if row is None:
            family, line = self._lines[name]
            cuda, hip, kind, since, status, note = ("" if each == "-" else each for each in line.split("\t"))
            if not note and status != "full":
                note = str(_reason(cuda, family, status) or "")
            row = self._rows[name] = Row(cuda, hip, kind, since, status, note, family)
        return row

    def of_kind(self, kind: str) -> frozenset[str]:
        """Names of one kind, without rows being made of all the others."""
        return frozenset(name for name, (_, line) in self._lines.items() if line.split("\t", 3)[2] == kind)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


@functools.cache
def rows() -> Table:
    """Every name of C++ sources, headers and namespaces included."""
    return Table(*FAMILIES)


@functools.cache
def table(family: str) -> Table:
    """The rows of one table: one of `FAMILIES` or `OTHERS`."""
    return Table(family)


def lookup(name: str) -> Row | None:
    """What HIP has for a name of CUDA's in C++ sources; None where the name is in no table."""
    return rows().get(name)


def is_cuda_name(name: str) -> bool:
    """Whether a name looks as if CUDA or one of its libraries had it. Names in the tables are told by `lookup`.

    Words that programs commonly make up themselves (``CUDA_CHECK``) are not taken for CUDA's.
    """
    return _CUDA.fullmatch(name) is not None and _NOT_CUDA.fullmatch(name) is None


def family(name: str) -> str:
    """The family a name belongs to, by its table or its form; "" where it is not CUDA's, "other" without a table."""
    row = lookup(name)
    if row is not None:
        return row.family
    if not is_cuda_name(name):
        return ""
    return next(family for pattern, family in _FAMILY if pattern.fullmatch(name))


@functools.cache
def reasons() -> tuple[tuple[str, re.Pattern[str], str, Reason], ...]:
    """(family or "*", pattern of whole names, status, reason): the first that fits holds.

    The status is partial, deprecated, or absent, which stands for unsupported and removed.
    """
    found: list[tuple[str, re.Pattern[str], str, Reason]] = []
    for line in _lines("reasons"):
        where, pattern, status, why, todo = line.split("\t")
        found.append((where, re.compile(pattern), status, Reason(why, "" if todo == "-" else todo)))
    return tuple(found)


def _reason(name: str, family: str, status: str) -> Reason | None:
    status = "absent" if status in ("unsupported", "removed") else status
    for where, pattern, which, found in reasons():
        if which == status and where in ("*", family) and pattern.fullmatch(name):
            return found
    return None


def reason(name: str) -> Reason:
    """Why a name has no counterpart, or one that differs, and what to do; for names in no table by their form."""
    row = lookup(name)
    if row is None:
        return _reason(name, family(name), "unsupported") or Reason("HIP has nothing of this name", "")
    why, _, todo = row.note.partition("; ")
    return Reason(why, todo)


@functools.cache
def libraries() -> Mapping[str, Library]:
    """What stands in for each family of `FAMILIES`, and for libraries that have no table here."""
    split = (line.split("\t") for line in _lines("libraries"))
    return {family: Library(*("" if each == "-" else each for each in rest)) for family, *rest in split}
