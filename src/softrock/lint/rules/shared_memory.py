"""Shared memory: how much there is, and the habit of using it without barriers within a warp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.outline import Function, Outline, Range
from softrock.lint.registry import rule
from softrock.lint.shared_sizes import SharedSizes, Variable
from softrock.lint.sizes import Sizes
from softrock.lint.targets import Target


@dataclass(frozen=True, slots=True)
class Array:
    """A ``__shared__`` variable: its name, the index of its name, its bytes (None where they are not known)."""

    name: str
    index: int
    bytes: int | None
    volatile: bool


def arrays(out: Outline, sizes: Sizes, function: Function) -> list[Array]:
    """The shared variables that a function declares, without ``extern`` ones."""
    return [each for at in out.places("__shared__", function.body) for each in _declared(out, sizes, at, function)]


def _outside(out: Outline, sizes: Sizes) -> list[Array]:
    """The shared variables that the file declares outside of functions."""
    places = [at for at in out.names.get("__shared__", ()) if out.function_at(at) is None]
    return [each for at in places for each in _declared(out, sizes, at, None)]


_LONG = 200
"""Tokens of a declaration before and behind ``__shared__``, at most."""


def _declared(out: Outline, sizes: Sizes, at: int, function: Function | None) -> list[Array]:
    """The variables of the declaration that a ``__shared__`` stands in."""
    first, last = function.body if function else (0, len(out.tokens))
    start = at
    while out.at(start - 1) not in (";", "{", "}", "") and start > max(first, at - _LONG):
        start -= 1
    end, last = at, min(last, at + _LONG)
    while end < last and out.at(end) not in (";", "=", "{"):
        end = out.match[end] + 1 if out.at(end) in ("(", "[") and end in out.match else end + 1
    if "extern" in out.words((start, end)):
        return []
    parts = _by_commas(out, start, end)
    bracket = next((i for i in range(start, parts[0][1]) if out.at(i) == "["), parts[0][1])
    type_ = [i for i in range(start, bracket - 1) if out.at(i) not in ("__align__", "alignas")]
    text = " ".join(_without_alignment(out, type_))
    found = []
    for number, (begin, stop) in enumerate(parts):
        name = bracket - 1 if number == 0 else begin
        size, count = sizes.size(text), sizes.extent(name + 1, function)
        total = size * count if size is not None and count is not None and stop > begin else None
        found.append(Array(out.at(name), name, total, "volatile" in text.split()))
    return found


def _by_commas(out: Outline, start: int, end: int) -> list[Range]:
    """Declarators of a declaration; commas of template arguments do not part them."""
    parts, at, begin = [], start, start
    while at < end:
        if out.at(at) == "<":
            at = out.angle(at) or at + 1
            continue
        if out.at(at) in ("(", "[") and at in out.match:
            at = out.match[at]
        elif out.at(at) == ",":
            parts.append((begin, at))
            begin = at + 1
        at += 1
    return [*parts, (begin, end)]


def _without_alignment(out: Outline, indices: list[int]) -> list[str]:
    """Texts of a type without ``alignas(…)`` and its kin's parentheses."""
    texts, skip = [], -1
    for index in indices:
        if index <= skip:
            continue
        if out.at(index) == "(" and index in out.match:
            skip = out.match[index]
            continue
        texts.append(out.at(index))
    return texts


def used_by(out: Outline, sizes: Sizes, kernel: Function) -> list[Array]:
    """Shared variables of a kernel and of the file's functions that it calls, each once."""
    by_name = {each.name: each for each in out.functions if not each.is_kernel}
    outside = _outside(out, sizes)
    seen: dict[str, Function] = {kernel.name: kernel}
    waiting = [kernel]
    found: list[Array] = []
    while waiting:
        function = waiting.pop()
        found += arrays(out, sizes, function)
        found += [each for each in outside if each.name in out.words(function.body) and each not in found]
        for token in out.tokens[function.body[0] : function.body[1]]:
            if token.text in by_name and token.text not in seen:
                seen[token.text] = by_name[token.text]
                waiting.append(by_name[token.text])
    return sorted(found, key=lambda each: each.index)


