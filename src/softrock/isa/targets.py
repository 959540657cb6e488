"""What each target is: register files, wave sizes, special registers.

Sources: AMD's ISA guides (MI200, MI300, MI350, RDNA3, RDNA4) and LLVM's AMDGPU usage page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from softrock.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Target:
    """One instruction set as a kernel sees it.

    Attributes:
        name: LLVM's processor name, such as ``gfx942``.
        family: cdna2, cdna3, cdna4, rdna3 or rdna4.
        major: major version of the instruction set: 9, 11 or 12.
        wave_sizes: lanes a wave can have.
        wave_size: lanes a wave has here; the default of the target unless :meth:`with_wave_size` chose otherwise.
        max_vgprs: vector registers one wave can address, AGPRs not counted.
        max_agprs: accumulation registers one wave can address, 0 where there are none.
        simd_vgprs: registers, each as wide as a wave, that the waves of one SIMD share.
        max_sgprs: scalar registers one wave can address, VCC not counted.
        has_true16: 16-bit operands name halves of registers (v1.l, v1.h).
        null_sgpr: scalar register number that reads 0 and drops writes, None where there is none.
        m0_sgpr: scalar register number of M0.
        lds_bytes: LDS a workgroup can have, in bytes.
        lds_granule: unit in which the hardware hands out LDS, in bytes.
        vgpr_granule: unit in which the hardware hands out vector registers.
        vgpr_encoding_granule: unit of the register count in a kernel descriptor.
        sgpr_encoding_granule: the same for scalar registers, 0 where the descriptor does not tell.
        max_waves: waves one SIMD can hold.
        packed_workitem_ids: v0 holds x, y and z of the work-item id, ten bits each.
        workgroup_ids_in_ttmp: workgroup ids come in TTMP9 (x) and TTMP7 (y low half, z high half), not in SGPRs.
        architected_flat_scratch: the hardware sets FLAT_SCRATCH; kernels do not.
        fp8_fnuz: FP8 numbers are of the FNUZ kind, otherwise OCP.
        smem_offset_bits: width of a scalar load's signed immediate offset.
        flat_offset_bits: width of a global load's signed immediate offset.
    """

    name: str
    family: str
    major: int
    wave_sizes: tuple[int, ...]
    wave_size: int
    max_vgprs: int
    max_agprs: int
    simd_vgprs: int
    max_sgprs: int
    has_true16: bool
    null_sgpr: int | None
    m0_sgpr: int
    lds_bytes: int
    lds_granule: int
    vgpr_granule: int
    vgpr_encoding_granule: int
    sgpr_encoding_granule: int
    max_waves: int
    packed_workitem_ids: bool
    workgroup_ids_in_ttmp: bool
    architected_flat_scratch: bool
    fp8_fnuz: bool
    smem_offset_bits: int
    flat_offset_bits: int

    @property
    def has_agpr(self) -> bool:
        """Whether there are accumulation registers."""
        return self.max_agprs > 0

    @property
    def mask_dwords(self) -> int:
        """Scalar registers that a lane mask takes."""
        return self.wave_size // 32

    def with_wave_size(self, lanes: int) -> Target:
        """The same target running waves of `lanes` lanes.

        Raises:
            UsageError: the target has no such waves.
        """
        if lanes == self.wave_size:
            return self
        if lanes not in self.wave_sizes:
            sizes = " or ".join(map(str, self.wave_sizes))
            raise UsageError(f"{self.name} has no waves of {lanes} lanes", hint=f"its waves have {sizes} lanes")
        if self.major < 10:
            return replace(self, wave_size=lanes)
        half = lanes == 64
        return replace(
            self,
            wave_size=lanes,
            simd_vgprs=self.simd_vgprs // 2 if half else self.simd_vgprs * 2,
            vgpr_granule=self.vgpr_granule // 2 if half else self.vgpr_granule * 2,
            vgpr_encoding_granule=4 if half else 8,
        )


_CDNA2 = Target(
    name="gfx90a",
    family="cdna2",
    major=9,
    wave_sizes=(64,),
    wave_size=64,
    max_vgprs=256,
    max_agprs=256,
    simd_vgprs=512,
    max_sgprs=102,
    has_true16=False,
    null_sgpr=None,
    m0_sgpr=124,
    lds_bytes=65536,
    lds_granule=512,
    vgpr_granule=8,
    vgpr_encoding_granule=8,
    sgpr_encoding_granule=8,
    max_waves=8,
    packed_workitem_ids=True,
    workgroup_ids_in_ttmp=False,
    architected_flat_scratch=False,
    fp8_fnuz=False,
    smem_offset_bits=21,
    flat_offset_bits=13,
)
_CDNA3 = replace(_CDNA2, name="gfx942", family="cdna3", architected_flat_scratch=True, fp8_fnuz=True)
_CDNA4 = replace(_CDNA3, name="gfx950", family="cdna4", lds_bytes=163840, lds_granule=1280, fp8_fnuz=False)
_RDNA3 = Target(
    name="gfx1100",
    family="rdna3",
    major=11,
    wave_sizes=(32, 64),
    wave_size=32,
    max_vgprs=256,
    max_agprs=0,
    simd_vgprs=1536,
    max_sgprs=106,
    has_true16=True,
    null_sgpr=124,
    m0_sgpr=125,
    lds_bytes=65536,
    lds_granule=1024,
    vgpr_granule=24,
    vgpr_encoding_granule=8,
    sgpr_encoding_granule=0,
    max_waves=16,
    packed_workitem_ids=True,
    workgroup_ids_in_ttmp=False,
    architected_flat_scratch=True,
    fp8_fnuz=False,
    smem_offset_bits=21,
    flat_offset_bits=13,
)
_RDNA4 = replace(
    _RDNA3, name="gfx1201", family="rdna4", major=12, workgroup_ids_in_ttmp=True, smem_offset_bits=24,
    flat_offset_bits=24,
)

_TARGETS = {t.name: t for t in (_CDNA2, _CDNA3, _CDNA4, _RDNA3, _RDNA4)}


def names() -> list[str]:
    """Names of all known targets."""
    return list(_TARGETS)


def target(name: str) -> Target:
    """The target of this name; feature suffixes such as ``:xnack-`` are ignored.

    Raises:
        UsageError: there is no such target; the message lists the known ones.
    """
    found = _TARGETS.get(name.partition(":")[0])
    if found is None:
        raise UsageError(f"unknown target {name!r}", hint=f"known targets: {', '.join(_TARGETS)}")
    return found
