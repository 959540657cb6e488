"""Environment variables"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from softrock.codeobj.targets import GENERIC
from softrock.doctor.facts import Gpu, driven
from softrock.doctor.registry import Machine, Result, check, failure, limit, ok, warning
from softrock.doctor.text import clean
from softrock.system.interface import listed, text

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_VERSION = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})")
_FILES = (
    "/etc/environment", "/etc/profile", "/etc/bash.bashrc", "/etc/bashrc", "~/.bashrc", "~/.bash_profile", "~/.profile",
    "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.config/fish/config.fish", "~/.pam_environment",
)  # fmt: skip
_FOLDERS = (
    "/etc/profile.d", "/etc/environment.d", "~/.config/environment.d", "/etc/systemd/system/ollama.service.d",
)  # fmt: skip
_UNITS = ("/etc/systemd/system/ollama.service", "/usr/lib/systemd/system/ollama.service")
_SETS = re.compile(
    r"[ \t]{0,40}(?:export |declare -x |setenv |set -gx |set -x |Environment=)?[ \t]{0,40}[\"']?"
    r"([A-Za-z_][A-Za-z0-9_]{0,63})(?:=|[ ])(.{0,400})"
)
_LIMIT = 1 << 17


@dataclass(frozen=True)
class Place:
    """Where a variable is set.

    Attributes:
        file: with ``~`` for the home folder.
        line: from 1 on.
        value: as it is written, without quotes.
    """

    file: str
    line: int
    value: str


def places(machine: Machine) -> Mapping[str, tuple[Place, ...]]:
    """Where variables are set: start files of shells, environment.d, units of Ollama, the container's start."""
    home = machine.system.environment.get("HOME", "/root").rstrip("/")
    files = [*_FILES, *_UNITS]
    for folder in _FOLDERS:
        files += [f"{folder}/{name}" for name in listed(machine.system, folder.replace("~", home, 1))[:200]
                  if re.fullmatch(r"[A-Za-z0-9._-]{1,80}", name)]  # they get into mends
    found: dict[str, list[Place]] = {}
    for file in files:
        try:
            told = text(machine.system, file.replace("~", home, 1), _LIMIT) or ""
        except OSError:
            continue
        for number, each in enumerate(told.splitlines(), 1):
            at = _SETS.match(each)
            if at:
                value = at[2].strip().strip("\"';")
                found.setdefault(at[1], []).append(Place(clean(file, 200), number, clean(value, 200)))
    try:
        start = machine.system.read("/proc/1/environ", _LIMIT).decode("utf-8", "replace")
    except OSError:
        start = ""
    for each in start.split("\0"):
        name, equal, value = each.partition("=")
        if equal:
            found.setdefault(name, []).append(Place("the container's or system's start (/proc/1/environ)", 1, value))
    return {name: tuple(each) for name, each in found.items()}


def where(machine: Machine, name: str) -> str:
    """In words where a variable is set; empty where that is not known."""
    found = machine.fact(places).get(name, ())
    return ", ".join(f"{each.file}:{each.line}" for each in found[:4])


def _set_in(machine: Machine, name: str) -> str:
    told = where(machine, name)
    return f" (set in {told})" if told else ""


def unset(machine: Machine, name: str) -> tuple[str, ...]:
    """How to be rid of a variable. `name` is one of this package's own words."""
    told = f"unset {name}"
    found = machine.fact(places).get(name, ())
    return (told, *(f"remove {name} from line {each.line} of {each.file}" for each in found[:3] if "/" in each.file))


# ---- the target that the runtime is told ----


def overridden(value: str) -> str:
    """The target that a value of HSA_OVERRIDE_GFX_VERSION means; empty where it means none."""
    at = _VERSION.fullmatch(value.strip())
    return f"gfx{int(at[1])}{int(at[2]):x}{int(at[3]):x}" if at else ""


def family(gfx: str) -> tuple[str, ...]:
    """Targets whose code a target may run, by the generic processors of LLVM."""
    return next((members for members in GENERIC.values() if gfx in members), (gfx,))


def fitting(gfx: str) -> str:
    """A value of HSA_OVERRIDE_GFX_VERSION with which a target without libraries takes those of a close one."""
    return next((value for targets, value in _FITS if gfx in targets), "")


_FITS = (
    (("gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"), "10.3.0"),
    (("gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"), "11.0.0"),
    (("gfx902", "gfx909", "gfx90c"), "9.0.0"),
    (("gfx1011", "gfx1012", "gfx1013"), "10.1.0"),
)


def effective(machine: Machine, gpu: Gpu) -> str:
    """The target that libraries see for a GPU: the override's where one is set."""
    variables = machine.system.environment
    own = f"{OVERRIDE}_{gpu.node}" if gpu.node is not None else OVERRIDE
    return overridden(variables.get(own) or variables.get(OVERRIDE, "")) or gpu.gfx


