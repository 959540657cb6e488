"""Matrix instructions against a model of their layouts, one instruction at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from tests.lift import matrix_model as model
from tests.lift.harness import Case, State, run_cases, run_instruction
from tests.lift.matrix_model import Array, Op

from softrock.core.errors import UnsupportedError
from softrock.isa.tables import table
from softrock.lift.registry import lookup
from softrock.lift.semantics import matrix_dense

A, B, INDEX, C, D = 0, 16, 32, 64, 96
"""First registers of the operands."""


def ops_of(target: str, *kinds: str) -> list[tuple[str, str]]:
    """(canonical, assembler's) names of a target's matrix instructions but those with block scales."""
    rows = table(target.partition(":")[0]).rows
    prefixes = tuple(f"v_{kind}_" for kind in kinds)
    return sorted(
        {(r.op, r.asm) for r in rows if r.op.startswith(prefixes) and "f8f6f4" not in r.op and "ld_scale" not in r.op}
    )


@dataclass(frozen=True)
class Trial:
    """A case and what the model says of it: (lanes, accumulators), compared as numbers of format `out`."""

    case: Case
    op: Op
    want: Array
    half: int = 0
    first: int = D


def span(first: int, count: int, letter: str = "v") -> str:
    return f"{letter}[{first}:{first + count - 1}]" if count > 1 else f"{letter}{first}"


def numbers(rng: np.random.Generator, op: Op, form: str, count: int) -> Array:
    """Random integers that the format holds exactly, and whose products' sums the result holds exactly."""
    if form in ("i8", "u8", "i4", "u4"):
        top = 1 << model.BITS[form]
        low = top // 2 if form[0] == "i" else 0
        return rng.integers(-low, top - low, (op.lanes, count))
    top = 1 if op.out == "bf16" else 3
    return rng.integers(-top, top + 1, (op.lanes, count))


def accumulators(rng: np.random.Generator, op: Op, half: int = 0) -> tuple[Array, Array]:
    """Random C: its values (lanes, accumulators) and its registers; 16-bit ones of RDNA3 stand in half `half`."""
    top = {"i32": 1 << 31, "bf16": 16}.get(op.out, 500)
    values = rng.integers(-top, top, (op.lanes, op.d_count))
    raw = model.codes(values, op.out, op.target)
    if op.target == "gfx1100" and model.BITS[op.out] == 16:
        other = rng.integers(0, 1 << 16, raw.shape).astype(np.uint64)
        return values, model.registers(raw << np.uint64(16 * half) | other << np.uint64(16 - 16 * half), 32)
    return values, model.registers(raw, model.BITS[op.out])


def results(trial: Trial, state: State) -> Array:
    """D (lanes, accumulators)."""
    op = trial.op
    bits = model.BITS[op.out]
    halves = bits == 16 and op.target != "gfx1100"
    count = op.d_count * bits // 32 if bits != 16 or halves else op.d_count
    words = np.stack([state.u32(trial.first + r) for r in range(count)])
    if bits == 64:
        return np.ascontiguousarray(words.T).view(np.float64)
    if op.out in ("f32", "i32"):
        return words.T.view(np.float32 if op.out == "f32" else np.int32)
    both = np.ascontiguousarray(words.T).view(np.uint16)
    picked = both if halves else both[:, trial.half :: 2]
    out: Array = np.ascontiguousarray(picked).view(model.dtype_of(op.out, op.target)).astype(np.float64)
    return out


def wrapped(want: Array, op: Op) -> Array:
    return want.astype(np.int64).astype(np.int32) if op.out == "i32" else want


def dense(
    target: str, names: tuple[str, str], mods: str = "", letters: str = "vvvv", seed: int = 1, **how: int
) -> Trial:
    """A dense product with random operands, EXEC being partly off."""
    op = model.parse(names[0], target)
    rng = np.random.default_rng(seed)
    a, b = (numbers(rng, op, form, op.b_count) for form in (op.a, op.b))
    c, c_registers = accumulators(rng, op)
    given = {
        A: model.registers(model.codes(a, op.a, op.target), model.BITS[op.a]),
        B: model.registers(model.codes(b, op.b, op.target), model.BITS[op.b]),
        C: c_registers,
    }
    sizes = {first: len(words) for first, words in given.items()}
    bank = dict(zip((D, A, B, C), letters, strict=True))
    sources = ", ".join(span(first, size, bank[first]) for first, size in sizes.items())
    code = f"{names[1]} {span(D, sizes[C], bank[D])}, {sources}{mods}"
    registers = {first + 256 * (bank[first] == "a"): words for first, words in given.items()}
    want = wrapped(model.product(op, a, b, **how) + c, op)
    first = D + 256 * (bank[D] == "a")
    return Trial(Case(target, code, registers, exec_mask=0x5A5A), op, want, first=first)


def check(trials: Sequence[Trial]) -> None:
    """Run trials together."""
    for trial, state in zip(trials, run_cases([t.case for t in trials]), strict=True):
        np.testing.assert_array_equal(results(trial, state), trial.want, err_msg=str(trial.case.code))


# -- layouts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950"])
def test_mfma(target: str) -> None:
    check([dense(target, names) for names in ops_of(target, "mfma")])


@pytest.mark.parametrize(
    ("target", "count"), [("gfx90a", 27), ("gfx942", 46), ("gfx950", 64), ("gfx1100", 6), ("gfx1201", 22)]
)
def test_every_matrix_instruction_has_semantics(target: str, count: int) -> None:
    names = ops_of(target, "mfma", "smfmac", "wmma", "swmmac")
    assert len(names) == count
    assert [op for op, _ in names if lookup(op) is None] == []


@pytest.mark.parametrize(("cbsz", "abid"), [(1, 1), (2, 3), (4, 9)])
def test_one_block_of_a_for_many(cbsz: int, abid: int) -> None:
    fitting = [n for n in ops_of("gfx942", "mfma") if model.parse(n[0], "gfx942").blocks >> cbsz and "f64" not in n[0]]
    assert fitting
    check([dense("gfx942", names, f" cbsz:{cbsz} abid:{abid}", cbsz=cbsz, abid=abid) for names in fitting])


@pytest.mark.parametrize("blgp", range(1, 8))
def test_lanes_of_b(blgp: int) -> None:
    chosen = [n for n in ops_of("gfx90a", "mfma") if n[0].endswith(("_f16", "32_f32")) or "i8" in n[0]]
    check([dense("gfx90a", names, f" blgp:{blgp}", blgp=blgp) for names in chosen[::4]])


def test_accumulation_registers() -> None:
    names = ("v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_f16")
    check([dense("gfx942", names, letters=letters) for letters in ("avva", "vaav", "aaaa", "avaa")])


@pytest.mark.parametrize("signs", ["1,0,0", "0,1,0", "1,0,1"])
def test_signs_of_doubles(signs: str) -> None:
    for names in ops_of("gfx942", "mfma"):
        if names[0].endswith("f64"):
            trial = dense("gfx942", names, f" neg:[{signs}]")
            plain = dense("gfx942", names)
            c = model.registers(np.zeros((64, 1)).astype(np.uint64), 64)
            no_c = Trial(Case("gfx942", trial.case.code, {**trial.case.vgprs, C: c.repeat(4, 0)}), trial.op, trial.want)
            product = run_cases([Case("gfx942", plain.case.code, {**plain.case.vgprs, C: c.repeat(4, 0)})])[0]
            flip = [-1 if s == "1" else 1 for s in signs.split(",")]
            ab = results(plain, product)
            old = plain.want - ab
            np.testing.assert_array_equal(
                results(no_c, run_cases([trial.case])[0]), flip[0] * flip[1] * ab + flip[2] * old
            )


@pytest.mark.parametrize("target", ["gfx1100", "gfx1100:64", "gfx1201", "gfx1201:64"])
def test_wmma(target: str) -> None:
    rng = np.random.default_rng(3)
    trials: list[Trial] = []
    for names in ops_of(target, "wmma"):
        size = names[0].rpartition("_")[2][2:] if "_iu" in names[0] else ""
        for signs in range(4) if size else (0,):
            forms = [("i" if signs >> n & 1 else "u") + size if size else "" for n in (0, 1)]
            op = model.parse(names[0], target, *forms)
            trials += [
                wmma(target, names, op, rng, half)
                for half in range(
                    2 if op.d_count * 32 > 32 * 4 and target.startswith("gfx1100") and model.BITS[op.out] == 16 else 1
                )
            ]
    check(trials)


def wmma(target: str, names: tuple[str, str], op: Op, rng: np.random.Generator, half: int = 0, mods: str = "") -> Trial:
    a, b = (numbers(rng, op, form, op.b_count) for form in (op.a, op.b))
    if op.target == "gfx1100":  # equal copies in every 16 lanes
        a, b = (np.tile(part[:16], (op.lanes // 16, 1)) for part in (a, b))
    c, c_registers = accumulators(rng, op, half)
    given = {
        A: model.registers(model.codes(a, op.a, op.target), model.BITS[op.a]),
        B: model.registers(model.codes(b, op.b, op.target), model.BITS[op.b]),
        C: c_registers,
    }
    if op.a[0] in "iu":
        mods += f" neg_lo:[{int(op.a[0] == 'i')},{int(op.b[0] == 'i')},0]"
    if half:
        mods += " op_sel:[0,0,1]"
    sources = ", ".join(span(first, len(words)) for first, words in given.items())
    code = f"{names[1]} {span(D, len(c_registers))}, {sources}{mods}"
    want = wrapped(model.product(op, a, b) + c, op)
    return Trial(Case(target, code, given, exec_mask=0x5A5A), op, want, half)


def sparse(target: str, names: tuple[str, str], op: Op, rng: np.random.Generator, mods: str, first_bit: int) -> Trial:
    a, b = numbers(rng, op, op.a, op.a_count), numbers(rng, op, op.b, op.b_count)
    index = rng.integers(0, 1 << 32, op.lanes, dtype=np.uint32)
    c, c_registers = accumulators(rng, op)
    given = {
        A: model.registers(model.codes(a, op.a, op.target), model.BITS[op.a]),
        B: model.registers(model.codes(b, op.b, op.target), model.BITS[op.b]),
    }
    sources = ", ".join(span(first, len(words)) for first, words in given.items())
    code = f"{names[1]} {span(D, len(c_registers))}, {sources}, v{INDEX}{mods}"
    want = wrapped(model.sparse_product(op, a, b, index, first_bit) + c, op)
    return Trial(Case(target, code, {**given, INDEX: index, D: c_registers}, exec_mask=0x5A5A), op, want)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_smfmac(target: str) -> None:
    rng = np.random.default_rng(4)
    trials: list[Trial] = []
    common = ops_of("gfx942", "smfmac")
    for n, names in enumerate(ops_of(target, "smfmac")):
        if target == "gfx950" and names in common and not names[0].endswith("fp8_bf8"):
            continue
        op = model.parse(names[0], target)
        width = 2 * op.a_count
        abid = n % (32 // width)
        trials.append(sparse(target, names, op, rng, f" abid:{abid}" if abid else "", abid * width))
    check(trials)


def test_indices_with_cbsz() -> None:
    names = ("v_smfmac_f32_16x16x32_f16", "v_smfmac_f32_16x16x32_f16")
    check([sparse("gfx942", names, model.parse(names[0], "gfx942"), np.random.default_rng(4), " cbsz:1 abid:1", 0)])


@pytest.mark.parametrize("target", ["gfx1201", "gfx1201:64"])
def test_swmmac(target: str) -> None:
    rng = np.random.default_rng(5)
    trials: list[Trial] = []
    for names in ops_of(target, "swmmac"):
        size = names[0].rpartition("_")[2][2:] if "_iu" in names[0] else ""
        forms = ("i" + size, "u" + size) if size else ("", "")
        op = model.parse(names[0], target, *forms)
        width = 2 * op.a_count
        key = len(trials) % (32 // width)
        mods = f" index_key:{key}" if key else ""
        mods += " neg_lo:[1,0,0]" if size else ""
        trials.append(sparse(target, names, op, rng, mods, key * width))
    check(trials)


def ones(value: float) -> Array:
    return np.full((2, 64), np.float16(value).view(np.uint16).astype(np.uint32) * 0x10001, np.uint32)


def product(d: str, c: str, a: str = "v[0:1]", b: str = "v[16:17]") -> str:
    return f"v_mfma_f32_16x16x16_f16 {d}, {a}, {b}, {c}"


def test_many_products_into_one_accumulator() -> None:
    count = matrix_dense.RUN + 3
    code = [product("v[96:99]", "v[96:99]")] * count
    state = run_instruction("gfx942", code, {A: ones(1), B: ones(1), D: np.zeros((4, 64), np.uint32)})
    assert all((state.f32(D + r) == 16 * count).all() for r in range(4))


def test_operands_and_accumulators_change_between_products() -> None:
    """Each line looks at, or overwrites, something that neighbouring products must not share any more."""
    code = [
        product("v[96:99]", "1.0"),  # 17
        product("v[96:99]", "v[96:99]"),  # 33
        "v_mov_b32_e32 v64, v96",  # looked at: 33
        product("v[96:99]", "v[96:99]"),  # 49
        "v_mov_b32_e32 v0, v32",  # A is 2 in even k pairs: (8 * 2 + 8) = 24
        product("v[96:99]", "v[96:99]"),  # 73
        "v_mov_b32_e32 v97, 0",  # overwritten
        product("v[96:99]", "v[96:99]"),  # 97, but 24 in v97
        product("v[100:103]", "v[96:99]"),  # C stands elsewhere: 121, 48
        product("v[98:101]", "v[100:103]"),  # D overlaps C: 145, 72, 145, 145
        product("v[96:99]", "v[96:99]"),  # 121, 48, 169, 96
    ]
    initial = {A: ones(1), B: ones(1), 32: ones(2)}
    state = run_instruction("gfx942", code, initial)
    want = {64: 33, 96: 121, 97: 48, 98: 169, 99: 96, 100: 145, 101: 145, 102: 121, 103: 121}
    assert {r: float(state.f32(r)[5]) for r in want} == want


def test_more_operands_than_are_held() -> None:
    count = 2 * matrix_dense.ARRAYS
    code = []
    for k in range(count):
        code += [f"v_mov_b32_e32 v0, 0x{0x3C003C00 + k:x}", product("v[96:99]", "v[96:99]")]
    state = run_instruction("gfx942", code, {A: ones(1), B: ones(1), D: np.zeros((4, 64), np.uint32)})
    low = [float(np.uint16(0x3C00 + k).view(np.float16)) for k in range(count)]
    want = np.float32(sum(4 * value + 12 for value in low))
    np.testing.assert_allclose(state.f32(D), want, rtol=1e-6)


# -- modifiers and constants -----------------------------------------------------------------------


def test_constant_c() -> None:
    words = np.zeros((2, 64), np.uint32)
    cases = {
        "v_mfma_f32_16x16x16_f16 v[96:99], v[0:1], v[16:17], 1.0": np.float32(1).view(np.uint32),
        "v_mfma_f32_16x16x16_f16 v[96:99], v[0:1], v[16:17], 1": 1,
        "v_mfma_i32_16x16x32_i8 v[96:99], v[0:1], v[16:17], -3": 0xFFFFFFFD,
        "v_mfma_f64_16x16x4_f64 v[96:103], v[0:1], v[16:17], 2.0": 0,
    }
    states = run_cases([Case("gfx942", code, {A: words, B: words}) for code in cases])
    for (code, want), state in zip(cases.items(), states, strict=True):
        assert (state.u32(D) == want).all(), code
    assert (states[3].f64(D) == 2.0).all()
    code = "v_wmma_f16_16x16x16_f16 v[96:103], v[0:7], v[16:23], 0.5"
    state = run_instruction("gfx1100", code, {A: np.zeros((8, 32), np.uint32)})
    assert (state.f16(D) == 0.5).all()


@pytest.mark.parametrize("target", ["gfx1100", "gfx1201"])
def test_signs_of_wmma(target: str) -> None:
    names = ("v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_f16")
    op = model.parse(names[0], target)
    rng = np.random.default_rng(6)
    plain = wmma(target, names, op, rng)
    c = plain.case.vgprs[C].view(np.float32).T
    ab = plain.want - c
    even = np.arange(op.b_count) % 2 == 0
    a, b = (plain.case.vgprs[r].T.copy().view(np.float16).astype(np.float64) for r in (A, B))
    for mods, want in {
        " neg_lo:[0,0,1]": ab - c,
        " neg_hi:[0,0,1]": ab + abs(c),
        " neg_lo:[0,0,1] neg_hi:[0,0,1]": ab - abs(c),
        " neg_lo:[1,0,0]": model.product(op, np.where(even, -a, a), b) + c,
        " neg_hi:[0,1,0]": model.product(op, a, np.where(even, b, -b)) + c,
    }.items():
        check([Trial(Case(target, f"{plain.case.code}{mods}", plain.case.vgprs), op, want)])


def test_clamp() -> None:
    a = np.full((4, 32), 0x7F7F7F7F, np.uint32)
    c = np.full((8, 32), 0x7FFFFF00, np.uint32)
    code = "v_wmma_i32_16x16x16_iu8 v[96:103], v[0:3], v[16:19], v[64:71] neg_lo:[1,1,0]"
    wraps, clamps = run_cases([Case("gfx1100", code + mods, {A: a, B: a, C: c}) for mods in ("", " clamp")])
    assert (clamps.u32(D) == 0x7FFFFFFF).all()
    assert (wraps.u32(D) == 0x7FFFFF00 + 16 * 127 * 127).all()


def test_the_other_half_stays() -> None:
    old = np.random.default_rng(8).integers(0, 1 << 32, (8, 32), dtype=np.uint32)
    code = "v_wmma_f16_16x16x16_f16 v[96:103], v[0:7], v[16:23], v[64:71]"
    low, high = run_cases([Case("gfx1100", code + mods, {D: old}) for mods in ("", " op_sel:[0,0,1]")])
    for r in range(8):
        assert (low.u32(D + r) == old[r] & 0xFFFF0000).all()
        assert (high.u32(D + r) == old[r] & 0xFFFF).all()


@pytest.mark.parametrize(
    "code",
    [
        "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3] cbsz:1",
        "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3] blgp:1",
        "v_smfmac_i32_16x16x64_i8 v[0:3], v[8:9], v[12:15], v10 abid:2",
    ],
)
def test_modifiers_without_meaning_are_refused(code: str) -> None:
    with pytest.raises(UnsupportedError, match=r"cbsz|blgp|abid"):
        run_instruction("gfx942", code)


# -- arithmetic ------------------------------------------------------------------------------------


def rounded(value: Fraction) -> np.float32:
    """A fraction to the nearest f32, ties to even (values of ordinary size)."""
    near = np.float32(float(value))
    around = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    return min(around, key=lambda f: (abs(Fraction(float(f)) - value), int(f.view(np.uint32)) & 1))


def test_f32_is_a_chain_of_fused_multiply_adds() -> None:
    rng = np.random.default_rng(9)
    a, b, c = (rng.standard_normal((n, 64)).astype(np.float32) for n in (1, 1, 4))
    state = run_instruction("gfx942", "v_mfma_f32_16x16x4_f32 v[96:99], v0, v16, v[64:67]", {A: a, B: b, C: c})
    op = model.parse("v_mfma_f32_16x16x4_f32", "gfx942")
    for i, j in [(0, 0), (3, 7), (9, 2), (15, 15), (6, 11)]:
        lane, r = op.d_place(i, j, 0)
        total = c[r, lane]
        for k in range(4):
            left, right = a[0, op.a_place(i, k, 0)[0]], b[0, op.b_place(k, j, 0)[0]]
            total = rounded(Fraction(float(left)) * Fraction(float(right)) + Fraction(float(total)))
        assert state.f32(D + r)[lane] == total


def test_xf32_cuts_its_inputs_off() -> None:
    a = np.full((2, 64), 0x3F801FFF, np.uint32)  # 1 and a bit
    b = np.full((2, 64), 0x3F800000, np.uint32)
    state = run_instruction("gfx942", "v_mfma_f32_16x16x8_xf32 v[96:99], v[0:1], v[16:17], 0", {A: a, B: b})
    assert (state.f32(D) == 8.0).all()


@pytest.mark.parametrize(("target", "kept"), [("gfx90a", False), ("gfx942", True)])
def test_denormals_of_halves(target: str, kept: bool) -> None:
    name = next(asm for op, asm in ops_of(target, "mfma") if op == "v_mfma_f32_16x16x16_f16")
    one, tiny = np.full((2, 64), 0x3C003C00, np.uint32), np.full((2, 64), 0x00010001, np.uint32)
    code = f"{name} v[96:99], v[0:1], v[16:17], 0"
    state = run_instruction(target, code, {A: one, B: tiny})
    assert (state.f32(D) == (16 * 2.0**-24 if kept else 0.0)).all()


def test_special_numbers() -> None:
    a = np.zeros((2, 64), np.uint32)
    a[0, :16] = [0x7C00, 0xFC00, 0x7E00, *[0x3C00] * 13]  # A[i][0]: infinities and a NaN
    b = np.zeros((2, 64), np.uint32)
    b[0, :16] = 0x3C00
    state = run_instruction("gfx942", "v_mfma_f32_16x16x16_f16 v[96:99], v[0:1], v[16:17], 0", {A: a, B: b})
    assert (state.f32(D)[:16] == np.inf).all()
    assert (state.f32(D + 1)[:16] == -np.inf).all()
    assert np.isnan(state.f32(D + 2)[:16]).all()
    assert (state.f32(D + 3)[:16] == 1).all()


# -- block scales ----------------------------------------------------------------------------------

CODES = {"fp8": 0, "bf8": 1, "fp4": 4}
FP4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def narrow(rng: np.random.Generator, form: str) -> tuple[Array, Array]:
    """32 random elements of each lane: values and registers."""
    if form == "fp4":
        raw = rng.integers(0, 16, (64, 32)).astype(np.uint64)
        values = np.array([*FP4, *(-v for v in FP4)])[raw.astype(np.int64)]
        return values, model.registers(raw, 4)
    values = rng.integers(-3, 4, (64, 32)).astype(np.float64)
    return values, model.registers(model.codes(values, form, "gfx950"), 8)


def by_k(m: int, form: str, values: Array, scales: Array) -> Array:
    """Rows of A (columns of B) with their scales: four-bit runs of 32 k, eight-bit runs of 16."""
    k_size = 32 * 64 // m
    rows = np.zeros((m, k_size))
    for i in range(m):
        for k in range(k_size):
            if form == "fp4":
                lane, e = i + m * (k // 32), k % 32
            else:
                half = k_size // 2
                lane, e = i + m * (k % half // 16), k // half * 16 + k % 16
            rows[i, k] = values[lane, e] * 2.0 ** (int(scales[i + m * (k // 32)]) - 127)
    return rows


@pytest.mark.parametrize("size", ["16x16x128", "32x32x64"])
@pytest.mark.parametrize(("left", "right"), [("fp8", "fp8"), ("bf8", "fp4"), ("fp4", "fp4"), ("fp4", "fp8")])
@pytest.mark.parametrize("scaled", [False, True])
def test_block_scales(size: str, left: str, right: str, scaled: bool) -> None:
    rng = np.random.default_rng(11)
    m = int(size[:2])
    (a, a_registers), (b, b_registers) = narrow(rng, left), narrow(rng, right)
    scales = rng.integers(124, 131, (2, 64, 4)) if scaled else np.full((2, 64, 4), 127)
    c = rng.integers(-100, 100, (m * m // 64, 64)).astype(np.float32)
    code = f"v_mfma_{'scale_' if scaled else ''}f32_{size}_f8f6f4 {span(D, len(c))}, {span(A, len(a_registers))}, "
    code += f"{span(B, len(b_registers))}, {span(C, len(c))}"
    registers = {A: a_registers, B: b_registers, C: c}
    if scaled:
        code += f", v{INDEX}, v{INDEX + 1} op_sel:[1,0,0] op_sel_hi:[1,1,0]"  # bytes 3 and 2
        registers[INDEX] = scales.astype(np.uint8).view(np.uint32)[:, :, 0]
    code += f" cbsz:{CODES[left]} blgp:{CODES[right]}"
    state = run_instruction("gfx950", code, registers, exec_mask=3)
    product = by_k(m, left, a, scales[0, :, 3]) @ by_k(m, right, b, scales[1, :, 2]).T
    for i in range(m):
        for j in range(m):
            lane, r = model.mfma_output(m, i, j, 0, 4)
            assert state.f32(D + r)[lane] == np.float32(product[i, j] + c[r, lane])


def test_scales_beyond_single_precision_and_nan() -> None:
    one = np.full((8, 64), 0x38383838, np.uint32)
    code = "v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[0:7], v[16:23], 0, v32, v33 op_sel_hi:[0,0,0]"
    scales = {(254, 0): 128.0, (255, 127): np.nan, (0, 0): 0.0}
    words = [np.array(pair, np.uint32).repeat(64).reshape(2, 64) for pair in scales]
    states = run_cases([Case("gfx950", code, {A: one, B: one, INDEX: pair}) for pair in words])
    for state, want in zip(states, scales.values(), strict=True):
        np.testing.assert_array_equal(state.f32(D), np.full(64, want, np.float32))


def test_six_bit_floats_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="six-bit"):
        run_instruction("gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[96:99], v[0:5], v[16:23], 0 cbsz:2")
