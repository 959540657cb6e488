"""What registers hold when a wave starts ("Initial Kernel Execution State" of LLVM's AMDGPU user guide)."""

from __future__ import annotations

from softrock.codeobj import Kernel
from softrock.lift import forms
from softrock.lift.context import Wave
from softrock.lift.ir import Ty, Val
from softrock.lift.layout import ANY, LINE, WIDE
from softrock.lift.wave import PRIVATE_MARK, PRIVATE_SHIFT

_TTMP_X, _TTMP_YZ = 108 + 9, 108 + 7


def set_initial_state(x: Wave, kernel: Kernel) -> None:
    """Emit the loads that fill SGPRs, v0 and EXEC from the wave structure."""
    for name, first, size in kernel.initial_sgprs():
        _scalar(x, name, first, size, kernel)
    if kernel.workgroup_ids_in_ttmp:
        x.regs.scalar.write(_TTMP_X, _group_id(x, 0))
        x.regs.scalar.write(_TTMP_YZ, _group_id(x, 1) | (_group_id(x, 2) << 16))
    _workitem_ids(x, kernel)
    x.set_exec(x.field("exec", f"u{x.W}") if x.W == 64 else x.field("exec", "u64").to("u32"))


def _group_id(x: Wave, axis: int) -> Val:
    pointer = x.b.ptr(x.b.op(Ty("u", 64, 0), "ptrtoint ptr %wave to i64") + _offset("group_id") + 4 * axis)
    number = x.b.op(Ty("u", 32, 0), f"load i32, ptr {pointer}, align 4, !invariant.load !0")
    return number * x.rows + x.row if axis == 1 and x.rows > 1 else number


def _offset(name: str) -> int:
    from softrock.lift.wave import OFFSET

    return OFFSET[name]


def _scalar(x: Wave, name: str, first: int, size: int, kernel: Kernel) -> None:
    bank = x.regs.scalar
    pairs = {
        "dispatch_ptr": "dispatch",
        "queue_ptr": "queue",
        "kernarg_segment_ptr": "kernarg",
        "dispatch_id": "dispatch_id",
    }
    if name in pairs:
        bank.write_pair(first, x.field(pairs[name], "u64"))
    elif name.startswith("workgroup_id_"):
        bank.write(first, _group_id(x, "xyz".index(name[-1])))
    elif name == "private_segment_size":
        bank.write(first, x.field("scratch_lane_bytes", "u32"))
    elif name == "kernarg_preload":
        base = x.field("kernarg", "u64") + 4 * kernel.preload[1]
        for k in range(size):
            pointer = x.b.ptr(base + 4 * k)
            bank.write(first + k, x.b.op(Ty("u", 32, 0), f"load i32, ptr {pointer}, align 4, !invariant.load !0"))
    elif name == "private_segment_buffer":
        for k, word in enumerate(_private_resource(x)):
            bank.write(first + k, word)
    elif name in (
        "flat_scratch_init",
        "workgroup_info",
        "private_segment_wavefront_offset",
    ):
        # Scratch stands at a whole address in the descriptor or in the wave, so what is added to it is 0.
        for k in range(size):
            bank.write(first + k, x.scalar("u32", 0))
    else:
        raise AssertionError(f"initial SGPR {name}")


def _private_resource(x: Wave) -> list[Val]:
    """The buffer descriptor of the wave's scratch where code reaches it through one (before gfx940): base, swizzled,
    no limit, and in the last dword 64 lanes of 4 bytes each, with the lane added."""
    base = x.field("scratch", "u64")
    return [
        base.to("u32"),
        (base >> 32).to("u32") | (1 << 31),
        x.scalar("u32", 0xFFFFFFFF),
        x.scalar("u32", PRIVATE_MARK << PRIVATE_SHIFT),
    ]


def _workitem_ids(x: Wave, kernel: Kernel) -> None:
    x.id_count = kernel.workitem_id_count
    if kernel.packed_workitem_ids:
        x.regs.vector.write(0, packed_ids(x))
        return
    for axis, value in enumerate(workitem_ids(x)[: kernel.workitem_id_count]):
        x.regs.vector.write(axis, value)


def packed_ids(x: Wave) -> Val:
    """v0 of a kernel that gets its work-item ids packed: x | y << 10 | z << 20."""
    # Ids that the kernel does not ask for are 0: code that uses x alone does not mask it.
    if x.layout == ANY:
        return _ids_of_memory(x) & ((1 << 10 * x.id_count) - 1)
    return forms.packed_ids(x.const("u32", 0), workitem_ids(x)[: x.id_count])


def _ids_of_memory(x: Wave) -> Val:
    pointer = x.b.ptr(x.field("workitem_ids", "u64"))
    return x.b.op(Ty("u", 32, x.W), f"load <{x.W} x i32>, ptr {pointer}, align 64, !invariant.load !0")


def workitem_ids(x: Wave) -> list[Val]:
    """The work-item ids x, y and z of each lane, as forms where the workgroup's layout is known."""
    if x.layout == ANY:
        packed = _ids_of_memory(x)
        return [(packed >> 10 * axis) & 0x3FF for axis in range(3)]
    pointer = x.b.ptr(x.field("workitem_ids", "u64"))
    first = x.b.op(Ty("u", 32, 0), f"load i32, ptr {pointer}, align 64, !invariant.load !0")
    ids = [(first >> 10 * axis) & 0x3FF for axis in range(3)]
    zero, lanes = x.scalar("u32", 0), x.W
    if x.layout == LINE:
        ids[1] = ids[2] = zero
    for id_ in ids:
        id_.top = x.most_threads - 1
    out = [id_.splat(lanes) for id_ in ids]
    if x.layout in (LINE, WIDE):
        # Waves start at multiples of their size.
        forms_x = forms.Rows(ids[0], 1, lanes, None)
        out[0] = forms.make(out[0], forms_x, zeros=lanes.bit_length() - 1, top=x.most_threads - 1)
    else:
        row = int(x.layout)
        out[0] = forms.make(out[0], forms.Rows(zero, 1 if row > 1 else 0, row, zero), zeros=32, top=row - 1)
        out[1] = forms.make(out[1], forms.Rows(ids[1], 0, row, x.scalar("u32", 1)), top=x.most_threads - 1)
    return out
