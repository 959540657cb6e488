"""Numbers that stand for the 32 lanes of a warp."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.lanes import (
    BLOCK_SIZE,
    LANE_CALLS,
    WARP_FUNCTIONS,
    WARP_SIZE_NAME,
    Lanes,
    gpus,
    lanes,
    others,
    views,
)
from softrock.lint.once import once
from softrock.lint.outline import Range
from softrock.lint.registry import rule
from softrock.lint.uniform import around
from softrock.lint.values import integer


def _elsewhere(size: int) -> int:
    """The wave size for which code for waves of `size` lanes is wrong."""
    return 96 - size


@rule("warp-size-constant", Severity.ERROR)
def warp_size_constant(file: File) -> Iterator[Finding]:
    """A constant for the warp size is 32, or 64.

    Why:
        The size of a wave depends on the GPU: 64 on CDNA (gfx90a, gfx942, gfx950), 32 on RDNA. A constant
        decides for one of them. Everything that is made from it (lane numbers, counts of warps, masks, bounds of
        reductions) is wrong on the other. In device code ``warpSize`` is right everywhere; where the compiler has to
        know the number, make it a template parameter that the host chooses from ``hipDeviceProp_t::warpSize``.

    Example:
        #define WARP_SIZE 32
        __device__ int lane() { return threadIdx.x % WARP_SIZE; }

    Fix:
        __device__ int lane() { return threadIdx.x % warpSize; }
    """
    constants = list(_constants(file))
    named = {(name, value) for name, value, _, _ in constants}
    replaceable = _replaceable(file)
    for name, value, offset, length in constants:
        if len({other for each, other, _, _ in constants if each == name}) > 1:
            continue  # chosen by conditions
        if _NOT_THE_SIZE.fullmatch(name):
            continue
        if (name.removesuffix(str(value)) + str(_elsewhere(value)), _elsewhere(value)) in named:
            continue  # WARP_SIZE_32 beside WARP_SIZE_64: what they are called is what they are
        on = gpus(file, _elsewhere(value))
        if not on:
            continue
        used = len(file.outline.names.get(name, ())) + sum(
            1 for line in file.outline.directives for token in line.tokens[1:] if token.text == name
        )
        alone = used <= (0 if _is_macro(file, name) else 1)
        alone |= name in replaceable
        unless = " unless the build defines it" if name in replaceable else ""
        message = f"{name} is {value}{unless}; a wave of {on} has {_elsewhere(value)} lanes{others(file, value)}"
        hint = "use warpSize in device code, or a template parameter that the host chooses from the device's properties"
        yield file.finding(
            "warp-size-constant", offset, length, message, hint, severity=Severity.WARNING if alone else None
        )


def _replaceable(file: File) -> set[str]:
    """Macros that are defined where nobody has: ``#ifndef WARP_SIZE``, ``#define WARP_SIZE 32``."""
    lines = file.outline.directives
    return {
        line.tokens[0].text
        for before, line in itertools.pairwise(lines)
        if (before.word, line.word) == ("ifndef", "define")
        and [each.text for each in before.tokens] == [each.text for each in line.tokens[:1]]
    }


def _is_macro(file: File, name: str) -> bool:
    return name in file.outline.macros


_COMPILERS = re.compile(r"__AMDGCN_|__HIP_")
"""Names that the compiler defines: what a file gives them is for others."""
_NOT_THE_SIZE = re.compile(
    r"\w*(?:min|max|half|sub|logical|emulated|virtual|smallest|largest)_?(?:warp|wave|threads|lanes)\w*", re.IGNORECASE
)


