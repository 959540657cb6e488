"""Chunk by chunk: the same results, bit for bit, and what is not understood stays as it is."""

from __future__ import annotations

import ctypes
import random
import re
from typing import Any

import numpy as np
import pytest

from softrock.jit import tile as tiling
from softrock.jit.host import target_machine
from softrock.jit.loader import Loaded
from softrock.jit.tile import Registers, tile
from softrock.jit.tile_order import chunk_lanes, group_of, widths
from softrock.jit.tile_parse import Op, parse

AVX2 = Registers(256, 16, False)
HOSTS = [AVX2, Registers(512, 32, True), Registers(128, 16, False)]
SLOTS = 24
"""Vectors that a program may store."""


def prepared(text: str) -> Any:
    """The parsed module for this host, every value named."""
    from llvmlite import binding

    machine = target_machine(2)
    module = binding.parse_assembly(text, context=binding.create_context())
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    passes = binding.create_new_module_pass_manager()
    passes.add_instruction_namer_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    module.verify()
    return module


def run(text: str, data: bytes, mask: int, scalar: int) -> bytes:
    """Call ``void f(ptr data, ptr out, i64 mask, i32 scalar)``; gives data and out as they are afterwards."""
    # Loaded as the product loads: MCJIT aborts where it finds no memory near enough for a constant pool.
    loaded = Loaded(target_machine(2).emit_object(prepared(text)), ["f"], {})
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32)(
        loaded.address["f"]
    )
    memory, out = np.frombuffer(data, np.uint8).copy(), np.zeros(SLOTS * 512, np.uint8)
    function(memory.ctypes.data, out.ctypes.data, mask, scalar)
    return memory.tobytes() + out.tobytes()


