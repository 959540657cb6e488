"""Whether a file runs on a GPU, and why not; occupancy on GPUs without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.inspect import samples

from softrock import inspect
from softrock.codeobj import bundle
from softrock.codeobj.targets import parse
from softrock.core.errors import UsageError
from softrock.inspect.kernels import limits
from softrock.inspect.scan import Found
from softrock.inspect.verdict import Verdict, devices


def _verdict(device: str, *bundles: list[str], alone: tuple[str, ...] = ()) -> dict[str, Any]:
    """The verdict on bundles of code objects for these targets, each with one kernel."""
    verdict = Verdict(parse(device))
    for number, targets in enumerate(bundles):
        for each in targets:
            verdict.feed(Found("x", "x", f"x#{number}", each, each, parse(each), "", 100), 1)
    for each in alone:
        verdict.feed(Found("x", "x", "", each, each, parse(each), "", 100), 1)
    return verdict.result()


@pytest.mark.parametrize(
    ("device", "targets", "taken"),
    [
        ("gfx942", ["gfx942", "gfx1100"], "gfx942"),
        ("gfx942:xnack-", ["gfx942:xnack+", "gfx942:xnack-"], "gfx942:xnack-"),
        ("gfx1101", ["gfx1100", "gfx11-generic"], "gfx11-generic"),
        ("gfx1101", ["gfx1101", "gfx11-generic"], "gfx1101"),
        ("gfx950", ["gfx9-4-generic"], "gfx9-4-generic"),
        ("gfx942:sramecc+:xnack-", ["gfx942:sramecc+"], "gfx942:sramecc+"),
    ],
)
def test_runs(device: str, targets: list[str], taken: str) -> None:
    found = _verdict(device, targets)
    assert (found["verdict"], found["taken"], found["kernels"], found["reason"]) == ("runs", [taken], 1, None)


@pytest.mark.parametrize(
    ("device", "targets", "reason", "mend"),
    [
        ("gfx1201", ["gfx1100", "gfx11-generic"], "or any other of generation gfx12", "offload-arch=gfx1201"),
        ("gfx1101", ["gfx1100"], "gfx1100 is of its family (gfx11-generic)", "HSA_OVERRIDE_GFX_VERSION=11.0.0"),
        ("gfx1035", ["gfx1030"], "gfx1030 is of its family (gfx10-3-generic)", "HSA_OVERRIDE_GFX_VERSION=10.3.0"),
        ("gfx942:xnack-", ["gfx942:xnack+"], "gfx942:xnack+ needs xnack on, gfx942:xnack- has it off", None),
        ("gfx90a:sramecc-", ["gfx90a:sramecc+"], "needs sramecc on", None),
        ("gfx942", ["gfx90a"], "no code for gfx942", "offload-arch=gfx942"),
        ("gfx90a", ["gfx90c"], "no code for gfx90a", "offload-arch=gfx90a"),
    ],
)  # fmt: skip
def test_does_not_run(device: str, targets: list[str], reason: str, mend: str | None) -> None:
    found = _verdict(device, targets)
    assert (found["verdict"], found["taken"], found["bundles_without"]) == ("does not run", [], 1)
    assert reason in found["reason"]
    assert (mend is None) == (found["mend"] is None)
    assert mend is None or mend in found["mend"]


def test_every_bundle_counts() -> None:
    found = _verdict("gfx942", ["gfx942", "gfx1100"], ["gfx1100"], ["gfx90a", "gfx942"])
    assert found["verdict"] == "runs in part"
    assert (found["bundles"], found["bundles_without"], found["without"]) == (3, 1, ["x#1"])
    assert found["reason"] == "1 of 3 bundles hold nothing for gfx942"
    assert found["kernels"] == 2


def test_code_objects_that_stand_alone_need_only_suit_once() -> None:
    assert _verdict("gfx942", alone=("gfx90a", "gfx942"))["verdict"] == "runs"
    assert _verdict("gfx1100", alone=("gfx90a", "gfx942"))["verdict"] == "does not run"


def test_settings_that_are_open_are_named() -> None:
    assert _verdict("gfx90a", ["gfx90a:xnack+"])["needs"] == ["gfx90a:xnack+: XNACK on (HSA_XNACK=1)"]
    assert _verdict("gfx90a:xnack+", ["gfx90a:xnack+"])["needs"] == []


def test_devices() -> None:
    assert [str(each) for each in devices("gfx1100, gfx942:xnack+")] == ["gfx1100", "gfx942:xnack+"]
    for text in ("", ",", "gfx11-generic", "sm_90", "gfx942:foo+"):
        with pytest.raises(UsageError):
            devices(text)


def test_report_with_gpus(tmp_path: Path, codes: dict[str, bytes]) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(samples.library(codes))
    found = inspect.report(path, inspect.Options(gpus=devices("gfx1101,gfx1100")))
    assert [each["verdict"] for each in found["gpus"]] == ["does not run", "runs"]
    assert [len(each["kernels"]) for each in found["code_objects"]] == [0, 2]
    assert found["code_objects"][1]["kernels"][0]["occupancy"]["max_waves_per_simd"] == 16
    text = inspect.render(found)
    assert "gfx1101: does not run\n  why: it holds no code for gfx1101; gfx1100 is of its family" in text
    assert "gfx1100: runs (2 kernels from code for gfx1100)" in text


def test_bitcode_alone_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "x.hipfb"
    path.write_bytes(bundle.write([(bundle.entry_id("gfx942"), b"BC\xc0\xde" + bytes(60))]))
    [found] = inspect.report(path, inspect.Options(gpus=devices("gfx942")))["gpus"]
    assert (found["verdict"], found["reason"]) == ("does not run", "it is not linked yet (bitcode)")


@pytest.mark.parametrize(
    ("processor", "waves", "vgprs", "granule"),
    [
        ("gfx942", 8, 512, 8),
        ("gfx906", 10, 256, 4),
        ("gfx908", 10, 256, 4),
        ("gfx1010", 20, 1024, 8),
        ("gfx1030", 16, 1024, 16),
        ("gfx1100", 16, 1536, 24),
        ("gfx1102", 16, 1024, 16),
        ("gfx1151", 16, 1536, 24),
        ("gfx9-4-generic", 8, 512, 8),
        ("gfx11-generic", 16, 1536, 24),
    ],
)
def test_limits(processor: str, waves: int, vgprs: int, granule: int) -> None:
    model = limits(processor)
    assert model is not None
    assert (model.max_waves_per_simd, model.vgprs_per_simd, model.vgpr_granule) == (waves, vgprs, granule)


def test_unknown_limits() -> None:
    assert limits("gfx803") is None