def _over(targets: list[Target], total: int) -> str:
    return ", ".join(f"{each.lds >> 10} KiB on {each.gfx}" for each in targets if total > each.lds)


@rule("shared-memory-limit", Severity.ERROR)
def shared_memory_limit(file: File) -> Iterator[Finding]:
    """A workgroup wants more shared memory than the GPU has.

    Why:
        A workgroup may have 64 KiB of LDS on gfx90a, gfx942 and RDNA GPUs, 160 KiB on gfx950. CUDA's GPUs give 48 KiB
        of static shared memory, and up to 99, 163 or 227 KiB of dynamic shared memory to kernels that opt in with
        cudaFuncSetAttribute. A kernel tuned for that does not launch (or, with static arrays, does not link) on an AMD
        GPU with 64 KiB: tiles have to shrink, or go to registers. The limit is
        hipDeviceAttributeMaxSharedMemoryPerBlock, which a program should ask for.

    Example:
        __global__ void tile(float* data) {
          __shared__ float cache[5][64][64];
          cache[0][0][threadIdx.x] = data[threadIdx.x];
        }

    Fix:
        __global__ void tile(float* data) {
          __shared__ float cache[4][64][64];
          cache[0][0][threadIdx.x] = data[threadIdx.x];
        }
    """
    out = file.outline
    sizes = file.values.sizes
    static: dict[str, int] = {}
    by_tree = SharedSizes(file.tree, sizes).kernels() if file.tree is not None else {}
    for kernel in out.functions:
        if not kernel.is_kernel:
            continue
        place = out.tokens[kernel.index].offset
        used = by_tree.get(place) or [
            Variable(each.name, out.tokens[each.index].offset, each.bytes)
            for each in used_by(out, sizes, kernel)
            if each.bytes is not None
        ]
        total = sum(each.bytes for each in used)
        static[kernel.name] = max(total, static.get(kernel.name, 0))
        limits = _over(list(file.targets), total)
        if limits:
            largest = max(used, key=lambda each: each.bytes)
            yield file.finding(
                "shared-memory-limit",
                largest.offset,
                len(largest.name),
                f"{kernel.name} has {total} bytes of static shared memory; the limit is {limits}",
                "make the tile smaller, or keep part of it in registers",
            )
    yield from _dynamic(file, out, sizes, static)
    yield from _opted_in(file, out, sizes)


def _dynamic(file: File, out: Outline, sizes: Sizes, static: dict[str, int]) -> Iterator[Finding]:
    for launch in out.launches:
        if len(launch.configuration) < 3:
            continue
        span = launch.configuration[2]
        bytes_ = sizes.value(span, out.function_at(launch.index))
        if bytes_ is None or bytes_ <= 0:
            continue
        total = bytes_ + static.get(launch.kernel, 0)
        limits = _over(list(file.targets), total)
        if limits:
            rest = f" with {static[launch.kernel]} static ones" if static.get(launch.kernel) else ""
            yield file.finding(
                "shared-memory-limit",
                *out.offsets(span),
                f"{bytes_} bytes of dynamic shared memory{rest} for {launch.kernel}; the limit is {limits}",
                "make the tile smaller; ask for hipDeviceAttributeMaxSharedMemoryPerBlock",
            )


def _opted_in(file: File, out: Outline, sizes: Sizes) -> Iterator[Finding]:
    for call in out.calls("cudaFuncSetAttribute", "hipFuncSetAttribute", "cuFuncSetAttribute"):
        if len(call.arguments) != 3 or "MAX_DYNAMIC_SHARED" not in _plain(out.text(call.arguments[1])):
            continue
        bytes_ = sizes.value(call.arguments[2], out.function_at(call.index))
        limits = _over(list(file.targets), bytes_) if bytes_ is not None else ""
        if limits:
            yield file.finding(
                "shared-memory-limit",
                *out.offsets(call.arguments[2]),
                f"{bytes_} bytes of dynamic shared memory are asked for; the limit is {limits}",
                "make the tile smaller; ask for hipDeviceAttributeMaxSharedMemoryPerBlock",
            )


