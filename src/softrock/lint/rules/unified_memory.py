"""Pointers and who may follow them: managed memory, the host's memory in kernels, the device's on the host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.memory import (
    DEVICE,
    MANAGED,
    PAGEABLE,
    allocations,
    given_memory,
    managed_variables,
    pointed_at,
    pointer_name,
)
from softrock.lint.outline import Function, Outline
from softrock.lint.registry import rule
from softrock.lint.targets import Target

_XNACK = frozenset({"gfx90a", "gfx942", "gfx950"})
"""Targets whose GPUs can fault a page in, when HSA_XNACK=1 is set (LLVM's AMDGPU usage page: target feature xnack)."""

_WAITS = re.compile(r"(?:cuda|hip)(?:(?:Device|Stream|Event)Synchronize|Memcpy|Free\w*|StreamQuery|EventQuery)")


def _migration(targets: list[Target]) -> str:
    """What is true of page faults on the chosen GPUs."""
    can = [each.gfx for each in targets if each.gfx in _XNACK]
    cannot = [each.gfx for each in targets if each.gfx not in _XNACK]
    parts = [f"{', '.join(can)} migrates pages only with HSA_XNACK=1"] if can else []
    parts += [f"{', '.join(cannot)} cannot fault pages in"] if cannot else []
    return " and ".join(parts)


@rule("managed-memory", Severity.NOTE)
def managed_memory(file: File) -> Iterator[Finding]:
    """Managed memory counts on pages that move.

    Why:
        CUDA moves managed pages to whoever touches them. AMD's CDNA GPUs do so only when the process runs with
        HSA_XNACK=1 and the code is compiled for it (``gfx942:xnack+`` or without a word on xnack); else, and on RDNA
        GPUs always, the memory stays on the host and each access of a kernel goes over the bus, at a small part of the
        speed. Prefetching and advice may return hipErrorNotSupported or do nothing.
        hipDeviceAttributeConcurrentManagedAccess and hipDeviceAttributePageableMemoryAccess tell.

    Example:
        bool run(float** data, size_t bytes) {
          return cudaMallocManaged(data, bytes) == cudaSuccess;
        }

    Fix:
        bool run(float** data, size_t bytes) {
          return cudaMalloc(data, bytes) == cudaSuccess;
        }
    """
    out = file.outline
    if {
        "hipDeviceAttributeConcurrentManagedAccess",
        "cudaDevAttrConcurrentManagedAccess",
        "concurrentManagedAccess",
    } & (out.names.keys()):
        return
    facts = _migration(list(file.targets))
    for call in out.api("MallocManaged", "MemPrefetchAsync", "MemAdvise"):
        yield file.finding(
            "managed-memory",
            *out.offsets((call.index, call.index + 1)),
            f"{call.name}: {facts}",
            "copy to device memory where speed matters, or ask for hipDeviceAttributeConcurrentManagedAccess",
            severity=Severity.NOTE if call.name.endswith("MallocManaged") else Severity.WARNING,
        )
    for name, index in managed_variables(out).items():
        yield file.finding(
            "managed-memory",
            *out.offsets((index, index + 1)),
            f"__managed__ variable {name}: {facts}",
            "use a __device__ variable and hipMemcpyToSymbol, or ask for hipDeviceAttributeConcurrentManagedAccess",
        )


@rule("managed-race", Severity.WARNING)
def managed_race(file: File) -> Iterator[Finding]:
    """The host uses managed memory while a kernel may still write it.

    Why:
        A launch returns before the kernel has run. CUDA's GPUs without concurrent managed access stop the process with
        a fault, so that the mistake is found; where access is concurrent, on NVIDIA's and on AMD's, the host reads
        what the kernel has not written yet.

    Example:
        __global__ void fill(int* data) { data[threadIdx.x] = 1; }
        int run() {
          int* data;
          (void)cudaMallocManaged(&data, 256);
          fill<<<1, 64>>>(data);
          return data[0];
        }

    Fix:
        __global__ void fill(int* data) { data[threadIdx.x] = 1; }
        int run() {
          int* data;
          (void)cudaMallocManaged(&data, 256);
          fill<<<1, 64>>>(data);
          (void)cudaDeviceSynchronize();
          return data[0];
        }
    """
    out = file.outline
    launches = {each.index: each for each in out.launches}
    for function in out.functions:
        if function.is_device:
            continue
        managed = {name for name, memory in allocations(out, function).items() if memory.kind == MANAGED}
        managed |= managed_variables(out).keys()
        if not managed:
            continue
        busy: dict[str, str] = {}
        end = 0
        for index in range(*function.body):
            if index in launches:
                launch = launches[index]
                end = launch.end
                given = {pointer_name(out, span) for span in launch.arguments}
                busy |= dict.fromkeys(given & managed, launch.kernel)
            text = out.at(index)
            if _WAITS.fullmatch(text) or re.search(r"(?i)sync", text) or (text == "return" and not busy):
                busy.clear()
            elif text in busy and index >= end and _followed(out, index) and not out.in_lambda(index, function):
                yield file.finding(
                    "managed-race",
                    *out.offsets((index, index + 1)),
                    f"the host uses {text} while {busy[text]} may still run",
                    "synchronize first",
                )
                del busy[text]


_BEFORE_STAR = frozenset({"(", ",", "=", ";", "{", "}", "<<", "return", "+", "-", "<", ">"})
_UNEVALUATED = frozenset({"sizeof", "decltype", "typeid", "alignof"})


def _followed(out: Outline, index: int) -> bool:
    """Whether a pointer's memory is read or written there."""
    if out.at(index + 1) in ("[", "->"):
        address = out.at(index - 1) == "&" or (out.at(index - 1) == "(" and out.at(index - 2) == "&")
        return not address and not _UNEVALUATED & {out.at(index - 1), out.at(index - 2)}
    if out.at(index - 1) != "*" or _UNEVALUATED & {out.at(index - 2), out.at(index - 3)}:
        return False
    return out.at(index - 2) in _BEFORE_STAR


@rule("host-dereference", Severity.ERROR)
def host_dereference(file: File) -> Iterator[Finding]:
    """The host follows a pointer to device memory.

    Why:
        On a discrete NVIDIA GPU this crashes at once. On AMD GPUs with a large BAR device memory is mapped for the
        host, so that it may seem to work: uncached, slow, and without waiting for kernels. On the next machine it is a
        fault.

    Example:
        float first() {
          float* data;
          (void)cudaMalloc(&data, 1024);
          return data[0];
        }

    Fix:
        float first() {
          float* data;
          float value;
          (void)cudaMalloc(&data, 1024);
          (void)cudaMemcpy(&value, data, sizeof(float), cudaMemcpyDeviceToHost);
          return value;
        }
    """
    out = file.outline
    for function in out.functions:
        if function.is_device:
            continue
        for name, memory in allocations(out, function).items():
            if memory.kind != DEVICE or not _plain_pointer(out, function, name):
                continue
            later = out.places(name, (memory.index + 1, function.body[1]))[1:]
            for index in later:
                declared = out.tokens[index - 1].kind is Kind.NAME and out.at(index - 1) not in ("return", "else", "do")
                if out.at(index + 1) == "=" or out.at(index - 1) == "&" or declared:
                    break  # another value
                if _followed(out, index) and not out.in_lambda(index, function):
                    yield file.finding(
                        "host-dereference",
                        *out.offsets((index, index + 1)),
                        f"{name} points to device memory ({memory.by}), and the host follows it",
                        "copy with hipMemcpy, or allocate with hipHostMalloc or hipMallocManaged",
                    )
                    break


def _plain_pointer(out: Outline, function: Function, name: str) -> bool:
    """Whether a name is declared in the function as one pointer: not an array of them, nor a pointer to pointers."""
    for index in out.places(name, (function.start, function.body[1])):
        if out.at(index - 1) == "*":
            declares = out.at(index - 2) not in ("*", "=", "(", ",") and out.at(index + 1) in (";", "=", ",", "{")
            if declares and out.tokens[index - 2].text.isidentifier():
                return True
    return False


@rule("pageable-to-kernel", Severity.ERROR)
def pageable_to_kernel(file: File) -> Iterator[Finding]:
    """A kernel gets a pointer from malloc or new.

    Why:
        On systems with address translation services (Grace Hopper) or HMM, CUDA kernels may follow any pointer of the
        process. On AMD that needs XNACK: HSA_XNACK=1 on gfx90a, gfx942 and gfx950, nothing on RDNA; without it the
        kernel ends with a memory access fault. hipDeviceAttributePageableMemoryAccess tells.

    Example:
        __global__ void fill(int* data) { data[threadIdx.x] = 1; }
        void run() {
          int* data = (int*)malloc(256);
          fill<<<1, 64>>>(data);
        }

    Fix:
        __global__ void fill(int* data) { data[threadIdx.x] = 1; }
        void run() {
          int* data;
          (void)cudaMallocManaged(&data, 256);
          fill<<<1, 64>>>(data);
        }
    """
    out = file.outline
    if {
        "pageableMemoryAccess",
        "hipDeviceAttributePageableMemoryAccess",
        "cudaDevAttrPageableMemoryAccess",
    } & out.names.keys():
        return
    for given in given_memory(out):
        if given.memory.kind != PAGEABLE:
            continue
        span = given.launch.arguments[given.position]
        yield file.finding(
            "pageable-to-kernel",
            *out.offsets(span),
            f"{pointed_at(out, span)} comes from {given.memory.by}: {_migration(list(file.targets))}",
            "allocate with hipMalloc or hipMallocManaged, or register it with hipHostRegister",
        )


@rule("pointer-attributes", Severity.WARNING)
def pointer_attributes(file: File) -> Iterator[Finding]:
    """A decision by the kind of memory a pointer is said to point to.

    Why:
        For memory that the runtime does not know, CUDA 11 and later succeed and say cudaMemoryTypeUnregistered; HIP
        before 6.0 returned hipErrorInvalidValue and left the error for hipGetLastError. The numbers of the types have
        changed between HIP versions, so that they must not be compared with literals; memory from hipMallocManaged and
        ``isManaged`` differ as well, and the old member ``memoryType`` is gone from both.

    Example:
        bool on_device(const void* p) {
          cudaPointerAttributes attributes;
          (void)cudaPointerGetAttributes(&attributes, p);
          return attributes.memoryType == cudaMemoryTypeDevice;
        }

    Fix:
        bool on_device(const void* p) {
          cudaPointerAttributes attributes;
          if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
            (void)cudaGetLastError();
            return false;
          }
          return attributes.type == cudaMemoryTypeDevice;
        }
    """
    out = file.outline
    if not any("Pointer" in name and "Attribute" in name for name in out.names):
        return
    for index in out.names.get("memoryType", ()):
        if out.at(index - 1) in (".", "->"):
            yield file.finding(
                "pointer-attributes",
                *out.offsets((index, index + 1)),
                "memoryType is gone from pointer attributes",
                "use type",
            )
    for name in ("cudaMemoryTypeUnregistered", "hipMemoryTypeUnregistered"):
        for index in out.names.get(name, ()):
            yield file.finding(
                "pointer-attributes",
                *out.offsets((index, index + 1)),
                f"{name} is what HIP says of ordinary memory since 6.0 only; before, the call fails",
                "treat an error as ordinary memory, too, and clear it with hipGetLastError",
            )
    for index in out.names.get("type", ()):
        literal = out.at(index + 1) in ("==", "!=") and out.at(index + 2).isdigit()
        owner = out.at(index - 2)
        of_pointer = re.search(r"(?i)attr", owner) or "PointerAttribute" in file.values.type_of(owner, index)
        if literal and out.at(index - 1) in (".", "->") and of_pointer:
            yield file.finding(
                "pointer-attributes",
                *out.offsets((index + 2, index + 3)),
                f"the type of memory is compared with {out.at(index + 2)}: HIP's numbers changed in 6.0",
                "compare with the enumerators",
            )
