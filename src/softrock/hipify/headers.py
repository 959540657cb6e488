"""``#include`` of CUDA's headers."""

from __future__ import annotations

import re
from pathlib import Path

from softrock.hipify import table
from softrock.hipify.lexer import Kind, Token
from softrock.hipify.work import Directive, Work

RUNTIME = "hip/hip_runtime.h"
_CUDA_HEADER = re.compile(
    r"(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|cutensor|cufile|cupti|nvml|nvrtc|nvToolsExt|nvjpeg|npp|nccl)\w*\.h"
    r"|(?:cuda|cub|thrust|nvtx3|cutlass|cute|cooperative_groups|nv)/[\w/.]+|nv\w*\.h"
)
_RUNTIME_NAME = re.compile(r"\b(?:cuda|hip)[A-Z]\w+")
_RUNTIME_INCLUDE = re.compile(r"#[ \t]*include[ \t]*[<\"](?:cuda|hip)[\w/]*\.h")
_MAX_HEADER = 1 << 20
_CODE = frozenset(
    ["__global__", "__device__", "threadIdx", "blockIdx", "blockDim", "gridDim", "dim3", "<<<", "__shared__"]
)


def translate(work: Work) -> None:
    """Replace headers; those that become the same as an earlier one are removed."""
    seen: dict[str, list[tuple[int, ...]]] = {}
    early = False  # an own header that needs the runtime comes before the file's include of it
    for directive in work.directives:
        if directive.word not in ("include", "include_next", "import") or directive.first >= directive.last:
            continue
        token = work.tokens[directive.first]
        if token.kind is not Kind.HEADER or work.skipped(token.offset):
            continue
        before = token.text
        after = _header(work, token)
        name = after[1:-1]
        early |= RUNTIME not in seen and _leans_on_runtime(work, token)
        visible = any(directive.branches[: len(place)] == place for place in seen.get(name, ()))
        if after != before:
            work.replaced += 1
            if visible and _alone(work, directive):
                _remove_line(work, directive)
                continue
            work.replace(token.offset, len(before), after, f"header {before[1:-1]}")
        seen.setdefault(name, []).append(directive.branches)
    # hip_runtime_api.h declares calls; what kernels and launches need is in hip_runtime.h, which nvcc includes anyway.
    calls_alone = RUNTIME not in seen and work.source.path.suffix == ".cu" and any(t.text in _CODE for t in work.tokens)
    for directive in work.directives:
        _named(work, directive)
    if early or calls_alone or not any(name.startswith("hip/hip_runtime") for name in seen):
        _add_runtime(work)


_ASKED = re.compile(r"__has_include(?:_next)?[ \t]*\([ \t]*(<[^>\n]+>|\"[^\"\n]+\")")
_MEANT = re.compile(r"[ \t]+\w+[ \t]+(<[\w./+-]+>|\"[\w./+-]+\")[ \t]*(?=\r?$|//|/\*)", re.MULTILINE)


def _named(work: Work, directive: Directive) -> None:
    """Headers that conditions ask for, and those that macros stand for."""
    pattern = _MEANT if directive.word == "define" else _ASKED if directive.word in ("if", "elif") else None
    if pattern is None or work.skipped(directive.token.offset):
        return
    last = work.tokens[directive.last].offset if directive.last < len(work.tokens) else len(work.source.text)
    text = work.source.text[directive.token.end : last]
    for match in [pattern.match(text)] if directive.word == "define" else pattern.finditer(text):
        if match is None:
            continue
        token = Token(Kind.HEADER, match[1], directive.token.end + match.start(1))
        row = table.lookup(token.text[1:-1])
        if directive.word == "define" and (row is None or row.kind != "header"):
            continue
        after = _header(work, token)
        if token.text[0] == '"' and after[0] == "<" and directive.word == "define":
            after = f'"{after[1:-1]}"'  # it may be used as a string as well
        if after != token.text:
            work.replaced += 1
            work.replace(token.offset, len(token.text), after, f"header {token.text[1:-1]}")


