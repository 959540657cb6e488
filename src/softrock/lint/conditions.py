"""Which lines of a file a HIP compiler for AMD GPUs sees, decided from the file's own ``#if`` lines.

The preprocessor is not run: headers may be missing, and code for other configurations is to be checked too. A condition
is true, false or open; only what is certainly left out on AMD (``#ifdef __NVCC__``, the other side of
``#ifdef __HIP_PLATFORM_AMD__``, …) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from softrock.hipify.lexer import Kind, Token

_NVIDIA = re.compile(
    r"__NVCC__|__CUDA_ARCH__|__CUDA_ARCH_\w+|__CUDACC_VER_\w+|__CUDACC_RTC__|__HIP_PLATFORM_(?:NVIDIA|NVCC)__|__NVCOMPILER\w*"
)
_AMD = re.compile(
    r"__HIP__|__HIPCC__|__HIP_PLATFORM_(?:AMD|HCC|CLANG)__|__HIP_ROCclr__|HIP_VERSION|TORCH_HIP_VERSION|ROCM_VERSION"
    r"|\w*(?:USE|ENABLE|WITH|BUILD|HAVE)_(?:HIP|ROCM|AMD|AMDGPU)|\w+_(?:USE|ENABLE)_(?:HIP|ROCM)|(?:HIP|ROCM|AMD)_(?:ENABLED|BUILD)"
)


def on_amd(macro: str, cuda: bool = False) -> bool | None:
    """Whether a macro is defined when code is compiled for AMD: yes, no, or not known.

    In CUDA sources (`cuda`) it is open whether ``__CUDA_ARCH__`` is: what it guards there is device code, and a port
    has to keep that.
    """
    if cuda and macro == "__CUDA_ARCH__":
        return None
    if _NVIDIA.fullmatch(macro):
        return False
    return True if _AMD.fullmatch(macro) else None


@dataclass(frozen=True, slots=True)
class Directive:
    """A preprocessor line.

    Attributes:
        word: ``if``, ``define``, ….
        tokens: what follows it, without comments.
        offset, end: of the whole line.
        active: an AMD compiler may come here.
        value: of an ``if``'s or ``elif``'s condition on AMD, None where it is open or there is none.
    """

    word: str
    tokens: tuple[Token, ...]
    offset: int
    end: int
    active: bool
    value: bool | None = None


@dataclass(slots=True)
class _Frame:
    outer: bool
    taken: bool | None
    active: bool
    lopsided: bool = False
    """A branch so far opened more braces than it closed, or closed more: the others are alternatives to it."""
    depth: int = 0


def split(tokens: Sequence[Token], cuda: bool = False) -> tuple[list[Token], list[Directive]]:
    """(code that AMD compilers may see, all preprocessor lines), in order; `cuda` as for `on_amd`."""
    kept: list[Token] = []
    directives: list[Directive] = []
    stack: list[_Frame] = []
    active = True
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind is Kind.DIRECTIVE:
            arguments = []
            while at < len(tokens) and tokens[at].kind is not Kind.END:
                if tokens[at].kind is not Kind.COMMENT:
                    arguments.append(tokens[at])
                at += 1
            end = tokens[at].offset if at < len(tokens) else tokens[-1].end
            at += 1
            word = token.text.lstrip("#").replace("\\\r\n", "").replace("\\\n", "").strip()
            inner = word.startswith("el") and stack
            here = stack[-1].outer and stack[-1].taken is not True if inner else active
            value = _condition(word, arguments, cuda) if word.startswith(("if", "elif")) else None
            line = Directive(word, tuple(arguments), token.offset, end, here, value)
            directives.append(line)
            active = _step(stack, line, active)
        elif active and token.kind is not Kind.COMMENT and token.kind is not Kind.END:
            kept.append(token)
            if stack and token.kind is Kind.PUNCT and token.text in "{}":
                stack[-1].depth += 1 if token.text == "{" else -1
    return kept, directives


def alternatives(directives: Sequence[Directive], first: int, second: int) -> bool:
    """Whether two offsets stand in different branches of one ``#if``, so that never both are compiled."""
    one, other = _branches(directives, first), _branches(directives, second)
    return any(one.get(chain, branch) != branch for chain, branch in other.items())


