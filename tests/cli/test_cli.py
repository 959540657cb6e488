"""The ``softrock`` command as a user meets it: real processes, exit statuses, messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FILL = """
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void fill(int *p, int value) { p[threadIdx.x] = value + threadIdx.x; }
int main(int argc, char **argv) {
    int *p, host[32];
    if (cudaMalloc(&p, sizeof(host)) != cudaSuccess) return 10;
    fill<<<1, 32>>>(p, 100);
    if (cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost) != cudaSuccess) return 11;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    std::printf("%d %d %s\\n", host[0], host[31], properties.name);
    for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
    return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""

SPIN = """
#include <cuda_runtime.h>
__global__ void spin(volatile int *p) { while (*p == 0) {} }
int main() {
    int *p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    spin<<<1, 64>>>(p);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 7;
}
"""


def softrock(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``softrock ARGS`` in `cwd`."""
    return subprocess.run(
        [sys.executable, "-m", "softrock.cli", *args],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def fill(tmp_path: Path) -> Path:
    (tmp_path / "fill.cu").write_text(FILL)
    return tmp_path


def test_help_is_fast_and_names_every_command(tmp_path: Path) -> None:
    start = time.monotonic()
    done = softrock("--help", cwd=tmp_path)
    assert time.monotonic() - start < 2  # 0.15 s on an idle machine
    assert done.returncode == 0
    for command in ("run", "build", "exec", "env", "inspect", "targets", "cache"):
        assert f" {command} " in done.stdout
        assert softrock(command, "--help", cwd=tmp_path).returncode == 0
    assert "prebuild" not in done.stdout


def test_light_commands_import_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys; from softrock.cli.app import start; start(['targets']);"
        "heavy = {'numpy', 'llvmlite', 'elftools', 'rich', 'cffi'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_options_may_stand_anywhere_and_the_rest_keeps_its_order() -> None:
    from softrock.cli import commands

    options = (
        commands.Option("--gpu", "", "GPU"),
        commands.Option("--json", ""),
        commands.Option("--log", "", "[=FILE]"),
    )
    passing = commands.Command("x", lambda _: 0, options, "WORDS", 1, None, passes=True)
    given = commands.parse(
        passing, ["a", "--gpu=b=c", "-O3", "-o", "--json", "out", "--log", "-Dx=1", "--", "--gpu", "--"]
    )
    assert given is not None
    assert given.words == ["a", "-O3", "-o", "out", "-Dx=1"]
    assert given.tail == ["--gpu", "--"]
    assert given.values == {"--gpu": "b=c", "--json": "", "--log": ""}
    given = commands.parse(passing, ["--gpu", "-1", "a", "--log=f"])
    assert given is not None
    assert given.values == {"--gpu": "-1", "--log": "f"}
    strict = commands.Command("x", lambda _: 0, options, "FILE", 1, 1)
    given = commands.parse(strict, ["--json", "--", "--odd"])
    assert given is not None
    assert given.words == ["--odd"]
    assert commands.parse(strict, ["a", "--help"]) is None


def test_the_host_is_described(tmp_path: Path) -> None:
    done = softrock("targets", "--host", "--json", cwd=tmp_path, SOFTROCK_THREADS="3", SOFTROCK_NUMA="off")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["threads"], facts["placement"]) == (3, [])
    assert facts["memory"] > 1 << 20
    assert "none" in softrock("targets", "--host", cwd=tmp_path, SOFTROCK_NUMA="off").stdout


def test_run_passes_arguments_and_status_on(fill: Path) -> None:
    done = softrock("run", "fill.cu", "-O2", "--", "5", "--gpu", "a b", cwd=fill)
    assert done.stdout == "100 131 AMD Instinct MI300X (software)\n[5][--gpu][a b]", done.stderr
    assert done.returncode == 5


def test_run_on_several_gpus(fill: Path) -> None:
    done = softrock("run", "fill.cu", "--gpu", "gfx1100,gfx942", cwd=fill)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "== gfx1100 =="
    assert "7900 XTX" in lines[1]
    assert lines[2] == "== gfx942 =="
    assert "MI300X" in lines[3]


def test_several_devices_for_one_program(tmp_path: Path) -> None:
    (tmp_path / "count.hip").write_text(
        "#include <hip/hip_runtime.h>\nint main() { int n = 0; return hipGetDeviceCount(&n) ? 99 : n; }\n"
    )
    assert softrock("run", "count.hip", cwd=tmp_path, SOFTROCK_GPUS="gfx942:2,gfx1100").returncode == 3
    assert softrock("run", "count.hip", "--gpu", "gfx942:2", cwd=tmp_path).returncode == 2


def test_run_without_cache(fill: Path) -> None:
    done = softrock("run", "fill.cu", cwd=fill, SOFTROCK_NO_CACHE="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("100 131")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["run"], 2, "error: Missing argument"),
        (["run", "none.cu"], 1, "error: no such file: none.cu"),
        (["run", "folder.cu"], 1, "error: folder.cu is a folder"),
        (["run", "text"], 2, "text is not one by its name"),
        (["run", "fill.cu", "--gpu", "gfx942:0"], 2, "the count must be 1 to"),
        (["run", "fill.cu", "--dump", "text"], 2, "--dump text: no such folder can be made"),
        (["run", "bad.hip"], 1, "bad.hip:2:9: error:"),
        (["run", "fill.cu", "--gpu", "gfx31415"], 2, "gfx31415"),
        (["run", "fill.cu", "--gpu", ","], 2, "names no GPU"),
        (["run", "fill.cu", "--timeout", "-3"], 2, "not a positive number"),
        (["run", "fill.cu", "-c"], 2, "run makes a program"),
        (["nonsense"], 2, "error: No such command"),
        (["targets", "gfx1"], 2, "there is no GPU"),
        (["inspect", "none"], 2, "none does not exist"),
        (["inspect", "bad.hip"], 1, "no GPU code"),
        (["exec"], 2, "no command given"),
        (["exec", "--", "no-such-program"], 127, "no such command"),
        (["cache", "--bogus"], 2, "error: No such option"),
        (["--bogus"], 2, "error: No such option"),
        (["cache", "more"], 2, "error: Got unexpected extra arguments (more)"),
        (["targets", "--json=1"], 2, "error: Option '--json' does not take a value"),
        (["run", "fill.cu", "--gpu"], 2, "error: Option '--gpu' requires an argument"),
        (["run", "fill.cu", "--timeout", "soon"], 2, "error: --timeout 'soon' is not a number"),
        (["rn"], 2, "Did you mean 'run'?"),
    ],
)
def test_errors_are_one_message_and_a_status(fill: Path, args: list[str], status: int, message: str) -> None:
    (fill / "bad.hip").write_text("int main() {}\nint x = ;\n")
    (fill / "text").write_text("no program")
    (fill / "folder.cu").mkdir()
    done = softrock(*args, cwd=fill)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == status


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = softrock("run", "none.cu", cwd=tmp_path, SOFTROCK_DEBUG="1")
    assert "Traceback" in done.stderr


def test_env_can_be_evaluated(fill: Path) -> None:
    done = softrock("env", "--gpu", "gfx1100", cwd=fill)
    script = f"{done.stdout}\nhipcc --version && hipconfig --platform && echo $SOFTROCK_GPUS"
    shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert shell.stdout.startswith("HIP version:")
    assert shell.stdout.endswith("amdgfx1100\n")
    variables = json.loads(softrock("env", "--json", cwd=fill).stdout)
    assert Path(variables["ROCM_PATH"], "bin", "hipcc").is_file()


def test_build_inspect_and_exec(fill: Path) -> None:
    assert softrock("build", "fill.cu", "-o", "fill", "--offload-arch=gfx942", cwd=fill).returncode == 0
    found = json.loads(softrock("inspect", "fill", "--json", cwd=fill).stdout)
    assert found["targets"] == ["gfx942"]
    assert "fill(int*, int)" in softrock("inspect", "fill", cwd=fill).stdout
    done = softrock("exec", "--", "./fill", "3", cwd=fill)
    assert done.stdout.startswith("100 131")
    assert done.returncode == 3


def test_targets(tmp_path: Path) -> None:
    text = softrock("targets", cwd=tmp_path).stdout
    assert "gfx942" in text
    assert "AMD Radeon RX 7900 XTX (software)" in text
    listed = json.loads(softrock("targets", "--json", cwd=tmp_path).stdout)
    assert {each["gfx"]: each["wave_size"] for each in listed}["gfx1100"] == 32
    assert json.loads(softrock("targets", "gfx942", "--json", cwd=tmp_path).stdout)["compute_units"] == 304


def test_cache_shows_and_clears(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    (folder / "kernels").mkdir(parents=True, mode=0o700)
    (folder / "kernels" / "x").write_bytes(b"1234")
    shown = json.loads(softrock("cache", "--json", cwd=tmp_path, SOFTROCK_CACHE_DIR=str(folder)).stdout)
    assert shown["kinds"] == {"kernels": {"files": 1, "bytes": 4}}
    assert "removed 4 B" in softrock("cache", "--clear", cwd=tmp_path, SOFTROCK_CACHE_DIR=str(folder)).stdout
    assert list(folder.iterdir()) == []
    assert softrock("cache", cwd=tmp_path, SOFTROCK_CACHE_DIR=str(folder)).returncode == 0


def test_cache_is_cut_to_a_size(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    (folder / "code").mkdir(parents=True, mode=0o700)
    for number in range(4):
        path = folder / "code" / str(number)
        path.write_bytes(bytes(1 << 20))
        os.utime(path, (number, number))
    cut = softrock("cache", "--limit", "3M", "--json", cwd=tmp_path, SOFTROCK_CACHE_DIR=str(folder))
    assert json.loads(cut.stdout)["removed"] == 2 << 20
    assert sorted(path.name for path in (folder / "code").iterdir()) == ["2", "3"]
    assert softrock("cache", "--limit", "much", cwd=tmp_path, SOFTROCK_CACHE_DIR=str(folder)).returncode == 2


def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    command = f"{sys.executable} -m softrock.cli targets | true"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""


def test_closed_streams_are_no_traceback(fill: Path) -> None:
    command = f"{sys.executable} -m softrock.cli run fill.cu >&-"
    done = subprocess.run(["sh", "-c", command], cwd=fill, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""


def test_a_damaged_cache_mends_itself(fill: Path) -> None:
    folder = fill / "cache"
    assert softrock("run", "fill.cu", cwd=fill, SOFTROCK_CACHE_DIR=str(folder)).returncode == 0
    for each in folder.rglob("*"):
        if each.is_file() and not each.is_symlink():
            each.write_bytes(each.read_bytes()[:100])
    done = softrock("run", "fill.cu", cwd=fill, SOFTROCK_CACHE_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("100 131")


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # background jobs of a shell ignore it, and so would the child


@pytest.mark.parametrize("gpus", ["gfx942", "gfx942,gfx1100"])
def test_ctrl_c_ends_a_spinning_kernel(tmp_path: Path, gpus: str) -> None:
    (tmp_path / "spin.cu").write_text(SPIN)
    command = [sys.executable, "-m", "softrock.cli", "run", "spin.cu", "--gpu", gpus]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_hear_interrupts
    ) as process:
        time.sleep(4)
        assert process.poll() is None
        start = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does
        code = process.wait(timeout=20)
        assert time.monotonic() - start < 1.5
        assert code in (-signal.SIGINT, 128 + signal.SIGINT)


def test_timeout_ends_a_spinning_kernel(tmp_path: Path) -> None:
    (tmp_path / "spin.cu").write_text(SPIN)
    start = time.monotonic()
    done = softrock("run", "spin.cu", "--timeout", "1", cwd=tmp_path)
    assert time.monotonic() - start < 20
    assert done.returncode != 0
    assert "spin" in done.stderr
    assert "Traceback" not in done.stderr


def test_timings_tell_where_host_time_went(fill: Path) -> None:
    shown = softrock("run", "fill.cu", "--timings", cwd=fill)
    assert shown.returncode == 0
    assert "softrock: where host time went (ms)" in shown.stderr
    assert "fill" in shown.stderr.split("KERNEL")[1]
    assert softrock("exec", "--timings=t.json", "--", "true", cwd=fill).returncode == 0
    assert not (fill / "t.json").exists()  # it ran no kernel
    assert softrock("run", "fill.cu", "--timings=t.json", cwd=fill).returncode == 0
    report = json.loads((fill / "t.json").read_text())
    assert report["kernels"][0]["launches"] >= 1
    assert report["kernels"][0]["run_s"] > 0
    assert report["source_s"] > 0