def _leans_on_runtime(work: Work, token: Token) -> bool:
    """A header beside the file that names the runtime's API and includes nothing of it: nvcc has done so before."""
    beside = work.source.path.parent / token.text[1:-1]
    if token.text[0] != '"' or work.source.path.suffix != ".cu" or not beside.is_file():
        return False
    try:
        text = beside.read_bytes()[:_MAX_HEADER].decode("latin-1")
    except OSError:
        return False
    return bool(_RUNTIME_NAME.search(text)) and not _RUNTIME_INCLUDE.search(text)


def _header(work: Work, token: Token) -> str:
    """What an include becomes, with its quotes."""
    name, quoted = token.text[1:-1], token.text[0] == '"'
    if quoted:
        beside = work.source.path.parent / name
        if beside.is_file():
            if str(beside.resolve()) in work.options.renamed:
                return f'"{Path(name).with_suffix(".hip").as_posix()}"'
            return token.text
    row = table.lookup(name)
    if row is not None and row.kind == "header":
        if not work.row(row, token.offset, len(token.text)) or row.hip == name:
            return token.text
        return f"<{row.hip}>"
    if not quoted and _CUDA_HEADER.fullmatch(name):
        work.uses["headers", "unknown", name] += 1
        text = f"<{name}> looks like a header of CUDA's and is in no mapping table"
        work.report(token.offset, len(token.text), "unknown-api", text, str(table.reason(name)))
    return token.text


def _alone(work: Work, directive: Directive) -> bool:
    """Nothing else stands on the directive's line."""
    text = work.source.text
    start = text.rfind("\n", 0, directive.token.offset) + 1
    end = text.find("\n", directive.token.offset)
    line = text[start : end if end >= 0 else len(text)]
    token = work.tokens[directive.first]
    return (
        directive.last == directive.first + 1
        and not line.replace(directive.token.text, "", 1).replace(token.text, "", 1).strip()
    )


def _remove_line(work: Work, directive: Directive) -> None:
    text = work.source.text
    start = text.rfind("\n", 0, directive.token.offset) + 1
    end = text.find("\n", directive.token.offset) + 1 or len(text)
    if end == len(text) and not text.endswith("\n") and start:  # the line before becomes the last: without an end
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    work.replace(start, end - start, "", "header that is included already")


def _add_runtime(work: Work) -> None:
    """Include HIP's runtime in a file that nvcc compiles without an include."""
    suffix = work.source.path.suffix
    if work.options.runtime_header == "cu" and suffix not in (".cu", ".hip") and not _is_cuda(work, suffix):
        return
    needed = any(family in ("runtime", "driver") and status != "unknown" for family, status, _ in work.uses)
    if not needed and (work.source.path.suffix != ".cu" or not any(_uses_runtime(token) for token in work.tokens)):
        return
    place = _first_place(work)
    work.replace(place, 0, f"#include <{RUNTIME}>{work.newline}", "nvcc includes its runtime by itself")


def _is_cuda(work: Work, suffix: str) -> bool:
    """A C++ source that only nvcc compiles (-x cu): it has kernels or launches that stand in no condition."""
    if suffix not in (".cpp", ".cc", ".cxx", ".c++"):
        return False
    conditions = [each for each in work.directives if each.word.startswith("if") or each.word == "endif"]
    depth, ends = 0, iter(conditions)
    following = next(ends, None)
    for token in work.tokens:
        while following is not None and following.token.offset < token.offset:
            depth += -1 if following.word == "endif" else 1
            following = next(ends, None)
        if depth == 0 and token.kind is not Kind.DIRECTIVE and token.text in ("__global__", "<<<"):
            return True
    return False


def _uses_runtime(token: Token) -> bool:
    """A token of GPU code, or a header of the program's own, which may use what nvcc includes by itself."""
    return token.text in _CODE or (token.kind is Kind.HEADER and token.text.startswith('"'))


def _first_place(work: Work) -> int:
    """Before the first include that is not in a condition, else before all code."""
    text = work.source.text
    mark = 3 if text.startswith("\xef\xbb\xbf") else 0
    for directive in work.directives:
        if directive.branches or directive.word not in ("include", "pragma", "define", "undef"):
            break
        if directive.word == "include":
            return text.rfind("\n", 0, directive.token.offset) + 1 or mark
    first = work.tokens[0].offset if work.tokens else 0
    return text.rfind("\n", 0, first) + 1 or mark
