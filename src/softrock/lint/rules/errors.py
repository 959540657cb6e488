"""Errors that nobody looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.outline import Function, Launch, Outline
from softrock.lint.registry import rule

if TYPE_CHECKING:
    from softrock.hipify.parse import Tree

_CALL = re.compile(r"(cuda|hip)[A-Z]\w*")
_LIBRARY = re.compile(
    r"hip(?:blas|fft|rand|sparse|solver|dnn|cub)\w*|hip(?:Launch|LaunchKernelGGL|CreateChannelDesc)\w*"
)
_NO_ERROR = frozenset(
    [
        "GetErrorString",
        "GetErrorName",
        "GetLastError",
        "PeekAtLastError",
        "LaunchKernelGGL",
        "CreateChannelDesc",
        "GetStreamDeviceId",
        "ExtGetLastError",
        "GetCmdName",
        "KernelNameRef",
        "KernelNameRefByPtr",
        "ApiName",
        "ProfilerStart",
        "ProfilerStop",
    ]
)
_CLEANUP = re.compile(r"\w*(?:Free|Destroy|Unregister|Unload|Reset|Release)\w*")
_STARTS = frozenset({";", "{", "}", ")", "else", "do", ":"})
_CHECKS = re.compile(r"(?:cuda|hip)(?:GetLastError|PeekAtLastError)|(?i:\w*(?:check|assert|safe_call|error|sync)\w*)")


def _ignored(out: Outline, index: int) -> bool:
    """Whether the call at an index is a whole statement, so that what it returns is dropped."""
    before = out.at(index - 1)
    if before == "::":
        index -= 1
        before = out.at(index - 1)
    if before not in _STARTS and index > 0:
        return False
    call = out.call_at(index if out.at(index) != "::" else index + 1)
    if call is None or out.at(call.close + 1) != ";":
        return False
    if before != ")":
        return before != ":" or out.at(index - 3) in ("case", "{", ";", "}") or out.at(index - 2) == "default"
    opening = out.match.get(index - 1)
    return opening is not None and out.at(opening - 1) in ("if", "for", "while", "constexpr")


@rule("unchecked-call", Severity.WARNING)
def unchecked_call(file: File) -> Iterator[Finding]:
    """What a runtime call returns is ignored.

    Why:
        Each call of the runtime returns an error code, and errors of kernels that ran before show up in a later call.
        While a program is being ported this is where missing features are reported: a texture that cannot be created
        on CDNA, an attribute that HIP does not know, memory that cannot be pinned. An ignored code becomes a wrong
        answer far away. HIP marks its error type ``nodiscard``, so that compilers warn as well. Calls that only free
        something are reported as notes; a cast to void says that a code is ignored on purpose.

    Example:
        void fill(float** data) {
          cudaMalloc(data, 1024);
        }

    Fix:
        bool fill(float** data) {
          cudaError_t status = cudaMalloc(data, 1024);
          return status == cudaSuccess;
        }
    """
    out = file.outline
    own = {each.name for each in out.functions} | out.macro_functions.keys()
    for function in out.functions:
        for index in range(*function.body) if not function.is_device else ():
            token = out.tokens[index]
            if token.kind is not Kind.NAME or not _CALL.fullmatch(token.text) or token.text in own:
                continue
            suffix = token.text.removeprefix("cuda").removeprefix("hip")
            if suffix in _NO_ERROR or _LIBRARY.fullmatch(token.text) or not _ignored(out, index):
                continue
            cleanup = function.destructor or _CLEANUP.fullmatch(suffix)
            status = "cudaError_t" if token.text.startswith("cuda") else "hipError_t"
            yield file.finding(
                "unchecked-call",
                token.offset,
                len(token.text),
                f"the error that {token.text} returns is ignored",
                f"keep the {status} and act on it, or cast to void where it does not matter",
                severity=Severity.NOTE if cleanup else Severity.WARNING,
            )
    if file.tree is not None:
        yield from _own_functions(file, file.tree)


def _own_functions(file: File, tree: Tree) -> Iterator[Finding]:
    """Calls of the user's functions that return the runtime's error type, where clang says that it is dropped."""
    for call in tree.root.find("CallExpr", "CXXMemberCallExpr"):
        dropped = call.parent is not None and call.parent.kind == "CompoundStmt" and call.type == "hipError_t"
        if not dropped or call.in_macro or call.file != tree.main or call.offset < 0:
            continue
        callee = next((each for each in call.walk() if each.kind in ("DeclRefExpr", "MemberExpr")), None)
        if callee is None or tree.declaration(callee.ref) is None or callee.name_offset < 0:
            continue
        name = tree.written(callee).removeprefix("->")
        yield file.finding(
            "unchecked-call",
            callee.name_offset,
            len(name),
            f"the error that {name} returns is ignored",
            "act on it, or cast to void where it does not matter",
        )


@rule("unchecked-launch", Severity.NOTE)
def unchecked_launch(file: File) -> Iterator[Finding]:
    """Nobody asks whether a kernel was launched.

    Why:
        A launch returns nothing. One that is refused (too many threads, too much shared memory, no code for this GPU)
        leaves its error for hipGetLastError, and the kernel's output as it was before. On another GPU other launches
        are refused: a wave of 64 lanes makes 32 warps 2048 threads, and LDS is smaller than CUDA's opt-in shared
        memory.

    Example:
        __global__ void step(float* data) { data[threadIdx.x] += 1.0f; }
        void run(float* data) {
          step<<<1, 256>>>(data);
        }

    Fix:
        __global__ void step(float* data) { data[threadIdx.x] += 1.0f; }
        cudaError_t run(float* data) {
          step<<<1, 256>>>(data);
          return cudaGetLastError();
        }
    """
    out = file.outline
    for launch in out.launches:
        function = out.function_at(launch.index)
        if function is None or function.is_kernel:
            continue
        if not _looked_at(out, launch, function):
            yield file.finding(
                "unchecked-launch",
                *out.offsets((launch.index, launch.index + 1)),
                f"no error is asked for after the launch of {launch.kernel}",
                f"call {'cuda' if file.language == 'cuda' else 'hip'}GetLastError behind the launch",
            )


def _looked_at(out: Outline, launch: Launch, function: Function) -> bool:
    """Whether the launch stands in a macro's argument or the function asks for errors, by name, somewhere behind it."""
    for at in range(launch.end, function.body[1]):
        text = out.at(at)
        called = out.tokens[at].kind is Kind.NAME and out.at(at + 1) == "(" and _CHECKS.fullmatch(text)
        if called and not (text.startswith(("cuda", "hip")) and _ignored(out, at)):
            return True
    depth_opening = next(
        (
            at
            for at in range(launch.index - 1, function.body[0], -1)
            if out.at(at) == "(" and out.match.get(at, 0) > launch.end
        ),
        None,
    )
    return depth_opening is not None and _CHECKS.fullmatch(out.at(depth_opening - 1)) is not None
