"""Kernel driver"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from softrock.doctor import mends
from softrock.doctor.facts import Driver, Gpu, container, distribution, driver, gpus, wsl
from softrock.doctor.facts.reading import number
from softrock.doctor.facts.versions import firmware_packages, first_kernels, pair, releases, rocm_installed
from softrock.doctor.registry import Machine, Result, check, failure, limit, not_applicable, ok, unknown, warning
from softrock.doctor.text import clean
from softrock.system.interface import System, exists, listed, text

_BLACKLIST = re.compile(r"^\s*(blacklist\s+amdgpu|install\s+amdgpu\s+/\S*bin/(false|true))\s*(#.*)?$", re.MULTILINE)
_OFF = re.compile(r"(?:^|\s)(nomodeset|(?:modprobe\.blacklist|module_blacklist)=\S*\bamdgpu\b\S*|amdgpu\.modeset=0)")
_EFI = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
_DKMS = "/var/lib/dkms/amdgpu"
_SIGN = (
    "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der || sudo mokutil --import /var/lib/dkms/mok.pub",
    "sudo reboot   # choose Enroll MOK in the blue screen and type the password",
    "sudo dkms autoinstall --force",
    "or switch Secure Boot off in the BIOS",
)
_OLDEST = re.compile(r"gfx(8\d\d|9\w\w|1[0-9]\w\w)")


def _own(machine: Machine) -> tuple[Gpu, ...]:
    """GPUs whose driver this kernel should have."""
    return () if machine.fact(wsl) else machine.fact(gpus)


@check("driver-loaded", "the kernel driver amdgpu is loaded")
def driver_loaded(machine: Machine) -> Iterator[Result]:
    """Whether amdgpu runs, and if not, what keeps it away."""
    cards = [each for each in _own(machine) if each.driver in ("", "amdgpu")]
    if not cards:
        return
    told = machine.fact(driver)
    if told.loaded and not told.initialised:
        yield failure(
            "amdgpu has begun to load and did not come to its end", rank=5,
            why="the driver hangs or waits while it starts a GPU; until it is done there is none",
            mend=("sudo dmesg | grep -iE 'amdgpu|firmware' | tail -n 50", "sudo reboot"),
        )  # fmt: skip
    elif told.loaded or any(each.driver == "amdgpu" for each in cards):
        version = f" {told.version}" if told.version else ""
        kind = f", {told.kind}" if told.kind else ""
        yield ok(f"amdgpu{version} is loaded{kind} (Linux {machine.system.platform[1]})")
    else:
        yield _absent(machine, told)


def _absent(machine: Machine, told: Driver) -> Result:
    why = "without it the kernel has no /dev/kfd and no render nodes, and ROCm finds no GPU"
    system = machine.system
    if machine.fact(container):
        return failure("the host has not loaded amdgpu", why=why, mend=("on the host: sudo modprobe amdgpu",), rank=3)
    off = _OFF.search(_command_line(system))
    if off:
        return failure(
            f"amdgpu is not loaded: the kernel was started with {clean(off[1], 80)}", why=why, rank=3,
            mend=("take that word out of the kernel's command line (/etc/default/grub)", "sudo reboot"),
        )  # fmt: skip
    listed_off = _blacklist(system)
    if listed_off:
        return failure(
            f"amdgpu is not loaded: {listed_off} forbids it", why=why, rank=3,
            mend=("grep -rnE 'blacklist +amdgpu|install +amdgpu' /etc/modprobe.d   # take that line out",
                  *mends.initramfs(machine), "sudo modprobe amdgpu"),
        )  # fmt: skip
    if told.dkms and not _built(told, system.platform[1]):
        return _not_built(machine, told, rank=3)
    if _secure_boot(machine) and told.file and not told.signer:
        return failure(
            "amdgpu is not loaded: Secure Boot is on and the module of dkms is not signed", why=why, mend=_SIGN, rank=3
        )
    if not told.file and system.run("module-amdgpu").found:
        return failure(
            f"the kernel {clean(system.platform[1], 60)} has no module amdgpu", why=why, mend=_extra(machine), rank=3
        )
    return failure("amdgpu is not loaded", why=why, mend=("sudo modprobe amdgpu", "sudo dmesg | tail -n 50"), rank=3)


def _command_line(system: System) -> str:
    try:
        return text(system, "/proc/cmdline", 1 << 14) or ""
    except OSError:
        return ""


def _blacklist(system: System) -> str:
    """The file that keeps amdgpu from loading; empty where none does."""
    for folder in ("/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"):
        for name in listed(system, folder):
            try:
                if name.endswith(".conf") and _BLACKLIST.search(text(system, f"{folder}/{name}", 1 << 16) or ""):
                    return clean(f"{folder}/{name}", 120)
            except OSError:
                continue
    return ""


def _extra(machine: Machine) -> tuple[str, ...]:
    """The package that has the module where kernels come in parts."""
    got = mends.install(
        machine, apt='"linux-modules-extra-$(uname -r)"', dnf='"kernel-modules-extra-$(uname -r)"',
        zypper="kernel-default", pacman="linux", apk="linux-lts",
    )  # fmt: skip
    return (*got, "sudo modprobe amdgpu")


def _built(told: Driver, release: str) -> bool:
    return any(f" {release}," in f" {each.replace('/', ' ')}" and "installed" in each for each in told.dkms)


def _not_built(machine: Machine, told: Driver, rank: int) -> Result:
    """The module of dkms was not built for the running kernel: the first error of its log says why."""
    system = machine.system
    release = clean(system.platform[1], 60)
    error = _first_error(system)
    seen = f"amdgpu-dkms is not built for the running kernel {release}" + (f": {error}" if error else "")
    again = "sudo dkms autoinstall   # where only the headers were missing: " + (_headers(machine) or "install them")
    own = f"{_remove(machine)} && sudo reboot   # the kernel's own driver then loads"
    return failure(
        seen, rank=rank,
        why="the sources of amdgpu-dkms follow the kernels that AMD names for each release; a newer kernel changes the "
        "interfaces they call (amdgpu#192, #209)",
        mend=(
            *((own, f"or: {again}") if "error:" in error else (again, f"or: {own}")),
            "or start a kernel that the release notes of your amdgpu-dkms name, or install a newer amdgpu-dkms",
        ),
    )  # fmt: skip


def _headers(machine: Machine) -> str:
    got = mends.install(
        machine, apt='"linux-headers-$(uname -r)"', dnf='"kernel-devel-$(uname -r)"', zypper="kernel-default-devel",
        pacman="linux-headers", apk="linux-lts-dev",
    )  # fmt: skip
    return got[0] if got else ""


def _remove(machine: Machine) -> str:
    ways = {
        "apt": "sudo apt purge amdgpu-dkms", "dnf": "sudo dnf remove amdgpu-dkms",
        "zypper": "sudo zypper remove amdgpu-dkms",
    }  # fmt: skip
    return ways.get(machine.fact(distribution).family, "sudo dkms remove amdgpu --all")


def _first_error(system: System) -> str:
    """The first error in the newest make.log of dkms."""
    for version in reversed(listed(system, _DKMS)):
        if not re.fullmatch(r"[0-9][\w.-]{0,60}", version):
            continue
        try:
            told = text(system, f"{_DKMS}/{version}/build/make.log", 1 << 22) or ""
        except OSError:
            continue
        for each in told.splitlines():
            if re.search(r"(?<![-\w])(fatal error|error):|\*\*\* .*(Error|missing)|Unable to find|No such file", each):
                return clean(each.strip(), 200)
    return ""


@check("dkms", "a driver built by dkms is built for the running kernel")
def dkms(machine: Machine) -> Iterator[Result]:
    """Whether amdgpu-dkms, where it is installed, is what runs."""
    told = machine.fact(driver)
    if not _own(machine) or not told.dkms or machine.fact(container):
        return
    release = machine.system.platform[1]
    if _built(told, release):
        yield ok(f"dkms: {told.dkms[0]}")
    elif told.loaded:
        error = _first_error(machine.system)
        yield warning(
            f"amdgpu-dkms is not built for {release}; the kernel's own driver runs" + (f" ({error})" if error else ""),
            why="it works with the kernel's driver; newer cards and features may want the other", rank=35,
            mend=(_remove(machine), "or, with the kernel's headers installed: sudo dkms autoinstall"),
        )  # fmt: skip
    # where nothing is loaded, driver-loaded tells of it


@check("driver-bound", "each GPU has the driver amdgpu")
def driver_bound(machine: Machine) -> Iterator[Result]:
    """GPUs without a driver, or with another one, while amdgpu is loaded."""
    cards = _own(machine)
    loaded = machine.fact(driver).loaded
    works = [each for each in cards if each.driver == "amdgpu"]
    for each in cards:
        if each.driver == "amdgpu":
            continue
        if each.driver in ("vfio-pci", "pci-stub", "xen-pciback"):
            seen = f"{each.title} is kept for virtual machines ({each.driver})"
            why = "programs of this machine cannot use it"
            mend = ("lspci -nnk -d 1002:   # and take its id out of vfio-pci.ids on the kernel's command line",)
            yield warning(seen, why=why, mend=mend) if works else failure(seen, why=why, mend=mend, gpu=each.address)
        elif each.driver == "radeon":
            yield failure(
                f"{each.title} has the driver radeon", gpu=each.address, rank=6, why="only amdgpu computes",
                mend=mends.kernel_parameter(machine, "radeon.cik_support=0", "amdgpu.cik_support=1"),
            )  # fmt: skip
        elif loaded:
            yield _unbound(machine, each)


def _unbound(machine: Machine, card: Gpu) -> Result:
    told = _reason(machine, card, "has no driver")
    if told:
        return told
    release = pair(machine.system.platform[1])
    first = first_kernels().get(card.gfx)
    if first and release and release < first and machine.fact(driver).kind != "dkms":
        return failure(
            f"{card.title} has no driver: Linux {release[0]}.{release[1]} is older than the GPU", gpu=card.address,
            why=f"its support begins with Linux {first[0]}.{first[1]}", rank=6, mend=_newer_kernel(machine),
        )  # fmt: skip
    return failure(
        f"{card.title} has no driver although amdgpu is loaded", gpu=card.address, rank=12,
        why="the driver did not take it: too old a kernel, missing firmware, or an error that the kernel's log tells",
        mend=("sudo dmesg | grep -iE 'amdgpu|firmware' | head -n 60", *mends.firmware(machine)),
    )  # fmt: skip


def _newer_kernel(machine: Machine) -> tuple[str, ...]:
    where = machine.fact(distribution)
    codename = where.codename if re.fullmatch(r"[a-z]{3,20}", where.codename) else "stable"
    ubuntu = f"linux-generic-hwe-{where.version}" if re.fullmatch(r"\d\d\.04", where.version) else "linux-generic"
    ways = {
        "apt": (f"sudo apt install {ubuntu}",) if where.id == "ubuntu" else
        (f"sudo apt install -t {codename}-backports linux-image-amd64   # with backports among the sources",),
        "dnf": ("sudo dnf upgrade --refresh kernel",), "zypper": ("sudo zypper update kernel-default",),
        "pacman": ("sudo pacman -Syu linux",), "apk": ("sudo apk upgrade linux-lts",),
        "nix": ("boot.kernelPackages = pkgs.linuxPackages_latest; in /etc/nixos/configuration.nix",),
    }  # fmt: skip
    return (*ways.get(where.family, ("install a newer kernel",)), "sudo reboot")


@check("compute-device", "each GPU is a compute device of the kernel (KFD)")
def compute_device(machine: Machine) -> Iterator[Result]:
    """GPUs with the driver that KFD left out."""
    cards = [each for each in _own(machine) if each.driver == "amdgpu"]
    system = machine.system
    if cards and not exists(system, "/sys/class/kfd"):
        if not machine.fact(container):
            yield failure(
                "this kernel has no KFD: amdgpu was built without CONFIG_HSA_AMD", rank=7,
                why="KFD is the part of the driver that programs compute through", mend=_newer_kernel(machine),
            )  # fmt: skip
        return
    if machine.fact(container) and not any(each.node is not None for each in cards):
        return  # the topology is closed to containers without the devices
    for each in cards:
        if each.node is not None:
            yield ok(f"{each.title} is node {each.node} of KFD", gpu=each.address)
        elif machine.fact(container):
            yield not_applicable(f"{each.title} was not handed into this container", gpu=each.address)
        else:
            yield _no_node(machine, each)


def _reason(machine: Machine, card: Gpu, what: str) -> Result | None:
    """A failure with the reason that the kernel's log gives for it; None where it gives none."""
    from softrock.doctor.checks.kernel_log import matches

    reasons = [sign for sign, address, _, _ in matches(machine) if address == card.address and sign.gone]
    if not reasons:
        return None
    told = min(reasons, key=lambda each: each.rank)
    return failure(
        f"{card.title} {what}: {told.what}", why=told.why, rank=told.rank, gpu=card.address,
        mend=[each for one in told.mend for each in (mends.firmware(machine) if one == "firmware" else (one,))],
    )  # fmt: skip


