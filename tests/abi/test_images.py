"""Arrays, textures and surfaces: what a kernel reads through them against the CUDA guide's formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import softrock
from softrock.abi import structs
from softrock.abi.calls import copies, find
from softrock.abi.calls import images as calls
from softrock.hip import hidden, raw, state
from softrock.hip.errors import HipError

WRAP, CLAMP, MIRROR, BORDER = range(4)
WIDTH, HEIGHT = 9, 5
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def gpu(request: pytest.FixtureRequest) -> Iterator[str]:
    """The only device of a fresh runtime."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTROCK_BACKEND", "software")
        patch.setenv("SOFTROCK_GPUS", request.param)
        state.reset_for_tests()
        hidden.forget()
        yield request.param
        softrock.synchronize()
        state.reset_for_tests()
        hidden.forget()


def held(name: str, **values: Any) -> raw.Held:
    """A structure of the API."""
    layout = structs.of(name)
    made = raw.Held(layout.size)
    layout.set(made.address, **values)
    return made


def address_of(values: np.ndarray[Any, Any]) -> int:
    return int(values.ctypes.data)


def new_array(channels: tuple[int, int, int, int], kind: int, width: int, height: int, flags: int = 0) -> int:
    out, x = raw.Held(8), channels
    description = held("hipChannelFormatDesc", x=x[0], y=x[1], z=x[2], w=x[3], f=kind)
    calls.hipMallocArray(out.address, description.address, width, height, flags)
    return int(raw.get(out.address, "Q"))


def filled(values: np.ndarray[Any, Any], channels: tuple[int, int, int, int], kind: int) -> int:
    """An array with these rows."""
    made = new_array(channels, kind, values.shape[1], values.shape[0])
    row = values[0].nbytes
    calls.hipMemcpy2DToArray(made, 0, 0, address_of(values), row, row, values.shape[0], 1)
    return made


def texture(made: int, mode: int, linear: bool, normalized: bool, to_unit: bool = False) -> int:
    out = raw.Held(8)
    resource = held("hipResourceDesc", resType=0, res__array__array=made)
    how = held(
        "hipTextureDesc",
        addressMode=(mode, mode, mode),
        filterMode=int(linear),
        readMode=int(to_unit),
        normalizedCoords=int(normalized),
        borderColor=(7.0, 0.0, 0.0, 0.0),
    )
    calls.hipCreateTextureObject(out.address, resource.address, how.address, 0)
    return int(raw.get(out.address, "Q"))


SOURCE = """
extern "C" __global__ void k(hipTextureObject_t t, const float2 *at, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
extern "C" __global__ void bytes(hipTextureObject_t t, uchar4 *out, float4 *unit, hipTextureObject_t u) {
    const int i = threadIdx.x;
    out[i] = tex2D<uchar4>(t, i + 0.5f, 1.5f);
    unit[i] = tex2D<float4>(u, i + 0.5f, 1.5f);
}
extern "C" __global__ void surface(hipSurfaceObject_t s, short *seen) {
    const int i = threadIdx.x;
    seen[i] = surf2Dread<short>(s, (i - 1) * 2, 1);
    surf2Dwrite((short)(100 + i), s, i * 2, 2);
}
extern "C" __global__ void fetch(hipTextureObject_t t, int *out) {
    out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x - 1);
}
"""


