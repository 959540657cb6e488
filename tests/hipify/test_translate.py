"""CUDA names to HIP names."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.cli import hipify_perl
from softrock.core.errors import UsageError
from softrock.hipify.findings import Severity
from softrock.hipify.source import Source
from softrock.hipify.translate import Translation
from softrock.hipify.translate import translate as translate_source
from softrock.hipify.work import Options


def translate(text: str) -> Translation:
    """A source by its text, as hipify-perl does it."""
    source = Source.of_bytes(Path("a.cu"), text.encode())
    return translate_source(source, Options(parse="never", runtime_header="always"))



@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMalloc(&p, 4);", "hipMalloc(&p, 4);"),
        ("cudaError_t e = cudaSuccess;", "hipError_t e = hipSuccess;"),
        ("cudaDeviceProp p;", "hipDeviceProp_t p;"),
        ("cudaMallocHost(&p, 4)", "hipHostMalloc(&p, 4)"),
        ("cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize"),
        ("cudaDevAttrMultiProcessorCount", "hipDeviceAttributeMultiprocessorCount"),
        ("CUdeviceptr d; cuModuleLoad(&m, f);", "hipDeviceptr_t d; hipModuleLoad(&m, f);"),
        ("nvrtcCreateProgram", "hiprtcCreateProgram"),
        ("k<<<1, 2>>>(p);", "k<<<1, 2>>>(p);"),
        ("#ifdef __CUDACC__", "#ifdef __HIPCC__"),
    ],
)
def test_names(cuda: str, hip: str) -> None:
    header = "#include <hip/hip_runtime.h>\n"
    result = translate(header + cuda)
    assert result.text == header + hip
    assert max((each.severity for each in result.findings), default=Severity.NOTE) < Severity.ERROR


def test_headers() -> None:
    text = '#include <cuda_runtime.h>\n#  include "cuda_fp16.h"\n#include <vector>\n#include "mine.h"\n'
    expected = "#include <hip/hip_runtime.h>\n#  include <hip/hip_fp16.h>\n#include <vector>\n#include \"mine.h\"\n"
    assert translate(text).text == expected


def test_the_runtime_header_is_added_where_nothing_includes_it() -> None:
    assert translate("int main() { return cudaDeviceSynchronize(); }").text.startswith("#include <hip/hip_runtime.h>\n")
    assert translate("int main() {}").text == "int main() {}"


def test_literals_and_comments_stay() -> None:
    text = (
        '// cudaMalloc\n/* cudaFree\n */ const char *s = "cudaMemcpy \\" cudaFree"; '
        'char c = \'"\';\nint cudaless, CUSTOM;'
    )
    assert translate(text).text == text


def test_unknown_names_are_reported_and_left_alone() -> None:
    result = translate("#include <hip/hip_runtime.h>\n\nint x = cudaNoSuchThing(cudaSuccess);\n#include <cudnn.h>\n")
    assert [(each.line, each.rule) for each in result.findings] == [(3, "unknown-api"), (4, "partial-api")]
    assert "cudaNoSuchThing(hipSuccess)" in result.text


def test_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cu").write_text("#include <cuda.h>\nint x = cudaSuccess + cudaWhat;\n")
    assert hipify_perl.main(["a.cu", "-o", "a.hip"]) == 0
    assert (tmp_path / "a.hip").read_text() == "#include <hip/hip_runtime.h>\nint x = hipSuccess + cudaWhat;\n"
    assert "a.cu:2: warning: cudaWhat" in capsys.readouterr().err
    assert hipify_perl.main(["--examine", "a.cu"]) == 0
    assert capsys.readouterr().out == "a.cu: 2 names to replace, 1 unknown\n"
    for wrong in ([], ["-o"], ["--bogus", "a.cu"], ["a.cu", "b.cu", "-o", "x"]):
        with pytest.raises(UsageError):
            hipify_perl.main(wrong)


def test_tool_in_place_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("#include <cuda.h>\nint x = cudaSuccess;\n")
    for _ in range(2):
        assert hipify_perl.main(["--inplace", str(path)]) == 0
        assert path.read_text() == "#include <hip/hip_runtime.h>\nint x = hipSuccess;\n"
    assert [each.name for each in tmp_path.iterdir() if each != path] == ["a.cu.prehip"]
    assert (tmp_path / "a.cu.prehip").read_text() == "#include <cuda.h>\nint x = cudaSuccess;\n"
