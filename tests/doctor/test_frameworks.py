"""Frameworks and engines by their files."""

from __future__ import annotations

import pytest
from tests.doctor.machines import Table, found, gpu, host, of

from softrock.codeobj import bundle

SITE = "/home/alice/v/lib/python3.12/site-packages"


def site(**files: str) -> Table:
    return {"environment": {"VIRTUAL_ENV": "/home/alice/v"}, "files": {f"{SITE}/{k}": v for k, v in files.items()}}


def torch(version: str, hip: str, *targets: str, own: bool = True) -> Table:
    told = f"__version__ = '{version}'\ncuda: Optional[str] = None\nhip: Optional[str] = {hip}\n"
    files = {"torch/version.py": told, f"torch-{version}.dist-info/METADATA": ""}
    files |= {"torch/lib/libamdhip64.so": ""} if own else {}
    return site(**files, **{f"torch/lib/rocblas/library/TensileLibrary_lazy_{each}.dat": "" for each in targets})


@pytest.mark.parametrize(
    ("built", "verdict", "words"),
    [
        (torch("2.8.0+rocm6.4", "'6.4.4'", "gfx1100"), "ok", "fits"),
        (torch("2.8.0+rocm6.4", "'6.4.4'", "gfx11-generic"), "ok", "fits"),
        (torch("2.8.0+rocm6.4", "'6.4.4'", "gfx1030"), "warning", "no code for gfx1100"),
        (torch("2.8.0+cpu", "None"), "warning", "processors alone"),
    ],
)
def test_pytorch(built: Table, verdict: str, words: str) -> None:
    (told,) = of(found(host(), gpu(), built)[0], "pytorch")
    assert told.verdict == verdict
    assert words in told.seen
    assert told.software == "pytorch"


def test_an_nvidia_gpu_beside_excuses_cuda() -> None:
    card = {"files": {"/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
                      "/sys/bus/pci/devices/0000:01:00.0/class": "0x030000\n"}}  # fmt: skip
    (told,) = of(found(host(), gpu(), torch("2.8.0+cpu", "None"), card)[0], "pytorch")
    assert told.verdict == "ok"


@pytest.mark.parametrize(
    ("files", "software", "verdict"),
    [
        ({"cupy_cuda12x-13.6.0.dist-info/METADATA": ""}, "cupy", "warning"),
        ({"cupy_rocm_7_0-14.0.0.dist-info/METADATA": ""}, "cupy", "ok"),
        ({"jax_rocm7_plugin-0.8.0.dist-info/METADATA": ""}, "jax", "ok"),
        ({"vllm-0.11.0.dist-info/METADATA": "", "vllm/_rocm_C.abi3.so": ""}, "vllm", "ok"),
        ({"vllm-0.11.0.dist-info/METADATA": "", "vllm/_C.abi3.so": ""}, "vllm", "warning"),
        ({"bitsandbytes-0.47.0.dist-info/METADATA": "", "bitsandbytes/libbitsandbytes_cuda126.so": ""},
         "bitsandbytes", "warning"),
        ({"triton-3.5.0.dist-info/METADATA": "", "triton/backends/amd/driver.py": ""}, "triton", "ok"),
        ({"onnxruntime_gpu-1.23.0.dist-info/METADATA": ""}, "onnxruntime", "warning"),
    ],
)  # fmt: skip
def test_others(files: dict[str, str], software: str, verdict: str) -> None:
    (told,) = of(found(host(), gpu(), site(**files))[0], "frameworks")
    assert (told.software, told.verdict.value) == (software, verdict)


@pytest.mark.parametrize(("target", "limits"), [("gfx1100", False), ("gfx1030", True)])
def test_the_targets_in_a_back_end_of_llama_cpp(target: str, limits: bool) -> None:
    data = bundle.write([("host-x86_64-unknown-linux--", b""), (bundle.entry_id(target), b"\x7fELF" + bytes(60))])
    files: Table = {"/opt/llama/bin/llama-server": "", "/opt/llama/bin/libggml-hip.so": {"hex": data.hex()}}
    tree: Table = {"environment": {"PATH": "/opt/llama/bin"}, "files": files}
    (told,) = of(found(host(), gpu(), tree)[0], "llama.cpp")
    assert told.limits is limits
    assert target in told.seen


def test_ollama_without_its_libraries() -> None:
    results, _ = found(host(), gpu(), {"files": {"/usr/bin/ollama": ""}})
    assert [each.software for each in of(results, "ollama") if each.limits] == ["ollama"]
