"""Hardware registers (s_getreg, s_setreg) and the MODE instructions.

The translator honours MODE statically: a write changes how the instructions after it are translated, in program order.
Sources: LLVM's AMDGPU guide ("MODE register"), AMD "MI300 ISA" and "RDNA3 ISA" guides, "Hardware registers".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.ir import Val
from softrock.lift.registry import raw

if TYPE_CHECKING:
    from softrock.lift.context import Mode, Wave

_MODE, _STATUS, _TRAPSTS, _HW_ID, _GPR_ALLOC, _LDS_ALLOC, _IB_STS = 1, 2, 3, 4, 5, 6, 7
_SH_MEM_BASES, _XCC_ID, _HW_ID1, _HW_ID2, _SHADER_CYCLES, _SHADER_CYCLES_HI = 15, 20, 23, 24, 29, 30
_ROUND, _DENORM_F32, _DENORM_F64 = (0, 4), (4, 2), (6, 2)
"""Fields of MODE: first bit, width."""


def _fields(inst: Instruction) -> tuple[int, int, int]:
    """Register number, first bit and width of a SOPK hardware-register operand."""
    spec = inst.mod("simm16") & 0xFFFF
    return spec & 63, spec >> 6 & 31, (spec >> 11 & 31) + 1


def _mode_value(mode: Mode) -> int:
    return (
        (0 if mode.flush_f32 else 3) << 4
        | (0 if mode.flush_f16_f64 else 3) << 6
        | int(mode.dx10_clamp) << 8
        | int(mode.ieee) << 9
    )


def _read(x: Wave, inst: Instruction, number: int) -> Val:
    if number == _MODE:
        return x.scalar("u32", _mode_value(x.mode))
    if number in (_HW_ID, _HW_ID1):
        # Wave slot in the low bits; the host worker stands for the compute unit, whose number starts at bit 8.
        return (x.field("wave_id", "u32") & 15) | ((x.field("hw_id", "u32") & 15) << 8)
    if number in (_SHADER_CYCLES, _SHADER_CYCLES_HI):
        x.b.declare("sr_clock", "declare i64 @sr_clock()")
        clock = x.b.op(x.scalar("u64", 0).ty, "call i64 @sr_clock()")
        if number == _SHADER_CYCLES_HI:
            return (clock >> 32).to("u32")
        return clock.to("u32") if x.target.major >= 12 else clock.to("u32") & 0xFFFFF
    if number in (_STATUS, _TRAPSTS, _GPR_ALLOC, _LDS_ALLOC, _IB_STS, _XCC_ID, _HW_ID2):
        return x.scalar("u32", 0)  # no exception, no trap handler, one compute die
    raise x.unsupported(inst, f"hardware register {number}")


@raw("s_getreg_b32")
def getreg(x: Wave, inst: Instruction) -> None:
    """A field of a hardware register."""
    number, first, width = _fields(inst)
    value = _read(x, inst, number) >> first
    x.write_scalar(inst.dst[0], value if width == 32 else value & ((1 << width) - 1))


def _set_mode(x: Wave, inst: Instruction, first: int, width: int, value: int) -> None:
    """Take a constant written to bits of MODE into account."""
    whole = _mode_value(x.mode)
    mask = ((1 << width) - 1) << first
    whole = whole & ~mask | value << first & mask
    if whole & 15:
        raise x.unsupported(inst, "a rounding mode other than to nearest even")
    flush = []
    for start, _ in (_DENORM_F32, _DENORM_F64):
        denorm = whole >> start & 3
        if denorm not in (0, 3):
            raise x.unsupported(inst, "denormals flushed on one side only")
        flush.append(denorm == 0)
    if whole >> 23 & 1:
        raise x.unsupported(inst, "FP16_OVFL")
    x.mode = replace(
        x.mode,
        flush_f32=flush[0],
        flush_f16_f64=flush[1],
        dx10_clamp=bool(whole >> 8 & 1),
        ieee=bool(whole >> 9 & 1),
    )


def _setreg(x: Wave, inst: Instruction, value: int | None) -> None:
    number, first, width = _fields(inst)
    if number == _MODE:
        if value is None:
            raise x.unsupported(inst, "MODE written with a value that is not known")
        _set_mode(x, inst, first, width, value)
    elif number not in (_STATUS, _TRAPSTS, _IB_STS):
        raise x.unsupported(inst, f"write to hardware register {number}")


@raw("s_setreg_imm32_b32")
def setreg_constant(x: Wave, inst: Instruction) -> None:
    """Write a field of a hardware register with a constant."""
    _setreg(x, inst, inst.src[0].value)


@raw("s_setreg_b32")
def setreg(x: Wave, inst: Instruction) -> None:
    """Write a field of a hardware register; what goes to MODE must be known here."""
    value = x.read_scalar(inst.src[0], "u32").const
    _setreg(x, inst, value if isinstance(value, int) else None)


@raw("s_round_mode")
def round_mode(x: Wave, inst: Instruction) -> None:
    """MODE's rounding modes; only round to nearest even is there."""
    _set_mode(x, inst, *_ROUND, inst.mod("simm16") & 15)


@raw("s_denorm_mode")
def denorm_mode(x: Wave, inst: Instruction) -> None:
    """MODE's denormal modes, f32 in the low two bits."""
    _set_mode(x, inst, _DENORM_F32[0], 4, inst.mod("simm16") & 15)


@raw("v_clrexcp s_inst_prefetch_mode")
def clear_exceptions(x: Wave, inst: Instruction) -> None:
    """Exceptions are not recorded."""
