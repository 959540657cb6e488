"""Streams, and work that waits in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.outline import Function, Outline
from softrock.lint.registry import rule

_SYNC = re.compile(r"(?:cuda|hip)(?:Device|Stream|Event|Ctx|Thread)Synchronize|cu(?:Ctx|Stream|Event)Synchronize")
_LEGACY = {
    "cudaStreamPerThread": "hipStreamPerThread",
    "hipStreamPerThread": "hipStreamPerThread",
    "cudaStreamLegacy": "hipStreamLegacy",
    "hipStreamLegacy": "hipStreamLegacy",
    "CU_STREAM_PER_THREAD": "hipStreamPerThread",
    "CU_STREAM_LEGACY": "hipStreamLegacy",
}
_MACROS = frozenset({"CUDA_API_PER_THREAD_DEFAULT_STREAM", "HIP_API_PER_THREAD_DEFAULT_STREAM"})
_BLOCKING_COPIES = ("Memcpy", "MemcpyFromSymbol", "Memcpy2D")


@rule("default-stream", Severity.WARNING)
def default_stream(file: File) -> Iterator[Finding]:
    """The code depends on which default stream it was compiled for.

    Why:
        The default stream waits for all other blocking streams (legacy), or each host thread has one of its own (per
        thread). nvcc chooses with ``--default-stream``, hipcc with ``-fgpu-default-stream=per-thread``; the macros
        CUDA_API_PER_THREAD_DEFAULT_STREAM and HIP_API_PER_THREAD_DEFAULT_STREAM choose for one file, and only before
        the runtime's header is included. A port that loses the flag gets the other order of work: slower, or with
        races that the legacy stream's waiting had hidden. The handle for the legacy stream came to HIP late, and
        libraries may not know it.

    Example:
        void run(float* out, const float* in) {
          (void)cudaMemcpyAsync(out, in, 1024, cudaMemcpyDefault, cudaStreamLegacy);
        }

    Fix:
        void run(float* out, const float* in, cudaStream_t stream) {
          (void)cudaMemcpyAsync(out, in, 1024, cudaMemcpyDefault, stream);
        }
    """
    out = file.outline
    for name, counterpart in _LEGACY.items():
        own = "egacy" not in name and "LEGACY" not in name
        for index in out.names.get(name, ())[: 1 if own else None]:
            yield file.finding(
                "default-stream",
                out.tokens[index].offset,
                len(name),
                f"{name} names a default stream: its order with other streams depends on how the program is built",
                f"create a stream and pass it, or use {counterpart} and build with the same default stream everywhere",
                severity=Severity.NOTE if own else None,
            )
    for line in out.directives:
        if line.word == "define" and line.active and line.tokens and line.tokens[0].text in _MACROS:
            token = line.tokens[0]
            hip = token.text.startswith("HIP")
            yield file.finding(
                "default-stream",
                token.offset,
                len(token.text),
                f"{token.text} changes the default stream of this file only",
                "build all of the program with -fgpu-default-stream=per-thread"
                + ("" if hip else "; HIP's macro is HIP_API_PER_THREAD_DEFAULT_STREAM"),
            )


@rule("unordered-default-stream", Severity.WARNING)
def unordered_default_stream(file: File) -> Iterator[Finding]:
    """A plain copy is expected to wait for a non-blocking stream.

    Why:
        cudaMemcpy works in the default stream, and that waits for blocking streams only. Work in a stream that was
        created with cudaStreamNonBlocking (hipStreamNonBlocking), or in any stream once the default stream is per
        thread, may still run when the copy reads its results. On one GPU the copy happens to be late enough, on
        another not.

    Example:
        __global__ void step(float* data) { data[threadIdx.x] += 1.0f; }
        void run(float* host, float* data) {
          cudaStream_t stream;
          (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
          step<<<1, 64, 0, stream>>>(data);
          (void)cudaMemcpy(host, data, 256, cudaMemcpyDeviceToHost);
        }

    Fix:
        __global__ void step(float* data) { data[threadIdx.x] += 1.0f; }
        void run(float* host, float* data) {
          cudaStream_t stream;
          (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
          step<<<1, 64, 0, stream>>>(data);
          (void)cudaMemcpyAsync(host, data, 256, cudaMemcpyDeviceToHost, stream);
          (void)cudaStreamSynchronize(stream);
        }
    """
    out = file.outline
    for function in out.functions:
        streams = {
            out.at(call.arguments[0][1] - 1)
            for call in out.api("StreamCreateWithFlags", "StreamCreateWithPriority", within=function.body)
            if call.arguments and "NonBlocking" in out.text((call.index, call.close))
        }
        if streams:
            yield from _unordered(file, out, function, streams)


def _unordered(file: File, out: Outline, function: Function, streams: set[str]) -> Iterator[Finding]:
    busy: dict[str, tuple[str, set[str]]] = {}  # stream -> (kernel, names it was given)
    launches = {each.index: each for each in out.launches}
    for index in range(*function.body):
        if index in launches:
            launch = launches[index]
            stream = out.text(launch.configuration[3]) if len(launch.configuration) > 3 else ""
            if stream in streams:
                given = {name for span in launch.arguments for name in out.words(span)}
                busy[stream] = (launch.kernel, busy.get(stream, ("", set()))[1] | given)
        name = out.at(index)
        if _SYNC.fullmatch(name) or name in ("hipStreamWaitEvent", "cudaStreamWaitEvent"):
            busy.clear()
        elif busy and name.removeprefix("cuda").removeprefix("hip") in _BLOCKING_COPIES:
            call = out.call_at(index)
            if call is None:
                continue
            used = {word for span in call.arguments[:2] for word in out.words(span)}
            for stream, (kernel, given) in busy.items():
                if given & used:
                    yield file.finding(
                        "unordered-default-stream",
                        out.tokens[index].offset,
                        len(name),
                        f"{name} does not wait for {kernel} in the non-blocking stream {stream}",
                        f"copy with {name}Async in that stream and synchronize with it",
                    )
                    break


@rule("sync-in-destructor", Severity.WARNING)
def sync_in_destructor(file: File) -> Iterator[Finding]:
    """A destructor waits for the GPU.

    Why:
        Objects with static storage are destroyed after main, when the runtime may have been torn down already: in HIP
        a synchronization or an unload then fails, hangs or crashes, where CUDA returns cudaErrorCudartUnloading. In
        any object it makes all streams wait at a place that nobody sees, and an error of an earlier kernel comes up
        where it cannot be reported. The same holds for handlers registered with atexit.

    Example:
        struct Context {
          ~Context() { (void)cudaDeviceSynchronize(); }
        };

    Fix:
        struct Context {
          cudaError_t close() { return cudaDeviceSynchronize(); }
        };
    """
    out = file.outline
    statics = _static_types(out)
    for function in out.functions:
        if not function.destructor:
            continue
        for index in range(*function.body):
            token = out.tokens[index]
            if token.kind is not Kind.NAME or not _SYNC.fullmatch(token.text) or out.call_at(index) is None:
                continue
            static = function.name in statics
            tail = f", and an object of it is static ({statics[function.name]})" if static else ""
            yield file.finding(
                "sync-in-destructor",
                token.offset,
                len(token.text),
                f"{token.text} in the destructor of {function.name}{tail}",
                "give the class a close() that returns the error, and call it while the runtime lives",
                severity=Severity.ERROR if static else Severity.WARNING,
            )


def _static_types(out: Outline) -> dict[str, str]:
    """Class -> name of an object of it that has static storage."""
    found: dict[str, str] = {}
    bodies = [each.body for each in out.functions]
    destructors = {each.name for each in out.functions if each.destructor}
    for name in destructors:
        for index in out.names.get(name, ()):
            declares = out.at(index + 1).isidentifier() and out.at(index + 2) in (";", "=", "{", "(")
            if not declares or out.at(index - 1) in ("struct", "class", "~", "::", "new", ","):
                continue
            inside = any(start <= index < end for start, end in bodies)
            before = out.at(index - 1)
            at_file_scope = not inside and _depth(out, index) == 0 and before in (";", "}", "static", "", "inline", "{")
            if (inside and before == "static") or (at_file_scope and out.at(index + 2) != "("):
                found[name] = out.at(index + 1)
    return found


def _depth(out: Outline, index: int) -> int:
    """How many braces other than those of namespaces are open before a token."""
    depth = 0
    for at in range(index):
        if out.at(at) == "{" and at in out.match and out.match[at] > index:
            head = [out.at(each) for each in range(max(0, at - 4), at)]
            depth += "namespace" not in head and "extern" not in head
    return depth


@rule("dynamic-parallelism", Severity.ERROR)
def dynamic_parallelism(file: File) -> Iterator[Finding]:
    """A kernel launches a kernel.

    Why:
        HIP has no dynamic parallelism: a launch in device code does not compile for AMD GPUs, and there is no runtime
        library for the device (``-rdc=true -lcudadevrt``). The usual replacements are a work queue in memory that a
        persistent kernel empties, or a second launch from the host with sizes that the first kernel wrote, in a graph
        or behind an asynchronous copy.

    Example:
        __global__ void child(float* data) { data[threadIdx.x] += 1.0f; }
        __global__ void parent(float* data) {
          if (threadIdx.x == 0) child<<<1, 64>>>(data);
        }

    Fix:
        __global__ void child(float* data) { data[threadIdx.x] += 1.0f; }
        cudaError_t parent(float* data) {
          child<<<1, 64>>>(data);
          return cudaGetLastError();
        }
    """
    out = file.outline
    for launch in out.launches:
        function = out.function_at(launch.index)
        if function and function.is_device and "__host__" not in function.words:
            yield file.finding(
                "dynamic-parallelism",
                *out.offsets((launch.index, launch.index + 1)),
                f"{launch.kernel} is launched from device code, which HIP cannot do",
                "launch it from the host, or let one kernel work through a queue",
            )
    for function in out.functions:
        if not function.is_kernel:
            continue
        for call in out.calls("cudaDeviceSynchronize", "hipDeviceSynchronize", within=function.body):
            yield file.finding(
                "dynamic-parallelism",
                *out.offsets((call.index, call.index + 1)),
                f"{call.name} in device code: there is no runtime on AMD's devices",
                "end the kernel there and launch the rest from the host",
            )
