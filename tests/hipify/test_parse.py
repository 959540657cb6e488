"""clang's tree of the user's own code: offsets, names, errors, limits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softrock.core.errors import UsageError
from softrock.hipify import frontend, includes
from softrock.hipify.parse import ParseError, Tree, language_of, parse

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


# --- headers, flags, languages ----------------------------------------------------------------------------------------


def test_the_users_headers_are_in_the_tree_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "own.cuh").write_text("#pragma once\n#include <vector>\n#define OWN 1\n__device__ int own();\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "theirs.h").write_text("#pragma once\nint theirs();\n")
    text = '#include "own.cuh"\n#include <theirs.h>\nstd::vector<int> v; int x = theirs() + OWN;\n'
    tree = parsed(tmp_path, text, include_dirs=[tmp_path / "lib"])
    assert tree.complete
    assert [each.name for each in tree.root.children] == ["own", "v", "x"]
    assert [each.file for each in tree.root.children] == [tree.own[0], tree.main, tree.main]
    assert tree.own == (str(tmp_path / "own.cuh"),)
    assert tree.macros == {"OWN"}


def test_a_header_that_includes_itself_by_way_of_others(tmp_path: Path) -> None:
    (tmp_path / "b.cuh").write_text("#pragma once\n#include <a.cuh>\nint b();\n")
    text = "#ifndef A\n#define A\n#include <b.cuh>\nstruct First {};\n#endif\n"
    tree = parsed(tmp_path, text, "a.cuh", include_dirs=[tmp_path])
    assert tree.complete
    assert "First" in tree.user_declared


def test_a_header_that_lacks_another_header(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "theirs.h").write_text("#pragma once\n#include <not/there.h>\nint theirs();\n")
    tree = parsed(tmp_path, "#include <theirs.h>\nint x = theirs();\n", include_dirs=[tmp_path / "lib"])
    assert [str(each) for each in tree.errors] == [f"{tmp_path / 'lib' / 'theirs.h'}:2:1: 'not/there.h' file not found"]
    assert [each.name for each in tree.root.children] == ["x"]


def test_a_missing_header_that_no_branch_asks_for(tmp_path: Path) -> None:
    text = "#ifdef _WIN32\n#include <windows.h>\n#endif\n"
    assert parsed(tmp_path, text).complete
    assert not parsed(tmp_path, f"#define _WIN32\n{text}").complete


def test_a_header_that_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "theirs.h").write_text("#pragma once\nint theirs();\n#error no such system\nint broken = ;\n")
    tree = parsed(tmp_path, "#include <theirs.h>\nint x = theirs();\n", include_dirs=[tmp_path / "lib"])
    assert [(Path(each.path).name, each.line) for each in tree.errors] == [("theirs.h", 3), ("theirs.h", 4)]
    assert [each.name for each in tree.root.children] == ["x"]


def test_a_header_that_the_flags_do_not_lead_to(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "check.h").write_text('#include "deep/more.h"\n#define CHECK(x) x\n')
    (tmp_path / "common" / "include" / "deep").mkdir(parents=True)
    (tmp_path / "common" / "include" / "deep" / "more.h").write_text("int more();\n")
    (tmp_path / "src" / "one").mkdir(parents=True)
    tree = parsed(tmp_path, '#include "check.h"\nint x = CHECK(more());\n', "src/one/x.cu")
    assert tree.complete
    assert [Path(each).name for each in tree.own] == ["check.h", "more.h"]
    (tmp_path / "src" / ".git").mkdir()
    assert not parsed(tmp_path, '#include "check.h"\n', "src/one/x.cu").complete


def test_a_header_without_a_guard_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "theirs.h").write_text("struct Theirs {};\n")
    tree = parsed(tmp_path, "#include <theirs.h>\nTheirs x;\n", include_dirs=[tmp_path / "lib"])
    assert tree.complete
    assert [each.name for each in tree.root.children] == ["Theirs", "x"]


def test_a_files_own_guard_is_not_part_of_its_prefix(tmp_path: Path) -> None:
    text = "#ifndef A_H\n#define A_H\n#if 0\n#define OFF\n#endif\n#include <vector>\nint x;\n#endif\n"
    text += "#ifdef OFF\nint y;\n#endif\n"
    assert parsed(tmp_path, text, "a.cuh").user_declared == {"x"}


def test_a_header_that_changed_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("first", "second"):
        (tmp_path / "lib" / "theirs.h").write_text(f"#pragma once\nint {name}();\n")
        tree = parsed(tmp_path, f"#include <theirs.h>\nint x = {name}();\n", include_dirs=[tmp_path / "lib"])
        assert tree.complete, tree.errors


def test_flags_of_a_compilation_database(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "a.h").write_text("#define A 1\n")
    (tmp_path / "early.h").write_text("int early();\n")
    words = ["nvcc", "-gencode", "arch=compute_80,code=sm_80", "-std=c++11", "-O3", "-Iinc", "-D", "TWO=2", "-DONE"]
    words += ["-c", "-Xcompiler", "-fPIC", "-include", "early.h", "-include", "gone.h", "-o", "x.o"]
    text = "#include <a.h>\nint x = A + TWO + ONE + early();\n"
    tree = parsed(tmp_path, text, flags=words, cwd=tmp_path)
    assert [str(each).rpartition(": ")[2] for each in tree.errors] == ["'gone.h' file not found"]


def test_headers_of_an_installed_cuda_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "cuda_runtime.h").write_text("#error not ours\n")
    assert parsed(tmp_path, PROGRAM, flags=["-isystem", str(tmp_path / "cuda")]).complete


@pytest.mark.parametrize("standard", ["-std=c++77", "-std=$(touch x)"])
def test_a_standard_that_does_not_exist(tmp_path: Path, standard: str) -> None:
    with pytest.raises((ParseError, UsageError), match="std="):
        parsed(tmp_path, "int x;\n", flags=[standard])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.cu", "int x;", ("hip", True)),
        ("a.cuh", "int x;", ("hip", True)),
        ("a.cu", "#include <hip/hip_runtime.h>\n", ("hip", False)),
        ("a.hip", "int x;", ("hip", False)),
        ("a.cpp", "int main() { cudaFree(0); }", ("hip", True)),
        ("a.h", "#include <cublas_v2.h>", ("hip", True)),
        ("a.hpp", "int x;", ("hip", False)),
        ("a.c", "cudaFree(0);", ("c", True)),
    ],
)
def test_languages(name: str, text: str, expected: tuple[str, bool]) -> None:
    assert language_of(Path(name), text) == expected


def test_hip_sources(tmp_path: Path) -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 2>>>(); return hipFree(0); }\n"
    assert parsed(tmp_path, text, "x.hip").complete


def test_c_sources(tmp_path: Path) -> None:
    text = '#include <cuda_runtime_api.h>\n#include <stdio.h>\nint main(void) { cudaFree(0); printf("x"); return 0; }\n'
    tree = parsed(tmp_path, text, "x.c")
    assert tree.complete, tree.errors
    assert [each.name for each in tree.root.children] == ["main"]


# --- encodings and limits ---------------------------------------------------------------------------------------------


def test_utf16(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_bytes("/* é */ int first;\n__device__ int second;\n".encode("utf-16"))
    tree = parse(tmp_path / "x.cu")
    assert tree.complete
    second = tree.root.children[1]
    assert tree.source.text[second.name_offset :].startswith("second;")
    assert tree.inactive == []


def test_latin1_text_and_name(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.cu")
    path.write_bytes(b'#include <gone.h>\n// \xe9\nconst char* s = "\xe9\xff"; int after;\n')
    tree = parse(path)
    after = tree.root.children[1]
    assert (after.name, after.file) == ("after", tree.main)
    assert tree.source.text[after.name_offset :].startswith("after;")
    assert [(each.path, each.line, each.column) for each in tree.errors] == [(tree.main, 1, 11)]


def test_files_are_named_without_detours(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "own.h").write_text("int own;\n")
    (tmp_path / "real" / "x.cu").write_text('#include "../link/../real/own.h"\nint x;\n')
    tree = parse(tmp_path / "link" / "x.cu")
    assert [each.file for each in tree.root.children] == [str(tmp_path / "real" / name) for name in ("own.h", "x.cu")]
    assert tree.own == (str(tmp_path / "real" / "own.h"),)


@pytest.mark.long
def test_processes_share_a_precompiled_header(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text(PROGRAM)
    script = "import sys, pathlib; from softrock.hipify.parse import parse; "
    script += "print(parse(pathlib.Path(sys.argv[1])).complete)"
    environment = {**os.environ, "SOFTROCK_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", script, str(tmp_path / "x.cu")]
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [each.communicate()[0] for each in processes] == ["True\n"] * 3
    assert len(list((tmp_path / "cache" / "hipify-pch").iterdir())) == 1


def test_a_chain_of_operators_is_deeper_than_pythons_recursion(tmp_path: Path) -> None:
    tree = parsed(tmp_path, "int x = 1" + " + 1" * 700 + ";\n")
    assert sum(1 for _ in tree.root.find("BinaryOperator")) == 700


LARGE = "".join(f"int x{number} = {number};\n" for number in range(20000))


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("TIME_LIMIT", 0.03, r"clang was not done after 0\.03 seconds"),
        ("OUTPUT_LIMIT", 1 << 20, "its syntax tree is larger than 1 MiB"),
        ("MEMORY_LIMIT", 1 << 20, "clang gives no syntax tree"),
    ],
)
def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, message: str) -> None:
    parsed(tmp_path, "int warm;\n", "y.cu")
    monkeypatch.setattr(frontend, limit, value)
    with pytest.raises(ParseError, match=rf"x\.cu: {message}"):
        parsed(tmp_path, LARGE)


@pytest.mark.parametrize(
    "text",
    [
        '#include "x.cu"\nint x;\n',
        "#include </etc/../../../../../../../../../../../x>\nint x;\n",
        "#include <" + "a/" * 600 + "b>\nint x;\n",
        "#include <a>\n#include <a/b>\n#include <..>\n#include <>\nint x;\n",
        "(" * 5000 + "\nint x;\n",
        "int y = " + "(" * 5000 + "1" + ")" * 5000 + ";\nint x;\n",
        "#if 1\n" * 3000 + "int x;\n",
        'R"(\nint y;\n#if',
        "#define X(\n#include\n#include MACRO\nint x;\n\\",
    ],
    ids=["itself", "up", "long", "odd", "open", "nested", "ifs", "raw", "half"],
)
def test_hostile_files_give_a_tree_and_errors(tmp_path: Path, text: str) -> None:
    tree = parsed(tmp_path, text)
    assert not tree.complete
    assert isinstance(tree.inactive, list)


def test_a_device_is_no_endless_header(tmp_path: Path) -> None:
    assert parsed(tmp_path, '#include "/dev/zero"\nint x;\n').user_declared == {"x"}


def test_includes_are_read_as_the_preprocessor_does(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#include <b.h>\n")
    for name in ("a.h", "b.h", "c.h"):
        (tmp_path / "lib").mkdir(exist_ok=True)
        (tmp_path / "lib" / name).touch()
    text = "#define FIRST 1 // why\n#define CALL(x) x\n#include <a.h>\n#define LATER\n/* #include <x.h> */\n"
    text += '// #include <y.h>\nconst char* s = "\\"#include <z.h>";\n#  include "own.h" // here\n#include "c.h"\n'
    text += "#include <d.h>\n"
    found = includes.scan(tmp_path / "main.cu", text, [tmp_path / "lib"], [])
    assert found.prefix == ["#define FIRST 1", "#include <a.h>", "#include <b.h>", "#include <c.h>"]
    assert found.own == [tmp_path / "own.h"]
    assert [(name, text[offset:].startswith("d.h>")) for _, offset, name in found.missing] == [("d.h", True)]
