"""Where the results of ballots go, followed through clang's tree: variables, members, parameters, results, casts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from softrock.hipify import flow
from softrock.hipify.parse import Node, Tree
from softrock.lint.lanes import BALLOTS, WARP_FUNCTIONS, narrow

_KEEPING = frozenset({"&", "|", "^", "<<"})
_ARITHMETIC = frozenset({"&=", "|=", "^=", "="})
_CASTS = frozenset({"CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr"})
_STORES = frozenset({"VarDecl", "ParmVarDecl", "FieldDecl"})
_ROUNDS = 6
"""Functions deep that a mask is followed."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A place where a mask of lanes is kept in 32 bits.

    Attributes:
        offset, length: in the main file.
        what: the beginning of a message, e.g. ``votes (mask_t) holds a ballot in 32 bits``.
        widen: what to make wide.
    """

    offset: int
    length: int
    what: str
    widen: str


def desugared(node: Node) -> str:
    """A node's type with typedefs resolved, without qualifiers."""
    kind = node.data.get("type", {})
    name = str(kind.get("desugaredQualType", kind.get("qualType", "")))
    return " ".join(word for word in name.split() if word not in ("const", "volatile"))


class Ballots:
    """Masks of lanes in one parsed file."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._kept: set[str] = set()  # declarations that hold a mask, functions that return one
        for _ in range(_ROUNDS):
            before = len(self._kept)
            self._spread()
            if len(self._kept) == before:
                break

    # ---- what is a mask ----

    @cached_property
    def _stored(self) -> list[tuple[str, Node]]:
        """(declaration's id, expression it is given) all over the tree."""
        found: list[tuple[str, Node]] = []
        for node in self.tree.root.walk():
            if node.kind == "VarDecl":
                first = flow.initial_value(node)
                if first is not None:
                    found.append((node.id, first))
            elif node.kind in ("BinaryOperator", "CompoundAssignOperator") and node.opcode in _ARITHMETIC:
                target = self._target(node)
                if target is not None and len(node.children) == 2:
                    found.append((target.id, node.children[1]))
            elif node.kind == "ReturnStmt" and node.children:
                function = flow.enclosing_function(node)
                if function is not None:
                    found.append((function.id, node.children[0]))
            elif node.kind in flow.CALLS:
                object_too = node.kind == "CXXOperatorCallExpr"  # a lambda's call
                passed = flow.arguments(node)[object_too:]
                found += zip((each.id for each in self._parameters(node)), passed, strict=False)
            elif node.kind == "InitListExpr":
                found += zip(self._fields(desugared(node)), node.children, strict=False)
        return found

    @cached_property
    def _records(self) -> dict[str, list[str]]:
        """The user's structures by name -> their members' ids."""
        return {
            each.name: [member.id for member in each.children if member.kind == "FieldDecl"]
            for each in self.tree.root.find("CXXRecordDecl")
            if each.name and each.data.get("definitionData")
        }

    def _fields(self, type_: str) -> list[str]:
        """Ids of a structure's members; none where the type is no structure of the user's."""
        return self._records.get(type_.removeprefix("struct ").rpartition("::")[2], [])

    def _target(self, assignment: Node) -> Node | None:
        """The user's variable or member that an assignment changes; of an array, the array."""
        node = flow.strip(assignment.children[0]) if assignment.children else None
        while node is not None and node.kind == "ArraySubscriptExpr" and node.children:
            node = flow.strip(node.children[0])
        return self.tree.declaration(node.ref) if node is not None else None

    def _parameters(self, call: Node) -> list[Node]:
        named = flow.callee(call)
        function = self.tree.declaration(named.ref) if named is not None else None
        if function is None or function.kind not in flow.FUNCTIONS:
            return []
        return [each for each in function.children if each.kind == "ParmVarDecl"]

    def _spread(self) -> None:
        for name, value in self._stored:
            if name not in self._kept and self.mask(value):
                self._kept.add(name)

    def mask(self, expression: Node, depth: int = 0) -> bool:
        """An expression is made from a ballot and has a bit for each lane still."""
        node = flow.strip(expression)
        if depth > 32:
            return False
        if node.kind in flow.CALLS:
            if flow.callee_name(node) in BALLOTS:
                return True
            named = flow.callee(node)
            return named is not None and named.ref is not None and named.ref.id in self._kept
        if node.kind in ("DeclRefExpr", "MemberExpr"):
            return node.ref is not None and node.ref.id in self._kept
        if node.kind == "ArraySubscriptExpr" and node.children:
            return self.mask(node.children[0], depth + 1)
        if node.kind == "UnaryOperator" and node.opcode == "~" and node.children:
            return self.mask(node.children[0], depth + 1)
        if node.kind == "ConditionalOperator" and len(node.children) == 3:
            return any(self.mask(each, depth + 1) for each in node.children[1:])
        if node.kind == "BinaryOperator" and node.opcode in _KEEPING and len(node.children) == 2:
            left, right = node.children
            if node.opcode == "<<":
                return self.mask(left, depth + 1)
            if node.opcode == "&" and any(self._few_bits(each) for each in (left, right)):
                return False
            return self.mask(left, depth + 1) or self.mask(right, depth + 1)
        return False

    def _few_bits(self, expression: Node) -> bool:
        """A constant that keeps no more than the lower half on purpose: 1, 0xffffffff."""
        value = flow.literal_value(self.tree, expression)
        return value is not None and 0 <= value <= 0xFFFFFFFF

    # ---- where it is lost ----

    def _own(self, node: Node) -> bool:
        return node.file == self.tree.main and not node.implicit and not node.instantiated

    def losses(self) -> Iterator[Loss]:
        """Places of the main file where a mask is kept in 32 bits."""
        for node in self.tree.in_main():
            if not self._own(node):
                continue
            kept = node.id in self._kept and not self._deduced(node)
            if node.kind in _STORES and kept and narrow(desugared(node)) and node.name and not node.name_in_macro:
                what = f"{node.name} ({node.type}) holds a ballot in 32 bits"
                yield Loss(node.name_offset, len(node.name), what, "make it unsigned long long")
            elif node.kind in flow.FUNCTIONS and kept and narrow(self._result(node)):
                yield from self._returns(node)
            elif self._narrowing(node) and not node.in_macro:
                what = f"the ballot is cast to {node.type}"
                yield Loss(node.offset, node.length, what, "cast to unsigned long long")

    def _narrowing(self, node: Node) -> bool:
        return node.kind in _CASTS and narrow(desugared(node)) and any(self.mask(each) for each in node.children)

    def _deduced(self, declaration: Node) -> bool:
        """The type is written as ``auto``: it is that of the ballot, wide in HIP also where CUDA's is narrow."""
        return re.search(r"\bauto\b", self.tree.source.text[declaration.offset : declaration.name_offset]) is not None

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """The user's names of types -> what they stand for."""
        return {each.name: desugared(each) for each in self.tree.root.find("TypeAliasDecl", "TypedefDecl")}

    def _result(self, function: Node) -> str:
        """What a function returns, as clang prints it, a name of the user's for a type resolved."""
        name = function.type.partition("(")[0].strip()
        return self._aliases.get(name, name)

    def _returns(self, function: Node) -> Iterator[Loss]:
        for each in function.find("ReturnStmt"):
            if each.children and flow.enclosing_function(each) is function and self.mask(each.children[0]):
                value = each.children[0]
                what = f"{function.name} returns a ballot as {self._result(function)}"
                yield Loss(value.offset, value.length, what, "return unsigned long long")

    def counted(self, names: frozenset[str]) -> Iterator[tuple[int, str]]:
        """(offset of the name, name) of calls in the main file of functions that take 32 bits, with a mask."""
        for call in self.tree.root.find("CallExpr"):
            name = flow.callee_name(call)
            seen = name in names and call.file == self.tree.main and not call.in_macro
            if seen and any(self.mask(each) for each in flow.arguments(call)):
                yield call.offset, name

    def narrow_masks(self) -> Iterator[tuple[int, int, str, str]]:
        """(offset, length, function, type) of masks of 32 bits that are passed to functions of whole waves."""
        for call in self.tree.root.find("CallExpr"):
            known = WARP_FUNCTIONS.get(flow.callee_name(call))
            passed = flow.arguments(call)
            if known is None or not 0 <= known.mask < len(passed) or not self._own(call) or call.in_macro:
                continue
            mask = passed[known.mask]
            while mask.kind in ("ImplicitCastExpr", "ParenExpr") and mask.children:
                mask = mask.children[0]
            if narrow(desugared(mask)) and not mask.in_macro and not self._wide_in_hip(mask):
                yield mask.offset, mask.length, flow.callee_name(call), mask.type

    def _wide_in_hip(self, mask: Node) -> bool:
        """An expression that is narrow only because CUDA's ballots are: one itself, or a variable that is ``auto``."""
        if mask.kind in flow.CALLS:
            return flow.callee_name(mask) in BALLOTS
        declaration = self.tree.declaration(mask.ref)
        return declaration is not None and self.mask(mask) and self._deduced(declaration)


def ballots(tree: Tree) -> Ballots:
    """The masks of lanes in a parsed file, followed once."""
    made = tree.notes.get("ballots")
    if not isinstance(made, Ballots):
        made = tree.notes["ballots"] = Ballots(tree)
    return made
