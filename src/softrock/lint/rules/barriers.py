"""Barriers that not every thread reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.hipify.source import readable
from softrock.lint.file import File
from softrock.lint.once import once
from softrock.lint.outline import Function, Outline, Range, Statement
from softrock.lint.registry import rule
from softrock.lint.sizes import Sizes
from softrock.lint.threads import Threads, threads

_BARRIERS = frozenset(
    [
        "__syncthreads",
        "__syncthreads_and",
        "__syncthreads_or",
        "__syncthreads_count",
        "__builtin_amdgcn_s_barrier",
        "__barrier_sync",
    ]
)
_GROUPS = ("this_thread_block", "this_grid")
_GROUP_NAME = re.compile(r"\w*(?:block|cta)\w*")
_LOOP_MACRO = re.compile(r"\w*KERNEL_LOOP\w*")
_COLLECTIVE = re.compile(
    r"\bBlock(?:Reduce|Scan|RadixSort|RadixRank|MergeSort|Exchange|Load|Store|Discontinuity|Shuffle|Histogram)\b"
)
_HELPER = re.compile(r"(?:block|cta)_?(?:all_?)?(?:reduce|scan|sum|max|min|broadcast)\w*", re.IGNORECASE)


def _barriers(function: Function, sizes: Sizes) -> list[int]:
    """Indices of the barriers of a whole workgroup in a function, and of calls that hold one, in order."""
    out = function.outline
    found = _own_barriers(function)
    for name, method in _holding(out, sizes).items():
        for index in out.places(name, function.body):
            if out.at(index - 1) in (".", "->"):
                continue
            called = out.call_at(index) is not None or name in out.macros
            if _method(out, index) if method else called and out.tokens[index - 1].kind is not Kind.NAME:
                found.append(index)
    return sorted(set(found))


def _holding(out: Outline, sizes: Sizes) -> dict[str, bool]:
    """Names of a file whose call holds a barrier; True for types whose methods do."""
    made = vars(out).get("_holding")
    if made is None:
        helpers = _with_barriers(out)
        seen = {each.name for each in out.functions} | out.macro_functions.keys() | sizes.aliases.keys()
        seen |= {name for name, places in out.names.items() if any(_is_lambda(out, at) for at in places)}
        made = vars(out)["_holding"] = {}
        for name in out.names:
            if name in helpers or (name not in seen and _HELPER.fullmatch(name)):
                made[name] = False
            elif _COLLECTIVE.search(sizes.aliases.get(name, name)):
                made[name] = True
    assert isinstance(made, dict)
    return made


def _is_lambda(out: Outline, at: int) -> bool:
    """A name is given a lambda."""
    return out.at(at + 1) == "=" and out.at(at + 2) == "["


def _guessed(out: Outline, barrier: int) -> bool:
    """A function elsewhere is taken for one with a barrier by its name alone."""
    name = out.at(barrier)
    return name not in _with_barriers(out) and _HELPER.fullmatch(name) is not None


def _own_barriers(function: Function) -> list[int]:
    out = function.outline
    start, end = function.body
    found = [call.index for call in out.calls(*_BARRIERS, within=function.body)]
    groups = _groups(out, function)
    for at in out.names.get("sync", ()):
        call = out.call_at(at) if start + 2 <= at < end else None
        if call is None:
            continue
        if out.at(at - 1) not in (".", "->"):  # cg::sync(group)
            if out.at(at - 1) == "::" and len(call.arguments) == 1 and out.words(call.arguments[0]) & groups:
                found.append(at)
        elif out.at(at - 2) in groups or _GROUP_NAME.fullmatch(out.at(at - 2)):
            found.append(at - 2)
        elif out.at(at - 2) == ")" and out.at(out.match.get(at - 2, 0) - 1) in _GROUPS:
            found.append(out.match[at - 2] - 1)
    return found


def _groups(out: Outline, function: Function) -> set[str]:
    """Names in a function of the cooperative groups that are the whole workgroup, or the whole grid."""
    found = {each.name for each in function.parameters if re.search(r"\b(?:thread_block|grid_group)\b", each.type)}
    for name in _GROUPS:
        for at in out.names.get(name, ()):
            if function.body[0] <= at < function.body[1]:
                before = at - 1
                while out.at(before) == "::":
                    before -= 2
                if out.at(before) == "=":
                    found.add(out.at(before - 1))
    return found


def _method(out: Outline, index: int) -> bool:
    """Whether a name begins ``BlockReduce<…>(…).Sum(``."""
    call = out.call_at(index)
    return call is not None and out.at(call.close + 1) == "." and out.at(call.close + 3) in ("(", "<")


@once
def _with_barriers(out: Outline) -> frozenset[str]:
    """The file's device functions in which all threads come to a barrier, their own or that of one they call."""
    functions = [each for each in out.functions if each.is_device and not each.is_kernel]
    found = {each.name for each in functions if _own_barriers(each)} | _barrier_macros(out)
    for _ in range(4):
        more = {each.name for each in functions if found & out.words(each.body)}
        if more <= found:
            break
        found |= more
    return frozenset(found)


def _barrier_macros(out: Outline) -> set[str]:
    """Macros that stand for a barrier: ``#define SYNC() __syncthreads()``."""
    bodies = {**out.macros, **out.macro_functions}
    return {name for name, body in bodies.items() if any(each.text in _BARRIERS for each in body)}


def _contains(statement: Statement, index: int) -> bool:
    return statement.start <= index < statement.end


def _condition(function: Function, statement: Statement) -> tuple[int, int]:
    """What decides whether (or how often) a statement's body runs: of a ``for`` the condition in the middle."""
    if statement.kind != "for":
        return statement.head
    parts = function.outline.split(*statement.head, by=";")
    return parts[1] if len(parts) == 3 else statement.head


def _varying(function: Function, statement: Statement, varying: Threads) -> bool:
    """Whether some threads run a statement's body and others do not."""
    if statement.kind == "macro":
        return _LOOP_MACRO.fullmatch(function.outline.at(statement.start)) is not None
    if statement.kind == "for":
        return varying.turns_vary(statement)
    return statement.kind in ("if", "while", "do", "switch") and varying.varies(statement.head)


@rule("return-before-barrier", Severity.WARNING)
def return_before_barrier(file: File) -> Iterator[Finding]:
    """Some threads return before a barrier that the others wait at.

    Why:
        A barrier is for all threads of a workgroup. CUDA's hardware has let threads that returned count as arrived, so
        that code with a guard at its top (``if (i >= n) return;``) seemed to work. On AMD GPUs the barrier counts
        waves: a wave of which some lanes have returned still arrives, one whose lanes have all left may not, and code
        that the compiler moved across the return runs with fewer lanes. The result is a hang or a wrong answer, on
        some sizes only.

    Example:
        __global__ void scale(float* out, const float* in, int n) {
          __shared__ float tile[256];
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          tile[threadIdx.x] = in[i];
          __syncthreads();
          out[i] = tile[threadIdx.x ^ 1];
        }

    Fix:
        __global__ void scale(float* out, const float* in, int n) {
          __shared__ float tile[256];
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          bool inside = i < n;
          tile[threadIdx.x] = inside ? in[i] : 0.0f;
          __syncthreads();
          if (inside) out[i] = tile[threadIdx.x ^ 1];
        }
    """
    out = file.outline
    for function in out.functions:
        barriers = _barriers(function, file.values.sizes) if function.is_device else []
        if not barriers:
            continue
        varying = threads(function)
        for statement, path in function.paths():
            if statement.kind != "return" or not any(_varying(function, each, varying) for each in path):
                continue
            loops = [each for each in path if each.kind in ("for", "while", "do", "macro")]
            later = next((at for at in barriers if at > statement.start), None)
            around = next((at for each in loops[:1] for at in barriers if _contains(each, at)), None)
            reached = later if later is not None else around
            if reached is None or _same_branch_only(path, statement, barriers):
                continue
            if _all_leave(function, path, statement, barriers):
                continue
            line = file.source.position(out.tokens[reached].offset)[0]
            yield file.finding(
                "return-before-barrier",
                *out.offsets((statement.start, statement.start + 1)),
                f"some threads return here, before the barrier{_within(out, reached)} in line {line}",
                "let every thread reach the barrier: guard the work before and after it, not the whole kernel",
            )


def _within(out: Outline, barrier: int) -> str:
    """`` of NAME`` for a barrier that is in a function called there."""
    name = out.at(barrier)
    direct = name in _BARRIERS or name in _GROUPS or "sync" in (name, out.at(barrier + 2))
    return "" if direct else f" of {name}"


def _same_branch_only(path: tuple[Statement, ...], statement: Statement, barriers: list[int]) -> bool:
    """Whether all later barriers stand in the other branch of an ``if`` around the return, so that none is missed."""
    for each in path:
        if each.kind == "if" and len(each.children) == 2 and _contains(each.children[0], statement.start):
            later = [at for at in barriers if at > statement.start]
            if later and all(_contains(each.children[1], at) for at in later):
                return True
    return False


def _all_leave(
    function: Function, path: tuple[Statement, ...], statement: Statement, barriers: list[int]
) -> bool:
    """Whether all threads return at the end of a block around a return, before any barrier that follows."""
    varying = threads(function)
    for each in path:
        if _varying(function, each, varying):
            return False  # not all threads are in it
        ends = each.kind == "block" and each.children and each.children[-1].kind == "return"
        if ends and not any(statement.start < at < each.end for at in barriers):
            return True
    return False


@rule("barrier-in-divergent-code", Severity.ERROR)
def barrier_in_divergent_code(file: File) -> Iterator[Finding]:
    """A barrier stands in code that only some threads of the workgroup run.

    Why:
        A barrier under a condition that differs between threads is undefined in CUDA and in HIP. On NVIDIA's GPUs it
        often went well, because whole warps skipped it or it was counted by threads. On AMD GPUs the waves that skip
        it and those that wait get out of step: the kernel hangs or goes on with half-written shared memory.

    Example:
        __global__ void sum(float* data) {
          __shared__ float part[256];
          part[threadIdx.x] = data[threadIdx.x];
          if (threadIdx.x < 128) {
            part[threadIdx.x] += part[threadIdx.x + 128];
            __syncthreads();
          }
          data[threadIdx.x] = part[0];
        }

    Fix:
        __global__ void sum(float* data) {
          __shared__ float part[256];
          part[threadIdx.x] = data[threadIdx.x];
          __syncthreads();
          if (threadIdx.x < 128) {
            part[threadIdx.x] += part[threadIdx.x + 128];
          }
          __syncthreads();
          data[threadIdx.x] = part[0];
        }
    """
    out = file.outline
    for function in out.functions:
        barriers = set(_barriers(function, file.values.sizes)) if function.is_device else set()
        if not barriers:
            continue
        varying = threads(function)
        for statement, path in function.paths():
            if statement.children or statement.kind == "return":
                continue
            for barrier in sorted(at for at in barriers if _contains(statement, at)):
                cause = next((each for each in path if _varying(function, each, varying)), None)
                if cause is None:
                    continue
                span = _condition(function, cause) if cause.kind != "macro" else (cause.start, cause.start + 1)
                direct = "threadIdx" in out.words(span) and cause.kind == "if"
                direct &= not (_on_both_sides(cause, barriers) or _guessed(out, barrier))
                line = file.source.position(out.tokens[cause.start].offset)[0]
                yield file.finding(
                    "barrier-in-divergent-code",
                    *out.offsets((barrier, barrier + 1)),
                    f"barrier{_within(out, barrier)} under `{_shown(file, span)}` (line {line}): "
                    "not all threads reach it",
                    "move the barrier out of the condition, or make that the same for all threads of the workgroup",
                    severity=Severity.ERROR if direct else Severity.WARNING,
                )


def _on_both_sides(cause: Statement, barriers: set[int]) -> bool:
    """Whether both branches of an ``if`` have a barrier: then at least each wave comes to one."""
    return len(cause.children) == 2 and all(any(_contains(each, at) for at in barriers) for each in cause.children)


def _shown(file: File, span: Range, most: int = 60) -> str:
    """An expression for a message: as it is written, in one line, cut when long."""
    offset, length = file.outline.offsets(span)
    text = " ".join(readable(file.source.text[offset : offset + length]).split())
    return text if len(text) <= most else text[: most - 1] + "…"
