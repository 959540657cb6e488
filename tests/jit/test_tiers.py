"""Quick translations first, full ones from the background."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock import codeobj, jit
from softrock.core import cache, settings
from softrock.exec.runtime import runtime
from softrock.jit import background, build

SOURCE = """extern "C" __global__ void work(float *p) {
    float a = p[__builtin_amdgcn_workitem_id_x()];
    %s
    p[__builtin_amdgcn_workitem_id_x()] = a; }"""
SLOW = SOURCE % "".join(f"if (a > {n}) a = a * a + {n}.5f;" for n in range(120))


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime()
    native = settings.load().cache_dir / "native"
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SOFTROCK_TIER", "auto")
    (tmp_path / "cache").mkdir(mode=0o700)
    if native.is_dir():  # the native runtime need not be built again
        (tmp_path / "cache" / "native").symlink_to(native)
    return tmp_path / "cache"


@pytest.fixture
def slow(compile_device: Callable[..., bytes]) -> codeobj.CodeObject:
    return codeobj.load(compile_device(SLOW), "work.co")


def test_the_full_translation_follows_the_quick_one(fresh: Path, slow: codeobj.CodeObject) -> None:
    kernel, helpers = slow.kernel("work"), runtime().symbols
    got: list[jit.Prepared] = []
    arrived = threading.Event()

    def better(ready: jit.Prepared) -> None:
        got.append(ready)
        arrived.set()

    first = jit.prepare(slow, kernel, helpers, better=better)
    assert first.timings.tier == "quick"
    assert arrived.wait(60), background.failures()
    assert got[0].timings.tier == "full"
    assert got[0].fn != first.fn
    assert got[0].fibers == first.fibers
    # The cache holds the full one now, and only that.
    assert len(list((fresh / "code").iterdir())) == 1
    again = jit.prepare(slow, kernel, helpers, better=better)
    assert (again.timings.tier, again.timings.cached) == ("full", True)
    # Host addresses of either lead back to instructions.
    got[0].older = first
    for ready in (first, got[0]):
        assert any(got[0].explain(pc) for pc in range(ready.code[0], ready.code[1], 7))


def test_small_kernels_are_translated_once(fresh: Path, compile_device: Callable[..., bytes]) -> None:
    code = codeobj.load(compile_device(SOURCE % ""), "small.co")
    ready = jit.prepare(code, code.kernel("work"), runtime().symbols, better=lambda _: None)
    assert ready.timings.tier == "full"


@pytest.mark.parametrize("tier", ["full", "quick"])
def test_a_tier_can_be_asked_for(
    tier: str, fresh: Path, slow: codeobj.CodeObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOFTROCK_TIER", tier)

    def never(ready: jit.Prepared) -> None:
        raise AssertionError("nothing is made in the background")

    for cached in (False, True):
        ready = jit.prepare(slow, slow.kernel("work"), runtime().symbols, better=never)
        assert (ready.timings.tier, ready.timings.cached) == (tier, cached)


def test_a_quick_translation_takes_the_place_of_nothing_better(fresh: Path, slow: codeobj.CodeObject) -> None:
    """Who wants a full translation never gets a quick one from the cache."""
    kernel, helpers = slow.kernel("work"), runtime().symbols
    timings = build.Timings()
    build.store(build.key_of(slow, kernel, "any", "quick"), build.build(slow, kernel, "any", "quick", timings))
    assert timings.tier == "quick"
    assert jit.prepare(slow, kernel, helpers).timings.tier == "full"


PROGRAM = """
import os, sys, time
import numpy as np
import softrock

module = softrock.load(open(sys.argv[1], "rb").read())
x = np.linspace(0, 130, 256, dtype=np.float32)
first = x.copy()
module["work"].launch((1,), 256, first)
softrock.synchronize()
if sys.argv[2] == "leave":
    print(time.monotonic(), flush=True)
    sys.exit(0)
until = time.monotonic() + 60
from softrock.gpu import software
while time.monotonic() < until:
    tiers = [each.prepared.timings.tier for each in software._translated.values()]
    if "full" in tiers:
        break
    time.sleep(0.05)
second = x.copy()
module["work"].launch((1,), 256, second)
softrock.synchronize()
assert first.tobytes() == second.tobytes()
print(*sorted(set(tiers)), flush=True)
"""


def _program(fresh: Path, code: codeobj.CodeObject, mode: str) -> subprocess.CompletedProcess[str]:
    (fresh / "work.co").write_bytes(code.data)
    env = {**os.environ, "SOFTROCK_CACHE_DIR": str(fresh), "SOFTROCK_TIER": "auto"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(fresh / "work.co"), mode],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_launches_go_over_to_the_full_translation(fresh: Path, slow: codeobj.CodeObject) -> None:
    done = _program(fresh, slow, "stay")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "full\n"
    assert done.stderr == ""


def test_the_end_of_the_program_waits_for_nothing(fresh: Path, slow: codeobj.CodeObject) -> None:
    """The worker process holds no stream of the program's, and brings its work to an end by itself."""
    done = _program(fresh, slow, "leave")
    ended = time.monotonic()
    assert done.returncode == 0, done.stderr
    assert ended - float(done.stdout) < 2
    assert done.stderr == ""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        entries = list((fresh / "code").glob("[0-9a-f]*"))
        if len(entries) == 1 and cache.read("code", entries[0].name) and not list((fresh / "locks").iterdir()):
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the full translation was not finished")