def _no_node(machine: Machine, card: Gpu) -> Result:
    told = _reason(machine, card, "is no compute device")
    if told:
        return told
    release, first = pair(machine.system.platform[1]), first_kernels().get(card.gfx)
    if first and release and release < first:
        return failure(
            f"{card.title} is no compute device: Linux {release[0]}.{release[1]} is too old", rank=13,
            why=f"compute on {card.gfx} begins with Linux {first[0]}.{first[1]}", gpu=card.address,
            mend=_newer_kernel(machine),
        )  # fmt: skip
    if card.gfx and not _OLDEST.fullmatch(card.gfx):
        return failure(
            f"{card.title} is too old for ROCm", why="KFD and ROCm begin with gfx8", gpu=card.address, rank=60
        )
    return failure(
        f"{card.title} displays, but KFD does not have it as a compute device", gpu=card.address, rank=13,
        why="most often the PCIe slot lacks atomic operations, or the kernel does not know the chip",
        mend=("sudo dmesg | grep -iE 'kfd|atomics'",),
    )  # fmt: skip


@check("driver-version", "driver and ROCm belong together")
def driver_version(machine: Machine) -> Iterator[Result]:
    """Running module against the file, and against the ROCm under /opt."""
    told = machine.fact(driver)
    if not _own(machine) or not told.loaded:
        return
    if told.source_version and told.file_source_version and told.source_version != told.file_source_version:
        yield warning(
            "the running amdgpu is not the one on disk", why="an update waits for a restart", rank=45,
            mend=("sudo reboot",),
        )  # fmt: skip
    ours = next((each for each in releases() if told.version.startswith(each.driver)), None)
    if ours is None:
        return
    for folder, rocm in machine.fact(rocm_installed).items():
        theirs = next((each for each in releases() if each.rocm == rocm), None)
        what = f"amdgpu {told.version} (of ROCm {ours.rocm[0]}.{ours.rocm[1]}) and ROCm {rocm[0]}.{rocm[1]} in {folder}"
        if theirs is None:
            continue
        if abs(theirs.months - ours.months) > 12:
            older = "driver" if ours.months < theirs.months else "ROCm"
            yield limit(
                f"{what} are more than a year apart", rank=30,
                why=f"AMD tests them together within a year; the {older} is the older one",
                mend=("install the amdgpu-dkms of the ROCm release that you use: rocm.docs.amd.com",),
            )  # fmt: skip
        else:
            yield ok(f"{what} belong together")


