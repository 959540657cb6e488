"""Which of CUDA's names a program declares itself."""

from __future__ import annotations

import bisect
import functools
import itertools
from dataclasses import dataclass, field
from pathlib import Path

from softrock.core.errors import UsageError
from softrock.hipify import table
from softrock.hipify.lexer import Kind, Token, code
from softrock.hipify.source import Source
from softrock.hipify.work import Work

NOT_TYPES = frozenset(
    "return else case goto new delete throw sizeof typename const constexpr static extern inline volatile typedef "
    "register operator using namespace template struct class enum union public private protected virtual friend "
    "mutable explicit if while for do switch default break continue co_return co_await co_yield and or not xor "
    "alignof decltype static_cast reinterpret_cast const_cast dynamic_cast thread_local consteval constinit final "
    "override noexcept __device__ __host__ __global__ __shared__ __constant__ __forceinline__ __noinline__ "
    "__restrict__ __restrict __inline__ __managed__ defined signed unsigned".split()
)
_BUILT_IN = frozenset("void bool char short int long float double auto size_t unsigned signed wchar_t".split())
_AFTER_DECLARED = frozenset(["(", ";", "=", ",", ")", "[", "{", ":"])


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(table.rows())


@functools.lru_cache(maxsize=1 << 16)
def interesting(name: str) -> bool:
    """Whether a name without a qualifier may have to do with CUDA."""
    return name in _names() or table.is_cuda_name(name)


@dataclass
class Scope:
    """Names that the program declares itself.

    Attributes:
        everywhere: in the whole file.
        inside: name -> ranges [start, end) of offsets in which it means the program's own.
        outside: names that the program declares outside of all classes, functions and namespaces.
        at: offset -> whether the name that stands there is the program's own, as clang resolves it.
    """

    everywhere: set[str] = field(default_factory=set)
    inside: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    at: dict[int, bool] = field(default_factory=dict)

    def owns(self, token: Token, globally: bool = False) -> bool:
        """Whether a name is the program's own; `globally`: it stands behind a ``::`` of its own."""
        known = self.at.get(token.offset)
        if known is not None:
            return known
        if token.text in self.everywhere:
            return True
        if globally:
            return token.text in self.outside
        return any(start <= token.offset < end for start, end in self.inside.get(token.text, ()))


def scope_of(work: Work, hits: list[int]) -> Scope:
    """Names that the program declares: by clang's tree where there is one, else by the tokens around them."""
    scope = Scope()
    tokens = work.tokens
    for directive in work.directives:
        if directive.word == "define" and directive.first < directive.last:
            name = tokens[directive.first].text
            row = table.lookup(name)
            if row is None or row.kind != "macro" or not name.startswith("__"):
                scope.everywhere.add(name)
    if work.tree is not None:
        _resolve(work, scope)
        if not (work.tree.errors or work.tree.inactive):
            return scope
        # What clang did not understand or did not see is told from the tokens.
        for node in work.tree.in_main():
            if node.name_offset >= 0 and node.ref is not None and interesting(work.tree.written(node)):
                scope.at.setdefault(node.name_offset, work.tree.declaration(node.ref) is not None)
    found = [(at, at) for at in hits if _declares(tokens, at)]
    found += [(at, where) for at in hits if (where := _listed(tokens, at)) is not None]
    if found:
        blocks = _blocks(tokens)
        for at, where in found:
            scope.inside.setdefault(tokens[at].text, []).append(_extent(tokens, blocks, where))
            if not any(opening < where < closing for opening, closing, _ in blocks):
                scope.outside.add(tokens[at].text)
    return scope


_MOST_ENUMERATORS = 4000
"""Tokens that an enumeration may have before a name in it."""


def _listed(tokens: list[Token], at: int) -> int | None:
    """Index from which a name holds that an enumeration, ``auto [a, b]`` or ``[a = b]`` declares; None for others."""
    if at == 0 or at + 1 >= len(tokens) or tokens[at - 1].text not in ("{", "[", ",", "&"):
        return None
    if tokens[at + 1].text not in (",", "=", "}", "]"):
        return None
    opening = at - 1
    while opening > max(at - _MOST_ENUMERATORS, 0) and tokens[opening].text not in ("{", "}", ";", "["):
        opening -= 1
    if tokens[opening].text == "[":
        before = opening - 1
        while before > 0 and tokens[before].text in ("&", "&&"):
            before -= 1
        if before >= 0 and tokens[before].text == "auto":
            return at
        lambdas = tokens[at + 1].text == "=" and not (before >= 0 and tokens[before].kind is Kind.NAME)
        return at if lambdas else None
    if tokens[opening].text != "{":
        return None
    for back in range(opening - 1, max(opening - 8, -1), -1):
        if tokens[back].text == "enum":
            return at if tokens[back + 1].text in ("class", "struct") else back
        if tokens[back].kind is not Kind.NAME and tokens[back].text not in (":", "::"):
            break
    return None


