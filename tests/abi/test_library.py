"""The C libraries themselves: names, versions, layouts, calls from C and from Python."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection

from softrock import abi
from softrock.abi import build, generate, layouts, prototypes
from softrock.core.errors import SoftrockError

from .conftest import HERE, Build, Run


def _exports(path: Path) -> dict[str, str]:
    """Exported name -> version node (empty where it has none)."""
    with path.open("rb") as file:
        elf: Any = ELFFile(file)
        symbols = elf.get_section_by_name(".dynsym")
        numbers = elf.get_section_by_name(".gnu.version")
        nodes: dict[int, str] = {}
        for section in elf.iter_sections():
            if isinstance(section, GNUVerDefSection):
                for definition, names in section.iter_versions():
                    nodes[definition["vd_ndx"]] = next(iter(names)).name
        found = {}
        for i, symbol in enumerate(symbols.iter_symbols()):
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol.name:
                number = numbers.get_symbol(i)["ndx"] if numbers is not None else 0
                found[symbol.name] = nodes.get(number, "") if isinstance(number, int) else ""
        return found


def test_every_prototype_is_exported_in_its_version() -> None:
    exported = _exports(abi.library_dir() / "libamdhip64.so.7")
    for each in prototypes.read(build.HIP_HEADER):
        assert each.name in exported
    assert exported["hipMalloc"] == "hip_4.2"
    assert exported["hipGraphInstantiate"] == "hip_4.3"
    assert exported["hipGetDevicePropertiesR0600"] == "hip_6.0"
    assert exported["hipDrvLaunchKernelEx"] == "hip_6.5"
    assert exported["__hipRegisterFatBinary"] == "hip_4.2"
    assert not [name for name in exported if name.startswith("sr_")]


def test_names_under_which_programs_look_for_it() -> None:
    folder = abi.library_dir()
    for name in ("libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libhiprtc.so", "libhiprtc.so.7"):
        assert (folder / name).resolve().is_file()
    with (folder / "libamdhip64.so.7").open("rb") as file:
        elf: Any = ELFFile(file)
        tags = {tag.entry.d_tag: tag for tag in elf.get_section_by_name(".dynamic").iter_tags()}
        assert tags["DT_SONAME"].soname == "libamdhip64.so.7"


def test_prototypes_are_read_strictly() -> None:
    text = "hipError_t a(void);\nconst char *b(int x, const void *const *p __SR_DEFAULT(0));\n# define c(x)\n"
    found = prototypes.parse(text, "x.h")
    assert [(each.result, each.name, each.params) for each in found] == [
        ("hipError_t", "a", ()),
        ("const char *", "b", (("int", "x"), ("const void *const *", "p"))),
    ]
    with pytest.raises(SoftrockError, match=r"x\.h:1"):
        prototypes.parse("hipError_t a(int);", "x.h")


def test_the_version_script_places_every_name_once() -> None:
    script = generate.version_script({"a", "b", "c"}, {"v1": ["a"], "v2": ["b", "absent"]})
    assert re.findall(r"^(v\d) \{", script, re.MULTILINE) == ["v1", "v2"]
    assert script.index("        c;") < script.index("v2 {")
    assert script.rstrip().endswith("} v1;")
    assert "absent" not in script


def test_layouts_are_those_of_the_compiler(c_program: Build) -> None:
    known = build.layouts()
    checks = []
    for name in (
        "hipDeviceProp_tR0600",
        "hipMemcpy3DParms",
        "hipKernelNodeParams",
        "hipPointerAttribute_t",
        "hipMemsetParams",
    ):
        checks.append(f'_Static_assert(sizeof({name}) == {known[name]["size"]}, "{name}");')
        for field, (offset, _) in known[name]["fields"].items():
            if field and "arch" not in field:
                checks.append(f'_Static_assert(offsetof({name}, {field}) == {offset}, "{name}.{field}");')
    text = '#include "hip/detail/api_functions.h"\n' + "\n".join(checks) + "\nint main(void) { return 0; }\n"
    assert len(checks) > 100
    c_program(text)


def test_layout_names_of_types() -> None:
    header = "typedef struct s *p_t;\ntypedef void (*f_t)(int);\ntypedef enum e { A } e_t;\n"
    assert layouts.pointer_names(header) == {"p_t", "f_t"}
    assert layouts.enum_names(header) == {"e_t"}


def test_calls_from_c(c_program: Build, run: Run) -> None:
    done = run(c_program((HERE / "calls.c").read_text(), "-lamdhip64"), gpus="gfx1100:2")
    assert done.stdout.splitlines() == [
        "0 0 2",
        "hipErrorInvalidValue device not ready",
        "1 101",
        "1 1 0",
        "0 0",
        "0",
        "AMD Rad",
        "hipErrorNotSupported",
        "hipErrorNotSupported",
        "hipErrorNotSupported",
        "0 1",
        "1 1",
        "0 1",
        "400",
        "0 0",
        "4 5 99 5",
        "52",
        "8 16 2",
    ]
    assert done.returncode == 0
    assert done.stderr.count("hipIpcGetMemHandle is not supported") == 1
    assert "hipMemAddressReserve is not supported" in done.stderr


def test_hiprtc(c_program: Build, run: Run) -> None:
    done = run(c_program((HERE / "rtc.c").read_text(), "-lamdhip64", "-lhiprtc"))
    lines = done.stdout.splitlines()
    assert lines[:7] == ["0 1", "0", "0 0", "9", "0", "0 0", "_Z5scaleIfEvPT_S0_i total"], done.stderr
    assert lines[7:12] == ["0 0", "0 0 6.25 618.75", "0 4", "500 0", "0"]
    assert lines[12] == "HIPRTC_ERROR_COMPILATION"
    assert "bad.hip:1:23: error: use of undeclared identifier 'oops'" in done.stdout
    assert lines[-1] == "4"
    assert "Traceback" not in done.stderr


def test_linking_while_the_program_runs(c_program: Build, run: Run) -> None:
    done = run(c_program((HERE / "linking.c").read_text(), "-lamdhip64", "-lhiprtc"), gpus="gfx1100")
    expected = ["1", "1", "0 0 1 0 0", "0 0", "0 42", "0 1", "0 1 0"]
    assert done.stdout.splitlines() == expected, done.stderr
    assert "Traceback" not in done.stderr


IN_PYTHON = """
import ctypes, sys, threading
first, second = (ctypes.CDLL(path) for path in sys.argv[1:3])
address = ctypes.c_void_p()
assert first.hipMalloc(ctypes.byref(address), ctypes.c_size_t(64)) == 0
from softrock.hip import memory
assert memory.find(address.value).size == 64
assert second.hipMemset(address, 3, ctypes.c_size_t(64)) == 0
assert second.hipFree(address) == 0
assert memory.find(address.value) is None
assert first.hipSetDevice(1) == 0
number = ctypes.c_int(-1)
assert second.hipGetDevice(ctypes.byref(number)) == 0 and number.value == 1
def other():
    assert second.hipGetDevice(ctypes.byref(number)) == 0 and number.value == 0
    assert first.hipSetDevice(9) == 101
