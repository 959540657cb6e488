"""Shared memory of kernels by clang's tree, which knows the types and sizes of a template's instantiations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softrock.lint.sizes import Sizes

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree
    from softrock.hipify.tree import Node

_ARRAY = re.compile(r"(?P<element>.*?)\s*(?P<extents>(?:\[\d+\])*)")
_EXTENT = re.compile(r"\[(\d+)\]")
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """A shared variable of one instantiation: its name, the offset of its name in the main file, its bytes."""

    name: str
    offset: int
    bytes: int


class SharedSizes:
    """Shared memory in one tree."""

    def __init__(self, tree: Tree, sizes: Sizes) -> None:
        self.tree, self.sizes = tree, sizes
        self.records = dict(self._records())
        self.functions = {
            each.id: each for each in tree.root.find("FunctionDecl", "CXXMethodDecl") if _has(each, "CompoundStmt")
        }

    def kernels(self) -> dict[int, list[Variable]]:
        """Offset of a kernel's name -> the shared variables of the instantiation with most bytes of them."""
        found: dict[int, list[Variable]] = {}
        for function in self.functions.values():
            if not _has(function, "CUDAGlobalAttr") or function.file != self.tree.main:
                continue
            used = self._used_by(function)
            if sum(each.bytes for each in used) >= sum(each.bytes for each in found.get(function.name_offset, [])):
                found[function.name_offset] = used
        return found

    def _used_by(self, kernel: Node) -> list[Variable]:
        """Shared variables of a function and of all that it calls, each once."""
        seen = {kernel.id}
        waiting = [kernel]
        found: list[Variable] = []
        while waiting:
            for node in waiting.pop().walk():
                if node.kind == "VarDecl" and _has(node, "CUDASharedAttr"):
                    found += self._variable(node)
                elif node.ref is not None and node.ref.id in self.functions and node.ref.id not in seen:
                    seen.add(node.ref.id)
                    waiting.append(self.functions[node.ref.id])
        return found

    def _variable(self, node: Node) -> Iterator[Variable]:
        layout = self.layout(_written(node)) if node.file == self.tree.main else None
        if layout is not None and node.data.get("storageClass") != "extern":
            yield Variable(node.name, node.name_offset, layout[0])

    def layout(self, type_: str, depth: int = 0) -> tuple[int, int] | None:
        """(bytes, alignment) of a type as clang prints it, None where it is not known."""
        match = _ARRAY.fullmatch(type_)
        if match is None or depth > _DEPTH:
            return None
        element = match["element"]
        record = self.records.get(re.sub(r"^(?:(?:const|volatile|struct|class) )+", "", element))
        one = self._record(record, depth) if record is not None else self.sizes.layout(element)
        if one is None:
            return None
        count = 1
        for extent in _EXTENT.findall(match["extents"]):
            count *= int(extent)
        return one[0] * count, one[1]

    def _record(self, record: Node, depth: int) -> tuple[int, int] | None:
        """A structure's layout: bases first, then fields; with the padding that their alignment asks for."""
        total, most = 0, 1
        bases = [str((each.get("type") or {}).get("qualType", "")) for each in record.data.get("bases", [])]
        fields = [_written(each) for each in record.children if each.kind == "FieldDecl"]
        special = any(each.data.get("virtual") or each.data.get("isBitfield") for each in record.children)
        if special or record.data.get("tagUsed") == "union" or _has(record, "AlignedAttr"):
            return None
        for type_ in [*bases, *fields]:
            layout = self.layout(type_, depth + 1)
            if layout is None:
                return None
            total = -(-total // layout[1]) * layout[1] + layout[0]
            most = max(most, layout[1])
        return max(1, -(-total // most) * most), most

    def _records(self) -> Iterator[tuple[str, Node]]:
        for record in self.tree.root.find("CXXRecordDecl", "ClassTemplateSpecializationDecl"):
            if not record.data.get("definitionData") or record.implicit:
                continue
            arguments = [each for each in record.children if each.kind == "TemplateArgument"]
            if record.kind == "CXXRecordDecl" and record.parent and record.parent.kind == "ClassTemplateDecl":
                continue  # the template itself
            texts = [each.type or str(each.data.get("value", "")) for each in arguments]
            yield (f"{record.name}<{', '.join(texts)}>" if texts else record.name), record


def _has(node: Node, kind: str) -> bool:
    return any(each.kind == kind for each in node.children)


def _written(node: Node) -> str:
    """A declaration's type without aliases."""
    type_ = node.data.get("type")
    plain = type_.get("desugaredQualType") if isinstance(type_, dict) else None
    return str(plain or node.type)
