"""Masks of lanes: 32 bits in CUDA, 64 in HIP."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.ballots import ballots
from softrock.lint.conditions import Directive
from softrock.lint.file import File
from softrock.lint.lanes import TO_A_BIT, WARP_FUNCTIONS, Lanes, gpus, lanes, narrow, others, plain_type, views
from softrock.lint.outline import Call, Range
from softrock.lint.registry import rule
from softrock.lint.values import ASSIGNMENTS

_WIDE_MASK = "0xffffffffffffffffull"
_WIDE_TYPE = "unsigned long long"
_MASK_NAME = re.compile(r"\w*(?:full|all|warp|lane|active)\w*mask\w*|mask_?(?:full|all)\w*", re.IGNORECASE)


@rule("mask-32-bits", Severity.ERROR, fixable=True)
def mask_32_bits(file: File) -> Iterator[Finding]:
    """A mask of 32 bits is passed to a ``_sync`` function.

    Why:
        In HIP a mask of lanes has 64 bits on every GPU. ``__shfl_sync``, ``__ballot_sync``, ``__syncwarp`` and their
        kin reject a smaller type when they are compiled (HIP 7; with HIP 6.2 and later where they are switched on). A
        mask that is merely widened, ``(unsigned long long)0xffffffff``, names only the lower half of a wave of 64
        lanes: that the upper half calls the function as well is an error at run time.

    Example:
        __global__ void sum(float *x) {
            float value = x[threadIdx.x];
            value += __shfl_xor_sync(0xffffffff, value, 1);
            x[threadIdx.x] = value;
        }

    Fix:
        __global__ void sum(float *x) {
            float value = x[threadIdx.x];
            value += __shfl_xor_sync(0xffffffffffffffffull, value, 1);
            x[threadIdx.x] = value;
        }
    """
    told: set[int] = set()
    for view in views(file):
        for call in view.calls:
            position = WARP_FUNCTIONS[call.name].mask
            if not 0 <= position < len(call.arguments):
                continue
            finding = _mask_argument(view, call, call.arguments[position], told)
            if finding:
                yield finding
    yield from _named_masks(file, told)
    if file.tree is not None:
        for offset, length, name, kind in ballots(file.tree).narrow_masks():
            if not _told_by_tokens(file, offset, length, told):
                message = f"{name} takes a mask of 64 bits; this one ({kind}) has 32"
                yield file.finding("mask-32-bits", offset, length, message, _MASK_HINT)


def _told_by_tokens(file: File, offset: int, length: int, told: set[int]) -> bool:
    """A mask's type is told where its name is declared or defined, or was seen without the tree."""
    view, at = lanes(file), lanes(file).index(offset)
    name = file.source.text[offset : offset + length]
    if name in view.outline.macros or view.literal_mask((at, at + 1)) is not None:
        return True
    place = view.values.declaration(name, at) if name.isidentifier() else None
    return place is not None and (place[0] in told or narrow(place[1]))


_MASK_HINT = f"pass a 64-bit mask: {_WIDE_MASK} (on a wave of 32 lanes the upper half is ignored)"


def _mask_argument(view: Lanes, call: Call, span: Range, told: set[int]) -> Finding | None:
    outline = view.outline
    if view.literal_mask(span) == 32:
        text = outline.text(span)
        full = text.lower().rstrip("u") == "0xffffffff" or "~" in text or "-" in text or "MAX" in text
        fix = (view.edit(span, _WIDE_MASK, "mask-32-bits"),) if full and view.file.language == "hip" else ()
        message = f"{call.name} takes a mask of 64 bits; {text} has 32"
        return view.finding("mask-32-bits", span, message, _MASK_HINT, fix=fix)
    if span[1] - span[0] != 1 or outline.tokens[span[0]].kind is not Kind.NAME:
        if outline.at(span[0]) == "(" and narrow(outline.text((span[0] + 1, outline.match.get(span[0], span[0] + 1)))):
            return view.finding(
                "mask-32-bits", span, f"{call.name} takes a mask of 64 bits; this one has 32", _MASK_HINT
            )
        return None
    name = outline.at(span[0])
    if name in outline.macros:
        return None  # told where it is defined
    place = view.values.declaration(name, span[0])
    if place is None or not narrow(place[1]):
        return None
    initial = view.values.initial(place[0])
    if initial and view.literal_mask(initial) == 32:
        return None  # likewise
    if place[0] in told:
        return None
    told.add(place[0])
    message = f"{call.name} takes a mask of 64 bits; {name} ({plain_type(place[1])}) has 32"
    return view.finding("mask-32-bits", span, message, f"make {name} an {_WIDE_TYPE} and see where it gets its value")


