"""clang's view of the user's own code in a file.

`parse` compiles a source up to its syntax tree, with our CUDA-named headers and declarations of the libraries around
CUDA, and returns the tree without what headers declare. It also gives a tree where the file has errors; what clang did
not see (branches of ``#if`` not taken) is in `Tree.inactive`.
"""

from __future__ import annotations

import bisect
import dataclasses
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from softrock.compiler.flags import CUDA_SUFFIXES
from softrock.core.errors import SoftrockError
from softrock.hipify import declarations, frontend, inactive, includes
from softrock.hipify.frontend import ParseError, Prefix, Setting
from softrock.hipify.source import Source
from softrock.hipify.tree import Node, Reference, complete_names, decode

__all__ = ["Diagnostic", "Node", "ParseError", "Reference", "Tree", "language_of", "parse"]

_MESSAGE = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)")
_INCLUDED = re.compile(r"In file included from (?P<path>.+):(?P<line>\d+):$")
# Our declarations of library functions are not defined anywhere, and so not with the types of lambdas either.
_OF_NO_MATTER = "because its type does not have linkage"
_STALE = re.compile(
    r"has been modified since the precompiled|PCH file|precompiled file|AST file|malformed or corrupted"
)
_HIP = re.compile(r"#[ \t]*include[ \t]*[<\"]hip[/_]|\bhip[A-Z]\w+\(|__HIP_PLATFORM_|\bHIP_\w+\(")
_CUDA = re.compile(
    r"\bcuda[A-Z_]\w*|#[ \t]*include[ \t]*[<\"](?:cuda|cu[bfrs]|nv|thrust|cooperative_groups)|\bcu[A-Z]\w+\("
)
_HIP_HEADER = re.compile(r"#include <(?:hip|roc|rccl|miopen)")
_CUDA_HEADERS = CUDA_SUFFIXES | {".cuh"}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One of clang's errors; lines and columns from 1, columns in bytes."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


@dataclass
class Tree:
    """A parsed file.

    Attributes:
        root: the translation unit.
        main: the file's absolute path, as nodes have it in `Node.file`.
        errors: what clang found wrong, missing headers included.
        setting: how it was compiled.
        own: the user's own headers that it includes, absolute.
        source: the main file's contents.
        prefix: the precompiled header that it was compiled with.
        path: the file, as the operating system has it.
        notes: what others worked out about it, by whatever they choose.
    """

    root: Node
    main: str
    errors: list[Diagnostic]
    setting: Setting
    own: tuple[str, ...]
    source: Source = field(repr=False)
    prefix: Prefix = field(repr=False)
    path: Path = field(repr=False)
    notes: dict[str, object] = field(default_factory=dict, repr=False)
    _texts: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def complete(self) -> bool:
        """clang found no error."""
        return not self.errors

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The user's declarations and all other nodes by clang's id."""
        return {node.id: node for node in self.root.walk() if node.id and node.kind}

    def text(self, file: str) -> str:
        """Contents of the main file or another, a character a byte; "" where it cannot be read."""
        if file == self.main:
            return self.source.text
        if file not in self._texts:
            self._texts[file] = _text(file)
        return self._texts[file]

    def written(self, node: Node) -> str:
        """The name of a declaration, or that which an expression names, as the user wrote it.

        Our CUDA headers define CUDA's names as macros: clang has a member ``cudaMalloc`` as ``hipMalloc``.
        """
        name = node.ref.name if node.ref is not None and not node.name else node.name
        if not node.name_in_macro or node.name_offset < 0:
            return name
        word = _WORD.match(self.text(node.file), node.name_offset)
        return name if word is None or word[0] in self.macros else word[0]

    @cached_property
    def user_declared(self) -> frozenset[str]:
        """Names that the user's code declares, as written (macros are not among them, see `macros`)."""
        declarations = (each for each in self.root.walk() if each.name and each.kind.endswith("Decl"))
        return frozenset(
            self.written(each)
            for each in declarations
            if not each.implicit and not (each.file == self.main and each.name_offset in self.unknown)
        )

    @cached_property
    def unknown(self) -> frozenset[int]:
        """Offsets in the main file of names that clang found declared nowhere; it makes declarations of some."""
        starts = self.source.line_starts
        path = str(self.path)
        return frozenset(
            starts[each.line - 1] + each.column - 1
            for each in self.errors
            if each.path == path and each.line <= len(starts) and _UNDECLARED.match(each.message)
        )

    @cached_property
    def macros(self) -> frozenset[str]:
        """Names that the file and the user's own headers define as macros."""
        texts = [self.source.text, *(_text(path) for path in self.own)]
        return frozenset(name for text in texts for name in _DEFINED.findall(text))

    @cached_property
    def uses(self) -> dict[str, list[Node]]:
        """Expressions that name a declaration, by its id, in order."""
        found: dict[str, list[Node]] = {}
        for node in self.root.walk():
            if node.ref is not None and node.kind.endswith("Expr"):
                found.setdefault(node.ref.id, []).append(node)
        return found

    def declaration(self, reference: Reference | None) -> Node | None:
        """The user's declaration that is referred to, None where a header's is."""
        return None if reference is None else self.by_id.get(reference.id)

    @cached_property
    def inactive(self) -> list[tuple[int, int]]:
        """Ranges [start, end) of the main file that this pass's preprocessor skipped, in order.

        Raises:
            ParseError: clang took too long over it.
        """
        branches = inactive.branches(self.source.text)
        if not branches:
            return []
        text = inactive.marked(self.source.text, branches)
        words = ["-fsyntax-only", "-skip-function-bodies"]
        done = _run(self.path, self.source, self.prefix, self.setting, words, text)
        return inactive.skipped(branches, inactive.reached(done.messages))

    def active(self, offset: int) -> bool:
        """Whether this pass saw what stands at an offset of the main file."""
        at = bisect.bisect_right(self.inactive, offset, key=lambda each: each[0])
        return at == 0 or offset >= self.inactive[at - 1][1]

    def in_main(self) -> list[Node]:
        """Nodes that stand in the main file, in order."""
        return [node for node in self.root.walk() if node.file == self.main]


