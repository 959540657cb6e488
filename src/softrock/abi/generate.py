"""Writes the C source of the stubs and the linker's version script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from softrock.abi.prototypes import Prototype

HERE = Path(__file__).parent
NATIVE_CALLS = re.compile(r"^\w.*?\b\*{0,2}(__hip\w+|hip\w+)\(", re.MULTILINE)


def versions() -> dict[str, list[str]]:
    """Symbol version nodes of libamdhip64, oldest first, each with the names it introduced."""
    nodes: dict[str, list[str]] = {}
    names: list[str] = []
    for line in (HERE / "versions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.endswith(":"):
            names = nodes.setdefault(line[:-1], [])
        else:
            names.extend(line.split())
    return nodes


def native_names(sources: Iterable[Path]) -> set[str]:
    """Names of the calls that hand-written C files define at the start of a line."""
    found: set[str] = set()
    for source in sources:
        found.update(NATIVE_CALLS.findall(source.read_text(encoding="utf-8")))
    return found


def stub(prototype: Prototype) -> str:
    """One function that packs its arguments into slots and calls the dispatcher."""
    arguments = ", ".join(f"{kind} {name}" for kind, name in prototype.params) or "void"
    count = len(prototype.params)
    kinds = ", ".join([f"SR_KIND({name})" for _, name in prototype.params] + ["0"])
    lines = [f"{prototype.result} {prototype.name}({arguments}) {{"]
    lines.append(f"    static const char kinds[] = {{{kinds}}};")
    lines.append(f'    static const sr_stub stub = {{"{prototype.name}", kinds}};')
    lines.append(f"    uint64_t slots[{max(count, 1)}];")
    lines += [f"    SR_PUT(slots[{i}], {name});" for i, (_, name) in enumerate(prototype.params)]
    if prototype.result.endswith("Error_t"):
        lines.append(f"    return ({prototype.result})sr_note(sr_call(&stub, slots));")
    elif prototype.result == "hiprtcResult":
        lines.append(f"    return ({prototype.result})sr_call(&stub, slots);")
    elif prototype.result == "void":
        lines.append("    sr_call(&stub, slots);")
    else:
        lines.append("    slots[0] = 0;" if not count else "")
        lines.append("    if (sr_call(&stub, slots) != 0) slots[0] = 0;")
        cast = "(uintptr_t)" if "*" in prototype.result else ""
        lines.append(f"    return ({prototype.result}){cast}slots[0];")
    lines.append("}")
    return "\n".join(line for line in lines if line)


def unknown_stub(name: str) -> str:
    """A function whose prototype is not known here: it can only say that it is not supported."""
    return (
        f"hipError_t {name}(void) {{\n"
        f'    static const sr_stub stub = {{"{name}", ""}};\n'
        f"    uint64_t slots[1] = {{0}};\n"
        f"    return (hipError_t)sr_note(sr_call(&stub, slots));\n}}"
    )


def error_table(errors: Iterable[tuple[int, str, str]]) -> str:
    """C table of error codes, names and texts."""
    rows = "".join(f'    {{{code}, "{name}", "{text}"}},\n' for code, name, text in errors)
    head = "typedef struct { int code; const char *name, *text; } sr_error;\n"
    return f"{head}static const sr_error sr_errors[] = {{\n{rows}}};\n"


def export_table(names: Iterable[str]) -> str:
    """C source of the table of all exported functions, sorted for a binary search.

    It includes no header: the functions stand there under their linker names, which macros of the headers hide.
    """
    ordered = sorted(names)
    text = '#include "shim.h"\n' + "".join(f"extern void {name}(void);\n" for name in ordered)
    rows = "".join(f'    {{"{name}", (void *){name}}},\n' for name in ordered)
    return f"{text}const sr_export sr_exports[] = {{\n{rows}}};\nconst size_t sr_export_count = {len(ordered)};\n"


def version_script(exported: set[str], nodes: Mapping[str, list[str]]) -> str:
    """The linker's version script: each exported name in its node, everything else local."""
    left = set(exported)
    parts: list[str] = []
    placed = {node: sorted(left.intersection(names)) for node, names in nodes.items()}
    for names in placed.values():
        left.difference_update(names)
    first = next(iter(nodes))
    placed[first] = sorted({*placed[first], *left})
    before = ""
    for node, names in placed.items():
        body = "".join(f"        {name};\n" for name in names)
        scope = f"    global:\n{body}" if names else ""
        local = "    local:\n        *;\n" if node == first else ""
        parts.append(f"{node} {{\n{scope}{local}}}{before};\n")
        before = f" {node}"
    return "".join(parts)
