"""Work on many things over several processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from softrock.core.errors import SoftrockError

Item = TypeVar("Item")
T = TypeVar("T")


def spread(
    work: Callable[[Item], T], items: Sequence[Item], jobs: int, *, mend: str, chunk: int | None = None
) -> Generator[T, None, None]:
    """Results in the order of the items, as they come. Nothing is left running when the iterator ends or is closed.

    Args:
        work: a function that another process can import, items and results what can be sent to one.
        jobs: processes.
        mend: what the user can do where one dies, most likely for want of memory.
        chunk: items that a process takes at a time; None: some, so that each process comes back a few times.

    Raises:
        SoftrockError: a process died.
    """
    size = chunk or max(1, min(16, len(items) // (4 * jobs)))
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(jobs, len(items)), multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    )
    done = 0
    try:
        for result in pool.map(work, items, chunksize=size):
            yield result
            done += 1
    except BaseException as error:  # an interrupt or an early end as well: nobody waits for what is under way
        for each in set(multiprocessing.active_children()) - others:
            each.terminate()
        if isinstance(error, BrokenProcessPool):
            what = f"a process ended behind {done} of {len(items)} files, perhaps for want of memory"
            raise SoftrockError(what, hint=mend) from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)
