"""Where the memory of a kernel's arguments comes from, as far as one file's host code shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from softrock.hipify.lexer import Kind
from softrock.lint.outline import Call, Function, Launch, Outline, Range

DEVICE, MANAGED, PINNED, FINE, PAGEABLE = "device", "managed", "pinned", "fine-grained", "pageable"

_ALLOCATIONS = {
    "Malloc": DEVICE,
    "MallocAsync": DEVICE,
    "MallocPitch": DEVICE,
    "MallocManaged": MANAGED,
    "MallocHost": PINNED,
    "HostAlloc": PINNED,
    "HostMalloc": PINNED,
    "ExtMallocWithFlags": FINE,
    "HostRegister": PINNED,
}
_HEAP = frozenset({"malloc", "calloc", "aligned_alloc", "realloc"})
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Allocation:
    """Memory that a variable points to: its kind, the function that made it, the index of that name."""

    kind: str
    by: str
    index: int


def pointer_name(out: Outline, span: Range) -> str:
    """The variable in ``p``, ``&p``, ``(void**)&p``, ``(T*)p``, ``p + n``, ``this->p``; "" in anything else."""
    start, end = span
    while start < end and (out.at(start) in ("&", "*") or (out.at(start) == "(" and _is_cast(out, start, end))):
        start = out.match[start] + 1 if out.at(start) == "(" else start + 1
    if out.at(start) in ("reinterpret_cast", "static_cast", "const_cast") and out.at(start + 1) == "<":
        behind = out.angle(start + 1)
        return pointer_name(out, (behind + 1, out.match[behind])) if behind and behind in out.match else ""
    if start >= end or out.tokens[start].kind is not Kind.NAME:
        return ""
    name = start
    while name + 2 < end and out.at(name + 1) in ("->", "."):
        name += 2
    after = out.at(name + 1) if name + 1 < end else ""
    return out.at(name) if after in ("", "+", "-", "[") and _NAME.fullmatch(out.at(name)) else ""


def _is_cast(out: Outline, opening: int, end: int) -> bool:
    close = out.match.get(opening, end)
    return (close + 1 < end and out.at(close - 1) in ("*", "&")) or (
        close + 1 < end and close == opening + 2 and out.tokens[close + 1].kind is Kind.NAME
    )


def allocations(out: Outline, function: Function) -> dict[str, Allocation]:
    """Variable -> memory, for what a function allocates; the last allocation counts."""
    found: dict[str, Allocation] = {}
    for call in _api_calls(out, function.body):
        suffix = call.name.removeprefix("cuda").removeprefix("hip")
        kind = _ALLOCATIONS.get(suffix)
        if kind and call.arguments:
            if kind == FINE and "inegrained" not in out.text((call.index, call.close)):
                kind = DEVICE
            name = pointer_name(out, call.arguments[0])
            if name:
                found[name] = Allocation(kind, call.name, call.index)
        elif suffix == "HostGetDevicePointer" and len(call.arguments) >= 2:
            source = found.get(pointer_name(out, call.arguments[1]))
            found[pointer_name(out, call.arguments[0])] = source or Allocation(PINNED, call.name, call.index)
    _heap(out, function, found)
    return found


def _api_calls(out: Outline, span: Range) -> Iterator[Call]:
    names = [prefix + each for prefix in ("cuda", "hip") for each in (*_ALLOCATIONS, "HostGetDevicePointer")]
    yield from out.calls(*names, within=span)


def _heap(out: Outline, function: Function, found: dict[str, Allocation]) -> None:
    """Add variables that get memory from malloc or new, arrays of the stack and vectors."""
    for at in out.places("vector", function.body) if out.launches else ():
        behind = out.angle(at + 1) if out.at(at + 1) == "<" else None
        if behind and out.is_name(behind) and "lloc" not in out.text((at, behind)):
            found.setdefault(out.at(behind), Allocation(PAGEABLE, "std::vector", behind))
    for at in range(*function.body) if out.launches else ():
        if out.at(at) == "[" and _local_array(out, at):
            found.setdefault(out.at(at - 1), Allocation(PAGEABLE, "the stack", at - 1))
    if not (_HEAP | {"new"}) & out.names.keys():
        return
    for at in range(*function.body):
        if out.at(at) != "=" or out.tokens[at - 1].kind is not Kind.NAME:
            continue
        value = at + 1
        while out.at(value) == "(" and _is_cast(out, value, function.body[1]):
            value = out.match[value] + 1
        if out.at(value) in ("static_cast", "reinterpret_cast"):
            value = (out.angle(value + 1) or value) + 1
        if out.at(value) == "std":
            value += 2
        if out.at(value) in _HEAP or (
            out.at(value) == "new" and "[" in [out.at(each) for each in range(value, value + 6)]
        ):
            found.setdefault(out.at(at - 1), Allocation(PAGEABLE, out.at(value), at - 1))


_SCALARS = frozenset(
    "int unsigned float double char long short bool size_t half int32_t uint32_t int64_t uint64_t".split()
)


def _local_array(out: Outline, bracket: int) -> bool:
    """``float a[64]`` as a declaration of its own."""
    declared = out.tokens[bracket - 1].kind is Kind.NAME and out.at(bracket - 2) in _SCALARS
    before = out.at(bracket - 3) in (";", "{", "}", "const", "unsigned", "long")
    return declared and before and out.at(out.match.get(bracket, bracket) + 1) in (";", "=", "{")


def managed_variables(out: Outline) -> dict[str, int]:
    """``__managed__`` variables of the file: name -> index."""
    found = {}
    for at in out.names.get("__managed__", ()):
        end = at
        while end < min(at + 12, len(out.tokens)) and out.at(end) not in (";", "=", "[", "("):
            end += 1
        if out.tokens[end - 1].kind is Kind.NAME:
            found[out.at(end - 1)] = end - 1
    return found


@dataclass(frozen=True, slots=True)
class Given:
    """A kernel's parameter and the memory that a launch gives it."""

    launch: Launch
    kernel: Function
    position: int
    memory: Allocation


def given_memory(out: Outline) -> Iterator[Given]:
    """The pointers that the file's launches give to the file's kernels, where their memory is known."""
    kernels = {each.name: each for each in out.functions if each.is_kernel}
    known: dict[int, dict[str, Allocation]] = {}
    for launch in out.launches:
        kernel = kernels.get(launch.kernel)
        host = out.function_at(launch.index)
        if kernel is None or host is None:
            continue
        if host.index not in known:
            known[host.index] = allocations(out, host)
        for position, span in enumerate(launch.arguments):
            memory = known[host.index].get(pointed_at(out, span)) if _is_pointer(out, span) else None
            if memory and position < len(kernel.parameters):
                yield Given(launch, kernel, position, memory)


def pointed_at(out: Outline, span: Range) -> str:
    """The variable whose memory is handed on: of ``v.data()`` the vector."""
    if span[1] - span[0] == 5 and out.text((span[0] + 1, span[1])) == ". data ( )":
        return out.at(span[0])
    return pointer_name(out, span)


def _is_pointer(out: Outline, span: Range) -> bool:
    """Whether an argument hands on a pointer, not what it points to."""
    if span[1] <= span[0] or out.at(span[0]) == "*":
        return False
    return out.at(span[0]) == "&" or "[" not in [out.at(at) for at in range(*span)]