def _constants(file: File) -> Iterator[tuple[str, int, int, int]]:
    """(name, value, offset, length of the value) of constants for the warp size."""
    outline, values = file.outline, file.values
    for line in outline.directives:
        if line.word == "define" and line.active and len(line.tokens) in (2, 4):
            number = line.tokens[1 if len(line.tokens) == 2 else 2]
            name = line.tokens[0].text
            if WARP_SIZE_NAME.fullmatch(name) and not _COMPILERS.match(name) and integer(number) in (32, 64):
                yield line.tokens[0].text, integer(number) or 0, number.offset, len(number.text)
    for name, places in outline.names.items():
        if not WARP_SIZE_NAME.fullmatch(name):
            continue
        for at in places:
            if outline.at(at + 1) not in ("=", "{", "(") or outline.at(at - 1) in (".", "->"):
                continue
            initial = values.initial(at)
            enumerator = outline.at(at - 1) in ("{", ",") and outline.at(at + 1) == "="
            if initial is None or not (enumerator or values.declaration(name, at) == (at, values.type_of(name, at))):
                continue
            first = initial[0]
            value = integer(outline.tokens[first]) if first < len(outline.tokens) else None
            if value in (32, 64) and outline.at(first + 1) in (";", ",", "}", ")", ">"):
                offset, length = outline.offsets((first, first + 1))
                yield name, value or 0, offset, length
    yield from _limited(file)


def _limited(file: File) -> Iterator[tuple[str, int, int, int]]:
    """Warp sizes that are cut to a literal: ``warp_size = n < 32 ? n : 32``, ``min(n, 32)``."""
    outline, values = file.outline, file.values
    for name, places in outline.names.items():
        if not WARP_SIZE_NAME.fullmatch(name):
            continue
        for at in places:
            if outline.at(at + 1) != "=" or outline.at(at - 1) in (".", "->"):
                continue
            _, behind = values.statement(at + 1)
            words = {outline.at(each) for each in range(at + 2, behind)}
            last = behind - 2 if outline.at(behind - 1) == ")" else behind - 1
            value = integer(outline.tokens[last]) if last > at + 2 else None
            if value in (32, 64) and (outline.at(last - 1) == ":" or (outline.at(last - 1) == "," and "min" in words)):
                offset, length = outline.offsets((last, last + 1))
                yield name, value or 0, offset, length


@dataclass(frozen=True, slots=True)
class _Use:
    """``left operator right``, where `right` is a number: what the number is, and where they stand."""

    operator: str
    value: int
    left: Range
    right: Range


