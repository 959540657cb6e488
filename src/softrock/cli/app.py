"""The commands of ``softrock`` and their arguments. Each body imports its module only when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from softrock.cli import report
from softrock.core.errors import UsageError

app = typer.Typer(
    name="softrock",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich takes longer to import than everything else here together
    help="Compile CUDA and HIP programs for AMD GPUs and run them: on a real AMD GPU where there is one, "
    "else on a software AMD GPU.",
    epilog="Environment: SOFTROCK_GPUS (devices), SOFTROCK_CACHE_DIR, SOFTROCK_THREADS, SOFTROCK_DEBUG.",
)

_PASS = {"ignore_unknown_options": True, "allow_interspersed_args": True}
_TAIL: list[str] = []
"""What followed ``--`` on the command line; click would merge it with the arguments before."""

Gpu = Annotated[
    str | None,
    typer.Option(
        "--gpu",
        metavar="GPU[,GPU...]",
        help="Software GPU: gfx942 (default), gfx1100, ...",
        rich_help_panel="Device",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="End a kernel that runs longer and say where its waves are."),
]
Dump = Annotated[
    str | None,
    typer.Option("--dump", metavar="FOLDER", help="Write every stage of every kernel into this folder."),
]


@app.command(context_settings=_PASS)
def run(
    args: Annotated[
        list[str],
        typer.Argument(metavar="PROGRAM.cu|.hip|.cpp [COMPILER FLAGS] [-- PROGRAM ARGUMENTS]", show_default=False),
    ],
    gpu: Gpu = None,
    timeout: Timeout = None,
    dump: Dump = None,
) -> int:
    """Compile a CUDA or HIP program and run it.

    The program is kept in the cache and found ready the next time. With several GPUs it runs once on each, in
    order. The exit status is the program's own.

    Example: softrock run saxpy.cu --gpu gfx942,gfx1100 -O3 -- 1000000
    """
    from softrock.cli import running

    return running.run(args, tuple(_TAIL), running.Options(gpu, timeout, dump))


@app.command(context_settings=_PASS)
def build(
    args: Annotated[list[str], typer.Argument(metavar="HIPCC ARGUMENTS", show_default=False)],
) -> int:
    """Compile and link; takes the flags of hipcc.

    Example: softrock build saxpy.hip -o saxpy --offload-arch=gfx942
    """
    from softrock.cli.hipcc import main

    return main([*args, *_TAIL])


@app.command(name="exec", context_settings=_PASS)
def execute(
    command: Annotated[list[str] | None, typer.Argument(metavar="[--] COMMAND [ARGUMENTS]", show_default=False)] = None,
    gpu: Gpu = None,
    timeout: Timeout = None,
    dump: Dump = None,
) -> int:
    """Run any command with the software GPU in place of ROCm.

    Example: softrock exec --gpu gfx1100 -- ./my_hip_program
    """
    from softrock.cli import running

    return running.execute((*(command or ()), *_TAIL), running.Options(gpu, timeout, dump))


@app.command()
def env(
    gpu: Gpu = None,
    as_json: AsJson = False,
) -> int:
    """Print the environment that exec sets, as shell exports.

    Example: eval "$(softrock env --gpu gfx1100)"
    """
    from softrock.cli import running

    return running.print_environment(running.Options(gpu), as_json)


@app.command()
def inspect(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    as_json: AsJson = False,
) -> int:
    """Show what GPU code any binary holds.

    For a program, library, object or code object: targets, kernels, registers, LDS and occupancy.
    """
    from softrock.cli import reports

    return reports.inspect(file, as_json)


@app.command()
def targets(
    gfx: Annotated[str | None, typer.Argument(metavar="[GFX]", show_default=False)] = None,
    as_json: AsJson = False,
) -> int:
    """List the GPUs that can be run on, or describe one of them."""
    from softrock.cli import reports

    return reports.targets(gfx, as_json)


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything; it is rebuilt when needed.")] = False,
    limit: Annotated[
        str | None,
        typer.Option("--limit", metavar="SIZE", help="Cut it to this size, e.g. 500M; what was used longest ago goes."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what the cache holds, or cut or clear it."""
    from softrock.cli import reports

    return reports.cache(clear, limit, as_json)


@app.command(hidden=True)
def prebuild() -> int:
    """Build what is slow (C++ library, device math, runtime library) before it is needed."""
    from softrock.cli import prebuilding

    return prebuilding.prebuild()


def _split(args: Sequence[str]) -> list[str]:
    """Keep what follows the first ``--`` of a command aside."""
    _TAIL.clear()
    words = list(args)
    if "--" in words:
        at = words.index("--")
        _TAIL.extend(words[at + 1 :])
        del words[at:]
    return words


def _invoke(args: Sequence[str]) -> int:
    words = _split(args)
    try:
        result: Any = app(words, prog_name="softrock", standalone_mode=False)
    except Exception as error:
        status, text = getattr(error, "exit_code", None), getattr(error, "format_message", None)
        if status is None:
            raise
        if text is None or not text():
            return int(status)
        command = f" {words[0]}" if words and words[0] in {each.name for each in app.registered_commands} else ""
        raise UsageError(text().rstrip("."), hint=f"softrock{command} --help shows the usage") from None
    return result if isinstance(result, int) else 0


def start(args: Sequence[str]) -> int:
    """Run the command line `args`; returns the exit status (0 success, 1 it failed, 2 wrong usage)."""
    return report.guarded(lambda: _invoke(args))
