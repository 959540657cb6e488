"""One source while it is translated: its tokens, and the edits, findings and statistics so far."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from softrock.hipify import findings
from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, Token, tokens
from softrock.hipify.source import Source
from softrock.hipify.table import Row

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree

# Rules whose findings a translation can have, and their severities.
RULES = {
    "unknown-api": Severity.ERROR,
    "unsupported-api": Severity.ERROR,
    "removed-api": Severity.ERROR,
    "partial-api": Severity.WARNING,
    "deprecated-api": Severity.NOTE,
    "inline-ptx": Severity.ERROR,
    "pasted-name": Severity.ERROR,
    "split-name": Severity.ERROR,
    "never-closed": Severity.WARNING,
    "cuda-arch": Severity.WARNING,
    "embedded-source": Severity.NOTE,
    "name-in-string": Severity.WARNING,
    "library-file": Severity.WARNING,
    "own-name": Severity.NOTE,
    "cuda-branch": Severity.NOTE,
    "launch-left": Severity.WARNING,
    "build-needs-hand": Severity.ERROR,
    "nvcc-flags": Severity.WARNING,
    "build-note": Severity.WARNING,
    "unreadable": Severity.ERROR,
    "binary": Severity.WARNING,
    "not-parsed": Severity.NOTE,
}
ABOUT = {
    "unknown-api": "A name of CUDA's form that no mapping table has.",
    "unsupported-api": "HIP has no counterpart.",
    "removed-api": "CUDA itself has removed it, and HIP does not have it.",
    "partial-api": "HIP's counterpart differs; the name was replaced.",
    "deprecated-api": "HIP's counterpart is deprecated; the name was replaced.",
    "inline-ptx": "Instructions of NVIDIA's GPUs in the source.",
    "pasted-name": "A name that the preprocessor puts together.",
    "split-name": "A name that goes on in the next line behind a backslash.",
    "never-closed": "A comment or a raw string without an end: what follows was left alone.",
    "cuda-arch": "A decision by the number of an NVIDIA architecture.",
    "embedded-source": "CUDA source in a string, which is not translated.",
    "name-in-string": "A name of CUDA's in a string that is looked up when the program runs.",
    "library-file": "The name of a library of CUDA's in a string.",
    "own-name": "A name of CUDA's that the program declares itself: left alone.",
    "cuda-branch": "Code that is compiled for CUDA alone: left alone.",
    "launch-left": "A launch that could not be written as hipLaunchKernelGGL.",
    "build-needs-hand": "Part of a build file that has no counterpart.",
    "nvcc-flags": "Options that only nvcc understands.",
    "build-note": "Something in a build file to look at.",
    "unreadable": "A file that could not be read or written.",
    "binary": "A file that is no text.",
    "not-parsed": "A file that was handled by tokens alone.",
}
HIP_MACROS = frozenset(
    [
        *("__HIPCC__", "__HIP__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "__HIP_DEVICE_COMPILE__"),
        *("__HIPCC_RTC__", "__HIP_PLATFORM_NVIDIA__", "HIP_VERSION", "USE_ROCM", "USE_HIP", "TORCH_HIP_VERSION"),
        *("__AMDGCN__", "ENABLE_HIP"),
    ]
)
"""Macros by which sources tell that they are compiled as HIP."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to translate.

    Attributes:
        launch_macro: write ``<<<>>>`` as hipLaunchKernelGGL.
        parse: "auto" (clang's tree where it can be had), "always" (an error where not), "never".
        flags: for clang; relative paths in them start from `cwd`.
        runtime_header: include HIP's runtime where a file uses it and includes nothing: "cu" (in .cu files, as nvcc
            does it by itself), "always".
        renamed: real paths of files whose suffix becomes .hip.
    """

    launch_macro: bool = False
    parse: str = "auto"
    flags: tuple[str, ...] = ()
    cwd: Path | None = None
    runtime_header: str = "cu"
    renamed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Directive:
    """A directive of the preprocessor.

    Attributes:
        word: "if", "include", ...
        first, last: range of the tokens behind the word, END not included.
        branches: numbers of the branches of conditions it stands in, outermost first.
    """

    word: str
    token: Token
    first: int
    last: int
    branches: tuple[int, ...]


@dataclass
class Work:
    """A source and what has been found out about it so far."""

    source: Source
    options: Options
    tree: Tree | None = None
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    uses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(family, status, name) -> how often."""
    replaced: int = 0
    """Names and headers that were replaced."""

    @cached_property
    def tokens(self) -> list[Token]:
        """Tokens without comments; ends of directives are there."""
        return tokens(self.source.text, comments=False)

    @cached_property
    def directives(self) -> list[Directive]:
        """All directives in order."""
        return list(_directives(self.tokens))

    @cached_property
    def cuda_only(self) -> list[tuple[int, int]]:
        """Ranges of offsets that HIP's compilers skip: branches of conditions on macros of HIP's."""
        return list(_cuda_only(self.tokens, self.directives, len(self.source.text)))

    @cached_property
    def newline(self) -> str:
        """How the file's lines end."""
        at = self.source.text.find("\n")
        return "\r\n" if at > 0 and self.source.text[at - 1] == "\r" else "\n"

    def skipped(self, offset: int) -> bool:
        """Whether only CUDA's compilers see what stands there."""
        return any(start <= offset < end for start, end in self.cuda_only)

    def replace(self, offset: int, length: int, text: str, why: str) -> None:
        """Note an edit."""
        self.edits.append(Edit(offset, length, text, why))

    def report(self, offset: int, length: int, rule: str, message: str, hint: str = "") -> None:
        """Note a finding with the rule's severity."""
        self.findings.append(findings.at(self.source, offset, length, rule, RULES[rule], message, hint))

    def row(self, row: Row, offset: int, length: int) -> bool:
        """Note the use of a row and what there is to say about it; whether it has a counterpart."""
        self.uses[row.family, row.status, row.cuda] += 1
        name = f"<{row.cuda}>" if row.kind == "header" else row.cuda
        if not row.hip or row.status in ("unsupported", "removed"):
            rule = "removed-api" if row.status == "removed" else "unsupported-api"
            gone = "is gone from CUDA, and HIP has none" if row.status == "removed" else "has no counterpart in HIP"
            self.report(offset, length, rule, f"{name} {gone}", row.note)
            return False
        if row.status == "partial":
            what = "differs in HIP" if row.hip == row.cuda else f"became {row.hip}, which differs"
            self.report(offset, length, "partial-api", f"{name} {what}", row.note)
        elif row.status == "deprecated":
            self.report(offset, length, "deprecated-api", f"{name} became {row.hip}, which HIP deprecates", row.note)
        return True