thread = threading.Thread(target=other); thread.start(); thread.join()
assert first.hipGetLastError() == 0
assert second.hipFree(ctypes.c_void_p(5)) == 1 and first.hipGetLastError() == 1
print("done")
"""


def test_inside_python_two_copies_share_one_runtime(tmp_path: Path) -> None:
    """The interpreter that runs already is used, and the Python API sees the same memory."""
    copy = tmp_path / "libamdhip64.so.6"
    shutil.copy(abi.library_dir() / "libamdhip64.so.7", copy)
    command = [sys.executable, "-c", IN_PYTHON, str(abi.library_dir() / "libamdhip64.so.7"), str(copy)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**_environment(), "SOFTROCK_GPUS": "gfx942:2"},
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def test_calls_after_python_has_ended_are_harmless(c_program: Build, run: Run) -> None:
    """A C program's last destructors run when the runtime has said its last words."""
    text = """
    #include "hip/detail/api_functions.h"
    #include <stdio.h>
    #include <stdlib.h>
    static void *p;
    static void last(void) { printf("%d %d\\n", hipFree(p), hipMalloc(&p, 4)); }
    int main(void) { atexit(last); return hipMalloc(&p, 64); }
    """
    done = run(c_program(text, "-lamdhip64"))
    assert (done.stdout, done.returncode) == ("0 4\n", 0), done.stderr


def test_without_a_libpython_the_message_says_what_to_do(c_program: Build, run: Run) -> None:
    text = '#include "hip/detail/api_functions.h"\nint main(void) { int n; return hipGetDeviceCount(&n); }'
    done = run(c_program(text, "-lamdhip64"), SOFTROCK_PYTHON_LIB="/nowhere/libpython.so")
    assert done.returncode == 3
    assert "cannot start Python" in done.stderr
    assert "mend:" in done.stderr


def test_finding_libpython(monkeypatch: pytest.MonkeyPatch) -> None:
    found = build.python_library()
    assert found == "" or (Path(found).is_file() and ctypes.CDLL(found).Py_IsInitialized() == 1)
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: None)
    monkeypatch.setattr(sys, "base_prefix", "/nowhere")
    monkeypatch.delenv("SOFTROCK_PYTHON_LIB", raising=False)
    assert build.python_library() == ""
    assert build.needs_launcher()
