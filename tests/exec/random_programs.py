"""Random C programs that mean the same on the GPU and on the host.

Every expression is defined for all inputs (shift counts are masked, divisors made odd, float-to-integer conversions
bounded), so results must agree bit for bit; only NaNs may differ in sign and payload. Left out, because the compiler of
LLVM 22 gets them wrong: byte swaps on gfx1100 at -O0 (half of a register is lost), and products of bytes under a
mask on gfx942 (the mask is dropped when they become a dot product).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

INTEGERS = ("i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f16", "f32", "f64")
INPUTS = (
    ("i32", "a"),
    ("u32", "b"),
    ("i64", "c"),
    ("u64", "d"),
    ("f32", "e"),
    ("f64", "f"),
    ("f16", "g"),
    ("i16", "h"),
    ("u16", "j"),
)
TYPES = """
typedef short i16; typedef unsigned short u16; typedef int i32; typedef unsigned u32;
typedef long long i64; typedef unsigned long long u64; typedef _Float16 f16; typedef float f32; typedef double f64;
DEV inline i64 to_signed(f64 x) { return x > -1e18 && x < 1e18 ? (i64)x : 11; }
DEV inline u64 to_unsigned(f64 x) { return x >= 0 && x < 1e19 ? (u64)x : 13; }
"""
_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
_SUFFIX = {"f16": "f", "f32": "f", "f64": ""}
_WIDE = {"f16": "f32", "f32": "f32", "f64": "f64"}


@dataclass(frozen=True)
class Source:
    """The parameter list and the body (for element ``i``) of a program, and the types of its outputs."""

    parameters: str
    body: str
    outputs: tuple[str, ...]


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables: list[tuple[str, str]] = [(name, kind) for kind, name in INPUTS]
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def leaf(self, kind: str) -> str:
        choices = [name for name, k in self.variables if k == kind]
        if choices and self.random.random() < 0.9:
            return self.random.choice(choices)
        if kind in FLOATS:
            return f"({kind}){self.random.choice(('0.5', '1.0', '-1.5', '3.25', '1e-3', '100.0', '0.0', '-0.0'))}"
        return f"({kind}){self.random.choice((0, 1, 2, 7, 31, 63, 127, 255, 65535, 0x7FFFFFFF))}u"

    def expression(self, kind: str, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.12:
            return self.leaf(kind)
        if self.random.random() < 0.1:
            other = self.random.choice(INTEGERS + FLOATS)
            left, right = self.expression(other, depth - 1), self.expression(other, depth - 1)
            yes, no = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return f"(({left} {self.random.choice(_COMPARISONS)} {right}) ? {yes} : {no})"
        return self.float(kind, depth - 1) if kind in FLOATS else self.integer(kind, depth - 1)

    def integer(self, kind: str, depth: int) -> str:
        bits, unsigned = int(kind[1:]), f"u{kind[1:]}"
        a, b, c = (self.expression(kind, depth) for _ in range(3))
        count = f"({self.expression('u32', depth)} & {bits - 1})"
        long = "ll" if bits == 64 else ""
        wide = "u64" if bits == 64 else "u32"
        low, high = self.expression("u32", depth), self.expression("i32", depth)
        turn = self.random.choice((1, 7, 8, 13))
        forms = (
            *(f"({unsigned}){a} {op} ({unsigned}){b}" for op in "+-*&|^"),
            f"({unsigned}){a} << {count}",
            f"{a} >> {count}",
            f"~{a}",
            f"({unsigned}){a} / ({unsigned})({b} | 1)",
            f"({unsigned}){a} % ({unsigned})({b} | 1)",
            f"{a} / (({kind})({b} & 0x7f) | 1)",
            f"__builtin_popcount{long}(({unsigned}){a})",
            f"__builtin_clz{long}(({wide})({unsigned}){a} | 1)",
            f"__builtin_ctz{long}(({wide})({unsigned}){a} | ({wide})1 << 15)",
            f"__builtin_bitreverse{bits}(({unsigned}){a})",
            self.expression(self.random.choice(INTEGERS), depth),
            f"{'to_signed' if kind[0] == 'i' else 'to_unsigned'}({self.expression(self.random.choice(FLOATS), depth)})",
            *(f"__builtin_elementwise_{f}(({kind}){a}, ({kind}){b})" for f in ("min", "max", "add_sat", "sub_sat")),
            f"((u64){low} * (u64){low}) >> 32",
            f"((i64){high} * (i64){high}) >> 24",
            f"(({unsigned}){a} << {turn}) | (({unsigned}){a} >> {bits - turn})",
            f"({unsigned}){a} * ({unsigned}){b} + ({unsigned}){c}",
        )
        return f"({kind})({self.random.choice(forms)})"

    def float(self, kind: str, depth: int) -> str:
        suffix, wide = _SUFFIX[kind], _WIDE[kind]
        a, b, c = (self.expression(kind, depth) for _ in range(3))
        rounding = self.random.choice(("floor", "ceil", "trunc", "rint", "fabs"))
        extreme = self.random.choice(("fmin", "fmax"))
        forms = (
            *(f"{a} {op} {b}" for op in "+-*/"),
            f"-{a}",
            f"__builtin_fma{suffix}(({wide}){a}, ({wide}){b}, ({wide}){c})" if kind != "f16" else f"{a} * {b}",
            f"__builtin_{rounding}{suffix}(({wide}){a})",
            # Which zero comes out is open: the sum makes it +0.
            f"__builtin_{extreme}{suffix}(({wide}){a} * ({wide})1.5, ({wide}){b} * ({wide})1.5) + ({wide})0",
            f"__builtin_sqrt{suffix}(__builtin_fabs{suffix}(({wide}){a}))",
            self.expression(self.random.choice(INTEGERS), depth),
            self.expression(self.random.choice(FLOATS), depth),
        )
        return f"({kind})({self.random.choice(forms)})"

    def assignment(self, changeable: list[tuple[str, str]]) -> str:
        name, kind = self.random.choice(changeable)
        return f"{name} = {self.expression(kind, 2)};"

    def statements(self, depth: int, nesting: int, changeable: list[tuple[str, str]]) -> list[str]:
        out: list[str] = []
        for _ in range(self.random.randrange(2, 5)):
            choice = self.random.random()
            if choice < 0.6 or nesting == 2:
                kind, name = self.random.choice(INTEGERS + FLOATS), self.name("v")
                out.append(f"{kind} {name} = {self.expression(kind, depth)};")
                self.variables.append((name, kind))
                continue
            outside = list(self.variables)
            head = f"if ({self.expression(self.random.choice(INTEGERS), 2)} & {self.random.choice((1, 2, 3, 4))})"
            if choice > 0.8:
                step = self.name("k")
                head = f"for (u32 {step} = 0; {step} < ({self.expression('u32', 1)} & 3) + 1u; {step}++)"
            inner = self.statements(depth, nesting + 1, changeable)
            out.append(f"{head} {{ {' '.join([*inner, self.assignment(changeable)])} }}")
            self.variables = outside
        return out


def program(seed: int) -> Source:
    """The program of this seed."""
    made = _Generator(seed)
    lines = [f"{kind} {name} = in_{name}[i];" for kind, name in INPUTS]
    changeable: list[tuple[str, str]] = []
    for kind in made.random.sample(INTEGERS + FLOATS, 4):
        name = made.name("m")
        lines.append(f"{kind} {name} = {made.expression(kind, 1)};")
        changeable.append((name, kind))
    made.variables += changeable
    lines += made.statements(made.random.choice((2, 3)), 0, changeable)
    results = [v for v in made.variables if v[0][0] in "vm"][-10:]
    lines += [f"out{k}[i] = {name};" for k, (name, _) in enumerate(results)]
    parameters = [f"const {kind} *in_{name}" for kind, name in INPUTS]
    parameters += [f"{kind} *out{k}" for k, (_, kind) in enumerate(results)]
    return Source(", ".join(parameters), "\n".join(lines), tuple(kind for _, kind in results))
