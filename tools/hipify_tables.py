"""Make hipify's mapping tables: ``python tools/hipify_tables.py CHECKOUT`` with a checkout of the ROCm/HIPIFY repository.

The names, the HIP versions they appeared in, and what is deprecated or removed are facts that HIPIFY's documentation
lists (docs/tables). What is not listed there (NCCL, NVTX, cuFile, CMake, Python, headers) stands in tables written by
hand, which this script does not touch; reasons and suggestions stand in ``reasons.tsv``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLES = ROOT / "src" / "softrock" / "hipify" / "tables"
HEADERS = ROOT / "src" / "softrock" / "compiler" / "include" / "hip"

# Table of the documentation, column of its counterpart, our table; sections that go elsewhere.
SOURCES = (
    ("CUDA_Runtime_API_functions_supported_by_HIP", 5, "runtime", {}),
    ("CUDA_Driver_API_functions_supported_by_HIP", 5, "driver", {}),
    ("CUDA_RTC_API_supported_by_HIP", 5, "nvrtc", {}),
    ("CUBLAS_API_supported_by_HIP", 5, "cublas", {"CUBLASLt": "cublaslt", "BLASLt": "cublaslt", "CUDA Library": "types"}),
    ("CUFFT_API_supported_by_HIP", 5, "cufft", {}),
    ("CURAND_API_supported_by_HIP", 5, "curand", {}),
    ("CUSPARSE_API_supported_by_HIP", 5, "cusparse", {}),
    ("CUSOLVER_API_supported_by_HIP", 5, "cusolver", {}),
    ("CUDNN_API_supported_by_HIP_and_MIOPEN", 11, "cudnn", {}),
    ("CUB_API_supported_by_HIP", 5, "cub", {}),
    ("CUDA_Device_API_supported_by_HIP", 5, "device", {"Device Types": "types"}),
    ("cuComplex_API_supported_by_HIP", 5, "complex", {}),
)
RULES = (
    ("cudaDevAttr", "hipDeviceAttribute"), ("cuda", "hip"), ("CUDA_", "HIP_"), ("nvrtc", "hiprtc"),
    ("NVRTC_", "HIPRTC_"), ("cu", "hip"), ("CU_", "HIP_"), ("CU", "hip"),
)  # fmt: skip


@dataclass
class Row:
    """A line of a table."""

    cuda: str
    hip: str
    kind: str
    since: str
    status: str
    note: str = ""


def kind_of(name: str, section: str) -> str:
    """What a name is, by its form and the section it is listed in."""
    if not re.search(r"[Tt]ypes", section):
        return "function"
    if re.fullmatch(r"[A-Z][A-Z0-9_]*", name) or re.match(r"cuda(Error|DevAttr|Success|StreamNonBlocking)", name):
        return "enumerator" if "_" in name or name.startswith("cuda") else "macro"
    if name.startswith("cuda") and not name.endswith("_t") and name not in TYPES:
        return "enumerator"
    return "type"


def our_names() -> frozenset[str]:
    """Names that our own HIP headers have."""
    found: set[str] = set()
    for path in HEADERS.rglob("*.h"):
        found.update(re.findall(r"\b(?:hip|HIP|hiprtc)\w+", path.read_text()))
    return frozenset(found)


def device_names() -> frozenset[str]:
    """Every identifier of our headers: device functions keep their names."""
    return frozenset(word for path in HEADERS.rglob("*.h") for word in re.findall(r"\b[A-Za-z_]\w+", path.read_text()))


def our_types() -> frozenset[str]:
    """CUDA names that our headers have as types."""
    text = (HEADERS.parent / "softrock" / "cuda" / "runtime_types.h").read_text()
    return frozenset(re.findall(r"\bcuda\w+", text))


OURS, TYPES, DEVICE = our_names(), our_types(), device_names()


def rows(text: str, column: int) -> Iterator[tuple[str, Row]]:
    """Section and row of each name in a table of the documentation."""
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.strip("# *").partition(". ")[2]
        if not line.startswith("|`"):
            continue
        cells = [each.strip(" `") for each in line.strip("|").split("|")]
        cells += [""] * 18
        name, gone = cells[0], cells[4]
        hip, since, old, removed, experimental = (cells[column + k] for k in (0, 1, 2, 4, 5))
        row = Row(name, hip or "-", kind_of(name, section), since or "-", "full" if hip else "unsupported")
        if removed:
            row = Row(name, "-", row.kind, since or "-", "unsupported", f"HIP {removed} has removed {hip}.")
        elif not hip:
            guess = next((new + name[len(cu) :] for cu, new in RULES if name.startswith(cu)), "")
            if guess not in OURS and section.startswith("Device ") and name in DEVICE:
                guess = name
            if guess in OURS or guess == name:
                row = Row(name, guess, row.kind, "-", "full")
        elif gone:
            row.status, row.note = "removed", f"CUDA {gone} has removed {name}."
        elif old:
            row.status, row.note = "deprecated", f"HIP deprecates {hip} since {old}."
        elif experimental:
            row.status, row.note = "partial", f"{hip} is experimental in HIP {experimental}."
        yield section, row


def main() -> None:
    checkout = Path(sys.argv[1])
    made: dict[str, dict[str, Row]] = {}
    for source, column, table, elsewhere in SOURCES:
        command = ["git", "-C", str(checkout), "show", f"HEAD:docs/tables/{source}.md"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for section, row in rows(text, column):
            place = next((to for word, to in elsewhere.items() if section.startswith(word)), table)
            made.setdefault(place, {}).setdefault(row.cuda, row)
    taken: set[str] = set()
    for table, content in made.items():
        lines = [
            "# CUDA names and their HIP counterparts: made by tools/hipify_tables.py from the tables of ROCm's HIPIFY",
            "# documentation (rocm.docs.amd.com/projects/HIPIFY) and the names that our HIP headers have.",
            "\t".join(("cuda", "hip", "kind", "since", "status", "note")),
        ]
        for row in sorted(content.values(), key=lambda row: row.cuda):
            if row.cuda not in taken:
                taken.add(row.cuda)
                lines.append("\t".join((row.cuda, row.hip, row.kind, row.since, row.status, row.note)).rstrip())
        (TABLES / f"{table}.tsv").write_text("\n".join(lines) + "\n")
        print(f"{table}: {len(lines) - 3} names")


if __name__ == "__main__":
    main()
