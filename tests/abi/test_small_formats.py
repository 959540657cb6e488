"""The host halves of the headers' number formats, checked against the device's."""

from __future__ import annotations

import pytest

from .conftest import Build, Run


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100"])
def test_host_and_device_agree(build: Build, run: Run, gpu: str) -> None:
    done = run(build("small_formats.hip"), gpus=gpu)
    assert done.stdout == "0 differences\n", done.stdout + done.stderr
    assert done.returncode == 0
