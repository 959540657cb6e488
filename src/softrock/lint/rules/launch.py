"""The warp size on the host, and where the compiler has to know it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from softrock.core.errors import UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.hipify.source import Source
from softrock.lint.device_macros import DEVICE_MACRO, decided, locally_decided, regions
from softrock.lint.file import File
from softrock.lint.lanes import WARP_SIZE_NAME, Lanes, gpus, lanes, others
from softrock.lint.outline import Function, Range
from softrock.lint.registry import rule

_HOST_WORD = re.compile(r"(?:hip|cuda)[A-Z]\w*|dim3|std|cout|printf|\w*LAUNCH\w*")


def _host(view: Lanes, function: Function) -> bool:
    """A function surely runs on the host: it launches, or it calls what only the host may."""
    if view.device(function) or "__device__" in view.outline.words(function.body):
        return False
    words = view.outline.words(function.body)
    launches = any(view.outline.at(at) == "<<<" for at in range(*function.body))
    return launches or any(re.fullmatch(r"(?:hip|cuda)[A-Z]\w*|dim3|\w*LAUNCH_?KERNEL\w*", word) for word in words)


def _own(view: Lanes) -> bool:
    """The file has a warpSize of its own."""
    return "warpSize" in view.outline.macros or any(
        view.values.declaration("warpSize", at) is not None for at in view.outline.names.get("warpSize", ())
    )


def _runtime_names(view: Lanes) -> dict[str, str]:
    """Macros made from the built-in warpSize -> what they stand for."""
    found = {"warpSize": "warpSize"}
    grown = True
    while grown:
        grown = False
        for name, body in view.outline.macros.items():
            words = {each.text for each in body if each.kind is Kind.NAME}
            if name not in found and words & found.keys() and "." not in {each.text for each in body}:
                found[name] = " ".join(each.text for each in body)
                grown = True
    return found


def _names_in(view: Lanes, span: Range, names: dict[str, str]) -> int | None:
    """Index of the first of some names in a range that is no member."""
    for at in range(*span):
        if view.outline.at(at) in names and view.outline.at(at - 1) not in (".", "->", "::"):
            return at
    return None


@rule("warp-size-as-constant", Severity.ERROR)
def warp_size_as_constant(file: File) -> Iterator[Finding]:
    """``warpSize`` stands where the compiler needs a constant.

    Why:
        From HIP 7 on ``warpSize`` is a value that is known when the kernel runs, as in CUDA: it can be no bound of an
        array, no template argument, no case label, no initialiser of a constexpr variable. Code that relied on HIP's
        earlier constant no longer compiles.

    Example:
        __global__ void kernel(float *x) {
            __shared__ float part[1024 / warpSize];
            part[threadIdx.x / warpSize] = x[threadIdx.x];
        }

    Fix:
        __global__ void kernel(float *x) {
            __shared__ float part[1024 / 32];
            part[threadIdx.x / warpSize] = x[threadIdx.x];
        }
    """
    view = lanes(file)
    names = _runtime_names(view)
    if _own(view) or not any(view.outline.names.get(each) for each in names):
        return
    told: set[int] = set()
    for place, what in _constant_places(view, names):
        at = _names_in(view, place, names)
        if at is None or at in told:
            continue
        told.add(at)
        name = view.outline.at(at)
        made = "" if name == "warpSize" or name not in names else f" ({names[name]})"
        message = f"{name}{made} is no constant from HIP 7 on, but {what} needs one"
        hint = "use the largest number that is needed (waves of 32 lanes), or a template parameter chosen on the host"
        yield view.finding("warp-size-as-constant", (at, at + 1), message, hint)


def _constant_places(view: Lanes, names: dict[str, str]) -> Iterator[tuple[Range, str]]:
    """Ranges that must be constant, each with what it is."""
    outline, values = view.outline, view.values
    constants = dict(names)
    for at in range(1, len(outline.tokens)):
        token, text = outline.tokens[at], outline.at(at)
        if (text == "[" and at in outline.match and outline.tokens[at - 1].kind is Kind.NAME) or (
            text == "[" and outline.at(at - 1) == "]"
        ):
            name = at - 1
            while outline.at(name) == "]" and name in outline.match:
                name = outline.match[name] - 1
            declared = values.declaration(outline.at(name), name) if name >= 0 else None
            if declared and declared[0] == name and at in outline.match:
                yield (at + 1, outline.match[at]), "the bound of an array"
                inner = _variable(view, (at + 1, outline.match[at]), constants)
                if inner:
                    names.setdefault(outline.at(inner[0]), inner[1])
                    yield (inner[0], inner[0] + 1), "the bound of an array"
        elif text == "static_assert" and outline.at(at + 1) == "(" and at + 1 in outline.match:
            yield (at + 2, outline.match[at + 1]), "static_assert"
        elif text == "case" and token.kind is Kind.NAME:
            colon = next((each for each in range(at, min(at + 12, len(outline.tokens))) if outline.at(each) == ":"), at)
            yield (at + 1, colon), "a case label"
        elif text == "constexpr" and outline.at(at + 1) != "(":
            _, behind = values.statement(at)
            equals = next((each for each in range(at, behind) if outline.at(each) in ("=", "{", "(")), None)
            if equals is not None and outline.at(equals) == "=":
                yield (equals + 1, behind), "a constexpr variable"
        elif text == "__launch_bounds__" and outline.at(at + 1) == "(" and at + 1 in outline.match:
            yield (at + 2, outline.match[at + 1]), "__launch_bounds__"
        elif text == "<" and outline.tokens[at - 1].kind is Kind.NAME:
            close = outline.angle(at)
            if close and _template_arguments(view, at, close):
                yield (at + 1, close - 1), "a template argument"


def _variable(view: Lanes, span: Range, names: dict[str, str]) -> tuple[int, str] | None:
    """A constant variable in a range whose initialiser is made from warpSize: (index of its use, the initialiser)."""
    for at in range(*span):
        if view.outline.tokens[at].kind is not Kind.NAME or view.outline.at(at) in names:
            continue
        place = view.values.declaration(view.outline.at(at), at)
        initial = view.values.initial(place[0]) if place and "const" in place[1].split() else None
        if initial and _names_in(view, initial, names) is not None:
            return at, view.outline.text(initial)
    return None


def _template_arguments(view: Lanes, opening: int, close: int) -> bool:
    """What stands between ``<`` and ``>`` are a template's arguments, not two comparisons."""
    outline = view.outline
    name = outline.at(opening - 1)
    declared = view.values.declaration(name, opening)
    variable = declared is not None and declared[1].split()[-1] not in ("struct", "class", "union", "using")
    if name == "template" or (variable and declared is not None and outline.at(declared[0] + 1) != "("):
        return False  # a variable: two comparisons
    allowed = all(
        outline.tokens[at].kind in (Kind.NAME, Kind.NUMBER)
        or outline.at(at) in (",", "::", "*", "/", "+", "-", "%", "(", ")", "<", ">", "&", ".", "<<", ">>")
        for at in range(opening + 1, close - 1)
    )
    behind = outline.at(close)
    return allowed and (behind in ("(", "::", "{", ";", ",", ">", "&", "*", "<<<", ")") or behind.isidentifier())


