"""What is written about the rules: `--explain`, `--list`, docs/rules and docs/porting.md."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from softrock.core.errors import UsageError
from softrock.lint.registry import Language, Rule, rules
from softrock.lint.rules.ptx import idioms

FAMILIES = {
    "wave_size": "Wave size",
    "masks": "Lane masks",
    "shuffles": "Shuffles",
    "reductions": "Reductions over lanes",
    "launch": "Launches",
    "launch_bounds": "Launch bounds",
    "ptx": "Inline PTX",
    "textures": "Textures and surfaces",
    "shared_memory": "Shared memory",
    "atomics": "Atomics and locks",
    "barriers": "Barriers",
    "errors": "Error checks",
    "fp8": "FP8 formats",
    "arch": "Decisions by architecture",
    "device_properties": "Device properties, clocks and limits",
    "streams": "Streams and synchronisation",
    "unified_memory": "Unified memory and pointers",
    "python_kernels": "Kernels written in Python",
    "python_lanes": "Lanes in kernels written in Python",
}
"""Module of rules -> its heading in the guide, in the guide's order."""


def languages(rule: Rule) -> str:
    """The sources a rule looks at, as a reader says it."""
    names = {Language.CUDA: "CUDA", Language.HIP: "HIP", Language.PYTHON: "Python"}
    return ", ".join(name for flag, name in names.items() if flag in rule.languages)


def _fence(rule: Rule) -> str:
    return "python" if rule.languages is Language.PYTHON else "cpp"


def families() -> Iterable[tuple[str, list[Rule]]]:
    """(heading, rules) in the guide's order; a family without a heading comes last under its module's name."""
    by_family: dict[str, list[Rule]] = {}
    for rule in rules().values():
        by_family.setdefault(rule.family, []).append(rule)
    for family in [*FAMILIES, *sorted(set(by_family) - set(FAMILIES))]:
        if family in by_family:
            yield FAMILIES.get(family, family.replace("_", " ").capitalize()), by_family[family]


def overview() -> str:
    """All rules, a line each."""
    width = max((len(each) for each in rules()), default=0)
    lines: list[str] = []
    for heading, members in families():
        lines += ["", f"{heading}:"]
        for rule in members:
            mark = "*" if rule.fixable else " "
            lines.append(f"  {rule.id:{width}} {rule.severity!s:8}{mark} {' '.join(rule.title.split())}")
    return "\n".join([*lines[1:], "", "* some of its findings are mended by --fix"])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def explanation(name: str) -> str:
    """All about one rule, for the terminal.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in rules():
        close = difflib.get_close_matches(name, rules(), 1)
        raise UsageError(f"no such rule: {name}", hint=f"did you mean {close[0]}?" if close else "see --list")
    rule = rules()[name]
    head = f"{rule.id} ({rule.severity}; {languages(rule)}{'; --fix' if rule.fixable else ''})"
    why = rule.why.replace("``", "")
    return "\n\n".join(
        [head, rule.title, why, "Found in:", _indented(rule.example), "Instead:", _indented(rule.fix), _silencing(rule)]
    )


def _silencing(rule: Rule) -> str:
    mark = "#" if rule.languages is Language.PYTHON else "//"
    return f"Where it is meant: {mark} softrock: allow({rule.id}) reason"


def page(rule: Rule) -> str:
    """The page of a rule in docs/rules (Markdown)."""
    fence = _fence(rule)
    facts = [f"Severity: {rule.severity}", f"languages: {languages(rule)}"]
    if rule.fixable:
        facts.append("`--fix` mends some of its findings")
    mark = "#" if fence == "python" else "//"
    return "\n".join(
        [
            f"# {rule.id}",
            "",
            rule.title,
            "",
            f"{'; '.join(facts)}.",
            "",
            _markdown(rule.why),
            "",
            "## Found in",
            "",
            f"```{fence}",
            rule.example,
            "```",
            "",
            "## Instead",
            "",
            f"```{fence}",
            rule.fix,
            "```",
            "",
            "## Where it is meant",
            "",
            f"```{fence}",
            f"{mark} softrock: allow({rule.id}) reason",
            "```",
            "",
            "This page is made from the rule by `python tools/rule_docs.py`.",
            "",
        ]
    )


def _markdown(text: str) -> str:
    return text.replace("``", "`")


_GUIDE = """\
# Porting from CUDA: what a translation leaves wrong