_WORD = re.compile(r"[A-Za-z_]\w*")
_UNDECLARED = re.compile(
    r"use of undeclared identifier|unknown type name|a type specifier is required|no (?:type|template) named"
)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("latin-1")
    except OSError:
        return ""


def language_of(path: Path, text: str) -> tuple[str, bool]:
    """(clang's language, whether it is CUDA) of a source, by its name and, for headers and C++ files, what it uses."""
    if path.suffix == ".c":
        return "c", bool(_CUDA.search(text)) and not _HIP.search(text)
    if path.suffix in _CUDA_HEADERS and not _HIP.search(text):
        return "hip", True
    if _HIP.search(text):
        return "hip", bool(_CUDA.search(text)) and path.suffix in _CUDA_HEADERS
    return "hip", bool(_CUDA.search(text))


def parse(
    path: Path,
    flags: Sequence[str] = (),
    *,
    include_dirs: Sequence[Path] = (),
    defines: Sequence[str] = (),
    device: bool = True,
    cwd: Path | None = None,
    source: Source | None = None,
) -> Tree:
    """Parse a file.

    Args:
        path: the file.
        flags: a compiler's arguments, e.g. of compile_commands.json; used are -I, -D, -U, -std, -include, -isystem
            and -iquote.
        include_dirs, defines: more of these.
        device: as the pass for the GPU sees it (``__CUDA_ARCH__`` code); False: as the host's does.
        cwd: folder that relative paths in `flags` start from.
        source: the file's contents where they were read already.

    Raises:
        ParseError: clang gives no tree: it takes too long, or needs too much.
        UsageError: the file cannot be read.
    """
    source = source or Source.read(path)
    main = path.resolve()
    cwd = cwd or Path.cwd()
    words = [
        *frontend.checked_flags(flags, cwd),
        *(word for each in include_dirs for word in ("-I", str(Path(each).absolute()))),
    ]
    words += [word for each in defines for word in ("-D", each)]
    language, cuda = language_of(path, source.text)
    setting, unknown = _with_includes(Setting(language, cuda, device, tuple(words), cwd), path)
    setting, found = _scanned(setting, main, source.text)
    missing = [name for _, _, name in found.missing]
    rest = declarations.REST if setting.cuda else []
    # CUDA sources reach HIP's headers in branches only that are not taken.
    lines = [each for each in found.prefix if not (setting.cuda and _HIP_HEADER.match(each))]
    for attempt in (False, True):
        headers = frontend.prefix([*lines, *rest], setting, str(path), fresh=attempt)
        prefix = dataclasses.replace(headers, stubs=frontend.stubs([*missing, *headers.absent]))
        done = _run(main, source, prefix, setting, ["-fsyntax-only", "-ast-dump=json"])
        if not (done.status and not done.output and _STALE.search(done.messages)):
            break
    if not done.output.strip():
        reason = next((line for line in done.messages.splitlines() if line.strip()), f"it ended with {done.status}")
        raise ParseError(
            f"{path}: clang gives no syntax tree: {reason[:300]}", hint="the file is handled token by token"
        )
    try:
        root = decode(done.output)
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(
            f"{path}: clang's syntax tree cannot be read: {type(error).__name__}",
            hint="the file is handled token by token",
        ) from None
    complete_names(root, as_clang_writes(main), source.text)
    errors = [Diagnostic(str(path), 1, 1, f"'{name}' file not found") for name in unknown]
    places = {(as_clang_writes(file), line): column for file, line, column in _columns(found, main, source)}
    errors += _errors(prefix.messages + done.messages, (headers.stubs, prefix.stubs), places)
    own = tuple(str(each) for each in found.own)
    return Tree(root, as_clang_writes(main), errors, setting, own, source, prefix, main)


