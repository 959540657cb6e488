"""Functions that HIP has on the GPU alone are reported where the host calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify.source import Source
from softrock.hipify.translate import translate
from softrock.hipify.work import Options

SOURCE = """#include <cuda_runtime.h>
#include <math.h>
namespace own { double rhypot(double x) { return x; } }
__global__ void kernel(double *p) { *p = normcdf(*p) + rsqrt(*p); }
__host__ __device__ double both(double x) { return erfcx(x); }
static double host(double x) { return normcdf(-x) + own::rhypot(x) + exp(x); }
int main() { cudaDeviceSynchronize(); return host(rsqrtf(2.0f)) > 0; }
"""


@pytest.mark.parametrize("parse", ["auto", "never"])
def test_calls_of_the_host(parse: str, tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(SOURCE)
    result = translate(Source.read(path), Options(parse=parse))
    found = [(each.line, each.column, each.message.split()[0]) for each in result.findings if "host" in each.message]
    assert found == ([(6, 39, "normcdf"), (7, 51, "rsqrtf")] if parse == "auto" else [])