def always(monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    """Tile whatever can be, whether it pays or not."""
    monkeypatch.setattr(tiling, "group_of", lambda *_: group)


def check(text: str, registers: Registers, seed: int = 0) -> str:
    """The tiled text, after both have given the same."""
    draw = random.Random(seed)
    before = str(prepared(text))
    after = tile(before, registers)
    data = np.frombuffer(draw.randbytes(4096), np.uint32) & 0xBFFF_FFFF  # finite as floats and as doubles
    mask, scalar = draw.getrandbits(64), draw.getrandbits(32) & 0xBFFF_FFFF
    assert run(before, data.tobytes(), mask, scalar) == run(after, data.tobytes(), mask, scalar)
    return after


class Program:
    """A random program in LLVM IR: straight-line blocks, one of them a loop, over vectors of `lanes` lanes."""

    def __init__(self, seed: int, lanes: int, steps: int = 25) -> None:
        self.steps = steps
        self.draw = random.Random(seed)
        self.lanes = lanes
        self.lines: list[str] = []
        self.declares: set[str] = set()
        self.pool: dict[str, list[str]] = {}
        self.number = self.stored = 0

    def emit(self, text: str, elem: str = "") -> str:
        """Add ``%n = text``; a vector result of the element type joins the pool."""
        self.number += 1
        name = f"%v{self.number}"
        self.lines.append(f"  {name} = {text}")
        if elem:
            self.pool.setdefault(elem, []).append(name)
        return name

    def ty(self, elem: str) -> str:
        return f"<{self.lanes} x {elem}>"

    def pick(self, elem: str) -> str:
        """A value of that type, often a recent one, or a constant."""
        have = self.pool.get(elem, [])
        if not have or (elem in ("i32", "float") and self.draw.random() < 0.1):
            return self.constant(elem)
        return self.draw.choice(have[-6:] if self.draw.random() < 0.7 else have)

    def constant(self, elem: str) -> str:
        if elem == "i1":
            return f"<{', '.join(self.draw.choice(('i1 true', 'i1 false')) for _ in range(self.lanes))}>"
        if elem in ("float", "double"):
            return f"splat ({elem} {self.draw.choice(('1.0', '0.5', '-3.0'))})"
        if self.draw.random() < 0.5:
            return f"splat ({elem} {self.draw.randrange(100)})"
        return f"<{', '.join(f'{elem} {k}' for k in range(self.lanes))}>"

    def call(self, name: str, count: int, elem: str, extra: str = "") -> None:
        mangled = {"float": "f32", "double": "f64"}.get(elem, elem)
        full = f"@llvm.{name}.v{self.lanes}{mangled}"
        more = f", {extra.split()[0]}" if extra else ""
        self.declares.add(f"declare {self.ty(elem)} {full}({', '.join([self.ty(elem)] * count)}{more})")
        shown = ", ".join(f"{self.ty(elem)} {self.pick(elem)}" for _ in range(count))
        self.emit(f"call {self.ty(elem)} {full}({shown}{', ' + extra if extra else ''})", elem)

    def no_nan(self, elem: str, value: str) -> str:
        """A NaN's bits are nobody's business."""
        good = self.emit(f"fcmp ord {self.ty(elem)} {value}, {value}", "i1")
        return self.emit(f"select {self.ty('i1')} {good}, {self.ty(elem)} {value}, {self.ty(elem)} zeroinitializer")

    def step(self) -> None:
        """One random operation."""
        draw, t = self.draw, self.ty
        integer = draw.choice(("i32", "i32", "i32", "i64", "i16"))
        real = draw.choice(("float", "float", "double"))
        what = draw.randrange(19)
        if what < 4:
            word = draw.choice(("add", "sub", "mul", "and", "or", "xor", "add nsw"))
            self.emit(f"{word.split()[0]} {t(integer)} {self.pick(integer)}, {self.pick(integer)}", integer)
        elif what == 4:
            count = self.emit(f"and {t(integer)} {self.pick(integer)}, splat ({integer} 15)", integer)
            self.emit(f"{draw.choice(('shl', 'lshr', 'ashr'))} {t(integer)} {self.pick(integer)}, {count}", integer)
        elif what < 8:
            word = draw.choice(("fadd", "fsub", "fmul", "fdiv"))
            self.emit(f"{word} {t(real)} {self.pick(real)}, {self.pick(real)}", real)
        elif what == 8:
            self.call(*draw.choice((("fma", 3), ("sqrt", 1), ("fabs", 1), ("floor", 1), ("roundeven", 1))), real)
        elif what == 9:
            names = (
                ("smin", 2),
                ("umax", 2),
                ("ctpop", 1),
                ("bitreverse", 1),
                ("sadd.sat", 2),
                ("fshl", 3),
                ("bswap", 1),
            )
            self.call(*draw.choice(names), integer)
        elif what == 10:
            self.call(draw.choice(("abs", "ctlz", "cttz")), 1, integer, "i1 false")
        elif what == 11:
            predicate = draw.choice(("eq", "ult", "sge"))
            self.emit(f"icmp {predicate} {t(integer)} {self.pick(integer)}, {self.pick(integer)}", "i1")
        elif what == 12:
            self.emit(f"fcmp {draw.choice(('olt', 'une', 'oge'))} {t(real)} {self.pick(real)}, {self.pick(real)}", "i1")
        elif what == 13:
            elem = draw.choice((integer, real))
            self.emit(
                f"select {t('i1')} {self.pick('i1')}, {t(elem)} {self.pick(elem)}, {t(elem)} {self.pick(elem)}", elem
            )
        elif what == 14:
            source, word, to = draw.choice(
                (("i32", "sext", "i64"), ("i64", "trunc", "i32"), ("i32", "trunc", "i16"), ("i16", "zext", "i32"),
                 ("i1", "zext", "i32"), ("i1", "sext", "i64"), ("i32", "sitofp", "float"), ("i32", "uitofp", "double"),
                 ("float", "fpext", "double"), ("double", "fptrunc", "float"))
            )  # fmt: skip
            self.emit(f"{word} {t(source)} {self.pick(source)} to {t(to)}", to)
        elif what == 15:
            source, to = draw.choice((("float", "i32"), ("double", "i64")))
            clean = self.no_nan(source, self.pick(source))
            self.emit(f"bitcast {t(source)} {clean} to {t(to)}", to)
        elif what == 16:
            self.mask()
        elif what == 17:
            self.emit(
                f"shufflevector {t(integer)} {self.pick(integer)}, {t(integer)} poison, {self.index(draw)}", integer
            )
        else:
            self.memory()

    def index(self, draw: random.Random) -> str:
        if draw.random() < 0.5:
            return f"<{self.lanes} x i32> <{', '.join([f'i32 {draw.randrange(self.lanes)}'] * self.lanes)}>"
        return f"<{self.lanes} x i32> <{', '.join(f'i32 {draw.randrange(self.lanes)}' for _ in range(self.lanes))}>"

    def mask(self) -> None:
        """Masks as integers and back."""
        whole = f"i{self.lanes}"
        packed = self.emit(f"bitcast {self.ty('i1')} {self.pick('i1')} to {whole}")
        mixed = self.emit(
            f"{self.draw.choice(('and', 'or', 'xor'))} {whole} {packed}, {self.draw.choice(('%mask', '-1', '85'))}"
        )
        self.emit(f"bitcast {whole} {self.draw.choice((packed, mixed, '%mask'))} to {self.ty('i1')}", "i1")
        if self.draw.random() < 0.5:
            self.emit(f"insertelement {self.ty(whole if self.lanes == 32 else 'i64')} poison, {whole} {mixed}, i64 0")
            last = self.lines[-1].split()[0]
            ty = self.ty(whole)
            self.emit(f"shufflevector {ty} {last}, {ty} poison, <{self.lanes} x i32> zeroinitializer", whole)

    def memory(self) -> None:
        """Loads and stores that may overlap."""
        elem = self.draw.choice(("i32", "float"))
        at = self.emit(f"getelementptr i8, ptr %data, i64 {4 * self.draw.randrange(1024 - 64)}")
        if self.draw.random() < 0.6:
            loaded = self.emit(f"load {self.ty('i32')}, ptr {at}, align 4")
            clean = self.emit(f"and {self.ty('i32')} {loaded}, splat (i32 {0xBFFFFFFF - (1 << 32)})", "i32")
            self.emit(f"bitcast {self.ty('i32')} {clean} to {self.ty('float')}", "float")
        else:
            value = self.pick(elem)
            if elem == "float":
                value = self.no_nan(elem, value)
            self.lines.append(f"  store {self.ty(elem)} {value}, ptr {at}, align 4")

    def keep(self) -> None:
        """Store what is there."""
        for elem in ("i32", "float", "i64", "double", "i16", "i1"):
            for name in self.pool.get(elem, [])[-3:]:
                value = self.no_nan(elem, name) if elem in ("float", "double") else name
                at = self.emit(f"getelementptr i8, ptr %out, i64 {512 * self.stored}")
                self.lines.append(f"  store {self.ty(elem)} {value}, ptr {at}, align 1")
                self.stored += 1

    def text(self) -> str:
        self.memory()
        self.emit(f"insertelement {self.ty('i32')} poison, i32 %scalar, i64 0")
        one = self.lines[-1].split()[0]
        self.emit(
            f"shufflevector {self.ty('i32')} {one}, {self.ty('i32')} poison, <{self.lanes} x i32> zeroinitializer",
            "i32",
        )
        for _ in range(self.steps):
            self.step()
        start = {elem: self.pick(elem) for elem in ("i32", "float", "i1")}
        self.lines += ["  br label %loop", "loop:"]
        at = len(self.lines)
        for elem in start:
            self.pool.setdefault(elem, []).append(f"%phi.{elem}")
        for _ in range(self.steps):
            self.step()
        phis = [f"  %phi.{e} = phi {self.ty(e)} [ {v}, %entry ], [ {self.pick(e)}, %loop ]" for e, v in start.items()]
        phis.append("  %turn = phi i32 [ 0, %entry ], [ %next, %loop ]")
        self.lines[at:at] = phis
        self.lines += [
            "  %next = add i32 %turn, 1",
            "  %more = icmp ult i32 %next, 3",
            "  br i1 %more, label %loop, label %end",
        ]
        self.lines.append("end:")
        for _ in range(self.steps // 2):
            self.step()
        self.keep()
        whole = "" if self.lanes == 64 else "  %mask = trunc i64 %mask64 to i32\n"
        name = "%mask" if self.lanes == 64 else "%mask64"
        body = "\n".join(self.lines)
        return (
            f"define void @f(ptr %data, ptr %out, i64 {name}, i32 %scalar) {{\nentry:\n{whole}{body}\n  ret void\n}}\n"
            + "\n".join(sorted(self.declares))
        )


@pytest.mark.parametrize("registers", HOSTS, ids=["avx2", "avx512", "sse"])
@pytest.mark.parametrize("lanes", [64, 32])
def test_random_programs_give_the_same(monkeypatch: pytest.MonkeyPatch, lanes: int, registers: Registers) -> None:
    for seed in range(3):
        always(monkeypatch, (1, 2, 4)[seed])
        if seed:
            draw = random.Random(seed)  # phases of different chunks meet
            monkeypatch.setattr(tiling, "chunk_lanes", lambda *_, draw=draw: draw.choice((4, 8, 16)))
        text = Program(seed * 1000 + lanes + registers.bits, lanes, steps=10).text()
        assert check(text, registers, seed) != str(prepared(text))


@pytest.mark.long
def test_larger_random_programs_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        always(monkeypatch, (1, 1, 2, 4)[seed % 4])
        monkeypatch.setattr(tiling, "chunk_lanes", lambda *_, draw=draw: draw.choice((4, 8, 16)))
        check(Program(seed, (64, 64, 32)[seed % 3]).text(), HOSTS[seed % 3], seed)


def one(line: str, lanes: str = "64") -> Op:
    return parse("  %r = " + line, lanes)


@pytest.mark.parametrize(
    ("line", "form", "elem"),
    [
        ("add nuw nsw <64 x i32> %a, <i32 0, i32 1>", "bin", "i32"),
        ("fdiv afn arcp <64 x float> splat (float 1.000000e+00), %a", "bin", "float"),
        ("or disjoint <64 x i64> %a, %b", "bin", "i64"),
        ("udiv <64 x i32> %a, %b", "trap", "i32"),
        ("fneg <64 x double> %a", "un", "double"),
        ("freeze <64 x i32> %a", "un", "i32"),
        ("icmp samesign ult <64 x i32> %a, splat (i32 7)", "cmp", "i1"),
        ("fcmp olt <64 x float> %a, zeroinitializer", "cmp", "i1"),
        ("select <64 x i1> %m, <64 x float> %a, <64 x float> %b", "select", "float"),
        ("select i1 %m, <64 x i32> %a, <64 x i32> %b", "select", "i32"),
        ("zext nneg <64 x i32> %a to <64 x i64>", "cast", "i64"),
        ("bitcast <64 x float> %a to <64 x i32>", "cast", "i32"),
        ("bitcast i64 %a to <64 x i1>", "unmask", "i1"),
        ("tail call <64 x float> @llvm.fma.v64f32(<64 x float> %a, <64 x float> %b, <64 x float> %c)", "call", "float"),
        ("call range(i32 0, 33) <64 x i32> @llvm.cttz.v64i32(<64 x i32> %a, i1 false)", "call", "i32"),
        ("call <64 x i1> @llvm.is.fpclass.v64f32(<64 x float> %a, i32 144)", "call", "i1"),
        ("load <64 x i32>, ptr %p, align 4, !dbg !7", "load", "i32"),
        ("load <64 x i32>, ptr %p, align 4, !invariant.load !7", "invariant", "i32"),
        ("shufflevector <64 x i32> %a, <64 x i32> poison, <64 x i32> zeroinitializer", "splat", "i32"),
        (f"shufflevector <4 x i32> %a, <4 x i32> poison, <64 x i32> <{', '.join(['i32 3'] * 64)}>", "splat", "i32"),
    ],
)
def test_what_is_lane_wise(line: str, form: str, elem: str) -> None:
    op = one(line)
    assert (op.kind, op.form, op.elem) == ("T", form, elem)
    assert op.uses == re.findall(r"%\w+", line)
    assert op.tail == (line[line.index(", !") :] if ", !" in line else "")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("add i32 %a, %b", "P"),
        ("add <32 x i32> %a, %b", "P"),  # other lanes
        ("bitcast <64 x i32> %a to <32 x i64>", "P"),
        ("bitcast <64 x i1> %a to i64", "P"),
        ("add <64 x i32> %a, add (i32 1, i32 ptrtoint (ptr @g to i32))", "P"),
        ("extractelement <64 x i32> %a, i64 0", "P"),
        ("shufflevector <64 x i32> %a, <64 x i32> poison, <64 x i32> <i32 1, i32 0>", "P"),
        ("load i32, ptr %p, align 4", "R"),
        ("load <3 x i32>, ptr %p, align 4", "R"),
        ("load i64, ptr %p, align 8, !invariant.load !1", "P"),
        ("sdiv i32 %a, %b", "R"),
        ("load volatile <64 x i32>, ptr %p, align 4", "W"),
        ("load atomic i32, ptr %p seq_cst, align 4", "W"),
        ("call <64 x i32> @helper(<64 x i32> %a)", "W"),
        ("call <64 x float> @llvm.sin.v64f32(<64 x float> %a)", "W"),
        ("call <64 x i32> @llvm.masked.load.v64i32.p0(ptr %p, <64 x i1> %m, <64 x i32> %a)", "W"),
        ("atomicrmw add ptr %p, i32 1 seq_cst, align 4", "W"),
        ("somethingnew <64 x i32> %a, %b", "W"),
    ],
)
def test_what_is_not(line: str, kind: str) -> None:
    assert one(line).kind == kind
    assert parse("  store <64 x i32> %a, ptr %p, align 4", "64").kind == "W"
    assert parse("  fence seq_cst", "64").kind == "W"


