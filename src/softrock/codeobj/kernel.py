"""Kernel descriptors: the 64 bytes that tell the hardware how to start a wave, and what registers hold then.

Source: "User Guide for AMDGPU Backend" (llvm.org/docs/AMDGPUUsage.html), sections Kernel Descriptor,
Initial Kernel Execution State and Preloaded Kernel Arguments.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from softrock.codeobj.metadata import Arg, KernelMetadata
from softrock.codeobj.targets import TargetId, generation
from softrock.core.errors import CodeObjectError

DESCRIPTOR_SIZE = 64
_LAYOUT = struct.Struct("<III4xq20xIIIHH4x")
_PRELOAD_PROLOGUE = 256
"""Bytes at the start of a kernel that load its arguments by hand; hardware that preloads them skips these."""

# name, first bit, width, first and last generation that has the field
_RSRC1 = (
    ("granulated_workitem_vgpr_count", 0, 6, 6, 12),
    ("granulated_wavefront_sgpr_count", 6, 4, 6, 12),
    ("priority", 10, 2, 6, 12),
    ("float_round_mode_32", 12, 2, 6, 12),
    ("float_round_mode_16_64", 14, 2, 6, 12),
    ("float_denorm_mode_32", 16, 2, 6, 12),
    ("float_denorm_mode_16_64", 18, 2, 6, 12),
    ("priv", 20, 1, 6, 12),
    ("enable_dx10_clamp", 21, 1, 6, 11),
    ("enable_wg_rr_en", 21, 1, 12, 12),
    ("debug_mode", 22, 1, 6, 12),
    ("enable_ieee_mode", 23, 1, 6, 11),
    ("disable_perf", 23, 1, 12, 12),
    ("bulky", 24, 1, 6, 12),
    ("cdbg_user", 25, 1, 6, 12),
    ("fp16_ovfl", 26, 1, 9, 12),
    ("wgp_mode", 29, 1, 10, 12),
    ("mem_ordered", 30, 1, 10, 12),
    ("fwd_progress", 31, 1, 10, 12),
)
_RSRC2 = (
    ("enable_private_segment", 0, 1, 6, 12),
    ("user_sgpr_count", 1, 5, 6, 12),
    ("enable_trap_handler", 6, 1, 6, 11),
    ("enable_dynamic_vgpr", 6, 1, 12, 12),
    ("enable_sgpr_workgroup_id_x", 7, 1, 6, 12),
    ("enable_sgpr_workgroup_id_y", 8, 1, 6, 12),
    ("enable_sgpr_workgroup_id_z", 9, 1, 6, 12),
    ("enable_sgpr_workgroup_info", 10, 1, 6, 12),
    ("enable_vgpr_workitem_id", 11, 2, 6, 12),
    ("enable_exception_address_watch", 13, 1, 6, 12),
    ("enable_exception_memory", 14, 1, 6, 12),
    ("granulated_lds_size", 15, 9, 6, 12),
    ("enable_exception_fp_invalid_operation", 24, 1, 6, 12),
    ("enable_exception_fp_denormal_source", 25, 1, 6, 12),
    ("enable_exception_fp_division_by_zero", 26, 1, 6, 12),
    ("enable_exception_fp_overflow", 27, 1, 6, 12),
    ("enable_exception_fp_underflow", 28, 1, 6, 12),
    ("enable_exception_fp_inexact", 29, 1, 6, 12),
    ("enable_exception_int_divide_by_zero", 30, 1, 6, 12),
)
_RSRC3_UNIFIED = (("accum_offset", 0, 6, 9, 9), ("tg_split", 16, 1, 9, 9))
_RSRC3 = (
    ("shared_vgpr_count", 0, 4, 10, 11),
    ("inst_pref_size", 4, 6, 11, 11),
    ("inst_pref_size", 4, 8, 12, 12),
    ("trap_on_start", 10, 1, 11, 11),
    ("trap_on_end", 11, 1, 11, 11),
    ("glg_en", 13, 1, 12, 12),
    ("image_op", 31, 1, 11, 12),
)
_PROPERTIES = (
    ("enable_sgpr_private_segment_buffer", 0, 1, 6, 12),
    ("enable_sgpr_dispatch_ptr", 1, 1, 6, 12),
    ("enable_sgpr_queue_ptr", 2, 1, 6, 12),
    ("enable_sgpr_kernarg_segment_ptr", 3, 1, 6, 12),
    ("enable_sgpr_dispatch_id", 4, 1, 6, 12),
    ("enable_sgpr_flat_scratch_init", 5, 1, 6, 12),
    ("enable_sgpr_private_segment_size", 6, 1, 6, 12),
    ("enable_wavefront_size32", 10, 1, 10, 12),
    ("uses_dynamic_stack", 11, 1, 6, 12),
)
_PRELOAD = (("kernarg_preload_length", 0, 7, 9, 12), ("kernarg_preload_offset", 7, 9, 9, 12))

_USER_SGPRS = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)
_SYSTEM_SGPRS = ("workgroup_id_x", "workgroup_id_y", "workgroup_id_z", "workgroup_info")

_UNIFIED_VGPRS = ("gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic")
"""Processors whose VGPRs and AGPRs share one register file."""


class InitialSgpr(NamedTuple):
    """What a wave finds in its scalar registers: `size` registers from `first` on hold `name`."""

    name: str
    first: int
    size: int


class Descriptor(NamedTuple):
    """The kernel descriptor. Sizes in bytes; `fields` holds every bit field by its name in LLVM's guide."""

    group_segment_fixed_size: int
    private_segment_fixed_size: int
    kernarg_size: int
    entry_offset: int
    rsrc1: int
    rsrc2: int
    rsrc3: int
    properties: int
    kernarg_preload: int
    fields: dict[str, int]

    @classmethod
    def decode(cls, data: bytes, target: TargetId) -> Descriptor:
        """Decode 64 bytes for a target (the meaning of some bits depends on it)."""
        group, private, kernarg, entry, rsrc3, rsrc1, rsrc2, properties, preload = _LAYOUT.unpack(data)
        third = _RSRC3_UNIFIED if target.processor in _UNIFIED_VGPRS else _RSRC3
        now = min(target.generation, 12)
        fields: dict[str, int] = {}
        words = (
            (_RSRC1, rsrc1),
            (_RSRC2, rsrc2),
            (third, rsrc3),
            (_PROPERTIES, properties),
            (_PRELOAD, preload),
        )
        for table, word in words:
            for name, first_bit, width, since, until in table:
                if since <= now <= until:
                    fields[name] = word >> first_bit & ((1 << width) - 1)
        return cls(group, private, kernarg, entry, rsrc1, rsrc2, rsrc3, properties, preload, fields)


