"""A file's shape by its tokens alone: functions, statements, calls, launches.

It needs no header and no complete code, so that rules work where clang has no tree to give (and on other configurations
than the one that was parsed). White space, comments, directives and code that AMD compilers never see are left out of
`Outline.tokens`; all indices here are into that list, ranges are half open.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from softrock.hipify.lexer import Kind, Token
from softrock.lint.conditions import Directive, split
from softrock.lint.statements import PAIRS, Builder, Range, Statement

__all__ = ["Call", "Function", "Launch", "Outline", "Parameter", "Range", "Statement"]

_NOT_NAMES = frozenset(
    [
        "__launch_bounds__",
        "__attribute__",
        "alignas",
        "__align__",
        "decltype",
        "noexcept",
        "__declspec",
        "requires",
        "throw",
        "__cluster_dims__",
        "__maxnreg__",
        "__block_size__",
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "sizeof",
        "alignof",
        "static_assert",
        "defined",
        "operator",
    ]
)
_AFTER_PARAMETERS = frozenset(
    [
        "const",
        "volatile",
        "noexcept",
        "override",
        "final",
        "try",
        "mutable",
        "->",
        ":",
        "&",
        "&&",
        "{",
        "throw",
        "requires",
    ]
)
_DEVICE_MACRO = re.compile(r"[A-Z0-9_]*DEVICE[A-Z0-9_]*|KOKKOS_(?:INLINE_|FORCEINLINE_)?FUNCTION")
_LONG = 600
"""Tokens between ``<<<`` and ``>>>`` at most."""
_RECORDS = frozenset({"class", "struct", "union"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A function's parameter: its type as text (blanks between tokens), its name, the index of its name."""

    type: str
    name: str
    index: int


@dataclass(frozen=True)
class Function:
    """A function's definition.

    Attributes:
        name: without its scope.
        index: of its name.
        words: all names that stand before its name: attributes and the type it returns.
        start: where its head begins.
        body: what its braces hold.
        destructor: it is one.
        scope: name of the class around it, "" where there is none.
    """

    outline: Outline = field(repr=False)
    name: str
    index: int
    words: frozenset[str]
    start: int
    parameters: tuple[Parameter, ...]
    body: Range
    destructor: bool
    scope: str

    @property
    def is_kernel(self) -> bool:
        """It is launched from the host."""
        return "__global__" in self.words

    @property
    def is_device(self) -> bool:
        """It runs on the GPU (and perhaps on the host, too), by its attributes or by the names of macros for them."""
        if "__global__" in self.words or "__device__" in self.words:
            return True
        return any(_DEVICE_MACRO.fullmatch(word) for word in self.words)

    @cached_property
    def statements(self) -> list[Statement]:
        """Its body's statements."""
        return Builder(self.outline).block(*self.body)

    def paths(self) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
        """Each statement in order, with those around it (outermost first)."""
        yield from self._paths

    @cached_property
    def _paths(self) -> list[tuple[Statement, tuple[Statement, ...]]]:
        found: list[tuple[Statement, tuple[Statement, ...]]] = []
        stack: list[tuple[Statement, tuple[Statement, ...]]] = [(each, ()) for each in reversed(self.statements)]
        while stack:
            statement, path = stack.pop()
            found.append((statement, path))
            stack += [(child, (*path, statement)) for child in reversed(statement.children)]
        return found


