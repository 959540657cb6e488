"""Layouts and numbers that compiled programs share with libamdhip64, and the prototypes' form.

The sizes are those that AMD's public Python bindings of HIP 7 report for the same records on x86-64; the numbers
below are from the HIP and CUDA documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from softrock.compiler import driver

DETAIL = driver.INCLUDE / "hip" / "detail"
Hipcc = Callable[..., int]

SIZES = """
HIP_ARRAY3D_DESCRIPTOR 40  HIP_ARRAY_DESCRIPTOR 24  HIP_LAUNCH_CONFIG 56  HIP_MEMCPY3D 184  HIP_RESOURCE_DESC 144
HIP_RESOURCE_VIEW_DESC 112  HIP_TEXTURE_DESC 104  dim3 12  hipAccessPolicyWindow 32  hipArrayMapInfo 152
hipArrayMemoryRequirements 16  hipBatchMemOpNodeParams 32  hipChannelFormatDesc 20  hipChildGraphNodeParams 8
hipDevResource 144  hipDevSmResource 16  hipDevSmResourceGroupParams 64  hipDevWorkqueueConfigResource 12
hipDevWorkqueueResource 40  hipDeviceArch_t 4  hipDeviceProp_t 1472  hipEventRecordNodeParams 8
hipEventWaitNodeParams 8  hipExtDynDataPrefetchConfig 72  hipExtDynDataPrefetchRegion 32  hipExtent 24
hipExternalMemoryBufferDesc 88  hipExternalMemoryHandleDesc 104  hipExternalMemoryMipmappedArrayDesc 64
hipExternalSemaphoreHandleDesc 96  hipExternalSemaphoreSignalNodeParams 24  hipExternalSemaphoreSignalParams 144
hipExternalSemaphoreWaitNodeParams 24  hipExternalSemaphoreWaitParams 144  hipFuncAttributes 56
hipFunctionLaunchParams 56  hipGraphEdgeData 8  hipGraphInstantiateParams 32  hipGraphNodeParams 256
hipHostNodeParams 16  hipIpcEventHandle_t 64  hipIpcMemHandle_t 64  hipKernelNodeParams 64  hipLaunchAttribute 72
hipLaunchAttributeValue 64  hipLaunchConfig_t 56  hipLaunchMemSyncDomainMap 2  hipLaunchParams 56  hipMemAccessDesc 12
hipMemAllocNodeParams 120  hipMemAllocationProp 32  hipMemFabricHandle_t 64  hipMemFreeNodeParams 8  hipMemLocation 8
hipMemPoolProps 88  hipMemPoolPtrExportData 64  hipMemcpy3DBatchOp 112  hipMemcpy3DOperand 40  hipMemcpy3DParms 160
hipMemcpy3DPeerParms 168  hipMemcpyAttributes 24  hipMemcpyNodeParams 176  hipMemsetParams 48  hipMipmappedArray 64
hipOffset3D 24  hipPitchedPtr 32  hipPointerAttribute_t 32  hipPos 24  hipResourceDesc 64  hipResourceViewDesc 48
hipStreamBatchMemOpParams 48  hipTextureDesc 64  hipUUID_t 16  hip_Memcpy2D 128  surfaceReference 8  textureReference 88
"""

VALUES = """
hipSuccess 0  hipErrorInvalidValue 1  hipErrorOutOfMemory 2  hipErrorNotInitialized 3  hipErrorDeinitialized 4
hipErrorInvalidConfiguration 9  hipErrorInvalidDeviceFunction 98  hipErrorNoDevice 100  hipErrorInvalidDevice 101
hipErrorInvalidImage 200  hipErrorNoBinaryForGpu 209  hipErrorFileNotFound 301  hipErrorInvalidHandle 400
hipErrorNotFound 500  hipErrorNotReady 600  hipErrorIllegalAddress 700  hipErrorLaunchOutOfResources 701
hipErrorPeerAccessAlreadyEnabled 704  hipErrorAssert 710  hipErrorLaunchFailure 719
hipErrorCooperativeLaunchTooLarge 720  hipErrorNotSupported 801  hipErrorStreamCaptureUnsupported 900
hipErrorUnknown 999
hipMemcpyHostToHost 0  hipMemcpyHostToDevice 1  hipMemcpyDeviceToHost 2  hipMemcpyDeviceToDevice 3  hipMemcpyDefault 4
hipMemoryTypeHost 1  hipMemoryTypeDevice 2  hipMemoryTypeManaged 3  hipStreamCaptureStatusNone 0
hipStreamCaptureStatusActive 1  hipStreamCaptureStatusInvalidated 2  hipFuncAttributeMaxDynamicSharedMemorySize 8
hipDeviceAttributeEccEnabled 0  hipDeviceAttributeWarpSize 87  hipDeviceAttributeComputeCapabilityMajor 23
hipDeviceAttributeMultiprocessorCount 63  hipDeviceAttributeMaxThreadsPerBlock 56  hipLimitMallocHeapSize 2
HIP_R_32F 0  HIP_R_16BF 14  hipHostMallocMapped 2  hipEventDisableTiming 2  hipStreamNonBlocking 1  HIP_VERSION_MAJOR 7
"""

FUNCTIONS = re.compile(r"^(?:\w+ )*(?:const char \*|\w+ )(\w+)\(.*\);$", re.M)


def pairs(table: str) -> list[tuple[str, int]]:
    words = table.split()
    return [(name, int(value)) for name, value in zip(words[::2], words[1::2], strict=True)]


def check(lines: list[str], language: str, work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    """Compile a file of static assertions."""
    path = work / ("a.c" if language == "c" else "a.cpp")
    path.write_text("#include <hip/hip_runtime_api.h>\n#include <hip/hiprtc.h>\n" + "\n".join(lines) + "\n")
    status = hipcc(f"-std={'c11' if language == 'c' else 'c++17'}", "-fsyntax-only", str(path), cxx_is_hip=False)
    assert status == 0, capfd.readouterr().err


@pytest.mark.parametrize("language", ["c", "c++"])
def test_sizes_and_numbers(language: str, work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    keyword = "_Static_assert" if language == "c" else "static_assert"
    lines = [f'{keyword}(sizeof({name}) == {size}, "{name}");' for name, size in pairs(SIZES)]
    lines += [f'{keyword}((long long)({name}) == {value}, "{name}");' for name, value in pairs(VALUES)]
    lines += [f'{keyword}(sizeof({name}{i}) == {size * i}, "");' for name, size in _ELEMENTS for i in (1, 2, 3, 4)]
    check(lines, language, work, hipcc, capfd)


_ELEMENTS = [("char", 1), ("ushort", 2), ("int", 4), ("ulong", 8), ("longlong", 8), ("float", 4), ("double", 8)]


def test_offsets(work: Path, hipcc: Hipcc, capfd: pytest.CaptureFixture[str]) -> None:
    """Members that programs read most, where AMD's runtime puts them."""
    offsets = {
        "name": 0,
        "totalGlobalMem": 288,
        "warpSize": 308,
        "maxThreadsPerBlock": 320,
        "multiProcessorCount": 388,
        "gcnArchName": 1160,
    }
    lines = [f'_Static_assert(offsetof(hipDeviceProp_t, {name}) == {at}, "{name}");' for name, at in offsets.items()]
    lines.append(
        '_Static_assert(offsetof(hipResourceDesc, res) == 8 && offsetof(hipKernelNodeParams, func) == 24, "");'
    )
    check(lines, "c", work, hipcc, capfd)


