"""A slow interpreter of decoded instructions over the models: operands, modifiers, EXEC, DPP, SDWA and destinations.

Written from the guides' chapters on vector and scalar ALU operands, DPP, SDWA and output modifiers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.lift.models import lanes as lane_moves
from tests.lift.models.edges import width_of
from tests.lift.models.formats import BY_NAME, F32, Format
from tests.lift.models.registry import MODELS, Context, Model, OneOf, is_float, to_value
from tests.lift.models.scalar import SAVEEXEC, SCALARS

from softrock.decode.instruction import Instruction, Kind, Operand

Words = npt.NDArray[np.uint32]
VCC, M0, EXEC = 106, 124, 126
KEEPS_HIGH_HALF = frozenset(
    [
        "v_mad_f16",
        "v_mad_u16",
        "v_mad_i16",
        "v_fma_f16",
        "v_div_fixup_f16",
        "v_min3_f16",
        "v_min3_i16",
        "v_min3_u16",
        "v_max3_f16",
        "v_max3_i16",
        "v_max3_u16",
        "v_med3_f16",
        "v_med3_i16",
        "v_med3_u16",
        "v_fma_mixlo_f16",
        "v_fma_mixhi_f16",
        "v_cvt_pk_fp8_f32",
        "v_cvt_pk_bf8_f32",
    ]
)
"""16-bit operations of gfx9 that leave the destination's other half alone; the rest clear it (LLVM's notes on gfx9)."""
SPECIAL: dict[str, Callable[[Machine, Instruction], None]] = {}
"""Operations that the table of models cannot express; `special` modules register here."""


@dataclass
class Machine:
    """The registers of one wave.

    Attributes:
        vector: dwords by register number (AGPR n is 256 + n).
        scalar: 128 scalar registers; EXEC is apart.
        kinds: element types that each vector register was last written as, for comparing.
        gpr_index: gfx9's index mode, bit 0 for the first source and bit 3 for the destination, 0 where off.
        others: (register, lane) → further results that are right there.
    """

    lanes: int
    major: int
    ieee: bool = True
    flush32: bool = False
    flush16: bool = False
    dx10_clamp: bool = True
    vector: dict[int, Words] = field(default_factory=dict)
    scalar: list[int] = field(default_factory=lambda: [0] * 128)
    exec: int = -1
    scc: int = 0
    kinds: dict[int, tuple[str, int]] = field(default_factory=dict)
    others: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict)
    gpr_index: int = 0

    def __post_init__(self) -> None:
        self.exec &= self.all_lanes

    @property
    def all_lanes(self) -> int:
        return (1 << self.lanes) - 1

    def active(self) -> list[bool]:
        return [bool(self.exec >> k & 1) for k in range(self.lanes)]

    def word(self, register: int) -> Words:
        if register not in self.vector:
            self.vector[register] = np.zeros(self.lanes, np.uint32)
        return self.vector[register]

    # -- scalar operands -----------------------------------------------------------------------------------------------

    def read_scalar(self, op: Operand, bits: int) -> int:
        """Raw bits of a scalar operand."""
        mask = (1 << bits) - 1
        if op.kind in (Kind.INT, Kind.LITERAL, Kind.FLOAT):
            return self.constant(op, f"u{bits}")
        if op.kind is Kind.EXEC:
            return (self.exec >> 32 * (op.index - EXEC)) & mask
        if op.kind is Kind.NULL:
            return 0
        if op.kind is Kind.SPECIAL:
            vcc = self.scalar[VCC] | (self.scalar[VCC + 1] << 32 if self.lanes == 64 else 0)
            return {"scc": self.scc, "execz": int(self.exec == 0), "vccz": int(vcc == 0)}[op.name]
        at = M0 if op.kind is Kind.M0 else op.index
        return (self.scalar[at] | (self.scalar[at + 1] << 32 if bits == 64 else 0)) & mask

    def constant(self, op: Operand, elem: str) -> int:
        """A constant's bits as an element type: inline integers are sign-extended, inline floats take the type's
        width, a 32-bit literal is the high half of a double."""
        bits = width_of(elem)
        if op.kind is Kind.FLOAT:
            f = BY_NAME.get(elem) or BY_NAME[f"f{max(bits, 16)}"]
            return f.of_float(op.number)
        if op.kind is Kind.LITERAL and bits == 64 and is_float(elem):
            return op.value << 32
        if op.kind is Kind.LITERAL and elem == "i64" and op.value >> 31:
            return op.value | 0xFFFFFFFF << 32
        return op.value & ((1 << bits) - 1)

    def write_scalar(self, op: Operand, value: int, bits: int) -> None:
        if op.kind is Kind.NULL:
            return
        if op.kind is Kind.EXEC:
            low = 32 * (op.index - EXEC)
            width = bits if bits == 64 else 32
            mask = ((1 << width) - 1) << low
            self.exec = (self.exec & ~mask | value << low & mask) & self.all_lanes
            return
        at = M0 if op.kind is Kind.M0 else op.index
        self.scalar[at] = value & 0xFFFFFFFF
        if bits == 64:
            self.scalar[at + 1] = value >> 32 & 0xFFFFFFFF

    def read_mask(self, op: Operand) -> list[bool]:
        raw = self.read_scalar(op, self.lanes)
        return [bool(raw >> k & 1) for k in range(self.lanes)]

    # -- vector operands -------------------------------------------------------------------------------------------

    def register(self, op: Operand) -> int:
        return op.index + (256 if op.kind is Kind.AGPR else 0)

    def dwords(self, op: Operand, k: int = 0) -> Words:
        """Dword k of a source in every lane, without modifiers."""
        if op.kind in (Kind.VGPR, Kind.AGPR):
            return self.word(self.register(op) + k)
        if op.kind is Kind.SGPR and k:
            return np.full(self.lanes, self.scalar[op.index + k], np.uint32)
        return np.full(self.lanes, self.read_scalar(op, 32), np.uint32)

    def raw(self, op: Operand, elem: str, half: int) -> npt.NDArray[np.uint64]:
        """A source's bits as an element type, DPP and SDWA applied, abs and neg not yet."""
        bits = width_of(elem)
        if op.kind in (Kind.INT, Kind.LITERAL, Kind.FLOAT):
            wide = self.constant(op, elem)
            if half and bits == 16:
                wide = 0 if op.kind is Kind.FLOAT else op.value >> 16 & 0xFFFF
            return np.full(self.lanes, wide, np.uint64)
        if bits == 64:
            if op.kind in (Kind.VGPR, Kind.AGPR):
                low, high = self.dwords(op), self.dwords(op, 1)
                if op.role == "src0" and self._dpp is not None:
                    low, high = self._moved(low), self._moved(high)
                return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
            return np.full(self.lanes, self.read_scalar(op, 64), np.uint64)
        value = self.dwords(op)
        if op.role == "src0" and self._dpp is not None:
            value = self._moved(value)
        wide_value = value.astype(np.uint64)
        if op.sel and op.sel != "DWORD":
            part = 8 if op.sel.startswith("BYTE") else 16
            wide_value = wide_value >> np.uint64(part * int(op.sel[-1])) & np.uint64((1 << part) - 1)
            if op.sext:
                sign = np.uint64(1 << part - 1)
                wide_value = ((wide_value ^ sign) - sign) & np.uint64(0xFFFFFFFF)
        elif bits == 16 and (op.half if op.half is not None else half):
            wide_value = wide_value >> np.uint64(16)
        return wide_value & np.uint64((1 << bits) - 1)

    def source(self, op: Operand, elem: str, half: int = 0) -> list[int]:
        """A source's values, every modifier applied."""
        raw = [int(x) for x in self.raw(op, elem, half)]
        if is_float(elem):
            f = BY_NAME[elem]
            raw = [self.modified(f, x, op.abs, op.neg) for x in raw]
        return [to_value(elem, x) for x in raw]

    def modified(self, f: Format, raw: int, absolute: bool, negated: bool) -> int:
        if absolute:
            raw &= f.sign_bit - 1
        if negated:
            raw ^= f.sign_bit
        return self.flush(f, raw)

    def flush(self, f: Format, raw: int) -> int:
        asked = self.flush32 if f.bits == 32 else self.flush16
        return f.flush(raw) if asked and f.name != "bf16" else raw

    # -- DPP -------------------------------------------------------------------------------------------------------

    _dpp: list[int | None] | None = None
    _enabled: list[bool] = field(default_factory=list)

    def _begin(self, inst: Instruction) -> None:
        """Find what DPP does to each lane: the lane it reads (-1: it reads 0), and whether it may be written."""
        self._dpp = None
        self._enabled = self.active()
        eight = "dpp8" in inst.mods
        if not eight and "dpp_ctrl" not in inst.mods:
            return
        on, fetch = self.active(), bool(inst.mod("fi"))
        self._dpp = []
        for lane in range(self.lanes):
            if eight:
                other: int | None = lane_moves.dpp8_source(inst.mods["dpp8"], lane)
            else:
                other = lane_moves.dpp16_source(inst.mods["dpp_ctrl"], lane, self.lanes, self.major)
                if not lane_moves.row_enabled(lane, inst.mods["row_mask"], inst.mods["bank_mask"]):
                    self._enabled[lane] = False
            if other is not None and not on[other] and not fetch:
                other = None
            if other is None and not eight and not inst.mod("bound_ctrl"):
                self._enabled[lane] = False
            self._dpp.append(other)

    def _moved(self, value: Words) -> Words:
        assert self._dpp is not None
        return np.array([0 if k is None else value[k] for k in self._dpp], np.uint32)

    # -- results ---------------------------------------------------------------------------------------------------

    def finish(self, inst: Instruction, f: Format, raw: int) -> int:
        """Output modifier, clamp and flushing of a float result."""
        flushes = self.flush32 if f.bits == 32 else self.flush16
        if inst.mod("omod") and not self.ieee and flushes:
            raw = f.flush(f.scale(f.flush(raw), (1, 2, -1)[inst.mod("omod") - 1]))
            raw = 0 if f.is_zero(raw) else raw
        if inst.mod("clamp"):
            raw = self.clamp(f, raw)
        return self.flush(f, raw)

    def clamp(self, f: Format, raw: int) -> int:
        """To [0, 1]; NaN becomes 0 under DX10_CLAMP."""
        if f.is_nan(raw):
            return 0 if self.dx10_clamp else raw
        if f.negative(raw):
            return 0
        return f.one if f.value(raw) > 1 else raw

    def write_vector(self, inst: Instruction, op: Operand, elem: str, values: list[int]) -> None:
        """One value a lane into the enabled lanes of a destination."""
        bits, r = width_of(elem), self.register(op)
        for lane in range(self.lanes):
            if not self._enabled[lane]:
                continue
            raw = values[lane] & ((1 << bits) - 1)
            if bits == 64:
                self.word(r)[lane], self.word(r + 1)[lane] = raw & 0xFFFFFFFF, raw >> 32
            else:
                self.word(r)[lane] = self._merged(inst, op, elem, raw, int(self.word(r)[lane]))
        self.kinds[r] = (elem, 0)
        if bits == 64:
            self.kinds[r + 1] = (elem, 1)
        if inst.op == "v_pack_b32_f16":
            self.kinds[r] = ("f16", 0)

    def _merged(self, inst: Instruction, op: Operand, elem: str, raw: int, old: int) -> int:
        bits = width_of(elem)
        if inst.mods.get("dst_sel", 6) != 6:
            select, unused = inst.mods["dst_sel"], inst.mod("dst_unused")
            part, shift = (8, 8 * select) if select < 4 else (16, 16 * (select - 4))
            raw &= (1 << part) - 1
            if unused == 2:
                return old & ~(((1 << part) - 1) << shift) | raw << shift
            if unused == 1 and raw >> part - 1:
                raw |= -1 << part
            return raw << shift & 0xFFFFFFFF
        if bits == 32:
            return raw
        if bits == 8:
            shift = 8 * (inst.mod("op_sel") >> 2 & 3)
            return old & ~(0xFF << shift) | raw << shift
        high = op.half if op.half is not None else inst.mod("op_sel") >> 3 & 1
        if inst.op == "v_fma_mixhi_f16":
            high = 1
        if high:
            return old & 0xFFFF | raw << 16
        keeps = self.major > 9 or inst.op in KEEPS_HIGH_HALF
        return old & 0xFFFF0000 | raw if keeps else raw

    def write_mask(self, op: Operand, bits: list[bool]) -> None:
        value = sum(1 << k for k, on in enumerate(bits) if on and self._enabled[k])
        self.write_scalar(op, value, self.lanes)

    # -- execution -------------------------------------------------------------------------------------------------

    def run(self, inst: Instruction) -> None:
        """Execute one instruction (branches excepted)."""
        self._begin(inst)
        if self.gpr_index and inst.format.startswith("VOP"):
            inst = self._indexed(inst)
        if inst.parts:
            self._dual(inst)
        elif inst.op in SPECIAL:
            SPECIAL[inst.op](self, inst)
        elif inst.op in SCALARS or inst.op in SAVEEXEC:
            self._scalar(inst)
        else:
            self._vector(inst, MODELS[inst.op])

    def _indexed(self, inst: Instruction) -> Instruction:
        """The instruction with M0's index added to the vector registers that the mode says."""
        by = self.scalar[M0] & 0xFF
        dst = tuple(shifted(op, by) if self.gpr_index & 8 else op for op in inst.dst)
        src = tuple(shifted(op, by) if self.gpr_index >> k & 1 else op for k, op in enumerate(inst.src))
        return replace(inst, dst=dst, src=src)

    def _dual(self, inst: Instruction) -> None:
        before = {r: w.copy() for r, w in self.vector.items()}
        results: dict[int, Words] = {}
        for part in inst.parts:
            self.vector = {r: w.copy() for r, w in before.items()}
            self.run(part)
            r = self.register(part.dst[0])
            results[r] = self.word(r)
        self.vector = {**before, **results}

    def _scalar(self, inst: Instruction) -> None:
        if inst.op in SAVEEXEC:
            function, saves = SAVEEXEC[inst.op]
            old = self.exec
            wide = self.read_scalar(inst.src[0], 64 if inst.op.endswith("64") else 32)
            self.exec = function(wide, old) & self.all_lanes
            self.write_scalar(inst.dst[0], old if saves else self.exec, 64 if inst.op.endswith("64") else 32)
            self.scc = int(self.exec != 0)
            return
        spec = SCALARS[inst.op]
        arguments: list[int] = []
        sources = list(inst.src)
        for name in spec.extra.split():
            if name == "scc":
                arguments.append(self.scc)
            elif name == "imm":
                arguments.append(inst.mod("simm16"))
            else:
                target = inst.dst[0] if inst.dst else sources.pop(0)
                arguments.append(self.read_scalar(target, abs(spec.result) or 32))
        for op, width in zip(sources, spec.sources, strict=True):
            elem = f"{'i' if width < 0 else 'u'}{abs(width)}"
            arguments.append(to_value(elem, self.read_scalar(op, abs(width))))
        result, scc = spec.function(*arguments)
        if result is not None and inst.dst:
            self.write_scalar(inst.dst[0], result, abs(spec.result))
        if scc is not None:
            self.scc = int(scc)

    def _context(self, inst: Instruction, lane: int) -> Context:
        counts = inst.op.startswith("v_mbcnt")
        return Context(
            self.major, self.ieee, self.flush32, self.flush16, bool(inst.mod("clamp")), lane if counts else 0
        )

    def _vector(self, inst: Instruction, model: Model) -> None:
        if model.packed:
            self._packed(inst, model)
            return
        columns = self._arguments(inst, model)
        key = (inst.op, self.major, self.ieee, bool(inst.mod("clamp")))
        memo = self.cache.setdefault(key, {})
        results: list[Any] = []
        for lane in range(self.lanes):
            values = tuple(column[lane] for column in columns)
            if not self._enabled[lane]:
                results.append(None)
                continue
            context = self._context(inst, lane)
            place: Any = (context.lane, tuple(map(_frozen, values)))
            if place not in memo:
                memo[place] = model.function(context, *values)
            results.append(memo[place])
        self._store(inst, model, results)

    def _arguments(self, inst: Instruction, model: Model) -> list[list[Any]]:
        sources = iter(inst.src)
        columns: list[list[Any]] = []
        position = 0
        for token in model.ins:
            if token == "vcc":
                columns.append(self.read_mask(Operand("vcc", Kind.SGPR, VCC, self.lanes // 32)))
                continue
            if token == "mask":
                columns.append(self.read_mask(next(sources)))
                continue
            half = inst.mod("op_sel") >> position & 1
            if token.startswith("dst:"):
                columns.append(self.source(inst.dst[0], token[4:], inst.mod("op_sel") >> 3 & 1))
                continue
            op = next(sources)
            if token == "mix":
                columns.append(self._mix(inst, op, position))
            elif token[0].isdigit():
                columns.append(self._two(inst, op, token[1:], position))
            elif "x" in token:
                count = int(token.partition("x")[2])
                words = [self.dwords(op, k) for k in range(count)]
                columns.append([[int(w[lane]) for w in words] for lane in range(self.lanes)])
            elif token == "u8" or (token == "u16" and inst.op.startswith("v_cvt_pk_f32_")):
                columns.append([int(x) for x in self.raw(op, "u32" if op.sel else token, 0)])
            else:
                columns.append(self.source(op, token, half))
            position += 1
        return columns

    def _mix(self, inst: Instruction, op: Operand, position: int) -> list[int]:
        if not inst.mod("op_sel_hi") >> position & 1:
            return self.source(op, "f32")
        halves = self.source(op, "f16", inst.mod("op_sel") >> position & 1)
        return [F32.convert(x, BY_NAME["f16"]) if not BY_NAME["f16"].is_nan(x) else F32.nan for x in halves]

    def _two(self, inst: Instruction, op: Operand, elem: str, position: int) -> list[Any]:
        """Both halves of a source: VOP3P picks each by op_sel and op_sel_hi, other formats take low and high."""
        packed = inst.format == "VOP3P"
        columns = []
        for part in (0, 1):
            which = (inst.mod("op_sel_hi" if part else "op_sel") >> position & 1) if packed else part
            column = self.source(op, elem, which)
            if packed and is_float(elem) and inst.mod("neg_hi" if part else "neg_lo") >> position & 1:
                column = [BY_NAME[elem].neg(x) for x in column]
            columns.append(column)
        return [list(pair) for pair in zip(*columns, strict=True)]

    def _store(self, inst: Instruction, model: Model, results: list[Any]) -> None:
        dests = iter(inst.dst)
        for k, token in enumerate(model.outs):
            column = [r[k] if len(model.outs) > 1 and r is not None else r for r in results]
            op = next(dests)
            if token == "mask":
                bits = [bool(x) for x in column]
                self.write_mask(op, bits)
                if inst.op.startswith("v_cmpx"):
                    self.write_mask(Operand("exec", Kind.EXEC, EXEC, self.lanes // 32), bits)
            elif token[0].isdigit():
                elem = token[1:]
                both = [0 if x is None else x[0] | x[1] << 16 for x in column]
                self.write_vector(inst, op, "u32", both)
                self.kinds[self.register(op)] = (elem, 0)
            elif "x" in token:
                elem, _, count = token.partition("x")
                for j in range(int(count)):
                    part = Operand(op.role, op.kind, op.index + j)
                    words = [0 if x is None else x[j] for x in column]
                    if is_float(elem):
                        words = [self.finish(inst, BY_NAME[elem], x) for x in words]
                    self.write_vector(inst, part, elem, words)
            else:
                done = [0 if x is None else x for x in column]
                if is_float(token):
                    done = [self._choice(inst, op, BY_NAME[token], lane, x) for lane, x in enumerate(done)]
                self.write_vector(inst, op, token, done)

    def _choice(self, inst: Instruction, op: Operand, f: Format, lane: int, value: int | OneOf) -> int:
        """The finished result; where several are right the others are kept for the comparison."""
        if not isinstance(value, OneOf):
            return self.finish(inst, f, value)
        finished = [self.finish(inst, f, v) for v in value]
        r = self.register(op)
        old = int(self.word(r)[lane])
        self.others[r, lane] = [v if f.bits == 64 else self._merged(inst, op, f.name, v, old) for v in finished[1:]]
        return finished[0]

    def _packed(self, inst: Instruction, model: Model) -> None:
        elem = model.outs[0]
        wide = width_of(elem) == 32
        halves: list[list[int]] = []
        for part in (0, 1):
            columns: list[list[int]] = []
            sources = iter(inst.src)
            position = 0
            for token in model.ins:
                if token.startswith("dst:"):
                    columns.append(self.source(inst.dst[0], token[4:], part))
                    continue
                op = next(sources)
                if inst.format == "VOP3P":
                    which = inst.mod("op_sel_hi" if part else "op_sel") >> position & 1
                    negated = bool(inst.mod("neg_hi" if part else "neg_lo") >> position & 1)
                else:
                    which, negated = part, False
                if wide and op.kind in (Kind.VGPR, Kind.SGPR) and op.dwords == 2:
                    raw = [int(x) for x in self.dwords(op, which)]
                else:
                    raw = [int(x) for x in self.raw(op, token, which)]
                if is_float(token):
                    raw = [self.modified(BY_NAME[token], x, False, negated) for x in raw]
                columns.append([to_value(token, x) for x in raw])
                position += 1
            out = []
            for lane in range(self.lanes):
                value = model.function(self._context(inst, lane), *(c[lane] for c in columns))
                if is_float(elem):
                    value = self.finish(inst, BY_NAME[elem], value)
                out.append(value & ((1 << width_of(elem)) - 1))
            halves.append(out)
        op = inst.dst[0]
        if wide:
            for j in (0, 1):
                self.write_vector(inst, Operand(op.role, op.kind, op.index + j), elem, halves[j])
        else:
            self.write_vector(inst, op, "u32", [a | b << 16 for a, b in zip(*halves, strict=True)])
            self.kinds[self.register(op)] = (elem, 0)


def shifted(op: Operand, by: int) -> Operand:
    """A vector register further on; other operands as they are."""
    return replace(op, index=op.index + by) if op.kind is Kind.VGPR else op


def _frozen(value: Any) -> Any:
    """A list as something that can be a key."""
    return tuple(value) if isinstance(value, list) else value


def special(names: str) -> Callable[[Callable[[Machine, Instruction], None]], Callable[[Machine, Instruction], None]]:
    """Register ``f(machine, instruction)`` for operations with rules of their own."""

    def add(function: Callable[[Machine, Instruction], None]) -> Callable[[Machine, Instruction], None]:
        for name in names.split():
            SPECIAL[name] = function
        return function

    return add