def _declares(tokens: list[Token], at: int) -> bool:
    """Whether the tokens around a name look like its declaration."""
    if at == 0:
        return False
    before = tokens[at - 1]
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if before.text in ("struct", "class", "union", "enum"):
        return after in ("{", ":") or (after == "final")
    if before.text == "namespace":
        return after == "{" and not (at > 1 and tokens[at - 2].text == "using") and not _library_namespace(tokens, at)
    if before.text == "using":
        return after == "="
    if after not in _AFTER_DECLARED:
        return False
    at_type = at - 1
    while at_type > 0 and tokens[at_type].text in ("*", "&", "&&", "const", "__restrict__"):
        at_type -= 1
    kind = tokens[at_type]
    pointer = at_type != at - 1
    if kind.text == ">" and not pointer:
        return after in ("(", ";", "=", "{") and _template_type(tokens, at_type)
    if kind.kind is not Kind.NAME:
        return False
    if kind.text in _BUILT_IN:
        return True
    if kind.text in NOT_TYPES or (kind.text.isupper() and len(kind.text) > 2) or "##" in after:
        return False  # a longer word of capitals is a macro
    if pointer:  # a * b is a product as well: a type is known by its form, or by what stands before it
        known = tokens[at_type - 1].text if at_type else ""
        return known in ("const", "volatile", "struct") or kind.text.endswith("_t") or _is_type(kind.text)
    return True


def _template_type(tokens: list[Token], at: int) -> bool:
    depth = 0
    while at >= 0:
        text = tokens[at].text
        depth += (text == ">") + 2 * (text == ">>") - (text == "<")
        if depth == 0:
            return at > 0 and tokens[at - 1].kind is Kind.NAME and not tokens[at - 1].text.endswith("_cast")
        if text in (";", "{", "}"):
            return False
        at -= 1
    return False


def _is_type(name: str) -> bool:
    row = table.lookup(name)
    return row is not None and row.kind in ("type", "struct", "enum", "class")


def _library_namespace(tokens: list[Token], at: int) -> bool:
    """A file that includes a library's headers and reopens its namespace adds to the library."""
    depth = sum((each.text == "{") - (each.text == "}") for each in tokens[:at] if each.kind is Kind.PUNCT)
    if depth > 0:
        return False  # inside a namespace of the program's own
    name = tokens[at].text
    return any(each.kind is Kind.HEADER and each.text[1:].startswith((f"{name}/", f"{name}.")) for each in tokens)


def _blocks(tokens: list[Token]) -> list[tuple[int, int, int]]:
    """(index of {, index of }, depth) of all blocks, in the order in which they begin."""
    found: list[list[int]] = []
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.text == "{" and token.kind is Kind.PUNCT:
            stack.append(len(found))
            found.append([at, len(tokens), len(stack)])
        elif token.text == "}" and token.kind is Kind.PUNCT and stack:
            found[stack.pop()][1] = at
    return [(a, b, c) for a, b, c in found]


def _extent(tokens: list[Token], blocks: list[tuple[int, int, int]], at: int) -> tuple[int, int]:
    """Offsets in which a declaration at an index holds."""
    starts = [each[0] for each in blocks]
    inner: tuple[int, int, int] | None = None
    for block in reversed(blocks[: bisect.bisect_left(starts, at)]):
        if block[1] > at:
            inner = block
            break
    end = len(tokens) if inner is None else inner[1]
    first = at
    if inner is not None and _is_class(tokens, inner[0]):
        first = inner[0]  # members are seen in the whole class
    depth = 0
    for back in range(at - 1, max(at - 400, -1), -1):
        text = tokens[back].text
        depth += (text == ")") - (text == "(")
        if depth < 0:
            end = _end_of_parameter(tokens, blocks, back)
            break
        if text in ("{", "}") or (text == ";" and depth == 0 and not _in_head(tokens, back)):
            break
    last = tokens[end].offset if end < len(tokens) else (tokens[-1].end if tokens else 0)
    return tokens[first].offset, last


_CONTROL = frozenset(["if", "for", "while", "switch", "catch", "constexpr"])


def _in_head(tokens: list[Token], at: int) -> bool:
    """Whether a semicolon stands between the brackets of a for or an if."""
    depth = 0
    for back in range(at - 1, max(at - 200, -1), -1):
        text = tokens[back].text
        depth += (text == ")") - (text == "(")
        if depth < 0:
            return back > 0 and tokens[back - 1].text in _CONTROL
        if text in ("{", "}"):
            return False
    return False


