"""Questions about a syntax tree: what is called, what a constant is, what depends on the number of the thread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from softrock.hipify.parse import Node, Tree

FUNCTIONS = frozenset(
    [
        "FunctionDecl",
        "CXXMethodDecl",
        "CXXConstructorDecl",
        "CXXDestructorDecl",
        "CXXConversionDecl",
        "CXXDeductionGuideDecl",
    ]
)
CALLS = frozenset(["CallExpr", "CXXMemberCallExpr", "CUDAKernelCallExpr", "CXXOperatorCallExpr"])
_WRAPPERS = frozenset(
    [
        *("ParenExpr", "ImplicitCastExpr", "CStyleCastExpr", "CXXStaticCastExpr", "CXXReinterpretCastExpr"),
        *("CXXFunctionalCastExpr", "CXXConstCastExpr", "ConstantExpr", "ExprWithCleanups", "MaterializeTemporaryExpr"),
        *("CXXBindTemporaryExpr", "SubstNonTypeTemplateParmExpr", "OpaqueValueExpr", "RecoveryExpr"),
    ]
)


# --- functions and calls ----------------------------------------------------------------------------------------------


def enclosing_function(node: Node) -> Node | None:
    """The function, method or lambda's call operator that a node is in."""
    return next((each for each in node.ancestors() if each.kind in FUNCTIONS), None)


def _has(function: Node, attribute: str) -> bool:
    return any(each.kind == attribute for each in function.children)


def is_kernel(function: Node) -> bool:
    """It is ``__global__``."""
    return _has(function, "CUDAGlobalAttr")


def is_device(function: Node) -> bool:
    """It is compiled for GPUs: a kernel, or ``__device__`` (with or without ``__host__``)."""
    return is_kernel(function) or _has(function, "CUDADeviceAttr")


def is_host(function: Node) -> bool:
    """It is compiled for the host."""
    return _has(function, "CUDAHostAttr") or not is_device(function)


def strip(node: Node) -> Node:
    """The expression without parentheses, casts and other wrappers around it."""
    while node.kind in _WRAPPERS and len(node.children) >= 1:
        node = node.children[0]
    return node


def callee(call: Node) -> Node | None:
    """The expression that names what is called."""
    return strip(call.children[0]) if call.kind in CALLS and call.children else None


def callee_name(call: Node) -> str:
    """Name of the function or method that is called, "" where it has none; overloads that are still open included.

    Our CUDA-named headers map CUDA's names to HIP's: it is HIP's name (see `Tree.written` for the user's spelling).
    """
    named = callee(call)
    if named is None:
        return ""
    return named.ref.name if named.ref is not None else named.name or str(named.data.get("member", ""))


def calls(node: Node, *names: str) -> Iterator[Node]:
    """Calls below a node, in order; with names, only calls of these."""
    return (each for each in node.walk() if each.kind in CALLS and (not names or callee_name(each) in names))


def arguments(call: Node) -> list[Node]:
    """What is passed to a call (a kernel's launch: without its configuration)."""
    skip = 2 if call.kind == "CUDAKernelCallExpr" else 1
    return [each for each in call.children[skip:] if each.kind != "CXXDefaultArgExpr"]


# --- variables --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable gets a value.

    Attributes:
        value: the expression, None for ``++`` and ``--``.
        node: the declaration or the operator.
        opcode: "=" (an initialiser too), "+=", …, "++" or "--".
    """

    value: Node | None
    node: Node
    opcode: str


def uses_of(tree: Tree, declaration: Node) -> list[Node]:
    """References to one of the user's declarations, in order."""
    return tree.uses.get(declaration.id, [])


def initial_value(variable: Node) -> Node | None:
    """The initialiser of a variable."""
    if "init" not in variable.data:
        return None
    return next((each for each in variable.children if not each.kind.endswith(("Attr", "Comment"))), None)


def assignments(tree: Tree, variable: Node) -> list[Assignment]:
    """All that a variable is given by name: its initialiser, assignments, increments."""
    found: list[Assignment] = []
    first = initial_value(variable)
    if first is not None:
        found.append(Assignment(first, variable, "="))
    for use in uses_of(tree, variable):
        made = _assignment(use)
        if made is not None:
            found.append(made)
    return found


def _assignment(use: Node) -> Assignment | None:
    """The assignment whose target a reference is, None where it only reads."""
    node, above = use, use.parent
    while above is not None and above.kind == "ParenExpr":
        node, above = above, above.parent
    if above is None:
        return None
    if above.kind in ("BinaryOperator", "CompoundAssignOperator") and above.children[0] is node:
        is_one = above.kind == "CompoundAssignOperator" or above.opcode == "="
        return Assignment(above.children[1], above, above.opcode) if is_one and len(above.children) > 1 else None
    if above.kind == "UnaryOperator" and above.opcode in ("++", "--"):
        return Assignment(None, above, above.opcode)
    return None


