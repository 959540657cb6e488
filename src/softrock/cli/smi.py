"""``softrock smi``."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from softrock.cli import commands
from softrock.cli.commands import Command, Given, Option
from softrock.core.errors import SoftrockError, UsageError
from softrock.core.text import printable
from softrock.gpu.status import PERIOD
from softrock.smi import fields, processes, render, snapshot
from softrock.smi.fields import Gpu
from softrock.smi.snapshot import Snapshot
from softrock.system.interface import System
from softrock.system.live import Live

_PAUSE = 0.25
"""Seconds between the two looks from which the use of processes is found."""

COMMON = (
    Option("--gpu", "Only these GPUs: numbers, PCI addresses or targets.", "GPU[,GPU...]"),
    Option("-g", "The same.", "GPU"),
    Option("--json", "Print JSON."),
    Option("--csv", "Print CSV."),
    Option("--watch", "Look again and again; a live view in a terminal.", "[=SECONDS]"),
    Option("-w", "The same.", "SECONDS"),
    Option("--iterations", "End --watch after so many looks.", "NUMBER"),
    Option("-i", "The same.", "NUMBER"),
)
_METRIC = {
    "-u": "usage", "-m": "mem-usage", "-p": "power", "-c": "clock", "-t": "temperature", "-f": "fan", "-e": "ecc",
    "-P": "pcie", "-x": "xgmi", "-E": "energy", "-T": "throttle", "-l": "perf-level",
}  # fmt: skip
_STATIC = {
    "-a": "asic", "-b": "bus", "-V": "vbios", "-B": "board", "-d": "driver", "-v": "vram", "-l": "limit",
    "-p": "partition", "-r": "ras", "-u": "numa",
}  # fmt: skip
_MONITOR = {
    "-p": ("power_watts", "power-usage"),
    "-t": ("temperature_hotspot_celsius temperature_memory_celsius", "temperature"),
    "-u": ("gfx_use_percent clock_gfx_mhz", "gfx"), "-m": ("memory_use_percent clock_memory_mhz", "mem"),
    "-n": ("media_use_percent clock_video_mhz", "encoder"), "-d": ("media_use_percent clock_video_mhz", "decoder"),
    "-s": ("throttle_status", "throttle-status"),
    "-e": ("ecc_correctable_count ecc_uncorrectable_count pcie_replay_count", "ecc"),
    "-v": ("vram_used_bytes vram_total_bytes", "vram-usage"), "-r": ("pcie_speed_gts pcie_width_lanes", "pcie"),
}  # fmt: skip
_TOPOLOGY = {
    "-a": ("access", "access"), "-w": ("weight", "weight"), "-o": ("hops", "hops"), "-t": ("type", "link-type"),
    "-b": ("bandwidth", "numa-bw"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed, and the machine it is asked of."""

    given: Given
    system: System

    def has(self, *flags: str) -> bool:
        """One of these options was given."""
        return any(flag in self.given.values for flag in flags)

    @property
    def gpus(self) -> str:
        """The GPUs that were asked for."""
        return self.given.values.get("--gpu", self.given.values.get("-g", ""))


def _flags(names: dict[str, str], what: str) -> tuple[Option, ...]:
    long = [Option(f"--{name}", f"{what} {name}.") for name in names.values()]
    return (*long, *(Option(flag, f"The same as --{name}.") for flag, name in names.items()))


# ---- subcommands: each gives records, or text of its own ----


def _groups(asked: Asked, names: dict[str, str], *, static: bool) -> list[str]:
    """The groups whose options were given; all where none was."""
    every = fields.groups(static=static)
    wanted = [each for each in every if asked.has(f"--{each}", *(flag for flag, name in names.items() if name == each))]
    return [f"static:{each}" if static else each for each in wanted or every]


def _list(asked: Asked, now: Snapshot) -> list[render.Record]:
    names = ("name", "gfx", "kind", "bdf", "render", "unique_id", "process_id")
    return [{"gpu": each.index, "list": _values(each, names)} for each in now.gpus]


def _values(gpu: Gpu, names: Sequence[str]) -> render.Record:
    known = {name: gpu.get(name) for name in names}
    return {name: fields.NA if value is None else value for name, value in known.items()}


