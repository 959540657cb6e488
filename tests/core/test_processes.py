"""Work over several processes."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from softrock.core.errors import SoftrockError
from softrock.core.processes import spread


def _squared(number: int) -> int:
    return number * number


def _ends(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


def test_results_come_in_order() -> None:
    assert list(spread(_squared, range(40), 2, mend="")) == [each * each for each in range(40)]
    assert not multiprocessing.active_children()


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(SoftrockError, match=r"a process ended behind \d of 6 files") as error:
        list(spread(_ends, range(6), 2, mend="less of it", chunk=1))
    assert error.value.hint == "less of it"
    assert not multiprocessing.active_children()


def test_an_early_end_leaves_nothing_running() -> None:
    results = spread(_squared, range(1000), 2, mend="", chunk=1)
    assert next(results) == 0
    results.close()
    assert not multiprocessing.active_children()
