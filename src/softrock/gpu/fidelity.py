"""How true each operation of a target is: exact, approximate (and how good), or not supported.

Made from the instruction tables and the registered semantics, so it cannot go stale.
"""

from __future__ import annotations

from typing import NamedTuple


class Fidelity(NamedTuple):
    """One operation.

    Attributes:
        name: as the target's assembler spells it (without encoding suffix). op: canonical name.
        encodings: the encodings it has.
        level: "exact", "approximate" or "unsupported".
        note: for approximate ones, how good the result is.
    """

    name: str
    op: str
    encodings: tuple[str, ...]
    level: str
    note: str


_CONTROL = ("s_endpgm", "s_branch", "s_cbranch", "s_setpc_b64", "s_swappc_b64", "s_call_b64")
"""Operations that `lift.function` translates itself."""
_SUFFIXES = ("_e32", "_e64", "_dpp", "_sdwa", "_dpp8", "_e64_dpp")
_UNSUPPORTED_BRANCHES = ("s_cbranch_i_fork", "s_cbranch_g_fork", "s_cbranch_join", "s_cbranch_cdbg")


def fidelity(gfx: str) -> list[Fidelity]:
    """Every operation of a target, sorted by name.

    Raises:
        UsageError: the target is unknown.
    """
    from softrock.isa import table, target
    from softrock.lift import registry

    target(gfx)
    found: dict[str, tuple[str, set[str]]] = {}
    for row in table(gfx).rows:
        name = row.asm
        for suffix in sorted(_SUFFIXES, key=len, reverse=True):
            name = name.removesuffix(suffix)
        found.setdefault(name, (row.op, set()))[1].add(row.encoding)
    out = []
    for name, (op, encodings) in sorted(found.items()):
        semantic = registry.lookup(op)
        if semantic is not None:
            level, note = semantic.exactness, semantic.note
        elif op.startswith(_CONTROL) and not op.startswith(_UNSUPPORTED_BRANCHES):
            level, note = "exact", ""
        else:
            level, note = "unsupported", ""
        out.append(Fidelity(name, op, tuple(sorted(encodings)), level, note))
    return out


def summary(entries: list[Fidelity]) -> dict[str, int]:
    """How many operations there are of each level."""
    counts = {"exact": 0, "approximate": 0, "unsupported": 0}
    for each in entries:
        counts[each.level] += 1
    return counts
