"""Identifiers: CUDA's names become HIP's, and those that cannot are reported.

A name is CUDA's unless it is a member (``a.cudaX``, ``a->cudaX``), stands in a namespace of the program's own, or is
declared by the program. What the program declares is known from clang's tree where there is one, and told from the
tokens around the name where there is none.
"""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass, field

from softrock.hipify import table
from softrock.hipify.brackets import arguments
from softrock.hipify.lexer import Kind, Token
from softrock.hipify.scope import NOT_TYPES, Scope, interesting, own_headers, scope_of
from softrock.hipify.table import Row
from softrock.hipify.work import HIP_MACROS, Work

_PASTED = re.compile(
    r"p?nccl|cu|CU|CU_|cuda|CUDA|cuda[A-Z]\w*|cublas\w*|cufft\w*|curand\w*|cusparse\w*|cusolver\w*|cudnn\w*|nvrtc\w*|CU[A-Z]*_\w*"
)
_SPLIT = re.compile(r"[\w$]\\\r?\n[\w$]")
_SPLICE = re.compile(r"\\\r?\n")
_PASTE = ("##", "%:%:")
_ARCH = "__CUDA_ARCH__"
_ADDRESS = {
    "cudaFuncSetAttribute": 0,
    "cudaFuncSetCacheConfig": 0,
    "cudaFuncSetSharedMemConfig": 0,
    "cudaFuncGetAttributes": 1,
}
"""Calls to which CUDA lets a kernel be given as it is, and HIP wants its address: argument -> its number."""
_OVERLOADS = {
    "cudaEventCreate": {2: ("hipEventCreateWithFlags", "")},
    "cudaGraphInstantiate": {2: ("hipGraphInstantiateWithFlags", ", 0"), 3: ("hipGraphInstantiateWithFlags", "")},
    "cuGraphInstantiate": {3: ("hipGraphInstantiateWithFlags", "")},
}
"""Calls of CUDA's that HIP has under another name where they have so many arguments: that name, and what is added."""
_CASTS = frozenset(["reinterpret_cast", "static_cast", "const_cast"])


ABSENT = frozenset(["cutlass", "cute"])
"""Namespaces of libraries that ROCm has nothing of, and that have no table."""


@functools.cache
def _roots() -> frozenset[str]:
    """Names of namespaces that the tables speak of."""
    rows = table.rows()
    return rows.of_kind("namespace") | {name.partition("::")[0] for name in rows if "::" in name} | ABSENT


def translate(work: Work) -> None:
    """Translate all identifiers of a source."""
    tokens = work.tokens
    aliases = _aliases(tokens)
    roots = _roots() | aliases.keys()
    name = Kind.NAME  # looked up once: sources have hundreds of thousands of tokens
    hits = [at for at, (kind, text, _) in enumerate(tokens) if kind is name and (text in roots or interesting(text))]
    handled = _conditions(work)
    Names(work, scope_of(work, hits), handled, aliases).run(hits)
    _branches(work, hits)
    if _SPLIT.search(work.source.text):
        _split(work)
    if "##" in work.source.text or "%:%:" in work.source.text:
        _pasted(work)


