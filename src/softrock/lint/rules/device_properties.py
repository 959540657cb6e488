"""What a program believes about the device: clocks, limits, symbols by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.registry import rule

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree

_DEVICE_LIMITS = re.compile(
    r"(?:cuda|hip)Limit(?:PrintfFifoSize|StackSize|MallocHeapSize|DevRuntimeSyncDepth|DevRuntimePendingLaunchCount"
    r"|MaxL2FetchGranularity|PersistingL2CacheSize)"
)
_UNSUPPORTED_LIMITS = re.compile(r"\w+(?:DevRuntime\w+|MaxL2\w+|PersistingL2\w+)")
_SYMBOL_CALLS = (
    "MemcpyToSymbol",
    "MemcpyFromSymbol",
    "MemcpyToSymbolAsync",
    "MemcpyFromSymbolAsync",
    "GetSymbolAddress",
    "GetSymbolSize",
)


@rule("clock-units", Severity.WARNING)
def clock_units(file: File) -> Iterator[Finding]:
    """Ticks of clock64 are taken for cycles of the clock rate, or for nanoseconds.

    Why:
        clock() and clock64() count cycles of the shader clock, which changes with load (on RDNA it may count another
        clock), and ``clockRate`` is the highest frequency, not the current one: the quotient is no time.
        wall_clock64() counts at the constant rate that hipDeviceAttributeWallClockRate gives in kHz (100 MHz on
        MI300X). Events measure time on the host.

    Example:
        __global__ void wait(long long cycles) {
          long long start = clock64();
          while (clock64() - start < cycles) {}
        }
        void pause_ms(const cudaDeviceProp& prop) { wait<<<1, 1>>>((long long)prop.clockRate * 10); }

    Fix:
        __global__ void wait(long long ticks) {
          long long start = wall_clock64();
          while (wall_clock64() - start < ticks) {}
        }
        void pause_ms(int wall_clock_khz) { wait<<<1, 1>>>((long long)wall_clock_khz * 10); }
    """
    out = file.outline
    rate = next(
        (name for name in ("clockRate", "cudaDevAttrClockRate", "hipDeviceAttributeClockRate") if name in out.names),
        None,
    )
    for call in out.calls("clock64", "clock"):
        function = out.function_at(call.index)
        if function is None or not function.is_device or call.arguments:
            continue
        yield file.finding(
            "clock-units",
            *out.offsets((call.index, call.index + 1)),
            f"{call.name} counts cycles of a clock that changes"
            + (f", and {rate} is its highest rate" if rate else ""),
            "use wall_clock64() and hipDeviceAttributeWallClockRate for time",
            severity=Severity.WARNING if rate else Severity.NOTE,
        )


@rule("device-limit", Severity.NOTE)
def device_limit(file: File) -> Iterator[Finding]:
    """A limit of the device's runtime is set.

    Why:
        Limits of printf's buffer, of the stack and of the device's heap exist in HIP since recent versions only, and
        with other defaults; those of dynamic parallelism and of the L2 cache do not exist: hipDeviceSetLimit returns
        hipErrorUnsupportedLimit. Where printf's buffer is full, output is lost; AMD's printf sends each line to the
        host through a small buffer, so that printing from many threads is slow.

    Example:
        void setup() { (void)cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20); }

    Fix:
        void setup() {}
    """
    out = file.outline
    for name in [each for each in out.names if _DEVICE_LIMITS.fullmatch(each)]:
        for index in out.names[name]:
            missing = _UNSUPPORTED_LIMITS.fullmatch(name) is not None
            yield file.finding(
                "device-limit",
                *out.offsets((index, index + 1)),
                f"{name} does not exist on AMD" if missing else f"{name} has other defaults, or no effect, on AMD",
                "leave it out" if missing else "check what hipDeviceSetLimit returns, and what the program needs",
                severity=Severity.WARNING if missing else Severity.NOTE,
            )


@rule("symbol-by-name", Severity.ERROR, fixable=True)
def symbol_by_name(file: File) -> Iterator[Finding]:
    """A device variable is given by its name in a string.

    Why:
        CUDA removed this in 5.0, and HIP's macro HIP_SYMBOL makes an address of what it is given: a string compiles,
        and the call fails with hipErrorInvalidSymbol.

    Example:
        __constant__ float weights[16];
        void load(const float* host) { (void)cudaMemcpyToSymbol("weights", host, 64); }

    Fix:
        __constant__ float weights[16];
        void load(const float* host) { (void)cudaMemcpyToSymbol(weights, host, 64); }
    """
    out = file.outline
    for call in out.api(*_SYMBOL_CALLS):
        position = 1 if "GetSymbol" in call.name or "From" in call.name else 0
        for span in call.arguments[position : position + 1]:
            if span[1] != span[0] + 1 or out.tokens[span[0]].kind is not Kind.STRING:
                continue
            token = out.tokens[span[0]]
            name = token.text.strip('"')
            fix = (Edit(token.offset, len(token.text), name, "symbol-by-name"),) if name in out.names else ()
            yield file.finding(
                "symbol-by-name",
                token.offset,
                len(token.text),
                f"{call.name} takes the variable itself, not its name",
                f"write {name} without quotes",
                fix=fix,
            )


@rule("block-too-large", Severity.ERROR)
def block_too_large(file: File) -> Iterator[Finding]:
    """A launch asks for more threads than a block may have.

    Why:
        A workgroup has at most 1024 threads on AMD GPUs, as in CUDA; the limit for a kernel is the first argument of
        its __launch_bounds__. A launch above either fails with hipErrorInvalidConfiguration (or hipErrorLaunchFailure)
        and the kernel does not run. Block sizes computed as a number of warps times 32 grow beyond it when the 32
        becomes 64.

    Example:
        __global__ void __launch_bounds__(256) step(float* data) { data[threadIdx.x] += 1.0f; }
        void run(float* data) { step<<<1, 512>>>(data); }

    Fix:
        __global__ void __launch_bounds__(512) step(float* data) { data[threadIdx.x] += 1.0f; }
        void run(float* data) { step<<<1, 512>>>(data); }
    """
    out = file.outline
    sizes = file.values.sizes
    bounds = _bounds(file)
    for launch in out.launches:
        if len(launch.configuration) < 2:
            continue
        span = launch.configuration[1]
        threads = sizes.threads(span, out.function_at(launch.index)) if span[1] > span[0] else None
        limit = min(bounds.get(launch.kernel) or 1024, 1024)
        if threads is not None and threads > limit:
            yield file.finding(
                "block-too-large",
                *out.offsets(span),
                f"{threads} threads in a block of {launch.kernel}; the limit is {limit}",
                "launch smaller blocks" if limit == 1024 else "launch smaller blocks, or raise its __launch_bounds__",
            )


def _bounds(file: File) -> dict[str, int]:
    """Kernel -> threads that its ``__launch_bounds__`` allow, where that is one number."""
    out = file.outline
    by_tree = _bounds_by_tree(file.tree) if file.tree is not None else {}
    found: dict[str, int] = {}
    for function in out.functions:
        if not function.is_kernel:
            continue
        value = by_tree.get(out.tokens[function.index].offset)
        for call in out.calls("__launch_bounds__", within=(function.start, function.body[0])):
            if value is None and call.arguments:
                value = file.values.sizes.value(call.arguments[0])
        if value is not None and value > 0:
            found[function.name] = value
    return found


def _bounds_by_tree(tree: Tree) -> dict[int, int]:
    """Offset of a kernel's name -> its greatest number of threads: clang knows constants of other files, too."""
    found: dict[int, int] = {}
    for function in tree.root.find("FunctionDecl"):
        for attribute in function.children:
            if attribute.kind != "AMDGPUFlatWorkGroupSizeAttr" or function.instantiated or function.file != tree.main:
                continue
            value = attribute.children[1].value if len(attribute.children) == 2 else None
            if value is not None and value.isdigit():
                found[function.name_offset] = int(value)
    return found
