"""The loader's search and mixed versions, on small ELF files."""

from __future__ import annotations

import struct

import pytest
from tests.doctor.machines import Table, found, gpu, host, join, of
from tests.doctor.test_rocm import install

from softrock.doctor.checks.libraries import dynamic, find
from softrock.doctor.registry import Machine
from softrock.system.tree import Tree


def elf(needed: str, rpath: str = "", runpath: str = "") -> bytes:
    """A shared object that is nothing but a dynamic section."""
    names = b"\0" + needed.encode() + b"\0" + rpath.encode() + b"\0" + runpath.encode() + b"\0"
    at = 64 + 2 * 56
    tags = [(1, 1)]
    if rpath:
        tags.append((15, 2 + len(needed)))
    if runpath:
        tags.append((29, 3 + len(needed) + len(rpath)))
    count = len(tags) + 3
    table = b"".join(struct.pack("<QQ", *each) for each in [*tags, (5, at + 16 * count), (10, len(names)), (0, 0)])
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    size = at + len(table) + len(names)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    dyn = struct.pack("<IIQQQQQQ", 2, 6, at, at, at, len(table), len(table), 8)
    return head + load + dyn + table + names


def test_a_dynamic_section_is_read_and_cut_ones_never_crash() -> None:
    data = elf("libamdhip64.so.6", "$ORIGIN/a:/b", "$ORIGIN/../lib")
    told = dynamic(data)
    assert told is not None
    assert (told.needed, told.rpath, told.runpath) == (("libamdhip64.so.6",), ("$ORIGIN/a", "/b"), ("$ORIGIN/../lib",))
    for cut in range(len(data)):
        dynamic(data[:cut])
        dynamic(data[:cut] + b"\xff" + data[cut + 1 :])


NAME = "libamdhip64.so.6"
PLACES = ("/app/lib", "/var", "/run", "/conf", "/usr/lib")


@pytest.mark.parametrize(
    ("rpath", "runpath", "there", "taken"),
    [
        ("/app/lib", "", PLACES, "/app/lib"), ("/app/lib", "/run", PLACES, "/var"), ("", "/run", PLACES, "/var"),
        ("", "/run", PLACES[2:], "/run"), ("", "", PLACES[3:], "/conf"), ("", "", PLACES[4:], "/usr/lib"),
        ("$ORIGIN/../lib", "", PLACES, "/app/lib"), ("", "", (), ""),
    ],
)  # fmt: skip
def test_the_order_of_the_loader(rpath: str, runpath: str, there: tuple[str, ...], taken: str) -> None:
    told = dynamic(elf(NAME, rpath, runpath))
    assert told is not None
    files: Table = {f"{each}/{NAME}": "" for each in there} | {"/etc/ld.so.conf.d/a.conf": "/conf\n"}
    machine = Machine(Tree({"files": files, "environment": {"LD_LIBRARY_PATH": "/var"}}))
    assert find(machine, NAME, told, "/app/bin") == (f"{taken}/{NAME}" if taken else "")


def test_a_program_whose_library_is_of_another_release() -> None:
    program: Table = {
        "environment": {"PATH": "/usr/bin"},
        "files": {"/usr/bin/llama-server": {"hex": elf("libamdhip64.so.5").hex()}},
    }
    results, _ = found(host(), gpu(), install("6.4.2"), program)
    (told,) = of(results, "libraries-needed")
    assert told.limits
    assert "libamdhip64.so.5" in told.seen
    assert "libamdhip64.so.6" in told.seen


def test_mixed_releases_count_only_where_they_are_shared() -> None:
    blas = ("librocblas.so.4", "libhsa-runtime64.so.1")
    old, new = install("5.7.1", names=("libamdhip64.so.5", *blas)), install("6.4.2", names=("libamdhip64.so.6", *blas))
    both = {"environment": {"LD_LIBRARY_PATH": "/opt/rocm-5.7.1/lib:/opt/rocm-6.4.2/lib"}}
    assert [each.limits for each in of(found(host(), gpu(), old, new, both)[0], "libraries-mixed")] == [True]
    one = {"environment": {"LD_LIBRARY_PATH": "/opt/rocm-6.4.2/lib"}}
    assert not of(found(host(), gpu(), old, new, one)[0], "libraries-mixed")
    assert join(old, new)
