"""The commands of ``softrock`` and their arguments. Each body imports its module only when it is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from softrock.cli import commands, report
from softrock.cli.commands import Command, Given, Option
from softrock.core.errors import UsageError

if TYPE_CHECKING:
    from softrock.cli.running import Options

_ABOUT = (
    "Compile CUDA and HIP programs for AMD GPUs and run them: on a real AMD GPU where there is one, else on a software "
    "AMD GPU."
)
_ENVIRONMENT = "Environment: SOFTROCK_GPUS (devices), SOFTROCK_CACHE_DIR, SOFTROCK_THREADS, SOFTROCK_DEBUG."

_GPU = Option("--gpu", "Software GPU: gfx942 (default), gfx1100, ...", "GPU[,GPU...]")
_TIMEOUT = Option("--timeout", "End a kernel that runs longer and say where its waves are.", "SECONDS")
_DUMP = Option("--dump", "Write every stage of every kernel into this folder.", "FOLDER")
_TIMINGS = Option(
    "--timings", "At exit, show by kernel where host time went; or write it to a file as JSON.", "[=FILE]"
)
_COMPARE = Option("--compare", "Run on GPUs of both wave sizes and say where results part (--json: as a document).")
_JSON = Option("--json", "Print one JSON document.")


def _options(given: Given) -> Options:
    from softrock.cli import running

    values = given.values
    timings = (values["--timings"] or "1") if "--timings" in values else None
    return running.Options(values.get("--gpu"), given.number("--timeout"), values.get("--dump"), timings)


def _run(given: Given) -> int:
    """Compile a CUDA or HIP program and run it.

    The program is kept in the cache and found ready the next time. With several GPUs it runs once on each, in
    order. The exit status is the program's own. With --compare it runs on a wave64 and a wave32 GPU (or those of
    --gpu), and the report says where outputs and memory part and what lint finds there; then the status is 1 where
    they differ.

    Example: softrock run saxpy.cu --gpu gfx942,gfx1100 -O3 -- 1000000
    """
    if "--compare" in given.values:
        from softrock.cli import comparing

        return comparing.compare(given.words, tuple(given.tail), _options(given), "--json" in given.values)
    if "--json" in given.values:
        raise UsageError("--json goes with --compare", hint="a program's own options stand behind --")
    from softrock.cli import running

    return running.run(given.words, tuple(given.tail), _options(given))


def _build(given: Given) -> int:
    """Compile and link; takes the flags of hipcc.

    Example: softrock build saxpy.hip -o saxpy --offload-arch=gfx942
    """
    from softrock.cli.hipcc import main

    return main([*given.words, *given.tail])


def _exec(given: Given) -> int:
    """Run any command with the software GPU in place of ROCm.

    Example: softrock exec --gpu gfx1100 -- ./my_hip_program
    """
    from softrock.cli import running

    return running.execute((*given.words, *given.tail), _options(given))


def _env(given: Given) -> int:
    """Print the environment that exec sets, as shell exports.

    Example: eval "$(softrock env --gpu gfx1100)"
    """
    from softrock.cli import running

    return running.print_environment(_options(given), "--json" in given.values)


def _inspect(given: Given) -> int:
    """Show what GPU code any binary, archive, folder or package holds.

    Programs, libraries, objects, archives (.a, wheels, zip, tar), code objects, bundles, kpack archives, folders and
    installed Python packages by name, which are not imported: targets, kernels, registers, LDS, spills, occupancy,
    compilers. With --gpu the exit status is 1 where it does not run there.

    Example: softrock inspect torch --gpu gfx1100 --kernels --filter '*gemm*' --sort spills
    """
    from softrock.cli import inspecting

    return inspecting.inspect(given)


def _targets(given: Given) -> int:
    """List the GPUs that can be run on, or describe one of them."""
    from softrock.cli import reports

    as_json = "--json" in given.values
    if "--host" in given.values:
        return reports.host(as_json)
    return reports.targets(given.words[0] if given.words else None, as_json)


def _cache(given: Given) -> int:
    """Show what the cache holds, or cut or clear it."""
    from softrock.cli import reports

    return reports.cache("--clear" in given.values, given.values.get("--limit"), "--json" in given.values)


def _prebuild(given: Given) -> int:
    """Build what is slow (C++ library, device math, runtime library) before it is needed."""
    from softrock.cli import prebuilding

    return prebuilding.prebuild()


def _hipify(given: Given) -> int:
    """Translate CUDA sources and build files to HIP.

    Takes files, folders and compile_commands.json. Without -o, --in-place or --diff nothing is written and the report
    says what would change. Sources are parsed by clang where that works, else handled token by token. What follows --
    goes to clang, e.g. -Iinclude. The exit status is 1 where something has no counterpart, or where --check finds
    changes to make.

    Example: softrock hipify src --in-place --html report.html
    """
    from softrock.cli.hipify import hipify

    return hipify(given)


def _lint(given: Given) -> int:
    """Find what does not carry over from NVIDIA's GPUs to AMD's: warp sizes, masks, PTX, limits and defaults.

    Reads CUDA, HIP, C++ and Python sources. What follows -- goes to clang, e.g. -Iinclude. The exit status is 1 where
    an error was found. A comment with softrock: allow(rule-id) silences a finding.

    Example: softrock lint src --gpu gfx942,gfx1100 --ignore unchecked-call
    """
    from softrock.cli.lint import lint

    return lint(given)


def _fit(given: Given) -> int:
    """Say which cards hold a language model, how many, with what headroom, and at what price.

    MODEL is a folder, a config.json, a .safetensors file or its index, or a .gguf file; no weight is read. Without one,
    give --params or --layers, --hidden, --heads, --vocab and --inner. The exit status is 1 where no card holds it.

    Example: softrock fit Llama-3-70B/config.json --precision int4 --context 32768 --gpu MI300X,gfx1100 --prices my.csv
    """
    from softrock.cli.fit import fit

    return fit(given)


def _doctor(given: Given) -> int:
    """Find out whether this machine can run GPU programs, what is wrong, and the command that mends it.

    Needs no root and no network and changes nothing. The exit status is 0 where all works or there is no GPU, and 1
    where something that a user would miss does not.

    Example: softrock doctor --for pytorch
    """
    from softrock.cli.doctor import doctor

    return doctor(given)


def _smi(given: Given) -> int:
    """Show what GPUs are doing: use, memory, temperature, power, clocks, errors, processes; software GPUs too.

    Subcommands and options are those of amd-smi: list, static, metric, process, monitor, topology, version; and serve
    --port, an endpoint for Prometheus on this machine. Options of rocm-smi such as --showtemp are understood. --gpu,
    --json, --csv and --watch[=SECONDS] go with all of them. It only reads; docs/smi.md lists the options.

    Example: softrock smi metric --usage --temperature --json
    """
    from softrock.cli.smi import smi

    return smi(given)


COMMANDS = (
    Command(
        "run", _run, (_GPU, _TIMEOUT, _DUMP, _TIMINGS, _COMPARE, _JSON),
        "PROGRAM.cu|.hip|.cpp [COMPILER FLAGS] [-- PROGRAM ARGUMENTS]", 1, None, passes=True,
    ),
    Command("build", _build, (), "HIPCC ARGUMENTS", 1, None, passes=True),
    Command("exec", _exec, (_GPU, _TIMEOUT, _DUMP, _TIMINGS), "[--] COMMAND [ARGUMENTS]", 0, None, passes=True),
    Command("env", _env, (_GPU, _JSON)),
    Command(
        "inspect",
        _inspect,
        (
            Option("--gpu", "Say whether it runs on these GPUs, and why not.", "GPU[,GPU...]"),
            Option("--kernels", "List all kernels (without it: those of small files)."),
            Option("--filter", "Only kernels whose name matches, or holds this text.", "GLOB"),
            Option("--sort", "name, target, vgprs, agprs, sgprs, lds, scratch, spills, occupancy, code, args", "KEY"),
            Option("--limit", "List so many kernels (default 200; 0 all; --json: all).", "NUMBER"),
            Option("--json", "Print one JSON document; of several files, an array of them."),
        ),
        "FILE|FOLDER|PACKAGE...", 1, None,
    ),
    Command(
        "targets", _targets, (Option("--host", "Describe this machine: what kernels run on, and where."), _JSON),
        "[GFX]", 0, 1,
    ),
    Command(
        "cache",
        _cache,
        (
            Option("--clear", "Remove everything; it is rebuilt when needed."),
            Option("--limit", "Cut it to this size, e.g. 500M; what was used longest ago goes.", "SIZE"),
            _JSON,
        ),
    ),
    Command(
        "hipify",
        _hipify,
        (
            Option("-o", "Write all sources, changed or not, into this folder.", "FOLDER"),
            Option("--in-place", "Change the files; the old ones are kept with the suffix .orig."),
            Option("--backup", "Another suffix for them; an empty one keeps none.", "SUFFIX"),
            Option("--diff", "Print a patch."),
            Option("--check", "Change nothing; the exit status is 1 where changes are needed."),
            Option("--rename", "Name .cu files .hip, in includes and build files too."),
            Option("--launch-macro", "Write <<<>>> launches as hipLaunchKernelGGL."),
            Option("--parse", "auto (default), always (fail where clang cannot), never.", "WHEN"),
            Option("--include", "In folders, only files that match.", "GLOB[,GLOB...]"),
            Option("--exclude", "Not files that match.", "GLOB[,GLOB...]"),
            Option("--jobs", "Processes (default: one a core).", "NUMBER"),
            _JSON,
            Option("--html", "Write a page: statistics, verdict by library, findings, diff.", "FILE"),
            Option("--sarif", "Write a SARIF file.", "FILE"),
        ),
        "PATH... [-- CLANG FLAGS]", 1, None, tails=True,
    ),
    Command(
        "lint",
        _lint,
        (
            Option("--gpu", "GPUs to port to (default gfx942,gfx1100).", "GPU[,GPU...]"),
            Option("--rule", "Only these rules.", "ID[,ID...]"),
            Option("--ignore", "Not these rules.", "ID[,ID...]"),
            Option("--severity", "Show no less than note (default), warning or error.", "LEVEL"),
            Option("--fix", "Make the edits that are safe."),
            Option("--baseline", "Show only what this file does not hold.", "FILE"),
            Option("--write-baseline", "Write what is found to the baseline file."),
            Option("--include", "In folders, only files that match.", "GLOB[,GLOB...]"),
            Option("--exclude", "Not files that match.", "GLOB[,GLOB...]"),
            Option("--tokens", "Do not parse: faster, and finds less."),
            Option("--list", "List the rules."),
            Option("--explain", "Say all about a rule.", "ID"),
            _JSON,
            Option("--sarif", "Write a SARIF file.", "FILE"),
            Option("--html", "Write a page.", "FILE"),
        ),
        "PATH... [-- CLANG FLAGS]", 0, None, tails=True,
    ),
    Command(
        "fit",
        _fit,
        (
            Option("--precision", "Of the weights: as stored (default), bf16, fp8, int4, Q4_K_M, ...", "NAME"),
            Option("--kv-precision", "Of the cache: bf16 (default), fp8, int8, q8_0, q4_0, ...", "NAME"),
            Option("--context", "Tokens of a sequence (default 8192).", "TOKENS"),
            Option("--batch", "Sequences at a time (default 1).", "NUMBER"),
            Option("--gpu", "Cards, targets, radeon, instinct (default: all of AMD).", "CARD[,CARD...]"),
            Option("--count", "Cards at most, by tensor parallelism (default 8).", "NUMBER"),
            Option("--margin", "Share of each card's memory that stays free (default 5).", "PERCENT"),
            Option("--params", "Parameters, e.g. 70e9, where there is no MODEL.", "NUMBER"),
            Option("--active", "Parameters that a token goes through (experts).", "NUMBER"),
            Option("--layers", "Layers.", "NUMBER"),
            Option("--hidden", "Width of the model.", "NUMBER"),
            Option("--heads", "Attention heads.", "NUMBER"),
            Option("--kv-heads", "Heads of keys and values.", "NUMBER"),
            Option("--head-dim", "Width of a head.", "NUMBER"),
            Option("--vocab", "Vocabulary.", "NUMBER"),
            Option("--inner", "Width of the feed-forward layers.", "NUMBER"),
            Option("--prices", "A CSV file of prices; 'example' for the one that comes along.", "FILE"),
            Option("--years", "How long a bought card is used (default 3).", "NUMBER"),
            Option("--engines", "Show what serves models on these cards."),
            Option("--cards", "List the cards; all facts of one with their sources.", "[=CARD]"),
            Option("--csv", "Print the cards as CSV."),
            Option("--bars", "Print a chart as text."),
            Option("--chart", "Draw a chart (.png, .svg, .pdf; needs matplotlib).", "FILE"),
            _JSON,
        ),
        "[MODEL]", 0, 1,
    ),
    Command(
        "doctor",
        _doctor,
        (
            Option("--for", "What it shall work for: pytorch, vllm, llama.cpp, ollama, jax, cupy, triton, ...", "NAME"),
            Option("--explain", "Say what an error, a log file, or standard input (-) means here.", "TEXT|FILE"),
            Option("--active", "Run small tests on each GPU: allocate, copy, compute, copy between GPUs."),
            Option("--all", "Show what is fine, too."),
            Option("--check", "Only these checks.", "ID[,ID...]"),
            Option("--list", "List the checks."),
            Option("--tree", "Look at a machine that was recorded in this file.", "FILE"),
            Option("--record", "Write what was read of this machine into a new file, masked.", "FILE"),
            Option("--bundle", "Write an archive for a bug report (.tar.gz, .zip), masked.", "FILE"),
            _JSON,
        ),
    ),
    Command("smi", _smi, (), "[SUBCOMMAND] [OPTIONS]", 0, None, passes=True),
    Command("prebuild", _prebuild, hidden=True),
)  # fmt: skip


def _invoke(args: Sequence[str]) -> int:
    if not args or args[0] == "--help":
        print(commands.help_of_all(COMMANDS, _ABOUT, _ENVIRONMENT), file=sys.stdout if args else sys.stderr)
        return 0 if args else 2
    command = commands.find(COMMANDS, args[0])
    given = commands.parse(command, args[1:])
    if given is None:
        print(commands.help_of(command))
        return 0
    return command.run(given)


def start(args: Sequence[str]) -> int:
    """Run the command line `args`; returns the exit status (0 success, 1 it failed, 2 wrong usage)."""
    return report.guarded(lambda: _invoke(args))
