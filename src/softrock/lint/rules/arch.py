"""Decisions by NVIDIA's architectures: __CUDA_ARCH__, compute capability, numbers of multiprocessors."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from softrock.hipify.edits import Edit
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, Token
from softrock.lint.conditions import Directive, on_amd
from softrock.lint.file import File
from softrock.lint.outline import Outline, Range
from softrock.lint.registry import rule
from softrock.lint.values import integer

_ARCH = "__CUDA_ARCH__"
_MULTIPROCESSORS = re.compile(
    r"k?_?(?:num|n|max|total|total_num)_?(?:of_?)?(?:sms?|mps?|multi_?processors?|cus?|compute_?units?)"
    r"|k?_?(?:sm|mp|multi_?processor|cu)_?(?:count|cnt|num)|multiprocessors|sms",
    re.IGNORECASE,
)
# Multiprocessors of NVIDIA's data-centre, desktop and embedded GPUs, compute units of AMD's (vendors' data sheets).
_COUNTS = frozenset(
    {13, 14, 15, 16, 20, 24, 28, 30, 36, 38, 40, 46, 48, 56, 58, 60, 64, 68, 70, 72, 76, 78, 80, 82, 84, 108, 114, 128}
    | {132, 142, 144, 148, 160, 170, 188}
    | {96, 104, 110, 120, 220, 228, 256, 304}
)
_CAPABILITY = re.compile(
    r"(?:cudaDevAttr|hipDeviceAttribute)ComputeCapability(?:Major|Minor)|CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_(?:MAJOR|MINOR)"
)
_COMPARISONS = frozenset({">=", ">", "<", "<=", "==", "!="})


@rule("cuda-arch", Severity.WARNING, fixable=True)
def cuda_arch(file: File) -> Iterator[Finding]:
    """Code depends on __CUDA_ARCH__, which HIP does not define.

    Why:
        On AMD ``__CUDA_ARCH__`` is undefined in device code, too: ``#ifdef`` takes the host's side while compiling for
        the GPU, a comparison counts as ``0 >= 700``, and the code behind it is gone without a word: the slow path is
        taken, or none. For "is this device code" there is __HIP_DEVICE_COMPILE__; features are asked for by name
        (``__HIP_ARCH_HAS_…``) or by target (``__gfx942__``).

    Example:
        __host__ __device__ int where() {
        #ifdef __CUDA_ARCH__
          return 1;
        #else
          return 0;
        #endif
        }

    Fix:
        __host__ __device__ int where() {
        #if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
          return 1;
        #else
          return 0;
        #endif
        }
    """
    for line in file.outline.directives:
        places = [token for token in line.tokens if token.text == _ARCH]
        if not places or not line.active or not line.word.startswith(("if", "elif")):
            continue
        texts = [token.text for token in line.tokens]
        if any(on_amd(text) or re.search(r"HIP|ROCM|AMD|__gfx", text) for text in texts):
            continue
        compares = _compares(line, texts)
        shown = f"`{' '.join(texts)}`"
        if not compares:
            message, hint = "__CUDA_ARCH__ is not defined on AMD, in device code neither", "add __HIP_DEVICE_COMPILE__"
        else:
            message = {
                False: f"{shown} is false on AMD, so that its code is left out",
                True: f"{shown} is true on AMD, where __CUDA_ARCH__ counts as 0",
                None: f"{shown} compares __CUDA_ARCH__, which counts as 0 on AMD",
            }[line.value]
            hint = "say what is needed there: __HIP_DEVICE_COMPILE__, a feature, or a target such as __gfx942__"
        yield file.finding(
            "cuda-arch",
            places[0].offset,
            len(_ARCH),
            message,
            hint,
            fix=() if compares or _nvidia_only(file, line) else _device_test(line, texts),
        )


_ONLY_NVIDIA = re.compile(r"\basm\b|\b__asm|\b__nv|\b__cvta|\bcuda::|\bcute::|\bcutlass|\bwmma\b|__pipeline_|__CUDA_")


_BRANCH = 200
"""Preprocessor lines that are looked at for the end of a branch."""


def _nvidia_only(file: File, line: Directive) -> bool:
    """Whether the code that a line guards can hardly be compiled for AMD: PTX, intrinsics of NVIDIA's compiler."""
    depth, end = 0, len(file.source.text)
    lines = file.outline.directives
    first = bisect.bisect_right(lines, line.offset, key=lambda each: each.offset)
    for each in lines[first : first + _BRANCH]:
        if depth == 0 and each.word in ("else", "endif", "elif", "elifdef", "elifndef"):
            end = each.offset
            break
        depth += each.word.startswith("if")
        depth -= each.word == "endif"
    return _ONLY_NVIDIA.search(file.source.text, line.end, end) is not None


def _compares(line: Directive, texts: list[str]) -> bool:
    """Whether the value of the macro counts, not only that it is defined."""
    if line.word.endswith("def"):
        return False
    return any(text in _COMPARISONS or text in ("/", "%", "-", "*") for text in texts)


