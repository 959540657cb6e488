"""Real tests"""

from __future__ import annotations

from collections.abc import Iterator

from softrock.doctor import trial
from softrock.doctor.facts import gpus
from softrock.doctor.registry import Machine, Result, check, failure, not_applicable, ok, unknown

_AGAIN = ("softrock cache --clear", "python3 -m pip install --force-reinstall softrock")
SOFTWARE_SECONDS, HARDWARE_SECONDS = 60.0, 90.0


def software(machine: Machine) -> trial.Tried:
    """How the trial of the software GPU went."""
    return trial.run("software", SOFTWARE_SECONDS)


def hardware(machine: Machine) -> trial.Tried:
    """How the trial of the GPUs went."""
    return trial.run("hardware", HARDWARE_SECONDS)


@check("software-gpu", "the software GPU runs a kernel")
def software_gpu(machine: Machine) -> Iterator[Result]:
    """Try softrock's own GPU where there is no other."""
    if not machine.live or machine.fact(gpus):
        return
    tried = machine.fact(software)
    wrong = tried.error or "; ".join(f"{step}: {error}" for _, step, error in tried.failures)
    if wrong:
        yield failure(
            f"the software GPU does not work: {wrong}",
            why="programs have nothing to run on: there is no AMD GPU either",
            mend=(tried.hint,) if tried.hint else _AGAIN,
        )
    else:
        yield ok(f"the software GPU works: {tried.devices[0]['name']} ran a kernel and its results are right")


@check("gpu-trial", "each GPU allocates, copies, computes, and copies to the others", active=True)
def gpu_trial(machine: Machine) -> Iterator[Result]:
    """Try each GPU through the HIP library that is there."""
    if not machine.fact(gpus):
        return
    if not machine.live:
        yield not_applicable("nothing can be tried on a machine that was written down")
        return
    tried = machine.fact(hardware)
    if tried.error:
        yield failure(
            f"the test of the GPUs: {tried.error}",
            why="a small program that allocates, copies and runs one kernel must end within seconds",
            mend=("sudo dmesg | grep -iE 'amdgpu|kfd' | tail -n 50",), rank=20,
        )  # fmt: skip
    elif not tried.devices:
        yield unknown(
            "no HIP library that finds a device, so nothing was tried",
            why="the test runs through libamdhip64 of the ROCm installation (ROCM_PATH, /opt/rocm*, or the loader's)",
        )
    for each in tried.devices:
        wrong = [step for step in each["steps"] if step["error"]]
        if wrong:
            yield failure(
                f"{each['name']} ({each['target']}): {wrong[0]['step']} failed: {wrong[0]['error']}",
                why=f"tried through {tried.library}", rank=20,
                mend=("sudo dmesg | grep -iE 'amdgpu|kfd' | tail -n 50",),
            )  # fmt: skip
        else:
            steps = ", ".join(f"{step['step']} {step['seconds']:.3f} s" for step in each["steps"])
            yield ok(f"{each['name']} ({each['target']}): {steps}")
