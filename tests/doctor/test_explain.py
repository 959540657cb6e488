"""Explaining errors: each message by its example, near misses, hostile texts, machines that support causes."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest

import softrock.doctor.checks  # noqa: F401 - enters the checks
from softrock.doctor import registry
from softrock.doctor.explain import Message, Support, causes, explain, matches, messages, render
from softrock.doctor.registry import Machine
from softrock.system.tree import Tree

TREES = Path(__file__).parent / "trees"


def ids(text: str) -> list[str]:
    return [each.id for each, _, _ in matches(io.StringIO(text))]


def machine(name: str) -> Machine:
    return Machine(Tree.load(TREES / f"{name}.toml"))


def test_there_are_enough_messages_and_each_is_whole() -> None:
    assert len(messages()) >= 80
    assert len({each.id for each in messages()}) == len(messages())
    for each in messages():
        assert each.key == each.key.lower()
        assert each.causes
        assert set(each.causes) <= set(causes()), each.id
        bare = re.sub(r"\[[^\]]*\]|\\.", "", each.find.pattern)
        assert not re.search(r"[*+]|\{\d+,\}", bare), f"{each.id} may take long"


def test_each_cause_is_used_and_names_checks_that_there_are() -> None:
    used = {name for each in messages() for name in each.causes}
    assert used == set(causes())
    for name, row in causes().items():
        assert set(row["checks"]) <= set(registry.CHECKS), name
        assert row["mend"], name


@pytest.mark.parametrize("message", messages(), ids=lambda each: each.id)
def test_its_example_is_known(message: Message) -> None:
    found = list(matches(io.StringIO(f"first line\n\x1b[31m{message.example}\x1b[0m\nlast\n")))
    mine = [(line, words) for each, line, words in found if each.id == message.id]
    assert mine
    assert mine[0][0] == 2
    assert "\x1b" not in mine[0][1]


@pytest.mark.parametrize(
    "text",
    [
        "all is well", "the hip of the roof", "libamdhip64.so.6 => /opt/rocm/lib/libamdhip64.so.6 (0x7f)",
        "Killed process 12 (python), out of memory", "opened /dev/kfd", "ring gfx_0.0.0 uses VM inv eng 0 on hub 0",
        "undefined symbol: png_free", "write failed: disk quota", "E: Unable to locate package cowsay",
        "bar 1 of the chart", "loaded TensileLibrary_gfx1100.dat", "xnack is off", "invalid function",
    ],
)  # fmt: skip
def test_near_misses_are_not_known(text: str) -> None:
    assert ids(text) == []


@pytest.mark.parametrize(
    ("tree", "text", "cause"),
    [
        ("case-override-forgotten", "Memory access fault by GPU node-1 on address (nil)", "override"),
        ("case-override-empty", "Name: gfx000", "override"),
        ("more-cuda-visible-empty", "RuntimeError: No HIP GPUs are available", "hidden"),
        ("case-igpu-first", "HIP error: invalid device function", "integrated"),
        ("case-torch-target-absent", "HIP error: invalid device function", "target"),
        ("case-device-wheel-missing", "HIP error: device kernel image is invalid", "wheel"),
        ("case-mixed-versions", "librocblas.so.4: undefined symbol: hipGetDeviceProperties", "mixed"),
        ("case-not-in-render", "Unable to open /dev/kfd read-write: Permission denied", "access"),
        ("case-secure-boot", "could not insert 'amdgpu': Key was rejected by service", "secure"),
        ("more-torch-cpu", "RuntimeError: No HIP GPUs are available", "built"),
    ],
)
def test_the_cause_that_the_machine_supports_comes_first(tree: str, text: str, cause: str) -> None:
    (found,) = explain(text, machine(tree))
    assert found.causes[0].id == cause
    assert found.causes[0].support is Support.SUPPORTED
    assert found.causes[0].evidence
    assert found.causes[0].mend
    assert "this machine supports it" in render([found])


def test_a_healthy_machine_supports_nothing_of_it() -> None:
    (found,) = explain("Unable to open /dev/kfd read-write", machine("ok-desktop-7900xtx"))
    assert not [each for each in found.causes if each.support is Support.SUPPORTED]
    assert found.causes[-1].support is Support.CONTRADICTED
    assert "access" in [each.id for each in found.causes if each.support is Support.CONTRADICTED]


def test_unknown_text_is_said_to_be_unknown() -> None:
    assert explain("something else", machine("ok-desktop-7900xtx")) == []
    assert "nothing in this text is known" in render([])


def test_long_hostile_texts_take_linear_time() -> None:
    hostile = "rocblas tensile cannot read " * 100_000 + "\n" + "open /dev/kfd " * 100_000
    begin = time.process_time()
    ids(hostile)
    assert time.process_time() - begin < 8


def test_lines_are_counted_over_pieces() -> None:
    text = "x" * 99 + "\n"
    ((_, line, _),) = matches(io.StringIO(text * 25_000 + "Name: gfx000\n"))
    assert line == 25_001