def test_debug_locations_and_unknown_lines_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, 1)
    body = """define void @f(ptr %p, ptr %q) {
entry:
  %a = load <64 x i32>, ptr %p, align 4, !dbg !10
  %b = add <64 x i32> %a, %a
  %c = xor <64 x i32> %b, %a
  %d = somethingnew <64 x i32> %c, !dbg !11
  %e = add <64 x i32> %d, %a
  %f = xor <64 x i32> %e, %c
  %g = mul <64 x i32> %f, %f
  store <64 x i32> %g, ptr %q, align 4, !dbg !12
  ret void, !dbg !13
}"""
    lines = tile(body, AVX2).splitlines()
    assert sum("load <8 x i32>" in line and line.endswith(", !dbg !10") for line in lines) == 8
    kept = [line for line in body.splitlines() if "somethingnew" in line or "store" in line or "ret" in line]
    assert [line for line in lines if line in kept] == kept
    at = {name: next(k for k, line in enumerate(lines) if f"  {name} = " in line) for name in ("%c", "%d", "%g")}
    assert at["%c"] < at["%d"] < at["%g"]
    assert sum("mul <8 x i32>" in line for line in lines) == 8


def test_a_mask_meets_chunks_of_another_size(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, 1)
    body = """define void @f(ptr %data, ptr %out, i64 %mask, i32 %scalar) {
entry:
  %half = getelementptr i8, ptr %data, i64 1024
  %there = getelementptr i8, ptr %out, i64 512
  %a = load <64 x i32>, ptr %data, align 4
  %low = and <64 x i32> %a, splat (i32 7)
  %m = icmp ult <64 x i32> %low, splat (i32 4)
  %b = bitcast <64 x i1> %m to i64
  %c = and i64 %b, %mask
  store i64 %c, ptr %out, align 8
  %h = load <64 x i16>, ptr %half, align 2
  %n = bitcast i64 %c to <64 x i1>
  %s = select <64 x i1> %n, <64 x i16> %h, <64 x i16> zeroinitializer
  %t = add <64 x i16> %s, %h
  store <64 x i16> %t, ptr %there, align 2
  ret void
}"""
    after = check(body, AVX2)
    assert "icmp ult <8 x i32>" in after
    assert "select <16 x i1>" in after


