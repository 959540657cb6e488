"""Counting kernels agrees with reading them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from softrock import codeobj
from softrock.codeobj.elf import Elf
from softrock.codeobj.survey import survey
from softrock.core.errors import CodeObjectError

SOURCE = """\
extern "C" __global__ void plain(int *p) { *p = 1; }
extern "C" __global__ void scratch(int *p, int n) {
  volatile int a[40];
  for (int k = 0; k < 40; k++) a[k] = p[k];
  *p = a[n];
}
extern "C" __global__ __attribute__((amdgpu_num_vgpr(24))) void spills(volatile float *p) {
  float a[64];
  int i = __builtin_amdgcn_workitem_id_x();
#pragma unroll
  for (int k = 0; k < 64; k++) a[k] = p[k * 64 + i];
#pragma unroll
  for (int k = 0; k < 64; k++) p[(63 - k) * 64 + i] = a[63 - k];
}
"""


@pytest.mark.parametrize("link", [True, False])
@pytest.mark.parametrize("target", ["gfx942:xnack-", "gfx1100"])
def test_counts(compile_device: Callable[..., bytes], target: str, link: bool) -> None:
    data = compile_device(SOURCE, target, link=link)
    found = survey(Elf(memoryview(data), "k.co"))
    kernels = codeobj.load(data, "k.co").kernels.values()
    noted = [each.metadata for each in kernels if each.metadata]
    assert (str(found.target_id), found.version) == (target, 6)
    assert found.kernels == len(kernels) == len(noted) == 3
    assert found.scratch == sum(bool(each.private_segment_size) for each in kernels) >= 2
    assert found.spilling == sum(bool(each.vgpr_spill_count or each.sgpr_spill_count) for each in noted) == 1
    assert found.agprs == sum(bool(each.agpr_count) for each in noted)


def test_without_metadata_or_dynamic_symbols(compile_device: Callable[..., bytes]) -> None:
    data = compile_device(SOURCE, "gfx1100")
    at = data.index(b"AMDGPU\0\0")
    assert survey(Elf(data[:at] + b"NOBODY\0\0" + data[at + 8 :], "k.co")).kernels == 3


def test_corrupt(compile_device: Callable[..., bytes]) -> None:
    good = compile_device(SOURCE, "gfx942:xnack-")
    chance = random.Random(1)
    for _ in range(400):
        data = bytearray(good)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(chance.choice((64, 600, 3000, len(data))))] = chance.choice((0, 0x7F, 0xFF, 0xDF))
        try:
            survey(Elf(bytes(data), "bad.co"))
        except CodeObjectError as error:
            assert "bad.co" in error.message  # noqa: PT017
