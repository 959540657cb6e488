"""Code that keeps a wave's registers in its save area, around calls and between pieces of a function."""

from __future__ import annotations

from softrock.lift.regs import Bank, Registers
from softrock.lift.wave import OFFSET

_SAVED_SCC, _SAVED_EXEC, _SAVED_SCALARS, _SAVED_VECTORS = 0, 8, 64, 1024


def code(regs: Registers) -> tuple[str, str]:
    """Text that loads the registers in use from the save area, and that stores them there."""
    load: list[str] = []
    save: list[str] = []

    def both(slot: str, kind: str, offset: int, align: int) -> None:
        n = len(load)
        for out, name in ((load, "L"), (save, "S")):
            out.append(f"  %{name}a#.{n} = getelementptr i8, ptr %{name}r#, i64 {offset}")
            source, dest = (f"%{name}a#.{n}", slot) if name == "L" else (slot, f"%{name}a#.{n}")
            out.append(f"  %{name}v#.{n} = load {kind}, ptr {source}, align {align}")
            out.append(f"  store {kind} %{name}v#.{n}, ptr {dest}, align {align}")

    both("%scc", "i1", _SAVED_SCC, 1)
    both("%exec", f"i{regs.lanes}", _SAVED_EXEC, 8)
    for bank, base, size in (
        (regs.scalar, _SAVED_SCALARS, 4),
        (regs.vector, _SAVED_VECTORS, 4 * regs.lanes),
    ):
        kind = bank.word.llvm
        for r in sorted(bank.used):
            pair = bank.paired.get(r)
            if pair is None:
                both(f"%{bank.prefix}{r}", kind, base + r * size, size if size < 64 else 64)
            elif pair == r:
                _pair(load, save, bank, r, base + r * size)
    head = "  %{0}rp# = getelementptr i8, ptr %wave, i64 {1}\n  %{0}r# = load ptr, ptr %{0}rp#, align 8"
    return (
        head.format("L", OFFSET["regs"]) + "\n" + "\n".join(load),
        head.format("S", OFFSET["regs"]) + "\n" + "\n".join(save),
    )


def _pair(load: list[str], save: list[str], bank: Bank, r: int, offset: int) -> None:
    word, pair = bank.word.llvm, bank.pair.llvm
    n = f"{bank.prefix}{r}"
    shift, align = ("splat (i64 32)", 64) if bank.lanes else ("32", 4)
    high = offset + (4 * bank.lanes or 4)
    load += [
        f"  %La#.{n} = getelementptr i8, ptr %Lr#, i64 {offset}",
        f"  %Lb#.{n} = getelementptr i8, ptr %Lr#, i64 {high}",
        f"  %Ll#.{n} = load {word}, ptr %La#.{n}, align {align}",
        f"  %Lh#.{n} = load {word}, ptr %Lb#.{n}, align {align}",
        f"  %Lx#.{n} = zext {word} %Ll#.{n} to {pair}",
        f"  %Ly#.{n} = zext {word} %Lh#.{n} to {pair}",
        f"  %Lz#.{n} = shl {pair} %Ly#.{n}, {shift}",
        f"  %Lw#.{n} = or {pair} %Lz#.{n}, %Lx#.{n}",
        f"  store {pair} %Lw#.{n}, ptr %{bank.prefix}p{r}, align 8",
    ]
    save += [
        f"  %Sw#.{n} = load {pair}, ptr %{bank.prefix}p{r}, align 8",
        f"  %Sl#.{n} = trunc {pair} %Sw#.{n} to {word}",
        f"  %Sy#.{n} = lshr {pair} %Sw#.{n}, {shift}",
        f"  %Sh#.{n} = trunc {pair} %Sy#.{n} to {word}",
        f"  %Sa#.{n} = getelementptr i8, ptr %Sr#, i64 {offset}",
        f"  %Sb#.{n} = getelementptr i8, ptr %Sr#, i64 {high}",
        f"  store {word} %Sl#.{n}, ptr %Sa#.{n}, align {align}",
        f"  store {word} %Sh#.{n}, ptr %Sb#.{n}, align {align}",
    ]