@check("secure-boot", "Secure Boot lets the driver in")
def secure_boot(machine: Machine) -> Iterator[Result]:
    """Secure Boot, and who signed the module."""
    if not _own(machine) or machine.fact(container):
        return
    told, on = machine.fact(driver), _secure_boot(machine)
    if on is None:
        return
    if not on:
        yield ok("Secure Boot is off")
    elif told.loaded or not told.file:
        yield ok("Secure Boot is on" + (f", the module is signed by {told.signer}" if told.signer else ""))
    # an unsigned module that is not loaded is told of by driver-loaded


def _secure_boot(machine: Machine) -> bool | None:
    """Secure Boot is on; None where nothing tells."""
    told = machine.system.run("secure-boot")
    if "SecureBoot enabled" in told.text:
        return True
    if "SecureBoot disabled" in told.text or "doesn't support Secure Boot" in told.text + told.error:
        return False
    try:
        return machine.system.read(_EFI, 16)[4:5] == b"\1"
    except OSError:
        return None


@cache
def _bad_firmware() -> dict[str, dict[str, Any]]:
    told = (resources.files("softrock.doctor") / "data" / "firmware.toml").read_text(encoding="utf-8")
    return tomllib.loads(told)


@check("firmware", "no firmware is loaded that is known to be bad")
def firmware(machine: Machine) -> Iterator[Result]:
    """Firmware versions against a dated table."""
    if machine.fact(container):
        return
    for card in _own(machine):
        for row in _bad_firmware().values():
            if card.gfx not in row["gfx"]:
                continue
            version = number(machine.system, f"{card.path}/fw_version/{row['part']}_fw_version")
            packages = machine.fact(firmware_packages)
            bad = next((each for each in packages for date in row["package"] if date in each), "")
            if version is not None and version & row["mask"] in row["versions"]:
                seen = f"{card.title}: firmware {row['part'].upper()} {version & row['mask']:#x} is known to be bad"
            elif version is None and bad:
                seen = f"{card.title}: the firmware package {bad} is known to be bad for it"
            elif version is not None:
                yield ok(f"{card.title}: firmware {row['part'].upper()} {version & row['mask']:#x}", gpu=card.address)
                continue
            else:
                continue
            yield limit(
                seen, why=f"{row['what']}; reported {row['since']}, {row['source']}", rank=22, gpu=card.address,
                mend=mends.firmware(machine),
            )  # fmt: skip


