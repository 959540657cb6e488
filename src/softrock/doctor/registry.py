"""Checks and what they find. A check is a function in a module of `softrock.doctor.checks`::

    @check("kfd-open", "the compute device can be opened")
    def kfd_open(machine: Machine) -> Iterator[Result]:
        ...
        yield failure("/dev/kfd: group 993, which is not yours", why="…", mend=["sudo usermod -aG 993 $USER"])

It yields one result for each thing that it looks at, and none at all where it does not apply. A new module in that
folder is found by itself; the first line of its docstring is the title of its section.

Which result to give. *failure*: GPU programs (of `Result.software`, on the GPU `Result.gpu`) cannot run like this.
*limit*: a warning about something that a user would miss: a GPU left out, memory or speed far below what the card has.
*warning*: a risk or an advice; all works today, and the exit status stays 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from softrock.doctor.text import clean
from softrock.system.interface import System

T = TypeVar("T")


class Verdict(StrEnum):
    """What a check says of what it saw."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"
    NOT_APPLICABLE = "not applicable"
    UNKNOWN = "could not tell"


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found.

    Attributes:
        verdict: what it means.
        seen: what was seen, in a sentence.
        why: why it matters; empty where that is plain.
        mend: the exact commands or steps that mend it on this machine, in order.
        rank: among failures and warnings the one to mend first has the lowest.
        limits: a warning about something that a user would miss; it counts for the summary and the exit status.
        gpu: PCI address of the GPU that it is about; empty where it is about all.
        software: what it is about alone (``pytorch``); empty where all GPU programs are concerned.
        check: id of the check, filled in by `run`.

    Texts lose control characters here, so that nothing that was read reaches a terminal as a command.
    """

    verdict: Verdict
    seen: str
    why: str = ""
    mend: tuple[str, ...] = ()
    rank: int = 50
    limits: bool = False
    gpu: str = ""
    software: str = ""
    check: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seen", clean(self.seen))
        object.__setattr__(self, "why", clean(self.why))
        object.__setattr__(self, "mend", tuple(clean(each) for each in self.mend))


def ok(seen: str, *, gpu: str = "", software: str = "") -> Result:
    """All is well."""
    return Result(Verdict.OK, seen, gpu=gpu, software=software)


def warning(
    seen: str, *, why: str, mend: Sequence[str] = (), rank: int = 50, gpu: str = "", software: str = ""
) -> Result:
    """It works, with a risk or an advice; this does not count against the machine."""
    return Result(Verdict.WARNING, seen, why, tuple(mend), rank, gpu=gpu, software=software)


def limit(
    seen: str, *, why: str, mend: Sequence[str] = (), rank: int = 50, gpu: str = "", software: str = ""
) -> Result:
    """It works, but a user misses something: a warning that makes the machine one that works with limits."""
    return Result(Verdict.WARNING, seen, why, tuple(mend), rank, limits=True, gpu=gpu, software=software)


def failure(
    seen: str, *, why: str, mend: Sequence[str] = (), rank: int = 50, gpu: str = "", software: str = ""
) -> Result:
    """It cannot work like this."""
    return Result(Verdict.FAILURE, seen, why, tuple(mend), rank, gpu=gpu, software=software)


def not_applicable(seen: str, *, gpu: str = "", software: str = "") -> Result:
    """There is nothing to check, and the reader may wonder why."""
    return Result(Verdict.NOT_APPLICABLE, seen, gpu=gpu, software=software)


def unknown(seen: str, *, why: str = "", mend: Sequence[str] = (), gpu: str = "", software: str = "") -> Result:
    """What was needed could not be read."""
    return Result(Verdict.UNKNOWN, seen, why, tuple(mend), gpu=gpu, software=software)


@dataclass(eq=False)
class Machine:
    """A machine and what was already found out about it.

    Attributes:
        system: where to read.
        wanted: what it shall work for, ``pytorch``; empty for anything.
        live: it is the machine that runs this, so that programs may be tried on it.
    """

    system: System
    wanted: str = ""
    live: bool = False
    _facts: dict[Callable[[Machine], object], object] = field(default_factory=dict)

    def fact(self, read: Callable[[Machine], T]) -> T:
        """What a function finds out about this machine, found out once: ``machine.fact(gpus)``."""
        if read not in self._facts:
            self._facts[read] = read(self)
        return self._facts[read]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Check:
    """A check.

    Attributes:
        id: what it is called.
        title: what holds when it says ok, in a few words.
        run: does it.
        section: name of the module that it stands in.
        active: it runs something on the GPU, and only where that is asked for.
    """

    id: str
    title: str
    run: Callable[[Machine], Iterable[Result]]
    section: str = ""
    active: bool = False


CHECKS: dict[str, Check] = {}
"""All checks by id, in the order in which they are shown."""


def check(
    name: str, title: str, *, active: bool = False
) -> Callable[[Callable[[Machine], Iterator[Result]]], Callable[[Machine], Iterator[Result]]]:
    """Enter a check."""

    def enter(run: Callable[[Machine], Iterator[Result]]) -> Callable[[Machine], Iterator[Result]]:
        assert name not in CHECKS, f"two checks are called {name}"
        CHECKS[name] = Check(name, title, run, run.__module__.rpartition(".")[2], active)
        return run

    return enter


def run(machine: Machine, *, active: bool = False, only: Sequence[str] = ()) -> Iterator[Result]:
    """Results of all checks; a check that meets a refusal of the system it did not expect could not tell."""
    for each in CHECKS.values():
        if (only and each.id not in only) or (each.active and not active):
            continue
        try:
            for result in each.run(machine):
                yield replace(result, check=each.id)
        except OSError as error:
            seen = f"{error.filename or each.title}: {error.strerror or error}"
            yield replace(unknown(seen, why=f"needed to see whether {each.title}"), check=each.id)