# --- integer constants ------------------------------------------------------------------------------------------------

_UNSIGNED = {
    "unsigned int": 32,
    "unsigned long": 64,
    "unsigned long long": 64,
    "unsigned short": 16,
    "unsigned char": 8,
}
_SIGNED = {"int": 32, "long": 64, "long long": 64, "short": 16, "char": 8, "signed char": 8}
_BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else None,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else None,
    "/": lambda a, b: None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}
_DEEP = 64
"""Operators and constants that are followed."""


def literal_value(tree: Tree, expression: Node, depth: int = 0) -> int | None:
    """Value of an integer constant, None where it is none (or not known without the headers' declarations).

    Followed are parentheses, casts, operators, ``?:``, macros, enumerators, and variables that are ``const`` or
    ``constexpr``.
    """
    value = _value(tree, expression, depth) if depth < _DEEP else None
    return None if value is None else _wrapped(value, expression)


def _wrapped(value: int, node: Node) -> int:
    """The value as the expression's type holds it."""
    kind = node.data.get("type", {})
    name = str(kind.get("desugaredQualType", kind.get("qualType", ""))).removeprefix("const ")
    if name in _UNSIGNED:
        return value & ((1 << _UNSIGNED[name]) - 1)
    if name in _SIGNED:
        half = 1 << (_SIGNED[name] - 1)
        return (value + half) % (2 * half) - half
    return int(bool(value)) if name == "bool" else value


def _value(tree: Tree, node: Node, depth: int) -> int | None:
    children = node.children
    if node.kind in ("IntegerLiteral", "CharacterLiteral", "ConstantExpr") and re.fullmatch(r"-?\d+", node.value or ""):
        return int(node.value or "")
    if node.kind == "CXXBoolLiteralExpr":
        return int(node.value == "True" or node.value == "true")
    if node.kind == "DeclRefExpr":
        return _constant(tree, node, depth)
    if node.kind in _WRAPPERS and children and "Float" not in str(node.data.get("castKind", "")):
        return literal_value(tree, children[0], depth + 1)
    if node.kind == "UnaryOperator" and children:
        value = literal_value(tree, children[0], depth + 1)
        if value is None:
            return None
        return {"-": -value, "+": value, "~": ~value, "!": int(not value)}.get(node.opcode)
    if node.kind == "BinaryOperator" and len(children) == 2 and node.opcode in _BINARY:
        left, right = (literal_value(tree, each, depth + 1) for each in children)
        return None if left is None or right is None else _BINARY[node.opcode](left, right)  # type: ignore[no-untyped-call]
    if node.kind == "ConditionalOperator" and len(children) == 3:
        test = literal_value(tree, children[0], depth + 1)
        return None if test is None else literal_value(tree, children[1 if test else 2], depth + 1)
    return None


def _constant(tree: Tree, reference: Node, depth: int) -> int | None:
    declaration = tree.declaration(reference.ref)
    if declaration is None:
        return None
    if declaration.kind == "EnumConstantDecl":
        return _enumerator(tree, declaration, depth)
    if declaration.kind != "VarDecl":
        return None
    constant = declaration.data.get("constexpr") or declaration.type.startswith("const ")
    first = initial_value(declaration)
    return literal_value(tree, first, depth + 1) if constant and first is not None else None


def _enumerator(tree: Tree, declaration: Node, depth: int) -> int | None:
    """An enumerator's value: its own, or the last one before it with a value, counted on."""
    above = declaration.parent
    same = [each for each in above.children if each.kind == "EnumConstantDecl"] if above is not None else []
    index = same.index(declaration) if declaration in same else -1
    for at in range(index, -1, -1):
        if same[at].children and not same[at].children[0].kind.endswith(("Attr", "Comment")):
            value = literal_value(tree, same[at].children[0], depth + 1)
            return None if value is None else value + index - at
    return index if index >= 0 else None


# --- what depends on the number of the thread -------------------------------------------------------------------------

_SOURCES = re.compile(
    r"threadIdx|__sr_threadIdx\w*|hipThreadIdx_[xyz]|__lane_?id|lane_?id|__builtin_amdgcn_(?:mbcnt_\w+|workitem_id_[xyz])"
    r"|thread_rank|thread_index|LaneId|WarpId|LaneMask\w+|atomic[A-Z]\w*|fetch_\w+|clock|clock64|__clock\w*|wall_clock64"
    r"|curand\w*|hiprand\w*|__shfl_(?:up|down|xor)(?:_sync)?|shfl_(?:up|down|xor)",
    re.IGNORECASE,
)
"""Names whose value differs from thread to thread of a wave."""
_UNIFORM = re.compile(
    r"__(?:ballot|any|all|activemask|uni|match_all|reduce_\w+)(?:_sync)?|__syncthreads_(?:and|or|count)"
    r"|__builtin_amdgcn_readfirstlane|__builtin_amdgcn_readlane|ballot|any|all"
)
"""Functions whose result is the same in all threads of a wave, whatever their arguments."""


