"""Machines: live, written down, recorded and replayed."""

from __future__ import annotations

import errno
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softrock.core.errors import SoftrockError
from softrock.system.interface import Kind, System, commands, exists, listed, queries, target, text
from softrock.system.live import Live
from softrock.system.recorder import Recorder
from softrock.system.tree import Tree
from softrock.system.writing import toml


def _machine(**table: Any) -> Tree:
    return Tree(table)


def _errno(error: pytest.ExceptionInfo[OSError]) -> str:
    return errno.errorcode[error.value.errno or 0]


def test_links_are_followed_within_paths() -> None:
    system = _machine(
        files={"/sys/devices/pci0/0000:03:00.0/vendor": "0x1002\n", "/sys/empty": {"kind": "folder"}},
        links={"/sys/class/drm/card0/device": "../../../devices/pci0/0000:03:00.0", "/loop": "loop"},
    )
    assert text(system, "/sys/class/drm/card0/device/vendor") == "0x1002"
    assert target(system, "/sys/class/drm/card0/device") == "/sys/devices/pci0/0000:03:00.0"
    assert system.names("/sys") == ["class", "devices", "empty"]
    assert system.names("/sys/empty") == []
    assert listed(system, "/nothing") == []
    assert text(system, "/nothing") is None
    with pytest.raises(OSError, match="/loop") as error:
        system.read("/loop")
    assert _errno(error) == "ELOOP"


@pytest.mark.parametrize(
    ("node", "groups", "refusal"),
    [
        ({"mode": 0o660, "gid": 44}, [44], ""),
        ({"mode": 0o660, "gid": 44}, [993], "EACCES"),
        ({"mode": 0o666, "gid": 44}, [993], ""),
        ({"mode": 0o660, "gid": 44, "acl": ["user::rw-", "user:1000:rw-", "mask::rw-"]}, [993], ""),
        ({"mode": 0o660, "gid": 44, "acl": ["user:1000:rw-", "mask::r--"]}, [993], "EACCES"),
        ({"mode": 0o660, "gid": 44, "acl": ["group:993:rw-", "mask::rw-"]}, [993], ""),
        ({"mode": 0o666, "gid": 44, "open": "EPERM"}, [44], "EPERM"),
    ],
)
def test_opening_goes_by_owner_mode_and_list(node: dict[str, Any], groups: list[int], refusal: str) -> None:
    system = _machine(
        who={"groups": groups}, files={"/dev/kfd": {"kind": "character", "device": [235, 0], **node}},
        queries={"/dev/kfd kfd-version": "010000000e000000"},
    )  # fmt: skip
    if refusal:
        with pytest.raises(OSError, match="/dev/kfd") as error:
            system.open("/dev/kfd")
        assert _errno(error) == refusal
    else:
        system.open("/dev/kfd")
        assert system.query("/dev/kfd", "kfd-version")[4] == 14
    assert system.stat("/dev/kfd").kind is Kind.CHARACTER


def test_files_of_others_are_closed() -> None:
    system = _machine(files={"/root/x": {"text": "secret", "mode": 0o600}, "/proc/bad": {"error": "EIO"}})
    with pytest.raises(PermissionError):
        text(system, "/root/x")
    with pytest.raises(OSError, match="/proc/bad"):
        system.read("/proc/bad")
    assert exists(system, "/root/x")


def test_commands_that_are_missing() -> None:
    system = _machine(commands={"dmesg": "amdgpu: fine\n"})
    assert system.run("dmesg").text == "amdgpu: fine\n"
    assert not system.run("dkms").found
    with pytest.raises(KeyError):
        system.run("rm -rf /")


def test_trees_stand_on_trees(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('[files]\n"/a/x" = "1"\n"/a/y" = "2"\n[environment]\nHOME = "/h"\nX = "1"\n')
    (tmp_path / "one.toml").write_text(
        'base = "base"\ndrop = ["/a/x", "environment.X"]\n[files]\n"/a/z" = "3"\n[expect]\nx = 1\n'
    )
    system = Tree.load(tmp_path / "one.toml")
    assert system.names("/a") == ["y", "z"]
    assert system.environment == {"HOME": "/h"}
    assert system.extra == {"expect": {"x": 1}}


@pytest.mark.parametrize(
    "body",
    [
        "files = 3", '[files]\n"relative" = "x"', '[files]\n"/a/../b" = "x"', '[files]\n"/a" = {bytes = "x"}',
        '[files]\n"/a" = {hex = "zz"}', "[commands]\nmkfs = \"x\"", "not toml", 'base = "missing"', 'base = "bad"',
    ],
)  # fmt: skip
def test_what_is_no_tree_is_told(tmp_path: Path, body: str) -> None:
    (tmp_path / "bad.toml").write_text(body)
    with pytest.raises(SoftrockError):
        Tree.load(tmp_path / "bad.toml")


def _look(system: System) -> list[object]:
    """What a check may do: read, list, follow, open, ask, run."""
    seen: list[object] = [system.who, system.platform, dict(system.environment)]
    seen += [listed(system, "/proc/self/nothing"), listed(system, "/etc/apt"), target(system, "/etc/mtab")]
    for path in ("/etc/os-release", "/proc/version", "/nothing", "/etc/shadow", "/proc/self/exe", "/etc"):
        try:
            seen.append((path, system.read(path, 1000)))
        except OSError as error:
            seen.append((path, error.errno))
    for path in ("/dev/null", "/dev/kfd", "/dev/mem"):
        try:
            system.open(path)
            seen.append(system.stat(path))
        except OSError as error:
            seen.append((path, error.errno))
    try:
        seen.append(system.query("/dev/null", "kfd-version"))
    except OSError as error:
        seen.append(error.errno)
    return [*seen, system.run("secure-boot").status]


def test_what_was_recorded_is_replayed() -> None:
    recorder = Recorder(Live({"A": "ä\n\x01"}))
    first = _look(recorder)
    written = toml({"about": "a machine", **recorder.table()})
    assert _look(Tree(tomllib.loads(written))) == first


@given(
    st.recursive(
        st.text() | st.integers(0, 1 << 40), lambda each: st.dictionaries(st.text(), each, max_size=4), max_leaves=20
    )
)
def test_written_tables_read_the_same(value: Any) -> None:
    table = value if isinstance(value, dict) else {"x": value}
    if _depth(table) <= 3:
        assert tomllib.loads(toml(table)) == _filled(table)


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value.values()), default=0) if isinstance(value, dict) else 0


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """Tables of a file that have anything in them; a lone text in an entry is the entry."""
    made = {}
    for key, value in table.items():
        if isinstance(value, dict) and not value:
            continue
        made[key] = value
        if isinstance(value, dict):
            made[key] = {k: v["text"] if isinstance(v, dict) and v.keys() == {"text"} else v for k, v in value.items()}
    return made


def test_live_reads_no_more_than_it_is_asked() -> None:
    assert len(Live().read("/dev/zero", 5000)) == 5000
    assert Live().who.uid == os.geteuid()


def test_tables_are_sound() -> None:
    assert all(each.argv and each.about and "/" not in each.argv[0] for each in commands().values())
    assert all(0 < each.size < 1 << 14 for each in queries().values())
