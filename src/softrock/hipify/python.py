"""Python sources: build scripts that call nvcc, and modules that reach for CUDA.

PyTorch's extensions translate themselves on ROCm and are kept; what their nvcc options mean is reported. Names of
modules are reported and not replaced, as their interfaces differ.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from softrock.hipify import embedded, table
from softrock.hipify.source import Source
from softrock.hipify.table import Row
from softrock.hipify.translate import Translation, finished
from softrock.hipify.work import Options, Work

_CONCERNED = re.compile(r"cuda|nvcc|CUDA|cupy|pynvml|tensorrt|nvtx|triton|cudf|cuml|NVIDIA_")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s\"']*)?")
_CLEAR = re.compile(
    r"-gencode|arch=|-arch|-X\w+|--expt-|--extended|--use_fast_math|-lineinfo|--ptxas|--maxrregcount|-maxrregcount|-ccbin|-rdc|--generate|--threads|-res-usage|--resource|-std|--fmad|--ftz|--prec"
)
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n#(]*)|import[ \t]+([^\n#]*))", re.MULTILINE)
_TORCH = re.compile(r"torch\.utils\.cpp_extension|\bCUDAExtension\b|\bload_inline\b")
_EXTENSION = re.compile(r"\bdistutils\b|\bsetuptools\b")


def translate(source: Source, options: Options) -> Translation:
    """Report what in a Python source has to do with CUDA; `Translation.edits` has what can be replaced."""
    work = Work(source, options)
    if not _CONCERNED.search(source.text):
        return Translation(source.text, mode="")
    _imports(work)
    torch = bool(_TORCH.search(source.text))
    setup = bool(_EXTENSION.search(source.text)) or torch
    for text, offset in _strings(source.text):
        _string(work, text, offset, setup)
    if setup and not torch and re.search(r"\bnvcc\b", source.text):
        at = source.text.index("nvcc")
        what = "this build calls nvcc by itself"
        hint = "call hipcc, or let torch.utils.cpp_extension or CMake build the extension"
        work.report(at, 4, "build-needs-hand", what, hint)
    result = finished(work)
    result.mode = "python" if result.mode else ""
    return result


def _imports(work: Work) -> None:
    known = table.table("python")
    for match in _IMPORT.finditer(work.source.text):
        if match[1]:
            members = [each.split(" as ")[0].strip() for each in match[2].split(",")]
            names = [(f"{match[1]}.{each}", match.start(1), len(match[1])) for each in members if each]
            names.append((match[1], match.start(1), len(match[1])))
        else:
            names = [
                (each.split(" as ")[0].strip(), match.start(3), len(match[3].rstrip())) for each in match[3].split(",")
            ]
        told: set[str] = set()
        for name, offset, length in names:
            row = _nearest(name)
            if row is not None and row.cuda in known and row.cuda not in told and not (told and name == match[1]):
                told.add(row.cuda)
                _use(work, row, offset, length)


def _nearest(name: str) -> Row | None:
    """The row of a module or of the module it is in."""
    rows = table.table("python")
    while name:
        row = rows.get(name)
        if row is not None and row.kind in ("package", "class", "function", "variable"):
            return row
        name = name.rpartition(".")[0]
    return None


def _use(work: Work, row: Row, offset: int, length: int) -> None:
    work.uses["python", row.status, row.cuda] += 1
    if row.status == "full":
        return
    if not row.hip:
        work.report(offset, length, "unsupported-api", f"{row.cuda} has no counterpart on ROCm", row.note)
    else:
        what = (
            f"{row.cuda} differs on ROCm" if row.hip == row.cuda else f"{row.cuda} is {row.hip} on ROCm, which differs"
        )
        work.report(offset, length, "partial-api", what, row.note)


_BEGINNINGS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
"""Tokens before a string that is a statement by itself."""


def _strings(text: str) -> Iterator[tuple[str, int]]:
    """Contents of string literals but docstrings, and their offsets.

    A file that Python cannot split gives those before the fault.
    """
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    before = tokenize.NEWLINE
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type in (tokenize.NL, tokenize.COMMENT):
                continue
            says, before = before in _BEGINNINGS, token.type
            if token.type == tokenize.STRING and not says:  # what stands alone is prose
                body = token.string
                quote = 3 if body.rstrip()[-3:] in ('"""', "'''") else 1
                lead = len(body) - len(body.lstrip("rRbBuUfF"))
                offset = starts[token.start[0] - 1] + token.start[1] + lead + quote
                yield body[lead + quote : len(body) - quote], offset
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return


def _string(work: Work, text: str, offset: int, setup: bool) -> None:
    known = table.table("python")
    row = known.get(text)
    if row is not None and row.kind in ("variable", "option") and text.isupper() | text.endswith("Provider"):
        work.uses["python", row.status, row.cuda] += 1
        if not row.hip:
            work.report(offset, len(text), "unsupported-api", f"{text} means nothing on ROCm", row.note)
        elif row.status != "full":
            work.report(offset, len(text), "partial-api", f"{text} is {row.hip} on ROCm, which differs", row.note)
        return
    embedded.source(work, text, offset)
    if not setup or len(text) > 400 or "\n" in text:
        return
    options = table.table("cmake")
    library = options.get(f"CUDA::{text}")
    if library is not None and library.kind == "target":
        work.uses["python", library.status, library.cuda] += 1
        hint = f"link {library.hip.rpartition('::')[2]} on ROCm" if library.hip else library.note
        work.report(offset, len(text), "library-file", f"{text} is a library of CUDA's", hint)
        return
    for match in _FLAG.finditer(text):
        flag = match[0]
        found = options.get(flag) or options.get(flag.partition("=")[0])
        if found is not None and found.kind == "option" and _CLEAR.match(flag):
            work.uses["python", found.status, found.cuda] += 1
            hint = f"hipcc has {found.hip}" if found.status == "full" else found.note
            work.report(offset + match.start(), len(flag), "nvcc-flags", f"{flag} is an option of nvcc's", hint)
