"""Names and what they hold, as far as a file's tokens show it: types, constants, what a variable is given."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from softrock.hipify.lexer import Kind, Token
from softrock.lint.outline import Function, Outline, Range

if TYPE_CHECKING:
    from softrock.lint.sizes import Sizes

_OPEN = "([{"
_BEFORE_LIST = frozenset({"=", ",", "{", "(", "]", "return"})
_NO_TYPES = frozenset(
    {
        "return", "case", "goto", "else", "throw", "new", "delete", "sizeof", "using", "namespace", "public", "private",
        "protected", "operator", "do", "and", "or", "not", "if", "while", "for", "switch", "co_return", "co_yield",
    }
)  # fmt: skip
_BEFORE_NAME = frozenset({"*", "&", ">", ",", "&&", ">>"})
_BEHIND_NAME = frozenset({"=", ";", ",", ")", "[", "{", ":", "("})
_QUALIFIERS = frozenset({"*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict"})
ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
_LONG = 600
"""Tokens in a statement before and behind the one that is asked for; what is longer is a table of data."""
_DEPTH = 12
"""How many names deep a value is followed."""
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)")


def integer(token: Token) -> int | None:
    """The value of an integer literal."""
    match = _INTEGER.fullmatch(token.text) if token.kind is Kind.NUMBER else None
    if match is None:
        return None
    digits = match[1].replace("'", "")
    octal = digits.isdigit() and len(digits) > 1 and digits[0] == "0"
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        return None


class Values:
    """What the names of one outline hold."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.tokens = outline.tokens
        self._given: dict[tuple[str, int], list[Range]] = {}

    # ---- statements ----

    def statement(self, at: int) -> Range:
        """The simple statement around a token: from behind the last ``;``, brace or head, to the next ``;``."""
        outline = self.outline
        first = at
        while first > max(0, at - _LONG):
            text = outline.at(first - 1)
            if text in (";", "{", "}", "(", "else", "do"):
                break
            if text in (")", "]") and first - 1 in outline.match:
                opening = outline.match[first - 1]
                if outline.at(opening - 1) in ("if", "for", "while", "switch", "constexpr") and text == ")":
                    break
                first = opening
                continue
            if text == ":" and outline.at(first - 2) in ("default", "public", "private", "protected"):
                break
            first -= 1
        last = at
        end = min(len(self.tokens), at + _LONG)
        while last < end and outline.at(last) not in (";", ")", "]", "}"):
            last = outline.match[last] + 1 if outline.at(last) in _OPEN and last in outline.match else last + 1
        return first, last

    def until_comma(self, first: int, behind: int) -> int:
        """Index of the first comma outside of brackets, `behind` where there is none."""
        at = first
        while at < behind:
            if self.outline.at(at) in _OPEN and at in self.outline.match:
                at = self.outline.match[at]
            elif self.outline.at(at) == ",":
                return at
            at += 1
        return behind

    @cached_property
    def _inside(self) -> list[int]:
        """For each token the innermost bracket around it, -1 where there is none."""
        stack: list[int] = []
        found = []
        for at in range(len(self.tokens)):
            while stack and self.outline.match[stack[-1]] <= at:
                stack.pop()
            found.append(stack[-1] if stack else -1)
            if self.outline.at(at) in _OPEN and self.outline.match.get(at, at) > at:
                stack.append(at)
        return found

    def around(self, at: int) -> int:
        """The innermost bracket that holds a token, -1 where there is none."""
        return self._inside[at]

    # ---- declarations ----

    @cached_property
    def _declared(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for at in range(1, len(self.tokens) - 1):
            token, before = self.tokens[at], self.tokens[at - 1]
            if token.kind is not Kind.NAME or self.tokens[at + 1].text not in _BEHIND_NAME:
                continue
            if before.kind is Kind.NAME or before.text in _BEFORE_NAME:
                declared = self._type_before(at)
                if declared:
                    found[token.text].append((at, declared))
        return dict(found)

    @cached_property
    def _heads(self) -> frozenset[int]:
        """Parentheses that open a function's parameters."""
        found = set()
        for function in self.outline.functions:
            opening = next((at for at in range(function.index, function.body[0]) if self.outline.at(at) == "("), -1)
            found.add(opening)
        return frozenset(found)

    def _type_before(self, at: int) -> str:
        outline = self.outline
        if outline.at(at - 1) == ",":  # a further name of a declaration
            opening = self._inside[at]
            if outline.at(opening) in ("(", "[") or outline.at(opening - 1) in _BEFORE_LIST:
                return ""  # an argument, an element
            first, _ = self.statement(at)
            name = next((i for i in range(first + 1, at) if outline.at(i + 1) in ("=", ",", "[", "(", "{")), None)
            if name is None or outline.at(first - 1) == "(" or outline.at(name - 1) == ",":
                return ""
            return self._type_before(name)
        first = self._type_start(at)
        words = [each.text for each in self.tokens[first:at]]
        if not words or words[-1] == "::" or not any(each.isidentifier() for each in words):
            return ""
        before = outline.at(first - 1) if first else ";"
        if before not in (";", "{", "}", "(", ",", ")", ":", "<", ">", "]"):
            return ""
        if before in ("(", ",", "<") and not self._declares(first):
            return ""
        return " ".join(words)

    def _type_start(self, at: int) -> int:
        first, angles = at, 0
        while first > 0:
            before = self.tokens[first - 1]
            text = before.text
            if text in (">", ">>"):
                angles += len(text)
            elif text == "<":
                angles -= 1
                if angles < 0:
                    break
            elif angles > 0:
                if text in (";", "{", "}", "=", "&&", "||"):
                    break
            elif before.kind is Kind.NAME:
                following = self.tokens[first]
                if text in _NO_TYPES or not (
                    following.kind is Kind.NAME or first == at or following.text in ("*", "&", "::", "<", "&&")
                ):
                    break
            elif text in ("*", "&", "&&"):
                if first != at and self.tokens[first].text not in _QUALIFIERS:
                    break
            elif text != "::":
                break
            first -= 1
        return first if angles <= 0 else at

    def _declares(self, first: int) -> bool:
        """True where what begins at a token, behind a parenthesis or a comma, is a parameter or a loop's variable."""
        opening = self._inside[first]
        if opening < 0 or self.outline.at(opening) != "(":
            return self.outline.at(first - 1) == "," or self.outline.at(first - 2) == "template"
        before = self.outline.at(opening - 1)
        return opening in self._heads or before in ("for", "catch", "]", "__device__", "__host__")

    def declaration(self, name: str, at: int) -> tuple[int, str] | None:
        """(index of the name, type) of the declaration that a token sees: the nearest before it in its own function,
        else one outside of functions."""
        places = self._declared.get(name)
        if not places:
            return None
        own = self._owner(at)
        last = bisect.bisect_right(places, at, key=lambda place: place[0]) - 1
        if own is not None and last >= 0 and own.start <= places[last][0]:
            return places[last]
        outside = self._outside.get(name, [])
        last = bisect.bisect_right(outside, at, key=lambda place: place[0]) - 1
        return outside[last] if last >= 0 else None

    @cached_property
    def _outside(self) -> dict[str, list[tuple[int, str]]]:
        """Declarations in no function."""
        found = {
            name: [each for each in places if self._owner(each[0]) is None] for name, places in self._declared.items()
        }
        return {name: places for name, places in found.items() if places}

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.outline.functions]

    def _owner(self, at: int) -> Function | None:
        """The function whose head or body holds a token."""
        index = bisect.bisect_right(self._starts, at) - 1
        functions = self.outline.functions
        return functions[index] if index >= 0 and at < functions[index].body[1] else None

    def type_of(self, name: str, at: int) -> str:
        """The type a name was declared with as a token sees it; "" where that is not in this file."""
        found = self.declaration(name, at)
        return found[1] if found else ""

    def initial(self, declared: int) -> Range | None:
        """The initialiser of the name declared at an index."""
        at = declared + 1
        while self.outline.at(at) == "[" and at in self.outline.match:
            at = self.outline.match[at] + 1
        if self.outline.at(at) == "=":
            _, behind = self.statement(at)
            return at + 1, self.until_comma(at + 1, behind)
        if self.outline.at(at) in ("{", "(") and at in self.outline.match:
            return at + 1, self.outline.match[at]
        return None

    def given(self, name: str, function: Function | None) -> list[Range]:
        """Expressions that a variable is given in a function (None: in the whole file), its initialiser included."""
        key = (name, function.start if function else -1)
        if key not in self._given:
            self._given[key] = list(self._gifts(name, function))
        return self._given[key]

    def _gifts(self, name: str, function: Function | None) -> Iterator[Range]:
        first, last = (function.start, function.body[1]) if function else (0, len(self.tokens))
        declared = {at for at, _ in self._declared.get(name, ())}
        for at in self.outline.places(name, (first, last)):
            if self.outline.at(at - 1) in (".", "->"):
                continue
            if self.outline.at(at + 1) in ASSIGNMENTS:
                _, behind = self.statement(at + 1)
                yield at + 2, self.until_comma(at + 2, behind)
            elif self.outline.at(at + 1) in ("(", "{") and at in declared:
                initial = self.initial(at)
                if initial:
                    yield initial

    # ---- constants ----

    def constant(self, span: Range) -> int | None:
        """The value of an integer constant expression; None where it is none, or not known from this file."""
        return self.evaluate(self.tokens[span[0] : span[1]], span[0])

    def evaluate(self, tokens: Sequence[Token], at: int) -> int | None:
        """The value of an expression that may have been put together; its names are looked up as a token sees them."""
        return self._constant(list(tokens), at, 0)

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of the file's types."""
        from softrock.lint.sizes import Sizes

        return Sizes(self)

    def _constant(self, found: Sequence[Token], at: int, depth: int) -> int | None:
        if not found or len(found) > 64 or depth > _DEPTH:
            return None
        return _Expression(found, lambda name: self._named(name, at, depth + 1), self.sizes.size).value()

    @cached_property
    def _scopes(self) -> frozenset[str]:
        """Names of the file's classes, enumerations and namespaces."""
        kinds = ("struct", "class", "namespace", "enum", "union")
        return frozenset(
            name
            for name, places in self.outline.names.items()
            if any(self.outline.at(at - 1) in kinds and self.outline.at(at + 1) in ("{", ":") for at in places)
        )

    def default(self, name: str, at: int) -> Range | None:
        """The default of the template's parameter that a name is in the function around a token."""
        function, place = self._owner(at), self.declaration(name, at)
        if function is None or place is None or not function.start < place[0] < function.index:
            return None
        if self.outline.at(function.start) != "template" or self.outline.at(place[0] + 1) != "=":
            return None
        ends = (each for each in range(place[0], function.index) if self.outline.at(each) in (",", ">", "("))
        end = next(ends, place[0])
        return (place[0] + 2, end) if end > place[0] + 2 else None

    def _named(self, name: str, at: int, depth: int) -> int | None:
        qualifier, _, name = name.rpartition("::")
        if qualifier and qualifier.rpartition("::")[2] not in self._scopes:
            return None
        if name in self.outline.macros:
            return self._constant(self.outline.macros[name], at, depth)
        found = self.declaration(name, at)
        if found is not None:
            words = found[1].split()
            initial = self.initial(found[0]) if "const" in words or "constexpr" in words else None
            return self._constant(self.tokens[initial[0] : initial[1]], found[0], depth) if initial else None
        return self._enumerator(name, depth)

    def _enumerator(self, name: str, depth: int) -> int | None:
        span = self._enumerators.get(name)
        return self._constant(self.tokens[span[0] : span[1]], span[0], depth) if span else None

    @cached_property
    def _enumerators(self) -> dict[str, Range]:
        """Enumerators that are given a value, with where it stands."""
        outline, found = self.outline, dict[str, Range]()
        for at in outline.names.get("enum", ()):
            brace = next((each for each in range(at + 1, at + 5) if outline.at(each) == "{"), -1)
            if brace not in outline.match:
                continue
            for first, last in outline.split(brace + 1, outline.match[brace]):
                if last - first > 2 and outline.at(first + 1) == "=":
                    found.setdefault(outline.at(first), (first + 2, last))
        return found


