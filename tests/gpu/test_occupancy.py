"""Occupancy against published tables and hand-computed cases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from softrock import codeobj
from softrock.gpu import models
from softrock.gpu.occupancy import Occupancy, Resources, occupancy, resources


def _of(
    gfx: str,
    vgprs: int,
    block: int = 64,
    lds: int = 0,
    sgprs: int = 32,
    wave: int | None = None,
    wgp: bool = True,
) -> Occupancy:
    model = models.model(gfx)
    return occupancy(model, Resources(vgprs, sgprs, lds, wave or model.wave_size, wgp), block)


# AMD's table for CDNA 2 (VGPRs of a lane, AGPRs included -> waves of a SIMD)
@pytest.mark.parametrize(
    ("vgprs", "waves"),
    [
        (1, 8),
        (64, 8),
        (65, 7),
        (72, 7),
        (80, 6),
        (81, 5),
        (96, 5),
        (128, 4),
        (168, 3),
        (169, 2),
        (256, 2),
        (512, 1),
    ],
)
@pytest.mark.parametrize("gfx", ["gfx90a", "gfx942", "gfx950"])
def test_vgprs_on_cdna(gfx: str, vgprs: int, waves: int) -> None:
    assert _of(gfx, vgprs).waves_per_simd == waves


# RDNA 3 and 4 with 1536 registers of a lane in steps of 24; wave64 has half of each
@pytest.mark.parametrize(
    ("vgprs", "waves"),
    [(24, 16), (96, 16), (97, 12), (120, 12), (144, 10), (168, 9), (192, 8), (240, 6), (256, 5)],
)
@pytest.mark.parametrize("gfx", ["gfx1100", "gfx1201"])
def test_vgprs_on_rdna(gfx: str, vgprs: int, waves: int) -> None:
    assert _of(gfx, vgprs, block=32).waves_per_simd == waves


def test_wave64_on_rdna_has_half_the_registers() -> None:
    assert _of("gfx1100", 96, block=64, wave=64).waves_per_simd == 8
    assert _of("gfx1100", 48, block=64, wave=64).waves_per_simd == 16


def test_sgprs_limit_cdna_only() -> None:
    assert _of("gfx942", 8, sgprs=102).waves_per_simd == 7
    assert _of("gfx942", 8, sgprs=102).limit == "sgprs"
    assert _of("gfx942", 8, sgprs=96).waves_per_simd == 8
    assert _of("gfx1100", 8, block=32, sgprs=106).waves_per_simd == 16


def test_lds() -> None:
    assert _of("gfx942", 8, block=256, lds=16384).blocks == 4
    assert _of("gfx942", 8, block=256, lds=16384).limit == "lds"
    assert _of("gfx942", 8, block=256, lds=65536).blocks == 1
    assert _of("gfx942", 8, block=256, lds=65537).blocks == 0
    assert _of("gfx950", 8, block=256, lds=65537).blocks == 2
    assert _of("gfx1100", 8, block=256, lds=65536).blocks == 2  # two compute units' LDS
    assert _of("gfx1100", 8, block=256, lds=65536, wgp=False).blocks == 2
    assert _of("gfx1100", 8, block=256, lds=40000, wgp=False).blocks == 2
    assert _of("gfx1100", 8, block=256, lds=40000).blocks == 3


def test_blocks() -> None:
    assert _of("gfx942", 8, block=1024).blocks == 2
    assert _of("gfx942", 8, block=1025).blocks == 0
    assert _of("gfx942", 8, block=64).blocks == 32
    assert _of("gfx942", 8, block=128).blocks == 16  # as many blocks as there are barriers
    assert _of("gfx942", 8, block=65).waves == 32
    assert _of("gfx1100", 8, block=1024).blocks == 2
    assert _of("gfx1100", 8, block=32).blocks == 64


def test_a_block_that_needs_more_registers_than_there_are() -> None:
    assert _of("gfx942", 512, block=1024).blocks == 0
    assert _of("gfx942", 512, block=256).blocks == 1


def test_dynamic_lds_and_a_real_kernel(compile_device: Callable[..., bytes]) -> None:
    source = """extern "C" __global__ void k(float *p) { __shared__ float s[2048];
    int i = __builtin_amdgcn_workitem_id_x(); s[i] = p[i]; __builtin_amdgcn_s_barrier(); p[i] = s[i ^ 1]; }"""
    kernel = codeobj.load(compile_device(source, "gfx942"), "k.co").kernels["k"]
    use = resources(kernel)
    assert use.lds == 8192
    assert use.wave_size == 64
    model = models.model("gfx942")
    assert occupancy(model, use, 256).blocks == 8
    assert occupancy(model, use, 256, dynamic_lds=24576).blocks == 2
    assert occupancy(model, use, 256, dynamic_lds=60000).blocks == 0
    assert occupancy(model, use, 256).fraction == 1.0