@rule("warp-size-on-host", Severity.ERROR)
def warp_size_on_host(file: File) -> Iterator[Finding]:
    """The host uses the built-in ``warpSize``.

    Why:
        ``warpSize`` belongs to device code. In host code it was a constant of HIP's headers (64, whatever the GPU) and
        is gone from HIP 7 on. The host has to ask the device: ``hipDeviceGetAttribute`` with
        ``hipDeviceAttributeWarpSize``, or ``hipDeviceProp_t::warpSize``.

    Example:
        #include <hip/hip_runtime.h>
        __global__ void kernel() {}
        void start(int n) {
            dim3 block(warpSize);
            kernel<<<n, block>>>();
        }

    Fix:
        #include <hip/hip_runtime.h>
        __global__ void kernel() {}
        void start(int n) {
            int size = 0;
            if (hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0) != hipSuccess) return;
            kernel<<<n, dim3(size)>>>();
        }
    """
    view = lanes(file)
    names = _runtime_names(view)
    if _own(view) or file.language == "python":
        return
    for function in view.outline.functions:
        if not any(view.outline.names.get(each) for each in names) or not _host(view, function):
            continue
        for at in range(*function.body):
            if _names_in(view, (at, at + 1), names) is not None:
                name = view.outline.at(at)
                made = "" if name == "warpSize" else f" ({names[name]})"
                message = f"{name}{made} in host code: the host has no warpSize from HIP 7 on"
                hint = "ask the device: hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, device)"
                yield view.finding("warp-size-on-host", (at, at + 1), message, hint)


