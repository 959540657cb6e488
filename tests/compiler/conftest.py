"""A HIP runtime library that only tells what is called, for tests of the driver alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.compiler import driver, toolchain
from softrock.compiler.link import Runtime

STUB = """
typedef unsigned long size_t;
struct dim3 { unsigned x, y, z; };
int printf(const char *, ...);
static int *handle[8];
void **__hipRegisterFatBinary(void *wrapper) {
    struct { unsigned magic, version; const char *data; void *unused; } *w = wrapper;
    const unsigned long *count = (const unsigned long *)(w->data + 24);
    printf("fatbin %c%c%lu align %lu\\n", w->data[0], w->data[2], *count, (unsigned long)w->data % 4096);
    return (void **)handle;
}
void __hipRegisterFunction(void **m, const void *f, char *a, const char *name) { printf("function %s\\n", name); }
void __hipRegisterVar(void **m, void *f, char *a, const char *name) { printf("variable %s\\n", name); }
void __hipUnregisterFatBinary(void **m) {}
static struct dim3 grid, block; static size_t lds;
int __hipPushCallConfiguration(struct dim3 g, struct dim3 b, size_t s, void *q) {
    grid = g; block = b; lds = s; return 0;
}
int __hipPopCallConfiguration(struct dim3 *g, struct dim3 *b, size_t *s, void **q) {
    *g = grid; *b = block; *s = lds; *q = 0; return 0;
}
int hipLaunchKernel(const void *f, struct dim3 g, struct dim3 b, void **a, size_t s, void *q) {
    printf("launch %u %u %lu\\n", g.x, b.x, s); return 0;
}
"""

HEADER = """
#pragma once
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
typedef struct ihipStream_t *hipStream_t;
typedef int hipError_t;
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = nullptr);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);
#define global __attribute__((global))
#define device __attribute__((device))
"""

Hipcc = Callable[..., int]


@pytest.fixture(scope="session")
def stub_runtime(tmp_path_factory: pytest.TempPathFactory) -> Runtime:
    """A folder with a ``libamdhip64.so`` that prints the calls it gets."""
    folder = tmp_path_factory.mktemp("stub")
    (folder / "stub.c").write_text(STUB)
    common = ["-triple", toolchain.host_triple(), "-emit-obj", "-mrelocation-model", "pic", "-pic-level", "2"]
    for args in (
        ["clang", "-cc1", *common, "-o", str(folder / "stub.o"), "-x", "c", str(folder / "stub.c")],
        ["ld.lld", "-shared", "-o", str(folder / "libamdhip64.so"), str(folder / "stub.o")],
    ):
        done = toolchain.run(args)
        assert done.returncode == 0, done.stderr
    return Runtime(folder)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: empty but for ``tiny.h``, which declares what ``<<<>>>`` needs."""
    (tmp_path / "tiny.h").write_text(HEADER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hipcc(stub_runtime: Runtime, work: Path) -> Hipcc:
    """``hipcc("a.hip", "-o", "a")`` runs the driver in the current folder and returns its exit status."""

    def run(*args: str, name: str = "hipcc", cxx_is_hip: bool = True) -> int:
        return driver.main(args, lambda: stub_runtime, name=name, cxx_is_hip=cxx_is_hip)

    return run


@pytest.fixture
def output(work: Path) -> Callable[[str], str]:
    """``output("./a")`` runs a program and returns what it prints."""

    def run(program: str) -> str:
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout

    return run
