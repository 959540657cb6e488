"""LLVM IR text → optimised native object file."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softrock.core import settings
from softrock.core.errors import SoftrockError
from softrock.jit import tile
from softrock.jit.host import target_machine

if TYPE_CHECKING:
    from softrock.jit.build import Timings

BRANCH_LIMIT = 5000
"""Branches in a module above which code is generated without optimisation."""


def dump(kernel: str, stage: str, content: str | bytes) -> None:
    """Write one stage of one kernel to the dump folder, where one is asked for (SOFTROCK_DUMP).

    Raises:
        SoftrockError: it cannot be written.
    """
    folder = settings.load().dump
    if folder is None:
        return
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", kernel)[:120]
    path: Path = folder / f"{name}.{stage}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as error:
        raise SoftrockError(
            f"{path} cannot be written: {error.strerror}", hint="name another folder in SOFTROCK_DUMP or --dump"
        ) from None


@contextlib.contextmanager
def _parser() -> Iterator[Callable[[str], Any]]:
    """Gives a function that parses IR. Modules are given back before their context: the garbage collector, which finds
    both where an error holds them, would promise no order, and LLVM does not survive the other one."""
    from llvmlite import binding

    # A context of its own gives its memory back, and does not number types on from module to module.
    context = binding.create_context()
    with contextlib.ExitStack() as held:
        yield lambda text: held.enter_context(binding.parse_assembly(text, context=context))


def object_of(
    text: str, kernel: str, *, large: bool = False, quick: bool = False, timings: Timings | None = None
) -> bytes:
    """Optimise and compile a module.

    Args:
        large: take the short pass pipeline, which costs a fifth of the time.
        quick: take it too, and generate code without optimisation.
        timings: gets what it took.

    Raises:
        SoftrockError: LLVM rejects the text (a defect of the translator: the message says where).
    """
    level = settings.load().opt
    dump(kernel, "ll", text)
    # Above that many branches LLVM's better code generators take minutes.
    machine = target_machine(0 if quick or text.count("\n  br ") > BRANCH_LIMIT else level)
    start = time.perf_counter()
    with _parser() as parse:
        try:
            module = parse(text)
            module.triple = machine.triple
            module.data_layout = str(machine.target_data)
            module.verify()
        except RuntimeError as error:
            said = str(error).splitlines()[0] if str(error) else error
            raise SoftrockError(
                f"kernel {kernel}: the translated code is malformed: {said}",
                hint="this is a defect of softrock; please report it with the output of SOFTROCK_DUMP=<folder>",
            ) from None
        _optimise(module, machine, level, large or quick)
        if level and not quick:
            chunked = tile.chunked(module, machine)
            if chunked is not None:
                module = parse(chunked)
        if settings.load().dump is not None:
            dump(kernel, "opt.ll", str(module))
            dump(kernel, "s", machine.emit_assembly(module))
        middle = time.perf_counter()
        data: bytes = machine.emit_object(module)
        if timings is not None:
            timings.passes, timings.codegen = middle - start, time.perf_counter() - middle
    return data


def _optimise(module: Any, machine: Any, level: int, large: bool) -> None:
    from llvmlite import binding

    options = binding.create_pipeline_tuning_options(speed_level=level)
    # GPU code is already vectorised by lane: the host's own vectorisers would only cost time.
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = binding.create_pass_builder(machine, options)
    if not large:
        builder.getModulePassManager().run(module, builder)
        return
    passes = binding.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_sccp_pass()  # not NewGVN: it fails an assertion, and so ends the process, on code that is not rare
    passes.add_simplify_cfg_pass()
    passes.add_aggressive_dce_pass()
    passes.run(module, builder)
