"""Compiled programs over the C library, in an empty environment."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softrock import abi
from softrock.core import settings

from .conftest import HERE, Build, Run

GPUS = ("gfx942", "gfx1100")


@pytest.mark.parametrize("gpu", GPUS)
def test_what_programs_do(build: Build, run: Run, gpu: str) -> None:
    done = run(build("features.hip"), gpus=gpu)
    assert done.stdout == "0 failures\n", done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("gpu", GPUS)
def test_printf_keeps_its_place(build: Build, run: Run, gpu: str) -> None:
    done = run(build("faults.hip"), "say", gpus=gpu)
    lines = done.stdout.splitlines()
    assert lines[0] == "before"
    # Workgroups run side by side: which of them prints first is open.
    assert sorted(lines[1:5]) == [f"block {b} thread {t} says 7" for b in (0, 1) for t in (0, 1)]
    assert lines[5:] == ["between", "block 0 thread 0 says 8", "sync: hipSuccess", "after"]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("gpu", GPUS)
def test_lost_printf_output_is_told(build: Build, run: Run, gpu: str) -> None:
    done = run(build("faults.hip"), "flood", gpus=gpu)
    assert 10_000 < done.stdout.count("says 7") < 60_000
    assert "printed more than the 1048576 bytes of its buffer; the rest is lost" in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("what", "sync", "message"),
    [
        ("null", "hipErrorIllegalAddress", "Memory access fault by GPU node-1"),
        ("recurse", "hipErrorIllegalAddress", "bytes of private memory of a thread; do functions call"),
        ("assert", "hipErrorAssert", "an assertion failed"),
        ("trap", "hipErrorLaunchFailure", "trap"),
        ("threads", "hipSuccess", "2048 threads a block"),
        ("lds", "hipSuccess", "1048576 bytes of LDS"),
    ],
)
def test_ignored_failures_do_not_pass(build: Build, run: Run, what: str, sync: str, message: str) -> None:
    done = run(build("faults.hip"), what)
    assert f"sync: {sync}\n" in done.stdout
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    if what == "assert":
        assert "faults.hip:" in done.stdout
        assert "Device-side assertion `value == 3' failed." in done.stdout


def test_a_good_program_ends_well(build: Build, run: Run) -> None:
    done = run(build("faults.hip"))
    assert (done.stdout, done.stderr, done.returncode) == ("sync: hipSuccess\n", "", 0)


@pytest.mark.parametrize("gpu", GPUS)
def test_files_linked_on_the_device_share_variables(build: Build, run: Run, gpu: str) -> None:
    done = run(build("apart.hip", "-fgpu-rdc", str(HERE / "apart_other.hip")), gpus=gpu)
    assert (done.returncode, done.stdout) == (0, "14 207\n"), done.stderr


@pytest.mark.parametrize("gpu", GPUS)
def test_clocks_count_far(build: Build, run: Run, gpu: str) -> None:
    done = run(build("clocks.cu"), gpus=gpu, SOFTROCK_TIMEOUT="20")
    assert (done.returncode, done.stdout) == (0, "0 steps back\n"), done.stderr


@pytest.mark.parametrize("cached", ["0", "1"])
def test_many_threads(build: Build, run: Run, cached: str) -> None:
    done = run(build("threads.hip"), gpus="gfx942,gfx1100", SOFTROCK_NO_CACHE=cached)
    assert (done.stdout, done.returncode) == ("0 bad\n", 0), done.stderr


LOADER = """
#include "hip/detail/api_functions.h"
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int *p, host = 0;
    hipMalloc((void **)&p, 256);
    for (int round = 0; round < 4; round++) {
        void *library = dlopen(argv[1 + round % 2], RTLD_NOW);
        if (!library) return puts(dlerror());
        int (*run)(int *) = (int (*)(int *))dlsym(library, "run");
        int status = run(p);
        hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost);
        printf("%d %d\\n", status, host);
        dlclose(library);
    }
    return 0;
}
"""


def test_libraries_that_come_and_go(build: Build, c_program: Build, run: Run) -> None:
    first, second = (build("plugin.hip", "-shared", "-fPIC", f"-DVALUE={value}") for value in (5, 6))
    done = run(c_program(LOADER, "-lamdhip64", "-ldl"), str(first), str(second))
    assert (done.stdout, done.returncode) == ("0 5\n0 6\n0 5\n0 6\n", 0), done.stderr


def test_timeout(build: Build, run: Run) -> None:
    done = run(build("faults.hip"), "spin", SOFTROCK_TIMEOUT="0.5")
    assert "sync: hipErrorLaunchTimeOut" in done.stdout
    assert "block (1, 0, 0) wave 0" in done.stderr
    assert done.returncode == 1


def test_ctrl_c_ends_a_spinning_kernel(build: Build) -> None:
    env = {"SOFTROCK_CACHE_DIR": str(settings.load().cache_dir), "LD_LIBRARY_PATH": str(abi.library_dir())}
    with subprocess.Popen([str(build("faults.hip")), "spin"], env=env, stderr=subprocess.DEVNULL) as process:
        time.sleep(1.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.wait(timeout=10) == -signal.SIGINT
        assert time.monotonic() - start < 1


@pytest.mark.long
def test_leaving_while_a_kernel_runs(build: Build, run: Run) -> None:
    done = run(build("faults.hip"), "leave")
    assert "still ran when the program ended" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"gpus": "gfx1"}, "there is no GPU 'gfx1'"),
        ({"SOFTROCK_THREADS": "none"}, "SOFTROCK_THREADS"),
        ({"gpus": "gfx1201"}, "holds no code for gfx1201"),
    ],
)
def test_settings_that_cannot_be(build: Build, run: Run, variables: dict[str, str], message: str) -> None:
    done = run(build("features.hip"), **variables)
    assert message in done.stderr
    assert "mend:" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode != 0


def test_a_warm_start_is_quick(build: Build, run: Run) -> None:
    program = build("faults.hip")
    run(program, "say")
    best = min(_seconds(run, program) for _ in range(3))
    assert best < 0.6


def _seconds(run: Run, program: Path) -> float:
    """Processor time of a run: other work on the machine does not count."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(program, "say")
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def test_the_launcher_runs_programs_built_as_shared_objects(build: Build) -> None:
    program = build("faults.hip", "-shared", "-fPIC")
    command = [sys.executable, "-m", "softrock.abi.launch", str(program), "say"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    assert lines[0] == "before"
    assert "block 0 thread 0 says 7" in lines[1:5]  # blocks run in any order
    assert done.stdout.endswith("sync: hipSuccess\nafter\n")
    assert done.returncode == 0, done.stderr
    command[-1] = "null"
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 1


@pytest.mark.parametrize("arguments", [[], ["/nowhere"], [__file__]])
def test_what_the_launcher_refuses(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "softrock.abi.launch", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