def test_one_prototype_a_line() -> None:
    """The C library's stubs are checked against this file line by line."""
    text = (DETAIL / "api_functions.h").read_text()
    names = FUNCTIONS.findall(text)
    assert len(names) == len(set(names)) > 530
    assert {
        "hipMalloc",
        "hipGetDevicePropertiesR0600",
        "hipGraphLaunch",
        "hipMemcpyAsync_spt",
        "__hipPushCallConfiguration",
    } <= set(names)
    inside = text[text.index('extern "C" {') : text.rindex("}")]
    rest = [
        each
        for each in inside.split("\n")[1:]
        if each and not each.startswith(("#", "/*")) and not FUNCTIONS.match(each)
    ]
    assert not rest


def test_per_thread_names_exist() -> None:
    """Each function that the per-thread default stream renames has its _spt twin declared."""
    declared = set(FUNCTIONS.findall((DETAIL / "api_functions.h").read_text()))
    renamed = re.findall(r"#define (\w+) (\w+_spt)", (DETAIL / "api_per_thread.h").read_text())
    assert len(renamed) > 30
    for plain, twin in renamed:
        assert plain in declared
        assert twin in declared


def test_cuda_names_reach_something() -> None:
    """Each HIP name on the right of a CUDA name is one the HIP headers know."""
    known = set()
    for path in (driver.INCLUDE / "hip").rglob("*.h"):
        known |= set(re.findall(r"\w+", path.read_text()))
    folder = driver.INCLUDE / "softrock" / "cuda"
    names = [
        pair
        for path in folder.glob("*.h")
        for pair in re.findall(r"^#define (cu\w+|CU\w+|nv\w+) (hip\w+|HIP\w+)$", path.read_text(), re.M)
    ]
    assert len(names) > 1800
    assert [pair for pair in names if pair[1] not in known] == []
    # A name is defined once, or twice alike.
    assert len(dict(names)) == len(set(names))