@dataclass
class Names:
    """The translation of one source's identifiers.

    Attributes:
        handled: offsets of names that others took care of.
        aliases: namespace aliases of the source.
    """

    work: Work
    scope: Scope
    handled: frozenset[int] | set[int]
    aliases: dict[str, str]
    own: set[str] = field(default_factory=set)
    elsewhere: set[str] | None = None

    def run(self, hits: list[int]) -> None:
        """Translate the names at these indices."""
        tokens = self.work.tokens
        until = -1
        for at in hits:
            token = tokens[at]
            if at <= until or token.offset in self.handled or self.work.skipped(token.offset):
                continue
            before = tokens[at - 1].text if at else ""
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if before == "." or (before == "->" and not _returned(tokens, at)):
                continue
            if before == "::" and at > 1 and _qualifies(tokens[at - 2]):
                continue  # in a namespace or class that is no library's
            if after in _PASTE or before in _PASTE:
                continue
            if after == "::" or before == "namespace" or (before in ("=", "::") and _aliased(tokens, at)):
                until = max(until, self._qualified(at, self.aliases))
                continue
            self._plain(at, before, after)

    # ---- names without a qualifier ----

    def _plain(self, at: int, before: str, after: str) -> None:
        token = self.work.tokens[at]
        name = token.text
        row = table.lookup(name)
        if row is not None and row.kind in ("header", "namespace"):
            return
        if self.scope.owns(token, globally=before == "::"):
            if row is None or row.hip != name:
                self._mine(token)
            return
        if row is None:
            tree = self.work.tree
            if (tree is not None and token.offset in tree.unknown) or not self._declared_elsewhere(name):
                self._unknown(token, name)
            return
        # A word that others may use as well: it counts where it is called and the program does not have it.
        common = not table.is_cuda_name(name) and not row.hip and not name.startswith("__")
        if common and (after != "(" or self._declared_elsewhere(name)):
            return
        if row.hip == name and row.status == "full":
            self.work.uses[row.family, row.status, name] += 1
            return
        if self.work.row(row, token.offset, len(name)) and row.hip != name:
            self.work.replaced += 1
            becomes = self._overload(at + 1, name) if name in _OVERLOADS and after == "(" else row.hip
            self.work.replace(token.offset, len(name), becomes or row.hip, f"{row.family}: {name}")
            if name in _ADDRESS and after == "(":
                self._address(at + 1, _ADDRESS[name])

    def _mine(self, token: Token) -> None:
        if token.text not in self.own and table.lookup(token.text) is not None:
            self.own.add(token.text)
            text = f"{token.text} is declared by the program: its uses were left alone"
            self.work.report(token.offset, len(token.text), "own-name", text)

    def _unknown(self, token: Token, name: str, length: int | None = None) -> None:
        self.work.uses[table.family(name) or "other", "unknown", name] += 1
        reason = table.reason(name)
        text = f"{name} looks like a name of CUDA's and is in no mapping table"
        self.work.report(token.offset, length or len(token.text), "unknown-api", text, str(reason))

    def _declared_elsewhere(self, name: str) -> bool:
        """Whether a header of the program's own, included by this file, declares a name."""
        tree = self.work.tree
        if tree is not None and (name in tree.user_declared or name in tree.macros):
            return True
        if self.elsewhere is None:
            self.elsewhere = own_headers(self.work.source.path, self.work)
        return name in self.elsewhere

    def _overload(self, opening: int, name: str) -> str | None:
        """The name of a call with as many arguments as this one has; None where it is the usual one."""
        spans = arguments(self.work.tokens, opening)
        becomes, added = _OVERLOADS[name].get(len(spans or ()), (None, ""))
        if spans and added:
            self.work.replace(self.work.tokens[spans[-1][1]].offset, 0, added, "HIP has no default here")
        return becomes

    def _address(self, opening: int, number: int) -> None:
        """Cast an argument to the address of a kernel that HIP wants."""
        spans = arguments(self.work.tokens, opening)
        if spans is None or number >= len(spans):
            return
        first, last = spans[number]
        tokens = self.work.tokens
        if first >= last or tokens[first].text in ("(", *_CASTS, "nullptr", "NULL", "0"):
            return
        self.work.replace(tokens[first].offset, 0, "reinterpret_cast<const void*>(", "HIP wants a kernel's address")
        self.work.replace(tokens[last - 1].end, 0, ")", "HIP wants a kernel's address")

    # ---- names with a qualifier ----

    def _qualified(self, at: int, aliases: dict[str, str]) -> int:
        """Handle a chain a::b::c that begins at an index; the index of its last token."""
        tokens = self.work.tokens
        chain = [at]
        while chain[-1] + 2 < len(tokens) and tokens[chain[-1] + 1].text == "::":
            if tokens[chain[-1] + 2].kind is not Kind.NAME:
                break
            chain.append(chain[-1] + 2)
        first = tokens[at]
        if self.scope.owns(first):
            return chain[-1]
        names = [tokens[each].text for each in chain]
        declares = at > 0 and tokens[at - 1].text == "namespace" and not (at > 1 and tokens[at - 2].text == "using")
        root = aliases.get(names[0]) if not declares else None
        full = [*(root.split("::") if root else names[:1]), *names[1:]]
        if full[0] not in _roots():
            if len(names) > 1:
                return chain[-1]
            if not declares:
                self._plain(at, "", "")
            return at
        self._library(chain, full, root, declares)
        return chain[-1]

    def _library(self, chain: list[int], full: list[str], root: str | None, declares: bool) -> None:
        """Translate a chain; `root` is what its first name is an alias of, and `full` is the chain without aliases."""
        lead = len(root.split("::")) - 1 if root else 0
        tokens = self.work.tokens
        rows = table.rows()
        row: Row | None = None
        count = len(full)
        while count:
            row = rows.get("::".join(full[:count]))
            if row is not None:
                break
            count -= 1
        if declares and (row is None or row.kind != "namespace" or not row.hip):
            return
        start, end = tokens[chain[0]].offset, tokens[chain[-1]].end
        name = "::".join(full)
        if row is None:
            if full[0] in ABSENT or (_knows_members(full[0]) and len(full) > 1):
                self._unknown(tokens[chain[0]], name, end - start)
            return
        if count < len(full) and row.kind == "namespace" and row.hip and _knows_members("::".join(full[:count])):
            self._unknown(tokens[chain[0]], name, end - start)
            return
        last = tokens[chain[max(count - 1 - lead, 0)]].end
        if not self.work.row(row, start, max(last, tokens[chain[0]].end) - start):
            return
        new = row.hip.split("::")
        if new == full[:count]:
            return
        parts = chain[: max(count - lead, 0)]
        if root:  # the alias stands for the first of them, and is translated where it is made
            base = rows.get(root)
            stem = (base.hip if base is not None and base.hip else root).split("::")
            if new[: len(stem)] == stem:
                new = new[len(stem) :]
                parts = parts[1:]
            if new == [tokens[each].text for each in parts]:
                return
        if not parts or not new:
            return
        self.work.replaced += 1
        why = f"{row.family}: {row.cuda}"
        if len(new) == len(parts):
            for each, text in zip(parts, new, strict=True):
                if tokens[each].text != text:
                    self.work.replace(tokens[each].offset, len(tokens[each].text), text, why)
        else:
            begin = tokens[parts[0]].offset
            self.work.replace(begin, tokens[parts[-1]].end - begin, "::".join(new), why)


