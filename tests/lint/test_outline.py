"""Functions, statements, calls and launches by tokens alone."""

from __future__ import annotations

import pytest

from softrock.hipify.lexer import tokens
from softrock.lint.outline import Function, Outline, Statement
from softrock.lint.threads import threads


def outline(text: str) -> Outline:
    """The outline of a text."""
    return Outline(list(tokens(text)))


def only(text: str) -> Function:
    """The one function of a text."""
    (found,) = outline(text).functions
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(float* p) {}", ["k"]),
        ("template <int N, class T = void (*)(int)> __global__ void __launch_bounds__(N, 2) k(T* p) {}", ["k"]),
        ('extern "C" __global__ void k() {} extern "C" { void f() {} }', ["k", "f"]),
        ("namespace a::b { inline namespace c { void f() {} } } namespace { void g() {} }", ["f", "g"]),
        ("struct S { S() : a(1), b{2} {} ~S() {} int f() const noexcept { return 1; } int a, b; };", ["S", "S", "f"]),
        ("struct alignas(16) S { void f() {} }; class T final : public S { void g() override {} };", ["f", "g"]),
        ("auto f(int x) -> decltype(x) { return x; }", ["f"]),
        ("S::S(int x = 3) : a(x) {} S::~S() {} template <> void S::f<int>() {}", ["S", "S"]),
        ("bool operator==(A a, B b) { return true; } S operator()(int i) const { return s; }", ["==", ")"]),
        ("int a[] = {1, 2}; enum E { A, B }; int f() { return a[0]; } auto l = [](int x) { return x; };", ["f"]),
        ("int f(std::vector<int> v = {}, int (*g)(int) = nullptr) { return v[0]; }", ["f"]),
        ("void f(); extern int g(int); int h() { if (x) { y(); } for (;;) { z(); } }", ["h"]),
        ("#if X\nvoid f(int a)\n#else\nvoid f(long a)\n#endif\n{ }", ["f"]),
        ("__attribute__((noinline)) void f() {} MACRO(x) void g() {} static inline int* h() { }", ["f", "g", "h"]),
        ("void f() { struct L { void m() {} }; } void g() {}", ["f", "g"]),
    ],
)
def test_functions(text: str, names: list[str]) -> None:
    found = [each.name for each in outline(text).functions]
    assert [name for name in found if name.isidentifier()] == [name for name in names if name.isidentifier()]


def test_what_is_known_of_a_function() -> None:
    text = (
        "#define KERNEL __global__\n"
        "namespace n { struct S { KERNEL static void k(const float* __restrict__ p, int (&a)[3], T); }; }\n"
        "KERNEL void n::S::k(const float* __restrict__ p, int n = f(1, 2), T) { return; }"
    )
    function = only(text)
    assert (function.name, function.scope, function.is_kernel, function.is_device) == ("k", "S", True, True)
    assert [(each.type, each.name) for each in function.parameters] == [
        ("const float * __restrict__", "p"),
        ("int", "n"),
        ("T", ""),
    ]
    assert only("S::~S() { }").destructor
    assert not only("int f() { }").destructor
    assert only("LIB_HOST_DEVICE int f() { }").is_device
    assert not only("DEVICES int f() { }").is_kernel


def shape(statements: list[Statement]) -> list[object]:
    """Kinds of statements, nested as they are."""
    return [(each.kind, shape(each.children)) if each.children else each.kind for each in statements]


def test_statements() -> None:
    text = """void f() {
      int a = 1, b[] = {2, 3};
      if constexpr (a) return; else if (b) { g(); } else h();
      for (int i = 0; i < 3; ++i) for (auto x : y) { continue; }
      while (a--) ;
      do { a++; } while (a < 3);
      switch (a) { case 1: g(); break; default: return; }
      FOR_EACH(i, n) { g(); }
      auto l = [&](int x) { if (x) { return 1; } return 2; };
      try { g(); } catch (...) { h(); }
    }"""
    found = only(text).statements
    assert shape(found)[:6] == [
        "plain",
        ("if", ["return", ("if", [("block", ["plain"]), "plain"])]),
        ("for", [("for", [("block", ["plain"])])]),
        ("while", ["plain"]),
        ("do", [("block", ["plain"])]),
        ("switch", [("block", ["plain", "plain", "plain", "plain", "return"])]),
    ]
    assert shape(found)[6:8] == [("macro", [("block", ["plain"])]), "plain"]