def _metric(asked: Asked, now: Snapshot) -> list[render.Record]:
    groups = _groups(asked, _METRIC, static=False)
    return [render.document(each, groups) for each in now.gpus]


def _static(asked: Asked, now: Snapshot) -> list[render.Record]:
    groups = _groups(asked, _STATIC, static=True)
    return [render.document(each, groups) for each in now.gpus]


def _monitor(asked: Asked, now: Snapshot) -> list[render.Record]:
    wanted = [names for flag, (names, long) in _MONITOR.items() if asked.has(flag, f"--{long}")]
    names = list(dict.fromkeys(" ".join(wanted or [names for names, _ in _MONITOR.values()]).split()))
    return [{"gpu": each.index, **_values(each, names)} for each in now.gpus]


def _process(asked: Asked, now: Snapshot) -> list[render.Record]:
    pid, name = (asked.given.values.get(long, asked.given.values.get(short)) for long, short in _PROCESS_FLAGS)
    mine = {each.index for each in now.gpus}
    found = [each for each in now.processes if each.gpu in mine]
    if pid is not None:
        found = [each for each in found if str(each.pid) == pid]
    if name is not None:
        found = [each for each in found if name in each.name]
    return [render.process_record(each, processes.owner(asked.system, each.uid)) for each in found]


_PROCESS_FLAGS = (("--pid", "-p"), ("--name", "-n"))


def _topology(asked: Asked, now: Snapshot) -> list[render.Record]:
    from softrock.smi import topology

    links = topology.links(asked.system, now.gpus)
    made: list[render.Record] = []
    for one in now.gpus:
        record: render.Record = {"gpu": one.index}
        for what in _measures(asked):
            for two in now.gpus:
                word = render.link_word(links.get((one.index, two.index)), what)
                record[f"gpu{two.index}_{what}"] = "SELF" if one is two else word
        made.append(record)
    return made


def _measures(asked: Asked) -> list[str]:
    every = [what for what, _ in _TOPOLOGY.values()]
    return [what for flag, (what, long) in _TOPOLOGY.items() if asked.has(flag, f"--{long}")] or every


def _topology_text(asked: Asked, now: Snapshot) -> str:
    from softrock.smi import topology

    links = topology.links(asked.system, now.gpus)
    units = {"bandwidth": "BANDWIDTH (MB/s)"}
    parts = [
        f"{units.get(what, what.upper())} TABLE:\n{render.matrix(now.gpus, links, what)}" for what in _measures(asked)
    ]
    return "\n\n".join(parts) if now.gpus else _NONE


_NONE = "No AMD GPU found, and no process of yours runs a software GPU."


def _process_text(asked: Asked, now: Snapshot) -> str:
    records = _process(asked, now)
    if not records:
        return "No processes, or none that may be seen."
    columns = ("gpu", "pid", "user", "vram_bytes", "gtt_bytes", "use_percent", "kind", "name")
    return render.columns([[c.upper() for c in columns], *([fields.shown(r[c]) for c in columns] for r in records)])


def _rows_text(records: Sequence[render.Record]) -> str:
    if not records:
        return _NONE
    names = list(records[0])
    return render.columns([[name.upper() for name in names], *([fields.shown(r[n]) for n in names] for r in records)])


def _overview(asked: Asked, now: Snapshot) -> list[render.Record]:
    every = [*(f"static:{each}" for each in fields.groups(static=True)), *fields.groups(static=False)]
    return [render.document(each, every) for each in now.gpus]


def _overview_text(asked: Asked, now: Snapshot) -> str:
    owners = {each.uid: processes.owner(asked.system, each.uid) for each in now.processes}
    return render.overview(now.gpus, now.processes, owners)


@dataclass(frozen=True, slots=True)
class Sub:
    """A subcommand: its records, its text where that is another than the records', its options, what it does."""

    records: Callable[[Asked, Snapshot], list[render.Record]]
    text: Callable[[Asked, Snapshot], str] | None
    options: tuple[Option, ...]
    about: str
    users: bool = False


def _tabled(records: Callable[[Asked, Snapshot], list[render.Record]]) -> Callable[[Asked, Snapshot], str]:
    return lambda asked, now: _rows_text(records(asked, now))


