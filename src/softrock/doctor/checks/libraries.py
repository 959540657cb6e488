"""Libraries that programs load"""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from softrock.doctor.checks.environment import unset, where
from softrock.doctor.checks.rocm import Install, installs
from softrock.doctor.facts import driven
from softrock.doctor.registry import Machine, Result, check, failure, limit, ok, warning
from softrock.doctor.text import clean
from softrock.system.interface import Kind, System, listed, target, text

NAMES = ("libamdhip64", "libhsa-runtime64", "librocblas", "libMIOpen", "librccl")
_SONAME = re.compile(rf"({'|'.join(NAMES)})\.so\.\d{{1,4}}")
_DEFAULTS = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
             "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")  # fmt: skip
_READ = 1 << 24
_NEEDED, _STRTAB, _STRSZ, _RPATH, _RUNPATH = 1, 5, 10, 15, 29


@dataclass(frozen=True)
class Dynamic:
    """What an ELF file asks of the loader."""

    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()


def dynamic(data: bytes) -> Dynamic | None:
    """The dynamic section of a 64-bit little-endian ELF file; None where it is none, static, or cut off."""
    try:
        if data[:6] != b"\x7fELF\x02\x01":
            return None
        offset, = struct.unpack_from("<Q", data, 32)
        entry, count = struct.unpack_from("<HH", data, 54)
        if entry != 56 or count > 4096:
            return None
        segments = [struct.unpack_from("<IIQQQQ", data, offset + at * 56) for at in range(count)]
        place, size = next((each[2], each[5]) for each in segments if each[0] == 2)
        tags: list[tuple[int, int]] = []
        for at in range(place, place + min(size, 1 << 16), 16):
            tag, value = struct.unpack_from("<QQ", data, at)
            if tag == 0:
                break
            tags.append((tag, value))
        address = next(value for tag, value in tags if tag == _STRTAB)
        length = next(value for tag, value in tags if tag == _STRSZ)
        start = next(each[2] + address - each[3] for each in segments
                     if each[0] == 1 and each[3] <= address < each[3] + each[5])  # fmt: skip
    except (struct.error, StopIteration, OverflowError):
        return None
    names = data[start : start + min(length, 1 << 22)]

    def word(at: int) -> str:
        end = names.find(b"\0", at, at + 4096)
        return names[at:end].decode("utf-8", "replace") if at < len(names) and end >= 0 else ""

    def words(wanted: int) -> tuple[str, ...]:
        return tuple(each for each in (word(value) for tag, value in tags if tag == wanted) if each)

    def paths(wanted: int) -> tuple[str, ...]:
        return tuple(part for each in words(wanted) for part in each.split(":") if part)

    return Dynamic(words(_NEEDED)[:512], paths(_RPATH)[:64], paths(_RUNPATH)[:64])


def configured(machine: Machine) -> tuple[str, ...]:
    """Folders of /etc/ld.so.conf and what it includes, in the order of the files."""
    system, found = machine.system, []
    files = ["/etc/ld.so.conf", *(f"/etc/ld.so.conf.d/{each}" for each in listed(system, "/etc/ld.so.conf.d")[:200]
                                  if each.endswith(".conf"))]  # fmt: skip
    for file in files:
        try:
            told = text(system, file, 1 << 16) or ""
        except OSError:
            continue
        found += [each.strip() for each in told.splitlines() if each.strip().startswith("/")]
    return tuple(dict.fromkeys(found))


def by_variable(machine: Machine) -> tuple[str, ...]:
    """Folders of LD_LIBRARY_PATH."""
    value = machine.system.environment.get("LD_LIBRARY_PATH", "")
    return tuple(dict.fromkeys(each.rstrip("/") for each in re.split("[:;]", value) if each.startswith("/")))


