"""``softrock run --compare``: one program on GPUs of different wave sizes; where do they part?

Runs are compared by exit status, by what they print, and launch by launch by what memory holds (hip/trace.py). The
first launch behind which memory differs names the kernel to look at; lint's findings in it and in what it calls follow.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from softrock.core import settings
from softrock.core.errors import SoftrockError, UsageError

if TYPE_CHECKING:
    from softrock.cli.running import Options
    from softrock.hipify.findings import Finding

DEFAULT = ("gfx942", "gfx1100")
"""A GPU with waves of 64 lanes and one with waves of 32."""

_SHOWN = 40
"""Lines of a difference that are printed."""


@dataclass
class Run:
    """What came of the program on one GPU."""

    gpu: str
    status: int
    stdout: str
    stderr: str
    launches: list[dict[str, Any]] = field(repr=False, default_factory=list)


@dataclass
class Parting:
    """The first launch behind which memory differs between two runs.

    Attributes:
        launch: its number from 1. of: launches of the shorter run.
        kernel: its name, "" where the runs launch different things from here on.
        why: what differs, in a line for each allocation.
    """

    launch: int
    of: int
    kernel: str
    grid: list[int]
    block: list[int]
    why: list[str]


def compare(args: Sequence[str], tail: Sequence[str], options: Options, as_json: bool) -> int:
    """Build once, run on each GPU, and report; gives 0 where all runs agree, else 1.

    Raises:
        UsageError: less than two GPUs are asked for.
        CompileError: the program does not compile.
    """
    from softrock.cli import running
    from softrock.cli.runtime import runtime
    from softrock.compiler import driver, program

    gpus = [each.strip() for each in options.gpu.split(",")] if options.gpu else list(DEFAULT)
    if len(gpus) < 2:
        raise UsageError("--compare needs two GPUs or more", hint=f"--gpu {','.join(DEFAULT)}")
    extra = {**options.variables(), "SOFTROCK_GPUS": ",".join(gpus)}
    os.environ.update(extra)
    scratch = Path(tempfile.mkdtemp(prefix="softrock-compare-"))
    try:
        built = program.build(args, driver.gpu_targets(), runtime, scratch)
        sys.stderr.write(built.warnings)

        def once(gpu: str, place: str, at: int = 0) -> Run:
            trace = {"SOFTROCK_TRACE": str(scratch / place), "SOFTROCK_TRACE_AT": str(at)}
            return _run(gpu, running.command(built.path, tail, {**extra, **trace}, gpu), scratch / place)

        runs = [once(gpu, f"{number}") for number, gpu in enumerate(gpus)]
        parting = None
        for number, other in enumerate(runs[1:], 1):
            parting = _parting(runs[0], other)
            if parting is not None:
                if parting.kernel:
                    once(gpus[0], "first", parting.launch)
                    once(gpus[number], "second", parting.launch)
                    parting.why = _differences(scratch / "first", scratch / "second")
                break
        findings = _lint(args, gpus, parting) if parting is not None and parting.kernel else []
        return _report(runs, parting, findings, as_json)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _run(gpu: str, command: tuple[str, list[str], dict[str, str]], trace: Path) -> Run:
    from softrock.hip.trace import FILE

    path, argv, variables = command
    limit = settings.load().timeout
    try:
        done = subprocess.run(
            argv, executable=path, env=variables, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=None if limit is None else 2 * limit + 60,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SoftrockError(f"the program does not end on {gpu}", hint="give it smaller work") from None
    launches = []
    if (trace / FILE).is_file():
        launches = [json.loads(line) for line in (trace / FILE).read_text(encoding="utf-8").splitlines()]
    text = [each.decode("utf-8", "replace") for each in (done.stdout, done.stderr)]
    code = done.returncode
    return Run(gpu, 128 - code if code < 0 else code, text[0], text[1], launches)


def _parting(one: Run, other: Run) -> Parting | None:
    shorter = min(len(one.launches), len(other.launches))
    for a, b in zip(one.launches, other.launches, strict=False):
        if a["kernel"] != b["kernel"]:
            why = [f"{one.gpu} launches {a['kernel']}, {other.gpu} {b['kernel']}"]
            return Parting(a["launch"], shorter, "", a["grid"], a["block"], why)
        if [each["bytes"] for each in a["memory"]] != [each["bytes"] for each in b["memory"]]:
            why = ["the programs have allocated different memory"]
            return Parting(a["launch"], shorter, "", a["grid"], a["block"], why)
        if a["memory"] != b["memory"]:
            return Parting(a["launch"], shorter, a["kernel"], a["grid"], a["block"], [])
    if len(one.launches) != len(other.launches):
        why = [f"{len(each.launches)} launches on {each.gpu}" for each in (one, other)]
        return Parting(shorter, shorter, "", [], [], why)
    return None


def _differences(first: Path, second: Path) -> list[str]:
    """A line for each allocation that the same launch left with different contents."""
    out = []
    for path in sorted(first.glob("memory-*.bin"), key=lambda p: int(p.stem.partition("-")[2])):
        other = second / path.name
        a, b = path.read_bytes(), other.read_bytes() if other.is_file() else b""
        if a == b:
            continue
        words = min(len(a), len(b)) // 4
        x, y = np.frombuffer(a, np.uint32, words), np.frombuffer(b, np.uint32, words)
        places = np.flatnonzero(x != y)
        if not len(places):
            continue
        at = int(places[0])
        out.append(
            f"allocation {path.stem.partition('-')[2]} ({len(a)} bytes): {len(places)} of {words} words differ, "
            f"first at byte {4 * at}: {_word(x[at : at + 1])} and {_word(y[at : at + 1])}"
        )
    return out or ["the difference did not show again when the program was run once more: it is not the same each time"]


def _word(value: npt.NDArray[np.uint32]) -> str:
    """A 32-bit word as an integer, and as the float that it may be."""
    number = float(value.view(np.float32)[0])
    plausible = number == 0 or 1e-20 < abs(number) < 1e20
    return f"{int(value.view(np.int32)[0])}" + (f" (as float {number:g})" if plausible else "")


def _plain(kernel: str) -> str:
    """A kernel's name without scope, template arguments and parameters."""
    from softrock.codeobj.names import demangle

    return demangle(kernel).partition("(")[0].partition("<")[0].rpartition(" ")[2].rpartition("::")[2]


