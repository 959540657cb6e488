"""Results, what they mean together, and how they are shown."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.doctor.machines import Table, found, gpu, host, join

from softrock.doctor import registry, report
from softrock.doctor.facts.distribution import Distribution, distribution
from softrock.doctor.registry import Machine, Result, Verdict, failure, limit, ok, warning
from softrock.doctor.summary import State, Summary, summarise
from softrock.doctor.text import clean
from softrock.system.tree import Tree

TWO = join(host(), gpu(), gpu("0000:04:00.0", node=2, minor=129))
A, B = "0000:03:00.0", "0000:04:00.0"


def _summary(*results: Result, wanted: str = "", table: Table = TWO) -> Summary:
    return summarise(Machine(Tree(table), wanted), results)


@pytest.mark.parametrize(
    ("results", "wanted", "state"),
    [
        ((), "", State.WORKS),
        ((ok("x"), warning("w", why="y")), "", State.WORKS),
        ((limit("w", why="y"),), "", State.LIMITED),
        ((failure("f", why="y"),), "", State.BROKEN),
        ((failure("f", why="y", gpu=A),), "", State.LIMITED),
        ((failure("f", why="y", gpu=A), failure("f", why="y", gpu=B)), "", State.BROKEN),
        ((failure("f", why="y", software="pytorch"),), "", State.LIMITED),
        ((failure("f", why="y", software="pytorch"),), "pytorch", State.BROKEN),
        ((failure("f", why="y", software="pytorch"),), "jax", State.WORKS),
        ((limit("f", why="y", software="pytorch"),), "jax", State.WORKS),
        ((failure("f", why="y"),), "jax", State.BROKEN),
    ],
)
def test_what_findings_mean_together(results: tuple[Result, ...], wanted: str, state: State) -> None:
    summary = _summary(*results, wanted=wanted)
    assert summary.state is state
    assert summary.status == int(state in (State.LIMITED, State.BROKEN))


def test_the_first_thing_to_do_is_the_one_that_breaks_most() -> None:
    results = (
        limit("slow", why="", mend=["c"], rank=1), failure("late", why="", mend=["b"], rank=9),
        failure("early", why="", mend=["a"], rank=2), failure("one", why="", mend=["d"], rank=1, gpu=A),
    )  # fmt: skip
    summary = _summary(*results)
    assert (summary.text, summary.first) == ("early", "a")


def test_nothing_counts_where_there_is_no_gpu() -> None:
    assert _summary(failure("f", why="y"), table={}).state is State.NO_GPU
    broken = registry.Result(Verdict.FAILURE, "it is broken", mend=("mend",), check="software-gpu")
    summary = _summary(broken, table={})
    assert (summary.state, summary.status, summary.first) == (State.BROKEN, 1, "mend")


@pytest.mark.parametrize(
    "text", ["a\x1b[31mb", "a\nb\tc", "\x00", "a\u202eb", "a\x9bb", "\ud800", "x" * 5000, "ä ö", "", "a\x7f"]
)
def test_texts_lose_what_drives_terminals(text: str) -> None:
    told = clean(text)
    assert told.isprintable()
    assert len(told) <= 1000
    result = failure(text, why=text, mend=[text])
    assert all(each.isprintable() for each in (result.seen, result.why, *result.mend))


def test_a_check_that_is_refused_could_not_tell() -> None:
    def refused(machine: Machine) -> Iterator[Result]:
        yield ok("first")
        raise PermissionError(13, "Permission denied", "/sys/\x1bx")

    registry.CHECKS["refused"] = registry.Check("refused", "it can be read", refused, "hardware")
    try:
        results = list(registry.run(Machine(Tree({})), only=["refused"]))
    finally:
        del registry.CHECKS["refused"]
    assert [each.verdict for each in results] == [Verdict.OK, Verdict.UNKNOWN]
    assert results[1].seen == "/sys/?x: Permission denied"
    assert results[1].check == "refused"


def test_report_is_quiet_about_what_is_fine() -> None:
    results, summary = found(host(groups=()), gpu())
    machine = Machine(Tree(join(host(groups=()), gpu())))
    short = report.text(machine, results, summary)
    lines = short.splitlines()
    assert lines[0].startswith("broken: /dev/kfd belongs to group 993")
    assert lines[1] == "first: sudo usermod -aG render $USER"
    assert lines[2] == "Ubuntu 24.04.1 LTS, Linux 6.14.0-29-generic"
    assert "FAIL" in short
    assert "  ok " not in short
    assert "more findings are fine" in short
    assert "\x1b" not in short
    whole = report.text(machine, results, summary, whole=True, colour=True)
    assert "\x1b[31m" in whole
    assert "amdgpu is loaded" in whole


def test_document_holds_everything() -> None:
    results, summary = found(TWO, wanted="pytorch")
    told = json.loads(json.dumps(report.document(Machine(Tree(TWO), "pytorch"), results, summary)))
    assert told["summary"]["for"] == "pytorch"
    assert [each["gfx"] for each in told["gpus"]] == ["gfx1100"] * 2
    assert told["gpus"][0]["vram_bytes"] == 24 << 30
    assert len(told["results"]) == len(results)
    assert {each["verdict"] for each in told["results"]} <= {each.value for each in Verdict}
    assert told["machine"]["distribution"] == "Ubuntu 24.04.1 LTS"


@pytest.mark.parametrize(
    ("told", "family", "command"),
    [
        ("ID=debian\n", "apt", "sudo apt install x"),
        ('ID="linuxmint"\nID_LIKE="ubuntu debian"\n', "apt", "sudo apt install x"),
        ("ID='fedora'\n", "dnf", "sudo dnf install y"),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', "zypper", "sudo zypper install z"),
        ("ID=cachyos\nID_LIKE=arch\n", "pacman", "sudo pacman -S z"),
        ("ID=alpine\n", "apk", "sudo apk add z"),
        ("ID=nixos\n", "nix", "add z to environment.systemPackages in /etc/nixos/configuration.nix, then: "
         "sudo nixos-rebuild switch"),
        ("ID=my own\n", "", "install the package z"),
        ("", "", "install the package z"),
        ("ID=\x1b[31mubuntu\nID_LIKE=$(reboot)\n", "", "install the package z"),
    ],
)  # fmt: skip
def test_distributions(told: str, family: str, command: str) -> None:
    known = Machine(Tree({"files": {"/etc/os-release": told}})).fact(distribution)
    assert known.family == family
    assert known.install(apt="x", dnf="y", any="z") == (command,)
    assert Distribution(id="arch").install(apt="x") == ()
