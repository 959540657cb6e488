"""Builds the C libraries once per installation and keeps them in the cache folder."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from softrock.core import cache
from softrock.core.errors import ToolError
from softrock.exec import build as tools

HERE = Path(__file__).parent
INCLUDE = HERE.parent / "compiler" / "include"
NATIVE = HERE / "native"
HIP_HEADER = INCLUDE / "hip" / "detail" / "api_functions.h"
RTC_HEADER = INCLUDE / "hip" / "hiprtc.h"
MAJOR = 7
MARK = "softrock_library"
"""A function only our library has, so that it is not taken for AMD's."""
OLDER = (5, 6)
"""Library versions that programs may still ask for; they get the same library."""


def python_library() -> str:
    """Path of the shared libpython of this interpreter, or "" where it has none that exists.

    The interpreter may be linked statically although a shared library lies beside it: then that is used.
    """
    asked = os.environ.get("SOFTROCK_PYTHON_LIB", "")
    if asked:
        return asked
    folder = sysconfig.get_config_var("LIBDIR") or ""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [sysconfig.get_config_var(key) for key in ("INSTSONAME", "LDLIBRARY")]
    names += [f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folders = [folder, str(Path(sys.base_prefix) / "lib"), sysconfig.get_config_var("LIBPL") or ""]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        folders += [f"/usr/lib/{multiarch}", f"/lib/{multiarch}"]
    for each in folders:
        for name in names:
            if each and name and ".so" in str(name) and (Path(each) / str(name)).is_file():
                return str(Path(each) / str(name))
    return ""


def needs_launcher() -> bool:
    """Whether compiled programs cannot start Python themselves (this interpreter has no shared libpython).

    Such programs are built as shared objects and run by ``python -m softrock.abi.launch``.
    """
    return not python_library()


def _c_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _defines() -> list[str]:
    """What the library must know of this installation."""
    package_root = str(HERE.parent.parent)
    path = ", ".join(f"'{each}'" for each in (package_root, *_site_folders()))
    values = {"SR_PYTHON_LIB": python_library(), "SR_PYTHON_EXE": sys.executable, "SR_PYTHON_PATH": path}
    return [f"-D{name}={_c_string(value)}" for name, value in values.items()]


def _site_folders() -> list[str]:
    """Folders that hold the packages softrock needs, in case the started interpreter does not find them itself."""
    found = []
    for name in ("_cffi_backend", "llvmlite"):
        module = sys.modules.get(name)
        origin = getattr(module, "__file__", None) if module else None
        if origin is None:
            import importlib.util

            spec = importlib.util.find_spec(name)
            origin = spec.origin if spec else None
        if origin:
            folder = Path(origin).parent
            folder = folder.parent if name == "llvmlite" else folder
            if str(folder) not in found:
                found.append(str(folder))
    return found


_PRODUCTS = ("layouts.json", "libamdhip64.so", "libhiprtc.so")
_SEAL = "seal"


@functools.cache
def _sources_key() -> str:
    digest = hashlib.sha256()
    files = [*sorted(NATIVE.iterdir()), *sorted((INCLUDE / "hip" / "detail").glob("api_*.h")), RTC_HEADER]
    files += [HERE / f"{name}.py" for name in ("generate", "build", "layouts", "prototypes")]
    files.append(HERE / "versions.txt")
    files += [HERE.parent / "hip" / "errors.tsv", HERE.parent / "exec" / "native" / "api.h"]
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    for text in _defines():
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:32]


def library_dir() -> Path:
    """Folder with ``libamdhip64.so.7`` and its kin, built at the first call and cached.

    Raises:
        ToolError: the compiler of the ziglang wheel is missing or failed.
    """
    target = cache.folder("abi") / _sources_key()
    if _whole(target):
        return target
    with tempfile.TemporaryDirectory(dir=cache.folder("abi"), prefix=".new-") as name:
        work = Path(name) / "lib"
        work.mkdir()
        _build(Path(name), work)
        cache.seal(work / _SEAL, [work / each for each in _PRODUCTS])
        with contextlib.suppress(OSError):
            target.rename(Path(name) / "damaged")
        try:
            work.rename(target)
        except OSError:
            if not _whole(target):  # otherwise another process was faster
                raise
    return target


def _whole(folder: Path) -> bool:
    return cache.whole(folder / _SEAL, [folder / each for each in _PRODUCTS])


def layouts() -> dict[str, Any]:
    """Layouts of the C structures, as :mod:`softrock.abi.layouts` read them."""
    loaded: dict[str, Any] = json.loads((library_dir() / "layouts.json").read_text())
    return loaded


