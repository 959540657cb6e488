"""Which distribution it is, and how one installs there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from softrock.doctor.registry import Machine
from softrock.doctor.text import clean
from softrock.system.interface import text

_LINE = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)")
_FAMILIES = {
    "debian": "apt", "ubuntu": "apt", "linuxmint": "apt", "pop": "apt", "fedora": "dnf", "rhel": "dnf", "centos": "dnf",
    "rocky": "dnf", "almalinux": "dnf", "ol": "dnf", "amzn": "dnf", "azurelinux": "dnf", "suse": "zypper",
    "sles": "zypper", "opensuse": "zypper", "arch": "pacman", "manjaro": "pacman", "alpine": "apk", "nixos": "nix",
    "gentoo": "emerge", "void": "xbps",
}  # fmt: skip
_INSTALL = {
    "apt": "sudo apt install {}", "dnf": "sudo dnf install {}", "zypper": "sudo zypper install {}",
    "pacman": "sudo pacman -S {}", "apk": "sudo apk add {}",
}  # fmt: skip
_NIX = "add {} to environment.systemPackages in /etc/nixos/configuration.nix, then: sudo nixos-rebuild switch"


@dataclass(frozen=True)
class Distribution:
    """A distribution.

    Attributes:
        id: as os-release has it, ``ubuntu``; empty where nothing is known.
        version: ``24.04``.
        name: as people read it.
        like: ids of those it comes from.
        codename: ``bookworm``.
    """

    id: str = ""
    version: str = ""
    name: str = "an unknown distribution"
    like: tuple[str, ...] = ()
    codename: str = ""

    @cached_property
    def family(self) -> str:
        """apt, dnf, zypper, pacman, apk, nix, emerge, xbps; empty where it is none of them."""
        ids = (self.id, *self.like)
        exact = next((_FAMILIES[each] for each in ids if each in _FAMILIES), "")
        return exact or next((_FAMILIES[each.split("-")[0]] for each in ids if each.split("-")[0] in _FAMILIES), "")

    def install(self, **packages: str) -> tuple[str, ...]:
        """The command that installs a package; its name is given by family: ``install(apt="mokutil", dnf="mokutil")``.

        ``any`` stands for the families that are not named. Nothing where no name is known for this distribution.
        """
        name = packages.get(self.family) or packages.get("any", "")
        if not name:
            return ()
        if self.family == "nix":
            return (_NIX.format(name),)
        form = _INSTALL.get(self.family)
        return (form.format(name),) if form else (f"install the package {name}",)


def distribution(machine: Machine) -> Distribution:
    """The distribution of a machine, from /etc/os-release."""
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            told = text(machine.system, path, 1 << 16)
        except OSError:
            continue
        if told:
            return _parsed(told)
    return Distribution()


def _parsed(told: str) -> Distribution:
    found: dict[str, str] = {}
    for each in told.splitlines():
        matched = _LINE.fullmatch(each.strip())
        if matched:
            found[matched[1]] = clean(matched[2].strip("\"'"), 100)
    like = tuple(found.get("ID_LIKE", "").lower().split())
    name = found.get("PRETTY_NAME") or found.get("NAME") or Distribution.name
    version, codename = found.get("VERSION_ID", ""), found.get("VERSION_CODENAME", "")
    return Distribution(found.get("ID", "").lower(), version, name, like, codename)