_MONITOR_NAMES = {flag: long for flag, (_, long) in _MONITOR.items()}
_TOPOLOGY_NAMES = {flag: long for flag, (_, long) in _TOPOLOGY.items()}
SUBS = {
    "": Sub(_overview, _overview_text, (), "all at a glance", users=True),
    "list": Sub(_list, None, (), "the GPUs"),
    "static": Sub(_static, None, _flags(_STATIC, "Show"), "what does not change"),
    "metric": Sub(
        _metric, None, (*_flags(_METRIC, "Show"), Option("--software", "Show software.")), "what is measured",
    ),
    "process": Sub(
        _process, _process_text,
        (Option("--pid", "Only this one.", "PID"), Option("-p", "The same.", "PID"),
         Option("--name", "Only commands with this text.", "TEXT"), Option("-n", "The same.", "TEXT"),
         Option("--general", "As it is without."), Option("-G", "The same."),
         Option("--engine", "As it is without."), Option("-e", "The same."),
         Option("--engine", "As it is without."), Option("-e", "The same.")),
        "who uses the GPUs", users=True,
    ),
    "monitor": Sub(_monitor, _tabled(_monitor), _flags(_MONITOR_NAMES, "Show"), "a line for each GPU"),
    "topology": Sub(_topology, _topology_text, _flags(_TOPOLOGY_NAMES, "Show"), "how GPUs are connected"),
}  # fmt: skip
"""-w of `topology` asks for weights, as in amd-smi, so it cannot be watched by that letter."""


# ---- the command ----


def _version(given: Given) -> int:
    from importlib.metadata import version

    told = {"tool": "softrock smi", "version": version("softrock"), "driver": "N/A"}
    with contextlib.suppress(OSError):
        told["driver"] = printable(Live().read("/sys/module/amdgpu/version", 256).decode("utf-8", "replace").strip())
    if told["driver"] == "N/A":
        loaded = "amdgpu" in Live().names("/sys/module")
        told["driver"] = f"amdgpu of Linux {Live().platform[1]}" if loaded else "N/A"
    print(render.to_json(told) if "--json" in given.values else " | ".join(f"{k}: {v}" for k, v in told.items()))
    return 0


def _serve(given: Given) -> int:
    from softrock.smi import prometheus

    port = given.number("--port")
    if port is None:
        port = 9835
    if not 0 <= port <= 65535 or port != int(port):
        raise UsageError(
            f"--port {given.values['--port']}: no port", hint="give a number from 0 (any free one) to 65535"
        )
    system = Live()
    last = [snapshot.take(system)]

    def look() -> Snapshot:
        last[0] = snapshot.take(system, last[0])
        return last[0]

    try:
        server = prometheus.server(int(port), look)
    except OSError as error:
        raise SoftrockError(
            f"port {int(port)} of localhost: {error.strerror}", hint="choose another with --port"
        ) from None
    print(f"http://127.0.0.1:{server.server_address[1]}/metrics (Ctrl-C ends it)", flush=True)
    with contextlib.suppress(KeyboardInterrupt), server:
        server.serve_forever()
    return 0


def _old_spelling(words: list[str]) -> list[str]:
    """Words with options of rocm-smi in those of this command; says so.

    Raises:
        UsageError: an option would change the GPU, or ones of two subcommands stand together.
    """
    table = {row[0]: row[1] for row in fields.rows("rocm_options.tsv")}
    made: list[list[str]] = []
    rest: list[str] = []
    for word in words:
        new = table.get(word.partition("=")[0])
        if new == "-":
            raise UsageError(f"{word}: softrock smi only reads", hint="use rocm-smi or amd-smi set to change a GPU")
        made += [new.split()] if new and word.startswith("--") else []
        rest += [word] if not new or not word.startswith("--") else []
    if not made:
        return words
    if len({each[0] for each in made}) > 1:
        several = "; ".join("softrock smi " + " ".join(each) for each in made)
        raise UsageError("options of several subcommands", hint=f"write: {several}")
    new_words = [made[0][0], *dict.fromkeys(option for each in made for option in each[1:]), *rest]
    print(f"softrock smi: {' '.join(words)} is written: softrock smi {' '.join(new_words)}", file=sys.stderr)
    return new_words


