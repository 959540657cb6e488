"""Launches whose workgroups run together in columns: every grid gives the same, and faults name their blocks."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest

import softrock
from softrock.core.errors import SoftrockError
from softrock.gpu.software import SoftwareFunction, Translation

SOURCE = """
extern "C" __global__ __launch_bounds__(64) void product(int n, int m, const float *a, const float *b, float *c) {
    int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y;
    float acc = 0;
    for (int k = 0; k < m; k++) acc += a[row * m + k] * b[k * n + col];
    c[row * n + col] = acc + 1000 * gridDim.y;
}
"""


@pytest.fixture
def used() -> Iterator[list[int]]:
    """How many workgroups each launch ran together."""
    rows: list[int] = []
    plain = SoftwareFunction._for

    def noted(self: SoftwareFunction, launch: object) -> Translation:
        found = plain(self, launch)  # type: ignore[arg-type]
        rows.append(found.rows)
        return found

    with mock.patch.object(SoftwareFunction, "_for", noted):
        yield rows


def _run(kernel: object, across: int, height: int, m: int = 5) -> None:
    rng = np.random.default_rng(height)
    n = 64 * across
    a, b = (rng.integers(-4, 8, shape).astype(np.float32) for shape in ((height, m), (m, n)))
    c = np.zeros((height, n), np.float32)
    kernel[(across, height), 64](np.int32(n), np.int32(m), a, b, c)  # type: ignore[index]
    np.testing.assert_array_equal(c, a @ b + 1000 * height)


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_grids_of_every_height(used: list[int], tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTROCK_TIER", tier)
    kernel = softrock.compile(SOURCE, name="columns.hip").product
    with mock.patch("softrock.gpu.software._GROUPS_OF_THREAD", 1):
        for height in (1, 2, 3, 4, 6, 8, 12, 64, 63, 64, 1):
            _run(kernel, 8, height)
    assert set(used) >= {1, 2}


def test_small_grids_stay_apart(used: list[int]) -> None:
    kernel = softrock.compile(SOURCE, name="columns.hip").product
    with mock.patch("softrock.gpu.software._GROUPS_OF_THREAD", 1 << 20):
        _run(kernel, 2, 8)
    assert set(used) == {1}


def test_a_fault_names_the_blocks(capfd: pytest.CaptureFixture[str]) -> None:
    kernel = softrock.compile(SOURCE, name="columns.hip").product
    a = np.zeros((256, 4), np.float32)
    with pytest.raises(SoftrockError, match="hipErrorIllegalAddress"):
        kernel[(2, 256), 64](np.int32(128), np.int32(4), a, None, a)
    message = capfd.readouterr().err
    assert "Memory access fault by GPU node-1" in message
    assert "one of blocks (" in message
    assert "`global_load_" in message
