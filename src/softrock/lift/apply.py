"""Run a registered semantic on an instruction: fetch sources by signature, call, finish and write the results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val, elem_of
from softrock.lift.registry import Semantic, Token


def run(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    """Translate one instruction by its registered semantics."""
    x.start(inst, semantic.cross_lane or "dpp_ctrl" in inst.mods or "dpp8" in inst.mods)
    if x.gpr_index and inst.format.startswith("VOP"):
        from softrock.lift.semantics.indexed import indexed_move

        indexed_move(x, inst)
    elif semantic.form == "raw":
        semantic.function(x, inst)
    elif semantic.form == "salu":
        _salu(x, inst, semantic)
    elif semantic.form == "packed":
        _packed(x, inst, semantic)
    else:
        _valu(x, inst, semantic)


def _results(outcome: Any, count: int) -> tuple[Any, ...]:
    out = outcome if isinstance(outcome, tuple) else (outcome,)
    if len(out) != count:
        raise AssertionError(f"semantic gave {len(out)} results where {count} are declared")
    return out


def _next(operands: Iterable[Operand], inst: Instruction) -> Operand:
    for operand in operands:
        return operand
    raise AssertionError(f"{inst.mnemonic}: fewer operands than its semantics declare")


def _salu(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    sources, dests = iter(inst.src), iter(inst.dst)
    args: list[Val] = []
    for token in semantic.ins:
        if token.role == "scc":
            args.append(x.regs.scc())
        elif token.role == "simm16":
            raw = inst.mod("simm16") & 0xFFFF
            args.append(x.b.const("i32", raw - 0x10000 if raw >> 15 else raw))
        elif token.role == "dst":
            args.append(x.read_scalar(inst.dst[0], token.elem))
        elif token.role == "mask":
            args.append(x.read_mask_bits(_next(sources, inst)))
        else:
            args.append(x.read_scalar(_next(sources, inst), token.elem))
    for token, value in zip(
        semantic.outs, _results(semantic.function(x, *args), len(semantic.outs)), strict=True
    ):
        if token.role == "scc":
            x.regs.set_scc(value)
        else:
            x.write_scalar(_next(dests, inst), value)


def _source_half(inst: Instruction, position: int) -> int:
    return inst.mod("op_sel") >> position & 1


def _list_source(x: Wave, op: Operand, token: Token) -> list[Val]:
    words = x.read_words(op, token.count * (2 if elem_of(token.elem)[1] == 64 else 1))
    if elem_of(token.elem)[1] == 64:
        return [
            ((words[2 * k + 1].to("u64") << 32) | words[2 * k].to("u64")).bits_as(token.elem)
            for k in range(token.count)
        ]
    return [w.bits_as(token.elem) for w in words]


def _valu(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    sources, dests = iter(inst.src), iter(inst.dst)
    args: list[Any] = []
    position = 0
    for token in semantic.ins:
        if token.role == "dst":
            args.append(x.read(inst.dst[0], token.elem, inst.mod("op_sel") >> 3 & 1))
        elif token.role == "simm16":
            args.append(x.const("i32", inst.mod("simm16")))
        elif token.role == "mask":
            args.append(x.read_mask(_next(sources, inst)))
        elif token.role == "scalar":
            args.append(x.read_scalar(_next(sources, inst), token.elem))
            position += 1
        elif token.count > 1:
            args.append(_list_source(x, _next(sources, inst), token))
            position += 1
        else:
            args.append(x.read(_next(sources, inst), token.elem, _source_half(inst, position)))
            position += 1
    outcome = _results(semantic.function(x, *args), len(semantic.outs))
    if (
        inst.mod("clamp")
        and not x.clamp_handled
        and not any(isinstance(v, Val) and v.is_float for v in outcome)
    ):
        raise x.unsupported(inst, "integer clamp")
    for token, value in zip(semantic.outs, outcome, strict=True):
        operand = _next(dests, inst)
        if token.role == "mask":
            x.write_mask(operand, value)
        elif token.role == "scalar":
            x.write_scalar(operand, value)
        elif token.count > 1:
            _write_list(x, operand, value)
        else:
            x.write(operand, finish_float(x, inst, value), inst.mod("op_sel") >> 3 & 1)


def _write_list(x: Wave, operand: Operand, values: list[Val]) -> None:
    words: list[Val] = []
    for value in values:
        if value.bits == 64:
            raw = value.bits_as("u64")
            words += [raw.to("u32"), (raw >> 32).to("u32")]
        else:
            words.append(value)
    x.write_words(operand, words)


def finish_float(x: Wave, inst: Instruction, value: Val) -> Val:
    """omod, clamp and denormal flushing of a float result; other types pass through."""
    if not value.is_float:
        return value
    omod = inst.mod("omod")
    if omod and not x.mode.ieee and x.flushes(value):
        # Ignored in IEEE mode and where denormal results are kept; flushes, and gives no negative zero (ISA guides,
        # OMOD).
        value = x.flush(value) * (2.0, 4.0, 0.5)[omod - 1]
        value = x.flush(value) + 0.0
    if inst.mod("clamp") and not x.clamp_handled:
        value = clamp01(x, value)
    return x.flush(value)


def clamp01(x: Wave, value: Val) -> Val:
    """Clamp to [0, 1]; NaN becomes 0 under DX10_CLAMP (compute's default), else stays."""
    low = value.gt(0.0).select(value, 0.0) if x.mode.dx10_clamp else value.fcmp("ugt", 0.0).select(value, 0.0)
    return low.gt(1.0).select(1.0, low)


def _selection(inst: Instruction, part: int) -> int:
    """Bit i: the half of source i that goes into half `part` of the result."""
    if inst.format != "VOP3P":
        return 7 * part
    return inst.mod("op_sel_hi") if part else inst.mod("op_sel")


def _packed(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    if elem_of(semantic.outs[0].elem)[1] == 16:
        _packed_halves(x, inst, semantic)
    else:
        _packed_words(x, inst, semantic)


def _packed_halves(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    """Both halves of all lanes at once, as one vector of twice as many elements."""
    args: list[Val] = []
    position = 0
    for token in semantic.ins:
        if token.role == "dst":
            args.append(x.flush(_halves(x, x.read_word(inst.dst[0]), token.elem)))
        else:
            args.append(x.flush(_packed_source(x, inst, position, token.elem)))
            position += 1
    value = _packed_result(x, inst, semantic.function(x, *args)).bits_as("u16")
    x.write(inst.dst[0], x.b.op(Ty("u", 32, x.W), f"bitcast {value.typed} to <{x.W} x i32>"))


def _halves(x: Wave, word: Val, elem: str) -> Val:
    return x.b.op(Ty("u", 16, 2 * x.W), f"bitcast {word.typed} to <{2 * x.W} x i16>").bits_as(elem)


def _packed_source(x: Wave, inst: Instruction, position: int, elem: str) -> Val:
    """A source with its halves chosen by op_sel and op_sel_hi and negated by neg_lo and neg_hi."""
    op = inst.src[position]
    low = inst.mod("op_sel") >> position & 1
    high = inst.mods.get("op_sel_hi", 7) >> position & 1
    if op.kind in (Kind.VGPR, Kind.AGPR):
        halves = _halves(x, x.read(op, "u32"), "u16")
        if (low, high) != (0, 1):
            halves = halves.shuffle([pair + which for pair in range(0, 2 * x.W, 2) for which in (low, high)])
    else:
        parts = [x.read(op, elem, which).bits_as("u16").to("u32") for which in (low, high)]
        halves = _halves(x, parts[0] | (parts[1] << 16), "u16")
    signs = inst.mod("neg_lo") >> position & 1, inst.mod("neg_hi") >> position & 1
    if elem[0] in "fb" and any(signs):
        mask = x.const("u32", signs[0] << 15 | signs[1] << 31)
        halves = halves ^ _halves(x, mask, "u16")
    return halves.bits_as(elem)


def _packed_result(x: Wave, inst: Instruction, value: Val) -> Val:
    if inst.mod("clamp") and not x.clamp_handled:
        if not value.is_float:
            raise x.unsupported(inst, "integer clamp")
        value = clamp01(x, value)
    return x.flush(value)


def _packed_words(x: Wave, inst: Instruction, semantic: Semantic) -> None:
    words: list[Val] = []
    for part in (0, 1):
        sel = _selection(inst, part)
        neg = inst.mod("neg_hi") if part else inst.mod("neg_lo")
        args: list[Val] = []
        for position, token in enumerate(semantic.ins):
            op = inst.src[position]
            value = x.read_word(op, sel >> position & 1 if op.dwords == 2 else 0).bits_as(token.elem)
            args.append(x.flush(-value if neg >> position & 1 else value))
        words.append(_packed_result(x, inst, semantic.function(x, *args)))
    x.write_words(inst.dst[0], words)
