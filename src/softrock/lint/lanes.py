"""Lanes, masks and votes in a kernel: what an expression is, as far as tokens show it."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, Token
from softrock.lint.conditions import Directive
from softrock.lint.file import File
from softrock.lint.once import once
from softrock.lint.outline import Call, Function, Outline, Range
from softrock.lint.values import Values, integer


@dataclass(frozen=True, slots=True)
class Warp:
    """A function that the lanes of a wave carry out together; positions of its arguments, -1 where there is none."""

    mask: int = -1
    width: int = -1
    source: int = -1


_SHUFFLE, _SHUFFLE_SYNC = Warp(width=2, source=1), Warp(mask=0, width=3, source=2)
_MASKED = Warp(mask=0)
WARP_FUNCTIONS = {
    **{f"__shfl{kind}": _SHUFFLE for kind in ("", "_up", "_down", "_xor")},
    **{f"__shfl{kind}_sync": _SHUFFLE_SYNC for kind in ("", "_up", "_down", "_xor")},
    **{f"__{kind}": Warp() for kind in ("ballot", "any", "all")},
    **{f"__{kind}_sync": _MASKED for kind in ("ballot", "any", "all", "match_any", "match_all")},
    **{f"__reduce_{kind}_sync": _MASKED for kind in ("add", "min", "max", "and", "or", "xor")},
    "__syncwarp": _MASKED,
}
SHUFFLES = frozenset(name for name, each in WARP_FUNCTIONS.items() if each.source >= 0)
BALLOTS = frozenset({"__ballot", "__ballot_sync", "__activemask", "__match_any_sync", "__match_all_sync", "__ballot64"})
"""Functions whose result has a bit for each lane: 32 bits in CUDA, 64 in HIP."""

SHUFFLE_LIKE = re.compile(r"\w*(?:shfl|shuffle)\w*", re.IGNORECASE)
"""Wrappers of shuffles in other people's code go by such names."""

_BALLOT_LIKE = re.compile(r"(?:__|WARP_|warp_|[a-z]+_)?(?:ballot|BALLOT|Ballot)(?:_sync|_SYNC|64)?|warpBallot(?:Sync)?")
_LANE_NAME = re.compile(
    r"(?:[a-z]+_)*lane(?:_?id|_?idx|_?index|_?no|_?num)?(?:_in_warp)?|(?:k_?)?lane(?:Id|ID|Idx|Index|InWarp)|"
    r"LANE(?:_?ID)?|(?:my|thread)[lL]ane(?:Id|ID)?|tid_in_warp|tidInWarp|(?:in|thread_in|idx_in|id_in)_warp(?:_id)?"
)
_WARP_NAME = re.compile(
    r"(?:[a-z]+_)*(?:warp|wave)(?:_?id|_?idx|_?index|_?no|_?num)?(?:_in_block)?|(?:warp|wave)(?:Id|ID|Idx|Index|Num)|"
    r"w(?:arp)?_?id|WARP_?ID|warp_i|iwarp|i_warp"
)
WARP_SIZE_NAME = re.compile(
    r"\w*(?:WARP|Warp|warp|WAVE|Wave|wave|WAVEFRONT|Wavefront|wavefront)_?(?:SIZE|Size|size|SZ|sz|WIDTH|Width|width)"
    r"(?:_?(?:32|64|IN_THREADS))?|(?:k_?)?(?:threads|THREADS|Threads|lanes|LANES)_?(?:per|PER|Per|in|IN)_?(?:a_)?"
    r"(?:warp|WARP|Warp|wave|WAVE|Wave)|kWarpSize|(?:CUDA_)?(?:NUM_)?LANES?_?PER_?WARP|WARP_?THREADS|WARP_?LANES|LANE_?COUNT"
)
LANE_CALLS = frozenset(
    {
        "__lane_id",
        "__laneid",
        "lane_id",
        "laneId",
        "laneid",
        "LaneId",
        "lane_idx",
        "get_lane",
        "getLane",
        "getLaneId",
        "get_lane_id",
        "lane",
        "__builtin_nvptx_read_ptx_sreg_laneid",
    }
)
_THREAD = frozenset({"threadIdx", "hipThreadIdx_x", "hipThreadIdx_y", "hipThreadIdx_z", "thread_rank"})
BLOCK_SIZE = frozenset({"blockDim", "hipBlockDim_x", "hipBlockDim_y", "hipBlockDim_z"})
_WIDE = re.compile(
    r"\b(?:long long|u?int64_t|size_t|lane_?mask_?t|u?int64|unsigned long|long|u64|std::size_t)\b", re.IGNORECASE
)
_NARROW = re.compile(
    r"^(?:unsigned|int|unsigned int|int unsigned|signed|u?int32_t|uint|u32|__uint32_t|\w+::u?int32_t)$"
)
_DROPPED = re.compile(
    r"\b(?:const|constexpr|static|register|volatile|inline|mutable|extern|__shared__|__device__|__host__|__forceinline__|"
    r"template|typename)\b|__\w+__"
)


