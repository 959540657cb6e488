"""`kernels`: native kernels for the runtime's tests, compiled once with the runtime's own compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from softrock.exec import build
from softrock.exec import runtime as rt
from softrock.lift import wave


class Kernels:
    """Compiled C kernels by name: ``kernels["reduce"]`` is a host address.

    Attributes:
        path: the shared library.
        code: host address range of its code.
    """

    def __init__(self, library: Path) -> None:
        self.path = library
        self._library = ctypes.CDLL(str(library))
        self.code = _text_range(library.name)

    def __getitem__(self, name: str) -> int:
        address = ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
        assert address
        return address

    def launch(self, name: str, **options: Any) -> rt.Launch:
        return rt.Launch(self[name], name, code=self.code, **options)


def _text_range(name: str) -> tuple[int, int]:
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(name) and "r-xp" in line:
            low, high = line.split()[0].split("-")
            return int(low, 16), int(high, 16)
    raise AssertionError(f"{name} is not mapped")


def _build(folder: Path) -> Path:
    (folder / "sr_wave.h").write_text(wave.header())
    code, library = folder / "kernels.o", folder / "softrock-test-kernels.so"
    source = Path(__file__).with_name("kernels.c")
    extra = ("-I", str(folder), "-fvisibility=default")
    build.run_tool([*build.compiler_arguments(extra), "-o", str(code), str(source)])
    build.link([code], library, library.name)
    return library


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    ctypes.CDLL(str(rt.runtime().path), ctypes.RTLD_GLOBAL)  # so that the kernels find sr_barrier and the like
    return Kernels(_build(tmp_path_factory.mktemp("kernels")))


@pytest.fixture
def queue() -> Iterator[rt.Queue]:
    made = rt.Queue()
    yield made
    made.close()
