"""Program control, waits, messages and cache operations (ISA guides: SOPP, "Program flow control").

Branches, calls and s_endpgm are translated in `lift.function`: they shape the control flow itself.
"""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.registry import raw

_DOORBELL_MESSAGE = 0x80
_REALTIME_MESSAGE = 0x83
_NOTHING = (
    # The translator runs every instruction to completion before the next, and host memory is coherent.
    "s_nop s_waitcnt s_waitcnt_vscnt s_waitcnt_vmcnt s_waitcnt_expcnt s_waitcnt_lgkmcnt s_waitcnt_depctr "
    "s_wait_idle s_wait_event s_wait_loadcnt s_wait_storecnt s_wait_samplecnt s_wait_bvhcnt s_wait_expcnt "
    "s_wait_dscnt s_wait_kmcnt s_wait_loadcnt_dscnt s_wait_storecnt_dscnt s_wait_alu s_clause s_delay_alu "
    "s_setprio s_icache_inv s_incperflevel s_decperflevel s_ttracedata s_ttracedata_imm "
    "s_set_inst_prefetch_distance s_inst_prefetch s_sethalt s_setkill s_dcache_inv s_dcache_wb s_dcache_inv_vol "
    "s_dcache_wb_vol s_gl1_inv s_dcache_discard s_dcache_discard_x2 buffer_inv buffer_wbl2 buffer_gl0_inv "
    "buffer_gl1_inv buffer_wbinvl1 buffer_wbinvl1_vol global_inv global_wb global_wbinv v_nop s_code_end "
    "s_barrier_signal s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data s_prefetch_data_pc_rel s_version "
    "s_singleuse_vdst s_atc_probe s_atc_probe_buffer "
)


@raw(_NOTHING, silent=True)
def nothing(x: Wave, inst: Instruction) -> None:
    """No effect that a program can observe here."""


@raw("s_barrier s_barrier_wait")
def s_barrier(x: Wave, inst: Instruction) -> None:
    """Wait until every wave of the workgroup has come here."""
    x.b.call_void("sr_barrier", "%wave")


@raw("s_sleep s_sleep_var s_wakeup s_monitor_sleep")
def s_sleep(x: Wave, inst: Instruction) -> None:
    """Let other waves run: whoever sleeps waits for one of them."""
    x.b.call_void("sr_yield", "%wave")


@raw("s_trap")
def s_trap(x: Wave, inst: Instruction) -> None:
    """Trap 2 is the compiler's abort; any trap ends the kernel with a fault that names it."""
    x.b.call_void(
        "sr_trap", "%wave", x.scalar("u32", inst.mod("simm16") & 0xFF), x.scalar("u64", inst.address)
    )


@raw("s_sendmsg s_sendmsghalt", silent=True)
def s_sendmsg(x: Wave, inst: Instruction) -> None:
    """Messages to the graphics pipeline or the resource manager: nothing listens."""


def _clock(x: Wave, name: str) -> Val:
    x.b.declare(name, f"declare i64 @{name}()")
    return x.b.op(Ty("u", 64, 0), f"call i64 @{name}()")


@raw("s_memtime")
def s_memtime(x: Wave, inst: Instruction) -> None:
    """The core clock counter."""
    x.write_scalar(inst.dst[0], _clock(x, "sr_clock"))


@raw("s_memrealtime")
def s_memrealtime(x: Wave, inst: Instruction) -> None:
    """The constant 100 MHz counter."""
    x.write_scalar(inst.dst[0], _clock(x, "sr_time"))


@raw("s_sendmsg_rtn_b64 s_sendmsg_rtn_b32")
def s_sendmsg_rtn(x: Wave, inst: Instruction) -> None:
    """Messages with an answer; only the real-time counter is answered.

    The doorbell's number is asked for by what gfx11 makes of an abort, behind an s_trap that ends the kernel here.
    """
    message = inst.src[0].value & 0xFF if inst.src else inst.mod("simm16") & 0xFF
    if message == _DOORBELL_MESSAGE:
        x.write_scalar(inst.dst[0], x.scalar("u64" if inst.op.endswith("b64") else "u32", 0))
        return
    if message != _REALTIME_MESSAGE:
        raise x.unsupported(inst, f"message 0x{message:x}")
    value = _clock(x, "sr_time")
    x.write_scalar(inst.dst[0], value if inst.op.endswith("b64") else value.to("u32"))
