"""Translating, caching and explaining code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from softrock import codeobj, jit
from softrock.core.errors import SoftrockError, UnsupportedError, UsageError
from softrock.exec.runtime import runtime
from softrock.jit import host, lines
from softrock.lift import pieces

SOURCE = """extern "C" __global__ void fill(unsigned *p, unsigned v) {
    p[__builtin_amdgcn_workitem_id_x()] = v; }"""


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def code(compile_device: Callable[..., bytes]) -> codeobj.CodeObject:
    return codeobj.load(compile_device(SOURCE), "fill.co")


def test_the_second_time_comes_from_the_cache(fresh: Path, code: codeobj.CodeObject) -> None:
    helpers = runtime().symbols
    assert not jit.prepare(code, code.kernel("fill"), helpers).timings.cached
    assert jit.prepare(code, code.kernel("fill"), helpers).timings.cached


def test_a_corrupt_entry_is_rebuilt(fresh: Path, code: codeobj.CodeObject) -> None:
    helpers = runtime().symbols
    jit.prepare(code, code.kernel("fill"), helpers)
    for entry in (fresh / "code").iterdir():
        entry.write_bytes(b"softrock-cache-1\n" + bytes(500))
    assert not jit.prepare(code, code.kernel("fill"), helpers).timings.cached


@pytest.mark.parametrize("above", [pieces.ABOVE, 0])
def test_host_addresses_lead_back_to_instructions(
    above: int, fresh: Path, code: codeobj.CodeObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "ABOVE", above)
    monkeypatch.setattr(pieces, "SIZE", 5)
    ready = jit.prepare(code, code.kernel("fill"), runtime().symbols)
    seen = {ready.explain(pc) for pc in range(*ready.code)}
    texts = [text for found in seen if found is not None for text in found[1:]]
    assert any("global_store_dword" in str(text) for text in texts)
    assert ready.explain(ready.code[1]) is None


def test_endless_loops_have_a_place(compile_device: Callable[..., bytes]) -> None:
    source = """extern "C" __global__ void turn(unsigned *p) {
        unsigned x = p[0];
        do { asm volatile(""); x = x * 3 + 1; } while (x != 77);
        p[1] = x; }"""
    code = codeobj.load(compile_device(source), "turn.co")
    ready = jit.prepare(code, code.kernel("turn"), runtime().symbols)
    seen = {ready.explain(pc) for pc in range(*ready.code)}
    assert None not in seen
    assert any("s_cbranch" in found[1] for found in seen if found)


def test_code_of_no_instruction_counts_to_the_end_of_its_block() -> None:
    rows = [(0, 0), (8, 0x100), (16, 0), (24, 0x200), (32, 0)]
    assert [lines.find(rows, at) for at in (0, 9, 17, 25, 40)] == [0x100, 0x100, 0x200, 0x200, 0x200]
    assert lines.find([], 4) is None


def test_every_stage_is_dumped(fresh: Path, code: codeobj.CodeObject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_DUMP", str(fresh / "dump"))
    jit.prepare(code, code.kernel("fill"), runtime().symbols)
    assert {p.name for p in (fresh / "dump").iterdir()} >= {"fill.ll", "fill.opt.ll", "fill.s"}


def test_unsupported_instructions_are_named(compile_device: Callable[..., bytes]) -> None:
    source = """extern "C" __global__ void odd(unsigned *p) {
        asm volatile("ds_gws_barrier %0 gds" : : "v"(p[0])); }"""
    code = codeobj.load(compile_device(source), "odd.co")
    with pytest.raises(UnsupportedError, match=r"kernel odd: instruction ds_gws_barrier.*at 0x[0-9a-f]+ .*gfx942"):
        jit.prepare(code, code.kernel("odd"), runtime().symbols)


def test_host_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_HOST_CPU", "x86-64-v2")
    assert not host.host().has("avx512f")
    monkeypatch.setenv("SOFTROCK_HOST_CPU", "z80")
    with pytest.raises(UsageError, match="z80"):
        host.host()


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_hosts_without_wide_vectors_translate_too(
    level: str, code: codeobj.CodeObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOFTROCK_HOST_CPU", level)
    try:
        host.host()
    except SoftrockError as error:
        pytest.skip(error.message)
    ready = jit.prepare(code, code.kernel("fill"), runtime().symbols)
    assert ready.fn
