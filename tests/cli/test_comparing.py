"""``softrock run --compare``: where a program parts on GPUs of different wave sizes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from softrock.hip.trace import without_addresses

HEAD = """#include <hip/hip_runtime.h>
#include <cstdio>
#define CHECK(x) do { if ((x) != hipSuccess) return 1; } while (0)
"""
FAULTY = (
    HEAD
    + """__device__ int wave_sum(int v) {
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset);
    return v;
}
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void reduce(const int *p, int **where) {
    int v = wave_sum(p[threadIdx.x]);
    if (threadIdx.x % warpSize == 0) atomicAdd(*where, v);
}
__global__ void point(int **where, int *out) { *where = out; *out = 0; }
int main() {
    int *p, *out, **where, host = 0;
    CHECK(hipMalloc(&p, 256 * 4));
    CHECK(hipMalloc(&out, 4));
    CHECK(hipMalloc(&where, 8));
    fill<<<1, 256>>>(p);
    point<<<1, 1>>>(where, out);
    reduce<<<1, 256>>>(p, where);
    CHECK(hipMemcpy(&host, out, 4, hipMemcpyDeviceToHost));
    printf("%s\\n", host == 255 * 128 ? "right" : "wrong");
    return 0;
}
"""
)


def compare(source: str, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "p.hip").write_text(source)
    command = [sys.executable, "-m", "softrock.cli", "run", "--compare", *more, "p.hip"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_kernel_and_the_line_at_fault_are_named(tmp_path: Path) -> None:
    done = compare(FAULTY, tmp_path)
    assert done.returncode == 1, done.stderr
    assert "-wrong\n+right\n" in done.stdout
    assert "memory first differs behind launch 3 of 3: reduce, grid [1, 1, 1], block [256, 1, 1]" in done.stdout
    assert "allocation 1 (4 bytes): 1 of 1 words differ, first at byte 0: 14272 and 32640" in done.stdout
    line = FAULTY[: FAULTY.index("offset = 16")].count("\n") + 1
    assert f"p.hip:{line}:" in done.stdout
    assert "[reduction-of-32-lanes]" in done.stdout


def test_as_a_document(tmp_path: Path) -> None:
    done = compare(FAULTY, tmp_path, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert not found["same"]
    assert [each["stdout"] for each in found["runs"]] == ["wrong\n", "right\n"]
    assert (found["parting"]["name"], found["parting"]["launch"]) == ("reduce", 3)
    assert {each["rule"] for each in found["findings"]} == {"reduction-of-32-lanes"}


def test_programs_that_agree(tmp_path: Path) -> None:
    good = FAULTY.replace("offset = 16", "offset = warpSize / 2")
    done = compare(good, tmp_path, "--gpu", "gfx1100,gfx942")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "the same output, and the same memory behind every launch"
    assert "gfx1100: exit status 0, 3 launches" in done.stdout


def test_other_launches_and_other_memory(tmp_path: Path) -> None:
    start = HEAD + "__global__ void one() {}\n__global__ void two() {}\nint main() { int w = 0; void *p;\n"
    start += "CHECK(hipDeviceGetAttribute(&w, hipDeviceAttributeWarpSize, 0));\n"
    done = compare(start + "if (w == 64) one<<<1, 1>>>(); else two<<<1, 1>>>();\n}", tmp_path)
    assert done.returncode == 1
    assert "gfx942 launches _Z3onev, gfx1100 _Z3twov" in done.stdout
    done = compare(start + "one<<<1, 1>>>(); if (w == 64) one<<<1, 1>>>();\n}", tmp_path)
    assert "2 launches on gfx942" in done.stdout
    done = compare(start + "CHECK(hipMalloc(&p, 4 * w)); one<<<1, 1>>>();\n}", tmp_path)
    assert "different memory" in done.stdout


def test_one_gpu_is_not_enough(tmp_path: Path) -> None:
    done = compare(FAULTY, tmp_path, "--gpu", "gfx942")
    assert done.returncode == 2
    assert done.stderr == "error: --compare needs two GPUs or more\n  mend: --gpu gfx942,gfx1100\n"


def test_json_needs_compare(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "softrock.cli", "run", "--json", "p.hip"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: --json goes with --compare")


def test_pointers_are_taken_relative() -> None:
    words = np.array([5, 0x7000_0000_1000, 0x7000_0000_1FFF, 0x7000_0000_2000], np.uint64)
    plain = without_addresses(words.tobytes() + b"abc", 0x7000_0000_1000, 0x7000_0000_2000)
    assert np.frombuffer(plain, np.uint64, 4).tolist() == [5, 0, 0xFFF, 0x7000_0000_2000]
    assert plain.endswith(b"abc")