@functools.cache
def _members() -> frozenset[str]:
    """Namespaces whose members the tables list."""
    return frozenset(
        name.rpartition("::")[0] for name in table.rows() if "::" in name and table.rows()[name].kind != "namespace"
    )


def _knows_members(namespace: str) -> bool:
    return namespace in _members()


def _returned(tokens: list[Token], at: int) -> bool:
    """Whether a name behind ``->`` is the type that a function or a lambda returns, and no member."""
    depth = 0
    for back in range(at - 2, max(at - 300, 0), -1):
        text = tokens[back].text
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth == 0 and text == "(" and tokens[back - 1].text == "]":
            return True
        if depth == 0 and text == "auto":
            return True
        if depth < 0 or (depth == 0 and text in (";", "}", "=", "return", ",")):
            return False
    return depth == 0 and bool(tokens) and tokens[0].text == "auto"


def _qualifies(token: Token) -> bool:
    """A token before ``::`` makes what follows a member of something."""
    return token.text in (">", ">>") or (token.kind is Kind.NAME and token.text not in NOT_TYPES)


def _aliased(tokens: list[Token], at: int) -> bool:
    """Whether a name is what ``namespace a =`` stands before."""
    at -= 2 if tokens[at - 1].text == "::" else 1
    return at > 1 and tokens[at].text == "=" and tokens[at - 2].text == "namespace"


def _aliases(tokens: list[Token]) -> dict[str, str]:
    """Namespace aliases: name -> what it stands for."""
    found: dict[str, str] = {}
    for at, (_, text, _) in enumerate(tokens):
        if text != "namespace" or at + 3 >= len(tokens) or tokens[at + 2].text != "=":
            continue
        end = at + 3
        while end < len(tokens) and (tokens[end].text == "::" or tokens[end].kind is Kind.NAME):
            end += 1
        whole = "".join(each.text for each in tokens[at + 3 : end]).lstrip(":")
        first, colons, rest = whole.partition("::")
        found[tokens[at + 1].text] = found.get(first, first) + colons + rest
    return found


