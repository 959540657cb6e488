"""The register file of one function under translation.

Inside a basic block registers are SSA values kept here; at its end what changed is stored to stack slots, which LLVM
promotes to SSA form across blocks. 64-bit values are kept whole beside their halves, so that addresses and doubles
are not taken apart and put together again; registers that a function uses mostly as pairs get one 64-bit slot
(`paired`).

Numbers: VGPRs 0-255, AGPRs 256-511; SGPRs by hardware number (VCC 106, TTMP 108-123), M0 124, EXEC apart.
"""

from __future__ import annotations

from typing import Any

from softrock.lift.ir import Builder, Ty, Val

M0 = 124
VCC = 106


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
        whole = self.pairs.get(r)
        if whole is not None:
            value = whole.to("u32")
        elif (whole := self.pairs.get(r - 1)) is not None:
            value = (whole >> 32).to("u32")
        else:
            self.touch(r)
            base = self.paired.get(r)
            if base is not None:
                whole = self.b.op(
                    self.pair, f"load {self.pair.llvm}, ptr %{self.prefix}p{base}, align {self._align()}"
                )
                if base not in self.words and base + 1 not in self.words:
                    self.pairs[base] = whole
                value = (whole if r == base else whole >> 32).to("u32")
                self.words[r] = value
                return value
            value = self.b.op(
                self.word, f"load {self.word.llvm}, ptr %{self.prefix}{r}, align {self._align()}"
            )
        self.words[r] = value
        return value

    def read_pair(self, r: int) -> Val:
        """Registers `r` (low) and `r + 1` (high) as u64."""
        found = self.pairs.get(r)
        if found is not None:
            return found
        if (
            self.paired.get(r) == r
            and r not in self.words
            and r + 1 not in self.words
            and r - 1 not in self.pairs
        ):
            self.read(r)
            if r in self.pairs:
                return self.pairs[r]
        low, high = self.read(r), self.read(r + 1)
        value = (high.to("u64") << 32) | low.to("u64")
        self.pairs[r] = value
        return value

    def _detach(self, r: int) -> None:
        # A pair overlapping r is about to go stale: keep its other half.
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
        for base in (r - 1, r + 1):
            if base in self.pairs:
                other = base if base < r else base + 1
                if other not in self.words:
                    self.read(other)
                del self.pairs[base]
        self.touch(r)
        self.touch(r + 1)
        self.words.pop(r, None)
        self.words.pop(r + 1, None)
        self.pairs[r] = value.bits_as("u64")
        self.dirty.update((r, r + 1))

    def flush(self) -> None:
        """Store what changed to the slots; the cache stays valid."""
        done = set()
        for r in sorted(self.dirty):
            base = self.paired.get(r)
            if base is None:
                self.b.line(f"store {self.read(r).typed}, ptr %{self.prefix}{r}, align {self._align()}")
            elif base not in done:
                done.add(base)
                self.b.line(
                    f"store {self.read_pair(base).typed}, ptr %{self.prefix}p{base}, align {self._align()}"
                )
        self.dirty.clear()

    def forget(self) -> None:
        """Drop the cache (a new block begins, or a call may have changed the slots)."""
        self.words.clear()
        self.pairs.clear()
        self.dirty.clear()


class Registers:
    """Everything a wave's program can name."""

    def __init__(self, b: Builder, lanes: int) -> None:
        self.b = b
        self.lanes = lanes
        self.vector = Bank(b, "v", lanes)
        self.scalar = Bank(b, "s", 0)
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
            *self.scalar.slots(),
            "  %scc = alloca i1, align 1",
            f"  %exec = alloca i{self.lanes}, align 8",
        ]

    def zeroes(self) -> list[str]:
        """Stores that give every register a value: what a program reads before writing must not be poison."""
        return [*self.vector.zeroes(), *self.scalar.zeroes(), "  store i1 false, ptr %scc, align 1"]

    def scc(self) -> Val:
        if self._scc is None:
            self._scc = self.b.op(Ty("u", 1, 0), "load i1, ptr %scc, align 1")
        return self._scc

    def set_scc(self, value: Val) -> None:
        self._scc = value
        self._scc_dirty = True

    def exec(self) -> Val:
        """EXEC as a scalar of one bit a lane."""
        if self._exec is None:
            self._exec = self.b.op(self.exec_ty, f"load i{self.lanes}, ptr %exec, align 8")
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

    def flush(self) -> None:
        self.vector.flush()
        self.scalar.flush()
        if self._scc_dirty and self._scc is not None:
            self.b.line(f"store {self._scc.typed}, ptr %scc, align 1")
            self._scc_dirty = False
        if self._exec_dirty and self._exec is not None:
            self.b.line(f"store {self._exec.typed}, ptr %exec, align 8")
            self._exec_dirty = False

    def forget(self) -> None:
        self.vector.forget()
        self.scalar.forget()
        self._scc = self._exec = None
        self._scc_dirty = self._exec_dirty = False
