"""The wave as semantics see it: operands in, results out, under EXEC and with every modifier applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from softrock.core.errors import UnsupportedError
from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.isa.targets import Target
from softrock.lift import dpp, forms
from softrock.lift.ir import Builder, Val, elem_of
from softrock.lift.notes import noted
from softrock.lift.regs import M0, Registers
from softrock.lift.wave import OFFSET

_PRESERVES_HIGH_ON_GFX9 = frozenset(
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
        "v_mad_mixlo_f16",
    ]
)
"""gfx9's 16-bit operations clear the destination's high half, except those that came with gfx9 (LLVM AMDGPU backend
notes)."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The part of the MODE register that the translator honours statically (kernel descriptor, ISA guide MODE)."""

    flush_f32: bool = False
    flush_f16_f64: bool = False
    ieee: bool = True
    dx10_clamp: bool = True


class Wave:
    """State of the translation of one wave's program at one instruction.

    Attributes:
        b: the IR builder. W: lanes of a wave. target: the GPU. mode: floating-point mode.
        full: every lane is known to be on here, so results need no mask.
        compact: masked code is kept small at the cost of calls (large functions).
        uses_scratch: the kernel has private memory. native_gather: the host gathers and masks in hardware.
        layout: how work-items lie in a wave (:func:`softrock.lift.entry.layout_of`).
        rows, row: workgroups of a column that one of the launch stands for, and which of them this is.
        most_threads: work-items that a workgroup may have. id_count: work-item ids that the kernel asks for.
        streams: addresses of stores that may go around the host's caches (:mod:`softrock.lift.streams`).
        ahead: addresses of loads that ask for what later workgroups load (:mod:`softrock.lift.ahead`).
        keep: VGPRs whose inactive lanes must survive a write here (liveness); others may be clobbered.
    """

    def __init__(self, b: Builder, regs: Registers, target: Target, mode: Mode, kernel: str) -> None:
        self.b = b
        self.regs = regs
        self.W = regs.lanes
        self.target = target
        self.mode = mode
        self.kernel = kernel
        self.full = True
        self.ahead: frozenset[int] = frozenset()
        self.keep: int = -1
        self.inst: Instruction | None = None
        self._mask: Val | None = None
        self._dpp_write: Val | None = None
        self.clamp_handled = False
        self._restricted: Val | None = None
        self.arrays: dict[str, int] = {}
        self.uses_scratch = True
        self.native_gather = True
        self.compact = False
        self.vgprs = 256
        self.layout = "any"
        self.across = True
        self.copies = 0
        self.most_threads = 1024
        self.streams: frozenset[int] = frozenset()
        self.id_count = 3
        self.rows = 1
        self.row = b.const("u32", 0)
        self.gpr_index = 0
        self.atomics: set[int] = set()
        """Addresses of the atomics translated so far."""
        self.matrix_arrays: object = None
        """What matrix instructions keep in the arrays of this block (:mod:`softrock.lift.semantics.matrix_dense`)."""
        self.sequences: dict[int, tuple[Any, Val]] = {}
        """What recognised sequences of this block gave, by the id of a note, which is kept alive here."""

    def array(self, name: str, size: int) -> str:
        """Pointer to a stack array of at least `size` bytes, one for each name in the function."""
        self.arrays[name] = max(size, self.arrays.get(name, 0))
        return f"%{name}"

    # -- basics ----------------------------------------------------------------------------------------------

    def unsupported(self, inst: Instruction, why: str = "") -> UnsupportedError:
        """The error for an instruction that cannot be translated; the caller raises it."""
        reason = f" ({why})" if why else ""
        return UnsupportedError(
            f"kernel {self.kernel}: instruction {inst.mnemonic}{reason} at 0x{inst.address:x} "
            f"is not supported on {self.target.name} yet",
            hint="compile for another --gpu target, or report the instruction",
        )

    def const(self, elem: str, value: int | float) -> Val:
        """A lane-vector constant."""
        return self.b.const(elem, value, self.W)

    def scalar(self, elem: str, value: int | float) -> Val:
        """A scalar constant."""
        return self.b.const(elem, value)

    def iota(self, elem: str = "u32", step: int = 1) -> Val:
        """Lane numbers times `step`."""
        return self.b.iota(self.W, elem, step)

    def exec_bits(self) -> Val:
        """EXEC as a scalar, one bit a lane."""
        if self._restricted is not None:
            return self._restricted.pack()
        return self.b.const(f"u{self.W}", -1) if self.full else self.regs.exec()

    def exec_mask(self) -> Val:
        """EXEC as a u1 vector."""
        if self.full:
            return self.const("u1", 1)
        if self._mask is None:
            self._mask = self.regs.exec().unpack()
        return self._mask

    @property
    def is_restricted(self) -> bool:
        """Whether accesses act in fewer lanes than EXEC has: what they leave out must read 0."""
        return self._restricted is not None

    def inner(self) -> Wave:
        """A wave for a function of its own in the same module: no registers, EXEC by `restricted`."""
        b = Builder(self.b.declares)
        out = Wave(b, Registers(b, self.W), self.target, self.mode, self.kernel)
        out.native_gather, out.uses_scratch, out.full = self.native_gather, self.uses_scratch, True
        return out

    @contextmanager
    def restricted(self, lanes: Val) -> Iterator[None]:
        """Memory accesses emitted inside act only in those active lanes that are in `lanes` (u1)."""
        before = self.full, self._mask, self._restricted
        active = lanes if self.full else lanes & self.exec_mask()
        self.full, self._mask, self._restricted = False, active, active
        try:
            yield
        finally:
            self.full, self._mask, self._restricted = before

    def cached(self) -> tuple[Any, ...]:
        """What is known of registers and EXEC at this place, to be restored where control flow splits and joins."""
        return self._mask, self.regs.cached()

    def restore(self, known: tuple[Any, ...]) -> None:
        """Go back to what was known at an earlier, dominating place (nothing was written since)."""
        self._mask = known[0]
        self.regs.restore(known[1])

    def field(self, name: str, elem: str) -> Val:
        """A field of the wave structure, as a scalar."""
        pointer = f"%f{self.b.counter}.{name}"
        self.b.line(f"{pointer} = getelementptr i8, ptr %wave, i64 {OFFSET[name]}")
        kind, bits = elem_of(elem)
        from softrock.lift.ir import Ty

        return self.b.op(Ty(kind, bits, 0), f"load i{bits}, ptr {pointer}, align {bits // 8}, !invariant.load !0")

    def start(self, inst: Instruction, across: bool = True) -> None:
        """Begin an instruction; `across`: it looks at other lanes than its own, or at inactive ones."""
        self.inst = inst
        self.across = across
        self._dpp_write = None
        self.clamp_handled = False

    def new_block(self) -> None:
        """Begin a basic block: what was read in another is gone."""
        self.regs.forget()
        self._mask = None
        self.sequences.clear()

    @property
    def clamp(self) -> bool:
        """Whether the instruction asks for clamping; an integer operation that reads this must saturate."""
        self.clamp_handled = True
        return bool(self.inst is not None and self.inst.mod("clamp"))

    # -- scalar operands -------------------------------------------------------------------------------------

    def read_scalar(self, op: Operand, elem: str) -> Val:
        """A scalar operand as `elem`. 64-bit types read register pairs; 16-bit types the low half (or the half
        named)."""
        kind, bits = elem_of(elem)
        if op.kind in (Kind.INT, Kind.LITERAL, Kind.FLOAT):
            return self._constant(op, kind, bits, elem)
        if bits == 64:
            return self._scalar_pair(op).bits_as(elem)
        word = self._scalar_word(op)
        if bits == 32:
            out = word.bits_as(elem)
        else:
            if op.half:
                word = word >> 16
            out = word.to(f"u{bits}").bits_as(elem)
        return out

    def _constant(self, op: Operand, kind: str, bits: int, elem: str) -> Val:
        if op.kind is Kind.FLOAT:
            if kind in "fb":
                return self.b.const(elem, op.number)
            # An inline float in an integer operation stands for the bits of the float of that width.
            return (
                self.b.const("bf16" if kind == "b" else f"f{max(bits, 16)}", op.number)
                .bits_as(f"u{max(bits, 16)}")
                .to(elem)
            )
        value = op.value
        if op.kind is Kind.LITERAL:
            if bits == 64 and kind in "fb" and value < 1 << 32:
                value <<= 32  # a 32-bit literal is the high half of a double
            elif bits == 64 and kind == "i" and value < 1 << 32:
                value = value - (1 << 32) if value >> 31 else value
        if kind in "fb":
            return self.b.const(f"u{bits}", value).bits_as(elem) if value else self.b.const(elem, 0.0)
        return self.b.const(elem, value)

    def _scalar_word(self, op: Operand) -> Val:
        if op.kind is Kind.SGPR:
            return self.regs.scalar.read(op.index)
        if op.kind is Kind.M0:
            return self.regs.scalar.read(M0)
        if op.kind is Kind.NULL:
            return self.b.const("u32", 0)
        if op.kind is Kind.EXEC:
            bits = self.exec_bits()
            if op.index == 127:
                return (bits >> 32).to("u32") if self.W == 64 else self.b.const("u32", 0)
            return bits.to("u32")
        if op.kind is Kind.SPECIAL:
            return self._special(op).to("u32")
        if op.kind is Kind.VGPR:
            # A VGPR where a scalar is wanted: the first active lane (v_readfirstlane's rule).
            return self.first_lane(self.regs.vector.read(op.index))
        raise AssertionError(f"scalar operand {op}")

    def _scalar_pair(self, op: Operand) -> Val:
        if op.kind is Kind.SGPR:
            pc = self._pc_pair(op.index)
            return pc if pc is not None else self.regs.scalar.read_pair(op.index)
        if op.kind is Kind.EXEC:
            return self.exec_bits().to("u64")
        if op.kind is Kind.NULL:
            return self.b.const("u64", 0)
        if op.kind is Kind.SPECIAL:
            return self._special(op).to("u64")
        raise AssertionError(f"64-bit scalar operand {op}")

    def _pc_pair(self, index: int) -> Val | None:
        """Both halves are known to hold an address inside the code object: compute it in one piece."""
        words = self.regs.scalar.words
        low, high = words.get(index), words.get(index + 1)
        if low is None or high is None or low.note is None or high.note is None:
            return None
        if low.note[0] != "pclo" or high.note[0] != "pchi":
            return None
        offset: int = low.note[1]
        value = self.field("code_base", "u64") + offset
        value.note = ("pc", offset)
        return value

    def _special(self, op: Operand) -> Val:
        name = op.name
        if name == "scc":
            return self.regs.scc().to("u32")
        if name == "execz":
            return self.exec_bits().eq(0).to("u32")
        if name == "vccz":
            return self.read_mask_bits(Operand("src", Kind.SGPR, 106, self.W // 32)).eq(0).to("u32")
        if name in ("src_shared_base", "src_private_base"):
            base = self.field("lds" if "shared" in name else "private_base", "u64")
            # As a 32-bit operand the register yields the high half (ISA guide, SRC_SHARED_BASE).
            return base if op.dwords == 2 else base >> 32
        if name in ("src_shared_limit", "src_private_limit"):
            return self.b.const("u32", 0xFFFFFFFF)
        if self.inst is None:
            raise AssertionError(name)
        raise self.unsupported(self.inst, f"operand {name}")

    def write_scalar(self, op: Operand, value: Val) -> None:
        """Write a 32- or 64-bit scalar destination (a u1 becomes 0 or 1)."""
        if value.bits < 32:
            value = value.bits_as(f"u{value.bits}").to("u32")
        if op.kind is Kind.EXEC:
            self._write_exec_half(op, value)
        elif op.kind is Kind.M0:
            self.regs.scalar.write(M0, value)
        elif op.kind is Kind.SGPR:
            if value.bits == 64:
                self.regs.scalar.write_pair(op.index, value)
            else:
                self.regs.scalar.write(op.index, value)
        elif op.kind is not Kind.NULL:
            raise AssertionError(f"scalar destination {op}")

    def _write_exec_half(self, op: Operand, value: Val) -> None:
        if op.index == 126 and (value.bits == self.W or self.W == 32):
            self.set_exec(value.to(f"u{self.W}"))
        elif self.W == 64:
            old, wide = self.exec_bits(), value.bits_as("u32").to("u64")
            if op.index == 127:
                self.set_exec((old & 0xFFFFFFFF) | (wide << 32))
            else:
                self.set_exec((old & (0xFFFFFFFF << 32)) | wide)

    def set_exec(self, bits: Val) -> None:
        """Write EXEC (a scalar of W bits)."""
        self.regs.set_exec(bits)
        self._mask = None

    # -- lane masks ------------------------------------------------------------------------------------------

    def read_mask_bits(self, op: Operand) -> Val:
        """A lane-mask operand as a scalar of W bits."""
        if self.W == 64:
            return self.read_scalar(op, "u64") if op.kind is not Kind.SPECIAL else self._special(op).to("u64")
        return self.read_scalar(op, "u32")

    def read_mask(self, op: Operand) -> Val:
        """A lane-mask operand as a u1 vector."""
        return self.read_mask_bits(op).unpack()

    def write_mask(self, op: Operand, mask: Val) -> None:
        """Write a u1 vector as a lane mask; inactive lanes give 0 (compares, carries)."""
        if self._dpp_write is not None:
            mask = mask & self._dpp_write
        bits = mask.splat(self.W).pack()
        if not self.full:
            bits = forms.and_later(bits, self.regs.exec())
        if mask.note is not None:
            bits = bits.copy()
            bits.note = mask.note
        self.write_scalar(op, bits)

    # -- vector operands -------------------------------------------------------------------------------------

    def bank_index(self, op: Operand) -> int:
        """Number of a VGPR or AGPR in the vector bank."""
        return op.index + (256 if op.kind is Kind.AGPR else 0)

    def vector(self, r: int) -> Val:
        """Vector register `r` (bank number) as the instruction may look at it: merged with inactive lanes only where
        it sees these."""
        return self.regs.vector.read(r) if self.across else self.regs.vector.lane_wise(r)

    def vector_pair(self, r: int) -> Val:
        """Vector registers `r` and `r + 1` likewise."""
        return self.regs.vector.read_pair(r) if self.across else self.regs.vector.lane_wise_pair(r)

    def read_word(self, op: Operand, k: int = 0) -> Val:
        """Dword `k` of a vector operand as u32 lanes, without modifiers; scalars and constants are broadcast."""
        if op.kind in (Kind.VGPR, Kind.AGPR):
            return self.vector(self.bank_index(op) + k)
        if op.kind is Kind.SGPR:
            return self.regs.scalar.read(op.index + k).splat(self.W)
        if op.kind in (Kind.INT, Kind.FLOAT, Kind.LITERAL):
            return self._constant(op, "u", 32, "u32").splat(self.W)
        return self._scalar_word(op).splat(self.W)

    def read_words(self, op: Operand, count: int | None = None) -> list[Val]:
        """All dwords of a vector operand."""
        return [self.read_word(op, k) for k in range(op.dwords if count is None else count)]

    def read(self, op: Operand, elem: str, half: int | None = None) -> Val:
        """A source operand as lanes of `elem`, with DPP, SDWA, op_sel, abs, neg and denormal flushing applied.

        Args:
            half: 1 to take the high half for a 16-bit type (op_sel); the operand's own `half` wins.
        """
        kind, bits = elem_of(elem)
        value = self._read_plain(op, elem, kind, bits, half)
        if kind in "fb":
            if op.abs:
                value = noted(value.fabs(), "abs", value)
            if op.neg:
                value = noted(-value, "neg", value)
            value = self.flush(value)
        return value

    def _read_plain(self, op: Operand, elem: str, kind: str, bits: int, half: int | None) -> Val:
        if op.kind in (Kind.VGPR, Kind.AGPR):
            r = self.bank_index(op)
            if bits == 64:
                wide = self.vector_pair(r)
                if op.role == "src0" and self._has_dpp():
                    low, high = (self._apply_dpp(forms.word(wide, k)) for k in (forms.LOW, forms.HIGH))
                    wide = forms.combine(low, high)
                return wide.bits_as(elem)
            word = self.vector(r)
            if op.role == "src0" and self._has_dpp():
                word = self._apply_dpp(word)
            if op.sel and op.sel != "DWORD":
                return self._select_part(word, op, kind, bits).bits_as(elem)
            if bits == 32:
                return word.bits_as(elem)
            which = op.half if op.half is not None else (half or 0)
            if which:
                word = word >> 16
            return word.to(f"u{bits}").bits_as(elem)
        if op.kind in (Kind.INT, Kind.FLOAT, Kind.LITERAL):
            if half and bits == 16:
                # The constant fills 32 bits: a literal or sign-extended integer has a high half, a float's is zero.
                top = 0 if op.kind is Kind.FLOAT else op.value >> 16 & 0xFFFF
                return self.b.const("u16", top).bits_as(elem).splat(self.W)
            return self._constant(op, kind, bits, elem).splat(self.W)
        if bits == 64:
            return self._scalar_pair(op).bits_as(elem).splat(self.W)
        word = self._scalar_word(op)
        if bits == 32:
            return word.bits_as(elem).splat(self.W)
        which = op.half if op.half is not None else (half or 0)
        if op.sel and op.sel != "DWORD":
            return self._select_part(word, op, kind, bits).bits_as(elem).splat(self.W)
        return (word >> 16 if which else word).to(f"u{bits}").bits_as(elem).splat(self.W)

    def _select_part(self, word: Val, op: Operand, kind: str, bits: int) -> Val:
        part = 8 if op.sel.startswith("BYTE") else 16
        shifted = word >> int(op.sel[-1]) * part
        narrow = shifted.to(f"u{part}")
        if part == bits:
            return narrow
        return narrow.bits_as(f"{'i' if op.sext else 'u'}{part}").to(f"{'i' if op.sext else 'u'}{bits}")

    def flushes(self, value: Val) -> bool:
        """Whether MODE asks for denormals of this type to be flushed."""
        asked = self.mode.flush_f32 if value.bits == 32 else self.mode.flush_f16_f64
        return asked and value.is_float and value.kind != "b"

    def flush(self, value: Val) -> Val:
        """Flush denormals to signed zero where MODE asks for it."""
        if not self.flushes(value):
            return value
        name = f"u{value.bits}"
        raw = value.bits_as(name)
        exponent = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}[value.bits]
        sign = 1 << (value.bits - 1)
        return (raw & exponent).eq(0).select(raw & sign, raw).bits_as(f"f{value.bits}")

    def _has_dpp(self) -> bool:
        return self.inst is not None and ("dpp_ctrl" in self.inst.mods or "dpp8" in self.inst.mods)

    def _apply_dpp(self, word: Val) -> Val:
        if self.inst is None:
            raise AssertionError("DPP outside an instruction")
        moved, write = dpp.apply(self, self.inst, word)
        self._dpp_write = write
        return moved

    def write(self, op: Operand, value: Val, half: int | None = None) -> None:
        """Write a per-lane result under EXEC, DPP's row masks and SDWA's selection; 16-bit types write half a register.

        Args:
            half: 1 writes the high half (op_sel's destination bit); the operand's own `half` wins.
        """
        if op.kind is Kind.NULL:
            return
        if op.kind not in (Kind.VGPR, Kind.AGPR):
            raise AssertionError(f"vector destination {op}")
        value = value.splat(self.W)
        r = self.bank_index(op)
        if value.bits == 64:
            self._write_pair(r, value.bits_as("u64"))
            return
        if self.inst is not None and "dst_sel" in self.inst.mods and self.inst.mod("dst_sel") != 6:
            value = self._merge_sdwa(r, value)
        elif value.bits < 32:
            value = self._merge_half(op, r, value, half)
        self.write_word(r, value.bits_as("u32"))

    def _merge_half(self, op: Operand, r: int, value: Val, half: int | None) -> Val:
        which = op.half if op.half is not None else (half or 0)
        raw = value.bits_as(f"u{value.bits}").to("u32")
        if value.bits != 16:
            return raw
        if which:
            return (self.regs.vector.read(r) & 0xFFFF) | (raw << 16)
        name = self.inst.op if self.inst is not None else ""
        if self.target.major <= 9 and name not in _PRESERVES_HIGH_ON_GFX9:
            return raw
        return (self.regs.vector.read(r) & 0xFFFF0000) | raw

    def _merge_sdwa(self, r: int, value: Val) -> Val:
        # dst_sel: 0-3 BYTE_n, 4-5 WORD_n, 6 DWORD; dst_unused: 0 pad with zero, 1 sign-extend, 2 preserve.
        if self.inst is None:
            raise AssertionError("SDWA outside an instruction")
        sel, unused = self.inst.mod("dst_sel"), self.inst.mod("dst_unused")
        part = 8 if sel < 4 else 16
        shift = sel * 8 if sel < 4 else (sel - 4) * 16
        narrow = value.bits_as(f"u{value.bits}").to(f"u{part}")
        if unused == 1:
            return narrow.bits_as(f"i{part}").to("i32").bits_as("u32") << shift
        placed = narrow.to("u32") << shift
        if unused == 2:
            hole = ~(((1 << part) - 1) << shift) & 0xFFFFFFFF
            return placed | (self.regs.vector.read(r) & hole)
        return placed

    def needs_old(self, r: int) -> bool:
        """Whether a write of vector register `r` must keep its inactive lanes."""
        return not self.full and bool(self.keep >> r & 1)

    def write_word(self, r: int, value: Val) -> None:
        """Write vector register `r` (bank number) under EXEC and DPP's write mask."""
        if self._dpp_write is not None:
            value = self._dpp_write.select(value, self.regs.vector.read(r))
        bank = self.regs.vector
        if not self.needs_old(r):
            bank.write(r, value)
            return
        bank.write(r, self.exec_mask().select(value, bank.read(r)))
        bank.active[r] = value.bits_as("u32")

    def _write_pair(self, r: int, value: Val) -> None:
        if self._dpp_write is not None:
            value = self._dpp_write.select(value, self.regs.vector.read_pair(r))
        bank = self.regs.vector
        if not self.needs_old(r) and not self.needs_old(r + 1):
            bank.write_pair(r, value)
            return
        bank.write_pair(r, self.exec_mask().select(value, bank.read_pair(r)))
        bank.active_pairs[r] = value

    def write_words(self, op: Operand, values: Sequence[Val], start: int = 0) -> None:
        """Write consecutive dwords of a vector destination under EXEC."""
        r = self.bank_index(op) + start
        for k, value in enumerate(values):
            self.write_word(r + k, value.splat(self.W).bits_as("u32"))

    def write_words_unmasked(self, op: Operand, values: Sequence[Val]) -> None:
        """Write consecutive dwords in every lane, EXEC or not (matrix instructions, v_writelane)."""
        r = self.bank_index(op)
        for k, value in enumerate(values):
            self.regs.vector.write(r + k, value.splat(self.W))

    # -- lanes -----------------------------------------------------------------------------------------------

    def first_lane_index(self) -> Val:
        """u32 scalar: the first active lane, 0 where none is (v_readfirstlane's rule)."""
        if self.full:
            return self.b.const("u32", 0)
        bits = self.regs.exec()
        return (bits.ctz() & (self.W - 1)).to("u32")

    def first_lane(self, value: Val) -> Val:
        """`value` in the first active lane, as a scalar."""
        if self.full:
            return value.lane(0)
        return value.lane(self.first_lane_index())
