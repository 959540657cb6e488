"""FP8 formats: OCP's and the one with neither infinity nor negative zero (FNUZ).

Source: the OCP 8-bit floating point specification (E4M3: largest 448, E5M2: 57344, bias 7 and 15), CDNA3's ISA guide
(E4M3 FNUZ: largest 240, E5M2 FNUZ: 57344, bias 8 and 16).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.conditions import alternatives
from softrock.lint.file import File
from softrock.lint.outline import Outline
from softrock.lint.registry import rule

_FNUZ = re.compile(
    r"__hip_fp8(?:x[24])?_e[45]m[23]_fnuz|__HIP_E[45]M[23]_FNUZ|(?:Float8_)?e[45]m[23]fnuz|float8_e[45]m[23]fnuz"
)
_OCP = re.compile(
    r"__(?:hip|nv)_fp8(?:x[24])?_e[45]m[23]|__(?:NV_|HIP_)?E[45]M[23]|Float8_e4m3fn|Float8_e5m2|float8_e4m3fn|float8_e5m2"
    r"|float_e[45]m[23]_t|CUDA_R_8F_E[45]M[23]|HIP_R_8F_E[45]M[23]"
)
_LIMITS = {448.0: "E4M3 of OCP (FNUZ ends at 240)", 240.0: "E4M3 FNUZ (OCP's ends at 448)"}
_LARGEST = re.compile(r"max|limit|largest|bound|fp8|e4m3", re.IGNORECASE)
_LISTED = 6
"""Lines between PyTorch's names of both formats that stand in a list of types, as dispatchers have it."""
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]*)?)[fF]?")


def _places(out: Outline, pattern: re.Pattern[str]) -> list[int]:
    return sorted(index for name, places in out.names.items() if pattern.fullmatch(name) for index in places)


def _chosen_by_target(out: Outline) -> bool:
    """Whether the file itself tells the formats apart by target."""
    words = {token.text for line in out.directives if line.word != "include" for token in line.tokens}
    return any(
        re.fullmatch(r"__gfx(?:94\d|95\d|12\d\d)__|HIP_FP8_TYPE_(?:OCP|FNUZ)|HIP_FP8_\w+|\w*FP8_FNUZ\w*", word)
        for word in words
    )


@rule("fp8-format", Severity.WARNING)
def fp8_format(file: File) -> Iterator[Finding]:
    """An FP8 format that this GPU's matrix instructions do not take.

    Why:
        gfx942 computes with FNUZ formats: no infinities, no negative zero, another exponent bias, so that the same
        byte is half the value, and E4M3 ends at 240. gfx950 and gfx1201 compute with OCP's formats, as NVIDIA's GPUs
        do, where E4M3 ends at 448. gfx90a and gfx1100 have neither. A type of the other kind is converted in software;
        bytes handed to a matrix instruction as they are, or weights read from a file, are wrong by a factor of two and
        more.

    Example:
        #include <hip/hip_fp8.h>
        __device__ __hip_fp8_e4m3 narrow(float x) { return __hip_fp8_e4m3(x); }

    Fix:
        #include <hip/hip_fp8.h>
        #if HIP_FP8_TYPE_OCP
        using fp8 = __hip_fp8_e4m3;
        #else
        using fp8 = __hip_fp8_e4m3_fnuz;
        #endif
        __device__ fp8 narrow(float x) { return fp8(x); }
    """
    out = file.outline
    if _chosen_by_target(out):
        return
    fnuz, ocp = _places(out, _FNUZ), _places(out, _OCP)
    if fnuz and ocp:
        return  # that is what fp8-mixed is for
    for places, kind in ((fnuz, "fnuz"), (ocp, "ocp")):
        other = [each.gfx for each in file.targets if each.fp8 and each.fp8 != kind]
        without = [each.gfx for each in file.targets if not each.fp8]
        if not places or not other + without:
            continue
        index = places[0]
        name = out.at(index)
        native = "FNUZ" if kind == "ocp" else "OCP"
        parts = [f"{', '.join(other)} computes with {native} formats"] if other else []
        parts += [f"{', '.join(without)} without any FP8"] if without else []
        yield file.finding(
            "fp8-format",
            out.tokens[index].offset,
            len(name),
            f"{name} is {'an OCP' if kind == 'ocp' else 'a FNUZ'} format; {' and '.join(parts)}",
            "choose the type by target (HIP_FP8_TYPE_OCP, HIP_FP8_TYPE_FNUZ) and convert stored data",
            severity=Severity.WARNING if other else Severity.NOTE,
        )