def _named_masks(file: File, told: set[int]) -> Iterator[Finding]:
    """Macros and constants for a full mask: what they stand for is told once, where they are defined."""
    view = lanes(file)
    used = {name for each in views(file) for name in each.sync_masks}
    definitions = Counter(line.tokens[0].text for line in file.outline.directives if _defines(line))
    for line in file.outline.directives:
        if not _defines(line) or len(line.tokens) < 2 or definitions[line.tokens[0].text] > 1:
            continue  # of several, conditions choose
        name = line.tokens[0].text
        full = _all_lanes("".join(each.text for each in line.tokens[1:]))
        if full and (name in used or _MASK_NAME.fullmatch(name)):
            first, last = line.tokens[1], line.tokens[-1]
            yield _defined(file, name, first.offset, last.end - first.offset)
    for name in sorted(used | {each for each in file.outline.names if _MASK_NAME.fullmatch(each)}):
        for at in file.outline.names.get(name, ()):
            initial = view.values.initial(at)
            place = view.values.declaration(name, at)
            if (
                not initial
                or place is None
                or place[0] != at
                or not (narrow(place[1]) or plain_type(place[1]) == "auto")
            ):
                continue
            constant = {"const", "constexpr"} & set(place[1].split()) and _all_lanes(view.outline.text(initial))
            if view.literal_mask(initial) == 32 and (name in used or constant):
                offset, length = file.outline.offsets(initial)
                yield _defined(file, name, offset, length)


def _all_lanes(text: str) -> bool:
    """An expression is a number whose 32 bits are all ones."""
    bare = text.replace(" ", "").strip("(){}").lower().rstrip("u")
    return bare in ("0xffffffff", "~0", "~0u", "-1", "4294967295", "uint_max", "uint32_max")


def _defines(line: Directive) -> bool:
    return line.word == "define" and line.active and bool(line.tokens)


def _defined(file: File, name: str, offset: int, length: int) -> Finding:
    fix: tuple[Edit, ...] = ()
    message = f"{name}, a mask of lanes, has 32 bits; HIP's functions take masks of 64"
    return file.finding("mask-32-bits", offset, length, message, f"make it {_WIDE_MASK}", fix=fix)


@rule("ballot-in-32-bits", Severity.ERROR, fixable=True, by_size=True)
def ballot_in_32_bits(file: File) -> Iterator[Finding]:
    """The result of a ballot is kept in 32 bits.

    Why:
        ``__ballot``, ``__ballot_sync``, ``__activemask`` and ``__match_any_sync`` give one bit for each lane. Where a
        wave has 64 lanes, the votes of lanes 32 to 63 are lost when the result goes through a variable, a parameter or
        a cast of 32 bits. Nothing is reported: counts come out too small and offsets collide.

    Example:
        __device__ int votes(bool vote) {
            unsigned ballot = __ballot(vote);
            return __popcll(ballot);
        }

    Fix:
        __device__ int votes(bool vote) {
            unsigned long long ballot = __ballot(vote);
            return __popcll(ballot);
        }
    """
    on = gpus(file, 64)
    if not on:
        return
    tail = f"lanes 32 to 63 of a wave of {on} are lost{others(file, 32)}"
    for view in views(file):
        if not view.has_ballots:
            continue
        yield from _narrow_assignments(view, tail)
        for at in range(len(view.outline.tokens)):
            if view.ballot_at(at):
                yield from _narrow_use(view, at, tail)
    if file.tree is not None:
        for loss in ballots(file.tree).losses():
            yield file.finding("ballot-in-32-bits", loss.offset, loss.length, f"{loss.what}: {tail}", loss.widen)


