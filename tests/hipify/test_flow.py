"""Questions about a syntax tree, each on a small program."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify import flow
from softrock.hipify.parse import Node, Tree, parse

PROGRAM = """\
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
enum Size { SMALL, MIDDLE = 5, LARGE };
constexpr int WAVE = 32;
const unsigned FULL = 0xffffffffu;
#define TILE (8 * 2)
__device__ int helper(int x) { return x; }
__host__ __device__ int both(int x) { return x; }
__global__ void kernel(int* p, int n) {
  int constants[] = {TILE, -1, WAVE - 1, LARGE, ~0u == FULL, 1 << 5, WAVE > 16 ? 3 : 4, (int)'a', 7 / 2, -7 % 4};
  int unknown = n + 1;
  int tid = threadIdx.x + blockDim.x * blockIdx.x;
  int lane = tid & (WAVE - 1);
  int block = blockIdx.x, first = 0, voted = __ballot_sync(FULL, lane > 3);
  int rank = cg::this_thread_block().thread_rank(), loaded = p[lane], same = p[block];
  int copied = helper(lane);
  if (lane == 0) first = 1;
  block += 2;
  if (n > 3) { mark1(); }
  if (n > 3 && lane) { mark2(); }
  for (int i = 0; i < loaded; ++i) mark3();
  if (first) mark4();
  else mark5();
  if (n) return;
  mark6();
  if (tid >= n) return;
  mark7();
  while (voted) { mark8(); voted = 0; }
  auto inner = [=](int q) { if (q) return 1; return lane; };
  do { mark9(); } while (lane < n);
  int last; last = n ? mark10() : lane ? mark11() : 0;
}
void host(int* p) { kernel<<<1, 64>>>(p, 3); both(1); cudaFree(p); }
"""
MARKS = "".join(f"__device__ int mark{number}();\n" for number in range(1, 12))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    path = tmp_path_factory.mktemp("flow") / "x.cu"
    path.write_text(MARKS + PROGRAM)
    found = parse(path)
    assert [str(each) for each in found.errors] == []
    return found


def named(tree: Tree, name: str) -> Node:
    """The declaration with a name."""
    return next(each for each in tree.root.walk() if each.name == name and each.kind.endswith("Decl"))


def mark(tree: Tree, number: int) -> Node:
    return next(flow.calls(tree.root, f"mark{number}"))


def test_functions_and_what_they_are_for(tree: Tree) -> None:
    kernel, helper, both, host = (named(tree, name) for name in ("kernel", "helper", "both", "host"))
    assert [flow.is_kernel(each) for each in (kernel, helper, both, host)] == [True, False, False, False]
    assert [flow.is_device(each) for each in (kernel, helper, both, host)] == [True, True, True, False]
    assert [flow.is_host(each) for each in (kernel, helper, both, host)] == [False, False, True, True]
    assert flow.enclosing_function(mark(tree, 3)) is kernel
    assert flow.enclosing_function(kernel) is None


def test_calls(tree: Tree) -> None:
    host = named(tree, "host")
    assert [flow.callee_name(each) for each in flow.calls(host)] == [
        *("kernel", "__hipPushCallConfiguration", "both", "hipFree"),
    ]
    launch = next(flow.calls(host, "kernel"))
    assert [flow.strip(each).kind for each in flow.arguments(launch)] == ["DeclRefExpr", "IntegerLiteral"]
    rank = named(tree, "rank")
    assert [flow.callee_name(each) for each in flow.calls(rank)] == ["thread_rank", "this_thread_block"]


def test_a_call_of_open_overloads_has_a_name(tmp_path: Path) -> None:
    path = tmp_path / "x.cu"
    path.write_text("template <class T> __device__ void f(T* p) { atomicAdd(p, g(p)); p->member(1); }\n")
    open_tree = parse(path)
    assert {flow.callee_name(each) for each in flow.calls(open_tree.root)} >= {"atomicAdd", "member"}


def test_integer_constants(tree: Tree) -> None:
    init = flow.initial_value(named(tree, "constants"))
    assert init is not None
    values = [flow.literal_value(tree, each) for each in init.children]
    assert values == [16, -1, 31, 6, 1, 32, 3, 97, 3, -3]
    unknown = flow.initial_value(named(tree, "unknown"))
    assert unknown is not None
    assert flow.literal_value(tree, unknown) is None


def test_uses_and_assignments(tree: Tree) -> None:
    block = named(tree, "block")
    assert [each.opcode for each in flow.assignments(tree, block)] == ["=", "+="]
    assert len(flow.uses_of(tree, block)) == 2
    index = next(each for each in tree.root.walk() if each.kind == "VarDecl" and each.name == "i")
    assert [(each.opcode, each.value is None) for each in flow.assignments(tree, index)] == [("=", False), ("++", True)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in ("tid", "lane", "first", "rank", "loaded", "copied", "last")),
        *((name, False) for name in ("unknown", "same", "voted", "constants", "block")),
    ],
)
def test_what_depends_on_the_thread(tree: Tree, name: str, expected: bool) -> None:
    found = flow.dependence(tree, named(tree, "kernel"))
    assert (named(tree, name).id in found.variables) is expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 0), (7, 0), (8, 0), (9, 1), (10, 0), (11, 1)],
)
def test_divergent_conditions(tree: Tree, number: int, expected: int) -> None:
    assert len(flow.divergent(tree, mark(tree, number))) == expected


def test_returns_that_only_some_threads_come_to(tree: Tree) -> None:
    assert flow.early_exits(tree, mark(tree, 6)) == []
    assert [each.line for each in flow.early_exits(tree, mark(tree, 8))] == [mark(tree, 7).line - 1]


def test_a_name_of_the_users_is_no_source(tmp_path: Path) -> None:
    path = tmp_path / "x.cu"
    path.write_text("__global__ void k(int* p, int laneid) { int clock = 3; int a = laneid, b = clock; p[a] = b; }\n")
    own = parse(path)
    assert flow.dependence(own, named(own, "k")).variables == set()
