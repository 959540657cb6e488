"""Frameworks and engines"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from softrock.codeobj import bundle
from softrock.core.errors import SoftrockError
from softrock.doctor.checks.environment import effective, visible
from softrock.doctor.checks.rocm import covers, get_target, index, packages, targets_in
from softrock.doctor.facts import Gpu, driven, wsl
from softrock.doctor.facts.reading import number
from softrock.doctor.registry import Machine, Result, check, limit, ok, unknown, warning
from softrock.doctor.text import clean
from softrock.system.interface import System, exists, listed, text

_TORCH = re.compile(r"^(__version__|hip|cuda)\b[^=\n]{0,60}=[ ]?(?:'([^'\n]{0,80})'|None)", re.MULTILINE)
_KPACK = re.compile(r"[a-z_]{1,40}_(gfx[0-9a-f]{3,5})((?::(?:xnack|sramecc)[+-])*)\.kpack")
_BINARY = 1 << 26
"""Bytes of a library that are read for the targets in it."""
_WHEELS = "https://download.pytorch.org/whl/rocm6.4"
_IN_WHEELS = frozenset(
    "gfx900 gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1101 gfx1102 gfx1200 gfx1201".split()
)  # targets of the wheels under _WHEELS (pytorch/pytorch, .ci/docker/manywheel; from memory, not looked up)


@dataclass(frozen=True)
class Torch:
    """A PyTorch.

    Attributes:
        folder: of the packages that it stands in.
        version, hip, cuda: as torch/version.py has them; empty for None.
        own: it brings its own HIP library.
        targets: what its rocBLAS and its kernel packs hold; empty where that does not show.
    """

    folder: str
    version: str
    hip: str
    cuda: str
    own: bool
    targets: frozenset[str]


def torches(machine: Machine) -> tuple[Torch, ...]:
    """PyTorch in each folder of packages."""
    system, found = machine.system, []
    for folder, known in machine.fact(packages).items():
        try:
            told = text(system, f"{folder}/torch/version.py", 1 << 16) or ""
        except OSError:
            told = ""
        values = {at[1]: at[2] or "" for at in _TORCH.finditer(told)}
        if not values and "torch" not in known:
            continue
        lib = f"{folder}/torch/lib"
        own = any(each.startswith("libamdhip64.so") for each in listed(system, lib))
        has = targets_in(system, lib) | {target for target, _, _ in packs(system, folder)} | {
            each.rpartition("-")[2] for each in known if re.fullmatch(r"amd-torch-device-gfx[0-9a-f]{3,5}", each)
        }  # fmt: skip
        version = values.get("__version__") or known.get("torch", "")
        found.append(Torch(folder, version, values.get("hip", ""), values.get("cuda", ""), own, has))
    return tuple(found)


def packs(system: System, folder: str) -> list[tuple[str, str, int]]:
    """Kernel packs of PyTorch: target, features, bytes."""
    found = []
    for name in listed(system, f"{folder}/torch/.kpack"):
        at = _KPACK.fullmatch(name)
        if at:
            found.append((at[1], at[2], system.stat(f"{folder}/torch/.kpack/{name}").size))
    return found


def computing(machine: Machine) -> list[Gpu]:
    """GPUs that programs see; integrated ones only where there is nothing else."""
    seen = [each for each in machine.fact(visible).devices if each.gfx]
    return [each for each in seen if not each.integrated] or seen


def nvidia(machine: Machine) -> bool:
    """There is a GPU of NVIDIA as well, for which programs may be built."""
    system, bus = machine.system, "/sys/bus/pci/devices"
    return any(
        number(system, f"{bus}/{each}/vendor") == 0x10DE and (number(system, f"{bus}/{each}/class") or 0) >> 16 == 3
        for each in listed(system, bus)[:512]
    )


def get_torch(gfx: str) -> tuple[str, ...]:
    """How to install PyTorch for a target."""
    url = _WHEELS if gfx in _IN_WHEELS else f"https://rocm.nightlies.amd.com/v2/{index(gfx)}/"
    return (f"python -m pip install --force-reinstall torch torchvision --index-url {url}  # holds {gfx}",)


@check("pytorch", "PyTorch is built for the GPU")
def pytorch(machine: Machine) -> Iterator[Result]:
    """Version, runtime and targets of each PyTorch, read from its files."""
    cards = computing(machine)
    for torch in machine.fact(torches):
        where = f"PyTorch {clean(torch.version, 60)} in {torch.folder}"
        if machine.fact(wsl):
            yield from _on_windows(machine, torch, where)
        if not cards:
            continue
        if not torch.hip:
            if nvidia(machine):
                yield ok(f"{where} is built for {'CUDA' if torch.cuda else 'processors'}, and an NVIDIA GPU is here")
                continue
            kind = f"CUDA {clean(torch.cuda, 20)}" if torch.cuda else "processors alone"
            yield limit(
                f"{where} is built for {kind}", rank=36,
                why="torch.cuda.is_available() says False on this machine", software="pytorch",
                mend=get_torch(cards[0].gfx),
            )  # fmt: skip
            continue
        yield from _targets(machine, torch, where, cards)
        if " " in torch.folder:
            yield limit(
                f"{where}: a space in the path", rank=38, software="pytorch",
                why="HIP takes the path of the loaded library for a URI and finds no kernel image (ROCm#4329)",
                mend=("python3 -m venv ~/venv  # and install there: a path without spaces",),
            )  # fmt: skip


def _targets(machine: Machine, torch: Torch, where: str, cards: list[Gpu]) -> Iterator[Result]:
    """Whether each GPU finds its code."""
    known = machine.fact(packages).get(torch.folder, {})
    for gpu in cards:
        alone = gpu.address if len(machine.fact(driven)) > 1 else ""
        want = effective(machine, gpu)
        families = [each for each in known if each.startswith("rocm-sdk-libraries-gfx")]
        devices = [name for name in (f"rocm-sdk-device-{want}", f"amd-torch-device-{want}") if name not in known]
        split = "rocm-sdk-libraries" in known and not torch.own
        stray = [(features, size) for target, features, size in packs(machine.system, torch.folder) if target == want]
        plain = max((size for features, size in stray if not features), default=0)
        if split and devices:
            yield limit(
                f"{where} lacks the packages for {gpu.title}: {', '.join(devices)}", rank=35, gpu=alone,
                why="the code for each GPU is a package of its own; without it every launch has an invalid device "
                "kernel image (TheRock#7839)", software="pytorch",
                mend=(f"python -m pip install {' '.join(devices)}  # from the index that torch came from",),
            )  # fmt: skip
        elif any(features and size * 10 < plain for features, size in stray):
            yield limit(
                f"{where}: kernel packs for {want} with xnack settings hold next to nothing", rank=35, gpu=alone,
                why="they are preferred to the whole pack, and launches have an invalid device kernel image "
                "(TheRock#7081)", software="pytorch",
                mend=(f"remove the files torch_{want}:xnack*.kpack from the folder torch/.kpack",
                      f"or: python -m pip install --force-reinstall amd-torch-device-{want}"),
            )  # fmt: skip
        elif torch.targets and not covers(torch.targets, want) and not families:
            yield limit(
                f"{where} holds no code for {want} ({gpu.title}), but for {', '.join(sorted(torch.targets))}",
                rank=35, gpu=alone, software="pytorch", mend=(*get_torch(gpu.gfx), *get_target(gpu)[1:]),
                why="launches stop with invalid device function or no kernel image is available",
            )  # fmt: skip
        else:
            runtime = "its own runtime" if torch.own else "the runtime of ROCm's wheels" if split else "the system's"
            yield ok(f"{where}: HIP {clean(torch.hip, 40)}, {runtime}; fits {gpu.title}", gpu=alone, software="pytorch")


def _on_windows(machine: Machine, torch: Torch, where: str) -> Iterator[Result]:
    """In WSL2 the runtime must be the one that speaks to /dev/dxg."""
    own = any(each.startswith("libhsa-runtime64.so") for each in listed(machine.system, f"{torch.folder}/torch/lib"))
    if torch.hip and own:
        yield limit(
            f"{where} brings its own libhsa-runtime64.so, which wants /dev/kfd", rank=35, software="pytorch",
            why="it hides the runtime for WSL2, and torch sees no GPU though rocminfo does (librocdxg#46, ROCm#3563)",
            mend=("remove libhsa-runtime64.so* from the folder torch/lib of that environment",
                  "python -c 'import torch; print(torch.cuda.is_available())'"),
        )  # fmt: skip


# ---- the others ----


@cache
def table() -> dict[str, dict[str, Any]]:
    """Rows of frameworks.toml."""
    told = (resources.files("softrock.doctor") / "data" / "frameworks.toml").read_text(encoding="utf-8")
    return tomllib.loads(told)


def built_for(system: System, folder: str, name: str, version: str, row: dict[str, Any]) -> str:
    """rocm, cuda or cpu; empty where nothing tells."""
    for rule in row["built"]:
        if "name" in rule and re.fullmatch(rule["name"], f"{name} {version}"):
            return str(rule["is"])
        if "file" in rule and exists(system, f"{folder}/{rule['file']}"):
            return str(rule["is"])
        if "prefix" in rule:
            place, start = posixpath.split(rule["prefix"])
            if any(each.startswith(start) for each in listed(system, f"{folder}/{place}")):
                return str(rule["is"])
    return ""


@check("frameworks", "frameworks are built for ROCm")
def frameworks(machine: Machine) -> Iterator[Result]:
    """Triton, vLLM, CuPy, JAX, bitsandbytes, ONNX Runtime: by names, versions and files of their packages."""
    if not computing(machine):
        return
    for folder, known in machine.fact(packages).items():
        for software, row in table().items():
            here = [(name, known[name]) for name in row["packages"] if name in known]
            kinds = {name: built_for(machine.system, folder, name, version, row) for name, version in here}
            for name, version in here:
                told = f"{name} {version} in {folder}"
                if kinds[name] == "rocm":
                    yield ok(f"{told} is built for ROCm", software=software)
                elif kinds[name] in ("cuda", "cpu") and "rocm" not in kinds.values() and not nvidia(machine):
                    yield limit(
                        f"{told} is built for {'CUDA' if kinds[name] == 'cuda' else 'processors'} alone", rank=40,
                        why="it does not use the AMD GPU", mend=row["advice"], software=software,
                    )  # fmt: skip
                elif not kinds[name]:
                    yield unknown(f"{told}: its files do not tell what it is built for", software=software)


# ---- engines that are programs ----

_OLLAMA = ("/usr/lib/ollama", "/usr/local/lib/ollama", "/usr/lib64/ollama")
_LLAMA = ("llama-server", "llama-cli")


def binary_targets(system: System, path: str) -> frozenset[str] | None:
    """Targets in the device code of a host library; None where it is too big or broken."""
    try:
        if system.stat(path).size > _BINARY:
            return None
        found = bundle.find_bundles(system.read(path, _BINARY), posixpath.basename(path))
        return frozenset(each.target.processor for one in found for each in one.gpu if each.target)
    except (OSError, SoftrockError):
        return None


@check("ollama", "Ollama has its libraries for ROCm")
def ollama(machine: Machine) -> Iterator[Result]:
    """Its folder rocm and what the rocBLAS in it holds."""
    system, cards = machine.system, computing(machine)
    if not cards or not any(exists(system, f"{each}/ollama") for each in ("/usr/bin", "/usr/local/bin")):
        return
    folder = next((f"{each}/rocm" for each in _OLLAMA if listed(system, f"{each}/rocm")), "")
    if not folder:
        yield limit(
            "Ollama is installed without its libraries for ROCm", rank=41, software="ollama",
            why="it computes on the processor then",
            mend=("curl -fsSL https://ollama.com/download/ollama-linux-amd64-rocm.tgz | sudo tar zx -C /usr",
                  "sudo systemctl restart ollama"),
        )  # fmt: skip
        return
    has = targets_in(system, folder)
    for gpu in cards:
        yield from _engine(machine, gpu, has, f"Ollama's ROCm in {folder}", "ollama")


@check("llama.cpp", "llama.cpp is built for the GPU")
def llama(machine: Machine) -> Iterator[Result]:
    """Programs on PATH and their libggml-hip.so: the targets in it."""
    system, cards = machine.system, computing(machine)
    if not cards:
        return
    seen = set()
    for folder in machine.system.environment.get("PATH", "").split(":"):
        program = next((f"{folder}/{each}" for each in _LLAMA if exists(system, f"{folder}/{each}")), "")
        if not folder.startswith("/") or not program or folder in seen:
            continue
        seen.add(folder)
        places = [f"{place}/libggml-hip.so" for place in (folder, posixpath.normpath(f"{folder}/../lib"))]
        library = next((each for each in places if exists(system, each)), "")
        has = binary_targets(system, library or program)
        if has is None:
            yield unknown(f"{library or program}: what it is built for cannot be read", software="llama.cpp")
        elif not has and not library:
            yield warning(
                f"{program} holds no code for AMD GPUs", rank=58, software="llama.cpp",
                why="it computes on the processor, or with Vulkan",
                mend=(f"cmake -B build -DGGML_HIP=ON -DGPU_TARGETS={cards[0].gfx} && cmake --build build -j",),
            )  # fmt: skip
        for gpu in cards if has else ():
            yield from _engine(machine, gpu, has or frozenset(), library or program, "llama.cpp")


def _engine(machine: Machine, gpu: Gpu, has: frozenset[str], where: str, software: str) -> Iterator[Result]:
    alone = gpu.address if len(machine.fact(driven)) > 1 else ""
    want = effective(machine, gpu)
    if not has or covers(has, want):
        told = f", built for {', '.join(sorted(has))}" if has else ""
        yield ok(f"{where}{told}; fits {gpu.title}" if has else where, gpu=alone, software=software)
        return
    built = f"cmake -B build -DGGML_HIP=ON -DGPU_TARGETS={gpu.gfx} && cmake --build build -j"
    mend = [built if software == "llama.cpp" else f"install a release of Ollama that is built for {gpu.gfx}"]
    mend += get_target(gpu)[1:]
    yield limit(
        f"{where} holds no code for {want} ({gpu.title}), but for {', '.join(sorted(has))}", rank=39, gpu=alone,
        software=software, why="it stops with: no compatible code objects found (llama.cpp#19949)",
        mend=mend,
    )  # fmt: skip