@pytest.mark.parametrize("width", [8, 16, 32])
def test_a_declaration_that_stands_behind_the_function(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    always(monkeypatch, width)
    call = "call <{0} x float> @llvm.fma.v{0}f32(<{0} x float> %a, <{0} x float> %a, <{0} x float> %a)"
    text = f"""
define void @f(ptr %data, ptr %out, i64 %mask, i32 %scalar) {{
entry:
  %a = load <64 x float>, ptr %data, align 4
  %r = {call.format(64)}
  store <64 x float> %r, ptr %out, align 4
  ret void
}}
define <{width} x float> @g(<{width} x float> %a) {{
  %r = {call.format(width)}
  ret <{width} x float> %r
}}
declare <64 x float> @llvm.fma.v64f32(<64 x float>, <64 x float>, <64 x float>)
declare <{width} x float> @llvm.fma.v{width}f32(<{width} x float>, <{width} x float>, <{width} x float>)
"""
    check(text, AVX2)


def test_functions_with_quoted_names_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, 1)
    body = (
        "define void @f() {\nentry:\n"
        + "".join(f'  %"a {k}" = add <64 x i32> %x, %x\n' for k in range(9))
        + "  ret void\n}"
    )
    assert tile(body, AVX2) == body


def phase(*lines: str) -> list[Op]:
    return [parse(line, "64") for line in lines]


