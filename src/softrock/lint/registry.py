"""Every rule registers itself here, with all that is to be said about it.

A rule is a generator over what is known of one file::

    @rule("ballot-in-32-bits", Severity.ERROR, Language.CPP)
    def ballot_in_32_bits(file: File) -> Iterator[Finding]:
        '''The result of a ballot is kept in 32 bits.

        Why:
            A wave of gfx942 has 64 lanes, and so has the result of ``__ballot``: …

        Example:
            unsigned votes = __ballot(predicate);

        Fix:
            unsigned long long votes = __ballot(predicate);
        '''

The docstring is its documentation: the title, and the sections Why, Example (code on which it fires) and Fix (the same
code, on which it does not). `softrock lint --explain ID` prints it, docs/rules are made from it, and a test runs the
rule on both.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File

_SECTIONS = ("Why", "Example", "Fix")


class Language(enum.Flag):
    """The sources that a rule looks at."""

    CUDA = enum.auto()
    HIP = enum.auto()
    PYTHON = enum.auto()
    CPP = CUDA | HIP


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and its documentation.

    Attributes:
        id: its name in messages, comments and baselines.
        severity: of its findings, unless one says otherwise.
        languages: what it looks at.
        title: what is wrong, in a sentence.
        why, example, fix: the sections of its documentation, without indentation.
        check: yields the findings in a file.
        fixable: some of its findings carry edits that are safe to make.
        by_size: what it finds is wrong on waves of one size: it keeps silent in code that is chosen by the size.
        family: the module it stands in.
    """

    id: str
    severity: Severity
    languages: Language
    title: str
    why: str
    example: str
    fix: str
    check: Callable[[File], Iterator[Finding]]
    fixable: bool
    by_size: bool
    family: str


_rules: dict[str, Rule] = {}


def rule(
    name: str,
    severity: Severity,
    languages: Language = Language.CPP,
    *,
    fixable: bool = False,
    by_size: bool = False,
) -> Callable[[Callable[[File], Iterator[Finding]]], Callable[[File], Iterator[Finding]]]:
    """Register a rule; see the module's docstring. Raises `ValueError` where its documentation is incomplete."""

    def register(check: Callable[[File], Iterator[Finding]]) -> Callable[[File], Iterator[Finding]]:
        title, sections = _documentation(name, inspect.getdoc(check) or "")
        if name in _rules:
            raise ValueError(f"rule {name} is registered twice")
        family = check.__module__.rpartition(".")[2]
        _rules[name] = Rule(name, severity, languages, title, *sections, check, fixable, by_size, family)
        return check

    return register


def _documentation(name: str, text: str) -> tuple[str, tuple[str, str, str]]:
    pattern = rf"^({'|'.join(_SECTIONS)}):\n"
    title, *rest = re.split(pattern, text, flags=re.MULTILINE)
    sections = {head: inspect.cleandoc("\n" + body) for head, body in zip(rest[::2], rest[1::2], strict=True)}
    missing = [each for each in _SECTIONS if not sections.get(each)]
    if missing or not title.strip():
        raise ValueError(f"the documentation of rule {name} lacks {', '.join(missing) or 'a title'}")
    why, example, fix = (sections[each] for each in _SECTIONS)
    return title.strip(), (why, example, fix)


@functools.cache
def rules() -> Mapping[str, Rule]:
    """All rules by id, in the order of their names."""
    from softrock.lint import rules as package

    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return dict(sorted(_rules.items()))
