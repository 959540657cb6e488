"""Make the tables of CUDA names (src/softrock/hipify/tables) from public facts.

    python tools/hipify_tables.py --hipify CHECKOUT [--bindings FOLDER]

CHECKOUT is a working copy of ROCm/HIPIFY: the names in its documentation (docs/**/tables/*.md) and the kinds of names
in its maps (src/CUDA2HIP*.cpp). FOLDER has the Cython declarations (*.pxd) of the packages hip-python and
hip-python-interop, and headers (*.h) of ROCm libraries: which names they have. Third come our own headers. Names, kinds
and versions alone are taken from them. What reasons.tsv and a row's note say is written by hand and kept.

A name is mapped where any of the three knows a counterpart. Rows that a person wrote or changed have a note, or stand
in a table that this program does not make; they stay as they are.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLES = ROOT / "src" / "softrock" / "hipify" / "tables"
HEADERS = ROOT / "src" / "softrock" / "compiler" / "include"
COLUMNS = ("cuda", "hip", "kind", "since", "status", "note")

_MAP = re.compile(r'\{\s*"([^"]+)",\s*\{\s*"([^"]*)",\s*"([^"]*)",\s*(CONV_\w+),\s*(API_\w+),([^}]*)\}')
_DOC = re.compile(r"^\|`([^`]+)`\|(.*)\|\s*$")
_DEFINE = re.compile(r"^#define (\w+) (\w+)$", re.MULTILINE)
_CIMPORT = re.compile(r"^from hip\.\w+ cimport (\w+) as (\w+)$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_OTHERS = re.compile(r"GL|Vdp|EGL|cl_")  # names of other interfaces that CUDA's documentation mentions

DOCUMENTS: tuple[tuple[str, str, dict[str, str]], ...] = (
    # (document, family, {beginning of a section's title: family})
    ("CUDA_Runtime_API_functions_supported_by_HIP", "runtime", {}),
    ("CUDA_Driver_API_functions_supported_by_HIP", "driver", {}),
    ("CUDA_RTC_API_supported_by_HIP", "nvrtc", {}),
    ("cuComplex_API_supported_by_HIP", "complex", {}),
    (
        "CUBLAS_API_supported_by_HIP",
        "cublas",
        {"CUDA Library Data types": "runtime", "CUBLASLt": "cublaslt", "BLASLt": "cublaslt"},
    ),
    ("CUFFT_API_supported_by_HIP", "cufft", {}),
    ("CURAND_API_supported_by_HIP", "curand", {}),
    ("CUSPARSE_API_supported_by_HIP", "cusparse", {}),
    ("CUSOLVER_API_supported_by_HIP", "cusolver", {}),
    ("CUDNN_API_supported_by_MIOPEN", "cudnn", {}),
    ("CUDA_Device_API_supported_by_HIP", "device", {"Device Types": "types"}),
)
"""Documents and the tables that they fill; a name that stands in two belongs to the first."""

KINDS = {
    "CONV_NUMERIC_LITERAL": "enumerator",
    "CONV_DEFINE": "macro",
    "CONV_TYPE": "type",
    "CONV_DEVICE_TYPE": "type",
    "CONV_TYPES": "type",
}
"""What the maps call a name -> kind; everything else there is a function."""

RENAMED = {
    "cublas": (("cublas", "hipblas"), ("CUBLAS_", "HIPBLAS_")),
    "cublaslt": (("cublasLt", "hipblasLt"), ("CUBLASLT_", "HIPBLASLT_")),
    "cufft": (("cufft", "hipfft"), ("CUFFT_", "HIPFFT_"), ("cuda", "hip")),
    "curand": (("curand", "hiprand"), ("CURAND_", "HIPRAND_")),
    "cusparse": (("cusparse", "hipsparse"), ("CUSPARSE_", "HIPSPARSE_")),
    "cusolver": (("cusolver", "hipsolver"), ("CUSOLVER_", "HIPSOLVER_")),
    "nvrtc": (("nvrtc", "hiprtc"), ("NVRTC_", "HIPRTC_")),
    "runtime": (("cuda", "hip"), ("cudaDevAttr", "hipDeviceAttribute")),
}
"""How a family renames; used only where the name that comes out is known to exist."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table."""

    cuda: str
    hip: str = "-"
    kind: str = "function"
    since: str = "-"
    status: str = "unsupported"
    note: str = "-"

    def text(self) -> str:
        return "\t".join(getattr(self, each) for each in COLUMNS)