def _narrow_assignments(view: Lanes, tail: str) -> Iterator[Finding]:
    outline, values = view.outline, view.values
    for function in outline.functions:
        for at in range(*function.body):
            text = outline.at(at)
            if text not in ASSIGNMENTS or outline.tokens[at].kind is not Kind.PUNCT or text in (">>=", "<<=", "+="):
                continue
            target = _assigned(view, at)
            if target is None:
                continue
            place = values.declaration(outline.at(target), at)
            _, behind = values.statement(at)
            span = (at + 1, values.until_comma(at + 1, behind))
            if place is None or not narrow(place[1].replace("*", "").replace("&", "")) or not view.keeps_mask(span):
                continue
            fix = _widened(view, place[0], place[1]) if place[0] == target else ()
            message = f"{outline.at(target)} ({plain_type(place[1])}) holds a ballot in 32 bits: {tail}"
            yield view.finding("ballot-in-32-bits", (target, target + 1), message, f"make it {_WIDE_TYPE}", fix=fix)


def _assigned(view: Lanes, at: int) -> int | None:
    """Index of the variable, or of the array or object's member, that is assigned at an ``=``."""
    back = at - 1
    while view.outline.at(back) == "]" and back in view.outline.match:
        back = view.outline.match[back] - 1
    return back if view.outline.tokens[back].kind is Kind.NAME else None


def _widened(view: Lanes, name: int, declared: str) -> tuple[Edit, ...]:
    """The edit that makes a declared type 64 bits wide, where it is for one name alone."""
    outline = view.outline
    words = plain_type(declared).split()
    first = name - len(words)
    if first < 0 or [each.text for each in outline.tokens[first:name]] != words:
        return ()
    _, behind = view.values.statement(name)
    if view.values.until_comma(name, behind) != behind or _pointed_to(view, name):
        return ()
    return (view.edit((first, name), _WIDE_TYPE, "ballot-in-32-bits"),)


def _pointed_to(view: Lanes, declared: int) -> bool:
    """The address of a variable is taken: what is done with it goes by its type."""
    function = view.outline.function_at(declared)
    places = view.outline.names.get(view.outline.at(declared), ())
    return function is None or any(
        function.body[0] <= at < function.body[1]
        and view.outline.at(at - 1) == "&"
        and view.outline.at(at - 2) in ("(", ",", "=", ")")
        for at in places
    )


def _narrow_use(view: Lanes, at: int, tail: str) -> Iterator[Finding]:
    """A ballot's call within a cast, a return, or the argument of a function of this file."""
    outline = view.outline
    end = outline.match.get(at + 1, at + 1) + 1
    before = at - 1
    if outline.at(before) == ")" and before in outline.match:
        inner = outline.text((outline.match[before] + 1, before))
        if narrow(inner) and outline.at(end) not in (">>",):
            message = f"the ballot is cast to {plain_type(inner)}: {tail}"
            fix = (view.edit((outline.match[before] + 1, before), _WIDE_TYPE, "ballot-in-32-bits"),)
            yield view.finding(
                "ballot-in-32-bits", (outline.match[before], end), message, f"cast to {_WIDE_TYPE}", fix=fix
            )
            return
    opening = view.values.around(at)
    if opening > 0 and outline.at(opening) == "(":
        yield from _narrow_argument(view, opening, at, end, tail)
    first, behind = view.values.statement(at)
    function = outline.function_at(at)
    if outline.at(first) == "return" and function and opening < function.body[0]:
        result = _result_type(view, function.start, function.index)
        if narrow(result) and view.keeps_mask((first + 1, behind)):
            message = f"{function.name} returns a ballot as {plain_type(result)}: {tail}"
            yield view.finding("ballot-in-32-bits", (at, end), message, f"return {_WIDE_TYPE}")


def _result_type(view: Lanes, start: int, name: int) -> str:
    words = [each.text for each in view.outline.tokens[start:name]]
    if words[:1] == ["template"]:
        close = view.outline.angle(start + 1)
        words = [each.text for each in view.outline.tokens[close:name]] if close else words
    return " ".join(words)