def _lint(args: Sequence[str], gpus: Sequence[str], parting: Parting) -> list[Finding]:
    """Findings in the kernel and in what it calls, by the names of functions."""
    from softrock.hipify.source import Source
    from softrock.lint import engine
    from softrock.lint.file import File
    from softrock.lint.targets import TARGETS, targets

    known = [gpu.partition(":")[0] for gpu in gpus if gpu.partition(":")[0] in TARGETS]
    chosen = engine.Settings(rules=engine.choose([], []), targets=targets(",".join(known) or None))
    paths = [Path(each) for each in args if not each.startswith("-") and Path(each).is_file()]
    files = [(path, Source.read(path)) for path in engine.files(paths)]
    functions: dict[str, list[tuple[str, tuple[int, int], set[str]]]] = {}
    for _, source in files:
        outline = File(source, engine.language_of(source), chosen.targets, None).outline
        for function in outline.functions:
            offset, length = outline.offsets((function.start, function.body[1]))
            lines = (source.position(offset)[0], source.position(offset + length)[0])
            functions.setdefault(function.name, []).append((str(source.path), lines, outline.words(function.body)))
    involved: list[tuple[str, tuple[int, int]]] = []
    waiting, seen = [_plain(parting.kernel)], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for path, lines, words in functions.get(name, []):
            involved.append((path, lines))
            waiting += words & functions.keys()
    return [
        finding
        for path, source in files
        for finding in engine.check(source, chosen).findings
        if any(str(path) == where and low <= finding.line <= high for where, (low, high) in involved)
    ]


def _report(runs: Sequence[Run], parting: Parting | None, findings: Sequence[Finding], as_json: bool) -> int:
    first = runs[0]
    same_text = all((each.stdout, each.stderr) == (first.stdout, first.stderr) for each in runs)
    same = same_text and parting is None and all(each.status == first.status for each in runs)
    if as_json:
        document = {
            "same": same,
            "runs": [{k: v for k, v in asdict(each).items() if k != "launches"} for each in runs],
            "launches": {each.gpu: len(each.launches) for each in runs},
            "parting": None if parting is None else {**asdict(parting), "name": _plain(parting.kernel)},
            "findings": [
                {"rule": f.rule, "severity": str(f.severity), "path": f.path, "line": f.line, "column": f.column,
                 "message": f.message, "hint": f.hint}
                for f in findings
            ],
        }  # fmt: skip
        print(json.dumps(document, indent=2))
        return 0 if same else 1
    for each in runs:
        print(f"{each.gpu}: exit status {each.status}, {len(each.launches)} launches")
    if same:
        print("the same output, and the same memory behind every launch")
        return 0
    for other in runs[1:]:
        for stream in ("stdout", "stderr"):
            _show_difference(stream, first, other)
    if parting is not None:
        where = f"launch {parting.launch} of {parting.of}"
        if parting.kernel:
            shape = f"grid {parting.grid}, block {parting.block}"
            print(f"memory first differs behind {where}: {_plain(parting.kernel)}, {shape}")
        else:
            print(f"the runs part at {where}:")
        for line in parting.why:
            print(f"  {line}")
    for finding in findings:
        print(finding)
    if parting is not None and parting.kernel and not findings:
        print(f"lint has nothing to say about {_plain(parting.kernel)}")
    return 1


def _show_difference(stream: str, one: Run, other: Run) -> None:
    a, b = (getattr(each, stream).splitlines() for each in (one, other))
    lines = list(difflib.unified_diff(a, b, f"{stream} on {one.gpu}", f"{stream} on {other.gpu}", lineterm="", n=1))
    for line in lines[:_SHOWN]:
        print(line)
    if len(lines) > _SHOWN:
        print(f"… {len(lines) - _SHOWN} more lines")