@dataclass
class Dependence:
    """Which variables of a function depend on the number of the thread.

    A function's parameters do not, as far as is known here; neither does what is read through pointers at an index
    that does not.
    """

    tree: Tree
    function: Node
    variables: set[str] = field(default_factory=set)
    _facts: dict[int, tuple[bool, frozenset[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found: list[tuple[str, Node | None, Node]] = []
        for node in self.function.walk():
            if node.kind == "VarDecl":
                found += ((node.id, each.value, each.node) for each in assignments(self.tree, node))
        changed = True
        while changed:
            changed = False
            for variable, value, node in found:
                if variable in self.variables:
                    continue
                if (value is not None and self.depends(value)) or (node.kind != "VarDecl" and self.divergent(node)):
                    self.variables.add(variable)
                    changed = True

    def depends(self, expression: Node) -> bool:
        """Whether an expression's value may differ from thread to thread."""
        source, names = self._read(expression)
        return source or not names.isdisjoint(self.variables)

    def _read(self, expression: Node) -> tuple[bool, frozenset[str]]:
        """(has a source in it, variables that it reads), without what functions with a uniform result are given."""
        known = self._facts.get(id(expression))
        if known is not None:
            return known
        source, names = False, set[str]()
        stack = [expression]
        while stack and not source:
            node = stack.pop()
            if node.kind in CALLS and _UNIFORM.fullmatch(callee_name(node)):
                continue
            name = node.ref.name if node.ref is not None else node.name
            if node.kind in ("DeclRefExpr", "MemberExpr", "UnresolvedLookupExpr", "CXXDependentScopeMemberExpr"):
                if _SOURCES.fullmatch(name or str(node.data.get("member", ""))):
                    source = self.tree.declaration(node.ref) is None
                if node.ref is not None:
                    names.add(node.ref.id)
            stack += node.children
        self._facts[id(expression)] = (source, frozenset(names))
        return self._facts[id(expression)]

    def divergent(self, node: Node) -> list[Node]:
        """Conditions, innermost first, that decide whether a node is reached and differ from thread to thread."""
        return [each for each in conditions(node, self.function) if self.depends(each)]


def conditions(node: Node, function: Node | None = None) -> Iterator[Node]:
    """Conditions that decide whether control comes to a node in its function, innermost first."""
    below = node
    for above in node.ancestors():
        if above is function or above.kind in FUNCTIONS:
            return
        test = _test_of(above, below)
        if test is not None:
            yield test
        below = above


def _test_of(above: Node, below: Node) -> Node | None:
    """The condition of a statement or operator under which its child is carried out; None where it always is."""
    children = above.children
    at = next((index for index, each in enumerate(children) if each is below), -1)
    if above.kind in ("IfStmt", "SwitchStmt", "WhileStmt"):
        test = int(bool(above.data.get("hasInit"))) + int(bool(above.data.get("hasVar")))
        return children[test] if at > test else None
    if above.kind == "ForStmt" and len(children) == 5:
        return children[2] if at > 2 and children[2].kind else None
    if above.kind == "DoStmt" and len(children) == 2:
        return children[1] if at == 0 else None
    if above.kind == "ConditionalOperator":
        return children[0] if at > 0 else None
    if above.kind == "BinaryOperator" and above.opcode in ("&&", "||"):
        return children[0] if at == 1 else None
    return None


def dependence(tree: Tree, function: Node) -> Dependence:
    """What depends on the number of the thread in a function; worked out once for each tree and function."""
    known = tree.notes.get(function.id)
    if not isinstance(known, Dependence):
        known = tree.notes[function.id] = Dependence(tree, function)
    return known


def thread_dependent(tree: Tree, expression: Node) -> bool:
    """Whether an expression's value may differ from thread to thread."""
    function = enclosing_function(expression)
    return function is not None and dependence(tree, function).depends(expression)


def divergent(tree: Tree, node: Node) -> list[Node]:
    """Conditions, innermost first, that decide whether a node is reached and differ from thread to thread."""
    function = enclosing_function(node)
    return dependence(tree, function).divergent(node) if function is not None else []


def early_exits(tree: Tree, node: Node) -> list[Node]:
    """``return`` statements before a node in its function that only some threads of a wave come to."""
    function = enclosing_function(node)
    if function is None:
        return []
    returns = (each for each in function.find("ReturnStmt") if 0 <= each.offset < node.offset)
    return [each for each in returns if enclosing_function(each) is function and divergent(tree, each)]
