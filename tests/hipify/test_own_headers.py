"""nvcc includes CUDA's runtime in every source; a translated one needs it too where only its own headers use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.source import Source
from softrock.hipify.translate import translate

LINE = "#include <hip/hip_runtime.h>\n"


@pytest.mark.parametrize(
    ("name", "text", "lead"),
    [
        ("x.cu", '#include "common/book.h"\nint main() { return 0; }\n', LINE),
        ("x.cu", "#include <vector>\nint main() { return 0; }\n", ""),
        ("x.hip", '#include "common/book.h"\nint main() { return 0; }\n', ""),
        ("x.cpp", '#include "common/book.h"\nint main() { return 0; }\n', ""),
    ],
)
def test_a_source_whose_headers_use_the_runtime(name: str, text: str, lead: str) -> None:
    result = translate(Source.of_bytes(Path(name), text.encode()))
    assert result.text == lead + text


@pytest.mark.parametrize(
    ("header", "lead"),
    [
        ("static void check(cudaError_t) {}\n", LINE),
        ("#include <cuda_runtime.h>\nstatic void check(cudaError_t) {}\n", ""),
        ("static void check(int) {}\n", ""),
    ],
)
def test_an_own_header_that_needs_the_runtime_before_the_source_includes_it(
    header: str, lead: str, tmp_path: Path
) -> None:
    (tmp_path / "book.h").write_text(header)
    after = '#include "book.h"\n#include <hip/hip_runtime.h>\nint main() { return 0; }\n'
    text = '#include "book.h"\n#include <cuda_runtime.h>\nint main() { return 0; }\n'
    result = translate(Source.of_bytes(tmp_path / "x.cu", text.encode()))
    assert result.text == lead + after
    assert translate(Source.of_bytes(tmp_path / "x.cu", result.text.encode())).text == result.text


@pytest.mark.parametrize(
    ("body", "lead"), [("__global__ void k() {}\n", LINE), ("int main() { return 0; }\n", "")], ids=["kernel", "host"]
)
def test_the_header_of_calls_alone_is_too_little_for_a_kernel(body: str, lead: str) -> None:
    result = translate(Source.of_bytes(Path("x.cu"), b"#include <cuda_runtime_api.h>\n" + body.encode()))
    assert result.text == lead + "#include <hip/hip_runtime_api.h>\n" + body
    assert translate(Source.of_bytes(Path("x.cu"), result.text.encode())).text == result.text


@pytest.mark.parametrize(
    ("body", "lead"),
    [
        ("__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n", LINE),
        ("#ifdef __CUDACC__\n__global__ void k() {}\n#endif\nint main() {}\n", ""),
        ("int main() { cudaDeviceSynchronize(); }\n", ""),
    ],
)
def test_a_cpp_source_that_only_nvcc_compiles(body: str, lead: str) -> None:
    result = translate(Source.of_bytes(Path("x.cpp"), body.encode()))
    assert result.text.startswith(LINE) == bool(lead)
