"""What stands in strings: inline PTX, sources for NVRTC, names and files that are looked up when the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify import table
from softrock.hipify.lexer import Kind, Token
from softrock.hipify.work import Work

_ASM = frozenset(["asm", "__asm__", "__asm"])
# A mnemonic of PTX has a type or another word behind a dot, or is one of a few without.
_INSTRUCTION = re.compile(
    r"(?:^|[;{}\n]|\\n|\\t|@!?%?\w+\s)\s*([a-z][a-z0-9]*(?:(?:\.|::)[a-z0-9_]+)+|trap|brkpt|exit|ret)(?=[\s;]|\\n|\\t|$)"
)
_SPECIAL = re.compile(r"%%(?:laneid|warpid|smid|nsmid|clock|globaltimer|lanemask|tid|ntid|ctaid|nctaid|envreg|pm)\w*")
_AMD = re.compile(r"(?:^|[;\n]|\\n|\\t)\s*(?:[vs]_|ds_|global_|flat_|buffer_|scratch_|image_|tbuffer_)[a-z]")
_INCLUDE = re.compile(r"#\s*include\s*[<\\\"]+([\w./]+)")
_FILE = re.compile(
    r"(?:lib)?(?:cuda|cudart|cublas|cublasLt|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|nvml|nvidia-ml|nvcuda)[\w.-]*(?:\.so|\.dll|\.dylib)[\w.]*"
)
_GPU_CODE = re.compile(r"__(?:global|device)__\b")
_NAME = re.compile(r"(?<![\w.$>])[A-Za-z_]\w*(?!\w)")
_LOOKUPS = frozenset(
    [
        "dlsym",
        "dlvsym",
        "GetProcAddress",
        "cudaGetDriverEntryPoint",
        "cudaGetDriverEntryPointByVersion",
        "cuGetProcAddress",
    ]
)


def translate(work: Work) -> None:
    """Report what strings hold; none is changed."""
    tokens = work.tokens
    until = -1
    string = Kind.STRING  # looked up once: sources have hundreds of thousands of tokens
    for at, (kind, text, offset) in enumerate(tokens):
        if kind is string:
            if at > until and len(text) > 4 and not work.skipped(offset):
                _string(work, at)
        elif text in _ASM and kind is Kind.NAME and not work.skipped(offset):
            until = _assembly(work, at)


def source(work: Work, text: str, offset: int) -> bool:
    """Report a string that holds GPU code with names that HIP does not have; whether it does."""
    foreign = sorted(set(_foreign(text))) if _GPU_CODE.search(text) else []
    if foreign:
        named = ", ".join(foreign[:4]) + (", …" if len(foreign) > 4 else "")
        say = f"the string holds source with names of CUDA's, which is not translated: {named}"
        work.report(offset, len(text), "embedded-source", say, "write it for HIPRTC: with HIP's names")
    return bool(foreign)


def _foreign(text: str) -> Iterator[str]:
    """Names of CUDA's in a source that HIP does not have under the same name."""
    for name in _NAME.findall(text):
        row = table.lookup(name)
        if row is None:
            if table.is_cuda_name(name):
                yield name
        elif row.hip != row.cuda and row.kind not in ("namespace", "header"):
            yield name


def _assembly(work: Work, at: int) -> int:
    """Look at an asm statement; the index of its last string of instructions."""
    tokens = work.tokens
    here = at + 1
    while here < len(tokens) and tokens[here].text in ("volatile", "__volatile__", "__volatile", "goto"):
        here += 1
    if here >= len(tokens) or tokens[here].text != "(":
        return at
    parts: list[Token] = []
    here += 1
    while here < len(tokens) and tokens[here].kind in (Kind.STRING, Kind.NAME):
        if tokens[here].kind is Kind.STRING:
            parts.append(tokens[here])
        here += 1
    text = "".join(part.text.strip('"') if not part.text.startswith("R") else part.text[3:-2] for part in parts)
    if _AMD.search(text):
        return here - 1
    found = list(dict.fromkeys(_instructions(text)))
    if found:
        named = ", ".join(found[:4]) + (", …" if len(found) > 4 else "")
        work.report(
            tokens[at].offset,
            len(tokens[at].text),
            "inline-ptx",
            f"inline PTX: {named}",
            "write it in C++ or with HIP's functions; softrock lint --explain inline-ptx has equivalents",
        )
    return here - 1


def _instructions(text: str) -> Iterator[str]:
    for match in _INSTRUCTION.finditer(text):
        yield match[1]
    if not _INSTRUCTION.search(text):
        for match in _SPECIAL.finditer(text):
            yield match[0].lstrip("%")


def _string(work: Work, at: int) -> None:
    token = work.tokens[at]
    text = token.text
    for match in _INCLUDE.finditer(text):
        row = table.lookup(match[1])
        if row is not None and row.kind == "header" and row.hip != row.cuda:
            say = f"the string holds source that includes <{match[1]}>: it is not translated"
            hint = f"write it for HIPRTC: it includes {row.hip or 'nothing of the kind'} where it is needed"
            work.report(token.offset, len(text), "embedded-source", say, hint)
            return
    if source(work, text, token.offset):
        return
    inner = text.strip('"')
    if _FILE.fullmatch(inner):
        say = f"{text} is a library of CUDA's that the program looks for"
        work.report(token.offset, len(text), "library-file", say, "name the library of ROCm, e.g. libamdhip64.so")
        return
    row = table.lookup(inner)
    if row is None or row.kind != "function" or row.hip == row.cuda:
        return
    if any(each.text in _LOOKUPS for each in work.tokens[max(at - 6, 0) : at]):
        say = f"{text} is looked up by name when the program runs: the string was left alone"
        hint = f"HIP's name is {row.hip}" if row.hip else row.note
        work.report(token.offset, len(text), "name-in-string", say, hint)
