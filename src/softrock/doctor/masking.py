"""Taking out of texts what tells who and where: the same name always becomes the same mask, so that a masked machine
still means the same.

Masked are: user names, host names, what lies below home folders, serial numbers and unique ids of GPUs, UUIDs, MAC,
IPv4 and IPv6 addresses. Variables and lines of the kernel's log that have nothing to do with GPUs are left out.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from softrock.system.interface import System, text

_VARIABLE = re.compile(
    r"(HSA|HIP|ROCR|ROCM|CUDA|GPU|AMD|NCCL|RCCL|PYTORCH|TORCH|VLLM|TRITON|OLLAMA|GGML|LLAMA|JAX|XLA|TF|MIOPEN|HIPBLASLT|"
    r"ROCBLAS|TENSILE|CUPY|BNB|SOFTROCK|WSL|APPTAINER|SINGULARITY|DISTROBOX|SNAP|KUBERNETES_SERVICE|OMP|LD|CONDA|PYTHON)"
    r"(_\w*|PATH|HOME)?|PATH|VIRTUAL_ENV|HOME|USER|LOGNAME|SHELL|container"
)
_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE", re.IGNORECASE)
_LOG = re.compile(
    r"amdgpu|kfd|drm|iommu|amd-vi|\bpci|aer|secure ?boot|lockdown|apparmor|avc|firmware|module|taint|gfxhub|mmhub|"
    r"linux version|command line|vga|oom|out of memory|dxg",
    re.IGNORECASE,
)
_NOISE = re.compile(r"SerialNumber|ssid|bluetooth|wlan|eth\d|enp\d", re.IGNORECASE)
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_MAC = re.compile(r"(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![0-9a-fA-F:])")
_IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])")
_IPV6 = re.compile(r"(?<![\w:])[0-9a-fA-F:]{4,39}(?![\w:])")
_GPU = re.compile(r"\b(GPU-)([0-9a-fA-F]{16})\b")
_HOME = re.compile(r"(/(?:home|Users|var/home|mnt/c/Users)/)([^/\s:\"'=,;]+)((?:/[^/\s:\"'=,;]+)*)")
_ROOT = re.compile(r"(?<![\w/])(/root)((?:/[^/\s:\"'=,;]+)+)")
_PLAIN = frozenset(
    "root render video amd rocm gpu user ubuntu debian fedora admin nobody daemon bin sys adm kvm docker plugdev linux "
    "kernel amdgpu module driver default none all test".split()
)
_COMMON = re.compile(
    r"\..*|lib(32|64)?|bin|include|share|python\d(\.\d+)?|site-packages|dist-packages|venv|env|envs|(mini|ana)conda3|"
    r"miniforge3|mambaforge|rocm.*|torch.*|vllm.*|llama.*|ollama.*|jax.*|cupy.*|triton.*|bitsandbytes.*|_rocm_sdk.*|"
    r"lib.*\.(so.*|a)|.*\.dist-info|Lib|pip|conda-meta|etc|opt|build"
)  # fmt: skip
_BINARY, _TEXT = 1 << 16, 1 << 20
"""Bytes of a file that a record keeps."""


class Masker:
    """Masks of one machine.

    Args:
        system: whose users and host name are to be masked; what cannot be read is not known.
    """

    def __init__(self, system: System) -> None:
        self._masks: dict[str, dict[str, str]] = {}
        self._users = _users(system)
        hosts = _hosts(system)
        names = sorted({*self._users, *hosts}, key=lambda each: (-len(each), each))
        for each in names:
            self._mask("host" if each in hosts else "user", each)
        words = "|".join(re.escape(each) for each in names if len(each) > 2)
        self._names = re.compile(rf"(?<![\w.-])({words})(?![\w-])") if words else None
        self._hosts = hosts
        self._serials: dict[str, str] = {}

    def _mask(self, kind: str, found: str) -> str:
        known = self._masks.setdefault(kind, {})
        return known.setdefault(found, f"{kind}{len(known) + 1}")

    def _number(self, kind: str, found: str) -> int:
        known = self._masks.setdefault(kind, {})
        return int(known.setdefault(found.lower(), str(len(known) + 1)))

    def serial(self, found: str) -> str:
        """A unique id or serial number of hardware, of the same length."""
        if found not in self._serials:
            self._serials[found] = f"{len(self._serials) + 1:0{max(len(found), 1)}x}"
        return self._serials[found]

    def text(self, found: str, addresses: bool = True) -> str:
        """A text without what tells who and where.

        Args:
            addresses: mask what looks like an IP address; in lists of packages these are versions.
        """
        found = _HOME.sub(lambda at: at[1] + self._home_of(at[2]) + self._below(at[3]), found)
        found = _ROOT.sub(lambda at: at[1] + self._below(at[2]), found)
        for original, masked in self._serials.items():
            if len(original) > 7:
                found = found.replace(original, masked)
        found = _GPU.sub(lambda at: at[1] + self.serial(at[2].lower()) if at[2] not in self._given() else at[0], found)
        found = _UUID.sub(lambda at: f"00000000-0000-0000-0000-{self._number('uuid', at[0]):012x}", found)
        found = _MAC.sub(self._mac, found)
        if addresses:
            found = _IPV4.sub(self._ipv4, found)
            found = _IPV6.sub(self._ipv6, found)
        if self._names is not None:
            found = self._names.sub(lambda at: self._mask("host" if at[1] in self._hosts else "user", at[1]), found)
        return found

    def _given(self) -> frozenset[str]:
        return frozenset(self._serials.values())

    def _home_of(self, name: str) -> str:
        return name if re.fullmatch(r"user\d+", name) else self._mask("user", name)

    def _below(self, path: str) -> str:
        kept = (not part or _COMMON.fullmatch(part) or re.fullmatch(r"folder\d+", part) for part in path.split("/"))
        parts = zip(path.split("/"), kept, strict=True)
        return "/".join(part if known else self._mask("folder", part) for part, known in parts)

    def _mac(self, at: re.Match[str]) -> str:
        if at[0].startswith("02:00:00:00"):
            return at[0]
        number = self._number("mac", at[0])
        return f"02:00:00:00:{number >> 8 & 255:02x}:{number & 255:02x}"

    def _ipv4(self, at: re.Match[str]) -> str:
        try:
            address = ipaddress.IPv4Address(at[0])
        except ValueError:
            return at[0]
        if address.is_loopback or address.is_unspecified or at[0].startswith("203.0.113."):
            return at[0]
        return f"203.0.113.{self._number('ipv4', at[0]) % 256}"

    def _ipv6(self, at: re.Match[str]) -> str:
        try:
            address = ipaddress.IPv6Address(at[0])
        except ValueError:
            return at[0]
        if address.is_loopback or address.is_unspecified or at[0].startswith("2001:db8::"):
            return at[0]
        return f"2001:db8::{self._number('ipv6', at[0]):x}"

    # ---- whole machines ----

    def environment(self, found: Mapping[str, str]) -> dict[str, str]:
        """Variables that have to do with GPUs and programs' places, masked."""
        kept = {name: value for name, value in found.items() if _VARIABLE.fullmatch(name) and not _SECRET.search(name)}
        return {name: self.text(value) for name, value in sorted(kept.items())}

    def tree(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """A recorded tree, masked; a text in a place becomes the same mask in all others."""
        files = {path: self._file(path, entry) for path, entry in table.get("files", {}).items()}
        commands = table.get("commands", {})
        return {
            **{key: value for key, value in table.items() if key not in ("files", "links", "commands", "environment")},
            "environment": self.environment(table.get("environment", {})),
            "files": {self.text(path): entry for path, entry in files.items()},
            "links": {self.text(path): self.text(where) for path, where in table.get("links", {}).items()},
            "commands": {name: self._command(name, each) for name, each in commands.items()},
        }

    def _file(self, path: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        made = dict(entry)
        name = path.rsplit("/", 1)[-1]
        if "hex" in made:
            data = bytes.fromhex(made["hex"])[:_BINARY].decode("latin-1")
            made["hex"] = self.text(data, addresses=False).encode("latin-1", "replace").hex()
        if "text" in made:
            told = made["text"][:_TEXT]
            if name in ("unique_id", "serial_number", "product_serial", "board_serial", "uuid", "product_uuid"):
                made["text"] = self.serial(told.strip().lower().removeprefix("0x")) + "\n" if told.strip() else told
            elif path in ("/etc/passwd", "/etc/group", "/etc/hostname", "/proc/sys/kernel/hostname"):
                made["text"] = self._accounts(told)
            else:
                made["text"] = self.text(told, addresses="version" not in name)
        return made

    def _accounts(self, told: str) -> str:
        """Lines of passwd and group: names alone, without people's full names."""
        lines = []
        for each in told.split("\n"):
            parts = each.split(":")
            if len(parts) == 7:
                parts[4] = ""
            lines.append(":".join(self._short(each) for each in parts))
        return "\n".join(lines)

    def _short(self, part: str) -> str:
        """A field of passwd or group: names that are too short to be found in texts stand alone here."""
        return ",".join(self._alone(each) for each in part.split(","))

    def _alone(self, word: str) -> str:
        if word in self._hosts:
            return self._mask("host", word)
        return self._mask("user", word) if word in self._users else self.text(word)

    def _command(self, name: str, each: Mapping[str, Any]) -> dict[str, Any]:
        made = dict(each)
        for stream in ("text", "error"):
            told = str(made.get(stream, ""))
            if name in ("dmesg", "journal") and stream == "text":
                told = "".join(
                    line + "\n" for line in told.splitlines() if _LOG.search(line) and not _NOISE.search(line)
                )
            made[stream] = self.text(told, addresses=not name.startswith("packages-"))
        return made


def _read(system: System, path: str) -> str:
    try:
        return text(system, path) or ""
    except OSError:
        return ""


def _users(system: System) -> frozenset[str]:
    """Names of people: accounts from 1000 on, members of groups, and who looks."""
    found = {system.environment.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    system_names: set[str] = set()
    for each in _read(system, "/etc/passwd").splitlines():
        parts = each.split(":")
        if len(parts) == 7 and parts[2].isdecimal():
            (found if int(parts[2]) >= 1000 or int(parts[2]) == system.who.uid else system_names).add(parts[0])
    for each in _read(system, "/etc/group").splitlines():
        parts = each.split(":")
        if len(parts) == 4:
            found.update(parts[3].split(","))
    home = re.fullmatch(r"/(?:home|Users)/([^/]+)", system.environment.get("HOME", "").rstrip("/"))
    if home:
        found.add(home[1])
    kept = {each for each in found if each and each.lower() not in _PLAIN and not re.fullmatch(r"user\d+", each)}
    return frozenset(kept - system_names)


def _hosts(system: System) -> frozenset[str]:
    told = [
        _read(system, "/etc/hostname"), _read(system, "/proc/sys/kernel/hostname"),
        system.environment.get("HOSTNAME", ""), system.environment.get("HOST", ""),
    ]  # fmt: skip
    names = {each.strip().split("\n")[0] for each in told}
    names |= {each.split(".")[0] for each in names}
    return frozenset(
        each for each in names if len(each) > 2 and each.lower() not in {*_PLAIN, "localhost"} and not each.isdecimal()
        and not re.fullmatch(r"host\d+", each)
    )  # fmt: skip