def _narrow_argument(view: Lanes, opening: int, at: int, end: int, tail: str) -> Iterator[Finding]:
    outline = view.outline
    arguments = outline.arguments(opening)
    position = next((number for number, span in enumerate(arguments) if span[0] <= at < span[1]), None)
    if position is None or not view.keeps_mask(arguments[position]):
        return
    callee = outline.at(opening - 1)
    if callee == ">":  # static_cast<unsigned>(…)
        back = next((each for each in range(opening - 2, max(opening - 8, 0), -1) if outline.at(each) == "<"), None)
        if back and outline.at(back - 1) == "static_cast" and narrow(outline.text((back + 1, opening - 1))):
            message = f"the ballot is cast to {plain_type(outline.text((back + 1, opening - 1)))}: {tail}"
            fix = (view.edit((back + 1, opening - 1), _WIDE_TYPE, "ballot-in-32-bits"),)
            yield view.finding("ballot-in-32-bits", (back - 1, outline.match[opening] + 1), message, fix=fix)
        return
    if narrow(callee) and callee != "signed":
        message = f"the ballot is cast to {callee}: {tail}"
        yield view.finding("ballot-in-32-bits", (opening - 1, outline.match[opening] + 1), message)
        return
    if callee.startswith("atomic") and position > 0 and arguments[0][1] - arguments[0][0] == 1:
        pointed = view.values.type_of(outline.at(arguments[0][0]), at)
        if "*" in pointed and narrow(pointed.replace("*", "")):
            message = f"{callee} on {plain_type(pointed)} takes a ballot as 32 bits: {tail}"
            yield view.finding("ballot-in-32-bits", (at, end), message, f"make it {_WIDE_TYPE} *")
        return
    for function in outline.functions:
        if (
            function.name == callee
            and position < len(function.parameters)
            and narrow(function.parameters[position].type)
        ):
            parameter = function.parameters[position]
            message = f"{callee} takes the ballot as {plain_type(parameter.type)} {parameter.name}: {tail}"
            yield view.finding("ballot-in-32-bits", (at, end), message, f"make the parameter {_WIDE_TYPE}")
            return


_COUNTS = {
    "__popc": "__popcll",
    "__ffs": "__ffsll",
    "__clz": "__clzll",
    "__brev": "__brevll",
    "__builtin_popcount": "__builtin_popcountll",
    "__builtin_ffs": "__builtin_ffsll",
    "__builtin_ctz": "__builtin_ctzll",
    "__builtin_clz": "__builtin_clzll",
}
_FIXED = frozenset({"__popc", "__ffs", "__builtin_popcount", "__builtin_ffs", "__builtin_ctz"})


@rule("mask-bits-counted-in-32", Severity.ERROR, fixable=True, by_size=True)
def mask_bits_counted_in_32(file: File) -> Iterator[Finding]:
    """Bits of a lane mask are counted or searched by a function that takes 32 bits.

    Why:
        ``__popc``, ``__ffs``, ``__clz`` and ``__brev`` take 32 bits. A mask of lanes has 64 where a wave has 64 lanes;
        its upper half is dropped without a word. After ``__clz``, what is computed from the result has to be changed as
        well: ``31 - __clz(mask)`` becomes ``63 - __clzll(mask)``.

    Example:
        __device__ int before_me(bool vote, unsigned long long lower) {
            return __popc(__ballot(vote) & lower);
        }

    Fix:
        __device__ int before_me(bool vote, unsigned long long lower) {
            return __popcll(__ballot(vote) & lower);
        }
    """
    on = gpus(file, 64)
    if not on:
        return
    if file.tree is not None:
        for offset, name in ballots(file.tree).counted(frozenset(_COUNTS)):
            message = f"{name} looks at 32 bits of a lane mask that has 64 on {on}{others(file, 32)}"
            fix = (Edit(offset, len(name), _COUNTS[name], "mask-bits-counted-in-32"),) if name in _FIXED else ()
            hint = f"use {_COUNTS[name]}" + ("" if fix else " and adapt what is computed from its result")
            yield file.finding("mask-bits-counted-in-32", offset, len(name), message, hint, fix=fix)
    for view in views(file):
        for call in view.outline.calls(*_COUNTS):
            if not call.arguments:
                continue
            span = call.arguments[0]
            named = view.words(span) & view.sync_masks
            if not (view.mask(span) or named) or TO_A_BIT.search(view.outline.text(span)):
                continue
            other = _COUNTS[call.name]
            fix = (
                (view.edit((call.index, call.index + 1), other, "mask-bits-counted-in-32"),)
                if call.name in _FIXED
                else ()
            )
            message = f"{call.name} looks at 32 bits of a lane mask that has 64 on {on}{others(file, 32)}"
            hint = f"use {other}" + ("" if fix else " and adapt what is computed from its result")
            yield view.finding("mask-bits-counted-in-32", (call.index, call.index + 1), message, hint, fix=fix)


