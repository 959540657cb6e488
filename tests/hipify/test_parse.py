"""clang's tree of the user's own code: offsets, names, errors, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.parse import Tree, parse

PROGRAM = """\
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { if ((x) != cudaSuccess) return 1; } while (0)
struct Foo { int cudaMalloc; };
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main() {
  float* p;
  CHECK(cudaMalloc(&p, 4));
  Foo f; f.cudaMalloc = 1;
  k<<<1, 64>>>(p);
  std::vector<int> v(3);
  return 0;
}
"""


def parsed(tmp_path: Path, text: str, name: str = "x.cu", **options: object) -> Tree:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    return parse(path, **options)  # type: ignore[arg-type]


def test_holds_the_users_code_only(tmp_path: Path) -> None:
    tree = parsed(tmp_path, PROGRAM)
    assert tree.complete
    assert [each.name for each in tree.root.children] == ["Foo", "k", "main"]
    assert "cudaMalloc" in tree.user_declared
    assert tree.macros == {"CHECK"}


def test_offsets_are_those_of_the_text(tmp_path: Path) -> None:
    tree = parsed(tmp_path, PROGRAM)
    kernel = next(tree.root.find("FunctionDecl"))
    assert PROGRAM[kernel.offset : kernel.end].startswith("__global__ void k(")
    assert PROGRAM[kernel.offset : kernel.end].endswith("= 1; }")
    assert PROGRAM[kernel.name_offset :].startswith("k(float")
    member = next(each for each in tree.root.find("MemberExpr") if tree.written(each) == "cudaMalloc")
    assert PROGRAM[member.name_offset :].startswith("cudaMalloc = 1")
    call = next(each for each in tree.root.find("DeclRefExpr") if each.ref and each.ref.name == "hipMalloc")
    assert call.in_macro
    assert call.line == 8


def test_gives_a_tree_where_there_are_errors(tmp_path: Path) -> None:
    text = '\xef\xbb\xbf#include <no_such.h>\n#include "../../gone/x/../too.h"\nint x = ;\n'
    text += "__global__ void k() { undeclared(1); }\nint y;\n"
    tree = parsed(tmp_path, text)
    assert [(each.line, each.column) for each in tree.errors] == [(1, 14), (2, 11), (3, 9), (4, 23)]
    assert tree.errors[0].message == "'no_such.h' file not found"
    assert {"k", "x", "y"} <= tree.user_declared
    assert next(each.name_offset for each in tree.root.children if each.name == "y") == text.index("y;")


@pytest.mark.parametrize("device", [True, False])
def test_each_pass_sees_its_own_branch(tmp_path: Path, device: bool) -> None:
    text = "__device__ int f() {\n#ifdef __CUDA_ARCH__\n  int on_gpu = 1; return on_gpu;\n"
    text += "#else\n  int on_host; return 0;\n#endif\n}\n"
    tree = parsed(tmp_path, text, device=device)
    assert ("on_gpu" in tree.user_declared) is device
    assert ("on_host" in tree.user_declared) is not device


LIBRARIES = """\
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <curand_kernel.h>
#include <mma.h>
#include <nvtx3/nvtx3.hpp>
#include <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>
struct Scale { float by; __host__ __device__ float operator()(float x) const { return by * x; } };
template <int N> __global__ void sum(int* in, int* out) {
  using Reduce = cub::BlockReduce<int, N>;
  __shared__ typename Reduce::TempStorage temp;
  int items[4];
  int s = Reduce(temp).Sum(in[threadIdx.x]) + Reduce(temp).Reduce(1, cub::Max());
  __shared__ union { typename cub::BlockLoad<int, N, 4>::TempStorage load; } u;
  cub::BlockLoad<int, N, 4>(u.load).Load(in, items);
  out[0] = s;
}
__global__ void random(curandState* states, float* out) {
  curandState mine = states[0];
  *out = curand_uniform(&mine) + curand_uniform4(&mine).x;
}
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void count() { counter.fetch_add(1, cuda::std::memory_order_relaxed); }
int main() {
  thrust::host_vector<float> h(100, 1);
  thrust::device_vector<float> x = h, y(100);
  thrust::transform(thrust::device, x.begin(), x.end(), y.begin(), Scale{2});
  float s = thrust::transform_reduce(x.begin(), x.end(), Scale{3}, 0.0f, thrust::plus<float>()) + y[3];
  auto both = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  thrust::for_each(both, both + 3, [] __device__(auto t) { thrust::get<0>(t) = 1; });
  int at = thrust::max_element(x.begin(), x.end()) - x.begin();
  x.erase(thrust::unique(x.begin(), x.end()), x.end());
  int* raw = nullptr; void* temp = nullptr; size_t bytes = 0;
  cub::DeviceReduce::Sum(temp, bytes, raw, raw, 3);
  sum<128><<<1, 128>>>(raw, raw);
  nvtx3::scoped_range range{"name"};
  return s + at > 0;
}
"""


@pytest.mark.parametrize("device", [True, False])
def test_names_of_libraries_that_are_not_there_resolve(tmp_path: Path, device: bool) -> None:
    tree = parsed(tmp_path, LIBRARIES, device=device)
    assert [str(each) for each in tree.errors] == []
    names = {each.ref.name for each in tree.root.walk() if each.ref is not None}
    assert {"transform", "transform_reduce", "for_each", "max_element", "device", "Sum", "curand_uniform4"} <= names


BRANCHES = """\
#if defined(FOO) && \\
   BAR
A
#elif 1
int b = 1;
#else
C
#endif
#if 0
#if 1
D
#endif
E
#endif
#define F(x) x
int z = F(
#ifdef Q
G
#else
2
#endif
);
#ifdef __CUDA_ARCH__
__device__ int h;
#else
int i;
#endif
"""


@pytest.mark.parametrize("device", [True, False])
def test_skipped_branches(tmp_path: Path, device: bool) -> None:
    tree = parsed(tmp_path, BRANCHES, device=device)
    assert tree.complete
    skipped = [BRANCHES[start:end] for start, end in tree.inactive]
    other = "int i;\n" if device else "__device__ int h;\n"
    assert skipped == ["A\n", "C\n", "#if 1\nD\n#endif\nE\n", "G\n", other]
    assert tree.active(BRANCHES.index("int b"))
    assert not tree.active(BRANCHES.index("D\n#endif"))
    assert tree.active(BRANCHES.index("#endif\n#if 0"))