def texel(i: int, n: int, mode: int, normalized: bool) -> int | None:
    if mode == BORDER:
        return i if 0 <= i < n else None
    if normalized and mode == WRAP:
        return i % n
    if normalized and mode == MIRROR:
        return i % n if (i // n) % 2 == 0 else n - 1 - i % n
    return min(max(i, 0), n - 1)


def model(values: np.ndarray[Any, Any], x: float, y: float, mode: int, linear: bool, normalized: bool) -> float:
    if normalized:
        x, y = x * WIDTH, y * HEIGHT

    def at(i: int, j: int) -> float:
        u, v = texel(i, WIDTH, mode, normalized), texel(j, HEIGHT, mode, normalized)
        return 7.0 if u is None or v is None else float(values[v, u])

    if not linear:
        return at(int(np.floor(x)), int(np.floor(y)))
    i, j = int(np.floor(x - 0.5)), int(np.floor(y - 0.5))
    a, b = x - 0.5 - i, y - 0.5 - j
    return (
        (1 - a) * (1 - b) * at(i, j)
        + a * (1 - b) * at(i + 1, j)
        + (1 - a) * b * at(i, j + 1)
        + a * b * at(i + 1, j + 1)
    )


@pytest.fixture(scope="module")
def kernels(gpu: str) -> Any:
    return softrock.compile(SOURCE)


@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
def test_addressing_and_filters(gpu: str, kernels: Any, mode: int) -> None:
    values = RNG.random((HEIGHT, WIDTH), np.float32)
    made = filled(values, (32, 0, 0, 0), 2)
    for normalized in (False, True):
        scale = np.array([1, 1] if normalized else [WIDTH, HEIGHT])
        # Eighths are exact, so that the texel that a coordinate falls into is the same everywhere.
        at = (RNG.integers(-8, 16, (200, 2)) / 8 * scale).astype(np.float32)
        at = (
            at
            if not normalized
            else (np.round(at * [WIDTH, HEIGHT] * 4) / 4 / [WIDTH, HEIGHT] + 1e-4).astype(np.float32)
        )
        for linear in (False, True):
            handle = texture(made, mode, linear, normalized)
            out = np.zeros(len(at), np.float32)
            kernels["k"][1, 256](handle, at, out, np.int32(len(at)))
            softrock.synchronize()
            want = [model(values, float(x), float(y), mode, linear, normalized) for x, y in at]
            np.testing.assert_allclose(out, want, atol=1e-4)
            calls.hipDestroyTextureObject(handle)
    calls.hipFreeArray(made)


def test_integers_and_unit_range(gpu: str, kernels: Any) -> None:
    values = RNG.integers(0, 256, (4, 8, 4), dtype=np.uint8)
    made = filled(values, (8, 8, 8, 8), 1)
    out, unit = np.zeros((8, 4), np.uint8), np.zeros((8, 4), np.float32)
    stored, scaled = texture(made, CLAMP, False, False), texture(made, CLAMP, True, False, to_unit=True)
    kernels["bytes"][1, 8](stored, out, unit, scaled)
    softrock.synchronize()
    assert np.array_equal(out, values[1])
    np.testing.assert_allclose(unit, values[1] / 255, atol=1e-6)
    with pytest.raises(HipError, match="linear filtering"):
        texture(made, CLAMP, True, False)


def test_surface_and_copies_back(gpu: str, kernels: Any) -> None:
    values = np.arange(32, dtype=np.int16).reshape(4, 8)
    made = filled(values, (16, 0, 0, 0), 0)
    out = raw.Held(8)
    calls.hipCreateSurfaceObject(out.address, held("hipResourceDesc", resType=0, res__array__array=made).address)
    seen = np.zeros(10, np.int16)
    kernels["surface"][1, 10](raw.get(out.address, "Q"), seen)
    softrock.synchronize()
    # Outside reads give zero, outside writes nothing.
    assert seen.tolist() == [0, *values[1], 0]
    back = np.zeros((4, 8), np.int16)
    calls.hipMemcpy2DFromArray(address_of(back), 16, made, 0, 0, 16, 4, 2)
    values[2] = 100 + np.arange(8)
    assert np.array_equal(back, values)
    # The same through a box copy: a window of 3 x 2 elements from (2, 1).
    window = np.zeros((2, 3), np.int16)
    box = held(
        "hipMemcpy3DParms",
        srcArray=made,
        srcPos__x=2,
        srcPos__y=1,
        dstPtr__ptr=address_of(window),
        dstPtr__pitch=6,
        dstPtr__ysize=2,
        extent__width=3,
        extent__height=2,
        extent__depth=1,
        kind=2,
    )
    copies.hipMemcpy3D(box.address)
    assert np.array_equal(window, values[1:3, 2:5])
    flat = np.zeros(10, np.int16)
    calls.hipMemcpyFromArray(address_of(flat), made, 12, 0, 20, 2)
    assert np.array_equal(flat, values.ravel()[6:16])


def test_linear_memory(gpu: str, kernels: Any) -> None:
    memory = softrock.array(np.arange(100, 116, dtype=np.int32))
    address = int(memory.__cuda_array_interface__["data"][0])
    out = raw.Held(8)
    resource = held("hipResourceDesc", resType=2, res__linear__devPtr=address + 16, res__linear__desc__x=32)
    structs.of("hipResourceDesc").set(resource.address, res__linear__sizeInBytes=16)
    calls.hipCreateTextureObject(out.address, resource.address, held("hipTextureDesc").address, 0)
    got = np.zeros(6, np.int32)
    kernels["fetch"][1, 6](raw.get(out.address, "Q"), got)
    softrock.synchronize()
    assert got.tolist() == [0, 104, 105, 106, 107, 0]


def test_refusals(gpu: str) -> None:
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        new_array((8, 8, 8, 0), 1, 4, 4)
    with pytest.raises(HipError, match="hipErrorInvalidValue"):
        new_array((32, 16, 0, 0), 1, 4, 4)
    made = new_array((32, 0, 0, 0), 2, 4, 4)
    with pytest.raises(HipError, match="edge of the array"):
        calls.hipMemcpy2DToArray(made, 4, 0, address_of(np.zeros(64, np.float32)), 16, 16, 4, 1)
    calls.hipFreeArray(made)
    with pytest.raises(HipError, match="hipErrorInvalidHandle"):
        calls.hipFreeArray(made)
    with pytest.raises(HipError, match="no texture or surface object"):
        calls.hipDestroyTextureObject(12345)
    assert find("hipMallocArray") is calls.hipMallocArray