def as_clang_writes(path: Path) -> str:
    """A path as it stands in clang's messages and JSON: bytes that are no UTF-8 are replaced there."""
    return os.fsencode(path).decode("utf-8", "replace")


def _columns(found: includes.Includes, main: Path, source: Source) -> Iterator[tuple[Path, int, int]]:
    """(file, line, column) of the names of headers that are nowhere."""
    for path, offset, _ in found.missing:
        text = source.text if path == main else _text(str(path))
        yield path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _errors(messages: str, stubs: Sequence[Path], columns: dict[tuple[str, int], int]) -> Iterator[Diagnostic]:
    """clang's errors, those of headers that are nowhere at the place of the ``#include``."""
    above = ("", 0)
    for line in messages.splitlines():
        included = _INCLUDED.match(line)
        if included:
            above = included["path"], int(included["line"])
        match = _MESSAGE.match(line)
        if match is None or match["message"].endswith(_OF_NO_MATTER):
            continue
        if match["path"].startswith(tuple(f"{each}/" for each in stubs)):
            yield Diagnostic(*above, columns.get(above, 1), match["message"])
        else:
            yield Diagnostic(match["path"], int(match["line"]), int(match["column"]), match["message"])


def _with_includes(setting: Setting, path: Path) -> tuple[Setting, list[str]]:
    """The setting without ``-include`` of files that are not there, and their names.

    Raises:
        ParseError: clang does not know the language standard.
    """
    try:
        folders = [setting.cwd, *setting.folders()]
    except SoftrockError as error:
        raise ParseError(f"{path}: {error.message}", hint=error.hint) from None
    words: list[str] = []
    unknown: list[str] = []
    rest = iter(setting.words)
    for word in rest:
        value = next(rest) if word == "-include" else ""
        if word == "-include" and includes.find(value, folders) is None:
            unknown.append(value)
        else:
            words += [word, value] if word == "-include" else [word]
    return dataclasses.replace(setting, words=tuple(words)), unknown


_GUESSES = 8
"""Folders that are added for headers which the flags do not lead to."""


def _scanned(setting: Setting, main: Path, text: str) -> tuple[Setting, includes.Includes]:
    """What a file includes; the setting with folders of the project that missing headers are in."""
    found = includes.scan(main, text, setting.folders(), setting.user_folders())
    for _ in range(_GUESSES):
        places = (includes.guess(file, name) for file, _, name in found.missing)
        place = next((each for each in places if each is not None), None)
        if place is None:
            break
        setting = dataclasses.replace(setting, words=(*setting.words, "-I", str(place)))
        found = includes.scan(main, text, setting.folders(), setting.user_folders())
    return setting, found


def _run(
    main: Path, source: Source, prefix: Prefix, setting: Setting, action: Sequence[str], text: str | None = None
) -> frontend.Done:
    """Run clang on the file, or on `text` in its place."""
    words = [*frontend.arguments(setting)[0], "-internal-isystem", str(prefix.stubs)]
    words += ["-fallow-pch-with-compiler-errors", "-include-pch", str(prefix.path)]
    with tempfile.TemporaryDirectory(prefix="softrock-") as place:
        if text is not None or source.encoding != "bytes":
            if ";" in str(main):
                raise ParseError(f"{main}: clang cannot read another text for a path with ';'", hint="rename it")
            copy = Path(place) / "text"
            copy.write_bytes((source.text if text is None else text).encode("latin-1"))
            words += ["-remap-file", f"{main};{copy}"]
        return frontend.run([*words, *action, str(main)], setting, str(main))
