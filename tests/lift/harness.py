"""Runs single instructions through the lifter and gives back the state of the wave as NumPy arrays.

    state = run_instruction("gfx942", "v_add_f32_e32 v2, v0, v1", vgprs={0: a, 1: b}, exec_mask=0xF0)
    state.f32(2)                      # register v2 as float32 lanes

Many cases go faster in one module: ``run_cases([Case(...), ...])`` assembles, translates and compiles them together,
and ``run_prepared(prepare(cases), …)`` runs the same code on other data. Registers come from and go to a buffer, as
memory would hold them: an instruction sees exactly the given bits. What is not given starts as zero.

Arrays: a VGPR is W dwords (any dtype of 4 bytes; 8-byte arrays fill two registers); AGPR n is register 256 + n. A
scalar register is an int. VCC is ``sgprs[106]`` and ``[107]``, M0 is ``sgprs[124]``.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import io
import itertools
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softrock.core.errors import SoftrockError
from softrock.decode import Instruction, Kind, Operand, decode
from softrock.exec.runtime import runtime
from softrock.isa import target as target_of
from softrock.jit.compile import object_of
from softrock.jit.host import host
from softrock.jit.loader import Loaded
from softrock.lift import apply, forms
from softrock.lift.context import Mode, Wave
from softrock.lift.ir import Builder, Ty, Val
from softrock.lift.registry import lookup
from softrock.lift.regs import M0, Registers
from softrock.lift.wave import OFFSET, SIZE

Lanes = npt.NDArray[Any]
CODE_BASE = 0x7F00_0000_0000
_names = itertools.count()


@dataclass(frozen=True)
class Case:
    """One instruction and the state it starts from.

    Attributes:
        target: ``gfx942``, ``gfx1100`` …; ``gfx1100:64`` runs a wave of 64 lanes.
        code: assembler text or a decoded instruction; a sequence of them runs in order.
        vgprs: first register → lanes; 8-byte elements fill two registers, a 2-D array (k, W) fills k.
        sgprs: register → value; 64-bit values that need it fill two registers.
        exec_mask: EXEC, all lanes by default.
        scc: SCC at the start.
        mode: floating-point mode.
        full: translate as where all lanes are known to be on; by default that is so if EXEC says it.
        rows: VGPR → row length: the translator is told that its lanes lie in such rows (the stride is that of the given
            data; base and pitch are taken from them when it runs), as it knows of thread numbers.
        told: VGPRs of `rows` whose base's low zero bits and whose largest lane it is told as well.
        wave: 64-bit fields of the wave's structure, e.g. ``lds``.
    """

    target: str
    code: str | Instruction | Sequence[str | Instruction]
    vgprs: Mapping[int, Lanes] = field(default_factory=dict)
    sgprs: Mapping[int, int] = field(default_factory=dict)
    exec_mask: int = -1
    scc: int = 0
    mode: Mode = field(default_factory=Mode)
    full: bool | None = None
    rows: Mapping[int, int] = field(default_factory=dict)
    told: Sequence[int] = ()
    wave: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """The wave after the instruction; registers that were neither given nor named by it read as zero."""

    words: dict[int, npt.NDArray[np.uint32]]
    sgprs: dict[int, int]
    exec_mask: int
    scc: int

    def u32(self, r: int) -> npt.NDArray[np.uint32]:
        """Register `r` as dwords."""
        return self.words[r]

    def i32(self, r: int) -> npt.NDArray[np.int32]:
        return self.words[r].view(np.int32)

    def f32(self, r: int) -> npt.NDArray[np.float32]:
        return self.words[r].view(np.float32)

    def f16(self, r: int, half: int = 0) -> npt.NDArray[np.float16]:
        """One half of register `r`."""
        return self.words[r].view(np.float16)[half::2]

    def u16(self, r: int, half: int = 0) -> npt.NDArray[np.uint16]:
        return self.words[r].view(np.uint16)[half::2]

    def u64(self, r: int) -> npt.NDArray[np.uint64]:
        """Registers `r` and `r + 1`."""
        return self.words[r].astype(np.uint64) | (self.words[r + 1].astype(np.uint64) << np.uint64(32))

    def f64(self, r: int) -> npt.NDArray[np.float64]:
        return self.u64(r).view(np.float64)

    def mask(self, r: int = 106) -> int:
        """A lane mask in SGPRs (VCC by default) of the wave's width."""
        lanes = len(next(iter(self.words.values()))) if self.words else 64
        return self.sgprs[r] | (self.sgprs.get(r + 1, 0) << 32 if lanes == 64 else 0)

    def pair(self, r: int) -> int:
        """Scalar registers `r` and `r + 1`."""
        return self.sgprs[r] | self.sgprs[r + 1] << 32


