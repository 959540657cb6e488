"""The sequences that compilers emit for IEEE division and square roots give correctly rounded results."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tests.lift.harness import Case, Prepared, prepare, run_prepared

from softrock.lift.context import Mode, Wave
from softrock.lift.ir import Val
from softrock.lift.semantics import sequences

SINGLE = (
    "v_div_scale_f32 v3, s[0:1], v1, v1, v0",
    "v_div_scale_f32 v4, vcc, v0, v1, v0",
    "v_rcp_f32 v5, v3",
    "v_fma_f32 v6, -v3, v5, 1.0",
    "v_fma_f32 v5, v6, v5, v5",
    "v_mul_f32 v6, v4, v5",
    "v_fma_f32 v7, -v3, v6, v4",
    "v_fma_f32 v6, v7, v5, v6",
    "v_fma_f32 v7, -v3, v6, v4",
    "v_div_fmas_f32 v7, v7, v5, v6",
    "v_div_fixup_f32 v2, v7, v1, v0",
)
DOUBLE = (
    "v_div_scale_f64 v[6:7], s[0:1], v[2:3], v[2:3], v[0:1]",
    "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]",
    "v_rcp_f64 v[10:11], v[6:7]",
    "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0",
    "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]",
    "v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0",
    "v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]",
    "v_mul_f64 v[12:13], v[8:9], v[10:11]",
    "v_fma_f64 v[14:15], -v[6:7], v[12:13], v[8:9]",
    "v_div_fmas_f64 v[14:15], v[14:15], v[10:11], v[12:13]",
    "v_div_fixup_f64 v[4:5], v[14:15], v[2:3], v[0:1]",
)
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, 1.0, -3.0]


@pytest.fixture(scope="module", params=["one host instruction", "step by step"])
def prepared(request: pytest.FixtureRequest) -> Prepared:
    """The two sequences as they are translated, and with the recognition of whole sequences turned off: both must give
    correctly rounded quotients, and so the same ones."""
    found: list[bool] = []

    def watched(x: Wave, approached: Val, b: Val, c: Val) -> Val | None:
        out = quotient(x, approached, b, c) if request.param == "one host instruction" else None
        found.append(out is not None)
        return out

    with pytest.MonkeyPatch.context() as patch:
        quotient = sequences.quotient
        patch.setattr(sequences, "quotient", watched)
        ready = prepare([Case("gfx942", SINGLE), Case("gfx942", DOUBLE)])
    assert found == 2 * [request.param == "one host instruction"]
    return ready


def same(got: npt.NDArray[np.floating], want: npt.NDArray[np.floating]) -> None:
    bits = np.uint32 if want.dtype == np.float32 else np.uint64
    equal = (got.view(bits) == want.view(bits)) | (np.isnan(got) & np.isnan(want))
    assert equal.all(), (got[~equal][:4], want[~equal][:4])


def denormal_quotients(rng: np.random.Generator, bits: npt.NDArray[np.uint64], width: int) -> npt.NDArray[np.uint64]:
    """Denominators whose exponents make quotients near the bottom of the range."""
    mantissa, top, spread = (23, 254, (100, 150)) if width == 32 else (52, 2046, (900, 1100))
    exponent = (bits >> np.uint64(mantissa) & np.uint64(top + 1)).astype(np.int64) + rng.integers(*spread, 64)
    kept = bits & np.uint64(1 << (width - 1) | (1 << mantissa) - 1)
    return kept | (exponent.clip(0, top).astype(np.uint64) << np.uint64(mantissa))


@pytest.mark.parametrize("seed", range(6))
def test_quotients(prepared: Prepared, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(8):
        a32 = rng.integers(0, 1 << 32, 64, dtype=np.uint64)
        b32 = denormal_quotients(rng, a32, 32) if seed % 2 else rng.integers(0, 1 << 32, 64, dtype=np.uint64)
        a64 = rng.integers(0, 1 << 64, 64, dtype=np.uint64)
        b64 = denormal_quotients(rng, a64, 64) if seed % 2 else rng.integers(0, 1 << 64, 64, dtype=np.uint64)
        single = [v.astype(np.uint32).view(np.float32) for v in (a32, b32)]
        single[0][: len(EDGES)] = np.array(EDGES, np.float32)
        single[1][: len(EDGES)] = np.roll(np.array(EDGES, np.float32), seed)
        double = [v.view(np.float64) for v in (a64, b64)]
        states = run_prepared(
            prepared,
            [
                replace(prepared.cases[0], vgprs={0: single[0], 1: single[1]}),
                replace(prepared.cases[1], vgprs={0: double[0], 2: double[1]}),
            ],
        )
        with np.errstate(all="ignore"):
            same(states[0].f32(2), single[0] / single[1])
            same(states[1].f64(4), double[0] / double[1])


def test_significands_at_the_ends(prepared: Prepared) -> None:
    """Where the reciprocal lies next to the middle of two numbers: 1.11...1 is the only denominator that needs care."""
    rng = np.random.default_rng(9)
    ends32 = np.array([0, 1, 2, 3, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFD, 0x7FFFFE, 0x7FFFFF], np.uint32)
    ends64 = np.array([0, 1, 2, (1 << 51) - 1, 1 << 51, (1 << 52) - 3, (1 << 52) - 2, (1 << 52) - 1], np.uint64)
    for _ in range(8):
        single = [(rng.choice(ends32, 64) | rng.integers(64, 191, 64) << 23).astype(np.uint32) for _ in range(2)]
        double = [
            rng.choice(ends64, 64) | rng.integers(512, 1535, 64).astype(np.uint64) << np.uint64(52) for _ in range(2)
        ]
        a32, b32 = (v.view(np.float32) for v in single)
        a64, b64 = (v.view(np.float64) for v in double)
        states = run_prepared(
            prepared,
            [
                replace(prepared.cases[0], vgprs={0: a32, 1: b32}),
                replace(prepared.cases[1], vgprs={0: a64, 2: b64}),
            ],
        )
        with np.errstate(all="ignore"):
            same(states[0].f32(2), a32 / b32)
            same(states[1].f64(4), a64 / b64)


ROOT32 = (
    "s_mov_b32 s2, 0xf800000",
    "v_mul_f32 v1, 0x4f800000, v0",
    "v_cmp_gt_f32 s[0:1], s2, v0",
    "v_cndmask_b32 v1, v0, v1, s[0:1]",
    "v_sqrt_f32 v2, v1",
    "v_add_u32 v3, -1, v2",
    "v_add_u32 v4, 1, v2",
    "v_fma_f32 v5, -v3, v2, v1",
    "v_fma_f32 v6, -v4, v2, v1",
    "v_cmp_ge_f32 vcc, 0, v5",
    "v_cndmask_b32 v2, v2, v3, vcc",
    "v_cmp_lt_f32 vcc, 0, v6",
    "v_cndmask_b32 v2, v2, v4, vcc",
    "v_mul_f32 v3, 0x37800000, v2",
    "v_cndmask_b32 v2, v2, v3, s[0:1]",
    "v_mov_b32 v3, 0x260",
    "v_cmp_class_f32 vcc, v1, v3",
    "v_cndmask_b32 v2, v2, v1, vcc",
)
ROOT64 = (
    "s_mov_b32 s0, 0",
    "s_brev_b32 s1, 8",
    "v_mov_b32 v4, 0x100",
    "v_mov_b32 v6, 0xffffff80",
    "v_mov_b32 v10, 0x260",
    "v_cmp_gt_f64 vcc, s[0:1], v[2:3]",
    "v_cndmask_b32 v4, 0, v4, vcc",
    "v_ldexp_f64 v[2:3], v[2:3], v4",
    "v_rsq_f64 v[4:5], v[2:3]",
    "v_cndmask_b32 v11, 0, v6, vcc",
    "v_cmp_class_f64 vcc, v[2:3], v10",
    "v_mul_f64 v[6:7], v[2:3], v[4:5]",
    "v_mul_f64 v[4:5], v[4:5], 0.5",
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 0.5",
    "v_fmac_f64 v[6:7], v[6:7], v[8:9]",
    "v_fmac_f64 v[4:5], v[4:5], v[8:9]",
    "v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]",
    "v_fmac_f64 v[6:7], v[8:9], v[4:5]",
    "v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]",
    "v_fmac_f64 v[6:7], v[8:9], v[4:5]",
    "v_ldexp_f64 v[4:5], v[6:7], v11",
    "v_cndmask_b32 v3, v5, v3, vcc",
    "v_cndmask_b32 v2, v4, v2, vcc",
)


@pytest.fixture(scope="module", params=["one host instruction", "step by step"])
def roots(request: pytest.FixtureRequest) -> Prepared:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "step by step":
            patch.setattr(sequences, "match", lambda pattern, value: None)
        ready = prepare([Case("gfx942", ROOT32), Case("gfx942", ROOT64)])
    # Step by step the f32 root is taken once, of the scaled number; whole ones are taken of the number itself too.
    assert ready.text.count("call <64 x double> @llvm.sqrt") == (1 if request.param == "step by step" else 2)
    return ready


def _close_calls(bits: int, rng: np.random.Generator, count: int) -> list[float]:
    """Numbers of `bits` significant bits whose roots lie next to the middle of two such: ``n * 2 ** k = m ** 2 - d``
    for odd m of one bit more, and small d."""
    found: list[float] = []
    size = bits + 2
    while len(found) < count:
        delta = 8 * int(rng.integers(-40, 40)) + 1
        root = 1
        for k in range(3, size):  # Hensel: root ** 2 = delta modulo 2 ** k, then modulo the next power
            if (root * root - delta) % (2 << k):
                root += 1 << (k - 1)
        for m in (root, -root, root + (1 << (size - 1)), -root + (1 << (size - 1))):
            m %= 1 << size
            if m >> bits != 1:
                continue
            n = (m * m - delta) >> size
            assert (n << size) == m * m - delta
            assert n < 1 << bits
            found.append(math.ldexp(n, size + 2 * int(rng.integers(-40, 20))))
    return found[:count]


def _wanted(values: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(values))


@pytest.mark.parametrize("seed", range(4))
def test_roots(roots: Prepared, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for turn in range(16):
        raw32 = rng.integers(0, 1 << 31, 64, np.uint32)
        raw64 = rng.integers(0, 1 << 63, 64, np.uint64)
        if turn % 4 == 1:  # around squares of numbers of half the size
            raw32 = (rng.integers(1, 1 << 12, 64).astype(np.float32) ** 2).view(np.uint32) + rng.integers(0, 3, 64)
            raw64 = (rng.integers(1, 1 << 26, 64).astype(np.float64) ** 2).view(np.uint64) + rng.integers(0, 3, 64)
        elif turn % 4 == 2:  # the ends of a binade, where a root's error weighs most
            ends = np.arange(-32, 32)
            raw32 = ((rng.integers(1, 254) << 23) + ends).astype(np.uint32)
            raw64 = (np.int64(int(rng.integers(1, 2046)) << 52) + ends).astype(np.uint64)
        elif turn % 4 == 3:
            raw32 = np.array(_close_calls(24, rng, 64), np.float32).view(np.uint32)
            raw64 = np.array(_close_calls(53, rng, 64)).view(np.uint64)
        single = raw32.astype(np.uint32).view(np.float32)
        double = raw64.astype(np.uint64).view(np.float64)
        single[: len(EDGES)] = np.array(EDGES, np.float32)
        double[: len(EDGES)] = np.array(EDGES)
        states = run_prepared(
            roots, [replace(roots.cases[0], vgprs={0: single}), replace(roots.cases[1], vgprs={2: double})]
        )
        same(states[0].f32(2), _wanted(single))
        same(states[1].f64(2), _wanted(double))


@pytest.mark.parametrize("changed", [2, 5, 7, 9, 10])
def test_a_sequence_that_differs_is_left_as_it_is(changed: int) -> None:
    """Another multiplier, operand or register is no division."""
    code = list(SINGLE)
    code[changed] = {
        2: "v_rcp_f32 v5, v4",
        5: "v_mul_f32 v6, v3, v5",
        7: "v_fma_f32 v6, v7, v7, v6",
        9: "v_div_fmas_f32 v7, v7, v6, v6",
        10: "v_div_fixup_f32 v2, v7, v0, v1",
    }[changed]
    found: list[Val | None] = []
    with pytest.MonkeyPatch.context() as patch:
        quotient = sequences.quotient

        def watched(x: Wave, approached: Val, b: Val, c: Val) -> Val | None:
            found.append(quotient(x, approached, b, c))
            return found[-1]

        patch.setattr(sequences, "quotient", watched)
        prepare([Case("gfx942", tuple(code)), Case("gfx942", SINGLE, mode=Mode(flush_f32=True))])
        sums = ("v_add_f32 v0, v0, v0", "v_add_f32 v1, v1, v1", "v_add_f32 v8, v1, v1", *SINGLE)
        prepare([Case("gfx942", (*sums[:-1], "v_div_fixup_f32 v2, v7, v8, v0")), Case("gfx942", sums)])
    assert found[:-1] == [None, None, None]
    assert found[-1] is not None