@rule("full-mask-literal", Severity.ERROR, by_size=True)
def full_mask_literal(file: File) -> Iterator[Finding]:
    """A lane mask is compared with that of a full warp of 32 lanes.

    Why:
        All lanes voted where ``__ballot(vote) == 0xffffffff``, or where 32 bits of it are set: on a warp of 32. A wave
        of 64 lanes gives ``0xffffffffffffffff`` then, and the comparison fails just when everybody agrees.

    Example:
        __device__ bool agreed(bool vote) { return __ballot(vote) == 0xffffffffull; }

    Fix:
        __device__ bool agreed(bool vote) { return __all(vote); }
    """
    on = gpus(file, 64)
    if not on:
        return
    for view in views(file):
        for at in range(1, len(view.outline.tokens) - 1) if view.has_ballots else ():
            if view.outline.at(at) not in ("==", "!="):
                continue
            left, right = view.sides(at)
            for mask, literal in ((left, right), (right, left)):
                number = _bits_of(view, literal)
                if number == 0xFFFFFFFF and view.mask(mask):
                    message = f"the mask of a full warp of 32; on a wave of {on} it has 64 bits{others(file, 32)}"
                elif number == 32 and _counts_mask(view, mask):
                    message = f"a full warp has 32 lanes; a wave of {on} has 64{others(file, 32)}"
                else:
                    continue
                span = (left[0], right[1])
                yield view.finding("full-mask-literal", span, message, "use __all, or compare with __activemask()")
                break


def _bits_of(view: Lanes, span: Range) -> int | None:
    """The value of a literal, or of a macro or constant, as 64 bits have it."""
    if _all_lanes(view.outline.text(span)) and view.outline.text(span).strip("()").endswith(("u", "U", "f", "F", "X")):
        return 0xFFFFFFFF
    return view.values.constant(span)


def _counts_mask(view: Lanes, span: Range) -> bool:
    """An expression is a call that counts the bits of a mask."""
    call = view.outline.call_at(span[0]) if span[1] - span[0] > 2 else None
    counts = call is not None and call.name in ("__popc", "__popcll", "__builtin_popcount", "__builtin_popcountll")
    return call is not None and counts and call.close == span[1] - 1 and any(view.mask(each) for each in call.arguments)


_ONE_BIT = re.compile(r"(?:0x0*)?1[uU]?")
_ALL_BITS = re.compile(r"0x[fF]{8}[uU]?|0x[fF]{7}[eE][uU]?|0[uU]?|2[uU]?")


@rule("lane-bit-in-32", Severity.ERROR, fixable=True, by_size=True)
def lane_bit_in_32(file: File) -> Iterator[Finding]:
    """The bit of a lane is made by shifting a number of 32 bits.

    Why:
        ``1 << lane`` has 32 bits. For lanes 32 to 63 the shift is undefined; in practice the GPU takes the count modulo
        32, so that lane 40 gets the bit of lane 8, and ``(1 << lane) - 1`` is wrong for half of the wave.

    Example:
        __device__ unsigned long long lower(int lane) { return (1u << lane) - 1; }

    Fix:
        __device__ unsigned long long lower(int lane) { return (1ull << lane) - 1; }
    """
    on = gpus(file, 64)
    if not on:
        return
    for view in views(file):
        outline = view.outline
        for at in range(1, len(outline.tokens) - 1):
            if outline.at(at) not in ("<<", ">>"):
                continue
            left = _shifted(view, at)
            count = _count(view, at)
            if left is None or not (view.lane(count) or _in_mask(view, left, count)):
                continue
            if any(view.outline.tokens[each].kind is Kind.STRING for each in range(*view.values.statement(at))):
                continue  # a stream
            shown = f"{outline.text(left)} {outline.at(at)} {outline.text(count)}"
            message = f"{shown} has 32 bits, but {on} has lanes up to 63{others(file, 32)}"
            number = left[1] - 2 if outline.at(left[1] - 1) == ")" else left[1] - 1
            literal = re.sub(r"[uU]$", "", outline.at(number)) + "ull"
            cast = outline.tokens[left[0] - 1].kind is Kind.NAME and outline.at(left[0] - 1) not in ("return", "case")
            cast |= outline.at(left[0] - 1) in (")", ">")
            whole = outline.at(at) == "<<" and not _ALL_BITS.fullmatch(outline.at(number)) and not cast
            fix = (view.edit((number, number + 1), literal, "lane-bit-in-32"),) if whole else ()
            yield view.finding(
                "lane-bit-in-32", (left[0], count[1]), message, "shift 1ull, or a mask of 64 bits", fix=fix
            )


