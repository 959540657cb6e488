"""The register file of one function under translation.

Inside a basic block registers are SSA values kept here; at its end what changed is stored to stack slots, which LLVM
promotes to SSA form across blocks. 64-bit values are kept whole beside their halves, so that addresses and doubles
are not taken apart and put together again; registers that a function uses mostly as pairs get one 64-bit slot
(`paired`).

Numbers: VGPRs 0-255, AGPRs 256-511; SGPRs by hardware number (VCC 106, TTMP 108-123), M0 124, EXEC apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softrock.lift import forms
from softrock.lift.ir import Builder, Ty, Val
from softrock.lift.shapes import Shape, Slots, shape_of

M0 = 124
VCC = 106


def _no_ids() -> Val:
    raise AssertionError("no work-item ids")


class Bank:
    """One bank of 32-bit registers of a given shape with a cache of their values in the current block."""

    def __init__(self, b: Builder, prefix: str, lanes: int) -> None:
        self.b = b
        self.prefix = prefix
        self.lanes = lanes
        self.word = Ty("u", 32, lanes)
        self.pair = Ty("u", 64, lanes)
        self.used: set[int] = set()
        self.paired: dict[int, int] = {}
        self.words: dict[int, Val] = {}
        self.pairs: dict[int, Val] = {}
        self.dirty: set[int] = set()
        self.scalars = Slots(b, prefix, lanes)
        self.shaped = bool(lanes)
        """Whether registers cross blocks as forms."""
        self.entry: dict[int, Shape] = {}
        self.exits: dict[int, tuple[Shape, Val | None]] = {}
        self.gone: set[int] = set()
        """Registers whose form at the block's entry no longer holds."""
        self.active: dict[int, Val] = {}
        self.active_pairs: dict[int, Val] = {}
        """What a register holds in the active lanes where a masked write has merged it with old lanes; until EXEC
        changes, which ends a block."""
        self.special: Callable[[], Val] = _no_ids

    def _align(self) -> int:
        return 64 if self.lanes else 8

    def slots(self) -> list[str]:
        """The alloca lines for every register touched."""
        out = []
        for r in sorted(self.used):
            base = self.paired.get(r)
            if base is None:
                out.append(f"  %{self.prefix}{r} = alloca {self.word.llvm}, align {self._align()}")
            elif base == r:
                out.append(f"  %{self.prefix}p{r} = alloca {self.pair.llvm}, align {self._align()}")
        return out

    def scalar_slots(self) -> list[str]:
        """The alloca lines of the forms."""
        return self.scalars.lines()

    def zeroes(self) -> list[str]:
        """Stores of zero to every slot."""
        out = []
        for slot in self.slots():
            name, kind = slot.split(" = alloca ")
            out.append(
                f"  store {kind.rsplit(', align', 1)[0]} zeroinitializer, ptr {name.strip()}, align {self._align()}"
            )
        return out

    def touch(self, r: int) -> None:
        self.used.add(r)
        base = self.paired.get(r)
        if base is not None:
            self.used.add(base)
            self.used.add(base + 1)

    def read(self, r: int) -> Val:
        """Register `r` as u32."""
        found = self.words.get(r)
        if found is not None:
            return found
        self._enter(r)
        found = self.words.get(r)
        if found is not None:
            return found
        whole = self.pairs.get(r)
        if whole is not None:
            value = forms.word(whole, forms.LOW)
        elif (whole := self.pairs.get(r - 1)) is not None:
            value = forms.word(whole, forms.HIGH)
        else:
            self.touch(r)
            base = self.paired.get(r)
            if base is not None:
                whole = self.b.op(
                    self.pair, f"load {self.pair.llvm}, ptr %{self.prefix}p{base}, align {self._align()}"
                )
                if base not in self.words and base + 1 not in self.words and self._entry_of(2 * base + 1 - r) is None:
                    self.pairs[base] = whole
                value = forms.word(whole, forms.LOW if r == base else forms.HIGH)
                self.words[r] = value
                return value
            value = self.b.op(
                self.word, f"load {self.word.llvm}, ptr %{self.prefix}{r}, align {self._align()}"
            )
        self.words[r] = value
        return value

    def _entry_of(self, r: int) -> int | None:
        """The register under which the block was entered with a form of `r` that still holds."""
        if r in self.gone:
            return None
        if r in self.entry:
            return r
        return r - 1 if r - 1 in self.entry and self.entry[r - 1].kind != "word" else None

    def _enter(self, r: int) -> None:
        base = self._entry_of(r)
        if base is None:
            return
        self.touch(base)
        shape = self.entry[base]
        if shape.ids:
            self.words[base] = self.special()
        elif shape.kind == "word":
            self.words[base] = self.scalars.load(base, shape)
        elif base not in self.pairs:
            self.touch(base + 1)
            self.pairs[base] = self.scalars.load(base, shape)

    def read_pair(self, r: int) -> Val:
        """Registers `r` (low) and `r + 1` (high) as u64."""
        found = self.pairs.get(r)
        if found is not None:
            return found
        if r not in self.words and r + 1 not in self.words and r - 1 not in self.pairs:
            self._enter(r)
            if r in self.pairs:
                return self.pairs[r]
            if self.paired.get(r) == r and r not in self.words and self._entry_of(r + 1) is None:
                self.read(r)
                if r in self.pairs:
                    return self.pairs[r]
        value = forms.combine(self.read(r), self.read(r + 1))
        self.pairs[r] = value
        return value

    def lane_wise(self, r: int) -> Val:
        """Register `r` for an operation that looks at active lanes only, each at its own."""
        found = self.active.get(r)
        if found is not None:
            return found
        if r in self.active_pairs:
            return forms.word(self.active_pairs[r], forms.LOW)
        if r - 1 in self.active_pairs:
            return forms.word(self.active_pairs[r - 1], forms.HIGH)
        return self.read(r)

    def lane_wise_pair(self, r: int) -> Val:
        """Registers `r` and `r + 1` likewise."""
        found = self.active_pairs.get(r)
        if found is not None:
            return found
        if any(k in self.active or k in self.active_pairs for k in (r - 1, r, r + 1)):
            return forms.combine(self.lane_wise(r), self.lane_wise(r + 1))
        return self.read_pair(r)

    def _outdate(self, r: int) -> None:
        self.active.pop(r, None)
        for base in (r - 1, r):
            whole = self.active_pairs.pop(base, None)
            if whole is not None:
                other = base if base != r else r + 1
                self.active[other] = forms.word(whole, other - base)

    def _detach(self, r: int) -> None:
        self._outdate(r)
        # A pair overlapping r is about to go stale: keep its other half.
        base = self._entry_of(r)
        if base is not None and self.entry[base].kind != "word":
            for half in (base, base + 1):
                self.read(half)
                self.dirty.add(half)
                self.gone.add(half)
        self.gone.add(r)
        for base in (r - 1, r):
            if base in self.pairs:
                other = base if base == r - 1 else base + 1
                if other not in self.words:
                    self.read(other)
                del self.pairs[base]

    def write(self, r: int, value: Val) -> None:
        """Set register `r` from a 32-bit value."""
        self._detach(r)
        self.touch(r)
        self.words[r] = value.bits_as("u32")
        self.dirty.add(r)

    def write_pair(self, r: int, value: Val) -> None:
        """Set registers `r` and `r + 1` from a 64-bit value."""
        self._detach(r)
        self._detach(r + 1)
        self.touch(r)
        self.touch(r + 1)
        self.words.pop(r, None)
        self.words.pop(r + 1, None)
        self.pairs[r] = value.bits_as("u64")
        self.dirty.update((r, r + 1))

    def _pair_form(self, r: int) -> Val | None:
        """Registers `r` and `r + 1` as one value that has a shape."""
        whole = self.pairs.get(r)
        if whole is None and r in self.words and r + 1 in self.words and self.words[r + 1].part is not None:
            whole = forms.combine(self.words[r], self.words[r + 1])
        return whole if whole is not None and shape_of(whole) is not None else None

    def _sign_added(self, r: int) -> Val | None:
        """Register `r`, entered with as a form, and its sign in `r + 1`, as the 64-bit value that they now are."""
        high = self.words.get(r + 1)
        if high is None or r + 1 not in self.dirty or high.part is None or high.part[1] != forms.SIGN:
            return None
        if self.entry[r].kind != "word" or self.paired.get(r, r) != r or self.paired.get(r + 1, r) != r:
            return None
        self.read(r)
        return self._pair_form(r)

    def flush(self, solid: bool = False) -> None:
        """Store what changed to the slots; the cache stays valid.

        Args:
            solid: everything as vectors, also what came as a form (a call follows, which looks at the vectors).
        """
        self.exits = {}
        done: set[int] = set()
        kept = {r for r in self.entry if r not in self.gone}
        for r in sorted(self.dirty | kept):
            if r in done:
                continue
            if r in kept and r not in self.dirty:
                if not solid and (extended := self._sign_added(r)) is not None:
                    done |= {r, r + 1}
                    self._leave(r, extended)
                elif not solid:
                    self.exits[r] = (self.entry[r], None)
                elif self.entry[r].kind != "word":
                    self.store_vector(r, self.read_pair(r))
                elif (slot := self.paired.get(r)) is None:
                    self.store_vector(r, self.read(r))
                else:
                    done |= {slot, slot + 1}
                    self.store_vector(slot, self.read_pair(slot))
                continue
            whole = self._pair_form(r) if self.shaped and not solid and r + 1 in self.dirty else None
            base = self.paired.get(r)
            if whole is not None and base in (None, r) and self.paired.get(r + 1) in (None, r):
                done |= {r, r + 1}
                self._leave(r, whole)
            elif base is None:
                value = self.read(r)
                if self.shaped and not solid and shape_of(value) is not None:
                    self._leave(r, value)
                else:
                    self.store_vector(r, value)
            else:
                done |= {base, base + 1}
                if not self.shaped or solid or not self._leave_halves(base, kept):
                    self.store_vector(base, self.read_pair(base))
        self.dirty.clear()

    def _leave_halves(self, base: int, kept: set[int]) -> bool:
        """Leave the registers of a paired slot that have forms of their own as such; False where one of the two has
        none, so that the slot must be stored as well."""
        both = True
        for r in (base, base + 1):
            if r in self.dirty:
                value = self.read(r)
                if shape_of(value) is not None:
                    self._leave(r, value)
                else:
                    both = False
            elif r in kept:
                self.exits[r] = (self.entry[r], None)
            else:
                both = False
        return both

    def _leave(self, r: int, value: Val) -> None:
        shape = shape_of(value)
        assert shape is not None
        # Work-item ids too: where they meet other rows, these are what the successor loads.
        self.scalars.store(r, value)
        self.exits[r] = (shape, value)

    def store_vector(self, r: int, value: Val) -> None:
        """Store a register or a pair to its vector slots."""
        if value.bits == 32 and self.paired.get(r) is None:
            self.b.line(f"store {value.typed}, ptr %{self.prefix}{r}, align {self._align()}")
        elif value.bits == 32:
            raise AssertionError("half of a paired slot")
        elif self.paired.get(r) == r:
            self.b.line(f"store {value.typed}, ptr %{self.prefix}p{r}, align {self._align()}")
        else:
            for k in (0, 1):
                self.store_vector(r + k, forms.word(value, k))

    def materialise(self, r: int) -> None:
        """Store the vector of a register that left the block as a form (into the block's hole)."""
        base = self.paired.get(r)
        if base is None or self.exits[r][0].kind != "word":
            self.store_vector(r, self._left(r))
            return
        halves = []
        for half in (base, base + 1):
            if half in self.exits:
                halves.append(self._left(half))
            else:
                # A vector, or dead: what stands in the slot.
                slot = f"load {self.pair.llvm}, ptr %{self.prefix}p{base}, align {self._align()}"
                halves.append(forms.word(self.b.op(self.pair, slot), half - base))
        self.store_vector(base, forms.combine(*halves))

    def _left(self, r: int) -> Val:
        shape, value = self.exits[r]
        if value is not None:
            return value
        return self.special() if shape.ids else self.scalars.load(r, shape)

    def forget(self) -> None:
        """Drop the cache (a new block begins, or a call may have changed the slots)."""
        self.words.clear()
        self.pairs.clear()
        self.dirty.clear()
        self.gone.clear()
        self.active.clear()
        self.active_pairs.clear()
        self.entry = {}