def find(machine: Machine, name: str, asking: Dynamic = Dynamic(), origin: str = "/") -> str:
    """The path of the library that the loader takes for a name; empty where it finds none.

    The order is that of ld.so(8): RPATH (only without a RUNPATH), LD_LIBRARY_PATH, RUNPATH, the cache, which is made of
    ld.so.conf, and the default folders.

    Args:
        name: as in DT_NEEDED.
        asking: the file that needs it.
        origin: the folder of that file.
    """
    def here(paths: Sequence[str]) -> list[str]:
        return [each.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for each in paths]

    first = [] if asking.runpath else here(asking.rpath)
    for folder in (*first, *by_variable(machine), *here(asking.runpath), *machine.fact(configured), *_DEFAULTS):
        if folder.startswith("/"):
            path = posixpath.normpath(f"{folder}/{name}")
            if is_file(machine.system, path):
                return path
    return ""


def is_file(system: System, path: str) -> bool:
    """There is a file."""
    try:
        return system.stat(path).kind is Kind.FILE
    except OSError:
        return False


def real(system: System, path: str) -> str:
    """A path without links in its folder and name, as far as they can be read."""
    parts, done = path.strip("/").split("/"), "/"
    for _ in range(200):
        if not parts:
            break
        place = posixpath.join(done, parts.pop(0))
        where_to = target(system, place)
        if where_to is None:
            done = place
        else:
            parts, done = [*where_to.strip("/").split("/"), *parts], "/"
    return done


def home_of(machine: Machine, path: str) -> Install | None:
    """The ROCm installation that a library belongs to."""
    told = real(machine.system, path)
    return next((each for each in machine.fact(installs) if told.startswith(f"{each.libraries}/")), None)


@check("libraries-found", "it is plain which libraries programs load")
def libraries_found(machine: Machine) -> Iterator[Result]:
    """For each soname that some installation has, the file that the loader would take by default."""
    if not machine.fact(driven):
        return
    sonames = {name for each in machine.fact(installs) for name in listed(machine.system, each.libraries)
               if _SONAME.fullmatch(name)}  # fmt: skip
    for name in sorted(sonames):
        path = find(machine, name)
        if path:
            came = " (LD_LIBRARY_PATH)" if posixpath.dirname(path) in by_variable(machine) else ""
            yield ok(f"{name}: {path}{came}")


@check("libraries-mixed", "libraries of one ROCm are loaded together")
def libraries_mixed(machine: Machine) -> Iterator[Result]:
    """What a program of each installation would load where LD_LIBRARY_PATH and ld.so.conf decide.

    Self-contained wheels do not count: their libraries have names or paths of their own (pytorch#118457).
    """
    if not machine.fact(driven):
        return
    system, variable = machine.system, by_variable(machine)
    for each in machine.fact(installs):
        names = [name for name in listed(system, each.libraries) if _SONAME.fullmatch(name)]
        taken = {name: find(machine, name) for name in names}
        homes = {name: home_of(machine, path) for name, path in taken.items() if path}
        if each not in homes.values():
            continue
        foreign = {name: home for name, home in homes.items() if home and home.path != each.path
                   and home.version != each.version}  # fmt: skip
        if not foreign:
            continue
        forced = any(posixpath.dirname(taken[name]) in variable for name in foreign)
        told = ", ".join(f"{name} from {taken[name]}" for name in sorted(foreign))
        place = where(machine, "LD_LIBRARY_PATH")
        seen = f"a program of {each.path} would load {told}"
        if forced:
            yield limit(
                f"{seen}, by LD_LIBRARY_PATH{f' (set in {place})' if place else ''}", rank=33,
                why="two versions of ROCm in one program: symbols are missing, or kernels of the other version are "
                "read (rocm-libraries#4547)", mend=unset(machine, "LD_LIBRARY_PATH"),
            )  # fmt: skip
        else:
            yield warning(
                f"{seen}, unless it was linked with a path of its own", rank=59,
                why="ld.so.conf names several versions of ROCm",
                mend=("keep one of them in /etc/ld.so.conf.d, then: sudo ldconfig",),
            )  # fmt: skip