def _end_of_parameter(tokens: list[Token], blocks: list[tuple[int, int, int]], opening: int) -> int:
    """Index up to which a name declared between brackets holds: that of the body or statement behind them."""
    depth, close = 0, opening
    while close < len(tokens):
        depth += (tokens[close].text == "(") - (tokens[close].text == ")")
        if depth == 0:
            break
        close += 1
    at = close + 1
    control = opening > 0 and tokens[opening - 1].text in _CONTROL
    while at < len(tokens) and tokens[at].text not in (";", "{"):
        if tokens[at].text in (",", ")", "}") and depth == 0 and not control:
            return close  # a declaration without a body, or a parameter of one
        depth += (tokens[at].text == "(") - (tokens[at].text == ")")
        at += 1
    if at >= len(tokens) or tokens[at].text == ";":
        return at if control else min(close, len(tokens))
    starts = [each[0] for each in blocks]
    while True:
        end = blocks[bisect.bisect_left(starts, at)][1]
        if end + 1 >= len(tokens) or tokens[end + 1].text not in (",", "{"):
            return end
        at = end + 1  # that was a part of a constructor's ``: a{x}, b(y) {``
        while at < len(tokens) and tokens[at].text != "{":
            if tokens[at].text in (";", "}"):
                return end
            at += 1
        if at >= len(tokens):
            return end


def _is_class(tokens: list[Token], opening: int) -> bool:
    for back in range(opening - 1, max(opening - 60, -1), -1):
        text = tokens[back].text
        if text in (";", "{", "}", ")"):
            return False
        if text in ("struct", "class", "union"):
            return True
    return False


def _resolve(work: Work, scope: Scope) -> None:
    """What clang knows about names that the program declares."""
    tree = work.tree
    assert tree is not None, "asked for only with a tree"
    scope.everywhere |= tree.macros & frozenset(each.text for each in work.tokens)
    owned = {name for name in tree.user_declared if interesting(name)}
    if not owned:
        return
    for node in tree.in_main():
        if node.name_offset < 0:
            continue
        name = tree.written(node)
        if name not in owned:
            continue
        if node.kind.endswith("Decl"):
            scope.at[node.name_offset] = True
        elif node.ref is not None:
            scope.at[node.name_offset] = tree.declaration(node.ref) is not None
    # Types have no node of their own where they are named: the program's where it declares one of that name.
    index = {token.offset: at for at, token in enumerate(work.tokens) if token.text in owned}
    blocks: list[tuple[int, int, int]] | None = None
    for node in tree.root.walk():
        if node.kind not in _TYPES or not node.name or node.implicit or tree.written(node) not in owned:
            continue
        at = index.get(node.name_offset) if node.file == tree.main else None
        nested = node.parent is not None and node.parent.kind not in ("TranslationUnitDecl", "LinkageSpecDecl")
        if at is None or not (nested or node.kind == "NamespaceDecl"):
            scope.everywhere.add(tree.written(node))
        elif node.kind != "NamespaceDecl" or nested or not _library_namespace(work.tokens, at):
            blocks = _blocks(work.tokens) if blocks is None else blocks
            scope.inside.setdefault(work.tokens[at].text, []).append(_extent(work.tokens, blocks, at))
            if not nested:
                scope.outside.add(work.tokens[at].text)


_TYPES = frozenset(
    "CXXRecordDecl RecordDecl EnumDecl TypedefDecl TypeAliasDecl NamespaceDecl ClassTemplateDecl".split()
)


def own_headers(path: Path, work: Work) -> set[str]:
    """Names that the program's own headers declare, as far as includes in quotes lead to them."""
    found: set[str] = set()
    seen: set[Path] = set()
    folders = _include_folders(work)
    pending = [(path, work.tokens)]
    while pending and len(seen) < 400:
        here, tokens = pending.pop()
        for token in tokens:
            if token.kind is not Kind.HEADER:
                continue
            for folder in [here.parent, *folders] if token.text[0] == '"' else folders:
                target = folder / token.text[1:-1]
                if target.is_file():
                    real = target.resolve()
                    if real not in seen:
                        seen.add(real)
                        names, inner = _declared_in(str(real))
                        found |= names
                        pending.append((real, list(inner)))
                    break
    return found


def _include_folders(work: Work) -> list[Path]:
    """The program's own folders of headers; those of a CUDA that is installed declare no names of the program's."""
    flags = work.options.flags
    if not any(each.startswith(("-I", "-i")) for each in flags):
        return []
    from softrock.hipify.frontend import checked_flags  # brings the compiler with it, which few need

    cwd = work.options.cwd or Path.cwd()
    try:
        words = checked_flags(flags, cwd)
    except UsageError:  # about another flag, which the parse reports
        return []
    return [cwd / two for one, two in itertools.pairwise(words) if one in ("-I", "-isystem", "-iquote")]


@functools.lru_cache(maxsize=512)
def _declared_in(path: str) -> tuple[frozenset[str], tuple[Token, ...]]:
    """CUDA-looking names that a header declares, and its includes."""
    try:
        tokens = code(Source.read(Path(path)).text)
    except UsageError:
        return frozenset(), ()
    names: set[str] = set()
    for at, token in enumerate(tokens):
        if token.kind is not Kind.NAME or not interesting(token.text):
            continue
        if (at and tokens[at - 1].kind is Kind.DIRECTIVE and "define" in tokens[at - 1].text) or _declares(tokens, at):
            names.add(token.text)
    return frozenset(names), tuple(each for each in tokens if each.kind is Kind.HEADER)
