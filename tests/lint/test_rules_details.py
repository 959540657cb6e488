"""What rules compute: figures in messages, fixes, what depends on the GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.edits import apply
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import Source
from softrock.lint import engine
from softrock.lint.rules.launch_bounds import waves_per_simd
from softrock.lint.targets import TARGETS, targets


def findings(text: str, rule: str, language: str = "cuda", gpu: str | None = None) -> list[Finding]:
    """What one rule finds in a text."""
    suffix = {"cuda": ".cu", "hip": ".hip", "python": ".py"}[language]
    source = Source.of_bytes(Path("input" + suffix), text.encode())
    settings = engine.Settings(targets(gpu), frozenset({rule}), parse=False)
    return engine.findings_of(source, language, settings)


@pytest.mark.parametrize(
    ("threads", "blocks", "gpu", "waves"),
    [
        (256, 4, "gfx942", 8),
        (256, 4, "gfx1100", 8),
        (128, 1, "gfx942", 1),
        (64, 1, "gfx942", 1),
        (1024, 2, "gfx942", 8),  # 16 by the formula, but a SIMD of CDNA holds 8
        (1024, 2, "gfx1100", 16),
        (192, 3, "gfx1201", 5),  # 4.5: a part of a wave is a wave
    ],
)
def test_waves_for_blocks(threads: int, blocks: int, gpu: str, waves: int) -> None:
    assert waves_per_simd(threads, blocks, TARGETS[gpu]) == waves


def test_launch_bounds_say_the_figure_of_each_gpu() -> None:
    (found,) = findings("__global__ void __launch_bounds__(1024, 2) k() {}", "launch-bounds-second-argument")
    assert "8 on gfx942, 16 on gfx1100" in found.hint


def test_shared_memory_counts_what_a_kernel_calls_once() -> None:
    text = (
        "__device__ void part() { __shared__ double a[5000]; }\n"
        "__global__ void k() { __shared__ float b[7000]; part(); part(); }\n"
    )
    (found,) = findings(text, "shared-memory-limit")
    assert found.message.startswith("k has 68000 bytes of static shared memory")
    assert findings(text, "shared-memory-limit", gpu="gfx950") == []
    assert "64 KiB on gfx942, 64 KiB on gfx1100" in found.message


@pytest.mark.parametrize(
    ("declaration", "bytes_"),
    [
        ("__shared__ float3 a[N];", 12 * 8192),
        ("__shared__ alignas(16) unsigned long long a[N], b;", 8 * 8192 + 8),
        ("__shared__ struct S a[N];", 24 * 8192),
        ("__shared__ alias a[2][N / 2];", 16 * 8192),
        ("__shared__ std::uint64_t a[N + sizeof(float)];", 8 * 8196),
        ("volatile __shared__ __half2 a[N][3];", 4 * 3 * 8192),
    ],
)
def test_sizes_of_types(declaration: str, bytes_: int) -> None:
    text = (
        "constexpr int N = 1 << 13;\nstruct S { double x; int y[2]; char z; };\nusing alias = double2;\n"
        f"__global__ void k() {{ {declaration} }}\n"
    )
    (found,) = findings(text, "shared-memory-limit")
    assert f"k has {bytes_} bytes" in found.message


def test_constants_of_other_kernels_are_not_taken() -> None:
    text = (
        "__global__ void a() { const int n = 70000; __shared__ char x[1]; }\n"
        "template <int n> __global__ void b() { __shared__ char x[n]; }\n"
        "__global__ void c(int n) { __shared__ char x[n]; }\n"
    )
    assert findings(text, "shared-memory-limit") == []


def test_texture_errors_name_the_gpus_without() -> None:
    text = "__global__ void k(cudaTextureObject_t t, float* p) { *p = tex1D<float>(t, 0.0f); }"
    (found,) = findings(text, "texture-on-cdna", gpu="gfx90a,gfx942,gfx1201")
    assert "gfx90a, gfx942" in found.message
    assert "gfx1201" not in found.message
    assert findings(text, "texture-on-cdna", gpu="gfx1201") == []


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("#ifdef __CUDA_ARCH__", "#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)"),
        ("#  ifndef __CUDA_ARCH__ // a", "#if !(defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)) // a"),
        ("#if !defined(__CUDA_ARCH__)", "#if !(defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__))"),
        ("#if defined __CUDA_ARCH__ && N", "#if (defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)) && N"),
    ],
)
def test_questions_for_device_code_are_mended(line: str, after: str) -> None:
    text = f"{line}\n#endif\n"
    (found,) = findings(text, "cuda-arch")
    mended = apply(text, found.fix)
    assert mended == f"{after}\n#endif\n"
    assert findings(mended, "cuda-arch") == []


def test_code_for_nvidia_alone_is_not_opened_to_amd() -> None:
    body = '#if N\n#endif\nasm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(p));\n'
    (found,) = findings(f"#ifdef __CUDA_ARCH__\n{body}#else\nint a;\n#endif\n", "cuda-arch")
    assert found.fix == ()
    (found,) = findings(f"#ifdef __CUDA_ARCH__\nint a;\n#else\n{body}#endif\n", "cuda-arch")
    assert found.fix != ()


@pytest.mark.parametrize(
    ("line", "said"), [("#if __CUDA_ARCH__ >= 700", "is false"), ("#if __CUDA_ARCH__ < 700", "is true")]
)
def test_comparisons_are_not_mended_and_say_what_holds_on_amd(line: str, said: str) -> None:
    (found,) = findings(f"{line}\n#endif\n", "cuda-arch")
    assert said in found.message
    assert found.fix == ()


def test_symbols_are_mended_where_they_are_known() -> None:
    text = (
        '__constant__ int a[4];\nvoid f(int* p) { cudaMemcpyToSymbol("a", p, 16); cudaMemcpyToSymbol("b", p, 16); }\n'
    )
    known, unknown = findings(text, "symbol-by-name")
    assert 'cudaMemcpyToSymbol(a, p, 16); cudaMemcpyToSymbol("b"' in apply(text, known.fix)
    assert unknown.fix == ()


def test_triton_says_how_many_waves_fit() -> None:
    (found,) = findings("import triton\nc = triton.Config({}, num_warps=32)\n", "triton-num-warps", "python")
    assert "2048 threads on gfx942" in found.message
    assert "at most 16" in found.hint
    assert findings("c = f(num_warps=32)\n", "triton-num-warps", "python") == []


def test_unsafe_atomics_on_fine_grained_memory_are_errors() -> None:
    text = (
        "__global__ void k(float* p) { unsafeAtomicAdd(p, 1.0f); }\n"
        "void f() { float* p; (void)hipHostMalloc(&p, 4); k<<<1, 1>>>(p); }\n"
    )
    assert [each.severity for each in findings(text, "float-atomic-fine-grained", "hip")] == [Severity.ERROR]


@pytest.mark.parametrize(
    "rule", ["return-before-barrier", "spin-lock", "inline-ptx", "shared-memory-limit", "cuda-arch"]
)
@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k( {",
        "}}}} __global__ void k(int* p) { if (",
        "#if\n#elif (\n#else\n#endif\n#endif\n__global__ void k() { __syncthreads();",
        "__global__ void k() { __shared__ float a[; while (atomicCAS(p, 0, 1)",
        'asm("mov.u32 %0\nk<<<1, 2\n>>>(',
        "template <<<>>> (((([[[[{{{{",
        "__global__ void k() {" + "if (threadIdx.x) {" * 400 + "__syncthreads();" + "}" * 400 + "}",
        "__global__ void k() { int a = " + "(" * 3000 + "1" + ")" * 3000 + "; __shared__ float b[a]; }",
        "#if " + "(" * 3000 + "1" + ")" * 3000 + "\n#endif\n",
        "constexpr int a = b; constexpr int b = a; __global__ void k() { __shared__ float c[a]; }",
        "#define A B\n#define B A\n__global__ void k() { __shared__ A c[B]; }",
        "",
    ],
)
def test_broken_sources_do_no_harm(text: str, rule: str) -> None:
    findings(text, rule)
    findings(text, rule, "hip")


def test_a_barrier_under_many_conditions_is_still_found() -> None:
    text = "__global__ void k() {" + "if (threadIdx.x) {" * 50 + "__syncthreads();" + "}" * 50 + "}"
    (found,) = findings(text, "barrier-in-divergent-code")
    assert found.severity is Severity.ERROR


def parsed_findings(folder: Path, text: str, rule: str, header: str = "") -> list[Finding]:
    """What one rule finds with clang's tree."""
    (folder / "own.h").write_text(header, encoding="utf-8")
    path = folder / "input.cu"
    path.write_text(f'#include <cuda_runtime.h>\n#include "own.h"\n{text}', encoding="utf-8")
    source = Source.read(path)
    checked = engine.check(source, engine.Settings(targets(None), frozenset({rule})))
    assert checked.parsed
    return checked.findings


