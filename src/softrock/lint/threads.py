"""Which values of a kernel differ between the threads of a workgroup."""

from __future__ import annotations

import re

from softrock.hipify.lexer import Kind
from softrock.lint.once import once
from softrock.lint.outline import Function, Outline, Range
from softrock.lint.statements import Statement

_SOURCES = frozenset(
    [
        "threadIdx",
        "hipThreadIdx_x",
        "hipThreadIdx_y",
        "hipThreadIdx_z",
        "__lane_id",
        "__builtin_amdgcn_workitem_id_x",
        "__builtin_amdgcn_workitem_id_y",
        "__builtin_amdgcn_workitem_id_z",
        "thread_rank",
        "thread_index",
        "__lanemask_lt",
        "__lanemask_le",
        "__lanemask_gt",
        "__lanemask_ge",
        "__lanemask_eq",
    ]
)
_ATOMIC = re.compile(r"(?:atomic|unsafeAtomic|__hip_atomic_)\w+")
_UNIFORM = frozenset({"__syncthreads_and", "__syncthreads_or", "__syncthreads_count", "__popc_all"})
_ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
_ASKED = object()
"""Stands for a function that is being looked at: one that calls itself asks no further."""
_ELECTION = re.compile(r"== (?:0|1|31|63|\d+u?)\b|\b0u? ==|\bleader\b|\belect")


class Threads:
    """What varies from thread to thread in one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.outline: Outline = function.outline
        self._calls = _varying_functions(self.outline)
        self._macros = _varying_macros(self.outline)
        self._scopes = _scopes(function)
        self._variables: set[tuple[str, int]] = {(name, -1) for name in self._parameters()}
        self._spread()

    def varies(self, span: Range) -> bool:
        """Whether an expression may have different values in the threads of a workgroup."""
        outline = self.outline
        at = span[0]
        while at < span[1]:
            token = outline.tokens[at]
            if token.kind is Kind.NAME:
                text = token.text
                if text in _UNIFORM and outline.at(at + 1) == "(" and at + 1 in outline.match:
                    at = outline.match[at + 1] + 1
                    continue
                member = outline.at(at - 1) in (".", "->") and text not in ("thread_rank", "thread_index")
                if not member and (text in _SOURCES or self._variable(text, at) in self._variables):
                    return True
                if not member and _ATOMIC.fullmatch(text):
                    return True
                if text in self._macros or (text in self._calls and outline.at(at + 1) == "("):
                    return True
            at += 1
        return False

    def elects(self, span: Range) -> bool:
        """Whether a condition picks a single thread (``threadIdx.x == 0``) rather than some of them."""
        return self.varies(span) and _ELECTION.search(self.outline.text(span)) is not None

    def turns_vary(self, loop: Statement) -> bool:
        """Whether a ``for`` has more turns in some threads than in others.

        It has not where start and end are moved by the same number: ``for (i = tid; i < n + tid; i += m)``.
        """
        parts = self.outline.split(*loop.head, by=";")
        if len(parts) != 3:
            return self.varies(loop.head)
        if not self.varies(parts[1]):
            return False
        start = next((at for at in range(*parts[0]) if self.outline.at(at) == "="), None)
        test = next((at for at in range(*parts[1]) if self.outline.at(at) in ("<", "<=", "!=", ">", ">=")), None)
        if start is None or test is None or self.outline.at(start - 1) != self.outline.at(test - 1):
            return True
        name = self.outline.at(start - 1)
        step = any(self.varies((at, at + 1)) for at in range(*parts[2]) if self.outline.at(at) != name)
        first, last = self._moved((start + 1, parts[0][1])), self._moved((test + 1, parts[1][1]))
        return not first or first != last or step

    def _moved(self, span: Range) -> set[str]:
        """The terms of a sum that vary, as text."""
        return {self.outline.text(each) for each in self.outline.split(*span, by="+") if self.varies(each)}

    def _variable(self, name: str, at: int) -> tuple[str, int]:
        """A name as a token sees it, with where it is declared: -1 outside of the function's body."""
        places = self._scopes.get(name, ())
        return name, next((start for start, end in reversed(places) if start <= at < end), -1)

    def _spread(self) -> None:
        """Fill `_variables`."""
        shared = self._shared()
        assignments = [
            (self._variable(name, at), span) for name, at, span in self._assignments() if name not in shared
        ]
        for _ in range(6):  # a chain of assignments in unusual order needs a round for each
            before = len(self._variables)
            for variable, span in assignments:
                if variable not in self._variables and self.varies(span):
                    self._variables.add(variable)
            if len(self._variables) == before:
                break

    def _parameters(self) -> frozenset[str]:
        """Parameters of a device function that some call in the file gives a value that varies."""
        function, outline = self.function, self.outline
        if function.is_kernel or not function.is_device:
            return frozenset()
        found: set[str] = set()
        vars(function)["_threads"] = _ASKED
        for call in outline.calls(function.name):
            caller = outline.function_at(call.index)
            if caller is None or not caller.is_device or vars(caller).get("_threads") is _ASKED:
                continue
            varying = threads(caller)
            for parameter, span in zip(function.parameters, call.arguments, strict=False):
                if "*" not in parameter.type and span[1] > span[0] and varying.varies(span):
                    found.add(parameter.name)
        return frozenset(found - {""})

    def _shared(self) -> set[str]:
        """The file's variables in shared memory: what one thread writes there, all read."""
        outline = self.outline
        found: set[str] = set()
        for at in outline.names.get("__shared__", ()):
            found |= outline.words((at, self._until(at, len(outline.tokens))))
        return found

    def _assignments(self) -> list[tuple[str, int, Range]]:
        """(name, its index, range of what it is given) of each assignment and initialisation."""
        outline = self.outline
        start, end = self.function.body
        found = []
        for at in range(start, end):
            text = outline.tokens[at].text
            if text in _ASSIGNMENTS and outline.tokens[at].kind is Kind.PUNCT:
                name = at - 1
                if outline.at(name - 1) == "*" and outline.at(name - 2) in (";", "{", "}", ")"):
                    continue  # memory, not a variable
                while outline.at(name - 1) in (".", "->") and name - 2 > start:
                    name -= 2
                if outline.tokens[name].kind is Kind.NAME:
                    found.append((outline.at(name), name, (at + 1, self._until(at + 1, end))))
            elif text in ("(", "{") and at in outline.match and outline.tokens[at - 1].kind is Kind.NAME:
                before = outline.tokens[at - 2]
                if before.kind is Kind.NAME and before.text not in ("return", "else", "new", "case"):
                    found.append((outline.at(at - 1), at - 1, (at + 1, outline.match[at])))
        return found

    def _until(self, at: int, end: int) -> int:
        """Index of the end of an expression: a semicolon, a comma or a closing bracket outside of brackets."""
        outline = self.outline
        while at < end and outline.tokens[at].text not in (";", ",", ")", "]", "}"):
            at = outline.match[at] + 1 if outline.tokens[at].text in ("(", "[", "{") and at in outline.match else at + 1
        return at