def _pasted(work: Work) -> None:
    """Report names that the preprocessor puts together from parts of CUDA's."""
    tokens = work.tokens
    pasting: dict[str, set[int]] = {}  # macro -> numbers of arguments that others are pasted to
    for directive in work.directives:
        if directive.word != "define":
            continue
        body = tokens[directive.first : directive.last]
        head = itertools.takewhile(lambda each: each.text != ")", body[1:])
        parameters = [each.text for each in head if each.kind is Kind.NAME or each.text == "..."]
        for number, name in enumerate(body[:-1]):
            if name.kind is not Kind.NAME or body[number + 1].text not in _PASTE or body[number - 1].text in _PASTE:
                continue
            if name.text in parameters:
                pasting.setdefault(body[0].text, set()).add(parameters.index(name.text))
            elif _PASTED.fullmatch(name.text) and not work.skipped(name.offset):
                _report_pasted(work, name)
    for at, (_, text, offset) in enumerate(tokens):
        if text not in pasting or work.skipped(offset):
            continue
        given = arguments(tokens, at + 1) if at + 1 < len(tokens) and tokens[at + 1].text == "(" else None
        for number, (first, last) in enumerate(given or ()):
            word = tokens[first].text
            if number not in pasting[text]:
                continue
            if last == first + 1 and _PASTED.fullmatch(word) and (word == "cuda" or table.lookup(word) is None):
                _report_pasted(work, tokens[first])


def _report_pasted(work: Work, token: Token) -> None:
    text = f"a name is put together from {token.text} by ##: it cannot be translated"
    hint = "write HIP's names out, or paste to HIP's prefix"
    if all((each.line, each.column) != work.source.position(token.offset) for each in work.findings):
        work.report(token.offset, len(token.text), "pasted-name", text, hint)


def _branches(work: Work, hits: list[int]) -> None:
    """Report branches with names of CUDA's that only CUDA's compilers see."""
    tokens = work.tokens
    ranges = work.cuda_only
    if not ranges:
        return
    offsets = [tokens[at].offset for at in hits if _foreign(tokens[at].text)]
    offsets += [each.offset for each in tokens if each.kind is Kind.HEADER and _foreign(each.text[1:-1])]
    for start, end in ranges:
        count = sum(start <= each < end for each in offsets)
        if count:
            text = f"{count} name{'s' * (count != 1)} of CUDA's in a branch that is compiled for CUDA alone: left alone"
            first = min(each for each in offsets if start <= each < end)
            work.report(first, 0, "cuda-branch", text)


def _foreign(name: str) -> bool:
    """Whether HIP does not have a name of CUDA's."""
    row = table.lookup(name)
    return table.is_cuda_name(name) if row is None else row.hip != row.cuda and row.kind != "namespace"


def _split(work: Work) -> None:
    """Report names that a backslash at the end of a line cuts in two."""
    for token in work.tokens:
        if token.kind is Kind.NAME and "\\" in token.text and not work.skipped(token.offset):
            name = _SPLICE.sub("", token.text)
            if interesting(name):
                text = f"{name} is cut in two by a backslash at the end of a line: it was left alone"
                work.report(token.offset, len(token.text), "split-name", text, "write it in one line")


# ---- conditions ----


def _conditions(work: Work) -> set[int]:
    """Handle the conditions that need a look as a whole; offsets of the names in them."""
    handled: set[int] = set()
    for directive in work.directives:
        if directive.word not in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
            continue
        inside = work.tokens[directive.first : directive.last]
        words = [each.text for each in inside]
        if any(each in HIP_MACROS for each in words):
            handled |= {each.offset for each in inside}
            continue
        for at, token in enumerate(inside):
            if token.text != _ARCH or work.skipped(token.offset):
                continue
            handled.add(token.offset)
            if _tests_the_pass(directive.word, words):
                work.replaced += 1
                work.uses["macros", "partial", _ARCH] += 1
                work.replace(token.offset, len(_ARCH), "__HIP_DEVICE_COMPILE__", f"macros: {_ARCH}")
            elif at == words.index(_ARCH):
                work.uses["macros", "partial", _ARCH] += 1
                text = (
                    f"{_ARCH} is compared with a number: no AMD GPU has one, and HIP never takes this branch as written"
                )
                work.report(token.offset, len(_ARCH), "cuda-arch", text, _arch_note())
    return handled


def _arch_note() -> str:
    row = table.lookup(_ARCH)
    return row.note if row is not None else ""


def _tests_the_pass(word: str, words: list[str]) -> bool:
    """Whether a condition uses __CUDA_ARCH__ only to tell the device's pass from the host's."""
    if word not in ("if", "elif"):
        return True
    for at, each in enumerate(words):
        if each != _ARCH:
            continue
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        asked = before == "defined" or (before == "(" and at > 1 and words[at - 2] == "defined")
        if not asked and (
            after in ("<", ">", "<=", ">=", "==", "!=", "/", "*", "+", "-", "%")
            or before in ("<", ">", "<=", ">=", "==", "!=", "/", "*", "+", "-", "%")
        ):
            return False
    return True