def plain_type(declared: str) -> str:
    """A type without qualifiers and storage: ``const unsigned int`` -> ``unsigned int``."""
    return re.sub(r"\s*::\s*", "::", " ".join(_DROPPED.sub(" ", declared).split()))


def narrow(declared: str) -> bool:
    """True for an integer type of 32 bits (or fewer)."""
    return _NARROW.match(plain_type(declared)) is not None


def wide(declared: str) -> bool:
    """True for an integer type of 64 bits."""
    return _WIDE.search(plain_type(declared)) is not None


class Lanes:
    """What expressions have to do with lanes, in a file's code or in the body of one of its macros.

    Attributes:
        macro: its name; "" for the code itself.
    """

    def __init__(self, file: File, outline: Outline, values: Values, macro: str = "") -> None:
        self.file = file
        self.outline = outline
        self.values = values
        self.macro = macro
        self._lane_names: dict[tuple[str, int], bool] = {}
        self._mask_names: dict[tuple[str, int], bool] = {}

    def index(self, offset: int) -> int:
        """Index of the token at an offset of the file."""
        return bisect.bisect_left(self.outline.tokens, offset, key=lambda token: token.offset)

    @cached_property
    def calls(self) -> list[Call]:
        """Calls of the functions in `WARP_FUNCTIONS`, in order."""
        return sorted(self.outline.calls(*WARP_FUNCTIONS), key=lambda call: call.index)

    @cached_property
    def sync_masks(self) -> frozenset[str]:
        """Variables that are passed as masks of lanes."""
        found = set()
        for call in self.calls:
            mask = WARP_FUNCTIONS[call.name].mask
            if 0 <= mask < len(call.arguments) and call.arguments[mask][1] - call.arguments[mask][0] == 1:
                found.add(self.outline.at(call.arguments[mask][0]))
        return frozenset(found)

    def finding(
        self,
        rule: str,
        span: Range,
        message: str,
        hint: str = "",
        *,
        severity: Severity | None = None,
        fix: tuple[Edit, ...] = (),
    ) -> Finding:
        """A finding about an expression."""
        offset, length = self.outline.offsets(span)
        return self.file.finding(rule, offset, length, message, hint, severity=severity, fix=fix)

    def edit(self, span: Range, text: str, rule: str) -> Edit:
        """Put `text` in an expression's place."""
        return Edit(*self.outline.offsets(span), text, rule)

    # ---- where ----

    def in_device_code(self, at: int) -> bool:
        """True within a function that runs on the GPU, or that uses what only such functions have."""
        function = self.outline.function_at(at)
        return function is not None and self.device(function)

    def device(self, function: Function) -> bool:
        """A function runs on the GPU: it is declared so, by a macro perhaps, or it uses what only the GPU has."""
        if function.is_device:
            return True
        if any(
            re.fullmatch(r"\w*(?:KERNEL|DEVICE|GLOBAL|HD|GPU)\w*", word) and word.isupper() for word in function.words
        ):
            return True
        return bool(self.words_of(function) & (_THREAD | {"__syncthreads", "blockIdx"} | WARP_FUNCTIONS.keys()))

    def words_of(self, function: Function) -> frozenset[str]:
        """All names in a function."""
        made = vars(function).get("_all_words")
        if not isinstance(made, frozenset):
            span = (function.start, function.body[1])
            made = vars(function)["_all_words"] = frozenset(self.outline.words(span))
        return made

    # ---- what an expression is ----

    def words(self, span: Range) -> set[str]:
        """Names in an expression that are no members."""
        return {
            self.outline.at(at)
            for at in range(*span)
            if self.outline.tokens[at].kind is Kind.NAME and self.outline.at(at - 1) not in (".", "->")
        }

    def thread(self, span: Range) -> bool:
        """The expression is the thread's number in its block, or that and something added to it."""
        function = self.outline.function_at(span[0])
        return self._from_thread(span, self._thread_names(function) if function is not None else frozenset())

    def _from_thread(self, span: Range, names: Set[str]) -> bool:
        return any(
            self.outline.at(at) in _THREAD
            or (self.outline.at(at) in names and self.outline.at(at - 1) not in (".", "->"))
            for at in range(*span)
            if self.outline.tokens[at].kind is Kind.NAME and self._unscaled(at, span)
        )

    def _unscaled(self, at: int, span: Range) -> bool:
        """What stands at a token is a summand of an expression, not a factor, and not an argument."""
        outline, first, last = self.outline, at, at + 1
        while outline.at(first - 1) in (".", "->") and first - 2 >= span[0]:
            first -= 2
        while outline.at(last) in (".", "->"):
            last += 2
        if outline.at(last) in ("(", "[") and last in outline.match:
            last = outline.match[last] + 1
        while True:
            while outline.at(first - 1) == ")" and first - 1 > span[0] and first - 1 in outline.match:
                first = outline.match[first - 1]  # a cast
            if first > span[0] and outline.at(first - 1) in _SCALING:
                return False
            if last < span[1] and outline.at(last) in _SCALING:
                return False
            around = self.values.around(first)
            if around < span[0]:
                return True
            before = outline.at(around - 1)
            called = outline.is_name(around - 1) and before not in _WORDS
            if outline.at(around) != "(" or (around > span[0] and called and not (narrow(before) or wide(before))):
                return False
            first, last = around, outline.match[around] + 1
            if not called and before == ">":  # static_cast<int>(…)
                while first > span[0] and outline.at(first) not in _NAMED_CASTS:
                    first -= 1
            elif called and around > span[0]:
                first -= 1

    def _thread_names(self, function: Function) -> frozenset[str]:
        """Variables that hold the thread's number, or sums and the like of it (but not what was loaded with it)."""
        cached = vars(function).get("_thread_names")
        if isinstance(cached, frozenset):
            return cached
        found: set[str] = set()
        pairs = [
            (name, span)
            for name in {
                self.outline.at(at) for at in range(*function.body) if self.outline.tokens[at].kind is Kind.NAME
            }
            for span in self.values.given(name, function)
            if not {"[", "?"} & {self.outline.at(at) for at in range(*span)}
        ]
        for _ in range(4):
            before = len(found)
            for name, span in pairs:
                if name not in found and self._from_thread(span, found):
                    found.add(name)
            if len(found) == before:
                break
        result = frozenset(found)
        vars(function)["_thread_names"] = result
        return result

    def lane(self, span: Range) -> bool:
        """The expression is the number of a lane in its wave: by name, or by how the name got its value."""
        first, last = self._bare(span)
        if last - first == 1 and self.outline.tokens[first].kind is Kind.NAME:
            return self.lane_name(first)
        if last - first >= 3 and self.outline.at(first) in LANE_CALLS and self.outline.at(first + 1) == "(":
            return self.outline.match.get(first + 1) == last - 1
        operator = next((at for at in range(first + 1, last - 1) if self.outline.at(at) in ("+", "-")), None)
        if operator is not None and last - first == 3:  # 31 - lane, lane + 1
            left, right = (first, operator), (operator + 1, last)
            return any(
                self.lane(one) and self.values.constant(other) is not None
                for one, other in ((left, right), (right, left))
            )
        return self.lane_size((first, last)) is not None

    def lane_name(self, at: int) -> bool:
        """A variable is the number of a lane."""
        name = self.outline.at(at)
        function = self.outline.function_at(at)
        if _LANE_NAME.fullmatch(name):
            return True
        if function is None:
            return False
        key = (name, function.start)
        if key not in self._lane_names:
            self._lane_names[key] = False  # while its own assignments are looked at
            self._lane_names[key] = any(self._gives_lane(each) for each in self.values.given(name, function))
        return self._lane_names[key]

    def _gives_lane(self, span: Range) -> bool:
        """What a variable is given makes it the number of a lane."""
        if self.lane_size(span) is not None:
            return True
        for at in range(*span):
            if self.outline.at(at) in LANE_CALLS and self.outline.at(at + 1) == "(" and self._unscaled(at, span):
                return True
        named = span[1] - span[0] == 1 and self.outline.tokens[span[0]].kind is Kind.NAME
        return named and self.lane_name(span[0])

    def lane_size(self, span: Range) -> int | None:
        """N of a thread's number modulo N or & (N - 1); 0 where that is warpSize; None where the expression is none."""
        first, last = self._bare(span)
        for at in range(first, last):
            if self.values.around(at) >= first or self.outline.at(at) not in ("%", "&"):
                continue
            left, right = self._operand_before(at, first), self._operand_behind(at, last)
            if not self.thread(left):
                continue
            words = self.words(right)
            if "warpSize" in words:
                return 0
            size = self.values.constant(right)
            if size is not None and self.outline.at(at) == "&":
                size += 1
            if size in (32, 64):
                return size
        return None

    def _operand_before(self, at: int, first: int) -> Range:
        back = at
        while back > first and self.outline.at(back - 1) not in (
            "=",
            "<",
            ">",
            "+",
            "-",
            ",",
            "?",
            ":",
            "==",
            "return",
            ";",
        ):
            back = (
                self.outline.match[back - 1]
                if self.outline.at(back - 1) in (")", "]") and back - 1 in self.outline.match
                else back - 1
            )
        return back, at

    def _operand_behind(self, at: int, last: int) -> Range:
        end = at + 1
        while end < last and self.outline.at(end) not in (
            "=",
            "<",
            ">",
            ",",
            "?",
            ":",
            "==",
            "!=",
            ";",
            "*",
            "/",
            "%",
            "&&",
            "||",
            "+",
            "-",
            "<=",
            ">=",
        ):
            end = (
                self.outline.match[end] + 1
                if self.outline.at(end) in ("(", "[") and end in self.outline.match
                else end + 1
            )
        return at + 1, end

    def sides(self, at: int) -> tuple[Range, Range]:
        """What stands left and right of a comparison."""
        outline = self.outline
        first, last = at, at + 1
        while first > 0 and (outline.at(first - 1) not in _EDGES or self._closes(first - 1)):
            first = outline.match[first - 1] if self._closes(first - 1) else first - 1
        while last < len(outline.tokens):
            opens = outline.at(last) in ("(", "[") and last in outline.match
            if outline.at(last) in _EDGES and not opens:
                break
            last = outline.match[last] + 1 if opens else last + 1
        return (first, at), (at + 1, last)

    def _closes(self, at: int) -> bool:
        return self.outline.at(at) in (")", "]") and at in self.outline.match

    def _bare(self, span: Range) -> Range:
        """An expression without the parentheses around it."""
        first, last = span
        while last - first > 2 and self.outline.at(first) == "(" and self.outline.match.get(first) == last - 1:
            first, last = first + 1, last - 1
        return first, last

    def warp_name(self, at: int) -> bool:
        """A variable is the number of a wave in its block."""
        return _WARP_NAME.fullmatch(self.outline.at(at)) is not None

    # ---- ballots and masks ----

    @cached_property
    def has_ballots(self) -> bool:
        """A function whose result has a bit for each lane is named somewhere."""
        return any(name in BALLOTS or _BALLOT_LIKE.fullmatch(name) for name in self.outline.names)

    def ballot_at(self, at: int) -> bool:
        """A call of a function whose result has a bit for each lane begins here."""
        name = self.outline.at(at)
        known = name in BALLOTS or _BALLOT_LIKE.fullmatch(name) is not None
        return known and self.outline.at(at + 1) == "(" and self.outline.at(at - 1) not in (".", "->")

    def _mask_name(self, name: str, function: Function | None) -> bool:
        """A variable is given a mask somewhere in a function."""
        key = (name, function.start if function else -1)
        if key not in self._mask_names:
            self._mask_names[key] = False  # while its own assignments are looked at
            self._mask_names[key] = any(self.keeps_mask(each) for each in self.values.given(name, function))
        return self._mask_names[key]

    def mask(self, span: Range) -> bool:
        """The expression is made from a ballot: it holds a bit for each lane."""
        outline = self.outline
        first, last = self._bare(span)
        at, function = first, outline.function_at(first)
        top = list(self._top(first, last))
        question = next((each for each in top if outline.at(each) == "?"), None)
        if question is not None:  # what is tested is not what comes out
            colon = next((each for each in top if each > question and outline.at(each) == ":"), last)
            return self.mask((question + 1, colon)) or self.mask((colon + 1, last))
        if any(outline.at(each) in _NO_MASKS for each in top):
            return False
        while at < last:
            text = outline.at(at)
            if self.ballot_at(at):
                return True
            call = outline.tokens[at].kind is Kind.NAME and outline.at(at + 1) == "(" and at + 1 in outline.match
            if call and not (narrow(text) or wide(text)):  # what a call gives is no mask; a cast's is
                at = outline.match[at + 1] + 1
                continue
            if text in _NAMED_CASTS and outline.at(at + 1) == "<":
                at = outline.angle(at + 1) or at + 1
                continue
            variable = outline.tokens[at].kind is Kind.NAME and outline.at(at + 1) not in ("(", "[")
            if variable and self._mask_name(text, function):
                return True
            at += 1
        return False

    def _top(self, first: int, last: int) -> Iterator[int]:
        """Indices of an expression's tokens outside of brackets and of a cast's type."""
        outline, at = self.outline, first
        while at < last:
            if outline.at(at) in ("(", "[", "{") and at in outline.match:
                at = outline.match[at] + 1
            elif outline.at(at) == "<" and outline.at(at - 1) in _NAMED_CASTS:
                at = outline.angle(at) or at + 1
            else:
                yield at
                at += 1

    def keeps_mask(self, span: Range) -> bool:
        """The expression is a mask still: not one of its bits, a comparison, or a half of it by intention."""
        text = self.outline.text(span)
        return not TO_A_BIT.search(text) and not text.startswith("!") and self.mask(span)

    def literal_mask(self, span: Range) -> int | None:
        """Bits of a literal mask's type (32 or 64), where the expression is all ones in either; else None."""
        first, last = self._bare(span)
        text = "".join(self.outline.at(at) for at in range(first, last))
        if re.fullmatch(r"(?:\([\w ]+\))?(?:~0[uU]?|-1|UINT_MAX|UINT32_MAX|~\(0[uU]?\))", text):
            return 64 if "long" in text or "64" in text else 32
        if re.fullmatch(
            r"~0(?:[uU]?[lL]{1,2}|[lL]{1,2}[uU])|-1[lL]{1,2}|U(?:LL|LONG)?_?(?:LLONG|ULONG)?_MAX|UINT64_MAX", text
        ):
            return 64
        if last - first == 1:
            value = integer(self.outline.tokens[first])
            if value is not None:
                return 64 if value > 0xFFFFFFFF or "ll" in text.lower() else 32
        return None


