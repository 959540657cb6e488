"""Target IDs (``gfx942:sramecc+:xnack-``): their text, their ELF flags, and which code runs on which device.

Sources: "User Guide for AMDGPU Backend" (llvm.org/docs/AMDGPUUsage.html: processors, target ID, ELF
header, generic processors) and "Clang Offload Bundler" (compatibility rules for target IDs).
"""

from __future__ import annotations

from typing import NamedTuple

from softrock.core.errors import UsageError

# EF_AMDGPU_MACH value, processor.
_MACHINES = """
20 gfx600; 21 gfx601; 3a gfx602; 22 gfx700; 23 gfx701; 24 gfx702; 25 gfx703; 26 gfx704; 3b gfx705;
28 gfx801; 29 gfx802; 2a gfx803; 3c gfx805; 2b gfx810; 2c gfx900; 2d gfx902; 2e gfx904; 2f gfx906;
30 gfx908; 31 gfx909; 32 gfx90c; 3f gfx90a; 40 gfx940; 4b gfx941; 4c gfx942; 4f gfx950; 33 gfx1010;
34 gfx1011; 35 gfx1012; 42 gfx1013; 36 gfx1030; 37 gfx1031; 38 gfx1032; 39 gfx1033; 3e gfx1034; 3d
gfx1035; 45 gfx1036; 41 gfx1100; 46 gfx1101; 47 gfx1102; 44 gfx1103; 43 gfx1150; 4a gfx1151; 55
gfx1152; 58 gfx1153; 5d gfx1170; 5e gfx1171; 5c gfx1172; 48 gfx1200; 4e gfx1201; 49 gfx1250; 5a
gfx1251; 50 gfx1310; 51 gfx9-generic; 5f gfx9-4-generic; 52 gfx10-1-generic; 53 gfx10-3-generic; 54
gfx11-generic; 59 gfx12-generic; 5b gfx12-5-generic
"""
MACHINES: dict[int, str] = {int(pair.split()[0], 16): pair.split()[1] for pair in _MACHINES.split(";")}

GENERIC: dict[str, tuple[str, ...]] = {
    "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
    "gfx9-4-generic": ("gfx940", "gfx941", "gfx942", "gfx950"),
    "gfx10-1-generic": ("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
    "gfx10-3-generic": ("gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"),
    "gfx11-generic": ("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"),
    "gfx12-generic": ("gfx1200", "gfx1201"),
    "gfx12-5-generic": ("gfx1250", "gfx1251"),
}
"""Generic processor -> the processors that run its code."""

FEATURES = ("sramecc", "xnack")
"""The target features, in canonical (alphabetic) order."""


class TargetId(NamedTuple):
    """A processor and its settings; a feature is True (on), False (off) or None (any: runs on both)."""

    processor: str
    sramecc: bool | None = None
    xnack: bool | None = None

    def __str__(self) -> str:
        settings = zip(FEATURES, (self.sramecc, self.xnack), strict=True)
        return self.processor + "".join(
            f":{name}{'+' if on else '-'}" for name, on in settings if on is not None
        )

    @property
    def features(self) -> dict[str, bool]:
        """Only the features that are set on or off."""
        settings = zip(FEATURES, (self.sramecc, self.xnack), strict=True)
        return {name: on for name, on in settings if on is not None}

    @property
    def generation(self) -> int:
        """Major number of the instruction set: 9, 10, 11, 12 …"""
        return generation(self.processor)


def parse(text: str) -> TargetId:
    """Read a target ID.

    Raises:
        UsageError: it is no target ID of an AMD GPU.
    """
    processor, *settings = text.strip().split(":")
    values: dict[str, bool] = {}
    for each in settings:
        name, sign = each[:-1], each[-1:]
        if name not in FEATURES or sign not in ("+", "-") or name in values:
            raise UsageError(
                f"target {text!r} has a bad feature {each!r}", hint="write gfx942, gfx942:xnack- or the like"
            )
        values[name] = sign == "+"
    if processor not in MACHINES.values():
        raise UsageError(
            f"{processor!r} is no AMD GPU target", hint="targets look like gfx942, gfx1100, gfx942:xnack-"
        )
    return TargetId(processor, **values)


def from_flags(flags: int, abi_version: int) -> TargetId | None:
    """What an ELF header's e_flags and ABI version (1 is code object v3, 4 is v6) say, or None."""
    processor = MACHINES.get(flags & 0xFF)
    if processor is None:
        return None
    if abi_version <= 1:
        return TargetId(processor, bool(flags & 0x200) or None, bool(flags & 0x100) or None)
    setting = (None, None, False, True)  # unsupported, any, off, on
    return TargetId(processor, setting[flags >> 10 & 3], setting[flags >> 8 & 3])


def generation(processor: str) -> int:
    """Major number of a processor's instruction set: gfx942 -> 9, gfx1100 -> 11, gfx9-4-generic -> 9."""
    digits = processor[3:]
    return int(digits.split("-")[0]) if "-" in digits else int(digits[:-2])


def runs_on(code: TargetId, device: TargetId) -> bool:
    """Whether code for target `code` may be loaded on a device whose settings are `device`."""
    same = code.processor == device.processor or device.processor in GENERIC.get(code.processor, ())
    if not same:
        return False
    pairs = ((code.sramecc, device.sramecc), (code.xnack, device.xnack))
    return all(need is None or have is None or need == have for need, have in pairs)


def preference(code: TargetId) -> int:
    """Sort key among code that runs on a device: specific over generic, set features over any."""
    return (0 if code.processor in GENERIC else 10) + len(code.features)
