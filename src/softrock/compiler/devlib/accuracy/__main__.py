"""``python -m softrock.compiler.devlib.accuracy [FILE.md] [--points N]``: measure everything and write the report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from softrock.compiler.devlib.accuracy import Measured, cases, measure
from softrock.compiler.devlib.accuracy.evaluate import HostEvaluator, half_errors

INTRODUCTION = """\
# Accuracy of the device math library

Written by `python -m softrock.compiler.devlib.accuracy docs/math-accuracy.md`. Each function was called at {points}
points per type, drawn as `devlib/accuracy/cases.csv` says, and compared with mpmath at {extra} bits more than the type
has. *Bound* is the largest error that the source documents, in ulps from the correctly rounded result; *seen* is the
largest such error met; *real* is the largest distance from the true value (a correctly rounded result has at most
0.5). For `far` cases all three are absolute errors. *half* is the largest error over all 65,536 halves, in ulps from
the correctly rounded result.

The measurement runs on the host build of the same sources, in which the approximate hardware operations (`v_rcp`,
`v_rsq`, ...) are replaced by the true value moved by up to one ulp: what holds here holds for hardware of that quality.

Sources: CUDA = CUDA C++ Programming Guide, mathematical functions appendix, the tightest of its editions; OpenCL =
OpenCL C specification, relative error as ulps; exact = correctly rounded by definition. `lgamma` is bounded outside
(-10.001, -2.264) for float and (-11.0001, -2.2637) for double only, as CUDA documents it.

| function | source | float bound | seen | real | double bound | seen | real | half |
|---|---|---|---|---|---|---|---|---|
"""


def _cells(found: Measured) -> str:
    if found.case.absolute:
        return f"{found.bound:.2g} abs | {found.error:.2g} | {found.real:.2g}"
    return f"{found.bound:g} | {found.error:g} | {found.real:.2f}"


def main(arguments: list[str] | None = None) -> int:
    """Write the report; status 1 where a bound is broken."""
    parser = argparse.ArgumentParser(prog="python -m softrock.compiler.devlib.accuracy")
    parser.add_argument("file", nargs="?", type=Path, help="where the report goes (default: standard output)")
    parser.add_argument("--points", type=int, default=2000, help="points per function and type")
    chosen = parser.parse_args(arguments)
    host = HostEvaluator()
    lines, broken = [], []
    for each in cases():
        print(each.name, file=sys.stderr, flush=True)
        found = [measure(each, type_name, host, chosen.points, seed=5) for type_name in each.bounds]
        broken += [f"{m.case.name} {m.type}: {m.error} over {m.bound}" for m in found if not m.within]
        half = f"{half_errors(host, each).max():g}" if len(each.domains) == 1 and not each.absolute else "-"
        lines.append(f"| {each.name} | {each.source} | {' | '.join(_cells(m) for m in found)} | {half} |\n")
    text = INTRODUCTION.format(points=chosen.points, extra=60) + "".join(lines)
    if chosen.file is None:
        sys.stdout.write(text)
    else:
        chosen.file.write_text(text)
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
