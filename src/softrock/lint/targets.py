"""What the rules need to know of a GPU."""

from __future__ import annotations

from dataclasses import dataclass

from softrock.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU to port to.

    Attributes:
        gfx: its target name.
        waves: wave sizes it can run, the default of HIP first.
        lds: bytes of LDS that a workgroup may have.
        textures: it has image instructions.
        fp8: "fnuz", "ocp" or "" (none).
        family: "CDNA" or "RDNA".
        compute_units: of the model softrock knows by this name, for messages.
    """

    gfx: str
    waves: tuple[int, ...]
    lds: int
    textures: bool
    fp8: str
    family: str

    @property
    def wave(self) -> int:
        """The wave size that HIP programs get."""
        return self.waves[0]


# Sources: LLVM's AMDGPU usage page (targets, wave sizes); ISA guides of CDNA2-4 and RDNA3-4 (LDS, images, FP8).
TARGETS = {
    each.gfx: each
    for each in (
        Target("gfx90a", (64,), 64 << 10, False, "", "CDNA"),
        Target("gfx942", (64,), 64 << 10, False, "fnuz", "CDNA"),
        Target("gfx950", (64,), 160 << 10, False, "ocp", "CDNA"),
        Target("gfx1100", (32, 64), 64 << 10, True, "", "RDNA"),
        Target("gfx1201", (32, 64), 64 << 10, True, "ocp", "RDNA"),
    )
}
DEFAULT = ("gfx942", "gfx1100")


def targets(names: str | None) -> tuple[Target, ...]:
    """The GPUs of a comma-separated list (default: one of CDNA and one of RDNA).

    Raises:
        UsageError: a name that is none of `TARGETS`.
    """
    wanted = [each.strip() for each in names.split(",")] if names else list(DEFAULT)
    for name in wanted:
        if name not in TARGETS:
            raise UsageError(f"unknown GPU {name!r}", hint=f"choose from {', '.join(TARGETS)}")
    return tuple(TARGETS[each] for each in dict.fromkeys(wanted))