def _plain(attribute: str) -> str:
    """The attribute's name in the way of the driver's."""
    return attribute.upper().replace("MAXDYNAMICSHARED", "MAX_DYNAMIC_SHARED")


@rule("warp-synchronous", Severity.NOTE)
def warp_synchronous(file: File) -> Iterator[Finding]:
    """Threads of a warp hand values to each other through volatile shared memory, without a barrier.

    Why:
        The last steps of old reductions run in one warp of 32 threads on a ``volatile`` pointer, and count on the warp
        going in lockstep. CUDA has not promised that since Volta. On AMD GPUs the wave has 64 lanes or 32, the
        compiler may move accesses of different lanes, and with 32 lanes per wave code made for 64 has no lockstep at
        all. A ``__syncwarp()`` between the steps (or a shuffle) says what is meant.

    Example:
        __device__ void last(volatile float* part, int t) {
          part[t] += part[t + 32];
          part[t] += part[t + 16];
        }

    Fix:
        __device__ void last(float* part, int t) {
          float sum = part[t] + part[t + 32];
          __syncwarp();
          part[t] = sum;
          __syncwarp();
          sum += part[t + 16];
          __syncwarp();
          part[t] = sum;
        }
    """
    out = file.outline
    sizes = file.values.sizes
    for function in out.functions:
        if not function.is_device:
            continue
        names = {each.name for each in function.parameters if "volatile" in each.type.split() and "*" in each.type}
        names |= {each.name for each in arrays(out, sizes, function) if each.volatile}
        names |= _volatile_pointers(out, function)
        if names:
            yield from _handovers(file, out, function, names)


def _volatile_pointers(out: Outline, function: Function) -> set[str]:
    """Local ``volatile T* p = …``."""
    found = set()
    for at in out.names.get("volatile", ()):
        if function.body[0] <= at < function.body[1]:
            end = at
            while end < function.body[1] and out.at(end) not in (";", "=", "(", ")", "["):
                end += 1
            if out.at(end) == "=" and "*" in out.text((at, end)):
                found.add(out.at(end - 1))
    return found


def _handovers(file: File, out: Outline, function: Function, names: set[str]) -> Iterator[Finding]:
    """The first of two or more neighbouring ``p[i] op= p[i + n]`` without anything between them, once a function."""
    previous = None
    for statement, _ in function.paths():
        if statement.kind == "block" or statement.children:
            continue
        step = _step(out, (statement.start, statement.end), names)
        if step and previous is not None:
            yield file.finding(
                "warp-synchronous",
                *out.offsets((previous, previous + 1)),
                f"steps through volatile {out.at(previous)} count on a warp in lockstep",
                "put __syncwarp() between read and write of each step, or use __shfl_down",
            )
            return
        previous = _first(out, (statement.start, statement.end), names) if step else None


def _first(out: Outline, span: Range, names: set[str]) -> int:
    return next(at for at in range(*span) if out.at(at) in names)


def _step(out: Outline, span: Range, names: set[str]) -> bool:
    """Whether a statement writes an element of one of the arrays from another element of it."""
    for name in names & out.words(span):
        subscripts = [
            out.text((at + 2, out.match[at + 1]))
            for at in range(*span)
            if out.at(at) == name and out.at(at + 1) == "[" and at + 1 in out.match
        ]
        assigned = any(out.at(at) in ("=", "+=", "*=", "|=", "&=", "^=") for at in range(*span))
        if assigned and len(set(subscripts)) > 1:
            return True
    return False
