"""Declarations of libraries that are not installed, made from the mapping tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify import declarations
from softrock.hipify.parse import Tree, parse

CUDA = [family.cuda[0] for family in declarations.FAMILIES]
HIP = [family.hip[0] for family in declarations.FAMILIES if family.hip]


def parsed(tmp_path: Path, headers: list[str], text: str, name: str = "x.cu") -> Tree:
    path = tmp_path / name
    path.write_text("".join(f"#include <{each}>\n" for each in headers) + text)
    return parse(path)


@pytest.mark.parametrize(("name", "headers"), [("x.cu", CUDA), ("x.hip", HIP), ("x.c", CUDA)])
def test_all_of_a_side_compile_together(tmp_path: Path, name: str, headers: list[str]) -> None:
    lead = "#include <cuda_runtime_api.h>\n" if name == "x.c" else ""
    path = tmp_path / name
    path.write_text(lead + "".join(f"#include <{each}>\n" for each in headers) + "int x;\n")
    assert [str(each) for each in parse(path).errors] == []


@pytest.mark.long
@pytest.mark.parametrize("family", declarations.FAMILIES, ids=lambda each: each.table)
@pytest.mark.parametrize("side", ["cuda", "hip"])
def test_every_header_compiles_alone(tmp_path: Path, family: declarations.Family, side: str) -> None:
    for header in (family.cuda if side == "cuda" else family.hip)[:1]:
        tree = parsed(tmp_path, [header], "int x;\n", "x.cu" if side == "cuda" else "x.hip")
        assert [str(each) for each in tree.errors] == [], header


CALLS = """\
int main() {
  cublasHandle_t blas; cublasStatus_t status = cublasCreate(&blas);
  if (status != CUBLAS_STATUS_SUCCESS) return EXIT_FAILURE;
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: break;
    case CUBLAS_STATUS_NOT_INITIALIZED: return 1;
    default: return 2;
  }
  float one = 1; cublasOperation_t op = one > 0 ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasSgemm(blas, op, CUBLAS_OP_N, 1, 2, 3, &one, nullptr, 3, NULL, 4, &one, 0, 3);
  cublasLtMatmulHeuristicResult_t found; size_t bytes = found.workspaceSize;
  cufftHandle plan; cufftComplex* data = 0; data[0].x = 1;
  cufftResult made = cufftPlan1d(&plan, 3, CUFFT_C2C, 1); cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  curandGenerator_t generator; curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  cusparseHandle_t sparse; cusparseSpMatDescr_t matrix; cusparseCreate(&sparse);
  cusolverDnHandle_t solver; cusolverEigMode_t mode = CUSOLVER_EIG_MODE_VECTOR; cusolverDnCreate(&solver);
  cudnnHandle_t dnn; cudnnTensorDescriptor_t tensor; cudnnCreate(&dnn);
  cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 2, 3, 4);
  printf("%s %zu\\n", cudnnGetErrorString(cudnnCreate(&dnn)), bytes);
  ncclUniqueId id; ncclComm_t comm; ncclCommInitRank(&comm, 3, id, 0);
  ncclAllReduce(data, data, 3, ncclFloat, ncclSum, comm, 0);
  const char* text = ncclGetErrorString(ncclSuccess);
  return made == CUFFT_SUCCESS && mode;
}
void show(cublasStatus_t) {}
void show(cufftResult) {}
void show(cusparseStatus_t) {}
void show(cudaError_t) {}
"""


def test_usual_calls_resolve(tmp_path: Path) -> None:
    tree = parsed(tmp_path, CUDA, CALLS)
    assert [str(each) for each in tree.errors] == []
    called = {each.ref.name for each in tree.root.find("DeclRefExpr") if each.ref is not None}
    assert {"cublasSgemm", "CUBLAS_OP_T", "cufftExecC2C", "cudnnCreate", "ncclAllReduce", "CUFFT_C2C"} <= called


def test_redirects_name_headers_that_are_there() -> None:
    made = declarations.texts()
    for name, target in declarations.redirects():
        there = target in made or any((place / target).is_file() for place in (declarations.INCLUDE, declarations.OWN))
        assert there, f"{name} -> {target}"


def test_enumerations_that_the_tables_name_are_types_of_their_own() -> None:
    cublas = declarations.FAMILIES[0]
    assert declarations.names(cublas, "cuda")["cublasStatus_t"] == "enum"
    assert "enum cublasStatus_t : int {};" in declarations.header(cublas, "cuda", set())


def test_what_our_headers_lack_is_declared(tmp_path: Path) -> None:
    text = (
        "int main() { unsigned buffer = 0; cudaGraphicsResource* r; cudaGLSetGLDevice(0); cudaBindSurfaceToArray(r);\n"
    )
    text += "  return cudaGraphicsGLRegisterBuffer(&r, buffer, cudaGraphicsMapFlagsNone) != cudaSuccess; }\n"
    tree = parsed(tmp_path, ["cuda.h", "cuda_gl_interop.h"], text)
    assert [str(each) for each in tree.errors] == []
