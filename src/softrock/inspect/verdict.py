"""Whether what a file holds runs on a GPU, and why not.

Sources: "Clang Offload Bundler" (which code object a device may take), "User Guide for AMDGPU Backend" (target
features, generic processors), the ROCm documentation of HSA_XNACK and HSA_OVERRIDE_GFX_VERSION.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softrock.codeobj.targets import GENERIC, TargetId, generation, parse, preference, runs_on
from softrock.core.errors import UsageError
from softrock.inspect.limits import clean
from softrock.inspect.scan import Found

_MOST_NAMED = 5
_OVERRIDDEN = ("gfx10-3-generic", "gfx11-generic", "gfx9-generic", "gfx12-generic")
"""Families for which people let one processor pass for another of its family with HSA_OVERRIDE_GFX_VERSION."""


def devices(text: str) -> tuple[TargetId, ...]:
    """The GPUs that ``--gpu`` names: ``gfx1100,gfx942:xnack+``.

    Raises:
        UsageError: one is no processor, or a family instead of one.
    """
    found = tuple(parse(each) for each in text.split(",") if each.strip())
    if not found:
        raise UsageError(f"--gpu {text!r} names no GPU", hint="for instance --gpu gfx1100,gfx942:xnack-")
    for each in found:
        if each.processor in GENERIC:
            raise UsageError(
                f"{each.processor} is a family, not a GPU", hint=f"choose among {', '.join(GENERIC[each.processor])}"
            )
    return found


class Verdict:
    """What a device finds in a file: fed with its code objects one by one.

    Of each bundle a device takes one code object, the one that suits best; a program needs all of its bundles, so the
    file runs only where every one has something for the device. Code objects that stand alone (``.hsaco``, files of
    kernel libraries) are one for each target; of those only the ones that suit count.
    """

    def __init__(self, device: TargetId) -> None:
        self.device = device
        self._best: dict[str, tuple[int, int, TargetId | None]] = {}
        self._alone = self._alone_kernels = 0
        self._taken: set[TargetId] = set()
        self._there: dict[TargetId, None] = {}
        self._unlinked = self._spirv = False

    def feed(self, found: Found, kernels: int) -> None:
        """Take note of a code object with that many kernels."""
        if found.target == "amdgcnspirv":
            self._spirv = True
        self._unlinked |= found.bitcode
        fits = False
        if found.target_id is not None and not found.error:
            if not found.bitcode:
                self._there[found.target_id] = None
            fits = not found.bitcode and runs_on(found.target_id, self.device)
        rank = preference(found.target_id) if fits and found.target_id else -1
        if found.target == "amdgcnspirv":
            rank = 0
        if not found.bundle:
            if fits and found.target_id:
                self._alone += 1
                self._alone_kernels += kernels
                self._taken.add(found.target_id)
            return
        before = self._best.get(found.bundle, (-1, 0, None))
        if rank > before[0]:
            self._best[found.bundle] = (rank, kernels, found.target_id if fits else None)
        else:
            self._best.setdefault(found.bundle, before)

    def result(self, kept_in: Sequence[str] = ()) -> dict[str, Any]:
        """The verdict: ``gpu``, ``verdict`` (runs, runs in part, does not run; unknown where the code is kept in other
        files, `kept_in`, and none was among those inspected), ``reason`` (why not; else None),
        ``needs`` (settings it takes), ``mend``, ``taken`` (targets), ``code_objects`` and ``kernels`` that the device
        takes, ``bundles``, ``bundles_without`` and the first names of those in ``without``.
        """
        covered = [each for each in self._best.values() if each[0] >= 0]
        without = [name for name, each in self._best.items() if each[0] < 0]
        taken = self._taken | {each[2] for each in covered if each[2] is not None}
        some = bool(covered) or self._alone > 0
        verdict = "runs" if some and not without else "runs in part" if some else "does not run"
        reason = mend = None
        if without or not some:
            reason, mend = self._why(bool(some), len(without), len(self._best))
        if kept_in and not self._there and not some:
            verdict, mend = "unknown", "inspect those archives, or the folder or package that holds them"
            reason = f"its GPU code is kept in {', '.join(kept_in[:_MOST_NAMED])}"
        return {
            "gpu": str(self.device),
            "verdict": verdict,
            "reason": reason,
            "needs": self._needs(taken),
            "mend": mend,
            "taken": sorted(str(each) for each in taken),
            "code_objects": len(covered) + self._alone,
            "kernels": sum(each[1] for each in covered) + self._alone_kernels,
            "bundles": len(self._best),
            "bundles_without": len(without),
            "without": [clean(each) for each in without[:_MOST_NAMED]],
        }

    def _needs(self, taken: set[TargetId]) -> list[str]:
        """Settings that code needs and that the device's target ID leaves open."""
        needs = []
        for each in sorted(taken, key=str):
            if each.xnack is not None and self.device.xnack is None:
                needs.append(f"{each}: XNACK {'on (HSA_XNACK=1)' if each.xnack else 'off (HSA_XNACK=0, the default)'}")
            if each.sramecc is not None and self.device.sramecc is None:
                needs.append(f"{each}: SRAM ECC {'on' if each.sramecc else 'off'}")
        if self._spirv:
            needs.append("SPIR-V is compiled for the GPU when it is loaded")
        return needs

    def _why(self, some: bool, without: int, bundles: int) -> tuple[str, str | None]:
        processor = self.device.processor
        rebuild = f"rebuild it with --offload-arch={processor}"
        if some:
            return f"{without} of {bundles} bundles hold nothing for {self.device}", rebuild
        same = [each for each in self._there if runs_on(TargetId(each.processor), TargetId(processor))]
        if same:
            return self._features(same), None
        if not self._there:
            if self._unlinked:
                return "it is not linked yet (bitcode)", "link it with hipcc -fgpu-rdc --hip-link"
            return "it holds no code object that can be read", None
        reason = f"it holds no code for {processor}"
        family = next((name for name, members in GENERIC.items() if processor in members), "")
        near = [each for each in self._there if each.processor in GENERIC.get(family, ())]
        if near:
            reason += f"; {near[0]} is of its family ({family}), but code for one processor runs on no other"
            if family in _OVERRIDDEN:
                rebuild += f"; at your own risk: {_override(near[0].processor)}"
        elif not any(generation(each.processor) == generation(processor) for each in self._there):
            reason += f" or any other of generation gfx{generation(processor)}"
        return reason, rebuild

    def _features(self, same: list[TargetId]) -> str:
        wrong = []
        for name in ("xnack", "sramecc"):
            has: bool | None = getattr(self.device, name)
            clash = [each for each in same if has is not None and getattr(each, name) not in (None, has)]
            if clash:
                wrong.append(f"{clash[0]} needs {name} {'off' if has else 'on'}, {self.device} has it {_word(has)}")
        return "; ".join(wrong) or f"its code for {self.device.processor} does not fit the GPU's settings"


def _word(on: bool | None) -> str:
    return "on" if on else "off"


def _override(processor: str) -> str:
    """The environment setting with which a device passes for a processor: gfx1030 → 10.3.0, gfx90c → 9.0.12."""
    digits = processor[3:]
    stepping = int(digits[-1], 16)
    return f"HSA_OVERRIDE_GFX_VERSION={digits[:-2]}.{digits[-2]}.{stepping}"