def independent(count: int) -> list[Op]:
    """Many short chains: throughput is what counts."""
    out: list[str] = []
    for k in range(count):
        out += [f"  %a{k} = xor <64 x i32> %x{k}, %y", f"  %b{k} = add <64 x i32> %a{k}, %x{k}"]
    return phase(*out)


def chain(count: int) -> list[Op]:
    """One chain: latency is what counts."""
    lines = [f"  %a{k} = fmul <64 x float> %a{k - 1}, %a{k - 1}" for k in range(1, count)]
    return phase("  %a0 = fadd <64 x float> %x, %y", *lines)


def test_what_pays() -> None:
    wide = widths(64, 256, False)
    assert group_of(independent(20), wide, 16, 0) == 1
    assert group_of(independent(20), wide, 16, 9) == 0  # so many masks would have to be packed
    assert group_of(chain(60), wide, 16, 0) == 0  # one link after the other: better eight chains side by side
    assert group_of(independent(20), wide, 400, 0) == 0  # all fits
    assert group_of(independent(1), wide, 16, 0) == 0


def test_chunks_fill_registers() -> None:
    singles = phase(*(f"  %a{k} = add <64 x i32> %x, %y" for k in range(9)))
    doubles = phase(*(f"  %b{k} = fadd <64 x double> %x, %y" for k in range(9)))
    halves = phase(*(f"  %c{k} = add <64 x i16> %x, %y" for k in range(9)))
    assert [chunk_lanes(each, 64, 256) for each in (singles, doubles, halves)] == [8, 4, 16]
    assert chunk_lanes(singles + doubles[:1], 64, 256) == 8
    assert chunk_lanes(singles, 64, 512) == 16
