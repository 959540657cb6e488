"""The table of PTX idioms, and assembly texts as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock.hipify.edits import apply
from softrock.hipify.lexer import code
from softrock.hipify.parse import parse
from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.inline_ptx import Instruction, asm_statements
from softrock.lint.rules.ptx import LOP3, idiom_of, idioms


def fixed(line: str, language: str = "cuda") -> str:
    """A device function's line after the rule's edits."""
    text = f"__device__ void f(unsigned a, unsigned b, unsigned c) {{\n{line}\n}}\n"
    source = Source.of_bytes(Path("x.cu" if language == "cuda" else "x.hip"), text.encode())
    settings = engine.Settings(targets.targets(None), frozenset({"inline-ptx"}), parse=False)
    found = engine.findings_of(source, language, settings)
    return apply(text, [edit for each in found for edit in each.fix]).splitlines()[1]


def test_table_is_complete_and_each_row_is_there_once() -> None:
    rows = idioms()
    assert len(rows) > 250
    assert len({each.text for each in rows}) == len(rows)
    for each in rows:
        assert each.status in ("direct", "partial", "none", "ignore", "glue"), each.text
        assert each.hip or each.status in ("none", "ignore"), each.text
        assert not each.fix or each.status in ("direct", "partial"), each.text


def test_each_row_is_what_its_own_idiom_finds() -> None:
    for each in idioms():
        if each.text.startswith("%"):
            instruction = Instruction("mov.u32", ("%0", "%" + each.text), 0, False)
        else:
            name, _, operand = each.text.partition(" ")
            instruction = Instruction(name, (operand,) if operand else ("%0", "%1"), 0, False)
        assert idiom_of(instruction) is each, each.text


@pytest.mark.parametrize(
    ("name", "operands", "row"),
    [
        ("ld.acquire.gpu.global.u32", ("%0", "[%1]"), "ld.acquire"),
        ("ld.global.L1::no_allocate.L2::128B.v4.f32", ("%0", "[%1]"), "ld.global.L1::no_allocate"),
        ("shfl.sync.bfly.b32", ("%0", "%1", "1", "31", "-1"), "shfl.sync"),
        ("barrier.sync", ("0",), "barrier.sync 0"),
        ("barrier.sync", ("1", "128"), "barrier"),
        ("vadd4.u32.u32.u32", ("%0", "%1", "%2", "%3"), "vadd"),
        ("cp.async.bulk.commit_group", (), "cp.async.bulk"),
        ("cp.async.wait_group", ("0",), "cp.async.wait_group"),
        ("fence.proxy.async.shared::cta", (), "fence.proxy"),
        ("cvt.rn.satfinite.e4m3x2.f32", ("%0", "%1", "%2"), "cvt.rn.satfinite.e4m3x2"),
        ("atom.global.cas.b32", ("%0", "[%1]", "%2", "%3"), "atom.cas"),
        ("mov.u32", ("%0", "%%clock"), "%clock"),
        ("mov.u64", ("%0", "%%clock64"), "%clock64"),
        ("mov.u32", ("%0", "%%cluster_ctaid.x"), "%cluster"),
        ("mov.u32", ("%0", "%1"), "mov"),
    ],
)
def test_instructions_find_their_row(name: str, operands: tuple[str, ...], row: str) -> None:
    idiom = idiom_of(Instruction(name, operands, 0, False))
    assert idiom is not None
    assert idiom.text == row


def test_unknown_instructions_have_no_row() -> None:
    assert idiom_of(Instruction("frob.u32", ("%0",), 0, False)) is None
    assert idiom_of(Instruction("v_add_f32", ("%0",), 0, False)) is None


def test_expressions_of_lop3_give_their_own_table() -> None:
    for table, expression in LOP3.items():
        assert eval(expression.format(0xF0, 0xCC, 0xAA)) & 0xFF == table, hex(table)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('asm("popc.b32 %0, %1;" : "=r"(a) : "r"(b + 1));', "a = __popc(b + 1);"),
        ('asm volatile("bar.sync 0;" ::: "memory");', "__syncthreads();"),
        ('asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(a) : "r"(a), "r"(b), "r"(c));', "a = (a) ^ (b) ^ (c);"),
        ('asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(a) : "r"(b), "r"(c));', "a = __byte_perm(b, c, 0x5410);"),
        ('asm("mov.u32 %0, %%ctaid.x;" : "=r"(a));', "a = blockIdx.x;"),
        ('asm volatile("{ membar.sys; }");', "__threadfence_system();"),
        ('asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(a) : "r"(a), "r"(b), "r"(c));', "a = __funnelshift_l(a, b, c);"),
    ],
)
def test_fixes(before: str, after: str) -> None:
    assert fixed(before) == after
    assert fixed(before, "hip") == after


@pytest.mark.parametrize(
    "line",
    [
        'asm("@p popc.b32 %0, %1;" : "=r"(a) : "r"(b));',
        'asm("popc.b32 %0, %1; popc.b32 %1, %0;" : "=r"(a) : "r"(b));',
        'asm("popc.b32 %0, %0;" : "+r"(a));',
        'asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(a) : "r"(b), "r"(c), "r"(a));',
        'asm("lop3.b32 %0, %1, %2, %3, 0x17;" : "=r"(a) : "r"(a), "r"(b), "r"(c));',
        'asm("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(b));',
    ],
)
def test_what_is_not_a_single_plain_instruction_is_left_to_a_person(line: str) -> None:
    assert fixed(line) == line


def test_functions_that_only_hip_has_are_put_in_hip_sources_only() -> None:
    line = 'asm("mov.u32 %0, %%laneid;" : "=r"(a));'
    assert fixed(line) == line
    assert fixed(line, "hip") == "a = __lane_id();"


def test_an_assembly_text_of_several_strings() -> None:
    text = (
        'asm volatile("{ .reg .u32 t;\\n\\t" /* no. 1 */ "mov.u32 t, %1; // copied; here\\n" "@!p bra L1;\\n}"'
        ' : "=r"(x[0]), "=l"(y) : "r"(f(1, 2)) : "memory", "cc")'
    )
    (asm,) = asm_statements(code(text), text)
    assert [(each.name, each.operands, each.predicated) for each in asm.instructions] == [
        ("mov.u32", ("t", "%1"), False),
        ("bra", ("L1",), True),
    ]
    assert asm.operands == (("=r", "x[0]"), ("=l", "y"), ("r", "f(1, 2)"))
    assert asm.clobbers == ("memory", "cc")
    assert text[asm.instructions[0].offset :].startswith("mov.u32")
    assert (asm.start, asm.end) == (0, len(text))


def test_texts_that_never_end_are_no_assembly() -> None:
    for text in ("asm(", 'asm volatile("mov', 'asm("mov.u32 %0, %1;" : "=r"(a', "asm", "asm volatile"):
        assert list(asm_statements(code(text), text)) == []


@pytest.mark.parametrize("suffix", [".cu", ".hip"])
def test_fixes_compile(tmp_path: Path, suffix: str) -> None:
    hip = suffix == ".hip"
    fixes = [each.fix for each in idioms() if each.fix not in ("", "lop3")]
    wanted = [each.removeprefix("hip: ") for each in fixes if hip or not each.startswith("hip:")]
    lines = [re.sub(r"\$(\d)", lambda match: "rabcd"[int(match[1])], each) for each in wanted]
    assert len(lines) > 50
    body = "\n".join(f"  {line};" for line in lines)
    header = "hip/hip_runtime.h" if hip else "cuda_runtime.h"
    path = tmp_path / f"fixes{suffix}"
    head = "__device__ double f(unsigned a, unsigned b, unsigned c, unsigned d) {\n  double r = 0;\n"
    path.write_text(f"#include <{header}>\n{head}{body}\n  return r;\n}}\n", encoding="utf-8")
    assert parse(path).errors == []