@rule("host-by-device-macro", Severity.ERROR)
def host_by_device_macro(file: File) -> Iterator[Finding]:
    """The host decides by a macro that only the compilation for the device defines.

    Why:
        A source is compiled once for the host and once for each GPU. ``__GFX9__``, ``__gfx942__``,
        ``__AMDGCN_WAVEFRONT_SIZE`` and ``__CUDA_ARCH__`` exist only in the latter: the host always takes the other
        branch. A warp size that is chosen in this way is 64 in the kernel and 32 in the code that launches it, so that
        sizes of blocks, grids and shared memory do not fit.

    Example:
        #include <hip/hip_runtime.h>
        #if defined(__GFX9__)
        #define WARP_SIZE 64
        #else
        #define WARP_SIZE 32
        #endif
        __global__ void kernel() {}
        void start(int n) { kernel<<<n, 4 * WARP_SIZE>>>(); }

    Fix:
        #include <hip/hip_runtime.h>
        __global__ void kernel() {}
        void start(int n) {
            int size = 0;
            if (hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0) != hipSuccess) return;
            kernel<<<n, 4 * size>>>();
        }
    """
    view = lanes(file)
    yield from _launches_by(view)
    if not any(WARP_SIZE_NAME.fullmatch(name) or "WAVEFRONT" in name for name in view.outline.names):
        return
    chosen = {**_chosen_in_headers(file), **_chosen(view)}
    if not chosen:
        return
    for function in view.outline.functions:
        if not _host(view, function):
            continue
        for name, by in chosen.items():
            at = next(iter(view.outline.places(name, function.body)), None)
            if at is not None:
                message = f"{name} is chosen by {by}, which is not defined when host code is compiled"
                yield view.finding("host-by-device-macro", (at, at + 1), message, _ASK)


_ASK = "ask the device at run time, for its warp size or its gcnArchName"
_HEADERS = 16
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
_SIZE_DEFINED = re.compile(
    r"(?:#[ \t]*define[ \t]+|constexpr[^;=\n]*)\w*(?:[Ww]arp|WARP|[Ww]ave|WAVE)(?:FRONT|front)?_?(?:SIZE|[Ss]ize)"
)
_DEVICE_PARTS = ("__GFX", "__gfx", "__AMDGCN", "__AMDGPU__", "__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__")


def _chosen_in_headers(file: File) -> dict[str, str]:
    """What `_chosen` finds in headers that stand beside a file and that it includes, and in those they include."""
    found: dict[str, str] = {}
    here = file.source.path.parent
    left = [here / name for name in _INCLUDE.findall(file.source.text)]
    seen: set[Path] = set()
    while left and len(seen) < _HEADERS:
        path = left.pop(0)
        try:
            known = path not in seen and path.is_file()
            if not known:
                continue
            seen.add(path)
            info = path.stat()
            chosen, includes = _header(path, (info.st_mtime_ns, info.st_size), file.language)
        except (OSError, ValueError, UsageError):
            continue  # told where the header itself is looked at
        found = {**chosen, **found}
        left += [path.parent / name for name in includes]
    return found


