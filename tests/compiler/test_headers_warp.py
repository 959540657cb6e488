"""Warp functions, atomics and groups of the headers on the software GPUs: HIP's waves and CUDA's 32 lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import softrock
from softrock.hip import hidden, state

WAVE = {"gfx942": 64, "gfx1100": 32}
THREADS = 128


@pytest.fixture(scope="module", params=list(WAVE))
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


def columns(body: str, count: int, cuda: bool, head: str = "") -> Any:
    """Values ``o[0] .. o[count - 1]`` that each of 128 threads stores: shape (128, count), int64."""
    out = np.zeros((THREADS, count), np.int64)
    source = f"""{head}
    extern "C" __global__ void k(long long *out) {{
        const int t = threadIdx.x;
        long long *o = out + t * {count};
        {body}
    }}"""
    module = softrock.compile(source, cuda=cuda)
    module["k"][1, THREADS](out)
    softrock.synchronize()
    return out


def warps(size: int) -> list[list[int]]:
    """Threads of each warp."""
    return [list(range(start, start + size)) for start in range(0, THREADS, size)]


@pytest.mark.parametrize("cuda", [False, True], ids=["hip", "cuda"])
def test_votes_and_masks(gpu: str, cuda: bool) -> None:
    size = 32 if cuda else WAVE[gpu]
    ones = "0xffffffffu" if cuda else "~0ull"
    lane, before = ("t % 32", "(1u << t % 32) - 1") if cuda else ("__lane_id()", "(long long)__lanemask_lt()")
    body = f"""
        o[0] = warpSize; o[1] = {lane}; o[2] = (long long)__ballot_sync({ones}, t % 3 == 0);
        o[3] = __any_sync({ones}, t == 40); o[4] = __all_sync({ones}, t < 64); o[5] = {before};
        if (t % 5 == 1) {{ o[6] = (long long)__activemask(); o[7] = (long long)__ballot_sync(__activemask(), t > 20); }}
        o[8] = __syncthreads_count(t % 7 == 0); o[9] = __syncthreads_and(t < 127); o[10] = __syncthreads_or(t == 100);
    """
    got = columns(body, 11, cuda)
    unsigned = got.view(np.uint64)
    for threads in warps(size):
        for place, t in enumerate(threads):
            assert got[t, 0] == size
            assert got[t, 1] == place
            assert int(unsigned[t, 2]) == sum(1 << i for i, u in enumerate(threads) if u % 3 == 0)
            assert got[t, 3] == (40 in threads)
            assert got[t, 4] == all(u < 64 for u in threads)
            assert int(unsigned[t, 5]) == (1 << place) - 1
            if t % 5 == 1:
                assert int(unsigned[t, 6]) == sum(1 << i for i, u in enumerate(threads) if u % 5 == 1)
                assert int(unsigned[t, 7]) == sum(1 << i for i, u in enumerate(threads) if u % 5 == 1 and u > 20)
    assert (got[:, 8] == len(range(0, 128, 7))).all()
    assert (got[:, 9] == 0).all()
    assert (got[:, 10] == 1).all()


@pytest.mark.parametrize("cuda", [False, True], ids=["hip", "cuda"])
def test_shuffles(gpu: str, cuda: bool) -> None:
    size = 32 if cuda else WAVE[gpu]
    m = "0xffffffffu, " if cuda else "~0ull, "
    body = f"""
        const long long v = t * 1000003ll;
        o[0] = __shfl_sync({m} v, 5); o[1] = __shfl_sync({m} v, t + 3, 8); o[2] = __shfl_up_sync({m} v, 3);
        o[3] = __shfl_down_sync({m} v, 3); o[4] = __shfl_xor_sync({m} v, 9); o[5] = __shfl_up_sync({m} v, 2, 16);
        o[6] = __shfl_down_sync({m} v, 2, 16); o[7] = __shfl_xor_sync({m} v, 12, 8);
        o[8] = (long long)(__shfl_xor_sync({m} t * 0.5, 1) * 2); o[9] = (long long)__shfl_down_sync({m} (float)t, 1);
    """
    got = columns(body, 10, cuda)
    for t in range(THREADS):
        lane, base = t % size, t - t % size

        def at(lane: int, base: int = base) -> int:
            return (base + lane) * 1000003

        want = [
            at(5), at(lane - lane % 8 + (t + 3) % 8), at(lane - 3 if lane >= 3 else lane),
            at(lane + 3 if lane + 3 < size else lane), at(lane ^ 9),
            at(lane - 2 if lane % 16 >= 2 else lane), at(lane + 2 if lane % 16 + 2 < 16 else lane),
            # Towards a lower segment works, towards a higher one gives the own value back.
            at(lane ^ 12 if (lane ^ 12) < lane - lane % 8 + 8 else lane),
            base + (lane ^ 1), base + (lane + 1 if lane + 1 < size else lane),
        ]  # fmt: skip
        assert got[t].tolist() == want, t


def test_cuda_shuffles_take_five_bits_of_a_distance(gpu: str) -> None:
    """PTX's shfl looks at five bits of its operand b: a lane outside the segment means one's own value."""
    got = columns(
        """const int v = 100 + t; const unsigned all = 0xffffffffu;
        o[0] = __shfl_xor_sync(all, v, -1, 16); o[1] = __shfl_xor_sync(all, v, -1); o[2] = __shfl_up_sync(all, v, 33);
        o[3] = __shfl_down_sync(all, v, 34); o[4] = __shfl_down_sync(all, v, (unsigned)-2, 16);""",
        5,
        cuda=True,
    )
    for warp in warps(32):
        for t in warp:
            lane = t % 32
            turned = t if lane < 16 else t - lane + 31 - lane
            up, down = (t - 1 if lane else t), (t + 2 if lane < 30 else t)
            assert list(got[t] - 100) == [turned, t - lane + 31 - lane, up, down, t], (t, got[t])


@pytest.mark.parametrize("cuda", [False, True], ids=["hip", "cuda"])
def test_match_and_reduce(gpu: str, cuda: bool) -> None:
    size = 32 if cuda else WAVE[gpu]
    ones = "0xffffffffu" if cuda else "~0ull"
    body = f"""
        int all, none;
        o[0] = (long long)__match_any_sync({ones}, t % 5); o[1] = (long long)__match_all_sync({ones}, t / 128, &all);
        o[2] = all; o[3] = (long long)__match_all_sync({ones}, t % 2, &none); o[4] = none;
        o[5] = __reduce_add_sync({ones}, t); o[6] = __reduce_max_sync({ones}, t * 37 % 101);
        o[7] = __reduce_xor_sync({ones}, (unsigned)t);
        if (t & 1) o[8] = __reduce_min_sync(__activemask(), t);
    """
    got = columns(body, 9, cuda)
    for threads in warps(size):
        for t in threads:
            row = [int(v) for v in got[t]]
            assert row[0] & (1 << size) - 1 == sum(1 << i for i, u in enumerate(threads) if u % 5 == t % 5)
            assert row[1] & (1 << size) - 1 == (1 << size) - 1
            assert row[2] == 1
            assert row[3] == 0
            assert row[4] == 0
            assert row[5] == sum(threads)
            assert row[6] == max(u * 37 % 101 for u in threads)
            assert row[7] == np.bitwise_xor.reduce(threads)
            assert row[8] == (threads[1] if t & 1 else 0)


CG = "#include <hip/hip_cooperative_groups.h>\nnamespace cg = cooperative_groups;"


@pytest.mark.parametrize("cuda", [False, True], ids=["hip", "cuda"])
def test_groups(gpu: str, cuda: bool) -> None:
    size = 32 if cuda else WAVE[gpu]
    body = """
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<16>(block);
        auto four = cg::tiled_partition<4>(tile);
        cg::thread_group any = cg::tiled_partition(block, 8);
        o[0] = block.thread_rank(); o[1] = tile.thread_rank(); o[2] = tile.meta_group_rank();
        o[3] = four.meta_group_rank();
        o[4] = cg::reduce(tile, t, cg::plus<int>());
        o[5] = cg::inclusive_scan(tile, t); o[6] = cg::exclusive_scan(four, t);
        o[7] = tile.ballot(t % 3 == 0); o[8] = any.size() * 100 + any.thread_rank(); o[9] = tile.shfl(t, 3);
        if (t % 3 == 1) {
            auto some = cg::coalesced_threads();
            o[10] = some.thread_rank(); o[11] = some.size(); o[12] = some.shfl(t, 2);
            o[13] = cg::reduce(some, t, cg::less<int>()); o[14] = some.ballot(t % 2);
            auto by = cg::labeled_partition(some, t % 4);
            o[15] = by.size() * 1000 + by.thread_rank() * 10 + by.meta_group_size();
            o[16] = cg::exclusive_scan(some, 1);
        }
        o[17] = cg::binary_partition(tile, t % 16 < 5).size();
        o[18] = cg::this_grid().is_valid();
    """
    got = columns(body, 19, cuda, CG)
    for threads in warps(size):
        some = [u for u in threads if u % 3 == 1]
        for t in threads:
            row = [int(v) for v in got[t]]
            tile = [u for u in threads if u // 16 == t // 16]
            want = [t, t % 16, t // 16, t % 16 // 4, sum(tile), sum(u for u in tile if u <= t)]
            want += [sum(u for u in tile if u // 4 == t // 4 and u < t)]
            want += [sum(1 << i for i, u in enumerate(tile) if u % 3 == 0), 800 + t % 8, tile[3]]
            assert row[:10] == want
            if t % 3 == 1:
                label = [u for u in some if u % 4 == t % 4]
                assert row[10:17] == [
                    some.index(t), len(some), some[2], some[0], sum(1 << i for i, u in enumerate(some) if u % 2),
                    len(label) * 1000 + label.index(t) * 10 + 4, some.index(t),
                ]  # fmt: skip
            assert row[17] == (5 if t % 16 < 5 else 11)
            assert row[18] == 0


def test_atomics(gpu: str) -> None:
    source = """
    #include <hip/hip_fp16.h>
    extern "C" __global__ void k(int *i, unsigned *u, unsigned long long *l, float *f, double *d, __half2 *h,
                                 unsigned short *s) {
        const int t = threadIdx.x;
        atomicAdd(&i[0], t); atomicSub(&i[1], t); atomicMax(&i[2], t - 50); atomicMin(&i[3], t - 50);
        atomicAnd(&i[4], ~(1 << t % 32)); atomicOr(&i[5], 1 << t % 32); atomicXor(&i[6], t); atomicExch(&i[7], 7);
        atomicInc(&u[0], 9u); atomicDec(&u[1], 9u); atomicAdd_system(&u[2], 1u);
        atomicAdd(&l[0], 1ull << 33); atomicMax(&l[1], (unsigned long long)t << 40);
        atomicAdd(&f[0], 0.5f); atomicMax(&f[1], (float)t); atomicMin(&f[2], -(float)t); unsafeAtomicAdd(&f[3], 1.0f);
        safeAtomicAdd(&f[4], 2.0f); atomicAdd(&d[0], 0.25); atomicMax(&d[1], t * 1.0); atomicSub(&f[5], 1.0f);
        atomicAdd(&h[0], __half2(__half(1.0f), __half(2.0f)));
        unsigned short seen = s[1], old;
        while ((old = atomicCAS(&s[1], seen, (unsigned short)(seen + 1))) != seen) seen = old;
        __shared__ int shared;
        if (t == 0) shared = 0;
        __syncthreads();
        atomicAdd_block(&shared, 2);
        __syncthreads();
        i[8] = shared;
    }"""
    i, u, lo = np.zeros(9, np.int32), np.zeros(3, np.uint32), np.zeros(2, np.uint64)
    i[4] = -1
    f, d, h, s = np.zeros(6, np.float32), np.zeros(2), np.zeros(2, np.float16), np.zeros(4, np.uint16)
    softrock.compile(source)["k"][1, THREADS](i, u, lo, f, d, h, s)
    softrock.synchronize()
    total = sum(range(THREADS))
    assert i.tolist() == [total, -total, 77, -50, 0, -1, np.bitwise_xor.reduce(range(THREADS)), 7, 256]
    assert u.tolist() == [128 % 10, (0 - 128) % 10, 128]
    assert lo.tolist() == [128 << 33, 127 << 40]
    assert f.tolist() == [64, 127, -127, 128, 256, -128]
    assert d.tolist() == [32, 127]
    assert h.tolist() == [128, 256]
    assert s.tolist() == [0, 128, 0, 0]
