"""What each imitated GPU is: its size, clocks and limits, and the properties that HIP reports from them.

The facts stand in ``models.txt``; this module reads them and derives the rest.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

from softrock.core.errors import UsageError

WALL_CLOCK_KHZ = 100_000
"""Rate of ``wall_clock64()``: the constant clock of AMD GPUs."""

_ARCH_FEATURES = (
    ("hasGlobalInt32Atomics", 1),
    ("hasGlobalFloatAtomicExch", 1),
    ("hasSharedInt32Atomics", 1),
    ("hasSharedFloatAtomicExch", 1),
    ("hasFloatAtomicAdd", 1),
    ("hasGlobalInt64Atomics", 1),
    ("hasSharedInt64Atomics", 1),
    ("hasDoubles", 1),
    ("hasWarpVote", 1),
    ("hasWarpBallot", 1),
    ("hasWarpShuffle", 1),
    ("hasFunnelShift", 0),
    ("hasThreadFenceSystem", 1),
    ("hasSyncThreadsExt", 0),
    ("hasSurfaceFuncs", 0),
    ("has3dGrid", 1),
    ("hasDynamicParallelism", 0),
)


class Model(NamedTuple):
    """A GPU's facts. Sizes in bytes, clocks in kHz; see ``models.txt`` for sources.

    Attributes:
        gfx: processor, e.g. gfx942.
        name: as sold, without "(software)".
        target_id: processor with the feature settings such a device runs with.
        xccs: compute dies that act as one device.
        compute_units: all of the device.
        units_per_multiprocessor: compute units in what HIP calls a multiprocessor.
        simds_per_unit: SIMD units of a compute unit.
        max_waves_per_simd: waves a SIMD holds at once.
        vgprs_per_simd: registers of a lane, over all waves of a SIMD, at the default wave size (half of
            them in wave64 on processors whose default is 32).
        vgpr_granule: VGPRs are allocated in multiples of this (halved likewise).
        max_vgprs: most a wave can address.
        sgprs_per_simd, sgpr_granule: 0 where SGPRs never limit occupancy.
        lds_per_unit: of one compute unit; lds_per_block: most for one block; lds_granule: allocation step.
        max_blocks_with_barrier: blocks of several waves that a multiprocessor holds at once.
        memory_bus_bits, bandwidth_gb_s, power_watt: as sold.
        l2_bytes: of one die, as HIP reports it.
        single_to_double: peak rate of single over double precision.
        images: whether it has texture units that HIP uses.
    """

    gfx: str
    name: str
    architecture: str
    target_id: str
    major: int
    minor: int
    chip_id: int
    asic_revision: int
    xccs: int
    compute_units: int
    units_per_multiprocessor: int
    simds_per_unit: int
    wave_size: int
    max_waves_per_simd: int
    vgprs_per_simd: int
    vgpr_granule: int
    max_vgprs: int
    sgprs_per_simd: int
    sgpr_granule: int
    lds_per_unit: int
    lds_per_block: int
    lds_granule: int
    max_blocks_with_barrier: int
    max_threads_per_block: int
    clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int
    memory_bytes: int
    bandwidth_gb_s: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    cache_line: int
    single_to_double: int
    ecc: int
    images: int
    concurrent_managed: int
    power_watt: int

    @property
    def multiprocessors(self) -> int:
        """What HIP reports as multiProcessorCount."""
        return self.compute_units // self.units_per_multiprocessor

    @property
    def simds_per_multiprocessor(self) -> int:
        """SIMD units of a multiprocessor."""
        return self.simds_per_unit * self.units_per_multiprocessor

    @property
    def max_waves_per_multiprocessor(self) -> int:
        """Waves that a multiprocessor holds at once."""
        return self.max_waves_per_simd * self.simds_per_multiprocessor

    @property
    def software_name(self) -> str:
        """The name that the software GPU reports."""
        return f"{self.name} (software)"

    def properties(self, index: int = 0, memory_bytes: int | None = None) -> dict[str, Any]:
        """The fields of ``hipDeviceProp_tR0600`` by their names, and under ``attributes`` by name (without
        ``hipDeviceAttribute``) the values that no field holds.

        Args:
            index: number of the device in the process; gives it its own PCI address and UUID.
            memory_bytes: what to report as total memory, if not the model's own.
        """
        properties = {
            "name": self.software_name,
            "gcnArchName": self.target_id,
            "uuid": f"{self.chip_id:04x}{index:012x}",
            "totalGlobalMem": self.memory_bytes if memory_bytes is None else memory_bytes,
            "pciBusID": index + 1,
            "asicRevision": self.asic_revision,
            "arch": dict(_ARCH_FEATURES),
        }
        properties |= _fixed() | self._compute() | self._memory() | self._images()
        properties["attributes"] = self._attributes()
        return properties

    def _compute(self) -> dict[str, Any]:
        registers = self.vgprs_per_simd * self.wave_size * self.simds_per_multiprocessor
        threads = self.max_threads_per_block
        return {
            "major": self.major,
            "minor": self.minor,
            "warpSize": self.wave_size,
            "regsPerBlock": registers,
            "regsPerMultiprocessor": registers,
            "maxThreadsPerBlock": threads,
            "maxThreadsDim": (threads, threads, threads),
            "maxThreadsPerMultiProcessor": self.max_waves_per_multiprocessor * self.wave_size,
            "maxBlocksPerMultiProcessor": self.max_waves_per_multiprocessor,
            "multiProcessorCount": self.multiprocessors,
            "clockRate": self.clock_khz,
            "clockInstructionRate": WALL_CLOCK_KHZ,
            "singleToDoublePrecisionPerfRatio": self.single_to_double,
        }

    def _memory(self) -> dict[str, Any]:
        return {
            "sharedMemPerBlock": self.lds_per_block,
            "sharedMemPerBlockOptin": self.lds_per_block,
            "sharedMemPerMultiprocessor": self.lds_per_unit,
            "maxSharedMemoryPerMultiProcessor": self.lds_per_unit,
            "memoryClockRate": self.memory_clock_khz,
            "memoryBusWidth": self.memory_bus_bits,
            "l2CacheSize": self.l2_bytes,
            "ECCEnabled": self.ecc,
            "concurrentManagedAccess": self.concurrent_managed,
        }

    def _images(self) -> dict[str, Any]:
        if not self.images:
            return {}
        side, depth = 16384, 8192
        return {
            "maxTexture1D": side,
            "maxTexture1DMipmap": side,
            "maxTexture1DLinear": 1 << 27,
            "maxTexture2D": (side, side),
            "maxTexture2DMipmap": (side, side),
            "maxTexture2DGather": (side, side),
            "maxTexture2DLinear": (side, side, 1 << 20),
            "maxTexture3D": (side, side, depth),
            "maxTexture1DLayered": (side, 2048),
            "maxTexture2DLayered": (side, side, 2048),
            "maxSurface1D": side,
            "maxSurface2D": (side, side),
            "maxSurface3D": (side, side, depth),
        }

    def _attributes(self) -> dict[str, int]:
        return {
            "WallClockRate": WALL_CLOCK_KHZ,
            "NumberOfXccs": self.xccs,
            "PhysicalMultiProcessorCount": self.multiprocessors,
            "MaxAvailableVgprsPerThread": self.max_vgprs,
            "PciChipId": self.chip_id,
            "ImageSupport": self.images,
            "FineGrainSupport": 1,
            "CanUseStreamWaitValue": 1,
            "VirtualMemoryManagementSupported": 0,
            "HostNumaId": -1,
            "DmaBufSupported": 0,
            "GPUDirectRDMAWithHipVMMSupported": 0,
            "HandleTypeFabricSupported": 0,
            "ExpertSchedMode": 0,
            "MaxDynDataPrefetchRegions": 0,
        }


def _fixed() -> dict[str, Any]:
    """Properties that all of these GPUs share; every field that is not given is 0."""
    limit = 2**31 - 1
    on = (
        "canMapHostMemory concurrentKernels unifiedAddressing streamPrioritiesSupported managedMemory "
        "globalL1CacheSupported localL1CacheSupported canUseHostPointerForRegisteredMem cooperativeLaunch "
        "cooperativeMultiDeviceLaunch hostRegisterSupported memoryPoolsSupported isLargeBar deviceOverlap "
        "computePreemptionSupported unifiedFunctionPointers directManagedMemAccessFromHost"
    )
    return dict.fromkeys(on.split(), 1) | {
        "memPitch": limit,
        "totalConstMem": limit,
        "maxGridSize": (limit, 65536, 65536),
        "textureAlignment": 256,
        "texturePitchAlignment": 256,
        "surfaceAlignment": 256,
        "asyncEngineCount": 2,
    }


@functools.cache
def _table() -> dict[str, Model]:
    text = (Path(__file__).parent / "models.txt").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.split("|")] for line in text.splitlines() if line and line[0] != "#"
    ]
    names = rows[0][1:]
    return {
        gfx: Model(gfx=gfx, **{row[0]: _value(row[0], row[column + 1]) for row in rows[1:]})
        for column, gfx in enumerate(names)
    }


def _value(fact: str, text: str) -> Any:
    return text if fact in ("name", "architecture", "target_id") else int(text, 0)


def names() -> tuple[str, ...]:
    """The processors there are models of, the default first."""
    return tuple(_table())


def model(gfx: str) -> Model:
    """The model of a processor; a target ID with features (``gfx942:xnack-``) is accepted, its settings
    replace the model's own.

    Raises:
        UsageError: there is none.
    """
    processor, _, settings = gfx.strip().partition(":")
    found = _table().get(processor)
    if found is None:
        raise UsageError(
            f"there is no GPU {processor!r}",
            hint=f"choose among {', '.join(names())}, e.g. --gpu {names()[0]}",
        )
    if not settings:
        return found
    from softrock.codeobj import targets

    asked = targets.parse(gfx)
    own = targets.parse(found.target_id)
    if set(asked.features) - set(own.features):
        raise UsageError(
            f"{processor} has no setting {settings!r}",
            hint=f"its settings are {found.target_id.partition(':')[2] or 'none'}",
        )
    merged = targets.TargetId(processor, **{**own.features, **asked.features})
    return found._replace(target_id=str(merged))


_MOST_DEVICES = 64


def parse_gpus(text: str) -> list[Model]:
    """The devices that SOFTROCK_GPUS or ``--gpu`` asks for: names with counts, ``gfx942:2,gfx1100``.

    A count and feature settings may be combined: ``gfx942:xnack+:2``.

    Raises:
        UsageError: an unknown GPU, a bad count, or nothing at all.
    """
    found: list[Model] = []
    for part in text.split(","):
        name, _, count = part.strip().rpartition(":")
        if not name or not count.lstrip("-").isdigit():
            name, count = part.strip(), "1"
        if not name:
            raise UsageError(
                f"the list of GPUs {text!r} has an empty entry", hint="write it like gfx942:2,gfx1100"
            )
        if not 1 <= int(count) <= _MOST_DEVICES:
            raise UsageError(
                f"{part.strip()!r}: the count must be 1 to {_MOST_DEVICES}", hint="write it like gfx942:2"
            )
        found += [model(name)] * int(count)
    if len(found) > _MOST_DEVICES:
        raise UsageError(
            f"{len(found)} GPUs are too many, {_MOST_DEVICES} is the limit", hint="ask for fewer"
        )
    return found