TEMPLATES = """
template <typename T> struct Box { T value[4]; char tail; };
template <typename T, int N> __global__ void tile(T* p) {
  __shared__ T cache[N][N];
  cache[0][threadIdx.x] = p[0];
}
template <int N> __device__ int part(int i) { __shared__ int s[N]; s[threadIdx.x] = i; return s[0]; }
__global__ void boxes(int* p) { __shared__ Box<double> a[1639]; a[threadIdx.x].tail = 1; }
__global__ void parts(int* p) { p[0] = part<9000>(3) + part<8000>(4); }
__global__ void constant(float* p) { __shared__ float t[OWN_TILE]; t[0] = p[0]; }
void run(float* p, double* q) { tile<float, 64><<<1, 32>>>(p); tile<double, 96><<<1, 32>>>(q); }
"""


def test_shared_memory_of_instantiations_and_of_constants_in_headers(tmp_path: Path) -> None:
    found = parsed_findings(tmp_path, TEMPLATES, "shared-memory-limit", "constexpr int OWN_TILE = 16385;\n")
    assert [each.message.split(" of static")[0] for each in found] == [
        "tile has 73728 bytes",
        "parts has 68000 bytes",
        "boxes has 65560 bytes",
        "constant has 65540 bytes",
    ]
    by_tokens = [each for each in findings(TEMPLATES, "shared-memory-limit") if "tile" in each.message]
    assert by_tokens == []


def test_launch_bounds_that_stand_in_a_header_limit_blocks(tmp_path: Path) -> None:
    text = (
        "__global__ void __launch_bounds__(OWN_THREADS) step(float* p) { p[0] = 0; }\n"
        "void run(float* p) { step<<<1, 512>>>(p); step<<<1, 256>>>(p); }\n"
    )
    (found,) = parsed_findings(tmp_path, text, "block-too-large", "#define OWN_THREADS 256\n")
    assert found.message == "512 threads in a block of step; the limit is 256"


def test_dropped_errors_of_own_functions_are_known_by_type(tmp_path: Path) -> None:
    text = """cudaError_t copy(float* p) { return cudaMemset(p, 0, 4); }
struct Buffer { cudaError_t clear() { return cudaSuccess; } void nothing() {} };
int number() { return 1; }
void run(float* p, Buffer b) {
  copy(p);
  b.clear();
  b.nothing();
  number();
  (void)copy(p);
  if (copy(p) != cudaSuccess) return;
}
"""
    found = parsed_findings(tmp_path, text, "unchecked-call")
    assert [(each.line, each.column, each.message) for each in found] == [
        (7, 3, "the error that copy returns is ignored"),
        (8, 5, "the error that clear returns is ignored"),
    ]
