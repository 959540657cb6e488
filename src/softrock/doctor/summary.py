"""What all findings mean together: one word, one sentence, and the first thing to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from softrock.doctor.facts import Gpu, container, gpus, wsl
from softrock.doctor.registry import Machine, Result, Verdict
from softrock.system.interface import exists


class State(StrEnum):
    """How the machine is."""

    WORKS = "works"
    LIMITED = "works with limits"
    BROKEN = "broken"
    NO_GPU = "no GPU"


WANTED = ("pytorch", "vllm", "llama.cpp", "ollama", "jax", "cupy", "triton", "bitsandbytes")
"""What ``--for`` takes; checks name these in `Result.software`."""


@dataclass(frozen=True)
class Summary:
    """What all findings mean together.

    Attributes:
        state: the one word.
        text: the sentence, of what is wrong first.
        first: the first thing to do; empty where there is nothing.
        results: those that count, the first to mend first.
    """

    state: State
    text: str
    first: str = ""
    results: tuple[Result, ...] = ()

    @property
    def status(self) -> int:
        """The exit status: 0 it works or there is no GPU, 1 limited or broken."""
        return int(self.state in (State.LIMITED, State.BROKEN))


def usable(machine: Machine) -> tuple[Gpu, ...]:
    """GPUs of the machine; in a container, those whose render nodes were handed in, if any was."""
    cards = machine.fact(gpus)
    given = tuple(each for each in cards if each.render and exists(machine.system, each.render))
    inside = machine.fact(container)
    return given if given and inside else cards


def counts(result: Result, wanted: str) -> bool:
    """Whether a finding counts: a failure or limit of the machine, or of what is wanted."""
    if result.verdict is not Verdict.FAILURE and not result.limits:
        return False
    return not wanted or not result.software or result.software == wanted


def summarise(machine: Machine, results: Sequence[Result]) -> Summary:
    """What all findings mean together.

    A failure breaks the machine where it concerns all GPUs, or each GPU has one, and no single software, or the wanted
    one. What concerns one GPU of several, or one of several programs, limits it.
    """
    found = sorted((each for each in results if counts(each, machine.wanted)), key=_urgency)
    cards = machine.fact(usable)
    if not machine.fact(gpus) and not (machine.fact(wsl) and exists(machine.system, "/dev/dxg")):
        return _without(found, results)
    if not found:
        return Summary(State.WORKS, _working(machine))
    broken = [each for each in found if each.verdict is Verdict.FAILURE and each.software in ("", machine.wanted)]
    hit = {each.gpu for each in broken}
    whole = [each for each in broken if not each.gpu]
    state = State.BROKEN if whole or (cards and hit >= {each.address for each in cards}) else State.LIMITED
    if state is State.BROKEN:
        found = [*(whole or broken), *(each for each in found if each not in (whole or broken))]
    first = next((each for each in found if each.mend), None)
    return Summary(state, found[0].seen, first.mend[0] if first else "", tuple(found))


def _urgency(result: Result) -> tuple[int, int]:
    return int(result.verdict is not Verdict.FAILURE), result.rank


def _working(machine: Machine) -> str:
    names = list(dict.fromkeys(each.gfx or each.name for each in machine.fact(usable)))
    number = len(machine.fact(usable))
    if not number:
        return "the GPU of Windows is there"
    return f"{number} GPU{'s' if number > 1 else ''} ({', '.join(names)})"


def _without(found: Sequence[Result], results: Sequence[Result]) -> Summary:
    """There is no GPU: only whether the software GPU works is left to say."""
    wrong = [each for each in found if each.check == "software-gpu"]
    if wrong:
        first = wrong[0].mend[0] if wrong[0].mend else ""
        return Summary(State.BROKEN, f"no AMD GPU found, and {wrong[0].seen}", first, tuple(wrong))
    tried = any(each.check == "software-gpu" for each in results)
    return Summary(State.NO_GPU, "no AMD GPU found" + ("; the software GPU works" if tried else ""))