@check("override", "no wrong target is forced on a GPU")
def override(machine: Machine) -> Iterator[Result]:
    """HSA_OVERRIDE_GFX_VERSION makes the runtime load code for another target (ROCR-Runtime, amd_gpu_agent)."""
    value = machine.system.environment.get(OVERRIDE)
    cards = [each for each in machine.fact(driven) if each.gfx]
    if value is None or not cards:
        return
    place = _set_in(machine, OVERRIDE)
    if not value.strip():
        yield failure(
            f"{OVERRIDE} is set and empty{place}", rank=12, mend=unset(machine, OVERRIDE),
            why="the runtime takes it for version 0 and shows gfx000, for which there is no code (rocm-systems#5686)",
        )  # fmt: skip
        return
    forced = overridden(value)
    if not forced:
        yield failure(
            f"{OVERRIDE}={clean(value, 40)} is no version{place}", rank=12, mend=unset(machine, OVERRIDE),
            why="it wants three numbers such as 10.3.0",
        )  # fmt: skip
        return
    for each in cards:
        if f"{OVERRIDE}_{each.node}" in machine.system.environment:
            continue
        gpu = each.address if len(cards) > 1 else ""
        if each.gfx == forced:
            yield ok(f"{OVERRIDE}={value} is what {each.title} is anyway", gpu=gpu)
        elif forced in family(each.gfx):
            fits = fitting(each.gfx)
            if fits and overridden(fits) == forced:
                yield ok(f"{OVERRIDE}={value}: {each.title} runs code for {forced}, which fits", gpu=gpu)
            else:
                yield warning(
                    f"{OVERRIDE}={value}{place}: {each.title} runs code for {forced}", gpu=gpu, rank=55,
                    why="it has its own code in ROCm's libraries; with that of another it is slower or wrong",
                    mend=unset(machine, OVERRIDE),
                )  # fmt: skip
        else:
            fits = fitting(each.gfx)
            more = (f"or, where libraries lack {each.gfx}: export {OVERRIDE}={fits}",) if fits else ()
            yield failure(
                f"{OVERRIDE}={value}{place} makes {forced} of {each.title}", gpu=gpu, rank=12,
                why="code for that target does not run on it: memory access faults, wrong results (ROCm#5238). "
                + (f"A value that would fit is {fits}" if fits else "It needs no value at all"),
                mend=(*unset(machine, OVERRIDE), *more),
            )  # fmt: skip


# ---- which devices programs see ----

ROCR, HIP, CUDA, ORDINAL = "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"


def select(value: str, devices: Sequence[Gpu]) -> tuple[list[Gpu], str]:
    """Devices that a list leaves, in its order, and the first entry that names none (all after it is dropped).

    The order and the end at the first bad entry are those of clr (rocclr/device/rocm/rocdevice.cpp, Device::init) and
    ROCR-Runtime (runtime/core/runtime/amd_filter_device.cpp).
    """
    left: list[Gpu] = []
    for each in (token.strip() for token in value.split(",")):
        found = None
        if each.upper().startswith("GPU-"):
            found = next((gpu for gpu in devices if gpu.uuid and gpu.uuid.lower() == each.lower()), None)
        elif re.fullmatch(r"[0-9]{1,4}", each) and int(each) < len(devices):
            found = devices[int(each)]
        if found is None:
            return left, each
        if found not in left:
            left.append(found)
    return left, ""


@dataclass(frozen=True)
class Visible:
    """What programs see.

    Attributes:
        devices: in the order in which HIP counts them.
        steps: in words what each variable did.
        culprit: the variable that left nothing; empty where something is left.
        bad: variables and entries that name no device.
    """

    devices: tuple[Gpu, ...]
    steps: tuple[str, ...] = ()
    culprit: str = ""
    bad: tuple[tuple[str, str], ...] = ()


def visible(machine: Machine) -> Visible:
    """ROCR first; then HIP_VISIBLE_DEVICES, or where it is not set or empty CUDA_VISIBLE_DEVICES, over what is left."""
    variables = machine.system.environment
    nodes = sorted((each for each in machine.fact(driven) if each.node is not None), key=lambda each: each.node or 0)
    left, steps, culprit, bad = list(nodes), [], "", []
    second = HIP if variables.get(HIP) or CUDA not in variables else CUDA
    for name in (ROCR, second):
        value = variables.get(name)
        if value is None:
            continue
        before = len(left)
        left, wrong = select(value, left)
        steps.append(f"{name}={clean(value, 100)} leaves {len(left)} of {before}")
        if wrong and wrong != "-1":
            bad.append((name, clean(wrong, 60)))
        if not left and not culprit:
            culprit = name
    return Visible(tuple(left), tuple(steps), culprit, tuple(bad))


