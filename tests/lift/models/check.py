"""Puts the translator and the model through the same instruction on the same state and tells where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from tests.lift.harness import Case, Prepared, State, lanes_of, run_prepared
from tests.lift.models import edges as edge_values
from tests.lift.models.edges import Bits
from tests.lift.models.formats import BY_NAME, Format
from tests.lift.models.machine import M0, Machine
from tests.lift.models.registry import MODELS, is_float
from tests.lift.models.scalar import SAVEEXEC, SCALARS

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.context import Mode

EXACT_BITS = ("_b16", "_b32", "_b64")
"""Operations whose names end so move bits: a NaN must keep its payload."""


@dataclass(frozen=True)
class Round:
    """A starting state."""

    vgprs: dict[int, np.ndarray]
    sgprs: dict[int, int]
    exec_mask: int
    scc: int


def exec_masks(lanes: int, count: int, rng: np.random.Generator) -> list[int]:
    """Masks of every kind: random, sparse, dense, one half, one lane, none."""
    everything = (1 << lanes) - 1

    def random() -> int:
        return int.from_bytes(rng.bytes(8), "little") & everything

    kinds = [random(), random() & random(), random() | random(), everything >> lanes // 2, everything << lanes // 2]
    kinds += [random(), 1 << int(rng.integers(0, lanes)), 0, everything]
    return [kinds[k % len(kinds)] & everything for k in range(count)]


def rounds_of(inst: Instruction, lanes: int, limit: int, full: bool, rng: np.random.Generator) -> list[Round]:
    """Starting states that put the edge values of the operation's types into its sources."""
    plan = list(_typed_sources(inst))
    columns = edge_values.rounds([elem for _, elem, _ in plan], lanes, limit, rng)
    masks = [(1 << lanes) - 1] * len(columns) if full else exec_masks(lanes, len(columns), rng)
    found = []
    for values, mask in zip(columns, masks, strict=True):
        vgprs, sgprs = _noise(inst, lanes, rng)
        for (op, elem, k), column in zip(plan, values, strict=True):
            _place(vgprs, sgprs, op, elem, k, column, rng)
        found.append(Round(vgprs, sgprs, mask, int(rng.integers(0, 2))))
    return found


def _operands(inst: Instruction) -> Iterator[Operand]:
    yield from inst.dst
    yield from inst.src
    for part in inst.parts:
        yield from _operands(part)


def _noise(inst: Instruction, lanes: int, rng: np.random.Generator) -> tuple[dict[int, np.ndarray], dict[int, int]]:
    vgprs: dict[int, np.ndarray] = {}
    sgprs = {r: int(rng.integers(0, 1 << 32)) for r in (106, 107, M0)}
    for op in _operands(inst):
        for k in range(op.dwords):
            if op.kind in (Kind.VGPR, Kind.AGPR):
                r = op.index + k + (256 if op.kind is Kind.AGPR else 0)
                vgprs[r] = rng.integers(0, 1 << 32, lanes, np.uint32)
            elif op.kind is Kind.SGPR:
                sgprs[op.index + k] = int(rng.integers(0, 1 << 32))
    return vgprs, sgprs


def _typed_sources(inst: Instruction) -> Iterator[tuple[Operand, str, int]]:
    """(operand, element type, which part) of every register that edge values go into."""
    if inst.op in SCALARS:
        spec = SCALARS[inst.op]
        ordinary = [op for op in inst.src if op.role != "sdst"]
        for op, width in zip(ordinary, spec.sources, strict=True):
            if op.kind is Kind.SGPR:
                yield op, f"u{abs(width)}", 0
        for op in (*inst.dst, *inst.src):
            if op.role == "sdst" and op.kind is Kind.SGPR:
                yield op, f"u{32 * op.dwords}", 0
        return
    if inst.op in SAVEEXEC or inst.op not in MODELS:
        yield from ((op, "u32", k) for op in inst.src if op.kind is Kind.VGPR for k in range(op.dwords))
        return
    model = MODELS[inst.op]
    sources = iter(inst.src)
    for token in model.ins:
        if token in ("mask", "vcc"):
            if token == "mask":
                next(sources)
            continue
        op = inst.dst[0] if token.startswith("dst:") else next(sources)
        if op.kind not in (Kind.VGPR, Kind.AGPR, Kind.SGPR):
            continue
        yield from ((op, elem, k) for k, elem in enumerate(_pieces(op, token.removeprefix("dst:"), model.packed)))