def test_paths_lead_to_a_statement() -> None:
    function = only("void f() { if (a) { while (b) { return; } } }")
    (path,) = [path for statement, path in function.paths() if statement.kind == "return"]
    assert [each.kind for each in path] == ["if", "block", "while", "block"]
    assert [function.outline.text(each.head) for each in path if each.head != (0, 0)] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "kernel", "configuration", "arguments"),
    [
        ("k<<<1, 2>>>(a, f(b, c));", "k", ["1", "2"], ["a", "f ( b , c )"]),
        ("n::k<T, (2 > 1)><<<dim3(1, 2), b, 0, s>>>();", "k", ["dim3 ( 1 , 2 )", "b", "0", "s"], []),
        ("k<std::vector<int>><<<g, b>>>(x);", "k", ["g", "b"], ["x"]),
        ("k<<<n >> 2, b>>>(x);", "k", ["n >> 2", "b"], ["x"]),
        ("hipLaunchKernelGGL(k, dim3(1), 2, 0, s, a, b);", "k", ["dim3 ( 1 )", "2", "0", "s"], ["a", "b"]),
        ("hipLaunchKernelGGL((k<int, 3>), 1, 2, 0, 0, a);", "k", ["1", "2", "0", "0"], ["a"]),
        ("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int>), 1, 2, 0, 0, a);", "k", ["1", "2", "0", "0"], ["a"]),
        ("hipLaunchKernelGGL(a::k, 1, 2, 0, 0);", "k", ["1", "2", "0", "0"], []),
        ("hipLaunchKernelGGL(k<int, 3>, 1, 2, 0, 0, a);", "k", ["1", "2", "0", "0"], ["a"]),
    ],
)
def test_launches(text: str, kernel: str, configuration: list[str], arguments: list[str]) -> None:
    found = outline(f"void f() {{ {text} }}")
    (launch,) = found.launches
    assert launch.kernel == kernel
    assert [found.text(each) for each in launch.configuration] == configuration
    assert [found.text(each) for each in launch.arguments] == arguments


def test_no_launches_in_shifts_and_templates() -> None:
    assert outline("a <<< b; vector<vector<vector<int>>> v; k<<<1, 2; k<<<1>>>;").launches == []


@pytest.mark.parametrize(
    ("body", "varies"),
    [
        ("int x = threadIdx.x;", True),
        ("int x = blockIdx.x * blockDim.x;", False),
        ("int t = threadIdx.x + 1, y; y = t * 2; int x = y;", True),
        ("int x; x = a[threadIdx.x];", True),
        ("int x = __syncthreads_or(threadIdx.x > 3);", False),
        ("auto x = tile.thread_rank();", True),
        ("int x(threadIdx.y);", True),
        ("P x; x.first = threadIdx.x;", True),
        ("int x = atomicAdd(p, 1);", True),
        ("int x = index();", True),
        ("int x = n; x += threadIdx.x;", True),
        ("__shared__ int x; if (threadIdx.x == 0) x = atomicAdd(p, 1);", False),
        ("int* x = q; *x = threadIdx.x;", False),
        ("int x = n; f(threadIdx.x);", False),
        ("int x = s.threadIdx;", False),
    ],
)
def test_what_differs_between_threads(body: str, varies: bool) -> None:
    text = f"__device__ int index() {{ return threadIdx.x; }} __global__ void k(int n, int* p) {{ {body} use(x); }}"
    found = outline(text)
    kernel = next(each for each in found.functions if each.is_kernel)
    (call,) = found.calls("use")
    assert threads(kernel).varies(call.arguments[0]) is varies