@functools.lru_cache(maxsize=512)
def _header(path: Path, stamp: tuple[int, int], language: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """(what `_chosen` finds, names of what it includes) of a header; `stamp` tells a changed one from that before."""
    source = Source.read(path)
    telling = any(each in source.text for each in _DEVICE_PARTS) and _SIZE_DEFINED.search(source.text)
    chosen = _chosen(lanes(File(source, language, (), None))) if telling else {}
    return chosen, tuple(_INCLUDE.findall(source.text))


def _chosen(view: Lanes) -> dict[str, str]:
    """Macros and constants whose value depends on a macro of the device compilation -> that macro."""
    found = {name: by for name, by in decided(view).items() if WARP_SIZE_NAME.fullmatch(name)}
    own = [name for name in view.outline.names if "WAVEFRONT" in name and DEVICE_MACRO.fullmatch(name)]
    return {**found, **{name: name for name in own}}


def _launches_by(view: Lanes) -> Iterator[Finding]:
    """Launches whose sizes are made from what is decided by a macro of the device's compilation, whatever its name."""
    if not view.outline.launches:
        return
    names = decided(view)
    for launch in view.outline.launches:
        function = view.outline.function_at(launch.index)
        if function is None or not (names or regions(view)):
            continue
        for at in (at for span in launch.configuration[:3] for at in range(*span)):
            if view.outline.tokens[at].kind is not Kind.NAME or view.outline.at(at - 1) in (".", "->"):
                continue
            name = view.outline.at(at)
            given = [word for span in view.values.given(name, function) for word in view.outline.words(span)]
            by = names.get(name) or next((names[each] for each in given if each in names), "")
            by = by or locally_decided(view, name, function)
            if by:
                message = f"{name} is chosen by {by}, which is not defined when host code is compiled"
                yield view.finding("host-by-device-macro", (at, at + 1), message, _ASK)


@rule("launch-by-warp-size-32", Severity.NOTE, by_size=True)
def launch_by_warp_size_32(file: File) -> Iterator[Finding]:
    """A block's size is chosen for warps of 32.

    Why:
        A block of 32 threads is one warp on NVIDIA and half a wave on a GPU with 64 lanes a wave: the other half of the
        hardware's lanes stands idle, and code that takes the block for one whole wave is wrong. In a block of 32 x N
        threads, a row is a warp on NVIDIA; on such a GPU two rows share a wave.

    Example:
        __global__ void kernel(float *x) { x[blockIdx.x] = 0; }
        void start(float *x, int n) { kernel<<<n, 32>>>(x); }

    Fix:
        __global__ void kernel(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
        void start(float *x, int n) { kernel<<<(n + 255) / 256, 256>>>(x); }
    """
    on = gpus(file, 64)
    if not on:
        return
    view = lanes(file)
    for launch in view.outline.launches:
        if len(launch.configuration) < 2:
            continue
        block = _block(view, launch.configuration[1])
        sizes = [view.values.constant(each) for each in block]
        if not sizes or sizes[0] != 32:
            continue
        named = any(WARP_SIZE_NAME.fullmatch(word) for word in view.outline.words(block[0]))
        if len([each for each in sizes if each != 1]) > 1 and not named:
            continue  # a tile of 32 columns, most likely
        message = f"{launch.kernel} is launched with blocks of 32 threads a row; a wave of {on} has 64 lanes"
        hint = "choose the block's size from the device's warpSize, or a multiple of 64"
        yield view.finding(
            "launch-by-warp-size-32",
            block[0],
            message + others(file, 32),
            hint,
            severity=Severity.WARNING if named else None,
        )


def _block(view: Lanes, span: Range) -> list[Range]:
    """The extents of a launch's block: one expression, or the arguments of the dim3 that it is or is named by."""
    outline = view.outline
    if outline.at(span[0]) == "dim3" and span[0] + 1 in outline.match:
        return list(outline.arguments(span[0] + 1))
    if span[1] - span[0] == 1 and outline.tokens[span[0]].kind is Kind.NAME:
        place = view.values.declaration(outline.at(span[0]), span[0])
        if place and "dim3" in place[1].split():
            opening = place[0] + 1
            if outline.at(opening) in ("(", "{") and opening in outline.match:
                return list(outline.arguments(opening))
            if outline.at(opening) == "=":
                initial = view.values.initial(place[0])
                return _block(view, initial) if initial and outline.at(initial[0]) == "dim3" else []
            return []
    return [span]
