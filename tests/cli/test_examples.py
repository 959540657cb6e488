"""Every program in examples/ runs on every GPU it is for, and checks itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SMALL = {
    "histogram.hip": ["100003"],
    "matmul.cu": ["100"],
    "mfma_matmul.hip": ["64"],
    "nbody.cu": ["700", "2"],
    "reduction.cu": ["100001"],
    "saxpy.cu": ["10001"],
    "scan.hip": ["300001"],
    "stencil.cu": ["70", "45", "7"],
}
"""Arguments that make each program quick; sizes are no multiples of blocks where the program allows it."""

CASES = [
    pytest.param(name, gpu, marks=() if name in ("saxpy.cu", "scan.hip") else pytest.mark.long)
    for name in SMALL
    for gpu in ("gfx942", "gfx1100")
    if (name, gpu) != ("mfma_matmul.hip", "gfx1100")
]


def _run(name: str, gpu: str, args: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "softrock.cli", "run", str(EXAMPLES / name), "--gpu", gpu, "--", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_every_example_is_run_here() -> None:
    assert {each.name for each in EXAMPLES.iterdir() if each.suffix in (".cu", ".hip")} == set(SMALL)


@pytest.mark.parametrize(("name", "gpu"), CASES)
def test_example_passes(name: str, gpu: str) -> None:
    done = _run(name, gpu, SMALL[name])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout
    assert "warning" not in done.stderr


def test_the_mfma_example_says_which_gpu_it_needs() -> None:
    done = _run("mfma_matmul.hip", "gfx1100", [])
    assert done.returncode == 1
    assert "mfma_matmul needs a CDNA GPU" in done.stderr


def test_wrong_arguments_show_the_usage() -> None:
    done = _run("saxpy.cu", "gfx942", ["-5"])
    assert done.returncode == 2
    assert "usage:" in done.stderr


def test_waves_of_64_lanes_on_rdna() -> None:
    """gfx11's ds_bpermute stays within 32 lanes: shuffles over a whole wave of 64 must still be right."""
    command = [sys.executable, "-m", "softrock.cli", "run", str(EXAMPLES / "scan.hip"), "--gpu", "gfx1100"]
    command += ["-mwavefrontsize64", "--", "100001"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout


@pytest.mark.long
def test_the_python_example_passes() -> None:
    command = [sys.executable, str(EXAMPLES / "python_saxpy.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout
