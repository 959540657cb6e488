"""Cache policies of gfx12 as the assembler writes them (temporal hint and scope)."""

from __future__ import annotations

from softrock.decode.instruction import Instruction

SCOPES = ("", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS")
SYSTEM, DEVICE = 3, 2
HINTS = ("RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", "NT_WB")
RETURN, NON_TEMPORAL, CASCADE = 1, 2, 4


def cache_policy(instruction: Instruction) -> str:
    """`` th:… scope:…``, empty for the default."""
    hint, scope = instruction.mod("th"), instruction.mod("scope")
    text = ""
    if hint:
        name = _atomic(hint, scope) if "_atomic_" in instruction.op else _plain(instruction.op, hint, scope)
        text = f" th:{name or hex(hint)}"
    return text + SCOPES[scope]


def _atomic(hint: int, scope: int) -> str:
    if hint & CASCADE:
        if scope < DEVICE or hint & RETURN:
            return ""
        return "TH_ATOMIC_CASCADE_NT" if hint & NON_TEMPORAL else "TH_ATOMIC_CASCADE_RT"
    if hint & NON_TEMPORAL:
        return "TH_ATOMIC_NT_RETURN" if hint & RETURN else "TH_ATOMIC_NT"
    return "TH_ATOMIC_RETURN"


def _plain(op: str, hint: int, scope: int) -> str:
    is_store = "store" in op
    if hint == 7 and not is_store:
        return ""
    name = HINTS[hint]
    if hint == 3:
        name = "BYPASS" if scope == SYSTEM else "WB" if is_store else "LU"
    return f"TH_{'STORE' if is_store else 'LOAD'}_{name}"