# -- assembling ------------------------------------------------------------------------------------


def lanes_of(target: str) -> int:
    """Lanes of a wave of ``gfx942``, ``gfx1100``, ``gfx1100:64``."""
    name, _, lanes = target.partition(":")
    return int(lanes) if lanes else target_of(name).wave_size


@functools.cache
def _target(target: str) -> Any:
    return target_of(target.partition(":")[0]).with_wave_size(lanes_of(target))


def assemble(target: str, texts: Sequence[str]) -> list[Instruction]:
    """Assemble and decode instructions, one a text."""
    known = _assembled.setdefault(target, {})
    missing = [t for t in dict.fromkeys(texts) if t not in known]
    if missing:
        code = _bytes_of(target, tuple(missing))
        place = 0
        for text in missing:
            known[text] = decode(_target(target), code, place, place)
            place += known[text].size
    return [known[t] for t in texts]


_assembled: dict[str, dict[str, Instruction]] = {}


def _bytes_of(target: str, texts: tuple[str, ...]) -> bytes:
    import ziglang
    from elftools.elf.elffile import ELFFile

    store = Path(tempfile.gettempdir()) / f"softrock-tests-asm-{os.getuid()}"
    store.mkdir(exist_ok=True, mode=0o700)
    key = hashlib.sha256(repr((target, texts)).encode()).hexdigest()[:32]
    kept = store / key
    if not kept.exists():
        name, _, lanes = target.partition(":")
        wave = ["-target-feature", "+wavefrontsize64", "-target-feature", "-wavefrontsize32"] if lanes == "64" else []
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "a.s"
            source.write_text(".text\n" + "\n".join(texts) + "\n")
            command = ["clang", "-cc1as", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", name, *wave]
            done = subprocess.run(
                [str(Path(ziglang.__file__).parent / "zig"), *command, "-filetype", "obj", "-o", "a.o", "a.s"],
                cwd=folder,
                env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(store), "ZIG_LOCAL_CACHE_DIR": str(store)},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise AssertionError(f"assembler: {done.stderr}")
            section = ELFFile(io.BytesIO((Path(folder) / "a.o").read_bytes())).get_section_by_name(".text")
            if section is None:
                raise AssertionError("the assembler wrote no .text")
            fresh = store / f"{key}.{os.getpid()}"
            fresh.write_bytes(section.data())
            fresh.replace(kept)
    return kept.read_bytes()


# -- translating -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """Where a function finds its registers in the state buffer (byte offsets)."""

    vectors: tuple[int, ...]
    scalars: tuple[int, ...]
    lanes: int

    def vector(self, k: int) -> int:
        return 4 * self.lanes * k

    def scalar(self, k: int) -> int:
        return 4 * self.lanes * len(self.vectors) + 4 * k

    @property
    def exec_at(self) -> int:
        return -(-self.scalar(len(self.scalars)) // 8) * 8

    @property
    def size(self) -> int:
        return self.exec_at + 16


def _registers(inst: Instruction, lanes: int) -> tuple[set[int], set[int]]:
    vectors: set[int] = set()
    scalars: set[int] = set()
    operands: list[Operand] = [*inst.dst, *inst.src]
    for part in inst.parts:
        operands += [*part.dst, *part.src]
    for op in operands:
        span = range(op.index, op.index + op.dwords)
        if op.kind is Kind.VGPR:
            vectors.update(span)
        elif op.kind is Kind.AGPR:
            vectors.update(r + 256 for r in span)
        elif op.kind is Kind.SGPR:
            scalars.update(span)
    return vectors, scalars


def _words(case: Case) -> dict[int, npt.NDArray[np.uint32]]:
    lanes = lanes_of(case.target)
    out: dict[int, npt.NDArray[np.uint32]] = {}
    for r, value in case.vgprs.items():
        array = np.ascontiguousarray(value)
        if array.ndim == 2:
            rows = list(array)
        elif array.dtype.itemsize == 8:
            rows = list(array.view(np.uint32).reshape(lanes, 2).T)
        else:
            rows = [array]
        for k, row in enumerate(rows):
            word = np.ascontiguousarray(row)
            if word.dtype.itemsize == 2:
                word = word.view(np.uint16).astype(np.uint32)
            out[r + k] = word.view(np.uint32)
            if out[r + k].shape != (lanes,):
                raise AssertionError(f"v{r + k}: {out[r + k].shape} is not {lanes} lanes")
    return out


def _scalar_words(case: Case) -> dict[int, int]:
    out: dict[int, int] = {}
    for r, value in case.sgprs.items():
        out[r] = value & 0xFFFFFFFF
        if value >> 32 not in (0, -1):
            out[r + 1] = value >> 32 & 0xFFFFFFFF
    return out


def _translate(case: Case, code: Sequence[Instruction], name: str, declares: dict[str, str]) -> tuple[str, _Layout]:
    target = _target(case.target)
    lanes = target.wave_size
    vectors, scalars = set(_words(case)), set(_scalar_words(case)) | {106, 107, M0}
    for inst in code:
        more_vectors, more_scalars = _registers(inst, lanes)
        vectors |= more_vectors
        scalars |= more_scalars
    layout = _Layout(tuple(sorted(vectors)), tuple(sorted(scalars)), lanes)
    b = Builder(declares)
    regs = Registers(b, lanes)
    x = Wave(b, regs, target, case.mode, name)
    x.native_gather = host().has("avx512dq")
    b.begin(b.new_block("body"))

    def place(offset: int) -> str:
        b.counter += 1
        b.line(f"%q{b.counter} = getelementptr i8, ptr %state, i64 {offset}")
        return f"%q{b.counter}"

    for k, r in enumerate(layout.vectors):
        value = b.load(Ty("u", 32, lanes), place(layout.vector(k)), 4)
        regs.vector.write(r, value if r not in case.rows else _with_rows(case, r, value))
    for k, r in enumerate(layout.scalars):
        regs.scalar.write(r, b.load(Ty("u", 32, 0), place(layout.scalar(k)), 4))
    regs.set_exec(b.load(Ty("u", lanes, 0), place(layout.exec_at), 8))
    regs.set_scc(b.load(Ty("u", 32, 0), place(layout.exec_at + 8), 4).ne(0))
    all_on = case.exec_mask & (1 << lanes) - 1 == (1 << lanes) - 1
    x.full = all_on if case.full is None else case.full
    for inst in code:
        semantic = lookup(inst.op)
        if semantic is None:
            raise x.unsupported(inst)
        apply.run(x, inst, semantic)
    for k, r in enumerate(layout.vectors):
        b.store(regs.vector.read(r), place(layout.vector(k)), 4)
    for k, r in enumerate(layout.scalars):
        b.store(regs.scalar.read(r), place(layout.scalar(k)), 4)
    b.store(regs.exec(), place(layout.exec_at), 8)
    b.store(regs.scc().to("u32"), place(layout.exec_at + 8), 4)
    b.line("ret void")
    arrays = [f"  %{a} = alloca i8, i64 {size}, align 64" for a, size in getattr(x, "arrays", {}).items()]
    body = "\n".join(["entry:", *regs.slots(), *arrays, f"  br label %{b.blocks[0].label}", b.text()])
    return f"define void @{name}(ptr %state, ptr %wave) #0 {{\n{body}\n}}\n", layout


def _with_rows(case: Case, r: int, value: Val) -> Val:
    """The register with the form that the case tells of."""
    row, data, lanes = case.rows[r], _words(case)[r].astype(np.int64), value.lanes
    step = int(data[1] - data[0]) if row > 1 else 0
    stride = ((step + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
    base = value.lane(0)
    pitch = None if row == lanes else value.lane(row) - base
    number = np.arange(lanes)
    gap = int(data[row] - data[0]) if row < lanes else 0
    apart = data[0] + stride * (number % row) + gap * (number // row) - data
    if (apart & 0xFFFFFFFF).any():
        raise AssertionError(f"v{r} has no rows of {row} lanes")
    if r not in case.told:
        return forms.make(value, forms.Rows(base, stride, row, pitch))
    first = int(data[0])
    zeros = 32 if first == 0 else (first & -first).bit_length() - 1
    if pitch is not None:
        pitch.zeros = 32 if gap == 0 else (gap & -gap).bit_length() - 1
    # A bound says as well that nothing wraps between lanes.
    top = int(data.max()) if stride >= 0 and gap >= 0 and not apart.any() else None
    return forms.make(value, forms.Rows(base, stride, row, pitch), zeros=zeros, top=top)


@dataclass(frozen=True)
class Prepared:
    """Compiled cases, to be run with `run_prepared`."""

    cases: tuple[Case, ...]
    layouts: tuple[_Layout, ...]
    functions: tuple[Any, ...]
    loaded: Loaded
    text: str


def module_text(cases: Sequence[Case]) -> tuple[str, list[_Layout], list[str]]:
    """The LLVM IR of the cases, the layouts of their state buffers, and the names of their functions."""
    declares: dict[str, str] = {}
    parts: list[str] = []
    layouts: list[_Layout] = []
    names: list[str] = []
    assemble_all(cases)
    for case in cases:
        name = f"case{next(_names)}"
        text, layout = _translate(case, instructions(case), name, declares)
        parts.append(text)
        layouts.append(layout)
        names.append(name)
    notes = 'attributes #0 = { "reciprocal-estimates"="vec-sqrtf:0" }\n!0 = !{}\n'
    return "\n".join([*(d for d in declares.values() if d), *parts, notes]), layouts, names


def instructions(case: Case) -> list[Instruction]:
    """The decoded instructions of a case."""
    code = [case.code] if isinstance(case.code, str | Instruction) else list(case.code)
    return [assemble(case.target, [c])[0] if isinstance(c, str) else c for c in code]


def assemble_all(cases: Sequence[Case]) -> None:
    """Assemble the texts of all cases with one run of the assembler for each target."""
    texts: dict[str, list[str]] = {}
    for case in cases:
        code = [case.code] if isinstance(case.code, str | Instruction) else list(case.code)
        texts.setdefault(case.target, []).extend(c for c in code if isinstance(c, str))
    for target, found in texts.items():
        assemble(target, found)


def prepare(cases: Sequence[Case]) -> Prepared:
    """Translate and compile cases into one module."""
    from llvmlite import binding

    text, layouts, names = module_text(cases)
    try:
        data = object_of(text, "harness")
    except SoftrockError as error:
        try:
            binding.parse_assembly(text).verify()
        except RuntimeError as detail:
            raise AssertionError(f"malformed IR: {detail}\n{text[:20000]}") from error
        raise
    loaded = Loaded(data, names, runtime().symbols)
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    functions = tuple(prototype(loaded.address[n]) for n in names)
    return Prepared(tuple(cases), tuple(layouts), functions, loaded, text)


def run_prepared(prepared: Prepared, cases: Sequence[Case] | None = None) -> list[State]:
    """Run compiled cases, on the data of other cases of the same shape where given."""
    data = prepared.cases if cases is None else cases
    return [
        _run(case, layout, function)
        for case, layout, function in zip(data, prepared.layouts, prepared.functions, strict=True)
    ]


def _run(case: Case, layout: _Layout, function: Any) -> State:
    lanes = layout.lanes
    buffer = np.zeros(layout.size + 64, np.uint8)
    words, scalars = _words(case), _scalar_words(case)
    for k, r in enumerate(layout.vectors):
        if r in words:
            buffer[layout.vector(k) : layout.vector(k + 1)].view(np.uint32)[:] = words[r]
    low = buffer[layout.scalar(0) : layout.scalar(len(layout.scalars))].view(np.uint32)
    for k, r in enumerate(layout.scalars):
        low[k] = scalars.get(r, 0)
    tail = buffer[layout.exec_at : layout.exec_at + 16].view(np.uint64)
    tail[0] = case.exec_mask & (1 << lanes) - 1
    tail[1] = case.scc
    wave = np.zeros(SIZE + 64, np.uint8)
    for name, value in {"code_base": CODE_BASE, **case.wave}.items():
        wave[OFFSET[name] : OFFSET[name] + 8].view(np.uint64)[0] = value
    function(buffer.ctypes.data, wave.ctypes.data)
    return State(
        {
            r: buffer[layout.vector(k) : layout.vector(k + 1)].view(np.uint32).copy()
            for k, r in enumerate(layout.vectors)
        },
        {r: int(low[k]) for k, r in enumerate(layout.scalars)},
        int(tail[0]),
        int(tail[1]) & 1,
    )


def run_cases(cases: Sequence[Case]) -> list[State]:
    """Compile and run cases."""
    return run_prepared(prepare(cases))


def run_instruction(
    target: str,
    code: str | Instruction | Sequence[str | Instruction],
    vgprs: Mapping[int, Lanes] | None = None,
    sgprs: Mapping[int, int] | None = None,
    exec_mask: int = -1,
    vcc: int | None = None,
    scc: int = 0,
    mode: Mode | None = None,
) -> State:
    """Run one instruction (or a few) once; see :class:`Case`."""
    scalars = dict(sgprs or {})
    if vcc is not None:
        scalars |= {106: vcc & 0xFFFFFFFF, 107: vcc >> 32 & 0xFFFFFFFF}
    case = Case(target, code, vgprs or {}, scalars, exec_mask, scc)
    return run_cases([case if mode is None else replace(case, mode=mode)])[0]
