"""clang's syntax tree, from the JSON that it writes.

clang leaves a location's file and line out where they are those of the location it wrote before, so that all locations
must be read in order once: `decode` does that and makes the nodes. Offsets are bytes of the file named.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STACK = 512 << 20
"""Bytes of stack for reading deeply nested JSON; touched only as far as needed."""
_DEPTH = 200_000
_NAMING = ("DeclRefExpr", "MemberExpr")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a name refers to: a declaration, in the dump under the same id where it is the user's own."""

    id: str
    kind: str
    name: str
    type: str


class Node:
    """A node of the tree.

    Attributes:
        kind: clang's name of its class, e.g. "CallExpr"; "" for an absent child.
        name: of a declaration, else "" (a reference's name is in `ref`).
        type: the qualified type as clang prints it.
        offset, length: bytes of the whole range in `file`; where it begins in a macro's expansion, of that expansion.
        file, line: where it begins, `line` from 1; files are absolute, without symbolic links.
        name_offset: of a declaration's name or a member's name, -1 where it has none.
        in_macro: its first or last token comes from a macro's body or argument.
        spelling_file, spelling_offset: where its first token is written.
        name_in_macro: the name token comes from a macro's body or argument.
        children, parent: of the tree.
        ref: declaration that an expression names, or None.
        data: what clang wrote about it, without its children.
    """

    __slots__ = (
        "children",
        "data",
        "file",
        "id",
        "in_macro",
        "kind",
        "length",
        "line",
        "name",
        "name_in_macro",
        "name_offset",
        "offset",
        "parent",
        "ref",
        "spelling_file",
        "spelling_offset",
        "type",
    )

    def __init__(self, data: dict[str, Any], parent: Node | None) -> None:
        self.data = data
        self.parent = parent
        self.id: str = data.get("id", "")
        self.kind: str = data.get("kind", "")
        self.name: str = data.get("name", "")
        self.type: str = _type(data)
        self.children: list[Node] = []
        self.ref = _reference(data)
        self.file = ""
        self.line = 0
        self.offset = -1
        self.length = 0
        self.name_offset = -1
        self.name_in_macro = False
        self.in_macro = False
        self.spelling_file = ""
        self.spelling_offset = -1

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or (self.ref.name if self.ref else '')} {self.file}:{self.line}>"

    @property
    def end(self) -> int:
        """Offset behind it."""
        return self.offset + self.length

    @property
    def implicit(self) -> bool:
        """The compiler made it; nothing stands for it in the source."""
        return bool(self.data.get("isImplicit"))

    @property
    def value(self) -> str | None:
        """A literal's value, as clang prints it."""
        value = self.data.get("value")
        return None if value is None else str(value)

    @property
    def opcode(self) -> str:
        """An operator's spelling, "" for other nodes."""
        return str(self.data.get("opcode", ""))

    @property
    def instantiated(self) -> bool:
        """It is part of a template's instantiation: the same source is in the tree once more, as written."""
        node: Node | None = self
        while node is not None and node.parent is not None:
            above = node.parent
            if above.kind == "FunctionTemplateDecl" and node.kind.endswith(("FunctionDecl", "MethodDecl")):
                return node is not next((each for each in above.children if each.kind == node.kind), None)
            if node.kind == "ClassTemplateSpecializationDecl" and above.kind == "ClassTemplateDecl":
                return True
            if node.kind == "VarTemplateSpecializationDecl" and above.kind == "VarTemplateDecl":
                return True
            node = above
        return False

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first, in order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def find(self, *kinds: str) -> Iterator[Node]:
        """Nodes of these kinds, in order."""
        return (node for node in self.walk() if node.kind in kinds)

    def ancestors(self) -> Iterator[Node]:
        """The nodes it is in, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


def _type(data: dict[str, Any]) -> str:
    value = data.get("type")
    return str(value.get("qualType", "")) if isinstance(value, dict) else ""


def _reference(data: dict[str, Any]) -> Reference | None:
    found = data.get("referencedDecl") or data.get("referencedMemberDecl") or data.get("ctorDecl") or data.get("decl")
    if isinstance(found, dict):
        return Reference(found.get("id", ""), found.get("kind", ""), found.get("name", ""), _type(found))
    if isinstance(found, str):  # a member's id
        return Reference(found, "", str(data.get("name", "")), "")
    return None


class _Places:
    """Completes locations in the order in which clang wrote them."""

    def __init__(self) -> None:
        self.file = ""
        self.line = 0
        self.real: dict[str, str] = {}

    def bare(self, place: dict[str, Any]) -> tuple[str, int, int, int] | None:
        """(file, line, offset, length of the token), None for no location."""
        offset = place.get("offset")
        if offset is None:
            return None
        file = place.get("file")
        if file is not None:
            self.file = self.real.get(file) or self.real.setdefault(file, os.path.realpath(file))
        self.line = place.get("line", self.line)
        return self.file, self.line, offset, place.get("tokLen", 0)

    def both(
        self, place: dict[str, Any]
    ) -> tuple[tuple[str, int, int, int] | None, tuple[str, int, int, int] | None, bool]:
        """(expansion, spelling, whether a macro is involved)."""
        spelling, expansion = place.get("spellingLoc"), place.get("expansionLoc")
        if spelling is None and expansion is None:
            found = self.bare(place)
            return found, found, False
        written = self.bare(spelling) if spelling is not None else None
        expanded = self.bare(expansion) if expansion is not None else None
        return expanded, written, True


def _locate(node: Node, places: _Places) -> None:
    data = node.data
    place = data.get("loc")
    if place:
        expanded, _, macro = places.both(place)
        if expanded is not None:
            node.name_offset = expanded[2]
            node.file, node.line = expanded[0], expanded[1]
            node.name_in_macro = macro
    span = data.get("range")
    if not span:
        return
    begin = places.both(span["begin"]) if span.get("begin") else (None, None, False)
    end = places.both(span["end"]) if span.get("end") else (None, None, False)
    if begin[0] is None:
        return
    node.file, node.line, node.offset, size = begin[0]
    last = end[0]
    node.length = last[2] + last[3] - node.offset if last is not None and last[0] == node.file else size
    if node.length < 0:
        node.length = size
    node.in_macro = begin[2] or end[2]
    if begin[1] is not None:
        node.spelling_file, node.spelling_offset = begin[1][0], begin[1][2]
    if node.kind in _NAMING and last is not None:
        node.name_in_macro = end[2]
        # Behind explicit template arguments the range ends with '>': then `complete_names` looks for the name.
        name = node.ref.name if node.ref is not None else node.name
        node.name_offset = last[2] if end[2] or last[3] == len(name.removeprefix("->")) else -1


def complete_names(root: Node, file: str, text: str) -> None:
    """Fill `Node.name_offset` of references to templates with explicit arguments, from the file's text."""
    for node in root.find(*_NAMING):
        name = node.ref.name if node.ref is not None else ""
        if node.name_offset >= 0 or node.file != file or node.offset < 0 or not name:
            continue
        found = re.compile(rf"\b{re.escape(name)}\b").search(text, node.offset, node.end)
        if found is not None:
            node.name_offset = found.start()


