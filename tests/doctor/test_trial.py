"""Real tests of GPUs, on the software one: what is wrong is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from tests.doctor.machines import gpu, host, join

from softrock.core.errors import SoftrockError
from softrock.doctor import checks, registry, trial
from softrock.doctor.registry import Machine, Verdict
from softrock.gpu.device import Copy
from softrock.gpu.models import model
from softrock.gpu.software import SoftwareDevice
from softrock.system.tree import Tree


def _steps(told: dict[str, Any], at: int = 0) -> dict[str, str]:
    return {each["step"]: each["error"] for each in told["devices"][at]["steps"]}


def test_software_gpus_pass() -> None:
    devices = [SoftwareDevice(model("gfx942"), 0), SoftwareDevice(model("gfx1100"), 1)]
    told = trial.measure(devices)
    assert _steps(told) == {"allocate": "", "copy": "", "kernel": "", "copy to device 1": ""}
    assert _steps(told, 1) == {"allocate": "", "copy": "", "kernel": "", "copy to device 0": ""}


def test_wrong_data_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    device = SoftwareDevice(model("gfx1100"), 0)
    queue = device.queue

    def bad(priority: int) -> Any:
        made = queue(priority)
        copy = made.copy
        monkeypatch.setattr(made, "copy", lambda each: copy(Copy(each.dst, each.src, each.width - 4)))
        return made

    monkeypatch.setattr(device, "queue", bad)
    steps = _steps(trial.measure([device]))
    assert list(steps) == ["allocate", "copy"]
    assert steps["copy"].startswith(f"wrong result: element {64 * 64 - 1} of 4096 is ")


def test_wrong_kernels_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_IR", trial._IR.replace("add i32 %product", "sub i32 %product"))
    steps = _steps(trial.measure([SoftwareDevice(model("gfx942"), 0)]))
    assert steps["kernel"].startswith("wrong result: element 0 of 4096 is ")


@pytest.mark.parametrize("target", "gfx803 gfx906 gfx90a:sramecc+:xnack- gfx1030 gfx1151 gfx1201 gfx950".split())
def test_code_is_made_for_any_target(target: str) -> None:
    from softrock.codeobj import load

    made = load(trial.assemble(target), "probe")
    assert list(made.kernels) == ["probe"]
    assert str(made.target_id) == target


def test_targets_that_llvm_does_not_know() -> None:
    with pytest.raises(SoftrockError, match="gfx9999"):
        trial.assemble("gfx9999")


def _tried(monkeypatch: pytest.MonkeyPatch, tried: trial.Tried) -> list[registry.Result]:
    assert checks.MODULES
    monkeypatch.setattr(trial, "run", lambda which, timeout: tried)
    return list(registry.run(Machine(Tree(join(host(), gpu())), live=True), active=True, only=["gpu-trial"]))


def test_what_trials_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    (result,) = _tried(monkeypatch, trial.Tried("no answer within 90 s"))
    assert result.verdict is Verdict.FAILURE
    (result,) = _tried(monkeypatch, trial.Tried())
    assert result.verdict is Verdict.UNKNOWN
    step = {"step": "kernel", "error": "wrong result", "seconds": 0.1}
    device = {"name": "n", "target": "gfx1100", "steps": [step]}
    (result,) = _tried(monkeypatch, trial.Tried("", "/x.so", "", (device,)))
    assert result.seen == "n (gfx1100): kernel failed: wrong result"
    (result,) = _tried(
        monkeypatch, trial.Tried("", "", "", ({"name": "n", "target": "t", "steps": [{**step, "error": ""}]},))
    )
    assert result.verdict is Verdict.OK


def test_a_child_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial.sys, "executable", "/nonexistent/python")  # type: ignore[attr-defined]
    assert "does not start" in trial.run("software", 5).error
    monkeypatch.setattr(trial.sys, "executable", "/bin/false")  # type: ignore[attr-defined]
    assert "ended with status 1" in trial.run("software", 5).error


def test_a_software_gpu_that_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", "/proc/nothing")
    (result,) = registry.run(Machine(Tree({}), live=True), only=["software-gpu"])
    assert result.verdict is Verdict.FAILURE
    assert "/proc/nothing" in result.seen
    assert result.mend == ("set SOFTROCK_CACHE_DIR to a folder that can be written",)


def test_nothing_is_tried_on_written_machines() -> None:
    machine = Machine(Tree(join(host(), gpu())))
    (result,) = registry.run(machine, active=True, only=["gpu-trial", "software-gpu"])
    assert result.verdict is Verdict.NOT_APPLICABLE


_THROUGH_A_LIBRARY = """
import json, sys
from softrock.abi.build import library_dir
from softrock.doctor import trial
from softrock.gpu import hardware
library = hardware.Library(str(sorted(library_dir().glob("libamdhip64.so*"))[0]))
devices = [hardware.HardwareDevice(library, at) for at in range(library.count())]
print(json.dumps(trial.measure(devices, library.path)))
"""


def test_the_way_over_a_hip_library() -> None:
    """All calls that a trial makes of a real libamdhip64, made of softrock's own, in a process that has no other."""
    done = subprocess.run(
        [sys.executable, "-c", _THROUGH_A_LIBRARY], env={**os.environ, "SOFTROCK_GPUS": "gfx942,gfx1100"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert [each["target"] for each in told["devices"]] == ["gfx942:sramecc+:xnack-", "gfx1100"]
    assert _steps(told) == {"allocate": "", "copy": "", "kernel": "", "copy to device 1": ""}
    assert _steps(told, 1) == {"allocate": "", "copy": "", "kernel": "", "copy to device 0": ""}
