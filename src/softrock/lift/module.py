"""A kernel and everything it calls, as one LLVM module in text form."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from softrock.codeobj import CodeObject, Kernel
from softrock.core.errors import CodeObjectError, DecodeError
from softrock.decode import decode
from softrock.decode.instruction import Instruction
from softrock.isa.targets import Target, target
from softrock.lift import cfg, columns, pieces, registry
from softrock.lift.context import Mode
from softrock.lift.function import END, Facts, FunctionLifter, Unit, function_name
from softrock.lift.layout import ANY, rows_of

_DENORMALS_ON = 3
_ROUND_NEAREST = 0


@dataclass(frozen=True, slots=True)
class Lifted:
    """A translated kernel.

    Attributes:
        text: LLVM IR.
        entry: symbol of ``void entry(ptr wave)``.
        functions: code-object address → symbol of each translated function that calls may reach by address.
        yields: waves wait for one another (barriers, spin loops): they must run as fibers.
        instructions: GPU instructions translated.
    """

    text: str
    entry: str
    functions: dict[int, str]
    yields: bool
    instructions: int


def mode_of(kernel: Kernel) -> Mode:
    """Floating-point mode from the kernel's descriptor.

    Raises:
        CodeObjectError: a rounding mode other than nearest, which translated code does not honour.
    """
    mode = kernel.mode
    if mode & 0xF != _ROUND_NEAREST:
        raise CodeObjectError(
            f"kernel {kernel.name} starts in rounding mode {mode & 0xF}, which is not supported",
            hint="compile it without changing the rounding mode",
        )
    return Mode(
        flush_f32=(mode >> 4 & 3) != _DENORMALS_ON,
        flush_f16_f64=(mode >> 6 & 3) != _DENORMALS_ON,
        ieee=bool(mode >> 9 & 1) and target(kernel.target.processor).major < 12,
        dx10_clamp=bool(mode >> 8 & 1) or target(kernel.target.processor).major >= 12,
    )


class ModuleLifter:
    """Translates one kernel of a code object with its callees."""

    def __init__(self, code: CodeObject, kernel: Kernel, native_gather: bool, layout: str = ANY) -> None:
        self.code = code
        self.kernel = kernel
        layout, self.rows = rows_of(layout)
        self.target: Target = target(code.target).with_wave_size(kernel.wavefront_size)
        self.unit = Unit(
            self.target,
            kernel.wavefront_size,
            mode_of(kernel),
            kernel.name,
            registry.lookup,
            native_gather,
            bool(kernel.private_segment_size) or kernel.uses_dynamic_stack,
            min(kernel.vgprs, 256),
            layout,
            min(kernel.max_flat_workgroup_size, 1024),
        )
        self.declares: dict[str, str] = {}
        self.graphs: dict[int, cfg.Function] = {}
        self._by_address: bool | None = None
        self.pointers = {r.address: r for r in code.relocations}

    def _decode(self, address: int) -> Instruction:
        for base, data in self.code.text:
            if base <= address < base + len(data):
                try:
                    return decode(self.target, data, address - base, address)
                except DecodeError as error:
                    raise DecodeError(
                        f"{self.code.name}: kernel {self.kernel.name}: {error.message}", hint=error.hint
                    ) from None
        raise CodeObjectError(f"{self.code.name}: kernel {self.kernel.name}: no code at address 0x{address:x}")

    def _bounds(self, entry: int) -> tuple[int, int]:
        symbol = self.code.function_at(entry)
        if symbol is not None and symbol.size:
            return symbol.address, symbol.address + symbol.size
        for base, data in self.code.text:
            if base <= entry < base + len(data):
                return entry, base + len(data)
        raise CodeObjectError(f"{self.code.name}: kernel {self.kernel.name}: no code at address 0x{entry:x}")

    def _pointer_at(self, address: int) -> int | None:
        found = self.pointers.get(address)
        if found is None:
            return None
        if found.kind == "R_AMDGPU_RELATIVE64":
            return found.addend
        if found.kind == "R_AMDGPU_ABS64" and found.value is not None:
            return found.value + found.addend
        return None

    def _discover(self) -> bool:
        """Find every function that may run; True where some are only reached by address."""
        work = [self.kernel.entry]
        indirect = False
        while work:
            entry = work.pop()
            if entry in self.graphs:
                continue
            graph = cfg.build(entry, self._decode, self._bounds(entry), self._pointer_at)
            self.graphs[entry] = graph
            work.extend(graph.calls)
            if (graph.indirect or (graph.returns and entry == self.kernel.entry)) and not indirect:
                # Some call's target is only known when it runs: every function of the code object may be it.
                indirect = True
                kernels = {k.code_address for k in self.code.kernels.values()}
                work.extend(f.address for f in self.code.functions if f.address not in kernels)
        return indirect

    def discover(self) -> int:
        """Find and decode the code that may run; gives the number of its instructions.

        Raises:
            DecodeError, CodeObjectError: the code is not what it claims to be.
        """
        if self._by_address is None:
            self._by_address = self._discover()
        return sum(graph.instructions for graph in self.graphs.values())

    def most_rows(self) -> int:
        """How many workgroups of a column should run together at most; see :mod:`softrock.lift.columns`."""
        symbol = self.code.function_at(self.kernel.entry)
        if symbol is None or symbol.size > columns.MOST_BYTES:
            return 1
        self.discover()
        graph = self.graphs[self.kernel.entry]
        facts = Facts.of(self.unit, graph, self.kernel)
        return columns.most_rows(graph, facts.semantics, facts.live, self.kernel, self.unit.native_gather)

    def lift(self, *, quick: bool = False) -> Lifted:
        """Translate.

        Args:
            quick: one version of each block, and nothing that takes a second look: compile time before speed.

        Raises:
            UnsupportedError: an instruction that has no semantics yet, named with kernel, address and target.
            DecodeError, CodeObjectError: the code is not what it claims to be.
        """
        self.discover()
        by_address = bool(self._by_address)
        unit = replace(self.unit, quick=quick)
        bodies: list[str] = []
        debug: list[str] = []
        yields = False
        for entry, graph in self.graphs.items():
            kernel = self.kernel if entry == self.kernel.entry else None
            if graph.instructions > pieces.ABOVE:
                graph = pieces.in_short_blocks(graph, pieces.SIZE)
                parts = pieces.cut(graph, pieces.SIZE)
                bodies.append(_driver(entry, parts, debug))
            else:
                parts = []
            facts = Facts.of(unit, graph, kernel)
            lifters: list[FunctionLifter]
            if kernel is not None and self.rows > 1:
                from softrock.lift.column_lifter import Apart, Together

                lifters = [each(unit, graph, self.declares, kernel, facts, self.rows) for each in (Together, Apart)]
            else:
                lifters = [
                    FunctionLifter(unit, graph, self.declares, kernel, facts, part) for part in parts or (None,)
                ]
            for lifter in lifters:
                lifter.lift()
                bodies.append(_debugged(lifter, debug))
                yields = yields or lifter.yields
        yields = yields or "sr_barrier" in self.declares or "sr_yield" in self.declares
        text = "\n".join(
            [
                f'source_filename = "{_quoted(self.kernel.name)}"',
                *bodies,
                self._wrapper(by_address),
                *(t for t in self.declares.values() if t),
                'attributes #0 = { nounwind "frame-pointer"="none" "no-stack-arg-probe" '
                '"reciprocal-estimates"="vec-sqrtf:0" }',
                "!0 = !{}",
                *debug,
                *_DEBUG_MODULE,
            ]
        )
        functions = {e: f"x_{e:x}" for e in self.graphs if by_address and e != self.kernel.entry}
        return Lifted(text, "kernel", functions, yields, sum(g.instructions for g in self.graphs.values()))

    def _wrapper(self, by_address: bool) -> str:
        out = []
        for entry in self.graphs if by_address else ():
            if entry != self.kernel.entry:
                out.append(f"@x_{entry:x} = alias i64 (ptr), ptr @{function_name(entry)}")
        self.declares.setdefault("sr_lookup", "declare ptr @sr_lookup(ptr, i64)")
        out.append(
            f"""define void @kernel(ptr noalias nonnull %wave) #0 !dbg !6 {{
  %first = call i64 @{function_name(self.kernel.entry)}(ptr %wave), !dbg !7
  %over = icmp eq i64 %first, {END}
  br i1 %over, label %done, label %loop