def _device_test(line: Directive, texts: list[str]) -> tuple[Edit, ...]:
    """Edits that make a line ask for device code of either kind."""
    if line.word in ("ifdef", "ifndef") and len(texts) == 1:
        either = "defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)"
        text = f"#if {either}" if line.word == "ifdef" else f"#if !({either})"
        return (Edit(line.offset, line.tokens[0].end - line.offset, text, "cuda-arch"),)
    for index, text in enumerate(texts):
        if text == "defined" and texts[index + 1 : index + 4] == ["(", _ARCH, ")"]:
            first, last = line.tokens[index], line.tokens[index + 3]
        elif text == "defined" and texts[index + 1 : index + 2] == [_ARCH]:
            first, last = line.tokens[index], line.tokens[index + 1]
        else:
            continue
        return (
            Edit(
                first.offset,
                last.end - first.offset,
                "(defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__))",
                "cuda-arch",
            ),
        )
    return ()


def _compared(out: Outline, index: int) -> Range | None:
    """The literal that a member or variable at an index is compared with."""
    if out.at(index + 1) in _COMPARISONS and out.at(index + 2)[:1].isdigit():
        return index + 2, index + 3
    start = index
    while out.at(start - 1) in (".", "->", "::"):
        start -= 2
    if out.at(start - 1) in _COMPARISONS and out.tokens[start - 2].kind is Kind.NUMBER:
        return start - 2, start - 1
    return None


@rule("compute-capability", Severity.WARNING)
def compute_capability(file: File) -> Iterator[Finding]:
    """A decision by compute capability.

    Why:
        On AMD, major and minor are the numbers of the gfx target: 9 and 4 for gfx942, 9 and 0 for gfx90a, 11 and 0 for
        gfx1100. ``major >= 8`` holds for all of them and says nothing of what the code behind it needs (tensor
        instructions, asynchronous copies, bf16). The name of the target is in hipDeviceProp_t.gcnArchName; features
        have attributes of their own.

    Example:
        bool has_bf16(const cudaDeviceProp& prop) { return prop.major >= 8; }

    Fix:
        bool has_bf16(const hipDeviceProp_t& prop) { return std::string(prop.gcnArchName).find("gfx9") == 0; }
    """
    out = file.outline
    for name in ("major", "minor"):
        for index in out.names.get(name, ()):
            if out.at(index - 1) not in (".", "->") or out.at(index + 1) == "(":
                continue
            owner = out.at(index - 2)
            device = re.search(r"prop|dev|gpu|attr", owner, re.IGNORECASE) or out.at(index - 2) == "]"
            compared = _compared(out, index)
            scaled = out.at(index + 1) == "*" and out.at(index + 2) in ("10", "100")
            if device and (compared or scaled):
                end = index + 1 if scaled and not compared else max(index + 1, compared[1] if compared else 0)
                yield file.finding(
                    "compute-capability",
                    *out.offsets((index, max(end, index + 1))),
                    f"compute capability ({name}) decides here: on AMD it is the number of the gfx target",
                    "ask for the feature, or for gcnArchName",
                )
    for name in [each for each in out.names if _CAPABILITY.fullmatch(each)]:
        for index in out.names[name]:
            yield file.finding(
                "compute-capability",
                out.tokens[index].offset,
                len(name),
                f"{name}: on AMD it is the number of the gfx target",
                "ask for the feature, or for gcnArchName",
                severity=Severity.NOTE,
            )


@rule("sm-count", Severity.WARNING)
def sm_count(file: File) -> Iterator[Finding]:
    """The number of multiprocessors is written as a literal.

    Why:
        A persistent kernel with as many blocks as one GPU has multiprocessors is too small or too large on another:
        MI300X has 304 compute units, MI250X 110 for each of its two dies, RX 7900 XTX 96 (48 workgroup processors). A
        grid that waits for all of its blocks hangs when they do not fit. Ask for hipDeviceProp_t.multiProcessorCount,
        or for hipOccupancyMaxActiveBlocksPerMultiprocessor.

    Example:
        constexpr int NUM_SMS = 108;

    Fix:
        int number_of_compute_units(int device) {
          int count = 0;
          (void)cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
          return count;
        }
    """
    out = file.outline
    for name in out.names:
        if name == "multiProcessorCount" or not _MULTIPROCESSORS.fullmatch(name):
            continue
        for index in out.names[name]:
            value = out.tokens[index + 2] if index + 2 < len(out.tokens) else None
            ends = out.at(index + 3) in (";", ",", ")")
            if (
                value
                and out.at(index + 1) in ("=", "{")
                and value.kind is Kind.NUMBER
                and (ends or out.at(index + 3) == "}")
            ):
                yield from _literal_count(file, name, value)
    for line in out.directives:
        tokens = line.tokens
        if line.word == "define" and line.active and len(tokens) == 2 and _MULTIPROCESSORS.fullmatch(tokens[0].text):
            yield from _literal_count(file, tokens[0].text, tokens[1])
    yield from _literal_grids(file)
    for index in out.names.get("multiProcessorCount", ()):
        compared = _compared(out, index)
        if compared and out.at(compared[0]) not in ("0", "1"):
            yield file.finding(
                "sm-count",
                *out.offsets((compared[0], compared[1])),
                f"the number of multiprocessors is compared with {out.at(compared[0])}",
                "compute with the number itself: GPUs of one maker differ by a factor of ten",
            )