class Names(frozenset[str]):
    """Names that HIP and its libraries have."""

    def any_case(self, name: str) -> str:
        """The one name that differs from this one in its capitals alone; "" where there is none."""
        found = [each for each in self if each.casefold() == name.casefold()]
        return found[0] if len(found) == 1 else ""


def read_table(path: Path) -> tuple[list[str], dict[str, Line]]:
    """Comment lines and rows of a table; nothing where there is no such file."""
    if not path.is_file():
        return [], {}
    lines = path.read_text(encoding="utf-8").splitlines()
    body = [each for each in lines if each and not each.startswith("#")][1:]
    return [each for each in lines if each.startswith("#")], {
        row.split("\t")[0]: Line(*row.split("\t")) for row in body
    }


def kinds(checkout: Path) -> dict[str, str]:
    """Kind by CUDA name, from the maps."""
    found: dict[str, str] = {}
    for path in sorted((checkout / "src").glob("CUDA2HIP*.cpp")):
        for cuda, _, _, conversion, _, _ in _MAP.findall(path.read_text(encoding="utf-8")):
            found.setdefault(cuda, KINDS.get(conversion, "function"))
    return found


def bound(folder: Path | None) -> tuple[dict[str, str], dict[str, str]]:
    """(HIP name -> kind, CUDA name -> HIP name) of Cython declarations."""
    names: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for path in sorted(folder.rglob("*.h")) if folder else ():
        names |= dict.fromkeys(re.findall(r"\b(?:hip|HIP)\w+", path.read_text(encoding="utf-8")), "function")
    for path in sorted(folder.rglob("*.pxd")) if folder else ():
        text = path.read_text(encoding="utf-8")
        pairs |= {cuda: hip for hip, cuda in _CIMPORT.findall(text)}
        inside = False
        for line in text.splitlines():
            head = re.match(r"\s+c(?:type)?def (enum|struct|union) ?(\w*):", line)
            member = re.match(r"\s{8}([A-Z]\w+)$", line)
            function = re.match(r"cdef [^(]*?\b(\w+)\(", line)
            plain = re.match(r"\s+(?:ctypedef|cdef) [^(]*?(\w+)$", line)
            if head:
                inside = head[1] == "enum"
                names[head[2]] = head[1]
            elif inside and member:
                names[member[1]] = "enumerator"
            elif function:
                names[function[1]] = "function"
            elif plain:
                names.setdefault(plain[1], "type")
    return names, pairs


def ours() -> tuple[frozenset[str], dict[str, str]]:
    """(names in our HIP headers, CUDA name -> HIP name in our CUDA headers)."""
    names: set[str] = set()
    for path in (HEADERS / "hip").rglob("*.[hi]*"):
        names.update(_NAME.findall(path.read_text(encoding="utf-8")))
    pairs: dict[str, str] = {}
    for path in HEADERS.rglob("*.h"):
        if not path.is_relative_to(HEADERS / "hip"):
            found = _DEFINE.findall(path.read_text(encoding="utf-8"))
            pairs |= {cuda: hip for cuda, hip in found if re.match(r"_*(hip|HIP)", hip) and hip in names}
    return frozenset(names), pairs


def documented(checkout: Path, kind: dict[str, str]) -> dict[str, dict[str, Line]]:
    """Rows by family and name, as the documentation has them."""
    tables: dict[str, dict[str, Line]] = {}
    taken: set[str] = set()
    for name, family, sections in DOCUMENTS:
        path = next((checkout / "docs").rglob(f"{name}.md"))
        where = family
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                title = re.sub(r"[#*\d. ]*", "", line, count=1)
                where = next((other for start, other in sections.items() if title.startswith(start)), family)
            match = _DOC.match(line)
            if not match or match[1] in taken or _OTHERS.match(match[1]):
                continue
            cells = [each.strip(" `") for each in match[2].split("|")]
            cuda_removed, hip, since, deprecated = cells[3], cells[4], cells[5], cells[6]
            status = "removed" if cuda_removed else "unsupported"
            if hip:
                status = "deprecated" if deprecated else "full"
            taken.add(match[1])
            row = Line(match[1], hip or "-", kind.get(match[1], "function"), (hip and since) or "-", status)
            if re.fullmatch(r"__nv_fp\w+", row.cuda):
                row = replace(row, kind="type")
            tables.setdefault(where, {})[match[1]] = row
    return tables


