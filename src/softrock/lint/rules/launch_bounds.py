"""The second argument of ``__launch_bounds__``.

Source of the conversion: HIP's documentation of C++ language extensions, "Porting from CUDA __launch_bounds__": the
number of waves per execution unit is blocks * threads / (warpSize * 2) in compute-unit mode and / (warpSize * 4) in
workgroup-processor mode (the default of RDNA GPUs). Sources of the limits: ISA guides and LLVM's AMDGPU usage page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.outline import Call, Outline
from softrock.lint.registry import rule
from softrock.lint.targets import Target

_SIMDS = 4
"""SIMDs of a compute unit of CDNA, and of a workgroup processor of RDNA: a workgroup's waves are spread over these."""
_MOST_WAVES = {"CDNA": 8, "RDNA": 16}
"""Waves that a SIMD keeps."""
_SAYS_WAVES = re.compile(r"per_?(?:eu|simd)\b|(?:warps|waves)_?per", re.IGNORECASE)
"""Names of second arguments that count waves already."""
_MODE_FACTOR = {"CDNA": 2, "RDNA": 4}


def waves_per_simd(threads: int, blocks: int, target: Target) -> int:
    """HIP's second argument for CUDA's (`blocks` of `threads` threads on a multiprocessor), at least 1."""
    per = target.wave * _MODE_FACTOR[target.family]
    return max(1, min(-(-threads * blocks // per), _MOST_WAVES[target.family]))


def _floor(threads: int, target: Target) -> int:
    """Waves on a SIMD that one workgroup brings along: asking for fewer asks for nothing."""
    return -(-threads // (target.wave * _SIMDS))


@rule("launch-bounds-second-argument", Severity.WARNING)
def launch_bounds_second_argument(file: File) -> Iterator[Finding]:
    """The second argument of __launch_bounds__ means something else in HIP.

    Why:
        CUDA's is the least number of *blocks on a multiprocessor*, HIP's the least number of *waves on an execution
        unit* (SIMD). Carried over as it is, the compiler aims at another occupancy: it gives each thread too many
        registers, or so few that it spills. HIP's documentation converts by

            waves = blocks * threads / (warpSize * 2)    compute-unit mode (CDNA)
            waves = blocks * threads / (warpSize * 4)    workgroup-processor mode (RDNA)

        which is blocks * threads / 128 on wave64 CDNA and on wave32 RDNA alike. A SIMD holds at most 8 waves on CDNA
        and 16 on RDNA. The first argument, the greatest number of threads in a block, means the same in both.

        In CUDA sources each second argument is reported; in HIP sources one that says less than a single block does (a
        sign that it counts blocks), or more than the hardware holds.

    Example:
        __global__ void __launch_bounds__(1024, 2) step(float* data) { data[threadIdx.x] += 1.0f; }

    Fix:
        #ifdef __HIP_PLATFORM_AMD__
        #define BOUNDS __launch_bounds__(1024, 8)
        #else
        #define BOUNDS __launch_bounds__(1024, 2)
        #endif
        __global__ void BOUNDS step(float* data) { data[threadIdx.x] += 1.0f; }
    """
    out = file.outline
    sizes = file.values.sizes
    for call in out.calls("__launch_bounds__"):
        if len(call.arguments) < 2 or call.arguments[1][0] >= call.arguments[1][1]:
            continue
        threads, second = (sizes.value(span) for span in call.arguments[:2])
        check = _cuda if file.language == "cuda" else _hip
        found = check(file, out, call, threads, second)
        if found is not None:
            yield found


def _cuda(file: File, out: Outline, call: Call, threads: int | None, blocks: int | None) -> Finding | None:
    span = call.arguments[1]
    if _SAYS_WAVES.search(out.text(span)):
        return None
    meant = f"`{out.text(span)}` is blocks per multiprocessor in CUDA, but waves per SIMD in HIP"
    if threads is None or blocks is None:
        hint = "on AMD give blocks * threads / 128: / (warpSize * 2) on CDNA, / (warpSize * 4) on RDNA"
        return file.finding("launch-bounds-second-argument", *out.offsets(span), meant, hint)
    if threads <= 0 or blocks <= 0:
        return None
    wanted = {each.gfx: waves_per_simd(threads, blocks, each) for each in file.targets}
    if all(value == blocks for value in wanted.values()):
        return None
    figures = ", ".join(f"{value} on {gfx}" for gfx, value in wanted.items())
    # One block a multiprocessor is what a compiler aims at anyway: nothing goes wrong.
    severity = Severity.NOTE if blocks == 1 else Severity.WARNING
    return file.finding(
        "launch-bounds-second-argument",
        *out.offsets(span),
        meant,
        f"for {blocks} x {threads} threads give {figures} in code for AMD",
        severity=severity,
    )


def _hip(file: File, out: Outline, call: Call, threads: int | None, waves: int | None) -> Finding | None:
    span = call.arguments[1]
    if waves is None or waves <= 0:
        return None
    over = [each for each in file.targets if waves > _MOST_WAVES[each.family]]
    if over:
        most = ", ".join(f"{_MOST_WAVES[each.family]} on {each.gfx}" for each in over)
        return file.finding(
            "launch-bounds-second-argument",
            *out.offsets(span),
            f"{waves} waves per SIMD are more than the hardware holds ({most})",
            "the second argument counts waves per SIMD, not blocks: lower it",
        )
    under = [each for each in file.targets if threads and 1 < waves < _floor(threads, each)]
    if under and threads:
        least = ", ".join(f"{_floor(threads, each)} on {each.gfx}" for each in under)
        return file.finding(
            "launch-bounds-second-argument",
            *out.offsets(span),
            f"{waves} waves per SIMD are less than one block of {threads} threads brings ({least}): blocks seem meant",
            "HIP's second argument is waves per SIMD: blocks * threads / 128",
        )
    return None
