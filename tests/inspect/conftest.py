"""Code objects for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.inspect.samples import SOURCE


@pytest.fixture(scope="session")
def codes(compile_device: Callable[..., bytes]) -> dict[str, bytes]:
    """Code objects with the same two kernels, by target."""
    return {name: compile_device(SOURCE, name) for name in ("gfx942", "gfx1100")}