def _build(scratch: Path, out: Path) -> None:
    from softrock.abi import generate, prototypes
    from softrock.abi import layouts as layout_reader
    from softrock.hip import errors

    hip_sources = [NATIVE / "hip.c", NATIVE / "register.c", NATIVE / "fast.c"]
    native = generate.native_names(hip_sources)
    declared = prototypes.read(HIP_HEADER)
    nodes = generate.versions()
    known = {each.name for each in declared} | native
    listed = {name for names in nodes.values() for name in names}
    unknown = {name for name in listed if name.startswith("hip") and not name.startswith("hiprtc")} - known
    (scratch / "generated.h").write_text(generate.error_table(errors.table()))
    (scratch / "exports.c").write_text(generate.export_table(known | unknown))
    stubs = ['#include "shim.h"', '#include "hip/detail/api_functions.h"']
    stubs += [generate.stub(each) for each in declared if each.name not in native]
    (scratch / "stubs.c").write_text("\n".join(stubs) + "\n")
    others = ['#include "shim.h"', "typedef int hipError_t;", *map(generate.unknown_stub, sorted(unknown))]
    (scratch / "unknown.c").write_text("\n".join(others) + "\n")
    script = scratch / "hip.map"
    script.write_text(generate.version_script(known | unknown | {MARK}, nodes))
    made = [scratch / name for name in ("stubs.c", "unknown.c", "exports.c")]
    sources = [NATIVE / "shim.c", *hip_sources, *made]
    objects = [_compile(source, scratch, ["-DSR_IS_HIP"]) for source in sources]
    _link(objects, out, "libamdhip64", script)
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HIP_HEADER.parent.glob("api_*.h")))
    dump = _layout_dump(scratch)
    (out / "layouts.json").write_text(json.dumps(layout_reader.parse(dump, text)))
    _build_rtc(scratch, out)


def _build_rtc(scratch: Path, out: Path) -> None:
    from softrock.abi import generate, prototypes

    declared = prototypes.read(RTC_HEADER)
    stubs = ['#include "shim.h"', '#include "hip/hiprtc.h"']
    native = generate.native_names([NATIVE / "hiprtc.c"])
    stubs += [generate.stub(each) for each in declared if each.name not in native]
    (scratch / "rtc_stubs.c").write_text("\n".join(stubs) + "\n")
    script = scratch / "rtc.map"
    names = "".join(f"        {each.name};\n" for each in declared)
    script.write_text(f"{{\n    global:\n{names}    local:\n        *;\n}};\n")
    shim = _compile(NATIVE / "shim.c", scratch, [], "rtc_shim.o")
    objects = [shim, _compile(NATIVE / "hiprtc.c", scratch, []), _compile(scratch / "rtc_stubs.c", scratch, [])]
    _link(objects, out, "libhiprtc", script)


def _zig(args: list[str]) -> str:
    """Run one of the wheel's tools and return what it printed."""
    program, _ = tools.zig()
    command = [str(program), *args]
    done = subprocess.run(
        command, env=tools.tool_environment(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise ToolError(
            f"building the C library failed ({' '.join(args[:2])}):\n{done.stderr.strip()[:4000]}",
            hint="this is a defect of softrock or an unknown version of ziglang; please report it",
        )
    return done.stdout + done.stderr


def _cc1(extra: list[str]) -> list[str]:
    _, resource = tools.zig()
    base = ["clang", "-cc1", "-triple", f"{os.uname().machine}-unknown-linux-gnu", "-ffreestanding", "-std=c17"]
    return [*base, "-internal-isystem", str(resource / "include"), "-I", str(INCLUDE), "-I", str(NATIVE), *extra]


def _compile(source: Path, scratch: Path, extra: list[str], name: str | None = None) -> Path:
    target = scratch / (name or f"{source.stem}.o")
    flags = ["-emit-obj", "-O2", "-mrelocation-model", "pic", "-pic-level", "2", "-I", str(scratch)]
    flags += ["-fvisibility=default", *_defines(), *extra, "-o", str(target), str(source)]
    _zig(_cc1(flags))
    return target


def _link(objects: list[Path], out: Path, name: str, script: Path) -> None:
    """Link the library under its own SONAME, with links under the older names."""
    soname = f"{name}.so.{MAJOR}"
    command = ["ld.lld", "-shared", "--hash-style=gnu", "--build-id=sha1", "-z", "relro", f"--version-script={script}"]
    inputs = [*map(str, objects), *_c_library(script.parent)]
    _zig([*command, "-soname", soname, "-o", str(out / soname), *inputs])
    for alias in (f"{name}.so", *(f"{name}.so.{major}" for major in OLDER)):
        (out / alias).symlink_to(soname)


def _c_library(scratch: Path) -> list[str]:
    """Linker arguments that make the library need glibc by name, without having glibc's files: an empty stand-in."""
    if platform.libc_ver()[0] != "glibc":
        return []
    stand_in, empty = scratch / "libc.so", scratch / "empty.c"
    empty.write_text("")
    _zig(["ld.lld", "-shared", "-soname", "libc.so.6", "-o", str(stand_in), str(_compile(empty, scratch, []))])
    return ["--no-as-needed", str(stand_in)]


def _layout_dump(scratch: Path) -> str:
    source = scratch / "layouts.c"
    source.write_text('#include "hip/detail/api_functions.h"\n')
    return _zig(_cc1(["-fsyntax-only", "-fdump-record-layouts-complete", str(source)]))
