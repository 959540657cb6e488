"""What a case is, and the list of all of them.

A module of `bench.cases` registers each of its cases with :func:`case`; nothing else has to be touched to add one.
"""

from __future__ import annotations

import fnmatch
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from bench.context import Context

GPUS = ("gfx942", "gfx1100")


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked of a case.

    Attributes:
        at_least: lowest good value: a ratio to the rival `of`, or without one a rate.
        at_most: highest good value of a cost.
        of: the rival's name.
        per_thread: `at_least` is a rate for each thread.
    """

    at_least: float | None = None
    at_most: float | None = None
    of: str = ""
    per_thread: bool = False


@dataclass(frozen=True, slots=True)
class Rival:
    """Another way to do the same work.

    Attributes:
        who: its name in the table.
        run: does the work once.
        result: where it writes what it finds.
        note: what a reader should know, such as "vector math library".
    """

    who: str
    run: Callable[[], object]
    result: NDArray[Any]
    note: str = ""


@dataclass(slots=True)
class Job:
    """A case made ready to run: its inputs are written, its kernels compiled.

    Attributes:
        work: units of work one run does, in 10⁹ (so that work / seconds is the case's unit).
        run: does the work once, and waits for it.
        result: where it writes what it finds.
        check: raises AssertionError if a result is wrong; called with ours and each rival's after they have run.
        rivals: who is measured beside us.
        missing: why a rival that was meant to be there is not.
    """

    work: float
    run: Callable[[], object]
    result: NDArray[Any]
    check: Callable[[NDArray[Any]], None]
    rivals: list[Rival] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Cost:
    """A cost made ready to be measured.

    Attributes:
        samples: measures so many times and returns the costs in the case's unit.
        note: what a reader should know.
    """

    samples: Callable[[int], list[float]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the table.

    Attributes:
        name: what `--case` matches. title: what the table shows. unit: of a rate (higher is better) or cost (lower).
        make: prepares it. target: what is asked of it. gpus: where it can run. cost: it is a cost.
        compute: its rate should grow with the threads. once: threads make no difference; measured with all of them.
    """

    name: str
    title: str
    unit: str
    make: Callable[[Context], Job | Cost]
    target: Target | None = None
    gpus: tuple[str, ...] = GPUS
    cost: bool = False
    compute: bool = False
    once: bool = False


_cases: dict[str, Case] = {}


def case(
    name: str,
    title: str,
    unit: str,
    *,
    target: Target | None = None,
    gpus: Sequence[str] = GPUS,
    cost: bool = False,
    compute: bool = False,
    once: bool = False,
) -> Callable[[Callable[[Context], Job | Cost]], Callable[[Context], Job | Cost]]:
    """Register the decorated function as a case; the arguments are :class:`Case`'s."""

    def register(make: Callable[[Context], Job | Cost]) -> Callable[[Context], Job | Cost]:
        if name in _cases:
            raise ValueError(f"two cases are called {name}")
        _cases[name] = Case(name, title, unit, make, target, tuple(gpus), cost, compute, once)
        return make

    return register


def cases(patterns: Sequence[str] = ()) -> list[Case]:
    """The registered cases whose names match one of the globs (all without any): rates, then costs.

    Raises:
        ValueError: a pattern matches nothing.
    """
    for path in sorted((Path(__file__).parent / "cases").glob("*.py")):
        if path.stem != "__init__":
            importlib.import_module(f"bench.cases.{path.stem}")
    for pattern in patterns:
        if not fnmatch.filter(_cases, pattern):
            raise ValueError(f"no case matches {pattern!r}; cases: {', '.join(_cases)}")
    chosen = [c for c in _cases.values() if not patterns or any(fnmatch.fnmatchcase(c.name, p) for p in patterns)]
    return sorted(chosen, key=lambda c: c.cost)