def renamed(row: Line, family: str, known: Names, pairs: tuple[dict[str, str], ...]) -> Line:
    """A row whose counterpart today's headers do not have, with the name it has there, or without a counterpart."""
    # hipBLAS 3 has given the names of its first interface to the second one.
    candidates = [row.hip.replace("_v2", ""), *(each[row.cuda] for each in pairs if row.cuda in each)]
    candidates.append(known.any_case(row.hip))
    hip = next((each for each in candidates if each in known), None)
    if hip:
        return replace(row, hip=hip)
    if family in ("runtime", "driver") and "GL" not in row.cuda:  # HIP's headers for OpenGL are not among ours
        return replace(row, hip="-", since="-", status="unsupported")
    return row


def counterpart(row: Line, family: str, known: Names, pairs: tuple[dict[str, str], ...]) -> Line:
    """A row with a counterpart that the documentation does not give, where there is one."""
    if row.hip != "-":
        return row if row.hip in known else renamed(row, family, known, pairs)
    candidates = [each[row.cuda] for each in pairs if row.cuda in each]
    if family in ("device", "types"):
        candidates.append(row.cuda)
    for old, new in RENAMED.get(family, ()):
        if row.cuda.startswith(old):
            stem = new + row.cuda.removeprefix(old)
            candidates += [
                stem,
                f"{stem}_t",
                stem.removesuffix("_v2"),
                stem.removesuffix("_v2").removesuffix("_st") + "_t",
            ]
    hip = next((each for each in candidates if each in known), None)
    return row if hip is None else replace(row, hip=hip, status="full")


def better_kind(row: Line, names: dict[str, str]) -> Line:
    """A row whose kind "type" is told apart by what the bindings say of the counterpart."""
    known = names.get(row.hip)
    if row.kind == "type" and known in ("enum", "struct"):
        return replace(row, kind=known)
    if row.kind == "type" and known == "union":
        return replace(row, kind="struct")
    return row


def differing(row: Line, family: str) -> Line:
    """A row as partial where reasons.tsv knows how the counterpart differs."""
    for line in (TABLES / "reasons.tsv").read_text(encoding="utf-8").splitlines():
        where, pattern, status, *_ = [*line.split("\t"), "", ""]
        if status == "partial" and row.status == "full" and where in ("*", family) and re.fullmatch(pattern, row.cuda):
            return replace(row, status="partial")
    return row


def title(family: str) -> list[str]:
    """The comment at the head of a table that had none."""
    return [
        f"# CUDA names of the family {family} and their HIP counterparts; the columns are explained in table.py.",
        "# Source of names, kinds and versions: the tables of the HIPIFY documentation",
        "# (rocm.docs.amd.com/projects/HIPIFY), declarations of hip-python for HIP 7.2, our own headers.",
    ]


def by_hand(families: frozenset[str]) -> frozenset[str]:
    """Names in tables that this program does not make."""
    found: set[str] = set()
    for path in TABLES.glob("*.tsv"):
        if path.stem not in families | {"reasons", "libraries", "cmake", "python"}:
            found |= read_table(path)[1].keys()
    return frozenset(found)


def write(family: str, made: dict[str, Line]) -> int:
    """Write one table; rows with a note win, as a person has touched them."""
    path = TABLES / f"{family}.tsv"
    comments, old = read_table(path)
    rows = made | {name: row for name, row in old.items() if row.note != "-"}
    body = [row.text() for _, row in sorted(rows.items())]
    path.write_text("\n".join([*(comments or title(family)), "\t".join(COLUMNS), *body, ""]), encoding="utf-8")
    return len(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hipify", type=Path, required=True, help="working copy of ROCm/HIPIFY")
    parser.add_argument("--bindings", type=Path, help="folder with hip-python's *.pxd and libraries' *.h")
    arguments = parser.parse_args()
    names, interop = bound(arguments.bindings)
    own, pairs = ours()
    known = Names(own | names.keys())
    tables = documented(arguments.hipify, kinds(arguments.hipify))
    elsewhere = by_hand(frozenset(tables))
    taken = {name for rows in tables.values() for name in rows}
    for family, rows in tables.items():
        made = {
            name: better_kind(counterpart(row, family, known, (pairs, interop)), names) for name, row in rows.items()
        }
        if family == "runtime":
            extra = {cuda: hip for cuda, hip in (interop | pairs).items() if cuda.startswith("cuda")}
        elif family == "driver":
            extra = {cuda: hip for cuda, hip in (interop | pairs).items() if re.match(r"CU|cu[A-Z]", cuda)}
        else:
            extra = {}
        for cuda, hip in extra.items():
            if cuda not in taken and hip in known:
                kind = names.get(hip, "function")
                made[cuda] = Line(cuda, hip, "struct" if kind == "union" else kind, "-", "full")
                taken.add(cuda)
        made = {name: differing(row, family) for name, row in made.items() if name not in elsewhere}
        print(f"{family}: {write(family, made)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