_WORD = re.compile(r"[a-z_]+\Z")


def _directives(all_tokens: list[Token]) -> Iterator[Directive]:
    stack: list[int] = []
    number = 0
    at, count = 0, len(all_tokens)
    directive = Kind.DIRECTIVE  # looked up once: sources have hundreds of thousands of tokens
    for at in [each for each, token in enumerate(all_tokens) if token[0] is directive]:
        token = all_tokens[at]
        at += 1
        found = _WORD.search(token.text)
        word = found[0] if found else ""
        first = at
        while at < count and all_tokens[at].kind is not Kind.END:
            at += 1
        if word in ("elif", "elifdef", "elifndef", "else", "endif") and stack:
            stack.pop()
        yield Directive(word, token, first, at, tuple(stack))
        if word in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else"):
            number += 1
            stack.append(number)


def _hip_condition(words: list[str], word: str) -> bool | None:
    """True: HIP's compilers take this branch; False: they do not; None: it does not tell."""
    named = [each for each in words if each in HIP_MACROS]
    if not named or named[0] == "__HIP_PLATFORM_NVIDIA__" or named[0] == "__HIP_DEVICE_COMPILE__":
        return None
    if word in ("ifdef", "ifndef", "elifdef", "elifndef"):
        return word.endswith("ifdef")
    text = "".join(words)
    for form, meaning in (
        ("!defined({0})", False),
        ("!defined{0}", False),
        ("defined({0})", True),
        ("defined{0}", True),
    ):
        if text == form.format(named[0]):
            return meaning
    parts = text.split("&&")
    if "||" not in text and any(part in (f"!defined({name})", f"!defined{name}") for part in parts for name in named):
        return False  # one false part of a conjunction is enough
    return None


def _cuda_only(all_tokens: list[Token], found: list[Directive], size: int) -> Iterator[tuple[int, int]]:
    # Of each open conditional: (what is known of the branch, offset at which it begins, a branch for HIP was taken).
    stack: list[tuple[bool | None, int, bool]] = []
    for each in found:
        if each.word in ("elif", "elifdef", "elifndef", "else", "endif"):
            if not stack:
                continue
            known, start, taken = stack.pop()
            if known is False:
                yield start, each.token.offset
            if each.word == "endif":
                continue
        elif each.word in ("if", "ifdef", "ifndef"):
            known, taken = None, False
        else:
            continue
        words = [token.text for token in all_tokens[each.first : each.last]]
        if taken:
            now: bool | None = False
        elif each.word == "else":
            now = True if known is False else None
        else:
            now = _hip_condition(words, each.word)
        start = all_tokens[each.last].offset if each.last < len(all_tokens) else size
        stack.append((now, start, taken or now is True))
    for known, start, _ in stack:
        if known is False:
            yield start, size