_STOP = {
    "/": frozenset({"+", "-", "<<", ">>", "&", "|", "^"}),
    "%": frozenset({"+", "-", "<<", ">>", "&", "|", "^"}),
    ">>": frozenset({"<<", "&", "|", "^"}),
    "&": frozenset({"|", "^"}),
}
_ENDS = frozenset(
    {
        "=", "+=", "-=", "|=", "&=", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?", ":", ",", "(", "[", "{", ";",
        "}", "return", "case", "<<<",
    }
)  # fmt: skip


def _uses(view: Lanes) -> Iterator[_Use]:
    """Divisions, remainders, shifts and masks by a literal number."""
    outline = view.outline
    for at in range(1, len(outline.tokens) - 1):
        operator = outline.at(at)
        if operator not in _STOP:
            continue
        last = _operand(view, at + 1)
        right = (at + 1, last)
        if any(WARP_SIZE_NAME.fullmatch(word) for word in view.outline.words(right)):
            continue
        value = view.values.constant(right)
        if value is None or (operator in (">>", "&") and outline.at(last) in ("*", "/", "%", "+", "-")):
            continue
        first = at
        while first > 0 and outline.at(first - 1) not in _ENDS | _STOP[operator]:
            closing = outline.at(first - 1) in (")", "]") and first - 1 in outline.match
            first = outline.match[first - 1] if closing else first - 1
        if first < at:
            yield _Use(operator, value, (first, at), right)


@once
def _all_uses(file: File) -> list[tuple[Lanes, _Use]]:
    """Those of a file's code and of the bodies of its macros, with where they were found."""
    return [(view, use) for view in views(file) for use in _uses(view)]


def _operand(view: Lanes, at: int) -> int:
    """Index behind an operand: signs and casts, then a name, a number or a bracket, and what it is called with."""
    outline = view.outline
    while outline.at(at) in ("-", "~", "+"):
        at += 1
    if outline.at(at).endswith("_cast") and outline.at(at + 1) == "<":
        at = outline.angle(at + 1) or at + 1
    elif outline.at(at) == "(" and at in outline.match:
        behind = outline.match[at] + 1
        cast = behind < len(outline.tokens) and outline.tokens[behind].kind in (Kind.NAME, Kind.NUMBER)
        return _operand(view, behind) if cast else behind
    else:
        while outline.is_name(at) and outline.at(at + 1) == "::":
            at += 2
        if outline.at(at + 1) in ("(", "{") and outline.is_name(at):
            at += 1
    return min(outline.match.get(at, at) + 1, len(outline.tokens))


_REMAINDER = {("%", 32): 32, ("&", 31): 32, ("%", 64): 64, ("&", 63): 64}
_QUOTIENT = {("/", 32): 32, (">>", 5): 32, ("/", 64): 64, (">>", 6): 64}


_NEAR = 64
"""Tokens before an expression that are looked at for what it is about."""


def _about_warps(view: Lanes, use: _Use) -> bool:
    """What is computed is said to be about warps: by the name it is given, or by what else stands in the function."""
    outline = view.outline
    function = outline.function_at(use.left[0])
    if view.macro:  # its body is an expression without a function around it
        return any(_speaks(word) for word in {view.macro, *outline.names})
    if function is None:
        return False
    words = view.words_of(function)
    first, _ = view.values.statement(use.left[0])
    near = outline.words((max(first, use.left[0] - _NEAR), use.right[1]))
    if any(WARP_SIZE_NAME.fullmatch(word) or word == "warpSize" for word in near):
        return False  # code that knows of other sizes
    if use.value in (64, 63, 6):  # a common size of tiles: only what is called so
        return any(_speaks(word) for word in near)
    return bool(words & WARP_FUNCTIONS.keys()) or any(_speaks(word) for word in near | {function.name})


def _speaks(word: str) -> bool:
    low = word.lower()
    return any(part in low for part in ("lane", "warp", "wave")) or low in ("wid", "w_id")


@rule("lane-id-literal", Severity.ERROR, by_size=True)
def lane_id_literal(file: File) -> Iterator[Finding]:
    """The number of a lane is computed with a literal warp size.

    Why:
        ``threadIdx.x & 31`` is the lane on a warp of 32. On a wave of 64 lanes two lanes get each number: both write to
        the same place, both think they are lane 0, and shuffles and ballots, which count lanes from 0 to 63, disagree.

    Example:
        __device__ int sum(int value) {
            int lane = threadIdx.x & 31;
            return __shfl(value, lane ^ 1);
        }

    Fix:
        __device__ int sum(int value) {
            int lane = threadIdx.x % warpSize;
            return __shfl(value, lane ^ 1);
        }
    """
    for view, use in _all_uses(file):
        size = _REMAINDER.get((use.operator, use.value))
        if size is None or not view.thread(use.left) or not _about_warps(view, use):
            continue
        on = gpus(file, _elsewhere(size))
        if on:
            span = (use.left[0], use.right[1])
            effect = "two lanes get each number" if size == 32 else "the number goes beyond the wave"
            message = f"a lane number for waves of {size}; {on} has {_elsewhere(size)}: {effect}{others(file, size)}"
            yield view.finding("lane-id-literal", span, message, "use threadIdx.x % warpSize, or __lane_id()")
    yield from _lower_half(file)


def _lower_half(file: File) -> Iterator[Finding]:
    """Counts of the lanes below that know the lower 32 only: ``mbcnt_lo`` without ``mbcnt_hi``."""
    on = gpus(file, 64)
    for view in views(file) if on else ():
        for call in view.outline.calls("__builtin_amdgcn_mbcnt_lo"):
            function = view.outline.function_at(call.index)
            words = view.words_of(function) if function else view.outline.names.keys()
            if "__builtin_amdgcn_mbcnt_hi" not in words:
                message = f"mbcnt_lo counts lanes 0 to 31 only; a wave of {on} has 64{others(file, 32)}"
                hint = "give its result to __builtin_amdgcn_mbcnt_hi, or use __lane_id()"
                yield view.finding("lane-id-literal", (call.index, call.close + 1), message, hint)


@rule("warp-index-literal", Severity.ERROR, by_size=True)
def warp_index_literal(file: File) -> Iterator[Finding]:
    """The number of a warp is computed with a literal warp size.

    Why:
        ``threadIdx.x / 32`` counts groups of 32 threads. On a GPU with 64 lanes a wave, two such groups are one wave:
        what each "warp" does for itself is done twice by one wave, and results per warp are written for halves.

    Example:
        __device__ void keep(int *total, int lane, int value) {
            int warp = threadIdx.x >> 5;
            if (lane == 0) total[warp] = value;
        }

    Fix:
        __device__ void keep(int *total, int lane, int value) {
            int warp = threadIdx.x / warpSize;
            if (lane == 0) total[warp] = value;
        }
    """
    for view, use in _all_uses(file):
        size = _QUOTIENT.get((use.operator, use.value))
        if size is None or not view.thread(use.left) or view.words(use.left) & BLOCK_SIZE == view.words(use.left):
            continue
        on = gpus(file, _elsewhere(size))
        if on and _about_warps(view, use):
            span = (use.left[0], use.right[1])
            message = f"a warp number for waves of {size}; {on} has {_elsewhere(size)}{others(file, size)}"
            yield view.finding("warp-index-literal", span, message, "divide by warpSize")


def _called_warps(view: Lanes, use: _Use) -> bool:
    """The quotient is given to a variable that is called a number of warps, or is a macro's that is."""
    if view.macro:
        return _WARPS.fullmatch(view.macro) is not None
    first, _ = view.values.statement(use.left[0])
    equals = next((at for at in reversed(range(first, use.left[0])) if view.outline.at(at) == "="), None)
    return equals is not None and _WARPS.fullmatch(view.outline.at(equals - 1)) is not None


_THREADS = re.compile(r"\w*(?:THREADS|BLOCK_?SIZE|BLOCK_?DIM|TPB)\w*|(?:k|num_?|n)_?threads\w*", re.IGNORECASE)


def _of_block(view: Lanes, span: Range) -> bool:
    """An expression is the number of threads of a block: blockDim, or a name in capitals that says so."""
    words = view.words(span)
    if words & BLOCK_SIZE:
        return True
    return view.in_device_code(span[0]) and any(_THREADS.fullmatch(word) and word[:1].isupper() for word in words)


@rule("warp-count-literal", Severity.ERROR, by_size=True)
def warp_count_literal(file: File) -> Iterator[Finding]:
    """The number of warps in a block is computed with a literal warp size.

    Why:
        ``blockDim.x / 32`` is twice the number of waves where a wave has 64 lanes. A loop over the warps' results then
        reads places that no wave has written.

    Example:
        __device__ int total(const int *part) {
            int sum = 0, warps = blockDim.x / 32;
            for (int i = 0; i < warps; i++) sum += part[i];
            return sum;
        }

    Fix:
        __device__ int total(const int *part) {
            int sum = 0, warps = blockDim.x / warpSize;
            for (int i = 0; i < warps; i++) sum += part[i];
            return sum;
        }
    """
    for view, use in _all_uses(file):
        size = _QUOTIENT.get((use.operator, use.value))
        on = gpus(file, _elsewhere(size)) if size else ""
        if size is None or not on or view.thread(use.left):
            continue
        span = (use.left[0], use.right[1])
        if _of_block(view, use.left) and (_about_warps(view, use) or size == 32):
            message = f"a count of warps of {size} lanes; {on} has {_elsewhere(size)}{others(file, size)}"
            sure = None if _about_warps(view, use) else Severity.WARNING
            yield view.finding("warp-count-literal", span, message, "divide by warpSize", severity=sure)
        elif size == 32 and _called_warps(view, use):
            message = f"warps of 32 are counted; a wave of {on} has 64 lanes{others(file, 32)}"
            hint = "divide by warpSize; on the host by what hipDeviceGetAttribute gives for hipDeviceAttributeWarpSize"
            yield view.finding("warp-count-literal", span, message, hint, severity=Severity.WARNING)


_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@rule("warp-size-literal", Severity.ERROR, by_size=True)
def warp_size_literal(file: File) -> Iterator[Finding]:
    """A number of a lane or a warp meets a literal warp size.

    Why:
        ``lane == 31`` is the last lane of a warp of 32, ``warp * 32`` its first thread, and ``i += 32`` the step of a
        loop that starts at the lane. On a wave of 64 lanes lane 31 is in the middle, and elements are visited twice.

    Example:
        __device__ void copy(float *to, const float *from, int n, int lane) {
            for (int i = lane; i < n; i += 32) to[i] = from[i];
        }

    Fix:
        __device__ void copy(float *to, const float *from, int n, int lane) {
            for (int i = lane; i < n; i += warpSize) to[i] = from[i];
        }
    """
    on = gpus(file, 64)
    if not on:
        return
    view = lanes(file)
    outline = view.outline
    tail = f"; a wave of {on} has 64 lanes{others(file, 32)}"
    for number in outline.numbers:
        value = integer(outline.tokens[number])
        if value not in (5, 31, 32) or number == 0:
            continue
        if value == 32 and outline.at(number + 1) == "*":
            yield from _warps_by_32(view, number + 1, number + 2, tail)
        at = number - 1
        operator = outline.at(at)
        if operator in _COMPARISONS:
            lane = _lane_before(view, at)
            if lane is not None and (value == 31 or (value == 32 and operator in ("<", ">="))):
                message = f"lane {operator} {value} is about a warp of 32{tail}"
                yield view.finding("warp-size-literal", (lane, number + 1), message, "use warpSize")
        elif outline.at(number + 1) in ("==", "!=") and value == 31:
            behind = number + 2
            ends = outline.at(behind + 1) in (")", "&&", "||", ";", "?", ",")
            if outline.is_name(behind) and ends and view.lane_name(behind):
                message = f"lane {outline.at(number + 1)} 31 is about a warp of 32{tail}"
                yield view.finding("warp-size-literal", (number, behind + 1), message, "use warpSize")
        elif operator in ("*", "<<") and (operator, value) in (("*", 32), ("<<", 5)):
            yield from _warps_by_32(view, at, at - 1, tail)
        elif operator == "+=" and value == 32 and _lane_loop(view, at):
            yield _literal(view, at, f"a loop over the lanes of a warp of 32{tail}")
    for each, use in _all_uses(file):
        if _REMAINDER.get((use.operator, use.value)) == 32 and _beside_lane(each, use.left):
            span = (use.left[0], use.right[1])
            message = f"the lane beside, in a warp of 32{tail}"
            yield each.finding("warp-size-literal", span, message, "use warpSize", severity=Severity.WARNING)
        aligned = use.operator == "&" and use.value in (~31, 0xFFFFFFE0)
        if aligned and each.thread(use.left) and _about_warps(each, use):
            span = (use.left[0], use.right[1])
            yield each.finding("warp-size-literal", span, f"the first thread of a warp of 32{tail}", "use warpSize")


_WARPS = re.compile(r"\w*(?:warps|waves)\w*|\w*(?:_WARPS?|_WAVES?)", re.IGNORECASE)


def _warps_by_32(view: Lanes, at: int, name: int, tail: str) -> Iterator[Finding]:
    """A product of 32 and the number of a warp, or of a count of warps."""
    outline = view.outline
    if not outline.is_name(name):
        return
    if view.warp_name(name) and view.in_device_code(at):
        yield _literal(view, at, f"the first thread of a warp of 32{tail}")
    elif _WARPS.fullmatch(outline.at(name)):
        yield _literal(view, at, f"so many warps of 32{tail}")


_BEFORE_LANE = frozenset({"(", "&&", "||", "=", "return", ",", "!", ";", "{", "}", ")", "?"})


def _lane_before(view: Lanes, at: int) -> int | None:
    """Where a lane's number begins that is compared at a token, a name or a call; None where it is a part of a sum."""
    outline = view.outline
    name = at - 1
    if outline.at(name) == ")" and outline.match.get(name, name) == name - 1:
        name -= 2
        lane = outline.at(name) in LANE_CALLS
    else:
        lane = outline.is_name(name) and view.lane_name(name)
    return name if lane and outline.at(name - 1) in _BEFORE_LANE else None


def _beside_lane(view: Lanes, span: Range) -> bool:
    """An expression is a lane's number and something added: ``(lane + 1)``."""
    outline = view.outline
    if outline.at(span[0]) != "(" or outline.match.get(span[0]) != span[1] - 1:
        return False
    inner = outline.split(span[0] + 1, span[1] - 1, "+")
    lane = [part for part in inner if part[1] - part[0] == 1 and outline.tokens[part[0]].kind is Kind.NAME]
    return len(inner) == 2 and any(view.lane_name(part[0]) for part in lane)


def _literal(view: Lanes, at: int, message: str) -> Finding:
    return view.finding("warp-size-literal", (at - 1, at + 2), message, "use warpSize")


def _lane_loop(view: Lanes, at: int) -> bool:
    """A ``+=`` steps a loop whose variable starts at the lane's number."""
    name = view.outline.at(at - 1)
    place = view.values.declaration(name, at)
    initial = view.values.initial(place[0]) if place else None
    if initial is None or view.outline.at(at + 2) not in (")", ",", ";", "*"):
        return False
    return view.lane(initial) or (initial[1] - initial[0] > 2 and any(_names_lane(view, at) for at in range(*initial)))


def _names_lane(view: Lanes, at: int) -> bool:
    return view.outline.tokens[at].kind is Kind.NAME and view.lane_name(at)


@rule("warp-sized-shared-array", Severity.WARNING, by_size=True)
def warp_sized_shared_array(file: File) -> Iterator[Finding]:
    """A shared array has 32 places, one for each warp, and is read by lane.

    Why:
        A block of 1024 threads has 32 warps of 32, so an array of 32 holds one value for each, and the lanes of one
        warp read them. A wave of 64 lanes has lanes up to 63: where nothing stops them, lanes 32 to 63 read beyond the
        array.

    Example:
        __device__ float second(float value, int lane, int warp) {
            __shared__ float part[32];
            part[warp] = value;
            __syncthreads();
            return part[lane];
        }

    Fix:
        __device__ float second(float value, int lane, int warp) {
            __shared__ float part[32];
            part[warp] = value;
            __syncthreads();
            return lane < blockDim.x / warpSize ? part[lane] : 0;
        }
    """
    on = gpus(file, 64)
    if not on:
        return
    view = lanes(file)
    outline = view.outline
    for at in outline.names.get("__shared__", ()):
        _, behind = view.values.statement(at)
        bracket = next((each for each in range(at, behind) if outline.at(each) == "["), None)
        if bracket is None or view.values.constant((bracket + 1, outline.match.get(bracket, bracket))) != 32:
            continue
        if outline.at(outline.match[bracket] + 1) == "[":
            continue
        name, function = outline.at(bracket - 1), outline.function_at(at)
        end = function.body[1] if function else 0
        uses = outline.places(name, (bracket + 1, end))
        by_warp = any(outline.at(each + 1) == "[" and view.warp_name(each + 2) for each in uses)
        by_lane = [each for each in uses if outline.at(each + 1) == "[" and _by_lane(view, each)]
        if by_warp and any(not _guarded(view, each) for each in by_lane):
            message = f"{name} has a place for each of 32 warps, but lanes 32 to 63 of a wave of {on} read it as well"
            hint = "read it only in lanes below the number of waves, blockDim.x / warpSize"
            span = (bracket - 1, outline.match[bracket] + 1)
            yield view.finding("warp-sized-shared-array", span, message + others(file, 32), hint)


def _by_lane(view: Lanes, at: int) -> bool:
    inner = (at + 2, view.outline.match.get(at + 1, at + 2))
    return view.lane(inner) or view.outline.text(inner) == "threadIdx . x"


def _guarded(view: Lanes, at: int) -> bool:
    """A comparison stands between the lane and what it reads: in the statement, or in a condition around it."""
    first, _ = view.values.statement(at)
    if any(view.outline.at(each) in ("?", "&&", "<") for each in range(first, at)):
        return True
    function = view.outline.function_at(at)
    return function is not None and any(each.kind == "if" for each in around(function, at))