def _shifted(view: Lanes, at: int) -> Range | None:
    """The literal of 32 bits that is shifted at a ``<<`` or ``>>``: 1, all ones, or their negatives."""
    outline = view.outline
    last = at - 1
    closing = outline.at(last) == ")" and last in outline.match
    first, end = (outline.match[last] + 1, last) if closing else (last, at)
    if closing and end - first > 3:
        return None
    text = outline.at(end - 1)
    if outline.tokens[end - 1].kind is not Kind.NUMBER:
        return None
    if not _narrow_cast(view, outline.match[last] if closing else end - 1):
        return None
    sign = outline.at(end - 2) if end - 2 >= 0 else ""
    if (
        (
            outline.at(at) == "<<"
            and (_ONE_BIT.fullmatch(text) or (_ALL_BITS.fullmatch(text) and text not in ("0", "2", "0u")))
        )
        or (_ALL_BITS.fullmatch(text) and text.lower().startswith("0xf"))
        or (sign in ("-", "~") and re.fullmatch(r"[012][uU]?", text))
    ):
        start = end - 1 - (sign in ("-", "~"))
    else:
        return None
    return (start, at) if not closing else (outline.match[last], at)


def _narrow_cast(view: Lanes, at: int) -> bool:
    """What begins at a token is not cast, or to a type of 32 bits: ``(int)1``, ``int(1)``, ``static_cast<int>(1)``."""
    outline, before = view.outline, at - 1
    aliases = view.values.sizes.aliases

    def narrow_type(name: str) -> bool:
        return narrow(aliases.get(name, name))

    if outline.at(at) == "(" and outline.tokens[before].kind is Kind.NAME:
        return outline.at(before) in ("return", "case") or narrow_type(outline.at(before))
    if outline.at(at) == "(" and outline.at(before) == ">":
        opening = next((each for each in range(before, max(before - 12, -1), -1) if outline.at(each) == "<"), before)
        return outline.at(opening - 1) == "static_cast" and narrow_type(outline.text((opening + 1, before)))
    if outline.at(before) == ")" and before in outline.match:
        inner = outline.text((outline.match[before] + 1, before))
        called = outline.tokens[outline.match[before] - 1].kind is Kind.NAME
        return called or narrow_type(inner)
    return True


def _count(view: Lanes, at: int) -> Range:
    """What stands behind a shift: a bracket or a name with what belongs to it."""
    outline = view.outline
    end = at + 1
    while end < len(outline.tokens):
        text = outline.at(end)
        if text in ("(", "[") and end in outline.match:
            end = outline.match[end] + 1
        elif outline.tokens[end].kind in (Kind.NAME, Kind.NUMBER) or text in (".", "->", "::"):
            end += 1
        else:
            break
    return at + 1, max(end, at + 2)


def _in_mask(view: Lanes, left: Range, count: Range) -> bool:
    """The shifted bit is combined with a lane mask, as in ``mask & (1u << i)``; constants are no lanes."""
    outline = view.outline
    if not any(outline.tokens[at].kind is Kind.NAME for at in range(*count)):
        return False
    before, behind = left[0] - 1, count[1]
    while outline.at(before) in ("(", "~", "-") or (outline.at(before) == "(" and outline.at(behind) == ")"):
        before -= 1
    while outline.at(behind) in (")", "-", "1"):
        behind += 1
    for at, other in ((before, before - 1), (behind, behind + 1)):
        combined = outline.at(at) in ("&", "|", "^", "&=", "|=", "^=") and 0 <= other < len(outline.tokens)
        if combined and outline.at(other) == ")" and view.ballot_at(outline.match.get(other, 1) - 1):
            return True
        if combined and view.ballot_at(other):
            return True
        if not combined or outline.tokens[other].kind is not Kind.NAME or outline.at(other + 1) == "[":
            continue
        if view.mask((other, other + 1)) or outline.at(other) in view.sync_masks:
            return True
    return False