def _pieces(op: Operand, token: str, packed: bool) -> list[str]:
    if token == "mix":
        return ["f32"] if op.index % 16 else ["f16", "f16"]
    if token[0].isdigit():
        return [token[1:]] * 2
    if "x" in token:
        elem, _, count = token.partition("x")
        return [elem] * int(count)
    if edge_values.width_of(token) == 16 or packed:
        return [token] * 2
    return ["u32"] if token == "u8" else [token]


def _place(
    vgprs: dict[int, np.ndarray],
    sgprs: dict[int, int],
    op: Operand,
    elem: str,
    k: int,
    column: Bits,
    rng: np.random.Generator,
) -> None:
    bits = edge_values.width_of(elem)
    if op.kind is Kind.SGPR:
        value = int(column[int(rng.integers(0, len(column)))])
        if bits == 16:
            value = value << 16 * k | sgprs[op.index] & (0xFFFF << 16 * (1 - k))
            k = 0
        for j in range(max(1, bits // 32)):
            sgprs[op.index + k + j] = value >> 32 * j & 0xFFFFFFFF
        return
    r = op.index + (256 if op.kind is Kind.AGPR else 0)
    if bits == 16:
        old = vgprs[r].astype(np.uint64) & np.uint64(0xFFFF << 16 * (1 - k))
        vgprs[r] = (old | column << np.uint64(16 * k)).astype(np.uint32)
    elif bits == 64:
        vgprs[r + 2 * k] = (column & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        vgprs[r + 2 * k + 1] = (column >> np.uint64(32)).astype(np.uint32)
    else:
        vgprs[r + k] = column.astype(np.uint32)


def machine_of(start: Round, lanes: int, major: int, mode: Mode) -> Machine:
    """The model's wave in a starting state."""
    machine = Machine(
        lanes,
        major,
        mode.ieee,
        mode.flush_f32,
        mode.flush_f16_f64,
        mode.dx10_clamp,
        exec=start.exec_mask,
        scc=start.scc,
    )
    machine.vector = {r: v.copy() for r, v in start.vgprs.items()}
    for r, value in start.sgprs.items():
        machine.scalar[r] = value
    return machine


def run_round(prepared: Prepared, which: int, case: Case, start: Round) -> State:
    """The translated instruction on a starting state."""
    one = replace(
        prepared,
        cases=(case,),
        layouts=(prepared.layouts[which],),
        functions=(prepared.functions[which],),
    )
    data = replace(case, vgprs=start.vgprs, sgprs=start.sgprs, exec_mask=start.exec_mask, scc=start.scc)
    return run_prepared(one, [data])[0]


def differences(inst: Instruction, start: Round, machine: Machine, state: State) -> list[str]:
    """What the translator did otherwise than the model."""
    found = []
    for r, got in state.words.items():
        expected = machine.word(r)
        for lane in np.flatnonzero(got != expected):
            if start.exec_mask >> int(lane) & 1 and _agree(inst, machine, state, r, int(lane)):
                continue
            found.append(_told(inst, start, machine, f"v{r}", int(lane), int(expected[lane]), int(got[lane])))
            break
    for r, value in state.sgprs.items():
        if value != machine.scalar[r]:
            found.append(
                f"{inst.mnemonic}: s{r} is {value:#x} instead of {machine.scalar[r]:#x} {_scalars(inst, start)}"
            )
    if state.exec_mask != machine.exec:
        found.append(
            f"{inst.mnemonic}: exec is {state.exec_mask:#x} instead of {machine.exec:#x} {_scalars(inst, start)}"
        )
    if state.scc != machine.scc:
        found.append(f"{inst.mnemonic}: scc is {state.scc} instead of {machine.scc} {_scalars(inst, start)}")
    return found


def _scalars(inst: Instruction, start: Round) -> str:
    shown = {f"s{r}": hex(v) for r, v in start.sgprs.items()}
    vectors = {f"v{op.index}": hex(int(start.vgprs[op.index][0])) for op in inst.src if op.kind is Kind.VGPR}
    return f"from {shown} scc {start.scc} exec {start.exec_mask:#x} lane 0 {vectors} mods {dict(inst.mods)}"


def _told(inst: Instruction, start: Round, machine: Machine, name: str, lane: int, expected: int, got: int) -> str:
    sources = []
    for op in _operands(inst):
        flags = (
            ("-" if op.neg else "")
            + ("abs " if op.abs else "")
            + (op.sel and f"{op.sel} ")
            + ("sext " if op.sext else "")
        )
        if op.kind in (Kind.VGPR, Kind.AGPR):
            base = op.index + (256 if op.kind is Kind.AGPR else 0)
            words = [f"{int(start.vgprs[base + k][lane]):08x}" for k in range(min(op.dwords, 4))]
            half = {None: "", 0: ".l", 1: ".h"}[op.half]
            sources.append(f"{flags}v{op.index}{half}={' '.join(words)}")
        elif op.kind is Kind.SGPR:
            words = [f"{start.sgprs[op.index + k]:08x}" for k in range(op.dwords)]
            sources.append(f"{flags}s{op.index}={' '.join(words)}")
        else:
            sources.append(f"{flags}{op.kind.value} {op.value or op.number or op.name}")
    on = start.exec_mask >> lane & 1
    return (
        f"{inst.mnemonic} ({inst.format}, {inst.raw.hex()}): {name} lane {lane} (exec {on}) is {got:#010x} instead of "
        f"{expected:#010x}; {', '.join(sources)}; {dict(inst.mods)}"
    )


def _agree(inst: Instruction, machine: Machine, state: State, r: int, lane: int) -> bool:
    """Whether a written register holds the same number: any NaN for a NaN, and the error that the model allows."""
    elem, part = machine.kinds.get(r, ("u32", 0))
    if not is_float(elem) or inst.op.endswith(EXACT_BITS):
        return False
    f, model = BY_NAME[elem], MODELS.get(inst.op)
    ulp = model.ulp if model else 0
    free_zero = inst.op.startswith(("v_sin", "v_cos"))
    got = int(state.words[r][lane])
    for expected in (int(machine.word(r)[lane]), *machine.others.get((r, lane), ())):
        if f.bits <= 32 and _word_agrees(f, got, expected, ulp, free_zero):
            return True
    if f.bits == 64:
        base = r - part
        got = int(state.words[base][lane]) | int(state.words[base + 1][lane]) << 32
        expected = int(machine.word(base)[lane]) | int(machine.word(base + 1)[lane]) << 32
        others = machine.others.get((base, lane), ())
        return any(_same(f, got, e, ulp, free_zero) for e in (expected, *others))
    return False


def _word_agrees(f: Format, got: int, expected: int, ulp: int, free_zero: bool) -> bool:
    if f.bits == 32:
        return _same(f, got, expected, ulp, free_zero)
    low = _same(f, got & 0xFFFF, expected & 0xFFFF, ulp, free_zero)
    return low and _same(f, got >> 16, expected >> 16, ulp, free_zero)


def _same(f: Format, a: int, b: int, ulp: int, free_zero: bool) -> bool:
    if a == b or (f.is_nan(a) and f.is_nan(b)):
        return True
    if f.is_nan(a) or f.is_nan(b) or not ulp:
        return False
    x, y = (-f.magnitude(v) if f.negative(v) else f.magnitude(v) for v in (a, b))
    if x == y == 0:
        return free_zero
    return abs(x - y) <= ulp


def lanes_and_major(target: str) -> tuple[int, int]:
    return lanes_of(target), 9 if target.startswith("gfx9") else 11