def _branches(directives: Sequence[Directive], offset: int) -> dict[int, int]:
    """Offset of each ``#if`` around an offset -> number of the branch that holds it."""
    stack: list[tuple[int, int]] = []
    for line in directives:
        if line.offset > offset:
            break
        if line.word in ("if", "ifdef", "ifndef"):
            stack.append((line.offset, 0))
        elif line.word == "endif" and stack:
            stack.pop()
        elif line.word in ("elif", "elifdef", "elifndef", "else") and stack:
            stack[-1] = (stack[-1][0], stack[-1][1] + 1)
    return dict(stack)


def _step(stack: list[_Frame], line: Directive, active: bool) -> bool:
    """Whether code behind this line is active."""
    if line.word in ("if", "ifdef", "ifndef"):
        stack.append(_Frame(active, line.value, active and line.value is not False))
        return stack[-1].active
    if not stack or line.word not in ("elif", "elifdef", "elifndef", "else", "endif"):
        return active
    frame = stack[-1]
    frame.lopsided |= frame.active and frame.depth != 0
    frame.depth = 0
    if line.word == "endif":
        return stack.pop().outer
    value = True if line.word == "else" else line.value
    frame.active = frame.outer and frame.taken is not True and value is not False and not frame.lopsided
    if frame.taken is not True:
        frame.taken = True if value is True else None if None in (value, frame.taken) else False
    return frame.active


def _condition(word: str, tokens: Sequence[Token], cuda: bool) -> bool | None:
    if word.endswith("def"):
        value = on_amd(tokens[0].text, cuda) if tokens else None
        return value if value is None or not word.endswith("ndef") else not value
    number = _Expression(tokens, cuda).value()
    return None if number is None else number != 0


_RELATIONS = {"==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "?", ":"}


class _Expression:
    """A condition's value in three-valued logic; numbers that are not known are None."""

    def __init__(self, tokens: Sequence[Token], cuda: bool) -> None:
        self.tokens = tokens
        self.cuda = cuda
        self.at = 0

    def value(self) -> int | None:
        try:
            result = self._or()
        except RecursionError:
            return None
        return result if self.at == len(self.tokens) else None

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _or(self) -> int | None:
        result = self._and()
        while self._peek() == "||":
            self.at += 1
            right = self._and()
            result = 1 if result or right else None if None in (result, right) else 0
        return result

    def _and(self) -> int | None:
        result = self._comparison()
        while self._peek() == "&&":
            self.at += 1
            right = self._comparison()
            result = 0 if 0 in (result, right) else None if None in (result, right) else 1
        return result

    def _comparison(self) -> int | None:
        start = self.at
        left, name = self._unary()
        if self._peek() not in _RELATIONS:
            return 1 if name and on_amd(name) else left
        operator = self._peek()
        while self._peek() in _RELATIONS:
            self.at += 1
            right, _ = self._unary()
        if self.at != start + 3 or left is None or right is None:
            return None
        order = {
            "==": left == right,
            "!=": left != right,
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
        }
        return int(order[operator]) if operator in order else None

    def _unary(self) -> tuple[int | None, str]:
        """A value, and the macro's name where it is nothing but one."""
        text = self._peek()
        kind = self.tokens[self.at].kind if self.at < len(self.tokens) else None
        self.at += 1
        if text == "!":
            value, name = self._unary()
            value = 1 if name and on_amd(name) else value
            return (None if value is None else int(not value)), ""
        if text == "(":
            value = self._or()
            if self._peek() == ")":
                self.at += 1
            return value, ""
        if text == "defined":
            return self._defined(), ""
        if kind is Kind.NUMBER:
            try:
                return int(text.rstrip("uUlL"), 0), ""
            except ValueError:
                return None, ""
        if kind is Kind.NAME:
            if self._peek() == "(":  # a macro with arguments, or __has_include
                self._skip()
                return None, ""
            return (0 if on_amd(text) is False else None), text
        return None, ""

    def _defined(self) -> int | None:
        bracket = self._peek() == "("
        self.at += bracket
        value = on_amd(self._peek(), self.cuda)
        self.at += 1
        self.at += bracket and self._peek() == ")"
        return None if value is None else int(value)

    def _skip(self) -> None:
        depth = 0
        while self.at < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self._peek(), 0)
            self.at += 1
            if depth == 0:
                return