loop:
  %at = phi i64 [ %first, %0 ], [ %next, %loop ]
  %basep = getelementptr i8, ptr %wave, i64 {_code_base()}
  %base = load i64, ptr %basep, align 8
  %offset = sub i64 %at, %base
  %fn = call ptr @sr_lookup(ptr %wave, i64 %offset), !dbg !7
  %next = call i64 %fn(ptr %wave), !dbg !7
  %ended = icmp eq i64 %next, {END}
  br i1 %ended, label %done, label %loop
done:
  ret void
}}"""
        )
        return "\n".join(out)


def _code_base() -> int:
    from softrock.lift.wave import OFFSET

    return OFFSET["code_base"]


def _quoted(name: str) -> str:
    return "".join(c if c.isalnum() or c in "_.$" else "_" for c in name)


_DEBUG_MODULE = (
    "!llvm.module.flags = !{!1, !2}",
    '!1 = !{i32 2, !"Debug Info Version", i32 3}',
    '!2 = !{i32 2, !"Dwarf Version", i32 4}',
    "!llvm.dbg.cu = !{!3}",
    '!3 = distinct !DICompileUnit(language: DW_LANG_C, file: !4, emissionKind: LineTablesOnly, producer: "softrock")',
    '!4 = !DIFile(filename: "gpu", directory: "")',
    "!5 = !DISubroutineType(types: !0)",
    # The wrapper needs a scope of its own: what is inlined into a function without one loses its lines.
    '!6 = distinct !DISubprogram(name: "kernel", file: !4, line: 0, type: !5, unit: !3, spFlags: DISPFlagDefinition)',
    "!7 = !DILocation(line: 0, column: 0, scope: !6)",
)
_FIRST_FREE = 10


def _subprogram(name: str, entry: int, debug: list[str]) -> int:
    """Number of a new debug scope for an LLVM function."""
    number = _FIRST_FREE + len(debug)
    debug.append(
        f'!{number} = distinct !DISubprogram(name: "{name}", file: !4, line: {entry >> 2}, type: !5, '
        "unit: !3, spFlags: DISPFlagDefinition)"
    )
    return number


def _driver(entry: int, parts: list[pieces.Piece], debug: list[str]) -> str:
    """A function that was cut: it runs its pieces."""
    name = function_name(entry)
    scope = _subprogram(name, entry, debug)
    here = _FIRST_FREE + len(debug)
    debug.append(f"!{here} = !DILocation(line: {entry >> 2}, column: 1, scope: !{scope})")
    body = pieces.driver(name, parts, f", !dbg !{here}")
    return f"define internal i64 @{name}(ptr noalias nonnull %wave) #0 !dbg !{scope} {{\n{body}\n}}\n"


def _debugged(lifter: FunctionLifter, debug: list[str]) -> str:
    """Number the function's debug locations: the line of a host instruction is the GPU address divided by four."""
    entry = lifter.graph.entry
    start = _subprogram(lifter.name, entry, debug)
    numbers = {f"F{entry:x}": str(start)}
    for address in lifter.debug_lines:
        numbers[f"D{address:x}"] = str(_FIRST_FREE + len(debug))
        debug.append(f"!{_FIRST_FREE + len(debug)} = !DILocation(line: {address >> 2}, column: 1, scope: !{start})")
    return re.sub(r"!dbg !([DF][0-9a-f]+)", lambda m: f"!dbg !{numbers[m.group(1)]}", lifter.text())


def lift_kernel(code: CodeObject, kernel: Kernel, *, native_gather: bool, layout: str = ANY) -> Lifted:
    """Translate a kernel to LLVM IR; see :class:`ModuleLifter`.

    Args:
        native_gather: the host gathers and masks lanes in hardware (AVX-512).
        layout: of the workgroups that it is for (:func:`softrock.lift.entry.layout_of`).
    """
    return ModuleLifter(code, kernel, native_gather, layout).lift()