`softrock hipify` translates names. This guide is about what stays behind: code that compiles after translation and
assumes an NVIDIA GPU. `softrock lint PATH...` finds such places; each section below lists the rules of one subject, and
each rule has a page that says what happens, with an example and its mend.

    softrock lint src                          # for gfx942 (64 lanes a wave) and gfx1100 (32)
    softrock lint src --gpu gfx950             # for one GPU
    softrock lint compile_commands.json        # what a build compiles, with its include paths and definitions
    softrock lint src --fix                    # make the edits that are safe without a look
    softrock lint --explain ballot-in-32-bits

Findings have a severity: an *error* is wrong on a chosen GPU, a *warning* is wrong in some circumstances that the tool
cannot see, a *note* is a cost or a habit. Only errors make the exit status 1. A comment
`// softrock: allow(rule-id) reason` on the line or the one before it silences a finding,
`// softrock: allow-file(rule-id) reason` a rule in a file (Python: behind `#`). Rules about the size of a wave keep
silent in code that is chosen by it (`if (warpSize == 64)`, `#if __AMDGCN_WAVEFRONT_SIZE == 32`). For code with a
history, `--baseline FILE --write-baseline` records what is there, and `--baseline FILE` then shows only what is new.

## In which order

1. Translate, and compile for the targets; hand-translate what `softrock hipify` reports as unknown.
2. Lint. Mend the errors of wave size and lane masks first: they are silent wrong results on GPUs with 64 lanes a wave.
3. Run the tests on a GPU with 64 lanes a wave and on one with 32.
4. Look at warnings and notes where tests fail or time is lost.

A file is parsed where it can be (then types are known, through aliases, templates and structures), and looked at token
by token otherwise; `--tokens` leaves the parse out. [PTX idioms](ptx-idioms.md) lists what to write instead of inline
assembly, [faults from the field](lint-field-cases.md) shows rules on public faults before and after they were mended,
and [findings in public code](lint-precision.md) how often lint is wrong.
"""


def guide() -> str:
    """docs/porting.md."""
    parts = [_GUIDE]
    for heading, members in families():
        rows = [f"| [{each.id}](rules/{each.id}.md) | {each.severity} | {_cell(each)} |" for each in members]
        parts.append(
            "\n".join([f"## {heading}", "", "| rule | severity | what it finds |", "|---|---|---|", *rows, ""])
        )
    parts.append("This page is made from the rules by `python tools/rule_docs.py`.\n")
    return "\n".join(parts)


def _cell(rule: Rule) -> str:
    return _markdown(" ".join(rule.title.split())).replace("|", "\\|")


_IDIOMS = """\
# PTX idioms and what to write instead

What `softrock lint` knows of inline PTX: special registers, and opcodes with the modifiers that matter. *direct*: a
function or expression means the same; *partial*: the nearest there is; *none*: has to be designed anew; *ignore*: can
be left out; *glue*: arithmetic that any C++ expression does. Where a fix is named, `--fix` makes it for an assembly of
that one instruction (`$0` is its first operand; *hip:* in HIP sources only, because CUDA has no such function).

| idiom | status | in HIP | fix | note |
|---|---|---|---|---|
"""


def idiom_page() -> str:
    """docs/ptx-idioms.md."""
    rows = []
    for each in idioms():
        fix = "by its table" if each.fix == "lop3" else f"`{each.fix}`" if each.fix else ""
        cells = (f"`{each.text}`", each.status, each.hip.replace("__", r"\_\_"), fix, each.note.replace("__", r"\_\_"))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return _IDIOMS + "".join(rows) + "\nThis page is made from the rules by `python tools/rule_docs.py`.\n"


def pages() -> dict[str, str]:
    """Path below docs/ -> text, of all pages made from the rules."""
    by_rule = {f"rules/{each.id}.md": page(each) for each in rules().values()}
    return {"porting.md": guide(), "ptx-idioms.md": idiom_page(), **by_rule}