@dataclass(eq=False, repr=False)
class Kernel:
    """A kernel of a code object. Addresses are virtual addresses of the code object (add the load address).

    Attributes:
        name: as the host launches it (a mangled name for C++).
        target: what it was compiled for.
        address: where its descriptor stands.
        code_address: where its code begins.
        code_size: bytes of code (0 where the symbol table does not tell).
        descriptor: the decoded descriptor.
        metadata: what the compiler noted, None where the code object carries no metadata.
        file: name of the code object, for messages.
    """

    name: str
    target: TargetId
    address: int
    code_address: int
    code_size: int
    descriptor: Descriptor
    metadata: KernelMetadata | None
    file: str = ""

    @property
    def fields(self) -> dict[str, int]:
        """The descriptor's bit fields by name."""
        return self.descriptor.fields

    @property
    def entry(self) -> int:
        """Where a wave starts: past the prologue when arguments are preloaded into scalar registers."""
        return self.code_address + (_PRELOAD_PROLOGUE if self.preload[0] else 0)

    @property
    def preload(self) -> tuple[int, int]:
        """Preloaded kernel arguments: (count, offset into the argument block), both in 32-bit words."""
        if self.target.generation != 9:
            return (0, 0)
        return self.fields["kernarg_preload_length"], self.fields["kernarg_preload_offset"]

    @property
    def wavefront_size(self) -> int:
        """Lanes of a wave, 32 or 64."""
        return 32 if self.fields.get("enable_wavefront_size32") else 64

    @property
    def kernarg_size(self) -> int:
        """Bytes of the argument block, hidden arguments included."""
        return max(self.descriptor.kernarg_size, self.metadata.kernarg_segment_size if self.metadata else 0)

    @property
    def group_segment_size(self) -> int:
        """Bytes of LDS a workgroup uses without dynamic LDS."""
        return self.descriptor.group_segment_fixed_size

    @property
    def private_segment_size(self) -> int:
        """Bytes of scratch a lane uses (with a dynamic stack: at least)."""
        return self.descriptor.private_segment_fixed_size

    @property
    def uses_dynamic_stack(self) -> bool:
        """Whether the scratch size is only a lower bound (recursion, calls through pointers)."""
        return bool(self.fields["uses_dynamic_stack"])

    @property
    def args(self) -> tuple[Arg, ...]:
        """Explicit arguments in order (empty without metadata)."""
        return tuple(each for each in self.metadata.args if not each.hidden) if self.metadata else ()

    @property
    def hidden_args(self) -> dict[str, Arg]:
        """Hidden arguments by kind, e.g. ``hidden_block_count_x`` (empty without metadata)."""
        return {each.value_kind: each for each in self.metadata.args if each.hidden} if self.metadata else {}

    @property
    def max_flat_workgroup_size(self) -> int:
        """Most threads a block may have (1024 without metadata)."""
        return (self.metadata.max_flat_workgroup_size if self.metadata else 0) or 1024

    @property
    def vgprs(self) -> int:
        """Vector registers allocated to a lane, in granules; AGPRs included where the file is shared."""
        granule = 8 if self.target.processor in _UNIFIED_VGPRS or self.wavefront_size == 32 else 4
        return (self.fields["granulated_workitem_vgpr_count"] + 1) * granule

    @property
    def accum_offset(self) -> int | None:
        """Where AGPRs begin in the shared register file; None on processors without one."""
        offset = self.fields.get("accum_offset")
        return None if offset is None else (offset + 1) * 4

    @property
    def sgprs(self) -> int:
        """Scalar registers allocated to a wave, VCC and other specials included (128 from gfx10 on)."""
        if self.target.generation >= 10:
            return 128
        return (self.fields["granulated_wavefront_sgpr_count"] // 2 + 1) * 16

    @property
    def packed_workitem_ids(self) -> bool:
        """Whether v0 holds all three work-item ids, ten bits each (else v0, v1 and v2 hold one each)."""
        return self.target.generation >= 11 or self.target.processor in _UNIFIED_VGPRS

    @property
    def workitem_id_count(self) -> int:
        """How many work-item ids the wave finds in vector registers: 1 (x), 2 (x, y) or 3."""
        return min(self.fields["enable_vgpr_workitem_id"], 2) + 1

    @property
    def workgroup_ids_in_ttmp(self) -> bool:
        """Whether workgroup ids stand in ttmp9 (x) and ttmp7 (y in the low half, z in the high half)."""
        return self.target.generation >= 12

    @property
    def architected_flat_scratch(self) -> bool:
        """Whether the hardware sets FLAT_SCRATCH up, so that no scalar register holds scratch offsets."""
        return has_architected_flat_scratch(self.target.processor)

    @property
    def mode(self) -> int:
        """Initial MODE register: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9, FP16_OVFL 23."""
        field = self.fields
        value = field["float_round_mode_32"] | field["float_round_mode_16_64"] << 2
        value |= field["float_denorm_mode_32"] << 4 | field["float_denorm_mode_16_64"] << 6
        value |= field.get("enable_dx10_clamp", 0) << 8 | field.get("enable_ieee_mode", 0) << 9
        return value | field.get("fp16_ovfl", 0) << 23

    @cached_property
    def user_sgprs(self) -> tuple[InitialSgpr, ...]:
        """User scalar registers in order, without padding.

        Raises:
            CodeObjectError: the descriptor enables more of them than it counts.
        """
        found: list[InitialSgpr] = []
        at = 0
        for name, count in _USER_SGPRS:
            if self.fields[f"enable_sgpr_{name}"]:
                found.append(InitialSgpr(name, at, count))
                at += count
        if self.preload[0]:
            found.append(InitialSgpr("kernarg_preload", at, self.preload[0]))
            at += self.preload[0]
        if at > self.fields["user_sgpr_count"]:
            raise CodeObjectError(
                f"{self.file}: kernel {self.name} is corrupt: its descriptor enables {at} user SGPRs "
                f"but counts {self.fields['user_sgpr_count']}",
                hint="rebuild the code object",
            )
        return tuple(found)

    def initial_sgprs(self, target: str | None = None) -> list[InitialSgpr]:
        """What a wave finds in its scalar registers, in order: user registers, then system registers.

        Names: private_segment_buffer, dispatch_ptr, queue_ptr, kernarg_segment_ptr, dispatch_id,
        flat_scratch_init, private_segment_size, kernarg_preload; workgroup_id_x, workgroup_id_y,
        workgroup_id_z, workgroup_info, private_segment_wavefront_offset. User registers may be followed
        by padding, so that the first system register is the one after `user_sgpr_count`.

        Args:
            target: processor to start on, if another than the one compiled for (code of a generic target).
        """
        processor = target.split(":")[0] if target else self.target.processor
        found = list(self.user_sgprs)
        if generation(processor) >= 12:
            return found
        at = self.fields["user_sgpr_count"]
        for name in _SYSTEM_SGPRS:
            if self.fields[f"enable_sgpr_{name}"]:
                found.append(InitialSgpr(name, at, 1))
                at += 1
        if self.fields["enable_private_segment"] and not has_architected_flat_scratch(processor):
            found.append(InitialSgpr("private_segment_wavefront_offset", at, 1))
        return found


def has_architected_flat_scratch(processor: str) -> bool:
    """Whether a processor's hardware sets FLAT_SCRATCH up by itself."""
    return generation(processor) >= 11 or (processor in _UNIFIED_VGPRS and processor != "gfx90a")
