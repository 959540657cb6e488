"""How fast translation is. CPU time counts, as the machine may have other work."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path
from types import ModuleType

import pytest

from softrock.hipify import files, run
from softrock.hipify.work import Options

TOOL = Path(__file__).parents[2] / "tools" / "hipify_speed.py"


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hipify_speed", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lines_by_tokens(tmp_path: Path) -> None:
    """20,000 lines a second are asked for with all cores; half of that for one must hold on a slow and busy machine."""
    _tool().make(tmp_path, 40)
    items, _ = files.collect([tmp_path])
    run.run(items[:1], Options(parse="never"), jobs=1)  # reads the tables
    started = time.process_time()
    report = run.run(items, Options(parse="never"), jobs=1)
    seconds = time.process_time() - started
    assert len(report.changed) == 40
    assert sum(each.lines for each in report.files) / seconds > 10_000


@pytest.mark.long
def test_files_parsed(tmp_path: Path) -> None:
    """One file a second with all cores."""
    _tool().make(tmp_path, 8)
    items, _ = files.collect([tmp_path])
    run.run(items[:1], Options(), jobs=1)  # compiles the headers
    started = sum(os.times()[:4])
    report = run.run(items, Options(), jobs=1)
    seconds = sum(os.times()[:4]) - started
    assert all(each.mode == "parsed" for each in report.files)
    assert seconds / 8 < len(os.sched_getaffinity(0))