def _parsed(words: list[str]) -> tuple[str, Given | None]:
    name = words[0] if words and not words[0].startswith("-") else ""
    left = words[1:] if name else words
    if name in ("version", "serve"):
        port = (Option("--port", "Port of localhost (default 9835; 0: any free one).", "PORT"),)
        options: tuple[Option, ...] = port if name == "serve" else (Option("--json", "Print JSON."),)
        return name, commands.parse(Command(f"smi {name}", lambda _: 0, options), left)
    sub = SUBS.get(name)
    if sub is None:
        names = ", ".join([*list(SUBS)[1:], "serve", "version"])
        raise UsageError(f"softrock smi has no subcommand {name!r}", hint=f"choose from {names}")
    known = {each.flag for each in sub.options}
    options = (*sub.options, *(each for each in COMMON if each.flag not in known))
    return name, commands.parse(Command(f"smi {name}".strip(), lambda _: 0, options), left)


def smi(given: Given, system: System | None = None) -> int:
    """Carry out the command; returns the exit status."""
    name, parsed = _parsed(_old_spelling([*given.words, *given.tail]))
    if parsed is None:
        return 0
    if name == "version":
        return _version(parsed)
    if name == "serve":
        return _serve(parsed)
    asked = Asked(parsed, Live() if system is None else system)
    if asked.has("--json") and asked.has("--csv"):
        raise UsageError("--json and --csv", hint="choose one of them")
    sub = SUBS[name]
    own = {each.flag for each in sub.options}
    if asked.has("--watch") or ("-w" not in own and asked.has("-w")):
        return _watch(asked, name, sub)
    _print(asked, sub, _look(asked, sub, None))
    return 0


def _look(asked: Asked, sub: Sub, before: Snapshot | None) -> Snapshot:
    """A look with the use since the last; where there was none and something needs it, since a moment ago."""
    if before is None:
        before = snapshot.take(asked.system, users=sub.users)
        if not before.told and not any(each.engines for each in before.processes):
            before.gpus = snapshot.chosen(before.gpus, asked.gpus)
            return before
        time.sleep(1.2 * PERIOD if before.told else _PAUSE)
    now = snapshot.take(asked.system, before, users=sub.users)
    now.gpus = snapshot.chosen(now.gpus, asked.gpus)
    return now


def _print(asked: Asked, sub: Sub, now: Snapshot) -> None:
    if asked.has("--json"):
        print(render.to_json(sub.records(asked, now)))
    elif asked.has("--csv"):
        print(render.to_csv(sub.records(asked, now)))
    elif sub.text is not None:
        print(sub.text(asked, now))
    else:
        print(render.to_text(sub.records(asked, now)) or _NONE)


def _number(asked: Asked, least: float, *flags: str) -> float | None:
    for flag in flags:
        text = asked.given.values.get(flag)
        value = asked.given.number(flag) if text else None
        if value is not None:
            if not least <= value <= 1e6:
                raise UsageError(f"{flag} {text}", hint=f"give a number of {least:g} at least")
            return value
    return None


def _watch(asked: Asked, name: str, sub: Sub) -> int:
    interval = _number(asked, 0.1, "--watch", "-w") or 1.0
    rounds = _number(asked, 1, "--iterations", "-i")
    count = None if rounds is None else int(rounds)
    try:
        plain = asked.has("--json", "--csv") or name != "" or not (sys.stdin.isatty() and sys.stdout.isatty())
        if plain:
            _repeat(asked, sub, interval, count)
        else:
            _live(asked, interval, count)
    except KeyboardInterrupt:
        pass
    return 0


def _repeat(asked: Asked, sub: Sub, interval: float, count: int | None) -> None:
    before: Snapshot | None = None
    while count is None or count > 0:
        before = _look(asked, sub, before)
        _print(asked, sub, before)
        sys.stdout.flush()
        count = None if count is None else count - 1
        if count != 0:
            time.sleep(interval)


def _live(asked: Asked, interval: float, count: int | None) -> None:
    from softrock.smi import view, watch

    snapshot.chosen(snapshot.take(asked.system).gpus, asked.gpus)  # names a GPU that is not there before the view opens

    def chosen(gpus: Sequence[Gpu]) -> list[Gpu]:
        with contextlib.suppress(UsageError):  # a software GPU has gone with its process
            return snapshot.chosen(gpus, asked.gpus)
        return []

    look: Any = partial(snapshot.take, asked.system)
    shown = view.View(partial(processes.owner, asked.system), watch.send, chosen)
    watch.run(shown, look, interval, count)
