"""What a rule is given: one file, seen as text, tokens and, where it parses, as clang's tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from softrock.hipify import findings
from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, Token, tokens
from softrock.hipify.source import Source
from softrock.lint.outline import Outline
from softrock.lint.values import Values

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree
    from softrock.lint.targets import Target


@dataclass(frozen=True)
class File:
    """One file and the GPUs that it is checked for.

    Attributes:
        source: its text.
        language: "cuda", "hip" or "python".
        targets: the GPUs to be ported to; a rule that depends on one speaks of those it holds for.
        tree: clang's view of the user's code in it, None where it could not be parsed (then rules go by tokens).
    """

    source: Source
    language: str
    targets: Sequence[Target]
    tree: Tree | None

    @cached_property
    def tokens(self) -> list[Token]:
        """All tokens, comments and ends of directives included."""
        return list(tokens(self.source.text))

    @cached_property
    def code(self) -> list[Token]:
        """Tokens without comments and ends of directives."""
        return [each for each in self.tokens if each.kind is not Kind.COMMENT and each.kind is not Kind.END]

    @cached_property
    def outline(self) -> Outline:
        """Functions, statements and calls as far as tokens show them, without code that AMD compilers do not see."""
        return Outline(self.tokens, cuda=self.language == "cuda")

    @cached_property
    def values(self) -> Values:
        """What the names of `outline` hold: types, constants, assignments."""
        return Values(self.outline)

    def with_wave(self, size: int) -> list[Target]:
        """The chosen GPUs on which HIP programs get waves of `size` lanes."""
        return [each for each in self.targets if each.wave == size]

    def finding(
        self,
        rule: str,
        offset: int,
        length: int,
        message: str,
        hint: str = "",
        *,
        severity: Severity | None = None,
        fix: tuple[Edit, ...] = (),
    ) -> Finding:
        """A finding about `length` bytes at `offset`, with the rule's severity unless one is given."""
        from softrock.lint.registry import rules

        return findings.at(
            self.source,
            offset,
            length,
            rule,
            rules()[rule].severity if severity is None else severity,
            message,
            hint,
            fix,
        )