_NO_TYPES = frozenset({"return", "else", "new", "case", "do", "goto", "delete", "throw", "typename", "co_return"})
_DECLARED = frozenset({"=", ";", "{", "(", ",", ":", "["})


def _scopes(function: Function) -> dict[str, list[tuple[int, int]]]:
    """Variables of a function's body -> where each of that name begins and ends to be seen, in order."""
    outline = function.outline
    start, end = function.body
    loops = {each.start: each.end for each, _ in function.paths() if each.kind == "for"}
    found: dict[str, list[tuple[int, int]]] = {}
    stack: list[int] = []
    for at in range(start, end):
        text = outline.at(at)
        while stack and outline.match[stack[-1]] <= at:
            stack.pop()
        if text in ("(", "{") and outline.match.get(at, at) > at:
            stack.append(at)
        elif outline.tokens[at].kind is Kind.NAME and outline.at(at + 1) in _DECLARED:
            before = outline.at(at - 1)
            typed = outline.tokens[at - 1].kind is Kind.NAME and before not in _NO_TYPES
            if typed or (before in ("*", "&", ">", "&&") and outline.at(at + 1) in ("=", ":")):
                around = stack[-1] if stack else -1
                close = outline.match[around] if stack else end
                found.setdefault(text, []).append((at, loops.get(around - 1, close)))
    return found


@once
def _varying_functions(outline: Outline) -> frozenset[str]:
    """Functions of the file that read the number of the thread, by name."""
    return frozenset(
        each.name
        for each in outline.functions
        if not each.is_kernel and "void" not in each.words and _SOURCES & outline.words(each.body)
    )


@once
def _varying_macros(outline: Outline) -> frozenset[str]:
    """Macros that stand for the number of the thread, or something made from it, by name."""
    bodies = {**outline.macros, **outline.macro_functions}
    words = {name: {each.text for each in body if each.kind is Kind.NAME} for name, body in bodies.items()}
    single = {name for name, body in bodies.items() if not {";", "{", "="} & {each.text for each in body}}
    found = {name for name in single if words[name] & _SOURCES}
    for _ in range(4):
        found |= {name for name in single if words[name] & found}
    return frozenset(found)


def threads(function: Function) -> Threads:
    """What varies in a function, worked out once."""
    made = vars(function).get("_threads")
    if not isinstance(made, Threads):
        made = vars(function)["_threads"] = Threads(function)
    return made
