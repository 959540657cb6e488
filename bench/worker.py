"""One case on one GPU with one number of threads, in a process of its own (the threads are settled at its start).

Run by bench/run.py as ``python -m bench.worker``; the row goes as JSON into the file descriptor it is given.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from dataclasses import asdict
from typing import Any

from bench import measure
from bench.context import Context
from bench.registry import Case, Cost, Job, cases
from bench.results import OURS, Figure, Row
from bench.run import SLOWS_BLAS


def environment(case: Case, gpu: str, threads: int) -> dict[str, str]:
    """What the worker's environment holds besides the caller's."""
    count = str(threads)
    return {
        # Rates are those of the full translation, costs what a user meets.
        "SOFTROCK_TIER": "auto" if case.cost else "full",
        "SOFTROCK_GPUS": gpu,
        "SOFTROCK_BACKEND": "software",
        "SOFTROCK_THREADS": count,
        "OMP_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        # OpenBLAS's threads spin for about 2^26 cycles after their work: into the next contender's sample.
        "OPENBLAS_THREAD_TIMEOUT": "20",
        "POCL_MAX_PTHREAD_COUNT": count,
        "POCL_CPU_MAX_CU_COUNT": count,
    }


DROPPED = (
    *SLOWS_BLAS,
    "OPENBLAS_DEFAULT_NUM_THREADS",
    "SOFTROCK_DUMP",
    "SOFTROCK_NO_CACHE",
    "SOFTROCK_OPT",
    "SOFTROCK_TIMEOUT",
    "SOFTROCK_TIMINGS",
)
"""Variables that would slow a contender down; they do not reach the worker."""


def measure_case(case: Case, context: Context, repeat: int, cpu: bool) -> Row:
    """Prepare, check and measure a case.

    Raises:
        AssertionError: a result is wrong.
    """
    made = case.make(context)
    row = Row(case.name, case.title, case.unit, context.gpu, context.threads, case.cost, case.compute, [])
    row.target = None if context.quick else case.target  # nobody asks anything of small sizes
    if isinstance(made, Cost):
        row.figures = [Figure(OURS, made.samples(1 if context.quick else repeat), made.note)]
        return row
    row.figures = _rates(made, context, repeat, cpu)
    row.missing = made.missing
    return row


def _rates(job: Job, context: Context, repeat: int, cpu: bool) -> list[Figure]:
    job.run()
    for rival in list(job.rivals):
        try:
            rival.run()
        except Exception as error:  # whatever a foreign library raises
            job.rivals.remove(rival)
            job.missing[rival.who] = f"it does not run here: {type(error).__name__}: {error}"
    for who, result in [(OURS, job.result), *((r.who, r.result) for r in job.rivals)]:
        try:
            job.check(result)
        except AssertionError as error:
            raise AssertionError(f"{who}'s result is wrong: {error}") from error
    runs = [job.run, *(r.run for r in job.rivals)]
    enough = 0.0 if context.quick else measure.ENOUGH
    times = measure.interleaved(runs, repeat, cpu=cpu, threads=context.threads, enough=enough)
    names = [(OURS, ""), *((r.who, r.note) for r in job.rivals)]
    return [Figure(who, [job.work / t for t in each], note) for (who, note), each in zip(names, times, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", required=True)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--repeat", type=int, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--fd", type=int, required=True)
    args = parser.parse_args()
    if args.threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    (case,) = cases([args.case])
    try:
        row = measure_case(case, Context(args.gpu, args.threads, args.quick), args.repeat, args.cpu_time)
        message: dict[str, Any] = {"row": asdict(row)}
    except Exception as error:
        traceback.print_exc()
        lines = [line for line in str(error).splitlines() if line.strip()]
        message = {"error": f"{type(error).__name__}: {' | '.join(lines[:4])}"}
    with os.fdopen(args.fd, "w") as pipe:
        json.dump(message, pipe)
    return "error" in message


if __name__ == "__main__":
    sys.exit(main())