_LEVELS: tuple[tuple[str, ...], ...] = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_CASTS = frozenset(
    {
        "int",
        "unsigned",
        "long",
        "short",
        "char",
        "const",
        "size_t",
        "uint32_t",
        "int32_t",
        "uint64_t",
        "int64_t",
        "std",
        "::",
    }
)


class _Expression:
    """An integer constant expression, in the arithmetic of Python's integers."""

    def __init__(
        self, tokens: Sequence[Token], named: Callable[[str], int | None], size: Callable[[str], int | None]
    ) -> None:
        self.tokens = tokens
        self.named = named
        self.size = size
        self.at = 0

    def value(self) -> int | None:
        result = self._level(0)
        return result if self.at == len(self.tokens) else None

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _level(self, level: int) -> int | None:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while left is not None and self._peek() in _LEVELS[level]:
            operator = self._peek()
            self.at += 1
            right = self._level(level + 1)
            left = None if right is None else _apply(operator, left, right)
        return left

    def _unary(self) -> int | None:
        if self.at >= len(self.tokens):
            return None
        token = self.tokens[self.at]
        self.at += 1
        if token.text in ("-", "~", "+"):
            value = self._unary()
            return None if value is None else {"-": -value, "~": ~value, "+": value}[token.text]
        if token.text == "(":
            return self._bracket()
        if token.kind is Kind.NUMBER:
            return integer(token)
        if token.text == "static_cast" and self._peek() == "<":
            while self._peek() and self._peek() != ">":
                self.at += 1
            self.at += 1
            return self._unary()
        if token.text == "sizeof" and self._peek() == "(":
            return self._sizeof()
        if token.text in _CASTS and self._peek() in ("(", "{"):
            return self._unary()
        name = token.text
        while token.kind is Kind.NAME and self._peek() == "::" and self.at + 1 < len(self.tokens):
            name += "::" + self.tokens[self.at + 1].text
            self.at += 2
        if token.kind is Kind.NAME and self._peek() not in ("(", "[", ".", "->", "::", "<"):
            return self.named(name)
        return None

    def _sizeof(self) -> int | None:
        start, depth = self.at + 1, 0
        while self._peek():
            depth += {"(": 1, ")": -1}.get(self._peek(), 0)
            self.at += 1
            if depth == 0:
                return self.size(" ".join(each.text for each in self.tokens[start : self.at - 1]))
        return None

    def _bracket(self) -> int | None:
        start = self.at
        while self._peek() in _CASTS:
            self.at += 1
        if self.at > start and self._peek() == ")":  # a cast
            self.at += 1
            return self._unary()
        self.at = start
        value = self._level(0)
        if self._peek() != ")":
            return None
        self.at += 1
        return value


def _apply(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right < 64:
            return None
        return left << right if operator == "<<" else left >> right
    if operator in ("+", "-", "*"):
        return {"+": left + right, "-": left - right, "*": left * right}[operator]
    return {"|": left | right, "^": left ^ right, "&": left & right}[operator]
