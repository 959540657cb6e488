"""Many files over several processes."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from softrock.core.errors import SoftrockError
from softrock.hipify import files, run
from softrock.hipify.files import Item
from softrock.hipify.run import Target
from softrock.hipify.work import Options

TEXT = "#include <cuda_runtime.h>\nint f(void *p) { return cudaFree(p); }\n"


class Dying(Target):
    """A target at which a process that translates ends at once."""

    def of(self, item: Item) -> Path | None:
        """Nothing is written."""
        if multiprocessing.parent_process() is not None and item.path.name == "3.cu":
            os._exit(9)
        return None


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    """Sources that are worth several processes."""
    for number in range(6):
        (tmp_path / f"{number}.cu").write_text(TEXT + "// more\n" * 80_000)
    return files.collect([tmp_path])[0]


def test_a_process_that_dies_is_told(items: list[Item]) -> None:
    with pytest.raises(SoftrockError, match=r"a process ended behind \d of 6 files"):
        run.run(items, Options(parse="never"), Dying(), jobs=2)
    assert not multiprocessing.active_children()


def test_an_interrupt_ends_all_of_them(items: list[Item]) -> None:
    def stop(number: int, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.run(items, Options(parse="never"), jobs=2, progress=stop)
    assert not multiprocessing.active_children()
