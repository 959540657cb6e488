"""What a file decides by macros that only the device's compilation defines: ``#ifdef __gfx942__`` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from softrock.lint.lanes import Lanes
from softrock.lint.once import once
from softrock.lint.outline import Function

DEVICE_MACRO = re.compile(
    r"__GFX\d+\w*__|__gfx\w+__|__AMDGCN_WAVEFRONT_SIZE\w*|__HIP_DEVICE_COMPILE__|__AMDGCN__|__AMDGPU__|__CUDA_ARCH__|__GFX\w+__"
)
_TARGET = re.compile(r"__(?:GFX|gfx)\w+__|__AMDGCN_WAVEFRONT_SIZE\w*")
"""Those that tell GPUs apart; the others tell host and device apart, which a function may do on purpose."""


@dataclass(frozen=True, slots=True)
class Region:
    """Offsets between an ``#if`` and its ``#endif``, and the macro that its conditions ask for."""

    start: int
    end: int
    by: str

    def holds(self, offset: int) -> bool:
        """Whether an offset is in it."""
        return self.start <= offset < self.end


@once
def regions(view: Lanes) -> list[Region]:
    """The parts of a file that depend on a macro of the device's compilation, in the order of their ends."""
    found: list[Region] = []
    stack: list[tuple[int, str]] = []
    for line in view.outline.directives:
        macros = [each.text for each in line.tokens if DEVICE_MACRO.fullmatch(each.text)]
        by = next((each for each in macros if _TARGET.fullmatch(each)), macros[0] if macros else "")
        if line.word in ("if", "ifdef", "ifndef"):
            stack.append((line.end, by))
        elif line.word == "elif" and stack and not stack[-1][1]:
            stack[-1] = (stack[-1][0], by)
        elif line.word == "endif" and stack:
            start, by = stack.pop()
            if by:
                found.append(Region(start, line.offset, by))
    return found


def _around(view: Lanes, offset: int) -> str:
    """The macro that what stands at an offset depends on, the innermost; "" where there is none."""
    return next((each.by for each in regions(view) if each.holds(offset)), "")


def decided(view: Lanes) -> dict[str, str]:
    """Macros, constants and functions of a file whose value depends on a macro of the device's compilation -> it."""
    outline, values = view.outline, view.values
    named = {name for name in outline.names if DEVICE_MACRO.fullmatch(name)}
    found: dict[str, str] = {}
    for line in outline.directives:
        if line.word == "define" and len(line.tokens) > 1 and not DEVICE_MACRO.fullmatch(line.tokens[0].text):
            body = next((each.text for each in line.tokens[1:] if DEVICE_MACRO.fullmatch(each.text)), "")
            by = body or _around(view, line.offset)
            if by:
                found[line.tokens[0].text] = by
    if not regions(view) and not named and not found:
        return {}
    for function in outline.functions:
        by = next((each for each in _returns(view, function)), "")
        if by:
            found[function.name] = by
    for at in range(1, len(outline.tokens) - 1):
        if outline.at(at + 1) not in ("=", "{") or outline.function_at(at) is not None:
            continue
        declared = values.declaration(outline.at(at), at)
        initial = values.initial(at) if declared and declared[0] == at else None
        if initial:
            inner = next((name for name in outline.words(initial) if name in named), "")
            by = inner or _around(view, outline.tokens[at].offset)
            if by:
                found[outline.at(at)] = by
    return found


def _returns(view: Lanes, function: Function) -> Iterator[str]:
    """Macros of targets that decide what a function returns."""
    tokens = view.outline.tokens
    start, end = tokens[function.body[0] - 1].offset, tokens[function.body[1]].offset
    for each in regions(view):
        inside = start <= each.start and each.end <= end and _TARGET.fullmatch(each.by)
        if inside and any(each.holds(tokens[at].offset) for at in view.outline.places("return", function.body)):
            yield each.by


def locally_decided(view: Lanes, name: str, function: Function) -> str:
    """The macro that a local variable's value depends on; "" where there is none."""
    for span in view.values.given(name, function):
        by = _around(view, view.outline.tokens[span[0]].offset) if span[1] > span[0] else ""
        if by:
            return by
    return ""
