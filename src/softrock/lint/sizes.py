"""Bytes of types, elements of arrays, threads of launches, as far as a file's tokens show them.

Everything here says None rather than guess: a type that depends on a template's parameter, or comes from a header that
is not the runtime's, has no size.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from softrock.hipify.lexer import Kind, Token, code
from softrock.lint.outline import Function, Range

if TYPE_CHECKING:
    from softrock.lint.values import Values

_SCALARS = {
    "char": 1, "bool": 1, "short": 2, "int": 4, "unsigned": 4, "signed": 4, "float": 4, "long": 8, "double": 8,
    "half": 2, "__half": 2, "half_t": 2, "_Float16": 2, "__bf16": 2, "bfloat16": 2, "__nv_bfloat16": 2,
    "hip_bfloat16": 2, "__hip_bfloat16": 2, "nv_bfloat16": 2, "size_t": 8, "ptrdiff_t": 8, "uchar": 1, "ushort": 2,
    "uint": 4, "ulong": 8, "longlong": 8, "ulonglong": 8, "cuComplex": 8, "cuFloatComplex": 8, "cuDoubleComplex": 16,
    "hipComplex": 8, "hipFloatComplex": 8, "hipDoubleComplex": 16, "__hip_fp8_e4m3": 1, "__hip_fp8_e4m3_fnuz": 1,
    "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1, "__hip_fp8_e5m2": 1, "__hip_fp8_e5m2_fnuz": 1, "half2": 4, "__half2": 4,
    "__nv_bfloat162": 4,
}  # fmt: skip
_FIXED = re.compile(r"u?int(?:_fast|_least)?(8|16|32|64)_t")
_VECTOR = re.compile(r"(u?char|u?short|u?int|u?longlong|u?long|float|double)([1-4])")
_QUALIFIERS = frozenset(
    [
        "const",
        "volatile",
        "static",
        "extern",
        "constexpr",
        "inline",
        "__shared__",
        "__device__",
        "__constant__",
        "__restrict__",
        "register",
        "struct",
        "class",
        "typename",
        "std",
        "::",
        "thread_local",
        "__managed__",
        "auto",
        "mutable",
    ]
)
_WORDS = frozenset({"unsigned", "signed", "long", "short", "int", "char", "double"})
_DEPTH = 8


class Sizes:
    """Sizes in one file."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.outline = values.outline

    # --- values -------------------------------------------------------------------------------------------------

    def value(self, span: Range, function: Function | None = None) -> int | None:
        """The value of an expression; variables of `function` that are set once count as constants."""
        tokens = self._inlined(self.outline.tokens[span[0] : span[1]], function, 0)
        return self.values.evaluate(tokens, span[0])

    def _inlined(self, tokens: list[Token], function: Function | None, depth: int) -> list[Token]:
        if function is None or depth > _DEPTH:
            return tokens
        found: list[Token] = []
        for token in tokens:
            span = self._set_once(token.text, function) if token.kind is Kind.NAME else None
            if span is None or len(found) > 400:
                found.append(token)
                continue
            inner = self._inlined(self.outline.tokens[span[0] : span[1]], function, depth + 1)
            found += [Token(Kind.PUNCT, "(", token.offset), *inner, Token(Kind.PUNCT, ")", token.offset)]
        return found

    def _set_once(self, name: str, function: Function) -> Range | None:
        """The value that a local variable is declared with, where nothing changes it later."""
        outline = self.outline
        places = [
            at
            for at in outline.places(name, function.body)
            if outline.at(at - 1) not in (".", "->", "::")
        ]
        if not places or outline.at(places[0] + 1) != "=" or outline.tokens[places[0] - 1].kind is not Kind.NAME:
            return None
        for at in places[1:]:
            before, after = outline.at(at - 1), outline.at(at + 1)
            if after in ("=", "++", "--", "<<=", ">>=") or (
                len(after) == 2 and after[1] == "=" and after[0] in "+-*/%&|^"
            ):
                return None
            if before in ("++", "--", ">>") or (before == "&" and outline.at(at - 2) in ("(", ",")):
                return None
        return self.values.initial(places[0])

    def threads(self, span: Range, function: Function | None) -> int | None:
        """How many threads (or workgroups) a ``dim3`` or number of a launch's configuration stands for."""
        outline = self.outline
        if span[1] == span[0] + 1 and outline.tokens[span[0]].kind is Kind.NAME and function:
            for at in outline.places(outline.at(span[0]), (function.body[0], span[0])):
                if outline.at(at - 1) != "dim3":
                    continue
                if outline.at(at + 1) in ("(", "{"):
                    return self._product(outline.arguments(at + 1), function)
                given = self.values.initial(at)
                return self.threads(given, function) if given else None
        if outline.at(span[0]) == "dim3" and outline.at(span[0] + 1) in ("(", "{"):
            return self._product(outline.arguments(span[0] + 1), function)
        if outline.at(span[0]) == "{":
            return self._product(outline.arguments(span[0]), function)
        return self.value(span, function)

    def _product(self, parts: tuple[Range, ...], function: Function | None) -> int | None:
        total = 1
        for part in parts:
            value = self.value(part, function)
            if value is None:
                return None
            total *= value
        return total if parts else None

    def extent(self, at: int, function: Function | None = None) -> int | None:
        """Elements of an array whose ``[n][m]…`` begins at `at`; 1 without brackets, None where one is not known."""
        total = 1
        while self.outline.at(at) == "[" and at in self.outline.match:
            close = self.outline.match[at]
            value = self.value((at + 1, close), function) if close > at + 1 else None
            if value is None:
                return None
            total *= value
            at = close + 1
        return total

    # --- types --------------------------------------------------------------------------------------------------

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Names of types that ``using`` and ``typedef`` declare, and what they stand for."""
        found: dict[str, str] = {}
        outline = self.outline
        for word in ("using", "typedef"):
            for index in outline.names.get(word, ()):
                end = index
                while end < min(index + 30, len(outline.tokens)) and outline.at(end) != ";":
                    end += 1
                if word == "using" and outline.at(index + 2) == "=":
                    found.setdefault(outline.at(index + 1), outline.text((index + 3, end)))
                elif word == "typedef" and outline.at(end - 1).isidentifier() and "{" not in outline.text((index, end)):
                    found.setdefault(outline.at(end - 1), outline.text((index + 1, end - 1)))
        return found

    @cached_property
    def _records(self) -> dict[str, Range]:
        """Members of the file's plain structures."""
        outline = self.outline
        return {
            outline.at(index + 1): (index + 3, outline.match[index + 2])
            for index in reversed(outline.names.get("struct", ()))
            if outline.at(index + 2) == "{" and index + 2 in outline.match
        }

    def size(self, type_: str) -> int | None:
        """Bytes of a type given as text, None where they are not known."""
        layout = self.layout(type_)
        return layout[0] if layout else None

    def layout(self, type_: str, depth: int = 0) -> tuple[int, int] | None:
        """(bytes, alignment) of a type."""
        tokens = [each.text for each in code(type_)]
        if depth > _DEPTH:
            return None
        if "*" in tokens or "&" in tokens:
            return 8, 8
        words = [each for each in tokens if each not in _QUALIFIERS]
        if not words:
            return None
        if all(each in _WORDS for each in words):
            size = min((_SCALARS[each] for each in words if each not in ("unsigned", "signed", "int")), default=4)
            return (16, 16) if words == ["long", "double"] else (size, size)
        return self._named(words[0], depth) if len(words) == 1 else None

    def _named(self, name: str, depth: int) -> tuple[int, int] | None:
        if name in _SCALARS:
            return _SCALARS[name], min(_SCALARS[name], 16)
        if match := _FIXED.fullmatch(name):
            return int(match[1]) // 8, int(match[1]) // 8
        if match := _VECTOR.fullmatch(name):
            element, count = _SCALARS[match[1]], int(match[2])
            return element * count, element if count == 3 else min(element * count, 16)
        if name in self.aliases:
            return self.layout(self.aliases[name], depth + 1)
        if name in self.outline.macros:
            return self.layout(" ".join(each.text for each in self.outline.macros[name]), depth + 1)
        return self._record(name, depth) if name in self._records else None

    def _record(self, name: str, depth: int) -> tuple[int, int] | None:
        outline = self.outline
        total, most = 0, 1
        for start, end in outline.split(*self._records[name], by=";"):
            if end <= start or outline.at(start) in ("static", "using", "typedef"):
                continue
            if any(outline.at(at) in ("(", "{", "<", ":", "virtual", "union", "struct") for at in range(start, end)):
                return None
            first = next((at for at in range(start, end) if outline.at(at) in ("[", ",", "=")), end) - 1
            layout = self.layout(outline.text((start, first)), depth + 1)
            if layout is None:
                return None
            for part in outline.split(first, end):
                count = self.extent(part[0] + 1)
                if count is None:
                    return None
                total = -(-total // layout[1]) * layout[1] + layout[0] * count
            most = max(most, layout[1])
        return -(-total // most) * most, most