_TELLTALE = frozenset({82, 84, 108, 114, 132, 142, 148, 170, 188})
"""Of `_COUNTS`, numbers that hardly stand for anything else in a grid's size."""


def _literal_grids(file: File) -> Iterator[Finding]:
    """Launches of as many workgroups as one GPU has multiprocessors, or a multiple of that."""
    out = file.outline
    for launch in out.launches:
        grid = launch.configuration[0] if launch.configuration else (0, 0)
        for at in range(*grid):
            beside = {out.at(at - 1), out.at(at + 1)} <= {"<<<", "*", ",", "(", ")"}
            value = integer(out.tokens[at])
            if value in _TELLTALE and beside:
                yield file.finding(
                    "sm-count",
                    *out.offsets((at, at + 1)),
                    f"{launch.kernel} is launched on {value} workgroups: the number of multiprocessors of one GPU",
                    "ask for multiProcessorCount (MI300X: 304 compute units)",
                )


def _literal_count(file: File, name: str, value: Token) -> Iterator[Finding]:
    digits = value.text.rstrip("uUlL")
    if digits.isdigit() and int(digits) in _COUNTS:
        yield file.finding(
            "sm-count",
            value.offset,
            len(value.text),
            f"{name} is {digits}: the number of multiprocessors of one GPU",
            "ask for multiProcessorCount (MI300X: 304 compute units)",
        )


@rule("nvcuda-wmma", Severity.ERROR)
def nvcuda_wmma(file: File) -> Iterator[Finding]:
    """Matrix fragments of nvcuda::wmma.

    Why:
        nvcuda::wmma and <mma.h> are NVIDIA's. rocWMMA has fragments with the same functions (load_matrix_sync,
        mma_sync, store_matrix_sync) in the namespace rocwmma; shapes and types that a target has differ, a fragment
        belongs to a wave of 64 lanes on CDNA, and how its elements lie in registers must not be assumed.

    Example:
        #include <mma.h>
        using namespace nvcuda;
        __global__ void product(const half* a) {
          wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
          wmma::load_matrix_sync(left, a, 16);
        }

    Fix:
        #include <rocwmma/rocwmma.hpp>
        __global__ void product(const half* a) {
          rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, rocwmma::float16_t, rocwmma::row_major> left;
          rocwmma::load_matrix_sync(left, a, 16);
        }
    """
    out = file.outline
    for line in out.directives:
        if line.word == "include" and line.active and line.tokens and line.tokens[0].text in ("<mma.h>", '"mma.h"'):
            token = line.tokens[0]
            yield file.finding(
                "nvcuda-wmma",
                token.offset,
                len(token.text),
                f"{token.text} is NVIDIA's",
                "include <rocwmma/rocwmma.hpp> and use its namespace",
            )
    nvcuda = out.names.get("nvcuda", ())
    for index in nvcuda:
        if out.at(index + 1) == "::" and out.at(index + 2) in ("wmma", "experimental"):
            yield file.finding(
                "nvcuda-wmma",
                *out.offsets((index, index + 3)),
                "nvcuda::wmma does not exist on AMD",
                "use rocwmma, whose functions have the same names",
            )
        elif out.at(index - 1) == "namespace" and out.at(index - 2) == "using":
            yield file.finding(
                "nvcuda-wmma",
                *out.offsets((index, index + 1)),
                "the namespace nvcuda does not exist on AMD",
                "use rocwmma",
            )


@rule("gpu-name", Severity.WARNING)
def gpu_name(file: File) -> Iterator[Finding]:
    """A decision by the name of the GPU.

    Why:
        The name in the device's properties is for people. Code that looks for "Tesla", "A100" or "H100" in it takes
        its default on every AMD GPU; and AMD's names differ between drivers. gcnArchName (gfx942:sramecc+:xnack-) is
        what tells targets apart.

    Example:
        bool big(const cudaDeviceProp& prop) { return strstr(prop.name, "A100") != nullptr; }

    Fix:
        bool big(const cudaDeviceProp& prop) { return prop.totalGlobalMem > (size_t(32) << 30); }
    """
    out = file.outline
    names = re.compile(
        r'"[^"]*\b(?:NVIDIA|Tesla|Quadro|GeForce|RTX|GTX|TITAN|[VAHBLT]\d{1,3}0?|GH200|Jetson|Orin)\b[^"]*"'
    )
    for call in out.calls("strstr", "strcmp", "strncmp", "strcasecmp", "find", "contains", "starts_with"):
        text = out.text((max(0, call.index - 4), call.close))
        if not re.search(r"\b\w*(?:prop|dev|gpu)\w* (?:\.|->) name\b", text, re.IGNORECASE):
            continue
        for at in range(call.index, call.close):
            token = out.tokens[at]
            if token.kind is Kind.STRING and names.fullmatch(token.text):
                yield file.finding(
                    "gpu-name",
                    token.offset,
                    len(token.text),
                    f"the GPU's name is compared with {token.text}",
                    "decide by properties, or by gcnArchName",
                )
