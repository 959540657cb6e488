"""Python sources as rules see them: the tree, and offsets in the file's text."""

from __future__ import annotations

import ast
import codecs
import warnings
from collections.abc import Iterator
from functools import cached_property

from softrock.lint.file import File
from softrock.lint.once import once

_DEPTH = 40
"""Calls and attributes behind a name that are followed."""


class Module:
    """A Python file's tree; empty where the file is not valid Python (3)."""

    def __init__(self, file: File) -> None:
        self.file = file
        data = file.source.text.encode("latin-1")
        self._mark = 3 if data.startswith(codecs.BOM_UTF8) else 0
        try:
            with warnings.catch_warnings():  # invalid escapes in kernels' strings are none of our business
                warnings.simplefilter("ignore")
                self.tree = ast.parse(data[self._mark :])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.tree = ast.Module(body=[], type_ignores=[])
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            children = list(ast.iter_child_nodes(node))
            self.parents.update(dict.fromkeys(children, node))
            waiting += reversed(children)

    @cached_property
    def assigned(self) -> dict[str, list[ast.Assign]]:
        """Name -> the assignments to it, in order."""
        made: dict[str, list[ast.Assign]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        made.setdefault(target.id, []).append(node)
        return made

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.alias) -> tuple[int, int]:
        """(offset, length) of a node in the file's text."""
        starts = self.file.source.line_starts
        first = starts[node.lineno - 1] + node.col_offset + (self._mark if node.lineno == 1 else 0)
        if node.end_lineno is None or node.end_col_offset is None:
            return first, 1
        last = starts[node.end_lineno - 1] + node.end_col_offset + (self._mark if node.end_lineno == 1 else 0)
        return first, max(1, last - first)

    def dotted(self, node: ast.AST) -> str:
        """``a.b.c`` of names and attributes, "" of anything else; a call counts as what is called."""
        parts: list[str] = []
        for _ in range(_DEPTH):
            if isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            elif isinstance(node, ast.Name):
                return ".".join(reversed([*parts, node.id]))
            else:
                break
        return ""

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node


@once
def module(file: File) -> Module:
    """The tree of a Python file, made once."""
    return Module(file)


def number(node: ast.AST | None) -> int | None:
    """The value of an integer literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None
