"""Inline PTX: NVIDIA's assembly in C++ sources. The idioms and what to write instead are in ptx.tsv.

Columns of the table: the idiom (a special register, or an opcode with modifiers that must come in this order, perhaps
with its first operand); its status; HIP's counterpart; a fix with $0, $1, … for the instruction's operands, made of
functions that CUDA has as well unless it begins with "hip:"; a note. Status: direct (the same), partial (similar), none
(has to be designed anew), ignore (can be dropped), glue (arithmetic that any C++ expression does).

Sources: the PTX ISA manual (instructions), HIP's documentation of C++ language extensions and of its device functions,
LLVM's AMDGPU usage page (builtins).
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.inline_ptx import Asm, Instruction, asm_statements
from softrock.lint.registry import rule

_AMD = re.compile(r"(?:v|s|ds|global|flat|buffer|scratch|image|tbuffer|exp|tensor)_\w+")
_REGISTER = re.compile(r"%%?([a-z_][\w.]*)")
_NUMBERED = re.compile(r"%(\d+)")
_IMMEDIATE = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)[uU]?")
_FLOAT = re.compile(r"0[fFdD][0-9a-fA-F]+")

# Expressions of lop3 by its table: f(0xF0, 0xCC, 0xAA).
LOP3 = {
    0x80: "({0}) & ({1}) & ({2})",
    0xFE: "({0}) | ({1}) | ({2})",
    0x96: "({0}) ^ ({1}) ^ ({2})",
    0xE8: "(({0}) & ({1})) | (({1}) & ({2})) | (({0}) & ({2}))",
    0xCA: "(({0}) & ({1})) | (~({0}) & ({2}))",
    0xEA: "(({0}) & ({1})) | ({2})",
    0x6A: "(({0}) & ({1})) ^ ({2})",
    0xF8: "({0}) | (({1}) & ({2}))",
    0x78: "({0}) ^ (({1}) & ({2}))",
    0x1E: "({0}) ^ (({1}) | ({2}))",
    0xA8: "(({0}) | ({1})) & ({2})",
    0xD8: "(({0}) & ~({2})) | (({1}) & ({2}))",
}


@dataclass(frozen=True, slots=True)
class Idiom:
    """A row of the table; `parts` are the opcode and the modifiers, `operand` the first operand it is about."""

    text: str
    parts: tuple[str, ...]
    operand: str
    status: str
    hip: str
    fix: str
    note: str


@functools.cache
def idioms() -> tuple[Idiom, ...]:
    """The table, in its order."""
    with Path(__file__).with_name("ptx.tsv").open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    found = []
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        values = {key: "" if value == "-" else value for key, value in row.items()}
        name, _, operand = values["idiom"].partition(" ")
        parts = (name,) if name.startswith("%") else tuple(name.split("."))
        found.append(
            Idiom(values["idiom"], parts, operand, values["status"], values["hip"], values["fix"], values["note"])
        )
    return tuple(found)


@functools.cache
def _by_opcode() -> dict[str, list[Idiom]]:
    found: dict[str, list[Idiom]] = {}
    for each in idioms():
        found.setdefault(each.parts[0], []).append(each)
    return found


def _in_order(wanted: tuple[str, ...], parts: list[str]) -> bool:
    rest = iter(parts)
    return all(any(each == part for part in rest) for each in wanted)


def idiom_of(instruction: Instruction) -> Idiom | None:
    """The row for an instruction: that of a special register it reads, else the one that says most about it."""
    for match in _REGISTER.finditer(instruction.text):
        register = "%" + match[1]
        known = [each for each in idioms() if each.text.startswith("%") and register.startswith(each.text)]
        exact = [each for each in known if register == each.text or each.text in ("%cluster", "%envreg", "%pm")]
        if exact:
            return exact[0]
    parts = instruction.name.split(".")
    rows = _by_opcode().get(parts[0]) or _by_opcode().get(parts[0].rstrip("24")) or []
    first = instruction.operands[0] if instruction.operands else ""
    fitting = [
        each for each in rows if _in_order(each.parts[1:], parts[1:]) and (not each.operand or each.operand == first)
    ]
    return max(fitting, key=lambda each: (len(each.parts), bool(each.operand)), default=None)


def _is_ptx(instruction: Instruction, idiom: Idiom | None) -> bool:
    """PTX rather than another assembly: known, and with a type or a special register as only PTX has them."""
    return idiom is not None and ("." in instruction.name or idiom.text.startswith("%") or idiom.status != "glue")


@rule("inline-ptx", Severity.ERROR, fixable=True)
def inline_ptx(file: File) -> Iterator[Finding]:
    """Inline assembly is written in PTX.

    Why:
        PTX is NVIDIA's; AMD's compiler knows none of it, and stops (or, in code behind a macro, silently leaves it
        out). Most idioms have a function that means the same on both: the finding names it, for each instruction that
        is more than arithmetic. Mind the wave: lane numbers go to 63 and masks have 64 bits on CDNA. Barriers for the
        compiler (``asm volatile("" ::: "memory")``) and AMD's own instructions are fine, and code that AMD's compiler
        never sees (``#ifdef __CUDA_ARCH__``) is left alone. docs/ptx-idioms.md lists all idioms.

    Example:
        __device__ int ones(unsigned value) {
          int count;
          asm("popc.b32 %0, %1;" : "=r"(count) : "r"(value));
          return count;
        }

    Fix:
        __device__ int ones(unsigned value) {
          int count;
          count = __popc(value);
          return count;
        }
    """
    out = file.outline
    for asm in asm_statements(out.tokens, file.source.text):
        yield from _check(file, asm, host=_on_host(file, asm.start))
    for line in out.directives:
        if line.active and line.word == "define":
            for asm in asm_statements(line.tokens, file.source.text):
                yield from _check(file, asm, host=False)


def _on_host(file: File, offset: int) -> bool:
    """Whether a place is in a function for the host only."""
    for function in file.outline.functions:
        start, end = (file.outline.tokens[each].offset for each in function.body)
        if start <= offset < end:
            device = function.is_device or any("DEVICE" in word.upper() for word in function.words)
            return not device
    return False


def _check(file: File, asm: Asm, host: bool) -> Iterator[Finding]:
    instructions = asm.instructions
    known = [(each, idiom_of(each)) for each in instructions]
    if not instructions or all(_AMD.fullmatch(each.name) for each in instructions):
        return
    if host and not any(_is_ptx(each, idiom) and "." in each.name for each, idiom in known):
        return
    if not any(_is_ptx(each, idiom) for each, idiom in known):
        if not any("." in each.name for each in instructions):
            return  # another processor's, or a macro's
        first = instructions[0]
        yield file.finding(
            "inline-ptx",
            first.offset,
            len(first.name),
            f"inline assembly for another GPU: {first.name}",
            "write it in C++",
        )
        return
    telling = [(each, idiom) for each, idiom in known if idiom is not None and idiom.status != "glue"]
    unknown = [each for each, idiom in known if idiom is None and "." in each.name and not _AMD.fullmatch(each.name)]
    edits = _fix(file, asm, known)
    seen: set[str] = set()
    for instruction, idiom in telling or [(each, idiom) for each, idiom in known if idiom is not None][:1]:
        assert idiom is not None
        if idiom.text not in seen:
            seen.add(idiom.text)
            yield _finding(file, instruction, idiom, edits)
    for instruction in unknown[:1]:
        yield file.finding(
            "inline-ptx",
            instruction.offset,
            len(instruction.name),
            f"inline PTX: {instruction.name}, which is not in the table of idioms",
            "write it in C++, or with HIP's device functions",
        )


def _finding(file: File, instruction: Instruction, idiom: Idiom, edits: tuple[Edit, ...]) -> Finding:
    shown = idiom.text if idiom.text.startswith("%") else instruction.name
    note = f"; {idiom.note}" if idiom.note else ""
    hint = {
        "direct": f"write {idiom.hip}{note}",
        "partial": f"the nearest is {idiom.hip}{note}",
        "none": f"HIP has no such thing{f', use {idiom.hip}' if idiom.hip else ''}{note}",
        "ignore": f"{idiom.hip or 'it can be left out'}{note}",
        "glue": "write it as a C++ expression",
    }[idiom.status]
    return file.finding(
        "inline-ptx", instruction.offset, len(instruction.name), f"inline PTX: {shown}", hint, fix=edits
    )


def _fix(file: File, asm: Asm, known: list[tuple[Instruction, Idiom | None]]) -> tuple[Edit, ...]:
    """The edit that puts a C++ expression in place of an assembly of one instruction, where the table has one."""
    if len(known) != 1 or set(asm.clobbers) - {"memory"}:
        return ()
    instruction, idiom = known[0]
    if idiom is None or not idiom.fix or instruction.predicated:
        return ()
    template = idiom.fix
    if template.startswith("hip:"):
        if file.language != "hip":
            return ()
        template = template.removeprefix("hip:").strip()
    values = [_value(operand, asm) for operand in instruction.operands]
    if idiom.text.startswith("%"):
        if not instruction.name.startswith("mov") or len(values) != 2:
            return ()
        values = values[:1]
    if any(each is None for each in values) or any(constraint.startswith("+") for constraint, _ in asm.operands):
        return ()
    known_values = [each for each in values if each is not None]
    text = _lop3(known_values) if template == "lop3" else _filled(template, known_values)
    return (Edit(asm.start, asm.end - asm.start, text, "inline-ptx"),) if text else ()


def _value(operand: str, asm: Asm) -> str | None:
    """The C++ expression of an operand: of a numbered one what stands behind its constraint."""
    match = _NUMBERED.fullmatch(operand)
    if match:
        number = int(match[1])
        return asm.operands[number][1] if number < len(asm.operands) else None
    return operand if _IMMEDIATE.fullmatch(operand) else None


def _filled(template: str, values: list[str]) -> str | None:
    numbers = [int(each) for each in re.findall(r"\$(\d)", template)]
    if "$" in template and max(numbers) != len(values) - 1:
        return None
    return re.sub(r"\$(\d)", lambda match: values[int(match[1])], template)


def _lop3(values: list[str]) -> str | None:
    if len(values) != 5 or not _IMMEDIATE.fullmatch(values[4]):
        return None
    expression = LOP3.get(int(values[4].rstrip("uU"), 0))
    return f"{values[0]} = {expression.format(*values[1:4])}" if expression else None