@check("visible-devices", "programs see the GPUs")
def visible_devices(machine: Machine) -> Iterator[Result]:
    """All variables together, to the resulting list."""
    variables = machine.system.environment
    nodes = [each for each in machine.fact(driven) if each.node is not None]
    if not nodes or not any(name in variables for name in (ROCR, HIP, CUDA, ORDINAL)):
        return
    seen = machine.fact(visible)
    told = "; ".join(seen.steps)
    if seen.culprit:
        name = seen.culprit
        empty = not variables[name].strip()
        why = "an empty list means no GPU to ROCR and PyTorch (HIP alone ignores it)" if empty else (
            "ROCR_VISIBLE_DEVICES comes first, and the other counts what that left from 0 on"
            if ROCR in variables and name != ROCR else "a list ends at its first entry that names no device"
        )  # fmt: skip
        yield failure(
            f"{name} leaves no GPU{_set_in(machine, name)}: {told}", why=why, rank=11, mend=unset(machine, name)
        )
        return
    for name, entry in seen.bad:
        yield limit(
            f"{name}: {entry or 'an empty entry'} names no device{_set_in(machine, name)}", rank=30,
            why="the list ends there: what follows is not seen", mend=unset(machine, name),
        )  # fmt: skip
    if HIP in variables and CUDA in variables and variables[HIP] and variables[HIP] != variables[CUDA]:
        yield warning(
            f"{HIP} and {CUDA} differ; HIP takes {HIP}", why="frameworks read one or the other", rank=56,
            mend=(f"unset {CUDA}",),
        )  # fmt: skip
    if ORDINAL in variables:
        yield ok(f"{ORDINAL} counts for OpenCL alone")
    names = ", ".join(f"{at}: {each.title}" for at, each in enumerate(seen.devices))
    yield ok(f"{told + ': ' if told else ''}programs see {names}")


# ---- all others ----


@cache
def table() -> tuple[dict[str, Any], ...]:
    """Rows of variables.toml."""
    told = (resources.files("softrock.doctor") / "data" / "variables.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(told)["variable"])


@check("variables", "no variable slows or hinders programs")
def variables_set(machine: Machine) -> Iterator[Result]:
    """Variables with values that deserve a word."""
    if not machine.fact(driven):
        return
    environment = machine.system.environment
    for row in table():
        name = row["name"]
        value = environment.get(name)
        if value is None:
            continue
        hit = next((each for each in row["wrong"] if re.fullmatch(each["value"], value.strip()[:400])), None)
        if hit is None:
            yield ok(f"{name}={clean(value, 80)}: {row['about']}")
            continue
        give = limit if hit["level"] == "limit" else warning
        yield give(
            f"{name}={clean(value, 80)}{_set_in(machine, name)}: {hit['says']}", rank=60,
            why=f"{row['about']} ({row['source']})", mend=unset(machine, name),
        )  # fmt: skip


@check("library-path", "the paths to libraries are sound")
def library_path(machine: Machine) -> Iterator[Result]:
    """Entries of LD_LIBRARY_PATH and LD_PRELOAD."""
    if not machine.fact(driven):
        return
    value = machine.system.environment.get("LD_LIBRARY_PATH", "")
    loose = [each for each in value.split(":") if not each.startswith("/")] if value else []
    if loose:
        yield warning(
            f"LD_LIBRARY_PATH has entries that are no absolute paths{_set_in(machine, 'LD_LIBRARY_PATH')}", rank=61,
            why="an empty entry is the current folder, whatever lies there", mend=unset(machine, "LD_LIBRARY_PATH"),
        )  # fmt: skip
    for each in machine.system.environment.get("LD_PRELOAD", "").replace(":", " ").split():
        name = posixpath.basename(each)
        if re.match(r"lib(amdhip64|hsa-runtime64|rocblas|MIOpen|rccl|nvidia|cuda)", name):
            yield warning(
                f"LD_PRELOAD brings {clean(each, 200)} into every program{_set_in(machine, 'LD_PRELOAD')}", rank=57,
                why="it comes before the library that the program brings or was built for",
                mend=unset(machine, "LD_PRELOAD"),
            )  # fmt: skip


@check("service-variables", "Ollama's service has the same settings")
def service_variables(machine: Machine) -> Iterator[Result]:
    """A service does not see what a shell's start files set."""
    found = [each for each in machine.fact(places).get(OVERRIDE, ()) if "ollama.service" in each.file]
    cards = [each for each in machine.fact(driven) if each.gfx]
    for each in found:
        forced = overridden(each.value)
        for gpu in cards:
            if forced and forced not in family(gpu.gfx):
                yield failure(
                    f"{each.file}:{each.line} makes {forced} of {gpu.title}", software="ollama", rank=32,
                    gpu=gpu.address if len(cards) > 1 else "", why="code for that target does not run on it",
                    mend=(f"remove {OVERRIDE} from line {each.line} of {each.file}",
                          "sudo systemctl daemon-reload && sudo systemctl restart ollama"),
                )  # fmt: skip