@dataclass(frozen=True, slots=True)
class Call:
    """A call: index of the name, ranges of its arguments, index of the closing parenthesis."""

    name: str
    index: int
    arguments: tuple[Range, ...]
    close: int


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch; `configuration` holds grid, block, dynamic shared memory and stream as far as they are given."""

    kernel: str
    index: int
    configuration: tuple[Range, ...]
    arguments: tuple[Range, ...]
    end: int


class Outline:
    """The shape of one source."""

    def __init__(self, tokens: Sequence[Token], cuda: bool = False) -> None:
        self.tokens, self.directives = split(tokens, cuda)
        self._texts = [each.text for each in self.tokens]
        self.match = self._matches()

    @cached_property
    def names(self) -> dict[str, list[int]]:
        """Where each name stands."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, token in enumerate(self.tokens):
            if token.kind is Kind.NAME:
                found[token.text].append(index)
        return dict(found)

    @cached_property
    def numbers(self) -> list[int]:
        """Where numbers stand."""
        return [index for index, token in enumerate(self.tokens) if token.kind is Kind.NUMBER]

    @cached_property
    def macros(self) -> dict[str, tuple[Token, ...]]:
        """Macros without parameters and what they stand for; the first definition counts."""
        found: dict[str, tuple[Token, ...]] = {}
        for line in self.directives:
            if line.word == "define" and line.active and line.tokens and not _takes_arguments(line):
                found.setdefault(line.tokens[0].text, line.tokens[1:])
        return found

    @cached_property
    def macro_functions(self) -> dict[str, tuple[Token, ...]]:
        """Macros with parameters: all tokens behind the name."""
        return {
            line.tokens[0].text: line.tokens[1:]
            for line in self.directives
            if line.word == "define" and line.active and line.tokens and _takes_arguments(line)
        }

    def text(self, span: Range) -> str:
        """The tokens of a range with blanks between them."""
        return " ".join(token.text for token in self.tokens[span[0] : span[1]])

    def words(self, span: Range) -> set[str]:
        """The names in a range."""
        return {token.text for token in self.tokens[span[0] : span[1]] if token.kind is Kind.NAME}

    def offsets(self, span: Range) -> tuple[int, int]:
        """(offset, length) of a range of at least one token in the source."""
        start = self.tokens[span[0]].offset
        return start, self.tokens[span[1] - 1].end - start

    def at(self, index: int) -> str:
        """The token's text; "" outside of the file."""
        return self._texts[index] if 0 <= index < len(self._texts) else ""

    def is_name(self, index: int) -> bool:
        """Whether a name stands there; nothing does outside of the file."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind is Kind.NAME

    # --- brackets -----------------------------------------------------------------------------------------------

    def _matches(self) -> dict[int, int]:
        found: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.kind is not Kind.PUNCT:
                continue
            if token.text in PAIRS:
                stack.append(index)
            elif token.text in (")", "]", "}"):
                # An unmatched bracket of a smaller kind is given up when a brace closes.
                while stack and PAIRS[self.tokens[stack[-1]].text] != token.text:
                    if token.text != "}" or self.tokens[stack[-1]].text == "{":
                        break
                    stack.pop()
                if stack and PAIRS[self.tokens[stack[-1]].text] == token.text:
                    found[stack[-1]] = index
                    found[index] = stack.pop()
        return found

    def arguments(self, opening: int) -> tuple[Range, ...]:
        """The ranges between commas of a bracket that opens at `opening`."""
        return self.split(opening + 1, self.match.get(opening, opening + 1))

    def split(self, start: int, end: int, by: str = ",") -> tuple[Range, ...]:
        """The ranges between commas, brackets left whole; none where the range is empty."""
        parts, at, begin = [], start, start
        while at < end:
            if self.tokens[at].text in PAIRS and self.tokens[at].kind is Kind.PUNCT and at in self.match:
                at = self.match[at]
            elif self.tokens[at].text == by:
                parts.append((begin, at))
                begin = at + 1
            at += 1
        return (*parts, (begin, end)) if end > start else ()

    def angle(self, opening: int) -> int | None:
        """Index behind the ``>`` for a ``<`` of template arguments, None where it is a comparison."""
        depth, at = 0, opening
        while at < min(len(self.tokens), opening + 200):
            text = self.tokens[at].text
            if text in ("(", "[") and at in self.match:
                at = self.match[at]
            elif text == "<":
                depth += 1
            elif text in (">", ">>", ">>>"):
                depth -= len(text)
                if depth <= 0:
                    return at + 1
            elif text in (";", "{", "}", "&&", "||"):
                return None
            at += 1
        return None

    # --- functions ----------------------------------------------------------------------------------------------

    @cached_property
    def functions(self) -> list[Function]:
        """All definitions of functions, in order."""
        found: list[Function] = []
        stack: list[tuple[int, str]] = []  # end of the scope, class
        start = at = 0
        while at < len(self.tokens):
            text = self.tokens[at].text
            while stack and at >= stack[-1][0]:
                stack.pop()
                start = max(start, at + 1)
            if self.tokens[at].kind is not Kind.PUNCT:
                at += 1
            elif text in "([" and at in self.match:
                at = self.match[at] + 1
            elif text == ";" or text == "}":
                at += 1
                start = at
            elif text != "{":
                at += 1
            else:
                end = self.match.get(at)
                if end is None:
                    at += 1
                    start = at
                    continue
                kind, record = self._scope(start, at)
                function = self._function(start, at, end, stack[-1][1] if stack else "") if kind == "" else None
                if function is not None:
                    if self._initialises(function, at, end):
                        at = end + 1
                        continue
                    found.append(function)
                    at = start = end + 1
                elif kind in ("namespace", "record"):
                    stack.append((end, record))
                    at += 1
                    start = at
                else:
                    at = end + 1
                    start = at if kind == "" else start
        return found

    def _scope(self, start: int, brace: int) -> tuple[str, str]:
        """What a brace opens: ("namespace" | "record" | "other" | "" for perhaps a function, name of the class)."""
        words: list[Token] = []
        at = self._behind_template(start)
        while at < brace:
            words.append(self.tokens[at])
            at = self.match[at] if self.at(at) in ("(", "[") and at in self.match else at + 1
        texts = [token.text for token in words]
        if "namespace" in texts or (texts[:1] == ["extern"] and len(texts) == 2):
            return "namespace", ""
        if not texts or "enum" in texts or ("=" in texts and "operator" not in texts):
            return "other", ""
        heads = [index for index, text in enumerate(texts) if text in _RECORDS]
        attributed = {"alignas", "__align__", "__attribute__", "__declspec"} & set(texts)
        if heads and ("(" not in texts or attributed):
            names = [t.text for t in words[heads[0] + 1 :] if t.kind is Kind.NAME and t.text not in _NOT_NAMES]
            return "record", names[0] if names else ""
        return "", ""

    def _behind_template(self, at: int) -> int:
        while self.at(at) == "template" and self.at(at + 1) == "<":
            behind = self.angle(at + 1)
            if behind is None:
                break
            at = behind
        return at

    def _function(self, start: int, brace: int, end: int, scope: str) -> Function | None:
        at = self._behind_template(start)
        while at < brace:
            token = self.tokens[at]
            if token.text == "(" and at in self.match:
                close = self.match[at]
                name = at - 1
                operator = any(self.at(each) == "operator" for each in range(max(start, at - 4), at))
                named = self.tokens[name].kind is Kind.NAME and self.at(name) not in _NOT_NAMES and name >= start
                after = self.tokens[close + 1]
                last = after.text in _AFTER_PARAMETERS or after.text.isupper() or after.text.startswith("__")
                if (named or operator) and last:
                    scope = self.at(name - 2) if self.at(name - 1) == "::" else scope
                    destructor = self.at(name - 1) == "~"
                    if destructor and self.at(name - 2) == "::":
                        scope = self.at(name - 3)
                    words = {t.text for t in self.tokens[start:name] if t.kind is Kind.NAME}
                    words |= {t.text for each in words & self.macros.keys() for t in self.macros[each]}
                    words |= {self.at(close + 1)} & {"__global__", "__device__"}
                    parameters = tuple(self._parameters(at, close))
                    return Function(
                        self,
                        self.at(name),
                        name,
                        frozenset(words),
                        start,
                        parameters,
                        (brace + 1, end),
                        destructor,
                        scope,
                    )
                at = close
            at += 1
        return None

    def _parameters(self, opening: int, close: int) -> Iterator[Parameter]:
        begin = at = opening + 1
        depth = 0
        while at <= close:
            text = self.tokens[at].text
            if text in PAIRS and at in self.match:
                at = self.match[at]
            elif text in ("<", ">", ">>"):
                depth = max(0, depth + {"<": 1, ">": -1, ">>": -2}[text])
            elif at == close or (text == "," and depth == 0):
                yield from self._parameter(begin, at)
                begin = at + 1
            at += 1

    def _parameter(self, begin: int, end: int) -> Iterator[Parameter]:
        default = next((at for at in range(begin, end) if self.at(at) == "="), end)
        bracket = next((at for at in range(begin, default) if self.at(at) == "["), default)
        name = bracket - 1
        if name > begin and self.tokens[name].kind is Kind.NAME:
            pointer = " *" if bracket < default else ""
            yield Parameter(self.text((begin, name)) + pointer, self.at(name), name)
        elif end > begin:
            yield Parameter(self.text((begin, default)), "", begin)

    def _initialises(self, function: Function, brace: int, end: int) -> bool:
        """Whether a brace behind a constructor's head is a member's initialiser, not the body."""
        head = self.text((function.index, brace))
        named = self.tokens[brace - 1].kind is Kind.NAME or self.at(brace - 1) == ">"
        return ") :" in head and named and self.at(end + 1) in (",", "{")

    def in_lambda(self, index: int, function: Function) -> bool:
        """Whether a token of a function is in the body of a lambda there."""
        for at in range(function.body[0], index):
            if self.at(at) == "{" and self.match.get(at, 0) > index:
                head = at - 1
                while head > function.body[0] and (self.at(head) == "mutable" or self.at(head).startswith("__")):
                    head -= 1
                if self.at(head) == ")" and head in self.match:
                    head = self.match[head] - 1
                    while self.at(head).startswith("__"):
                        head -= 1
                if self.at(head) == "]" and self.at(self.match.get(head, head) - 1) not in (")", "]", ""):
                    before = self.tokens[self.match[head] - 1] if head in self.match else None
                    if before is not None and (before.kind is not Kind.NAME or before.text == "return"):
                        return True
        return False

    def function_at(self, index: int) -> Function | None:
        """The function whose body holds a token."""
        at = bisect.bisect_right(self._bodies, index) - 1
        return self.functions[at] if at >= 0 and index < self.functions[at].body[1] else None

    @cached_property
    def _bodies(self) -> list[int]:
        """Where the functions' bodies begin, in order."""
        return [function.body[0] for function in self.functions]

    def places(self, name: str, within: Range | None = None) -> list[int]:
        """Where a name stands, in order; by bisection, so that it costs little to ask for each function of a file."""
        found = self.names.get(name, [])
        if within is None:
            return found
        return found[bisect.bisect_left(found, within[0]) : bisect.bisect_left(found, within[1])]

    # --- calls --------------------------------------------------------------------------------------------------

    def calls(self, *names: str, within: Range | None = None) -> Iterator[Call]:
        """Calls of functions by name (of any scope; template arguments may stand between name and parenthesis)."""
        for index in sorted(index for name in names for index in self.places(name, within)):
            call = self.call_at(index)
            if call is not None:
                yield call

    def call_at(self, index: int) -> Call | None:
        """The call whose name is at `index`."""
        opening = index + 1
        if self.at(opening) == "<":
            opening = self.angle(opening) or opening
        if self.at(opening) != "(" or opening not in self.match:
            return None
        return Call(self.at(index), index, self.arguments(opening), self.match[opening])

    def api(self, *names: str, within: Range | None = None) -> Iterator[Call]:
        """Calls of runtime functions by the part of the name that CUDA's and HIP's have in common."""
        return self.calls(*(prefix + name for name in names for prefix in ("cuda", "hip")), within=within)

    @cached_property
    def launches(self) -> list[Launch]:
        """Kernel launches, in order."""
        found = []
        for index, token in enumerate(self.tokens):
            if token.text == "<<<" and token.kind is Kind.PUNCT:
                launch = self._chevrons(index)
            elif token.text == "hipLaunchKernelGGL":
                launch = self._launch_macro(index)
            else:
                continue
            if launch:
                found.append(launch)
        return found

    def _chevrons(self, opening: int) -> Launch | None:
        at = opening + 1
        end = min(len(self.tokens), opening + _LONG)
        while at < end and self.tokens[at].text not in (">>>", ";", "}"):
            at = self.match.get(at, at) + 1 if self.tokens[at].text in PAIRS else at + 1
        if self.at(at) != ">>>" or self.at(at + 1) != "(" or at + 1 not in self.match:
            return None
        name = opening - 1
        depth = 0
        while name >= 0 and (self.at(name) in (">", ">>") or depth > 0):
            depth += {">": 1, ">>": 2, "<": -1}.get(self.at(name), 0)
            name = self.match[name] - 1 if self.at(name) == ")" and name in self.match else name - 1
        if name < 0 or self.tokens[name].kind is not Kind.NAME:
            return None
        return Launch(self.at(name), name, self.split(opening + 1, at), self.arguments(at + 1), self.match[at + 1] + 1)

    def _launch_macro(self, index: int) -> Launch | None:
        call = self.call_at(index)
        if call is None or len(call.arguments) < 5:
            return None
        arguments = call.arguments
        spans = 0  # template arguments of the kernel's name hold commas that stand free
        while spans < len(arguments) - 5 and self.text((arguments[0][0], arguments[spans][1])).count("<") > self.text(
            (arguments[0][0], arguments[spans][1])
        ).count(">"):
            spans += 1
        names = (at for at in range(*arguments[0]) if self.tokens[at].kind is Kind.NAME)
        kernel = next((at for at in names if self.at(at) != "HIP_KERNEL_NAME" and self.at(at + 1) != "::"), None)
        if kernel is None:
            return None
        rest = arguments[spans + 1 :]
        return Launch(self.at(kernel), kernel, rest[:4], rest[4:], call.close + 1)


def _takes_arguments(line: Directive) -> bool:
    """Whether a ``#define`` has parameters: its parenthesis follows the name without a blank."""
    return len(line.tokens) > 1 and line.tokens[1].text == "(" and line.tokens[1].offset == line.tokens[0].end