@rule("fp8-mixed", Severity.WARNING)
def fp8_mixed(file: File) -> Iterator[Finding]:
    """OCP and FNUZ formats meet in one file.

    Why:
        The same byte means different numbers in the two: 0x38 is 1.0 in OCP's E4M3 and 0.5 in FNUZ; 0x80 is -0.0 in
        one and NaN in the other. Types of both in one file, without a choice by target, are a sign that data of one is
        read as the other.

    Example:
        #include <hip/hip_fp8.h>
        __device__ float widen(__hip_fp8_e4m3_fnuz x) { return float(x); }
        __device__ __hip_fp8_e4m3 narrow(float x) { return __hip_fp8_e4m3(x); }

    Fix:
        #include <hip/hip_fp8.h>
        __device__ float widen(__hip_fp8_e4m3 x) { return float(x); }
        __device__ __hip_fp8_e4m3 narrow(float x) { return __hip_fp8_e4m3(x); }
    """
    out = file.outline
    fnuz, ocp = _places(out, _FNUZ), _places(out, _OCP)
    if not fnuz or not ocp or _chosen_by_target(out):
        return
    later = max(fnuz[0], ocp[0])
    first = min(fnuz[0], ocp[0])
    line, behind = (file.source.position(out.tokens[each].offset)[0] for each in (first, later))
    listed = behind - line <= _LISTED and all(out.at(each).startswith("Float8_") for each in (first, later))
    if listed or alternatives(out.directives, out.tokens[first].offset, out.tokens[later].offset):
        return
    yield file.finding(
        "fp8-mixed",
        out.tokens[later].offset,
        len(out.at(later)),
        f"{out.at(later)} and {out.at(first)} (line {line}) are different FP8 formats in one file",
        "keep to one format for a target, and convert where data crosses",
    )


@rule("fp8-limit", Severity.WARNING)
def fp8_limit(file: File) -> Iterator[Finding]:
    """The largest FP8 number is written as a literal.

    Why:
        Scaling factors for FP8 are computed with the largest number of the format: 448 for OCP's E4M3, 240 for FNUZ.
        With 448 on gfx942 values above 240 overflow to NaN (or are clamped far too late); with 240 on gfx950 half of
        the range is lost. E5M2 ends at 57344 in both.

    Example:
        #include <cuda_fp8.h>
        __device__ float scale_fp8(float largest) { return largest / 448.0f; }

    Fix:
        #include <cuda_fp8.h>
        __device__ float scale_fp8(float largest, float fp8_largest) { return largest / fp8_largest; }
    """
    out = file.outline
    mentions = [name for name in out.names if re.search(r"fp8|e4m3|float8|FP8|E4M3", name)]
    headers = any("fp8" in token.text for line in out.directives if line.word == "include" for token in line.tokens)
    if (not mentions and not headers) or _chosen_by_target(out):
        return
    needed = {each.fp8 for each in file.targets if each.fp8}
    defined = [
        (line.tokens[0].text, each)
        for line in out.directives
        if line.active and line.word == "define"
        for each in line.tokens[1:2]
    ]
    given = [(out.at(index - 2) if out.at(index - 1) == "=" else "", each) for index, each in enumerate(out.tokens)]
    for name, token in [*given, *defined]:
        match = _NUMBER.fullmatch(token.text) if token.kind is Kind.NUMBER else None
        value = float(match[1]) if match else 0.0
        if value not in _LIMITS or ("." not in token.text and not _LARGEST.search(name)):
            continue
        wrong = "fnuz" if value == 448.0 else "ocp"
        on = ", ".join(each.gfx for each in file.targets if each.fp8 == wrong)
        if wrong in needed:
            yield file.finding(
                "fp8-limit",
                token.offset,
                len(token.text),
                f"{token.text} is the largest number of {_LIMITS[value]}; {on} has the other format",
                "choose it with the type, by target",
            )
