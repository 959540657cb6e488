"""The mapping tables: well-formed, complete where they must be, and true to our own headers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from softrock.hipify import table

HEADERS = Path(table.__file__).parent.parent / "compiler" / "include"
EVERY = (*table.FAMILIES, *table.OTHERS)
CPP = [row for family in table.FAMILIES for row in table.table(family).values()]

_NAME = re.compile(r"(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_OPTION = re.compile(r"--?[\w+=-]+")
_HEADER = re.compile(r"[\w/.-]+\.(?:h|hpp|cuh)|(?:cuda|hip)/(?:std/)?\w+")


def lines(family: str) -> list[str]:
    text = (table.FOLDER / f"{family}.tsv").read_text(encoding="utf-8")
    return [each for each in text.split("\n") if each and not each.startswith("#")]


@pytest.mark.parametrize("family", EVERY)
def test_every_line_is_well_formed(family: str) -> None:
    head, *body = lines(family)
    assert head == "cuda\thip\tkind\tsince\tstatus\tnote"
    assert len(body) > 10
    for line in body:
        cells = line.split("\t")
        assert len(cells) == 6, line
        assert all(cell and cell == cell.strip() for cell in cells), line
        _, hip, kind, since, status, _ = cells
        assert kind in table.KINDS, line
        assert status in table.STATUSES, line
        assert re.fullmatch(r"-|\d+(?:\.\d+){1,2}", since), line
        assert (hip == "-") == (status in ("unsupported", "removed")), line
        assert hip != "-" or since == "-", line


def test_the_source_of_facts_is_named() -> None:
    for family in EVERY:
        text = (table.FOLDER / f"{family}.tsv").read_text(encoding="utf-8")
        assert text.startswith("#"), family
        assert "Source" in text.partition("\ncuda\t")[0], family


def test_no_name_stands_twice() -> None:
    place: dict[str, str] = {}
    for family in table.FAMILIES:
        for line in lines(family)[1:]:
            name = line.partition("\t")[0]
            assert name not in place, f"{name} stands in {place[name]} and in {family}"
            place[name] = family
    for family in table.OTHERS:
        names = [line.partition("\t")[0] for line in lines(family)[1:]]
        assert len(names) == len(set(names)), family


def test_names_in_cpp_sources_are_names() -> None:
    for row in CPP:
        if row.kind == "header":
            assert _HEADER.fullmatch(row.cuda), row
            assert not row.hip or _HEADER.fullmatch(row.hip), row
        else:
            assert _NAME.fullmatch(row.cuda), row
            assert not row.hip or _NAME.fullmatch(row.hip), row


def test_names_in_cmake_and_python_are_names() -> None:
    for family in table.OTHERS:
        for row in table.table(family).values():
            for name in filter(None, (row.cuda.removeprefix("package "), row.hip)):
                assert any(form.fullmatch(name) for form in (_NAME, _PATH, _OPTION, re.compile(r"[\w-]+::[\w-]+"))), row


def test_rows_that_need_a_note_have_one() -> None:
    for family in EVERY:
        for row in table.table(family).values():
            assert row.status == "full" or len(row.note) > 10, row
            assert "\t" not in row.note


def test_notes_do_not_contradict_the_status() -> None:
    for row in CPP:
        if row.hip:
            assert not row.note.startswith("HIP has nothing of this name"), row


def test_few_names_have_only_the_general_reason() -> None:
    general = [row for row in CPP if row.note.startswith("HIP has nothing of this name")]
    assert len(general) < len(CPP) // 50


def words(folder: Path) -> set[str]:
    found: set[str] = set()
    for path in folder.rglob("*.[hi]*"):
        found.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return found


def test_the_runtime_s_counterparts_are_in_our_headers() -> None:
    own = words(HEADERS / "hip")
    missing = {row.cuda for row in table.table("runtime").values() if row.status == "full" and row.hip not in own}
    # hip_gl_interop.h is not among our headers: there is no display here.
    missing = {name for name in missing if not re.match(r"cuda(?:GL|GraphicsGL)", name)}
    assert missing <= NOT_HERE, sorted(missing - NOT_HERE)


NOT_HERE = frozenset[str]()
"""Names of the runtime that HIP 7.2 has and our headers do not."""


def test_our_cuda_headers_agree() -> None:
    """Where a header of ours defines a CUDA name as a HIP name, the table does not say that there is none."""
    own = words(HEADERS / "hip")
    wrong = []
    for path in (HEADERS / "softrock" / "cuda").glob("*.h"):
        for cuda, hip in re.findall(
            r"^#define ((?:cuda|cu|CU|CUDA)\w+) (hip\w+|HIP\w+)$", path.read_text(), re.MULTILINE
        ):
            row = table.lookup(cuda)
            if hip in own and (row is None or not row.hip):
                wrong.append(cuda)
    assert not wrong


@pytest.mark.parametrize(
    ("cuda", "hip", "status"),
    [
        ("cudaMalloc", "hipMalloc", "full"),
        ("cudaMallocHost", "hipHostMalloc", "full"),
        ("cudaDeviceProp", "hipDeviceProp_t", "full"),
        ("cudaStream_t", "hipStream_t", "full"),
        ("cudaErrorMemoryAllocation", "hipErrorOutOfMemory", "full"),
        ("cudaMemcpyHostToDevice", "hipMemcpyHostToDevice", "full"),
        ("cudaDevAttrMaxBlocksPerMultiprocessor", "hipDeviceAttributeMaxBlocksPerMultiProcessor", "full"),
        ("cuMemAlloc_v2", "hipMalloc", "full"),
        ("cuLaunchKernel", "hipModuleLaunchKernel", "full"),
        ("CUdeviceptr", "hipDeviceptr_t", "partial"),
        ("CUDA_SUCCESS", "hipSuccess", "full"),
        ("nvrtcGetPTX", "hiprtcGetCode", "partial"),
        ("cublasSgemm", "hipblasSgemm", "full"),
        ("cublasSgemm_v2", "hipblasSgemm", "full"),
        ("cublasCgemm_v2", "hipblasCgemm", "full"),
        ("CUBLAS_OP_T", "HIPBLAS_OP_T", "full"),
        ("cublasLtMatmul", "hipblasLtMatmul", "full"),
        ("cufftExecC2C", "hipfftExecC2C", "full"),
        ("curandGenerateUniform", "hiprandGenerateUniform", "full"),
        ("curand_uniform", "hiprand_uniform", "full"),
        ("cusparseSpMV", "hipsparseSpMV", "full"),
        ("cusolverDnDgetrf", "hipsolverDnDgetrf", "full"),
        ("cudnnCreate", "miopenCreate", "partial"),
        ("ncclAllReduce", "ncclAllReduce", "full"),
        ("cub", "hipcub", "full"),
        ("cub::DeviceReduce", "hipcub::DeviceReduce", "full"),
        ("CUB_PTX_WARP_THREADS", "HIPCUB_WARP_THREADS", "partial"),
        ("thrust::device_vector", "thrust::device_vector", "full"),
        ("thrust::cuda::par", "thrust::hip::par", "full"),
        ("nvtxRangePushA", "roctxRangePushA", "full"),
        ("cuFileRead", "hipFileRead", "full"),
        ("__nv_bfloat16", "__hip_bfloat16", "full"),
        ("__nv_fp8_e4m3", "__hip_fp8_e4m3", "partial"),
        ("__ballot_sync", "__ballot_sync", "partial"),
        ("__syncthreads", "__syncthreads", "full"),
        ("cuda_runtime.h", "hip/hip_runtime.h", "full"),
        ("cublas_v2.h", "hipblas/hipblas.h", "full"),
        ("cub/block/block_reduce.cuh", "hipcub/block/block_reduce.hpp", "full"),
        ("cooperative_groups::this_grid", "cooperative_groups::this_grid", "full"),
        ("cudaGLSetGLDevice", "", "unsupported"),
        ("cuTensorMapEncodeTiled", "", "unsupported"),
        ("__vadd4", "", "unsupported"),
        ("cublasXt.h", "", "unsupported"),
    ],
)
def test_known_names(cuda: str, hip: str, status: str) -> None:
    row = table.lookup(cuda)
    assert row is not None
    assert (row.hip, row.status) == (hip, status)
    assert table.family(cuda) == row.family


@pytest.mark.parametrize(
    ("family", "cuda", "hip"),
    [
        ("cmake", "CUDA::cudart", "hip::host"),
        ("cmake", "CUDA::cublas", "roc::hipblas"),
        ("cmake", "CMAKE_CUDA_ARCHITECTURES", "CMAKE_HIP_ARCHITECTURES"),
        ("cmake", "CUDA_ARCHITECTURES", "HIP_ARCHITECTURES"),
        ("cmake", "CUDA", "HIP"),
        ("cmake", "package CUDA", "hip"),
        ("python", "torch.utils.cpp_extension.CUDAExtension", "torch.utils.cpp_extension.CUDAExtension"),
        ("python", "torch.cuda", "torch.cuda"),
        ("python", "TORCH_CUDA_ARCH_LIST", "PYTORCH_ROCM_ARCH"),
    ],
)
def test_known_names_of_other_languages(family: str, cuda: str, hip: str) -> None:
    assert table.table(family)[cuda].hip == hip


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("cudaNewCall", "runtime"),
        ("cuNewCall", "driver"),
        ("CU_NEW_VALUE", "driver"),
        ("CUnewtype", "driver"),
        ("CUDA_NEW_VALUE", "driver"),
        ("cublasNewCall", "cublas"),
        ("cublasLtNewCall", "cublaslt"),
        ("cufftNewCall", "cufft"),
        ("curand_uniform_new", "curand"),
        ("cusparseNewCall", "cusparse"),
        ("cusolverDnNewCall", "cusolver"),
        ("cudnnNewCall", "cudnn"),
        ("ncclNewCall", "nccl"),
        ("nvrtcNewCall", "nvrtc"),
        ("nvtxNewCall", "nvtx"),
        ("cuFileNewCall", "cufile"),
        ("__nv_new", "device"),
        ("__CUDA_NEW__", "macros"),
        ("cub::NewClass", "cub"),
        ("thrust::new_algorithm", "thrust"),
        ("cuda::new_class", "libcudacxx"),
        ("cooperative_groups::new_group", "cooperative_groups"),
        ("nvmlNewCall", "other"),
        ("cutensorNewCall", "other"),
    ],
)
def test_names_in_no_table_are_told_by_their_form(name: str, family: str) -> None:
    assert table.lookup(name) is None
    assert table.is_cuda_name(name)
    assert table.family(name) == family
    reason = table.reason(name)
    assert reason.reason
    assert str(reason).startswith(reason.reason)
    assert family in table.libraries()


OTHERS_NAMES = """
    cublas_handle curand_gen nvtx_colors cuda::GpuMat cuda::bilateralFilter CUDA_DEVICE_GUARD
    main cudaless cuda_check cutoff cube cumulative cursor custom current curl_easy_init CUSTOM CURL_GLOBAL
    CUBE_SIZE CUDA_CHECK CUDA_SAFE_CALL CUDA_CALL CHECK_CUDA CUDA_KERNEL_LOOP CUDA_H CUDA_UTILS_H_ CUBLAS_CHECK
    NCCL_CHECK std::vector hipMalloc HIP_CHECK nv nvidia notcudaMalloc mycublasCreate threadIdx float4