class Registers:
    """Everything a wave's program can name.

    Args:
        tag: begins the names of its slots; for functions that keep several register files.
    """

    def __init__(self, b: Builder, lanes: int, tag: str = "") -> None:
        self.b = b
        self.lanes = lanes
        self.tag = tag
        self.vector = Bank(b, f"{tag}v", lanes)
        self.scalar = Bank(b, f"{tag}s", 0)
        self._scc: Val | None = None
        self._scc_dirty = False
        self._exec: Val | None = None
        self._exec_dirty = False

    @property
    def exec_ty(self) -> Ty:
        return Ty("u", self.lanes, 0)

    def slots(self) -> list[str]:
        return [
            *self.vector.slots(),
            *self.vector.scalar_slots(),
            *self.scalar.slots(),
            f"  %{self.tag}scc = alloca i1, align 1",
            f"  %{self.tag}exec = alloca i{self.lanes}, align 8",
        ]

    def zeroes(self) -> list[str]:
        """Stores that give every register a value: what a program reads before writing must not be poison."""
        return [*self.vector.zeroes(), *self.scalar.zeroes(), f"  store i1 false, ptr %{self.tag}scc, align 1"]

    def scc(self) -> Val:
        if self._scc is None:
            self._scc = self.b.op(Ty("u", 1, 0), f"load i1, ptr %{self.tag}scc, align 1")
        return self._scc

    def set_scc(self, value: Val) -> None:
        self._scc = value
        self._scc_dirty = True

    def exec(self) -> Val:
        """EXEC as a scalar of one bit a lane."""
        if self._exec is None:
            self._exec = self.b.op(self.exec_ty, f"load i{self.lanes}, ptr %{self.tag}exec, align 8")
        return self._exec

    def set_exec(self, value: Val) -> None:
        self._exec = value
        self._exec_dirty = True

    def cached(self) -> tuple[Any, ...]:
        """Copies of the caches."""
        return (
            dict(self.vector.words),
            dict(self.vector.pairs),
            dict(self.scalar.words),
            dict(self.scalar.pairs),
            self._scc,
            self._exec,
        )

    def restore(self, known: tuple[Any, ...]) -> None:
        """Take caches back that `cached` gave (they are copied again)."""
        self.vector.words, self.vector.pairs = dict(known[0]), dict(known[1])
        self.scalar.words, self.scalar.pairs = dict(known[2]), dict(known[3])
        self._scc, self._exec = known[4], known[5]

    def flush(self, solid: bool = False) -> None:
        """Store what changed; see :meth:`Bank.flush`."""
        self.vector.flush(solid)
        self.scalar.flush()
        if self._scc_dirty and self._scc is not None:
            self.b.line(f"store {self._scc.typed}, ptr %{self.tag}scc, align 1")
            self._scc_dirty = False
        if self._exec_dirty and self._exec is not None:
            self.b.line(f"store {self._exec.typed}, ptr %{self.tag}exec, align 8")
            self._exec_dirty = False

    def forget(self) -> None:
        self.vector.forget()
        self.scalar.forget()
        self._scc = self._exec = None
        self._scc_dirty = self._exec_dirty = False