@check("driver-parameters", "no parameter of the kernel switches a part of the driver off")
def parameters(machine: Machine) -> Iterator[Result]:
    """Parameters on the kernel's command line that matter to compute."""
    if not _own(machine):
        return
    words = _command_line(machine.system).split()
    told = {
        "amdgpu.noretry=0": "retry of page faults is on: slower on most cards",
        "amdgpu.gpu_recovery=0": "a GPU that hangs is not reset",
        "amdgpu.dpm=0": "power management is off: the clocks stay low",
        "amdgpu.runpm=0": "the GPU never sleeps",
        "amdgpu.cwsr_enable=0": "waves cannot be saved: no debugger, and no sharing between processes",
        "amdgpu.sched_policy=2": "hardware scheduling is off: one process may block all others",
        "pci=noats": "address translation services are off",
    }  # fmt: skip
    for word, meaning in told.items():
        if word in words:
            yield warning(
                f"the kernel was started with {word}: {meaning}", rank=48, why="often left over from a search",
                mend=("take it out of the kernel's command line in the boot loader", "sudo reboot"),
            )  # fmt: skip


@check("kernel-release", "the kernel knows the GPU's target")
def kernel_release(machine: Machine) -> Iterator[Result]:
    """Kernels that are older than a GPU which they drive all the same."""
    release = pair(machine.system.platform[1])
    if release is None:
        if _own(machine):
            yield unknown(f"the kernel's release {machine.system.platform[1]!r} has no numbers")
        return
    for card in _own(machine):
        first = first_kernels().get(card.gfx)
        if first and release < first and card.node is not None and machine.fact(driver).kind != "dkms":
            yield warning(
                f"{card.title}: Linux {release[0]}.{release[1]} is older than {first[0]}.{first[1]}, where its support "
                "begins", why="a distribution may have brought the driver back; expect faults", rank=44,
                mend=_newer_kernel(machine), gpu=card.address,
            )  # fmt: skip