def decode(data: bytes) -> Node:
    """The tree that clang's JSON describes.

    Raises:
        ValueError: it is no such JSON.
        RecursionError: it is nested too deeply for Python's reader.
    """
    enabled = gc.isenabled()
    gc.disable()  # nothing made here is garbage, and looking for some would take most of the time
    try:
        return _nodes(_load(data))
    finally:
        if enabled:
            gc.enable()


def _nodes(top: Any) -> Node:
    if not isinstance(top, dict):
        raise ValueError("no object")
    places = _Places()
    root: Node | None = None
    # Preorder: the last of the stack is next.
    stack: list[tuple[dict[str, Any], Node | None]] = [(top, None)]
    while stack:
        each, parent = stack.pop()
        node = Node(each, parent)
        _locate(node, places)
        if parent is None:
            root = node
        else:
            parent.children.append(node)
        inner = each.pop("inner", None)
        each.pop("loc", None)
        each.pop("range", None)
        if inner:
            stack.extend((child, node) for child in reversed(inner) if isinstance(child, dict))
    assert root is not None, "the stack had the top"
    for node in list(root.find("LambdaExpr")):  # clang writes the body in the closure's class, and once more
        bodies = {
            each.id for child in node.children if child.kind != "CompoundStmt" for each in child.find("CompoundStmt")
        }
        node.children = [each for each in node.children if each.id not in bodies]
    return root


def _load(data: bytes) -> Any:
    """JSON of any depth that clang makes: a chain of a thousand operators is nested two thousand deep."""
    try:
        return json.loads(data)
    except RecursionError:
        pass
    result: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            result.append(json.loads(data))
        except (ValueError, RecursionError, MemoryError) as error:
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    try:
        threading.stack_size(_STACK)
        sys.setrecursionlimit(_DEPTH)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if failure:
        raise failure[0]
    return result[0]