@check("tensile-path", "rocBLAS reads its own kernels")
def tensile_path(machine: Machine) -> Iterator[Result]:
    """ROCBLAS_TENSILE_LIBPATH against the installation of the librocblas that is loaded."""
    name = "ROCBLAS_TENSILE_LIBPATH"
    value = machine.system.environment.get(name)
    if value is None or not machine.fact(driven):
        return
    place = where(machine, name)
    said = f"{name}={clean(value, 200)}{f' (set in {place})' if place else ''}"
    if not value.startswith("/") or not listed(machine.system, value):
        yield failure(
            f"{said}: there is no such folder, or it is empty", rank=33, mend=unset(machine, name),
            why="rocBLAS stops with: Cannot read TensileLibrary.dat",
        )  # fmt: skip
        return
    mine = home_of(machine, f"{value.rstrip('/')}/x")
    sonames = sorted({each for one in machine.fact(installs) for each in listed(machine.system, one.libraries)
                      if re.fullmatch(r"librocblas\.so\.\d{1,4}", each)})  # fmt: skip
    paths = [path for path in (find(machine, each) for each in sonames) if path]
    homes = [home for home in (home_of(machine, path) for path in paths) if home]
    other = next((each for each in homes if mine is None or each.version != mine.version), None)
    if other is not None:
        yield limit(
            f"{said}, but librocblas comes from {other.path}", rank=33, mend=unset(machine, name),
            why="kernels of another version are read: crashes or wrong results (ROCm/pytorch#1340)",
        )  # fmt: skip
    else:
        yield ok(f"{said} belongs to the librocblas that is loaded")


_PROGRAMS = ("llama-server", "llama-cli", "ollama", "rocminfo")
_BESIDE = ("libggml-hip.so",)


@check("libraries-needed", "programs find their libraries")
def libraries_needed(machine: Machine) -> Iterator[Result]:
    """Programs on PATH and the back ends beside them: every HIP library that they name is found."""
    if not machine.fact(driven):
        return
    system, done = machine.system, set()
    for folder in machine.system.environment.get("PATH", "").split(":")[:64]:
        for name in (*_PROGRAMS, *_BESIDE, *(f"../lib/{each}" for each in _BESIDE)):
            path = posixpath.normpath(f"{folder}/{name}") if folder.startswith("/") else ""
            if not path or path in done or not is_file(system, path):
                continue
            done.add(path)
            try:
                asks = dynamic(system.read(path, _READ))
            except OSError:
                continue
            if asks is None:
                continue
            at = posixpath.dirname(real(system, path))
            for needed in asks.needed:
                if not re.match(r"lib(amdhip64|hsa-runtime64|rocblas|hipblas|MIOpen|rccl|amd_comgr)", needed):
                    continue
                got = find(machine, needed, asks, at)
                if got:
                    yield ok(f"{path} loads {clean(needed, 80)} from {got}")
                else:
                    yield _lost(machine, path, clean(needed, 80))


def _lost(machine: Machine, path: str, needed: str) -> Result:
    """A library that is not found; where one of another version is there, that is said."""
    stem = needed.split(".so")[0]
    others = [f"{each.libraries}/{name}" for each in machine.fact(installs)
              for name in listed(machine.system, each.libraries) if name.startswith(f"{stem}.so.")]  # fmt: skip
    same = [each for each in others if posixpath.basename(each) == needed]
    folder = posixpath.dirname(same[0]) if same and re.fullmatch(r"[A-Za-z0-9/._-]+", same[0]) else ""
    return limit(
        f"{path} needs {needed}, which is not found" + (f"; there is {others[0]}" if others else ""), rank=37,
        why="it does not start: cannot open shared object file", software="ollama" if "ollama" in path else "llama.cpp",
        mend=(f"export LD_LIBRARY_PATH={folder}",) if folder else
        ("install the ROCm release that it was built for, or build it for the one that is here",),
    )  # fmt: skip