"""


@pytest.mark.parametrize("name", ["", *OTHERS_NAMES.split()])
def test_other_names_are_left_alone(name: str) -> None:
    assert table.lookup(name) is None
    assert not table.is_cuda_name(name)
    assert table.family(name) == ""


def test_names_of_the_tables_look_like_cuda_names_or_are_plain_words() -> None:
    """Most names of the tables would be told if they were in no table: a missing row does not pass silently."""
    rows = [
        row for row in CPP if row.family not in ("device", "intrinsics", "types", "headers") and row.kind != "header"
    ]
    strange = [row.cuda for row in rows if not table.is_cuda_name(row.cuda) and row.kind != "namespace"]
    assert len(strange) < len(rows) // 50, strange


def test_names_of_one_kind() -> None:
    spaces = table.rows().of_kind("namespace")
    assert {"cub", "thrust", "cooperative_groups", "thrust::cuda"} <= spaces
    assert spaces == {row.cuda for row in CPP if row.kind == "namespace"}


def test_verdicts() -> None:
    libraries = table.libraries()
    assert set(EVERY) <= set(libraries)
    for family, library in libraries.items():
        assert library.verdict in table.VERDICTS, family
        assert library.about.endswith("."), family
        assert (not library.counterpart) == (library.verdict == "none"), family
    assert libraries["cudnn"].verdict == "redesign"
    assert libraries["nccl"].verdict == "drop-in"


def test_reasons_are_used() -> None:
    """A line that no name comes to is a mistake in the pattern or of the order."""
    named = [row for family in EVERY for row in table.table(family).values()]
    unused = []
    used = {row.note for row in named}
    for where, pattern, status, reason in table.reasons():
        examples = pattern.pattern + where + status
        if str(reason) not in used and not any(word in examples for word in FOR_UNKNOWN):
            unused.append(pattern.pattern)
    assert not unused


FOR_UNKNOWN = (
    "cutensor", "NVML", "nvml", "nvshmem", "cutlass", "CUTLASS", "cuvid", "nvcv", "nvcomp", "Checkpoint", "cudss",
    "__NV", "cub::.*", "thrust::.*", "cuda::.*", "cmake", "python", "cupti", "nvcuda", "cusparseLt",
)  # fmt: skip
"""Parts of patterns that are there for names in no table."""


def test_loading_is_quick() -> None:
    code = (
        "import time; from softrock.hipify import table; t = time.process_time(); table.rows();"
        "table.lookup('cudaMalloc'); print(time.process_time() - t)"
    )
    seconds = min(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(3)
    )
    assert seconds < 0.06, "reading the tables takes about 20 ms"
