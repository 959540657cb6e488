"""Random kernels with branches and changes of EXEC, through the whole translator, against the interpreter of the model.

This checks what single instructions cannot: which inactive lanes must survive, registers across blocks, fast paths
for a
full EXEC, 64-bit pairs, halves of registers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from tests.exec.conftest import Program
from tests.lift.models import check, program
from tests.lift.models.machine import Machine

from softrock import codeobj
from softrock.decode import Instruction, decode
from softrock.isa.targets import target as target_of
from softrock.lift import function

CompileDevice = Callable[..., bytes]
KERNELS = 3


def _machine(target: str, threads: int, data: np.ndarray, scalars: np.ndarray) -> Machine:
    lanes, major = check.lanes_and_major(target)
    machine = Machine(lanes, major, exec=(1 << threads) - 1)
    for k, v in enumerate(program.VECTORS):
        machine.vector[v] = data[k].copy()
        machine.vector[v][threads:] = 0
    machine.vector[0] = np.arange(lanes, dtype=np.uint32)
    for k, s in enumerate(program.SCALARS):
        machine.scalar[s] = int(scalars[k])
    return machine


def _differences(target: str, machine: Machine, out: np.ndarray, threads: int) -> list[str]:
    found = []
    for k, v in enumerate(program.VECTORS):
        wrong = np.flatnonzero(out[k][:threads] != machine.word(v)[:threads])
        if len(wrong):
            lane = int(wrong[0])
            found.append(
                f"v{v} lane {lane} is {out[k][lane]:#x} instead of {int(machine.word(v)[lane]):#x} ({len(wrong)} lanes)"
            )
    wide = machine.lanes == 64
    shown = [*program.SCALARS, 106, 107 if wide else 106, 22, 23 if wide else 22]
    for k, s in enumerate(shown):
        got = int(out[len(program.VECTORS) + k][0])
        if got != machine.scalar[s]:
            found.append(f"s{s} is {got:#x} instead of {machine.scalar[s]:#x}")
    return found


def _check(compile_device: CompileDevice, target: str, size: int, first_seed: int, count: int) -> None:
    name = target.partition(":")[0]
    lanes, major = check.lanes_and_major(target)
    seeds = range(first_seed, first_seed + count)
    names = [f"k{seed}" for seed in seeds]
    bodies = [program.kernel(n, major, lanes, size, seed) for n, seed in zip(names, seeds, strict=True)]
    flags = (
        ["-target-feature", "+wavefrontsize64", "-target-feature", "-wavefrontsize32"] if target.endswith(":64") else []
    )
    source = program.source(name, names, bodies, lanes)
    code = compile_device(source, name, flags, language="asm")
    loaded = Program(code)
    wrong = []
    for kernel_name, seed in zip(names, seeds, strict=True):
        rng = np.random.default_rng(seed)
        data = rng.integers(0, 1 << 32, (len(program.VECTORS), lanes), np.uint32)
        data[rng.integers(0, 2, data.shape) == 0] &= np.uint32(0xFF)
        scalars = rng.integers(0, 1 << 32, 16, np.uint32)
        given = np.concatenate([data.ravel(), scalars])
        threads = lanes if seed % 3 else lanes - 7
        out = np.zeros((len(program.VECTORS) + len(program.SCALARS) + 4, lanes), np.uint32)
        loaded.run(kernel_name, 1, threads, given, out)
        machine = _machine(target, threads, data, scalars)
        program.interpret(machine, _fetch(loaded.code, target), loaded.code.kernel(kernel_name).code_address)
        found = _differences(target, machine, out, threads)
        if found:
            wrong.append(f"{target} seed {seed}: " + "; ".join(found[:3]))
    assert not wrong, "\n".join(wrong)


def _fetch(code: codeobj.CodeObject, target: str) -> Callable[[int], Instruction]:
    """Decodes the instruction at an address of a code object."""
    machine = target_of(target.partition(":")[0]).with_wave_size(check.lanes_and_major(target)[0])

    @functools.cache
    def fetch(address: int) -> Instruction:
        for base, data in code.text:
            if base <= address < base + len(data):
                return decode(machine, data, address - base, address)
        raise AssertionError(f"no code at {address:#x}")

    return fetch


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1100:64"])
@pytest.mark.parametrize("size", [30, 120])
def test_random_programs(compile_device: CompileDevice, target: str, size: int) -> None:
    _check(compile_device, target, size, size, KERNELS)


@pytest.mark.long
@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1100:64"])
@pytest.mark.parametrize("seed", range(1000, 1040, 10))
def test_more_random_programs(compile_device: CompileDevice, target: str, seed: int) -> None:
    _check(compile_device, target, 60 + seed % 90, seed, 10)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_functions_too_long_for_two_versions(
    compile_device: CompileDevice, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions with no version of their own for a full EXEC, as very long ones have; seeds of their own keep the
    code cache apart."""
    monkeypatch.setattr(function, "DUAL_LIMIT", 0)
    _check(compile_device, target, 60, 500, 2)
