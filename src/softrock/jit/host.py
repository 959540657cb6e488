"""The host CPU that code is translated for."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from softrock.core import settings
from softrock.core.errors import UsageError

_LEVELS = {
    "x86-64": "",
    "x86-64-v2": "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16",
    "x86-64-v3": "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe",
    "x86-64-v4": "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,"
    "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl",
}


@dataclass(frozen=True, slots=True)
class Host:
    """A host CPU: LLVM's triple, CPU name and feature string, and the questions that choose code forms."""

    triple: str
    cpu: str
    features: str

    @property
    def key(self) -> str:
        """What distinguishes generated code in the cache."""
        return f"{self.triple}/{self.cpu}/{self.features}"

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")


@functools.cache
def _native() -> tuple[str, str, str]:
    from llvmlite import binding

    # The name may be older than the features say, so the features are passed in full.
    return (
        binding.get_process_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
    )


def host() -> Host:
    """The CPU to translate for: this one, or SOFTROCK_HOST_CPU (x86-64, x86-64-v2, -v3, -v4)."""
    asked = settings.load().host_cpu
    triple, name, features = _native()
    if asked is None:
        # 512-bit registers pay on every host that has them: one instruction covers 16 lanes.
        return Host(triple, name, features + ",-prefer-256-bit" if "+avx512f" in features else features)
    if asked not in _LEVELS:
        raise UsageError(f"SOFTROCK_HOST_CPU={asked!r} is unknown", hint=f"use one of {', '.join(_LEVELS)}")
    lacking = [f for f in _LEVELS[asked].split(",") if f and f not in features.split(",")]
    if lacking:
        raise UsageError(
            f"this CPU lacks {' '.join(lacking)} of SOFTROCK_HOST_CPU={asked}", hint="choose a lower level"
        )
    extra = ",-prefer-256-bit" if asked == "x86-64-v4" else ""
    return Host(triple, "x86-64", _LEVELS[asked] + extra)


def target_machine(opt: int) -> Any:
    """An LLVM target machine for the host."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    here = host()
    return binding.Target.from_triple(here.triple).create_target_machine(
        cpu=here.cpu, features=here.features, opt=opt, reloc="pic", codemodel="small"
    )