_SCALING = frozenset({"*", "/", "<<", ">>"})
_WORDS = frozenset({"return", "case", "if", "while", "for", "switch", "else", "sizeof"})
_EDGES = frozenset("( ) [ ] { } ; , ? : && || = == != ! return".split())
_NAMED_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_NO_MASKS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||", "+"})
TO_A_BIT = re.compile(r"& (?:1|1u|0x1)[ )]*$|& 0x[fF]{8}[uU]?(?:[lL]{2})?[ )]*$|>> 32|& \( ?1")
"""The end of an expression that takes a bit of a mask, or a half of it by intention."""


@once
def lanes(file: File) -> Lanes:
    """What the expressions of a file's code have to do with lanes, worked out once."""
    return Lanes(file, file.outline, file.values)


@once
def views(file: File) -> list[Lanes]:
    """A file's code and the bodies of its macros that have to do with lanes."""
    made = [lanes(file)]
    for line in file.outline.directives:
        if line.word == "define" and line.active and any(_OF_LANES.search(each.text) for each in line.tokens):
            outline = Outline(_body(line))
            outline.macros = file.outline.macros
            made.append(Lanes(file, outline, Values(outline), line.tokens[0].text))
    return made


def _body(line: Directive) -> list[Token]:
    """Tokens of a macro's body."""
    body = list(line.tokens[1:])
    if body and body[0].text == "(" and body[0].offset == line.tokens[0].end:
        close = next((at for at, token in enumerate(body) if token.text == ")"), len(body))
        body = body[close + 1 :]
    return body


_OF_LANES = re.compile(
    r"shfl|ballot|activemask|match_a|_sync$|syncwarp|lane|warp|wave|mbcnt|__popc|__ffs", re.IGNORECASE
)


def gpus(file: File, size: int) -> str:
    """The chosen GPUs with waves of `size` lanes, as a sentence has them; "" where there are none."""
    names = [each.gfx for each in file.with_wave(size)]
    return "" if not names else names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def others(file: File, size: int) -> str:
    """The end of a message: which chosen GPUs have waves of `size` lanes, where the code is right."""
    names = gpus(file, size)
    return (
        f"; {names} with {size} lanes {'is' if len(file.with_wave(size)) == 1 else 'are'} not affected" if names else ""
    )
